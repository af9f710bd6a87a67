"""Tie calibration: how small a difference of a metric should count as a tie (Deutsch et al. 2023).

A metric with many digits never ties, while people often do. The threshold that gives the metric
its best accuracy makes it comparable with coarse metrics; cross-validation tells how much of that
accuracy is fitted to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.correlation import (
    DIGITS,
    AverageBy,
    Grouped,
    check_scores,
    equal_sized_groups,
    grouped,
)
from patmark.stats.pair_counts import acc_eq

MOST_PAIRS = 50_000_000
_PAIRS_AT_ONCE = 1 << 21


@dataclass(frozen=True, slots=True)
class Calibration:
    """The best threshold, and the mean accuracy with it on the same data."""

    epsilon: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Mean accuracy on held-out documents; the threshold that the others gave, for each fold."""

    accuracy: float
    epsilons: tuple[float, ...]


def calibrate(gold: FloatArray, metric: FloatArray, average_by: AverageBy = "item") -> Calibration:
    """The threshold, from zero and all differences seen, with the highest mean accuracy.

    Of equal maxima the smallest threshold wins. Zero where there are no pairs.
    """
    gold, metric = check_scores(gold, metric)
    epsilon = _best_threshold(_changes(gold, metric, average_by))
    return Calibration(epsilon, _accuracy(gold, metric, epsilon, average_by).value)


def cross_validated(
    gold: FloatArray,
    metric: FloatArray,
    documents: IntArray,
    folds: int = 10,
    average_by: AverageBy = "item",
) -> CrossValidation:
    """Accuracy on documents that the threshold was not calibrated on.

    ``documents`` gives the document of each segment. They are dealt to the folds in turn, in the
    order of their numbers; with fewer documents than folds, each is a fold of its own. The mean
    is over the groups of all held-out parts.
    """
    gold, metric = check_scores(gold, metric)
    if np.shape(documents) != gold.shape[1:]:
        raise UsageError(f"documents of {np.size(documents)} segments do not fit {gold.shape}")
    names, document = np.unique(documents, return_inverse=True)
    count = min(folds, len(names))
    if count < 2:
        raise UsageError(
            f"cross-validation needs at least 2 folds and 2 documents, not {folds} and {len(names)}"
        )
    epsilons, total, groups = [], 0.0, 0
    for fold in range(count):
        held_out = document % count == fold
        known = gold[:, ~held_out], metric[:, ~held_out]
        epsilons.append(_best_threshold(_changes(*known, average_by)))
        result = _accuracy(gold[:, held_out], metric[:, held_out], epsilons[-1], average_by)
        if result.groups:
            total += result.value * result.groups
            groups += result.groups
    return CrossValidation(total / groups if groups else float("nan"), tuple(epsilons))


def constant_accuracy(gold: FloatArray, average_by: AverageBy = "item") -> float:
    """Accuracy of a metric that always says the same: the mean share of ties in gold."""
    return _accuracy(gold, np.zeros(np.shape(gold)), 0.0, average_by).value


def _accuracy(
    gold: FloatArray, metric: FloatArray, epsilon: float, average_by: AverageBy
) -> Grouped:
    return grouped(gold, metric, lambda g, m: acc_eq(g, m, epsilon), average_by)


@dataclass(frozen=True, slots=True, eq=False)
class _Changes:
    """Of groups of one size, the metric differences, sorted, of the pairs that a tie makes right
    (``gained``: tied in gold, not in the metric) and wrong (``lost``: ordered alike).
    """

    gained: FloatArray
    lost: FloatArray
    weight: float

    def gain(self, thresholds: FloatArray) -> FloatArray:
        """What each threshold adds to the mean accuracy; equal differences change together."""
        right = np.searchsorted(self.gained, thresholds, side="right")
        wrong = np.searchsorted(self.lost, thresholds, side="right")
        return (right - wrong).astype(np.float64) * self.weight


def _best_threshold(changes: list[_Changes]) -> float:
    """The first threshold with the highest accuracy, which can only be where some pair gains."""
    thresholds = np.unique(np.concatenate([np.empty(0), *(part.gained for part in changes)]))
    gains = np.zeros(len(thresholds) + 1)
    for part in changes:
        gains[1:] += part.gain(thresholds)
    return float(np.append(0.0, thresholds)[np.argmax(np.round(gains, DIGITS))])


def _changes(gold: FloatArray, metric: FloatArray, average_by: AverageBy) -> list[_Changes]:
    bundles = equal_sized_groups(gold, metric, average_by)
    groups = [rows.shape[0] for _, rows, _ in bundles]
    pairs = [rows.shape[1] * (rows.shape[1] - 1) // 2 for _, rows, _ in bundles]
    total = sum(count * size for count, size in zip(groups, pairs, strict=True))
    if total > MOST_PAIRS:
        raise UsageError(
            f"tie calibration takes at most {MOST_PAIRS} pairs, not {total}; average by item"
        )
    return [
        _changes_of_rows(gold_rows, metric_rows, 1 / (size * sum(groups)))
        for (_, gold_rows, metric_rows), size in zip(bundles, pairs, strict=True)
    ]


def _changes_of_rows(gold: FloatArray, metric: FloatArray, weight: float) -> _Changes:
    gold = np.round(gold, DIGITS)
    first, second = np.triu_indices(gold.shape[1], 1)
    gained, lost = [], []
    block = max(1, _PAIRS_AT_ONCE // len(first))
    for start in range(0, len(gold), block):
        part = slice(start, start + block)
        gold_sign = np.sign(gold[part, first] - gold[part, second])
        difference = np.round(metric[part, first] - metric[part, second], DIGITS)
        metric_sign = np.sign(difference)
        difference = np.abs(difference)
        gained.append(difference[(gold_sign == 0) & (metric_sign != 0)])
        lost.append(difference[(gold_sign != 0) & (metric_sign == gold_sign)])
    return _Changes(np.sort(np.concatenate(gained)), np.sort(np.concatenate(lost)), weight)
