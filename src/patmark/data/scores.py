"""Scores: the one shape that every judgement of a system takes, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from patmark.data.csv_records import csv_text
from patmark.data.records import counted
from patmark.wording import tr

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray: TypeAlias = NDArray[np.float64]
    IntArray: TypeAlias = NDArray[np.int64]
else:  # numpy.typing takes longer to import than a file to score
    FloatArray = IntArray = np.ndarray
ScoreFunction: TypeAlias = Callable[[FloatArray], FloatArray]
Side: TypeAlias = Literal["source", "hypothesis", "reference"]
SIDE_NAMES: Mapping[Side, str] = {
    "source": tr("source"),
    "hypothesis": tr("hypothesis"),
    "reference": tr("reference"),
}
Aggregation: TypeAlias = Literal["measure", "mean", "own"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its confidence interval, and how many segments it rests on."""

    value: float
    ci: tuple[float, float] | None = None
    n: int = 0

    @property
    def without_width(self) -> bool:
        """Whether all resamples have the same score: units that are alike tell no interval."""
        return self.ci is not None and self.ci[1] - self.ci[0] <= 1e-12 * max(1.0, abs(self.value))


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """What values scores can take: their bounds, and whether they are a rate.

    A ``rate`` is a share of segments: each segment has all of it or nothing. All is the upper
    bound, 1 where none is given.
    """

    bounds: tuple[float, float] | None = None
    rate: bool = False

    @property
    def whole(self) -> float:
        """What a rate is when every segment has it."""
        return 1.0 if self.bounds is None else self.bounds[1]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in a text that explains a score: characters ``start`` to ``end`` of one side.

    ``severity`` says how bad it is, where that is known.
    """

    side: Side
    start: int
    end: int
    message: str
    severity: str = ""


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Element-wise quotient; NaN where there is nothing to divide by."""
    result = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def where_counted(score: ScoreFunction, totals: FloatArray) -> FloatArray:
    """Scores of sums of statistics (…, k); NaN where nothing was counted."""
    scores = score(totals)
    if totals.shape[-1] and totals[..., 0].all():  # the usual case, much faster
        return scores
    return np.where((totals != 0).any(axis=-1), scores, np.nan)


def mean_score(totals: FloatArray) -> FloatArray:
    """Sum divided by count, from sums of statistics (…, 2); NaN without a count."""
    return ratio(totals[..., 0], totals[..., 1])


def mean_statistics(values: FloatArray) -> FloatArray:
    """Statistics (value, 1) of values of any shape, (0, 0) where a value is NaN."""
    known = ~np.isnan(values)
    return np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What one measure counted: statistics of shape (systems, segments, k), additive over segments.

    ``score`` turns sums of statistics (…, k) into numbers (…); from it follow system scores and,
    by resampling the sums, intervals and tests. ``segment_score`` does so for single segments,
    where a measure has another rule for them.

    Scores describe themselves, so that nobody has to know the measure:

    * ``aggregation`` says what ``score`` is: that of the measure of this name, the mean over
      groups of pairs (sum, count) times ``factor``, or something that only this object knows;
    * ``bounds`` are the ends of the scale, None where they are not known;
    * a ``percentage`` runs to 100, or counts 100 as everything;
    * ``descriptive`` scores have no better end, so that systems are not compared by them;
    * ``findings`` were looked for in every output: no statistics do not mean a gap;
    * ``needs_all`` leaves out of a comparison what not all systems answered;
    * a ``rate`` is all or nothing in every segment by definition, from 0 to its upper bound.
    """

    measure: str
    signature: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    statistics: FloatArray
    score: ScoreFunction = mean_score
    higher_is_better: bool = True
    aggregation: Aggregation = "own"
    factor: float = 1.0
    bounds: tuple[float, float] | None = None
    percentage: bool = False
    descriptive: bool = False
    findings: bool = False
    needs_all: bool = False
    rate: bool = False
    segment_score: ScoreFunction | None = None

    def __post_init__(self) -> None:
        if self.aggregation == "own" and self.score is mean_score:
            object.__setattr__(self, "aggregation", "mean")

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.systems), 'system')}, {counted(len(self.segments), 'segment')}"
        return f"<Scores {self.measure}, {sizes}>"

    @classmethod
    def of_values(
        cls,
        measure: str,
        signature: str,
        systems: tuple[str, ...],
        segments: tuple[str, ...],
        values: FloatArray,
    ) -> Scores:
        """Scores from values (systems, segments); a system's score is the mean of its segments."""
        return cls(measure, signature, systems, segments, mean_statistics(values))

    @property
    def decimals(self) -> int:
        """How many decimals to show; by the size of the values where the scale is not known."""
        if self.bounds is not None and np.isfinite(self.bounds).any():
            low, high = self.bounds
            return 2 if high > 1 or low < -1 else 4
        known = self.system_scores[~np.isnan(self.system_scores)]
        return 4 if (np.abs(known) <= 1).all() else 2

    @property
    def scale(self) -> ScoreScale:
        """What values these scores can take."""
        return ScoreScale(self.bounds, self.rate)

    @property
    def segment_scores(self) -> FloatArray:
        """Scores of single segments, of shape (systems, segments)."""
        return (self.segment_score or self.score)(self.statistics)

    @property
    def system_scores(self) -> FloatArray:
        """Scores of whole systems, of shape (systems,)."""
        return self.score(self.statistics.sum(axis=1))


COLUMNS = ("system", "segment", "measure", "value")


def segment_rows(scores: Sequence[Scores]) -> Iterator[tuple[str, str, str, float]]:
    """System, segment, measure and value; the row of a whole system has an empty segment."""
    for one in scores:
        of_segments = one.segment_scores
        of_systems = one.system_scores
        for position, system in enumerate(one.systems):
            yield system, "", one.measure, float(of_systems[position])
            for segment, value in zip(one.segments, of_segments[position], strict=True):
                yield system, segment, one.measure, float(value)


def segment_csv(scores: Sequence[Scores]) -> str:
    """All scores with full precision; a value that is not defined (NaN) is left empty."""
    rows = segment_rows(scores)
    return csv_text(
        COLUMNS, ((*keys, None if math.isnan(value) else value) for *keys, value in rows)
    )
