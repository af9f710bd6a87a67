"""Tests that may be repeated: exact against an integral, and never wrong too often."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from patmark.stats import anytime_p, anytime_units


@pytest.mark.parametrize(("n", "t"), [(5, 2.1), (12, 3.0), (40, -2.5), (90, 4.0)])
def test_p_is_one_over_the_bayes_factor(n: int, t: float) -> None:
    """The factor by SciPy: the noncentral t averaged over a normal prior of the effect."""

    def weighed(effect: float) -> float:
        return float(
            stats.nct.pdf(t, n - 1, math.sqrt(n) * effect) * stats.norm.pdf(effect, 0, 0.5)
        )

    factor = integrate.quad(weighed, -3, 3, limit=200)[0] / stats.t.pdf(t, n - 1)
    assert anytime_p(t, n) == pytest.approx(min(1, 1 / factor), rel=1e-6)


def test_edges() -> None:
    assert anytime_p(math.nan, 10) == anytime_p(3.0, 1) == anytime_p(0.0, 10) == 1
    assert anytime_p(math.inf, 10) == 0
    assert anytime_p(2.0, 20) == anytime_p(-2.0, 20) > anytime_p(4.0, 20)


def test_needed_units_reach_the_level_and_one_less_does_not() -> None:
    needed = anytime_units(0.5, 0.05)
    assert needed is not None
    reached = [anytime_p(math.sqrt(n) * 0.5 - 0.841621, n) for n in (needed - 1, needed)]
    assert reached[1] <= 0.05 < reached[0]
    assert anytime_units(-0.5, 0.05) == needed
    assert anytime_units(0.001, 0.05) is anytime_units(math.nan, 0.05) is None


def test_looking_at_every_unit_is_wrong_in_at_most_five_per_cent() -> None:
    """The usual t-test is wrong in a third of these."""
    values = np.random.default_rng(3).normal(size=(400, 200))
    counts = np.arange(1, 201)
    means = np.cumsum(values, axis=1) / counts
    spread = np.cumsum(values**2, axis=1) - counts * means**2
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.sqrt(counts) * means / np.sqrt(spread / (counts - 1))
    ever = [any(anytime_p(float(one[n - 1]), n) < 0.05 for n in range(2, 201, 3)) for one in t]
    assert np.mean(ever) <= 0.05
