"""95 % intervals from resampled scores that keep their promise with few and unequal units.

Plain percentiles of resampled scores are too narrow: they spread by √((n-1)/n) too little, and have
the tails of the normal distribution where the t distribution has wider ones. So percentiles further
out are taken (Hesterberg 2015, "expanded percentile interval"); units of unequal size count as so
many equal ones as Kish's effective number tells. For a rate of rare faults resamples of what was
hardly seen tell nothing; it has Wilson's interval, for as many independent segments as would vary
as much as the units do (Korn and Graubard 1998). The difference of two rates has both ends of the
shares of segments that only one system has, squared and added (Newcombe 1998, "square-and-add").
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from patmark.data import FloatArray, ScoreScale
from patmark.errors import UsageError
from patmark.stats.distributions import normal_cdf, normal_quantile, student_quantile

FEWEST_UNITS = 2  # one unit does not vary, so that an interval from it would have no width
_TAIL = 0.025


def percentile_interval(draws: FloatArray, confidence: float = 0.95) -> tuple[float, float]:
    """The middle part of the resampled scores; those without a value are left out."""
    valid = draws[~np.isnan(draws)]
    if not len(valid):
        return float("nan"), float("nan")
    tail, ordered = (1 - confidence) / 2, np.sort(valid)
    return _quantile(ordered, tail), _quantile(ordered, 1 - tail)


def _quantile(ordered: FloatArray, share: float) -> float:
    """``numpy.quantile`` by the linear method, which would load all of ``numpy.ma``."""
    place = (len(ordered) - 1) * share
    below = int(place)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def interval_holding(value: float, draws: FloatArray, tail: float = _TAIL) -> tuple[float, float]:
    """The percentile interval, widened to hold its estimate where that lies outside."""
    low, high = percentile_interval(draws, 1 - 2 * tail)
    if np.isnan([value, low, high]).any():
        return low, high
    return min(low, value), max(high, value)


def tail_beyond(sizes: FloatArray) -> float:
    """The share of resamples beyond each end of a 95 % interval, by the sizes of the units."""
    held = sizes[sizes > 0]
    if len(held) < FEWEST_UNITS:
        return 0.0
    distance = student_quantile(1 - _TAIL, _freedom(held)) * sqrt(len(held) / (len(held) - 1))
    return normal_cdf(-distance)


def _freedom(sizes: FloatArray) -> float:
    """Degrees of freedom: the effective number of units less one, at least one."""
    return max(1.0, float(sizes.sum()) ** 2 / float(np.square(sizes).sum()) - 1)


def score_interval(
    value: float, draws: FloatArray, sizes: FloatArray, scale: ScoreScale | None = None
) -> tuple[float, float] | None:
    """The interval of a score from resampled scores, which keeps to the bounds of the scale.

    ``sizes`` are those of the units that are drawn, in segments. None for a single unit.
    """
    if np.count_nonzero(sizes) < FEWEST_UNITS:
        return None
    if scale is not None and scale.rate and not np.isnan(value):
        whole = scale.whole
        low, high = _rate_interval(value / whole, draws / whole, sizes[sizes > 0])
        return whole * low, whole * high
    low, high = interval_holding(value, draws, tail_beyond(sizes))
    if scale is None or scale.bounds is None:
        return low, high
    least, most = scale.bounds
    return max(low, min(least, value)), min(high, max(most, value))


def _rate_interval(share: float, draws: FloatArray, sizes: FloatArray) -> tuple[float, float]:
    """Wilson's interval of a rate, for the effective number of segments."""
    variance = float(np.var(draws[~np.isnan(draws)])) * len(sizes) / (len(sizes) - 1)
    effective = _effective(share, variance, float(sizes.sum()))
    return _wilson(share, effective, student_quantile(1 - _TAIL, _freedom(sizes)))


def _effective(share: float, variance: float, segments: float) -> float:
    """How many independent segments a share varies like; at most all."""
    return min(segments, share * (1 - share) / variance) if variance > 0 else segments


@dataclass(frozen=True, slots=True)
class RateDifference:
    """The difference of two rates on the same segments, from those in which they differ.

    ``first`` and ``second`` are the shares of segments that only the first or only the second has,
    each with the number of independent segments that it varies like. What both have has no say.
    """

    first: float
    second: float
    first_segments: float
    second_segments: float
    freedom: float
    units: int

    @classmethod
    def of(cls, differences: FloatArray, sizes: FloatArray) -> RateDifference | None:
        """From sums (units, 2) of what only the first and only the second has in each unit.

        ``sizes`` are the numbers of segments that both were counted in. None for a single unit.
        """
        held = sizes > 0
        differences, sizes = differences[held], sizes[held]
        if len(sizes) < FEWEST_UNITS:
            return None
        segments = float(sizes.sum())
        shares = differences.sum(axis=0) / segments
        others = segments - sizes[:, None]
        moved = (differences - shares * sizes[:, None]) / others  # without a unit (jackknife)
        variances = np.square(moved).sum(axis=0) * (len(sizes) - 1) / len(sizes)
        of_first, of_second = (
            (share, _effective(share, variance, segments))
            for share, variance in zip(shares.tolist(), variances.tolist(), strict=True)
        )
        return cls(
            of_first[0], of_second[0], of_first[1], of_second[1], _freedom(sizes), len(sizes)
        )

    @property
    def delta(self) -> float:
        """First minus second."""
        return self.first - self.second

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference."""
        return self.between(student_quantile(1 - _TAIL, self.freedom))

    def between(self, z: float) -> tuple[float, float]:
        """Both ends at so many standard errors: Wilson's of the two shares, squared and added.

        The two shares exclude each other, which makes them vary against each other (Newcombe 1998).
        """
        a, b = self.first, self.second
        low_a, high_a = _wilson(a, self.first_segments, z)
        low_b, high_b = _wilson(b, self.second_segments, z)
        against = sqrt(a * b / ((1 - a) * (1 - b))) if 0 < a < 1 and 0 < b < 1 else 0.0
        below, above = (a - low_a, high_b - b), (high_a - a, b - low_b)
        return (
            max(-1.0, self.delta - sqrt(_squared(*below, against))),
            min(1.0, self.delta + sqrt(_squared(*above, against))),
        )


def _squared(one: float, other: float, against: float) -> float:
    return one**2 + other**2 + 2 * against * one * other


def wilson_interval(share: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Lower and upper end of the interval of a share that was seen in ``n`` cases.

    ``n`` may be fractional: the effective size of a weighted sample. Without a case the interval
    is from 0 to 1.

    >>> low, high = wilson_interval(0.9, 3000)
    >>> round(low, 3), round(high, 3)
    (0.889, 0.91)
    """
    if not (0 <= share <= 1 and n >= 0 and 0 < confidence < 1):
        raise UsageError(
            f"a share from 0 to 1, a count and a confidence are needed: {share}, {n}, {confidence}"
        )
    return _wilson(share, n, normal_quantile((1 + confidence) / 2))


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    centre = n * share + z**2 / 2
    half = z * sqrt(n * share * (1 - share) + z**2 / 4)
    low, high = ((centre - half) / (n + z**2), (centre + half) / (n + z**2))
    return min(share, max(0.0, low)), max(share, min(1.0, high))
