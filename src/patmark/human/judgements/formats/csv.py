"""Judgements and preferences as CSV, the plain format that people write by hand.

Judgements: ``evaluator,system,segment,criterion,value`` and optional ``document``, ``order``,
``phase``, ``comment``, ``copied``. Preferences: ``evaluator,segment,first,second,winner`` and
optional ``criterion``, ``document``, ``phase``, ``copied``; the winner is ``first``, ``second``,
``equal`` or the name of one of the two systems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from patmark.data import (
    FilePath,
    header_problems,
    named_rows,
    raise_if_any,
    read_csv_records,
    write_csv,
)
from patmark.errors import InputError, Problem
from patmark.human.judgements.checks import Known
from patmark.human.judgements.formats.reading import Collected, Reading
from patmark.human.judgements.model import (
    PREFERENCE,
    Judgement,
    Judgements,
    Preference,
    Preferences,
)

JUDGEMENT_COLUMNS = ("evaluator", "system", "segment", "criterion", "value")
PREFERENCE_COLUMNS = ("evaluator", "segment", "first", "second", "winner")
_JUDGEMENT_EXTRAS = ("document", "order", "phase", "comment", "copied")
_PREFERENCE_EXTRAS = ("criterion", "document", "phase", "copied")
_COPIED = "yes"
_WHOLE = re.compile(r"[1-9][0-9]{0,8}")
_EQUAL = "equal"
_Row = TypeVar("_Row", Judgement, Preference)


def read_judgement_csv(path: FilePath, known: Known) -> Reading:
    """Read judgements, one per row."""

    def judgement(line: int, row: Mapping[str, str], shared: Mapping[str, Any]) -> Judgement | str:
        order = row.get("order", "")
        if order and not _WHOLE.fullmatch(order):
            return f"order: expected a whole number from 1, found {order!r}"
        given: dict[str, Any] = {name: row[name] for name in JUDGEMENT_COLUMNS}
        comment = row.get("comment") or None
        return Judgement(
            **given, **shared, order=int(order) if order else None, comment=comment, line=line
        )

    collected = Collected.of(path, known)
    columns = JUDGEMENT_COLUMNS, _JUDGEMENT_EXTRAS
    collected.judgements = _read(path, collected, *columns, judgement)
    return collected.reading("judgement CSV")


def read_preference_csv(path: FilePath, known: Known) -> Reading:
    """Read preferences, one per row."""

    def preference(
        line: int, row: Mapping[str, str], shared: Mapping[str, Any]
    ) -> Preference | str:
        if not row["winner"].strip():
            return "field 'winner' is empty; a tie is written as equal"
        given: dict[str, Any] = {name: row[name] for name in PREFERENCE_COLUMNS}
        given["winner"] = winning_system(row["winner"], row["first"], row["second"])
        criterion = row.get("criterion") or PREFERENCE
        return Preference(**given, **shared, criterion=criterion, line=line)

    collected = Collected.of(path, known)
    columns = PREFERENCE_COLUMNS, _PREFERENCE_EXTRAS
    collected.preferences = _read(path, collected, *columns, preference)
    return collected.reading("preference CSV")


def _read(
    path: FilePath,
    collected: Collected,
    required: Sequence[str],
    optional: Sequence[str],
    read: Callable[[int, Mapping[str, str], Mapping[str, Any]], _Row | str],
) -> list[_Row]:
    """Return the rows as ``read`` makes them; what it says of a bad one becomes a problem."""
    header, *others = read_csv_records(path)
    raise_if_any(header_problems(header, required, optional, collected.path))
    if not others:
        raise InputError.at("has a header but no rows", collected.path, header.line + 1)
    rows: list[_Row] = []
    for line, row in named_rows(others, header, collected.path, collected.problems):
        copied = row.get("copied", "")
        found = read(line, row, {
            "document": row.get("document") or None,
            "phase": row.get("phase") or "main",
            "copied": bool(copied),
        })  # fmt: skip
        if not isinstance(found, str) and copied not in ("", _COPIED):
            found = f"copied: expected {_COPIED} or nothing, found {copied!r}"
        if isinstance(found, str):
            collected.problems.append(Problem(found, collected.path, line))
        else:
            rows.append(found)
    return rows


def winning_system(winner: str, first: str, second: str) -> str | None:
    """Return the system that a winner field means; a system may be named "first"."""
    if winner in (first, second):
        return winner
    return {"first": first, "second": second, _EQUAL: None}.get(winner, winner)


def write_judgement_csv(path: FilePath, judgements: Judgements) -> None:
    """Write judgements; optional columns only if they are not empty."""
    rows = judgements.rows
    columns = (*JUDGEMENT_COLUMNS, *_used(_JUDGEMENT_EXTRAS, rows))
    write_csv(path, columns, ([_field(getattr(row, name)) for name in columns] for row in rows))


def write_preference_csv(path: FilePath, preferences: Preferences) -> None:
    """Write preferences; optional columns only if they are not empty."""
    if _EQUAL in preferences.systems:
        message = f"a system named {_EQUAL!r} cannot be told from a tie in this form"
        raise InputError.at(message, str(path))
    rows = preferences.rows
    extras = _used(_PREFERENCE_EXTRAS, rows)
    write_csv(
        path,
        (*PREFERENCE_COLUMNS, *extras),
        (
            [row.evaluator, row.segment, row.first, row.second, row.winner or _EQUAL]
            + [_field(getattr(row, name)) for name in extras]
            for row in rows
        ),
    )


def _field(value: Any) -> Any:
    return (_COPIED if value else None) if isinstance(value, bool) else value


def _used(columns: Sequence[str], rows: Sequence[Judgement | Preference]) -> list[str]:
    """Return the columns in which some row differs from the default."""
    usual = {"phase": "main", "criterion": PREFERENCE, "copied": False}
    return [
        name
        for name in columns
        if any(getattr(row, name) not in (None, usual.get(name)) for row in rows)
    ]
