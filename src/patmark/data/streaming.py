"""Lines of files that are larger than memory: plain, gzip or zstd, one after the other."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from patmark.data.files import (
    FilePath,
    read_errors,
    shown,
    unpacked_stream,
    unpacking_errors,
)
from patmark.errors import InputError

_HEAD = 1 << 20


def iter_byte_lines(path: FilePath) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, split at LF only; an empty file is an error."""
    number = 0
    with _unpacked(path) as stream:
        for number, line in enumerate(stream, 1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            yield number, line.removesuffix(b"\n").removesuffix(b"\r")
    if not number:
        raise InputError.at("is empty", shown(path))


def first_bytes(path: FilePath) -> bytes:
    """How a file begins, unpacked and without a byte order mark; nothing if it is empty."""
    with _unpacked(path) as stream:
        return stream.read(_HEAD).removeprefix(codecs.BOM_UTF8)


@contextmanager
def _unpacked(path: FilePath) -> Iterator[IO[bytes]]:
    """The content as a stream, unpacked by what the first bytes and the name say."""
    with read_errors(path), unpacking_errors(path), Path(path).open("rb") as file:
        yield unpacked_stream(file, file.peek(8), Path(path).suffix.lower())
