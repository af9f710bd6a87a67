"""Lines to a server: requests go out one after the other, each after the answer to the last.

The direct line does only what one exchange needs: a general HTTP client takes twenty times the work
for each request, which limits how many can be under way. A proxy is left to httpx.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from urllib.parse import SplitResult, quote, urlsplit
from urllib.request import getproxies, proxy_bypass

from patmark.errors import MissingExtra

if TYPE_CHECKING:
    import httpx

Response: TypeAlias = tuple[int, Mapping[str, str], bytes]

_PIECE = 1 << 16
_KEPT_SIGNS = "/%:@!$&'()*+,;=~-._?"
_PORTS = {"http": 80, "https": 443}
_PACKED = ("gzip", "x-gzip", "deflate")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is sent for a request; ``json`` None is no body."""

    url: str
    json: Any = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)


class Line(Protocol):
    """A line; whatever breaks on it is an OSError with the words for it."""

    async def send(self, out: Outgoing) -> Response:
        """Status, headers with small letters, and content of the response."""

    async def close(self) -> None:
        """Hang up."""


def open_line(url: str, timeout: float) -> Line:
    """A line to a server: direct, unless the environment names a proxy for it."""
    if find_spec("httpx") is None or find_spec("h11") is None:
        raise MissingExtra("httpx", "llm")
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxied = parts.scheme in getproxies() and not proxy_bypass(host)
    return ProxyLine(timeout) if proxied else DirectLine(parts)


class DirectLine:
    """A kept connection that speaks HTTP/1.1."""

    def __init__(self, server: SplitResult) -> None:
        self._secure = server.scheme == "https"
        self._host = server.hostname or ""
        self._port = server.port or _PORTS[server.scheme]
        self._protocol: Any = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, out: Outgoing) -> Response:
        """Send a request over the kept connection, or over a new one."""
        import h11

        try:
            reader, writer = await self._connection(h11)
            writer.write(self._outgoing(h11, out))
            response = await self._incoming(h11, reader)
        except (h11.ProtocolError, UnicodeError) as error:
            self._drop()
            raise ConnectionError(str(error)) from None
        except BaseException:
            self._drop()
            raise
        if self._protocol.our_state is h11.DONE and self._protocol.their_state is h11.DONE:
            self._protocol.start_next_cycle()
        else:
            self._drop()
        return response

    async def close(self) -> None:
        """Hang up."""
        self._drop()

    def _drop(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()
        self._reader = self._writer = None

    async def _connection(self, h11: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The kept connection, if the server has not closed it."""
        if self._reader is not None and self._writer is not None:
            if not self._writer.is_closing() and not self._reader.at_eof():
                return self._reader, self._writer
            self._drop()
        trust = _trust() if self._secure else None
        self._reader, self._writer = await asyncio.open_connection(
            self._host, self._port, ssl=trust
        )
        self._protocol = h11.Connection(our_role=h11.CLIENT)
        return self._reader, self._writer

    def _outgoing(self, h11: Any, out: Outgoing) -> bytes:
        """The bytes of a request."""
        parts = urlsplit(out.url)
        target = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", _KEPT_SIGNS)
        body = b"" if out.json is None else _packed_json(out.json)
        headers = {
            "Host": _host_header(parts), "Accept": "application/json",
            "Accept-Encoding": "identity", "User-Agent": "patmark", **out.headers,
        }  # fmt: skip
        if out.json is not None:
            headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        listed = [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers.items()]
        request = h11.Request(method=out.method, target=target, headers=listed)
        pieces = [self._protocol.send(request)]
        pieces += [self._protocol.send(h11.Data(data=body))] if body else []
        return b"".join([*pieces, self._protocol.send(h11.EndOfMessage()) or b""])

    async def _incoming(self, h11: Any, reader: asyncio.StreamReader) -> Response:
        """The response, when all of it is here."""
        response, pieces = None, []
        while True:
            event = self._protocol.next_event()
            if event is h11.NEED_DATA:
                piece = await reader.read(_PIECE)
                if not piece and self._protocol.their_state is h11.SEND_RESPONSE:
                    raise ConnectionError("the server disconnected without sending a response")
                self._protocol.receive_data(piece)
            elif isinstance(event, h11.Response):
                response = event
            elif isinstance(event, h11.Data):
                pieces.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage) and response is not None:
                break
        headers = {
            name.decode("ascii"): value.decode("latin-1") for name, value in response.headers
        }
        return response.status_code, headers, _unpacked(b"".join(pieces), headers)


class ProxyLine:
    """The same through a proxy that the environment names."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._opened: httpx.AsyncClient | None = None

    async def send(self, out: Outgoing) -> Response:
        """Send a request with httpx."""
        import httpx

        if self._opened is None:
            self._opened = httpx.AsyncClient(
                timeout=self._timeout, limits=httpx.Limits(max_connections=1), verify=_trust()
            )
        try:
            response = await self._opened.request(
                out.method, out.url, json=out.json, headers=dict(out.headers)
            )
        except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
            raise ConnectionError(str(error) or type(error).__name__) from None
        return response.status_code, response.headers, response.content

    async def close(self) -> None:
        """Hang up."""
        if self._opened is not None:
            await self._opened.aclose()


def _packed_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _unpacked(content: bytes, headers: Mapping[str, str]) -> bytes:
    """The content of servers that pack it although nobody asked for it."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        return content
    if coding not in _PACKED:
        raise ConnectionError(f"the response has the unknown coding {coding!r}")
    try:
        return zlib.decompress(content, wbits=47)
    except zlib.error as error:
        raise ConnectionError(f"the response cannot be unpacked: {error}") from None


def _host_header(parts: SplitResult) -> str:
    host = (parts.hostname or "").encode("idna").decode("ascii")
    shown = f"[{host}]" if ":" in host else host
    return shown if parts.port is None else f"{shown}:{parts.port}"


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """Whom to trust; reading all certificates takes long enough to do it once."""
    import httpx

    context = httpx.create_ssl_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
