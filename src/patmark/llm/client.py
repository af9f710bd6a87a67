"""Ask many requests at once: limited, patient, within a budget, and none of them twice."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from patmark.errors import UsageError
from patmark.llm.cache import AnswerCache, MemoryCache
from patmark.llm.chat import ChatAnswer, ChatRequest
from patmark.llm.endpoint import Endpoint
from patmark.llm.exchange import ChatWire, Exchange, Trouble, Wire
from patmark.llm.retries import RetryPolicy
from patmark.llm.usage import Budget, Ledger, Prices, Usage

Accept: TypeAlias = Callable[[ChatAnswer], str | None]
Progress: TypeAlias = Callable[[int, int], None]
Settled: TypeAlias = Callable[["Outcome"], None]
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

_DOWN_AFTER = 10
_UNREACHED_RETRIES = 2


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Limits of a run. ``reasks`` is how often an answer that is of no use is asked for again."""

    concurrency: int = 8
    timeout: float = 120.0
    reasks: int = 2
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    budget: Budget = field(default_factory=Budget)
    prices: Prices | None = None

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise UsageError(f"at least one request must be under way: {self.concurrency}")
        if not self.timeout > 0:
            raise UsageError(f"the timeout must be more than 0 seconds: {self.timeout:g}")
        if self.reasks < 0:
            raise UsageError(f"the number of re-asks must not be negative: {self.reasks}")
        if self.budget.cost is not None and self.prices is None:
            raise UsageError("a budget in money needs the prices of tokens")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request: an answer, or the reason why there is none.

    ``usage`` is what was paid for it in this run and ``recalled`` what kept answers had used,
    with answers that were of no use, of which ``rejected`` is the last; ``tries`` counts HTTP
    requests.
    """

    request: ChatRequest
    answer: ChatAnswer | None
    failure: str | None
    usage: Usage = field(default_factory=Usage)
    recalled: Usage = field(default_factory=Usage)
    tries: int = 0
    rejected: ChatAnswer | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Outcomes in the order of the requests, and what they used; equal requests share one."""

    outcomes: tuple[Outcome, ...]
    spent: Usage
    recalled: Usage
    tries: int

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The requests that have no answer."""
        return tuple(one for one in self.outcomes if one.failure is not None)


class ChatClient:
    """A client of one endpoint. Answers go to the cache as they come, before anything else.

    ``wire`` speaks to services that are no chat: their requests are one message with the text.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        cache: AnswerCache | None = None,
        settings: ClientSettings | None = None,
        *,
        wire: Wire | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: random.Random | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.wire: Wire = wire or ChatWire(endpoint)
        self.cache: AnswerCache = MemoryCache() if cache is None else cache
        self.settings = settings or ClientSettings()
        self.sleep, self.clock = sleep, clock
        self.rng = rng or random.Random()

    def ask_all(
        self,
        requests: Sequence[ChatRequest],
        accept: Accept | None = None,
        progress: Progress | None = None,
        settled: Settled | None = None,
    ) -> Batch:
        """Ask everything and wait for it; see :meth:`ask_all_async`."""
        return asyncio.run(self.ask_all_async(requests, accept, progress, settled))

    async def ask_all_async(
        self,
        requests: Sequence[ChatRequest],
        accept: Accept | None = None,
        progress: Progress | None = None,
        settled: Settled | None = None,
    ) -> Batch:
        """Ask everything that is not kept already.

        ``accept`` says what is wrong with an answer, or None; what is wrong is asked again. A
        failure is an outcome, not an exception. ``settled`` is given each outcome as it comes.
        """
        self._check(requests)
        unique = {request.key(): request for request in requests}
        run = _Run(self, accept)
        outcomes: dict[str, Outcome] = {}
        waiting = iter(unique.items())

        async def work() -> None:
            for key, request in waiting:
                outcomes[key] = await run.settle(request)
                if settled:
                    settled(outcomes[key])
                if progress:
                    progress(len(outcomes), len(unique))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.settings.concurrency, len(unique))):
                    group.create_task(work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            await run.exchange.close()
        found = outcomes.values()
        return Batch(
            tuple(outcomes[request.key()] for request in requests),
            Usage.total(one.usage for one in found),
            Usage.total(one.recalled for one in found),
            sum(one.tries for one in found),
        )

    def attempts(self, request: ChatRequest) -> Iterator[ChatRequest]:
        """A request and its repetitions, as often as settings allow."""
        return (request.again(attempt) for attempt in range(self.settings.reasks + 1))

    def _check(self, requests: Sequence[ChatRequest]) -> None:
        limited = self.settings.budget != Budget()
        if limited and any(request.max_tokens is None for request in requests):
            raise UsageError("a budget needs max_tokens, since answers may be of any length")


class _Run:
    """What requests of one batch share: connections, a ledger, a pause, a reason to stop."""

    def __init__(self, client: ChatClient, accept: Accept | None) -> None:
        settings = client.settings
        self._client = client
        self._accept = accept or _not_empty
        self.exchange = Exchange(client.wire, settings.timeout)
        self._ledger = Ledger(settings.budget, settings.prices)
        self._open_at = client.clock()
        self._stopped: str | None = None
        self._down = 0

    async def settle(self, request: ChatRequest) -> Outcome:
        """Find or get an answer that is of use."""
        usage, recalled, tries, bad = Usage(), Usage(), _Tries(), ""
        rejected = None
        for attempt in self._client.attempts(request):
            answer = self._client.cache.get(attempt)
            if answer is not None:
                recalled += Usage.of(attempt, answer)
            else:
                try:
                    answer = await self._fetch(attempt, tries)
                except Trouble as trouble:
                    reason = f"{bad}, then {trouble.reason}" if bad else trouble.reason
                    return Outcome(request, None, reason, usage, recalled, tries.count, rejected)
                usage += Usage.of(attempt, answer)
            fault = self._accept(answer)
            if fault is None:
                return Outcome(request, answer, None, usage, recalled, tries.count)
            bad, rejected = f"no usable answer in {attempt.attempt + 1}: {fault}", answer
        return Outcome(request, None, bad, usage, recalled, tries.count, rejected)

    async def _fetch(self, request: ChatRequest, tries: _Tries) -> ChatAnswer:
        """Ask within the budget, and keep the answer."""
        obstacle = self._stopped or self._ledger.reserve(request)
        if obstacle is not None:
            raise Trouble(f"not asked: {obstacle}", "request")
        try:
            answer = await self._patiently(request, tries)
        except Trouble as trouble:
            self._note(trouble)
            raise
        finally:
            self._ledger.release(request)
        self._down = 0
        self._ledger.pay(request, answer)
        self._client.cache.put(request, answer)
        return answer

    async def _patiently(self, request: ChatRequest, tries: _Tries) -> ChatAnswer:
        """Ask until there is an answer, or no hope."""
        policy = self._client.settings.policy
        retry = 0
        while True:
            await self._pause()
            if self._stopped is not None:
                raise Trouble(f"not asked again: {self._stopped}", "request")
            tries.count += 1
            try:
                answer, pause = await self.exchange.ask(request)
            except Trouble as trouble:
                if trouble.unreached and retry >= _UNREACHED_RETRIES:
                    raise _useless(trouble, tries.count) from None
                if trouble.reach != "passing" or retry >= policy.retries:
                    raise _after(trouble, tries.count) from None
                await self._wait(policy.wait(retry, trouble.wait, self._client.rng), trouble)
                retry += 1
            else:
                self._close_for(pause)
                return answer

    async def _wait(self, seconds: float, trouble: Trouble) -> None:
        """Wait before a retry; when the server asked for it, all others wait as well."""
        patience = self._client.settings.policy.patience
        if trouble.wait is not None and trouble.wait > patience:
            reason = f"{trouble.reason}; the server asks to wait {trouble.wait:.0f} seconds"
            raise Trouble(reason, "endpoint")
        self._close_for(trouble.wait)
        await self._client.sleep(seconds)

    def _close_for(self, seconds: float | None) -> None:
        patience = self._client.settings.policy.patience
        if seconds is not None:
            until = self._client.clock() + min(seconds, patience)
            self._open_at = max(self._open_at, until)

    async def _pause(self) -> None:
        """Wait while the server has no room."""
        while (left := self._open_at - self._client.clock()) > 0:
            await self._client.sleep(left * self._client.rng.uniform(1.0, 1.1))

    def _note(self, trouble: Trouble) -> None:
        """Stop everything when the endpoint is of no use, or seems to be down."""
        self._down = self._down + 1 if trouble.reach == "passing" else 0
        if trouble.reach == "endpoint":
            self._stopped = self._stopped or trouble.reason
        elif self._down >= _DOWN_AFTER:
            self._stopped = (
                f"{_DOWN_AFTER} requests in a row failed, the last with {trouble.reason}"
            )


@dataclass(slots=True)
class _Tries:
    """Counts HTTP requests."""

    count: int = 0


def _after(trouble: Trouble, tries: int) -> Trouble:
    """The same trouble, with the number of tries where there were several."""
    told = trouble.reason if tries == 1 else f"{trouble.reason} (after {tries} tries)"
    return Trouble(told, trouble.reach, trouble.wait)


def _useless(trouble: Trouble, tries: int) -> Trouble:
    """An endpoint where nobody has ever been: patience is for those that were there."""
    hint = "is the address right, and the server running?"
    return Trouble(f"{_after(trouble, tries).reason}; {hint}", "endpoint")


def _not_empty(answer: ChatAnswer) -> str | None:
    """The least that an answer must be."""
    if answer.refused:
        return f"refused: {answer.refusal or 'content filter'}"
    return None if answer.text.strip() else "the answer is empty"
