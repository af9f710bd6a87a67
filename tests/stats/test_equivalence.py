"""Non-inferiority and equivalence within a margin."""

from __future__ import annotations

import numpy as np
import pytest

from family_wise import passed_at_the_margin_of_a_rate
from patmark.data import FloatArray, ScoreScale, mean_statistics
from patmark.data.scores import ratio
from patmark.stats import Units
from patmark.stats.equivalence import MarginTest, margin_test, pair_margin_test


def _mean(totals: FloatArray) -> FloatArray:
    return ratio(totals[..., 0], totals[..., 1])


def _rows(values: FloatArray) -> FloatArray:
    return np.column_stack([values, np.ones(len(values))])


_X = np.array([0.31, 0.42, 0.55, 0.12, 0.77, 0.61, 0.33, 0.48])
_Y = np.array([0.28, 0.45, 0.41, 0.10, 0.70, 0.66, 0.30, 0.39])


def test_a_mean_is_tested_as_statsmodels_tests_it() -> None:
    """statsmodels 0.15.0: ttost_paired(x, y, -0.1, 0.1), its two one-sided p and the larger."""
    test = margin_test(_rows(_X), _rows(_Y), _mean, 0.1)
    assert test.p_above == pytest.approx(0.000208449882, rel=1e-5)
    assert test.p_below == pytest.approx(0.012361652619, rel=1e-5)
    assert test.p == test.p_below
    assert test.not_worse(higher_is_better=True) == test.p_above
    assert test.not_worse(higher_is_better=False) == test.p_below


def test_equivalence_is_that_the_interval_lies_within_the_margins() -> None:
    for margin in (0.05, 0.08, 0.0789, 0.079, 0.2):
        test = margin_test(_rows(_X), _rows(_Y), _mean, margin)
        assert (test.p <= 0.05) == (-margin < test.low and test.high < margin)


@pytest.mark.parametrize("units", [6, 20, 60])
def test_a_system_that_is_worse_by_the_margin_passes_in_at_most_one_case_of_twenty(
    units: int,
) -> None:
    rng = np.random.default_rng(units)
    first = rng.normal(-0.5, 1, (800, units))
    passed = [
        margin_test(_rows(row), _rows(np.zeros(units)), _mean, 0.5).not_worse(True) <= 0.05
        for row in first
    ]
    assert np.mean(passed) <= 0.07


def test_not_significant_is_not_equivalent() -> None:
    """Six units that vary much: nothing is significant, and nothing is ruled out."""
    values = np.array([3.0, -3, 2, -2, 4, -4])
    test = margin_test(_rows(values), _rows(np.zeros(6)), _mean, 0.5)
    assert test.delta == 0 and test.p > 0.3


def test_what_cannot_be_tested_rules_nothing_out() -> None:
    one = _rows(np.array([1.0]))
    assert margin_test(one, one, _mean, 0.5).p == 1
    nothing = np.zeros((4, 2))
    assert margin_test(nothing, nothing, _mean, 0.5).p == 1
    alone = np.vstack([_rows(np.array([1.0])), np.zeros((3, 2))])
    assert margin_test(alone, alone, _mean, 0.5).p == 1


def test_equal_systems_are_equivalent_within_any_margin() -> None:
    test = margin_test(_rows(_X), _rows(_X), _mean, 1e-6)
    assert (test.p, test.low, test.high) == (0, 0, 0)


@pytest.mark.parametrize(("segments", "passes"), [(50, False), (200, False), (300, True)])
def test_checks_with_the_same_counts_pass_a_margin_with_enough_segments_only(
    segments: int, passes: bool
) -> None:
    """Outputs that differ may hold the same numbers; that does not prove that they always do."""
    counts = np.tile([[2.0, 3.0]], (2, segments, 1))
    units, scale = Units.choose([None] * segments), ScoreScale((0.0, 1.0))
    test = pair_margin_test(counts, _mean, scale, units, 0.01)
    assert (test.not_worse(True) <= 0.05) == passes
    assert test.delta == 0 and test.low == -test.high and 0 < test.high < 0.06


def test_the_same_output_is_equivalent_within_any_margin() -> None:
    """Its values are no counts of a check, or more than those of a part and a whole."""
    units = Units.choose([None] * 8)
    values = np.stack([_rows(_X)] * 2)
    assert pair_margin_test(values, _mean, ScoreScale((0.0, 1.0)), units, 1e-6).p == 0
    longer = np.concatenate([np.round(values), values], axis=2)
    assert pair_margin_test(longer, _mean, ScoreScale((0.0, 1.0)), units, 1e-6).p == 0


def test_units_that_all_differ_alike_rule_nothing_out() -> None:
    """No error can be told from them, and that is not an error of nothing."""
    ones, twos = (_rows(np.full(8, value)) for value in (1.0, 2.0))
    assert margin_test(twos, ones, _mean, 5.0).p == 1


def test_fewer_units_than_a_test_needs_rule_nothing_out() -> None:
    few = _rows(_X[:5])
    assert margin_test(few, few, _mean, 0.5).p == 1
    assert _rate_test(np.zeros((2, 5)), 0.9).p == 1


def _rate_test(faults: FloatArray, margin: float, whole: float = 1.0) -> MarginTest:
    def score(totals: FloatArray) -> FloatArray:
        return whole * _mean(totals)

    units, scale = Units.choose([None] * faults.shape[1]), ScoreScale((0.0, whole), rate=True)
    return pair_margin_test(mean_statistics(faults), score, scale, units, margin)


@pytest.mark.parametrize(("segments", "passes"), [(3, False), (100, False), (300, True)])
def test_a_rise_that_was_never_seen_is_ruled_out_by_enough_segments_only(
    segments: int, passes: bool
) -> None:
    """No fault in either version: 100 segments leave up to 2.7 % open, 300 up to 0.9 %."""
    assert (_rate_test(np.zeros((2, segments)), 0.01).not_worse(False) <= 0.05) == passes


@pytest.mark.parametrize(("faults", "margin"), [(4, 0.02), (9, 0.02), (30, 0.2), (1, 0.5)])
def test_p_of_a_rate_is_below_5_percent_where_the_bound_is_below_the_margin(
    faults: int, margin: float
) -> None:
    values = np.zeros((2, 400))
    values[0, :faults] = 1
    test = _rate_test(values, margin)
    assert (test.p_below <= 0.05) == (test.high < margin)
    assert test.low < test.delta == faults / 400 < test.high
    exact = _rate_test(values, test.high)
    assert exact.p_below == pytest.approx(0.05)
    percent = _rate_test(values, 100 * margin, 100.0)
    assert percent.p_below == pytest.approx(test.p_below)
    assert percent.high == pytest.approx(100 * test.high)


@pytest.mark.parametrize("segments", [6, 20, 100, 200])
@pytest.mark.parametrize(("before", "now"), [(0.0, 0.02), (0.1, 0.15)])
def test_a_rate_that_rose_by_the_margin_passes_in_at_most_one_case_of_twenty(
    before: float, now: float, segments: int
) -> None:
    assert passed_at_the_margin_of_a_rate(before, now, segments, 300) <= 0.075
