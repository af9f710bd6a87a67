"""Ask a language model to judge claims, several times each; and what that would take, beforehand.

What the model does not answer in a readable way is asked again, then listed as failed and left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import Run, TestSet
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.judge.parsing import SCORES
from patmark.judge.prompt import overall_score
from patmark.judge.result import ASPECTS, JudgedClaims, JudgeFailure, JudgeSettings
from patmark.llm import ChatClient, ChatRequest, Message, Prices, Progress, Usage, worst_case

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
    batch = client.ask_all(list(requests.values()), SCORES.fault_of, progress)
    shape = (len(runs), len(test_set), settings.samples)
    values = np.full((*shape, len(ASPECTS)), np.nan)
    reasons: dict[_Place, str] = {}
    for place, outcome in zip(requests, batch.outcomes, strict=True):
        if outcome.answer is None:
            reasons[place] = outcome.failure or "no answer"
            continue
        four = [score / _TO_TEN for score in SCORES.read(outcome.answer)]
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
    return JudgedClaims(
        test_set=test_set,
        runs=tuple(runs),
        settings=settings,
        values=values,
        failures=tuple(failures),
        batch=batch,
        prices=client.settings.prices,
        sampling=sampling or Sampling(),
    )


def judge_requests(
    test_set: TestSet, runs: Sequence[Run], settings: JudgeSettings
) -> dict[_Place, ChatRequest]:
    """All that will be asked; drafts that are missing or empty are not."""
    check_drafts(test_set, runs)
    return {
        _Place(system, segment, sample): request
        for system, run in enumerate(runs)
        for segment, draft in enumerate(run.hypotheses)
        if draft is not None and draft.strip()
        for sample, request in enumerate(
            sample_requests(
                settings, settings.prompt.messages(test_set[segment].references[0], draft)
            )
        )
    }


def sample_requests(
    settings: JudgeSettings, messages: tuple[Message, ...]
) -> Iterator[ChatRequest]:
    """The same question once for each sample; its number makes it a request of its own."""
    for sample in range(settings.samples):
        yield ChatRequest(
            settings.model,
            messages,
            settings.temperature,
            settings.max_tokens,
            None if settings.seed is None else settings.seed + sample,
            sample,
            extra=settings.extra,
        )


def check_drafts(test_set: TestSet, runs: Sequence[Run]) -> None:
    """Refuse what cannot be judged."""
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
    fingerprint: str
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
            "fingerprint": self.fingerprint,
            "requests": self.requests,
            "kept": self.kept,
            "estimated": self.expected.to_json(self.prices),
        }


def preview(
    requests: Iterable[ChatRequest], client: ChatClient, settings: JudgeSettings
) -> Preview:
    """Count what would be asked; equal requests are asked once."""
    unique = {one.key(): one for one in requests}
    left = [one for one in unique.values() if client.recall(one) is None]
    usages = [worst_case(one) for one in left]
    unlimited = sum(one.max_tokens is None for one in left)
    expected = Usage.total(usages) + Usage(completion_tokens=unlimited * _FORM_TOKENS)
    first = next(iter(unique.values()), None)
    return Preview(
        "" if first is None else "\n\n".join(one.content for one in first.messages),
        settings.prompt.fingerprint,
        len(unique),
        len(unique) - len(left),
        expected,
        client.settings.prices,
    )
