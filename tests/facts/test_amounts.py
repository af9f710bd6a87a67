"""One interval per quantity, whatever the words; drafts, support and contradictions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from patmark.facts import (
    Amount,
    compare_drafts,
    compare_facts,
    compare_support,
    facts_of,
    find_contradictions,
    match_amounts,
)


def _one(language: str, text: str) -> Amount:
    [amount] = facts_of(text, language).amounts
    return amount


_TEN_TO_TWENTY = [
    ("en", "a gap of 10 to 20 mm"),
    ("en", "the gap is between 10 and 20 mm"),
    ("en", "the gap is 10 mm or more and 20 mm or less"),
    ("en", "the gap is at least 10 mm and at most 2 cm"),
    ("en", "the gap is not less than 1 cm but not more than 2 cm"),
    ("zh", "间隙为10~20毫米"),
    ("zh", "间隙为10mm以上且20mm以下"),
    ("zh", "间隙大于等于10mm且不超过20mm"),
    ("ja", "間隔は10mm以上20mm以下である"),
    ("ja", "間隔は10以上20mm以下である"),
    ("ja", "間隔は１０～２０ｍｍである"),
    ("de", "ein Spalt zwischen 10 und 20 mm"),
    ("fr", "un intervalle de 10 à 20 mm"),
    ("ko", "간격은 10mm 이상 20mm 이하이다"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text"), _TEN_TO_TWENTY)
def test_a_range_is_one_closed_interval(language: str, text: str) -> None:
    amount = _one(language, text)
    assert (amount.lo, amount.hi) == (Fraction(1, 100), Fraction(2, 100))
    assert amount.lo_closed
    assert amount.hi_closed
    assert amount.unit.dimension == {("m", 1)}


@pytest.mark.parametrize(
    ("language", "text", "lo", "hi", "lo_closed", "hi_closed"),
    [
        ("en", "more than 10 mm but not more than 20 mm", 10, 20, False, True),
        ("zh", "大于10mm且小于20mm", 10, 20, False, False),
        ("ja", "10mm超20mm以下の範囲", 10, 20, False, True),
        ("en", "at least 5 mm", 5, None, True, True),
        ("zh", "不超过5毫米", None, 5, True, True),
        ("ja", "5mm未満", None, 5, True, False),
        ("en", "10 ± 2 mm", 8, 12, True, True),
    ],
)
def test_ends_are_open_or_closed(
    language: str, text: str, lo: int | None, hi: int | None, lo_closed: bool, hi_closed: bool
) -> None:
    amount = _one(language, text)
    expected = tuple(None if end is None else Fraction(end, 1000) for end in (lo, hi))
    assert (amount.lo, amount.hi) == expected
    assert (amount.lo_closed, amount.hi_closed) == (lo_closed, hi_closed)


@pytest.mark.parametrize(
    ("language", "text"), [("en", "about 5 mm"), ("zh", "5mm左右"), ("ja", "約5mmの板")]
)
def test_an_approximate_amount_says_so(language: str, text: str) -> None:
    assert _one(language, text).approximate


def test_two_limits_of_two_things_stay_two_amounts() -> None:
    text = "The width is at least 10 mm and the height is at most 20 mm."
    assert [amount.shown for amount in facts_of(text, "en").amounts] == ["≥ 10 mm", "≤ 20 mm"]


def test_the_basis_of_a_share_belongs_to_the_unit() -> None:
    amount = _one("en", "not less than 5% and less than 10% by weight of zinc")
    assert (amount.unit.basis, amount.hi_closed) == ("mass", False)
    assert _one("en", "5% by volume").unit != _one("en", "5% by weight").unit


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("3 to 20 mm", "5 to 10 mm", "narrower"),
        ("5 to 10 mm", "3 to 20 mm", "broader"),
        ("5 mm or more", "more than 5 mm", "narrower"),
        ("5 to 10 mm", "8 to 20 mm", "overlapping"),
        ("5 to 10 mm", "12 mm", "disjoint"),
        ("1 cm", "10 mm", "equal"),
        ("5 mm", "5 s", "disjoint"),
    ],
)
def test_amounts_relate_by_containment(one: str, other: str, relation: str) -> None:
    assert _one("en", one).relation(_one("en", other)) == relation


_DRAFTS = [
    ("en", "A pipe having a wall of 3 to 20 mm and a length of 2 m.",
     "A pipe having a length of 2 m and a wall of 5 to 10 mm.", ["narrower"]),
    ("en", "A pipe having a wall of 3 to 20 mm and a length of 2 m.",
     "A pipe having a length of 200 cm and a wall of 3 to 20 mm.", []),
    ("zh", "壁厚为3至20mm，长度为2m的管。", "长度为3m，壁厚为3至20mm的管。", ["disjoint"]),
    ("zh", "壁厚为3至20mm，长度为2m的管。", "长度为2000mm，壁厚为3mm以上20mm以下的管。", []),
    ("ja", "厚さが5mm以上の板と、幅が8cmの溝。",
     "幅が8cmの溝と、厚さが5mmを超える板。", ["narrower"]),
    ("ja", "厚さが5mm以上の板と、幅が8cmの溝。", "幅が80mmの溝と、厚さが5mm以上の板。", []),
]  # fmt: skip


@pytest.mark.parametrize(("language", "reference", "draft", "slots"), _DRAFTS)
def test_a_draft_is_compared_by_the_words_of_its_clauses(
    language: str, reference: str, draft: str, slots: list[str]
) -> None:
    found = compare_drafts(facts_of(reference, language), facts_of(draft, language))
    assert [difference.slot for difference in found] == slots


def test_matching_prefers_the_words_of_a_clause_to_order() -> None:
    reference = facts_of("The wall is 5 mm thick, the floor is 8 mm thick.", "en")
    draft = facts_of("The floor is 9 mm thick, the wall is 6 mm thick.", "en")
    shown = [(a and a.shown, b and b.shown) for a, b in match_amounts(reference, draft)]
    assert shown == [("5 mm", "6 mm"), ("8 mm", "9 mm")]


_SUPPORT = [
    ("en", "a wall of 3 to 20 mm", "The wall is 5 to 10 mm thick.", "value"),
    ("en", "a wall of 3 to 20 mm", "The wall is 3 mm or more and 2 cm or less thick.", ""),
    ("en", "a wall of 5 to 10 mm", "The wall is 3 to 20 mm thick.", ""),
    ("en", "heated to 80 °C", "The wall is heated.", "presence"),
    ("zh", "壁厚不小于5mm", "壁厚为8mm以上。", "value"),
    ("zh", "壁厚不小于5mm", "壁厚为5mm以上，优选为8mm以上。", ""),
    ("ja", "厚さが10μm以上30μm以下の膜", "膜の厚さは20μm以下である。", "value"),
    ("ja", "厚さが10μm以上30μm以下の膜",
     "膜の厚さは、10μm以上が好ましく、30μm以下が好ましい。", ""),
]  # fmt: skip


@pytest.mark.parametrize(("language", "claim", "description", "slot"), _SUPPORT)
def test_the_description_must_contain_the_amounts_of_claims(
    language: str, claim: str, description: str, slot: str
) -> None:
    found = compare_support(facts_of(claim, language), facts_of(description, language))
    assert [difference.slot for difference in found] == ([slot] if slot else [])


_CONTRADICTIONS = [
    ("en", "The thickness of the film is 5 mm. The lid is red. The thickness of the film is 8 mm.",
     "The thickness of the film is 5 mm. The thickness of the plate is 8 mm."),
    ("zh", "所述薄膜的厚度为5mm。盖是红色的。薄膜的厚度为8mm。",
     "薄膜的厚度为5mm。薄板的厚度为8mm。"),
    ("ja", "膜の厚さは5mmである。蓋は赤い。膜の厚さは8mmである。",
     "膜の厚さは5mmである。膜の厚さは0.5cmである。"),
    ("en", "The pump (3) runs. The pump (3) is red. The valve (3) is open.",
     "The pump (3) runs. The pump (3) is red. The valve (4) is open."),
    ("zh", "泵（3）运行。泵（3）是红色的。阀（3）打开。",
     "泵（3）运行。泵（3）是红色的。阀（4）打开。"),
    ("ja", "ポンプ（3）が動く。ポンプ（3）は赤い。弁（3）が開く。",
     "ポンプ（3）が動く。ポンプ（3）は赤い。弁（4）が開く。"),
    ("en", "The pump (3) runs. The pump (3) is red. The pump (4) is open.",
     "The pump (3) runs. The pumps (3, 4) are red. The first valve (4a) and a valve (4b) open."),
    ("zh", "泵（3）运行。泵（3）是红色的。泵（4）打开。",
     "第一泵（3）运行。第一泵（3）是红色的。第二泵（4）打开。"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "contradictory", "consistent"), _CONTRADICTIONS)
def test_a_document_is_compared_with_itself(
    language: str, contradictory: str, consistent: str
) -> None:
    facts = facts_of(contradictory, language)
    [found] = find_contradictions(facts)
    assert found.source
    assert found.target
    assert found.source < found.target
    assert not find_contradictions(facts_of(consistent, language))


def test_values_of_examples_may_differ() -> None:
    text = "In one embodiment the wall is 5 mm thick. In another embodiment the wall is 8 mm thick."
    assert not find_contradictions(facts_of(text, "en"))


def test_a_changed_end_of_a_range_shows_the_range() -> None:
    source, target = facts_of("间隙为10至20mm。", "zh"), facts_of("The gap is 10 to 25 mm.", "en")
    [difference] = compare_facts(source, target)
    assert difference.message == "10–20 mm became 10–25 mm"


def test_limits_are_compared_on_the_same_thing_at_least_cost() -> None:
    source = facts_of("泵的间隙为5mm以上，阀的间隙小于5mm。", "zh")
    target = facts_of("The gap of the valve is 5 mm or less, that of the pump above 5 mm.", "en")
    messages = {difference.message for difference in compare_facts(source, target)}
    assert messages == {"≥ 5 mm became > 5 mm", "< 5 mm became ≤ 5 mm"}
