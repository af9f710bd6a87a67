"""One exchange with a service: a request goes out, and comes back as an answer or as trouble."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from patmark.llm.chat import ChatAnswer, ChatRequest, error_message, parse_answer
from patmark.llm.endpoint import Endpoint
from patmark.llm.lines import Line, Outgoing, Unreachable
from patmark.llm.retries import asked_wait, exhausted_wait

Reach: TypeAlias = Literal["passing", "request", "endpoint"]

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_HOPELESS = frozenset({401, 402, 403, 404, 405})
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")


class Trouble(Exception):
    """An exchange without an answer.

    ``reach`` says what it spoils: nothing for good (passing), this request, or the whole endpoint.
    ``wait`` has the seconds that the server asks for, for everybody. ``unreached`` is trouble with
    a server that no request has ever reached.
    """

    def __init__(
        self, reason: str, reach: Reach, wait: float | None = None, unreached: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.reach = reach
        self.wait = wait
        self.unreached = unreached


class Wire(Protocol):
    """How a kind of service is spoken to; the endpoint says what is secret."""

    @property
    def endpoint(self) -> Endpoint:
        """Where the service is."""

    def outgoing(self, request: ChatRequest) -> Outgoing:
        """What to send for a request."""

    def answer(self, body: object) -> ChatAnswer:
        """The answer in the JSON of a response; a ValueError says why there is none."""


@dataclass(frozen=True, slots=True)
class ChatWire:
    """The chat completions API."""

    endpoint: Endpoint

    def outgoing(self, request: ChatRequest) -> Outgoing:
        """The body of the API, with the key in its header."""
        key = self.endpoint.api_key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return Outgoing(self.endpoint.url, request.body(), headers=headers)

    def answer(self, body: object) -> ChatAnswer:
        """The first choice."""
        return parse_answer(body)


class Exchange:
    """Sends requests to one service over lines that are kept."""

    def __init__(self, wire: Wire, timeout: float) -> None:
        self._wire = wire
        self._endpoint = wire.endpoint
        self._timeout = timeout
        self._free: list[Line] = []
        self._busy: set[Line] = set()
        self._reached = False

    async def ask(self, request: ChatRequest) -> tuple[ChatAnswer, float | None]:
        """The answer, and the seconds until the server has room again if this was the last one."""
        status, headers, text = await self._post(request)
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
        raise Trouble(reason, "passing")

    def _answer(self, body: object) -> ChatAnswer:
        """The answer of a response. A short key is left in answers: it may be a word or a score."""
        failed = isinstance(body, dict) and bool(body.get("error"))
        hidden = failed or self._endpoint.has_long_key
        return self._wire.answer(self._endpoint.masked(body) if hidden else body)

    async def close(self) -> None:
        """Hang up."""
        for line in self._free:
            await line.close()

    async def _post(self, request: ChatRequest) -> tuple[int, Mapping[str, str], str]:
        out = self._wire.outgoing(request)
        line = self._free.pop() if self._free else Line()
        self._busy.add(line)
        try:
            async with asyncio.timeout(self._timeout):
                status, headers, content = await line.send(out)
        except TimeoutError:
            raise Trouble(f"no answer within {self._timeout:g} seconds", "passing") from None
        except OSError as error:
            words = self._endpoint.without_secret(str(error)) or type(error).__name__
            reason = f"no answer from {self._endpoint.shown}: {words}"
            raise Trouble(reason, "passing", unreached=self._is_unreached(error)) from None
        finally:
            self._busy.remove(line)
            self._free.append(line)
        self._reached = True
        return status, headers, content.decode("utf-8", errors="replace")

    def _is_unreached(self, error: OSError) -> bool:
        """Whether no request has got through so far, nor is with the server now."""
        self._reached |= not isinstance(error, Unreachable)
        return not self._reached and not any(line.is_open for line in self._busy)

    def _refused(self, status: int, headers: Mapping[str, str], text: str) -> Trouble:
        """What a status other than 2xx means."""
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
