"""External scores of all formats in one table.

One reader takes CSV and TSV ``system,segment,measure,value``, JSON Lines, ``.seg.score`` of
MT-metrics-eval, JSON of COMET, and plain numbers, one per line. In a file without ids, the n-th
score of a system belongs to the n-th segment.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from patmark.data.csv_records import CsvRecord, csv_records, header_problems
from patmark.data.endings import file_format
from patmark.data.files import FilePath, read_lines, records_of, shown, system_name
from patmark.data.records import Record, json_text, json_type, list_entries, raise_if_any
from patmark.data.scores import COLUMNS, FloatArray, IntArray
from patmark.errors import InputError, Problem

OF_SEGMENTS = ".seg.score"
NO_SCORE = "None"
_OPTIONAL = ("type", "document")
_UNTITLED = ("system", "measure")  # columns that are optional if the caller names them
_SPELLINGS = {
    "system": ("system", "system_id"),
    "segment": ("segment", "segment_id", "id"),
    "measure": ("measure",),
    "value": ("value", "score", "prediction"),
    "type": ("type",),
    "document": ("document",),
}
_COMET = "COMET"
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_OF_A_SYSTEM = (
    "holds scores of a whole system and none of segments; sacrebleu writes those with "
    "--sentence-level --score-only"
)
_EXPECTED = (
    "expected scores: CSV or TSV with a header system,segment,measure,value; JSON Lines with "
    "segment and value; .seg.score of MT-metrics-eval; JSON of COMET; or one number per line"
)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Scores by measure, of whole systems and of single segments (systems, segments).

    A missing value is NaN. ``kinds`` gives the type of each system that has one. ``lines`` holds
    the line of each segment score, 0 if unknown, -1 without a score. A file of one system may leave
    its name empty. In a ``positional`` file the ids of segments are their positions, from 1.
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    of_systems: Mapping[str, FloatArray]
    of_segments: Mapping[str, FloatArray]
    kinds: Mapping[str, str]
    documents: tuple[str | None, ...]
    lines: Mapping[str, IntArray] = field(default_factory=dict)
    positional: bool = False


def is_score_table(path: FilePath) -> bool:
    """Return True if a file names the measures and systems of its scores."""
    first = read_lines(path)[0]
    if file_format(path) == "jsonl":
        return all(re.search(rf'"{name}"\s*:', first) for name in ("measure", "value"))
    return _is_of_segments(path) or {"measure", "value"} <= _header_names(first)


def read_score_table(path: FilePath, measure: str | None = None) -> ScoreTable:
    """Read scores; a row with an empty segment is the score of a whole system.

    The optional columns ``type`` and ``document`` are the type of a system and the document of a
    segment. An empty value means no score. ``measure`` names the scores of a file that does not;
    such a file may also hold one unnamed system.
    """
    rows = _read(path, measure)
    problems = [
        *rows.empty("measure"), *rows.value_problems(), *rows.doubles(),
        *rows.contradictions("system", "type"), *rows.contradictions("segment", "document"),
    ]  # fmt: skip
    if measure is None or any(rows.columns["system"]):
        problems = [*rows.empty("system"), *problems]
    raise_if_any(problems)
    return _table(rows)


def _read(path: FilePath, measure: str | None) -> _Rows:
    lines, name = read_lines(path), shown(path)
    first = lines[0].strip()
    if _is_of_segments(path):
        return _metrics_eval(lines, path, measure)
    if first.startswith(("{", "[")):
        if file_format(path) == "json":
            return _json(lines, name, measure)
        return _json_rows(*records_of(enumerate(lines, 1), name), name, measure)
    if file_format(path) == "csv" or "value" in _header_names(first):
        separator = "\t" if "\t" in first else ","
        return _csv(csv_records(lines, name, separator), name, measure)
    if measure is not None and _NUMBER.fullmatch(first):
        values = [(at, "", line.strip()) for at, line in enumerate(lines, 1)]
        return _in_order(values, name, measure)
    if measure is not None and _is_system_and_score(first):
        return _metrics_eval(lines, path, measure)
    raise InputError.at(_EXPECTED, name, 1)


def _header_names(line: str) -> set[str]:
    return {name.strip() for name in re.split(r"[,\t]", line)}


def _is_of_segments(path: FilePath) -> bool:
    return OF_SEGMENTS in str(path) and system_name(path).endswith(OF_SEGMENTS)


def _is_system_and_score(line: str) -> bool:
    parts = line.split()
    return len(parts) == 2 and (parts[1] == NO_SCORE or bool(_NUMBER.fullmatch(parts[1])))


def _csv(records: Sequence[CsvRecord], name: str, measure: str | None) -> _Rows:
    header, *rest = records
    absent = [one for one in _UNTITLED if measure is not None and one not in header.fields]
    required = [one for one in COLUMNS if one not in absent]
    raise_if_any(header_problems(header, required, (*_UNTITLED, *_OPTIONAL), name))
    if not rest:
        raise InputError.at("has a header but no rows", name, header.line + 1)
    width = len(header.fields)
    raise_if_any(
        [
            Problem(
                f"expected {width} fields as in the header, found {len(record.fields)}",
                name, record.line,
            )
            for record in rest
            if len(record.fields) != width
        ]
    )  # fmt: skip
    fields = zip(*(record.fields for record in rest), strict=True)
    columns = {
        title: list(map(str.strip, column))
        for title, column in zip(header.fields, fields, strict=True)
    }
    return _Rows.of(name, [record.line for record in rest], columns, measure)


def _json_rows(
    records: Sequence[Record], problems: list[Problem], name: str, measure: str | None
) -> _Rows:
    """Read objects of any program; only known fields count."""
    columns = {
        title: [_cell(record, title) for record in records]
        for title, spellings in _SPELLINGS.items()
        if any(one in record.fields for record in records for one in spellings)
    }
    needed = ("value",) if measure is not None else ("system", "measure", "value")
    missing = [one for one in needed if one not in columns]
    if records and missing:
        known = ", ".join(one for title in missing for one in _SPELLINGS[title])
        records[0].complain(f"expected fields system, segment, measure, value; none of {known}")
    raise_if_any(problems)
    positional = "segment" not in columns
    return _Rows.of(name, [record.line for record in records], columns, measure, positional)


def _cell(record: Record, title: str) -> str:
    spellings = _SPELLINGS[title]
    field_name = next((one for one in spellings if one in record.fields), None)
    if field_name is None and title == "value":
        record.complain(f"expected a field {', '.join(spellings)}; null says that there is none")
    if field_name is None:
        return ""
    value = record.fields[field_name]
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        expected = "a number" if title == "value" else "a string or a number"
        record.complain(f"field {field_name!r}: expected {expected}, found {json_type(value)}")
        return ""
    return str(value).strip()


def _json(lines: Sequence[str], name: str, measure: str | None) -> _Rows:
    """Read JSON of COMET, by file or of one prediction, or a list of objects."""
    text = "\n".join(lines)
    if text.lstrip().startswith("["):
        records, problems = records_of(list_entries(text, name), name)
        if records and {"name", "score", "signature"} <= records[0].fields.keys():
            raise InputError.at(_OF_A_SYSTEM, name)
        return _json_rows(records, problems, name, measure)
    [record], problems = records_of([(1, text)], name)
    raise_if_any(problems)
    found = record.fields
    if {"name", "score"} <= found.keys():
        raise InputError.at(_OF_A_SYSTEM, name)
    scores = found.get("scores")
    if isinstance(scores, list) and measure is not None:
        return _in_order([(0, "", _shown(one)) for one in scores], name, measure)
    if not found or not all(_is_comet(samples) for samples in found.values()):
        raise InputError.at(_EXPECTED, name, 1)
    values = [
        (0, system_name(file), _shown(sample[_COMET]))
        for file, samples in found.items()
        for sample in samples
    ]
    return _in_order(values, name, measure or _COMET)


def _is_comet(samples: object) -> bool:
    """Return True if these are the samples of a file, each with its score."""
    if not isinstance(samples, list) or not samples:
        return False
    return all(isinstance(sample, dict) and _COMET in sample for sample in samples)


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, int | float | str) else json_text(value)


def _metrics_eval(lines: Sequence[str], path: FilePath, measure: str | None) -> _Rows:
    """Read lines SYSTEM SCORE, segments in order; the file is named after its measure.

    That name is METRIC or METRIC-REFERENCE.
    """
    name = shown(path)
    problems, values = [], []
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if len(parts) != 2:
            message = f"expected SYSTEM SCORE or SYSTEM {NO_SCORE}, found {line!r}"
            problems.append(Problem(message, name, number))
        else:
            values.append((number, parts[0], "" if parts[1] == NO_SCORE else parts[1]))
    raise_if_any(problems)
    return _in_order(values, name, measure or system_name(path).removesuffix(OF_SEGMENTS))


def _in_order(values: Iterable[tuple[int, str, str]], name: str, measure: str) -> _Rows:
    """Return rows of line, system and value that have no ids."""
    lines, systems, texts = (list(column) for column in zip(*values, strict=True))
    return _Rows.of(name, lines, {"system": systems, "value": texts}, measure, True)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The columns of the file, the line of each row, and the values as numbers.

    A value is NaN if empty, infinite if not a number.
    """

    path: str
    lines: list[int]
    columns: Mapping[str, list[str]]
    values: list[float]
    positional: bool

    @classmethod
    def of(
        cls,
        path: str,
        lines: list[int],
        columns: Mapping[str, list[str]],
        measure: str | None,
        positional: bool = False,
    ) -> _Rows:
        absent = {title: [""] * len(lines) for title in ("system", *_OPTIONAL)}
        given = absent | {"measure": [measure or ""] * len(lines)} | dict(columns)
        if positional:
            given["segment"] = list(_places(given["system"], given["measure"]))
        return cls(path, lines, given, [_number(text) for text in given["value"]], positional)

    def problem(self, message: str, row: int) -> Problem:
        """Return a problem of one row."""
        return Problem(message, self.path, self.lines[row] or None)

    def empty(self, title: str) -> list[Problem]:
        """Return rows without a name."""
        return [
            self.problem(f"column {title!r} is empty", row)
            for row, text in enumerate(self.columns[title])
            if not text
        ]

    def value_problems(self) -> list[Problem]:
        """Return values that are not numbers."""
        return [
            self.problem(
                f"value: expected a number or nothing, found {self.columns['value'][row]!r}", row
            )
            for row, value in enumerate(self.values)
            if math.isinf(value)
        ]

    def doubles(self) -> list[Problem]:
        """Return scores that occur in the file twice."""
        first: dict[tuple[str, str, str], int] = {}
        problems = []
        keys = zip(
            *(self.columns[title] for title in ("system", "segment", "measure")), strict=True
        )
        for row, key in enumerate(keys):
            before = first.setdefault(key, row)
            if before != row:
                system, segment, measure = key
                where = f"segment {segment!r}" if segment else "the whole system"
                line = self.lines[before]
                owner = f" of {system}" if system else ""
                message = f"{measure}{owner} for {where} is already on line {line}"
                problems.append(self.problem(message, row))
        return problems

    def facts(self, owner: str, fact: str) -> dict[str, int]:
        """Return for each system or segment the first row with a value of the column."""
        known: dict[str, int] = {}
        pairs = zip(self.columns[owner], self.columns[fact], strict=True)
        for row, (name, value) in enumerate(pairs):
            if name and value:
                known.setdefault(name, row)
        return known

    def contradictions(self, owner: str, fact: str) -> list[Problem]:
        """Return rows that contradict the first one about a system or segment."""
        names, values = self.columns[owner], self.columns[fact]
        known = self.facts(owner, fact)
        return [
            self.problem(
                f"{owner} {name!r} has {value!r} here and {values[known[name]]!r} "
                f"on line {self.lines[known[name]]}",
                row,
            )
            for row, (name, value) in enumerate(zip(names, values, strict=True))
            if name and value and value != values[known[name]]
        ]


def _places(systems: Sequence[str], measures: Sequence[str]) -> Iterator[str]:
    """Yield the position of each row among those of its system and measure, from 1."""
    seen: Counter[tuple[str, str]] = Counter()
    for key in zip(systems, measures, strict=True):
        seen[key] += 1
        yield str(seen[key])


def _number(text: str) -> float:
    if not text:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        return math.inf
    return math.inf if math.isnan(value) else value


def _table(rows: _Rows) -> ScoreTable:
    systems, of_system = _numbered(rows.columns["system"])
    segments, of_segment = _numbered(rows.columns["segment"])
    measures, of_measure = _numbered(rows.columns["measure"])
    values = np.array(rows.values)
    whole = segments.index("") if "" in segments else -1
    of_systems: dict[str, FloatArray] = {}
    of_segments: dict[str, FloatArray] = {}
    lines: dict[str, IntArray] = {}
    inner = [place for place in range(len(segments)) if place != whole]
    for number, measure in enumerate(measures):
        here = of_measure == number
        table = np.full((len(systems), len(segments)), np.nan)
        table[of_system[here], of_segment[here]] = values[here]
        if (of_segment[here] == whole).any():
            of_systems[measure] = table[:, whole]
        if (of_segment[here] != whole).any():
            of_segments[measure] = table[:, inner]
            places = np.full((len(systems), len(segments)), -1, dtype=np.int64)
            places[of_system[here], of_segment[here]] = np.array(rows.lines)[here]
            lines[measure] = places[:, inner]
    kinds, documents = rows.facts("system", "type"), rows.facts("segment", "document")
    named = tuple(segments[place] for place in inner)
    return ScoreTable(
        rows.path, tuple(systems), named, of_systems, of_segments,
        {system: rows.columns["type"][row] for system, row in kinds.items()},
        tuple(
            rows.columns["document"][documents[segment]] if segment in documents else None
            for segment in named
        ),
        lines, rows.positional,
    )  # fmt: skip


def _numbered(names: Sequence[str]) -> tuple[list[str], IntArray]:
    """Return the distinct names in order, and for each row the number of its name."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    places = np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))
    return list(numbers), places
