"""HTTP requests to a service: each ends with an answer, or with RequestFailed and its scope.

Connections are kept for the next request. httpx closes an idle connection on which bytes arrive.
It takes surplus bytes that came with a response for the next answer, as from a server that answers
one request twice (see tests/llm/test_surplus.py).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

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
from patmark.llm.refused_parameters import STATUSES as REFUSING_STATUSES
from patmark.llm.retries import asked_wait, exhausted_wait, failure_scope

HttpResponse: TypeAlias = tuple[int, Mapping[str, str], bytes]
Trace: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[None]]

_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "patmark",
}
_GZIP_OR_ZLIB = 47
_ERRNO = re.compile(r"\[Errno (\d+)\]")


class TooLarge(ConnectionError):
    """A response that exceeds the size limit of its request."""


class Unreachable(ConnectionError):
    """A server that refuses connections or cannot be found."""


class Transport:
    """Sender of requests to one service.

    Each active request has its own client: the time of an httpx pool for a request grows with its
    connections.
    """

    def __init__(self, adapter: Adapter, timeout: float) -> None:
        self._adapter = adapter
        self._endpoint = adapter.endpoint
        self._timeout = timeout
        self._idle: list[httpx.AsyncClient] = []
        self._reached = False

    async def ask(self, request: ChatRequest) -> tuple[ChatAnswer, float | None]:
        """Return the answer, and the seconds until a rate limit that is now used up is renewed."""
        sent = self._adapter.http_request(request)
        status, headers, content = await self._send(request, sent)
        if not 200 <= status < 300:
            text = content.decode("utf-8-sig", errors="replace")
            failure, error = self._refused(status, headers, text)
            if status in REFUSING_STATUSES and self._adapter.learn(request, sent, error):
                failure.scope = "parameter"
            raise failure
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
        for client in self._idle:
            await client.aclose()

    def _answer(self, body: object) -> ChatAnswer:
        """Read the answer; mask no short key in it, which may be a word or a score."""
        failed = isinstance(body, dict) and bool(body.get("error"))
        hidden = failed or self._endpoint.has_long_key
        return self._adapter.answer(self._endpoint.masked(body) if hidden else body)

    async def _send(self, request: ChatRequest, sent: HttpRequest) -> HttpResponse:
        characters = sum(len(one.content) for one in request.messages)
        largest = largest_answer(characters, request.max_tokens or 0)
        http_request = replace(sent, largest=largest)
        trace = None if self._reached else self._note_reached
        client = self._idle.pop() if self._idle else open_client(self._endpoint.base_url)
        try:
            async with asyncio.timeout(self._timeout):
                return await send(client, http_request, trace)
        except TimeoutError:
            reason = f"no answer within {self._timeout:g} seconds"
            raise RequestFailed(reason, "transient") from None
        except TooLarge as error:
            raise RequestFailed(f"{error}, which no answer can have", "request") from None
        except OSError as error:
            words = self._endpoint.without_secret(str(error)) or type(error).__name__
            reason = f"no answer from {self._endpoint.shown}: {words}"
            unreached = isinstance(error, Unreachable) and not self._reached
            raise RequestFailed(reason, "transient", unreached=unreached) from None
        finally:
            self._idle.append(client)

    async def _note_reached(self, event: str, _: Mapping[str, Any]) -> None:
        """Note that the server has accepted a connection: only then are headers sent."""
        self._reached |= event == "http11.send_request_headers.started"

    def _refused(
        self, status: int, headers: Mapping[str, str], text: str
    ) -> tuple[RequestFailed, object]:
        error = None
        try:
            error = self._endpoint.masked(json.loads(text))
            words = error_message(error)
        except (ValueError, RecursionError):
            words = _excerpt(self._endpoint.without_secret(text))
        reason = f"status {status}: {words}" if words else f"status {status}"
        scope = failure_scope(status, text)
        if scope == "endpoint":
            return RequestFailed(f"{self._endpoint.shown}: {reason}", scope), error
        wait = asked_wait(headers) if scope == "transient" else None
        return RequestFailed(reason, scope, wait), error


def open_client(url: str) -> httpx.AsyncClient:
    """Return a client for one server, through a proxy if the environment names one.

    The client follows no redirects, stores no cookies and has no timeout. Callers cancel requests.
    """
    try:
        proxy = _proxy_for(url)
        return httpx.AsyncClient(
            headers=_HEADERS,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            verify=_trust(url) or False,
            proxy=None if proxy is None else httpx.Proxy(proxy, ssl_context=_trust(proxy)),
            trust_env=False,
            timeout=None,
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise UsageError(f"the proxy that the environment names cannot be used: {error}") from None


async def send(
    client: httpx.AsyncClient, request: HttpRequest, trace: Trace | None = None
) -> HttpResponse:
    """Return status, headers and content of the response; every failure is an OSError.

    ``trace`` receives the events of the connection, as httpx defines them.
    """
    try:
        async with client.stream(
            request.method,
            request.url,
            json=request.json,
            headers=request.headers,
            extensions=None if trace is None else {"trace": trace},
        ) as response:
            return response.status_code, response.headers, await _content(response, request.largest)
    except (httpx.TransportError, httpx.InvalidURL, UnicodeError) as error:
        kind = Unreachable if isinstance(error, httpx.ConnectError) else ConnectionError
        raise kind(_reason(error)) from None


async def _content(response: httpx.Response, largest: int) -> bytes:
    """Read the body of a response, uncompressed, up to a size limit."""
    if response.status_code == 101:
        raise ConnectionError("the server answered 101 SWITCHING PROTOCOLS, unasked")
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding not in ("identity", "gzip", "x-gzip", "deflate"):
        raise ConnectionError(f"the response is packed as {encoding}, which was not asked for")
    content = bytearray()
    async for piece in response.aiter_raw():
        content += piece
        _check_size(len(content), largest)
    if encoding == "identity" or not content:
        return bytes(content)
    # httpx would accept a truncated stream and decompress without a limit
    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        unpacked = unpacker.decompress(content, largest + 1)
    except zlib.error as error:
        raise ConnectionError(str(error)) from None
    _check_size(len(unpacked), largest)
    if not unpacker.eof or unpacker.unused_data:
        raise ConnectionError("the packed response is cut off, or something follows it")
    return unpacked


def _check_size(size: int, largest: int) -> None:
    if size > largest:
        raise TooLarge(f"the response has more than {largest / 1e6:.1f} MB")


def _trust(url: str) -> ssl.SSLContext | None:
    """Return the trusted certificates for HTTPS; reading them takes longer than a request."""
    return ssl_context() if url.lower().startswith("https:") else None


@lru_cache(maxsize=1)
def ssl_context() -> ssl.SSLContext:
    """Return the certificates of the system or of SSL_CERT_FILE."""
    return httpx.create_ssl_context()


def _proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for an address.

    httpx rejects every proxy of the environment that it cannot use, even one for other addresses.
    """
    parts, proxies = urlsplit(url), getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.netloc):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _reason(error: BaseException) -> str:
    """Return the cause of a failure in the words of the operating system, if it has any."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        if isinstance(cause, OSError) and not isinstance(cause, ssl.SSLError) and cause.errno:
            return os.strerror(cause.errno) if cause.errno > 0 else cause.strerror or str(cause)
        if match := _ERRNO.search(str(cause)):  # several addresses, none of which answers
            return os.strerror(int(match[1]))
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__


def _excerpt(text: str) -> str:
    line = " ".join(text[:500].split())
    return line if len(line) <= 120 else line[:120] + "…"
