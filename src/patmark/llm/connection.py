"""A kept connection to a server: requests as they are sent, responses as they come, with a limit.

HTTP is that of httpcore, the engine of httpx; what httpx adds for its users is not needed here.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import socket
import ssl
import zlib
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, TypeAlias, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from patmark.errors import UsageError
from patmark.llm.transport import HttpRequest, HttpResponse, TooLarge, Unreachable

_Pieces: TypeAlias = AsyncGenerator[bytes, None]

_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "patmark"}
_GZIP_OR_ZLIB = 47
_ERRNO = re.compile(r"\[Errno (\d+)\]")
_FAILURES = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    httpx.InvalidURL,
    UnicodeError,
)


class Connection:
    """A kept connection to a server, through a proxy where the environment names one.

    Redirects are not followed, cookies not kept. There is no timeout: a request is given up by
    cancelling it. It is a connection of httpcore without the pool around it, since whoever has many
    spends as much time on looking for a free one as on the requests.
    """

    def __init__(self) -> None:
        self._held: httpcore.AsyncConnectionInterface | None = None
        self.is_open = False

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Status, headers and content of the response; every failure is an OSError with words."""
        try:
            url = _target(request.url)
            held = await self._usable(url, request)
            response = await held.handle_async_request(self._http_request(request, url))
            try:
                content = await _content(response, request.largest)
            finally:
                await response.aclose()
        except _FAILURES as error:
            await self.close()
            kind = Unreachable if isinstance(error, httpcore.ConnectError) else ConnectionError
            raise kind(_reason(error)) from None
        except BaseException:
            await self.close()
            raise
        if _has_surplus(held):
            await self.close()
        return response.status, _by_name(response.headers), content

    async def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        held, self._held = self._held, None
        self.is_open = False
        if held is not None:
            await held.aclose()

    async def _usable(
        self, url: httpcore.URL, request: HttpRequest
    ) -> httpcore.AsyncConnectionInterface:
        """The connection of the request before, unless that is closed or leads elsewhere.

        One on which something was said unasked is closed as well: it is no answer to this request.
        """
        held = self._held
        if held is not None and (
            not held.can_handle_request(url.origin) or not held.is_available() or held.has_expired()
        ):
            await self.close()
        if self._held is None:
            self._held = _pool_for(request.url).create_connection(url.origin)
        return self._held

    def _http_request(self, request: HttpRequest, url: httpcore.URL) -> httpcore.Request:
        """The request in the terms of httpcore; of a new connection it tells when it is open."""
        body = b"" if request.json is None else _json_bytes(request.json)
        headers = {**_HEADERS, "Host": _host(request.url)}
        if body:
            headers["Content-Type"] = "application/json"
        if body or request.method != "GET":
            headers["Content-Length"] = str(len(body))
        given = {name.lower() for name in request.headers}
        own = {name: value for name, value in headers.items() if name.lower() not in given}
        extensions = {} if self.is_open else {"trace": self._trace}
        return httpcore.Request(
            request.method,
            url,
            headers=[*own.items(), *request.headers.items()],
            content=body,
            extensions=extensions,
        )

    async def _trace(self, event: str, _: Mapping[str, Any]) -> None:
        """Note when a server has accepted the connection: only then are headers sent."""
        self.is_open |= event == "http11.send_request_headers.started"


def _pool_for(url: str) -> httpcore.AsyncConnectionPool:
    """What makes connections to an address; as a pool it is not used."""
    try:
        named = _proxy_for(url)
        proxy = None if named is None else _proxy(named)
        return httpcore.AsyncConnectionPool(
            ssl_context=_trust(url), proxy=proxy, network_backend=Backend()
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise UsageError(f"the proxy that the environment names cannot be used: {error}") from None


def _proxy(url: str) -> httpcore.Proxy:
    """A proxy by its address, which may hold a name and a password."""
    parts = httpx.Proxy(url)
    if parts.url.scheme.startswith("socks") and find_spec("socksio") is None:
        raise ImportError("SOCKS needs the package socksio: pip install socksio")
    return httpcore.Proxy(_target(str(parts.url)), parts.raw_auth, ssl_context=_trust(url))


def _trust(url: str) -> ssl.SSLContext | None:
    """The certificates to trust, where there are any: reading them takes longer than a request."""
    return ssl_context() if url.lower().startswith("https:") else None


@lru_cache(maxsize=64)
def _target(url: str) -> httpcore.URL:
    """An address as it is sent."""
    parts = httpx.URL(url)
    return httpcore.URL(
        scheme=parts.raw_scheme, host=parts.raw_host, port=parts.port, target=parts.raw_path
    )


@lru_cache(maxsize=64)
def _host(url: str) -> str:
    """The header that names the server."""
    return httpx.URL(url).netloc.decode("ascii")


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address."""
    parts, proxies = urlsplit(url), getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.netloc):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


@lru_cache(maxsize=1)
def ssl_context() -> ssl.SSLContext:
    """The certificates of the system or of SSL_CERT_FILE, read once."""
    return httpx.create_ssl_context()


def _json_bytes(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8")


def _by_name(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers of a response; what several headers of one name say is joined."""
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


async def _content(response: httpcore.Response, largest: int) -> bytes:
    """The body of a response, unpacked piece by piece, unless it is too large."""
    if response.status == 101:
        raise ConnectionError("the server answered 101 SWITCHING PROTOCOLS, unasked")
    unpacker = _unpacker(_by_name(response.headers).get("content-encoding", "identity").lower())
    content, came = bytearray(), 0
    async with aclosing(cast("_Pieces", response.aiter_stream())) as pieces:
        async for piece in pieces:
            came += len(piece)
            room = largest - len(content)
            content += piece if unpacker is None else _unpacked(unpacker, piece, room)
            if max(came, len(content)) > largest:
                raise TooLarge(f"the response has more than {largest / 1e6:.1f} MB")
    if unpacker is not None and came and (not unpacker.eof or unpacker.unused_data):
        raise ConnectionError("the packed response is cut off, or something follows it")
    return bytes(content)


def _unpacker(encoding: str) -> zlib._Decompress | None:
    """What unpacks a response that a server packs though it was asked not to.

    httpx would do it too, but accepts a stream that is cut off and has no limit of size.
    """
    if encoding == "identity":
        return None
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ConnectionError(f"the response is packed as {encoding}, which was not asked for")
    return zlib.decompressobj(_GZIP_OR_ZLIB)


def _unpacked(unpacker: zlib._Decompress, piece: bytes, most: int) -> bytes:
    """A piece of a body; not much more than ``most`` bytes of it."""
    try:
        return unpacker.decompress(piece, most + 1)
    except zlib.error as error:
        raise ConnectionError(str(error)) from None


def _has_surplus(held: httpcore.AsyncConnectionInterface) -> bool:
    """Whether the server sent more than its response, in one piece with it.

    httpcore keeps such bytes and takes them for the answer to the next request. It has no public
    way to ask for them; if its private attributes change, no connection is reused, which is slower
    but never wrong.
    """
    inner: Any = held
    try:
        while not hasattr(inner, "_h11_state"):
            inner = inner._connection
        return bool(inner._h11_state.trailing_data[0])
    except AttributeError:
        return True


def _reason(error: BaseException) -> str:
    """Why a request failed, in the words of the operating system where it has any."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        if isinstance(cause, OSError) and not isinstance(cause, ssl.SSLError) and cause.errno:
            return os.strerror(cause.errno) if cause.errno > 0 else cause.strerror or str(cause)
        if found := _ERRNO.search(str(cause)):  # of several addresses that all failed
            return os.strerror(int(found[1]))
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__


_MOST_WAITING = 1 << 18
_FAMILY_SECONDS = 0.25


class Incoming(asyncio.Protocol):
    """What has come on a connection and was not read yet, so that nothing that came is unseen.

    A byte that comes on an idle connection belongs to no request. httpcore asks whether there is
    one before it uses a connection again, and closes it then. Its own streams look at the socket
    alone, but bytes may have left it: TLS unpacks several records at once. Here all that has come
    is in one place. (What comes only after the next request was sent cannot be told from its
    answer.)
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._is_full = self._is_congested = False
        self.content = bytearray()
        self.ended = False
        self.error: BaseException | None = None
        self.lost = self._loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note where to say that there is enough; called once more when TLS begins."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep what came; beyond some size the server has to wait."""
        self.content += data
        if len(self.content) > _MOST_WAITING and self._transport and not self._is_full:
            self._is_full = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        """The server says no more."""
        self.ended = True
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone."""
        self.ended, self.error = True, error
        if not self.lost.done():
            self.lost.set_result(None)
        self._wake()

    def pause_writing(self) -> None:
        """The server takes no more for now."""
        self._is_congested = True

    def resume_writing(self) -> None:
        """The server takes more again."""
        self._is_congested = False
        self._wake()

    async def taken(self, most: int) -> bytes:
        """Some bytes as soon as there are any; none at the end."""
        while not self.content and not self.ended:
            await self._change()
        data = bytes(self.content[:most])
        del self.content[:most]
        if self._is_full and len(self.content) < _MOST_WAITING and self._transport:
            self._is_full = False
            self._transport.resume_reading()
        if not data and self.error is not None:
            raise httpcore.ReadError(str(self.error)) from self.error
        return data

    async def sent(self) -> None:
        """Wait until the server took most of what was written, or has something to say."""
        while self._is_congested and not self.ended and not self.content:
            await self._change()

    async def _change(self) -> None:
        self._waiting = self._loop.create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Stream(httpcore.AsyncNetworkStream):
    """One connection. What is written is sent with the next read: head and body in one piece."""

    def __init__(self, transport: asyncio.Transport, incoming: Incoming) -> None:
        self._transport, self._incoming = transport, incoming
        self._unsent: list[bytes] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What came next; b"" at the end."""
        if self._unsent:
            if self._incoming.content:
                raise httpcore.ReadError("the server spoke before it was asked")
            self._transport.write(b"".join(self._unsent))
            self._unsent.clear()
            await self._incoming.sent()
        return await self._incoming.taken(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send something before the next read."""
        if buffer:
            self._unsent.append(buffer)

    async def aclose(self) -> None:
        """Close the connection at once."""
        self._transport.abort()
        await self._incoming.lost

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> Stream:
        """The same connection, encrypted from now on."""
        loop = asyncio.get_running_loop()
        try:
            transport = await loop.start_tls(
                self._transport, self._incoming, ssl_context, server_hostname=server_hostname
            )
        except BaseException as error:
            self._transport.abort()
            if not isinstance(error, OSError):
                raise
            raise httpcore.ConnectError(str(error)) from error
        if transport is None:
            raise httpcore.ConnectError("the connection was closed")
        self._incoming.connection_made(transport)
        return Stream(transport, self._incoming)

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks: how TLS was agreed on, and whether something came unasked."""
        if info == "is_readable":
            return bool(self._incoming.content) or self._incoming.ended or self._has_more()
        return self._transport.get_extra_info({"server_addr": "peername"}.get(info, info))

    def _has_more(self) -> bool:
        """Whether there are bytes in the socket that nobody has looked at."""
        found: socket.socket | None = self._transport.get_extra_info("socket")
        number = -1 if found is None else found.fileno()
        if number < 0:
            return True
        if not hasattr(select, "poll"):
            return bool(select.select([number], [], [], 0)[0])
        poll = select.poll()
        poll.register(number, select.POLLIN)
        return bool(poll.poll(0))


class Backend(httpcore.AsyncNetworkBackend):
    """Opens connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> Stream:
        """A connection to the first address of a host that answers."""
        loop = asyncio.get_running_loop()
        try:
            transport, incoming = await loop.create_connection(
                Incoming, host, port, happy_eyeballs_delay=_FAMILY_SECONDS
            )
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error
        return Stream(transport, incoming)

    async def sleep(self, seconds: float) -> None:
        """Wait; httpcore does so between tries to connect, of which we make one."""
        await asyncio.sleep(seconds)
