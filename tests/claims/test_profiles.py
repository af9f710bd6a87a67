"""Canonical texts and profiles: what is compared, and where it stands in the original."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from claim_tricks import INVENTED, NO_MATTER, PUMP
from patmark.claims.profiles import ROOT, ClaimProfile, profile_of
from patmark.claims.text_forms import canonical_form


def _compared(profile: ClaimProfile) -> tuple[object, ...]:
    clauses = [(clause.claim, clause.words) for clause in profile.clauses]
    return profile.words, clauses, profile.terms, profile.targets


@pytest.mark.parametrize("change", NO_MATTER)
@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_what_does_not_matter_is_not_seen(text: str, change: str) -> None:
    assert _compared(profile_of(NO_MATTER[change](text))) == _compared(profile_of(text))


def test_places_lead_back_to_the_original() -> None:
    text = "1. A  pump (10, 12) having said\n rotor (20), wherein Said “x” the said y."
    form = canonical_form(text)
    assert form.text == '1. A pump having the\nrotor, wherein The "x" the y.'
    for part, original in [("pump", "pump"), ("rotor", "rotor"), ('"x"', "“x”"), ("y.", "y.")]:
        start = form.text.index(part)
        first, last = form.original(start, start + len(part))
        assert text[first:last] == original


def test_brackets_without_signs_stay() -> None:
    assert canonical_form("a layer (10 mm) and (a) a film").text == "a layer (10 mm) and (a) a film"


@given(st.text(alphabet="a1 .\n()said“é權", max_size=60))
def test_places_lie_within_the_original(text: str) -> None:
    form = canonical_form(text)
    for place in range(len(form.text)):
        start, end = form.original(place, place + 1)
        assert 0 <= start < end <= len(text)
    assert canonical_form(form.text).text.split() == form.text.split()


def test_targets_keep_the_numbers_of_missing_claims() -> None:
    openings = ("A lid", "The lid of claim 1", "The lid of claim 9", "The lid of claim 5", "A cup")
    text = "\n".join(f"{number}. {opening}." for number, opening in enumerate(openings, 1))
    targets = profile_of(text).targets
    assert targets == tuple(map(frozenset, ({ROOT}, {0}, {ROOT - 1 - 9}, {4}, {ROOT})))


def test_terms_without_antecedent() -> None:
    text = (
        "1. A lid having a hinge, wherein the hinge holds the spring.\n"
        "2. The lid of claim 1, wherein the hinge has a pin.\n"
        "3. A cup having the pin."
    )
    assert [term.text for term in profile_of(text).unsupported] == ["spring", "pin"]


def test_a_real_set_of_claims_is_sound() -> None:
    profile = profile_of(PUMP)
    assert [term.text for term in profile.unsupported] == []
    assert profile.unfinished == ()
    assert sum(len(clause.words) for clause in profile.clauses) <= sum(map(len, profile.words))


def _clauses(text: str) -> list[str]:
    profile = profile_of(text)
    return [profile.form.text[clause.start : clause.end] for clause in profile.clauses]


def test_limitations_before_wherein_are_clauses() -> None:
    text = (
        "1. A pump comprising: a housing; and a rotor, characterised in that it is green.\n"
        "2. The pump of claim 1 in which the rotor has five blades, wherein the rotor is red.\n"
        "3. The pump of claim 2, wherein the rotor is cast."
    )
    assert _clauses(text) == [
        "A pump comprising:", "a housing;", "and a rotor,", "it is green.",
        "in which the rotor has five blades,", "the rotor is red.", "the rotor is cast.",
    ]  # fmt: skip
    assert _clauses("1. 一种泵。\n2. 权利要求1所述的泵，转子为红色，其特征在于，壳体为铁。") == [
        "一种泵。", "泵,转子为红色,", "壳体为铁。",
    ]  # fmt: skip


def test_canceled_claims_are_left_out() -> None:
    text = "1. A lid.\n2-3. (Canceled)\n4. (New) The lid of claim 1.\n5. The lid of claim 3."
    profile = profile_of(text)
    assert [claim.number for claim in profile.claims.claims] == [1, 4, 5]
    assert profile.targets == (frozenset({ROOT}), frozenset({0}), frozenset({ROOT - 1 - 3}))
    assert len(profile.words) == 3
