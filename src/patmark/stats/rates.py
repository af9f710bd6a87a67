"""Rates of faults: intervals and tests of a share of segments, and of the difference of two shares.

The bootstrap fails for rare faults. A rate is therefore compared with every possible true rate and
its variance: Wilson's interval (1927), and that of Tango (1998) for the difference of two rates on
the same segments. Faults cluster in documents, which multiplies the variance. The factor is
estimated from the variation between documents (CR2, Bell and McCaffrey 2002), with a t of their
degrees of freedom. With few faults the estimate is poor, and with a single one it is undefined. It
is therefore shrunk towards the factor of a usual correlation of segments (the moderated t of Smyth
2004), with fewer degrees of freedom. The amount was chosen by ``benchmarks/interval_coverage.py``.
An interval is never narrower than for independent segments (Korn and Graubard 1998). Single
segments give the plain intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from patmark.data import FloatArray
from patmark.stats.distributions import (
    farthest,
    normal_cdf,
    normal_quantile,
    student_cdf,
    student_quantile,
)
from patmark.stats.intervals import FEWEST_UNITS

_TAIL = 0.025
_HALVINGS = 32
_USUAL_CORRELATION = 0.05  # correlation of faults in two segments of one document
_USUAL_COUNTS = 0.25  # weight of that correlation, in degrees of freedom
_DF_OF_FAULT = 2.0  # the variance of a Poisson count has two degrees of freedom per fault
_FEWEST_FAULTS = 2.0  # added, so that t stays finite without any fault


@dataclass(frozen=True, slots=True)
class RateEvidence:
    """Evidence for a rate, or for the difference of two rates on the same segments.

    ``first`` counts the segments in which only the first system has a fault, ``second`` those of
    the second; faults of both cancel. A single rate has no ``second``. The variance is multiplied
    by ``factor``, which has ``df`` degrees of freedom.
    """

    first: float
    second: float | None
    segments: float
    units: int
    factor: float
    df: float

    @classmethod
    def of(cls, faults: FloatArray, sizes: FloatArray) -> RateEvidence | None:
        """Count faults (units,), or faults of the first and the second alone (units, 2).

        ``sizes`` are the numbers of counted segments. None for fewer than two units.
        """
        held = sizes > 0
        faults, sizes = np.atleast_2d(faults.T).T[held], sizes[held]
        if len(sizes) < FEWEST_UNITS:
            return None
        first, *second = faults.sum(axis=0).tolist()
        return cls(
            first,
            second[0] if second else None,
            float(sizes.sum()),
            len(sizes),
            *_variance_factor(faults, sizes),
        )

    @property
    def value(self) -> float:
        """The rate, or the first rate minus the second."""
        return (self.first - (self.second or 0.0)) / self.segments

    def interval(self, tail: float = _TAIL) -> tuple[float, float]:
        """Return the interval of the true value with probability ``tail`` beyond each end."""
        alone, together = normal_quantile(tail), student_quantile(tail, self.df)
        reach = max(-alone, -together * sqrt(self.factor))
        least = 0.0 if self.second is None else -1.0
        return self._end(least, reach), self._end(1.0, reach)

    def at_most(self, truth: float) -> float:
        """Return P(value ≤ the observed one) if ``truth`` were the true value."""
        variance = self._variance(truth)
        if variance <= 0:
            return 0.5 + 0.5 * float(np.sign(self.value - truth))
        distance = (self.value - truth) / sqrt(variance)
        alone = normal_cdf(distance)
        together = student_cdf(distance / sqrt(self.factor), self.df)
        return max(alone, together) if distance < 0 else min(alone, together)

    def _end(self, bound: float, reach: float) -> float:
        """Return the value that is ``reach`` errors from the observed one, within the bound."""

        def is_inside(truth: float) -> bool:
            return (self.value - truth) ** 2 < reach**2 * self._variance(truth)

        return farthest(self.value, bound, is_inside, _HALVINGS)

    def _variance(self, truth: float) -> float:
        """Return the variance of the value on independent segments if ``truth`` were true."""
        either = truth if self.second is None else self._either(truth)
        return (either - truth**2) / self.segments

    def _either(self, truth: float) -> float:
        """Return P(a fault of one system only) if ``truth`` were the true difference.

        It is the maximum likelihood estimate (Tango 1998).
        """
        second = self.second or 0.0
        twice, seen = 2 * self.segments, self.first + second
        linear = (twice - self.first + second) * truth - seen
        square = linear**2 + 4 * twice * second * truth * (1 - truth)
        of_second = (sqrt(max(0.0, square)) - linear) / (2 * twice)
        return min(1.0, truth + 2 * max(of_second, 0.0, -truth))


def _variance_factor(faults: FloatArray, sizes: FloatArray) -> tuple[float, float]:
    """Return the factor of the variance of independent segments, and its degrees of freedom.

    ``faults`` (units, 1 or 2) are those of units of these sizes.
    """
    segments = float(sizes.sum())
    shares = sizes / segments
    in_one = float(shares @ sizes)  # segments in the unit of a segment, itself included
    alike = 1 - 1 / in_one  # variance between units beyond that of segments
    if alike <= 0:
        return 1.0, inf
    more = faults[:, 0] - faults[:, 1:].sum(axis=1)
    value = float(more.sum()) / segments
    of_segments = float(faults.sum()) - segments * value**2  # n·p·(1 − p) of a single rate
    usual = 1 + (in_one - 1) * _USUAL_CORRELATION
    seen, independent = usual, 0.0
    if of_segments > 0:
        of_units = float((np.square(more - sizes * value) / (1 - shares)).sum())
        seen = of_units / of_segments * (segments - 1) / segments
        independent = max(0.0, of_segments - 1) / max(1.0, seen)
    across = np.square(shares) / (1 - shares)
    lost = float(np.square(shares).sum() + across.sum() ** 2 - np.square(across).sum())
    counts = _degrees_of_freedom(independent, lost) / alike
    factor = (counts * seen + _USUAL_COUNTS * usual) / (counts + _USUAL_COUNTS)
    return factor, _degrees_of_freedom(independent + _FEWEST_FAULTS, lost) / alike


def _degrees_of_freedom(faults: float, lost: float) -> float:
    """Return the degrees of freedom of faults in units; normal ones would have 1/lost."""
    return 1 / (lost + 1 / (_DF_OF_FAULT * faults)) if faults else 0.0
