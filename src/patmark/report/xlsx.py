"""A report as a workbook: a sheet with the answer, a sheet per table, a sheet of segments."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, repeat, zip_longest
from typing import TypeAlias, cast

from patmark.errors import UsageError
from patmark.report.formatting import (
    cell_text,
    message_texts,
    number_text,
    shared_signatures,
    title_text,
)
from patmark.report.frames import segment_table, spread_columns
from patmark.report.model import Cell, Column, Headline, Report, Table, UpperBound
from patmark.report.terminal import text_cells
from patmark.report.workbook import PLAIN, SheetLayout, Style, WorkbookWriter, column_letters
from patmark.wording import speaker, tr, tr_n, translated

Spread: TypeAlias = Sequence[tuple[Column, Sequence[Cell]]]
Row: TypeAlias = Sequence[str | None]

SUMMARY = tr("Summary")
_MOST_ROWS, _LONGEST_TEXT, _LONGEST_NAME = 1_048_575, 32_767, 31
_NARROWEST, _WIDEST, _ANSWER_WIDTH = 8, 60, 110
_USUAL_WIDTH, _LINE_HEIGHT = 8, 15
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_NOT_IN_CELLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CUT = " … [cut]"
_HEAD = Style(bold=True, wrap=True)


def to_xlsx(report: Report) -> bytes:
    """Return the workbook of a report: values as numbers, intervals beside them."""
    tables = list(report.tables)
    summary = translated(SUMMARY, report.language)
    if report.explorer is not None:
        segments = segment_table(report.explorer)
        tables.append(replace(segments, title=translated(segments.title, report.language)))
    for table in tables:
        if len(table.rows) > _MOST_ROWS:
            size = f"{len(table.rows):,} rows"
            raise UsageError(f"{table.title}: {size} are more than a sheet can hold")
    book = WorkbookWriter()
    names = _sheet_names(summary, [table.title for table in tables])
    _write_summary(book, summary, report, list(zip(names, tables, strict=True)))
    for name, table in zip(names, tables, strict=True):
        columns = _spread(table, report.language)
        layout = SheetLayout(_widths([columns]), is_table=True)
        book.add_sheet(name, _table_rows(book, columns), layout)
    return book.save()


def _write_summary(
    book: WorkbookWriter, name: str, report: Report, sheets: Sequence[tuple[str, Table]]
) -> None:
    """Write title, findings, headlines, the tables of the answer, notes, and a list of sheets."""
    tr = speaker(report.language)
    shown = report.summary or report.tables[: report.brief]
    spread = [_spread(table, report.language) for table in shown]
    page = _Page(book, _widths(spread))
    page.write(report.title, bold=True, size=14)
    page.write(report.subtitle)
    findings = message_texts(report.findings, report.language)
    answer = [*findings, *(_headline(one, tr) for one in report.headlines)]
    page.write_part(tr("Result"), answer)
    for table, columns in zip(shown, spread, strict=True):
        page.write_part(table.title, [table.note])
        page.rows += _table_rows(book, columns)
    for title, lines in _parts(report, sheets):
        page.write_part(title, lines)
    book.add_sheet(name, page.rows, SheetLayout(page.widths, page.heights, page.merged))


class _Page:
    """Rows of a sheet, whose texts run over as many columns as a reader needs."""

    def __init__(self, book: WorkbookWriter, widths: Sequence[int]) -> None:
        self.rows: list[Row] = []
        self.widths = widths
        self.heights: dict[int, float] = {}
        self.merged: list[str] = []
        wide = list(accumulate(chain(widths, repeat(_USUAL_WIDTH, _ANSWER_WIDTH))))
        over = next(place for place, width in enumerate(wide) if width >= _ANSWER_WIDTH)
        self._book, self._last, self._width = book, column_letters(over), wide[over]

    def write(self, text: str, *, bold: bool = False, size: int = 11) -> None:
        """Write a text over several columns, as high as it needs; nothing if it is empty."""
        if not text:
            return
        row, lines = len(self.rows) + 1, 1 + text_cells(text) // int(self._width)
        self.merged.append(f"A{row}:{self._last}{row}")
        self.heights[row] = _LINE_HEIGHT * lines * size / 11
        self.rows.append([_text(self._book, text, Style(bold=bold, size=size, wrap=True))])

    def write_part(self, title: str, lines: Sequence[str]) -> None:
        """Write lines under a title, if there are any."""
        if lines:
            self.rows.append([])
            self.write(title, bold=True)
        for line in lines:
            self.write(line)


def _parts(
    report: Report, sheets: Sequence[tuple[str, Table]]
) -> Iterator[tuple[str, Sequence[str]]]:
    tr = speaker(report.language)
    yield tr("Notes"), [*message_texts(report.notes, report.language), *map(tr, _cut_notes(sheets))]
    yield (
        tr("Sheets"),
        [
            f"{name}: {table.title}" + (f" ({table.note})" if table.note else "")
            for name, table in sheets
        ],
    )
    yield tr("Signatures"), [f"{of}: {text}" for of, text in shared_signatures(report.signatures)]


def _headline(headline: Headline, tr: Callable[..., str]) -> str:
    grade = ", " + tr("grade") + f" {headline.grade}" if headline.grade is not None else ""
    meaning = f" ({headline.meaning})" if headline.meaning else ""
    value = cell_text(headline.estimate, headline.decimals)
    return f"{headline.system}: {headline.label} {value}{grade}{meaning}"


def _cut_notes(sheets: Sequence[tuple[str, Table]]) -> list[str]:
    """Name the sheets with texts that are longer than a cell may be."""
    texts = {
        name: (cell for row in table.rows for cell in row if isinstance(cell, str))
        for name, table in sheets
    }
    cut = {name: sum(map(_LONGEST_TEXT.__lt__, map(len, of))) for name, of in texts.items()}
    return [
        tr_n(
            "Sheet {name}: {n} text cut at {most:,} characters, the most that a cell can hold.",
            "Sheet {name}: {n} texts cut at {most:,} characters, the most that a cell can hold.",
            n=number,
            name=name,
            most=_LONGEST_TEXT,
        )
        for name, number in cut.items()
        if number
    ]


def _spread(table: Table, language: str) -> Spread:
    return [
        (replace(column, title=translated(column.title, language)), cells)
        for column, cells in spread_columns(table)
    ]


def _table_rows(book: WorkbookWriter, spread: Spread) -> Iterator[Row]:
    """Yield the head and the rows of a table; texts such as names of systems occur many times."""
    yield [_text(book, title_text(column), _HEAD) for column, _ in spread]
    columns = []
    for column, cells in spread:
        texts = {
            cell: _text(book, cell)
            for cell in dict.fromkeys(cells)
            if isinstance(cell, str) and cell
        }
        columns.append(
            [
                texts.get(cell) if isinstance(cell, str) else _number_cell(book, cell, column)
                for cell in cells
            ]
        )
    yield from zip(*columns, strict=True)


def _widths(tables: Sequence[Spread]) -> list[int]:
    columns = zip_longest(*([_width(*column) for column in table] for table in tables), fillvalue=0)
    return [max(widths) for widths in columns]


def _width(column: Column, cells: Sequence[Cell]) -> int:
    texts = {cell for cell in cells if isinstance(cell, str)}
    numbers = (cell_text(cell, column.decimals) for cell in cells if not isinstance(cell, str))
    width = _NARROWEST
    shown = chain([title_text(column)], texts, numbers)
    for line in (line for text in shown for line in text.split("\n")):
        width = max(width, text_cells(line) + 2)
        if width >= _WIDEST:
            break
    return min(width, _WIDEST)


def _number_cell(book: WorkbookWriter, cell: Cell, column: Column) -> str | None:
    """Return a number or nothing; NaN is written as in other reports."""
    if cell is None:
        return None
    if not isinstance(cell, float):
        return book.number(cast("int", cell), "0")
    if not math.isfinite(cell):
        return _text(book, number_text(cell, 0))
    places = "0." + "0" * column.decimals if column.decimals else "0"
    if column.p_value:
        least = f"{10.0**-column.decimals:.{column.decimals}f}"
        below = '"<"' if isinstance(cell, UpperBound) and cell < 1 else ""
        places = f'[<{least}]"<{least}";{below}{places}'
    return book.number(cell, places)


def _text(book: WorkbookWriter, text: str, style: Style = PLAIN) -> str:
    """Return a text without the characters that a workbook cannot hold."""
    text = _NOT_IN_CELLS.sub("\N{REPLACEMENT CHARACTER}", text)
    if len(text) > _LONGEST_TEXT:
        text = text[: _LONGEST_TEXT - len(_CUT)] + _CUT
    return book.text(text, style)


def _sheet_names(summary: str, titles: Iterable[str]) -> list[str]:
    """Return titles as sheet names: short, without some signs, none twice."""
    taken, names = {summary.lower()}, []
    for title in titles:
        plain = _NOT_IN_NAMES.sub(" ", title).strip(" '") or "Table"
        name, number = plain[:_LONGEST_NAME].rstrip(), 1
        while name.lower() in taken:
            number += 1
            end = f" {number}"
            name = plain[: _LONGEST_NAME - len(end)].rstrip() + end
        taken.add(name.lower())
        names.append(name)
    return names
