"""Correction for many tests, groups of systems, rank ranges, power."""

from __future__ import annotations

from itertools import combinations
from math import isnan, nan

import pytest
from hypothesis import given, strategies as st

from patmark.stats.clusters import rank_ranges, significance_clusters
from patmark.stats.significance import EffectSizes, PairedTest, SignTest, holm, with_holm


def _p_values(systems: int, *significant: tuple[int, int]) -> dict[tuple[int, int], float]:
    return {pair: 0.01 if pair in significant else 0.5 for pair in combinations(range(systems), 2)}


def test_holm_equals_statsmodels_0_15_0() -> None:
    assert holm([0.001, 0.04, 0.03, 0.012, 0.2]) == pytest.approx([0.005, 0.09, 0.09, 0.048, 0.2])


def test_holm_leaves_out_what_has_no_p() -> None:
    corrected = holm([0.03, nan, 0.01, nan])
    assert corrected[0] == pytest.approx(0.03)
    assert corrected[2] == pytest.approx(0.02)
    assert isnan(corrected[1]) and isnan(corrected[3])
    assert all(map(isnan, holm([nan, nan])))


def test_holm_of_few() -> None:
    assert holm([]) == []
    assert holm([0.04]) == [0.04]
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=12), st.randoms(use_true_random=False))
def test_holm_follows_its_definition_in_any_order(p_values: list[float], random: object) -> None:
    corrected = holm(p_values)
    for p, adjusted in zip(p_values, corrected, strict=True):
        smaller = sorted(value for value in p_values if value <= p)
        steps = [min(1, (len(p_values) - rank) * value) for rank, value in enumerate(smaller)]
        assert adjusted == pytest.approx(max(steps))
    order = list(range(len(p_values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert holm([p_values[place] for place in order]) == [corrected[place] for place in order]


def test_clusters_open_where_a_system_is_worse_than_any_member() -> None:
    """The third is told from the first but not from the second: it opens a group all the same."""
    p_values = _p_values(4, (0, 2), (0, 3))
    assert significance_clusters([40, 39, 38, 37], p_values) == [[0, 1], [2, 3]]
    assert rank_ranges([40, 39, 38, 37], p_values) == [(1, 2), (1, 4), (2, 4), (2, 4)]


def test_clusters_compare_with_the_current_group_only() -> None:
    p_values = _p_values(4, (0, 1), (0, 2), (1, 3))
    assert significance_clusters([40, 39, 38, 37], p_values) == [[0], [1, 2], [3]]


def test_clusters_name_systems_by_position() -> None:
    scores = [10.0, 30.0, 20.0]
    p_values = _p_values(3, (0, 1), (0, 2))
    assert significance_clusters(scores, p_values) == [[1, 2], [0]]
    assert rank_ranges(scores, p_values) == [(3, 3), (1, 2), (1, 2)]


def test_lower_is_better() -> None:
    scores = [10.0, 30.0, 20.0]
    p_values = _p_values(3, (0, 1), (0, 2))
    assert significance_clusters(scores, p_values, higher_is_better=False) == [[0], [2, 1]]
    assert rank_ranges(scores, p_values, higher_is_better=False) == [(1, 1), (2, 3), (2, 3)]


def test_equal_scores_stay_together() -> None:
    """Only one of two equal systems is told from the best; both open the group."""
    for significant in [(0, 1), (0, 2)]:
        assert significance_clusters([40, 38, 38], _p_values(3, significant)) == [[0], [1, 2]]
    assert significance_clusters([38, 38], _p_values(2, (0, 1))) == [[0, 1]]
    assert rank_ranges([38, 38], _p_values(2, (0, 1))) == [(1, 2), (1, 2)]


def test_significance_that_contradicts_the_order_of_scores_is_kept_apart() -> None:
    """Neighbours may differ significantly where the extremes do not."""
    p_values = _p_values(3, (0, 1), (1, 2))
    assert significance_clusters([40, 39, 38], p_values) == [[0], [1], [2]]
    assert rank_ranges([40, 39, 38], p_values) == [(1, 2), (2, 2), (2, 3)]


def test_the_level_is_inclusive_and_can_be_set() -> None:
    assert significance_clusters([2, 1], {(0, 1): 0.05}) == [[0], [1]]
    assert significance_clusters([2, 1], {(0, 1): 0.05}, alpha=0.01) == [[0, 1]]
    assert rank_ranges([2, 1], {(0, 1): 0.05}) == [(1, 1), (2, 2)]
    assert rank_ranges([2, 1], {(0, 1): 0.05}, alpha=0.01) == [(1, 2), (1, 2)]


def test_few_systems() -> None:
    assert significance_clusters([], {}) == rank_ranges([], {}) == []
    assert significance_clusters([7.0], {}) == [[0]]
    assert rank_ranges([7.0], {}) == [(1, 1)]


def test_a_test_without_a_p_tells_nothing_apart() -> None:
    assert significance_clusters([2, 1], {(0, 1): nan}) == [[0, 1]]
    assert rank_ranges([2, 1], {(0, 1): nan}) == [(1, 2), (1, 2)]


def test_systems_without_a_score_come_last() -> None:
    p_values = {(0, 1): nan, (0, 2): nan, (1, 2): 0.01}
    assert significance_clusters([nan, 1.0, 2.0], p_values) == [[2], [1], [0]]
    assert rank_ranges([nan, 1.0, 2.0], p_values) == [(1, 3), (2, 3), (1, 2)]


@given(st.data())
def test_the_order_of_systems_does_not_change_groups_or_ranks(data: st.DataObject) -> None:
    systems = data.draw(st.integers(1, 6))
    scores = data.draw(st.lists(st.integers(0, 4), min_size=systems, max_size=systems))
    p_values = {
        pair: data.draw(st.sampled_from([0.01, 0.5])) for pair in combinations(range(systems), 2)
    }
    order = data.draw(st.permutations(range(systems)))
    moved_scores = [scores[system] for system in order]
    moved = {
        (a, b): p_values[min(order[a], order[b]), max(order[a], order[b])]
        for a, b in combinations(range(systems), 2)
    }
    groups = [
        {order[place] for place in group} for group in significance_clusters(moved_scores, moved)
    ]
    assert groups == [set(group) for group in significance_clusters(scores, p_values)]
    ranges = rank_ranges(scores, p_values)
    assert rank_ranges(moved_scores, moved) == [ranges[system] for system in order]


def test_a_pair_is_named_turned_and_corrected() -> None:
    sign, effect = SignTest(3, 1, 2, 0.6), EffectSizes(0.5, 0.25, 0.6)
    pairs = [PairedTest(0, 1, 2.0, (-1.0, 4.0), 0.02, sign=sign, effect=effect)]
    pairs += [PairedTest(0, 2, 1.0, None, 0.5)]
    first, second = (pair.named(["atlas", "borealis", "cobalt"]) for pair in with_holm(pairs))
    assert (first.first, first.second, first.p_holm) == ("atlas", "borealis", 0.04)
    back = first.turned()
    assert (back.first, back.second, back.delta, back.ci) == ("borealis", "atlas", -2, (-4, 1))
    assert back.sign == SignTest(1, 3, 2, 0.6)
    assert back.effect == EffectSizes(-0.5, -0.25, 0.4)
    assert back.turned() == first
    assert (second.turned().ci, second.p_holm) == (None, 0.5)


def test_clusters_of_wmt_part_where_every_upper_system_beats_every_lower_one() -> None:
    scores = [4.0, 3.0, 2.0, 1.0]
    p = dict.fromkeys(combinations(range(4), 2), 0.001)
    assert significance_clusters(scores, p, rule="wmt") == [[0], [1], [2], [3]]
    p[1, 3] = 0.5
    assert significance_clusters(scores, p, rule="wmt") == [[0], [1, 2, 3]]
    assert significance_clusters(scores, p) == [[0], [1], [2], [3]]
    p[0, 2] = nan
    assert significance_clusters(scores, p, rule="wmt") == [[0, 1, 2, 3]]
    assert significance_clusters([1.0, nan, 2.0], {(0, 1): nan, (0, 2): 0.01, (1, 2): nan},
                                 rule="wmt") == [[2], [0], [1]]  # fmt: skip
