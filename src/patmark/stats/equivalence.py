"""Is a difference small? Non-inferiority and equivalence within a margin.

A difference that is not significant may still be large: too few units see nothing. To say that a
system is not worse, or that two are equivalent, a difference of the size of a margin must be ruled
out. That is tested against the margin itself: by one one-sided test at 5 % for "not worse", by two
for "equivalent" (TOST, Schuirmann 1987), which is the same as that the 90 % interval lies within
the margins. The standard error is that of the jackknife over units, for any score; t has one degree
of freedom less than units.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from patmark.data import FloatArray, ScoreFunction
from patmark.stats.paired import ALPHA


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


def margin_test(
    first: FloatArray, second: FloatArray, score: ScoreFunction, margin: float
) -> MarginTest:
    """Test the difference of two systems, from statistics (units, k), against a margin.

    Units in which neither was counted have no say. Without a value, or with a single unit, nothing
    is ruled out: p is 1.
    """
    counted = (first != 0).any(axis=1) | (second != 0).any(axis=1)
    first, second = first[counted], second[counted]
    delta = float(score(first.sum(axis=0)) - score(second.sum(axis=0))) if len(first) else nan
    units = len(first)
    without = score(first.sum(axis=0) - first) - score(second.sum(axis=0) - second)
    if units < 2 or np.isnan(delta) or np.isnan(without).any():
        return MarginTest(delta, margin, -inf, inf, 1.0, 1.0)
    error = sqrt((units - 1) / units * float(np.square(without - without.mean()).sum()))
    if not error:
        above, below = float(delta <= -margin), float(delta >= margin)
        return MarginTest(delta, margin, delta, delta, above, below)
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(units - 1, 1 - ALPHA)) * error
    above = float(stdtr(units - 1, -(delta + margin) / error))
    below = float(stdtr(units - 1, (delta - margin) / error))
    return MarginTest(delta, margin, delta - half, delta + half, above, below)
