"""A preview of a judge: the prompt, and an estimate of requests, tokens and cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import Run, counted
from patmark.llm import ChatClient, ChatRequest, Prices, Usage, worst_case
from patmark.systems.judge.asking import JudgeQuestion, requests_of
from patmark.systems.judge.prompt import JudgeSettings, Prompt


@dataclass(frozen=True, slots=True)
class JudgePreview:
    """The first prompt, the number of requests and of cache hits, and an estimate of the rest.

    ``expected`` are estimated tokens: answers have the length of the form, or ``max_tokens``.
    ``thousand`` is the usage of 1,000 segments of a system, cache hits included.
    """

    prompt: str
    fingerprint: str
    requests: int
    kept: int
    expected: Usage
    thousand: Mapping[str, float]
    prices: Prices | None

    @property
    def summary(self) -> str:
        """The counts in one line."""
        used = self.expected
        cost = "" if self.prices is None else f", cost about {self.prices.cost(used):.4f}"
        return (
            f"{counted(self.requests, 'request')}, {self.kept} of them answered earlier; "
            f"the others take about {used.prompt_tokens} prompt tokens and "
            f"{used.completion_tokens} answered tokens{cost}; "
            "1,000 segments of a system take about "
            f"{self.thousand['prompt_tokens']:.0f} and {self.thousand['completion_tokens']:.0f}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        return {
            "prompt": self.prompt,
            "fingerprint": self.fingerprint,
            "requests": self.requests,
            "kept": self.kept,
            "estimated": self.expected.to_json(self.prices),
            "per_1000_segments": dict(self.thousand),
        }


def per_thousand(used: Usage, runs: Iterable[Run], prices: Prices | None) -> dict[str, float]:
    """Scale tokens, and cost if prices are known, to 1,000 outputs."""
    outputs = sum(bool(text.strip()) for run in runs for text in run.texts)
    whole = used.to_json(prices)
    names = [name for name in ("prompt_tokens", "completion_tokens", "cost") if name in whole]
    return {name: whole[name] * 1000 / outputs if outputs else math.nan for name in names}


def preview_questions(
    asked: Sequence[tuple[Sequence[JudgeQuestion], JudgeSettings]],
    runs: Sequence[Run],
    client: ChatClient,
) -> JudgePreview:
    """Count the requests of questions; equal requests are asked once."""
    unique = {
        request.key(): (request, _expected(request, len(question.places), settings.prompt))
        for questions, settings in asked
        for question in questions
        for request in requests_of(question, settings)
    }
    left = [usage for request, usage in unique.values() if client.recall(request) is None]
    first = next((request for request, _ in unique.values()), None)
    whole, prices = Usage.total(usage for _, usage in unique.values()), client.settings.prices
    return JudgePreview(
        "" if first is None else "\n\n".join(one.content for one in first.messages),
        "+".join(settings.prompt.fingerprint for _, settings in asked),
        len(unique),
        len(unique) - len(left),
        Usage.total(left),
        per_thousand(whole, runs, prices),
        prices,
    )


def _expected(request: ChatRequest, segments: int, prompt: Prompt) -> Usage:
    open_ended = 0 if request.max_tokens else segments * prompt.answer_tokens
    return worst_case(request) + Usage(completion_tokens=open_ended)
