"""Severity, spread, use of the scale and drift of evaluators."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.errors import InputError, UsageError
from patmark.stats.evaluators import evaluator_bias

SCALE = [1, 2, 3, 4, 5]


def test_bias_on_common_items() -> None:
    first = np.array([[4, 2, 3, nan], [5, 1, nan, 2]])
    grades = np.stack([first, first - 1 + (first == 1), np.full_like(first, nan)])
    severe = evaluator_bias(grades, SCALE)[1]
    assert (severe.items, severe.common, severe.note) == (6, 6, "")
    assert severe.mean == pytest.approx(np.nanmean(grades[1]))
    assert severe.sd == pytest.approx(np.nanstd(grades[1], ddof=1))
    assert severe.difference == pytest.approx(-5 / 6)
    assert severe.counts == (3, 1, 1, 1, 0) and severe.drift is None
    absent = evaluator_bias(grades, SCALE)[2]
    assert absent.items == 0 and isnan(absent.mean) and isnan(absent.difference)


def test_others_are_averaged_item_by_item() -> None:
    grades = np.array([[[4.0, 4.0]], [[2.0, nan]], [[4.0, 1.0]]])
    assert evaluator_bias(grades, SCALE)[0].difference == pytest.approx(((4 - 3) + (4 - 1)) / 2)


def test_bias_without_common_items_says_so() -> None:
    grades = np.array([[[4.0, 5.0, nan, nan]], [[nan, nan, 2.0, 3.0]]])
    first = evaluator_bias(grades, SCALE)[0]
    assert (first.difference, first.common) == (2.0, 0)
    assert "no common items" in first.note


def test_drift_equals_scipy_1_17_1_linregress() -> None:
    values = np.array([[[3, 4, 2, 4, 3, 5, 4, 3, 5, 4]]], float)
    drift = evaluator_bias(values, SCALE, order=np.arange(10.0).reshape(1, 1, 10) * 60)[0].drift
    assert drift is not None and drift.moments == 10
    numbers = drift.change, drift.standardised, drift.p
    assert numbers == pytest.approx((1.2545454545, 0.4448651208, 0.1976561792))


def test_grades_of_one_moment_are_averaged_before_the_drift() -> None:
    """scipy 1.17.1 linregress on the means of two grades each."""
    values = np.array([[[3, 2, 3, 4, 5, 5], [4, 4, 5, 3, 4, 5]]], float)
    order = np.array([[[9, 10, 12, 15, 20, 30]] * 2], float)
    drift = evaluator_bias(values, SCALE, order)[0].drift
    assert drift is not None and drift.moments == 6
    numbers = drift.change, drift.standardised, drift.p
    assert numbers == pytest.approx((1.6428571429, 0.8352139951, 0.0384943063))


def test_drift_of_constant_steady_and_few_grades() -> None:
    order = np.arange(5.0).reshape(1, 1, 5)
    constant = evaluator_bias(np.full((1, 1, 5), 3.0), SCALE, order)[0].drift
    assert constant is not None and constant.change == pytest.approx(0) and isnan(constant.p)
    rising = evaluator_bias(np.arange(1.0, 6).reshape(1, 1, 5), SCALE, order)[0].drift
    assert rising is not None and rising.change == pytest.approx(4)
    assert rising.p == pytest.approx(0, abs=1e-12)
    two = evaluator_bias(np.array([[[1.0, 2.0]]]), SCALE, order[..., :2])[0].drift
    assert two is not None and two.change == pytest.approx(1) and isnan(two.p)


def test_bias_refuses_bad_input() -> None:
    grades = np.array([[[4.0, 5.0]]])
    with pytest.raises(UsageError, match="shape"):
        evaluator_bias(grades, SCALE, np.zeros((1, 2)))
    with pytest.raises(UsageError, match="order of judgements is missing"):
        evaluator_bias(grades, SCALE, np.array([[[1.0, nan]]]))
    with pytest.raises(InputError, match="not on the scale"):
        evaluator_bias(grades, [1, 2, 3])


def test_lenience_needs_only_the_order_of_grades() -> None:
    """Against the second: above, above, equal; against the third: below."""
    grades = np.array([[[4, 3, 2, nan]], [[3, 1, 2, 5]], [[5, nan, nan, nan]]], float)
    found = evaluator_bias(grades, SCALE)
    first, second, third = found
    assert (first.lenience, first.common) == (pytest.approx(1 / 4), 3)
    assert (second.lenience, third.lenience) == (pytest.approx(-3 / 4), 1)
    cubes = evaluator_bias(grades**3, [value**3 for value in SCALE])
    assert [one.lenience for one in cubes] == [one.lenience for one in found]
    alone = evaluator_bias(grades[:1], SCALE)[0]
    assert isnan(alone.lenience) and alone.common == 0


def test_ordinal_grades_have_no_mean_and_drift_by_rank() -> None:
    """scipy 1.17.1 linregress of rankdata([0, 2, 1, 3, 3])."""
    grades = np.array([[[0, 2, 1, 3, 3]]], float)
    order = np.arange(5.0).reshape(1, 1, 5)
    [one] = evaluator_bias(grades, [0, 1, 2, 3], order, ordinal=True)
    assert isnan(one.mean) and isnan(one.sd) and isnan(one.difference)
    assert one.counts == (1, 1, 1, 2) and one.drift is not None and isnan(one.drift.change)
    assert one.drift.standardised == pytest.approx(0.8720815993, abs=1e-9)
    assert one.drift.p == pytest.approx(0.0538542177, abs=1e-9)


def test_a_continuous_scale_has_no_values_to_count() -> None:
    [one] = evaluator_bias(np.array([[[1.5, 2.25]]]), None)
    assert one.counts == () and one.mean == pytest.approx(1.875)


@given(st.permutations(range(3)), st.integers(0, 5))
@settings(deadline=None, derandomize=True, max_examples=10)
def test_names_of_evaluators_do_not_matter(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    grades = rng.integers(1, 6, (3, 5, 12)).astype(float)
    grades[rng.random(grades.shape) < 0.2] = nan
    means = [evaluator.mean for evaluator in evaluator_bias(grades, SCALE)]
    assert [evaluator.mean for evaluator in evaluator_bias(grades[order], SCALE)] == [
        means[place] for place in order
    ]
