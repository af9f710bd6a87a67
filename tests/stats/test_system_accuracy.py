"""Soft pairwise accuracy: against plain loops, by properties."""

from __future__ import annotations

from itertools import combinations
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.errors import UsageError
from patmark.stats import correlation, significance
from patmark.stats.correlation import (
    one_sided_p_values,
    pair_features,
    pair_p_values,
    soft_pair_distances,
)
from patmark.stats.significance import draw_signs

FEW = settings(max_examples=40)


class PairwiseAccuracy(NamedTuple):
    """One minus the mean distance over pairs of systems, and how many pairs there are."""

    value: float
    pairs: int


def soft_pairwise_accuracy(gold: Any, metric: Any, *options: Any, **others: Any) -> Any:
    distances = soft_pair_distances(gold, metric, *options, **others)
    upper = distances[np.triu_indices(len(distances), 1)]
    return PairwiseAccuracy(1 - float(upper.mean()) if len(upper) else nan, len(upper))


def campaign(seed: int, systems: int = 5, segments: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 0.3, (systems, 1))
    return tuple(quality + rng.normal(0, 1, (systems, segments)) for _ in range(2))


def loop_p(first: Any, second: Any, signs: Any) -> float:
    """One pair, one permutation after the other; an equal difference counts as half."""
    observed = round(float(np.sum(first - second)), 9)
    found = [round(float(np.sum(sign * (first - second))), 9) for sign in signs]
    return sum((one > observed) + (one == observed) / 2 for one in found) / len(signs)


def test_p_of_the_example_of_mt_metrics_eval(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two systems and ten permutations in the docstring of its pce.py at 1b47eab.

    Its p is 0.1, because the one permutation with an equal difference counts in full; here half.
    """
    drawn = "++---+-+-++-++--+--++++-+-+-+-++++++-+-+++--+-+---"
    signs = np.array([1.0 if sign == "+" else -1.0 for sign in drawn]).reshape(10, 5)
    monkeypatch.setattr(correlation, "draw_signs", lambda *_: iter([signs]))
    scores = np.array([[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]])
    assert one_sided_p_values(scores, 10, 1)[0, 1] == 0.1 / 2


@pytest.mark.parametrize("permutations", [1, 200])
@pytest.mark.parametrize("digits", [0, 1, 12])
def test_soft_accuracy_equals_a_loop(permutations: int, digits: int) -> None:
    """Each pair by itself, with the same signs; coarse scores give equal differences."""
    gold, metric = (np.round(scores, digits) for scores in campaign(2))
    signs = np.concatenate(list(draw_signs(gold.shape[1], permutations, 7)))
    distances = [
        abs(loop_p(gold[i], gold[j], signs) - loop_p(metric[i], metric[j], signs))
        for i, j in combinations(range(len(gold)), 2)
    ]
    result = soft_pairwise_accuracy(gold, metric, permutations, 7)
    assert result == PairwiseAccuracy(pytest.approx(1 - np.mean(distances)), 10)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, metric = campaign(3)
    whole = soft_pairwise_accuracy(gold, metric, 300, 5)
    monkeypatch.setattr(significance, "_CELLS_AT_ONCE", 100)
    assert soft_pairwise_accuracy(gold, metric, 300, 5) == whole


def test_p_against_all_exchanges() -> None:
    """Many permutations of 8 units come near the 256 that there are."""
    scores = campaign(4, 2, 8)[0]
    every = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    p = one_sided_p_values(scores, 20_000, 1)
    assert p[0, 1] == pytest.approx(loop_p(*scores, every), abs=0.015)
    assert np.isnan(p[[0, 1, 1], [0, 0, 1]]).all()


@FEW
@given(st.integers(0, 10**6))
def test_soft_accuracy_of_the_same_and_of_the_reverse(seed: int) -> None:
    gold, metric = campaign(seed)
    value = soft_pairwise_accuracy(gold, metric, 100, seed).value
    assert soft_pairwise_accuracy(gold, 3 * gold + 1, 100, seed).value == 1
    assert soft_pairwise_accuracy(metric, gold, 100, seed).value == pytest.approx(value)
    assert soft_pairwise_accuracy(gold[::-1], metric[::-1], 100, seed).value == pytest.approx(value)
    assert 0 <= value <= 1


def test_systems_that_never_differ() -> None:
    """p is ½ whatever their order, even where sums are rounded."""
    scores = np.tile(np.random.default_rng(1).random(40), (3, 1))
    scores[1] = scores[1] * 3 / 3
    p = one_sided_p_values(scores, 50, 0)
    assert p[np.triu_indices(3, 1)].tolist() == [0.5, 0.5, 0.5]
    assert pair_p_values(pair_features(scores).sum(axis=1)).tolist() == [0.5, 0.5, 0.5]


@FEW
@given(st.integers(0, 10**6), st.permutations(range(5)), st.sampled_from([(1, 1), (0, 1), (1, 9)]))
def test_the_order_of_systems_changes_nothing(
    seed: int, order: list[int], digits: tuple[int, int]
) -> None:
    """Also where gold or the metric ties systems, in some segments or in all."""
    gold, metric = (np.round(scores, d) for scores, d in zip(campaign(seed), digits, strict=True))
    gold[1] = gold[0]
    metric[3] = metric[4]
    value = soft_pairwise_accuracy(gold, metric, 100, seed).value
    for places in (order, range(4, -1, -1)):
        other = soft_pairwise_accuracy(gold[places], metric[places], 100, seed).value
        assert other == pytest.approx(value, abs=1e-12)


def test_a_clear_order_and_its_reverse() -> None:
    scores = np.arange(3.0)[:, None] + np.random.default_rng(2).normal(0, 0.1, (3, 50))
    result = soft_pairwise_accuracy(scores, scores, 100, 0)
    assert result == PairwiseAccuracy(1.0, 3)
    assert soft_pairwise_accuracy(scores, -scores, 100, 0).value == 0


def test_segments_without_gold_are_left_out() -> None:
    gold, metric = campaign(6)
    kept = np.arange(30) % 3 > 0
    expected = soft_pairwise_accuracy(gold[:, kept], metric[:, kept], 100, 3)
    gold[:, ~kept] = nan
    metric[:, 0] = nan
    assert soft_pairwise_accuracy(gold, metric, 100, 3) == expected


def test_one_system_has_no_pairs() -> None:
    result = soft_pairwise_accuracy(np.ones((1, 4)), np.ones((1, 4)), 10, 0)
    assert isnan(result.value)
    assert result.pairs == 0


def test_refused_requests() -> None:
    gold, metric = campaign(8)
    with pytest.raises(UsageError, match="at least one permutation, not 0"):
        soft_pairwise_accuracy(gold, metric, 0, 0)
    with pytest.raises(UsageError, match="axes"):
        soft_pairwise_accuracy(gold[0], metric[0], 10, 0)
    with pytest.raises(UsageError, match="no segment has gold"):
        soft_pairwise_accuracy(gold * nan, metric, 10, 0)
    gold[2, 4] = nan
    with pytest.raises(UsageError, match="1 segments have gold for some systems only"):
        soft_pairwise_accuracy(gold, metric, 10, 0)
    metric[0, 0] = nan
    with pytest.raises(UsageError, match="1 of 149 entries with gold have no metric score"):
        soft_pairwise_accuracy(gold, metric, 10, 0)
