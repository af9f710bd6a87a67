"""What every request passes: the name of the host, its origin, its size; and what every answer
carries: the headers that keep a page to itself."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class Guards:
    """Refuses requests from elsewhere and bodies that are too large, and sets safe headers."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str], largest_body: int) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._largest = largest_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through if nothing is wrong with it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        guarded = _with_headers(send)
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, _limited(receive, self._largest), guarded)
        else:
            await refusal(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if host_name(headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("This server does not answer to that name.\n", 421)
        if scope["method"] not in _SAFE_METHODS and not _same_origin(headers):
            return PlainTextResponse("A request from another site was refused.\n", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._largest:
            return PlainTextResponse("The request is too large.\n", 413, {"Connection": "close"})
        return None


def host_name(host: str) -> str:
    """The name in a Host header, without the port, in small letters."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def _same_origin(headers: Headers) -> bool:
    """Whether a write comes from a page of this server, as far as the browser says so."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    # Without a referrer, browsers call the origin of a posted form "null".
    return origin in (None, "null") or urlsplit(origin).netloc == headers.get("host")


def _limited(receive: Receive, largest: int) -> Receive:
    """Reads a body and stops where it grows too large, also when it comes in pieces."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > largest:
            raise HTTPException(413)
        return message

    return counted


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sent
