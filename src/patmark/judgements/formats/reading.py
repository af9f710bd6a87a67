"""What every reader of judgements collects and gives back."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass, field

from patmark.data import FilePath, Record, counted, json_object, raise_if_any, read_lines, shown
from patmark.errors import InputError, Problem
from patmark.judgements.checks import (
    Known,
    built_judgements,
    built_preferences,
    judgement_problems,
    preference_problems,
)
from patmark.judgements.model import Judgement, Judgements, Preference, Preferences

_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held: its format, judgements or preferences or both, and what was left aside."""

    format: str
    judgements: Judgements | None
    preferences: Preferences | None
    notes: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        """The name of ``format`` in version 0.1."""
        warnings.warn("Reading.form is Reading.format now", DeprecationWarning, stacklevel=2)
        return self.format


@dataclass(slots=True)
class Collected:
    """Rows and problems of one file while it is being read."""

    path: str
    known: Known
    judgements: list[Judgement] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, path: FilePath, known: Known) -> Collected:
        """An empty collection for one file."""
        return cls(shown(path), known)

    def note(self, count: int, noun: str, message: str) -> None:
        """Say that something was left aside, if there was any of it."""
        if count:
            self.notes.append(f"{counted(count, noun)} {message}")

    def reading(self, format: str) -> Reading:
        """Check everything; raise all problems, or give back what was read."""
        problems = [
            *self.problems,
            *judgement_problems(self.judgements, self.path, self.known),
            *preference_problems(self.preferences, self.path, self.known),
        ]
        if not problems and not self.judgements and not self.preferences:
            details = "".join(f"; {note}" for note in self.notes)
            problems = [Problem(f"has no judgements (read as {format}){details}", self.path)]
        raise_if_any(problems)
        judgements = built_judgements(self.judgements, self.path, self.known)
        preferences = built_preferences(self.preferences, self.path, self.known)
        return Reading(
            format,
            judgements if self.judgements else None,
            preferences if self.preferences else None,
            tuple(self.notes),
        )


def read_json_list(path: FilePath) -> tuple[list[Record], list[Problem]]:
    """The objects of a list, and the list of problems that they and other entries add to."""
    text = "\n".join(read_lines(path))
    records: list[Record] = []
    problems: list[Problem] = []
    line, counted = 1, 0
    for start, end in _entries(text, shown(path)):
        line, counted = line + text.count("\n", counted, start), start
        try:
            records.append(Record(json_object(text[start:end]), shown(path), line, problems))
        except ValueError as error:
            problems.append(Problem(str(error), shown(path), line))
    return records, problems


def _entries(text: str, path: str) -> list[tuple[int, int]]:
    """Where each entry of the list begins and ends."""
    decoder = json.JSONDecoder()
    entries: list[tuple[int, int]] = []
    place = _expected("[", text, 0, path)
    while not text.startswith("]", _after_space(text, place)) or entries:
        start = _after_space(text, place)
        try:
            _, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise InputError.at(f"is not valid JSON: {error.msg}", path, error.lineno) from None
        except RecursionError:
            raise InputError.at("is not usable JSON: nested too deeply", path) from None
        entries.append((start, end))
        if text.startswith("]", _after_space(text, end)):
            break
        place = _expected(",", text, end, path)
    end = _expected("]", text, entries[-1][1] if entries else place, path)
    if (rest := _after_space(text, end)) != len(text):
        line = text.count("\n", 0, rest) + 1
        raise InputError.at("is not valid JSON: something follows the list", path, line)
    return entries


def _expected(sign: str, text: str, place: int, path: str) -> int:
    """The place after a sign that must come next."""
    place = _after_space(text, place)
    if not text.startswith(sign, place):
        what = "a JSON list" if sign == "[" else f"{sign!r} in a JSON list"
        found = repr(text[place : place + 1]) if place < len(text) else "the end"
        line = text.count("\n", 0, place) + 1
        raise InputError.at(f"expected {what}, found {found}", path, line)
    return place + 1


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place
