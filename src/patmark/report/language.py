"""A report in another language: its texts are translated, names, texts and numbers stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import reduce
from typing import Any, TypeVar

from patmark.data import Estimate, TestSet
from patmark.report.model import Leaderboard, Report
from patmark.wording import Text, tr, translated

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


def english(text: str) -> str:
    """A text as it was before it was translated."""
    return translated(text, "en") if isinstance(text, Text) else text
