"""A report as a workbook: a sheet with the answer, a sheet per table, a sheet of segments."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from patmark.data import counted
from patmark.errors import UsageError
from patmark.report.formatting import DASH, INFINITE, cell_text, shared_signatures, title_text
from patmark.report.frames import segment_table, spread_columns
from patmark.report.model import Cell, Column, Headline, Report, Table
from patmark.report.terminal import text_cells
from patmark.wording import speaker

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

Sheet: TypeAlias = "Worksheet"

SUMMARY = "Summary"
_MOST_ROWS, _LONGEST_TEXT, _LONGEST_NAME = 1_048_575, 32_767, 31
_NARROWEST, _WIDEST, _ANSWER_WIDTH = 8, 60, 110
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_NOT_IN_CELLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CUT = " … [cut]"


def to_xlsx(report: Report) -> bytes:
    """The workbook of a report: values as numbers with their decimals, intervals beside them."""
    from openpyxl import Workbook

    tables = list(report.tables)
    if report.explorer is not None:
        tables.append(segment_table(report.explorer))
    for table in tables:
        if len(table.rows) > _MOST_ROWS:
            size = f"{len(table.rows):,} rows"
            raise UsageError(f"{table.title}: {size} are more than a sheet can hold")
    book = Workbook(write_only=True)
    names = _sheet_names([table.title for table in tables])
    _write_summary(book.create_sheet(SUMMARY), report, list(zip(names, tables, strict=True)))
    for name, table in zip(names, tables, strict=True):
        _write_table(book, name, table)
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def _write_summary(sheet: Sheet, report: Report, sheets: Sequence[tuple[str, Table]]) -> None:
    """Title, findings, headlines, notes, signatures, and what the other sheets hold."""
    sheet.column_dimensions["A"].width = _ANSWER_WIDTH
    sheet.append([_text(sheet, report.title, bold=True, size=14)])
    for line in filter(None, [report.subtitle]):
        sheet.append([_text(sheet, line)])
    for title, lines in _parts(report, sheets):
        if lines:
            sheet.append([])
            sheet.append([_text(sheet, title, bold=True)])
        for line in lines:
            sheet.append([_text(sheet, line, wrap=True)])


def _parts(
    report: Report, sheets: Sequence[tuple[str, Table]]
) -> Iterator[tuple[str, Sequence[str]]]:
    tr = speaker(report.language)
    yield tr("Result"), [*report.findings, *(_headline(one, tr) for one in report.headlines)]
    yield (
        tr("Sheets"),
        [
            f"{name}: {table.title}" + (f" ({table.note})" if table.note else "")
            for name, table in sheets
        ],
    )
    yield tr("Notes"), [*report.notes, *_cut_notes(sheets)]
    yield tr("Signatures"), [f"{of}: {text}" for of, text in shared_signatures(report.signatures)]


def _headline(headline: Headline, tr: Callable[..., str]) -> str:
    grade = ", " + tr("grade") + f" {headline.grade}" if headline.grade is not None else ""
    meaning = f" ({headline.meaning})" if headline.meaning else ""
    value = cell_text(headline.estimate, headline.decimals)
    return f"{headline.system}: {headline.label} {value}{grade}{meaning}"


def _cut_notes(sheets: Sequence[tuple[str, Table]]) -> list[str]:
    """Which sheets have texts that are longer than a cell may be."""
    cells = {name: (cell for row in table.rows for cell in row) for name, table in sheets}
    cut = {name: sum(map(_is_too_long, of)) for name, of in cells.items()}
    return [
        f"Sheet {name}: {counted(number, 'text')} cut at {_LONGEST_TEXT:,} characters, the most "
        "that a cell can hold."
        for name, number in cut.items()
        if number
    ]


def _is_too_long(cell: Cell) -> bool:
    return isinstance(cell, str) and len(cell) > _LONGEST_TEXT


def _write_table(book: Workbook, name: str, table: Table) -> None:
    """A sheet whose head stays in sight and filters the rows."""
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(name)
    spread = spread_columns(table)
    sheet.freeze_panes = "B2"
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(spread))}{len(table.rows) + 1}"
    for place, (column, cells) in enumerate(spread, 1):
        sheet.column_dimensions[get_column_letter(place)].width = _width(column, cells)
    sheet.append([_text(sheet, title_text(column), bold=True, wrap=True) for column, _ in spread])
    for row in zip(*(cells for _, cells in spread), strict=True):
        sheet.append(
            [_cell(sheet, cell, column) for cell, (column, _) in zip(row, spread, strict=True)]
        )


def _width(column: Column, cells: Sequence[Cell]) -> int:
    texts = (cell_text(cell, column.decimals) for cell in cells)
    lines = (line for text in (title_text(column), *texts) for line in text.split("\n"))
    return min(max(max(map(text_cells, lines)) + 2, _NARROWEST), _WIDEST)


def _cell(sheet: Sheet, cell: Cell, column: Column) -> Any:
    """Numbers stay numbers; what is no number is written as reports write it."""
    from openpyxl.cell import WriteOnlyCell

    if cell is None:
        return None
    if isinstance(cell, str):
        return _text(sheet, cell)
    if isinstance(cell, float) and not math.isfinite(cell):
        return _text(sheet, DASH if math.isnan(cell) else INFINITE if cell > 0 else f"-{INFINITE}")
    made = WriteOnlyCell(sheet, cell)
    made.number_format = _number_format(column) if isinstance(cell, float) else "0"
    return made


def _number_format(column: Column) -> str:
    places = "0." + "0" * column.decimals if column.decimals else "0"
    least = f"{10.0**-column.decimals:.{column.decimals}f}"
    return f'[<{least}]"<{least}";{places}' if column.p_value else places


def _text(
    sheet: Sheet, text: str, *, bold: bool = False, wrap: bool = False, size: int = 11
) -> Any:
    """A text that is never a formula, without the characters that a workbook cannot hold."""
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


def _sheet_names(titles: Iterable[str]) -> list[str]:
    """Titles as sheets may be called: short, without some signs, none twice."""
    taken, names = {SUMMARY.lower()}, []
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
