"""95 % intervals from resampled scores that keep their promise with few and unequal units.

Plain percentiles of resampled scores are too narrow: they spread by √((n-1)/n) too little, and have
the tails of the normal distribution where the t distribution has wider ones. So percentiles further
out are taken (Hesterberg 2015, "expanded percentile interval"); units of unequal size count as so
many equal ones as Kish's effective number tells. For a rate of rare faults resamples of what was
hardly seen tell nothing; it has Wilson's interval, for as many independent segments as would vary
as much as the units do (Korn and Graubard 1998).
"""

from __future__ import annotations

from functools import lru_cache
from math import erfc, pi, sqrt, tan

import numpy as np

from patmark.data import FloatArray, ScoreFunction
from patmark.errors import UsageError

FEWEST_UNITS = 2  # one unit does not vary, so that an interval from it would have no width
_TAIL = 0.025
_STEPS = 4096


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
    distance = _t_quantile(_freedom(held)) * sqrt(len(held) / (len(held) - 1))
    return erfc(distance / sqrt(2)) / 2


def _freedom(sizes: FloatArray) -> float:
    """Degrees of freedom: the effective number of units less one, at least one."""
    return max(1.0, float(sizes.sum()) ** 2 / float(np.square(sizes).sum()) - 1)


@lru_cache(maxsize=1024)
def _t_quantile(freedom: float) -> float:
    """The 97.5 % quantile of the t distribution, which SciPy would be slow to load for.

    The share of the distribution within ±√freedom·tan(angle) is an integral of cosines.
    """
    widest = min(pi / 2, 12 / sqrt(freedom))
    ends = np.arange(1, _STEPS + 1) * widest / _STEPS
    within = np.cumsum(np.cos(ends - widest / _STEPS / 2) ** (freedom - 1))
    return sqrt(freedom) * tan(float(np.interp((1 - 2 * _TAIL) * within[-1], within, ends)))


def score_interval(
    value: float, statistics: FloatArray, score: ScoreFunction, draws: FloatArray, sizes: FloatArray
) -> tuple[float, float] | None:
    """The interval of a score from its statistics (segments, k) and resampled scores.

    ``sizes`` are those of the units that are drawn, in segments. None for a single unit.
    """
    if np.count_nonzero(sizes) < FEWEST_UNITS:
        return None
    top = whole_of_rate(statistics, score)
    if top is None or np.isnan(value):
        return interval_holding(value, draws, tail_beyond(sizes))
    low, high = _rate_interval(value / top, draws / top, sizes[sizes > 0])
    return top * low, top * high


def whole_of_rate(statistics: FloatArray, score: ScoreFunction) -> float | None:
    """What a rate is out of, 1 or 100; None for a score that is no rate.

    A rate has all or nothing in every segment: its statistics (segments, 2) are zeros and ones.
    """
    if statistics.shape[-1] != 2 or not ((statistics == 0) | (statistics == 1)).all():
        return None
    none, half, top = score(np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 1.0]])).tolist()
    return float(top) if none == 0 and half == top / 2 and top in (1.0, 100.0) else None


def _rate_interval(share: float, draws: FloatArray, sizes: FloatArray) -> tuple[float, float]:
    """Wilson's interval of a rate, for the effective number of segments."""
    segments, known = float(sizes.sum()), draws[~np.isnan(draws)]
    variance = float(np.var(known)) * len(sizes) / (len(sizes) - 1)
    effective = min(segments, share * (1 - share) / variance) if variance > 0 else segments
    return _wilson(share, effective, _t_quantile(_freedom(sizes)))


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
    from statistics import NormalDist  # slow to load

    return _wilson(share, n, NormalDist().inv_cdf((1 + confidence) / 2))


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    centre = n * share + z**2 / 2
    half = z * sqrt(n * share * (1 - share) + z**2 / 4)
    low, high = ((centre - half) / (n + z**2), (centre + half) / (n + z**2))
    return min(share, max(0.0, low)), max(share, min(1.0, high))
