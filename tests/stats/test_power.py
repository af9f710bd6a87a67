"""How large a test set must be."""

from __future__ import annotations

from math import inf, isinf, isnan, nan, sqrt

import numpy as np
import pytest

from patmark.data.scores import FloatArray
from patmark.stats import Units, randomise_pairs, smallest_difference, units_needed
from patmark.stats.significance import fewest_units, smallest_p


def _bootstrapped(deviation: float, units: int) -> float:
    """The spread that a bootstrap of a mean shows: its variance has n, not n - 1, below."""
    return deviation * sqrt((units - 1) / units) / sqrt(units)


def _mean(totals: FloatArray) -> FloatArray:
    return totals[..., 0] / totals[..., 1]


def _share_found(shift: float, units: int, pairs: int, repetitions: int = 500) -> float:
    """How often randomisation finds a true difference of normal units with deviation 1."""
    rng = np.random.default_rng(units * 100 + pairs)
    samples = rng.normal(shift, 1, size=(repetitions, units))
    quantities = [
        (np.stack([np.stack([row, np.zeros(units)]), np.ones((2, units))], axis=-1), _mean)
        for row in samples
    ]
    drawn = Units.choose([None] * units, "segment")
    tests = randomise_pairs(quantities, drawn, 2000, 1)
    return float(np.mean([pairs * test.p <= 0.05 for [test] in tests]))


@pytest.mark.parametrize(("effect", "needed"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_needed_units_are_those_of_the_t_test(effect: float, needed: int) -> None:
    """Noncentral t of SciPy 1.17.1: a power of 80 % at 198.2, 33.4 and 14.3 units."""
    assert units_needed(_bootstrapped(1, 50), 50, effect) == needed


@pytest.mark.parametrize(
    ("units", "pairs"), [(6, 1), (7, 1), (8, 1), (12, 1), (24, 1), (24, 3), (45, 10), (100, 1)]
)
def test_the_smallest_difference_is_found_four_times_in_five(units: int, pairs: int) -> None:
    """By the test in use, with few units and after correction too."""
    shift = smallest_difference(_bootstrapped(1, units), units, pairs)
    assert 0.74 < _share_found(shift, units, pairs) < 0.86


@pytest.mark.parametrize(("effect", "pairs"), [(1.2, 1), (0.5, 1), (0.5, 6)])
def test_that_many_units_find_the_difference_four_times_in_five(effect: float, pairs: int) -> None:
    needed = int(units_needed(_bootstrapped(1, 40), 40, effect, pairs))
    assert 0.76 < _share_found(effect, needed, pairs) < 0.88


def test_too_few_units_see_nothing() -> None:
    """Five units: p is at least 2/32, however large the difference."""
    assert isinf(smallest_difference(1.0, 5)) and _share_found(1000.0, 5, 1) == 0
    assert smallest_difference(1.0, 6) < inf and _share_found(1000.0, 6, 1) == 1
    assert isinf(smallest_difference(1.0, 6, pairs=3))


@pytest.mark.parametrize(("pairs", "fewest"), [(1, 6), (2, 7), (3, 7), (10, 9), (45, 11)])
def test_fewest_units(pairs: int, fewest: int) -> None:
    assert fewest_units(pairs) == fewest
    assert smallest_p(fewest, 10**6, pairs) <= 0.05 < smallest_p(fewest - 1, 10**6, pairs)
    assert units_needed(1e-9, 10, 1.0, pairs) == fewest


def test_the_smallest_p() -> None:
    assert smallest_p(3, 10_000) == 0.25
    assert smallest_p(100, 10) == 1 / 11
    assert smallest_p(100, 59, 3) == 0.05
    assert smallest_p(2, 10, 45) == 1.0


def test_a_difference_of_nothing_but_rounding_asks_for_more_units_than_there_can_be() -> None:
    assert isinf(units_needed(1.0, 100, 1e-15)) and isinf(units_needed(2.0, 50, 5e-324))


def test_odd_cases() -> None:
    assert isinf(units_needed(1.0, 10, 0.0))
    assert isnan(units_needed(nan, 10, 1.0)) and isnan(units_needed(1.0, 10, nan))
    assert isnan(units_needed(0.0, 1, 1.0)) and isnan(smallest_difference(nan, 10))
    assert isnan(smallest_difference(1.0, 0))
    assert units_needed(0.0, 10, 1.0) == 6
    assert units_needed(1.0, 10, -0.5) == units_needed(1.0, 10, 0.5)
    assert smallest_difference(2.0, 30) == 2 * smallest_difference(1.0, 30)
    assert units_needed(1.0, 100, 1e-6) == pytest.approx(7.928e14, rel=1e-3)  # 100·(2.8016·1e6)²
