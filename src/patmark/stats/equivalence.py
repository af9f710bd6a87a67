"""Is a difference small? Non-inferiority and equivalence within a margin.

A difference that is not significant may still be large: too few units see nothing. To say that a
system is not worse, or that two are equivalent, a difference of the size of a margin must be ruled
out. That is tested against the margin itself: by one one-sided test at 5 % for "not worse", by two
for "equivalent" (TOST, Schuirmann 1987), which is the same as that the 90 % interval lies within
the margins. The standard error is that of the jackknife over units, for any score; t has one degree
of freedom less than units. A rate that was hardly seen has no such error: its bounds are those of
its interval, at 95 % each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from patmark.data import FloatArray, ScoreFunction, ScoreScale
from patmark.stats.distributions import student_cdf, student_quantile
from patmark.stats.intervals import RateDifference
from patmark.stats.paired import ALPHA, fewest_units
from patmark.stats.resampling import Units, rate_difference

_FAR = 1e4  # standard errors
_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class MarginTest:
    """First minus second against a margin.

    ``low`` and ``high`` are one-sided bounds at 95 %, together a 90 % interval. ``p_above`` is that
    of "not below −margin", ``p_below`` that of "not above margin".
    """

    delta: float
    margin: float
    low: float
    high: float
    p_above: float
    p_below: float

    @property
    def p(self) -> float:
        """p of equivalence: the larger of the two."""
        return max(self.p_above, self.p_below)

    def not_worse(self, higher_is_better: bool) -> float:
        """p of "the first is not worse than the second by the margin or more"."""
        return self.p_above if higher_is_better else self.p_below


def pair_margin_test(
    statistics: FloatArray, score: ScoreFunction, scale: ScoreScale, units: Units, margin: float
) -> MarginTest:
    """Test the difference of two systems, from statistics (2, segments, k), against a margin."""
    if not scale.rate:
        first, second = units.totals(statistics)
        return margin_test(first, second, score, margin)
    difference = rate_difference(statistics, score, scale, units)
    if difference is None or difference.units < fewest_units():
        value, other = score(statistics.sum(axis=1)).tolist()
        return MarginTest(value - other, margin, -inf, inf, 1.0, 1.0)
    return rate_margin_test(difference, margin, scale.whole)


def rate_margin_test(difference: RateDifference, margin: float, whole: float = 1.0) -> MarginTest:
    """Test a difference of rates; both it and the margin are parts of ``whole``."""

    def p_of(end: int, limit: float) -> float:
        """The level at which the bound at this end, 0 below and 1 above, is the limit."""
        inside = difference.delta > limit if end == 0 else difference.delta < limit
        side = end if inside else 1 - end
        near, far = 0.0, _FAR
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            short = abs(difference.between(middle)[side] - difference.delta)
            near, far = (middle, far) if short < abs(limit - difference.delta) else (near, middle)
        beyond = student_cdf(-near, difference.freedom)
        return beyond if inside else 1 - beyond

    limit = margin / whole
    low, high = difference.between(student_quantile(1 - ALPHA, difference.freedom))
    return MarginTest(
        whole * difference.delta, margin, whole * low, whole * high, p_of(0, -limit), p_of(1, limit)
    )


def margin_test(
    first: FloatArray, second: FloatArray, score: ScoreFunction, margin: float
) -> MarginTest:
    """Test the difference of two systems, from statistics (units, k), against a margin.

    Units in which neither was counted have no say. Nothing is ruled out, p is 1, without a value,
    with fewer units than any test needs, and where all units differ alike and not by nothing, from
    which no error can be told.
    """
    counted = (first != 0).any(axis=1) | (second != 0).any(axis=1)
    first, second = first[counted], second[counted]
    delta = float(score(first.sum(axis=0)) - score(second.sum(axis=0))) if len(first) else nan
    units = len(first)
    without = score(first.sum(axis=0) - first) - score(second.sum(axis=0) - second)
    if units < fewest_units() or np.isnan(delta) or np.isnan(without).any():
        return MarginTest(delta, margin, -inf, inf, 1.0, 1.0)
    error = sqrt((units - 1) / units * float(np.square(without - without.mean()).sum()))
    if np.array_equal(first, second):
        return MarginTest(delta, margin, delta, delta, 0.0, 0.0)
    if not error:
        return MarginTest(delta, margin, -inf, inf, 1.0, 1.0)
    half = student_quantile(1 - ALPHA, units - 1) * error
    above = student_cdf(-(delta + margin) / error, units - 1)
    below = student_cdf((delta - margin) / error, units - 1)
    return MarginTest(delta, margin, delta - half, delta + half, above, below)
