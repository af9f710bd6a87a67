"""Correlation of a metric with gold scores: Pearson, Spearman, and means over groups of segments.

Values that are equal to twelve digits are equal: sums like 0.1 + 0.2 must not break a tie, nor give
a spread to something constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError

Coefficient: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
AverageBy: TypeAlias = Literal["none", "system", "item"]

DIGITS = 12


@dataclass(frozen=True, slots=True)
class Grouped:
    """Mean of a coefficient over groups.

    Of the ``groups`` with at least two entries, those ``undefined`` (a constant side, for most
    coefficients) are not in the mean. The groups ``skipped`` had fewer than two entries.
    """

    value: float
    groups: int
    undefined: int
    skipped: int


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's r along the last axis; NaN where a side is constant or n < 2."""
    x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    if x.shape[-1] < 2:
        return np.full(x.shape[:-1], np.nan)
    varies = (np.ptp(_rounded(x), axis=-1) > 0) & (np.ptp(_rounded(y), axis=-1) > 0)
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(x).sum(axis=-1) * np.square(y).sum(axis=-1))
    r = np.full(x.shape[:-1], np.nan)
    np.divide((x * y).sum(axis=-1), spread, out=r, where=varies)
    return np.asarray(np.clip(r, -1.0, 1.0))


def spearman(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rho along the last axis: Pearson's r of the mid-ranks."""
    return pearson(mid_ranks(x), mid_ranks(y))


def mid_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1 along the last axis, ties sharing their mean; NaN beside a NaN."""
    values = _rounded(np.asarray(values, np.float64))
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    opens = np.ones(values.shape, dtype=bool)
    opens[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    closes = np.ones(values.shape, dtype=bool)
    closes[..., :-1] = opens[..., 1:]
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=-1)
    last = np.where(closes, place, values.shape[-1])[..., ::-1]
    last = np.minimum.accumulate(last, axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    ranks[np.isnan(values).any(axis=-1)] = np.nan
    return ranks


def grouped(
    gold: FloatArray,
    metric: FloatArray,
    coefficient: Coefficient,
    average_by: AverageBy = "item",
) -> Grouped:
    """Mean over groups of a coefficient between gold and metric scores (systems, segments).

    A group is the segments of a system, the systems on an item (a segment), or everything
    together (none). Entries without gold (NaN) are left out; metric scores must be there.
    """
    values = group_coefficients(gold, metric, coefficient, average_by)
    return mean_of_groups(gold, values, average_by)


def mean_of_groups(gold: FloatArray, values: FloatArray, average_by: AverageBy) -> Grouped:
    """The mean of the coefficients of all groups, and how many have none."""
    entries = np.count_nonzero(~np.isnan(as_groups(gold, average_by)), axis=1)
    values = values[entries >= 2]
    defined = values[~np.isnan(values)]
    return Grouped(
        value=float(defined.mean()) if len(defined) else float("nan"),
        groups=len(values),
        undefined=len(values) - len(defined),
        skipped=len(entries) - len(values),
    )


def group_coefficients(
    gold: FloatArray,
    metric: FloatArray,
    coefficient: Coefficient,
    average_by: AverageBy = "item",
) -> FloatArray:
    """The coefficient of each group, in order; NaN where undefined or below two entries."""
    gold, metric = check_scores(gold, metric)
    values = np.full(len(as_groups(gold, average_by)), np.nan)
    for members, gold_rows, metric_rows in equal_sized_groups(gold, metric, average_by):
        values[members] = coefficient(gold_rows, metric_rows)
    return values


def equal_sized_groups(
    gold: FloatArray, metric: FloatArray, average_by: AverageBy
) -> list[tuple[IntArray, FloatArray, FloatArray]]:
    """Groups of at least two entries, those of one size together, so that they form an array.

    Each element holds the positions of the groups, their gold and their metric scores.
    """
    gold, metric = as_groups(gold, average_by), as_groups(metric, average_by)
    present = ~np.isnan(gold)
    entries = np.count_nonzero(present, axis=1)
    bundles: list[tuple[IntArray, FloatArray, FloatArray]] = []
    for size in np.unique(entries[entries >= 2]):
        members = np.flatnonzero(entries == size)
        shape, kept = (len(members), int(size)), present[members]
        bundles.append(
            (members, gold[members][kept].reshape(shape), metric[members][kept].reshape(shape))
        )
    return bundles


def as_groups(matrix: FloatArray, average_by: AverageBy) -> FloatArray:
    """A matrix (systems, segments) with one row for each group."""
    if matrix.ndim != 2:
        raise UsageError(f"grouping needs a matrix (systems, segments), not {matrix.ndim} axes")
    if average_by not in get_args(AverageBy):
        raise UsageError(f"average by {average_by!r} is unknown; choose none, system or item")
    if average_by == "none":
        return matrix.reshape(1, -1)
    return matrix if average_by == "system" else matrix.T


def check_scores(gold: FloatArray, metric: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both as arrays of numbers, of one shape, and with a metric score wherever there is gold."""
    gold, metric = np.asarray(gold, np.float64), np.asarray(metric, np.float64)
    if gold.shape != metric.shape:
        raise UsageError(
            f"gold and metric scores must have one shape, not {gold.shape} and {metric.shape}"
        )
    present = ~np.isnan(gold)
    missing = int(np.count_nonzero(present & ~np.isfinite(metric)))
    if missing:
        raise UsageError(
            f"{missing} of {int(np.count_nonzero(present))} entries with gold have no metric score"
        )
    if np.isinf(gold).any():
        raise UsageError("a gold score is infinite")
    return gold, metric


def _rounded(values: FloatArray) -> FloatArray:
    return np.round(values, DIGITS)
