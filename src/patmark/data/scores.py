"""Scores: the one shape that every judgement of a system takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
ScoreFunction: TypeAlias = Callable[[FloatArray], FloatArray]
Side: TypeAlias = Literal["source", "hypothesis", "reference"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its confidence interval, and how many segments it rests on."""

    value: float
    ci: tuple[float, float] | None = None
    n: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in a text that explains a score: characters ``start`` to ``end`` of one side."""

    side: Side
    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What one measure counted: statistics of shape (systems, segments, k), additive over segments.

    ``score`` turns sums of statistics (…, k) into numbers (…); from it follow segment
    scores, system scores and, by resampling the sums, intervals and tests.
    """

    measure: str
    signature: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    statistics: FloatArray
    score: ScoreFunction
    higher_is_better: bool = True

    @property
    def segment_scores(self) -> FloatArray:
        """Scores of single segments, of shape (systems, segments)."""
        return self.score(self.statistics)

    @property
    def system_scores(self) -> FloatArray:
        """Scores of whole systems, of shape (systems,)."""
        return self.score(self.statistics.sum(axis=1))
