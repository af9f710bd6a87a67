"""Tie calibration: the difference of a metric below which it should tie (Deutsch et al. 2023).

A metric with many digits never ties, while people often do. The threshold with the best accuracy
makes it comparable with coarse metrics. Cross-validation shows how much of that accuracy is
overfitted. Each resample chooses its own threshold, as other data would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patmark.data import (
    FloatArray,
    IntArray,
    ratio,
)
from patmark.errors import UsageError
from patmark.stats.correlation import (
    AverageBy,
    Grouped,
    acc_eq,
    check_scores,
    equal_sized_groups,
    grouped,
)
from patmark.stats.resampling import Units, draw_weights, folds_of
from patmark.stats.rounding import DIGITS, magnitude, rounded

MOST_PAIRS = 50_000_000
_PAIRS_AT_ONCE = 1 << 21
_CELLS_AT_ONCE = 1 << 23
_MOST_THRESHOLDS = 500  # number of candidate thresholds in a resample


@dataclass(frozen=True, slots=True)
class Calibration:
    """The best threshold, and the mean accuracy with it on the same data."""

    epsilon: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Mean accuracy on held-out documents, and the threshold of each fold."""

    accuracy: float
    epsilons: tuple[float, ...]


def calibrate(gold: FloatArray, metric: FloatArray, average_by: AverageBy = "item") -> Calibration:
    """Return the threshold, from zero and all observed differences, with the highest accuracy.

    Among equal maxima the smallest threshold wins. Zero without pairs.
    """
    gold, metric = check_scores(gold, metric)
    scale = magnitude(metric).item()
    epsilon = _best_threshold(_changes(gold, metric, average_by, scale))
    return Calibration(epsilon, _accuracy(gold, metric, epsilon, average_by, scale).value)


def cross_validated(
    gold: FloatArray,
    metric: FloatArray,
    documents: IntArray,
    folds: int = 10,
    average_by: AverageBy = "item",
) -> CrossValidation:
    """Return accuracy on documents that were not used for calibration.

    ``documents`` gives the document of each segment. They are assigned to the folds in turn, in the
    order of their numbers; with fewer documents than folds, each is a fold. The mean is over the
    groups of all held-out parts.
    """
    gold, metric = check_scores(gold, metric)
    if np.shape(documents) != gold.shape[1:]:
        raise UsageError(f"documents of {np.size(documents)} segments do not fit {gold.shape}")
    parts = folds_of(documents, folds)
    if len(parts) < 2:
        found = len(np.unique(documents))
        raise UsageError(
            f"cross-validation needs at least 2 folds and 2 documents, not {folds} and {found}"
        )
    epsilons, total, groups = [], 0.0, 0
    scale = magnitude(metric).item()
    for held_out in parts:
        known = gold[:, ~held_out], metric[:, ~held_out]
        epsilons.append(_best_threshold(_changes(*known, average_by, scale)))
        held = gold[:, held_out], metric[:, held_out]
        result = _accuracy(*held, epsilons[-1], average_by, scale)
        if result.groups:
            total += result.value * result.groups
            groups += result.groups
    return CrossValidation(total / groups if groups else float("nan"), tuple(epsilons))


def held_out_bands(
    labels: IntArray, first: FloatArray, second: FloatArray, groups: Sequence[str], folds: int = 10
) -> FloatArray:
    """Return the tie band that is best for the pairs of other groups, for each compared pair.

    ``labels`` are people's preferences, 1, 0 or -1, ``first`` and ``second`` the scores of the two
    sides. The best band has the most correct predictions. Groups, such as references, are assigned
    to the folds in turn.
    """
    gold = np.stack([labels, np.zeros(len(labels))])
    metric = np.stack([first, second])
    scale = magnitude(metric).item()
    parts = folds_of(groups, folds)
    if len(parts) < 2:
        raise UsageError("a band of ties that is calibrated in folds needs two groups of pairs")
    bands = np.empty(len(labels))
    for own in parts:
        bands[own] = _best_threshold(_changes(gold[:, ~own], metric[:, ~own], "item", scale))
    return bands


def constant_accuracy(gold: FloatArray, average_by: AverageBy = "item") -> float:
    """Return the accuracy of a constant metric: the mean share of ties in gold."""
    return _accuracy(gold, np.zeros(np.shape(gold)), 0.0, average_by, 1.0).value


def _accuracy(
    gold: FloatArray, metric: FloatArray, epsilon: float, average_by: AverageBy, scale: float
) -> Grouped:
    return grouped(gold, metric, lambda g, m: acc_eq(g, m, epsilon, scale), average_by)


@dataclass(frozen=True, slots=True, eq=False)
class _Changes:
    """Sorted metric differences of pairs that a tie affects, for groups of one size.

    A tie makes ``gained`` pairs right (tied in gold, not in the metric) and ``lost`` pairs wrong
    (ordered alike).
    """

    gained: FloatArray
    lost: FloatArray
    weight: float

    def gain(self, thresholds: FloatArray) -> FloatArray:
        """Return the accuracy that each threshold adds; equal differences change together."""
        right = np.searchsorted(self.gained, thresholds, side="right")
        wrong = np.searchsorted(self.lost, thresholds, side="right")
        return (right - wrong).astype(np.float64) * self.weight


def _best_threshold(changes: list[_Changes]) -> float:
    """Return the first threshold with the highest accuracy; some pair must gain there."""
    thresholds = np.unique(np.concatenate([np.empty(0), *(part.gained for part in changes)]))
    gains = np.zeros(len(thresholds) + 1)
    for part in changes:
        gains[1:] += part.gain(thresholds)
    return float(np.append(0.0, thresholds)[np.argmax(np.round(gains, DIGITS))])


def _changes(
    gold: FloatArray, metric: FloatArray, average_by: AverageBy, scale: float
) -> list[_Changes]:
    bundles = equal_sized_groups(gold, metric, average_by)
    groups = [rows.shape[0] for _, rows, _ in bundles]
    pairs = [rows.shape[1] * (rows.shape[1] - 1) // 2 for _, rows, _ in bundles]
    total = sum(count * size for count, size in zip(groups, pairs, strict=True))
    if total > MOST_PAIRS:
        raise UsageError(
            f"tie calibration takes at most {MOST_PAIRS} pairs, not {total}; average by item"
        )
    return [
        _changes_of_rows(gold_rows, metric_rows, 1 / (size * sum(groups)), scale)
        for (_, gold_rows, metric_rows), size in zip(bundles, pairs, strict=True)
    ]


def _changes_of_rows(gold: FloatArray, metric: FloatArray, weight: float, scale: float) -> _Changes:
    gold = rounded(gold)
    first, second = np.triu_indices(gold.shape[1], 1)
    gained, lost = [], []
    block = max(1, _PAIRS_AT_ONCE // len(first))
    for start in range(0, len(gold), block):
        part = slice(start, start + block)
        gold_sign = np.sign(gold[part, first] - gold[part, second])
        difference = rounded(metric[part, first] - metric[part, second], scale)
        metric_sign = np.sign(difference)
        difference = np.abs(difference)
        gained.append(difference[(gold_sign == 0) & (metric_sign != 0)])
        lost.append(difference[(gold_sign != 0) & (metric_sign == gold_sign)])
    return _Changes(np.sort(np.concatenate(gained)), np.sort(np.concatenate(lost)), weight)


def resampled_calibration(
    gold: FloatArray,
    metrics: FloatArray,
    units: Units,
    resamples: int = 2000,
    seed: int = 0,
) -> FloatArray:
    """Calibrate on each resample and return the accuracy by item, (metrics, resamples).

    Segments or documents are drawn. A resample chooses from up to 500 candidate thresholds, evenly
    spread, and the best one of all data. ``gold`` may be given for each metric. All metrics
    see the same resamples; some at a time are in memory.
    """
    golds = np.broadcast_to(gold, metrics.shape)
    found = []
    at_once = max(1, _CELLS_AT_ONCE // (units.count * _MOST_THRESHOLDS))
    for start in range(0, len(metrics), at_once):
        part = zip(golds[start : start + at_once], metrics[start : start + at_once], strict=True)
        tables = [_Judged.of(*one).by_unit(units) for one in part]
        rounds = [
            [_best_of_sums(weights @ table) for table in tables]
            for weights in draw_weights(units.count, resamples, seed)
        ]
        found.append(np.concatenate(rounds, axis=1))
    return np.concatenate(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """Decisions of a metric on pairs of systems in segments, (pairs, segments).

    For pairs ``judged`` by people, ``right`` is 1 if the decision without a threshold is right, and
    ``gain`` what a tie adds. ``step`` is the first of ``steps`` thresholds that ties the pair; the
    last step stands for none.
    """

    judged: NDArray[np.bool_]
    right: FloatArray
    gain: FloatArray
    step: IntArray
    steps: int

    @classmethod
    def of(cls, gold: FloatArray, metric: FloatArray) -> _Judged:
        gold, metric = check_scores(gold, metric)
        first, second = np.triu_indices(len(gold), 1)
        grades = rounded(gold)
        human = np.sign(grades[first] - grades[second])
        judged = ~np.isnan(human)
        difference = rounded(metric[first] - metric[second], magnitude(metric))
        difference = np.where(judged, difference, 0.0)
        order, difference = np.sign(difference), np.abs(difference)
        right = (order == human).astype(np.float64)
        gain = ((human == 0).astype(np.float64) - right) * (judged & (order != 0))
        thresholds = np.unique(difference[gain > 0])
        if len(thresholds) > _MOST_THRESHOLDS:
            chosen = np.linspace(0, len(thresholds) - 1, _MOST_THRESHOLDS).astype(np.int64)
            best = calibrate(gold, metric).epsilon
            thresholds = np.unique(np.append(thresholds[chosen], best))
        step = np.searchsorted(thresholds, difference)
        return cls(judged, right, gain, step, len(thresholds) + 1)

    def by_unit(self, units: Units) -> FloatArray:
        """Return the segments of each unit, their accuracy, and the gain of each step."""
        shares = ratio(self.judged, self.judged.sum(axis=0))
        shares[np.isnan(shares)] = 0.0
        unit = np.broadcast_to(units.of_segment, shares.shape)
        table = np.zeros((units.count, self.steps + 2))
        for column, values in enumerate((shares, shares * self.right)):
            table[:, column] = np.bincount(unit.ravel(), values.ravel(), units.count)
        cells = (unit * self.steps + self.step).ravel()
        gains = np.bincount(cells, (shares * self.gain).ravel(), units.count * self.steps)
        table[:, 2:] = gains.reshape(units.count, self.steps)
        return table


def _best_of_sums(sums: FloatArray) -> FloatArray:
    """Return the best accuracy of any threshold from sums (rows, 2 + steps).

    The sums are segments, accuracies without a threshold, and the gain of each step. The last
    step ties nothing.
    """
    gains = np.cumsum(sums[:, 2:-1], axis=1).max(axis=1, initial=0.0)
    return ratio(sums[:, 1] + gains, sums[:, 0])
