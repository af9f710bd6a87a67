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
    rows = csv_rows(lines, name, separator, foreign=foreign)
    records = [CsvRecord(fields, line) for line, fields in rows]
    if not blank_lines:
        refuse_blank_lines([record.line for record in records if not record.fields], name)
    return records


def csv_rows(
    lines: Sequence[str], name: str, separator: str = ",", *, foreign: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each record begins, and its fields; none for a blank line."""
    reader = csv.reader((f"{line}\n" for line in lines), strict=True, delimiter=separator)
    as_written = foreign or not any("'" in line for line in lines)
    begins = 1
    try:
        for fields in reader:
            yield begins, fields if as_written else [*map(_received, fields)]
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InputError.at(f"is not valid CSV: {error}", name, begins) from None


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


def _received(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell
