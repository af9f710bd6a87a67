"""One exchange with an endpoint: a request goes out, and comes back as an answer or as trouble."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from patmark.errors import MissingExtra
from patmark.llm.chat import ChatAnswer, ChatRequest, error_message, parse_answer
from patmark.llm.endpoint import Endpoint
from patmark.llm.retries import asked_wait, exhausted_wait

if TYPE_CHECKING:
    import httpx

Reach: TypeAlias = Literal["passing", "request", "endpoint"]

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_HOPELESS = frozenset({401, 402, 403, 404, 405})
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")


class Trouble(Exception):
    """An exchange without an answer.

    ``reach`` says what it spoils: nothing for good (passing), this request, or the whole endpoint.
    ``wait`` has the seconds that the server asks for, for everybody.
    """

    def __init__(self, reason: str, reach: Reach, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.reach = reach
        self.wait = wait


class Exchange:
    """Sends requests to one endpoint over kept connections."""

    def __init__(self, endpoint: Endpoint, timeout: float, connections: int) -> None:
        self._endpoint = endpoint
        self._timeout = timeout
        self._connections = connections
        self._opened: httpx.AsyncClient | None = None

    async def ask(self, request: ChatRequest) -> tuple[ChatAnswer, float | None]:
        """The answer, and the seconds until the server has room again if this was the last one."""
        status, headers, text = await self._post(request)
        if status != 200:
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
        raise Trouble(reason, "passing")

    def _answer(self, body: object) -> ChatAnswer:
        """The answer of a response. A short key is left in answers: it may be a word or a score."""
        failed = isinstance(body, dict) and bool(body.get("error"))
        hidden = failed or self._endpoint.has_long_key
        return parse_answer(self._endpoint.masked(body) if hidden else body)

    async def close(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            await self._opened.aclose()

    async def _post(self, request: ChatRequest) -> tuple[int, Mapping[str, str], str]:
        client = self._client()
        import httpx

        try:
            async with asyncio.timeout(self._timeout):
                response = await client.post(self._endpoint.url, json=request.body())
        except (TimeoutError, httpx.TimeoutException):
            raise Trouble(f"no answer within {self._timeout:g} seconds", "passing") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            words = self._endpoint.without_secret(str(error)) or type(error).__name__
            raise Trouble(f"no connection to {self._endpoint.shown}: {words}", "passing") from None
        text = response.content.decode("utf-8", errors="replace")
        return response.status_code, response.headers, text

    def _client(self) -> httpx.AsyncClient:
        if self._opened is None:
            try:
                import httpx
            except ImportError:
                raise MissingExtra("httpx", "llm") from None
            key = self._endpoint.api_key
            self._opened = httpx.AsyncClient(
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=self._timeout,
                limits=httpx.Limits(max_connections=self._connections),
            )
        return self._opened

    def _refused(self, status: int, headers: Mapping[str, str], text: str) -> Trouble:
        """What a status other than 200 means."""
        try:
            words = error_message(self._endpoint.masked(json.loads(text)))
        except (ValueError, RecursionError):
            words = _excerpt(self._endpoint.without_secret(text))
        reason = f"status {status}: {words}" if words else f"status {status}"
        no_credit = status == 429 and any(code in text for code in _NO_CREDIT)
        if no_credit or status in _HOPELESS or 300 <= status < 400:
            return Trouble(f"{self._endpoint.shown}: {reason}", "endpoint")
        if status in _PASSING:
            return Trouble(reason, "passing", asked_wait(headers))
        return Trouble(reason, "request")


def _excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[:500].split())
    return line if len(line) <= 120 else line[:120] + "…"
