"""Sequential tests, valid at any number of looks while results come in.

A usual test that is repeated until it is significant has a type I error rate far above 5 %. Here
the evidence is a Bayes factor that is a test martingale, so by Ville's inequality its inverse is a
p-value whenever one stops. For normal differences of independent units it is that of the t-test
with a normal prior on the standardised difference and the right Haar prior on the variance (Lai
1976, Wang and Ramdas 2024, "Anytime-valid t-tests"). For wins and losses it is that of the binomial
test with Jeffreys' prior, Beta(½, ½), on the share of wins (Robbins 1970), without assumptions on
the sizes of the differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_PRIOR = 0.5
"""The standardised difference to detect: half a standard deviation of the units."""
_POWER_80 = 0.841621  # the normal quantile
_MOST_UNITS = 100_000


def anytime_p(t: float, n: int, prior: float = _PRIOR) -> float:
    """Return the p-value of a paired t of n units that stays valid after any number of looks."""
    if n < 2 or math.isnan(t):
        return 1.0
    df, shrinkage, square = n - 1, 1 + n * prior**2, t**2
    if math.isinf(square):
        log_evidence = 0.5 * df * math.log(shrinkage)
    else:
        gain = math.log1p(square / df) - math.log1p(square / (df * shrinkage))
        log_evidence = 0.5 * (n * gain - math.log(shrinkage))
    return min(1.0, math.exp(-log_evidence))


def anytime_sign_p(wins: float, losses: float) -> float:
    """Return the p-value of wins against losses, without ties, valid at any time.

    It is two-sided: under equality the share of wins is one half.
    """
    count = wins + losses
    log_evidence = (
        count * math.log(2)
        + math.lgamma(wins + 0.5)
        + math.lgamma(losses + 0.5)
        - math.lgamma(count + 1)
        - math.log(math.pi)
    )
    return min(1.0, math.exp(-log_evidence))


def anytime_units(effect: float, alpha: float, prior: float = _PRIOR) -> int | None:
    """Return the number of units with which ``anytime_p`` < alpha has a power of 80 %.

    ``effect`` is the difference in standard deviations of the units; None if even a hundred
    thousand units do not suffice.
    """

    def is_enough(n: int) -> bool:
        reached = math.sqrt(n) * abs(effect) - _POWER_80
        return reached > 0 and anytime_p(reached, n, prior) <= alpha

    return _fewest(is_enough)


def anytime_sign_units(share: float, alpha: float) -> int | None:
    """Return the number of wins and losses with which ``anytime_sign_p`` has a power of 80 %.

    ``share`` is that of the wins; None if even a hundred thousand do not suffice.
    """

    def is_enough(n: int) -> bool:
        wins = n * share - _POWER_80 * math.sqrt(n * share * (1 - share))
        return wins > n / 2 and anytime_sign_p(wins, n - wins) <= alpha

    return _fewest(is_enough)


def _fewest(is_enough: Callable[[int], bool]) -> int | None:
    """Return the lowest sufficient number, or None if the highest does not suffice."""
    if not is_enough(_MOST_UNITS):
        return None
    low, high = 1, _MOST_UNITS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
