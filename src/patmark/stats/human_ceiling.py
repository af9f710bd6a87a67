"""The human ceiling: how well some raters predict the others.

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
from patmark.stats.judge_validation import Spread, random_halves


@dataclass(frozen=True, slots=True)
class RaterAgainstOthers:
    """Pearson between one rater and the mean of the others on ``items`` that both sides rated."""

    rater: int
    system: float
    segment: float
    items: int


@dataclass(frozen=True, slots=True)
class HumanCeiling:
    """How well one half of the raters predicts the other: what no metric can be asked to exceed.

    Pearson between mean grades of systems, and of items. ``all_splits`` says that every possible
    split was taken. ``items`` (fewest, most) were rated by both halves.
    """

    system: Spread
    segment: Spread
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
    return HumanCeiling(system, segment, items, exhausted, seed, others)


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
