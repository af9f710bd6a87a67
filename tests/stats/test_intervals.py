"""Intervals: tails by the number and the sizes of units, rates; and whether they keep 95 %."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from false_positives import simulate as simulate_alarms
from interval_coverage import simulate as simulate_intervals
from patmark.data.scores import FloatArray
from patmark.stats import Units, estimate_all, tail_beyond, wilson_interval
from patmark.stats.intervals import _t_quantile, score_interval, whole_of_rate
from score_arrays import mean_of
from simulated_sets import Design


def _percent(totals: FloatArray) -> FloatArray:
    return 100 * mean_of(totals)


def _faults(*counts: tuple[int, int]) -> tuple[FloatArray, list[str | None]]:
    """Statistics (1, segments, 2) of documents with so many faults in so many segments."""
    faults = [[1.0] * bad + [0.0] * (all_of - bad) for bad, all_of in counts]
    names: list[str | None] = [f"D{place}" for place, of in enumerate(faults) for _ in of]
    values = np.concatenate(faults)
    return np.stack([values, np.ones(len(values))], axis=-1)[None], names


@pytest.mark.parametrize("freedom", [1, 1.4, 2, 2.5, 5, 9, 19, 49, 333, 1999, 100_000])
def test_t_quantiles_are_those_of_scipy(freedom: float) -> None:
    assert _t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-4)


@pytest.mark.parametrize(("units", "tail"), [(6, 0.00243), (10, 0.00855), (50, 0.0212)])
def test_tails_are_further_out_with_few_units(units: int, tail: float) -> None:
    """Expanded percentiles (Hesterberg 2015): the share beyond t times the root of n/(n-1)."""
    wanted = stats.norm.sf(stats.t.ppf(0.975, units - 1) * np.sqrt(units / (units - 1)))
    assert tail_beyond(np.full(units, 7.0)) == pytest.approx(wanted, rel=1e-3)
    assert wanted == pytest.approx(tail, rel=0.01)


def test_unequal_units_count_as_fewer() -> None:
    """One of ten documents holds half of the segments: (18²)/(81 + 9) = 3.6 equal ones."""
    sizes = np.array([9.0] + [1.0] * 9)
    distance = stats.t.ppf(0.975, 2.6) * np.sqrt(10 / 9)
    assert tail_beyond(sizes) == pytest.approx(stats.norm.sf(distance), rel=1e-2)
    assert tail_beyond(np.append(sizes, 0.0)) == tail_beyond(sizes)
    assert tail_beyond(np.array([5.0])) == 0


def test_a_rate_is_all_or_nothing_in_every_segment() -> None:
    statistics, _ = _faults((1, 4), (0, 3))
    assert whole_of_rate(statistics[0], mean_of) == 1
    assert whole_of_rate(statistics[0], _percent) == 100
    assert whole_of_rate(statistics[0] * 0.5, mean_of) is None
    assert whole_of_rate(np.array([[2.0, 3.0], [0.0, 1.0]]), mean_of) is None
    assert whole_of_rate(np.ones((3, 4)), mean_of) is None


def test_a_rate_without_a_fault_may_still_be_above_zero() -> None:
    """Wilson's upper end for 40 segments and the t quantile of nine degrees of freedom."""
    statistics, names = _faults(*[(0, 4)] * 10)
    for score, top in ((mean_of, 1.0), (_percent, 100.0)):
        [[found]] = estimate_all([(statistics, score)], Units.choose(names), 200, 0)
        square = stats.t.ppf(0.975, 9) ** 2
        assert found.ci is not None and found.ci[0] == found.value == 0
        assert found.ci[1] == pytest.approx(top * square / (40 + square), rel=1e-5)


def test_faults_that_come_together_count_as_fewer_segments() -> None:
    apart, names = _faults(*[(1, 10)] * 10)
    together, _ = _faults((10, 10), *[(0, 10)] * 9)
    units = Units.choose(names)
    [[spread], [heaped]] = estimate_all([(apart, mean_of), (together, mean_of)], units, 2000, 0)
    assert spread.value == heaped.value == 0.1
    assert spread.ci is not None and heaped.ci is not None
    plain = wilson_interval(0.1, 100)
    assert spread.ci[0] < plain[0] and spread.ci[1] > plain[1]
    assert heaped.ci[1] - heaped.ci[0] > 2 * (spread.ci[1] - spread.ci[0])


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.booleans())
def test_an_interval_holds_its_estimate_and_keeps_to_the_scale(
    documents: int, seed: int, rate: bool
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.beta(0.2, 2, 40)
    values = np.round(values) if rate else values
    statistics = np.stack([values, np.ones(40)], axis=-1)
    sizes = np.bincount(rng.integers(0, documents, 40), minlength=documents).astype(np.float64)
    draws = rng.choice(values, (200, 40)).mean(axis=1)
    ends = score_interval(float(values.mean()), statistics, mean_of, draws, sizes)
    assert ends is not None and 0 <= ends[0] <= values.mean() <= ends[1] <= 1


# Simulations with known truth; benchmarks/interval_coverage.py and benchmarks/false_positives.py
# print the full tables, which are in docs/statistics.md.


@pytest.mark.parametrize(
    "design",
    [
        Design("mean", 10, "Pareto"), Design("mean", 60, "single"), Design("BLEU", 10, "equal"),
        Design("BLEU", 15, "single"), Design("rate 10 %", 20, "equal"),
    ],
    ids=str,
)  # fmt: skip
def test_intervals_keep_95_percent(design: Design) -> None:
    found = simulate_intervals(design, 200)
    assert 0.92 <= found.score <= 0.985 and 0.90 <= found.difference <= 0.985


@pytest.mark.parametrize(("documents", "sizes"), [(8, "equal"), (10, "Pareto")])
def test_randomisation_of_few_documents_keeps_its_level(documents: int, sizes: str) -> None:
    """Drawn by segment, as 8 documents were once by default, it calls a third different."""
    found = simulate_alarms(Design("BLEU", documents, sizes), 150)
    assert found.randomisation <= 0.08 and found.segments > 0.15


def test_five_documents_raise_no_alarm() -> None:
    found = simulate_alarms(Design("mean", 5, "equal"), 60)
    assert found.randomisation == found.bootstrap == 0 and found.segments > 0.1


def test_both_tests_keep_their_level_on_independent_segments() -> None:
    found = simulate_alarms(Design("mean", 60, "single"), 300)
    assert 0.02 <= found.randomisation <= 0.08 and 0.02 <= found.bootstrap <= 0.08
