"""Validation of judgements and preferences: names, grades, duplicates; all problems together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from patmark.data import RepeatedMarks, TestSet, raise_if_any
from patmark.errors import Problem
from patmark.human.judgements.model import (
    PHASES,
    Judgement,
    Judgements,
    Preference,
    Preferences,
    Scale,
    criterion_problem,
    known_scales,
    unique,
)
from patmark.wording import setting

_Row = TypeVar("_Row", Judgement, Preference)


@dataclass(frozen=True)
class Known:
    """Names that may occur (scales, systems and segments), and the rule for repeated marks.

    None for systems or test set stands for any.
    """

    scales: Mapping[str, Scale] = field(default_factory=known_scales)
    systems: Collection[str] | None = None
    test_set: TestSet | None = None
    repeated_marks: RepeatedMarks = "once"


def check_judgements(
    rows: Sequence[Judgement],
    *,
    name: str = "judgements",
    scales: Iterable[Scale] = (),
    systems: Collection[str] | None = None,
    test_set: TestSet | None = None,
) -> Judgements:
    """Build judgements from rows; refuse rows with all their problems."""
    known = Known(known_scales(scales), systems, test_set)
    raise_if_any(judgement_problems(rows, name, known) if rows else _nothing(name))
    return built_judgements(rows, name, known)


def check_preferences(
    rows: Sequence[Preference],
    *,
    name: str = "preferences",
    systems: Collection[str] | None = None,
    test_set: TestSet | None = None,
) -> Preferences:
    """Build preferences from rows; refuse rows with all their problems."""
    known = Known(systems=systems, test_set=test_set)
    raise_if_any(preference_problems(rows, name, known) if rows else _nothing(name))
    return built_preferences(rows, name, known)


def built_judgements(rows: Sequence[Judgement], name: str, known: Known) -> Judgements:
    """Build judgements from checked rows, with the documents of the test set."""
    criteria = unique(row.criterion for row in rows)
    scales = tuple(known.scales[criterion] for criterion in criteria)
    rows = _with_documents(rows, known.test_set)
    return Judgements(rows, name, _test_segments(known.test_set), scales)


def built_preferences(rows: Sequence[Preference], name: str, known: Known) -> Preferences:
    """Build preferences from checked rows, with the documents of the test set."""
    rows = _with_documents(rows, known.test_set)
    return Preferences(rows, name, _test_segments(known.test_set))


def judgement_problems(rows: Sequence[Judgement], name: str, known: Known) -> list[Problem]:
    """Return all problems of judgements."""
    problems = _Problems(name, known)
    for row in rows:
        line = row.line
        problems.check_names(
            line, evaluator=row.evaluator, system=row.system, segment=row.segment, value=row.value
        )
        problems.check_places(line, row.segment, row.document, row.phase, row.system)
        problems.check_grade(line, row.criterion, row.value)
        problems.check_first(row)
    return problems.found


def preference_problems(rows: Sequence[Preference], name: str, known: Known) -> list[Problem]:
    """Return all problems of preferences."""
    problems = _Problems(name, known)
    for row in rows:
        line = row.line
        problems.check_names(
            line, evaluator=row.evaluator, segment=row.segment, first=row.first, second=row.second
        )
        problems.check_places(line, row.segment, row.document, row.phase, row.first, row.second)
        if message := criterion_problem(row.criterion):
            problems.add(line, message)
        if row.first == row.second:
            problems.add(line, f"{row.first!r} is compared with itself")
        if row.winner not in (None, row.first, row.second):
            problems.add(
                line,
                f"winner {row.winner!r}: expected first, second, equal, "
                f"{row.first!r} or {row.second!r}",
            )
        problems.check_first(row)
    return problems.found


class _Problems:
    def __init__(self, name: str, known: Known) -> None:
        self.found: list[Problem] = []
        self._name = name
        self._known = known
        tests = known.test_set
        self._segments = None if tests is None else {one.id: one.document for one in tests}
        self._documents: dict[str, str] = {}
        self._names: set[str] = set()
        self._grades: set[tuple[str, str]] = set()
        self._unscaled: set[str] = set()
        self._first: dict[tuple[str, ...], Judgement | Preference] = {}

    def add(self, line: int | None, message: str) -> None:
        """Note a problem."""
        self.found.append(Problem(message, self._name, line))

    def check_first(self, row: Judgement | Preference) -> None:
        """Refuse a second row of the same key."""
        earlier = self._first.setdefault(row.key, row)
        if earlier is not row:
            place = "before" if earlier.line is None else f"on line {earlier.line}"
            self.add(row.line, f"{row.description}, already {place}")

    def check_names(self, line: int | None, **fields: str) -> None:
        """Refuse names that are empty or look like another name."""
        for name, text in fields.items():
            if text in self._names:
                continue
            if not text.strip():
                self.add(line, f"field {name!r} is empty")
            elif text != text.strip():
                self.add(line, f"field {name!r} has spaces around it: {text!r}")
            elif "\n" in text or "\r" in text:
                self.add(line, f"field {name!r} has a line break in it: {text!r}")
            else:
                self._names.add(text)

    def check_places(
        self, line: int | None, segment: str, document: str | None, phase: str, *systems: str
    ) -> None:
        """Refuse systems, segments, documents and phases that do not exist."""
        # Training items have their own candidates.
        if self._known.systems is not None and phase != "training":
            for system in systems:
                if system.strip() and system not in self._known.systems:
                    known = ", ".join(self._known.systems)
                    self.add(line, f"unknown system {system!r}; the known ones are {known}")
        if phase not in PHASES:
            self.add(line, f"phase {phase!r}: expected one of {', '.join(PHASES)}")
        # Training and check items need not be part of the test set.
        tests, is_judged = self._known.test_set, phase in ("main", "repeat")
        if tests and is_judged and segment.strip() and segment not in (self._segments or {}):
            self.add(line, f"unknown segment {segment!r}: {tests.name} has no such segment")
        if document is not None:
            other = self._documents.setdefault(segment, document)
            expected = (self._segments or {}).get(segment) or other
            if document != expected:
                documents = f"{document!r}, elsewhere {expected!r}"
                self.add(line, f"segment {segment!r} is of document {documents}")

    def check_grade(self, line: int | None, criterion: str, value: str) -> None:
        """Refuse a criterion without a scale, once, and a grade outside the scale."""
        if (criterion, value) in self._grades or criterion in self._unscaled:
            return
        scale = self._known.scales.get(criterion)
        if scale is None:
            self._unscaled.add(criterion)
            known = ", ".join(self._known.scales)
            self.add(
                line,
                f"criterion {criterion!r} has no scale; declare one with "
                f"{setting('scale', f'{criterion}=1..5')} or "
                f"{setting('scale', f'{criterion}=F,C,B,A,AA')} (built in: {known})",
            )
        elif value.strip() and value == value.strip() and scale.grade(value) is None:
            self.add(line, f"{criterion}: expected {scale.expected}, found {value!r}")
        else:
            self._grades.add((criterion, value))


def _nothing(name: str) -> list[Problem]:
    return [Problem("has no judgements", name)]


def _test_segments(test_set: TestSet | None) -> tuple[str, ...]:
    return () if test_set is None else tuple(segment.id for segment in test_set)


def _with_documents(rows: Sequence[_Row], test_set: TestSet | None) -> tuple[_Row, ...]:
    if test_set is None:
        return tuple(rows)
    documents = {segment.id: segment.document for segment in test_set}
    return tuple(replace(row, document=documents.get(row.segment) or row.document) for row in rows)
