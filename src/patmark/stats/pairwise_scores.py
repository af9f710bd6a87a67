"""Pairwise scores of NTCIR-9: how often the grade of a system beats those of the others.

For each segment and each other system a better grade gives one point, an equal one half a point.
Only the order of grades matters, so the score suits ordinal grades such as AA to F.
"""

from __future__ import annotations

import numpy as np

from patmark.data import FloatArray, ratio


def pairwise_statistics(grades: FloatArray) -> FloatArray:
    """Return points and comparisons of each system in each segment: (…, systems, segments, 2).

    ``grades`` (…, systems, segments) are numbers, better ones higher, NaN if missing. Two systems
    are compared in the segments in which both have a grade.
    """
    statistics = np.zeros((*grades.shape, 2))
    for system in range(grades.shape[-2]):
        own = grades[..., system : system + 1, :]
        better, equal, worse = grades < own, grades == own, grades > own
        equal[..., system, :] = False
        comparisons = (better | equal | worse).sum(axis=-2)
        statistics[..., system, :, 0] = better.sum(axis=-2) + equal.sum(axis=-2) / 2
        statistics[..., system, :, 1] = comparisons
    return statistics


def pairwise_score(totals: FloatArray) -> FloatArray:
    """Return points per comparison, from sums (…, 2); NaN without a comparison."""
    return ratio(totals[..., 0], totals[..., 1])


def segment_wins(grades: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return wins and ties of each segment, both (segments, systems, systems), from grades.

    ``wins[s, i, j]`` is 1 if system i has the better grade, ``ties[s, i, j]`` if both have the
    same, as ``bradley_terry`` takes them.
    """
    own, other = grades.T[:, :, None], grades.T[:, None, :]
    ties = (own == other).astype(np.float64)
    ties[:, np.arange(len(grades)), np.arange(len(grades))] = 0
    return (own > other).astype(np.float64), ties
