"""Agreement of a metric with gold scores: correlations, counted pairs, ties, system pairs.

Values count as equal if they agree to twelve digits of the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from patmark.data import (
    FloatArray,
    IntArray,
    ratio,
)
from patmark.errors import UsageError
from patmark.stats.rounding import DIGITS, magnitude, power_of_two, rounded
from patmark.stats.significance import draw_signs

Coefficient: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
AverageBy: TypeAlias = Literal["none", "system", "item"]

CONSTANT = 1e-12  # share of a sum of squares below which a variance is rounding error


@dataclass(frozen=True, slots=True)
class Grouped:
    """Mean of a coefficient over groups.

    ``groups`` have at least two entries. The ``undefined`` ones among them (usually a constant
    side) are not in the mean. The ``skipped`` groups had fewer than two entries.
    """

    value: float
    groups: int
    undefined: int
    skipped: int


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Pearson's r along the last axis; NaN if a side is constant or n < 2."""
    x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    if x.shape[-1] < 2:
        return np.full(x.shape[:-1], np.nan)
    x, y = (side / power_of_two(magnitude(side, axis=-1)) for side in (x, y))
    varies = (np.ptp(rounded(x, 1.0), axis=-1) > 0) & (np.ptp(rounded(y, 1.0), axis=-1) > 0)
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(x).sum(axis=-1) * np.square(y).sum(axis=-1))
    r = np.full(x.shape[:-1], np.nan)
    np.divide((x * y).sum(axis=-1), spread, out=r, where=varies)
    return np.asarray(np.clip(r, -1.0, 1.0))


def pearson_of_sums(
    count: FloatArray,
    y: FloatArray,
    yy: FloatArray,
    xy: FloatArray,
    x: FloatArray | None = None,
    xx: FloatArray | None = None,
) -> FloatArray:
    """Return Pearson's r from sums of 1, y, y², xy, x, x²; NaN if a side is constant or n < 2.

    Values far from zero should be centred before they are summed. Without ``x`` and ``xx``, x is
    centred and of length one. One array is reused for intermediate results, because correlation
    tests spend most of their time here.
    """
    found = _spread_of_sums(count, y, yy)
    if x is not None and xx is not None:
        found *= _spread_of_sums(count, x, xx)
        xy = xy - x * y / np.maximum(count, 1)
    np.sqrt(found, out=found)
    np.divide(xy, found, out=found)
    return np.clip(found, -1.0, 1.0, out=found)


def _spread_of_sums(count: FloatArray, plain: FloatArray, squares: FloatArray) -> FloatArray:
    """Return the sum of squared deviations from the mean; NaN if it is rounding noise."""
    found: FloatArray = np.square(plain)
    found /= np.maximum(count, 1)
    np.subtract(squares, found, out=found)
    if not found.min(initial=np.inf) > CONSTANT * squares.max(initial=0.0):
        found[~(found > CONSTANT * squares)] = np.nan
    return found


def spearman(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Spearman's rho along the last axis: Pearson's r of the mid-ranks."""
    return pearson(mid_ranks(x), mid_ranks(y))


def mid_ranks(values: FloatArray) -> FloatArray:
    """Return ranks from 1 along the last axis, ties sharing their mean; NaN beside a NaN."""
    values = np.asarray(values, np.float64)
    values = rounded(values, magnitude(values, axis=-1))
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
    """Return the mean over groups of a coefficient of gold and metric scores (systems, segments).

    A group is the segments of a system, the systems on an item (a segment), or everything together
    (none). Entries without gold (NaN) are left out; metric scores are required.
    """
    values = group_coefficients(gold, metric, coefficient, average_by)
    return mean_of_groups(gold, values, average_by)


def mean_of_groups(gold: FloatArray, values: FloatArray, average_by: AverageBy) -> Grouped:
    """Return the mean of the coefficients of all groups, and the number of undefined ones."""
    entries = np.count_nonzero(~np.isnan(as_groups(gold, average_by)), axis=1)
    values = values[entries >= 2]
    return Grouped(
        value=float(mean_defined(values)),
        groups=len(values),
        undefined=int(np.count_nonzero(np.isnan(values))),
        skipped=len(entries) - len(values),
    )


def mean_defined(found: FloatArray) -> FloatArray:
    """Return the mean of the defined values along the last axis; NaN if there are none."""
    sums = found.sum(axis=-1)
    if not np.isnan(sums).any():
        return ratio(sums, found.shape[-1])
    defined = ~np.isnan(found)
    return ratio(np.where(defined, found, 0.0).sum(axis=-1), np.count_nonzero(defined, axis=-1))


def group_coefficients(
    gold: FloatArray,
    metric: FloatArray,
    coefficient: Coefficient,
    average_by: AverageBy = "item",
) -> FloatArray:
    """Return the coefficient of each group, in order; NaN if undefined or below two entries."""
    gold, metric = check_scores(gold, metric)
    values = np.full(len(as_groups(gold, average_by)), np.nan)
    for members, gold_rows, metric_rows in equal_sized_groups(gold, metric, average_by):
        values[members] = coefficient(gold_rows, metric_rows)
    return values


def equal_sized_groups(
    gold: FloatArray, metric: FloatArray, average_by: AverageBy
) -> list[tuple[IntArray, FloatArray, FloatArray]]:
    """Return groups of at least two entries, grouped by size as arrays.

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
    """Return a matrix (systems, segments) with one row for each group."""
    if matrix.ndim != 2:
        raise UsageError(f"grouping needs a matrix (systems, segments), not {matrix.ndim} axes")
    if average_by not in get_args(AverageBy):
        raise UsageError(f"average by {average_by!r} is unknown; choose none, system or item")
    if average_by == "none":
        return matrix.reshape(1, -1)
    return matrix if average_by == "system" else matrix.T


def centred_in_items(tables: FloatArray, present: NDArray[np.bool_]) -> FloatArray:
    """Return scores (…, systems, segments) minus the mean of their item; zero where not present."""
    sizes = np.maximum(np.count_nonzero(present, axis=0), 1)
    means = np.where(present, tables, 0.0).sum(axis=-2, keepdims=True) / sizes
    return np.where(present, tables - means, 0.0)


def check_scores(gold: FloatArray, metric: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both as arrays of one shape; refuse gold without a metric score."""
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


# Counts of pairs ordered alike, differently or tied. Counting is exact and takes n·log n time and n
# memory, for any threshold. After sorting by one score, the entries clearly above a given one are a
# range. A stable split of the other score bit by bit (a wavelet matrix) counts the values of a
# range below a bound, for all entries at once. Short rows are counted pair by
# pair.
_CELLS_AT_ONCE = 1 << 20
_CELLS_NEAR = 1 << 15  # that stay near the processor
_SHORT = 22  # entries: all pairs, fewer than 256, are looked at, which is faster


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Counts of pairs by their order in gold and metric, for each leading index of the scores.

    ``tied_gold`` and ``tied_metric`` are tied in that one only.
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


def count_pairs(
    gold: FloatArray, metric: FloatArray, epsilon: float = 0.0, scale: float | None = None
) -> PairCounts:
    """Return counts over all pairs along the last axis.

    A pair is tied in the metric if its difference is at most ``epsilon`` to twelve digits of the
    ``scale``, by default the largest score. It is tied in gold if its scores are equal in that
    sense.
    """
    if not epsilon >= 0:
        raise UsageError(f"the threshold of a tie must be at least 0, not {epsilon}")
    gold, metric, shape = _rows(gold, metric)
    whole = magnitude(metric).item() if scale is None else scale
    size = metric.shape[1]
    count = _count_short if size <= _SHORT else _count_long
    above, below, equal, tied = count(metric / whole, rounded(gold), _largest_tie(epsilon / whole))
    tied_metric = size * (size - 1) // 2 - above - below - tied
    counts = (above, below, equal, tied_metric, tied - equal)
    return PairCounts(*(count.reshape(shape) for count in counts))


def _largest_tie(epsilon: float) -> float:
    """Return the largest difference that is at most a threshold, both to twelve digits."""
    limit = np.round(epsilon, DIGITS)
    tie = np.float64(limit + 10.0**-DIGITS / 2)
    while np.round(tie, DIGITS) > limit:
        tie = np.nextafter(tie, 0.0)
    while np.round(above := np.nextafter(tie, np.inf), DIGITS) <= limit:
        tie = above
    return float(tie)


def kendall_b(gold: FloatArray, metric: FloatArray, epsilon: float = 0.0) -> FloatArray:
    """Return Kendall's tau-b; NaN if one side is all ties."""
    counts = count_pairs(gold, metric, epsilon)
    ordered = counts.concordant + counts.discordant
    gold_untied = (ordered + counts.tied_metric).astype(np.float64)
    metric_untied = ordered + counts.tied_gold
    return ratio(counts.concordant - counts.discordant, np.sqrt(gold_untied * metric_untied))


def kendall_c(gold: FloatArray, metric: FloatArray) -> FloatArray:
    """Return Stuart's tau-c, for sides with different numbers of values; NaN if one is constant."""
    counts = count_pairs(gold, metric)
    distinct = np.minimum(_distinct(gold), _distinct(metric))
    pairs = np.square(np.shape(gold)[-1]) * ratio(distinct - 1, distinct) / 2
    return ratio(counts.concordant - counts.discordant, pairs)


def _distinct(values: FloatArray) -> IntArray:
    """Count the different values along the last axis."""
    ordered = np.sort(rounded(np.asarray(values, np.float64)), axis=-1)
    return np.asarray(1 + np.count_nonzero(np.diff(ordered, axis=-1), axis=-1))


def acc_eq(
    gold: FloatArray, metric: FloatArray, epsilon: float = 0.0, scale: float | None = None
) -> FloatArray:
    """Return the share of pairs ordered or tied correctly (Deutsch et al. 2023)."""
    counts = count_pairs(gold, metric, epsilon, scale)
    return ratio(counts.concordant + counts.tied_both, counts.pairs)


def _rows(gold: FloatArray, metric: FloatArray) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
    """Return both as matrices with a row for each leading index, and the leading shape.

    Gold that is the same everywhere has one row.
    """
    gold, metric = np.asarray(gold, np.float64), np.asarray(metric, np.float64)
    if not (np.isfinite(gold).all() and np.isfinite(metric).all()):
        raise UsageError("pairs can be counted only where every score is a number")
    whole = np.broadcast_shapes(gold.shape, metric.shape)
    shape, size = whole[:-1], whole[-1]
    rows = int(np.prod(shape))
    gold = gold[None] if gold.ndim == 1 else np.broadcast_to(gold, whole).reshape(rows, size)
    return gold, np.broadcast_to(metric, whole).reshape(rows, size), shape


_Counts: TypeAlias = tuple[IntArray, IntArray, IntArray, IntArray]


def _count_short(keys: FloatArray, values: FloatArray, tie: float) -> _Counts:
    """Count the pairs of each short row by looking at all of them, in blocks to bound memory.

    If the keys of a pair are more than a tie apart, the value of the larger key is above, below or
    equal to the other one. The last count is of all pairs with equal values.
    """
    rows, size = keys.shape
    first, second = np.triu_indices(size, 1)

    def differences(part: FloatArray) -> FloatArray:
        columns = np.ascontiguousarray(part.T)
        return np.asarray(columns[first] - columns[second])

    counts = np.empty((4, rows), dtype=np.int64)
    block = max(1, _CELLS_NEAR // max(1, len(first)))
    orders = differences(values) if len(values) < rows else None
    for start in range(0, rows, block):
        part = slice(start, start + block)
        order = differences(values[part]) if orders is None else orders
        higher, lower = order > 0, order < 0
        apart = differences(keys[part])
        up, down = apart > tie, apart < -tie
        above = (up & higher) | (down & lower)
        below = (up & lower) | (down & higher)
        for row, each in enumerate((above, below, up | down, ~(higher | lower))):
            counts[row, part] = np.add.reduce(each.view(np.uint8), axis=0, dtype=np.uint8)
    return counts[0], counts[1], counts[2] - counts[0] - counts[1], counts[3]


def _count_long(keys: FloatArray, values: FloatArray, tie: float) -> _Counts:
    """Count the same for rows of any length."""
    rows, size = keys.shape
    values = np.broadcast_to(values, keys.shape)
    counts = np.zeros((3, rows), dtype=np.int64)
    block = max(1, _CELLS_AT_ONCE // max(1, size))
    for start in range(0, rows, block):
        part = slice(start, start + block)
        counts[:, part] = _count_block(keys[part], values[part], tie)
    return counts[0], counts[1], counts[2], _equal_pairs(values)


def _count_block(keys: FloatArray, values: FloatArray, tie: float) -> IntArray:
    rows, size = keys.shape
    order = np.argsort(keys, axis=1, kind="stable")
    keys = np.take_along_axis(keys, order, axis=1).ravel()
    values = np.take_along_axis(values, order, axis=1).ravel()
    ends = np.repeat(np.arange(1, rows + 1) * size, size)
    first = _first_apart(keys, ends, tie)
    _, ranks = np.unique(values, return_inverse=True)
    below, equal = _below_and_equal(ranks, first, ends)
    above = ends - first - below - equal
    return np.asarray(np.stack([above, below, equal]).reshape(3, rows, size).sum(axis=2))


def _first_apart(keys: FloatArray, ends: IntArray, tie: float) -> IntArray:
    """Return the first later position beyond a tie in the row of each position, or the end.

    The bisection uses the differences themselves, since key + threshold would be rounded.
    """
    low, high = np.arange(1, len(keys) + 1), ends.copy()
    while (low < high).any():
        middle = np.minimum((low + high) // 2, len(keys) - 1)
        is_apart = keys[middle] - keys > tie
        searching = low < high
        high = np.where(searching & is_apart, middle, high)
        low = np.where(searching & ~is_apart, middle + 1, low)
    return low


def _below_and_equal(
    ranks: IntArray, starts: IntArray, ends: IntArray
) -> tuple[IntArray, IntArray]:
    """Count for each rank the positions from start to end that are below and equal to it.

    From the highest bit down, values are split stably into those without and with the bit. A range
    stays a range on either side. If the rank has the bit, the values without it are below.
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
    """Count the pairs of equal values of each row."""
    ordered = np.sort(values, axis=1)
    place = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    opens = np.ones(values.shape, dtype=bool)
    opens[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=1)
    return np.asarray((place - first).sum(axis=1))


# Ordering of systems by a metric. Higher must be better in both scores; otherwise the caller
# changes the sign of the metric.
_SUM_ROUNDING = 1e-10  # of the sum of absolute scores; sums that differ by less count as equal


def soft_pair_distances(
    gold: FloatArray, metric: FloatArray, permutations: int = 1000, seed: int = 0
) -> FloatArray:
    """Return |p of gold − p of metric| for each pair of systems, symmetric.

    Soft pairwise accuracy (Thompson et al. 2024) is one minus their mean. As in WMT, single
    segments are exchanged between the two systems, regardless of their documents.
    """
    gold, metric = check_scores(gold, metric)
    if gold.ndim != 2:
        raise UsageError(f"soft pairwise accuracy needs (systems, segments), not {gold.ndim} axes")
    missing = np.isnan(gold)
    partly = int(np.count_nonzero(missing.any(axis=0) & ~missing.all(axis=0)))
    if partly:
        raise UsageError(
            f"{partly} segments have gold for some systems only; "
            "soft pairwise accuracy needs it for all systems or none"
        )
    kept = np.flatnonzero(~missing.any(axis=0))
    if not len(kept):
        raise UsageError("no segment has gold")
    p_gold, p_metric = (
        one_sided_p_values(scores[:, kept], permutations, seed) for scores in (gold, metric)
    )
    above: FloatArray = np.triu(np.nan_to_num(np.abs(p_gold - p_metric)), 1)
    return np.asarray(above + above.T)


def one_sided_p_values(scores: FloatArray, permutations: int, seed: int) -> FloatArray:
    """Return p of "the first system is better" for each pair of rows (systems, segments).

    In each permutation every segment keeps its two scores or exchanges them. p is the share of
    permutations whose difference of sums is above the observed one, plus half the share of equal
    ones. So p is near 0 if the first is better, near 1 if it is worse, and ½ for systems that never
    differ; the reversed pair has 1 − p. mt-metrics-eval counts equal differences in full, so that
    its p of a tied pair depends on the order of the systems. The exchanges depend only on the seed
    and the number of segments. The matrix is filled above the diagonal and NaN elsewhere.
    """
    if permutations < 1:
        raise UsageError(f"a permutation test needs at least one permutation, not {permutations}")
    blocks = [signs @ scores.T for signs in draw_signs(scores.shape[1], permutations, seed)]
    exchanged = np.concatenate(blocks)
    observed, sizes = scores.sum(axis=1), np.abs(scores).sum(axis=1)
    p = np.full((len(scores), len(scores)), np.nan)
    for first in range(len(scores) - 1):
        others = slice(first + 1, None)
        slack = _SUM_ROUNDING * np.maximum(sizes[first], sizes[others])
        beyond = exchanged[:, first, None] - exchanged[:, others]
        beyond -= observed[first] - observed[others]
        above = np.count_nonzero(beyond > slack, axis=0)
        equal = np.count_nonzero(np.abs(beyond) <= slack, axis=0)
        p[first, others] = (above + equal / 2) / permutations
    return p


def pair_features(scores: FloatArray, some: slice = slice(None)) -> FloatArray:
    """Return differences of all or some pairs of systems and their squares: (2, segments, pairs).

    Scores that are equal to twelve digits do not differ.
    """
    first, second = np.triu_indices(len(scores), 1)
    apart = scores[first[some]] - scores[second[some]]
    differences = rounded(apart, magnitude(scores)).T
    return np.stack([differences, differences**2])


def pair_p_values(sums: FloatArray) -> FloatArray:
    """Return p of "the first system is better" from sums (2, …, pairs).

    Exchanges change the sign of each difference, so their sum has mean 0 and the sum of squares as
    its variance. A pair that never differs has p = ½.
    """
    from scipy.special import ndtr

    total, squares = sums
    z = np.zeros(total.shape)
    np.divide(total, np.sqrt(np.maximum(squares, 0.0)), out=z, where=squares > 0)
    return np.asarray(ndtr(-z))
