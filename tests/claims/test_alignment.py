"""Assignment of claims, and the overlap it rests on."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claim_tricks import BATTERY, INVENTED, PUMP, twice
from patmark.claims.comparison import compare_profiles, overlap
from patmark.claims.profiles import bags_of, profile_of

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
