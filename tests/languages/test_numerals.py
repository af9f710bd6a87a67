"""Numbers in words: each word has a phrase in which it is read, and a like one of another value."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.facts import facts_of, find_quantities
from patmark.languages import (
    ENGLISH_CARDINALS,
    ENGLISH_ORDINALS,
    MONTHS,
    counts_in_order,
    language,
    parse_english,
    parse_han,
    scaled_english_digits,
    scaled_han_digits,
    whole_han,
)

_LINES = Path(__file__).with_name("number_words.tsv").read_text(encoding="utf-8").splitlines()[1:]
_ROWS = [tuple(line.split("\t")) for line in _LINES]


def _is_read(text: str, code: str, kind: str, value: str, words: str) -> bool:
    """Return True if a text has a number of this value that is written with one of the words."""
    facts = facts_of(text, code)
    for item in facts.quantities:
        written = facts.text[item.start : item.end].lower()
        if not any(word in written for word in words.split("|")):
            continue
        if kind == "era" and item.key.isdecimal() and int(item.key) >= int(value):
            return True
        if kind == "magnitude" and float(item.key) % int(value) == 0:
            return True
        if kind == "cardinal" and int(float(item.key)) == int(value):  # zero point five
            return True
        if item.key == value:
            return True
    return False


@pytest.mark.parametrize(("code", "kind", "value", "words", "example", "other"), _ROWS)
def test_a_word_is_read_with_its_value_and_not_in_a_like_phrase(
    code: str, kind: str, value: str, words: str, example: str, other: str
) -> None:
    assert _is_read(example, code, kind, value, words)
    assert not _is_read(other, code, kind, value, words)


def test_words_have_their_values() -> None:
    assert [ENGLISH_CARDINALS[word] for word in ("zero", "twelve", "nineteen", "ninety")] == [
        0, 12, 19, 90,
    ]  # fmt: skip
    ordinals = ("first", "twelfth", "fortieth", "ninety-ninth")
    assert [ENGLISH_ORDINALS[word] for word in ordinals] == [1, 12, 40, 99]
    assert len(ENGLISH_CARDINALS) == 28
    assert [MONTHS[name] for name in ("january", "may", "sep", "sept", "dec")] == [1, 5, 9, 9, 12]


@pytest.mark.parametrize(
    ("words", "value", "ordinal"),
    [
        ("two hundred and five", 205, False),
        ("three million", 3_000_000, False),
        ("two thousand three hundred", 2_300, False),
        ("a hundred", 100, False),
        ("twenty-first", 21, True),
        ("hundredth", 100, True),
        ("two dozen", 24, False),
    ],
)
def test_english_words_are_added_and_multiplied(words: str, value: int, ordinal: bool) -> None:
    assert parse_english(words) == (value, ordinal)


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("十", 10), ("二十四", 24), ("一百零五", 105), ("三千", 3_000), ("万", None),
        ("一万二千", 12_000), ("二〇二〇", 2020), ("五萬", 50_000), ("一兆", 10**12),
        ("三四十", None),
    ],
)  # fmt: skip
def test_han_numerals_are_added_and_multiplied(numeral: str, value: int | None) -> None:
    assert parse_han(numeral) == value


def test_a_numeral_may_begin_with_digits_or_a_magnitude() -> None:
    assert whole_han("100万") == 1_000_000
    assert whole_han("万") == 10_000
    assert whole_han("12") == 12


def test_digits_are_scaled_by_the_word_behind_them() -> None:
    assert scaled_han_digits("3万个", "3", 1) == ("30000", 2)
    assert scaled_han_digits("1万2千人", "1", 1) == ("12000", 4)
    assert scaled_han_digits("3个", "3", 1) is None
    assert scaled_english_digits("1.5 million cells", "1.5", 3) == ("1500000", 11)
    assert scaled_english_digits("1.5 mm", "1.5", 3) is None


@pytest.mark.parametrize(
    ("text", "start", "end", "ordinal"),
    [
        ("第13个孔", 1, 3, True),
        ("13番目の孔", 0, 2, True),
        ("13番号", 0, 2, False),
        ("13个孔", 0, 2, False),
    ],
)
def test_a_mark_before_or_behind_makes_an_ordinal(
    text: str, start: int, end: int, ordinal: bool
) -> None:
    assert counts_in_order(text, start, end) is ordinal


def test_a_half_is_measured_with_a_longer_unit_only() -> None:
    [half] = [item for item in find_quantities("搅拌半小时", "zh") if item.key == "0.5"]
    assert (half.unit, half.certainty) == ("h", "exact")
    [half] = [item for item in find_quantities("取半米", "zh") if item.key == "0.5"]
    assert (half.unit, half.certainty) == (None, "possible")


def test_languages_without_a_reader_have_no_number_words() -> None:
    assert language("de").number_words is None
    assert language("ja").number_words is language("zh").number_words is not None
