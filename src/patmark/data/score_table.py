"""Scores that other programs computed: CSV with system, segment, measure and value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from patmark.data.csv_records import header_problems, named_rows, read_csv_records
from patmark.data.files import FilePath, shown
from patmark.data.records import raise_if_any
from patmark.data.scores import FloatArray
from patmark.errors import InputError, Problem

_REQUIRED = ("system", "segment", "measure", "value")
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


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    system: str
    segment: str
    measure: str
    value: float
    kind: str
    document: str


def read_score_table(path: FilePath) -> ScoreTable:
    """Read scores; a row with an empty segment is the score of a whole system.

    The optional columns ``type`` and ``document`` say of what type a system is and which document
    a segment comes from. An empty value means that there is none.
    """
    name = shown(path)
    header, *records = read_csv_records(path)
    raise_if_any(header_problems(header, _REQUIRED, _OPTIONAL, name))
    if not records:
        raise InputError.at("has a header but no rows", name, header.line + 1)
    problems: list[Problem] = []
    named = named_rows(records, header, name, problems)
    rows = [_row(line, fields, name, problems) for line, fields in named]
    problems += _doubles(rows, name)
    kinds = _facts(rows, "system", "kind", name, problems)
    documents = _facts(rows, "segment", "document", name, problems)
    raise_if_any(problems)
    return _table(rows, name, kinds, documents)


def _row(line: int, fields: Mapping[str, str], path: str, problems: list[Problem]) -> _Row:
    for column in ("system", "measure"):
        if not fields[column].strip():
            problems.append(Problem(f"column {column!r} is empty", path, line))
    text = fields["value"].strip()
    try:
        value = float(text) if text else math.nan
    except ValueError:
        value = math.inf
    if math.isinf(value) or (math.isnan(value) and text):
        problems.append(Problem(f"value: expected a number or nothing, found {text!r}", path, line))
    return _Row(
        line, fields["system"].strip(), fields["segment"].strip(), fields["measure"].strip(),
        value, fields.get("type", "").strip(), fields.get("document", "").strip(),
    )  # fmt: skip


def _doubles(rows: Sequence[_Row], path: str) -> list[Problem]:
    first_lines: dict[tuple[str, str, str], int] = {}
    problems = []
    for row in rows:
        first = first_lines.setdefault((row.system, row.segment, row.measure), row.line)
        if first != row.line:
            where = f"segment {row.segment!r}" if row.segment else "the whole system"
            message = f"{row.measure} of {row.system} for {where} is already on line {first}"
            problems.append(Problem(message, path, row.line))
    return problems


def _facts(
    rows: Sequence[_Row], owner: str, fact: str, path: str, problems: list[Problem]
) -> dict[str, str]:
    """What the rows say of each system or segment; two different answers are a problem."""
    known: dict[str, tuple[str, int]] = {}
    for row in rows:
        name, value = getattr(row, owner), getattr(row, fact)
        if not name or not value:
            continue
        first, line = known.setdefault(name, (value, row.line))
        if first != value:
            message = f"{owner} {name!r} has {value!r} here and {first!r} on line {line}"
            problems.append(Problem(message, path, row.line))
    return {name: value for name, (value, _) in known.items()}


def _table(
    rows: Sequence[_Row], name: str, kinds: dict[str, str], documents: dict[str, str]
) -> ScoreTable:
    systems = tuple(dict.fromkeys(row.system for row in rows))
    segments = tuple(dict.fromkeys(row.segment for row in rows if row.segment))
    system_place = {system: place for place, system in enumerate(systems)}
    segment_place = {segment: place for place, segment in enumerate(segments)}
    of_systems: dict[str, FloatArray] = {}
    of_segments: dict[str, FloatArray] = {}
    for row in rows:
        system = system_place[row.system]
        if row.segment:
            shape = (len(systems), len(segments))
            table = of_segments.setdefault(row.measure, np.full(shape, np.nan))
            table[system, segment_place[row.segment]] = row.value
        else:
            column = of_systems.setdefault(row.measure, np.full(len(systems), np.nan))
            column[system] = row.value
    return ScoreTable(
        name, systems, segments, of_systems, of_segments, kinds,
        tuple(documents.get(segment) for segment in segments),
    )  # fmt: skip
