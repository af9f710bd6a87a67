"""Scores made of plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patmark.data.scores import FloatArray, Scores


def mean_of(totals: FloatArray) -> FloatArray:
    """Sum over count; NaN where nothing was counted."""
    counts = totals[..., 1]
    return np.where(counts > 0, totals[..., 0] / np.maximum(counts, 1), np.nan)


def scores_of(
    values: Sequence[Sequence[float]], measure: str = "m", *, higher_is_better: bool = True
) -> Scores:
    """Means of values (systems × segments) of s0, s1 …; NaN is a segment that does not count."""
    array = np.array(values, dtype=np.float64)
    known = ~np.isnan(array)
    return Scores(
        measure, f"{measure}|mean", tuple(f"s{system}" for system in range(len(array))),
        tuple(str(segment) for segment in range(array.shape[1])),
        np.stack([np.where(known, array, 0.0), known.astype(np.float64)], axis=-1), mean_of,
        higher_is_better,
    )  # fmt: skip
