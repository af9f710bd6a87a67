"""A report as a workbook: a sheet with the answer, a sheet per table, a sheet of segments."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, repeat, zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

from patmark.errors import UsageError
from patmark.report.formatting import (
    DASH,
    INFINITE,
    cell_text,
    message_texts,
    shared_signatures,
    title_text,
)
from patmark.report.frames import segment_table, spread_columns
from patmark.report.model import Cell, Column, Headline, Report, Table, UpperBound
from patmark.report.terminal import text_cells
from patmark.wording import speaker, tr, tr_n, translated

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

Sheet: TypeAlias = "Worksheet"
Spread: TypeAlias = Sequence[tuple[Column, Sequence[Cell]]]

SUMMARY = tr("Summary")
_MOST_ROWS, _LONGEST_TEXT, _LONGEST_NAME = 1_048_575, 32_767, 31
_NARROWEST, _WIDEST, _ANSWER_WIDTH = 8, 60, 110
_USUAL_WIDTH, _LINE_HEIGHT = 8, 15
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_NOT_IN_CELLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CUT = " … [cut]"


def to_xlsx(report: Report) -> bytes:
    """Return the workbook of a report: values as numbers, intervals beside them."""
    from openpyxl import Workbook

    tables = list(report.tables)
    summary = translated(SUMMARY, report.language)
    if report.explorer is not None:
        segments = segment_table(report.explorer)
        tables.append(replace(segments, title=translated(segments.title, report.language)))
    for table in tables:
        if len(table.rows) > _MOST_ROWS:
            size = f"{len(table.rows):,} rows"
            raise UsageError(f"{table.title}: {size} are more than a sheet can hold")
    book = Workbook(write_only=True)
    names = _sheet_names(summary, [table.title for table in tables])
    _write_summary(book.create_sheet(summary), report, list(zip(names, tables, strict=True)))
    for name, table in zip(names, tables, strict=True):
        _write_table(book, name, table, report.language)
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def _write_summary(sheet: Sheet, report: Report, sheets: Sequence[tuple[str, Table]]) -> None:
    """Write title, findings, headlines, the tables of the answer, notes, and a list of sheets."""
    tr = speaker(report.language)
    shown = report.summary or report.tables[: report.brief]
    spread = [_spread(table, report.language) for table in shown]
    page = _Page(sheet, _widths(spread))
    page.write(report.title, bold=True, size=14)
    page.write(report.subtitle)
    findings = message_texts(report.findings, report.language)
    answer = [*findings, *(_headline(one, tr) for one in report.headlines)]
    page.write_part(tr("Result"), answer)
    for table, columns in zip(shown, spread, strict=True):
        page.write_part(table.title, [table.note])
        for row in _table_rows(sheet, columns):
            page.append(row)
    for title, lines in _parts(report, sheets):
        page.write_part(title, lines)


class _Page:
    """Rows of a sheet, whose texts run over as many columns as a reader needs."""

    def __init__(self, sheet: Sheet, widths: Sequence[int]) -> None:
        from openpyxl.utils import get_column_letter

        self._sheet, self._row = sheet, 0
        for place, width in enumerate(widths, 1):
            sheet.column_dimensions[get_column_letter(place)].width = width
        wide = list(accumulate(chain(widths, repeat(_USUAL_WIDTH, _ANSWER_WIDTH))))
        self._over = next(place for place, width in enumerate(wide, 1) if width >= _ANSWER_WIDTH)
        self._last, self._width = get_column_letter(self._over), wide[self._over - 1]

    def append(self, row: Sequence[Any]) -> None:
        """Append a row of cells."""
        self._row += 1
        self._sheet.append(list(row))

    def skip(self) -> None:
        """Append an empty row."""
        self.append([])

    def write(self, text: str, *, bold: bool = False, size: int = 11) -> None:
        """Write a text over several columns, as high as it needs; nothing if it is empty."""
        if not text:
            return
        row, lines = self._row + 1, 1 + text_cells(text) // int(self._width)
        self._sheet.merged_cells.add(f"A{row}:{self._last}{row}")
        self._sheet.row_dimensions[row].height = _LINE_HEIGHT * lines * size / 11
        self.append([_text(self._sheet, text, bold=bold, size=size, wrap=True)])

    def write_part(self, title: str, lines: Sequence[str]) -> None:
        """Write lines under a title, if there are any."""
        if lines:
            self.skip()
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
    cells = {name: (cell for row in table.rows for cell in row) for name, table in sheets}
    cut = {name: sum(map(_is_too_long, of)) for name, of in cells.items()}
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


def _is_too_long(cell: Cell) -> bool:
    return isinstance(cell, str) and len(cell) > _LONGEST_TEXT


def _write_table(book: Workbook, name: str, table: Table, language: str) -> None:
    """Write a sheet whose head stays in sight and filters the rows."""
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(name)
    spread = _spread(table, language)
    sheet.freeze_panes = "B2"
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(spread))}{len(table.rows) + 1}"
    for place, width in enumerate(_widths([spread]), 1):
        sheet.column_dimensions[get_column_letter(place)].width = width
    for row in _table_rows(sheet, spread):
        sheet.append(row)


def _spread(table: Table, language: str) -> Spread:
    """Return the columns of a table with plain cells, in a language."""
    return [
        (replace(column, title=translated(column.title, language)), cells)
        for column, cells in spread_columns(table)
    ]


def _table_rows(sheet: Sheet, spread: Spread) -> Iterator[list[Any]]:
    """Yield the head and the rows of a table."""
    yield [_text(sheet, title_text(column), bold=True, wrap=True) for column, _ in spread]
    for row in zip(*(cells for _, cells in spread), strict=True):
        yield [_cell(sheet, cell, column) for cell, (column, _) in zip(row, spread, strict=True)]


def _widths(tables: Sequence[Spread]) -> list[int]:
    """Return the widths of the columns that tables share."""
    columns = zip_longest(*([_width(*column) for column in table] for table in tables), fillvalue=0)
    return [max(widths) for widths in columns]


def _width(column: Column, cells: Sequence[Cell]) -> int:
    texts = (cell_text(cell, column.decimals) for cell in cells)
    lines = (line for text in (title_text(column), *texts) for line in text.split("\n"))
    return min(max(max(map(text_cells, lines)) + 2, _NARROWEST), _WIDEST)


def _cell(sheet: Sheet, cell: Cell, column: Column) -> Any:
    """Return a cell; numbers stay numbers, and NaN is written as in other reports."""
    from openpyxl.cell import WriteOnlyCell

    if cell is None:
        return None
    if isinstance(cell, str):
        return _text(sheet, cell)
    if isinstance(cell, float) and not math.isfinite(cell):
        return _text(sheet, DASH if math.isnan(cell) else INFINITE if cell > 0 else f"-{INFINITE}")
    made = WriteOnlyCell(sheet, cell)
    made.number_format = _number_format(cell, column) if isinstance(cell, float) else "0"
    return made


def _number_format(cell: float, column: Column) -> str:
    places = "0." + "0" * column.decimals if column.decimals else "0"
    least = f"{10.0**-column.decimals:.{column.decimals}f}"
    below = '"<"' if isinstance(cell, UpperBound) and cell < 1 else ""
    return f'[<{least}]"<{least}";{below}{places}' if column.p_value else places


def _text(
    sheet: Sheet, text: str, *, bold: bool = False, wrap: bool = False, size: int = 11
) -> Any:
    """Return a text that is never a formula, without the characters that a workbook cannot hold."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font

    text = _NOT_IN_CELLS.sub("\N{REPLACEMENT CHARACTER}", text)
    if _is_too_long(text):
        text = text[: _LONGEST_TEXT - len(_CUT)] + _CUT
    made = WriteOnlyCell(sheet, text)
    made.data_type = "s"
    if bold or size != 11:
        made.font = Font(bold=bold, size=size)
    if wrap:
        made.alignment = Alignment(wrap_text=True, vertical="top")
    return made


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
