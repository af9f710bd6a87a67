"""Checks of every request: end of its headers, host, origin, size; rate of guessed links.

Every answer carries the headers that keep a page to itself, unless it sets them otherwise.
"""

from __future__ import annotations

import asyncio
import threading
import time
from asyncio import TimerHandle, Transport
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "strict-origin",  # hides page addresses; with less, forms have no origin
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
FAILED = PlainTextResponse(
    "The server failed; what happened is in its log.\n",
    500,
    _HEADERS,
)
"""Response to a request at which the application failed; it bypasses the guards."""
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HEALTH = "/health"
"""Address of the health check; it answers to any host name."""
BODY_SECONDS = 30.0
"""Time limit of a body in seconds."""
_CLOSING = {"Connection": "close"}
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class HostName:
    """A host name in lower case; ``port`` is None if none is written."""

    name: str
    port: int | None = None

    @classmethod
    def of(cls, text: str) -> HostName | None:
        """Parse the name and port of a Host header; IPv6 also without brackets. None if invalid."""
        try:
            return cls(f"[{IPv6Address(text)}]")
        except ValueError:
            pass
        try:
            parts = urlsplit(f"//{text}")
            host, port = parts.hostname, parts.port
            if not host or parts.netloc != text or "@" in text or port == 0:
                return None
            return cls(f"[{IPv6Address(host)}]" if ":" in host else host, port)
        except ValueError:
            return None


class Guards:
    """Middleware that refuses foreign requests and large bodies, and sets safe headers.

    A host without a port is called at the port on which the server listens, or through a proxy at
    that of its scheme: https if ``secure``.
    """

    def __init__(
        self, app: ASGIApp, hosts: Sequence[str], largest_body: int, secure: bool = False
    ) -> None:
        self._app = app
        self._hosts = frozenset(map(HostName.of, hosts))
        self._schemes = ("https",) if secure else ("http", "https")
        self._usual_port = _PORTS["https" if secure else "http"]
        self._largest = largest_body
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if all checks succeed."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":  # refused before it opens
            await send({"type": "websocket.close"})
            return
        guarded = _with_headers(send, self._secure)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        if scope["method"] == "HEAD":  # the server omits the body of HEAD responses
            scope = {**scope, "method": "GET"}
        await self._app(scope, _limited(receive, self._largest), guarded)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = HostName.of(headers.get("host", ""))
        if scope["path"] != HEALTH and not self._is_own(host, scope):
            return PlainTextResponse("This server does not answer to that name.\n", 421)
        if scope["method"] not in _SAFE_METHODS and not self._same_origin(headers, host):
            return PlainTextResponse("A request from another site was refused.\n", 403)
        if "\0" in scope["path"]:  # PostgreSQL cannot store or search it
            return PlainTextResponse("The address holds a NUL character.\n", 400)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._largest:
            return PlainTextResponse("The request is too large.\n", 413, _CLOSING)
        return None

    def _is_own(self, host: HostName | None, scope: Scope) -> bool:
        """Return True if the host is a name of this server, at a port of that name."""
        if host is None:
            return False
        port = host.port or self._usual_port
        if HostName(host.name, port) in self._hosts:
            return True
        listening = (scope.get("server") or (None, None))[1]
        return HostName(host.name) in self._hosts and port in (listening, self._usual_port)

    def _same_origin(self, headers: Headers, host: HostName | None) -> bool:
        """Return True if a write comes from a page of this server, as far as the browser tells.

        Other programs send no origin. A page without an origin ("null": a sandboxed frame, a file)
        is foreign.
        """
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in ("same-origin", "none")
        origin = headers.get("origin")
        if origin is None:
            return True
        scheme, _, place = origin.partition("://")
        found = HostName.of(place)
        if scheme not in self._schemes or found is None or host is None:
            return False
        usual = _PORTS[scheme]
        return (found.name, found.port or usual) == (host.name, host.port or usual)


def _limited(receive: Receive, largest: int) -> Receive:
    """Limit the size of a body and the time that it takes, also in pieces."""
    size, is_whole = 0, False
    end = time.monotonic() + BODY_SECONDS

    async def counted() -> Message:
        nonlocal size, is_whole
        if is_whole:  # only the end of the connection follows
            return await receive()
        try:
            async with asyncio.timeout(end - time.monotonic()):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, headers=_CLOSING) from None
        size += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if size > largest:
            raise HTTPException(413, headers=_CLOSING)
        return message

    return counted


_HSTS = (b"strict-transport-security", b"max-age=31536000")


def _with_headers(send: Send, secure: bool) -> Send:
    headers = [*_RAW_HEADERS, _HSTS] if secure else _RAW_HEADERS

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message["headers"])
            named = {name for name, _ in own}
            added = [one for one in headers if one[0] not in named]
            message = {**message, "headers": own + added}
        await send(message)

    return sent


LARGEST_HEAD = 64 * 1024
"""Largest headers of a request in bytes, not counting the last read."""
HEAD_SECONDS = 20.0
"""Time limit of the headers, from the connection or the first byte of a later request."""


class BoundedHttp(HttpToolsProtocol):
    """HTTP protocol that closes connections whose headers take too long or grow too large."""

    _waiting_size = 0
    _headers_ended = False
    _hanging_up: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first request."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes before the end of the headers."""
        super().data_received(data)
        self._waiting_size = 0 if self._headers_ended else self._waiting_size + len(data)
        if self._waiting_size > LARGEST_HEAD:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Start the time limit of another request."""
        self._headers_ended = False
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Cancel the time limit of headers; the body has its own limits."""
        self._headers_ended = True
        self._head_came()
        super().on_headers_complete()

    def _await_head(self) -> None:
        if self._hanging_up is None:
            self._hanging_up = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _head_came(self) -> None:
        if self._hanging_up is not None:
            self._hanging_up.cancel()
            self._hanging_up = None


SERVER_OPTIONS: Any = {"http": BoundedHttp, "ws": "none", "server_header": False}
"""Settings of uvicorn for every application."""
_MOST_ADDRESSES = 10_000


class FailureLimit:
    """Counter of failures in a sliding window, for each address and for all together.

    Only failures count and have to wait: a valid link is accepted before this check. If too many
    fail in total, one failure is enough to have to wait. Memory is bounded: the address with the
    oldest failure is forgotten first.
    """

    def __init__(
        self,
        per_address: int,
        in_all: int,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_address = per_address
        self._in_all = in_all
        self._seconds = seconds
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque()
        self._lock = threading.Lock()

    def wait(self, address: str) -> int:
        """Return the seconds before the address may try again; 0 for none."""
        with self._lock:
            now = self._clock()
            self._forget(now)
            waits = [0.0]
            own = self._failures.get(address, deque())
            while own and own[0] <= now - self._seconds:
                own.popleft()
            if len(own) >= self._per_address:
                waits.append(own[len(own) - self._per_address] + self._seconds - now)
            if own and len(self._all) >= self._in_all:
                waits.append(self._all[len(self._all) - self._in_all] + self._seconds - now)
            longest = max(waits)
        return int(longest) + 1 if longest > 0 else 0

    def failed(self, address: str) -> None:
        """Count one failure."""
        with self._lock:
            now = self._clock()
            self._failures.setdefault(address, deque(maxlen=self._per_address)).append(now)
            self._failures.move_to_end(address)
            self._all.append(now)
            while len(self._all) > self._in_all:
                self._all.popleft()
            while len(self._failures) > _MOST_ADDRESSES:
                self._failures.popitem(last=False)

    def _forget(self, now: float) -> None:
        """Drop entries older than the window."""
        oldest = now - self._seconds
        while self._all and self._all[0] <= oldest:
            self._all.popleft()
        while self._failures:
            address, times = next(iter(self._failures.items()))
            if times and times[-1] > oldest:
                break
            del self._failures[address]
