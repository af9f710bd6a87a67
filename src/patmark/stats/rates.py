"""Rates of faults: intervals and tests of a share of segments, and of the difference of two shares.

Resamples of what was hardly seen tell nothing, so a rate is held against every rate that could be
the true one, with the spread that it would then have: Wilson's interval (1927), and that of Tango
(1998) for the difference of two rates on the same segments. Segments of one document are alike, and
faults come together: a correlation ρ of two segments of one document multiplies the variance by
1 + (Σ sizes²/Σ sizes − 1)·ρ. Few documents hardly tell how large ρ is. So all that it may be are
averaged, each as likely as it makes the faults in each document (by the beta-binomial distribution,
the Dirichlet-multinomial one for differences) and as it is beforehand: as often below 0.1 as above,
its density falling with (ρ + 0.1)². Single segments give the plain intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np

from patmark.data import FloatArray
from patmark.stats.intervals import FEWEST_UNITS

_TAIL = 0.025
_MIDDLE = 0.1  # of the correlations of two segments of one document, beforehand
_STEPS = 24
_HALVINGS = 32

_PLACES = (np.arange(_STEPS) + 0.5) / _STEPS / (1 + _MIDDLE)
_CORRELATIONS = _MIDDLE * _PLACES / (1 - _PLACES)  # beforehand each stands for as many others


@dataclass(frozen=True, slots=True, eq=False)
class RateEvidence:
    """What units tell of a rate, or of the difference of two rates on the same segments.

    ``first`` counts the segments that only the first system has a fault in, ``second`` those that
    only the second has; what both have has no say. A single rate has no ``second``. A variance is
    multiplied by one of ``factors``, each being so ``likely``.
    """

    first: float
    second: float | None
    segments: float
    units: int
    factors: FloatArray
    likely: FloatArray

    @classmethod
    def of(cls, faults: FloatArray, sizes: FloatArray) -> RateEvidence | None:
        """From the faults (units,) or what only the first and only the second has (units, 2).

        ``sizes`` are the numbers of segments that were counted. None for fewer than two units.
        """
        held = sizes > 0
        faults, sizes = np.atleast_2d(faults.T).T[held], sizes[held]
        if len(sizes) < FEWEST_UNITS:
            return None
        first, *second = faults.sum(axis=0).tolist()
        segments = float(sizes.sum())
        others = float(np.square(sizes).sum()) / segments - 1
        single = others <= 0
        return cls(
            first,
            second[0] if second else None,
            segments,
            len(sizes),
            np.ones(1) if single else 1 + others * _CORRELATIONS,
            np.ones(1) if single else _likely_correlations(faults, sizes),
        )

    @property
    def value(self) -> float:
        """The rate, or the first rate less the second."""
        return (self.first - (self.second or 0.0)) / self.segments

    def interval(self, tail: float = _TAIL) -> tuple[float, float]:
        """What the true value may be, so that so much lies beyond each end."""
        least = 0.0 if self.second is None else -1.0
        return self._end(least, 1 - tail), self._end(1.0, tail)

    def at_most(self, truth: float) -> float:
        """How often the value would be at most the one found, if this were the true one."""
        either = truth if self.second is None else self._either(truth)
        variance = (either - truth**2) / self.segments
        if variance <= 0:
            return 0.5 + 0.5 * float(np.sign(self.value - truth))
        distances = (truth - self.value) / np.sqrt(2 * variance * self.factors)
        return float(self.likely @ [erfc(one) / 2 for one in distances.tolist()])

    def _end(self, bound: float, level: float) -> float:
        """Where so much is at most the value found; the bound where it is not reached."""
        near, far = self.value, bound
        below = bound < self.value
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            inside = (self.at_most(middle) < level) == below
            near, far = (middle, far) if inside else (near, middle)
        return far

    def _either(self, truth: float) -> float:
        """How likely a segment has a fault of one system only, if this were the true difference.

        It is what makes the segments that were seen most likely (Tango 1998).
        """
        second = self.second or 0.0
        twice, seen = 2 * self.segments, self.first + second
        linear = (twice - self.first + second) * truth - seen
        square = linear**2 + 4 * twice * second * truth * (1 - truth)
        of_second = (sqrt(max(0.0, square)) - linear) / (2 * twice)
        return min(1.0, truth + 2 * max(of_second, 0.0, -truth))


def _likely_correlations(faults: FloatArray, sizes: FloatArray) -> FloatArray:
    """How likely each correlation is by the faults (units, 1 or 2) of the units; together 1.

    Each outcome of a segment is taken as likely as if it had been seen once more (Laplace).
    """
    outcomes = np.column_stack([faults, sizes - faults.sum(axis=1)])
    chances = (outcomes.sum(axis=0) + 1) / (sizes.sum() + outcomes.shape[1])
    spread = 1 / _CORRELATIONS - 1
    logs = -_rising(spread, sizes)
    for chance, counts in zip(chances, outcomes.T, strict=True):
        logs += _rising(chance * spread, counts)
    likely = np.exp(logs - logs.max())
    return np.asarray(likely / likely.sum())


def _rising(start: FloatArray, counts: FloatArray) -> FloatArray:
    """The logarithms of start · (start + 1) · …, as many factors as counts, over all counts.

    Parts of a segment, of means over evaluators, are rounded.
    """
    whole = np.rint(counts).astype(np.int64)
    above = (len(whole) - np.cumsum(np.bincount(whole)))[:-1]  # counts above 0, 1, 2 …
    return np.asarray(np.log(start[:, None] + np.arange(len(above))) @ above)
