"""Clauses found, missing, added and moved."""

from __future__ import annotations

import pytest

from claim_tricks import BATTERY, INVENTED, PUMP, twice
from patmark.claims.comparison import MISSING, compare_profiles
from patmark.claims.profiles import profile_of

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
