"""A report that fits one screen: the answer, the scores, what needs action, what else there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from patmark.data import Estimate
from patmark.report.formatting import cell_text, label_count, numeric_columns
from patmark.report.model import Cell, Heat, Report, Table
from patmark.report.terminal import fits, text_lines
from patmark.wording import Text, tr, tr_n, translated

SCREEN = 36
"""Lines of a short report; what a command says of its files fits below it."""
_MOST_ROWS = 15


def one_screen(report: Report, width: int, lines: int = SCREEN) -> tuple[Report, str]:
    """What of a report fits one screen, and what else there is: "2 tables, 1 note".

    Headlines and the first table always stay. Findings, further tables, a signature and notes
    follow in this order as long as there is room.
    """
    if len(text_lines(report, width)) <= lines:
        return report, ""
    tables = [_narrow(table, report, width) for table in _told_once(_chosen(report))]
    empty = [
        translated(tr("{table}: all zero.", table=table.title), report.language)
        for table in tables
        if not table.rows
    ]
    filled = tuple(table for table in tables if table.rows)
    shown = replace(report, findings=(), notes=(), signatures={}, tables=filled[:1])
    pieces: list[dict[str, Any]] = [
        *({"findings": (one,)} for one in report.findings),
        *({"tables": (one,)} for one in filled[1:]),
        *({"signatures": {name: text}} for name, text in _short_signature(report, width)),
        *({"notes": (one,)} for one in [*empty, *report.notes]),
    ]
    for piece in pieces:
        longer = _joined(shown, piece)
        if len(text_lines(longer, width)) <= lines:
            shown = longer
    return shown, _rest(report, shown)


def _joined(report: Report, piece: dict[str, Any]) -> Report:
    [(name, more)] = piece.items()
    before = getattr(report, name)
    return replace(report, **{name: before | more if isinstance(more, dict) else before + more})


def _short_signature(report: Report, width: int) -> list[tuple[str, str]]:
    """The first signature that fits a line."""
    fitting = [
        (name, text) for name, text in report.signatures.items() if len(name + text) + 4 <= width
    ]
    return fitting[:1]


def _chosen(report: Report) -> Sequence[Table]:
    return report.summary or report.tables[: report.brief]


def _rest(report: Report, shown: Report) -> str:
    """What only the full report has."""
    cut = any(table not in report.tables for table in shown.tables)
    findings = len(report.findings) - len(shown.findings)
    tables = len(report.tables) - len(shown.tables)
    notes = len(report.notes) - len(shown.notes)
    signatures = len(report.signatures) - len(shown.signatures)
    parts = (
        (cut, tr("all columns and intervals")),
        (findings > 0, tr_n("{n} finding", "{n} findings", n=findings)),
        (tables > 0, tr_n("{n} table", "{n} tables", n=tables)),
        (notes > 0, tr_n("{n} note", "{n} notes", n=notes)),
        (signatures > 0, tr_n("{n} signature", "{n} signatures", n=signatures)),
    )
    more = tuple(text for is_left, text in parts if is_left)
    return translated(tr("{parts}", parts=more), report.language) if more else ""


def _told_once(tables: Iterable[Table]) -> list[Table]:
    """Tables without the notes that an earlier one has already."""
    said: set[str] = set()
    found = []
    for table in tables:
        found.append(replace(table, note="") if table.note in said else table)
        said.add(table.note)
    return found


def _narrow(table: Table, report: Report, width: int) -> Table:
    """A table in one line for each row, without what shows nothing, and with a note on the rest."""
    language = report.language
    table = _without_faultless_rows(table, language)
    if fits(table, width):
        return _shortened(table, language)
    table = _without_equal_columns(_with_short_titles(table), language)
    table = _without_intervals(table, keep_first=not report.headlines)
    return _shortened(_without_wide_columns(table, width, language), language)


def _noted(table: Table, text: Text, language: str) -> Table:
    more = translated(text, language)
    if not table.note:
        return replace(table, note=more)
    end = ". " if language == "en" else "。"
    return replace(table, note=table.note.rstrip(".。") + end + more)


def _without_faultless_rows(table: Table, language: str) -> Table:
    """Rows of faults that count none tell nothing that a sentence cannot say."""
    places = [place for place, column in enumerate(table.columns) if not column.higher_is_better]
    numbers = [place for place, numeric in enumerate(numeric_columns(table)) if numeric]
    if not places or places != numbers:
        return table
    rows = tuple(row for row in table.rows if any(_value(row[place]) != 0 for place in places))
    left = len(table.rows) - len(rows)
    if not left:
        return table
    text = tr_n("{n} row of zeros left out.", "{n} rows of zeros left out.", n=left)
    return _noted(replace(table, rows=rows), text, language)


def _value(cell: Cell) -> Cell:
    return cell.value if isinstance(cell, Estimate | Heat) else cell


def _without_equal_columns(table: Table, language: str) -> Table:
    """Columns in which all rows have the same number become a sentence."""
    if len(table.rows) < 2:
        return table
    equal: dict[str, list[str]] = {}
    kept = []
    for place, (column, numeric) in enumerate(
        zip(table.columns, numeric_columns(table), strict=True)
    ):
        texts = {cell_text(_value(row[place]), column.decimals) for row in table.rows}
        if (
            numeric
            and len(texts) == 1
            and any(isinstance(row[place], Estimate) for row in table.rows)
        ):
            equal.setdefault(texts.pop(), []).append(column.title)
        else:
            kept.append(place)
    if not equal or len(kept) <= label_count(table):
        return table
    said = "; ".join(f"{', '.join(names)} {text}" for text, names in equal.items())
    return _noted(_columns(table, kept), tr("The same for all: {columns}.", columns=said), language)


def _with_short_titles(table: Table) -> Table:
    """A group that stands beside its measure need not name it again."""
    before = ("", *(column.title for column in table.columns))
    columns = tuple(
        replace(column, title=column.title.removeprefix(last).strip())
        if last and column.title.startswith(f"{last} ")
        else column
        for last, column in zip(before, table.columns, strict=False)
    )
    return replace(table, columns=columns)


def _without_intervals(table: Table, *, keep_first: bool) -> Table:
    """Values alone, but for the first of them."""
    first = label_count(table) if keep_first else -1
    rows = tuple(
        tuple(
            replace(cell, ci=None) if isinstance(cell, Estimate) and place != first else cell
            for place, cell in enumerate(row)
        )
        for row in table.rows
    )
    return replace(table, rows=rows)


def _without_wide_columns(table: Table, width: int, language: str) -> Table:
    """As many columns as fit, and the names of the others."""
    kept = list(range(len(table.columns)))
    while len(kept) > label_count(table) + 1 and not fits(_columns(table, kept), width):
        kept.pop()
    left = tuple(column.title for column in table.columns[len(kept) :])
    if not left:
        return table
    return _noted(_columns(table, kept), tr("Not shown: {columns}.", columns=left), language)


def _columns(table: Table, kept: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in table.rows),
    )


def _shortened(table: Table, language: str) -> Table:
    """The first rows, and how many more there are."""
    left = len(table.rows) - _MOST_ROWS
    if left <= 0:
        return table
    text = tr_n("{n} more row.", "{n} more rows.", n=left)
    return _noted(replace(table, rows=table.rows[:_MOST_ROWS]), text, language)
