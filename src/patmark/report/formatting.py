"""Formatting of numbers, cells, sentences and messages, shared by all report formats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from functools import reduce
from typing import Any, TypeVar

from patmark.data import Estimate, Message, Notice, TestSet, is_warning
from patmark.report.model import (
    Cell,
    Column,
    Heat,
    Leaderboard,
    Rated,
    Report,
    Table,
    UpperBound,
)
from patmark.wording import DEFAULT_LANGUAGE, Text, tr, translated

DASH = "–"
INFINITE = "∞"
LOWER_IS_BETTER = "↓"


def number_text(value: float, decimals: int) -> str:
    """Format a number with fixed decimals; NaN is a dash, and zero is never negative."""
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return INFINITE if value > 0 else f"-{INFINITE}"
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def p_text(value: float, decimals: int) -> str:
    """Format a p-value; one that would be rounded to zero is "<" the smallest number.

    An upper bound below 1 has a "<" too, and is rounded up.
    """
    text = number_text(value, decimals)
    known = not math.isnan(value)
    if isinstance(value, UpperBound) and value < 1:
        return f"<{math.ceil(value * 10**decimals) / 10**decimals:.{decimals}f}"
    return f"<{10.0**-decimals:.{decimals}f}" if known and float(text) == 0 else text


def value_text(cell: Cell, decimals: int, *, p_value: bool = False) -> str:
    """Format a cell without its interval; counts (int) have no decimals."""
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
    """Format the confidence interval of a cell as ``[low, high]``; empty if it has none.

    An interval without variation is a dash.
    """
    if not isinstance(cell, Estimate) or cell.ci is None:
        return ""
    if cell.without_width:
        return f"[{DASH}]"
    low, high = (number_text(end, decimals) for end in cell.ci)
    return f"[{low}, {high}]"


def cell_text(cell: Cell, decimals: int, between: str = " ", *, p_value: bool = False) -> str:
    """Format a cell as ``53.2 [51.0, 55.4]``."""
    parts = (value_text(cell, decimals, p_value=p_value), interval_text(cell, decimals))
    return between.join(part for part in parts if part)


def cell_value(cell: Cell) -> str | int | float | None:
    """Return the value of a cell without interval, grade or shade."""
    return cell.value if isinstance(cell, Estimate | Heat) else cell


def title_text(column: Column) -> str:
    """Return the title of a column, with an arrow if lower is better."""
    return column.title if column.higher_is_better else f"{column.title} {LOWER_IS_BETTER}"


def is_number(cell: Cell) -> bool:
    """Return True if a cell holds a number rather than words or nothing."""
    return isinstance(cell, int | float | Estimate | Heat)


def numeric_columns(table: Table) -> tuple[bool, ...]:
    """Return True for each column that holds a number, and so is set flush right."""
    return tuple(
        any(is_number(row[position]) for row in table.rows)
        for position in range(len(table.columns))
    )


def label_count(table: Table) -> int:
    """Count the leading columns that name the row instead of measuring it; at least one."""
    numeric = numeric_columns(table)
    return max(1, numeric.index(True) if True in numeric else 1)


def row_label(row: Sequence[Cell], labels: int) -> str:
    """Return the name of a row: the words of its first ``labels`` columns."""
    return " / ".join(str(cell) for cell in row[:labels] if cell is not None)


def shared_signatures(signatures: Mapping[str, str]) -> list[tuple[str, str]]:
    """Group names by signature: (names joined by commas, signature)."""
    names: dict[str, list[str]] = {}
    for name, signature in signatures.items():
        names.setdefault(signature, []).append(name)
    return [(", ".join(of), signature) for signature, of in names.items()]


_Shown = TypeVar("_Shown", Report, Leaderboard)


def in_language(shown: _Shown, language: str) -> _Shown:
    """Translate a report into a language of the interface."""
    return (
        shown
        if language == shown.language
        else replace(_translated(shown, language), language=language)
    )


def _translated(value: Any, language: str) -> Any:
    if isinstance(value, str):
        return translated(value, language)
    if isinstance(value, Estimate | TestSet):
        return value
    if isinstance(value, tuple):
        return tuple(_translated(each, language) for each in value)
    if isinstance(value, Mapping):
        return {
            _translated(key, language): _translated(each, language) for key, each in value.items()
        }
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{name: _translated(part, language) for name, part in parts.items()})
    return value


def sentences(*texts: str) -> str:
    """Join the sentences that are not empty."""
    found = list(filter(None, texts))
    return reduce(lambda one, other: tr("{one} {other}", one=one, other=other), found or [""])


def dotted(*texts: str) -> str:
    """Join the facts that are not empty with dots between them."""
    found = list(filter(None, texts))
    return reduce(lambda one, other: tr("{one} · {other}", one=one, other=other), found or [""])


def first_of(names: Sequence[str], most: int) -> str:
    """Return the first names, with dots for the others."""
    if len(names) > most:
        return tr("{names} …", names=tuple(names[:most]))
    return tr("{parts}", parts=tuple(names))


def clauses(*texts: str) -> str:
    """Join the parts of a sentence with semicolons."""
    return reduce(lambda one, other: tr("{one}; {other}", one=one, other=other), texts)


def message_text(message: Message, language: str = DEFAULT_LANGUAGE, *, marked: bool = True) -> str:
    """Return a message with its remedy; ``marked`` puts the word "Warning:" before a warning."""
    if not isinstance(message, Notice):
        return translated(message, language)
    text = sentences(message.text, message.remedy)
    if marked and is_warning(message):
        text = tr("Warning: {text}", text=text)
    return translated(text, language)


def message_texts(messages: Iterable[Message], language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Return messages as texts, warnings with the word that marks them."""
    return [message_text(one, language) for one in messages]


def messages_json(messages: Sequence[Message]) -> dict[str, list[Any]]:
    """Return messages for programs: ``notes`` as texts, ``notices`` as objects with a code."""
    notices = (asdict(one) for one in messages if isinstance(one, Notice))
    return {
        "notes": message_texts(messages),
        "notices": [{key: english(text) for key, text in one.items()} for one in notices],
    }


def english(text: str) -> str:
    """Return a text as it was before translation."""
    return translated(text, DEFAULT_LANGUAGE) if isinstance(text, Text) else text
