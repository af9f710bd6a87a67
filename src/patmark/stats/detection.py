"""Detection of a class by a score: AUC, and F1 at a cross-validated threshold."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray, ratio
from patmark.errors import UsageError
from patmark.stats.resampling import draw_weights, folds_of

Flags = NDArray[np.bool_]


def area_under_curve(scores: FloatArray, positive: Flags) -> float:
    """Return the probability that a positive has the higher score, ties counting one half.

    NaN if there are only positives, or none.
    """
    wins = _wins(scores[positive], scores[~positive])
    return float(ratio(wins.sum(), wins.size * np.count_nonzero(~positive)))


def _wins(positives: FloatArray, negatives: FloatArray) -> FloatArray:
    """Return the number of negatives below each positive, counting ties as one half."""
    ordered = np.sort(negatives)
    below = np.searchsorted(ordered, positives, side="left")
    return np.asarray((below + np.searchsorted(ordered, positives, side="right")) / 2)


def area_draws(
    scores: FloatArray, positive: Flags, unit: IntArray, units: int, resamples: int, seed: int
) -> FloatArray:
    """Return the AUC of resampled units; ``unit`` is that of each score."""
    own = unit[positive]
    wins = np.zeros((units, units))
    for other in np.unique(unit[~positive]).tolist():
        beaten = _wins(scores[positive], scores[~positive & (unit == other)])
        wins[:, other] = np.bincount(own, beaten, units)
    positives = np.bincount(own, minlength=units).astype(np.float64)
    negatives = np.bincount(unit[~positive], minlength=units).astype(np.float64)
    drawn = [
        ratio(((block @ wins) * block).sum(axis=1), (block @ positives) * (block @ negatives))
        for block in draw_weights(units, resamples, seed)
    ]
    return np.concatenate(drawn)


def best_threshold(scores: FloatArray, positive: Flags) -> float:
    """Return the threshold with the highest F1.

    Among equal maxima the highest threshold wins; infinity if there is no positive.
    """
    values, place = np.unique(scores, return_inverse=True)
    found = np.bincount(place, positive, len(values))[::-1].cumsum()[::-1]
    called = np.bincount(place, minlength=len(values))[::-1].cumsum()[::-1]
    f1 = 2 * found / (called + np.count_nonzero(positive))
    if not found.any():
        return float("inf")
    return float(values[len(f1) - 1 - int(np.argmax(f1[::-1]))])


def held_out_decisions(
    scores: FloatArray, positive: Flags, groups: IntArray, folds: int = 10
) -> Flags:
    """Return the cross-validated decisions: True if called positive.

    Groups, such as documents, are assigned to the folds in turn, in the order of their numbers.
    """
    parts = folds_of(groups, folds)
    if len(parts) < 2:
        raise UsageError("a threshold that is chosen in folds needs two documents or segments")
    called = np.zeros(len(scores), np.bool_)
    for own in parts:
        called[own] = scores[own] >= best_threshold(scores[~own], positive[~own])
    return called


def confusion(called: Flags, positive: Flags) -> FloatArray:
    """Return true positives, false positives, false negatives and true negatives of each output."""
    cells = (called & positive, called & ~positive, ~called & positive, ~called & ~positive)
    return np.stack(cells, axis=-1).astype(np.float64)


def detection_scores(counts: FloatArray) -> Mapping[str, FloatArray]:
    """Return F1, precision, recall and MCC from summed `confusion` (…, 4); NaN if undefined."""
    hits, alarms, missed, rest = np.moveaxis(counts, -1, 0)
    spread = (hits + alarms) * (hits + missed) * (rest + alarms) * (rest + missed)
    return {
        "F1": ratio(2 * hits, 2 * hits + alarms + missed),
        "precision": ratio(hits, hits + alarms),
        "recall": ratio(hits, hits + missed),
        "MCC": ratio(hits * rest - alarms * missed, np.sqrt(spread)),
    }
