"""Scores of systems by segment, facts about the texts behind them, and their CSV."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from patmark.data.csv_records import csv_text
from patmark.data.model import Run, TestSet, fingerprint
from patmark.data.records import counted
from patmark.wording import tr, tr_n

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

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


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its confidence interval and number of segments."""

    value: float
    ci: tuple[float, float] | None = None
    n: int = 0

    @property
    def without_width(self) -> bool:
        """True if all resamples have the same score, so that no interval exists."""
        if self.ci is None:
            return False
        low, high = self.ci
        return high - low <= 1e-12 * max(abs(low), abs(high))


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """Scale of scores: their bounds, and True if they are a rate.

    A ``rate`` is a share of segments: each segment has 0 or the upper bound (default 1).
    """

    bounds: tuple[float, float] | None = None
    rate: bool = False

    @property
    def whole(self) -> float:
        """Value of a rate if every segment has it."""
        return 1.0 if self.bounds is None else self.bounds[1]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in a text that explains a score: characters ``start`` to ``end`` of one side.

    ``severity`` is None if unknown.
    """

    side: Side
    start: int
    end: int
    message: str
    severity: str = ""


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide element by element; NaN unless the denominator is positive."""
    above, below = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    result = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=result, where=below > 0)
    return result


def where_counted(score: ScoreFunction, totals: FloatArray) -> FloatArray:
    """Return scores of sums of statistics (…, k); NaN if nothing was counted."""
    scores = score(totals)
    if totals.shape[-1] and totals[..., 0].all():  # the usual case, much faster
        return scores
    return np.where((totals != 0).any(axis=-1), scores, np.nan)


def mean_score(totals: FloatArray) -> FloatArray:
    """Return sum divided by count, from sums of statistics (…, 2); NaN without a count."""
    return ratio(totals[..., 0], totals[..., 1])


def mean_statistics(values: FloatArray) -> FloatArray:
    """Return statistics (value, 1) of values of any shape, (0, 0) if a value is NaN."""
    known = ~np.isnan(values)
    return np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)


class Aggregation(Protocol):
    """Rule that maps sums of statistics to scores: a :class:`Mean` or a measure.

    A rule has a name that can be stored in a file. ``mean_factor`` is the factor of a mean of pairs
    (sum, count), None for other rules.
    """

    @property
    def name(self) -> str:
        """Name of the rule."""

    @property
    def mean_factor(self) -> float | None:
        """Factor of a mean of pairs."""

    def score(self, totals: FloatArray) -> FloatArray:
        """Compute scores (…) from sums of statistics (…, k)."""

    def segment_score(self, statistics: FloatArray) -> FloatArray:
        """Compute scores (…) of single segments from their statistics (…, k)."""


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean over groups of pairs (sum, count), times a factor; a group without a count is left out.

    A single group is the ratio of its two statistics.
    """

    name: ClassVar[str] = "mean"
    factor: float = 1.0

    @property
    def mean_factor(self) -> float:
        """Factor of the mean."""
        return self.factor

    def score(self, totals: FloatArray) -> FloatArray:
        """Compute means (…) from sums of statistics (…, 2 × groups)."""
        means = ratio(self.factor * totals[..., ::2], totals[..., 1::2])
        if means.shape[-1] == 1:
            return means[..., 0]
        known = ~np.isnan(means)
        return ratio(np.where(known, means, 0.0).sum(axis=-1), known.sum(axis=-1))

    def segment_score(self, statistics: FloatArray) -> FloatArray:
        """Compute means of single segments."""
        return self.score(statistics)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Statistics of one measure, of shape (systems, segments, k), additive over segments.

    The ``aggregation`` maps sums of statistics (…, k) to scores (…). System scores, intervals and
    tests follow from it by resampling the sums.

    Scores describe themselves, so that a reader does not need the measure:

    * ``bounds`` are the ends of the scale, None where they are not known;
    * a ``percentage`` runs to 100, or counts 100 as everything;
    * ``descriptive`` scores have no better end, so that systems are not compared by them;
    * ``findings`` were looked for in every output: no statistics do not mean a gap;
    * ``needs_all`` leaves out of a comparison every segment that some system did not answer;
    * a ``rate`` is all or nothing in every segment by definition, from 0 to its upper bound.
    """

    measure: str
    signature: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    statistics: FloatArray
    aggregation: Aggregation = Mean()
    higher_is_better: bool = True
    bounds: tuple[float, float] | None = None
    percentage: bool = False
    descriptive: bool = False
    findings: bool = False
    needs_all: bool = False
    rate: bool = False

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
        """Return scores from values (systems, segments); system scores are their means."""
        return cls(measure, signature, systems, segments, mean_statistics(values))

    @property
    def decimals(self) -> int:
        """Number of decimals to show; by the magnitude of the values if the scale is unknown."""
        if self.bounds is not None and np.isfinite(self.bounds).any():
            low, high = self.bounds
            return 2 if high > 1 or low < -1 else 4
        known = self.system_scores[~np.isnan(self.system_scores)]
        return 4 if (np.abs(known) <= 1).all() else 2

    @property
    def scale(self) -> ScoreScale:
        """Scale of the scores: bounds, and True if they are a rate."""
        return ScoreScale(self.bounds, self.rate)

    def score(self, totals: FloatArray) -> FloatArray:
        """Compute scores (…) from sums of statistics (…, k); NaN where nothing was counted."""
        return where_counted(self.aggregation.score, totals)

    def segment_score(self, statistics: FloatArray) -> FloatArray:
        """Compute scores (…) of single segments; NaN where nothing was counted."""
        return where_counted(self.aggregation.segment_score, statistics)

    @property
    def segment_scores(self) -> FloatArray:
        """Scores of single segments, of shape (systems, segments)."""
        return self.segment_score(self.statistics)

    @property
    def system_scores(self) -> FloatArray:
        """Scores of whole systems, of shape (systems,)."""
        return self.score(self.statistics.sum(axis=1))

    def as_mean(self) -> Scores | None:
        """Return the same scores as a mean with factor 1; None if they are not a mean."""
        factor = self.aggregation.mean_factor
        if factor is None:
            return None
        statistics = self.statistics.copy()
        statistics[..., ::2] *= factor
        return replace(self, statistics=statistics, aggregation=Mean())


COLUMNS = ("system", "segment", "measure", "value")


def segment_rows(scores: Sequence[Scores]) -> Iterator[tuple[str, str, str, float]]:
    """Yield system, segment, measure and value; the row of a whole system has an empty segment."""
    for one in scores:
        of_segments = one.segment_scores
        of_systems = one.system_scores
        for position, system in enumerate(one.systems):
            yield system, "", one.measure, float(of_systems[position])
            for segment, value in zip(one.segments, of_segments[position], strict=True):
                yield system, segment, one.measure, float(value)


def segment_csv(scores: Sequence[Scores]) -> str:
    """Return all scores with full precision; an undefined value (NaN) is left empty."""
    rows = segment_rows(scores)
    return csv_text(
        COLUMNS, ((*keys, None if math.isnan(value) else value) for *keys, value in rows)
    )


COUNTED_AS_EMPTY = tr("counts as an empty text")
COUNTED_AS_WRONG = "counts as wrong"
LEFT_OUT = "is left out"


@dataclass(frozen=True, slots=True)
class ScoreFacts:
    """The test set of scores, and the missing answers.

    ``test_set`` is its fingerprint. Facts that an older file lacks are empty, and None for
    ``languages`` and ``missing``. ``treatment`` describes the handling of segments without an
    answer.
    """

    test_set: Mapping[str, str] = field(default_factory=dict)
    languages: Mapping[str, str | None] | None = None
    missing: Mapping[str, int] | None = None
    empty: Mapping[str, int] = field(default_factory=dict)
    treatment: str = COUNTED_AS_EMPTY

    @classmethod
    def of(
        cls, test_set: TestSet, runs: Sequence[Run], treatment: str = COUNTED_AS_EMPTY
    ) -> ScoreFacts:
        """Return the facts about runs of a test set."""
        return cls(
            fingerprint(test_set),
            {"source": test_set.source_language, "target": test_set.target_language},
            {run.system: run.missing for run in runs},
            {run.system: run.empty for run in runs},
            treatment,
        )

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> ScoreFacts:
        """Read the facts of a file, which may hold others; the ValueError explains a fault.

        Files written before a fact was stored are accepted.
        """
        return cls(**{name: _checked(name, facts[name]) for name in cls.__slots__ if name in facts})

    def to_json(self) -> dict[str, Any]:
        """Return the known facts for a file."""
        mappings = ("test_set", "languages", "missing", "empty")
        known: dict[str, Any] = {
            name: dict(getattr(self, name)) for name in mappings if getattr(self, name)
        }
        return known | {"treatment": self.treatment} if self.missing else known

    def only(self, systems: Sequence[str]) -> ScoreFacts:
        """Return the facts about some of the systems."""
        missing = self.missing
        if missing is not None:
            missing = {name: missing[name] for name in systems if name in missing}
        empty = {name: self.empty[name] for name in systems if name in self.empty}
        return replace(self, missing=missing, empty=empty)

    def notes(self) -> tuple[str, ...]:
        """Return notes on missing and empty answers."""
        return answer_notes(self.missing or {}, self.empty, self.treatment)


def answer_notes(
    missing: Mapping[str, int], empty: Mapping[str, int], treatment: str = COUNTED_AS_EMPTY
) -> tuple[str, ...]:
    """Return a note for each system with missing or empty answers."""
    return tuple(
        tr(
            "{system}: {segments} {fault}",
            system=system,
            segments=tr_n("{n} segment", "{n} segments", n=number),
            fault=fault,
        )
        for system, unanswered in missing.items()
        for number, fault in (
            (unanswered, tr("without an answer; each {treatment}.", treatment=treatment)),
            (empty.get(system, 0), tr("with an empty answer.")),
        )
        if number
    )


_VALUES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "test_set": ("texts", lambda value: isinstance(value, str)),
    "languages": ("texts", lambda value: value is None or isinstance(value, str)),
    "missing": ("counts", lambda value: type(value) is int and value >= 0),
    "empty": ("counts", lambda value: type(value) is int and value >= 0),
}


def _checked(name: str, value: Any) -> Any:
    """Return a fact of a file; the ValueError states the expectation."""
    if name not in _VALUES:
        if not isinstance(value, str):
            raise ValueError(f"field 'facts': expected a text as {name!r}")
        return value
    expected, fits = _VALUES[name]
    if not isinstance(value, dict) or not all(map(fits, value.values())):
        raise ValueError(f"field 'facts': expected an object with {expected} as {name!r}")
    return value
