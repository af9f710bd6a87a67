"""Paired tests on segment scores, against SciPy."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from patmark.stats.significance import (
    effect_sizes,
    paired_differences,
    sign_test,
    t_test,
    wilcoxon_test,
)

# Scores with printed results of SciPy 1.17.1 and statsmodels 0.15.0.
FIRST = np.array([0.31, 0.42, 0.55, 0.12, 0.77, 0.61, 0.33, 0.48])
SECOND = np.array([0.28, 0.45, 0.41, 0.10, 0.70, 0.66, 0.30, 0.39])

differences = st.lists(st.integers(-20, 20), min_size=2, max_size=80).map(
    lambda numbers: np.array(numbers) / 4
)


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(12, 3, 0.035156), (9, 1, 0.021484), (60, 38, 0.033360), (7, 7, 1.0), (1, 0, 1.0)],
)
def test_sign_test_equals_scipy_1_17_1(wins: int, losses: int, p: float) -> None:
    result = sign_test(np.repeat([1.0, -1.0, 0.0], [wins, losses, 5]))
    assert (result.wins, result.losses, result.ties) == (wins, losses, 5)
    assert result.p == pytest.approx(p, abs=5e-7)


def test_t_test_and_effect_size_equal_scipy_1_17_1() -> None:
    values = paired_differences(FIRST, SECOND)
    assert t_test(values) == pytest.approx(0.131123, abs=5e-7)
    assert effect_sizes(values).cohen_dz == pytest.approx(0.604367, abs=5e-7)


def test_wilcoxon_with_ties_is_exact_as_in_scipy_1_17_1() -> None:
    """Two of the three differences of 0.03 are equal before rounding, all three after it."""
    assert wilcoxon_test(FIRST - SECOND) == pytest.approx(0.203125, abs=5e-7)
    assert wilcoxon_test(paired_differences(FIRST, SECOND)) == pytest.approx(0.1875, abs=5e-7)


@given(differences)
def test_sign_test_equals_the_binomial_test_of_scipy(values: np.ndarray) -> None:
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(values).p == pytest.approx(expected, rel=1e-9)


@given(differences.filter(lambda values: np.ptp(values) > 0))
def test_t_test_equals_scipy(values: np.ndarray) -> None:
    assert t_test(values) == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=1e-9)


@pytest.mark.parametrize("count", [1, 2, 5, 8, 10, 13, 14, 30, 50, 51, 200])
@pytest.mark.parametrize("levels", [6, 10**6])
def test_wilcoxon_equals_scipy(count: int, levels: int) -> None:
    """With ties and without, exact and normal; SciPy takes seconds for many ties of 13."""
    rng = np.random.default_rng(count)
    values = rng.integers(1, levels, count) * rng.choice([-1, 1, 1], count) / 8
    assert wilcoxon_test(values) == pytest.approx(stats.wilcoxon(values).pvalue, rel=1e-9)


def test_wilcoxon_chooses_after_dropping_zeros() -> None:
    """Twelve ties and two zeros: SciPy 1.17.1 is exact for the twelve alone, as this is for both;
    for all fourteen it counts the zeros and takes the normal approximation.
    """
    changed = np.array([1, 1, -2, 2, 3, -3, 1, 2, -4, 5, 6, 2]) / 8
    values = np.append(changed, [0.0, 0.0])
    assert wilcoxon_test(values) == pytest.approx(stats.wilcoxon(changed).pvalue, rel=1e-9)
    assert wilcoxon_test(values) != pytest.approx(stats.wilcoxon(values).pvalue, rel=1e-3)
    assert "after dropping zeros" in (wilcoxon_test.__doc__ or "")


def test_wilcoxon_drops_zeros() -> None:
    values = np.random.default_rng(3).normal(0.2, 1, 40)
    assert wilcoxon_test(np.append(values, np.zeros(30))) == wilcoxon_test(values)


@given(differences)
def test_the_order_of_the_systems_changes_no_p(values: np.ndarray) -> None:
    assert sign_test(-values).p == sign_test(values).p
    assert t_test(-values) == pytest.approx(t_test(values), rel=0, abs=0, nan_ok=True)
    assert wilcoxon_test(-values) == pytest.approx(wilcoxon_test(values))
    there, back = effect_sizes(values), effect_sizes(-values)
    assert back.cliff_delta == -there.cliff_delta
    assert back.win_rate == pytest.approx(1 - there.win_rate)


def test_many_segments_do_not_overflow() -> None:
    values = np.repeat([1.0, -1.0], [50_400, 49_600])
    assert sign_test(values).p == pytest.approx(stats.binomtest(50_400, 100_000).pvalue, rel=1e-9)


def test_segments_without_a_score_are_left_out() -> None:
    values = paired_differences(np.array([1.0, np.nan, 3.0, 4.0]), np.array([0.5, 1.0, np.nan, 4]))
    assert values.tolist() == [0.5, 0.0]


def test_rounding_does_not_break_ties() -> None:
    values = paired_differences(np.array([0.9, 0.85, 0.3]), np.array([0.85, 0.8, 0.1 + 0.2]))
    assert values.tolist() == [0.05, 0.05, 0.0]
    assert sign_test(values).ties == 1


@pytest.mark.parametrize("count", [1, 2, 40])
def test_systems_that_never_differ(count: int) -> None:
    values = np.zeros(count)
    assert sign_test(values).p == wilcoxon_test(values) == 1
    assert isnan(t_test(values)) if count == 1 else t_test(values) == 1
    sizes = effect_sizes(values)
    assert (sizes.cohen_dz, sizes.cliff_delta, sizes.win_rate) == (0, 0, 0.5)


@pytest.mark.parametrize("value", [0.1, -0.7])
def test_a_difference_that_is_always_the_same(value: float) -> None:
    values = np.full(7, value)
    assert isnan(t_test(values))
    assert sign_test(values).p == wilcoxon_test(values) == 2 / 2**7
    sizes = effect_sizes(values)
    assert isnan(sizes.cohen_dz)
    assert (sizes.cliff_delta, sizes.win_rate) == ((1, 1) if value > 0 else (-1, 0))


def test_a_single_segment() -> None:
    values = np.array([0.3])
    assert sign_test(values).p == wilcoxon_test(values) == 1
    assert isnan(t_test(values))
    assert isnan(effect_sizes(values).cohen_dz)
    assert effect_sizes(values).win_rate == 1


def test_no_segment_at_all() -> None:
    values = np.zeros(0)
    assert sign_test(values).p == wilcoxon_test(values) == 1
    assert isnan(t_test(values))
    assert isnan(effect_sizes(values).cliff_delta)


def test_effect_sizes_count_ties_as_half_a_win() -> None:
    sizes = effect_sizes(np.array([1.0, 2.0, 0.0, -1.0]))
    assert (sizes.cliff_delta, sizes.win_rate) == (0.25, 0.625)
    assert sizes.cohen_dz == pytest.approx(0.5 / np.std([1, 2, 0, -1], ddof=1))
