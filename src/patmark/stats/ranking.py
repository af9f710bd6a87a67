"""From pairwise tests to rankings: correction for many tests, clusters, rank ranges, power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from patmark.data import FloatArray

ALPHA = 0.05


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction. A p without a value stays so and does not count."""
    p = np.asarray(p_values, dtype=np.float64)
    corrected = np.full(len(p), np.nan)
    valid = np.flatnonzero(~np.isnan(p))
    order = valid[np.argsort(p[valid], kind="stable")]
    factors = len(order) - np.arange(len(order))
    corrected[order] = np.maximum.accumulate(np.minimum(1.0, factors * p[order]))
    return [float(value) for value in corrected]


def clusters(
    scores: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> list[list[int]]:
    """Groups of systems, best first, such that a system opens a new group when it is significantly
    worse than any member of the current one. Systems with equal scores stay together.

    ``p_values`` has an entry for each pair of positions, the earlier first.
    """
    sign = 1 if higher_is_better else -1
    order = sorted(range(len(scores)), key=lambda system: (-sign * scores[system], system))
    groups: list[list[int]] = []
    for system in order:
        if groups and not any(
            scores[system] != scores[member]
            and p_values[min(system, member), max(system, member)] <= alpha
            for member in groups[-1]
        ):
            groups[-1].append(system)
        else:
            groups.append([system])
    return groups


def rank_ranges(
    scores: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> list[tuple[int, int]]:
    """For each system the best and worst rank that the tests allow.

    One is better off than every system it significantly beats, and worse off than every one that
    beats it.
    """
    sign = 1 if higher_is_better else -1
    ranges = []
    for system, score in enumerate(scores):
        beaten_by = beats = 0
        for other, other_score in enumerate(scores):
            if other == system or p_values[min(system, other), max(system, other)] > alpha:
                continue
            beaten_by += sign * (other_score - score) > 0
            beats += sign * (score - other_score) > 0
        ranges.append((beaten_by + 1, len(scores) - beats))
    return ranges


def segments_needed(differences: FloatArray, delta: float, power: float = 0.8) -> float:
    """How many units a two-sided paired test at 5 % would need to see a mean difference.

    Normal approximation from the spread of the observed differences; infinite for no difference.
    """
    from scipy.stats import norm

    spread = float(np.std(differences, ddof=1)) if len(differences) > 1 else float("nan")
    if delta == 0:
        return float("inf")
    quantiles = norm.ppf(1 - ALPHA / 2) + norm.ppf(power)
    return float(max(2.0, np.ceil((quantiles * spread / delta) ** 2)))
