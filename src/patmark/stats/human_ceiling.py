"""The human ceiling: how well raters predict each other, and how well a metric could at best.

Grades are an array (raters, systems, segments), NaN where a rater did not judge. An item is one
output: a system in a segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.stats.correlation import pearson
from patmark.stats.evaluator_bias import item_means
from patmark.stats.judge_validation import Spread, random_halves, spearman_brown


@dataclass(frozen=True, slots=True)
class RaterAgainstOthers:
    """Pearson between one rater and the mean of the others on ``items`` that both sides rated."""

    rater: int
    system: float
    segment: float
    items: int


@dataclass(frozen=True, slots=True)
class HumanCeiling:
    """How well one half of the raters predicts the other, and the bound for a metric that follows.

    Pearson between mean grades of systems, and of items. A half is noisy, and so is what it
    predicts: a metric without noise may well exceed these. Against the mean of all raters no metric
    is expected to exceed ``system_bound`` and ``segment_bound``: the root of the reliability of
    that mean, which Spearman–Brown foretells from the mean r of the splits (a little too low where
    the halves of an odd number of raters are unequal). They are NaN where r is not above 0.
    ``all_splits`` says that every possible split was taken. ``items`` (fewest, most) were rated by
    both halves.
    """

    system: Spread
    segment: Spread
    system_bound: float
    segment_bound: float
    items: tuple[int, int]
    all_splits: bool
    seed: int
    leave_one_out: tuple[RaterAgainstOthers, ...]


def human_ceiling(grades: FloatArray, splits: int = 1000, seed: int = 0) -> HumanCeiling:
    """Let random halves of the raters predict each other, and each rater the mean of the others.

    Only items rated by both sides count. Of an odd number of raters the second half has one more.
    If there are not more different halves than ``splits``, each is taken once.
    """
    raters = len(grades)
    if not ((~np.isnan(grades)).sum(axis=0) > 1).any():
        raise UsageError(
            "no item was judged by two raters, so they cannot predict each other; half_split and "
            "between_evaluators work without common items"
        )
    halves, exhausted = _rater_halves(raters, splits, seed)
    values = np.array([_prediction(grades[half], grades[~half]) for half in halves])
    alone = [_prediction(grades[[k]], np.delete(grades, k, axis=0)) for k in range(raters)]
    others = tuple(RaterAgainstOthers(k, *result) for k, result in enumerate(alone))
    system, segment = Spread.of(values[:, 0]), Spread.of(values[:, 1])
    items = (int(values[:, 2].min()), int(values[:, 2].max()))
    bounds = metric_bound(system.mean), metric_bound(segment.mean)
    return HumanCeiling(system, segment, *bounds, items, exhausted, seed, others)


def metric_bound(half_against_half: float) -> float:
    """The highest r to expect against the mean of all raters, from r between halves of them."""
    return float(np.sqrt(spearman_brown(half_against_half))) if half_against_half > 0 else np.nan


def _rater_halves(raters: int, splits: int, seed: int) -> tuple[NDArray[np.bool_], bool]:
    """Members of the first half (splits, raters), and whether these are all different halves."""
    size = raters // 2
    if comb(raters, size) // (1 if raters % 2 else 2) <= splits:
        kept = [half for half in combinations(range(raters), size) if raters % 2 or 0 in half]
        return np.array([np.isin(np.arange(raters), half) for half in kept]), True
    return random_halves(raters, splits, np.random.default_rng(seed)), False


def _prediction(first: FloatArray, second: FloatArray) -> tuple[float, float, int]:
    """Pearson between two groups of raters over systems and over items, and the common items."""
    sides = np.stack([item_means(first), item_means(second)])
    common = ~np.isnan(sides).any(axis=0)
    number = common.sum(axis=1)
    sums = np.where(common, sides, 0).sum(axis=2)[:, number > 0]
    by_system = pearson(*(sums / number[number > 0]))
    return float(by_system), float(pearson(*sides[:, common])), int(number.sum())
