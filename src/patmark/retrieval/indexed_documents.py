"""What an index remembers of each document besides its terms: one line of JSON per document.

The place of a line is the number of the document in the index. Lines are written before the
engine commits their batch, so after a crash there are at least as many lines as documents.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from patmark.errors import InputError
from patmark.retrieval.documents import PatentDocument
from patmark.retrieval.ipc import ipc_prefixes


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document without its text. ``codes`` are its IPC codes at all levels."""

    id: str
    date: date | None
    family: str | None
    codes: tuple[str, ...]
    length: int
    unreadable_codes: int = 0

    def to_line(self) -> str:
        """The line of the file."""
        day = None if self.date is None else self.date.isoformat()
        fields = [self.id, day, self.family, self.codes, self.length, self.unreadable_codes]
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"

    @classmethod
    def from_line(cls, line: str) -> IndexedDocument:
        """The document of a line. Codes and dates repeat, so each is kept in memory once."""
        identity, day, family, codes, *counts = json.loads(line)
        return cls(identity, day and _day(day), family, tuple(map(sys.intern, codes)), *counts)


@lru_cache(maxsize=1 << 16)
def _day(text: str) -> date:
    return date.fromisoformat(text)


def indexed_document(document: PatentDocument, length: int) -> IndexedDocument:
    """What is remembered of a document of ``length`` terms.

    Where a document has no IPC code, its CPC codes stand in: both agree down to the subclass.
    """
    found = [ipc_prefixes(code) for code in document.ipc or document.cpc]
    codes = {prefix for prefixes in found if prefixes for prefix in prefixes.values()}
    return IndexedDocument(
        document.id, document.date, document.family, tuple(sorted(codes)), length,
        found.count(None),
    )  # fmt: skip


def read_documents(path: Path) -> Iterator[IndexedDocument]:
    """The documents of an index in order."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            yield from map(IndexedDocument.from_line, file)
    except (OSError, ValueError, TypeError) as error:
        raise InputError.at(f"is damaged: {error}; build the index again", str(path)) from None


def append_documents(path: Path, documents: Iterable[IndexedDocument]) -> None:
    """Add lines, and wait until they are on the disk."""
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.writelines(document.to_line() for document in documents)
        file.flush()
        os.fsync(file.fileno())


def keep_first(path: Path, count: int) -> None:
    """Drop all lines after the first ``count``, which belong to a batch that was not committed."""
    with path.open("a+b") as file:
        file.seek(0)
        size = sum(len(line) for line in islice(file, count))
        file.truncate(size)
        os.fsync(file.fileno())


def count_documents(documents: Iterable[IndexedDocument]) -> dict[str, Any]:
    """The counts of a manifest, and the SHA-256 of all ids in order, one per line.

    In one pass: the documents of a large collection do not fit into memory twice.
    """
    names = ("documents", "tokens", "undated", "unclassified", "unreadable_codes")
    totals = [0] * len(names)
    digest = hashlib.sha256()
    for document in documents:
        digest.update(f"{document.id}\n".encode())
        counted = (
            1, document.length, document.date is None, not document.codes,
            document.unreadable_codes,
        )  # fmt: skip
        totals = [total + one for total, one in zip(totals, counted, strict=True)]
    return {**dict(zip(names, totals, strict=True)), "ids_sha256": digest.hexdigest()}
