"""Paired tests on scores of single segments: sign, t, Wilcoxon; and effect sizes."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.stats.distributions import coin_cdf, normal_cdf, student_cdf

_MARKS = {0.01: "≫", 0.05: ">"}
_MOST_EXACT = 50
_MOST_EXACT_WITH_TIES = 13


def level_reached(p: float) -> float | None:
    """The stricter of the levels 1 % and 5 % below which p lies; None if below neither."""
    return next((level for level in _MARKS if p < level), None)


def ntcir_mark(p: float, none: str = "-") -> str:
    """How the tables of NTCIR mark a p: ≫ below 1 %, > below 5 %, and else ``none``."""
    level = level_reached(p)
    return none if level is None else _MARKS[level]


@dataclass(frozen=True, slots=True)
class SignTest:
    """Segments won, lost and tied; ties are dropped from the test."""

    wins: int
    losses: int
    ties: int
    p: float

    def turned(self) -> SignTest:
        """The same for the second of the two."""
        return SignTest(self.losses, self.wins, self.ties, self.p)


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """How large a difference is, beside how sure.

    ``cohen_d`` is the mean difference in standard deviations of the differences; ``cliff_delta``
    the share of wins minus that of losses, which is what Cliff's δ comes to for pairs; ``win_rate``
    counts ties as half a win.
    """

    cohen_d: float
    cliff_delta: float
    win_rate: float

    def turned(self) -> EffectSizes:
        """The same for the second of the two."""
        return EffectSizes(-self.cohen_d, -self.cliff_delta, 1 - self.win_rate)


def paired_differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Differences of the segments that both have a score for, to twelve digits."""
    differences = np.round(first - second, 12)
    return differences[~np.isnan(differences)]


def sign_test(differences: FloatArray) -> SignTest:
    """Exact two-sided sign test; p = 1 where nothing was won or lost."""
    wins = int(np.count_nonzero(differences > 0))
    losses = int(np.count_nonzero(differences < 0))
    ties = len(differences) - wins - losses
    p = min(1.0, 2 * coin_cdf(min(wins, losses), wins + losses))
    return SignTest(wins, losses, ties, p)


def t_test(differences: FloatArray) -> float:
    """p of the two-sided paired t-test.

    Differences that are all the same give 1 if they are zero, else 0: the limit for a spread that
    goes to zero. NaN for fewer than two differences, which say nothing about their spread.
    """
    count = len(differences)
    if count < 2:
        return float("nan")
    mean, spread = float(np.mean(differences)), _spread(differences)
    if spread == 0:
        return 0.0 if mean else 1.0
    return 2 * student_cdf(-abs(mean) / (spread / sqrt(count)), count - 1)


def wilcoxon_test(differences: FloatArray) -> float:
    """p of the two-sided Wilcoxon signed-rank test, zeros dropped; 1 where nothing is left.

    Exact or normal by the rule of SciPy, applied after dropping zeros: exact up to 50 differences,
    with ties up to 13. SciPy itself counts the zeros when it chooses, so that with zeros it may
    take the normal approximation where this is exact.
    """
    changed = differences[differences != 0]
    _, place, sizes = np.unique(np.abs(changed), return_inverse=True, return_counts=True)
    ranks = (2 * np.cumsum(sizes) - sizes + 1)[place]  # twice the mid-ranks, so that they are whole
    smaller = min(int(ranks[changed > 0].sum()), int(ranks[changed < 0].sum()))
    exact = len(changed) <= (_MOST_EXACT if len(sizes) == len(changed) else _MOST_EXACT_WITH_TIES)
    return min(1.0, 2 * (_exact_tail if exact else _normal_tail)(ranks, smaller))


def _exact_tail(ranks: IntArray, bound: int) -> float:
    """How likely the ranks that get a positive sign by chance sum up to at most a bound."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in ranks:
        chances[rank:] += chances[:-rank]
        chances /= 2
    return float(chances[: bound + 1].sum())


def _normal_tail(ranks: IntArray, bound: int) -> float:
    return normal_cdf(float((bound - ranks.sum() / 2) / np.sqrt(np.square(ranks).sum() / 4)))


def effect_sizes(differences: FloatArray) -> EffectSizes:
    """Effect sizes of paired differences; NaN without any.

    ``cohen_d`` is also NaN for differences that are all the same but not zero: it has no bound.
    """
    count = len(differences)
    if not count:
        return EffectSizes(float("nan"), float("nan"), float("nan"))
    wins = int(np.count_nonzero(differences > 0)) / count
    losses = int(np.count_nonzero(differences < 0)) / count
    mean, spread = float(np.mean(differences)), _spread(differences)
    cohen_d = mean / spread if spread else (float("nan") if mean else 0.0)
    return EffectSizes(cohen_d, wins - losses, wins + (1 - wins - losses) / 2)


def _spread(differences: FloatArray) -> float:
    """Standard deviation; exactly zero for equal values, which rounding would make a little more.

    Zero also for a single value.
    """
    return float(np.std(differences, ddof=1)) if np.ptp(differences) else 0.0
