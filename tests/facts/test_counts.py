"""Numbers of things in words and numerals."""

from __future__ import annotations

import pytest

from patmark.facts import facts_of


def _counts(text: str, language: str) -> list[tuple[str, float | None, float | None]]:
    facts = facts_of(text, language)
    return [
        (
            facts.quoted(one.start, one.end),
            None if one.amount.lo is None else float(one.amount.lo),
            None if one.amount.hi is None else float(one.amount.hi),
        )
        for one in facts.counts
    ]


@pytest.mark.parametrize(
    ("text", "language", "words", "least"),
    [
        ("a plurality of lids", "en", "plurality", 2),
        ("a number of lids", "en", "a number of", 2),
        ("more than one lid", "en", "more than one", 2),
        ("two or more lids", "en", "two or more", 2),
        ("more than three lids", "en", "more than three", 4),
        ("at least one lid", "en", "at least one", 1),
        ("one or more lids", "en", "one or more", 1),
        ("至少1个盖", "zh", "至少1个", 1),
        ("1个或多个盖", "zh", "1个或多个", 1),
        ("多于一个盖", "zh", "多于一个", 2),
        ("多个盖", "zh", "多个", 2),
        ("一つ以上の蓋", "ja", "一つ以上", 1),
        ("複数の蓋", "ja", "複数", 2),
    ],
)
def test_a_number_without_upper_limit(text: str, language: str, words: str, least: int) -> None:
    assert _counts(text, language) == [(words, least, None)]


@pytest.mark.parametrize(
    ("text", "language"),
    [("a lid", "en"), ("some of the lid", "en"), ("no more than one lid", "en"),
     ("more than 1 mm", "en"), ("a larger lid", "en"), ("一种盖", "zh")],
)  # fmt: skip
def test_no_number_of_things(text: str, language: str) -> None:
    assert _counts(text, language) == []


@pytest.mark.parametrize(
    ("text", "language", "amount", "stated"),
    [
        ("it starts hourly", "en", "60 min", True),
        ("it starts once a day", "en", "24 h", True),
        ("it starts every hour", "en", "60 s", False),
        ("每小时启动", "zh", "60 min", True),
        ("每小时启动", "zh", "60 s", False),
        ("1時間ごとに", "ja", "60 min", True),
        ("a pair of lids", "en", "2 lids", True),
        ("a plurality of lids", "en", "2 lids", False),
        ("a plurality of lids", "en", "2 or more lids", True),
        ("at least one lid", "en", "2 or more lids", False),
    ],
)
def test_an_amount_stated_in_words(text: str, language: str, amount: str, stated: bool) -> None:
    [one] = facts_of(amount, "en").amounts
    assert facts_of(text, language).states_in_words(one) is stated
