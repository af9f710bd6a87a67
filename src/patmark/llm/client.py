"""Send many requests at once: limited in number, retried, within a budget, none of them twice.

Tokens and money are counted here as well: what answers used, what they cost, and when to stop.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from patmark.errors import MissingExtra, UsageError
from patmark.llm.cache import AnswerCache, CachedAnswer, CacheHits, MemoryCache
from patmark.llm.chat import (
    Adapter,
    ChatAdapter,
    ChatAnswer,
    ChatRequest,
    Endpoint,
    RequestFailed,
)

if TYPE_CHECKING:
    from patmark.llm.transport import Transport

Accept: TypeAlias = Callable[[ChatRequest, ChatAnswer], str | None]
Progress: TypeAlias = Callable[[int, int], None]
OnOutcome: TypeAlias = Callable[["Outcome"], None]
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

_DOWN_AFTER = 10
_UNREACHED_RETRIES = 2
_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 4
_MILLION = 1_000_000
_NOT_ASKED = "not asked: "


def estimate_tokens(text: str) -> int:
    """A cautious guess without the model's tokenizer: one token for three bytes of UTF-8.

    That is about a third too much for English, and one token per Chinese or Japanese character.
    """
    return -(-len(text.encode("utf-8")) // _BYTES_PER_TOKEN)


def prompt_tokens(request: ChatRequest) -> int:
    """The estimated length of a prompt."""
    return sum(estimate_tokens(one.content) + _TOKENS_PER_MESSAGE for one in request.messages)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of some answers; ``estimated`` counts answers whose server gave no token counts."""

    answers: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0

    @classmethod
    def of(cls, request: ChatRequest, answer: ChatAnswer) -> Usage:
        """What one answer used, as the server says or else as estimated."""
        prompt, completion = answer.prompt_tokens, answer.completion_tokens
        return cls(
            answers=1,
            prompt_tokens=prompt_tokens(request) if prompt is None else prompt,
            completion_tokens=estimate_tokens(answer.text) if completion is None else completion,
            estimated=int(prompt is None or completion is None),
        )

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.answers + other.answers,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated + other.estimated,
        )

    @classmethod
    def total(cls, usages: Iterable[Usage]) -> Usage:
        """The sum of several."""
        return sum(usages, cls())

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers together."""
        return self.prompt_tokens + self.completion_tokens

    def words(self, prices: Prices | None = None) -> str:
        """Tokens, and money where prices are known; nothing where nothing was used."""
        if not self.tokens:
            return ""
        about = "about " if self.estimated else ""
        cost = "" if prices is None else f", cost {prices.cost(self):.4f}"
        return (
            f"{about}{self.prompt_tokens:,} prompt and {self.completion_tokens:,} answered "
            f"tokens{cost}"
        )

    def to_json(self, prices: Prices | None = None) -> dict[str, Any]:
        """Counts, and the cost where prices are known."""
        counts = {name: getattr(self, name) for name in self.__slots__}
        return counts | ({} if prices is None else {"cost": prices.cost(self)})


@dataclass(frozen=True, slots=True)
class Prices:
    """Money per million tokens, in any currency."""

    prompt: float
    completion: float

    def __post_init__(self) -> None:
        if not (0 <= self.prompt < float("inf") and 0 <= self.completion < float("inf")):
            raise UsageError(f"prices must not be negative: {self.prompt}, {self.completion}")

    def cost(self, usage: Usage) -> float:
        """What some answers cost."""
        spent = usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion
        return spent / _MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one run may spend; answers from the cache cost nothing."""

    tokens: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for limit in (self.tokens, self.cost):
            if limit is not None and not limit >= 0:
                raise UsageError(f"a budget must not be negative: {limit}")

    def excess(self, usage: Usage, prices: Prices | None) -> str | None:
        """Which limit this much would exceed, or None."""
        if self.tokens is not None and usage.tokens > self.tokens:
            return f"the budget of {self.tokens} tokens would be exceeded"
        if self.cost is not None and prices is not None and prices.cost(usage) > self.cost:
            return f"the budget of {self.cost:g} would be exceeded"
        return None


class Ledger:
    """What was spent, and what requests in flight may still spend."""

    def __init__(self, budget: Budget, prices: Prices | None) -> None:
        self._budget = budget
        self._prices = prices
        self._reserved = Usage()
        self.spent = Usage()

    def reserve(self, request: ChatRequest) -> str | None:
        """Reserve the most that a request may use, or say which limit it would exceed."""
        wanted = worst_case(request)
        excess = self._budget.excess(self.spent + self._reserved + wanted, self._prices)
        if excess is None:
            self._reserved += wanted
        return excess

    def release(self, request: ChatRequest) -> None:
        """Give back what was reserved."""
        used = worst_case(request)
        self._reserved += Usage(-1, -used.prompt_tokens, -used.completion_tokens, -1)

    def pay(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Count an answer."""
        self.spent += Usage.of(request, answer)


def worst_case(request: ChatRequest) -> Usage:
    """The most that a request is expected to use."""
    return Usage(1, prompt_tokens(request), request.max_tokens or 0, 1)


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
    requests. ``kept`` is when the answer was given, if it came from the cache.
    """

    request: ChatRequest
    answer: ChatAnswer | None
    failure: str | None
    usage: Usage = field(default_factory=Usage)
    recalled: Usage = field(default_factory=Usage)
    tries: int = 0
    rejected: ChatAnswer | None = None
    kept: datetime | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Outcomes in the order of the requests, and what they used; equal requests share one."""

    outcomes: tuple[Outcome, ...]
    spent: Usage
    recalled: Usage
    tries: int
    kept: CacheHits = field(default_factory=CacheHits)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The requests that have no answer."""
        return tuple(one for one in self.outcomes if one.failure is not None)

    @property
    def unasked(self) -> dict[str, int]:
        """What held requests back, and how many of them."""
        held = (one.failure.partition(_NOT_ASKED) for one in self.outcomes if one.failure)
        return dict(Counter(reason for _, mark, reason in held if mark))

    def __add__(self, other: Batch) -> Batch:
        return Batch(
            (*self.outcomes, *other.outcomes),
            self.spent + other.spent,
            self.recalled + other.recalled,
            self.tries + other.tries,
            self.kept + other.kept,
        )


class ChatClient:
    """A client of one endpoint. Answers go to the cache as they come, before anything else.

    The budget is that of the client, however often it is asked.

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
        """Ask everything and wait for it; see :meth:`ask_all_async`."""
        return asyncio.run(self.ask_all_async(requests, accept, progress, on_outcome))

    async def ask_all_async(
        self,
        requests: Sequence[ChatRequest],
        accept: Accept | None = None,
        progress: Progress | None = None,
        on_outcome: OnOutcome | None = None,
    ) -> Batch:
        """Ask everything that is not in the cache.

        ``accept`` says what is wrong with an answer, or None; such a request is asked again. A
        failure is an outcome, not an exception. ``on_outcome`` is given each outcome as it comes.
        """
        self._check(requests)
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
            CacheHits.of(one.kept for one in found),
        )

    def recall(self, request: ChatRequest) -> CachedAnswer | None:
        """The kept answer of this server to a request."""
        return self.cache.get(self._server, request)

    def keep(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Put an answer of this server into the cache."""
        self.cache.put(self._server, request, answer)

    def attempts(self, request: ChatRequest) -> Iterator[ChatRequest]:
        """A request and its repetitions, as often as settings allow."""
        return (request.again(attempt) for attempt in range(self.settings.reasks + 1))

    def _check(self, requests: Sequence[ChatRequest]) -> None:
        limited = self.settings.budget != Budget()
        if limited and any(request.max_tokens is None for request in requests):
            raise UsageError("a budget needs --max-tokens, since answers may be of any length")


class _BatchRun:
    """What the requests of one batch share: connections, budget, a pause, a reason to stop."""

    def __init__(self, client: ChatClient, accept: Accept | None) -> None:
        self._client = client
        self._accept = accept or _not_empty
        self._ledger = client.ledger
        self._paused_until = client.clock()
        self._stopped: str | None = None
        self._failed_in_a_row = 0
        self._transport: Transport | None = None

    def _opened(self) -> Transport:
        """What sends requests; not needed, nor its library, where all answers are kept."""
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
            kept = self._client.recall(attempt)
            if kept is not None:
                answer = kept.answer
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
                given = None if kept is None else kept.asked
                return Outcome(request, answer, None, usage, recalled, tries.count, kept=given)
            bad, rejected = f"no usable answer in {attempt.attempt + 1}: {fault}", answer
        return Outcome(request, None, bad, usage, recalled, tries.count, rejected)

    async def _fetch(self, request: ChatRequest, tries: _Tries) -> ChatAnswer:
        """Ask within the budget, and put the answer into the cache."""
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
                answer, pause = await self._opened().ask(request)
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


def _not_empty(_: ChatRequest, answer: ChatAnswer) -> str | None:
    """What is wrong with an answer when the caller has no rule of its own."""
    return answer.refusal_reason or (None if answer.text.strip() else "the answer is empty")
