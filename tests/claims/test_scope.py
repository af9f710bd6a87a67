"""Scope of a claim against another: amounts, negations, lists, words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patmark.claims.comparison import compare_texts
from patmark.claims.profiles import profile_of
from patmark.claims.scope import fact_differences, word_differences


def _differences(reference: str, draft: str) -> list[tuple[str, str]]:
    old, new = (profile_of(f"1. {text}.").scoped[0] for text in (reference, draft))
    found = fact_differences(old, new) or word_differences(old, new)
    return [(one.relation, str(one.message)) for one in found]


@pytest.mark.parametrize(
    ("reference", "draft", "differences"),
    [
        ("A plug with twelve pins", "A plug with 12 pins", []),
        ("A plug with thirteen pins", "A plug with 13 pins", []),
        ("A plug with thirty pins", "A plug with forty pins", [("contradictory", "30 became 40")]),
        ("A plug with one pin", "A plug with a pin", []),
        ("A rod of 1500 mm at 3 rpm", "A rod of 150 mm at 4 rpm",
         [("contradictory", "1500 mm became 150 mm"),
          ("contradictory", "3 rpm became 4 rpm")]),
        ("A rod of 1500 mm", "A rod of 1500 cm", [("contradictory", "1500 mm became 1500 cm")]),
        ("A rod of 20 mm by 30 cm", "A rod of 20 cm by 30 mm",
         [("contradictory", "20 mm became 20 cm"), ("contradictory", "30 cm became 30 mm")]),
        ("A rod of 1500 mm", "A rod of 1500", []),
        ("A rod of at least 5 mm", "A rod of more than 5 mm",
         [("narrower", "≥ 5 mm became > 5 mm")]),
        ("A rod turned more than three times", "A rod turned at least four times", []),
        ("A rod turned at least four times", "A rod turned at least three times",
         [("broader", "≥ 4 became ≥ 3")]),
        ("A cup with a plurality of pins", "A cup with two or more pins", []),
        ("A cup with two pins", "A cup with pins", [("broader", "2 is missing")]),
    ],
)  # fmt: skip
def test_amounts_are_compared_as_intervals(
    reference: str, draft: str, differences: list[tuple[str, str]]
) -> None:
    assert _differences(reference, draft) == differences


@pytest.mark.parametrize(
    "pair",
    [("1500 mm", "1.5 m"), ("150 cm", "1500 mm"), ("0.3 kg", "300 g"), ("20 μs", "0.02 ms"),
     ("2 MPa", "2000 kPa"), ("10 bar", "1 MPa"), ("90 min", "1.5 h")],
)  # fmt: skip
def test_an_amount_in_another_unit_is_the_same(pair: tuple[str, str]) -> None:
    one, other = (f"A device that withstands {amount}" for amount in pair)
    assert _differences(one, other) == []


@pytest.mark.parametrize(
    ("reference", "draft", "relation"),
    [
        ("A tool comprising a lid", "A tool consisting of a lid", "narrower"),
        ("A tool made up of a lid", "A tool including a lid", "broader"),
        ("一种装置，包括壳体", "一种装置，由壳体组成", "narrower"),
        ("蓋を備える装置", "蓋からなる装置", "narrower"),
        ("A tool comprising a lid", "A tool including a lid", None),
        ("A tool with a lid", "A tool with only a lid", "narrower"),
        ("A filler selected from silica and talc", "A filler selected from silica, chalk and talc",
         "broader"),
        ("A wall permeable to water", "A wall impermeable to water", "contradictory"),
        ("A valve closed before heating", "A valve closed after heating", "contradictory"),
        ("在加热之前关闭阀门的方法", "在加热之后关闭阀门的方法", "contradictory"),
        ("加熱前に弁を閉じる方法", "加熱後に弁を閉じる方法", "contradictory"),
    ],
)  # fmt: skip
def test_lists_and_opposites(reference: str, draft: str, relation: str | None) -> None:
    assert {one for one, _ in _differences(reference, draft)} == ({relation} - {None})


def test_the_cases_of_the_project_are_told_apart(shared_data: Path) -> None:
    path = shared_data / "claims_cases" / "scope.jsonl"
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    right = 0
    for case in cases:
        found = [
            one.relation for one in compare_texts(case["reference"], case["draft"]).scope_changes
        ]
        right += case["relation"] == (found[0] if found else "equivalent")
        assert case["relation"] != "equivalent" or "contradictory" not in found, case["id"]
    assert right >= 0.9 * len(cases)


# Each is equivalent in its first form and contradictory in its second.
@pytest.mark.parametrize(
    ("reference", "equivalent", "contradictory"),
    [
        ("A lid that is unlocked", "A lid that is not locked", "A lid that is locked"),
        ("A lid of a non-conductive material", "A lid of an electrically insulating material",
         "A lid of a conductive material"),
        ("A pump with vanes that do not all have the same length",
         "A pump with vanes that have different lengths",
         "A pump with vanes that all have the same length"),
        ("A tool, wherein the valve is prevented from opening",
         "A tool, wherein the valve is not allowed to open",
         "A tool, wherein the valve is allowed to open"),
        ("一种泵，所述间隙不大于3mm", "一种泵，所述间隙小于或等于3mm", "一种泵，所述间隙不小于3mm"),
        ("一种泵，所述壳体位于转子的上方", "一种泵，所述转子位于壳体的下方",
         "一种泵，所述壳体位于转子的下方"),
        ("在加入盐之前加热混合物的方法", "在加热混合物之后加入盐的方法",
         "在加入盐之后加热混合物的方法"),
        ("A tool, wherein the lid is above the rotor", "A tool, wherein the rotor is below the lid",
         "A tool, wherein the lid is below the rotor"),
        ("A pipe, wherein water flows from the inlet to the outlet",
         "A pipe, wherein the water flows from an inlet to an outlet",
         "A pipe, wherein water flows from the outlet to the inlet"),
        ("A meter whose counts do not reach a threshold",
         "A meter whose counts do not reach the threshold",
         "A meter whose counts reach a threshold"),
        ("壁が不透明である容器", "壁が透明でない容器", "壁が透明である容器"),
        ("筒部の先端に設けられた弁を備える装置", "前記筒部の先端に設けられた弁を備える装置",
         "筒部の後端に設けられた弁を備える装置"),
    ],
)  # fmt: skip
def test_a_contradiction_is_told_from_the_same_in_other_words(
    reference: str, equivalent: str, contradictory: str
) -> None:
    assert not {one for one, _ in _differences(reference, equivalent)} & {"contradictory"}
    assert not {one for one, _ in _differences(equivalent, reference)} & {"contradictory"}
    assert {one for one, _ in _differences(reference, contradictory)} == {"contradictory"}


@pytest.mark.parametrize(
    ("reference", "draft"),
    [
        ("A method of cleaning a filter, comprising rinsing it",
         "A method for cleaning a filter, the method comprising the steps of rinsing it"),
        ("A lid selected from the group consisting of steel and tin", "A lid of steel or tin"),
        ("A lid of steel or tin", "A lid of either tin or steel"),
        ("一种泵，其特征在于，包括壳体", "一种泵，其特征在于：所述泵包括壳体"),
        ("キャップを外すと弁が開く装置", "キャップを取り外すと弁が開く装置"),
        ("筐体を備える装置", "筐体を備えることを特徴とする装置"),
    ],
)  # fmt: skip
def test_words_of_form_limit_nothing(reference: str, draft: str) -> None:
    assert _differences(reference, draft) == []
    assert _differences(draft, reference) == []


def test_a_limit_that_goes_makes_a_claim_broader() -> None:
    old, new = "A rotor that turns for a time of at least 100 ms", "A rotor that turns for a time"
    assert {one for one, _ in _differences(old, new)} == {"broader"}
    assert {one for one, _ in _differences(new, old)} == {"narrower"}


_OF_STEEL = "1. A box with lids, wherein {} is made of steel."


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        ("at least one lid", "each lid", "narrower"),
        ("each of the lids", "at least one of the lids", "broader"),
        ("more than one lid", "at least ten lids", "narrower"),
        ("a number of lids", "at least ten lids", "narrower"),
        ("at least ten lids", "a plurality of lids", "broader"),
        ("a plurality of lids", "more than one lid", "equivalent"),
        ("one or more lids", "at least one lid", "equivalent"),
        ("each lid", "every lid", "equivalent"),
    ],
)
def test_numbers_of_things(old: str, new: str, relation: str) -> None:
    assert compare_texts(_OF_STEEL.format(old), _OF_STEEL.format(new)).relation == relation


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        ("a lid of 1 to 9 mm; and a base of 5 mm", "a lid of 1 to 4 mm; and a base of 1 to 8 mm",
         "overlapping"),
        ("a lid of 1 to 9 mm and 1 to 5 kg", "a lid of 1 to 4 mm and 1 to 8 kg", "overlapping"),
        ("a lid of 1 to 9 mm; and a hinge", "a lid of 1 to 12 mm; a hinge; and a rubber seal",
         "overlapping"),
        ("a lid of 1 to 9 mm; a rubber seal; and a hinge", "a lid of 1 to 4 mm; and a hinge",
         "overlapping"),
        ("a lid of 1 to 9 mm; and a hinge", "a lid of 1 to 4 mm; a hinge; and a rubber seal",
         "narrower"),
        ("a lid of 1 to 9 mm; a rubber seal; and a hinge", "a lid of 1 to 12 mm; and a hinge",
         "broader"),
        ("a lid of 1 to 9 mm; and a hinge", "a lid of 10 to 12 mm; and a hinge", "contradictory"),
        ("a lid of 1 to 9 mm; and a hinge", "a lid of 10 to 12 mm; a hinge; and a rubber seal",
         "contradictory"),
    ],
)  # fmt: skip
def test_wider_and_narrower_limitations_overlap(old: str, new: str, relation: str) -> None:
    texts = (f"1. A box comprising: {limitations}." for limitations in (old, new))
    assert compare_texts(*texts).relation == relation
