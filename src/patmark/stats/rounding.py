"""Rounding relative to the magnitude, so that no result depends on the scale of a metric.

Sums like 0.1 + 0.2 must not break a tie, nor give a variance to a constant.
"""

from __future__ import annotations

import numpy as np

from patmark.data import FloatArray

DIGITS = 12


def magnitude(*values: FloatArray, axis: int | None = None) -> FloatArray:
    """Return the power of ten above the absolute values along a kept axis; 1 for 0."""
    sizes = [np.where(np.isfinite(one), np.abs(one), 0.0) for one in values]
    found = np.max([one.max(axis=axis, keepdims=True, initial=0.0) for one in sizes], axis=0)
    return np.asarray(10.0 ** np.ceil(np.log10(np.where(found > 0, found, 1.0))))


def rounded(values: FloatArray, scale: FloatArray | float | None = None) -> FloatArray:
    """Round to twelve decimals of the scale; without one, of the magnitude of the values."""
    size = magnitude(values) if scale is None else scale
    return np.asarray(np.round(values / size, DIGITS) * size)


def power_of_two(size: FloatArray) -> FloatArray:
    """Return the next power of two above each size; dividing by it rounds nothing."""
    powers: FloatArray = np.exp2(np.frexp(size)[1].astype(np.float64))
    return powers
