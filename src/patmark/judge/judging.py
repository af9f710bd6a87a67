"""Ask a language model to judge claims, several times each; and what that would take, beforehand.

What the model does not answer in a readable way is asked again, then listed as failed and left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import Run, TestSet
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.judge.parsing import fault_of, read_scores
from patmark.judge.prompt import judge_messages, overall_score, prompt_fingerprint
from patmark.judge.result import ASPECTS, JudgedClaims, JudgeFailure, JudgeSettings
from patmark.llm import ChatClient, ChatRequest, Prices, Progress, Usage, worst_case

_TO_TEN = 10.0
_FORM_TOKENS = 40


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a request belongs."""

    system: int
    segment: int
    sample: int


def judge_claims(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> JudgedClaims:
    """Judge every draft against the reference claims of its segment; sampling is for intervals."""
    requests = judge_requests(test_set, runs, settings)
    batch = client.ask_all(list(requests.values()), fault_of, progress)
    shape = (len(runs), len(test_set), settings.samples)
    values = np.full((*shape, len(ASPECTS)), np.nan)
    reasons: dict[_Place, str] = {}
    for place, outcome in zip(requests, batch.outcomes, strict=True):
        if outcome.answer is None:
            reasons[place] = outcome.failure or "no answer"
            continue
        four = [score / _TO_TEN for score in read_scores(outcome.answer)]
        values[place.system, place.segment, place.sample] = [*four, overall_score(four)]
    failures = [
        JudgeFailure(
            runs[system].system,
            test_set[segment].id,
            sample + 1,
            reasons.get(_Place(system, segment, sample), "there is no draft"),
        )
        for system, segment, sample in np.argwhere(np.isnan(values[..., 0])).tolist()
    ]
    prices, sampling = client.settings.prices, sampling or Sampling()
    return JudgedClaims(
        test_set, tuple(runs), settings, values, tuple(failures), batch, prices, sampling
    )


def judge_requests(
    test_set: TestSet, runs: Sequence[Run], settings: JudgeSettings
) -> dict[_Place, ChatRequest]:
    """All that will be asked; drafts that are missing or empty are not."""
    _check(test_set, runs)
    requests = {}
    for system, run in enumerate(runs):
        for segment, candidate in enumerate(run.hypotheses):
            if candidate is None or not candidate.strip():
                continue
            messages = judge_messages(test_set[segment].references[0], candidate)
            for sample in range(settings.samples):
                requests[_Place(system, segment, sample)] = ChatRequest(
                    settings.model,
                    messages,
                    settings.temperature,
                    settings.max_tokens,
                    None if settings.seed is None else settings.seed + sample,
                    sample,
                    extra=settings.extra,
                )
    return requests


def _check(test_set: TestSet, runs: Sequence[Run]) -> None:
    if not runs or not len(test_set):
        raise UsageError("there is nothing to judge")
    names = [run.system for run in runs]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise UsageError(f"two drafts are called {doubled[0]!r}; give each a name of its own")
    for run in runs:
        if len(run.hypotheses) != len(test_set):
            raise UsageError(
                f"{run.system} has {len(run.hypotheses)} drafts for {len(test_set)} references"
            )
    for segment in test_set:
        if len(segment.references) != 1 or not segment.references[0].strip():
            raise UsageError(f"segment {segment.id!r} needs exactly one set of reference claims")


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
    left = [one for one in unique.values() if client.recall(one) is None]
    usages = [worst_case(one) for one in left]
    unlimited = sum(one.max_tokens is None for one in left)
    expected = Usage.total(usages) + Usage(completion_tokens=unlimited * _FORM_TOKENS)
    first = next(iter(unique.values()), None)
    prompt = "" if first is None else "\n\n".join(one.content for one in first.messages)
    return Preview(prompt, len(unique), len(unique) - len(left), expected, client.settings.prices)
