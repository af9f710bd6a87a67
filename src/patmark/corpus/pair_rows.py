"""Sentence pairs from files: JSON Lines (.gz, .zst) or Parquet, one row per pair.

A row has ``id source target score`` and, where known, ``section`` and ``family``; other columns are
of no interest here. A folder stands for the Parquet files in it, in the order of their names.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from patmark.data.archives import READ_ERRORS, Part, describe, iter_parts
from patmark.data.records import json_object, json_type
from patmark.errors import InputError, MissingExtra, Problem

_TEXTS = ("source", "target")
_OPTIONAL = ("section", "family")
_COLUMNS = ("id", *_TEXTS, "score", *_OPTIONAL)


@dataclass(frozen=True, slots=True)
class PairRow:
    """A sentence pair; the higher the score, the better the pair is thought to be."""

    id: str
    source: str
    target: str
    score: float
    section: str = ""
    family: str = ""


def iter_pair_rows(path: str | Path) -> Iterator[PairRow]:
    """The pairs of a file, one at a time; all bad rows are listed in one error at the end."""
    problems: list[Problem] = []
    for name, line, fields in _rows(Path(path), problems):
        found = list(_faults(fields))
        problems += [Problem(message, name, line) for message in found]
        if not found:
            optional = {key: fields.get(key) or "" for key in _OPTIONAL}
            yield PairRow(
                str(fields["id"]), fields["source"], fields["target"], float(fields["score"]),
                **optional,
            )  # fmt: skip
    if problems:
        raise InputError(problems)


def _faults(fields: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a row."""
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
        elif isinstance(value, float) and not math.isfinite(value):
            yield f"field {name!r}: {value} is no finite number"
    for name in _OPTIONAL:
        if not isinstance(fields.get(name), str | None):
            yield f"field {name!r}: expected a string, found {json_type(fields[name])}"


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    if path.is_dir() or path.suffix == ".parquet":
        files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
        if not files:
            problems.append(Problem("holds no .parquet file", str(path)))
        for file in files:
            yield from _parquet_rows(file)
        return
    for part in iter_parts(path):
        if part.stream is None:
            problems.append(Problem(part.problem, part.name))
        else:
            yield from json_rows(part, problems)


def json_rows(part: Part, problems: list[Problem]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The objects of a stream of JSON Lines with their lines; what is none is a problem."""
    number = 0
    lines = io.TextIOWrapper(cast(IO[bytes], part.stream), "utf-8-sig", newline="\n")
    try:
        for number, line in enumerate(lines, 1):
            try:
                fields = json_object(line)
            except ValueError as error:
                problems.append(Problem(str(error), part.name, number))
                continue
            yield part.name, number, fields
    except UnicodeDecodeError:
        problems.append(Problem("is not UTF-8", part.name, number + 1))
    except READ_ERRORS as error:
        problems.append(Problem(describe(error), part.name, number + 1))
    finally:
        lines.detach()  # the stream belongs to the part


def _parquet_rows(path: Path) -> Iterator[tuple[str, int, dict[str, Any]]]:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtra("pyarrow", "corpus") from None
    try:
        file = ParquetFile(path)
        columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
        number = 0
        for batch in file.iter_batches(columns=columns):
            for fields in batch.to_pylist():
                number += 1
                yield str(path), number, fields
    except FileNotFoundError:
        raise InputError.at("no such file", str(path)) from None
    except (ArrowInvalid, OSError) as error:
        raise InputError.at(f"is not usable Parquet: {error}", str(path)) from None
