"""A language model as a judge of claims: scores in the one shape, with what they cost.

Each draft is judged several times; a score is the mean of its samples, from 0 to 10. What the
model does not answer in a readable way is asked again, then listed as failed and left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from patmark._version import __version__
from patmark.claims.judge_parsing import fault_of, read_scores
from patmark.claims.judge_prompt import CRITERIA, judge_messages, overall, prompt_fingerprint
from patmark.data import FloatArray, Run, Scores, TestSet, ratio
from patmark.errors import UsageError
from patmark.llm import Batch, ChatClient, ChatRequest, Prices, Progress

OVERALL = "overall"
ASPECTS = (*(one.name for one in CRITERIA), OVERALL)
_TO_TEN = 10.0


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What is asked: the model, how often per draft, and how freely it may answer.

    With a ``seed``, each sample sends another one, so that samples differ and can be repeated.
    """

    model: str
    samples: int = 5
    temperature: float | None = 1.0
    max_tokens: int | None = None
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    name: str = "LLMJudge"

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise UsageError(f"a draft needs at least one sample: {self.samples}")
        if not self.name.strip():
            raise UsageError("the name of the judge is empty")

    def measure(self, aspect: str) -> str:
        """The name of a score: that of the judge alone for the overall quality."""
        return self.name if aspect == OVERALL else f"{self.name}(criterion={aspect})"


@dataclass(frozen=True, slots=True)
class JudgeFailure:
    """A sample without scores; ``sample`` counts from 1."""

    system: str
    segment: str
    sample: int
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class JudgeResult:
    """What the model said of each draft.

    ``values`` has shape (systems, segments, samples, aspects), the aspects being the four criteria
    and the overall quality; NaN where a sample failed.
    """

    test_set: TestSet
    systems: tuple[str, ...]
    settings: JudgeSettings
    values: FloatArray
    failures: tuple[JudgeFailure, ...]
    batch: Batch
    prices: Prices | None = None

    @property
    def segments(self) -> tuple[str, ...]:
        """The ids of the claim sets that were drafted."""
        return tuple(segment.id for segment in self.test_set)

    @property
    def means(self) -> FloatArray:
        """The mean over samples, of shape (systems, segments, aspects); NaN without any."""
        known = ~np.isnan(self.values)
        total = np.where(known, self.values, 0.0).sum(axis=2)
        return ratio(total, known.sum(axis=2).astype(np.float64))

    @property
    def spreads(self) -> FloatArray:
        """The standard deviation over samples, in the same shape; NaN with fewer than two."""
        known = ~np.isnan(self.values)
        off = np.where(known, self.values - self.means[:, :, None, :], 0.0)
        degrees = np.maximum(known.sum(axis=2) - 1, 0).astype(np.float64)
        return np.sqrt(ratio((off**2).sum(axis=2), degrees))

    @property
    def scores(self) -> dict[str, Scores]:
        """Scores of the overall quality and of each criterion, like those of any measure."""
        means = self.means
        found = {}
        for aspect in (OVERALL, *ASPECTS[:-1]):
            place = ASPECTS.index(aspect)
            name = self.settings.measure(aspect)
            found[name] = Scores(
                name, self._signature(aspect), self.systems, self.segments,
                _mean_statistics(means[:, :, place]), _mean_score,
            )  # fmt: skip
        return found

    @property
    def answered_by(self) -> tuple[str, ...]:
        """The names under which models answered, which may be more exact than the one asked."""
        answers = [one.answer for one in self.batch.outcomes if one.answer is not None]
        return tuple(sorted({answer.model for answer in answers if answer.model}))

    def _signature(self, aspect: str) -> str:
        settings = self.settings
        about = {
            "criterion": aspect, "model": settings.model, "prompt": prompt_fingerprint(),
            "samples": settings.samples, "temperature": settings.temperature,
            "max_tokens": settings.max_tokens, "seed": settings.seed,
            "extra": _fingerprint(settings.extra) if settings.extra else None,
            "scale": "0-10", "failed": len(self.failures), "over": "mean", "patmark": __version__,
        }  # fmt: skip
        parts = [f"{key}:{value}" for key, value in about.items() if value is not None]
        return "|".join([settings.name, *parts])


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
) -> JudgeResult:
    """Judge every draft against the reference claims of its segment."""
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
        values[place.system, place.segment, place.sample] = [*four, overall(four)]
    failures = [
        JudgeFailure(
            runs[system].system, test_set[segment].id, sample + 1,
            reasons.get(_Place(system, segment, sample), "there is no draft"),
        )
        for system, segment, sample in np.argwhere(np.isnan(values[..., 0])).tolist()
    ]  # fmt: skip
    return JudgeResult(
        test_set, tuple(run.system for run in runs), settings, values, tuple(failures), batch,
        client.settings.prices,
    )  # fmt: skip


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
                    settings.model, messages, settings.temperature, settings.max_tokens,
                    None if settings.seed is None else settings.seed + sample, sample,
                    extra=settings.extra,
                )  # fmt: skip
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


def _fingerprint(fields: Mapping[str, Any]) -> str:
    """A short name of further fields, whose content may not be for every reader."""
    return hashlib.sha256(json.dumps(dict(fields), sort_keys=True).encode()).hexdigest()[:8]


def _mean_score(totals: FloatArray) -> FloatArray:
    """Sum divided by count; NaN without a count."""
    return ratio(totals[..., 0], totals[..., 1])


def _mean_statistics(values: FloatArray) -> FloatArray:
    """Statistics (value, 1), and (0, 0) where there is no value."""
    known = ~np.isnan(values)
    return np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)
