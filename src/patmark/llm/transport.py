"""One request to a service: it ends with an answer, or with RequestFailed and what is lost by it.

Requests go over kept connections, as they are sent, and responses come with a limit. HTTP is that
of httpcore, the engine of httpx; what httpx adds for its users is not needed here.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import select
import socket
import ssl
import zlib
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, TypeAlias, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from patmark.errors import UsageError
from patmark.llm.chat import (
    Adapter,
    ChatAnswer,
    ChatRequest,
    HttpRequest,
    RequestFailed,
    error_message,
    largest_answer,
)

HttpResponse: TypeAlias = tuple[int, Mapping[str, str], bytes]

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_HOPELESS = frozenset({401, 402, 403, 404, 405})
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION = "".join(rf"(?:(\d+(?:\.\d+)?){unit}(?![a-z]))?" for unit in _UNITS)
_LIMITED = ("requests", "tokens")


class TooLarge(ConnectionError):
    """A response is longer than any answer to its request can be."""


class Unreachable(ConnectionError):
    """There is no connection to the server: it refuses it, or cannot be found."""


class Transport:
    """Sends requests to one service and reads its responses; connections are kept for reuse."""

    def __init__(self, adapter: Adapter, timeout: float) -> None:
        self._adapter = adapter
        self._endpoint = adapter.endpoint
        self._timeout = timeout
        self._free: list[Connection] = []
        self._busy: set[Connection] = set()
        self._reached = False

    async def ask(self, request: ChatRequest) -> tuple[ChatAnswer, float | None]:
        """The answer, and the seconds until the server has room again if this was the last one."""
        status, headers, content = await self._send(request)
        if not 200 <= status < 300:
            raise self._refused(status, headers, content.decode("utf-8-sig", errors="replace"))
        text = ""
        try:
            text = content.decode("utf-8-sig")
            return self._answer(json.loads(text)), exhausted_wait(headers)
        except RecursionError:
            reason = "the response is nested too deeply"
        except UnicodeDecodeError as error:
            reason = f"the response is not UTF-8 (byte {error.start + 1})"
        except json.JSONDecodeError:
            safe = self._endpoint.without_secret(text)
            reason = f"the response is not JSON: {_excerpt(safe)}"
        except ValueError as error:
            reason = str(error)
        raise RequestFailed(reason, "transient")

    async def close(self) -> None:
        """Close all connections."""
        for connection in self._free:
            await connection.close()

    def _answer(self, body: object) -> ChatAnswer:
        """The answer of a response. A short key is left in answers: it may be a word or a score."""
        failed = isinstance(body, dict) and bool(body.get("error"))
        hidden = failed or self._endpoint.has_long_key
        return self._adapter.answer(self._endpoint.masked(body) if hidden else body)

    async def _send(self, request: ChatRequest) -> HttpResponse:
        characters = sum(len(one.content) for one in request.messages)
        largest = largest_answer(characters, request.max_tokens or 0)
        http_request = replace(self._adapter.http_request(request), largest=largest)
        connection = self._free.pop() if self._free else Connection()
        self._busy.add(connection)
        try:
            async with asyncio.timeout(self._timeout):
                status, headers, content = await connection.send(http_request)
        except TimeoutError:
            reason = f"no answer within {self._timeout:g} seconds"
            raise RequestFailed(reason, "transient") from None
        except TooLarge as error:
            self._reached = True
            raise RequestFailed(f"{error}, which no answer can have", "request") from None
        except OSError as error:
            words = self._endpoint.without_secret(str(error)) or type(error).__name__
            reason = f"no answer from {self._endpoint.shown}: {words}"
            unreached = self._is_unreached(error)
            raise RequestFailed(reason, "transient", unreached=unreached) from None
        finally:
            self._busy.remove(connection)
            self._free.append(connection)
        self._reached = True
        return status, headers, content

    def _is_unreached(self, error: OSError) -> bool:
        """Whether no request has reached the server so far, and none is waiting for it now."""
        self._reached |= not isinstance(error, Unreachable)
        return not self._reached and not any(one.is_open for one in self._busy)

    def _refused(self, status: int, headers: Mapping[str, str], text: str) -> RequestFailed:
        """What a status other than 2xx means."""
        try:
            words = error_message(self._endpoint.masked(json.loads(text)))
        except (ValueError, RecursionError):
            words = _excerpt(self._endpoint.without_secret(text))
        reason = f"status {status}: {words}" if words else f"status {status}"
        no_credit = status == 429 and any(code in text for code in _NO_CREDIT)
        if no_credit or status in _HOPELESS or 300 <= status < 400:
            return RequestFailed(f"{self._endpoint.shown}: {reason}", "endpoint")
        if status in _TRANSIENT:
            return RequestFailed(reason, "transient", asked_wait(headers))
        return RequestFailed(reason, "request")


def asked_wait(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a refusing server asks to wait, or None if it does not say."""
    milliseconds = _number(headers.get("retry-after-ms"))
    asked = [
        None if milliseconds is None else milliseconds / 1000,
        _seconds_or_date(headers.get("retry-after"), now),
        exhausted_wait(headers),
    ]
    return max((seconds for seconds in asked if seconds is not None), default=None)


def exhausted_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds until a limit that is used up is renewed; None while something remains."""
    waits = []
    for what in _LIMITED:
        remaining = _number(headers.get(f"x-ratelimit-remaining-{what}"))
        reset = parse_duration(headers.get(f"x-ratelimit-reset-{what}"))
        if remaining is not None and remaining <= 0 and reset is not None:
            waits.append(reset)
    return max(waits, default=None)


def parse_duration(text: str | None) -> float | None:
    """Seconds of a duration like 1s, 6m0s, 20ms or 1.5; None for anything else."""
    if not text or (number := _number(text)) is not None:
        return number if text else None
    match = re.fullmatch(_DURATION, text.strip())
    if match is None:
        return None
    parts = zip(match.groups(), _UNITS.values(), strict=True)
    return sum(float(part) * seconds for part, seconds in parts if part)


def _seconds_or_date(text: str | None, now: datetime | None) -> float | None:
    """Retry-After has two forms: seconds, and a date."""
    if text is None or (number := _number(text)) is not None:
        return number if text is not None else None
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[:500].split())
    return line if len(line) <= 120 else line[:120] + "…"


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
