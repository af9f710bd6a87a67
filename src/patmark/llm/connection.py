"""A kept connection to a server: requests as they are sent, responses as they come, with a limit.

HTTP is that of httpcore, the engine of httpx; what httpx adds for its users is not needed here.
"""

from __future__ import annotations

import json
import os
import re
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
from patmark.llm.wire import Backend

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
