"""Invented claims in the styles of several offices: read right, and without false errors.

Each set of ``varied_claims.txt`` starts with its name, the office, and its claims: number, in
brackets the claims on which it depends, category.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from patmark.claims import parse_claims
from patmark.claims.lint import Office, lint
from patmark.claims.model import ParsedClaim

_TEXT = Path(__file__).with_name("varied_claims.txt").read_text(encoding="utf-8")
_SETS = [part.split("\n", 1) for part in _TEXT.split("=== ")[1:]]
_CASES = [(*(field.strip() for field in head.split("|")), text) for head, text in _SETS]


def _shown(claim: ParsedClaim) -> str:
    targets = ",".join(map(str, claim.depends_on))
    return f"{claim.number}({targets}):{claim.category}".replace("()", "")


@pytest.mark.parametrize(("name", "office", "expected", "text"), _CASES)
def test_claims_are_read_right(name: str, office: str, expected: str, text: str) -> None:
    assert " ".join(map(_shown, parse_claims(text).claims)) == expected


@pytest.mark.parametrize(("name", "office", "expected", "text"), _CASES)
def test_claims_in_order_have_no_error(name: str, office: str, expected: str, text: str) -> None:
    result = lint(text, office=cast(Office, office))
    assert [item for item in result.findings if item.severity == "error"] == []


def _levels(text: str, claim: int = 1) -> list[tuple[int, str | None]]:
    found = parse_claims(text).claims[claim - 1].limitations
    return [(item.level, item.label) for item in found]


def test_labels_after_a_colon_are_one_level_down() -> None:
    text = (
        "1. A system comprising: a camera; and a controller configured to: i) receive data; "
        "ii) based on the data:\nA) find an object; and\nB) find a path; and\niii) stop."
    )
    assert _levels(text) == [
        (1, None), (1, None), (2, "i"), (2, "ii"), (3, "A"), (3, "B"), (2, "iii"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "preamble", "limitations"),
    [
        (
            "【請求項1】画像を取得する取得部と、顔を検出する検出部と、を備え、"
            "前記検出部は閾値を用いる、情報処理装置。",
            "情報処理装置。",
            [
                "画像を取得する取得部と、",
                "顔を検出する検出部と、",
                "を備え、前記検出部は閾値を用いる、",
            ],
        ),
        (
            "【請求項1】コンピュータに、画像を取得するステップと、"
            "顔を検出するステップと、を実行させるためのプログラム。",
            "プログラム。",
            ["コンピュータに、画像を取得するステップと、", "顔を検出するステップと、"],
        ),
        (
            "【請求項1】下記式(1)で表される化合物。\n【化1】\n(式中、nは1を表す。)",
            "下記式(1)で表される化合物。",
            ["【化1】\n(式中、nは1を表す。)"],
        ),
    ],
)
def test_japanese_claims_end_with_what_is_claimed(
    text: str, preamble: str, limitations: list[str]
) -> None:
    [claim] = parse_claims(text).claims
    assert text[claim.preamble.start : claim.preamble.end] == preamble
    assert [item.text for item in claim.limitations] == limitations


def _rules(text: str, office: Office = "any") -> list[tuple[str, str]]:
    return [(item.rule, item.severity) for item in lint(text, office=office).at_least("warning")]


def test_page_numbers_belong_to_no_claim() -> None:
    text = "Page 1 of 2\n1. A cup having a lid.\n- 2 -\n2. The cup of claim 1, made of tin.\n"
    assert [claim.text for claim in parse_claims(text).claims] == [
        "1. A cup having a lid.",
        "2. The cup of claim 1, made of tin.",
    ]
    lines = parse_claims(text.replace("\n", "\r\n")).claims
    assert [claim.text[-6:] for claim in lines] == ["a lid.", "f tin."]
    bare = "1. A cup having a lid.\r\n2\r\n2. The cup of claim 1, made of tin."
    assert [claim.text[-6:] for claim in parse_claims(bare).claims] == ["a lid.", "f tin."]
    assert parse_claims("1. A ratio of\n17\nto 2.").claims[0].text == "1. A ratio of\n17\nto 2."


def test_a_second_sentence_is_not_the_note_on_a_formula() -> None:
    note = "【請求項1】下記式で表される化合物。\n【化1】\n(式中、nは1である。mは2である。)"
    assert _rules(note) == []
    assert _rules("【請求項1】蓋を備える容器。前記蓋は赤い。") == [("several-sentences", "warning")]


def test_an_independent_claim_on_several_is_no_error_as_multiple_on_multiple() -> None:
    cup = "1. A cup having a lid.\n2. The cup of claim 1, made of tin.\n"
    third = "3. The cup of claim 1 or 2, wherein the lid is flat.\n"
    dependent = "4. The cup of any one of claims 1 to 3, wherein the lid is red."
    other = "4. A box comprising the cup of any one of claims 1 to 3."
    assert _rules(cup + third + dependent, "cnipa") == [("multiple-on-multiple", "error")]
    assert _rules(cup + third + other, "cnipa") == []


def test_a_single_claim_needs_no_number() -> None:
    assert _rules("A cup having a lid.") == []
    two = "A cup having a lid.\nThe cup of claim 1, wherein the lid is red."
    assert [rule for rule, _ in _rules(two)] == ["number-missing", "number-missing"]


def test_chinese_ordinals_and_prefixes_are_part_of_a_name() -> None:
    text = "1.一种机构，包括第一、第二齿轮和轴，所述第二齿轮转动，所述第三齿轮空转，所述内筒固定。"
    messages = [item.message for item in lint(text, select=["antecedents"]).findings]
    assert messages == ["第三齿轮 is not introduced", "内筒 is not introduced"]


@pytest.mark.parametrize(
    ("listed", "missing"),
    [
        ("第1及び第2の", "第3の"),
        ("第1又は第2の", "第3の"),
        ("第1および第2の", "第3の"),
        ("第1と第2の", "第3の"),
        ("第1から第3の", "第4の"),
        ("第1乃至第3の", "第12の"),
    ],
)
def test_japanese_ordinals_are_listed_in_many_ways(listed: str, missing: str) -> None:
    text = (
        f"【請求項1】{listed}歯車と、軸と、を備え、前記第1の歯車と前記第2の歯車が回転し、"
        f"前記{missing}歯車が止まる、装置。"
    )
    messages = [item.message for item in lint(text, select=["antecedents"]).findings]
    assert messages == [f"{missing}歯車 is not introduced"]


def test_a_range_of_chinese_ordinals_has_all_between() -> None:
    text = (
        "1.一种机构，包括第一至第十二齿轮和轴，所述第二齿轮转动，"
        "所述第十一齿轮静止，所述第十三齿轮空转。"
    )
    messages = [item.message for item in lint(text, select=["antecedents"]).findings]
    assert messages == ["第十三齿轮 is not introduced"]


def test_properties_and_related_words_are_less_than_errors() -> None:
    alloy = "1. An alloy comprising Mg and Fe, wherein the Mg content is 1 %."
    assert _rules(alloy) == []
    cells = (
        "1. A method comprising culturing a cell and taking a protein out of the culture medium."
    )
    found = lint(cells, select=["antecedents"]).findings
    assert [(item.rule, item.severity) for item in found] == [("antecedent-missing", "information")]
