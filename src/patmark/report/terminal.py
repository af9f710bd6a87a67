"""Reports on the terminal or in a pipe, whole or cut to one screen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias
from unicodedata import combining, east_asian_width

from patmark.data import Estimate, Message
from patmark.report.formatting import (
    cell_text,
    cell_value,
    label_count,
    message_text,
    numeric_columns,
    shared_signatures,
    title_text,
)
from patmark.report.model import Headline, Report, Table
from patmark.wording import DEFAULT_LANGUAGE, Text, speaker, tr, tr_n, translated

if TYPE_CHECKING:
    from rich.console import Console

Line: TypeAlias = list[tuple[str, str]]
"""Texts with their styles, side by side on one line."""

_LETTER_STYLES = {"A": "bold green", "B": "bold cyan", "C": "bold yellow", "D": "bold red"}
_WIDEST_WORDS = 22
_GAP = "  "
_RULE = "─"
_PIPE_WIDTH = 120
_NO_BEGINNING = " 、。，；：！？）」』】》"
_OPENING = "（「『【《"


def print_report(report: Report, console: Console) -> None:
    """Print findings, headlines, tables, notes and signatures, with the styles of a console."""
    from rich.text import Text

    for line in _lines(report, console.width):
        console.print(Text.assemble(*line), soft_wrap=True)


def pipe_width() -> int:
    """Return the line width of pipes and files: COLUMNS, else 120."""
    asked = os.environ.get("COLUMNS", "")
    return int(asked) if asked.isdecimal() and int(asked) > 0 else _PIPE_WIDTH


def to_text(report: Report, width: int | None = None) -> str:
    """Return a report without styles, for a pipe or a file."""
    lines = text_lines(report, pipe_width() if width is None else width)
    return "".join(f"{line}\n" for line in lines)


def text_lines(report: Report, width: int) -> list[str]:
    """Return the lines of a report without styles."""
    return ["".join(text for text, _ in line) for line in _lines(report, width)]


def fits(table: Table, width: int) -> bool:
    """Return True if the columns fit side by side, with each interval beside its value."""
    return sum(each + len(_GAP) for each in _least_widths(table, stacked=False)) <= width


def _lines(report: Report, width: int) -> Iterator[Line]:
    """Yield all lines of a report.

    A table that is too wide puts its intervals below the values; if it still does not fit, it is
    cut into blocks that repeat the names of the rows.
    """
    tr = speaker(report.language)
    yield from _styled(_wrapped(report.title, width), "bold")
    if report.subtitle:
        yield from _styled(_wrapped(report.subtitle, width), "dim")
    if report.findings:
        yield []
    for finding in report.findings:
        yield from _styled(_wrapped(f"- {message_text(finding, report.language)}", width))
    if report.headlines:
        yield []
    for headline in report.headlines:
        line = _headline(headline, tr)
        text = "".join(part for part, _ in line)
        yield from [line] if text_cells(text) <= width else _styled(_wrapped(text, width))
    for table in report.tables:
        yield []
        yield from _styled(_wrapped(table.title, width), "bold")
        for number, block in enumerate(_blocks(table, width)):
            if number:
                yield []
            yield from _block_lines(table, block, width)
        if table.note:
            yield from _styled(_wrapped(table.note, width), "dim")
    if report.notes:
        yield from ([], [(tr("Notes"), "bold")])
    for note in report.notes:
        yield from _styled(_wrapped(f"- {message_text(note, report.language)}", width))
    if report.signatures:
        yield from ([], [(tr("Signatures"), "dim")])
    for names, signature in shared_signatures(report.signatures):
        yield [(f"- {names}: {signature}", "dim")]


def _styled(lines: Iterable[str], style: str = "") -> Iterator[Line]:
    return ([(line, style)] for line in lines)


def _headline(headline: Headline, tr: Callable[..., str]) -> Line:
    label = tr("{label}:", label=headline.label)
    line = [(headline.system, "bold"), (f"  {label} ", "")]
    line.append((cell_text(headline.estimate, headline.decimals), "bold"))
    if headline.grade is not None:
        line.append(("  " + tr("grade") + " ", ""))
        line.append((headline.grade, _LETTER_STYLES.get(headline.grade, "bold")))
    if headline.meaning:
        line.append((" " + tr("({meaning})", meaning=headline.meaning), ""))
    return line


@dataclass(frozen=True, slots=True)
class _Block:
    """Columns that fit side by side; ``stacked`` puts intervals on a line of their own."""

    columns: tuple[int, ...]
    stacked: bool


def _blocks(table: Table, width: int) -> Iterator[_Block]:
    """Cut the columns into blocks that fit; one block if the whole table does."""
    everything = tuple(range(len(table.columns)))
    if fits(table, width):
        yield _Block(everything, stacked=False)
        return
    names = everything[: label_count(table)]
    stacked = [each + len(_GAP) for each in _least_widths(table, stacked=True)]
    width_left = width - sum(stacked[column] for column in names)
    current: list[int] = []
    for column in everything[len(names) :]:
        if current and sum(stacked[each] for each in [*current, column]) > width_left:
            yield _Block((*names, *current), stacked=True)
            current = []
        current.append(column)
    yield _Block((*names, *current), stacked=True)


def _least_widths(table: Table, *, stacked: bool) -> list[int]:
    """Return the least width of each column; words can be wrapped, numbers cannot."""
    widest = [
        _widest(_column_texts(table, place, stacked=stacked)) for place in range(len(table.columns))
    ]
    numeric = numeric_columns(table)
    return [
        wide if number else min(wide, _WIDEST_WORDS)
        for wide, number in zip(widest, numeric, strict=True)
    ]


def _column_texts(table: Table, column: int, *, stacked: bool) -> list[str]:
    of, between = table.columns[column], "\n" if stacked else " "
    cells = (cell_text(row[column], of.decimals, between, p_value=of.p_value) for row in table.rows)
    return [title_text(of), *cells]


def _block_lines(table: Table, block: _Block, width: int) -> Iterator[Line]:
    texts = [_column_texts(table, column, stacked=block.stacked) for column in block.columns]
    numeric = numeric_columns(table)
    right = [numeric[column] for column in block.columns]
    widths = [_widest(column) for column in texts]
    width_left = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > width_left and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    for place, row in enumerate(zip(*texts, strict=True)):
        cells = [list(_wrapped(cell, wide)) for cell, wide in zip(row, widths, strict=True)]
        for depth in range(max(map(len, cells))):
            parts = [cell[depth] if depth < len(cell) else "" for cell in cells]
            padded = map(_padded, parts, widths, right)
            yield [(_GAP.join(padded), "" if place else "bold")]
        if not place:
            yield [(_RULE * (sum(widths) + len(_GAP) * (len(widths) - 1)), "")]


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - text_cells(text))
    return blanks + text if right else text + blanks


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Wrap a text to a width between words, and within words that are too long."""
    for line in text.split("\n"):
        if text_cells(line) <= width:
            yield line
            continue
        current = ""
        for word in _words(line):
            if current and text_cells(current + word.rstrip()) > width:
                yield current.rstrip()
                current = ""
            while text_cells(word.rstrip()) > width:
                part = _beginning(word, width)
                yield part
                word = word[len(part) :]
            current += word
        yield current.rstrip()


def _words(line: str) -> Iterator[str]:
    """Yield words with the blanks behind them; a Chinese or Japanese character is a word.

    None begins with a mark that may not begin a line.
    """
    start = 0
    for place in range(1, len(line)):
        before, after = line[place - 1], line[place]
        wide = "W" in (east_asian_width(before), east_asian_width(after))
        if (wide or before == " ") and after not in _NO_BEGINNING and before not in _OPENING:
            yield line[start:place]
            start = place
    yield line[start:]


def _beginning(text: str, width: int) -> str:
    """Return as many characters as fit, at least one."""
    end, used = 0, 0
    while end < len(text) and (used := used + text_cells(text[end])) <= width:
        end += 1
    return text[: max(end, 1)]


def _widest(texts: Iterable[str]) -> int:
    return max(text_cells(line) for text in texts for line in text.split("\n"))


def text_cells(text: str) -> int:
    """Count the terminal cells of a text: two for a Chinese or Japanese character."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )


SCREEN = 36
"""Lines of a short report; what a command says of its files fits below it."""
_MOST_ROWS = 15
_FEWEST_ROWS = 5
_SURE_FINDINGS = 2


def one_screen(report: Report, width: int, lines: int = SCREEN) -> tuple[Report, str]:
    """Return the part of a report that fits one screen, and the rest in words: "2 tables, 1 note".

    Headlines, the first two findings and the first rows of the first table always stay. Other
    findings, further tables, a signature and notes follow in this order if there is room.
    """
    if len(text_lines(report, width)) <= lines:
        return report, ""
    tables: list[Table] = []
    notes: set[str] = set()
    for table in report.summary or report.tables[: report.brief]:
        once = replace(table, note="") if table.note in notes else table
        notes.add(table.note)
        tables.append(_narrow(once, report, width))
    empty = [
        translated(tr("{table}: all zero.", table=table.title), report.language)
        for table in tables
        if not table.rows
    ]
    filled = tuple(table for table in tables if table.rows)
    first = replace(report, findings=(), notes=(), signatures={}, tables=filled[:1])
    shown = _with_findings(first, report.findings[:_SURE_FINDINGS], width, lines)
    signatures = [
        {name: text} for name, text in report.signatures.items() if len(name + text) + 4 <= width
    ]
    pieces: list[dict[str, Any]] = [
        *({"findings": (one,)} for one in report.findings[len(shown.findings) :]),
        *({"tables": (_shortened(one, report.language),)} for one in filled[1:]),
        *({"signatures": one} for one in signatures[:1]),
        *({"notes": (one,)} for one in [*empty, *report.notes]),
    ]
    for piece in pieces:
        longer = _joined(shown, piece)
        if len(text_lines(longer, width)) <= lines:
            shown = longer
    return shown, _rest(report, shown)


def _with_findings(report: Report, findings: Sequence[Message], width: int, lines: int) -> Report:
    """Add findings to a report with at most one table, and cut its rows to make room for them."""
    shown = replace(report, findings=tuple(findings))
    if not shown.tables:
        return shown
    [table] = shown.tables
    for count in range(_MOST_ROWS, _FEWEST_ROWS - 1, -1):
        shown = replace(shown, tables=(_shortened(table, report.language, count),))
        if len(text_lines(shown, width)) <= lines:
            break
    return shown


def _joined(report: Report, piece: dict[str, Any]) -> Report:
    [(name, more)] = piece.items()
    before = getattr(report, name)
    return replace(report, **{name: before | more if isinstance(more, dict) else before + more})


def _rest(report: Report, shown: Report) -> str:
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


def _narrow(table: Table, report: Report, width: int) -> Table:
    """Return a table with one line per row and a note on the omitted part."""
    language = report.language
    table = _without_faultless_rows(table, language)
    if fits(table, width):
        return table
    table = _without_equal_columns(_with_short_titles(table), language)
    table = _without_intervals(table, keep_first=not report.headlines)
    return _without_wide_columns(table, width, language)


def _noted(table: Table, text: Text, language: str) -> Table:
    more = translated(text, language)
    if not table.note:
        return replace(table, note=more)
    end = ". " if language == DEFAULT_LANGUAGE else "。"
    return replace(table, note=table.note.rstrip(".。") + end + more)


def _without_faultless_rows(table: Table, language: str) -> Table:
    """Replace rows of zero faults by a sentence."""
    places = [place for place, column in enumerate(table.columns) if not column.higher_is_better]
    numbers = [place for place, numeric in enumerate(numeric_columns(table)) if numeric]
    if not places or places != numbers:
        return table
    rows = tuple(row for row in table.rows if any(cell_value(row[place]) != 0 for place in places))
    left = len(table.rows) - len(rows)
    if not left:
        return table
    text = tr_n("{n} row of zeros left out.", "{n} rows of zeros left out.", n=left)
    return _noted(replace(table, rows=rows), text, language)


def _without_equal_columns(table: Table, language: str) -> Table:
    """Replace columns in which all rows have the same number by a sentence."""
    if len(table.rows) < 2:
        return table
    equal: dict[str, list[str]] = {}
    kept = []
    for place, (column, numeric) in enumerate(
        zip(table.columns, numeric_columns(table), strict=True)
    ):
        texts = {cell_text(cell_value(row[place]), column.decimals) for row in table.rows}
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
    shared_values = "; ".join(f"{', '.join(names)} {text}" for text, names in equal.items())
    return _noted(
        _columns(table, kept), tr("The same for all: {columns}.", columns=shared_values), language
    )


def _with_short_titles(table: Table) -> Table:
    """Remove the group title from the titles of its columns."""
    before = ("", *(column.title for column in table.columns))
    columns = tuple(
        replace(column, title=column.title.removeprefix(last).strip())
        if last and column.title.startswith(f"{last} ")
        else column
        for last, column in zip(before, table.columns, strict=False)
    )
    return replace(table, columns=columns)


def _without_intervals(table: Table, *, keep_first: bool) -> Table:
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
    """Return as many columns as fit, and name the others in a note."""
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


def _shortened(table: Table, language: str, most: int = _MOST_ROWS) -> Table:
    left = len(table.rows) - most
    if left <= 0:
        return table
    text = tr_n("{n} more row.", "{n} more rows.", n=left)
    return _noted(replace(table, rows=table.rows[:most]), text, language)
