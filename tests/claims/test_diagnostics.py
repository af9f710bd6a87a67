"""Diagnostics of drafts: the places that explain a score."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from claim_tricks import INVENTED, NO_MATTER, PUMP, TRICKS, truncated, twice
from patmark.claims.comparison import compare_texts
from patmark.claims.diagnostics import DIAGNOSTICS
from patmark.claims.quality import ClaimQuality
from patmark.data import Evidence, Segment, TestSet
from patmark.errors import InputError


def _evidence(name: str, reference: str, candidate: str) -> list[Evidence]:
    return list(DIAGNOSTICS[name](compare_texts(reference, candidate)))


def _remarks(name: str, reference: str, candidate: str) -> list[tuple[str, str]]:
    """Message and text of each remark."""
    found = _evidence(name, reference, candidate)
    sides = {"reference": reference, "hypothesis": candidate}
    return [(one.message, sides[one.side][one.start : one.end]) for one in found]


@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_the_reference_has_no_remarks(text: str) -> None:
    assert [found for name in DIAGNOSTICS for found in _evidence(name, text, text)] == []


@pytest.mark.parametrize("change", NO_MATTER)
def test_what_does_not_matter_has_no_remarks(change: str) -> None:
    changed = NO_MATTER[change](PUMP)
    found = [m for name in DIAGNOSTICS for m, _ in _remarks(name, PUMP, changed)]
    assert [m for m in found if m != "no part of the claims: not compared"] == []


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_every_trick_is_remarked(text: str, trick: str) -> None:
    compared = compare_texts(text, TRICKS[trick](text))
    found = [one for name in DIAGNOSTICS for one in DIAGNOSTICS[name](compared)]
    assert found or compared.scope_changes


def test_completeness_names_what_is_missing_added_and_moved() -> None:
    ring = "; and a seal (40) arranged between the rotor (20) and the housing (10)"
    changed = PUMP.replace(ring, "").replace("is water.", "is water; and the pump has a blue lamp.")
    remarks = _remarks("completeness", PUMP, changed)
    assert ("and a seal (40) arranged between the rotor (20) and the housing (10),") in [
        text for _, text in remarks
    ]
    [added] = [text for message, text in remarks if message.startswith("limitation added")]
    assert added == "and the pump has a blue lamp."


def test_clarity_names_lost_antecedents_and_cut_claims() -> None:
    lost = PUMP.replace("a motor (30) configured to drive", "and configured to drive", 1)
    assert [
        text for message, text in _remarks("clarity", PUMP, lost) if message.startswith("the motor")
    ] == ["motor"]
    assert "claim 7 does not end with a full stop" in dict(
        _remarks("clarity", PUMP, truncated(PUMP))
    )


def test_the_reference_twice_repeats_each_claim() -> None:
    remarks = dict(_remarks("clarity", PUMP, twice(PUMP)))
    assert "claim 1 is there again, in place 8 of the claims" in remarks
    assert not any("claim 1 repeats claim 1" in message for message in remarks)


def test_a_claim_on_another_claim_is_no_repetition() -> None:
    sets = (
        "1. A cup comprising a lid.\n2. The cup of claim 1, wherein the lid is made of wood.\n"
        "3. A cup comprising a spout.\n4. The cup of claim 3, wherein the lid is made of wood."
    )
    again = sets.replace("a spout", "a lid")
    assert not any("repeats" in message for message, _ in _remarks("clarity", sets, sets))
    repeated = [message for message, _ in _remarks("clarity", sets, again) if "repeats" in message]
    assert repeated == ["claim 3 repeats claim 1", "claim 4 repeats claim 2"]


def test_the_faults_of_table_7_of_patent_ce() -> None:
    """Jiang et al. 2025 rate C above B, whose clarity suffers from "in a annular edge".

    The claims are our own: B has that fault, C says that "the protrusions deflect".
    """
    reference = (
        "1. A closure for a bottle, comprising: a cap with a side wall that ends in an annular "
        "edge; and a plurality of protrusions on the annular edge, wherein the protrusions are "
        "deflected outwards when the cap is pushed onto the bottle.\n"
        "2. The closure of claim 1, wherein the protrusions are made of an elastic plastic."
    )
    b = reference.replace("in an annular", "in a annular").replace("deflected", "pressed")
    c = reference.replace("are deflected outwards", "deflect")
    assert _remarks("clarity", reference, b) == [('"an" is expected before "annular"', "a annular")]
    assert _remarks("clarity", reference, c) == _remarks("consistency", reference, c) == []


def test_clarity_forgives_what_the_reference_does() -> None:
    loose = PUMP.replace("an axis", "the axis")
    assert _remarks("clarity", loose, loose) == []
    assert _remarks("clarity", PUMP, loose) != []


def test_consistency_names_changed_terms() -> None:
    changed = PUMP.replace("the elastic ring", "the rubber ring")
    assert _remarks("consistency", PUMP, changed) == [
        ("term rubber ring: the reference says elastic ring", "rubber ring"),
    ]


def test_consistency_names_terms_that_are_not_used() -> None:
    changed = PUMP.replace("controller", "governor")
    assert ("term controller is not used", "controller") in _remarks("consistency", PUMP, changed)


def test_linkage_names_wrong_dependencies() -> None:
    wrong = PUMP.replace("3. The pump of claim 2", "3. The pump of claim 1").replace(
        "5. The pump of claim 4", "5. The pump of claim 8"
    )
    assert _remarks("linkage", PUMP, wrong) == [
        ("claim 5 refers to claim 8, which is not there", "claim 8"),
        ("claim 3 refers to 1; in the reference claim 3 refers to 2", "claim 1"),
        ("claim 5 refers to 8; in the reference claim 5 refers to 4", "claim 8"),
    ]


def test_linkage_names_claims_without_counterpart() -> None:
    shorter = "\n".join(PUMP.splitlines()[:6])
    assert [m for m, _ in _remarks("linkage", PUMP, shorter)] == [
        "claim 7 has no counterpart in the candidate"
    ]
    assert [m for m, _ in _remarks("linkage", shorter, PUMP)] == [
        "claim 7 has no counterpart in the reference"
    ]


def test_chinese_claims_have_remarks() -> None:
    pump = "1. 一种泵，包括：壳体；转子，设置在所述壳体内；以及电机，用于驱动所述转子。"
    shorter = "1. 一种泵，包括：壳体；转子，设置在所述壳体内。"
    reference = pump + "\n2. 根据权利要求1所述的泵，其特征在于，所述转子由钢制成。"
    candidate = shorter + "\n2. 根据权利要求1所述的泵，其特征在于，所述转子由铜制成。"
    texts = [text for _, text in _remarks("completeness", reference, candidate)]
    assert "以及电机，用于驱动所述转子。" in texts
    assert _remarks("linkage", reference, candidate) == []


def test_several_references_and_empty_ones_are_refused() -> None:
    segments = (
        Segment("a", references=(PUMP, PUMP)),
        Segment("b", references=("…",)),
        Segment("c", references=(PUMP,)),
    )
    with pytest.raises(InputError) as caught:
        ClaimQuality().statistics(TestSet(segments, "en"), [PUMP] * 3)
    assert [problem.message for problem in caught.value.problems] == [
        "segment 'a' has 2 references; ClaimQuality takes one",
        "segment 'b' has a reference without claims",
    ]


@given(st.text(max_size=200))
def test_evidence_of_any_text_has_a_place(text: str) -> None:
    for name in DIAGNOSTICS:
        for one in _evidence(name, PUMP, text):
            assert 0 <= one.start <= one.end <= len(PUMP if one.side == "reference" else text)


def test_a_limitation_before_wherein_counts() -> None:
    """Written by hand: what the parser takes for a preamble can limit a claim."""
    pump = "1. A pump comprising a housing and a rotor.\n2. The pump of claim 1"
    reference = pump + (
        " in which the rotor has five curved blades of carbon fibre, wherein the rotor is red."
    )
    draft = pump + ", wherein the rotor is red."
    assert [text for _, text in _remarks("completeness", reference, draft)] == [
        "in which the rotor has five curved blades of carbon fibre,"
    ]


def test_an_element_before_characterised_counts() -> None:
    known = "1. A pump comprising: a housing made of cast iron; and a rotor"
    novel = ", characterised in that the rotor is red."
    draft = known.replace("a housing made of cast iron; and ", "") + novel
    remarks = _remarks("completeness", known + novel, draft)
    assert ("a housing made of cast iron;") in [text for _, text in remarks]


def test_talk_and_foreign_languages_are_remarked() -> None:
    talk = "I hope this helps!"
    assert ("no part of the claims: not compared", f"\n\n{talk}") in _remarks(
        "completeness", PUMP, f"{PUMP.rstrip()}\n\n{talk}"
    )
    german = "1. Eine Pumpe mit einem Gehäuse und einem Rotor, wobei der Rotor rot ist."
    assert [m for m, _ in _remarks("completeness", PUMP, german) if "English" in m]
    assert not [m for m, _ in _remarks("completeness", PUMP, PUMP) if "English" in m]


def test_a_missing_claim_is_named_beside_a_valid_reference() -> None:
    draft = (
        "1. A pump comprising a shaft and a lid.\n2. The pump of claim 1, wherein the lid is "
        "round.\n3. The pump of claim {}, wherein the shaft is made of steel."
    )
    reference, dangling = draft.format("1 or 2"), draft.format("5 or 2")
    remark = ("claim 3 refers to claim 5, which is not there", "claim 5 or 2")
    assert remark in _remarks("linkage", reference, dangling)
    [quality] = ClaimQuality().findings(TestSet.of([reference]), [dangling])
    assert remark[0] in [one.message for one in quality.evidence]
    assert remark not in _remarks("linkage", dangling, dangling)


@pytest.mark.parametrize(
    "draft",
    ["1. 一种泵,包括转轴。\n2. 根据权利要求{}所述的泵,其特征在于,所述转轴为钢。",
     "1. A pump comprising a shaft.\n2. The pump of claim {}, wherein the shaft is steel."],
)  # fmt: skip
def test_a_missing_claim_is_no_fault_of_clarity(draft: str) -> None:
    assert _evidence("clarity", draft.format(1), draft.format(5)) == []
    assert _evidence("linkage", draft.format(1), draft.format(5)) != []


def test_an_open_end_is_marked_from_its_last_word() -> None:
    remarks = _remarks("clarity", PUMP, PUMP.rstrip(". \n"))
    last = PUMP.rstrip(". \n").split()[-1]
    assert last in [text for message, text in remarks if "full stop" in message]
