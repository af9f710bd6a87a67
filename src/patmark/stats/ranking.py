"""From pairwise tests to rankings: correction for many tests, clusters, rank ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

import numpy as np

from patmark.stats.power import ALPHA


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
    worse than any member of the current one.

    Systems with equal scores stay together: they open a group when one of them has to. Systems
    without a score (NaN) form the last group. ``p_values`` has an entry for each pair of
    positions, the earlier first; a p without a value is not significant.
    """
    groups: list[list[int]] = []
    for equal in _by_score(scores, higher_is_better):
        if groups and not any(
            _pair_p(p_values, system, member) <= alpha for system in equal for member in groups[-1]
        ):
            groups[-1] += equal
        else:
            groups.append(equal)
    unscored = [system for system, score in enumerate(scores) if isnan(score)]
    return [*groups, unscored] if unscored else groups


def _by_score(scores: Sequence[float], higher_is_better: bool) -> list[list[int]]:
    """Positions of equal scores together, best first, without those that have none."""
    positions: dict[float, list[int]] = {}
    for system, score in enumerate(scores):
        if not isnan(score):
            positions.setdefault(score, []).append(system)
    return [positions[score] for score in sorted(positions, reverse=higher_is_better)]


def _pair_p(p_values: Mapping[tuple[int, int], float], system: int, other: int) -> float:
    return p_values[min(system, other), max(system, other)]


def rank_ranges(
    scores: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> list[tuple[int, int]]:
    """For each system the best and worst rank that the tests allow.

    It ranks below every system that beats it significantly, and above every one that it beats.
    """
    sign = 1 if higher_is_better else -1
    ranges = []
    for system, score in enumerate(scores):
        gains = [
            sign * (score - other_score)
            for other, other_score in enumerate(scores)
            if other != system and _pair_p(p_values, system, other) <= alpha
        ]
        beaten_by, beats = sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains)
        ranges.append((beaten_by + 1, len(scores) - beats))
    return ranges
