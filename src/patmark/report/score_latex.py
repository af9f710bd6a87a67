"""Scores for a paper: measures in rows, systems in columns, intervals below the values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from patmark.data import Cell, Column, Report, Table
from patmark.report.formatting import interval_text, value_text
from patmark.report.latex import (
    closing,
    column_title,
    escape,
    latex_number,
    opening,
    parts,
    table_environment,
)

_SYSTEMS_ABREAST = 6
_INTERVALS_ABREAST = 3


def scores_to_latex(report: Report) -> str:
    """The tables of a report with a system per row, turned; those too wide for a page are cut."""
    blocks = [part for table in report.tables for part in _turned(table)]
    return "\n\n".join([opening(report.title), *blocks, *closing(report)]) + "\n"


def _turned(table: Table) -> Iterator[str]:
    named, *measures = table.columns
    abreast = _INTERVALS_ABREAST if _has_intervals(table) else _SYSTEMS_ABREAST
    for part, rows in parts(table.rows, abreast):
        lines = [
            line
            for place, column in enumerate(measures, start=1)
            for line in _lines(column, [row[place] for row in rows])
        ]
        heads = ["measure", *(escape(value_text(row[0], named.decimals)) for row in rows)]
        alignment = "l" + "r" * len(rows)
        yield table_environment(f"{table.title}{part}", alignment, heads, lines, table.note)


def _has_intervals(table: Table) -> bool:
    return any(interval_text(cell, 0) for row in table.rows for cell in row)


def _lines(column: Column, cells: Sequence[Cell]) -> Iterator[list[str]]:
    """The values of a measure, and a line of intervals where there are any."""
    values = [latex_number(value_text(cell, column.decimals)) for cell in cells]
    yield [column_title(column), *values]
    intervals = [interval_text(cell, column.decimals) for cell in cells]
    if any(intervals):
        small = (rf"{{\footnotesize {latex_number(text)}}}" if text else "" for text in intervals)
        yield ["", *small]
