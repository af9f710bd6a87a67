"""Judgements and preferences as CSV, the plain format that people write by hand.

Judgements: ``evaluator,system,segment,criterion,value`` and optional ``document``, ``order``,
``phase``, ``comment``, ``copied``. Preferences: ``evaluator,segment,first,second,winner`` and
optional ``criterion``, ``document``, ``phase``, ``copied``; the winner is ``first``, ``second``,
``equal`` or the name of one of the two systems.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from patmark.data import (
    CsvRecord,
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
    Phase,
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


def read_judgement_csv(path: FilePath, known: Known) -> Reading:
    """Read judgements, one per row."""
    collected = Collected.of(path, known)
    rows = _rows(path, collected, JUDGEMENT_COLUMNS, _JUDGEMENT_EXTRAS)
    for line, row in rows:
        order = row.get("order", "")
        if order and not _WHOLE.fullmatch(order):
            message = f"order: expected a whole number from 1, found {order!r}"
            collected.problems.append(Problem(message, collected.path, line))
            continue
        if not _copied_is_clear(row, line, collected):
            continue
        collected.judgements.append(
            Judgement(
                **{name: row[name] for name in JUDGEMENT_COLUMNS},
                document=row.get("document") or None,
                order=int(order) if order else None,
                phase=cast(Phase, row.get("phase") or "main"),
                comment=row.get("comment") or None,
                copied=bool(row.get("copied")),
                line=line,
            )
        )
    return collected.reading("judgement CSV")


def read_preference_csv(path: FilePath, known: Known) -> Reading:
    """Read preferences, one per row."""
    collected = Collected.of(path, known)
    for line, row in _rows(path, collected, PREFERENCE_COLUMNS, _PREFERENCE_EXTRAS):
        if not row["winner"].strip():
            message = "field 'winner' is empty; a tie is written as equal"
            collected.problems.append(Problem(message, collected.path, line))
            continue
        if not _copied_is_clear(row, line, collected):
            continue
        collected.preferences.append(
            Preference(
                evaluator=row["evaluator"],
                segment=row["segment"],
                first=row["first"],
                second=row["second"],
                winner=winning_system(row["winner"], row["first"], row["second"]),
                criterion=row.get("criterion") or PREFERENCE,
                document=row.get("document") or None,
                phase=cast(Phase, row.get("phase") or "main"),
                copied=bool(row.get("copied")),
                line=line,
            )
        )
    return collected.reading("preference CSV")


def _copied_is_clear(row: Mapping[str, str], line: int, collected: Collected) -> bool:
    found = row.get("copied", "")
    if found in ("", _COPIED):
        return True
    message = f"copied: expected {_COPIED} or nothing, found {found!r}"
    collected.problems.append(Problem(message, collected.path, line))
    return False


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


def _rows(
    path: FilePath, collected: Collected, required: tuple[str, ...], optional: tuple[str, ...]
) -> list[tuple[int, dict[str, str]]]:
    records: list[CsvRecord] = read_csv_records(path)
    header, *others = records
    raise_if_any(header_problems(header, required, optional, collected.path))
    if not others:
        raise InputError.at("has a header but no rows", collected.path, header.line + 1)
    return named_rows(others, header, collected.path, collected.problems)
