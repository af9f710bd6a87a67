"""Interval of a share by Wilson's score method, which holds for small samples and for 0 and 1."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from patmark.errors import UsageError


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
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = n * share + z**2 / 2
    half = z * sqrt(n * share * (1 - share) + z**2 / 4)
    low, high = ((centre - half) / (n + z**2), (centre + half) / (n + z**2))
    return min(share, max(0.0, low)), max(share, min(1.0, high))
