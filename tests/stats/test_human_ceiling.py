"""How well raters predict each other."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.scores import FloatArray
from patmark.errors import UsageError
from patmark.stats.correlation import pearson
from patmark.stats.evaluators import human_ceiling, metric_bound


def _panel(raters: int, noise: float, systems: int = 6, segments: int = 40) -> FloatArray:
    rng = np.random.default_rng(21)
    truth = rng.normal(size=(systems, 1)) + rng.normal(size=(systems, segments))
    return truth + noise * rng.normal(size=(raters, systems, segments))


def test_ceiling_of_two_raters_is_their_correlation() -> None:
    panel = _panel(2, noise=1)
    panel[0, 0, :5] = nan
    result = human_ceiling(panel)
    both = ~np.isnan(panel[0])
    assert result.all_splits and result.system.splits == 1 and result.items == (235, 235)
    assert result.segment.mean == pytest.approx(float(pearson(panel[0][both], panel[1][both])))
    means = np.array([[rater[s, both[s]].mean() for s in range(6)] for rater in panel])
    assert result.system.mean == pytest.approx(float(pearson(*means)))
    assert [r.system for r in result.leave_one_out] == pytest.approx([result.system.mean] * 2)


@pytest.mark.parametrize("raters, splits", [(3, 3), (4, 3), (5, 10), (6, 10)])
def test_every_split_is_taken_once_where_there_are_few(raters: int, splits: int) -> None:
    result = human_ceiling(_panel(raters, noise=1))
    assert result.all_splits and result.segment.splits == splits
    assert len(result.leave_one_out) == raters


def test_many_raters_are_split_at_random() -> None:
    result = human_ceiling(_panel(12, noise=1), splits=50, seed=2)
    assert not result.all_splits and result.system.splits == 50
    assert result == human_ceiling(_panel(12, noise=1), splits=50, seed=2)
    # Each half has noise variance 1/6 beside truth with variance 2.
    assert result.segment.mean == pytest.approx(2 / (2 + 1 / 6), abs=0.05)


def test_perfect_random_and_constant_raters_at_the_ceiling() -> None:
    perfect = human_ceiling(_panel(4, noise=0))
    assert perfect.system.mean == pytest.approx(1) and perfect.segment.mean == pytest.approx(1)
    chance = human_ceiling(np.random.default_rng(1).normal(size=(4, 50, 60)))
    assert abs(chance.segment.mean) < 0.05 and abs(chance.system.mean) < 0.3
    constant = human_ceiling(np.full((4, 5, 6), 3.0))
    assert isnan(constant.segment.mean) and constant.segment.undefined == 3
    odd_one = _panel(4, noise=0.1)
    odd_one[2] = -odd_one[2]
    others = human_ceiling(odd_one).leave_one_out
    assert others[2].segment < -0.9 and all(others[k].segment > 0.9 for k in (0, 1, 3))


def test_ceiling_needs_common_items() -> None:
    grades = np.array([[[4.0, 5.0, nan]], [[nan, nan, 2.0]]])
    with pytest.raises(UsageError, match="no item was judged by two raters"):
        human_ceiling(grades)


@given(st.permutations(range(3)), st.integers(0, 5))
@settings(deadline=None, derandomize=True, max_examples=10)
def test_names_of_evaluators_do_not_matter(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    grades = rng.integers(1, 6, (3, 5, 12)).astype(float)
    grades[rng.random(grades.shape) < 0.2] = nan
    ceiling, renamed = human_ceiling(grades), human_ceiling(grades[order])
    assert renamed.system.mean == pytest.approx(ceiling.system.mean)
    assert renamed.segment.interval == pytest.approx(ceiling.segment.interval)


@pytest.mark.parametrize("raters", [2, 4, 5])
def test_a_perfect_metric_reaches_the_bound_and_exceeds_half_against_half(raters: int) -> None:
    """The truth itself as a metric, against the mean of all raters."""
    rng = np.random.default_rng(22)
    truth = rng.normal(size=(30, 1)) + rng.normal(size=(30, 200))
    panel = truth + 2 * rng.normal(size=(raters, 30, 200))
    reached = float(pearson(truth.ravel(), panel.mean(axis=0).ravel()))
    result = human_ceiling(panel)
    assert result.segment_bound == pytest.approx(reached, abs=0.015)
    assert reached > result.segment.mean + 0.1
    assert result.system_bound >= result.system.mean


@pytest.mark.parametrize(("r", "bound"), [(0.5, np.sqrt(2 / 3)), (1, 1), (0, nan), (-0.2, nan)])
def test_the_bound_by_hand(r: float, bound: float) -> None:
    assert metric_bound(r) == pytest.approx(bound, nan_ok=True)
    assert isnan(metric_bound(nan))
