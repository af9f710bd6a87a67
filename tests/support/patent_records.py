"""One record of a patent file, without a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from patmark.collections.patents.read import _read_safely, _records
from patmark.data.documents import BrokenRecord, Document


def read_record(data: bytes, origin: str = "", number: int = 1) -> list[Document | BrokenRecord]:
    """Return the documents of one record (an OPS reply has several), or its problem."""
    return _read_safely(data, origin, number, None)


def split_records(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the records of markup."""
    for record in _records(stream, None):
        assert isinstance(record, bytes)
        yield record
