"""What judging would take, before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from patmark.claims.judge import JudgeSettings, judge_requests
from patmark.claims.judge_prompt import prompt_fingerprint
from patmark.data import Run, TestSet
from patmark.llm import ChatClient, Prices, Usage, worst_case

_FORM_TOKENS = 40


@dataclass(frozen=True, slots=True)
class Preview:
    """The first prompt, how many requests there are, how many are answered, and what is left.

    ``expected`` are estimated tokens: answers have the length of the form unless max_tokens gives
    a limit, which is then taken as the length.
    """

    prompt: str
    requests: int
    kept: int
    expected: Usage
    prices: Prices | None

    @property
    def summary(self) -> str:
        """The counts in one line."""
        used = self.expected
        cost = "" if self.prices is None else f", cost about {self.prices.cost(used):.4f}"
        return (
            f"{self.requests} requests, {self.kept} of them answered earlier; the others take "
            f"about {used.prompt_tokens} prompt tokens and {used.completion_tokens} "
            f"answered tokens{cost}"
        )

    def to_json(self) -> dict[str, Any]:
        """The machine-readable form."""
        return {
            "prompt": self.prompt,
            "fingerprint": prompt_fingerprint(),
            "requests": self.requests,
            "kept": self.kept,
            "estimated": self.expected.to_json(self.prices),
        }


def preview(
    test_set: TestSet, runs: Sequence[Run], client: ChatClient, settings: JudgeSettings
) -> Preview:
    """Count what would be asked; equal requests are asked once."""
    unique = {one.key(): one for one in judge_requests(test_set, runs, settings).values()}
    left = [one for one in unique.values() if client.cache.get(one) is None]
    usages = [worst_case(one) for one in left]
    unlimited = sum(one.max_tokens is None for one in left)
    expected = Usage.total(usages) + Usage(completion_tokens=unlimited * _FORM_TOKENS)
    first = next(iter(unique.values()), None)
    prompt = "" if first is None else "\n\n".join(one.content for one in first.messages)
    return Preview(prompt, len(unique), len(unique) - len(left), expected, client.settings.prices)
