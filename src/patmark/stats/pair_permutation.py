"""Is one metric right about more pairs of translations than another? Permutation of pairs.

For the accuracy with ties (acc_eq) the thresholds of the metrics are fixed first. Then each pair of
translations of one source is judged rightly or not, and under the null hypothesis the judgements of
two metrics can be exchanged pair by pair. The permuted differences are differences of signed sums,
one per metric, so all pairs of metrics come from one matrix product. This is not PERM-BOTH: there
the scores are exchanged, and the pairs are judged anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.correlation import DIGITS, check_scores
from patmark.stats.paired import system_pairs
from patmark.stats.permutations import MetricTests, PermutationPlan, one_sided_p

_CELLS_AT_ONCE = 1 << 23


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
    rows = max(1, _CELLS_AT_ONCE // max(1, len(shares)))
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
