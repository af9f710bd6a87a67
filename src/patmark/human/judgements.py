"""Judgements: who gave which output which grade, and the same as arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, Literal, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.human.scales import Scale

Phase: TypeAlias = Literal["main", "training", "check", "repeat"]
PHASES: tuple[Phase, ...] = ("main", "training", "check", "repeat")


@dataclass(frozen=True, slots=True)
class Judgement:
    """One grade that one evaluator gave to one output.

    ``order`` is the place at which the output was shown, from 1; ``line`` is where the judgement
    stands in its file. Only the main phase enters results: training, attention checks and
    repeated items serve other ends.
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
    line: int | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """What may occur only once."""
        return self.phase, self.evaluator, self.system, self.segment, self.criterion

    @property
    def said(self) -> str:
        """The judgement in words, without its grade, for messages."""
        about = f"{self.criterion} of {self.system!r}, segment {self.segment!r}"
        return f"{self.evaluator!r} graded {about}{in_words(self.phase)}"


class _Row(Protocol):
    """What a judgement and a preference both have."""

    @property
    def evaluator(self) -> str: ...
    @property
    def segment(self) -> str: ...
    @property
    def criterion(self) -> str: ...
    @property
    def document(self) -> str | None: ...
    @property
    def phase(self) -> Phase: ...


_RowT = TypeVar("_RowT", bound=_Row)


@dataclass(frozen=True)
class RowSet(Generic[_RowT]):
    """Checked rows of one kind, by the name of their files.

    ``test_segments`` are those of the test set, where it is known. Evaluators and segments have an
    order of their own, so that draws, and with them results, do not depend on that of the rows.
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
        """Who judged, sorted by name."""
        return in_order(row.evaluator for row in self.rows)

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """Which segments were judged, in the order of the test set or else sorted by name."""
        return in_order((row.segment for row in self.rows), self.test_segments)

    @cached_property
    def documents(self) -> tuple[str | None, ...]:
        """The document of each segment, None where it is not known."""
        found = {row.segment: row.document for row in self.rows if row.document is not None}
        return tuple(found.get(segment) for segment in self.segments)

    def in_phase(self, phase: Phase = "main") -> Self:
        """Only the rows of one phase."""
        return self.keeping(row for row in self.rows if row.phase == phase)

    def keeping(self, rows: Iterable[_RowT]) -> Self:
        """The same with some of the rows."""
        return replace(self, rows=tuple(rows))


@dataclass(frozen=True)
class Judgements(RowSet[Judgement]):
    """Judgements that have been checked, with the scales of their criteria.

    Made by :func:`patmark.human.check_judgements` and by the readers.
    """

    scales: tuple[Scale, ...]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Whose outputs were judged, in the order of their first occurrence."""
        return unique(row.system for row in self.rows)

    @cached_property
    def phases(self) -> Mapping[str, int]:
        """How many judgements each phase has; phases without any are left out."""
        counts = {phase: sum(row.phase == phase for row in self.rows) for phase in PHASES}
        return {phase: count for phase, count in counts.items() if count}

    def scale(self, criterion: str) -> Scale:
        """The scale of a criterion that was judged."""
        if criterion not in self.criteria:
            raise UsageError(
                f"{self.name} has no judgements of {criterion!r}; "
                f"there are {', '.join(self.criteria) or 'none'}"
            )
        return next(scale for scale in self.scales if scale.criterion == criterion)

    def grades(self, criterion: str, phase: Phase = "main") -> FloatArray:
        """Grades of shape (evaluators, systems, segments), NaN where there is none.

        Interval grades are the numbers themselves, ordinal grades their ranks from 0. The axes
        are those of all judgements, so that the arrays of two phases or criteria fit together.
        """
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
        return grades


def in_words(phase: Phase) -> str:
    """The phase, where it is not the main one, for messages."""
    return "" if phase == "main" else f" (phase {phase})"


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """The different names in the order of their first occurrence."""
    return tuple(dict.fromkeys(names))


def in_order(names: Iterable[str], known: Sequence[str] = ()) -> tuple[str, ...]:
    """The different names in a known order; others after them, numbers in them by size."""
    places = {name: place for place, name in enumerate(known)}
    return tuple(
        sorted(set(names), key=lambda name: (places.get(name, len(places)), _natural(name), name))
    )


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Sorts s2 before s10."""
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def positions(axis: tuple[str, ...], names: Iterable[str]) -> list[int]:
    """Where the names stand on an axis."""
    places = {name: place for place, name in enumerate(axis)}
    return [places[name] for name in names]
