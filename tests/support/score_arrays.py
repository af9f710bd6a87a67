"""Scores made of plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patmark.data.scores import Scores
from patmark.measures import find_measure


def scores_of(
    values: Sequence[Sequence[float]], measure: str = "m", *, higher_is_better: bool = True
) -> Scores:
    """Means of values (systems × segments) of s0, s1 …; NaN is a segment that does not count.

    They say of themselves what the measure of this name says, where there is one.
    """
    known_measure = find_measure(measure)
    described = None if known_measure is None else known_measure.described()
    array = np.array(values, dtype=np.float64)
    known = ~np.isnan(array)
    return Scores(
        measure, f"{measure}|mean", tuple(f"s{system}" for system in range(len(array))),
        tuple(str(segment) for segment in range(array.shape[1])),
        np.stack([np.where(known, array, 0.0), known.astype(np.float64)], axis=-1),
        higher_is_better=higher_is_better,
        bounds=described.bounds if described else None,
        findings=bool(described and described.findings),
    )  # fmt: skip
