"""Forecast of precision: the expected width of intervals, before anyone judges.

A grade is modelled as the sum of the system's quality, the difficulty of the segment, the
interaction of system and segment, the strictness of the evaluator, and the noise of a single
judgement. All systems of a segment are judged by the same people, so difficulty and strictness
cancel out in the difference of two systems.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from math import nan, sqrt

import numpy as np

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.human.campaign.plan import Plan
from patmark.human.campaign.results import places
from patmark.human.judgements import Judgements

_NORMAL_95 = 1.959964
_SHARE_SPREAD = 0.5
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class GradeSpread:
    """Standard deviations of the components of a grade, in steps of the scale."""

    segment: float
    system_in_segment: float
    evaluator: float
    noise: float

    def times(self, factor: float) -> GradeSpread:
        """Return the deviations on a scale with larger or smaller steps."""
        return GradeSpread(*(factor * part for part in astuple(self)))


FIVE_GRADES = GradeSpread(segment=0.6, system_in_segment=0.7, evaluator=0.3, noise=0.5)
"""An assumption for grades from 1 to 5, to be replaced by that of an earlier campaign."""


@dataclass(frozen=True, slots=True)
class ExpectedPrecision:
    """Size of a campaign, and the expected precision of its scores.

    ``score`` is half the width of the 95 % interval of a system's score, ``difference`` that of the
    difference of two systems. ``times`` is the mean number of judgements per segment.
    """

    criterion: str
    systems: int
    segments: int
    evaluators: int
    times: float
    score: float
    difference: float

    @property
    def judgements(self) -> int:
        """The number of judged outputs, all evaluators together."""
        return round(self.systems * self.segments * self.times)


def expected_precision(
    *,
    systems: int,
    segments: int,
    evaluators: int,
    times: float = 1.0,
    spread: GradeSpread = FIVE_GRADES,
    criterion: str = "",
) -> ExpectedPrecision:
    """Return the expected precision of means, by number of segments and judgements of each."""
    _check(systems, segments, evaluators, times)
    noise = spread.system_in_segment**2 / segments + spread.noise**2 / (segments * times)
    common = spread.segment**2 / segments + spread.evaluator**2 / evaluators
    score, difference = _NORMAL_95 * sqrt(noise + common), _NORMAL_95 * sqrt(2 * noise)
    return ExpectedPrecision(criterion, systems, segments, evaluators, times, score, difference)


def worst_case_precision(
    *, systems: int, segments: int, evaluators: int, times: float = 1.0, criterion: str = ""
) -> ExpectedPrecision:
    """Return the worst-case precision of a share, such as of wins: one half.

    The difference is that of two directly compared systems.
    """
    _check(systems, segments, evaluators, times)
    half = _NORMAL_95 * _SHARE_SPREAD / sqrt(segments)
    return ExpectedPrecision(criterion, systems, segments, evaluators, times, half, 2 * half)


def expected_precisions(
    plan: Plan, spread: GradeSpread = FIVE_GRADES
) -> tuple[ExpectedPrecision, ...]:
    """Return the expected precision of each criterion of a plan, scaled from five grades.

    For ordinal grades, preferences and rankings it is the worst case.
    """
    taken = [(page, page.evaluator) for page in plan.pages]
    taken += [(item.page, str(turn)) for item in plan.pool for turn in range(item.times)]
    seen = {
        (page.segment_of(one), name)
        for page, name in taken
        for one in page.candidates
        if page.phase == "main"
    }
    if not seen:
        return ()
    segments = len({segment for segment, _ in seen})
    evaluators = len({name for _, name in seen})
    if plan.pool:
        evaluators = max(evaluators, len(plan.evaluators))
    systems = len(plan.settings["systems"])
    counts = {"systems": systems, "segments": segments, "evaluators": evaluators}
    times, found = len(seen) / segments, []
    for question in plan.form.questions:
        numbers = all(one.value.isdecimal() for one in question.choices if one.is_grade)
        if question.kind == "number" or (question.kind == "grade" and numbers):
            own = spread.times((len(places(question)) - 1) / 4)
            found.append(
                expected_precision(**counts, times=times, spread=own, criterion=question.id)
            )
        elif question.is_scaled:
            found.append(worst_case_precision(**counts, times=times, criterion=question.id))
    return tuple(found)


def observed_spread(judgements: Judgements, criterion: str) -> GradeSpread:
    """Estimate the deviations of an earlier campaign with segments judged by two or more.

    Noise is the difference of two grades of one output after correction for strictness.
    """
    grades = judgements.in_phase("main").grades(criterion)
    if np.sum(~np.isnan(grades), axis=0).max(initial=0) < 2:
        raise UsageError(
            f"{judgements.name}: no output was judged twice for {criterion}, so noise is not known"
        )
    strictness = _strictness(grades)
    cleaned = grades - strictness
    noise = _pooled(cleaned)
    means = _means(cleaned, 0)[0]
    times = np.sum(~np.isnan(grades), axis=0)
    per_output = noise / np.mean(times[times > 0])
    left = means - _means(means, 1)
    difficulty = _means(left, 0)
    systems = means.shape[0]
    inside = _variance(left - difficulty) * (systems / (systems - 1) if systems > 1 else nan)
    segment = _variance(difficulty) - inside / systems
    parts = (segment, inside - per_output, _variance(strictness), noise)
    return GradeSpread(*(sqrt(max(0.0, part)) for part in parts))


def _check(systems: int, segments: int, evaluators: int, times: float) -> None:
    if min(systems, segments, evaluators) < 1 or not 1 <= times <= evaluators:
        raise UsageError(
            f"cannot plan {segments} segments of {systems} systems, judged {times:g} times by "
            f"{evaluators} evaluators"
        )


def _strictness(grades: FloatArray) -> FloatArray:
    """Estimate the strictness of each evaluator from outputs with two or more grades.

    The means of outputs and of evaluators are fitted in turn, since not everyone judges the same.
    """
    shared = np.where(np.sum(~np.isnan(grades), axis=0) > 1, grades, nan)
    found = np.zeros((len(grades), 1, 1))
    for _ in range(_ROUNDS):
        outputs = _means(shared - found, 0)
        found = np.nan_to_num(_means(shared - outputs, (1, 2)))
        found = found - found.mean()
    return found


def _means(values: FloatArray, axis: int | tuple[int, ...]) -> FloatArray:
    """Compute means over known values, keeping the axis; NaN if nothing is known."""
    known = ~np.isnan(values)
    counts = known.sum(axis=axis, keepdims=True)
    totals = np.where(known, values, 0.0).sum(axis=axis, keepdims=True)
    means: FloatArray = np.where(counts > 0, totals / np.maximum(counts, 1), nan)
    return means


def _pooled(grades: FloatArray) -> float:
    """Compute the variance inside outputs that were judged more than once."""
    counts = np.sum(~np.isnan(grades), axis=0)
    squares = np.nansum(np.square(grades - _means(grades, 0)), axis=0)
    return float(squares[counts > 1].sum() / (counts[counts > 1] - 1).sum())


def _variance(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.var(ddof=1)) if len(known) > 1 else 0.0
