"""External scores of all formats in one table.

One reader takes CSV and TSV ``system,segment,measure,value``, JSON Lines, ``.seg.score`` of
MT-metrics-eval, JSON of COMET, and plain numbers, one per line. In a file without ids, the n-th
score of a system belongs to the n-th segment.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, repeat
from typing import Any

import numpy as np

from patmark.data.csv_records import CsvRecord, csv_parts, header_problems, refuse_blank_lines
from patmark.data.files import FilePath, file_format, read_lines, records_of, shown, system_name
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
        return _csv(csv_parts(lines, name, separator), name, measure)
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


def _csv(
    parts: Iterator[tuple[Sequence[int], list[list[str]]]], name: str, measure: str | None
) -> _Rows:
    """Read rows below a header, a part at a time, so that their texts take little memory."""
    (line, *begins), (titles, *rows) = next(parts)
    header, width = CsvRecord(titles, line), len(titles)
    lines: list[int] = []
    columns = [_Texts() for _ in titles]
    blank, problems = [] if titles else [line], []
    for numbers, part in chain([(begins, rows)], parts):
        lines += numbers
        found = list(map(len, part))
        wrong = [place for place, size in enumerate(found) if size != width]
        blank += [numbers[place] for place in wrong if not found[place]]
        problems += [
            Problem(
                f"expected {width} fields as in the header, found {found[place]}",
                name, numbers[place],
            )
            for place in wrong
        ]  # fmt: skip
        cells = zip(*part, strict=True) if not wrong else ()
        for column, texts in zip(columns, cells, strict=False):
            column.extend(map(str.strip, texts))
    refuse_blank_lines(blank, name)
    absent = [one for one in _UNTITLED if measure is not None and one not in header.fields]
    required = [one for one in COLUMNS if one not in absent]
    raise_if_any(header_problems(header, required, (*_UNTITLED, *_OPTIONAL), name))
    if not lines:
        raise InputError.at("has a header but no rows", name, header.line + 1)
    raise_if_any(problems)
    return _Rows.of(name, lines, dict(zip(header.fields, columns, strict=True)), measure)


def _json_rows(
    records: Sequence[Record], problems: list[Problem], name: str, measure: str | None
) -> _Rows:
    """Read objects of any program; only known fields count."""
    columns = {
        title: _Texts(_cell(record, title) for record in records)
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
    columns = {"system": _Texts(systems), "value": _Texts(texts)}
    return _Rows.of(name, lines, columns, measure, True)


class _Texts:
    """A column of texts: the distinct ones, and for each row the number of its text."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._of_row = array("q")
        self.extend(texts)

    def extend(self, texts: Iterable[str]) -> None:
        """Add the texts of more rows."""
        self._of_row.extend(map(self._numbers.__getitem__, texts))

    @property
    def distinct(self) -> list[str]:
        """The distinct texts, in the order of their first rows."""
        return list(self._numbers)

    @property
    def of_row(self) -> IntArray:
        """The number of the text of each row."""
        return np.frombuffer(self._of_row, np.int64) if self._of_row else np.zeros(0, np.int64)

    def __iter__(self) -> Iterator[str]:
        return map(self.distinct.__getitem__, self._of_row)

    def rows_of(self, text: str) -> list[int]:
        """Return the rows that hold a text."""
        number = self._numbers.get(text)
        return [] if number is None else np.flatnonzero(self.of_row == number).tolist()


@dataclass(frozen=True, slots=True)
class _Rows:
    """The columns of the file, the line of each row, and the values as numbers.

    A value is NaN if empty, infinite if not a number.
    """

    path: str
    lines: Sequence[int]
    columns: Mapping[str, _Texts]
    values: FloatArray
    positional: bool

    @classmethod
    def of(
        cls,
        path: str,
        lines: Sequence[int],
        columns: Mapping[str, _Texts],
        measure: str | None,
        positional: bool = False,
    ) -> _Rows:
        absent = {title: _Texts(repeat("", len(lines))) for title in ("system", *_OPTIONAL)}
        given = absent | {"measure": _Texts(repeat(measure or "", len(lines)))} | dict(columns)
        if positional:
            given["segment"] = _Texts(_places(given["system"], given["measure"]))
        texts = given["value"]
        values = np.array([_number(text) for text in texts.distinct])[texts.of_row]
        return cls(path, lines, given, values, positional)

    def problem(self, message: str, row: int) -> Problem:
        """Return a problem of one row."""
        return Problem(message, self.path, self.lines[row] or None)

    def empty(self, title: str) -> list[Problem]:
        """Return rows without a name."""
        rows = self.columns[title].rows_of("")
        return [self.problem(f"column {title!r} is empty", row) for row in rows]

    def value_problems(self) -> list[Problem]:
        """Return values that are not numbers."""
        texts = self.columns["value"]
        return [
            self.problem(
                f"value: expected a number or nothing, found {texts.distinct[number]!r}", row
            )
            for row in np.flatnonzero(np.isinf(self.values)).tolist()
            for number in [texts.of_row[row]]
        ]

    def doubles(self) -> list[Problem]:
        """Return scores that occur in the file twice."""
        titles = ("system", "segment", "measure")
        keys = np.zeros(len(self.lines), np.int64)
        for title in titles:
            keys = keys * len(self.columns[title].distinct) + self.columns[title].of_row
        _, first_rows, number = np.unique(keys, return_index=True, return_inverse=True)
        problems = []
        for row in np.flatnonzero(first_rows[number] != np.arange(len(keys))).tolist():
            system, segment, measure = (
                self.columns[title].distinct[self.columns[title].of_row[row]] for title in titles
            )
            where = f"segment {segment!r}" if segment else "the whole system"
            owner = f" of {system}" if system else ""
            line = self.lines[int(first_rows[number[row]])]
            message = f"{measure}{owner} for {where} is already on line {line}"
            problems.append(self.problem(message, row))
        return problems

    def facts(self, owner: str, fact: str) -> dict[str, tuple[str, int]]:
        """Return the first value of a column, and its row, for each system or segment."""
        known: dict[str, tuple[str, int]] = {}
        for row, name, value in self._given_cells(owner, fact):
            known.setdefault(name, (value, row))
        return known

    def contradictions(self, owner: str, fact: str) -> list[Problem]:
        """Return rows that contradict the first one about a system or segment."""
        known = self.facts(owner, fact)
        return [
            self.problem(
                f"{owner} {name!r} has {value!r} here and {known[name][0]!r} "
                f"on line {self.lines[known[name][1]]}",
                row,
            )
            for row, name, value in self._given_cells(owner, fact)
            if value != known[name][0]
        ]

    def _given_cells(self, owner: str, fact: str) -> Iterator[tuple[int, str, str]]:
        """Yield row, name and value if both are given."""
        if self.columns[fact].distinct == [""]:
            return
        pairs = zip(self.columns[owner], self.columns[fact], strict=True)
        yield from ((row, *pair) for row, pair in enumerate(pairs) if all(pair))


def _places(systems: Iterable[str], measures: Iterable[str]) -> Iterator[str]:
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
    named = [rows.columns[title] for title in ("system", "segment", "measure")]
    systems, segments, measures = (column.distinct for column in named)
    of_system, of_segment, of_measure = (column.of_row for column in named)
    values, of_line = rows.values, np.asarray(rows.lines, np.int64)
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
            places[of_system[here], of_segment[here]] = of_line[here]
            lines[measure] = places[:, inner]
    documents = rows.facts("segment", "document")
    kept = tuple(segments[place] for place in inner)
    return ScoreTable(
        rows.path, tuple(systems), kept, of_systems, of_segments,
        {system: kind for system, (kind, _) in rows.facts("system", "type").items()},
        tuple(documents[segment][0] if segment in documents else None for segment in kept),
        lines, rows.positional,
    )  # fmt: skip
