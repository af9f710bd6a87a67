"""Agreement of predicted with human preferences between two candidates: 1, 0 or -1 for each pair.

The definitions are those of the Patent-CE paper. All of them follow from how often each label met
each prediction, nine counts that add up over pairs; a bootstrap is then a sum of counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from patmark.data import FloatArray, IntArray, ScoreFunction
from patmark.errors import UsageError

CLASSES = (-1, 0, 1)
_SIZE = len(CLASSES)


def predicted_preferences(
    first: FloatArray, second: FloatArray, higher_is_better: bool = True
) -> IntArray:
    """1 where the first score is better, -1 where the second is; 0 only if both are equal.

    There is no tolerance: scores that differ in the last digit are different.
    """
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if np.isnan(first).any() or np.isnan(second).any():
        raise UsageError("a score has no value, so that nothing is predicted for its pair")
    signs = (first > second).astype(np.int64) - (first < second)
    return signs if higher_is_better else -signs


def meeting_counts(labels: IntArray, predictions: IntArray) -> FloatArray:
    """For each pair a vector of nine counts: a 1 where its label meets its prediction.

    Labels are (pairs,), predictions (…, pairs); the result is (…, pairs, 9).
    """
    labels, predictions = np.asarray(labels), np.asarray(predictions)
    for values in (labels, predictions):
        if not np.isin(values, CLASSES).all():
            raise UsageError("a preference must be 1, 0 or -1")
    cells = (labels + 1) * _SIZE + predictions + 1
    return np.asarray(cells[..., None] == np.arange(_SIZE * _SIZE), dtype=np.float64)


def tau(counts: FloatArray) -> FloatArray:
    """Kendall's tau-b over the ranks of all candidates; counts (…, 9) to (…).

    A preference is written as two ranks: 1 as (1, 2), -1 as (2, 1), 0 as (1, 1). As there are only
    two ranks, tau-b is the phi coefficient of "this candidate lost". NaN if one side has ties only.
    """
    table = _table(counts)
    slots = 2 * counts.sum(axis=-1)
    both_lost = table[..., 0, 0] + table[..., 2, 2]
    lost = table[..., [0, 2], :].sum(axis=(-2, -1))
    predicted_lost = table[..., :, [0, 2]].sum(axis=(-2, -1))
    spread = lost * (slots - lost) * predicted_lost * (slots - predicted_lost)
    return _quotient(slots * both_lost - lost * predicted_lost, np.sqrt(spread))


def rho(counts: FloatArray) -> FloatArray:
    """Spearman's rho of labels and predictions, both with three values. NaN if one is constant."""
    table = _table(counts)
    labelled, predicted = table.sum(axis=-1), table.sum(axis=-2)
    own, other = _centred_ranks(labelled), _centred_ranks(predicted)
    together = (table * own[..., :, None] * other[..., None, :]).sum(axis=(-2, -1))
    spread = (labelled * own**2).sum(axis=-1) * (predicted * other**2).sum(axis=-1)
    return np.clip(_quotient(together, np.sqrt(spread)), -1.0, 1.0)


def accuracy(counts: FloatArray) -> FloatArray:
    """The share of pairs with the predicted label, ties included."""
    return _quotient(np.trace(_table(counts), axis1=-2, axis2=-1), counts.sum(axis=-1))


def weighted_f1(counts: FloatArray) -> FloatArray:
    """F1 of the three labels, weighted by how often people gave them.

    A label that is never predicted has F1 0, so a metric that never ties pays for every tie.
    """
    table = _table(counts)
    labelled, predicted = table.sum(axis=-1), table.sum(axis=-2)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    f1 = 2 * right / np.maximum(labelled + predicted, 1)
    return _quotient((labelled * f1).sum(axis=-1), counts.sum(axis=-1))


STATISTICS: Mapping[str, ScoreFunction] = MappingProxyType(
    {"tau": tau, "rho": rho, "accuracy": accuracy, "f1": weighted_f1}
)


def _table(counts: FloatArray) -> FloatArray:
    """Counts (…, 9) as tables (…, label, prediction)."""
    return counts.reshape(*counts.shape[:-1], _SIZE, _SIZE)


def _centred_ranks(sizes: FloatArray) -> FloatArray:
    """The mid-rank of each class, less the mean rank."""
    ranks = np.cumsum(sizes, axis=-1) - (sizes - 1) / 2
    return np.asarray(ranks - (sizes.sum(axis=-1, keepdims=True) + 1) / 2)


def _quotient(part: FloatArray, whole: FloatArray) -> FloatArray:
    result = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result
