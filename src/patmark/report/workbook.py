"""Workbooks: the parts of an XLSX file, written as text.

A cell is written as text at once, without an object of its own: sheets of segments have hundreds
of thousands of cells.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OWN_FORMATS = 164  # numbers below are formats that every program knows
_CREATED = (1980, 1, 1, 0, 0, 0)  # equal reports are equal files


class Style(NamedTuple):
    """The look of a cell."""

    number_format: str = "General"
    bold: bool = False
    size: int = 11
    wrap: bool = False


PLAIN = Style()


class SheetLayout(NamedTuple):
    """Widths of columns, heights and merged columns of rows; a table has a head and filters."""

    widths: Sequence[int]
    heights: Mapping[int, float] = {}
    merged: Sequence[str] = ()
    is_table: bool = False


def column_letters(place: int) -> str:
    """Return the letters of a column, counted from 0."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


class WorkbookWriter:
    """Sheets that share texts and styles. A cell is its XML after the position."""

    def __init__(self) -> None:
        self._sheets: dict[str, str] = {}
        self._texts: dict[str, int] = {}
        self._styles: dict[Style, int] = {PLAIN: 0}

    def text(self, text: str, style: Style = PLAIN) -> str:
        """Return a cell with a text, which is never a formula."""
        number = self._texts.setdefault(text, len(self._texts))
        return f'{self._style(style)} t="s"><v>{number}</v></c>'

    def number(self, value: float, number_format: str) -> str:
        """Return a cell with a number."""
        return f"{self._style(Style(number_format))}><v>{value:.16g}</v></c>"

    def _style(self, style: Style) -> str:
        number = self._styles.setdefault(style, len(self._styles))
        return f' s="{number}"' if number else ""

    def add_sheet(
        self, name: str, rows: Iterable[Sequence[str | None]], layout: SheetLayout
    ) -> None:
        """Add a sheet; a row may have fewer cells than there are columns."""
        letters: list[str] = []
        lines = []
        for number, row in enumerate(rows, 1):
            letters += map(column_letters, range(len(letters), len(row)))
            cells = "".join(
                [
                    f'<c r="{at}{number}"{cell}'
                    for at, cell in zip(letters, row, strict=False)
                    if cell
                ]
            )
            height = layout.heights.get(number)
            tall = "" if height is None else f' ht="{height:g}" customHeight="1"'
            lines.append(f'<row r="{number}"{tall}>{cells}</row>')
        self._sheets[name] = "".join(_sheet_parts(lines, letters, layout))

    def save(self) -> bytes:
        """Return the file."""
        numbers, texts = range(1, len(self._sheets) + 1), "".join(map(_item, self._texts))
        parts = {
            "[Content_Types].xml": _content_types(numbers),
            "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
            "xl/workbook.xml": self._book(),
            "xl/_rels/workbook.xml.rels": _relations([
                *(("worksheet", f"worksheets/sheet{number}.xml") for number in numbers),
                ("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml"),
            ]),
            "xl/styles.xml": _style_part(list(self._styles)),
            "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{texts}</sst>',
        }  # fmt: skip
        sheets = {
            f"xl/worksheets/sheet{number}.xml": text
            for number, text in zip(numbers, self._sheets.values(), strict=True)
        }
        packed = io.BytesIO()
        with ZipFile(packed, "w") as file:
            for name, text in (parts | sheets).items():
                file.writestr(ZipInfo(name, _CREATED), _DECLARATION + text, ZIP_DEFLATED)
        return packed.getvalue()

    def _book(self) -> str:
        sheets = "".join(
            f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
            for number, name in enumerate(self._sheets, 1)
        )
        return (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews>'
            f"<sheets>{sheets}</sheets></workbook>"
        )


def _sheet_parts(
    lines: Sequence[str], letters: Sequence[str], layout: SheetLayout
) -> Iterable[str]:
    """Yield the parts of a sheet in the order that the format prescribes."""
    yield f'<worksheet xmlns="{_MAIN}">'
    if layout.is_table:
        yield '<sheetViews><sheetView workbookViewId="0"><pane xSplit="1" ySplit="1" '
        yield 'topLeftCell="B2" activePane="bottomRight" state="frozen"/></sheetView></sheetViews>'
    if layout.widths:
        yield "<cols>"
        for place, width in enumerate(layout.widths, 1):
            yield f'<col min="{place}" max="{place}" width="{width}" customWidth="1"/>'
        yield "</cols>"
    yield "<sheetData>"
    yield from lines
    yield "</sheetData>"
    if layout.is_table and letters:
        yield f'<autoFilter ref="A1:{letters[-1]}{len(lines)}"/>'
    if layout.merged:
        yield f'<mergeCells count="{len(layout.merged)}">'
        yield from (f'<mergeCell ref="{place}"/>' for place in layout.merged)
        yield "</mergeCells>"
    yield "</worksheet>"


def _item(text: str) -> str:
    return f'<si><t xml:space="preserve">{escape(text, {chr(13): "&#13;"})}</t></si>'


def _style_part(styles: Sequence[Style]) -> str:
    """Return the part of styles: number formats, fonts, and the looks of cells made of them."""
    formats = [name for name in dict.fromkeys(style.number_format for style in styles)][1:]
    fonts = list(dict.fromkeys((style.bold, style.size) for style in styles))
    numbers = {name: _OWN_FORMATS + place for place, name in enumerate(formats)}
    own = "".join(
        f'<numFmt numFmtId="{number}" formatCode={quoteattr(name)}/>'
        for name, number in numbers.items()
    )
    looks = "".join(
        f'<xf numFmtId="{numbers.get(style.number_format, 0)}" xfId="0" fillId="0" borderId="0" '
        f'fontId="{fonts.index((style.bold, style.size))}" applyNumberFormat="1" applyFont="1"'
        + (
            ' applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>'
            if style.wrap
            else "/>"
        )
        for style in styles
    )
    families = "".join(
        f'<font>{"<b/>" if bold else ""}<sz val="{size}"/><name val="Calibri"/></font>'
        for bold, size in fonts
    )
    return (
        f'<styleSheet xmlns="{_MAIN}">'
        + (f'<numFmts count="{len(numbers)}">{own}</numFmts>' if own else "")
        + f'<fonts count="{len(fonts)}">{families}</fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
        f'</cellStyleXfs><cellXfs count="{len(styles)}">{looks}</cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
        "</styleSheet>"
    )


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    found = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{found}</Relationships>'


def _content_types(sheets: Iterable[int]) -> str:
    kinds = {f"worksheets/sheet{number}": "worksheet" for number in sheets}
    kinds |= {"workbook": "sheet.main", "styles": "styles", "sharedStrings": "sharedStrings"}
    found = "".join(
        f'<Override PartName="/xl/{name}.xml" ContentType="{_TYPES}.{kind}+xml"/>'
        for name, kind in kinds.items()
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{found}</Types>'
    )
