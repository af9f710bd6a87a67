"""Test sets and runs as tables with named columns: TSV, CSV, workbooks, DataFrames."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from patmark.data.csv_records import read_csv_records
from patmark.data.files import FilePath, file_format, read_bytes, read_lines, shown, system_name
from patmark.data.model import Run, Segment, TestSet, no_reference, text_or_none
from patmark.data.records import folded
from patmark.errors import InputError, Problem, UsageError

_REFERENCE = re.compile(r"reference(?:_([1-9][0-9]*))?")
_SYSTEM = "system:"
_HYPOTHESIS = "hypothesis"
_LISTED = "references"
_KNOWN = ("id", "document", "source", "reference", _HYPOTHESIS)
_LIKENESS = 0.86  # "documnet" is close to "document"; "resource" is not close to "source"


@dataclass(frozen=True)
class ColumnTable:
    """Named columns, and rows of cells with their lines; messages show ``name``."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[int, Sequence[Any]]]
    between: str = ""
    """The separator of columns in words, for a message about the header."""

    @cached_property
    def references(self) -> list[str]:
        """The columns with references, in the order of their numbers."""
        found = [match for name in self.columns if (match := _REFERENCE.fullmatch(name))]
        return [match[0] for match in sorted(found, key=lambda match: int(match[1] or 1))]

    @cached_property
    def systems(self) -> list[str]:
        """The columns with hypotheses."""
        return [name for name in self.columns if name.startswith(_SYSTEM) or name == _HYPOTHESIS]

    @cached_property
    def meta(self) -> list[str]:
        """The columns without a meaning in the format."""
        known = {"id", "document", "source", _LISTED, *self.references, *self.systems}
        return [name for name in self.columns if name not in known]

    def check(self, needed: Sequence[str]) -> None:
        """Refuse a header with missing columns or ambiguous names."""
        found = [
            f"column {name!r} occurs {count} times"
            for name, count in Counter(self.columns).items()
            if count > 1
        ]
        if "" in self.columns or _SYSTEM in self.columns:
            found.append("a column has no name")
        found += filter(None, map(_misspelt, self.meta))
        given = {*self.columns, *(["reference"] if self.references else [])}
        if not given.issuperset(needed):
            names = ", ".join(map(repr, self.columns[:8]))
            found.append(
                f"expected a header line with the columns {' and '.join(map(repr, needed))}"
                f"{self.between}, found {names}; systems are in columns system:NAME"
            )
        if found:
            raise InputError(Problem(message, self.name, 1) for message in found)
        if not self.rows:
            raise InputError.at("has a header but no rows", self.name, 2)

    def records(self, problems: list[Problem]) -> list[tuple[int, dict[str, Any]]]:
        """Return the rows by column; add rows of another width to ``problems``."""
        records = []
        for line, cells in self.rows:
            if len(cells) != len(self.columns):
                blank = not any(str(cell).strip() for cell in cells)
                found = "a blank line" if blank else f"{len(cells)} fields"
                message = f"expected {len(self.columns)} fields as in the header, found {found}"
                problems.append(Problem(message, self.name, line))
                continue
            records.append((line, dict(zip(self.columns, cells, strict=True))))
        return records


def _misspelt(column: str) -> str:
    """Return a question about a column whose name resembles a known one."""
    from difflib import SequenceMatcher

    prefix, colon, rest = column.partition(":")
    names = {_SYSTEM + rest: _SYSTEM.rstrip(":")} if colon else {name: name for name in _KNOWN}
    for name, word in names.items():
        if SequenceMatcher(None, prefix.strip().lower(), word).ratio() >= _LIKENESS:
            return f"unknown column {column!r}; did you mean {name!r}?"
    return ""


def read_table_file(
    path: FilePath,
    target_language: str,
    source_language: str | None = None,
    *,
    allow_empty_references: bool = False,
) -> tuple[TestSet, list[Run]]:
    """Read a test set and the runs in its columns ``system:NAME`` or ``hypothesis``.

    Only the first sheet of a workbook is read.
    """
    table = read_table(path)
    table.check(("id",) if allow_empty_references else ("id", "reference"))
    return _test_set(table, target_language, source_language, allow_empty_references)


read_tsv = read_table_file


def table_test_set(
    table: Any,
    target_language: str,
    source_language: str | None = None,
    *,
    name: str = "table",
    allow_empty_references: bool = False,
) -> tuple[TestSet, list[Run]]:
    """Read a test set and its runs from a table in memory.

    The table is a DataFrame (pandas, polars), an Arrow table, a Hugging Face dataset, a dict of
    columns or a list of dicts. Without ids, rows are numbered from 1. A column ``references`` may
    hold a list for each segment. None is no text and no answer.
    """
    columns = columns_of(table)
    if "id" not in columns:
        count = max(map(len, columns.values()), default=0)
        columns = {"id": [str(number) for number in range(1, count + 1)], **columns}
    lengths = {len(cells) for cells in columns.values()}
    if len(lengths) > 1:
        sizes = ", ".join(f"{key} {len(cells)}" for key, cells in columns.items())
        raise InputError.at(f"columns have different lengths: {sizes}", name)
    rows = list(enumerate(zip(*columns.values(), strict=True), 1))
    made = ColumnTable(name, tuple(columns), rows)
    needed = () if allow_empty_references or _LISTED in columns else ("reference",)
    made.check(("id", *needed))
    return _test_set(made, target_language, source_language, allow_empty_references)


def columns_of(table: Any) -> dict[str, list[Any]]:
    """Return the columns of anything that has columns, by name."""
    if isinstance(table, Mapping):
        found = {str(name): cells for name, cells in table.items()}
        wrong = [name for name, cells in found.items() if isinstance(cells, str)]
        if wrong:
            raise UsageError(f"column {wrong[0]!r} must be a list, one entry per segment")
        return {name: list(cells) for name, cells in found.items()}
    if isinstance(table, Sequence) and table and all(isinstance(row, Mapping) for row in table):
        keys = dict.fromkeys(name for row in table for name in row)
        return {str(key): [row.get(key) for row in table] for key in keys}
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None:
        raise UsageError(
            "expected a table: a DataFrame, a dataset, a dict of columns or a list of dicts; "
            f"found {type(table).__name__}"
        )
    return {str(name): _cells(table[name]) for name in names}


def _cells(column: Any) -> list[Any]:
    """Return the cells of a column as Python has them."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def read_table_run(
    path: FilePath, test_set: TestSet, system: str | None = None, *, allow_partial: bool = False
) -> Run:
    """Return a run with the columns ``id`` and ``hypothesis``; other columns are ignored.

    A missing id is an error, since the file may be truncated; ``allow_partial`` makes it a missing
    answer.
    """
    table = read_table(path)
    table.check(("id", _HYPOTHESIS))
    problems: list[Problem] = []
    records = table.records(problems)
    _check_ids(records, table.name, problems)
    found = {row["id"]: row[_HYPOTHESIS] for _, row in records}
    known = {segment.id for segment in test_set}
    problems += [
        Problem(f"unknown id {row['id']!r}: {test_set.name} has no such segment", table.name, line)
        for line, row in records
        if row["id"] not in known and row["id"].strip()
    ]
    if not problems and not allow_partial:
        problems += [
            Problem(f"no hypothesis for segment {segment.id!r} of {test_set.name}", table.name)
            for segment in test_set
            if segment.id not in found
        ]
    if problems:
        raise InputError(folded(problems))
    texts = tuple(found.get(segment.id) for segment in test_set)
    return Run(system or system_name(path), texts)


def read_table(path: FilePath) -> ColumnTable:
    """Return the table of a file, by the ending of its name."""
    return _READERS.get(file_format(path), _tsv_table)(path)


def _tsv_table(path: FilePath) -> ColumnTable:
    """Read a TSV file; quotation marks have no meaning."""
    first, *lines = read_lines(path)
    rows = [(number, line.split("\t")) for number, line in enumerate(lines, 2)]
    return ColumnTable(shown(path), tuple(first.split("\t")), rows, " between tabs")


def _csv_table(path: FilePath) -> ColumnTable:
    first, *records = read_csv_records(path, foreign=True)
    rows = [(record.line, record.fields) for record in records]
    return ColumnTable(shown(path), tuple(first.fields), rows, " between commas")


def _workbook_table(path: FilePath) -> ColumnTable:
    """Return the first sheet, without empty rows at the end."""
    sheet = _first_sheet(path)
    while sheet and not any(cell is not None for cell in sheet[-1]):
        del sheet[-1]
    if not sheet:
        raise InputError.at("is empty: its first sheet has no cells", shown(path))
    wide = max((place for place, cell in enumerate(sheet[0], 1) if cell is not None), default=0)
    if not wide:
        raise InputError.at("its first row has no names of columns", shown(path), 1)
    beyond = [
        Problem("has a cell beyond the last column of the header", shown(path), line)
        for line, row in enumerate(sheet, 1)
        if any(cell is not None for cell in row[wide:])
    ]
    if beyond:
        raise InputError(folded(beyond))
    padded = [[_cell_text(cell) for cell in (row + [None] * wide)[:wide]] for row in sheet]
    return ColumnTable(
        shown(path), tuple(padded[0]), list(enumerate(padded[1:], 2)), " in its first row"
    )


def _first_sheet(path: FilePath) -> list[list[Any]]:
    """Return the cells of the first sheet; formulas have their stored values."""
    from openpyxl.utils import get_column_letter

    data = read_bytes(path)
    try:
        written = _cells_of_sheet(data, values=False)
        if not any(map(_may_be_formula, chain.from_iterable(written))):
            return written
        sheet = _cells_of_sheet(data, values=True)
    except Exception as error:  # the library raises anything on broken files
        raise InputError.at("is not a workbook that can be read (.xlsx)", shown(path)) from error
    message = "holds a formula without a result; save the workbook with values in place of formulas"
    problems = [
        Problem(f"cell {get_column_letter(place)}{line} {message}", shown(path), line)
        for line, (cells, found) in enumerate(zip(written, sheet, strict=True), 1)
        for place, (cell, value) in enumerate(zip(cells, found, strict=True), 1)
        if value is None and cell is not None
    ]
    if problems:
        raise InputError(folded(problems))
    return sheet


def _cells_of_sheet(data: bytes, *, values: bool) -> list[list[Any]]:
    import io
    import warnings

    from openpyxl import load_workbook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=values)
        sheet = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
        book.close()
    return sheet


def _may_be_formula(cell: object) -> bool:
    """Return True for a text that begins with =, or a formula over several cells."""
    return cell.startswith("=") if isinstance(cell, str) else hasattr(cell, "ref")


_READERS: dict[str, Callable[[FilePath], ColumnTable]] = {
    "tsv": _tsv_table,
    "csv": _csv_table,
    "xlsx": _workbook_table,
}


def _cell_text(cell: object) -> str:
    """Return the shown text of a cell; a whole number has no fraction."""
    if cell is None:
        return ""
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole and isinstance(cell, float) else str(cell)


def _check_ids(
    records: Iterable[tuple[int, dict[str, Any]]], name: str, problems: list[Problem]
) -> None:
    first_lines: dict[str, int] = {}
    for line, row in records:
        row["id"] = identity = "" if row["id"] is None else str(row["id"])
        if not identity.strip():
            problems.append(Problem("empty id", name, line))
        elif (first := first_lines.setdefault(identity, line)) != line:
            problems.append(Problem(f"id {identity!r} is already on line {first}", name, line))


def _test_set(
    table: ColumnTable, target: str, source: str | None, allow_empty_references: bool
) -> tuple[TestSet, list[Run]]:
    problems: list[Problem] = []
    records = table.records(problems)
    _check_ids(records, table.name, problems)
    segments = []
    for line, row in records:
        try:
            segments.append(_segment(table, row))
        except InputError as error:
            problems += [Problem(str(one), table.name, line) for one in error.problems]
            continue
        if not allow_empty_references and not any(map(str.strip, segments[-1].references)):
            problems.append(Problem(no_reference(), table.name, line))
    if problems:
        raise InputError(folded(sorted(problems, key=lambda problem: problem.line or 0)))
    test_set = TestSet(tuple(segments), target, source, table.name, allow_empty_references)
    runs = [
        Run(_system(table, column), tuple(row[column] for _, row in records))
        for column in table.systems
    ]
    return test_set, runs


def _system(table: ColumnTable, column: str) -> str:
    return system_name(table.name) if column == _HYPOTHESIS else column.removeprefix(_SYSTEM)


def _segment(table: ColumnTable, row: Mapping[str, Any]) -> Segment:
    references = [text_or_none(row[column], column) for column in table.references]
    listed = row.get(_LISTED)
    several = listed if isinstance(listed, Iterable) and not isinstance(listed, str) else [listed]
    references += [text_or_none(one, _LISTED) for one in several]
    document = row.get("document")
    return Segment(
        id=row["id"],
        source=text_or_none(row.get("source"), "source") or None,
        references=tuple(text for text in references if text is not None),
        document=str(document)
        if isinstance(document, int)
        else text_or_none(document, "document") or None,
        meta={column: row[column] for column in table.meta},
    )
