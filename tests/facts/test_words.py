"""The table of words: every form is found, examples are, and confusions are not."""

from __future__ import annotations

from collections import defaultdict

import pytest

from patmark.facts.lexicon import Row, find_words, forms_of, is_scanned, spellings, word_rows
from patmark.facts.units import compatible, match_units
from patmark.text import fold

_ROWS: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
for _row in filter(is_scanned, word_rows()):
    _ROWS[_row.group, _row.language].append(_row)
_KINDS = sorted(_ROWS)


def _found(text: str, row: Row) -> bool:
    return row in [hit.row for hit in find_words(fold(text).text, row.language)]


@pytest.mark.parametrize(("group", "language"), _KINDS)
def test_rows_find_their_examples_and_not_the_others(group: str, language: str) -> None:
    rows = [row for row in _ROWS[group, language] if row.example]
    missed = [(row.id, row.example) for row in rows if not _found(row.example, row)]
    confused = [(row.id, row.no_example) for row in rows if _found(row.no_example, row)]
    assert not missed
    assert not confused


@pytest.mark.parametrize(("group", "language"), _KINDS)
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


def test_rows_with_exceptions_have_examples() -> None:
    bare = [
        (row.group, row.id, row.language)
        for row in word_rows()
        if row.exceptions and not row.example
    ]
    assert not bare
