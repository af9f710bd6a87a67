"""Tokens and money: what answers used, what they cost, and when to stop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from patmark.errors import UsageError
from patmark.llm.chat import ChatAnswer, ChatRequest

_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 4
_MILLION = 1_000_000


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
