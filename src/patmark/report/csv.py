"""A report as CSV in long form: one line per cell, at full precision, for other programs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from patmark.data import Estimate, csv_text
from patmark.report.formatting import cell_value, in_language, label_count, row_label
from patmark.report.model import Cell, Rated, Report, UpperBound

_FIELDS = ("table", "row", "column", "value", "low", "high", "n")


def to_csv(report: Report) -> str:
    """Return the headlines and all tables, one line per cell; ``row`` holds the name of a row.

    It is always English. An empty value is a cell without content; ``NaN`` is a number that could
    not be computed. A p that is an upper bound lies between ``low`` 0 and ``high``.
    """
    return csv_text(_FIELDS, _lines(in_language(report, "en")))


def _lines(report: Report) -> Iterator[tuple[str, ...]]:
    for headline in report.headlines:
        yield _line("Headlines", headline.system, headline.label, headline.estimate)
        if headline.grade is not None:
            yield _line("Headlines", headline.system, "grade", headline.grade)
    for table in report.tables:
        labels = label_count(table)
        for row in table.rows:
            name = row_label(row, labels)
            for column, cell in zip(table.columns[labels:], row[labels:], strict=True):
                yield _line(table.title, name, column.title, cell)
                if isinstance(cell, Rated):
                    yield _line(table.title, name, f"{column.title} grade", cell.grade + cell.mark)


def _line(table: str, row: str, column: str, cell: Cell) -> tuple[str, ...]:
    value = _plain(cell_value(cell))
    if isinstance(cell, UpperBound):
        return (table, row, column, value, _plain(0.0), value, "")
    if not isinstance(cell, Estimate):
        return (table, row, column, value, "", "", "")
    low, high = (_plain(end) for end in cell.ci) if cell.ci else ("", "")
    return (table, row, column, value, low, high, str(cell.n))


def _plain(value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(float(value))
    return str(value)
