"""Scales of grades, judgements on them, and preferences between two outputs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Generic, Literal, Self, TypeAlias, TypeVar

import numpy as np

from patmark.data import FloatArray
from patmark.errors import UsageError

Kind: TypeAlias = Literal["interval", "ordinal"]

PREFERENCE = "preference"
"""The criterion of a preference between two outputs; it has no grades and needs no scale."""

_MOST_GRADES = 1001
_RESERVED = ("=", "|", ">", "<")
_RANGE = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)\.\.(-?[0-9]+(?:\.[0-9]+)?)")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Scale:
    """The grades of a criterion, worst first.

    Grades of an interval scale are numbers and are averaged. Grades of an ordinal scale have an
    order but no distances and are never averaged. ``continuous`` allows every number between the
    first and the last value of an interval scale. On a ``single`` scale each output is graded
    separately, without other systems. ``origin`` describes how grades were computed.
    """

    criterion: str
    values: tuple[str, ...]
    kind: Kind
    continuous: bool = False
    single: bool = field(default=False, compare=False)
    origin: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        problem = criterion_problem(self.criterion) or self._problem()
        if problem:
            raise UsageError(f"scale of {self.criterion!r}: {problem}")

    def _problem(self) -> str | None:
        if len(self.values) < 2 or len(set(self.values)) < len(self.values):
            return f"expected at least two different grades, found {', '.join(self.values)}"
        if any(not value.strip() or value != value.strip() for value in self.values):
            return "a grade is empty or has spaces around it"
        if self.kind == "ordinal":
            return "only an interval scale can be continuous" if self.continuous else None
        found = [parse_number(value) for value in self.values]
        numbers = [number for number in found if number is not None]
        if len(numbers) < len(found):
            return "the grades of an interval scale must be numbers"
        rising = all(worse < better for worse, better in pairwise(numbers))
        return None if rising else "the grades must rise from worst to best"

    @property
    def form(self) -> str:
        """The scale as :func:`parse_scale` reads it, without the criterion."""
        if self.kind == "ordinal":
            return ",".join(self.values)
        return f"{self.values[0]}..{self.values[-1]}"

    @property
    def expected(self) -> str:
        """Description of a valid grade, for messages."""
        if self.continuous:
            return f"a number from {self.values[0]} to {self.values[-1]}"
        if self.kind == "interval" and len(self.values) > 10:
            return f"a whole number from {self.values[0]} to {self.values[-1]}"
        return f"one of {', '.join(self.values)}"

    def grade(self, value: str) -> float | None:
        """Return the number of an interval grade or the rank of an ordinal one; None if outside."""
        if self.kind == "ordinal":
            return float(self.values.index(value)) if value in self.values else None
        number = parse_number(value)
        if number is None:
            return None
        numbers = [float(known) for known in self.values]
        if self.continuous:
            return number if numbers[0] <= number <= numbers[-1] else None
        return number if number in numbers else None


def parse_number(text: str) -> float | None:
    """Return a finite decimal number in plain ASCII; None for anything else."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


def criterion_problem(criterion: str) -> str | None:
    """Describe a fault of the name of a criterion; None without one."""
    if not criterion.strip() or criterion != criterion.strip():
        return "the name of a criterion must not be empty or have spaces around it"
    if any(sign in criterion for sign in _RESERVED):
        return f"the name of a criterion must not hold any of {' '.join(_RESERVED)}"
    return None


def parse_scale(text: str) -> Scale:
    """Parse a scale written as NAME=1..5, NAME=0.0..10.0 or NAME=F,C,B,A,AA (worst first).

    A range of whole numbers allows only whole numbers; one that is written with decimal points
    allows every number between. A list is ordinal: it is never averaged.
    """
    name, equals, grades = (part.strip() for part in text.partition("="))
    if not equals or not name or not grades:
        raise UsageError(f"expected NAME=1..5 or NAME=F,C,B,A,AA, found {text!r}")
    if name == PREFERENCE:
        raise UsageError(f"{PREFERENCE!r} is a choice between two outputs; it has no scale")
    if match := _RANGE.fullmatch(grades):
        return _range_scale(name, match[1], match[2])
    return Scale(name, tuple(value.strip() for value in grades.split(",")), "ordinal")


def known_scales(declared: Iterable[Scale] = ()) -> Mapping[str, Scale]:
    """Return the built-in scales by criterion; declared ones replace built-in ones."""
    scales = dict(BUILT_IN_SCALES)
    seen: set[str] = set()
    for scale in declared:
        if scale.criterion in seen:
            raise UsageError(f"the scale of {scale.criterion!r} is declared twice")
        seen.add(scale.criterion)
        scales[scale.criterion] = scale
    return scales


def _range_scale(name: str, low: str, high: str) -> Scale:
    if "." in low or "." in high:
        return Scale(name, (low, high), "interval", continuous=True)
    if int(high) - int(low) >= _MOST_GRADES:
        raise UsageError(
            f"scale of {name!r}: more than {_MOST_GRADES} grades; "
            f"write {low}.0..{high}.0 for every number between"
        )
    return Scale(name, tuple(map(str, range(int(low), int(high) + 1))), "interval")


_CLAIM_CRITERIA = ("completeness", "clarity", "consistency", "linkage", "quality", "overall")

BUILT_IN_SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        scale.criterion: scale
        for scale in (
            _range_scale("adequacy", "1", "5"),
            _range_scale("fluency", "1", "5"),
            Scale("acceptability", ("F", "C", "B", "A", "AA"), "ordinal"),
            _range_scale("jpo-adequacy", "1", "5"),
            Scale("examination", ("I", "II", "III", "IV", "V", "VI"), "ordinal"),
            *(_range_scale(criterion, "0.0", "10.0") for criterion in _CLAIM_CRITERIA),
            _range_scale("da", "0.0", "100.0"),
            Scale("correctness", ("wrong", "partly", "correct"), "ordinal"),
            Scale("mqm", ("-1000000.0", "0.0"), "interval", continuous=True, single=True),
            Scale("esa", ("0.0", "100.0"), "interval", continuous=True, single=True),
        )
    }
)
"""The scales that need no declaration.

They are adequacy and fluency of NTCIR-7 and NTCIR-9, acceptability of NTCIR-9, adequacy by the
Japan Patent Office, usefulness for examination of NTCIR-10, the five claim criteria of Patent-CE
with an evaluator's own overall grade, direct assessment, the correctness of aligned sentence pairs,
and scores of annotated errors: minus the points of MQM, and the ESA grade.
"""


Phase: TypeAlias = Literal["main", "training", "check", "repeat"]
PHASES: tuple[Phase, ...] = ("main", "training", "check", "repeat")


@dataclass(frozen=True, slots=True)
class Judgement:
    """One grade that one evaluator gave to one output.

    ``order`` is the position of the output on its page, from 1; ``line`` is the line in its file.
    Only the main phase enters results, not training, attention checks and repeats. A grade is
    ``copied`` if another system gave the same text, which was graded once: it counts in scores, but
    not in agreement.
    """

    evaluator: str
    system: str
    segment: str
    criterion: str
    value: str
    document: str | None = None
    order: int | None = None
    phase: Phase = "main"
    comment: str | None = None
    copied: bool = False
    line: int | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """The unique key."""
        return self.phase, self.evaluator, self.system, self.segment, self.criterion

    @property
    def description(self) -> str:
        """The judgement in words, without its grade, for messages."""
        about = f"{self.criterion} of {self.system!r}, segment {self.segment!r}"
        return f"{self.evaluator!r} graded {about}{in_words(self.phase)}"


_RowT = TypeVar("_RowT", "Judgement", "Preference")


@dataclass(frozen=True)
class RowSet(Generic[_RowT]):
    """Validated rows of one kind, by the name of their files.

    ``test_segments`` are those of the test set, if known. Evaluators and segments have a fixed
    order, so that results do not depend on that of the rows.
    """

    rows: tuple[_RowT, ...]
    name: str = field(compare=False)
    test_segments: tuple[str, ...] = field(compare=False)

    @cached_property
    def criteria(self) -> tuple[str, ...]:
        """The criteria in the order of their first occurrence."""
        return unique(row.criterion for row in self.rows)

    @cached_property
    def evaluators(self) -> tuple[str, ...]:
        """Evaluators, sorted by name."""
        return in_order(row.evaluator for row in self.rows)

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """Judged segments, in the order of the test set or else sorted by name."""
        return in_order((row.segment for row in self.rows), self.test_segments)

    @cached_property
    def documents(self) -> tuple[str | None, ...]:
        """The document of each segment, None where it is not known."""
        found = {row.segment: row.document for row in self.rows if row.document is not None}
        return tuple(found.get(segment) for segment in self.segments)

    def in_phase(self, phase: Phase = "main") -> Self:
        """Return only the rows of one phase."""
        rows = tuple(row for row in self.rows if row.phase == phase)
        return self if len(rows) == len(self.rows) else self.keeping(rows)

    def keeping(self, rows: Iterable[_RowT]) -> Self:
        """Return a copy with some of the rows."""
        return replace(self, rows=tuple(rows))


@dataclass(frozen=True)
class Judgements(RowSet[Judgement]):
    """Validated judgements, with the scales of their criteria.

    Made by :func:`patmark.human.judgements.check_judgements` and by the readers.
    """

    scales: tuple[Scale, ...]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The judged systems, in the order of their first occurrence."""
        return unique(row.system for row in self.rows)

    @cached_property
    def phases(self) -> Mapping[str, int]:
        """Number of judgements of each phase that has any."""
        counts = {phase: sum(row.phase == phase for row in self.rows) for phase in PHASES}
        return {phase: count for phase, count in counts.items() if count}

    def scale(self, criterion: str) -> Scale:
        """Return the scale of a judged criterion."""
        if criterion not in self.criteria:
            raise UsageError(
                f"{self.name} has no judgements of {criterion!r}; "
                f"there are {', '.join(self.criteria) or 'none'}"
            )
        return next(scale for scale in self.scales if scale.criterion == criterion)

    def grades(self, criterion: str, phase: Phase = "main") -> FloatArray:
        """Return grades of shape (evaluators, systems, segments), NaN for absent ones.

        Interval grades are the numbers themselves, ordinal grades their ranks from 0. The axes
        are those of all judgements, so that the arrays of two phases or criteria fit together.
        """
        if (criterion, phase) in self._grades:
            return self._grades[criterion, phase].copy()
        scale = self.scale(criterion)
        chosen = [row for row in self.rows if (row.criterion, row.phase) == (criterion, phase)]
        axes = self.evaluators, self.systems, self.segments
        grades = np.full(tuple(map(len, axes)), np.nan)
        places = (
            positions(self.evaluators, (row.evaluator for row in chosen)),
            positions(self.systems, (row.system for row in chosen)),
            positions(self.segments, (row.segment for row in chosen)),
        )
        known = {value: scale.grade(value) for value in {row.value for row in chosen}}
        grades[places] = [known[row.value] for row in chosen]
        self._grades[criterion, phase] = grades
        return grades.copy()

    @cached_property
    def _grades(self) -> dict[tuple[str, Phase], FloatArray]:
        return {}

    def without_copies(
        self, grades: FloatArray, criterion: str, phase: Phase = "main"
    ) -> FloatArray:
        """Return the grades with NaN for copies, so that each answer counts once."""
        copies = [
            (row.evaluator, row.system, row.segment)
            for row in self.rows
            if row.copied and (row.criterion, row.phase) == (criterion, phase)
        ]
        single = grades.copy()
        if copies:
            axes = self.evaluators, self.systems, self.segments
            single[tuple(map(positions, axes, zip(*copies, strict=True)))] = np.nan
        return single


def in_words(phase: Phase) -> str:
    """Return the phase for messages, unless it is the main one."""
    return "" if phase == "main" else f" (phase {phase})"


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Return the different names in the order of their first occurrence."""
    return tuple(dict.fromkeys(names))


def in_order(names: Iterable[str], known: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the different names in a known order, then others in natural order."""
    places = {name: place for place, name in enumerate(known)}
    return tuple(
        sorted(set(names), key=lambda name: (places.get(name, len(places)), _natural(name), name))
    )


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts s2 before s10."""
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def positions(axis: Sequence[str], names: Iterable[str]) -> list[int]:
    """Return the positions of names on an axis."""
    places = {name: place for place, name in enumerate(axis)}
    return [places[name] for name in names]


@dataclass(frozen=True, slots=True)
class Preference:
    """A preference between the outputs of two systems; ``winner`` None is a tie.

    ``first`` is the output that was shown first or on the left. A preference is ``copied`` if
    nobody was asked, because the outputs are equal, or another choice was made between equal ones.
    It counts in scores, but not in agreement.
    """

    evaluator: str
    segment: str
    first: str
    second: str
    winner: str | None
    criterion: str = PREFERENCE
    document: str | None = None
    phase: Phase = "main"
    copied: bool = False
    line: int | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """The unique key; the order of the two systems does not matter."""
        pair = sorted((self.first, self.second))
        return self.phase, self.evaluator, self.segment, self.criterion, *pair

    @property
    def description(self) -> str:
        """The choice in words, without its winner, for messages."""
        about = f"{self.first!r} and {self.second!r}, segment {self.segment!r}"
        return f"{self.evaluator!r} compared {about}{in_words(self.phase)}"


@dataclass(frozen=True)
class Preferences(RowSet[Preference]):
    """Validated preferences.

    Made by :func:`patmark.human.judgements.check_preferences` and by the readers.
    """

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The compared systems, in the order of their first occurrence."""
        return unique(name for row in self.rows for name in (row.first, row.second))

    def wins(self, criterion: str = PREFERENCE) -> FloatArray:
        """Count the wins of one system over another, of shape (segments, systems, systems).

        Entry [n, i, j] counts the wins of i over j in segment n. Only the main phase counts.
        """
        return self._counts(criterion, tied=False)

    def ties(self, criterion: str = PREFERENCE) -> FloatArray:
        """Count the ties of two systems, of shape (segments, systems, systems), symmetric."""
        ties = self._counts(criterion, tied=True)
        return ties + ties.transpose(0, 2, 1)

    def _counts(self, criterion: str, tied: bool) -> FloatArray:
        if criterion not in self.criteria:
            raise UsageError(
                f"{self.name} has no preferences of {criterion!r}; "
                f"there are {', '.join(self.criteria) or 'none'}"
            )
        rows = [
            row
            for row in self.rows
            if (row.criterion, row.phase) == (criterion, "main") and (row.winner is None) == tied
        ]
        better = [row.winner or row.first for row in rows]
        worse = [
            row.first if name == row.second else row.second
            for row, name in zip(rows, better, strict=True)
        ]
        counts = np.zeros((len(self.segments), len(self.systems), len(self.systems)))
        places = (
            positions(self.segments, (row.segment for row in rows)),
            positions(self.systems, better),
            positions(self.systems, worse),
        )
        np.add.at(counts, places, 1.0)
        return counts
