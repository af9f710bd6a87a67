"""Files: formats by extension; text, packed and standard streams; atomic writing; system names."""

from __future__ import annotations

import codecs
import errno
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, Literal, TextIO, TypeAlias, cast

from patmark.data.records import (
    Record,
    json_object,
    json_text,
    list_entries,
    raise_if_any,
)
from patmark.errors import InputError, Problem, UsageError

FilePath: TypeAlias = str | Path
FileFormat: TypeAlias = Literal["text", "jsonl", "json", "tsv", "csv", "xlsx", "parquet", "tmx", ""]
PACKED_SUFFIXES = (".gz", ".zst")
FORMATS: dict[str, FileFormat] = {
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".tsv": "tsv",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".tmx": "tmx",
}
TABLE_FORMATS = ("tsv", "csv", "xlsx")
JSON_FORMATS = ("jsonl", "json")
"""Formats of rows with one JSON object per line; lists and other JSON have the extension .json."""

STREAM = "-"
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
CHUNK = 1 << 18
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LANGUAGE_SUFFIXES = (".en", ".ja", ".zh")


def ending(path: str | Path) -> str:
    """Return the extension of a file name in lower case, without that of its compression.

    >>> ending("runs/baseline.JSONL.gz"), ending("baseline.txt"), ending("baseline.gz")
    ('.jsonl', '.txt', '')
    """
    name = Path(path).name.lower()
    for packed in PACKED_SUFFIXES:
        name = name.removesuffix(packed)
    return Path(name).suffix


def file_format(path: str | Path) -> FileFormat:
    """Return the format of a file extension; empty for an unknown one.

    >>> file_format("run.ndjson.gz"), file_format("hypothesis.en")
    ('jsonl', '')
    """
    return FORMATS.get(ending(path), "")


def is_parquet(path: str | Path) -> bool:
    """Return True if a file name is that of a Parquet file."""
    return file_format(path) == "parquet"


def endings_of(*formats: str) -> tuple[str, ...]:
    """Return the extensions of some formats."""
    return tuple(ending for ending, found in FORMATS.items() if found in formats)


class NamedFile(str):
    """The path of a file that messages and results show under another name."""

    name: str

    def __new__(cls, path: FilePath, name: str) -> NamedFile:
        made = super().__new__(cls, path)
        made.name = name
        return made


def shown(path: FilePath) -> str:
    """Return the name of an input in messages."""
    if isinstance(path, NamedFile):
        return path.name
    return "standard input" if str(path) == STREAM else str(path)


def system_name(path: FilePath) -> str:
    """Return the system name of a file: without folder and known extensions."""
    if str(path) == STREAM:
        return "stdin"
    name = Path(path).name
    for endings in (PACKED_SUFFIXES, tuple(FORMATS), _LANGUAGE_SUFFIXES):
        ending = next((e for e in endings if name.lower().endswith(e) and len(name) > len(e)), "")
        name = name[: len(name) - len(ending)]
    return name


def split_name(argument: str) -> tuple[str, str]:
    """Split NAME=PATH; a path alone gets its name from the file.

    A name has no slash, so that ``runs/rate=1/out.txt`` and ``./a=b.txt`` are paths.
    """
    name, equals, path = argument.partition("=")
    if not equals or "/" in name or "\\" in name:
        return system_name(argument), argument
    if not name.strip() or not path:
        raise UsageError(f"expected PATH or NAME=PATH, found {argument!r}")
    return name.strip(), path


def check_stdin_once(paths: Iterable[FilePath | None]) -> None:
    """Refuse a list of inputs with standard input more than once."""
    times = sum(str(path) == STREAM for path in paths)
    if times > 1:
        raise UsageError(
            f"standard input ('-') can be read only once, but it is given {times} times"
        )


def read_lines(path: FilePath) -> list[str]:
    """Return the lines of a text file, split at LF only: other breaks occur inside texts."""
    text = read_text(path)
    lines = text.split("\n")
    if not lines[-1]:
        del lines[-1]
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def read_text(path: FilePath) -> str:
    """Return the text of a UTF-8 file with its line ends, without a byte order mark.

    The byte order mark of UTF-16 is recognised, as spreadsheets write it for "Unicode text".
    """
    data = read_bytes(path)
    with unpacking_errors(path):
        data = unpacked_stream(io.BytesIO(data), data[:8], Path(path).suffix.lower()).read()
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data:
        hint = "; it can be read only once" if str(path) == STREAM else ""
        raise InputError.at(f"is empty{hint}", shown(path))
    wide = data.startswith(_UTF16_MARKS)
    try:
        return data.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError as error:
        if wide:
            message = f"begins as UTF-16, but is none at byte {error.start + 1}"
            raise InputError.at(message, shown(path)) from None
        raise InputError(_bad_utf8(data, shown(path))) from None


def parse_records(path: FilePath) -> tuple[list[Record], list[Problem]]:
    """Parse the JSON objects of a file; return them and the list of problems."""
    return records_of(enumerate(read_lines(path), 1), shown(path))


def parse_listed_records(path: FilePath) -> tuple[list[Record], list[Problem]]:
    """Parse the objects of a file that holds a JSON list."""
    return records_of(json_entries(path), shown(path))


def json_entries(path: FilePath, what: str = "a JSON list") -> list[tuple[int, str]]:
    """Return line and text of each entry of a JSON list; ``what`` is for messages."""
    return list_entries("\n".join(read_lines(path)), shown(path), what)


def records_of(entries: Iterable[tuple[int, str]], path: str) -> tuple[list[Record], list[Problem]]:
    """Parse JSON objects of entries with lines; return them and the list of problems."""
    records: list[Record] = []
    problems: list[Problem] = []
    for line, text in entries:
        try:
            records.append(Record(json_object(text), path, line, problems))
        except ValueError as error:
            problems.append(Problem(str(error), path, line))
    return records, problems


def iter_json_lines(path: FilePath) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of a file with their line numbers; none at all if one line is bad."""
    records, problems = parse_records(path)
    raise_if_any(problems)
    for record in records:
        yield record.line, record.fields


def write_atomically(path: FilePath, content: str | bytes) -> None:
    """Write a whole file atomically.

    Text becomes UTF-8, compressed if the name ends in .gz or .zst; bytes are written unchanged.
    """
    if isinstance(content, str):
        with atomic_writer(path) as text:
            text.write(content)
    else:
        with _finished_only(path) as file, _write_errors(path):
            file.write(content)


@contextmanager
def atomic_writer(path: FilePath) -> Iterator[TextIO]:
    """Yield a text file that appears under its name only if the block ends without an error."""
    with _finished_only(path) as file, packing_stream(file, Path(path).suffix.lower()) as packed:
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()


def write_json_lines(path: FilePath, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows to a stream; the file appears when all are written. Return their number."""
    number = 0
    with atomic_writer(path) as file:
        for number, row in enumerate(rows, 1):
            try:
                file.write(json_text(row) + "\n")
            except (TypeError, ValueError) as error:
                message = f"cannot be written as JSON: {error}"
                raise InputError.at(message, str(path), number) from None
    return number


def read_bytes(path: FilePath) -> bytes:
    """Return the bytes of a file, or of standard input."""
    if str(path) == STREAM and sys.stdin is None:
        raise InputError.at("is closed", shown(path))
    with read_errors(path):
        return sys.stdin.buffer.read() if str(path) == STREAM else Path(path).read_bytes()


@contextmanager
def read_errors(path: FilePath) -> Iterator[None]:
    """Turn system errors while reading into errors of this input."""
    try:
        yield
    except FileNotFoundError:
        message = "no such file"
    except IsADirectoryError:
        message = "is a folder; expected a file"
    except PermissionError:
        message = "cannot be read: permission denied"
    except (OSError, ValueError) as error:
        message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    else:
        return
    raise InputError.at(message, shown(path))


@contextmanager
def unpacking_errors(path: FilePath) -> Iterator[None]:
    """Turn errors of compressed data into errors of this input."""
    try:
        yield
    except EOFError:
        raise InputError.at("is cut off: the packed data end too early", shown(path)) from None
    except BadZstd as error:
        problem = f"is not valid zstd data: {error.__cause__}"
        raise InputError.at(problem, shown(path)) from None
    except (OSError, zlib.error) as error:
        from gzip import BadGzipFile

        if isinstance(error, BadGzipFile | zlib.error):
            raise InputError.at(f"is not valid gzip data: {error}", shown(path)) from None
        raise


def decoded(line: bytes) -> str:
    """Return a line as text; the ValueError names the byte that is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte {error.start + 1} of the line (0x{line[error.start]:02X})"
        raise ValueError(f"is not UTF-8: {place}") from None


_BINARY = {
    b"PK\x03\x04": "an office file or a ZIP archive",
    b"%PDF-": "a PDF file",
    b"\xd0\xcf\x11\xe0": "an old office file",
}


def _bad_utf8(data: bytes, path: str) -> Iterator[Problem]:
    if binary := next((name for start, name in _BINARY.items() if data.startswith(start)), ""):
        yield Problem(f"is {binary}, not text: save its text as UTF-8", path)
        return
    if looks := _encoding_of_old(data):
        name, code = looks
        cure = f"save it as UTF-8, or: iconv -f {code} -t UTF-8 FILE > NEW"
        yield Problem(f"is not UTF-8; it looks like {name}: {cure}", path)
        return
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            decoded(line)
        except ValueError as error:
            yield Problem(str(error), path, number)


def _encoding_of_old(data: bytes) -> tuple[str, str] | None:
    """Return the legacy Chinese or Japanese encoding that fits the data, and its iconv name."""
    for name, code in (("Shift_JIS", "CP932"), ("EUC-JP", "EUC-JP"), ("GBK", "GB18030")):
        try:
            wide = [char for char in data.decode(code) if ord(char) > 127]
        except UnicodeDecodeError:
            continue
        if name == "GBK":
            usual, least = sum(bool(char.encode("gb2312", "ignore")) for char in wide), 0.8
        else:
            usual, least = sum(0x3041 <= ord(char) <= 0x3093 for char in wide), 0.2  # hiragana
        if wide and usual >= least * len(wide):
            return name, code
    return None


@contextmanager
def _finished_only(path: FilePath) -> Iterator[IO[bytes]]:
    """Yield a binary file whose content reaches ``path`` if the block ends without an error."""
    if str(path) == STREAM:
        buffer = io.BytesIO()
        yield buffer
        sys.stdout.flush()
        sys.stdout.buffer.write(buffer.getvalue())
        sys.stdout.buffer.flush()
    elif os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        # A device or a pipe must not be replaced by a file.
        buffer = io.BytesIO()
        yield buffer
        with _write_errors(path):
            Path(path).write_bytes(buffer.getvalue())
    else:
        with _replacing(path) as file:
            yield file


@contextmanager
def _replacing(path: FilePath) -> Iterator[IO[bytes]]:
    """Yield a temporary file that replaces ``path`` if the block ends without an error."""
    with _write_errors(path):
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise IsADirectoryError
    temporary = target.with_name(f".patmark-{os.urandom(8).hex()}.tmp")
    try:
        with _write_errors(path):
            file = temporary.open("xb")
        with file:
            yield file
            with _write_errors(path):
                file.flush()
                os.fsync(file.fileno())
        with _write_errors(path):
            if target.exists():
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            os.replace(temporary, target)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise InputError.at("cannot be written: the disk is full", str(path)) from None
    finally:
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def _write_errors(path: FilePath) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        message = f"the folder {Path(path).parent} does not exist"
    except IsADirectoryError:
        message = "it is a folder"
    except PermissionError:
        message = "permission denied"
    except (OSError, ValueError) as error:
        message = str(getattr(error, "strerror", None) or error)
    else:
        return
    raise InputError.at(f"cannot be written: {message}", str(path))


class BadZstd(OSError):
    """Invalid zstd data."""


class ZstdReader(io.RawIOBase):
    """A zstd decompressor that reports truncated data, unlike that of the library."""

    def __init__(self, stream: IO[bytes]) -> None:
        import zstandard

        self._new = zstandard.ZstdDecompressor().decompressobj
        self._error = zstandard.ZstdError
        self._stream, self._frame, self._ready = stream, self._new(), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            packed = self._frame.unused_data if self._frame.eof else b""
            packed = packed or self._stream.read(CHUNK)
            if not packed:
                if not self._frame.eof:
                    raise EOFError("the packed data end too early")
                return 0
            if self._frame.eof:
                self._frame = self._new()
            try:
                self._ready = memoryview(self._frame.decompress(packed))
            except self._error as error:
                raise BadZstd(f"bad zstd data: {error}") from error
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size


def unpacked_stream(stream: IO[bytes], head: bytes, packed: str = "") -> IO[bytes]:
    """Decompress a stream by its first bytes (``head``) or its extension (``packed``).

    An uncompressed stream is returned unchanged.
    """
    if head.startswith(GZIP_MAGIC) or (head and packed == ".gz"):
        from gzip import GzipFile

        return cast(IO[bytes], GzipFile(fileobj=stream))
    if head.startswith(ZSTD_MAGIC) or (head and packed == ".zst"):
        return io.BufferedReader(ZstdReader(stream))
    return stream


def packing_stream(file: IO[bytes], packed: str) -> AbstractContextManager[IO[bytes]]:
    """Compress a file by its extension; the time is not part of the content."""
    if packed == ".gz":
        from gzip import GzipFile

        return cast(IO[bytes], GzipFile(filename="", mode="wb", fileobj=file, mtime=0))
    if packed == ".zst":
        import zstandard

        return cast(IO[bytes], zstandard.ZstdCompressor().stream_writer(file, closefd=False))
    return nullcontext(file)


_HEAD = 1 << 20


def iter_byte_lines(path: FilePath) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, split at LF only; an empty file is an error."""
    number = 0
    with _opened(path) as stream:
        for number, line in enumerate(stream, 1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            yield number, line.removesuffix(b"\n").removesuffix(b"\r")
    if not number:
        raise InputError.at("is empty", shown(path))


def first_bytes(path: FilePath) -> bytes:
    """Return the beginning of a file, decompressed and without a byte order mark.

    For truncated data it returns the part before the damage; the reader of the whole file reports
    it.
    """
    head = bytearray()
    with _opened(path) as stream, suppress(EOFError):
        read = getattr(stream, "read1", stream.read)
        while len(head) < _HEAD and (chunk := read(_HEAD)):
            head += chunk
    return bytes(head).removeprefix(codecs.BOM_UTF8)


@contextmanager
def _opened(path: FilePath) -> Iterator[IO[bytes]]:
    """Yield the content as a stream, decompressed by its first bytes and name."""
    with read_errors(path), unpacking_errors(path), Path(path).open("rb") as file:
        yield unpacked_stream(file, file.peek(8), Path(path).suffix.lower())
