"""Rates of faults: intervals of shares and of their differences, by segment and by document."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import optimize, special, stats

from patmark.data import FloatArray, ScoreScale, mean_statistics
from patmark.data.scores import mean_score as mean_of
from patmark.stats import Units, estimate_all, wilson_interval
from patmark.stats.rates import RateEvidence
from patmark.stats.resampling import rate_difference


def _percent(totals: FloatArray) -> FloatArray:
    return 100 * mean_of(totals)


def _of(faults: list[int] | list[list[int]], sizes: list[int]) -> RateEvidence:
    found = RateEvidence.of(np.array(faults, np.float64), np.array(sizes, np.float64))
    assert found is not None
    return found


def _documents(*counts: tuple[int, int]) -> tuple[FloatArray, Units]:
    """Statistics (1, segments, 2) of documents with so many faults in so many segments."""
    values = np.concatenate([[1.0] * bad + [0.0] * (of - bad) for bad, of in counts])
    names = [f"D{place}" for place, (_, of) in enumerate(counts) for _ in range(of)]
    return mean_statistics(values[None]), Units.choose(names, "document")


@pytest.mark.parametrize(("faults", "segments"), [(0, 30), (3, 100), (15, 148), (29, 30)])
def test_a_rate_of_single_segments_has_wilsons_interval(faults: int, segments: int) -> None:
    values = [1] * faults + [0] * (segments - faults)
    found = _of(values, [1] * segments).interval()
    foreign = stats.binomtest(faults, segments).proportion_ci(0.95, method="wilson")
    assert found == pytest.approx((foreign.low, foreign.high), abs=1e-6)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (7, 2), (12, 12), (0, 9)])
@pytest.mark.parametrize("truth", [-0.3, -0.05, 0.0, 0.02, 0.4])
def test_a_difference_has_the_error_of_what_makes_it_most_likely(
    first: int, second: int, truth: float
) -> None:
    """Tango 1998: the variance is that of the likeliest shares with this difference."""
    segments = 60
    values = [[1, 0]] * first + [[0, 1]] * second + [[0, 0]] * (segments - first - second)
    found = _of(values, [1] * segments)

    def unlikely(of_second: float) -> float:
        chances = np.array([of_second + truth, of_second, 1 - truth - 2 * of_second])
        counts = np.array([first, second, segments - first - second])
        return -float(special.xlogy(counts, np.maximum(chances, 1e-300)).sum())

    ends = max(0.0, -truth), (1 - truth) / 2
    best = float(optimize.minimize_scalar(unlikely, bounds=ends, options={"xatol": 1e-10}).x)
    error = np.sqrt((truth + 2 * best - truth**2) / segments)
    expected = stats.norm.cdf((found.value - truth) / error) if error > 1e-6 else 0.5
    assert found.at_most(truth) == pytest.approx(expected, abs=2e-3)


def test_the_variance_of_documents_is_cr2_with_its_degrees_of_freedom() -> None:
    """Bell and McCaffrey 2002, by matrices; many faults in large documents leave little else."""
    faults, sizes = np.array([300, 900, 100, 600, 200]), np.array([700, 900, 400, 1200, 1000])
    whole = sizes.sum()
    residuals = np.eye(5) - np.outer(sizes, np.ones(5)) / whole
    covariance = residuals @ np.diag(sizes) @ residuals.T
    weights = np.diag(sizes / np.diag(covariance))
    rate = faults.sum() / whole
    variance = float(faults @ residuals.T @ weights @ residuals @ faults) / whole**2
    plain = rate * (1 - rate) / (whole - 1)
    product = weights @ covariance
    found = _of(faults.tolist(), sizes.tolist())
    assert found.factor == pytest.approx(variance / plain, rel=0.1)
    df = np.trace(product) ** 2 / np.trace(product @ product)
    faults_alone = (rate * (1 - rate) * whole - 1) * plain / variance
    assert found.df == pytest.approx(1 / (1 / df + 1 / (2 * (faults_alone + 2))), rel=2e-3)


def test_nothing_seen_has_the_factor_of_a_usual_correlation() -> None:
    assert _of([0] * 8, [10] * 8).factor == pytest.approx(1 + 9 * 0.05)
    assert _of([10] * 8, [10] * 8).factor == pytest.approx(1 + 9 * 0.05)


def test_a_single_fault_tells_nothing_of_how_faults_come_together() -> None:
    """So its upper end is above that of none, where one that seemed independent was below."""
    none, one = (_of([faults] + [0] * 49, [10] * 50) for faults in (0, 1))
    assert one.factor == none.factor == pytest.approx(1 + 9 * 0.05)
    assert one.df == none.df
    assert one.interval()[1] > none.interval()[1]


def test_ends_are_where_a_twentieth_lies_beyond() -> None:
    found = _of([0, 3, 1, 0, 6], [5, 9, 4, 12, 10])
    low, high = found.interval()
    assert found.at_most(low) == pytest.approx(0.975) and found.at_most(high) == pytest.approx(
        0.025
    )
    assert found.interval(0.05)[1] < high


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=2))
def test_an_interval_of_rates_holds_its_estimate(counts: list[tuple[int, int, int]]) -> None:
    sizes = [sum(row) for row in counts]
    if np.count_nonzero(sizes) < 2:
        return
    single = _of([first for first, _, _ in counts], sizes)
    both = _of([[first, second] for first, second, _ in counts], sizes)
    for found, least in ((single, 0), (both, -1)):
        low, high = found.interval()
        assert least <= low <= found.value <= high <= 1


def test_a_rate_without_a_fault_may_still_be_above_zero() -> None:
    """Ten documents say less than forty single segments, and more than ten."""
    statistics, units = _documents(*[(0, 4)] * 10)
    for score, top in ((mean_of, 1.0), (_percent, 100.0)):
        scale = ScoreScale((0.0, top), rate=True)
        [[found]] = estimate_all([(statistics, score)], units, 200, 0, [scale])
        assert found.ci is not None and found.ci[0] == found.value == 0
        low, high = (top * wilson_interval(0, segments)[1] for segments in (40, 10))
        assert low < found.ci[1] < high


def test_faults_that_come_together_count_as_fewer_segments() -> None:
    """And those that are spread evenly, as not more."""
    apart, units = _documents(*[(1, 10)] * 10)
    together, _ = _documents((10, 10), *[(0, 10)] * 9)
    quantities = [(apart, mean_of), (together, mean_of)]
    [[spread], [heaped]] = estimate_all(quantities, units, 200, 0, [ScoreScale(rate=True)] * 2)
    assert spread.value == heaped.value == 0.1
    assert spread.ci is not None and heaped.ci is not None
    plain = wilson_interval(0.1, 100)
    assert spread.ci == pytest.approx(plain, abs=1e-6)
    assert heaped.ci[1] - heaped.ci[0] > 2 * (spread.ci[1] - spread.ci[0])


def test_two_rates_without_a_fault_may_still_differ() -> None:
    """As far as Wilson's upper end of 0 of 30."""
    units, scale = Units.choose([None] * 30), ScoreScale((0.0, 1.0), rate=True)
    found = rate_difference(mean_statistics(np.zeros((2, 30))), mean_of, scale, units)
    assert found is not None and found.value == 0
    end = wilson_interval(0, 30)[1]
    assert found.interval() == pytest.approx((-end, end), abs=1e-6)


def test_faults_that_both_systems_have_tell_nothing_of_their_difference() -> None:
    """Half of the segments are faulty in both, and one more in the first: ten times narrower."""
    both = np.tile([1.0, 0.0], 500)
    more = both.copy()
    more[1] = 1.0
    statistics = mean_statistics(np.stack([more, both]))
    scale = ScoreScale((0.0, 1.0), rate=True)
    found = rate_difference(statistics, mean_of, scale, Units.choose([None] * 1000))
    assert found is not None and found.value == pytest.approx(0.001)
    low, high = found.interval()
    assert -0.005 < low < 0 and 0.001 < high < 0.007


def test_nothing_that_was_counted_is_no_evidence() -> None:
    """A label of which no row was translated has units, but none with a counted segment."""
    assert RateEvidence.of(np.zeros((4, 1)), np.zeros(4)) is None
    assert RateEvidence.of(np.zeros((4, 2)), np.zeros(4)) is None
