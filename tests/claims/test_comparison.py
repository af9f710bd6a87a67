"""Assignment of claims; clauses found, missing, added and moved; claims copied but for a number."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from claim_tricks import BATTERY, INVENTED, PUMP, twice
from patmark.claims.comparison import MISSING, compare_profiles, compare_texts, overlap
from patmark.claims.profiles import bags_of, profile_of, token_bags_of

_FUNCTION = {"the", "of"}
_texts = st.lists(
    st.lists(st.sampled_from(["the", "of", "lid", "cup", "pin"]), max_size=8), max_size=4
)


def _items(words: list[str]) -> Counter[object]:
    content: list[object] = [word for word in words if word not in _FUNCTION]
    return Counter(content + list(pairwise(words)))


@given(_texts, _texts)
def test_overlap_is_that_of_bags_of_words_and_pairs(
    rows: list[list[str]], columns: list[list[str]]
) -> None:
    found = overlap(bags_of(rows), bags_of(columns))
    wanted = [[(_items(row) & _items(column)).total() for column in columns] for row in rows]
    assert found.shared.tolist() == wanted
    assert found.rows.tolist() == [_items(row).total() for row in rows]
    assert found.columns.tolist() == [_items(column).total() for column in columns]


@given(_texts, _texts)
def test_whole_claims_are_compared_by_all_words_and_pairs(
    rows: list[list[str]], columns: list[list[str]]
) -> None:
    found = overlap(token_bags_of(rows), token_bags_of(columns))
    bags = [[Counter([*words, *pairwise(words)]) for words in side] for side in (rows, columns)]
    assert found.shared.tolist() == [[(a & b).total() for b in bags[1]] for a in bags[0]]
    assert found.rows.tolist() == [bag.total() for bag in bags[0]]


def test_agreement_by_hand() -> None:
    # lid, cup, (the lid), (lid of), (of cup) against lid, (the lid): 2 shared of 5 and 2
    found = overlap(bags_of([["the", "lid", "of", "cup"]]), bags_of([["the", "lid"]]))
    assert found.agreement[0, 0] == pytest.approx(2 * 2 / 7)
    assert found.contained[0, 0] == pytest.approx(2 / 5)


@pytest.mark.parametrize("text", INVENTED)
def test_a_text_is_assigned_to_itself(text: str) -> None:
    compared = compare_profiles(profile_of(text), profile_of(text))
    assert compared.assigned == {place: place for place in range(compared.longest)}
    assert np.allclose(compared.likeness.diagonal(), 1)


def test_claims_in_another_order_are_found() -> None:
    lines = PUMP.splitlines()
    contents = [line.split(" ", 1)[1] for line in lines]
    order = [5, 0, 3, 1, 6, 2, 4]
    moved = "\n".join(f"{number}. {contents[place]}" for number, place in enumerate(order, 1))
    assert compare_profiles(profile_of(PUMP), profile_of(moved)).origin == dict(enumerate(order))


def test_each_claim_is_assigned_once() -> None:
    compared = compare_profiles(profile_of(PUMP), profile_of(twice(PUMP)))
    assert compared.assigned == {place: place for place in range(7)}
    assert compared.longest == 14
    assert len(compare_profiles(profile_of(twice(PUMP)), profile_of(PUMP)).assigned) == 7
    assert len(compare_profiles(profile_of(PUMP), profile_of(BATTERY)).assigned) == 6


_LID = "1. A cup comprising: a lid; a handle made of wood; and a bottom."


def _lost(reference: str, candidate: str) -> list[str]:
    compared = compare_profiles(profile_of(reference), profile_of(candidate))
    text = compared.reference.claims.text
    found = compared.coverage.below(MISSING)
    return [text[one.clause.start : one.clause.end] for one in found]


@pytest.mark.parametrize("text", INVENTED)
def test_a_text_covers_and_supports_itself(text: str) -> None:
    compared = compare_profiles(profile_of(text), profile_of(text))
    assert compared.coverage.value == compared.support.value == pytest.approx(1)
    assert not compared.coverage.below(1)


def test_a_deleted_limitation_is_named() -> None:
    assert _lost(_LID, _LID.replace(" a handle made of wood;", "")) == ["a handle made of wood;"]


def test_coverage_and_support_exchange_with_the_texts() -> None:
    short = _LID.replace(" a handle made of wood;", "")
    forth, back = (
        compare_profiles(profile_of(_LID), profile_of(short)),
        compare_profiles(profile_of(short), profile_of(_LID)),
    )
    assert forth.coverage.value == pytest.approx(back.support.value)
    assert forth.coverage.value < 1 == pytest.approx(forth.support.value, abs=0.1)


def test_a_limitation_in_another_claim_counts_four_fifths() -> None:
    moved = "1. A cup comprising: a lid; and a bottom.\n2. A cup having a handle made of wood;"
    compared = compare_profiles(profile_of(_LID), profile_of(moved))
    [found] = [one for one in compared.coverage.below(1) if "handle" in one.clause.words]
    assert found.moved
    assert found.claim == 1
    assert found.share == pytest.approx(0.8)


def test_nothing_is_found_in_other_claims_or_none() -> None:
    assert compare_profiles(profile_of(PUMP), profile_of(BATTERY)).coverage.value < 0.2
    empty = compare_profiles(profile_of(PUMP), profile_of(""))
    assert empty.coverage.value == empty.support.value == 0
    assert len(empty.coverage.below(MISSING)) == len(profile_of(PUMP).clauses)


def test_repeating_the_reference_adds_nothing_to_coverage() -> None:
    assert compare_profiles(
        profile_of(PUMP), profile_of(twice(PUMP))
    ).coverage.value == pytest.approx(1)
    assert compare_profiles(
        profile_of(PUMP), profile_of(twice(PUMP))
    ).support.value == pytest.approx(0.9, abs=0.02)


_ZH = """1.一种泵，包括壳体和转子，所述转子的转速不小于1500转每分钟。
2.根据权利要求1所述的泵，其特征在于，所述壳体的厚度为5mm，且所述壳体不与电机连接。"""
_JA = """【請求項1】筐体と、前記筐体に接触しない回転軸と、を備えるポンプ。
【請求項2】前記回転軸の直径は5mm以上である、請求項1に記載のポンプ。"""


def _found(reference: str, old: str, new: str) -> list[tuple[int, str]]:
    assert old in reference
    compared = compare_texts(reference, reference.replace(old, new, 1))
    return [(item.reference + 1, item.difference) for item in compared.contradictions]


@pytest.mark.parametrize(
    ("reference", "old", "new", "claim", "difference"),
    [
        (PUMP, "is not connected", "is connected", 5, "“not” is missing"),
        (PUMP, "is water", "is not water", 7, "“not” was added"),
        (PUMP, "exceeds", "is below", 4, "“exceeds” became “below”"),
        (PUMP, "at least 1500", "not more than 1500", 1,
         "≥ 1500 rpm became ≤ 1500 rpm"),
        (PUMP, "pump of claim 4", "pump of claim 1", 5, "it refers to another claim"),
        (PUMP, "40 and 60", "65 and 80", 3, "40–60 became 65–80"),
        (_ZH, "为5mm", "为6mm", 2, "5 mm became 6 mm"),
        (_ZH, "不与", "与", 2, "“不” is missing"),
        (_ZH, "不小于", "小于", 1, "≥ 1500 rpm became < 1500 rpm"),
        (_JA, "しない", "する", 1, "“ない” is missing"),
        (_ZH, "不小于", "至多", 1, "≥ 1500 rpm became ≤ 1500 rpm"),
        (_JA, "以上", "以下", 2, "≥ 5 mm became ≤ 5 mm"),
        (_JA, "5mm以上である", "5mmより小さい", 2, "≥ 5 mm became < 5 mm"),
    ],
)  # fmt: skip
def test_what_decides_the_scope_is_seen(
    reference: str, old: str, new: str, claim: int, difference: str
) -> None:
    assert _found(reference, old, new) == [(claim, difference)]


@pytest.mark.parametrize(
    ("reference", "old", "new", "relation", "difference"),
    [
        (PUMP, "1500 rev", "150 rev", "broader", "≥ 1500 rpm became ≥ 150 rpm"),
        (PUMP, "1500 rev", "2000 rev", "narrower", "≥ 1500 rpm became ≥ 2000 rpm"),
        (PUMP, "40 and 60", "45 and 60", "narrower", "40–60 became 45–60"),
        (BATTERY, "2 mm", "2 cm", "broader", "0.5–2 mm became 0.5–2 cm"),
        (BATTERY, " thermally conductive pad contains", " pad contains", "broader",
         "“thermally conductive” is missing"),
        (PUMP, "water", "water without salt", "narrower", "“without” was added"),
        (PUMP, "a rotor", "a glass rotor", "narrower", "“glass” was added"),
        (PUMP, "A pump comprising", "A pump consisting of", "narrower",
         "“consisting of” was added"),
        (_ZH, "1500", "150", "broader", "≥ 1500 rpm became ≥ 150 rpm"),
        (_ZH, "壳体和转子", "壳体、电机和转子", "narrower", "“电机” was added"),
        (_ZH, "，且所述壳体不与电机连接", "", "broader", "“不” is missing"),
        (_JA, "5mm以上", "8mm以上", "narrower", "≥ 5 mm became ≥ 8 mm"),
        (_JA, "筐体と、前記", "透明な筐体と、前記", "narrower", "“透明な” was added"),
    ],
)  # fmt: skip
def test_a_claim_may_be_narrower_or_broader(
    reference: str, old: str, new: str, relation: str, difference: str
) -> None:
    assert old in reference
    compared = compare_texts(reference, reference.replace(old, new, 1))
    found = [(one.relation, one.difference) for one in compared.scope_changes]
    assert found == [(relation, difference)]
    assert not compared.contradictions


@pytest.mark.parametrize(
    ("reference", "old", "new"),
    [
        (PUMP, "1500", "1,500"),
        (PUMP, "40 and 60", "40.0 and 60"),
        (PUMP, "at least 1500", "not less than 1500"),
        (PUMP, "silicone rubber", "steel"),
        (BATTERY, "0.5 mm to 2 mm", "0.5 to 2 mm"),
        (BATTERY, "0.5 mm to 2 mm", "0.5 mm to 2 millimeters"),
        (_ZH, "1500", "１５００"),
        (PUMP, "40 and 60", "40 and 60,0"),
        (PUMP, "1500", "1.500,00"),
        (PUMP, "at least 1500", "not to be less than 1500"),
        (_ZH, "不小于", "大于"),
        (_ZH, "不小于", "不少于"),
        (_ZH, "不小于", "至少"),
        (_ZH, "所述壳体不与", "所述不锈钢壳体不与"),
        (_ZH, "所述壳体不与", "所述壳体无线地不与"),
        (_JA, "と、前記", "と、少なくとも前記"),
        (_JA, "回転軸と", "無線の回転軸と"),
    ],
)
def test_other_ways_to_write_it_are_none(reference: str, old: str, new: str) -> None:
    assert _found(reference, old, new) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("in step 2 a part takes 3 s", "in step 2 the part takes 3 sec"),
        ("the part is 5 μm", "the part is 5 um"),
        ("the 1st part is flat", "the first part is flat"),
        ("the part has SEQ ID NO: 7", "the part has SEQ ID NOs 7"),
        ("the part is 0.5 mm", "the part is 0,500 mm"),
        ("the part is 12,500.5 mm", "the part is 12.500,50 mm"),
        ("the part is of 5-10 mm", "the part is of 5 to 10 mm"),
        ("the height is not to exceed 5 mm", "the height is not exceeding 5 mm"),
    ],
)
def test_one_claim_in_two_spellings(one: str, other: str) -> None:
    claim = "1. A pump comprising a housing, a shaft, a rotor and a rubber seal, wherein {}."
    assert not compare_texts(claim.format(one), claim.format(other)).contradictions


_ROLES = "1. A conveyor comprising a frame, a belt and a motor, wherein the {} {} the {}."


@pytest.mark.parametrize("verb", ["drives", "is mounted above", "sends a signal to"])
def test_roles_that_changed_places_are_a_contradiction(verb: str) -> None:
    pair = _ROLES.format("motor", verb, "belt"), _ROLES.format("belt", verb, "motor")
    [found] = compare_texts(*pair).contradictions
    assert found.difference == "motor and belt changed places"


@pytest.mark.parametrize("verb", ["is connected to", "and", ", the frame or", "is parallel to"])
def test_what_holds_both_ways_is_none(verb: str) -> None:
    pair = _ROLES.format("motor", verb, "belt"), _ROLES.format("belt", verb, "motor")
    assert not compare_texts(*pair).contradictions


def test_numbers_of_steps_are_none() -> None:
    steps = "1. A method comprising: {}) heating water; {}) adding tea; and {}) stirring the tea."
    plain = steps.format(*"abc")
    assert not compare_texts(plain, steps.format(*"123")).contradictions
    dotted = plain.replace("a)", "1.1").replace("b)", "1.2").replace("c)", "1.3")
    assert not compare_texts(plain, dotted).contradictions


def test_a_claim_that_was_left_out_cannot_be_referred_to() -> None:
    lines = PUMP.splitlines(keepends=True)
    shorter = "".join(lines[:1] + lines[2:3]).replace("claim 2", "claim 1").replace("3.", "2.")
    assert not compare_texts(PUMP, shorter).contradictions


def test_texts_that_are_not_alike_do_not_contradict() -> None:
    other = "1. A seat having 4 legs, not 3.\n2. The seat of claim 1, wherein it has a back."
    assert not compare_texts(PUMP, other).contradictions
