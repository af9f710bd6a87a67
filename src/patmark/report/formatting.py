"""How numbers, cells and sentences are written, the same in every kind and language of report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import reduce
from typing import Any, TypeVar

from patmark.data import Estimate, Message, Notice, TestSet, is_warning
from patmark.report.model import Cell, Column, Heat, Leaderboard, Rated, Report, Table
from patmark.wording import Text, tr, translated

DASH = "–"
INFINITE = "∞"
LOWER_IS_BETTER = "↓"


def number_text(value: float, decimals: int) -> str:
    """A number with fixed decimals; a dash for NaN, and never a negative zero."""
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return INFINITE if value > 0 else f"-{INFINITE}"
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def p_text(value: float, decimals: int) -> str:
    """A p-value; one that would be rounded to zero is said to be less than the smallest number."""
    text = number_text(value, decimals)
    known = not math.isnan(value)
    return f"<{10.0**-decimals:.{decimals}f}" if known and float(text) == 0 else text


def value_text(cell: Cell, decimals: int, *, p_value: bool = False) -> str:
    """A cell without its interval. Counts (int) have no decimals."""
    if cell is None:
        return DASH
    if isinstance(cell, Rated):
        return f"{number_text(cell.value, decimals)} {cell.grade}{cell.mark}"
    if isinstance(cell, Estimate | Heat):
        return number_text(cell.value, decimals)
    if isinstance(cell, float):
        return (p_text if p_value else number_text)(cell, decimals)
    return str(cell)


def interval_text(cell: Cell, decimals: int) -> str:
    """The confidence interval of a cell as ``[low, high]``, or nothing.

    Where nothing that was drawn from varies there is none, which a dash says.
    """
    if not isinstance(cell, Estimate) or cell.ci is None:
        return ""
    if cell.without_width:
        return f"[{DASH}]"
    low, high = (number_text(end, decimals) for end in cell.ci)
    return f"[{low}, {high}]"


def cell_text(cell: Cell, decimals: int, between: str = " ", *, p_value: bool = False) -> str:
    """A cell as ``53.2 [51.0, 55.4]``."""
    parts = (value_text(cell, decimals, p_value=p_value), interval_text(cell, decimals))
    return between.join(part for part in parts if part)


def title_text(column: Column) -> str:
    """The title of a column, with an arrow where smaller numbers are better."""
    return column.title if column.higher_is_better else f"{column.title} {LOWER_IS_BETTER}"


def is_number(cell: Cell) -> bool:
    """Whether a cell holds a number rather than words or nothing."""
    return isinstance(cell, int | float | Estimate | Heat)


def numeric_columns(table: Table) -> tuple[bool, ...]:
    """For each column, whether it holds any number, and so is set flush right."""
    return tuple(
        any(is_number(row[position]) for row in table.rows)
        for position in range(len(table.columns))
    )


def label_count(table: Table) -> int:
    """How many leading columns name the row instead of measuring it; at least one."""
    numeric = numeric_columns(table)
    return max(1, numeric.index(True) if True in numeric else 1)


def row_label(row: Sequence[Cell], labels: int) -> str:
    """The name of a row: its leading words, of so many columns, joined."""
    return " / ".join(str(cell) for cell in row[:labels] if cell is not None)


def shared_signatures(signatures: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names joined by commas, and the signature that they have in common."""
    names: dict[str, list[str]] = {}
    for name, signature in signatures.items():
        names.setdefault(signature, []).append(name)
    return [(", ".join(of), signature) for signature, of in names.items()]


_Shown = TypeVar("_Shown", Report, Leaderboard)


def in_language(shown: _Shown, language: str) -> _Shown:
    """A report whose texts, and whose writers, speak a language of the interface."""
    return (
        shown if language == shown.language else replace(_said(shown, language), language=language)
    )


def _said(value: Any, language: str) -> Any:
    if isinstance(value, str):
        return translated(value, language)
    if isinstance(value, Estimate | TestSet):
        return value
    if isinstance(value, tuple):
        return tuple(_said(each, language) for each in value)
    if isinstance(value, Mapping):
        return {_said(key, language): _said(each, language) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{name: _said(part, language) for name, part in parts.items()})
    return value


def sentences(*texts: str) -> str:
    """Sentences one after the other, those that are empty left out."""
    found = list(filter(None, texts))
    return reduce(lambda one, other: tr("{one} {other}", one=one, other=other), found or [""])


def dotted(*texts: str) -> str:
    """Short facts one beside the other, those that are empty left out."""
    found = list(filter(None, texts))
    return reduce(lambda one, other: tr("{one} · {other}", one=one, other=other), found or [""])


def first_of(names: Sequence[str], most: int) -> str:
    """The first of many names, with dots for the others."""
    if len(names) > most:
        return tr("{names} …", names=tuple(names[:most]))
    return tr("{parts}", parts=tuple(names))


def clauses(*texts: str) -> str:
    """Parts of one sentence, with semicolons between them."""
    return reduce(lambda one, other: tr("{one}; {other}", one=one, other=other), texts)


def message_text(message: Message, language: str = "en", *, marked: bool = True) -> str:
    """Return a message with its remedy; ``marked`` puts the word "Warning:" before a warning."""
    if not isinstance(message, Notice):
        return translated(message, language)
    text = sentences(message.text, message.remedy)
    if marked and is_warning(message):
        text = tr("Warning: {text}", text=text)
    return translated(text, language)


def message_texts(messages: Iterable[Message], language: str = "en") -> list[str]:
    """Return messages as texts, warnings with the word that marks them."""
    return [message_text(one, language) for one in messages]


def english(text: str) -> str:
    """A text as it was before it was translated."""
    return translated(text, "en") if isinstance(text, Text) else text
