"""Evaluators: pairwise scores of NTCIR-9, split-half reliability, human ceiling, bias, drift.

Grades are an array (evaluators, systems, segments), better ones higher, NaN if an evaluator did not
judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray, ratio
from patmark.errors import UsageError
from patmark.stats.agreement import scale_positions, value_counts
from patmark.stats.correlation import mid_ranks, pearson
from patmark.stats.distributions import student_cdf
from patmark.stats.intervals import percentile_interval
from patmark.stats.resampling import segment_ranks


# For each segment and each other system a better grade gives one point, an equal one half a point.
# Only the order of grades matters, so the score suits ordinal grades such as AA to F.
def pairwise_statistics(grades: FloatArray) -> FloatArray:
    """Return points and comparisons of each system in each segment: (…, systems, segments, 2).

    ``grades`` (…, systems, segments) are numbers, better ones higher, NaN if missing. Two systems
    are compared in the segments in which both have a grade.
    """
    statistics = np.zeros((*grades.shape, 2))
    for system in range(grades.shape[-2]):
        own = grades[..., system : system + 1, :]
        better, equal, worse = grades < own, grades == own, grades > own
        equal[..., system, :] = False
        comparisons = (better | equal | worse).sum(axis=-2)
        statistics[..., system, :, 0] = better.sum(axis=-2) + equal.sum(axis=-2) / 2
        statistics[..., system, :, 1] = comparisons
    return statistics


def pairwise_score(totals: FloatArray) -> FloatArray:
    """Return points per comparison, from sums (…, 2); NaN without a comparison."""
    return ratio(totals[..., 0], totals[..., 1])


def segment_wins(grades: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return wins and ties of each segment, both (segments, systems, systems), from grades.

    ``wins[s, i, j]`` is 1 if system i has the better grade, ``ties[s, i, j]`` if both have the
    same, as ``bradley_terry`` takes them.
    """
    own, other = grades.T[:, :, None], grades.T[:, None, :]
    ties = (own == other).astype(np.float64)
    ties[:, np.arange(len(grades)), np.arange(len(grades))] = 0
    return (own > other).astype(np.float64), ties


@dataclass(frozen=True, slots=True)
class CorrelationSpread:
    """Mean and middle 95 % of Pearson's r over splits.

    ``undefined`` splits, in which a side lacks a system or is constant, are left out.
    """

    mean: float
    interval: tuple[float, float]
    splits: int
    undefined: int

    @classmethod
    def of(cls, values: FloatArray) -> CorrelationSpread:
        """Return mean and range of values that may be NaN."""
        valid = values[~np.isnan(values)]
        undefined = len(values) - len(valid)
        mean = float(valid.mean()) if len(valid) else float("nan")
        return cls(mean, percentile_interval(values), len(values), undefined)


@dataclass(frozen=True, slots=True)
class HalfSplit:
    """Split-half reliability: Pearson over systems between pairwise scores on two halves.

    ``in_order`` compares the first half of the segments with the second. The Spearman–Brown
    correction estimates r for twice as much data from the mean r of the random splits. It is NaN
    for negative r. ``segments`` are those of each evaluator, ``shared`` those of more than one.
    """

    in_order: float
    random: CorrelationSpread
    spearman_brown: float
    systems: int
    segments: tuple[int, ...]
    shared: int
    seed: int


@dataclass(frozen=True, slots=True)
class EvaluatorPair:
    """Pearson over ``systems`` between pairwise scores of two evaluators on their own segments.

    ``segments`` are those of each, ``common`` of both. Without common segments, r also reflects
    differences of the data. ``left_out`` systems were not compared by both.
    """

    first: int
    second: int
    pearson: float
    systems: int
    left_out: int
    segments: tuple[int, int]
    common: int


def half_split(
    grades: FloatArray, splits: int = 1000, seed: int = 0, ids: Sequence[str] | None = None
) -> HalfSplit:
    """Compare halves that each contain half of the segments of every evaluator (NTCIR-9, 5.1).

    All grades of a segment are in one half, because halves that share segments would agree for that
    alone. Segments of one evaluator are halved for each evaluator, those of several together. With
    an odd number the second half gets one more. Segments in which an evaluator graded fewer than
    two systems do not count. Random halves are drawn in the order of ``ids``, so that row order
    does not matter.
    """
    statistics = pairwise_statistics(grades)
    compared = statistics[..., 1].sum(axis=1) > 0
    numbers = compared.sum(axis=1)
    few = [f"{place} ({number})" for place, number in enumerate(numbers) if number < 2]
    if few or not len(grades):
        raise UsageError(
            "a half split needs at least two segments with comparisons of every evaluator; "
            f"too few has evaluator {', '.join(few) or '(there is none)'}"
        )
    parts = _parts_to_halve(compared)
    of_segment = np.moveaxis(statistics.sum(axis=0), 0, 1)[np.concatenate(parts)]
    by_segment = of_segment.reshape(len(of_segment), -1)
    rng = np.random.default_rng(seed)
    first = [np.arange(len(part))[None, :] < len(part) // 2 for part in parts]
    ranks = segment_ranks(ids, grades.shape[2])
    places = [np.argsort(np.argsort(ranks[part])) for part in parts]  # of each rank in their order
    chosen = [random_halves(len(own), splits, rng)[:, own] for own in places]
    random = CorrelationSpread.of(_half_correlations(np.concatenate(chosen, axis=1), by_segment))
    in_order = float(_half_correlations(np.concatenate(first, axis=1), by_segment)[0])
    segments, shared = tuple(map(int, numbers)), int((compared.sum(axis=0) > 1).sum())
    return HalfSplit(
        in_order, random, spearman_brown(random.mean), grades.shape[1], segments, shared, seed
    )


def spearman_brown(r: float) -> float:
    """Apply the Spearman–Brown correction for twice as much data: 2r / (1 + r).

    The result is NaN for negative r, which is no share of true variance.
    """
    return 2 * r / (1 + r) if r >= 0 else float("nan")


def _parts_to_halve(compared: NDArray[np.bool_]) -> list[IntArray]:
    """Return the segments of each evaluator alone, and all others together.

    The input is (evaluators, segments). A single segment of one evaluator cannot be halved, so it
    joins the others.
    """
    judges = compared.sum(axis=0)
    alone = [np.flatnonzero(own & (judges == 1)) for own in compared]
    parts = [own for own in alone if len(own) > 1]
    placed = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
    others = np.setdiff1d(np.flatnonzero(judges), placed)
    return [*parts, others] if len(others) else parts


def random_halves(size: int, splits: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw the members of the first half: (splits, size)."""
    if splits < 1:
        raise UsageError(f"at least one random split is needed, not {splits}")
    return rng.permuted(np.tile(np.arange(size), (splits, 1)), axis=1) < size // 2


def _half_correlations(first_half: NDArray[np.bool_], by_segment: FloatArray) -> FloatArray:
    """Return Pearson of each split (splits, segments), from statistics (segments, systems × 2)."""
    first = first_half.astype(np.float64) @ by_segment
    second = by_segment.sum(axis=0) - first
    sums = np.stack([first, second]).reshape(2, len(first), -1, 2)
    return pearson(*pairwise_score(sums))


def between_evaluators(grades: FloatArray) -> list[EvaluatorPair]:
    """Compare every two evaluators, each on their own segments (NTCIR-9, 5.2)."""
    statistics = pairwise_statistics(grades)
    scores = pairwise_score(statistics.sum(axis=2))
    compared = statistics[..., 1].sum(axis=1) > 0
    results = []
    for a, b in combinations(range(len(grades)), 2):
        both = ~np.isnan(scores[a]) & ~np.isnan(scores[b])
        r = float(pearson(scores[a, both], scores[b, both]))
        segments = (int(compared[a].sum()), int(compared[b].sum()))
        common = int((compared[a] & compared[b]).sum())
        systems = int(both.sum())
        results.append(EvaluatorPair(a, b, r, systems, len(both) - systems, segments, common))
    return results


# The human ceiling: how well raters predict each other, and the upper bound for a metric. An item
# is one output: a system in a segment.


@dataclass(frozen=True, slots=True)
class RaterAgainstOthers:
    """Pearson between one rater and the mean of the others on ``items`` rated by both."""

    rater: int
    system: float
    segment: float
    items: int


@dataclass(frozen=True, slots=True)
class HumanCeiling:
    """Correlation between halves of the raters, and the resulting bound for a metric.

    Pearson is computed between mean grades of systems, and of items. Halves are noisy, so a metric
    may exceed these values. Against the mean of all raters no metric is expected to exceed
    ``system_bound`` and ``segment_bound``. They are the root of the reliability of that mean, by
    the Spearman–Brown correction of the mean r (slightly too low if an odd number of raters makes
    the halves unequal). They are NaN unless r is positive. ``all_splits`` is True if every possible
    split was used. ``items`` (fewest, most) were rated by both halves.
    """

    system: CorrelationSpread
    segment: CorrelationSpread
    system_bound: float
    segment_bound: float
    items: tuple[int, int]
    all_splits: bool
    seed: int
    leave_one_out: tuple[RaterAgainstOthers, ...]


def human_ceiling(grades: FloatArray, splits: int = 1000, seed: int = 0) -> HumanCeiling:
    """Let random halves of the raters predict each other, and each rater the mean of the others.

    Only items rated by both sides count. With an odd number of raters the second half has one more.
    If there are at most ``splits`` different halves, each is used once.
    """
    raters = len(grades)
    if not ((~np.isnan(grades)).sum(axis=0) > 1).any():
        raise UsageError(
            "no item was judged by two raters, so they cannot predict each other; half_split and "
            "between_evaluators work without common items"
        )
    size = raters // 2
    exhausted = comb(raters, size) // (1 if raters % 2 else 2) <= splits
    if exhausted:  # the first halves, of which an even number of raters has each twice
        kept = [half for half in combinations(range(raters), size) if raters % 2 or 0 in half]
        halves = np.array([np.isin(np.arange(raters), half) for half in kept])
    else:
        halves = random_halves(raters, splits, np.random.default_rng(seed))
    by_system, by_item, common = _predictions(grades, halves)
    alone = zip(*_predictions(grades, np.eye(raters, dtype=bool)), strict=True)
    others = tuple(
        RaterAgainstOthers(k, float(of_system), float(of_item), int(items))
        for k, (of_system, of_item, items) in enumerate(alone)
    )
    system, segment = CorrelationSpread.of(by_system), CorrelationSpread.of(by_item)
    items = (int(common.min()), int(common.max()))
    bounds = metric_bound(system.mean), metric_bound(segment.mean)
    return HumanCeiling(system, segment, *bounds, items, exhausted, seed, others)


_VALUES_AT_ONCE = 200_000
"""Maximum number of item means in memory."""


def metric_bound(half_against_half: float) -> float:
    """Return the highest expected r against the mean of all raters, from r of halves."""
    return float(np.sqrt(spearman_brown(half_against_half))) if half_against_half > 0 else np.nan


def _predictions(
    grades: FloatArray, members: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return Pearson of a group with the other raters over systems and items, and the items.

    ``members`` (groups, raters) are the members of each group. Only items rated by both sides
    count.
    """
    size = max(1, _VALUES_AT_ONCE // grades[0].size)
    parts = [members[start : start + size] for start in range(0, len(members), size)]
    found = [_predictions_at_once(grades, part) for part in parts]
    by_system, by_item, items = (np.concatenate(column) for column in zip(*found, strict=True))
    return by_system, by_item, items


def _predictions_at_once(
    grades: FloatArray, members: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, IntArray]:
    raters, systems = grades.shape[:2]
    flat = grades.reshape(raters, -1)
    given = ~np.isnan(flat)
    sides = np.stack([members, ~members]).astype(np.float64)
    # With few raters, the threads of a matrix product would cost more than they save.
    counts, sums = (
        np.einsum("sgr,ri->sgi", sides, of_rater)
        for of_rater in (given.astype(np.float64), np.where(given, flat, 0.0))
    )
    common = (counts > 0).all(axis=0)
    means = np.where(common, sums / np.maximum(counts, 1), 0.0)
    number = common.reshape(len(members), systems, -1).sum(axis=2)
    of_system = means.reshape(2, len(members), systems, -1).sum(axis=3) / np.maximum(number, 1)
    by_system = _pearson_of_some(of_system[0], of_system[1], number > 0)
    return by_system, _pearson_of_some(means[0], means[1], common), number.sum(axis=1)


def _pearson_of_some(x: FloatArray, y: FloatArray, chosen: NDArray[np.bool_]) -> FloatArray:
    """Return Pearson's r along the last axis, of the chosen entries alone."""
    if chosen.all():
        return pearson(x, y)
    rows = zip(x, y, chosen, strict=True)
    return np.array([float(pearson(a[own], b[own])) for a, b, own in rows])


# Characteristics of each evaluator: severity, variance, use of the scale, drift.


@dataclass(frozen=True, slots=True)
class Drift:
    """Linear trend of the grades in the order in which they were given.

    ``change`` is the rise from the first to the last judgement in points of the scale,
    ``standardised`` the slope in standard deviations (Pearson's r), ``p`` that of its two-sided
    t-test. Grades given at one moment are not independent and are averaged first.
    """

    moments: int
    change: float
    standardised: float
    p: float


@dataclass(frozen=True, slots=True)
class EvaluatorBias:
    """Bias of one evaluator. ``counts`` follow the values of the scale.

    ``difference`` is the evaluator's mean minus that of the others, on ``common`` items if there
    are any. Otherwise it covers all items of each side and includes the difference of the data, as
    ``note`` states. ``lenience`` needs only ordinal grades: on common items, the share of grades
    above those of another evaluator minus the share below.
    """

    evaluator: int
    items: int
    mean: float
    sd: float
    difference: float
    lenience: float
    common: int
    note: str
    counts: tuple[int, ...]
    drift: Drift | None


def evaluator_bias(
    grades: FloatArray,
    scale: Sequence[float] | None,
    order: FloatArray | None = None,
    *,
    ordinal: bool = False,
) -> list[EvaluatorBias]:
    """Return mean, variance, use of the scale, difference to the others and drift per evaluator.

    A continuous scale, without values to count, is None. ``order`` has the shape of the grades and
    holds the time of each (a time or a running number); without it there is no drift. ``ordinal``
    grades have no mean, variance or difference. Their drift is that of their mid-ranks among all
    grades, without a change in points.
    """
    flat = grades.reshape(len(grades), -1)
    if order is not None and order.shape != grades.shape:
        raise UsageError(f"order has the shape {order.shape}, the grades have {grades.shape}")
    moments = None if order is None else order.reshape(flat.shape)
    counts: list[tuple[int, ...]] = [()] * len(flat)
    if scale is not None:
        given_values = value_counts(scale_positions(flat, scale).T, len(scale))
        counts = [tuple(own) for own in given_values.tolist()]
    drifts: list[Drift | None] = [None] * len(flat)
    if moments is not None:
        values = flat.copy()
        if ordinal:
            given = ~np.isnan(flat)
            values[given] = mid_ranks(flat[given])
        found = [_drift(own, moment) for own, moment in zip(values, moments, strict=True)]
        drifts = [replace(drift, change=float("nan")) if ordinal else drift for drift in found]
    results = []
    for evaluator, own in enumerate(flat):
        others = np.delete(flat, evaluator, axis=0)
        items = int(np.count_nonzero(~np.isnan(own)))
        mean, sd, difference = [float("nan")] * 3 if ordinal else _moments(own, others)
        signs = np.sign(own - others)
        met = ~np.isnan(signs)
        lenience, common = _mean(signs[met]), int(np.count_nonzero(met.any(axis=0)))
        note = "" if common else "no common items: the data differ as well"
        results.append(
            EvaluatorBias(
                evaluator, items, mean, sd, difference, lenience, common, note,
                counts[evaluator], drifts[evaluator],
            )
        )  # fmt: skip
    return results


def _moments(own: FloatArray, others: FloatArray) -> list[float]:
    """Return mean, standard deviation and mean difference to the others on common items."""
    given = own[~np.isnan(own)]
    sd = float(np.std(given, ddof=1)) if len(given) > 1 else float("nan")
    differences = own - item_means(others)
    common = ~np.isnan(differences)
    if common.any():
        return [_mean(given), sd, float(differences[common].mean())]
    return [_mean(given), sd, _mean(given) - _mean(others[~np.isnan(others)])]


def item_means(grades: FloatArray) -> FloatArray:
    """Return the mean of all raters for each item, NaN if there is none: (raters, …) to (…)."""
    given = (~np.isnan(grades)).sum(axis=0)
    return np.where(given > 0, np.nansum(grades, axis=0) / np.maximum(given, 1), np.nan)


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _drift(grades: FloatArray, order: FloatArray) -> Drift:
    grades, order = grades[~np.isnan(grades)], order[~np.isnan(grades)]
    if np.isnan(order).any():
        raise UsageError("the order of judgements is missing for some that have a grade")
    moments, place = np.unique(order, return_inverse=True)
    means = np.bincount(place, grades) / np.bincount(place)
    time = np.linspace(-0.5, 0.5, len(moments))
    r = float(pearson(time, means))
    change = float(time @ means / (time @ time)) if len(moments) > 1 else float("nan")
    df = len(moments) - 2
    if df < 1 or np.isnan(r):
        return Drift(len(moments), change, r, float("nan"))
    t = abs(r) * np.sqrt(df / (1 - r * r)) if abs(r) < 1 else np.inf
    return Drift(len(moments), change, r, 2 * student_cdf(-t, df))
