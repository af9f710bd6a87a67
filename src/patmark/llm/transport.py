"""One request to a service over a kept connection: it ends with an answer or with RequestFailed."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from patmark.errors import MissingExtra
from patmark.llm.chat import ChatAnswer, ChatRequest, Endpoint, error_message, parse_answer

if TYPE_CHECKING:
    from patmark.llm.connection import Connection

HttpResponse: TypeAlias = tuple[int, Mapping[str, str], bytes]
Scope: TypeAlias = Literal["transient", "request", "endpoint"]

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_HOPELESS = frozenset({401, 402, 403, 404, 405})
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")
LARGEST_ANSWER = 4 << 20
_BYTES_PER_CHARACTER = 48
_BYTES_PER_TOKEN = 1024
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION = "".join(rf"(?:(\d+(?:\.\d+)?){unit}(?![a-z]))?" for unit in _UNITS)
_LIMITED = ("requests", "tokens")


class TooLarge(ConnectionError):
    """A response is longer than any answer to its request can be."""


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
    """What is sent; without ``json`` there is no body. The answer may have ``largest`` bytes."""

    url: str
    json: Any = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    largest: int = LARGEST_ANSWER


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
        connection = self._free.pop() if self._free else _new_connection()
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


def _new_connection() -> Connection:
    try:
        from patmark.llm.connection import Connection
    except ImportError:
        raise MissingExtra("httpx", "llm") from None
    return Connection()


def largest_answer(characters: int, tokens: int = 0) -> int:
    """The most bytes that an answer may have: some megabytes, and more for long texts.

    A character that is asked about allows for eight of the answer, each escaped as in ``\\u5f01``;
    a token that may be answered allows for its probabilities as well.
    """
    return LARGEST_ANSWER + _BYTES_PER_CHARACTER * characters + _BYTES_PER_TOKEN * tokens


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
