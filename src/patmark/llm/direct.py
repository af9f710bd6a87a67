"""A kept connection to a server on plain HTTP, with nothing between it and the protocol.

Models on this machine, or in the next room, answer so quickly that the layers of a full client
would take most of the time of a run. h11 reads and writes the protocol.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import h11

from patmark.llm.lines import HEADERS, Outgoing, Response, Unreachable

_PLAIN = re.compile(r"http://[\w.~:/?#\[\]@!$&'()*+,;=%-]+", re.ASCII)
_PIECE = 1 << 16
_LARGEST = 1 << 28
_TOO_LARGE = "the response has more than 256 MB"
_GZIP_OR_ZLIB = 47


def is_plain(url: str) -> bool:
    """Whether an address is unencrypted, names no user, and has no signs that must be quoted."""
    return _PLAIN.fullmatch(url) is not None and "@" not in urlsplit(url).netloc


def has_proxy(url: str) -> bool:
    """Whether the environment names a proxy on the way to a server on plain HTTP."""
    proxies = getproxies()
    named = "http" in proxies or "all" in proxies
    return named and not proxy_bypass(urlsplit(url).netloc)


class DirectLine:
    """A connection that takes one request after the other; it is opened again when it is lost."""

    def __init__(self) -> None:
        self._place = ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._state: h11.Connection | None = None

    async def send(self, out: Outgoing) -> Response:
        """Status, headers and content of the response; what breaks is an OSError with words."""
        parts = urlsplit(out.url)
        try:
            reader, writer = await self._connected(parts)
            if self._state is None:
                self._state = h11.Connection(h11.CLIENT)
            state = self._state
            writer.write(_packed(state, out, parts))
            with suppress(ConnectionError):  # a server may answer before it has read everything
                await writer.drain()
            response = await _received(state, reader)
        except h11.ProtocolError as error:
            await self.close()
            raise ConnectionError(str(error)) from None
        except BaseException:
            await self.close()
            raise
        surplus, _ = state.trailing_data
        if state.our_state is state.their_state is h11.DONE and not surplus:
            state.start_next_cycle()
        else:
            await self.close()
        return response

    @property
    def is_open(self) -> bool:
        """Whether a server has taken the connection."""
        return self._streams is not None

    async def close(self) -> None:
        """Hang up; the next request opens a new connection."""
        streams, self._streams, self._state = self._streams, None, None
        if streams is not None:
            streams[1].transport.abort()  # nothing that is still to be sent is worth waiting for

    async def _connected(
        self, parts: SplitResult
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The open connection if it still leads to the place, else a new one."""
        if self._streams is not None:
            if self._place == parts.netloc and not await _is_lost(*self._streams):
                return self._streams
            await self.close()
        self._place = parts.netloc
        try:
            self._streams = await asyncio.open_connection(parts.hostname, parts.port or 80)
        except UnicodeError:
            raise Unreachable(f"{parts.hostname} cannot be the name of a server") from None
        except OSError as error:
            raise Unreachable(_reason(error)) from None
        return self._streams


async def _is_lost(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Whether the server hung up since its last response, or spoke without being asked.

    What it said then, such as that it waited for too long, is no answer to the next request.
    """
    for _ in range(2):  # the loop learns of it, and tells the reader
        await asyncio.sleep(0)
    try:
        async with asyncio.timeout(0):
            await reader.read(1)
    except TimeoutError:
        return writer.is_closing()
    except OSError:
        return True
    return True


def _packed(state: h11.Connection, out: Outgoing, parts: SplitResult) -> bytes:
    """A request as it goes over the line."""
    body = b""
    headers = {"Host": parts.netloc, **HEADERS}
    if out.json is not None:
        text = json.dumps(out.json, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        body = text.encode("utf-8")
        headers["Content-Type"] = "application/json"
    if body or out.method != "GET":
        headers["Content-Length"] = str(len(body))
    given = {name.lower() for name in out.headers}
    headers = {name: value for name, value in headers.items() if name.lower() not in given}
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    head = h11.Request(
        method=out.method, target=target, headers=[*headers.items(), *out.headers.items()]
    )
    events: list[h11.Event] = [head, *([h11.Data(data=body)] if body else []), h11.EndOfMessage()]
    return b"".join(state.send(event) or b"" for event in events)


async def _received(state: h11.Connection, reader: asyncio.StreamReader) -> Response:
    """The response to the request that was sent."""
    status, headers, content = 0, {}, bytearray()
    while True:
        event = state.next_event()
        if event is h11.NEED_DATA:
            piece = await reader.read(_PIECE)
            if not piece and not status:
                raise ConnectionError("the server closed the connection without an answer")
            state.receive_data(piece)
        elif isinstance(event, h11.Response):
            status = event.status_code
            headers = {name.decode(): value.decode("latin-1") for name, value in event.headers}
        elif isinstance(event, h11.Data):
            content += event.data
            if len(content) > _LARGEST:
                raise ConnectionError(_TOO_LARGE)
        elif isinstance(event, h11.EndOfMessage):
            return status, headers, _unpacked(bytes(content), headers)


def _unpacked(content: bytes, headers: Mapping[str, str]) -> bytes:
    """The content as it was before the server packed it, which it was not asked to do."""
    packing = headers.get("content-encoding", "identity").lower()
    if packing == "identity" or not content:
        return content
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise ConnectionError(f"the response is packed as {packing}, which was not asked for")
    unpacking = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        unpacked = unpacking.decompress(content, _LARGEST)
    except zlib.error as error:
        raise ConnectionError(str(error)) from None
    if not unpacking.eof:
        cut = unpacking.unconsumed_tail == b""
        raise ConnectionError("the packed response is cut off" if cut else _TOO_LARGE)
    return unpacked


def _reason(error: OSError) -> str:
    """Why there is no connection, in the words of the system."""
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or str(error)
