"""Paired tests on scores of single segments: sign, t, Wilcoxon; and effect sizes.

SciPy is imported where it is used, because it is slow to load.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from patmark.data import FloatArray


@dataclass(frozen=True, slots=True)
class SignTest:
    """Segments won, lost and tied; ties are dropped from the test."""

    wins: int
    losses: int
    ties: int
    p: float


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """How large a difference is, beside how sure.

    ``cohen_d`` is the mean difference in standard deviations of the differences; ``cliff_delta``
    the share of wins minus that of losses; ``win_rate`` counts ties as half a win.
    """

    cohen_d: float
    cliff_delta: float
    win_rate: float


def paired_differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Differences of the segments that both have a score for, to twelve digits."""
    differences = np.round(first - second, 12)
    return differences[~np.isnan(differences)]


def sign_test(differences: FloatArray) -> SignTest:
    """Exact two-sided sign test; p = 1 where nothing was won or lost."""
    from scipy.stats import binomtest

    wins = int(np.count_nonzero(differences > 0))
    losses = int(np.count_nonzero(differences < 0))
    ties = len(differences) - wins - losses
    p = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return SignTest(wins, losses, ties, p)


def t_test(differences: FloatArray) -> float:
    """p of the two-sided paired t-test; constant differences give 1 if zero, else 0."""
    from scipy.stats import ttest_1samp

    if len(differences) < 2:
        return float("nan")
    if np.ptp(differences) == 0:
        return 1.0 if differences[0] == 0 else 0.0
    return float(ttest_1samp(differences, 0.0).pvalue)


def wilcoxon_test(differences: FloatArray) -> float:
    """p of the Wilcoxon signed-rank test, zeros dropped; p = 1 where all are zero."""
    from scipy.stats import wilcoxon

    changed = differences[differences != 0]
    return float(wilcoxon(changed).pvalue) if len(changed) else 1.0


def effect_sizes(differences: FloatArray) -> EffectSizes:
    """Effect sizes of paired differences; NaN without any."""
    count = len(differences)
    if not count:
        return EffectSizes(float("nan"), float("nan"), float("nan"))
    wins = np.count_nonzero(differences > 0) / count
    losses = np.count_nonzero(differences < 0) / count
    spread = float(np.std(differences, ddof=1)) if count > 1 else 0.0
    mean = float(np.mean(differences))
    cohen = mean / spread if spread else float("nan") if mean else 0.0
    return EffectSizes(cohen, wins - losses, wins + (1 - wins - losses) / 2)
