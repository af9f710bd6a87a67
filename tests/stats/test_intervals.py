"""Intervals: tails by the number and the sizes of units, rates; and whether they keep 95 %."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from false_positives import simulate as simulate_alarms
from interval_coverage import simulate as simulate_intervals
from patmark.data import Scores, ScoreScale
from patmark.measures.registry import all_measures
from patmark.stats import Units, estimate_scores, tail_beyond
from patmark.stats.intervals import interval_holding, intervals_holding, score_interval
from simulated_sets import Design


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


def test_scores_say_themselves_whether_they_are_a_rate() -> None:
    """Values that happen to be 0 and 1, such as grades that are all 1, make no rate."""
    grades = Scores.of_values("grade", "", ("B",), ("s",) * 6, np.ones((1, 6)))
    units = Units.choose([None] * 6)
    [[found]] = estimate_scores([grades], units, 200, 0)
    assert found.ci == (1, 1)
    [[rate]] = estimate_scores([replace(grades, rate=True)], units, 200, 0)
    assert rate.ci is not None and rate.ci[0] < 0.62
    rates = {measure.label for measure in all_measures() if measure.rate}
    assert rates == {"omission", "length-hallucination", "leakage"}


def test_an_interval_keeps_to_the_bounds_of_its_scale() -> None:
    draws, sizes = np.linspace(0.5, 5.5, 200), np.ones(20)
    assert score_interval(3.0, draws, sizes, ScoreScale((1.0, 5.0))) == (1.0, 5.0)
    low, high = score_interval(3.0, draws, sizes) or (0.0, 0.0)
    assert low < 1 and high > 5


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_an_interval_holds_its_estimate_and_keeps_to_the_scale(documents: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.beta(0.2, 2, 40)
    sizes = np.bincount(rng.integers(0, documents, 40), minlength=documents).astype(np.float64)
    draws = rng.choice(values, (200, 40)).mean(axis=1)
    ends = score_interval(float(values.mean()), draws, sizes, ScoreScale((0.0, 1.0)))
    assert ends is not None and 0 <= ends[0] <= values.mean() <= ends[1] <= 1


# Simulations with known truth; benchmarks/interval_coverage.py and benchmarks/false_positives.py
# print the full tables, which are in docs/statistics.md.


@pytest.mark.parametrize(
    "design",
    [
        Design("mean", 10, "Pareto"), Design("mean", 60, "single"), Design("BLEU", 10, "equal"),
        Design("BLEU", 15, "single"), Design("rate 10 %", 20, "equal"),
        Design("rates 20 %, 10 %", 20, "Pareto"), Design("rates 20 %, 10 %", 20, "equal", 0.2),
        Design("rate 50 %", 20, "Pareto", 0.2), Design("rate 10 %", 10, "equal", 0.0),
        Design("rate 2 %", 50, "equal", 0.2),
    ],
    ids=str,
)  # fmt: skip
def test_intervals_keep_95_percent(design: Design) -> None:
    found = simulate_intervals(design, 200)
    assert 0.92 <= found.score <= 0.985 and 0.90 <= found.difference <= 0.985


def test_intervals_and_tests_of_600_sets_keep_their_promise() -> None:
    design = Design("mean", 60, "single")
    held, alarms = simulate_intervals(design, 600), simulate_alarms(design, 600)
    assert 0.93 <= held.score <= 0.97 and 0.93 <= held.difference <= 0.97
    assert 0.03 <= alarms.randomisation <= 0.07 and 0.03 <= alarms.bootstrap <= 0.07


@pytest.mark.parametrize(
    "design",
    [
        Design("rates 1 %, 0 %", 10, "equal"), Design("rates 4 %, 2 %", 10, "Pareto"),
        Design("rates 20 %, 10 %", 10, "Pareto"), Design("rates 20 %, 10 %", 100, "single"),
    ],
    ids=str,
)  # fmt: skip
def test_intervals_of_differences_of_rates_hold_the_truth(design: Design) -> None:
    """Percentiles of differences of 1 % and 0 % in 10 documents hold it in half of the sets."""
    assert simulate_intervals(design, 200).difference >= 0.93


@pytest.mark.parametrize(("documents", "sizes"), [(8, "equal"), (10, "Pareto")])
def test_randomisation_of_few_documents_keeps_its_level(documents: int, sizes: str) -> None:
    """Drawn by segment, it calls a third different."""
    found = simulate_alarms(Design("BLEU", documents, sizes), 150)
    assert found.randomisation <= 0.08 and found.segments > 0.15


def test_five_documents_raise_no_alarm() -> None:
    found = simulate_alarms(Design("mean", 5, "equal"), 60)
    assert found.randomisation == found.bootstrap == 0 and found.segments > 0.1


def test_both_tests_keep_their_level_on_independent_segments() -> None:
    found = simulate_alarms(Design("mean", 60, "single"), 300)
    assert 0.02 <= found.randomisation <= 0.08 and 0.02 <= found.bootstrap <= 0.08


@pytest.mark.parametrize("kind", ["normal", "cauchy", "few values", "constant", "short"])
def test_ends_found_in_the_tails_are_those_of_all_draws(kind: str) -> None:
    rng = np.random.default_rng(3)
    draws = {
        "normal": rng.normal(size=(4, 3000)),
        "cauchy": rng.standard_cauchy((4, 3000)),
        "few values": rng.integers(0, 3, (4, 3000)).astype(np.float64),
        "constant": np.full((4, 3000), 2.5),
        "short": rng.normal(size=(4, 7)),
    }[kind]
    values, tails = draws[:, 0], [0.0, 0.001, 0.02, 0.025]
    expected = list(map(interval_holding, values.tolist(), draws, tails))
    assert intervals_holding(values, draws, tails) == expected
