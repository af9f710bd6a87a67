"""Rows of a CSV file with their first lines, and the one CSV writer.

Spreadsheets evaluate cells that begin like a formula, which texts of systems and people may do.
patmark writes an apostrophe before such a cell and removes it when it reads the file. In foreign
files it is a quotation mark.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from patmark.data.files import FilePath, atomic_writer, read_lines, shown
from patmark.errors import InputError, Problem

_LINES_AT_ONCE = 1 << 14


@dataclass(frozen=True, slots=True)
class CsvRecord:
    """The fields of one record; a field over several lines belongs to its first line."""

    fields: list[str]
    line: int


def read_csv_records(
    path: FilePath,
    separator: str | None = None,
    *,
    foreign: bool = False,
    blank_lines: bool = False,
) -> list[CsvRecord]:
    """Return all records of a CSV file; a blank line is an error, unless ``blank_lines`` is set.

    Without a ``separator``, semicolons or tabs separate the columns if the first line has them and
    no comma, as in countries with a decimal comma. The apostrophe before a cell that begins like a
    formula is removed, except in a foreign file.
    """
    lines = read_lines(path)
    separator = separator or next((sign for sign in ",;\t" if sign in lines[0]), ",")
    return csv_records(lines, shown(path), separator, foreign=foreign, blank_lines=blank_lines)


def csv_records(
    lines: Sequence[str],
    name: str,
    separator: str = ",",
    *,
    foreign: bool = False,
    blank_lines: bool = False,
) -> list[CsvRecord]:
    """Parse CSV records of lines that were already read; messages name the file."""
    parts = csv_parts(lines, name, separator, foreign=foreign)
    records = [CsvRecord(*one) for begins, rows in parts for one in zip(rows, begins, strict=True)]
    if not blank_lines:
        refuse_blank_lines([record.line for record in records if not record.fields], name)
    return records


def csv_parts(
    lines: Sequence[str], name: str, separator: str = ",", *, foreign: bool = False
) -> Iterator[tuple[Sequence[int], list[list[str]]]]:
    """Yield parts of a file: the lines on which records begin, and their fields.

    A blank line has no fields. Lines without a quotation mark are parsed at once.
    """
    for start in range(0, len(lines), _LINES_AT_ONCE):
        part = lines[start : start + _LINES_AT_ONCE]
        text = "".join(part)
        if '"' in text:
            yield from _quoted_parts(lines[start:], start, name, separator, foreign=foreign)
            return
        reader = csv.reader(part, strict=True, delimiter=separator)
        try:
            rows = list(reader)
        except csv.Error as error:
            raise _invalid(error, name, start + reader.line_num) from None
        yield range(start + 1, start + 1 + len(part)), _as_received(rows, text, foreign)


def _quoted_parts(
    lines: Sequence[str], start: int, name: str, separator: str, *, foreign: bool
) -> Iterator[tuple[Sequence[int], list[list[str]]]]:
    """Yield records one by one, since they may run over several lines."""
    reader = csv.reader((f"{line}\n" for line in lines), strict=True, delimiter=separator)
    begins = start + 1
    try:
        for fields in reader:
            yield [begins], _as_received([fields], "'", foreign)
            begins = start + reader.line_num + 1
    except csv.Error as error:
        raise _invalid(error, name, begins) from None


def _invalid(error: csv.Error, name: str, line: int) -> InputError:
    return InputError.at(f"is not valid CSV: {error}", name, line)


def _as_received(rows: list[list[str]], text: str, foreign: bool) -> list[list[str]]:
    """Return rows without the apostrophes before formulas, which ``text`` may hold."""
    if foreign or "'" not in text:
        return rows
    return [
        [cell[1:] if cell[:1] == "'" and _is_formula(cell[1:]) else cell for cell in fields]
        for fields in rows
    ]


def refuse_blank_lines(lines: Sequence[int], name: str) -> None:
    """Raise an error that names each blank line, if there are any."""
    if lines:
        raise InputError(Problem("blank line", name, line) for line in lines)


def header_problems(
    header: CsvRecord, required: Sequence[str], optional: Sequence[str], path: str
) -> list[Problem]:
    """List the problems of the column names."""
    known = (*required, *optional)
    names = header.fields
    missing = [name for name in required if name not in names]
    found = [f"column {name!r} occurs {n} times" for name, n in Counter(names).items() if n > 1]
    found += [
        f"unknown column {name!r}; the known ones are {', '.join(known)}"
        for name in dict.fromkeys(names)
        if name not in known
    ]
    if missing:
        expected = f"expected a header line with the columns {','.join(required)}"
        found.insert(0, f"{expected}; missing: {', '.join(missing)}")
    return [Problem(message, path, header.line) for message in found]


def named_rows(
    records: Sequence[CsvRecord], header: CsvRecord, path: str, problems: list[Problem]
) -> list[tuple[int, dict[str, str]]]:
    """Return the rows under a header as dictionaries; add bad widths to ``problems``."""
    rows = []
    for record in records:
        if len(record.fields) != len(header.fields):
            message = f"expected {len(header.fields)} fields as in the header"
            found = f"{message}, found {len(record.fields)}"
            problems.append(Problem(found, path, record.line))
            continue
        rows.append((record.line, dict(zip(header.fields, record.fields, strict=True))))
    return rows


def write_csv(path: FilePath, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a whole CSV file with LF line ends, atomically."""
    text = csv_text(header, rows)
    with atomic_writer(path) as file:
        file.write(text)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format CSV with LF line ends that a spreadsheet does not evaluate; None is empty."""
    return "".join(",".join(map(_written, row)) + "\n" for row in (header, *rows))


_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠].", re.DOTALL)
"""Characters that begin a formula; in Japanese spreadsheets also full-width ones."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?%?|inf|nan)")
_QUOTED = re.compile(r'[,"\r\n]')


def _is_formula(text: str) -> bool:
    """Return True if a spreadsheet might evaluate a cell, even after apostrophes."""
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)


def _written(value: object) -> str:
    text = "" if value is None else str(value)
    if isinstance(value, str) and _is_formula(value):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
