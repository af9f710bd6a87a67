"""Scores that are means of numbers per segment: the simplest case of the one shape."""

from __future__ import annotations

import numpy as np

from patmark.data import FloatArray, Scores, ratio


def mean_score(totals: FloatArray) -> FloatArray:
    """Sum divided by count, from sums of statistics (…, 2); NaN without a count."""
    return ratio(totals[..., 0], totals[..., 1])


def mean_statistics(values: FloatArray) -> FloatArray:
    """Statistics (value, 1) of values of any shape, (0, 0) where a value is NaN."""
    known = ~np.isnan(values)
    return np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)


def mean_scores(
    measure: str,
    signature: str,
    systems: tuple[str, ...],
    segments: tuple[str, ...],
    values: FloatArray,
) -> Scores:
    """Scores from values (systems, segments); a system's score is the mean of its segments."""
    return Scores(measure, signature, systems, segments, mean_statistics(values), mean_score)


def mean_over(values: FloatArray) -> FloatArray:
    """The mean over the first axis, NaN left out; NaN where nothing is known."""
    return mean_score(mean_statistics(values).sum(axis=0))
