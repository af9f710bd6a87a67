"""Send many requests at once: limited in number, retried, within a budget, none of them twice."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from patmark.errors import UsageError
from patmark.llm.cache import AnswerCache, MemoryCache
from patmark.llm.chat import ChatAnswer, ChatRequest, Endpoint
from patmark.llm.connection import Adapter, ChatAdapter, RequestFailed, Transport
from patmark.llm.usage import Budget, Ledger, Prices, Usage

Accept: TypeAlias = Callable[[ChatAnswer], str | None]
Progress: TypeAlias = Callable[[int, int], None]
Settled: TypeAlias = Callable[["Outcome"], None]
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

_DOWN_AFTER = 10
_UNREACHED_RETRIES = 2


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait. ``patience`` is the longest wait that a server may ask for.

    Between two attempts pass ``first_wait`` seconds, then twice as many each time up to
    ``longest_wait``, cut at random by up to half so that workers do not return all at once.
    """

    retries: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    patience: float = 600.0

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise UsageError(f"the number of retries must not be negative: {self.retries}")
        if min(self.first_wait, self.longest_wait, self.patience) < 0:
            raise UsageError("waiting times must not be negative")

    def wait(self, retry: int, asked: float | None, rng: random.Random) -> float:
        """Seconds before a retry, counted from 0; never less than the server asked for."""
        longest = min(self.longest_wait, self.first_wait * 2.0 ** min(retry, 60))
        own = longest * rng.uniform(0.5, 1.0)
        return own if asked is None else max(own, asked)


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
    """The result of a request: an answer, or the reason why there is none.

    ``usage`` was paid for it in this run, ``recalled`` by earlier runs for answers in the cache;
    both include unusable answers, of which ``rejected`` is the last. ``tries`` counts HTTP
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

    ``adapter`` is for services other than chat: their requests are one message with the text.
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
        self.endpoint = endpoint
        self.adapter: Adapter = adapter or ChatAdapter(endpoint)
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
        """Ask everything that is not in the cache.

        ``accept`` says what is wrong with an answer, or None; what is wrong is asked again. A
        failure is an outcome, not an exception. ``settled`` is given each outcome as it comes.
        """
        self._check(requests)
        unique = {request.key(): request for request in requests}
        run = _BatchRun(self, accept)
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
            await run.transport.close()
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


class _BatchRun:
    """What the requests of one batch share: connections, budget, a pause, a reason to stop."""

    def __init__(self, client: ChatClient, accept: Accept | None) -> None:
        settings = client.settings
        self._client = client
        self._accept = accept or _not_empty
        self.transport = Transport(client.adapter, settings.timeout)
        self._ledger = Ledger(settings.budget, settings.prices)
        self._paused_until = client.clock()
        self._stopped: str | None = None
        self._failed_in_a_row = 0

    async def settle(self, request: ChatRequest) -> Outcome:
        """Get a usable answer from the cache or from the server."""
        usage, recalled, tries, bad = Usage(), Usage(), _Tries(), ""
        rejected = None
        for attempt in self._client.attempts(request):
            answer = self._client.cache.get(attempt)
            if answer is not None:
                recalled += Usage.of(attempt, answer)
            else:
                try:
                    answer = await self._fetch(attempt, tries)
                except RequestFailed as failure:
                    reason = f"{bad}, then {failure.reason}" if bad else failure.reason
                    return Outcome(request, None, reason, usage, recalled, tries.count, rejected)
                usage += Usage.of(attempt, answer)
            fault = self._accept(answer)
            if fault is None:
                return Outcome(request, answer, None, usage, recalled, tries.count)
            bad, rejected = f"no usable answer in {attempt.attempt + 1}: {fault}", answer
        return Outcome(request, None, bad, usage, recalled, tries.count, rejected)

    async def _fetch(self, request: ChatRequest, tries: _Tries) -> ChatAnswer:
        """Ask within the budget, and put the answer into the cache."""
        obstacle = self._stopped or self._ledger.reserve(request)
        if obstacle is not None:
            raise RequestFailed(f"not asked: {obstacle}", "request")
        try:
            answer = await self._ask_with_retries(request, tries)
        except RequestFailed as failure:
            self._count_failure(failure)
            raise
        finally:
            self._ledger.release(request)
        self._failed_in_a_row = 0
        self._ledger.pay(request, answer)
        self._client.cache.put(request, answer)
        return answer

    async def _ask_with_retries(self, request: ChatRequest, tries: _Tries) -> ChatAnswer:
        """Ask until there is an answer, or a failure that will not pass."""
        policy = self._client.settings.policy
        retry = 0
        while True:
            await self._wait_for_pause()
            if self._stopped is not None:
                raise RequestFailed(f"not asked again: {self._stopped}", "request")
            tries.count += 1
            try:
                answer, pause = await self.transport.ask(request)
            except RequestFailed as failure:
                if failure.unreached and retry >= _UNREACHED_RETRIES:
                    raise _never_reached(failure, tries.count) from None
                if failure.scope != "transient" or retry >= policy.retries:
                    raise _with_tries(failure, tries.count) from None
                await self._wait(policy.wait(retry, failure.wait, self._client.rng), failure)
                retry += 1
            else:
                self._pause_all(pause)
                return answer

    async def _wait(self, seconds: float, failure: RequestFailed) -> None:
        """Wait before a retry; when the server asked for it, all others wait as well."""
        patience = self._client.settings.policy.patience
        if failure.wait is not None and failure.wait > patience:
            reason = f"{failure.reason}; the server asks to wait {failure.wait:.0f} seconds"
            raise RequestFailed(reason, "endpoint")
        self._pause_all(failure.wait)
        await self._client.sleep(seconds)

    def _pause_all(self, seconds: float | None) -> None:
        """Send nothing for some seconds, at most as long as the policy is patient."""
        patience = self._client.settings.policy.patience
        if seconds is not None:
            until = self._client.clock() + min(seconds, patience)
            self._paused_until = max(self._paused_until, until)

    async def _wait_for_pause(self) -> None:
        """Wait until the server accepts requests again."""
        while (left := self._paused_until - self._client.clock()) > 0:
            await self._client.sleep(left * self._client.rng.uniform(1.0, 1.1))

    def _count_failure(self, failure: RequestFailed) -> None:
        """Stop all requests when the endpoint is of no use, or seems to be down."""
        self._failed_in_a_row = self._failed_in_a_row + 1 if failure.scope == "transient" else 0
        if failure.scope == "endpoint":
            self._stopped = self._stopped or failure.reason
        elif self._failed_in_a_row >= _DOWN_AFTER:
            self._stopped = (
                f"{_DOWN_AFTER} requests in a row failed, the last with {failure.reason}"
            )


@dataclass(slots=True)
class _Tries:
    """Counts HTTP requests."""

    count: int = 0


def _with_tries(failure: RequestFailed, tries: int) -> RequestFailed:
    """The same failure, with the number of tries if there were several."""
    reason = failure.reason if tries == 1 else f"{failure.reason} (after {tries} tries)"
    return RequestFailed(reason, failure.scope, failure.wait)


def _never_reached(failure: RequestFailed, tries: int) -> RequestFailed:
    """The failure of a server that no request has reached: the run ends at once."""
    hint = "is the address right, and the server running?"
    return RequestFailed(f"{_with_tries(failure, tries).reason}; {hint}", "endpoint")


def _not_empty(answer: ChatAnswer) -> str | None:
    """What is wrong with an answer when the caller has no rule of its own."""
    return answer.refusal_reason or (None if answer.text.strip() else "the answer is empty")
