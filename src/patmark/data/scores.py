"""Scores: the one shape that every judgement of a system takes, and their CSV files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from patmark.data.csv_records import CsvRecord, csv_text, header_problems, read_csv_records
from patmark.data.files import FilePath, shown
from patmark.data.records import raise_if_any
from patmark.errors import InputError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray: TypeAlias = NDArray[np.float64]
    IntArray: TypeAlias = NDArray[np.int64]
else:  # numpy.typing takes longer to import than a file to score
    FloatArray = IntArray = np.ndarray
ScoreFunction: TypeAlias = Callable[[FloatArray], FloatArray]
Side: TypeAlias = Literal["source", "hypothesis", "reference"]
Aggregation: TypeAlias = Literal["measure", "mean", "own"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its confidence interval, and how many segments it rests on."""

    value: float
    ci: tuple[float, float] | None = None
    n: int = 0


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
    """A place in a text that explains a score: characters ``start`` to ``end`` of one side."""

    side: Side
    start: int
    end: int
    message: str


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Element-wise quotient; NaN where there is nothing to divide by."""
    result = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def where_counted(score: ScoreFunction, totals: FloatArray) -> FloatArray:
    """Scores of sums of statistics (…, k); NaN where nothing was counted."""
    return np.where((totals != 0).any(axis=-1), score(totals), np.nan)


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


_OPTIONAL = ("type", "document")


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Scores by measure: of whole systems, and of single segments (systems, segments).

    NaN where the file has no value. ``kinds`` gives the type of each system that has one.
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    of_systems: Mapping[str, FloatArray]
    of_segments: Mapping[str, FloatArray]
    kinds: Mapping[str, str]
    documents: tuple[str | None, ...]


def read_score_table(path: FilePath) -> ScoreTable:
    """Read scores; a row with an empty segment is the score of a whole system.

    The optional columns ``type`` and ``document`` say of what type a system is and which document
    a segment comes from. An empty value means that there is none.
    """
    name = shown(path)
    header, *records = read_csv_records(path)
    raise_if_any(header_problems(header, COLUMNS, _OPTIONAL, name))
    if not records:
        raise InputError.at("has a header but no rows", name, header.line + 1)
    rows = _Rows.of(header, records, name)
    problems = [
        *rows.empty("system"), *rows.empty("measure"), *rows.value_problems(), *rows.doubles(),
        *rows.contradictions("system", "type"), *rows.contradictions("segment", "document"),
    ]  # fmt: skip
    raise_if_any(problems)
    return _table(rows)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The columns of the file, the line of each row, and the values as numbers.

    A value is NaN where it is empty, infinite where it is no number.
    """

    path: str
    lines: list[int]
    columns: Mapping[str, list[str]]
    values: list[float]

    @classmethod
    def of(cls, header: CsvRecord, records: Sequence[CsvRecord], path: str) -> _Rows:
        width = len(header.fields)
        raise_if_any(
            [
                Problem(
                    f"expected {width} fields as in the header, found {len(record.fields)}",
                    path, record.line,
                )
                for record in records
                if len(record.fields) != width
            ]
        )  # fmt: skip
        fields = zip(*(record.fields for record in records), strict=True)
        columns = {
            title: [text.strip() for text in column]
            for title, column in zip(header.fields, fields, strict=True)
        }
        for title in _OPTIONAL:
            columns.setdefault(title, [""] * len(records))
        lines = [record.line for record in records]
        return cls(path, lines, columns, [_number(text) for text in columns["value"]])

    def problem(self, message: str, row: int) -> Problem:
        """A problem of one row."""
        return Problem(message, self.path, self.lines[row])

    def empty(self, title: str) -> list[Problem]:
        """Rows without a name."""
        return [
            self.problem(f"column {title!r} is empty", row)
            for row, text in enumerate(self.columns[title])
            if not text
        ]

    def value_problems(self) -> list[Problem]:
        """Values that are no numbers."""
        return [
            self.problem(
                f"value: expected a number or nothing, found {self.columns['value'][row]!r}", row
            )
            for row, value in enumerate(self.values)
            if math.isinf(value)
        ]

    def doubles(self) -> list[Problem]:
        """Scores that stand in the file twice."""
        first: dict[tuple[str, str, str], int] = {}
        problems = []
        keys = zip(
            *(self.columns[title] for title in ("system", "segment", "measure")), strict=True
        )
        for row, key in enumerate(keys):
            before = first.setdefault(key, row)
            if before != row:
                system, segment, measure = key
                where = f"segment {segment!r}" if segment else "the whole system"
                line = self.lines[before]
                message = f"{measure} of {system} for {where} is already on line {line}"
                problems.append(self.problem(message, row))
        return problems

    def facts(self, owner: str, fact: str) -> dict[str, int]:
        """For each system or segment the first row that says something of it."""
        known: dict[str, int] = {}
        pairs = zip(self.columns[owner], self.columns[fact], strict=True)
        for row, (name, value) in enumerate(pairs):
            if name and value:
                known.setdefault(name, row)
        return known

    def contradictions(self, owner: str, fact: str) -> list[Problem]:
        """Rows that say something else of a system or segment than the first one."""
        names, values = self.columns[owner], self.columns[fact]
        known = self.facts(owner, fact)
        return [
            self.problem(
                f"{owner} {name!r} has {value!r} here and {values[known[name]]!r} "
                f"on line {self.lines[known[name]]}",
                row,
            )
            for row, (name, value) in enumerate(zip(names, values, strict=True))
            if name and value and value != values[known[name]]
        ]


def _number(text: str) -> float:
    if not text:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        return math.inf
    return math.inf if math.isnan(value) else value


def _table(rows: _Rows) -> ScoreTable:
    systems, of_system = _numbered(rows.columns["system"])
    segments, of_segment = _numbered(rows.columns["segment"])
    measures, of_measure = _numbered(rows.columns["measure"])
    values = np.array(rows.values)
    whole = segments.index("") if "" in segments else -1
    of_systems: dict[str, FloatArray] = {}
    of_segments: dict[str, FloatArray] = {}
    inner = [place for place in range(len(segments)) if place != whole]
    for number, measure in enumerate(measures):
        here = of_measure == number
        table = np.full((len(systems), len(segments)), np.nan)
        table[of_system[here], of_segment[here]] = values[here]
        if (of_segment[here] == whole).any():
            of_systems[measure] = table[:, whole]
        if (of_segment[here] != whole).any():
            of_segments[measure] = table[:, inner]
    kinds, documents = rows.facts("system", "type"), rows.facts("segment", "document")
    named = tuple(segments[place] for place in inner)
    return ScoreTable(
        rows.path, tuple(systems), named, of_systems, of_segments,
        {system: rows.columns["type"][row] for system, row in kinds.items()},
        tuple(
            rows.columns["document"][documents[segment]] if segment in documents else None
            for segment in named
        ),
    )  # fmt: skip


def _numbered(names: Sequence[str]) -> tuple[list[str], IntArray]:
    """The distinct names in order, and for each row the number of its name."""
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(name, len(numbers)) for name in names]
    return list(numbers), np.array(places, dtype=np.int64)
