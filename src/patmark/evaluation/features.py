"""What error analysis looks for in a text: reference signs, numbers, content words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from patmark.data import TestSet
from patmark.measures import ReferenceSigns
from patmark.text import Certainty, Quantity, content_words, find_quantities, fold

Span: TypeAlias = tuple[int, int]

_IN_DIGITS: tuple[Certainty, ...] = ("exact",)
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def lost_signs(texts: Sequence[str], others: Sequence[str]) -> list[list[Span]]:
    """The places of the reference signs of each text that the other text does not have.

    What a sign is, and when two notations are the same, is for the measure to say.
    """
    with_digits = [position for position, text in enumerate(texts) if _has_digit(text)]
    searched = [texts[position] for position in with_digits]
    findings = ReferenceSigns().inspect(
        TestSet.of(searched, sources=searched), [others[position] for position in with_digits]
    )
    places: list[list[Span]] = [[] for _ in texts]
    for position, finding in zip(with_digits, findings, strict=True):
        places[position] = [
            (item.start, item.end) for item in finding.evidence if item.side == "source"
        ]
    return places


def sign_places(texts: Sequence[str]) -> list[list[Span]]:
    """The places of all reference signs, figure numbers and step labels of each text."""
    return lost_signs(texts, [""] * len(texts))


def sign_text(text: str, place: Span) -> str:
    """A sign as it is shown: ASCII digits, no blanks."""
    return "".join(fold(text[slice(*place)]).text.split())


def number_texts(
    text: str,
    language: str,
    certainties: Sequence[Certainty] = _IN_DIGITS,
    leave_out: Sequence[Span] = (),
) -> list[str]:
    """The numbers of a text with their units in one spelling, but no plain ones at given places."""
    if "stated" not in certainties and not _has_digit(text):
        return []
    return [
        _shown(quantity)
        for quantity in find_quantities(text, language)
        if quantity.certainty in certainties
        and (quantity.unit is not None or not _overlaps(quantity, leave_out))
    ]


def _overlaps(quantity: Quantity, places: Sequence[Span]) -> bool:
    return any(quantity.start < end and start < quantity.end for start, end in places)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _shown(quantity: Quantity) -> str:
    unit = "" if quantity.unit is None else f" {quantity.unit}"
    return f"{'-' if quantity.negative else ''}{quantity.key}{unit}"


def content_forms(texts: Sequence[str], language: str) -> list[list[str]]:
    """The content words of each text; in languages without a list of function words, all words."""
    if language in ("en", "zh", "ja"):
        return [[word.form for word in words] for words in content_words(texts, language)]
    return [_LETTERS.findall(text.lower()) for text in texts]
