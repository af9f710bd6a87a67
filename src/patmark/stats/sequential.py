"""Tests that may be looked at again and again while results come in.

A usual test that is repeated until it is significant calls equal systems different far more often
than in 5 % of cases. Here the evidence is the Bayes factor of the t-test with a normal prior on
the standardised difference and the right Haar prior on the variance (Lai 1976, Wang and Ramdas
2024, "Anytime-valid t-tests"). It is a test martingale, so by Ville's inequality one over it is a
p-value whenever one stops, for normal differences of independent units.
"""

from __future__ import annotations

import math

_PRIOR = 0.5
"""The standardised difference that is looked for: half a standard deviation of the units."""
_POWER_80 = 0.841621  # the normal quantile
_MOST_UNITS = 100_000


def anytime_p(t: float, n: int, prior: float = _PRIOR) -> float:
    """The p-value of a paired t of n units that stays valid however often one has looked."""
    if n < 2 or math.isnan(t):
        return 1.0
    return min(1.0, math.exp(-_log_evidence(t, n, prior)))


def _log_evidence(t: float, n: int, prior: float) -> float:
    """The logarithm of the Bayes factor for a difference."""
    freedom, shrinkage = n - 1, 1 + n * prior**2
    square = t**2
    if math.isinf(square):
        return math.inf
    gain = math.log1p(square / freedom) - math.log1p(square / (freedom * shrinkage))
    return 0.5 * (n * gain - math.log(shrinkage))


def anytime_units(effect: float, alpha: float, prior: float = _PRIOR) -> int | None:
    """With how many units ``anytime_p`` falls below alpha with a power of 80 %.

    ``effect`` is the difference in standard deviations of the units; None if even a hundred
    thousand units would not do.
    """
    effect = abs(effect)
    if not _is_enough(effect, _MOST_UNITS, alpha, prior):
        return None
    low, high = 1, _MOST_UNITS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_enough(effect, middle, alpha, prior) else (middle, high)
    return high


def _is_enough(effect: float, n: int, alpha: float, prior: float) -> bool:
    reached = math.sqrt(n) * effect - _POWER_80
    return reached > 0 and anytime_p(reached, n, prior) <= alpha
