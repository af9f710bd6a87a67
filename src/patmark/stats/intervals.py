"""95 % intervals from resampled scores, accurate for few and unequal units.

Plain percentiles of resampled scores are too narrow by √((n-1)/n), and have normal tails where the
t distribution has wider ones. The expanded percentile interval (Hesterberg 2015) therefore takes
percentiles further out. Units of unequal size count by Kish's effective number. Rates have their
own intervals (`rates`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, sqrt

import numpy as np

from patmark.data import FloatArray, ScoreScale
from patmark.errors import UsageError
from patmark.stats.distributions import normal_cdf, normal_quantile, student_quantile

FEWEST_UNITS = 2  # a single unit has no variance, so that its interval would have no width
_TAIL = 0.025
_TAILS_BEGIN = 1.6  # standard deviations from the mean; beyond lie 5 % of normal draws on each side


def percentile_interval(draws: FloatArray, confidence: float = 0.95) -> tuple[float, float]:
    """Return the middle part of the resampled scores, without undefined ones."""
    valid = draws[~np.isnan(draws)]
    return _ends(np.sort(valid), confidence) if len(valid) else (float("nan"), float("nan"))


def _ends(ordered: FloatArray, confidence: float) -> tuple[float, float]:
    tail, last = (1 - confidence) / 2, len(ordered) - 1
    return _quantile(ordered, last * tail), _quantile(ordered, last * (1 - tail))


def _quantile(ordered: FloatArray, place: float) -> float:
    """Compute ``numpy.quantile`` by the linear method without loading ``numpy.ma``."""
    below = int(place)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def _ends_in_tails(
    draws: FloatArray, low: float, high: float, confidence: float
) -> tuple[float, float]:
    """Compute the same ends from the draws below ``low`` and above ``high``.

    Sorting a few draws takes a fifth of the time of sorting all. All are sorted if the ends are
    elsewhere.
    """
    tail, last = (1 - confidence) / 2, len(draws) - 1
    below, above = draws[draws < low], draws[draws > high]
    if min(len(below), len(above)) < last * tail + 3:
        return _ends(np.sort(draws), confidence)
    from_above = last * (1 - tail) - (len(draws) - len(above))
    return _quantile(np.sort(below), last * tail), _quantile(np.sort(above), from_above)


def interval_holding(value: float, draws: FloatArray, tail: float = _TAIL) -> tuple[float, float]:
    """Return the percentile interval, widened to contain its estimate if necessary."""
    return _holding(value, *percentile_interval(draws, 1 - 2 * tail))


def intervals_holding(
    values: FloatArray, draws: FloatArray, tails: Sequence[float]
) -> list[tuple[float, float]]:
    """Return the intervals of many estimates, each from a row of resampled scores."""
    if np.isnan(draws).any() or not draws.shape[1]:
        return list(map(interval_holding, values.tolist(), draws, tails))
    middle, reach = draws.mean(axis=1), _TAILS_BEGIN * draws.std(axis=1)
    rows = zip(
        values.tolist(), draws, (middle - reach).tolist(), (middle + reach).tolist(), tails,
        strict=True,
    )  # fmt: skip
    return [
        _holding(value, *_ends_in_tails(row, low, high, 1 - 2 * tail))
        for value, row, low, high, tail in rows
    ]


def _holding(value: float, low: float, high: float) -> tuple[float, float]:
    if isnan(value) or isnan(low) or isnan(high):
        return low, high
    return min(low, value), max(high, value)


def tail_beyond(sizes: FloatArray) -> float:
    """Return the share of resamples beyond each end of a 95 % interval, by unit sizes."""
    held = sizes[sizes > 0]
    if len(held) < FEWEST_UNITS:
        return 0.0
    distance = student_quantile(1 - _TAIL, _degrees_of_freedom(held)) * sqrt(
        len(held) / (len(held) - 1)
    )
    return normal_cdf(-distance)


def _degrees_of_freedom(sizes: FloatArray) -> float:
    """Return degrees of freedom: the effective number of units less one, at least one."""
    return max(1.0, float(sizes.sum()) ** 2 / float(np.square(sizes).sum()) - 1)


def score_interval(
    value: float, draws: FloatArray, sizes: FloatArray, scale: ScoreScale | None = None
) -> tuple[float, float] | None:
    """Return the interval of a score from resampled scores, within the bounds of the scale.

    ``sizes`` are those of the drawn units, in segments. None for a single unit.
    """
    if np.count_nonzero(sizes) < FEWEST_UNITS:
        return None
    low, high = interval_holding(value, draws, tail_beyond(sizes))
    if scale is None or scale.bounds is None:
        return low, high
    least, most = scale.bounds
    return max(low, min(least, value)), min(high, max(most, value))


def wilson_interval(share: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return lower and upper end of Wilson's interval of a share observed in ``n`` cases.

    ``n`` may be fractional: the effective size of a weighted sample. Without a case the interval is
    from 0 to 1.

    >>> low, high = wilson_interval(0.9, 3000)
    >>> round(low, 3), round(high, 3)
    (0.889, 0.91)
    """
    if not (0 <= share <= 1 and n >= 0 and 0 < confidence < 1):
        raise UsageError(
            f"a share from 0 to 1, a count and a confidence are needed: {share}, {n}, {confidence}"
        )
    z = normal_quantile((1 + confidence) / 2)
    centre = n * share + z**2 / 2
    half = z * sqrt(n * share * (1 - share) + z**2 / 4)
    low, high = ((centre - half) / (n + z**2), (centre + half) / (n + z**2))
    return min(share, max(0.0, low)), max(share, min(1.0, high))
