"""Tables of a report as data: DataFrames, CSV in long form, and the table of all segments.

CSV has one line per cell, at full precision, for other programs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from patmark.data import Estimate, csv_text
from patmark.errors import UsageError, near
from patmark.report.formatting import cell_value, in_language, label_count, row_label
from patmark.report.model import Cell, Column, Explorer, Rated, Report, Table, UpperBound
from patmark.wording import DEFAULT_LANGUAGE, tr

SEGMENTS = "segments"
_LIBRARIES = ("pandas", "polars")


def chosen_table(report: Report, table: str | int) -> Table:
    """Return a table by title or position, or the table of segments."""
    if table == SEGMENTS and report.explorer is not None:
        return segment_table(report.explorer)
    if not report.tables:
        raise UsageError("this result has no tables")
    if isinstance(table, int):
        if not -len(report.tables) <= table < len(report.tables):
            raise UsageError(f"there is no table {table}; there are {len(report.tables)}")
        return report.tables[table]
    titles = {one.title: one for one in report.tables}
    if table not in titles:
        known = [*titles, *([SEGMENTS] if report.explorer else [])]
        raise UsageError(
            f"no table is called {table!r}{near(table, known)}; there are: {', '.join(known)}"
        )
    return titles[table]


def segment_table(explorer: Explorer) -> Table:
    """Return every segment with the outputs of all systems: texts, facets and scores."""
    columns = (
        *map(Column, (tr("system"), tr("segment"), tr("source"), tr("references"))),
        *map(Column, (tr("hypothesis"), *explorer.facets)),
        *(Column(name, 4) for name in explorer.values),
    )
    rows: list[tuple[Cell, ...]] = []
    for place, (system, texts) in enumerate(
        zip(explorer.systems, explorer.hypotheses, strict=True)
    ):
        for number, (segment, text) in enumerate(zip(explorer.test_set, texts, strict=True)):
            facets = (of[number] for of in explorer.facets.values())
            scores = (float(of[place, number]) for of in explorer.values.values())
            references = "\n".join(segment.references) or None
            rows.append((system, segment.id, segment.source, references, text, *facets, *scores))
    return Table(tr("Segments"), columns, tuple(rows))


def spread_columns(table: Table) -> list[tuple[Column, list[Cell]]]:
    """Return columns with plain cells: intervals and grades become columns of their own."""
    found: list[tuple[Column, list[Cell]]] = []
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        found.append((column, [cell_value(cell) for cell in cells]))
        ends = [cell.ci if isinstance(cell, Estimate) else None for cell in cells]
        if any(ends):
            names = (
                tr("{column} low", column=column.title),
                tr("{column} high", column=column.title),
            )
            for end, name in enumerate(names):
                of = Column(name, column.decimals)
                found.append((of, [None if pair is None else pair[end] for pair in ends]))
        grades = [cell.grade + cell.mark if isinstance(cell, Rated) else None for cell in cells]
        if any(grades):
            found.append((Column(tr("{column} grade", column=column.title)), list(grades)))
    return found


def frame_of(table: Table, library: str | None = None) -> Any:
    """Convert a table to a DataFrame of pandas or polars, whichever is installed."""
    spread = spread_columns(table)
    titles = _unique([column.title for column, _ in spread])
    values = {title: cells for title, (_, cells) in zip(titles, spread, strict=True)}
    if library not in (None, *_LIBRARIES):
        raise UsageError(f"frames are made by {' or '.join(_LIBRARIES)}, not by {library!r}")
    for name in _LIBRARIES if library is None else (library,):
        try:
            module = import_module(name)
        except ModuleNotFoundError:
            continue
        lenient = {"strict": False} if name == "polars" else {}
        return module.DataFrame(values, **lenient)
    wanted = library or " or ".join(_LIBRARIES)
    raise UsageError(f"a frame needs {wanted}: pip install {library or _LIBRARIES[0]}")


def _unique(titles: Sequence[str]) -> list[str]:
    found: list[str] = []
    for title in titles:
        number, name = 1, title
        while name in found:
            number += 1
            name = f"{title} {number}"
        found.append(name)
    return found


_FIELDS = ("table", "row", "column", "value", "low", "high", "n")


def to_csv(report: Report) -> str:
    """Return the headlines and all tables, one line per cell; ``row`` holds the name of a row.

    It is always English. An empty value is a cell without content; ``NaN`` is a number that could
    not be computed. A p that is an upper bound lies between ``low`` 0 and ``high``.
    """
    return csv_text(_FIELDS, _lines(in_language(report, DEFAULT_LANGUAGE)))


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
