"""Is one metric closer to human scores than another? Williams, PERM-BOTH, permutation of pairs.

PERM-BOTH (Deutsch, Dror and Roth 2021) exchanges the scores of two metrics in each cell of the
systems × segments table with probability ½. Whatever the exchange, a sum over cells is the part of
one metric that stays plus the part of the other that comes in; both follow from the product of the
signs with each metric alone. So the sums behind a correlation cost one matrix product per metric,
not per pair, and all pairs see the same exchanges.

The permutation of pairs is for the accuracy with ties (acc_eq): the thresholds of the metrics are
fixed first. Then each pair of translations of one source is judged rightly or not, and under the
null hypothesis the judgements of two metrics can be exchanged pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.correlation import (
    DIGITS,
    AverageBy,
    Coefficient,
    as_groups,
    check_scores,
    pearson,
)
from patmark.stats.paired import draw_signs, system_pairs

_Arrangement: TypeAlias = AverageBy | Literal["cell"]
# sums (k, rows, groups) of a metric -> its coefficients (rows, groups)
_OfSums: TypeAlias = Callable[[FloatArray], FloatArray]

_CELLS_AT_ONCE = 1 << 21
_CONSTANT = 1e-12  # share of a sum of squares below which a spread is rounding


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Williams' t and the one-sided p of "the first metric correlates better"."""

    t: float
    p: float


def williams(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Williams' test of two Pearson correlations with the same scores 1, on n complete cases.

    Asks whether r12 is larger than r13, where r23 relates the two metrics. NaN for n < 4, and
    where metrics 2 and 3 agree so closely that the test has no denominator.
    """
    from scipy.special import stdtr

    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if n < 4:
        return WilliamsTest(float("nan"), float("nan"))
    middle = (r12 + r13) / 2
    variance = 2 * determinant * (n - 1) / (n - 3) + middle**2 * (1 - r23) ** 3
    if not variance > _CONSTANT:
        return WilliamsTest(float("nan"), float("nan"))
    t = (r12 - r13) * float(np.sqrt((n - 1) * (1 + r23) / variance))
    return WilliamsTest(t, float(stdtr(n - 3, -t)))


def perm_both_segments(
    gold: FloatArray,
    metrics: FloatArray,
    coefficient: Coefficient = pearson,
    average_by: AverageBy = "none",
    plan: PermutationPlan | None = None,
) -> MetricTests:
    """PERM-BOTH of segment-level correlations, for all pairs of metrics.

    ``gold`` (systems, segments) holds human scores, NaN where there is none; ``metrics`` (metrics,
    systems, segments) those of each metric. The coefficient is taken over all cells, or within
    each item or system and averaged. Only Pearson follows from sums; others are computed anew for
    every permutation of every pair, which takes far longer.
    """
    scores = _standardised(gold, metrics)
    if coefficient is not pearson:
        of_cells = _coefficients_of_cells(gold, coefficient, average_by)
        return _perm_both(scores[None], "cell", of_cells, plan or PermutationPlan())
    of_group, counts = _unit_gold(gold, average_by)
    features = np.stack([scores * of_group, scores, scores**2])
    return _perm_both(features, average_by, _pearson_of_sums(counts), plan or PermutationPlan())


def perm_both_systems(
    gold: FloatArray,
    metrics: FloatArray,
    coefficient: Coefficient = pearson,
    plan: PermutationPlan | None = None,
) -> MetricTests:
    """PERM-BOTH of correlations between the mean scores of systems, for all pairs of metrics.

    Arguments as for segments. Pairwise accuracy is the coefficient ``acc_eq``. Means are over the
    segments with a human score; a system without any is left out.
    """
    counts = np.count_nonzero(~np.isnan(gold), axis=1)
    known = counts > 0
    human = np.nansum(gold[known], axis=1) / counts[known]

    def of_means(sums: FloatArray) -> FloatArray:
        return coefficient(human, sums[0][:, known] / counts[known])[:, None]

    scores = _standardised(gold, metrics)
    return _perm_both(scores[None], "system", of_means, plan or PermutationPlan())


def _standardised(gold: FloatArray, metrics: FloatArray) -> FloatArray:
    """z-scores of each metric over the cells that have a human score; zero elsewhere."""
    if metrics.ndim != 3 or not len(metrics):
        raise UsageError(
            f"expected metrics of shape (metrics, systems, segments), not {metrics.shape}"
        )
    for metric in metrics:
        check_scores(gold, metric)
    retained = ~np.isnan(gold)
    scores = np.zeros(metrics.shape)
    if retained.any():
        values = metrics[:, retained]
        centred = values - values.mean(axis=1, keepdims=True)
        spread = np.where(np.ptp(values, axis=1) > 0, values.std(axis=1), np.inf)
        scores[:, retained] = centred / spread[:, None]
    return scores


def _unit_gold(gold: FloatArray, by: AverageBy) -> tuple[FloatArray, FloatArray]:
    """Human scores centred and of length one within each group, and the sizes of the groups.

    Missing scores are zero. Groups whose human scores are too few or constant have the size NaN.
    """
    groups = as_groups(gold, by)
    present = ~np.isnan(groups)
    counts = np.count_nonzero(present, axis=1)
    lowest = np.where(present, groups, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(present, groups, -np.inf).max(axis=1, initial=-np.inf)
    defined = highest > lowest
    used = present & defined[:, None]
    means = np.where(used, groups, 0.0).sum(axis=1) / np.maximum(counts, 1)
    centred = np.where(used, groups - means[:, None], 0.0)
    length = np.where(defined, np.sqrt((centred**2).sum(axis=1)), 1.0)
    unit = centred / length[:, None]
    table = (unit.T if by == "item" else unit).reshape(gold.shape)
    return table, np.where(defined, counts, np.nan)


def _pearson_of_sums(counts: FloatArray) -> _OfSums:
    """Pearson from sums of score × gold, score and score², gold being centred and of length one.

    One array holds what comes between, because most of the time of a test is spent here.
    """
    shares = 1 / counts

    def coefficients(sums: FloatArray) -> FloatArray:
        products, plain, squares = sums
        found: FloatArray = np.square(plain)
        found *= shares
        np.subtract(squares, found, out=found)
        if not found.min(initial=np.inf) > _CONSTANT * squares.max(initial=0.0):
            found[~(found > _CONSTANT * squares)] = np.nan
        np.sqrt(found, out=found)
        np.divide(products, found, out=found)
        return found

    return coefficients


def _coefficients_of_cells(gold: FloatArray, coefficient: Coefficient, by: AverageBy) -> _OfSums:
    """Any coefficient within groups, from the scores of all cells; equal sizes are done at once."""
    human = gold.ravel()
    places = np.arange(gold.size, dtype=np.float64).reshape(gold.shape)
    cells = as_groups(places, by).astype(np.int64)
    retained = ~np.isnan(human[cells])
    sizes = np.count_nonzero(retained, axis=1)
    by_size = {
        int(size): cells[sizes == size][retained[sizes == size]].reshape(-1, size)
        for size in np.unique(sizes[sizes >= 2])
    }

    def coefficients(sums: FloatArray) -> FloatArray:
        found = np.full((sums.shape[1], len(cells)), np.nan)
        for size, place in by_size.items():
            found[:, sizes == size] = coefficient(human[place], sums[0][:, place])
        return found

    return coefficients


def _perm_both(
    features: FloatArray, by: _Arrangement, coefficients: _OfSums, plan: PermutationPlan
) -> MetricTests:
    """Exchange features (k, metrics, systems, segments), sum them within groups, correlate."""
    size, count, systems, segments = features.shape
    cells = _arranged(features.reshape(size * count, systems, segments), by)
    cells = np.ascontiguousarray(cells.swapaxes(1, 2))
    totals = cells.sum(axis=1).T.reshape(size, count, 1, -1)
    observed = np.concatenate([coefficients(totals[:, metric]) for metric in range(count)])
    rows = max(1, _CELLS_AT_ONCE // max(1, totals.size, systems * segments))
    units = _units_of_cells(systems, segments, plan)
    deltas = [
        _permuted(totals, np.ascontiguousarray((_arranged(signs, by) @ cells).T), coefficients)
        for signs in _cell_signs(units, plan, rows)
    ]
    values = _mean_of_groups(observed)
    p, undefined = one_sided_p(np.concatenate(deltas, axis=1), values, plan.plus_one)
    return MetricTests(
        values=values,
        p=p,
        permutations=plan.permutations,
        units=int(units.max(initial=-1)) + 1,
        undefined=undefined,
        groups=observed.shape[1],
        undefined_groups=np.count_nonzero(np.isnan(observed), axis=1),
    )


def _permuted(totals: FloatArray, signed: FloatArray, coefficients: _OfSums) -> FloatArray:
    """Differences of all pairs of metrics after exchanges, (pairs, rows), from signed sums."""
    size, count, _, groups = totals.shape
    stays = (totals + signed.reshape(size, count, -1, groups)) / 2
    pairs = system_pairs(count)
    deltas = np.empty((len(pairs), stays.shape[2]))
    sums = np.empty((size, *stays.shape[2:]))  # used again and again, to stay near the processor
    for pair, (a, b) in enumerate(pairs):
        np.subtract(stays[:, a], stays[:, b], out=sums)
        sums += totals[:, b]
        deltas[pair] = _mean_of_groups(coefficients(sums))
        np.subtract(totals[:, a] + totals[:, b], sums, out=sums)
        deltas[pair] -= _mean_of_groups(coefficients(sums))
    return deltas


def _arranged(table: FloatArray, by: _Arrangement) -> FloatArray:
    """A table (rows, systems, segments) as groups of cells, (groups, rows, cells)."""
    if by == "none":
        return table.reshape(1, len(table), -1)
    if by == "cell":
        return np.ascontiguousarray(table.reshape(len(table), -1).T[..., None])
    return np.ascontiguousarray(np.moveaxis(table, 2 if by == "item" else 1, 0))


def _units_of_cells(systems: int, segments: int, plan: PermutationPlan) -> IntArray:
    """The exchange unit of each cell (systems, segments)."""
    of_segment = plan.units(segments)
    if of_segment is None:
        return np.arange(systems * segments).reshape(systems, segments)
    return np.tile(of_segment, (systems, 1))


def _cell_signs(units: IntArray, plan: PermutationPlan, rows: int) -> Iterator[FloatArray]:
    """Signs (rows, systems, segments) for blocks of permutations."""
    count = int(units.max(initial=-1)) + 1
    for signs in plan.signs(count, rows):
        whole = count == units.size
        yield signs.reshape(-1, *units.shape) if whole else signs[:, units]


def _mean_of_groups(found: FloatArray) -> FloatArray:
    """Means of the coefficients (rows, groups) that are defined; NaN where none is."""
    means: FloatArray = found.mean(axis=1)
    if not np.isnan(means).any():
        return means
    defined = ~np.isnan(found)
    counts = np.count_nonzero(defined, axis=1)
    sums = np.where(defined, found, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


_ROUNDING = 1e-10  # of a coefficient; differences that are equal but for this count as equal


@dataclass(frozen=True, slots=True, eq=False)
class PermutationPlan:
    """How two metrics are exchanged.

    ``unit_of_segment`` numbers the unit of each segment, such as its document, from 0; what
    belongs to a unit is exchanged as a whole, over all systems. Without it the smallest parts are
    exchanged one by one. p is (b + 1)/(k + 1), where b of k permutations reach the observed
    difference; without ``plus_one`` it is b/k, as in MTME.
    """

    permutations: int = 1000
    seed: int = 0
    unit_of_segment: IntArray | None = None
    plus_one: bool = True

    def __post_init__(self) -> None:
        if self.permutations < 1:
            raise UsageError(
                f"a permutation test needs at least one permutation, not {self.permutations}"
            )

    def units(self, segments: int) -> IntArray | None:
        """The unit of each segment, checked and numbered without gaps."""
        if self.unit_of_segment is None:
            return None
        if self.unit_of_segment.shape != (segments,):
            raise UsageError(
                f"exchange units of shape {self.unit_of_segment.shape} do not fit "
                f"{segments} segments"
            )
        return np.unique(self.unit_of_segment, return_inverse=True)[1].astype(np.int64)

    def signs(self, units: int, rows: int) -> Iterator[FloatArray]:
        """For each permutation and unit −1 (exchanged) or 1, in blocks of at most so many rows."""
        for block in draw_signs(units, self.permutations, self.seed):
            for start in range(0, len(block), rows):
                yield block[start : start + rows]


@dataclass(frozen=True, slots=True, eq=False)
class MetricTests:
    """The value of each metric and p[a, b], one-sided, of "metric a is better than metric b".

    ``values`` are means over ``groups``; ``undefined_groups`` counts those that have no value for
    a metric and are left out of its mean. ``undefined`` counts the permutations that gave no
    difference for a pair and do not enter its p. ``units`` are exchanged as wholes.
    """

    values: FloatArray
    p: FloatArray
    permutations: int
    units: int
    undefined: IntArray
    groups: int
    undefined_groups: IntArray


def one_sided_p(
    deltas: FloatArray, values: FloatArray, plus_one: bool
) -> tuple[FloatArray, IntArray]:
    """p[a, b] of "a is better than b", and the number of permutations without a difference.

    ``deltas`` (pairs, permutations) are permuted differences, first minus second, of all pairs of
    metrics; ``values`` the observed ones. A metric against itself has p = 1; p is NaN where a
    value is.
    """
    p = np.where(np.isnan(values)[:, None], np.nan, np.eye(len(values)))
    undefined = np.zeros(p.shape, dtype=np.int64)
    for (a, b), permuted in zip(system_pairs(len(values)), deltas, strict=True):
        valid = permuted[~np.isnan(permuted)]
        undefined[a, b] = undefined[b, a] = len(permuted) - len(valid)
        delta = values[a] - values[b]
        at_least = int(np.count_nonzero(valid >= delta - _ROUNDING))
        at_most = int(np.count_nonzero(valid <= delta + _ROUNDING))
        draws = 0 if np.isnan(delta) else len(valid)
        p[a, b] = _share(at_least, draws, plus_one)
        p[b, a] = _share(at_most, draws, plus_one)
    return p, undefined


def _share(count: int, draws: int, plus_one: bool) -> float:
    if not draws:
        return float("nan")
    return (count + 1) / (draws + 1) if plus_one else count / draws


_PAIR_CELLS_AT_ONCE = 1 << 23


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Whether each metric judges each pair rightly, (pairs, metrics), and where the pair is from.

    ``segment`` is the position of the pair's segment; ``weights`` add up to one and give each
    segment that has a pair the same part. ``segments`` counts all, ``empty`` those without a pair.
    """

    correct: NDArray[np.bool_]
    weights: FloatArray
    segment: IntArray
    segments: int
    empty: int


def judge_pairs(gold: FloatArray, metrics: FloatArray, epsilons: FloatArray) -> JudgedPairs:
    """Judge all pairs of systems on each segment where both have a human score.

    ``gold`` has the shape (systems, segments), ``metrics`` (metrics, systems, segments). A metric
    ties two translations that differ by at most its epsilon; people tie equal scores. A judgement
    is right if both order the pair the same way, or both tie it.
    """
    if metrics.ndim != 3 or metrics.shape[1:] != gold.shape or len(epsilons) != len(metrics):
        raise UsageError(
            f"metrics of shape {metrics.shape} and {len(epsilons)} epsilons do not fit human "
            f"scores of shape {gold.shape}; expected (metrics, systems, segments)"
        )
    pairs = np.array(system_pairs(len(gold)), dtype=np.int64).reshape(-1, 2)
    gold = np.round(gold, DIGITS)
    human = np.sign(gold[pairs[:, 0]] - gold[pairs[:, 1]])
    judged = ~np.isnan(human)
    correct = np.empty((np.count_nonzero(judged), len(metrics)), dtype=np.bool_)
    for metric, (scores, epsilon) in enumerate(zip(metrics, epsilons, strict=True)):
        check_scores(gold, scores)
        differences = np.round((scores[pairs[:, 0]] - scores[pairs[:, 1]])[judged], DIGITS)
        tied = np.abs(differences) <= round(float(epsilon), DIGITS)
        correct[:, metric] = np.where(tied, 0.0, np.sign(differences)) == human[judged]
    per_segment = judged.sum(axis=0)
    segment = np.nonzero(judged)[1]
    filled = int(np.count_nonzero(per_segment))
    weights = 1.0 / (per_segment[segment] * max(1, filled))
    return JudgedPairs(correct, weights, segment, gold.shape[1], gold.shape[1] - filled)


def permute_pairs(pairs: JudgedPairs, plan: PermutationPlan | None = None) -> MetricTests:
    """p of "this metric's acc_eq is higher than that one's", for all pairs of metrics.

    The values are accuracies averaged over segments. With exchange units all pairs of a unit's
    segments are exchanged together.
    """
    plan = plan or PermutationPlan()
    metrics = pairs.correct.shape[1]
    unit = plan.units(pairs.segments)
    shares = pairs.weights[:, None] * pairs.correct
    if unit is not None:
        shares = _totals(shares, unit[pairs.segment], int(unit.max(initial=-1)) + 1)
    signed = np.empty((plan.permutations, metrics))
    rows = max(1, _PAIR_CELLS_AT_ONCE // max(1, len(shares)))
    start = 0
    for signs in plan.signs(len(shares), rows):
        signed[start : start + len(signs)] = signs @ shares
        start += len(signs)
    values = shares.sum(axis=0) if len(pairs.correct) else np.full(metrics, np.nan)
    first, second = np.triu_indices(metrics, 1)
    p, undefined = one_sided_p((signed[:, first] - signed[:, second]).T, values, plan.plus_one)
    empty = np.full(metrics, pairs.empty)
    return MetricTests(values, p, plan.permutations, len(shares), undefined, pairs.segments, empty)


def _totals(values: FloatArray, unit: IntArray, units: int) -> FloatArray:
    """Sums of the rows of each unit, (units, columns)."""
    return np.stack(
        [np.bincount(unit, weights=column, minlength=units) for column in values.T], axis=1
    )
