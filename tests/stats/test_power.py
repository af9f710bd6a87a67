"""How large a test set must be."""

from __future__ import annotations

from math import isinf, isnan, nan, sqrt

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from patmark.stats import smallest_difference, units_needed


@pytest.mark.parametrize(("effect", "needed"), [(0.2, 197), (0.5, 32), (0.8, 13)])
def test_needed_units_are_those_of_the_normal_approximation(effect: float, needed: int) -> None:
    """(z(0.975) + z(0.8))² / d², as in Cohen 1988; the exact t-test asks for 199, 34, 15."""
    spread_of_a_mean_over_50 = 1 / sqrt(50)
    assert units_needed(spread_of_a_mean_over_50, 50, effect) == needed


def test_that_many_units_find_the_difference_four_times_in_five() -> None:
    needed = int(units_needed(3 / sqrt(500), 500, 0.6))
    rng = np.random.default_rng(0)
    samples = rng.normal(0.6, 3, size=(2000, needed))
    found = np.mean(ttest_1samp(samples, 0.0, axis=1).pvalue <= 0.05)
    assert 0.77 < found < 0.83


def test_odd_cases() -> None:
    assert isinf(units_needed(1.0, 10, 0.0))
    assert isnan(units_needed(nan, 10, 1.0)) and isnan(units_needed(1.0, 10, nan))
    assert units_needed(0.0, 10, 1.0) == 2
    assert units_needed(1.0, 10, -0.5) == units_needed(1.0, 10, 0.5)
    assert smallest_difference(2.0) == 2 * smallest_difference(1.0)
