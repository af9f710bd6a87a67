"""Counts of pairs ordered alike, differently or tied; the coefficients that rest on them.

Counting is exact and takes n·log n time and n memory, for any threshold: after sorting by one score
the entries clearly above a given one are a range, and a stable split of the other score bit by bit
(a wavelet matrix) tells how many values of a range are below a bound, for all entries at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.correlation import DIGITS

WMT_THRESHOLD = 25.0
_CELLS_AT_ONCE = 1 << 20
_Apart: TypeAlias = Callable[[FloatArray], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Pairs of entries by how gold and metric order them; ``tied_gold`` and ``tied_metric`` are
    tied in that one only. One number for each leading place of the scores.
    """

    concordant: IntArray
    discordant: IntArray
    tied_gold: IntArray
    tied_metric: IntArray
    tied_both: IntArray

    @property
    def pairs(self) -> IntArray:
        """All pairs."""
        tied = self.tied_gold + self.tied_metric + self.tied_both
        return self.concordant + self.discordant + tied


def count_pairs(gold: FloatArray, metric: FloatArray, epsilon: float = 0.0) -> PairCounts:
    """Counts over all pairs along the last axis.

    A pair is tied in the metric when its difference, to twelve digits, is at most ``epsilon``, and
    in gold when its scores are equal to twelve digits.
    """
    if not epsilon >= 0:
        raise UsageError(f"the threshold of a tie must be at least 0, not {epsilon}")
    limit = np.round(epsilon, DIGITS)
    gold, metric, shape = _rows(gold, metric)
    above, below, equal = _ordered_pairs(
        metric, np.round(gold, DIGITS), lambda difference: difference > limit
    )
    size = gold.shape[1]
    tied_both = _equal_pairs(np.round(gold, DIGITS)) - equal
    tied_metric = size * (size - 1) // 2 - above - below - equal - tied_both
    counts = (above, below, equal, tied_metric, tied_both)
    return PairCounts(*(count.reshape(shape) for count in counts))


def kendall_b(gold: FloatArray, metric: FloatArray, epsilon: float = 0.0) -> FloatArray:
    """Kendall's tau-b; NaN where one side is all ties."""
    counts = count_pairs(gold, metric, epsilon)
    ordered = counts.concordant + counts.discordant
    gold_untied = (ordered + counts.tied_metric).astype(np.float64)
    metric_untied = ordered + counts.tied_gold
    return _ratio(counts.concordant - counts.discordant, np.sqrt(gold_untied * metric_untied))


def kendall_c(gold: FloatArray, metric: FloatArray, epsilon: float = 0.0) -> FloatArray:
    """Kendall's tau-c (Stuart); NaN where one side is all ties.

    Values of the metric are distinct when a gap of more than ``epsilon`` lies between them.
    """
    counts = count_pairs(gold, metric, epsilon)
    levels = np.minimum(_distinct(gold, 0.0), _distinct(metric, epsilon))
    most = np.shape(gold)[-1] ** 2 * (levels - 1) / np.maximum(levels, 1)
    return _ratio(2 * (counts.concordant - counts.discordant), most)


def tau_eq(gold: FloatArray, metric: FloatArray, epsilon: float = 0.0) -> FloatArray:
    """Pairs judged right minus pairs judged wrong, where a tie is right for a tie, over pairs."""
    counts = count_pairs(gold, metric, epsilon)
    right = counts.concordant + counts.tied_both
    return _ratio(2 * right - counts.pairs, counts.pairs)


def acc_eq(gold: FloatArray, metric: FloatArray, epsilon: float = 0.0) -> FloatArray:
    """The share of pairs judged right, where a tie is right for a tie (Deutsch et al. 2023)."""
    counts = count_pairs(gold, metric, epsilon)
    return _ratio(counts.concordant + counts.tied_both, counts.pairs)


def wmt_kendall(
    gold: FloatArray, metric: FloatArray, threshold: float = WMT_THRESHOLD
) -> FloatArray:
    """Kendall-like coefficient of WMT20: pairs whose gold differs by at least the threshold.

    A metric tie is discordant. NaN without such pairs.
    """
    if not threshold > 0:
        raise UsageError(f"the least difference in gold must be above 0, not {threshold}")
    least = np.round(threshold, DIGITS)
    gold, metric, shape = _rows(gold, metric)
    above, below, equal = _ordered_pairs(
        gold, np.round(metric, DIGITS), lambda difference: difference >= least
    )
    return _ratio(above - below - equal, above + below + equal).reshape(shape)


def _rows(gold: FloatArray, metric: FloatArray) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
    """Both as matrices with a row for each leading place, and the shape of these places."""
    gold, metric = np.broadcast_arrays(np.asarray(gold, np.float64), np.asarray(metric, np.float64))
    if not (np.isfinite(gold).all() and np.isfinite(metric).all()):
        raise UsageError("pairs can be counted only where every score is a number")
    shape = gold.shape[:-1]
    rows = int(np.prod(shape)), gold.shape[-1]
    return gold.reshape(rows), metric.reshape(rows), shape


def _ordered_pairs(
    keys: FloatArray, values: FloatArray, apart: _Apart
) -> tuple[IntArray, IntArray, IntArray]:
    """For each row, the pairs whose keys are apart, by the value at the larger key: above, below
    or equal to the other one. Rows are taken in blocks to bound memory.
    """
    rows, size = keys.shape
    counts = np.zeros((3, rows), dtype=np.int64)
    block = max(1, _CELLS_AT_ONCE // max(1, size))
    for start in range(0, rows if size else 0, block):
        part = slice(start, start + block)
        counts[:, part] = _count_block(keys[part], values[part], apart)
    return counts[0], counts[1], counts[2]


def _count_block(keys: FloatArray, values: FloatArray, apart: _Apart) -> IntArray:
    rows, size = keys.shape
    order = np.argsort(keys, axis=1, kind="stable")
    keys = np.take_along_axis(keys, order, axis=1).ravel()
    values = np.take_along_axis(values, order, axis=1).ravel()
    ends = np.repeat(np.arange(1, rows + 1) * size, size)
    first = _first_apart(keys, ends, apart)
    _, ranks = np.unique(values, return_inverse=True)
    below, equal = _below_and_equal(ranks, first, ends)
    above = ends - first - below - equal
    return np.asarray(np.stack([above, below, equal]).reshape(3, rows, size).sum(axis=2))


def _first_apart(keys: FloatArray, ends: IntArray, apart: _Apart) -> IntArray:
    """For each place the first later one of its row whose key is apart, or the end of the row.

    Bisection on the differences themselves, since key + threshold would be rounded.
    """
    low, high = np.arange(1, len(keys) + 1), ends.copy()
    while (low < high).any():
        middle = np.minimum((low + high) // 2, len(keys) - 1)
        is_apart = apart(np.round(keys[middle] - keys, DIGITS))
        searching = low < high
        high = np.where(searching & is_apart, middle, high)
        low = np.where(searching & ~is_apart, middle + 1, low)
    return low


def _below_and_equal(
    ranks: IntArray, starts: IntArray, ends: IntArray
) -> tuple[IntArray, IntArray]:
    """For each rank, how many of the places from its start to its end are below and equal to it.

    From the highest bit down, values are split stably into those without and with the bit. A range
    stays a range on either side; where the rank has the bit, the values without it are below.
    """
    below = np.zeros(len(ranks), dtype=np.int64)
    order = ranks
    for bit in range(int(ranks.max()).bit_length() - 1, -1, -1):
        without = (order >> bit & 1) == 0
        earlier = np.concatenate([[0], np.cumsum(without)])
        has_bit = (ranks >> bit & 1) == 1
        left_start, left_end = earlier[starts], earlier[ends]
        below += np.where(has_bit, left_end - left_start, 0)
        starts = np.where(has_bit, earlier[-1] + starts - left_start, left_start)
        ends = np.where(has_bit, earlier[-1] + ends - left_end, left_end)
        order = np.concatenate([order[without], order[~without]])
    return below, ends - starts


def _equal_pairs(values: FloatArray) -> IntArray:
    """For each row the pairs of equal values: each value pairs with the equal ones before it."""
    ordered = np.sort(values, axis=1)
    place = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    opens = np.ones(values.shape, dtype=bool)
    opens[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=1)
    return np.asarray((place - first).sum(axis=1))


def _distinct(values: FloatArray, epsilon: float) -> IntArray:
    """How many values along the last axis are set apart by gaps of more than epsilon."""
    gaps = np.round(np.diff(np.sort(values, axis=-1), axis=-1), DIGITS)
    return np.asarray(np.count_nonzero(gaps > np.round(epsilon, DIGITS), axis=-1) + 1)


def _ratio(part: IntArray, whole: IntArray | FloatArray) -> FloatArray:
    """The quotient, NaN where there is nothing to divide by."""
    quotient = np.full(np.shape(part), np.nan)
    np.divide(part, whole, out=quotient, where=np.asarray(whole) > 0)
    return quotient
