"""Lines of files that are larger than memory: plain, gzip or zstd, one after the other."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from patmark.data.files import FilePath, packing, read_errors, shown
from patmark.errors import InputError

_CHUNK = 1 << 20
_GZIP_WINDOW = 31  # tells zlib to expect the gzip header


def iter_byte_lines(path: FilePath) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, split at LF only; an empty file is an error."""
    number = 0
    for number, line in enumerate(_lines(_unpacked(path)), 1):
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        yield number, line.removesuffix(b"\r")
    if not number:
        raise InputError.at("is empty", shown(path))


def first_bytes(path: FilePath) -> bytes:
    """How a file begins, unpacked and without a byte order mark; nothing if it is empty."""
    with closing(_unpacked(path)) as pieces:
        return next(pieces, b"").removeprefix(codecs.BOM_UTF8)


def decoded(line: bytes) -> str:
    """A line as text; a ValueError says which byte is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte {error.start + 1} of the line (0x{line[error.start]:02X})"
        raise ValueError(f"is not UTF-8: {place}") from None


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Lines of a stream; a long line is put together once, at its end."""
    pieces: list[bytes] = []
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        pieces.append(first)
        if others:
            yield b"".join(pieces)
            yield from others[:-1]
            pieces = [others[-1]]
    if rest := b"".join(pieces):
        yield rest


def _unpacked(path: FilePath) -> Generator[bytes, None, None]:
    """The content in pieces, unpacked by what the first bytes and the name say."""
    chunks = _chunks(path)
    first = next(chunks, b"")
    kind = packing(first, path)
    if kind:
        yield from _inflated(_gzip_member if kind == "gz" else _zstd_frame, first, chunks, path)
    elif first:
        yield first
        yield from chunks


def _inflated(begin: Any, first: bytes, chunks: Iterator[bytes], path: FilePath) -> Iterator[bytes]:
    """All members or frames; the end of the file inside of one says that it was cut off."""
    import zstandard

    part = begin()
    chunk = first
    while chunk:
        if part.eof:
            part = begin()
        try:
            unpacked = part.decompress(chunk)
        except (zlib.error, zstandard.ZstdError) as error:
            raise InputError.at(f"is not valid packed data: {error}", shown(path)) from None
        yield unpacked
        chunk = part.unused_data or next(chunks, b"")
    if not part.eof:
        raise InputError.at("is cut off: the packed data end too early", shown(path))


def _gzip_member() -> Any:
    return zlib.decompressobj(_GZIP_WINDOW)


def _zstd_frame() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _chunks(path: FilePath) -> Iterator[bytes]:
    with read_errors(path), Path(path).open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
