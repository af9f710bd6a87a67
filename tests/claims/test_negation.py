"""One answer to "is this a negation" in facts, in the linter and in the scope of a claim."""

from __future__ import annotations

import pytest

from patmark.claims.comparison import compare_texts
from patmark.claims.lint import lint
from patmark.facts import facts_of, negations

_ENGLISH = (
    "does not open", "cannot open", "never opens", "opens without oil", "lacks a seal",
    "is free of oil", "is of a metal other than steel", "fails to open",
    "is prevented from opening", "hardly opens", "opens in the absence of oil", "excludes oil",
)  # fmt: skip
_CHINESE = ("不打开", "未打开", "无油", "由除铁以外的金属制成")
_CLAIMS = [
    *(f"1. A pump comprising a lid, wherein the lid {words}." for words in _ENGLISH),
    *(f"1. 一种泵，其特征在于，包括盖，所述盖{words}。" for words in _CHINESE),
]


def _found(text: str) -> list[str]:
    return [
        text[item.start : item.end] for item in lint(text, select=["negative-limitation"]).findings
    ]


@pytest.mark.parametrize("text", _CLAIMS)
def test_facts_linter_and_scope_find_the_same_negation(text: str) -> None:
    language = "en" if text.isascii() else "zh"
    [(start, end)] = negations(text, language)
    assert _found(text) == [text[start:end]]
    assert len(facts_of(text, language).negations) == 1


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ("opens", "does not open"), ("opens", "never opens"),
        ("opens with oil", "opens without oil"),
        ("opens", "fails to open"), ("opens", "hardly opens"), ("includes oil", "excludes oil"),
        ("打开", "不打开"), ("打开", "未打开"), ("有油", "无油"),
    ],
)  # fmt: skip
def test_a_negated_claim_contradicts(positive: str, negative: str) -> None:
    claims = [
        f"1. A pump comprising a lid, wherein the lid {words}."
        if words.isascii()
        else f"1. 一种泵，其特征在于，包括盖，所述盖{words}。"
        for words in (positive, negative)
    ]
    assert compare_texts(*claims).relation == "contradictory"
    assert compare_texts(*reversed(claims)).relation == "contradictory"


@pytest.mark.parametrize(
    "text",
    [
        "1. A pump comprising a lid of not less than 5 mm.",
        "1. A pump comprising a lid, whether or not the lid is open.",
        "1. A pump comprising a lid to prevent wear.",
        "1. A pump comprising metals, not limited to steel.",
        "1. 一种泵，其特征在于，包括由不锈钢制成的盖，厚度不小于5mm。",
        "【請求項1】非イオン性の洗剤を含む液。",
    ],
)
def test_what_limits_nothing_is_no_negative_limitation(text: str) -> None:
    assert _found(text) == []
