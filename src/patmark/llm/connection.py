"""One request to a service over a kept connection: it ends with an answer or with RequestFailed."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import ssl
import zlib
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from patmark.errors import MissingExtra, UsageError
from patmark.llm.chat import ChatAnswer, ChatRequest, Endpoint, error_message, parse_answer

if TYPE_CHECKING:
    import httpx

HttpResponse: TypeAlias = tuple[int, Mapping[str, str], bytes]
Scope: TypeAlias = Literal["transient", "request", "endpoint"]

_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "patmark"}
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_HOPELESS = frozenset({401, 402, 403, 404, 405})
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")
_LARGEST = 1 << 28
_TOO_LARGE = "the response has more than 256 MB"
_GZIP_OR_ZLIB = 47
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION = "".join(rf"(?:(\d+(?:\.\d+)?){unit}(?![a-z]))?" for unit in _UNITS)
_LIMITED = ("requests", "tokens")


class Unreachable(ConnectionError):
    """There is no connection to the server: it refuses it, or cannot be found."""


class RequestFailed(Exception):
    """A request without an answer.

    ``scope`` says what is lost: nothing for good (transient), this request, or the whole endpoint.
    ``wait`` has the seconds that the server asks all requests to wait. ``unreached`` marks a server
    that no request has ever reached.
    """

    def __init__(
        self, reason: str, scope: Scope, wait: float | None = None, unreached: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.scope = scope
        self.wait = wait
        self.unreached = unreached


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What is sent; without ``json`` there is no body."""

    url: str
    json: Any = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)


class Adapter(Protocol):
    """Translates between chat requests and the HTTP of one kind of service."""

    @property
    def endpoint(self) -> Endpoint:
        """Where the service is, and the key that must not be shown."""

    def http_request(self, request: ChatRequest) -> HttpRequest:
        """What to send for a request."""

    def answer(self, body: object) -> ChatAnswer:
        """The answer in the JSON of a response; a ValueError says why there is none."""


@dataclass(frozen=True, slots=True)
class ChatAdapter:
    """The chat completions API."""

    endpoint: Endpoint

    def http_request(self, request: ChatRequest) -> HttpRequest:
        """The body of the API, with the key in its header."""
        key = self.endpoint.api_key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return HttpRequest(self.endpoint.url, request.body(), headers=headers)

    def answer(self, body: object) -> ChatAnswer:
        """The first choice."""
        return parse_answer(body)


class Connection:
    """A kept connection to a server, through a proxy where the environment names one.

    Redirects are not followed, cookies not kept. There is no timeout: a request is given up by
    cancelling it. Each connection is an httpx transport of its own: one for all spends as much time
    on looking for a free connection as on 32 requests at once.
    """

    def __init__(self) -> None:
        self._transport: httpx.AsyncHTTPTransport | None = None
        self.is_open = False

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Status, headers and content of the response; every failure is an OSError with words."""
        transport = self._transport = self._transport or _new_transport(request.url)
        import httpx

        self.is_open = False
        headers = httpx.Headers(_HEADERS)
        headers.update(request.headers)
        try:
            response = await transport.handle_async_request(
                httpx.Request(
                    request.method,
                    request.url,
                    headers=headers,
                    json=request.json,
                    extensions={"trace": self._trace},
                )
            )
            async with aclosing(response):
                content = await _content(response)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            await self.close()
            kind = Unreachable if isinstance(error, httpx.ConnectError) else ConnectionError
            raise kind(_reason(error)) from None
        except BaseException:
            await self.close()
            raise
        if _has_surplus(transport):
            await self.close()
        return response.status_code, dict(response.headers), content

    async def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        transport, self._transport = self._transport, None
        self.is_open = False
        if transport is not None:
            await transport.aclose()

    async def _trace(self, event: str, _: Mapping[str, Any]) -> None:
        """Note when a server has accepted the connection: only then are headers sent."""
        self.is_open |= event == "http11.send_request_headers.started"


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
        status, headers, text = await self._send(request)
        if not 200 <= status < 300:
            raise self._refused(status, headers, text)
        try:
            return self._answer(json.loads(text)), exhausted_wait(headers)
        except RecursionError:
            reason = "the response is nested too deeply"
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

    async def _send(self, request: ChatRequest) -> tuple[int, Mapping[str, str], str]:
        http_request = self._adapter.http_request(request)
        connection = self._free.pop() if self._free else Connection()
        self._busy.add(connection)
        try:
            async with asyncio.timeout(self._timeout):
                status, headers, content = await connection.send(http_request)
        except TimeoutError:
            reason = f"no answer within {self._timeout:g} seconds"
            raise RequestFailed(reason, "transient") from None
        except OSError as error:
            words = self._endpoint.without_secret(str(error)) or type(error).__name__
            reason = f"no answer from {self._endpoint.shown}: {words}"
            unreached = self._is_unreached(error)
            raise RequestFailed(reason, "transient", unreached=unreached) from None
        finally:
            self._busy.remove(connection)
            self._free.append(connection)
        self._reached = True
        return status, headers, content.decode("utf-8", errors="replace")

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


def _new_transport(url: str) -> httpx.AsyncHTTPTransport:
    try:
        import httpx
    except ImportError:
        raise MissingExtra("httpx", "llm") from None
    limits, proxy = httpx.Limits(max_connections=1), _proxy_for(url)
    try:
        return httpx.AsyncHTTPTransport(verify=_ssl_context(), limits=limits, proxy=proxy)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise UsageError(f"the proxy that the environment names cannot be used: {error}") from None


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address."""
    parts, proxies = urlsplit(url), getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.netloc):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


@lru_cache(maxsize=1)
def _ssl_context() -> ssl.SSLContext:
    """The certificates to trust, read once because that takes long."""
    import httpx

    return httpx.create_ssl_context()


async def _content(response: httpx.Response) -> bytes:
    """The body of a response, unless it is too large."""
    if response.status_code == 101:
        raise ConnectionError("the server answered 101 SWITCHING PROTOCOLS, unasked")
    content = bytearray()
    async for piece in response.aiter_raw():
        content += piece
        if len(content) > _LARGEST:
            raise ConnectionError(_TOO_LARGE)
    return _decompressed(bytes(content), response.headers)


def _decompressed(content: bytes, headers: Mapping[str, str]) -> bytes:
    """The content of a response that a server may compress though it was asked not to.

    httpx would do it too, but accepts a stream that is cut off and has no limit of size.
    """
    encoding = headers.get("content-encoding", "identity").lower()
    if encoding == "identity" or not content:
        return content
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ConnectionError(f"the response is packed as {encoding}, which was not asked for")
    decompressor = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        decompressed = decompressor.decompress(content, _LARGEST)
    except zlib.error as error:
        raise ConnectionError(str(error)) from None
    if not decompressor.eof:
        cut = decompressor.unconsumed_tail == b""
        raise ConnectionError("the packed response is cut off" if cut else _TOO_LARGE)
    return decompressed


def _has_surplus(transport: httpx.AsyncHTTPTransport) -> bool:
    """Whether the server sent more than its response.

    httpcore keeps such bytes and takes them for the answer to the next request. It has no public
    way to ask for them; if its private attributes change, no connection is reused, which is slower
    but never wrong.
    """
    try:
        for connection in transport._pool.connections:
            inner: Any = connection
            while not hasattr(inner, "_h11_state"):
                inner = inner._connection
            if inner._h11_state.trailing_data[0]:
                return True
    except AttributeError:
        return True
    return False


def _reason(error: BaseException) -> str:
    """Why a request failed, in the words of the operating system where it has any."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        if isinstance(cause, OSError) and not isinstance(cause, ssl.SSLError) and cause.errno:
            return os.strerror(cause.errno) if cause.errno > 0 else cause.strerror or str(cause)
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__
