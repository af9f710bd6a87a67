"""Patterns with the phrases of the packs, and the tables from which they come."""

from __future__ import annotations

import re

import pytest

from patmark.languages import PhrasePattern, Row, fold, language, packs

_ROWS = [row for pack in packs() for row in pack.table("facts").rows]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: f"{row.language}-{row.group}-{row.id}")
def test_a_row_matches_its_example_and_not_the_other(row: Row) -> None:
    begins_word = not language(row.language).is_dense and all(
        form[0].isalpha() for form in row.forms
    )
    inside_word = r"(?<![^\W\d_])" if begins_word else ""
    forms = re.compile(f"{inside_word}(?:{'|'.join(row.forms)})", re.IGNORECASE)
    assert forms.search(fold(row.example).text)
    assert row.no_example
    assert not forms.search(fold(row.no_example).text)


def test_a_group_stands_for_the_phrases_of_all_languages() -> None:
    about = PhrasePattern("facts", r"(?:{<about}) ?$")
    for text in ("is about ", "beträgt etwa ", "为大约", "は約", "약 "):
        assert about.search(text)
    assert not about.search("is roundabout ")


def test_a_pattern_of_a_language_has_its_phrases_only() -> None:
    until = PhrasePattern("facts", r"\s?(?:{<until>})\s?")
    english, chinese = until.of("en"), until.of("zh")
    assert english is not None
    assert chinese is not None
    assert english.fullmatch(" to ")
    assert not english.fullmatch("至")
    assert chinese.fullmatch("至")
    assert not chinese.fullmatch(" to ")


def test_word_boundaries_are_for_languages_with_blanks() -> None:
    until = PhrasePattern("facts", "{<until>}")
    assert until.search("5 to 8")
    assert not until.search("top")
    assert until.search("从5至8的")


def test_a_language_without_the_phrases_has_no_pattern() -> None:
    assert PhrasePattern("facts", "{between-negations}").of("de") is None
    assert PhrasePattern("facts", "{no-such-group}").of("en") is None
    assert PhrasePattern("facts", "{no-such-group}").search("anything") is None


def test_repetitions_are_no_groups() -> None:
    assert PhrasePattern("facts", "a{2}b{1,3}").fullmatch("aabb")


def test_case_is_ignored_unless_it_matters() -> None:
    assert PhrasePattern("facts", "{until}").fullmatch("TO")
    assert PhrasePattern("facts", "{until}", ignore_case=False).fullmatch("TO") is None
