"""The table of words: each row has a phrase that it matches and a like one that it must not."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from patmark.facts import facts_of
from patmark.facts.lexicon import find_words, forms_of, is_scanned, spellings, word_rows
from patmark.facts.quantities import Quantity
from patmark.facts.units import compatible, match_units
from patmark.languages import Row, fold

_ROWS: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
for _row in word_rows():
    _ROWS[_row.group, _row.language].append(_row)
_KINDS = sorted(_ROWS)


_POWER = re.compile(r"(?<=[A-Za-zμΩ])\^?-?\d$")
_SYMBOLS_OF = "any"


def _has_word(text: str, row: Row) -> bool:
    """Return True if the scanner, or the reader of units or roles, finds a row's word."""
    if is_scanned(row):
        return row in [hit.row for hit in find_words(fold(text).text, row.language)]
    if row.group.startswith("role-"):
        return re.search("|".join(row.forms), text) is not None
    is_symbol = row.language == _SYMBOLS_OF
    facts = facts_of(text, "en" if is_symbol else row.language)
    words = re.compile("|".join(row.forms), re.NOFLAG if is_symbol else re.IGNORECASE)
    return any(
        _has_unit(row, item) and _is_written(row, words, facts.text, item)
        for item in facts.quantities
    )


def _has_unit(row: Row, item: Quantity) -> bool:
    parts = [item.unit or "", *re.split("[/·]", item.unit or "")]
    parts += [_POWER.sub("", part) for part in parts]
    if row.group.startswith("unit-prefix"):
        return any(part[:1] == row.id and len(part) > 1 for part in parts)
    if row.group.startswith("unit-stem"):
        return any(row.id in (part, part[1:]) for part in parts)
    return row.id in parts


def _is_written(row: Row, words: re.Pattern[str], text: str, item: Quantity) -> bool:
    if row.group == "unit-currency-sign":
        return any(sign in text[: item.start] for sign in row.forms)
    return _is_within(words, text, item.end, item.reach)


def _is_within(words: re.Pattern[str], text: str, start: int, end: int) -> bool:
    match = words.search(text, start)
    return match is not None and match.start() < end


@pytest.mark.parametrize(("group", "language"), _KINDS)
def test_rows_find_their_examples_and_not_the_others(group: str, language: str) -> None:
    rows = _ROWS[group, language]
    missed = [(row.id, row.example) for row in rows if not _has_word(row.example, row)]
    confused = [(row.id, row.no_example) for row in rows if _has_word(row.no_example, row)]
    assert not missed
    assert not confused


def test_every_row_has_a_phrase_of_more_than_its_own_form_and_another() -> None:
    bare = [
        (row.group, row.id, row.language)
        for row in word_rows()
        if not row.example
        or not row.no_example
        or row.example.lower() in (form.lower() for form in row.forms)
    ]
    assert not bare


@pytest.mark.parametrize(
    ("group", "language"), [k for k in _KINDS if any(map(is_scanned, _ROWS[k]))]
)
def test_every_form_is_found(group: str, language: str) -> None:
    """A longer word of the same group may stand in its place; none of another meaning may."""
    missed = []
    for row in _ROWS[group, language]:
        for form in (text for pattern in row.forms for text in spellings(pattern) or ()):
            found = [hit.row for hit in find_words(form, language) if hit.row.group == group]
            if row.id not in {one.id for one in found}:
                missed.append((row.id, form))
    assert not missed


def test_every_word_of_a_unit_is_read_as_that_unit() -> None:
    missed = [
        (name, word, found and found[0])
        for name, forms in forms_of("unit").items()
        for word in (text for pattern in forms for text in spellings(pattern) or ())
        if (found := match_units(f" {word} ", 0)) is None or not compatible(found[0], name)
    ]
    assert not missed
