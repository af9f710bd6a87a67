"""Folders, archives and compressed files as plain streams.

Folders, zip, tar, gzip, zstd, bzip2 and xz are opened, also nested.
"""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from patmark.data.files import CHUNK, JSON_FORMATS, decoded, endings_of, unpacked_stream
from patmark.errors import Damage, InputError, Problem

_DEEPEST = 4
_SPOOLED = 1 << 26
TEXT_ENDINGS = (".xml", ".sgm", ".sgml", ".txt", ".greenbook", ".aps")
JSON_LINES_ENDINGS = endings_of(*JSON_FORMATS)
ARCHIVE_ENDINGS = (".zip", ".tar", ".tgz")
PACKED_ENDINGS = (*ARCHIVE_ENDINGS, ".gz", ".zst", ".bz2", ".xz")
_ZIP_HEADER = struct.Struct("<4s2xHH8xI4xHH")  # signature, flags, method, compressed size, lengths
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"<\0", b"\0<")
_STORED, _DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_ENCRYPTED, _SIZES_AFTER = 1, 8
_PIECE = 1 << 14
_OTHER_MAGIC: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
)
# exceptions of a damaged archive or compressed file, at any point of reading; zipfile raises the
# last two for a member that is encrypted or has an unknown compression
READ_ERRORS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError,
    RuntimeError, NotImplementedError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A plain stream inside an input, or the reason why it cannot be opened."""

    name: str
    stream: IO[bytes] | None = None
    problem: str = ""


def iter_parts(
    path: Path,
    on_skip: Callable[[str], None] = lambda name: None,
    endings: Sequence[str] = TEXT_ENDINGS,
    *,
    any_text: bool = False,
    named: bool = True,
) -> Iterator[ArchiveMember]:
    """Yield the plain streams of a file or folder, in order of their names or places.

    ``on_skip`` receives files in folders and archives with another extension, except compressed
    ones, and those without text if ``any_text`` is set; hidden files are ignored. A file that is
    not ``named`` was found in a folder.
    """
    skip = _Skip(on_skip, (*endings, *PACKED_ENDINGS), any_text, str(path) if named else "")
    if path.is_dir():
        for file in sorted(path.rglob("[!.]*")):
            if file.is_file() and skip.wants(file.name, str(file)):
                yield from _file_parts(file, skip)
    elif path.exists():
        yield from _file_parts(path, skip)
    else:
        raise InputError.at("no such file or folder", str(path))


def _file_parts(path: Path, skip: _Skip) -> Iterator[ArchiveMember]:
    try:
        with path.open("rb") as stream:
            yield from _parts(str(path), stream, 0, skip)
    except READ_ERRORS as error:
        yield ArchiveMember(str(path), problem=describe(error))


@dataclass(frozen=True, slots=True)
class _Skip:
    """Rule for skipped files of folders and archives; ``tell`` receives their names."""

    tell: Callable[[str], None]
    endings: tuple[str, ...]
    any_text: bool
    asked_for: str

    def wants(self, name: str, shown: str) -> bool:
        """Return True if a file is opened at all."""
        wanted = self.any_text or self._named(name)
        if not wanted:
            self.tell(shown)
        return wanted

    def wants_content(self, name: str, head: bytes) -> bool:
        """Return True if an opened file is read: text always is."""
        known = name == self.asked_for or self._named(name)
        wanted = known or head.startswith(_WIDE_MARKS) or b"\0" not in head
        if not wanted:
            self.tell(name)
        return wanted

    def _named(self, name: str) -> bool:
        return Path(name).suffix.lower() in self.endings


def _parts(name: str, stream: Any, depth: int, skip: _Skip) -> Iterator[ArchiveMember]:
    if depth > _DEEPEST:
        yield ArchiveMember(name, problem=f"archives inside each other, more than {_DEEPEST} deep")
        return
    if isinstance(stream, io.BufferedReader):
        buffered = stream
    else:
        buffered = io.BufferedReader(_AsItComes(stream), CHUNK)
    head = buffered.peek(512)
    opener = next((each for magic, each in _OTHER_MAGIC if head.startswith(magic)), None)
    unpacked = opener(buffered) if opener else unpacked_stream(buffered, head)
    if unpacked is not buffered:
        yield from _parts(name, unpacked, depth + 1, skip)
    elif head.startswith(b"PK\x03\x04"):
        yield from _zip_parts(name, buffered, depth, skip)
    elif head[257:262] == b"ustar":
        yield from _tar_parts(name, buffered, depth, skip)
    elif skip.wants_content(name, head):
        yield ArchiveMember(name, buffered)


class _AsItComes(io.RawIOBase):
    """A decompressed stream piece by piece, so that data before a damage are kept."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._read = getattr(stream, "read1", stream.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data: bytes = self._read(min(len(buffer), _PIECE))
        buffer[: len(data)] = data
        return len(data)


def _zip_parts(
    name: str, stream: io.BufferedReader, depth: int, skip: _Skip
) -> Iterator[ArchiveMember]:
    with tempfile.SpooledTemporaryFile(max_size=_SPOOLED) as spool:
        source: Any = stream
        if depth:
            with suppress(*READ_ERRORS):  # a zip without its end says so itself
                while chunk := stream.read1(CHUNK):
                    spool.write(chunk)
            source = spool
        try:
            archive = zipfile.ZipFile(source)
            starts = (member.header_offset for member in archive.infolist())
            if min(starts, default=0) > 0:  # the contents of a zip inside a zip that is cut off
                raise zipfile.BadZipFile
        except zipfile.BadZipFile:
            yield from _cut_zip_parts(name, source, depth, skip)
            return
        with archive:
            for member in archive.infolist():
                shown = f"{name}/{member.filename}"
                if member.is_dir() or not skip.wants(member.filename, shown):
                    continue
                try:
                    with archive.open(member) as inner:
                        yield from _parts(shown, inner, depth + 1, skip)
                except READ_ERRORS as error:
                    yield ArchiveMember(shown, problem=describe(error))


def _cut_zip_parts(name: str, source: Any, depth: int, skip: _Skip) -> Iterator[ArchiveMember]:
    """Yield the files of a truncated zip, which has lost its table of contents.

    Each file has its own header, so they can be read one after the other up to the cut.
    """
    source.seek(0)
    buffered = io.BufferedReader(source) if isinstance(source, io.RawIOBase) else source
    while (header := buffered.read(_ZIP_HEADER.size))[:4] == b"PK\x03\x04":
        if len(header) < _ZIP_HEADER.size:
            break
        _, flags, method, size, name_size, extra = _ZIP_HEADER.unpack(header)
        shown = f"{name}/{buffered.read(name_size).decode('utf-8', 'replace')}"
        buffered.read(extra)
        if (
            method not in (_STORED, _DEFLATED)
            or flags & _ENCRYPTED
            or (method == _STORED and flags & _SIZES_AFTER)
        ):
            yield ArchiveMember(
                shown, problem="a damaged zip, with a file that cannot be read without its end"
            )
            return
        member = _ZipMember(buffered, size if method == _STORED else None)
        if not shown.endswith("/") and skip.wants(shown, shown):
            try:
                yield from _parts(shown, io.BufferedReader(member, CHUNK), depth + 1, skip)
            except READ_ERRORS as error:
                yield ArchiveMember(shown, problem=describe(error))
        if not member.finish():
            break
        if flags & _SIZES_AFTER:
            mark = buffered.read(4)
            buffered.read(12 if mark == b"PK\x07\x08" else 8)
    yield ArchiveMember(name, problem="the zip is truncated; entries before the cut were read")


class _ZipMember(io.RawIOBase):
    """A file inside a zip, read from the current place of the archive; EOFError at a cut."""

    def __init__(self, source: Any, size: int | None) -> None:
        super().__init__()
        self._source = source
        self._left = size
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = b""
        while not (data or self._ended):
            data = (
                self._stored(len(buffer)) if self._left is not None else self._deflated(len(buffer))
            )
        buffer[: len(data)] = data
        return len(data)

    def _stored(self, most: int) -> bytes:
        data: bytes = self._source.read(min(most, self._left or 0))
        self._left = (self._left or 0) - len(data)
        if self._left and not data:
            raise EOFError("cut off")
        self._ended = not self._left
        return data

    def _deflated(self, most: int) -> bytes:
        packed = self._inflate.unconsumed_tail or self._source.read(_PIECE)
        if not packed and not self._inflate.eof:
            raise EOFError("cut off")
        data = self._inflate.decompress(packed, most)
        if self._inflate.eof:
            self._ended = True
            self._source.seek(-len(self._inflate.unused_data), io.SEEK_CUR)
        return data

    def finish(self) -> bool:
        """Read to the end of the file and return True if it has one."""
        passed = bytearray(CHUNK)
        try:
            while self.readinto(passed):
                pass
        except (EOFError, zlib.error):
            return False
        return self._ended


class _TarMember(tarfile.TarInfo):
    """Header of a file in a tar; tarfile would take a damaged one for the end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a header; raise ReadError if it is damaged, or missing without an end mark."""
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if buf and not any(buf):  # the end mark
                raise
            raise tarfile.ReadError(f"the tar is cut off or damaged: {error}") from None


def _tar_parts(name: str, stream: IO[bytes], depth: int, skip: _Skip) -> Iterator[ArchiveMember]:
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarMember) as archive:
        for member in archive:
            shown = f"{name}/{member.name}"
            if not member.isfile() or not skip.wants(member.name, shown):
                continue
            inner = archive.extractfile(member)
            if inner is None:
                continue
            try:
                yield from _parts(shown, inner, depth + 1, skip)
            except READ_ERRORS as error:
                yield ArchiveMember(shown, problem=describe(error))
    while stream.read(CHUNK):  # the check sum of a packed tar comes last
        pass


def describe(error: BaseException) -> str:
    """Describe the damage of an archive."""
    return f"cannot be unpacked or read: {error or type(error).__name__}"


def text_lines(path: Path, problems: list[Problem]) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of JSON Lines files, compressed or not: file name, number, text.

    Unreadable files, and inputs without such a file, are added to the problems.
    """
    found = False
    for part in iter_parts(path, endings=JSON_LINES_ENDINGS):
        found = True
        if part.stream is None:
            problems.append(Damage(part.problem, part.name))
            continue
        number = 0
        try:
            for number, line in enumerate(part.stream, 1):
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                yield part.name, number, decoded(line)
        except READ_ERRORS as error:
            problems.append(Damage(describe(error), part.name, number + 1))
        except ValueError as error:
            problems.append(Problem(str(error), part.name, number))
    if not found:
        problems.append(
            Problem(f"holds no file that ends in {', '.join(JSON_LINES_ENDINGS)}", str(path))
        )
