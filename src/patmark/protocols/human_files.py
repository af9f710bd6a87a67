"""Files of judgements read together: each evaluator may hand in one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from patmark.data import FilePath, TestSet, check_stdin_once, shown
from patmark.errors import InputError, Problem
from patmark.human import (
    Judgement,
    Judgements,
    Preference,
    Preferences,
    Reading,
    Scale,
    check_judgements,
    check_preferences,
    read_judgements,
)

_Row = TypeVar("_Row", Judgement, Preference)


@dataclass(frozen=True, slots=True)
class HumanData:
    """What all files hold together, and what their readers left aside."""

    judgements: Judgements | None
    preferences: Preferences | None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The files."""
        found = (self.judgements, self.preferences)
        return ", ".join(dict.fromkeys(one.name for one in found if one is not None))


def read_human_files(
    paths: Sequence[FilePath],
    form: str | None = None,
    *,
    scales: Iterable[Scale] = (),
    systems: Collection[str] | None = None,
    test_set: TestSet | None = None,
) -> HumanData:
    """Judgements and preferences of all files; every problem of every file is reported."""
    check_stdin_once(paths)
    scales = tuple(scales)
    readings: list[tuple[str, Reading]] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            reading = read_judgements(
                path, cast("Any", form), scales=scales, systems=systems, test_set=test_set
            )
            readings.append((shown(path), reading))
        except InputError as error:
            problems += error.problems
    graded = [(path, one.judgements.rows) for path, one in readings if one.judgements]
    chosen = [(path, one.preferences.rows) for path, one in readings if one.preferences]
    problems += [*_doubles(graded), *_doubles(chosen)]
    if problems:
        raise InputError(problems)
    return HumanData(
        check_judgements(_joined(graded), name=_names(graded), scales=scales, test_set=test_set)
        if graded
        else None,
        check_preferences(_joined(chosen), name=_names(chosen), test_set=test_set)
        if chosen
        else None,
        tuple(f"{path}: {note}" for path, one in readings for note in one.notes),
    )


def _doubles(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> list[Problem]:
    """Judgements that stand in two files; doubles within one are found when it is read."""
    first: dict[tuple[str, ...], Problem] = {}
    problems = []
    for path, rows in files:
        for row in rows:
            place = Problem("", path, row.line)
            earlier = first.setdefault(row.key, place)
            if earlier is not place:
                message = f"{row.said}, already in {earlier.path}:{earlier.line}"
                problems.append(Problem(message, path, row.line))
    return problems


def _joined(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> list[_Row]:
    return [row for _, rows in files for row in rows]


def _names(files: Sequence[tuple[str, tuple[_Row, ...]]]) -> str:
    return ", ".join(path for path, _ in files)
