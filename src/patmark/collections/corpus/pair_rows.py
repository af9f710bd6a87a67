"""Sentence pairs from files: JSON Lines (.gz, .zst) or Parquet, one row per pair.

A row has ``id source target score`` and optionally ``section``, ``family`` and ``split``; other
columns are ignored. A row of a test set with one reference, as in the splits of builds, is a pair
too. A folder means the Parquet files in it, in the order of their names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patmark.data import file_format, json_object, json_type, text_lines
from patmark.engine import iter_rows, open_parquet
from patmark.errors import InputError, Problem

_TEXTS = ("source", "target")
_OPTIONAL = ("section", "family", "split", "left_out")
_COLUMNS = ("id", *_TEXTS, "score", *_OPTIONAL)


@dataclass(frozen=True, slots=True)
class PairRow:
    """A sentence pair; a higher score means a better pair."""

    id: str
    source: str
    target: str
    score: float
    section: str = ""
    family: str = ""
    split: str = ""
    left_out: str = ""


def iter_pair_rows(path: str | Path) -> Iterator[PairRow]:
    """Yield the pairs of a file; raise one InputError with all bad rows at the end."""
    problems: list[Problem] = []
    for name, line, fields in _rows(Path(path), problems):
        fields = as_pair(fields)
        found = list(_faults(fields))
        problems += [Problem(message, name, line) for message in found]
        if not found:
            optional = {key: fields.get(key) or "" for key in _OPTIONAL}
            yield PairRow(
                str(fields["id"]),
                fields["source"],
                fields["target"],
                float(fields["score"]),
                **optional,
            )
    if problems:
        raise InputError(problems)


def as_pair(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a split as its original pair; any other row unchanged."""
    references, meta = fields.get("references"), fields.get("meta")
    if "target" in fields or not isinstance(references, list) or len(references) != 1:
        return fields
    return {**(meta if isinstance(meta, dict) else {}), **fields, "target": references[0]}


def _faults(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the problems of a row."""
    kinds: dict[str, tuple[type | tuple[type, ...], str]] = {
        "id": ((str, int), "a string or a whole number"),
        "source": (str, "a string"),
        "target": (str, "a string"),
        "score": ((int, float), "a number"),
    }
    for name, (kind, expected) in kinds.items():
        value = fields.get(name)
        if name not in fields:
            yield f"field {name!r} is missing; expected {expected}"
        elif isinstance(value, bool) or not isinstance(value, kind):
            yield f"field {name!r}: expected {expected}, found {json_type(value)}"
        elif name == "score" and not abs(fields[name]) <= sys.float_info.max:
            yield f"field {name!r}: {str(value)[:20]} is no finite number"
    for name in _OPTIONAL:
        if not isinstance(fields.get(name), str | None):
            yield f"field {name!r}: expected a string, found {json_type(fields[name])}"


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    if not path.is_dir() and file_format(path) != "parquet":
        yield from json_rows(path, problems)
        return
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files:
        problems.append(Problem("holds no .parquet file", str(path)))
    for file in files:
        with open_parquet(file) as opened:
            columns = [name for name in _COLUMNS if name in opened.schema_arrow.names]
        for number, fields in enumerate(iter_rows(file, columns), 1):
            yield str(file), number, fields


def json_rows(path: Path, problems: list[Problem]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file with their lines; note other lines as problems."""
    for name, number, line in text_lines(path, problems):
        try:
            fields = json_object(line)
        except ValueError as error:
            problems.append(Problem(str(error), name, number))
            continue
        yield name, number, fields
