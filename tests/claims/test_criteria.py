"""The five criteria: scores, and the places that explain them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from claim_tricks import (
    INVENTED,
    NO_MATTER,
    PUMP,
    TRICKS,
    filler,
    relinked,
    shuffled,
    truncated,
    twice,
)
from patmark.claims.criteria import CRITERIA, ClaimCheck, Overall
from patmark.claims.meta import meta_evaluate_claims
from patmark.claims.quality import ClaimQuality
from patmark.data import Segment, TestSet, read_claim_pairs
from patmark.data.criterion_weights import CRITERION_WEIGHTS
from patmark.errors import InputError
from patmark.evaluation import Sampling
from patmark.measures.base import Finding

_ALL: dict[str, ClaimCheck] = {**CRITERIA, "overall": Overall()}


def _finding(name: str, reference: str, candidate: str) -> Finding:
    [finding] = _ALL[name].findings(TestSet.of([reference]), [candidate])
    return finding


def _remarks(name: str, reference: str, candidate: str) -> list[tuple[str, str]]:
    """Message and text of each remark."""
    found = _finding(name, reference, candidate).evidence
    sides = {"reference": reference, "hypothesis": candidate}
    return [(one.message, sides[one.side][one.start : one.end]) for one in found]


@pytest.mark.parametrize("name", _ALL)
@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_the_reference_scores_ten_without_remarks(text: str, name: str) -> None:
    finding = _finding(name, text, text)
    assert finding.kept == pytest.approx(10)
    assert name == "overall" or finding.evidence == ()


@pytest.mark.parametrize("name", _ALL)
def test_no_claims_score_zero(name: str) -> None:
    finding = _finding(name, PUMP, "  \n")
    assert finding.kept == 0
    assert [one.message for one in finding.evidence] == ["the candidate holds no claims"]


@pytest.mark.parametrize("change", NO_MATTER)
@pytest.mark.parametrize("name", _ALL)
def test_what_does_not_matter_changes_nothing(name: str, change: str) -> None:
    assert _finding(name, PUMP, NO_MATTER[change](PUMP)).kept == pytest.approx(10)


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_no_trick_keeps_the_overall_score(text: str, trick: str) -> None:
    assert _finding("overall", text, TRICKS[trick](text)).kept < 9.9


def test_the_overall_score_is_the_weighted_mean_of_patent_ce() -> None:
    spoilt = relinked(truncated(PUMP))
    scores = {name: _finding(name, PUMP, spoilt).kept for name in CRITERIA}
    # (4 completeness + 2 clarity + 2 consistency + 3 linkage) / 11, Jiang et al. 2025
    wanted = (4 * scores["completeness"] + 2 * scores["clarity"] + 2 * scores["consistency"]
              + 3 * scores["linkage"]) / 11  # fmt: skip
    assert _finding("overall", PUMP, spoilt).kept == pytest.approx(wanted)
    assert sum(CRITERION_WEIGHTS.values()) == 11


def test_completeness_names_what_is_missing_added_and_moved() -> None:
    ring = "; and a seal (40) arranged between the rotor (20) and the housing (10)"
    changed = PUMP.replace(ring, "").replace("is water.", "is water; and the pump has a blue lamp.")
    remarks = _remarks("completeness", PUMP, changed)
    assert ("and a seal (40) arranged between the rotor (20) and the housing (10),") in [
        text for _, text in remarks
    ]
    [added] = [text for message, text in remarks if message.startswith("limitation added")]
    assert added == "and the pump has a blue lamp."
    assert _finding("completeness", PUMP, changed).kept < 10


def test_clarity_names_lost_antecedents_and_cut_claims() -> None:
    lost = PUMP.replace("a motor (30) configured to drive", "and configured to drive", 1)
    assert [
        text for message, text in _remarks("clarity", PUMP, lost) if message.startswith("the motor")
    ] == ["motor"]
    assert "claim 7 does not end with a full stop" in dict(
        _remarks("clarity", PUMP, truncated(PUMP))
    )


def test_the_reference_twice_is_half_as_clear() -> None:
    remarks = dict(_remarks("clarity", PUMP, twice(PUMP)))
    assert "claim 1 is there again, in place 8 of the claims" in remarks
    assert not any("claim 1 repeats claim 1" in message for message in remarks)
    assert _finding("clarity", PUMP, twice(PUMP)).kept < 5
    assert _finding("overall", PUMP, twice(PUMP)).kept < 8


def test_a_claim_on_another_claim_is_no_repetition() -> None:
    sets = (
        "1. A cup comprising a lid.\n2. The cup of claim 1, wherein the lid is made of wood.\n"
        "3. A cup comprising a spout.\n4. The cup of claim 3, wherein the lid is made of wood."
    )
    again = sets.replace("a spout", "a lid")
    assert not any("repeats" in message for message, _ in _remarks("clarity", sets, sets))
    repeated = [message for message, _ in _remarks("clarity", sets, again) if "repeats" in message]
    assert repeated == ["claim 3 repeats claim 1", "claim 4 repeats claim 2"]


def test_the_agreement_in_the_books_is_that_of_the_measures(shared_data: Path) -> None:
    pairs = read_claim_pairs(shared_data / "patent_ce" / "quality_dev.json")
    names = [f"claim-{name}" for name in ("overall", *CRITERIA)]
    rows = meta_evaluate_claims(pairs, ",".join(names), settings=Sampling(resamples=0)).rows
    books = (Path(__file__).parents[2] / "docs" / "claim_measures.md").read_text(encoding="utf-8")
    for row in rows:
        taus = [one.estimates["tau"].value for one in (row.everything, row.without_gold)]
        shown = " | ".join(f"{tau:.3f}".replace("0.", ".") for tau in taus)
        assert f"| `{row.measure.label}` | {shown} |" in books


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
    for name in ("overall", "clarity"):
        assert _finding(name, reference, c).kept > _finding(name, reference, b).kept
    assert _remarks("clarity", reference, b) == [('"an" is expected before "annular"', "a annular")]
    assert _remarks("clarity", reference, c) == _remarks("consistency", reference, c) == []


def test_clarity_forgives_what_the_reference_does() -> None:
    loose = PUMP.replace("an axis", "the axis")
    assert _finding("clarity", loose, loose).kept == pytest.approx(10)
    assert _finding("clarity", PUMP, loose).kept < 10


def test_consistency_names_changed_terms() -> None:
    changed = PUMP.replace("the elastic ring", "the rubber ring")
    assert _remarks("consistency", PUMP, changed) == [
        ("term rubber ring: the reference says elastic ring", "rubber ring"),
    ]
    assert 9 < _finding("consistency", PUMP, changed).kept < 10


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
    assert _finding("linkage", PUMP, wrong).kept == pytest.approx(10 * (2 * 5 / 7 + 1) / 3)


def test_linkage_names_claims_without_counterpart() -> None:
    shorter = "\n".join(PUMP.splitlines()[:6])
    assert [m for m, _ in _remarks("linkage", PUMP, shorter)] == [
        "claim 7 has no counterpart in the candidate"
    ]
    assert [m for m, _ in _remarks("linkage", shorter, PUMP)] == [
        "claim 7 has no counterpart in the reference"
    ]


def test_two_elements_exchanged_lower_linkage() -> None:
    swapped = PUMP.replace(
        "between the rotor (20) and the housing (10)", "between the housing (10) and the rotor (20)"
    )
    assert _finding("linkage", PUMP, swapped).kept < 10


def test_chinese_claims_are_scored() -> None:
    pump = "1. 一种泵，包括：壳体；转子，设置在所述壳体内；以及电机，用于驱动所述转子。"
    shorter = "1. 一种泵，包括：壳体；转子，设置在所述壳体内。"
    reference = pump + "\n2. 根据权利要求1所述的泵，其特征在于，所述转子由钢制成。"
    candidate = shorter + "\n2. 根据权利要求1所述的泵，其特征在于，所述转子由铜制成。"
    assert _finding("overall", reference, reference).kept == pytest.approx(10)
    assert 3 < _finding("completeness", reference, candidate).kept < 9
    assert _finding("linkage", reference, candidate).kept > 7


def test_several_references_and_empty_ones_are_refused() -> None:
    segments = (
        Segment("a", references=(PUMP, PUMP)),
        Segment("b", references=("…",)),
        Segment("c", references=(PUMP,)),
    )
    with pytest.raises(InputError) as caught:
        Overall().statistics(TestSet(segments, "en"), [PUMP] * 3)
    assert [problem.message for problem in caught.value.problems] == [
        "segment 'a' has 2 references; claim-overall takes one",
        "segment 'b' has a reference without claims",
    ]


@pytest.mark.parametrize("name", _ALL)
@pytest.mark.parametrize(
    "draft",
    [
        "Sorry, I cannot help.",
        "I’m sorry, but I can’t assist with that request.\n\nIs there anything else?",
        "As an AI, I do not write patents.",
        "抱歉，我无法回答。",
        "申し訳ありませんが、お答えできません。",
    ],
)
def test_a_refusal_holds_no_claims(draft: str, name: str) -> None:
    finding = _finding(name, PUMP, draft)
    assert finding.kept == 0
    assert [one.message for one in finding.evidence] == ["the candidate holds no claims"]
    [quality] = ClaimQuality().findings(TestSet.of([PUMP]), [draft])
    assert quality.kept == 0


@given(st.text(max_size=200))
def test_any_text_is_scored_between_the_bounds(text: str) -> None:
    for name in _ALL:
        finding = _finding(name, PUMP, text)
        assert 0 <= finding.kept <= 10
        for one in finding.evidence:
            assert 0 <= one.start <= one.end <= len(PUMP if one.side == "reference" else text)


def test_nonsense_is_complete_in_nothing() -> None:
    assert _finding("completeness", PUMP, filler(PUMP)).kept < 1
    assert _finding("completeness", PUMP, shuffled(PUMP)).kept < 6


def test_a_limitation_before_wherein_counts() -> None:
    """Written by hand: what the parser takes for a preamble can limit a claim."""
    pump = "1. A pump comprising a housing and a rotor.\n2. The pump of claim 1"
    reference = pump + (
        " in which the rotor has five curved blades of carbon fibre, wherein the rotor is red."
    )
    draft = pump + ", wherein the rotor is red."
    assert _finding("completeness", reference, draft).kept < 7
    assert [text for _, text in _remarks("completeness", reference, draft)] == [
        "in which the rotor has five curved blades of carbon fibre,"
    ]


def test_an_element_before_characterised_counts() -> None:
    known = "1. A pump comprising: a housing made of cast iron; and a rotor"
    novel = ", characterised in that the rotor is red."
    draft = known.replace("a housing made of cast iron; and ", "") + novel
    remarks = _remarks("completeness", known + novel, draft)
    assert ("a housing made of cast iron;") in [text for _, text in remarks]
    assert _finding("completeness", known + novel, draft).kept < 8


@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_claims_of_another_patent_are_not_good_over_all(text: str) -> None:
    other = next(claims for claims in INVENTED if claims != text)
    assert _finding("overall", text, other).kept < 1.5
    assert any(
        message.startswith("little of the content is there")
        for message, _ in _remarks("overall", text, other)
    )


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
    finding = _finding("clarity", draft.format(1), draft.format(5))
    assert (finding.kept, finding.evidence) == (pytest.approx(10), ())
    assert _finding("linkage", draft.format(1), draft.format(5)).kept < 10


def test_an_open_end_is_marked_from_its_last_word() -> None:
    remarks = _remarks("clarity", PUMP, PUMP.rstrip(". \n"))
    last = PUMP.rstrip(". \n").split()[-1]
    assert last in [text for message, text in remarks if "full stop" in message]
