"""Compact letter display."""

from __future__ import annotations

from itertools import combinations
from math import nan

from hypothesis import given, settings, strategies as st

from patmark.stats.clusters import letter, significance_letters


def _p_values(systems: int, *significant: tuple[int, int]) -> dict[tuple[int, int], float]:
    return {pair: 0.01 if pair in significant else 0.5 for pair in combinations(range(systems), 2)}


def _texts(scores: list[float], p_values: dict[tuple[int, int], float]) -> list[str]:
    return ["".join(letters) for letters in significance_letters(scores, p_values)]


def test_overlapping_groups() -> None:
    p_values = _p_values(4, (0, 2), (0, 3), (1, 3))
    assert _texts([40, 39, 38, 37], p_values) == ["a", "ab", "bc", "c"]
    assert _texts([37, 38, 39, 40], p_values) == ["c", "bc", "ab", "a"]


def test_lower_may_be_better() -> None:
    letters = significance_letters([1.0, 2.0], _p_values(2, (0, 1)), higher_is_better=False)
    assert letters == [("a",), ("b",)]


def test_all_alike_all_different_one_none() -> None:
    assert _texts([3, 2, 1], _p_values(3)) == ["a", "a", "a"]
    assert _texts([1, 3, 2], _p_values(3, (0, 1), (0, 2), (1, 2))) == ["c", "a", "b"]
    assert _texts([1], {}) == ["a"]
    assert _texts([], {}) == []


def test_without_p_not_significant_and_without_score_last() -> None:
    assert _texts([2, 1], {(0, 1): nan}) == ["a", "a"]
    assert _texts([nan, 1, 2], _p_values(3, (0, 1), (0, 2), (1, 2))) == ["c", "b", "a"]
    assert significance_letters([2, 1], {(0, 1): 0.05}) == [("a",), ("b",)]
    assert significance_letters([2, 1], {(0, 1): 0.05}, alpha=0.01) == [("a",), ("a",)]


def test_letters_go_on_after_the_alphabet() -> None:
    assert [letter(n) for n in (0, 25, 26, 51)] == ["a", "z", "A", "Z"]
    assert [letter(n) for n in (52, 53, 77, 78, 727, 728)] == ["aa", "ab", "az", "ba", "zz", "aaa"]
    assert len({letter(n) for n in range(2000)}) == 2000
    all_different = dict.fromkeys(combinations(range(60), 2), 0.0)
    scores = [float(-system) for system in range(60)]
    assert significance_letters(scores, all_different) == [(letter(n),) for n in range(60)]


_systems = st.integers(1, 9).flatmap(
    lambda systems: st.tuples(
        st.lists(st.integers(0, 5).map(float), min_size=systems, max_size=systems),
        st.lists(
            st.booleans(),
            min_size=systems * (systems - 1) // 2,
            max_size=systems * (systems - 1) // 2,
        ),
    )
)


@given(_systems)
@settings(deadline=None, derandomize=True, max_examples=300)
def test_a_letter_is_shared_exactly_where_no_test_tells_apart(
    drawn: tuple[list[float], list[bool]],
) -> None:
    scores, told = drawn
    pairs = list(combinations(range(len(scores)), 2))
    p_values = {pair: 0.01 if apart else 0.5 for pair, apart in zip(pairs, told, strict=True)}
    letters = significance_letters(scores, p_values)
    for (first, second), p in p_values.items():
        assert bool(set(letters[first]) & set(letters[second])) == (p > 0.05)
    assert all(letters)
    assert "a" in letters[max(range(len(scores)), key=lambda system: scores[system])]


@given(_systems)
@settings(deadline=None, derandomize=True)
def test_no_group_lies_within_another(drawn: tuple[list[float], list[bool]]) -> None:
    scores, told = drawn
    pairs = list(combinations(range(len(scores)), 2))
    p_values = {pair: 0.01 if apart else 0.5 for pair, apart in zip(pairs, told, strict=True)}
    letters = significance_letters(scores, p_values)
    groups = [
        {system for system, own in enumerate(letters) if name in own}
        for name in {name for own in letters for name in own}
    ]
    assert not any(first < second for first in groups for second in groups)
