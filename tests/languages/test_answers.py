"""The tables on answers of language models, on headings of a bench, and fillers."""

from __future__ import annotations

import re

import pytest

from patmark.languages import Row, language, packs

_ROWS = [
    row for pack in packs() for subject in ("answers", "bench") for row in pack.table(subject).rows
]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: f"{row.language}-{row.group}-{row.id}")
def test_a_row_matches_its_example_and_not_its_counter_example(row: Row) -> None:
    pattern = f"(?i){'|'.join(f'(?:{form})' for form in row.forms)}"
    assert re.search(pattern, row.example)
    assert not re.search(pattern, row.no_example)


@pytest.mark.parametrize("code", ["en", "zh", "ja"])
def test_a_language_has_all_groups(code: str) -> None:
    answers = language(code).table("answers")
    for group in ("preamble", "label", "agreed", "closing", "refusal"):
        assert answers.forms(group)
    assert language(code).filler


def test_all_languages_have_the_headings_of_a_bench_in_one_order() -> None:
    orders = {tuple(pack.table("bench").forms("heading")) for pack in packs()}
    assert orders == {
        ("abstract", "claims", "field", "background", "summary", "drawings", "embodiments")
    }
    assert not language("it").table("bench").forms("heading") and not language("de").filler
