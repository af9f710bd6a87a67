"""Send many requests at once: limited in number, retried, within a budget, none of them twice."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from patmark.data import Notice
from patmark.errors import MissingExtra, UsageError
from patmark.llm.cache import AnswerCache, CachedAnswer, CacheHits, MemoryCache
from patmark.llm.chat import Adapter, ChatAdapter, ChatAnswer, ChatRequest, RequestFailed
from patmark.llm.endpoint import Endpoint
from patmark.llm.retries import RetryPolicy
from patmark.llm.usage import Budget, Ledger, Prices, Usage
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.llm.transport import Transport

Accept: TypeAlias = Callable[[ChatRequest, ChatAnswer], str | None]
Progress: TypeAlias = Callable[[int, int], None]
OnOutcome: TypeAlias = Callable[["Outcome"], None]
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

_DOWN_AFTER = 10
_UNREACHED_RETRIES = 2
_NOT_ASKED = "not asked: "


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Limits of a client. ``reasks`` is the number of new attempts after unusable answers."""

    concurrency: int = 8
    timeout: float = 120.0
    reasks: int = 2
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    budget: Budget = field(default_factory=Budget)
    prices: Prices | None = None

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise UsageError(f"concurrency must be at least 1, not {self.concurrency}")
        if not self.timeout > 0:
            raise UsageError(f"the timeout must be more than 0 seconds: {self.timeout:g}")
        if self.reasks < 0:
            raise UsageError(f"the number of re-asks must not be negative: {self.reasks}")
        if self.budget.cost is not None and self.prices is None:
            prices = f"{setting('price_in')} and {setting('price_out')}"
            raise UsageError(f"{setting('budget_cost')} needs {prices}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a request: an answer, or the reason why there is none.

    ``usage`` was paid for it in this run, ``recalled`` by earlier runs for answers in the cache;
    both include unusable answers, of which ``rejected`` is the last. ``tries`` counts HTTP
    requests. ``cached_at`` is the time of an answer from the cache.
    """

    request: ChatRequest
    answer: ChatAnswer | None
    failure: str | None
    usage: Usage = field(default_factory=Usage)
    recalled: Usage = field(default_factory=Usage)
    tries: int = 0
    rejected: ChatAnswer | None = None
    cached_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Outcomes in the order of the requests, and their usage; equal requests share one."""

    outcomes: tuple[Outcome, ...]
    spent: Usage
    recalled: Usage
    tries: int
    cache_hits: CacheHits = field(default_factory=CacheHits)
    notices: tuple[Notice, ...] = ()

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The requests without an answer."""
        return tuple(one for one in self.outcomes if one.failure is not None)

    @property
    def unasked(self) -> dict[str, int]:
        """The number of requests that were not sent, by reason."""
        held = (one.failure.partition(_NOT_ASKED) for one in self.outcomes if one.failure)
        return dict(Counter(reason for _, mark, reason in held if mark))

    def __add__(self, other: Batch) -> Batch:
        return Batch(
            (*self.outcomes, *other.outcomes),
            self.spent + other.spent,
            self.recalled + other.recalled,
            self.tries + other.tries,
            self.cache_hits + other.cache_hits,
            tuple(dict.fromkeys((*self.notices, *other.notices))),
        )


class ChatClient:
    """Client of one endpoint. Every answer goes into the cache immediately.

    The budget covers all batches of the client. ``adapter`` is for services other than chat:
    their requests are one message with the text.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        cache: AnswerCache | None = None,
        settings: ClientSettings | None = None,
        *,
        adapter: Adapter | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: random.Random | None = None,
    ) -> None:
        self.endpoint, self._server = endpoint, endpoint.identity
        self.adapter: Adapter = adapter or ChatAdapter(endpoint)
        self.cache: AnswerCache = MemoryCache() if cache is None else cache
        self.settings = settings or ClientSettings()
        self.ledger = Ledger(self.settings.budget, self.settings.prices)
        self.sleep, self.clock = sleep, clock
        self.rng = rng or random.Random()

    def ask_all(
        self,
        requests: Sequence[ChatRequest],
        accept: Accept | None = None,
        progress: Progress | None = None,
        on_outcome: OnOutcome | None = None,
    ) -> Batch:
        """Run :meth:`ask_all_async` in an event loop of its own."""
        return asyncio.run(self.ask_all_async(requests, accept, progress, on_outcome))

    async def ask_all_async(
        self,
        requests: Sequence[ChatRequest],
        accept: Accept | None = None,
        progress: Progress | None = None,
        on_outcome: OnOutcome | None = None,
    ) -> Batch:
        """Ask everything that is not in the cache.

        ``accept`` returns the fault of an answer, or None; a request with a faulty answer is asked
        again. A failure is an outcome, not an exception. ``on_outcome`` receives each outcome as it
        comes.
        """
        if self.settings.budget != Budget() and any(one.max_tokens is None for one in requests):
            needed = setting("max_tokens")
            raise UsageError(f"a budget needs {needed}, since answers may be of any length")
        unique = {request.key(): request for request in requests}
        run = _BatchRun(self, accept)
        outcomes: dict[str, Outcome] = {}
        waiting = iter(unique.items())

        async def work() -> None:
            for key, request in waiting:
                outcomes[key] = await run.settle(request)
                if on_outcome:
                    on_outcome(outcomes[key])
                if progress:
                    progress(len(outcomes), len(unique))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.settings.concurrency, len(unique))):
                    group.create_task(work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            await run.close()
        found = outcomes.values()
        return Batch(
            tuple(outcomes[request.key()] for request in requests),
            Usage.total(one.usage for one in found),
            Usage.total(one.recalled for one in found),
            sum(one.tries for one in found),
            CacheHits.of(one.cached_at for one in found),
            self.adapter.notices,
        )

    def recall(self, request: ChatRequest) -> CachedAnswer | None:
        """Return the cached answer of this server to a request."""
        return self.cache.get(self._server, request)

    def keep(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Put an answer of this server into the cache."""
        self.cache.put(self._server, request, answer)

    def attempts(self, request: ChatRequest) -> Iterator[ChatRequest]:
        """Return a request and its repetitions, as many as the settings allow."""
        return (request.again(attempt) for attempt in range(self.settings.reasks + 1))


class _BatchRun:
    """The shared state of the requests of one batch: connections, budget, pause, reason to stop."""

    def __init__(self, client: ChatClient, accept: Accept | None) -> None:
        self._client = client
        self._accept = accept or _not_empty
        self._ledger = client.ledger
        self._paused_until = client.clock()
        self._stopped: str | None = None
        self._failed_in_a_row = 0
        self._answered = False
        self._turn = asyncio.Lock()
        self._transport: Transport | None = None

    def _opened(self) -> Transport:
        """Return the transport, which cache hits do not need."""
        if self._transport is None:
            try:
                from patmark.llm.transport import Transport
            except ImportError:
                raise MissingExtra("httpx", "llm") from None
            self._transport = Transport(self._client.adapter, self._client.settings.timeout)
        return self._transport

    async def close(self) -> None:
        """Close all connections."""
        if self._transport is not None:
            await self._transport.close()

    async def settle(self, request: ChatRequest) -> Outcome:
        """Get a usable answer from the cache or from the server."""
        usage, recalled, tries, bad = Usage(), Usage(), _Tries(), ""
        rejected = None
        for attempt in self._client.attempts(request):
            cached = self._client.recall(attempt)
            if cached is not None:
                answer = cached.answer
                recalled += Usage.of(attempt, answer)
            else:
                try:
                    answer = await self._fetch(attempt, tries)
                except RequestFailed as failure:
                    reason = f"{bad}, then {failure.reason}" if bad else failure.reason
                    return Outcome(request, None, reason, usage, recalled, tries.count, rejected)
                usage += Usage.of(attempt, answer)
            fault = self._accept(request, answer)
            if fault is None:
                at = None if cached is None else cached.asked
                return Outcome(request, answer, None, usage, recalled, tries.count, cached_at=at)
            bad, rejected = f"no usable answer in {attempt.attempt + 1}: {fault}", answer
        return Outcome(request, None, bad, usage, recalled, tries.count, rejected)

    async def _fetch(self, request: ChatRequest, tries: _Tries) -> ChatAnswer:
        obstacle = self._stopped or self._ledger.reserve(request)
        if obstacle is not None:
            raise RequestFailed(f"{_NOT_ASKED}{obstacle}", "request")
        try:
            answer = await self._ask_with_retries(request, tries)
        except RequestFailed as failure:
            self._count_failure(failure)
            raise
        finally:
            self._ledger.release(request)
        self._failed_in_a_row = 0
        self._ledger.pay(request, answer)
        self._client.keep(request, answer)
        return answer

    async def _ask_with_retries(
        self, request: ChatRequest, tries: _Tries, *, alone: bool = False
    ) -> ChatAnswer:
        """Ask until there is an answer, or a failure that is not transient.

        If the server refuses a parameter, one request goes ``alone`` until it is answered, so that
        the others do not meet the next refusal one by one.
        """
        policy = self._client.settings.policy
        retry = 0
        while True:
            while (left := self._paused_until - self._client.clock()) > 0:
                await self._client.sleep(left * self._client.rng.uniform(1.0, 1.1))
            if self._stopped is not None:
                raise RequestFailed(f"not asked again: {self._stopped}", "request")
            tries.count += 1
            try:
                answer, pause = await self._opened().ask(request)
            except RequestFailed as failure:
                if failure.scope == "parameter":
                    async with nullcontext() if alone else self._turn:
                        if not alone and not self._answered:
                            return await self._ask_with_retries(request, tries, alone=True)
                    continue
                if failure.unreached and retry >= _UNREACHED_RETRIES:
                    raise _never_reached(failure, tries.count) from None
                if failure.scope != "transient" or retry >= policy.retries:
                    raise _with_tries(failure, tries.count) from None
                await self._wait(policy.wait(retry, failure.wait, self._client.rng), failure)
                retry += 1
            else:
                self._answered = True
                self._pause_all(pause)
                return answer

    async def _wait(self, seconds: float, failure: RequestFailed) -> None:
        """Wait before a retry; if the server asked for it, all other requests wait too."""
        patience = self._client.settings.policy.patience
        if failure.wait is not None and failure.wait > patience:
            reason = f"{failure.reason}; the server asks to wait {failure.wait:.0f} seconds"
            raise RequestFailed(reason, "endpoint")
        self._pause_all(failure.wait)
        await self._client.sleep(seconds)

    def _pause_all(self, seconds: float | None) -> None:
        """Send nothing for some seconds, at most the patience of the policy."""
        patience = self._client.settings.policy.patience
        if seconds is not None:
            until = self._client.clock() + min(seconds, patience)
            self._paused_until = max(self._paused_until, until)

    def _count_failure(self, failure: RequestFailed) -> None:
        """Stop all requests if the endpoint is of no use or seems to be down."""
        self._failed_in_a_row = self._failed_in_a_row + 1 if failure.scope == "transient" else 0
        if failure.scope == "endpoint":
            self._stopped = self._stopped or failure.reason
        elif self._failed_in_a_row >= _DOWN_AFTER:
            self._stopped = (
                f"{_DOWN_AFTER} requests in a row failed, the last with {failure.reason}"
            )


@dataclass(slots=True)
class _Tries:
    """A counter of HTTP requests."""

    count: int = 0


def _with_tries(failure: RequestFailed, tries: int) -> RequestFailed:
    reason = failure.reason if tries == 1 else f"{failure.reason} (after {tries} tries)"
    return RequestFailed(reason, failure.scope, failure.wait)


def _never_reached(failure: RequestFailed, tries: int) -> RequestFailed:
    hint = "is the address right, and the server running?"
    return RequestFailed(f"{_with_tries(failure, tries).reason}; {hint}", "endpoint")


def _not_empty(_: ChatRequest, answer: ChatAnswer) -> str | None:
    return answer.refusal_reason or (None if answer.text.strip() else "the answer is empty")
