"""What is peculiar to each evaluator: severity, spread, use of the scale, drift.

Grades are an array (evaluators, systems, segments), better ones higher, NaN where an evaluator did
not judge. An item is one output: a system in a segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.stats.agreement import scale_positions
from patmark.stats.correlation import mid_ranks, pearson


@dataclass(frozen=True, slots=True)
class Drift:
    """Straight line through the grades in the order in which they were given.

    ``change`` is the rise from the first to the last judgement in points of the scale,
    ``standardised`` the same slope in standard deviations of both (Pearson's r), ``p`` of its
    two-sided t-test. Grades given at one moment are averaged first: they are not independent.
    """

    moments: int
    change: float
    standardised: float
    p: float


@dataclass(frozen=True, slots=True)
class EvaluatorBias:
    """What is peculiar to one evaluator. ``counts`` follow the values of the scale.

    ``difference`` is the evaluator's mean minus that of the others, on ``common`` items if there
    are any (against the mean of the others in each); else over all items of each side, and then
    it holds the difference of the data as well, as ``note`` says. ``lenience`` needs only the order
    of grades: on common items, the share of grades above those of another evaluator minus the
    share below.
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
    """Mean, spread, use of the scale, difference to the others and drift of each evaluator.

    A continuous scale, which has no values to count, is None. ``order`` has the shape of the
    grades and says when each was given (a time or a running number); without it no drift is told.
    ``ordinal`` grades have no mean, spread or difference; their drift is that of their mid-ranks
    among all grades, without a change in points.
    """
    flat = grades.reshape(len(grades), -1)
    if order is not None and order.shape != grades.shape:
        raise UsageError(f"order has the shape {order.shape}, the grades have {grades.shape}")
    moments = None if order is None else order.reshape(flat.shape)
    counts = _counts(flat, scale) if scale is not None else [()] * len(flat)
    drifts = [None] * len(flat) if moments is None else _drifts(flat, moments, ordinal)
    results = []
    for evaluator, own in enumerate(flat):
        others = np.delete(flat, evaluator, axis=0)
        items = int(np.count_nonzero(~np.isnan(own)))
        mean, sd, difference = [float("nan")] * 3 if ordinal else _moments(own, others)
        lenience, common = _lenience(own, others)
        note = "" if common else "no common items: the data differ as well"
        results.append(
            EvaluatorBias(
                evaluator, items, mean, sd, difference, lenience, common, note,
                counts[evaluator], drifts[evaluator],
            )
        )  # fmt: skip
    return results


def _counts(flat: FloatArray, scale: Sequence[float]) -> list[tuple[int, ...]]:
    positions = scale_positions(flat, scale)
    return [tuple(int(np.count_nonzero(own == k)) for k in range(len(scale))) for own in positions]


def _drifts(flat: FloatArray, moments: FloatArray, ordinal: bool) -> list[Drift | None]:
    values = flat.copy()
    if ordinal:
        given = ~np.isnan(flat)
        values[given] = mid_ranks(flat[given])
    found = [_drift(own, moment) for own, moment in zip(values, moments, strict=True)]
    return [replace(drift, change=float("nan")) if ordinal else drift for drift in found]


def _moments(own: FloatArray, others: FloatArray) -> list[float]:
    """Mean, standard deviation, and mean difference to the others, on common items if any."""
    given = own[~np.isnan(own)]
    sd = float(np.std(given, ddof=1)) if len(given) > 1 else float("nan")
    differences = own - item_means(others)
    common = ~np.isnan(differences)
    if common.any():
        return [_mean(given), sd, float(differences[common].mean())]
    return [_mean(given), sd, _mean(given) - _mean(others[~np.isnan(others)])]


def _lenience(own: FloatArray, others: FloatArray) -> tuple[float, int]:
    """How often above minus how often below the others, and the number of common items."""
    signs = np.sign(own - others)
    met = ~np.isnan(signs)
    return _mean(signs[met]), int(np.count_nonzero(met.any(axis=0)))


def item_means(grades: FloatArray) -> FloatArray:
    """The mean of all raters for each item, NaN where there is none: (raters, …) to (…)."""
    given = (~np.isnan(grades)).sum(axis=0)
    return np.where(given > 0, np.nansum(grades, axis=0) / np.maximum(given, 1), np.nan)


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _drift(grades: FloatArray, order: FloatArray) -> Drift:
    from scipy.special import stdtr

    grades, order = grades[~np.isnan(grades)], order[~np.isnan(grades)]
    if np.isnan(order).any():
        raise UsageError("the order of judgements is missing for some that have a grade")
    moments, place = np.unique(order, return_inverse=True)
    means = np.bincount(place, grades) / np.bincount(place)
    time = np.linspace(-0.5, 0.5, len(moments))
    r = float(pearson(time, means))
    change = float(time @ means / (time @ time)) if len(moments) > 1 else float("nan")
    freedom = len(moments) - 2
    if freedom < 1 or np.isnan(r):
        return Drift(len(moments), change, r, float("nan"))
    t = abs(r) * np.sqrt(freedom / (1 - r * r)) if abs(r) < 1 else np.inf
    return Drift(len(moments), change, r, 2 * float(stdtr(freedom, -t)))
