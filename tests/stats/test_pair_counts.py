"""Counts of ordered and tied pairs, and their coefficients: against SciPy and plain loops."""

from __future__ import annotations

from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from patmark.errors import UsageError
from patmark.stats import correlation as pair_counts
from patmark.stats.correlation import (
    PairCounts,
    acc_eq,
    count_pairs,
    kendall_b,
)

GOLD = np.array([5, 4, 4, 3, 2, 5, 1, 3, 4, 2.0])
METRIC = np.array([0.9, 0.7, 0.8, 0.5, 0.5, 0.85, 0.2, 0.6, 0.6, 0.3])
COEFFICIENTS = [kendall_b, acc_eq]
FEW = settings(max_examples=60)

coarse = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 12)), max_size=25)


def as_tuple(counts: PairCounts) -> tuple[int, ...]:
    return (
        int(counts.concordant),
        int(counts.discordant),
        int(counts.tied_gold),
        int(counts.tied_metric),
        int(counts.tied_both),
    )


def loop(gold: Any, metric: Any, epsilon: float = 0.0) -> tuple[int, ...]:
    """Concordant, discordant, tied in gold, in the metric, in both."""
    counts = [0] * 5
    for i, j in combinations(range(len(gold)), 2):
        difference = round(float(metric[i] - metric[j]), 12)
        gold_tie, metric_tie = gold[i] == gold[j], abs(difference) <= epsilon
        if gold_tie or metric_tie:
            counts[4 if gold_tie and metric_tie else 2 if gold_tie else 3] += 1
        else:
            counts[0 if (gold[i] > gold[j]) == (difference > 0) else 1] += 1
    return tuple(counts)


def test_constants() -> None:
    # SciPy 1.17.1 for the coefficient, counts by hand
    assert as_tuple(count_pairs(GOLD, METRIC)) == (37, 0, 6, 2, 0)
    assert kendall_b(GOLD, METRIC) == pytest.approx(0.903515, abs=5e-7)
    assert acc_eq(GOLD, METRIC) == pytest.approx(0.822222, abs=5e-7)


def test_equal_differences_are_tied_together() -> None:
    """.9 − .85 and .85 − .8 are not the same number in binary."""
    assert 0.9 - 0.85 != 0.85 - 0.8
    counts = count_pairs(np.arange(3), np.array([0.8, 0.85, 0.9]), 0.05)
    assert as_tuple(counts) == (1, 0, 0, 2, 0)


def test_sums_with_rounding_are_tied_in_gold() -> None:
    counts = count_pairs(np.array([0.1 + 0.2, 0.3]), np.array([0.1 + 0.2, 0.3]))
    assert as_tuple(counts) == (0, 0, 0, 0, 1)


@FEW
@given(coarse, st.integers(0, 6))
def test_counts_equal_a_loop(rows: list[tuple[int, int]], step: int) -> None:
    gold, metric = np.array(rows, dtype=float).reshape(-1, 2).T
    epsilon = step * 0.05
    counts = count_pairs(gold, metric * 0.05, epsilon)
    assert as_tuple(counts) == loop(gold, metric * 0.05, round(epsilon, 12))
    assert counts.pairs == len(rows) * (len(rows) - 1) // 2


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
@pytest.mark.parametrize("size", [13, 22, 23, 30])
@pytest.mark.parametrize("shape", [(), (2, 7)])
def test_many_rows_and_blocks(
    epsilon: float, size: int, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short and long rows; gold of each row, or one for all."""
    rng = np.random.default_rng(5)
    gold, metric = rng.integers(0, 9, (*shape, size)), rng.normal(0, 1, (2, 7, size))
    monkeypatch.setattr(pair_counts, "_CELLS_AT_ONCE", 40)
    monkeypatch.setattr(pair_counts, "_CELLS_NEAR", 500)
    counts = count_pairs(gold, metric, epsilon)
    found = (counts.concordant, counts.discordant, counts.tied_gold, counts.tied_metric)
    found = np.stack([*found, counts.tied_both], axis=-1)
    whole = np.broadcast_to(gold, metric.shape)
    for place in np.ndindex(2, 7):
        assert tuple(found[place]) == loop(whole[place], metric[place], epsilon)


@pytest.mark.parametrize("count", [2, 5, 40, 700])
@pytest.mark.parametrize("levels", [3, 12, 10**9])
def test_tau_equals_scipy(count: int, levels: int) -> None:
    rng = np.random.default_rng(count)
    gold, metric = rng.integers(0, levels, count), rng.integers(0, levels + 3, count) / 7
    expected = stats.kendalltau(gold, metric).statistic
    assert kendall_b(gold, metric) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_the_pooled_entries_of_a_large_campaign() -> None:
    """20 systems × 2,000 segments: 8·10⁸ pairs, which no array may hold."""
    rng = np.random.default_rng(8)
    gold = rng.integers(0, 6, 40_000).astype(float)
    metric = np.round(gold + rng.normal(0, 2, 40_000), 2)
    expected = stats.kendalltau(gold, metric).statistic
    assert kendall_b(gold, metric) == pytest.approx(expected, abs=1e-12)
    assert count_pairs(gold, metric, 0.5).pairs == 40_000 * 39_999 // 2


@FEW
@given(coarse, st.integers(0, 6))
def test_accuracy(rows: list[tuple[int, int]], epsilon: int) -> None:
    gold, metric = np.array(rows, dtype=float).reshape(-1, 2).T
    accuracy = acc_eq(gold, metric, epsilon)
    if len(rows) < 2:
        assert isnan(accuracy)
        return
    counts = loop(gold, metric, epsilon)
    assert accuracy == pytest.approx((counts[0] + counts[4]) / sum(counts))
    assert acc_eq(gold, gold) == 1


@FEW
@given(coarse)
def test_swapping_gold_and_metric_keeps_the_counts(rows: list[tuple[int, int]]) -> None:
    gold, metric = np.array(rows, dtype=float).reshape(-1, 2).T
    there, back = as_tuple(count_pairs(gold, metric)), as_tuple(count_pairs(metric, gold))
    assert back == (*there[:2], there[3], there[2], there[4])
    reverse = as_tuple(count_pairs(gold, -metric))
    assert reverse == (there[1], there[0], *there[2:])


def test_one_side_all_ties() -> None:
    constant, varied = np.full(4, 0.1 + 0.2), np.arange(4.0)
    assert isnan(kendall_b(constant, varied))
    assert isnan(kendall_b(varied, constant))
    assert isnan(kendall_b(varied, varied, 9.0))
    assert acc_eq(constant, varied) == 0
    assert acc_eq(constant, varied, 3.0) == 1


@pytest.mark.parametrize("function", COEFFICIENTS)
@pytest.mark.parametrize("size", [0, 1])
def test_fewer_than_two_entries(function: Any, size: int) -> None:
    assert isnan(function(np.ones(size), np.ones(size)))
    assert np.isnan(function(np.ones((3, size)), np.ones((3, size)))).tolist() == [True] * 3
    assert function(np.ones((0, 4)), np.ones((0, 4))).shape == (0,)


@pytest.mark.parametrize("function", COEFFICIENTS)
def test_refused_requests(function: Any) -> None:
    with pytest.raises(UsageError, match="every score is a number"):
        function(np.array([1.0, nan]), np.ones(2))
    with pytest.raises(UsageError, match="not -1"):
        function(np.ones(2), np.ones(2), -1)
    with pytest.raises(UsageError, match="not nan"):
        function(np.ones(2), np.ones(2), nan)
