"""The facts of one text, and the one answer to "is this a negation"."""

from __future__ import annotations

import pytest

from patmark.facts import facts_of, negations

_ENGLISH = {
    "does not open": "not",
    "cannot open": "cannot",
    "never opens": "never",
    "opens without oil": "without",
    "lacks a seal": "lacks",
    "is free of oil": "free of",
    "is of a metal other than steel": "other than",
    "fails to open": "fails to",
    "is prevented from opening": "prevented",
    "hardly opens": "hardly",
    "opens in the absence of oil": "in the absence of",
    "excludes oil": "excludes",
}
_CHINESE = {"不打开": "不", "未打开": "未", "无油": "无", "由除铁以外的金属制成": "除"}
_JAPANESE = {"は開かない": "ない", "は油以外の液体を含む": "以外", "は油を除く": "除く"}


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        *(
            ("en", f"1. A pump comprising a lid, wherein the lid {t}.", w)
            for t, w in _ENGLISH.items()
        ),
        *(("zh", f"1. 一种泵，包括盖，其中所述盖{t}。", w) for t, w in _CHINESE.items()),
        *(("ja", f"蓋を備え、前記蓋{t}、ポンプ。", w) for t, w in _JAPANESE.items()),
    ],
)
def test_a_negation_is_found_where_it_stands(language: str, text: str, word: str) -> None:
    assert [text[start:end] for start, end in negations(text, language)] == [word]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The lid is open."),
        ("en", "The gap is not less than 5 mm."),
        ("en", "The lid is not only open, but made of stainless steel."),
        ("zh", "所述盖打开。"),
        ("zh", "间隙不小于5mm。"),
        ("zh", "盖不仅打开，而且由不锈钢制成。"),
        ("ja", "前記蓋が開く。"),
        ("ja", "隙間は5mmを超えない。"),
        ("ja", "蓋だけでなく弁も開く。"),
    ],
)
def test_limits_and_other_words_with_not_negate_nothing(language: str, text: str) -> None:
    assert negations(text, language) == []


def test_negations_within_words_count_on_demand() -> None:
    text = "A non-conductive, unreacted and insoluble layer that is not glued"
    assert [text[a:b] for a, b in negations(text, "en")] == ["not"]
    found = [text[a:b] for a, b in negations(text, "en", affixes=True)]
    assert found == ["non-conductive", "unreacted", "insoluble", "not"]


def test_places_of_negations_are_those_of_the_original_text() -> None:
    text = "压力为１０⁻³Ｐａ，所述盖不打开"
    assert [text[a:b] for a, b in negations(text, "zh")] == ["不"]


def test_words_of_the_clause_describe_an_amount() -> None:
    [amount] = facts_of("The pump runs, and the gap of the valve is 5 mm.", "en").amounts
    assert amount.anchor == {"gap", "valve"}
    [amount] = facts_of("泵运行，阀的间隙为5mm。", "zh").amounts
    assert {"间隙"} <= amount.anchor
