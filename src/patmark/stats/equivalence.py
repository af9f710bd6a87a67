"""Non-inferiority and equivalence tests within a margin.

A difference that is not significant may still be large if there are few units. To show that a
system is not worse, or that two are equivalent, a difference as large as a margin must be ruled
out. One one-sided test at 5 % against the margin shows non-inferiority. Two show equivalence (TOST,
Schuirmann 1987), which is the same as a 90 % interval within the margins. The standard error is the
jackknife over units, for any score; t has one degree of freedom less than units. Rare rates have no
such error and are tested by their interval. For a check with the same counts in all segments of
both systems, a differing segment is assumed to lose everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from patmark.data import FloatArray, ScoreFunction, ScoreScale
from patmark.stats.distributions import student_cdf, student_quantile
from patmark.stats.rates import RateEvidence
from patmark.stats.resampling import Units, rate_difference
from patmark.stats.significance import ALPHA, fewest_units

_PART_AND_WHOLE = 2


@dataclass(frozen=True, slots=True)
class MarginTest:
    """Difference of first and second, tested against a margin.

    ``low`` and ``high`` are one-sided bounds at 95 %, together a 90 % interval. ``p_above`` tests
    "not below −margin", ``p_below`` "not above margin".
    """

    delta: float
    margin: float
    low: float
    high: float
    p_above: float
    p_below: float

    @property
    def p(self) -> float:
        """The p of equivalence: the larger of the two."""
        return max(self.p_above, self.p_below)

    def not_worse(self, higher_is_better: bool) -> float:
        """Return p of "the first is not worse than the second by the margin or more"."""
        return self.p_above if higher_is_better else self.p_below


def pair_margin_test(
    statistics: FloatArray, score: ScoreFunction, scale: ScoreScale, units: Units, margin: float
) -> MarginTest:
    """Test the difference of two systems, from statistics (2, segments, k), against a margin."""
    if scale.rate:
        difference, whole = rate_difference(statistics, score, scale, units), scale.whole
    elif _same_counts(statistics) and scale.bounds is not None and np.isfinite(scale.bounds).all():
        counted = (statistics != 0).any(axis=(0, 2))
        sizes = units.sizes(counted)
        difference = RateEvidence.of(np.zeros((len(sizes), 2)), sizes)
        whole = scale.bounds[1] - scale.bounds[0]
    else:
        first, second = units.totals(statistics)
        return margin_test(first, second, score, margin)
    if difference is None or difference.units < fewest_units():
        value, other = score(statistics.sum(axis=1)).tolist()
        return MarginTest(value - other, margin, -inf, inf, 1.0, 1.0)
    return rate_margin_test(difference, margin, whole)


def _same_counts(statistics: FloatArray) -> bool:
    """Return True if two systems (2, segments, k) have equal counts of part and whole.

    Counts of a check or a grade may be equal for different outputs. Longer statistics, such as
    those of BLEU, and non-integer values, such as those of RIBES, are equal only if the outputs
    are.
    """
    of_part = statistics.shape[2] == _PART_AND_WHOLE
    return (
        of_part and np.array_equal(*statistics) and np.array_equal(statistics, np.rint(statistics))
    )


def rate_margin_test(difference: RateEvidence, margin: float, whole: float = 1.0) -> MarginTest:
    """Test a difference of rates; both it and the margin are parts of ``whole``."""
    low, high = difference.interval(ALPHA)
    above = 1 - difference.at_most(max(-1.0, -margin / whole))
    below = difference.at_most(min(1.0, margin / whole))
    return MarginTest(whole * difference.value, margin, whole * low, whole * high, above, below)


def margin_test(
    first: FloatArray, second: FloatArray, score: ScoreFunction, margin: float
) -> MarginTest:
    """Test the difference of two systems, from statistics (units, k), against a margin.

    Units in which neither system was counted are ignored. p is 1 without a value, with too few
    units for any test, and if all units differ by the same amount other than zero, from which no
    error can be estimated.
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
