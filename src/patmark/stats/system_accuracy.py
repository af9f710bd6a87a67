"""How well a metric orders systems: pairwise accuracy, and its soft form.

Higher must be better in both scores; a metric for which it is not is given with the sign changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.correlation import check_scores
from patmark.stats.pair_counts import acc_eq
from patmark.stats.paired import draw_signs

_ROUNDING = 1e-10  # of the sum of absolute scores; sums that differ by less count as equal


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Agreement of two scores over pairs of systems, 1 for full agreement; NaN without pairs."""

    value: float
    pairs: int


def pairwise_accuracy(gold: FloatArray, metric: FloatArray) -> PairwiseAccuracy:
    """The share of pairs of systems that both scores order alike; a tie agrees with a tie.

    One score for each system; systems without gold are left out. Differences count to twelve
    digits. To pool language pairs, weight each value by its pairs.
    """
    gold, metric = check_scores(gold, metric)
    if gold.ndim != 1:
        raise UsageError(f"pairwise accuracy needs one score for each system, not {gold.ndim} axes")
    present = ~np.isnan(gold)
    systems = int(np.count_nonzero(present))
    value = float(acc_eq(gold[present], metric[present]))
    return PairwiseAccuracy(value, systems * (systems - 1) // 2)


def soft_pairwise_accuracy(
    gold: FloatArray,
    metric: FloatArray,
    permutations: int = 1000,
    seed: int = 0,
    of_segment: IntArray | None = None,
) -> PairwiseAccuracy:
    """Soft pairwise accuracy (Thompson et al. 2024): 1 − mean |p of gold − p of metric|.

    Scores have the shape (systems, segments); p as in ``one_sided_p_values``, with the same
    exchanges for all pairs and both scores. A segment without gold must be without it for all
    systems, and is left out. ``of_segment`` gives the unit, such as the document, whose segments
    are exchanged together.
    """
    distances = soft_pair_distances(gold, metric, permutations, seed, of_segment)
    upper = distances[np.triu_indices(len(distances), 1)]
    return PairwiseAccuracy(1 - float(upper.mean()) if len(upper) else float("nan"), len(upper))


def soft_pair_distances(
    gold: FloatArray,
    metric: FloatArray,
    permutations: int = 1000,
    seed: int = 0,
    of_segment: IntArray | None = None,
) -> FloatArray:
    """|p of gold − p of metric| for each pair of systems, symmetric; arguments as for the mean."""
    gold, metric = check_scores(gold, metric)
    if gold.ndim != 2:
        raise UsageError(f"soft pairwise accuracy needs (systems, segments), not {gold.ndim} axes")
    if of_segment is not None and np.shape(of_segment) != gold.shape[1:]:
        raise UsageError(f"units of {np.size(of_segment)} segments do not fit {gold.shape[1]}")
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
    units = np.arange(gold.shape[1]) if of_segment is None else np.asarray(of_segment)
    p_gold, p_metric = (
        one_sided_p_values(_unit_sums(scores[:, kept], units[kept]), permutations, seed)
        for scores in (gold, metric)
    )
    above: FloatArray = np.triu(np.nan_to_num(np.abs(p_gold - p_metric)), 1)
    return np.asarray(above + above.T)


def one_sided_p_values(scores: FloatArray, permutations: int, seed: int) -> FloatArray:
    """p of "the first system is better" for each pair of rows of scores (systems, units).

    In each permutation every unit keeps its two scores or exchanges them; p is the share of
    permutations whose difference of sums is at least the observed one, without the observed one
    itself, as in mt-metrics-eval. So p is near 0 when the first is better, near 1 when it is worse,
    and 1 for systems that never differ; the pair in reverse has 1 − p plus the share of equal
    differences. The exchanges follow from the seed and the number of units alone. The matrix is
    filled above the diagonal, NaN elsewhere.
    """
    if permutations < 1:
        raise UsageError(f"a permutation test needs at least one permutation, not {permutations}")
    blocks = [signs @ scores.T for signs in draw_signs(scores.shape[1], permutations, seed)]
    exchanged = np.concatenate(blocks)
    observed, sizes = scores.sum(axis=1), np.abs(scores).sum(axis=1)
    p = np.full((len(scores), len(scores)), np.nan)
    for first in range(len(scores) - 1):
        others = slice(first + 1, None)
        slack = _ROUNDING * np.maximum(sizes[first], sizes[others])
        bounds = observed[first] - observed[others] - slack
        reached = exchanged[:, first, None] - exchanged[:, others] >= bounds
        p[first, others] = np.count_nonzero(reached, axis=0) / permutations
    return p


def _unit_sums(scores: FloatArray, of_segment: IntArray) -> FloatArray:
    """Scores (systems, segments) summed over the segments of each unit."""
    names, unit = np.unique(of_segment, return_inverse=True)
    sums = np.zeros((len(names), len(scores)))
    np.add.at(sums, unit, scores.T)
    return sums.T
