"""Packed files: what they are told by, and streams that pack and unpack them."""

from __future__ import annotations

import io
from contextlib import AbstractContextManager, nullcontext
from typing import IO, Any, cast

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
PACKED_SUFFIXES = (".gz", ".zst")
CHUNK = 1 << 18


class BadZstd(OSError):
    """What is said to be zstd data and is not."""


class ZstdReader(io.RawIOBase):
    """Unpacked zstd data; unlike the reader of the library, it does not take a cut for the end."""

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
    """A stream of the unpacked content; ``packed`` is the ending of the name, ``head`` the content.

    A stream that is not packed is given back as it is.
    """
    if head.startswith(GZIP_MAGIC) or (head and packed == ".gz"):
        from gzip import GzipFile

        return cast(IO[bytes], GzipFile(fileobj=stream))
    if head.startswith(ZSTD_MAGIC) or (head and packed == ".zst"):
        return io.BufferedReader(ZstdReader(stream))
    return stream


def packing_stream(file: IO[bytes], packed: str) -> AbstractContextManager[IO[bytes]]:
    """The same file, packed as the ending of a name says; the time is not part of the content."""
    if packed == ".gz":
        from gzip import GzipFile

        return cast(IO[bytes], GzipFile(filename="", mode="wb", fileobj=file, mtime=0))
    if packed == ".zst":
        import zstandard

        return cast(IO[bytes], zstandard.ZstdCompressor().stream_writer(file, closefd=False))
    return nullcontext(file)
