"""A report on the terminal, or in a pipe: plain words first, colours only where they are seen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import combining, east_asian_width

from patmark.report.formatting import (
    cell_text,
    label_count,
    numeric_columns,
    shared_signatures,
    title_text,
)
from patmark.report.model import Headline, Report, Table
from patmark.wording import speaker

if TYPE_CHECKING:
    from rich.console import Console

Line: TypeAlias = list[tuple[str, str]]
"""Texts with their styles, side by side on one line."""

_GRADE_STYLES = {"A": "bold green", "B": "bold cyan", "C": "bold yellow", "D": "bold red"}
_WIDEST_WORDS = 32
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
    """How wide lines are that go into a pipe or a file: as COLUMNS says, 120 where it does not."""
    asked = os.environ.get("COLUMNS", "")
    return int(asked) if asked.isdecimal() and int(asked) > 0 else _PIPE_WIDTH


def to_text(report: Report, width: int | None = None) -> str:
    """The same without styles, for a pipe or a file."""
    lines = text_lines(report, pipe_width() if width is None else width)
    return "".join(f"{line}\n" for line in lines)


def text_lines(report: Report, width: int) -> list[str]:
    """The lines of a report, without styles."""
    return ["".join(text for text, _ in line) for line in _lines(report, width)]


def fits(table: Table, width: int) -> bool:
    """Whether the columns of a table fit side by side, with each interval beside its value."""
    columns = range(len(table.columns))
    least = (_least_width(table, column, stacked=False) + len(_GAP) for column in columns)
    return sum(least) <= width


def _lines(report: Report, width: int) -> Iterator[Line]:
    """All lines of a report.

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
        yield from _styled(_wrapped(f"- {finding}", width))
    if report.headlines:
        yield []
    for headline in report.headlines:
        line = _headline(headline, tr)
        text = "".join(part for part, _ in line)
        yield from [line] if text_cells(text) <= width else _styled(_wrapped(text, width))
    for table in report.tables:
        yield from _table_lines(table, width)
    if report.notes:
        yield from ([], [(tr("Notes"), "bold")])
    for note in report.notes:
        yield from _styled(_wrapped(f"- {note}", width))
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
        line.append((headline.grade, _GRADE_STYLES.get(headline.grade, "bold")))
    if headline.meaning:
        line.append((" " + tr("({meaning})", meaning=headline.meaning), ""))
    return line


def _table_lines(table: Table, width: int) -> Iterator[Line]:
    yield []
    yield from _styled(_wrapped(table.title, width), "bold")
    for number, block in enumerate(_blocks(table, width)):
        if number:
            yield []
        yield from _block_lines(table, block, width)
    if table.note:
        yield from _styled(_wrapped(table.note, width), "dim")


@dataclass(frozen=True, slots=True)
class _Block:
    """Columns that fit side by side; ``stacked`` puts intervals on a line of their own."""

    columns: tuple[int, ...]
    stacked: bool


def _blocks(table: Table, width: int) -> Iterator[_Block]:
    """Cut the columns so that each block fits; one block when the whole table does."""
    everything = tuple(range(len(table.columns)))
    if fits(table, width):
        yield _Block(everything, stacked=False)
        return
    names = everything[: label_count(table)]
    stacked = [_least_width(table, column, stacked=True) + len(_GAP) for column in everything]
    room = width - sum(stacked[column] for column in names)
    current: list[int] = []
    for column in everything[len(names) :]:
        if current and sum(stacked[each] for each in [*current, column]) > room:
            yield _Block((*names, *current), stacked=True)
            current = []
        current.append(column)
    yield _Block((*names, *current), stacked=True)


def _least_width(table: Table, column: int, *, stacked: bool) -> int:
    """The width that a column must have; words can be wrapped, numbers cannot."""
    widest = _widest(_column_texts(table, column, stacked=stacked))
    return widest if numeric_columns(table)[column] else min(widest, _WIDEST_WORDS)


def _column_texts(table: Table, column: int, *, stacked: bool) -> list[str]:
    """The title and all cells of a column."""
    of, between = table.columns[column], "\n" if stacked else " "
    cells = (cell_text(row[column], of.decimals, between, p_value=of.p_value) for row in table.rows)
    return [title_text(of), *cells]


def _block_lines(table: Table, block: _Block, width: int) -> Iterator[Line]:
    """The head, a rule, and the rows."""
    texts = [_column_texts(table, column, stacked=block.stacked) for column in block.columns]
    right = [numeric_columns(table)[column] for column in block.columns]
    widths = _fitted([_widest(column) for column in texts], width)
    for place, row in enumerate(zip(*texts, strict=True)):
        cells = [list(_wrapped(cell, wide)) for cell, wide in zip(row, widths, strict=True)]
        for depth in range(max(map(len, cells))):
            parts = [cell[depth] if depth < len(cell) else "" for cell in cells]
            padded = map(_padded, parts, widths, right)
            yield [(_GAP.join(padded), "" if place else "bold")]
        if not place:
            yield [(_RULE * (sum(widths) + len(_GAP) * (len(widths) - 1)), "")]


def _fitted(widths: Sequence[int], width: int) -> list[int]:
    """Widths that fit beside each other: the widest column gives way first."""
    fitted = list(widths)
    room = width - len(_GAP) * (len(fitted) - 1)
    while sum(fitted) > room and max(fitted) > 1:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - text_cells(text))
    return blanks + text if right else text + blanks


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Lines of at most this width, broken between words, and within words that are too long."""
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
    """Words, each with the blanks behind it; a Chinese or Japanese character is one.

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
    """As many characters as fit, at least one."""
    end, used = 0, 0
    while end < len(text) and (used := used + text_cells(text[end])) <= width:
        end += 1
    return text[: max(end, 1)]


def _widest(texts: Iterable[str]) -> int:
    return max(text_cells(line) for text in texts for line in text.split("\n"))


def text_cells(text: str) -> int:
    """How many cells of a terminal a text takes: two for a Chinese or Japanese character."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )
