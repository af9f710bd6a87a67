"""Every row of the table of words finds its example and not the other."""

from __future__ import annotations

import pytest

from patmark.facts.lexicon import Row, find_words, word_rows
from patmark.text import fold


def _label(row: Row) -> str:
    return f"{row.group}-{row.id}-{row.language}-{'sure' if row.sure else 'may'}"


@pytest.mark.parametrize("row", word_rows(), ids=_label)
def test_a_row_finds_its_example_and_not_the_other(row: Row) -> None:
    found = [hit.row for hit in find_words(fold(row.example).text, row.language)]
    assert row in found
    found = [hit.row for hit in find_words(fold(row.no_example).text, row.language)]
    assert row not in found
