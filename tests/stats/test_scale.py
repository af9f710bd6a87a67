"""No rank statistic and no p depends on the scale of a metric."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.stats import (
    acc_eq,
    calibrate,
    cross_validated,
    kendall_b,
    kendall_c,
    paired_differences,
    pearson,
    predicted_preferences,
    resampled_calibration,
    segment_tests,
    sign_test,
    soft_pair_distances,
    spearman,
    wilcoxon_test,
)
from patmark.stats.metric_tests import PermutationPlan, exchange_soft_accuracy
from patmark.stats.resampling import Units
from patmark.stats.rounding import magnitude, rounded

FACTORS = (1e-13, 1e-6, 3e-5, 1e13)
GRADES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(-9, 9)), min_size=6, max_size=40
)  # gold, tenths of a metric


@settings(deadline=None, derandomize=True, max_examples=40)
@given(GRADES, st.sampled_from(FACTORS))
def test_correlations_do_not_depend_on_the_scale(
    pairs: list[tuple[int, int]], factor: float
) -> None:
    gold, tenths = np.array(pairs, dtype=np.float64).T
    metric = tenths * 0.1
    for coefficient in (pearson, spearman, kendall_b, kendall_c, acc_eq):
        value, scaled = float(coefficient(gold, metric)), float(coefficient(gold, metric * factor))
        assert scaled == pytest.approx(value, rel=1e-9, nan_ok=True), coefficient.__name__


@pytest.mark.parametrize("factor", FACTORS)
def test_tie_calibration_does_not_depend_on_the_scale(factor: float) -> None:
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 3, (6, 30)).astype(np.float64)
    metric = np.round(gold * 0.1 + rng.normal(0, 0.1, gold.shape), 2)
    whole, scaled = calibrate(gold, metric), calibrate(gold, metric * factor)
    assert scaled.accuracy == whole.accuracy
    assert scaled.epsilon == pytest.approx(whole.epsilon * factor)
    documents, units = np.arange(30), Units.choose([None] * 30)
    folds = [cross_validated(gold, one, documents).accuracy for one in (metric, metric * factor)]
    assert folds[0] == folds[1]
    drawn = [resampled_calibration(gold, one[None], units, 50) for one in (metric, metric * factor)]
    np.testing.assert_allclose(drawn[0], drawn[1], rtol=1e-12)


@pytest.mark.parametrize("factor", FACTORS)
def test_soft_accuracy_does_not_depend_on_the_scale(factor: float) -> None:
    rng = np.random.default_rng(5)
    gold, metric = rng.normal(size=(2, 5, 40))
    np.testing.assert_allclose(
        soft_pair_distances(gold, metric * factor), soft_pair_distances(gold, metric), rtol=1e-9
    )
    plan, other = PermutationPlan(99), rng.normal(size=(5, 40))
    plain, scaled = (
        exchange_soft_accuracy(gold, np.stack([one, other]), plan).p
        for one in (metric, metric * factor)
    )
    np.testing.assert_array_equal(plain, scaled)


@pytest.mark.parametrize("factor", FACTORS)
def test_segment_tests_do_not_depend_on_the_scale(factor: float) -> None:
    rng = np.random.default_rng(6)
    first, second = np.round(rng.random((2, 3, 40)), 1)
    for one, scaled in zip(
        segment_tests(first, second), segment_tests(first * factor, second * factor), strict=True
    ):
        assert scaled.sign == one.sign
        assert scaled.p_wilcoxon == one.p_wilcoxon
        assert scaled.p_t == pytest.approx(one.p_t, rel=1e-9)
    differences = paired_differences(first[0] * factor, second[0] * factor)
    assert sign_test(differences) == sign_test(paired_differences(first[0], second[0]))
    assert wilcoxon_test(differences) == segment_tests(first, second)[0].p_wilcoxon


@pytest.mark.parametrize("factor", FACTORS)
def test_a_band_of_ties_scales_with_the_metric(factor: float) -> None:
    first, second = np.array(list(product((0.1, 0.3, 0.6), repeat=2))).T
    plain = predicted_preferences(first, second, band=0.2)
    scaled = predicted_preferences(first * factor, second * factor, band=0.2 * factor)
    assert plain.tolist() == scaled.tolist()
    assert plain.tolist().count(0) == 5  # 0.3 − 0.1 is a little more than 0.2


def test_equal_sums_stay_equal_after_rounding_and_decimals_stay_decimal() -> None:
    values = np.array([0.1 + 0.2, 0.3, 0.05])
    assert rounded(values).tolist() == [0.3, 0.3, 0.05]
    assert len(set(rounded(values * 1e-13).tolist())) == 2
    assert magnitude(np.array([0.0, np.nan])).item() == 1.0
