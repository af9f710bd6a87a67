"""p beyond the trials of a randomisation test: Hoeffding's bound.

Exchanges of two systems leave the middle of their totals where it is. So the score may be replaced
by its tangent there: the difference becomes a sum of one number per unit, and every exchange turns
the sign of such a number. For sums with random signs Hoeffding's inequality holds without any
assumption. Distances of the scores themselves, such as BLEU, need not keep it: a score that falls
to zero with the last match makes rare exchanges differ far more than their spread tells.
"""

from __future__ import annotations

import numpy as np

from patmark.data import FloatArray, ScoreFunction

_STEP = 1e-6  # of the sum of a statistic
_LEAST = float(np.finfo(np.float64).tiny)  # p is never zero


def hoeffding_bound(first: FloatArray, second: FloatArray, score: ScoreFunction) -> float:
    """A bound above p of the difference of two systems, from statistics (units, k): 2·exp(−z²/2).

    z is the difference in standard deviations of all exchanges, both along the tangent. For means
    the tangent is the score itself. The bound is 1 where the tangent says nothing.
    """
    differences = (first - second) @ _slopes(first, second, score)
    spread = float(np.square(differences).sum())
    if not 0 < spread < np.inf:
        return 1.0
    exponent = float(differences.sum()) ** 2 / (2 * spread)
    return min(1.0, max(_LEAST, 2 * float(np.exp(-exponent))))


def _slopes(first: FloatArray, second: FloatArray, score: ScoreFunction) -> FloatArray:
    """The slope of a score in each statistic, between two systems; zero where nothing is counted.

    It depends only on what exchanges leave as it is, and so need not be exact.
    """
    middle = (first.sum(axis=0) + second.sum(axis=0)) / 2
    steps = _STEP * (np.abs(first) + np.abs(second)).sum(axis=0)
    rise = score(middle + np.diag(steps)) - score(middle - np.diag(steps))
    slopes: FloatArray = np.divide(rise, 2 * steps, out=np.zeros(len(steps)), where=steps > 0)
    return slopes
