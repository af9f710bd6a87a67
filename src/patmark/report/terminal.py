"""A report on the terminal, or in a pipe: plain words first, colours only where they are seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from patmark.report.formatting import (
    cell_text,
    label_count,
    numeric_columns,
    shared_signatures,
    title_text,
)
from patmark.report.model import Headline, Report, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

_GRADE_STYLES = {"A": "bold green", "B": "bold cyan", "C": "bold yellow", "D": "bold red"}
_WIDEST_WORDS = 32
_GAP = 2  # one blank of padding and one for the border that the box leaves out


@dataclass(frozen=True, slots=True)
class _Block:
    """Columns that fit side by side; ``stacked`` puts intervals on a line of their own."""

    columns: tuple[int, ...]
    stacked: bool


def print_report(report: Report, console: Console) -> None:
    """Print findings, headlines, tables, notes and signatures.

    A table too wide for the console puts its intervals below the values; if it still does not
    fit, it is cut into blocks that repeat the names of the rows.
    """
    from rich.text import Text

    console.print(Text(report.title, "bold"))
    if report.subtitle:
        console.print(Text(report.subtitle, "dim"))
    if report.findings:
        console.print()
    for finding in report.findings:
        console.print(Text(f"- {finding}"))
    if report.headlines:
        console.print()
    for headline in report.headlines:
        console.print(_headline(headline))
    for table in report.tables:
        _print_table(table, console)
    for title, lines in (("Notes", report.notes), ("Signatures", _signatures(report))):
        if lines:
            console.print()
            console.print(Text(title, "bold" if title == "Notes" else "dim"))
        for line in lines:
            style = "" if title == "Notes" else "dim"
            console.print(Text(f"- {line}", style), soft_wrap=title == "Signatures")


def _signatures(report: Report) -> tuple[str, ...]:
    shared = shared_signatures(report.signatures)
    return tuple(f"{names}: {signature}" for names, signature in shared)


def _headline(headline: Headline) -> Text:
    from rich.text import Text

    line = Text.assemble((headline.system, "bold"), f"  {headline.label}: ")
    line.append(cell_text(headline.estimate, headline.decimals), "bold")
    if headline.grade is not None:
        line.append("  grade ")
        line.append(headline.grade, _GRADE_STYLES.get(headline.grade, "bold"))
    if headline.meaning:
        line.append(f" ({headline.meaning})")
    return line


def _print_table(table: Table, console: Console) -> None:
    from rich.text import Text

    console.print()
    console.print(Text(table.title, "bold"))
    for number, block in enumerate(_blocks(table, console.width)):
        if number:
            console.print()
        console.print(_rich_table(table, block))
    if table.note:
        console.print(Text(table.note, "dim"))


def _blocks(table: Table, width: int) -> Iterator[_Block]:
    """Cut the columns so that each block fits; one block when the whole table does."""
    everything = tuple(range(len(table.columns)))
    inline = [_column_width(table, column, stacked=False) + _GAP for column in everything]
    if sum(inline) <= width:
        yield _Block(everything, stacked=False)
        return
    names = everything[: label_count(table)]
    stacked = [_column_width(table, column, stacked=True) + _GAP for column in everything]
    room = width - sum(stacked[column] for column in names)
    current: list[int] = []
    for column in everything[len(names) :]:
        if current and sum(stacked[each] for each in [*current, column]) > room:
            yield _Block((*names, *current), stacked=True)
            current = []
        current.append(column)
    yield _Block((*names, *current), stacked=True)


def _column_width(table: Table, column: int, *, stacked: bool) -> int:
    from rich.cells import cell_len

    texts = [title_text(table.columns[column])]
    texts += (_text(table, row, column, stacked=stacked) for row in range(len(table.rows)))
    widest = max(cell_len(line) for text in texts for line in text.split("\n"))
    return widest if numeric_columns(table)[column] else min(widest, _WIDEST_WORDS)


def _text(table: Table, row: int, column: int, *, stacked: bool) -> str:
    between = "\n" if stacked else " "
    of = table.columns[column]
    return cell_text(table.rows[row][column], of.decimals, between, p_value=of.p_value)


def _rich_table(table: Table, block: _Block) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    numeric = numeric_columns(table)
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for column in block.columns:
        shown.add_column(
            Text(title_text(table.columns[column])),
            justify="right" if numeric[column] else "left",
            overflow="fold",
        )
    for row in range(len(table.rows)):
        shown.add_row(
            *(Text(_text(table, row, column, stacked=block.stacked)) for column in block.columns)
        )
    return shown
