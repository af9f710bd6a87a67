"""Power of a paired comparison, from the spread of its bootstrapped difference.

The spread falls with the square root of the number of units, whatever the measure; so what one
test set shows tells how large another would have to be.
"""

from __future__ import annotations

from math import ceil, inf, isnan, nan

ALPHA = 0.05
POWER = 0.8
_QUANTILES = 1.959963984540054 + 0.8416212335729143  # normal: two-sided 5 %, power 80 %


def smallest_difference(spread: float) -> float:
    """The difference that a two-sided test at 5 % finds four times in five."""
    return _QUANTILES * spread


def units_needed(spread: float, units: int, delta: float) -> float:
    """How many units it would take to find a difference of this size four times in five."""
    if isnan(spread) or isnan(delta):
        return nan
    if delta == 0:
        return inf
    return float(max(2, ceil(units * (smallest_difference(spread) / delta) ** 2)))
