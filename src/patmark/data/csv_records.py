"""Rows of a CSV file with the lines on which they begin."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from patmark.data.files import FilePath, atomic_writer, read_lines, shown
from patmark.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class CsvRecord:
    """The fields of one record; a field over several lines belongs to the line it begins on."""

    fields: list[str]
    line: int


def read_csv_records(path: FilePath) -> list[CsvRecord]:
    """All records of a CSV file; a blank line between records is an error."""
    lines = read_lines(path)
    reader = csv.reader((f"{line}\n" for line in lines), strict=True)
    records: list[CsvRecord] = []
    begins = 1
    try:
        for fields in reader:
            records.append(CsvRecord(fields, begins))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InputError.at(f"is not valid CSV: {error}", shown(path), begins) from None
    blank = [record.line for record in records if not record.fields]
    if blank:
        raise InputError(Problem("blank line", shown(path), line) for line in blank)
    return records


def header_problems(
    header: CsvRecord, required: Sequence[str], optional: Sequence[str], path: str
) -> list[Problem]:
    """What is wrong with the names of the columns."""
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
    """The rows under a header, as dictionaries; rows of another width add to ``problems``."""
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
    """Write a whole CSV file with LF line ends, or nothing."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    with atomic_writer(path) as file:
        file.write(text.getvalue())
