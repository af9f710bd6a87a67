"""Tests of all pairs of metrics for a difference in agreement with human scores, two-sided.

Deutsch, Dror and Roth (2021) exchange systems or inputs:

* PERM-INPUTS exchanges the scores of two metrics in whole segments (or documents), with
  probability ½: what would other segments say of these systems?
* PERM-SYSTEMS exchanges them for whole systems: what would other systems say?

After an exchange, a sum over all parts is the kept part of one metric plus the exchanged part of
the other. Both follow from the product of the signs with each metric alone. So the sums behind a
coefficient cost one matrix product per metric, not per pair, and all pairs use the same exchanges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from patmark.data import (
    FloatArray,
    IntArray,
    ratio,
)
from patmark.errors import UsageError
from patmark.stats.correlation import (
    CONSTANT,
    AverageBy,
    Coefficient,
    acc_eq,
    as_groups,
    centred_in_items,
    check_scores,
    group_coefficients,
    mean_defined,
    pair_features,
    pair_p_values,
    pearson,
    pearson_of_sums,
)
from patmark.stats.distributions import student_cdf
from patmark.stats.significance import ALPHA, draw_signs, system_pairs

# sums (k, rows, groups) of a metric -> its coefficients (rows, groups)
_OfSums = Callable[[FloatArray], FloatArray]

_CELLS_AT_ONCE = 1 << 20
_PAIRS_AT_ONCE = 1 << 10
_ROUNDING = 1e-10  # of a coefficient; smaller differences count as zero
_DIGITS = 9
_FEW_UNITS = 16  # of which the same exchanges are drawn again and again


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Williams' t and the two-sided p of "the correlations differ"."""

    t: float
    p: float


def williams(r12: float, r13: float, r23: float, n: int, lost: float = 3) -> WilliamsTest:
    """Run Williams' test of two Pearson correlations with scores 1 on n complete cases.

    It tests if r12 and r13 differ, given the correlation r23 of the two metrics. t is positive if
    r12 is larger, and has n less ``lost`` degrees of freedom. NaN for n < 4, and if metrics 2 and 3
    agree so closely that the denominator vanishes.
    """
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if n < 4:
        return WilliamsTest(float("nan"), float("nan"))
    middle = (r12 + r13) / 2
    variance = 2 * determinant * (n - 1) / (n - 3) + middle**2 * (1 - r23) ** 3
    if not variance > CONSTANT:
        return WilliamsTest(float("nan"), float("nan"))
    t = (r12 - r13) * float(np.sqrt((n - 1) * (1 + r23) / variance))
    return WilliamsTest(t, 2 * student_cdf(-abs(t), n - lost))


@dataclass(frozen=True, slots=True, eq=False)
class PermutationPlan:
    """Settings of the exchanges of two metrics.

    ``unit_of_segment`` numbers the unit of each segment, such as its document, from 0. A unit is
    exchanged as a whole, over all systems. Without it segments are exchanged. p is (b + 1)/(k + 1),
    where b of k permutations reach the observed difference; without ``plus_one`` it is b/k, as in
    MTME.
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

    def units(self, segments: int) -> IntArray:
        """Return the unit of each segment, checked and numbered without gaps."""
        if self.unit_of_segment is None:
            return np.arange(segments)
        if self.unit_of_segment.shape != (segments,):
            raise UsageError(
                f"exchange units of shape {self.unit_of_segment.shape} do not fit "
                f"{segments} segments"
            )
        return np.unique(self.unit_of_segment, return_inverse=True)[1].astype(np.int64)

    def differences(
        self, units: int, rows: int, compute: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return differences (pairs, permutations) that are computed from signs in blocks of rows.

        All signs turned turn a difference, so that an exchange of few units is computed once,
        however often it or its reverse is drawn.
        """
        if units > _FEW_UNITS:
            return np.concatenate([compute(block) for block in self.signs(units, rows)], axis=1)
        signs = np.concatenate(list(self.signs(units, self.permutations)))
        turn = signs[:, :1] if units else np.ones((len(signs), 1))
        signs = signs * turn
        codes = (signs < 0) @ (1 << np.arange(units))
        _, first, place = np.unique(codes, return_index=True, return_inverse=True)
        blocks = [signs[first[start : start + rows]] for start in range(0, len(first), rows)]
        found = np.concatenate([compute(block) for block in blocks], axis=1)
        return np.asarray(found[:, place] * turn[:, 0])

    def signs(self, units: int, rows: int) -> Iterator[FloatArray]:
        """Yield −1 (exchanged) or 1 for each permutation and unit, in blocks of rows."""
        for block in draw_signs(units, self.permutations, self.seed):
            for start in range(0, len(block), rows):
                yield block[start : start + rows]


@dataclass(frozen=True, slots=True, eq=False)
class MetricTests:
    """The value of each metric, and p[a, b], two-sided, of "metrics a and b differ".

    ``deltas`` (pairs, draws) are differences, first minus second, after exchanges. They are
    differences of ``compared``, which are the values unless another scale was chosen. ``undefined``
    counts the draws without a difference for a pair, which do not enter its p. ``units`` are
    exchanged as wholes. If differences are ``discrete``, as for pairwise accuracy, an exchange that
    gives the observed one counts as half (mid-p), because counting it in full makes the test
    conservative.
    """

    values: FloatArray
    deltas: FloatArray
    units: int
    plus_one: bool = True
    compared: FloatArray | None = None
    discrete: bool = False

    @property
    def draws(self) -> int:
        """Number of permutations."""
        return len(self.deltas.T)

    @property
    def undefined(self) -> IntArray:
        """The number of draws without a difference, for each two metrics."""
        return self._of_pairs(np.count_nonzero(np.isnan(self.deltas), axis=1), 0).astype(np.int64)

    @property
    def p(self) -> FloatArray:
        """The p of each two metrics; 1 of a metric with itself, NaN if a value is undefined."""
        pairs = system_pairs(len(self.values))
        compared = self.values if self.compared is None else self.compared
        found = [
            self._exchanged_p(float(compared[a] - compared[b]), drawn[~np.isnan(drawn)])
            for (a, b), drawn in zip(pairs, self.deltas, strict=True)
        ]
        p = self._of_pairs(np.array(found), 1.0)
        p[np.isnan(self.values)] = np.nan
        p[:, np.isnan(self.values)] = np.nan
        return p

    @property
    def attainable(self) -> FloatArray:
        """The share of exchanges of each pair whose own p would be at most 5 %.

        It is the actual level of the test on these scores, which few systems or units may keep
        below 5 %. 0 means that no difference could be significant.
        """
        found = []
        for drawn in self.deltas:
            known = np.round(drawn[~np.isnan(drawn)], _DIGITS)
            sizes, counts = np.unique(np.abs(known), return_counts=True)
            low = [self._exchanged_p(size, known) <= ALPHA for size in sizes.tolist()]
            found.append(counts[low].sum() / max(1, len(known)))
        return self._of_pairs(np.array(found), 0.0)

    def _exchanged_p(self, delta: float, deltas: FloatArray) -> float:
        if isnan(delta) or not len(deltas):
            return float("nan")
        reached = int(np.count_nonzero(np.abs(deltas) >= abs(delta) - _ROUNDING)) + self.plus_one
        beyond = int(np.count_nonzero(np.abs(deltas) > abs(delta) + _ROUNDING))
        counted = (reached + beyond) / 2 if self.discrete else reached
        return counted / (len(deltas) + self.plus_one)

    def _of_pairs(self, found: FloatArray | IntArray, own: float) -> FloatArray:
        """Return a symmetric matrix from one number for each pair."""
        table = np.full((len(self.values), len(self.values)), own)
        first, second = np.triu_indices(len(table), 1)
        table[first, second] = table[second, first] = found
        return table


def averaged_tests(tests: Sequence[MetricTests]) -> MetricTests:
    """Average one test of the same metrics over several data sets, such as language pairs.

    Values and differences are averaged with equal weights, as WMT averages tasks. The sets must
    have been drawn independently.
    """
    return replace(
        tests[0],
        values=np.mean([one.values for one in tests], axis=0),
        compared=np.mean(
            [one.values if one.compared is None else one.compared for one in tests], axis=0
        ),
        deltas=np.mean([one.deltas for one in tests], axis=0),
        units=sum(one.units for one in tests),
    )


def exchange_segments(
    gold: FloatArray,
    metrics: FloatArray,
    average_by: AverageBy = "none",
    plan: PermutationPlan | None = None,
    coefficient: Coefficient = pearson,
) -> MetricTests:
    """Run PERM-INPUTS of segment-level correlations for all pairs of metrics.

    ``gold`` (systems, segments) holds human scores, NaN if missing; ``metrics`` (metrics, systems,
    segments) those of each metric. Within items any coefficient is possible; over all cells or
    within systems, Pearson.
    """
    plan = plan or PermutationPlan()
    scores = _standardised(gold, metrics)
    if average_by == "item":
        per_item = [group_coefficients(gold, one, coefficient, "item") for one in metrics]
        return exchange_items(np.array(per_item), plan)
    if coefficient is not pearson:
        raise UsageError("over all cells or by system only Pearson is tested; average by item")
    features, of_sums = _pearson_features(gold, scores, average_by)
    features = features.sum(axis=2, keepdims=True) if average_by == "none" else features
    return _exchanged(np.swapaxes(features, 2, 3), of_sums, plan)


def exchange_items(per_item: FloatArray, plan: PermutationPlan | None = None) -> MetricTests:
    """Run PERM-INPUTS of means over items from coefficients (metrics, items), NaN if undefined.

    The coefficient of an item is exchanged as a whole.
    """
    defined = ~np.isnan(per_item)
    features = np.stack([np.where(defined, per_item, 0.0), defined])[..., None]
    return _exchanged(features, lambda sums: ratio(*sums), plan or PermutationPlan())


def exchange_system_segments(
    gold: FloatArray,
    metrics: FloatArray,
    coefficient: Coefficient = pearson,
    plan: PermutationPlan | None = None,
) -> MetricTests:
    """Run PERM-INPUTS of correlations between mean scores of systems, all pairs of metrics.

    Arguments as for segments. Pairwise accuracy is the coefficient ``acc_eq``. Means are over the
    segments with a human score; a system without any is left out.
    """
    features = np.swapaxes(_standardised(gold, metrics), 1, 2)[None]
    found = _exchanged(features, _of_means(gold, coefficient), plan or PermutationPlan())
    return replace(found, discrete=coefficient is acc_eq and found.plus_one)


def exchange_soft_accuracy(
    gold: FloatArray, metrics: FloatArray, plan: PermutationPlan | None = None
) -> MetricTests:
    """Run PERM-INPUTS of soft pairwise accuracy.

    Its p-values use the normal approximation, which needs only sums of differences and of their
    squares. Nested permutations would take hours.
    """
    kept = _judged(gold)
    scores = _on_one_scale(metrics[:, :, kept])
    plan = plan or PermutationPlan()
    if plan.unit_of_segment is not None:
        plan = replace(plan, unit_of_segment=plan.unit_of_segment[kept])

    def summed(some: slice) -> MetricTests:
        """Exchange distances from gold, summed over some pairs of systems."""
        of_gold = pair_p_values(pair_features(gold[:, kept], some).sum(axis=1))

        def nearness(sums: FloatArray) -> FloatArray:
            found: FloatArray = -np.abs(pair_p_values(sums) - of_gold).sum(axis=-1)
            return found[:, None]

        features = np.stack([pair_features(one, some) for one in scores], axis=1)
        return _exchanged(features, nearness, plan)

    count = len(gold) * (len(gold) - 1) // 2
    starts = range(0, max(1, count), _PAIRS_AT_ONCE)
    parts = [summed(slice(start, start + _PAIRS_AT_ONCE)) for start in starts]
    values, deltas = (sum(getattr(one, of) for one in parts) / count for of in ("values", "deltas"))
    return replace(parts[0], values=1 + values, deltas=deltas)


def exchange_systems(
    gold: FloatArray,
    metrics: FloatArray,
    coefficient: Coefficient = pearson,
    plan: PermutationPlan | None = None,
    *,
    fisher: bool = True,
) -> MetricTests:
    """Run PERM-SYSTEMS of system scores: ``gold`` (systems,), ``metrics`` (metrics, systems).

    With fewer than six systems there are too few exchanges for any p of 5 %. Pearson is compared on
    Fisher's scale, atanh r. Metrics are standardised before they are exchanged, which makes plain
    differences of high correlations too rare. Without ``fisher`` they are plain, as in
    mt-metrics-eval.
    """
    scale = _fisher_z if fisher and coefficient is pearson else np.asarray
    plan = plan or PermutationPlan()
    centred = metrics - metrics.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=1, keepdims=True))
    scores = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    values = np.array([float(coefficient(gold, one)) for one in metrics])

    def exchanged(signs: FloatArray) -> FloatArray:
        deltas = []
        for a, b in system_pairs(len(metrics)):
            middle, half = (scores[a] + scores[b]) / 2, signs * (scores[a] - scores[b]) / 2
            one, other = coefficient(gold, middle + half), coefficient(gold, middle - half)
            deltas.append(scale(one) - scale(other))
        return _as_rows(deltas, len(signs))

    deltas = plan.differences(len(gold), plan.permutations, exchanged)
    return MetricTests(
        values, deltas, len(gold), plus_one=plan.plus_one, compared=scale(values),
        discrete=coefficient is acc_eq and plan.plus_one,
    )  # fmt: skip


def _fisher_z(r: FloatArray) -> FloatArray:
    """Return atanh r, bounded if r is 1 up to rounding."""
    return np.asarray(np.arctanh(np.clip(r, CONSTANT - 1, 1 - CONSTANT)))


def exchange_systems_soft_accuracy(
    gold: FloatArray, metrics: FloatArray, plan: PermutationPlan | None = None
) -> MetricTests:
    """Run PERM-SYSTEMS of soft pairwise accuracy from scores of segments."""
    plan = plan or PermutationPlan()
    kept = _judged(gold)
    scores = _on_one_scale(metrics[:, :, kept])
    first, second = np.triu_indices(len(gold), 1)
    of_gold = pair_p_values(pair_features(gold[:, kept]).sum(axis=1))
    pairs = system_pairs(len(metrics))
    tables, values = [], np.full(len(metrics), np.nan)
    for a, b in pairs:
        rows = np.concatenate([scores[a], scores[b]])
        sums, products = rows.sum(axis=1), rows @ rows.T
        squares = np.diag(products)[:, None] + np.diag(products) - 2 * products
        tables.append(pair_p_values(np.stack([sums[:, None] - sums, squares])))

    def accuracy(p: FloatArray, chosen: IntArray) -> FloatArray:
        """Return the accuracy of systems with scores of either metric, from p of all pairs."""
        found = np.ascontiguousarray(p[chosen[:, first], chosen[:, second]])
        return np.asarray(1 - np.abs(found - of_gold).mean(axis=1))

    for pair, p in zip(pairs, tables, strict=True):
        values[list(pair)] = accuracy(p, np.arange(2 * len(gold)).reshape(2, -1))

    def exchanged(signs: FloatArray) -> FloatArray:
        there = np.arange(len(gold)) + len(gold) * (signs < 0)
        other = (there + len(gold)) % (2 * len(gold))
        deltas = [accuracy(p, there) - accuracy(p, other) for p in tables]
        return _as_rows(deltas, len(signs))

    deltas = plan.differences(len(gold), plan.permutations, exchanged)
    return MetricTests(values, deltas, len(gold), plus_one=plan.plus_one)


def _on_one_scale(metrics: FloatArray) -> FloatArray:
    """Return scores (metrics, systems, segments) that can be exchanged between metrics.

    The segment mean is removed, as it does not distinguish systems.
    """
    scores = metrics - metrics.mean(axis=1, keepdims=True)
    spread = scores.std(axis=(1, 2), keepdims=True)
    scaled: FloatArray = np.divide(scores, spread, out=np.zeros_like(scores), where=spread > 0)
    return scaled


def exchange_systems_in_items(
    gold: FloatArray, metrics: FloatArray, plan: PermutationPlan | None = None
) -> MetricTests:
    """Run PERM-SYSTEMS of Pearson within items, averaged; arguments as for segments."""
    plan = plan or PermutationPlan()
    scores = _standardised(gold, centred_in_items(metrics, ~np.isnan(gold)))
    features, of_sums = _pearson_features(gold, scores, "item")
    return _exchanged(features, of_sums, replace(plan, unit_of_segment=None))


def _judged(gold: FloatArray) -> IntArray:
    return np.flatnonzero(~np.isnan(gold).any(axis=0))


def _as_rows(deltas: Sequence[FloatArray], draws: int) -> FloatArray:
    return np.stack(deltas) if deltas else np.empty((0, draws))


def _standardised(gold: FloatArray, metrics: FloatArray) -> FloatArray:
    """Return z-scores of each metric over the cells that have a human score; zero elsewhere."""
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
    """Return human scores centred and of length one within each group, and the group sizes.

    Missing scores are zero. Groups with too few or constant human scores have the size NaN.
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


def _pearson_features(
    gold: FloatArray, scores: FloatArray, by: AverageBy
) -> tuple[FloatArray, _OfSums]:
    """Return the summands of Pearson (3, metrics, systems, segments), and r of their sums."""
    of_group, counts = _unit_gold(gold, by)
    features = np.stack([scores, scores**2, scores * of_group])
    return features, lambda sums: pearson_of_sums(counts, *sums)


def _of_means(gold: FloatArray, coefficient: Coefficient) -> _OfSums:
    """Return a coefficient of the means of systems, over the segments with a human score."""
    counts = np.count_nonzero(~np.isnan(gold), axis=1)
    known = counts > 0
    human = np.nansum(gold[known], axis=1) / counts[known]
    return lambda sums: coefficient(human, sums[0][:, known] / counts[known])[:, None]


def _exchanged(features: FloatArray, coefficients: _OfSums, plan: PermutationPlan) -> MetricTests:
    """Exchange parts of features (k, metrics, parts, groups), sum over parts, correlate."""
    size, count, parts, groups = features.shape
    unit = plan.units(parts)
    units = int(unit.max(initial=-1)) + 1
    columns = np.moveaxis(features, 2, 0).reshape(parts, size * count * groups)
    if units < parts:
        summed = np.zeros((units, columns.shape[1]))
        np.add.at(summed, unit, columns)
        columns = summed

    totals = features.sum(axis=2)[:, :, None]
    observed = np.concatenate([coefficients(one) for one in totals.swapaxes(0, 1)])
    rows = max(1, _CELLS_AT_ONCE // max(1, totals.size, units))

    def exchanged(signs: FloatArray) -> FloatArray:
        signed = np.moveaxis((signs @ columns).reshape(-1, size, count, groups), 0, 2)
        return _permuted(totals, signed, coefficients)

    deltas = plan.differences(units, rows, exchanged)
    return MetricTests(mean_defined(observed), deltas, units, plus_one=plan.plus_one)


def _permuted(totals: FloatArray, signed: FloatArray, coefficients: _OfSums) -> FloatArray:
    """Return differences of all pairs of metrics after exchanges, (pairs, rows)."""
    size, count, _, groups = totals.shape
    stays = (totals + signed) / 2
    pairs = system_pairs(count)
    deltas = np.empty((len(pairs), stays.shape[2]))
    sums = np.empty((size, stays.shape[2], groups))  # reused, to stay in the processor cache
    for pair, (a, b) in enumerate(pairs):
        np.subtract(stays[:, a], stays[:, b], out=sums)
        sums += totals[:, b]
        deltas[pair] = mean_defined(coefficients(sums))
        np.subtract(totals[:, a] + totals[:, b], sums, out=sums)
        deltas[pair] -= mean_defined(coefficients(sums))
    return deltas
