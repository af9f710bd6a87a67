"""Power of a paired comparison, from the spread of its bootstrapped difference.

The spread falls with the square root of the number of units, whatever the measure; so what one
test set shows tells how large another would have to be. The power is that of the randomisation
test: its p is a multiple of 2^(1 - units), which shuts out small test sets altogether, and beyond
that it behaves like the t-test.
"""

from __future__ import annotations

from bisect import bisect_left
from math import ceil, exp, floor, inf, isnan, log, log2, nan, sqrt

ALPHA = 0.05
POWER = 0.8
_COARSE_UP_TO = 60  # units; with more, the steps of p no longer matter


def fewest_units(pairs: int = 1, tail_bound: bool = False) -> int:
    """How many units it takes until any difference at all can be significant.

    With ``pairs`` the p-values are corrected for so many pairs of systems; with ``tail_bound``
    they are bounds by Hoeffding.
    """
    if tail_bound:
        return ceil(2 * log(2 * max(1, pairs) / ALPHA))
    return ceil(log2(2 * max(1, pairs) / ALPHA))


def smallest_p(units: int, trials: int, pairs: int = 1, tail_bound: bool = False) -> float:
    """The smallest p that randomisation can give, corrected for so many pairs.

    With ``tail_bound`` it may be less than trials alone can show: all units favour one system.
    """
    seen = 1 / (trials + 1)
    if tail_bound:
        seen = min(seen, 2 * exp(-units / 2))
    return min(1.0, max(1, pairs) * max(2.0 ** (1 - units), seen))


def smallest_difference(spread: float, units: int, pairs: int = 1) -> float:
    """The difference that a two-sided test at 5 % finds four times in five.

    ``spread`` is the standard deviation of the bootstrapped difference over so many units. With
    ``pairs``, the first step of Holm's correction is allowed for. Infinite where the units are too
    few to find any difference.
    """
    if isnan(spread) or units < 1:
        return nan
    if units < fewest_units(pairs):
        return inf
    return _visible(units, pairs) * spread * sqrt(units / (units - 1))


def units_needed(spread: float, units: int, delta: float, pairs: int = 1) -> float:
    """How many units it would take to find a difference of this size four times in five."""
    if isnan(spread) or isnan(delta) or units < 2:
        return nan
    if delta == 0:
        return inf
    of_one_unit = spread * units / sqrt(units - 1)
    wanted = abs(delta)

    def enough(count: int) -> bool:
        return _visible(count, pairs) * of_one_unit / sqrt(count) <= wanted

    fewest = most = fewest_units(pairs)
    while not enough(most):
        most *= 2
    return float(bisect_left(range(most), True, lo=fewest, key=enough))


def _visible(units: int, pairs: int) -> float:
    """The smallest difference that is found, in standard errors.

    The steps of p are allowed for by the step below the level. Where only the lowest p of all is
    left, every unit has to favour the same system; that asks for more than the t-test does.
    """
    from scipy.special import ndtri, stdtrit

    level, steps = ALPHA / max(1, pairs), 0
    if units <= _COARSE_UP_TO:
        patterns = 2.0 ** (units - 1)
        steps = floor(level * patterns)
        level = max(1, steps - 1) / patterns
    by_t = float(stdtrit(units - 1, 1 - level / 2) + stdtrit(units - 1, POWER))
    all_alike = float(ndtri(POWER ** (1 / units))) * sqrt(units)
    return max(by_t, all_alike) if steps == 1 else by_t
