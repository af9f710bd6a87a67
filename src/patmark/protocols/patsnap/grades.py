"""Grades of the bench, and the results that contradict the meaning of a grade.

The published grade depends only on accuracy, which hardly falls if every number is wrong or every
third row has text of the source language. The meaning of the letter is therefore withheld if a
fault rate or a check is bad.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from patmark.wording import tr

NEAR_ZERO = 1.0
"""Percentage from which fault rates are shown with the grade."""
HIGHEST_RATE = 5.0
"""The highest percentage of omission or hallucination at which the meaning of a grade applies."""
LEAST_KEPT = 0.9
"""The least score of a check for this, as a share of the score of the references."""
_GRADES = (
    (80.0, "A", tr("ready for professional use")),
    (65.0, "B", tr("usable as a translation aid")),
    (50.0, "C", tr("key terms need review")),
    (0.0, "D", tr("not usable without retranslation")),
)


@dataclass(frozen=True, slots=True)
class GradeContradiction:
    """A fault rate above its ``limit``, in percent, or a check below it, from 0 to 1."""

    name: str
    value: float
    limit: float


def grade(percent: float) -> tuple[str, str]:
    """Return the grade of a score in percent, and its meaning."""
    if np.isnan(percent):
        return "–", tr("nothing was scored")
    return next((letter, meaning) for least, letter, meaning in _GRADES if percent >= least)


def recommends(percent: float) -> bool:
    """Return True if the meaning of the grade recommends a use."""
    return percent >= _GRADES[-2][0]


def contradictions(
    rates: Mapping[str, float], kept: Mapping[str, tuple[float, float]]
) -> Iterator[GradeContradiction]:
    """Yield rates in percent that are too high, and checks that are too low.

    ``kept`` has the score of each check, and that of the references in the same rows.
    """
    for name, percent in rates.items():
        if percent > HIGHEST_RATE:
            yield GradeContradiction(name, percent, HIGHEST_RATE)
    for name, (value, own) in kept.items():
        if value < LEAST_KEPT * own:
            yield GradeContradiction(name, value, LEAST_KEPT * own)
