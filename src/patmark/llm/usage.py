"""Tokens and money: usage and cost of answers, and the budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from patmark.errors import UsageError
from patmark.llm.chat import ChatAnswer, ChatRequest
from patmark.wording import tr

_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 4
_MILLION = 1_000_000


def estimate_tokens(text: str) -> int:
    """Estimate tokens without the model's tokenizer: one for three bytes of UTF-8.

    That is about a third too much for English, and one token per Chinese or Japanese character.
    """
    return -(-len(text.encode("utf-8")) // _BYTES_PER_TOKEN)


def prompt_tokens(request: ChatRequest) -> int:
    """Estimate the tokens of a prompt."""
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
        """Return the usage of one answer, as the server reports it or else estimated."""
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
        """Return the sum of several."""
        return sum(usages, cls())

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers together."""
        return self.prompt_tokens + self.completion_tokens

    def words(self, prices: Prices | None = None) -> str:
        """Describe the tokens, and the cost if prices are known; empty if nothing was used."""
        if not self.tokens:
            return ""
        counts = {"prompt": self.prompt_tokens, "answered": self.completion_tokens}
        tokens = (
            tr("about {prompt:,} prompt and {answered:,} answered tokens", **counts)
            if self.estimated
            else tr("{prompt:,} prompt and {answered:,} answered tokens", **counts)
        )
        if prices is None:
            return tokens
        return tr("{tokens}, cost {cost:.4f}", tokens=tokens, cost=prices.cost(self))

    def to_json(self, prices: Prices | None = None) -> dict[str, Any]:
        """Return counts, and the cost if prices are known."""
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
        """Return the cost of some answers."""
        spent = usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion
        return spent / _MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """Spending limits of one run; answers from the cache cost nothing."""

    tokens: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for limit in (self.tokens, self.cost):
            if limit is not None and not limit >= 0:
                raise UsageError(f"a budget must not be negative: {limit}")

    def excess(self, usage: Usage, prices: Prices | None) -> str | None:
        """Name the limit that this usage would exceed, or return None."""
        if self.tokens is not None and usage.tokens > self.tokens:
            return f"the budget of {self.tokens} tokens would be exceeded"
        if self.cost is not None and prices is not None and prices.cost(usage) > self.cost:
            return f"the budget of {self.cost:g} would be exceeded"
        return None


class Ledger:
    """Usage so far, and the worst case of requests in flight."""

    def __init__(self, budget: Budget, prices: Prices | None) -> None:
        self._budget = budget
        self._prices = prices
        self._reserved = Usage()
        self.spent = Usage()

    def reserve(self, request: ChatRequest) -> str | None:
        """Reserve the worst case of a request, or name the limit it would exceed."""
        wanted = self._reserved + worst_case(request)
        excess = self._budget.excess(self.spent + wanted, self._prices)
        if excess is None:
            self._reserved = wanted
        return excess

    def release(self, request: ChatRequest) -> None:
        """Return the reservation of a request."""
        used = worst_case(request)
        self._reserved += Usage(-1, -used.prompt_tokens, -used.completion_tokens, -1)

    def pay(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Count an answer."""
        self.spent += Usage.of(request, answer)


def worst_case(request: ChatRequest) -> Usage:
    """Return the largest usage that is expected of a request."""
    return Usage(1, prompt_tokens(request), request.max_tokens or 0, 1)
