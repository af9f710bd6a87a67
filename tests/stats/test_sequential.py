"""Tests that may be repeated: exact against an integral, and never wrong too often."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from patmark.stats import anytime_p, anytime_sign_p, anytime_sign_units, anytime_units


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
    assert anytime_p(math.inf, 10) == pytest.approx(anytime_p(1e9, 10))
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


@pytest.mark.parametrize(("wins", "losses"), [(5, 0), (0, 7), (12, 3), (30, 55), (900, 1100)])
def test_sign_p_is_one_over_the_beta_mixture(wins: int, losses: int) -> None:
    """In closed form by SciPy, and as an integral over the share of wins."""
    mixture = special.beta(wins + 0.5, losses + 0.5) / special.beta(0.5, 0.5)
    if wins + losses < 1000:
        factor = 2.0 ** (wins + losses) * mixture
        assert anytime_sign_p(wins, losses) == pytest.approx(min(1, 1 / factor), rel=1e-9)
    density = stats.betabinom.pmf(wins, wins + losses, 0.5, 0.5)
    fair = stats.binom.pmf(wins, wins + losses, 0.5)
    assert anytime_sign_p(wins, losses) == pytest.approx(min(1, fair / density), rel=1e-6)


def test_sign_p_needs_seven_wins_in_a_row() -> None:
    assert anytime_sign_p(0, 0) == pytest.approx(1) and anytime_sign_p(4, 4) == 1
    assert anytime_sign_p(5, 0) == pytest.approx(0.127, abs=5e-4)
    assert anytime_sign_p(6, 0) > 0.05 > anytime_sign_p(7, 0) == anytime_sign_p(0, 7)


def test_needed_wins_reach_the_level_with_a_power_of_80_per_cent() -> None:
    needed = anytime_sign_units(0.7, 0.05)
    assert needed is not None
    wins = stats.binom.ppf([0.15, 0.25], needed, 0.7)
    assert (
        anytime_sign_p(wins[1], needed - wins[1])
        <= 0.05
        < anytime_sign_p(wins[0], needed - wins[0])
    )
    assert anytime_sign_units(1.0, 0.05) == 7
    assert anytime_sign_units(0.5, 0.05) is anytime_sign_units(0.3, 0.05) is None


def test_fair_choices_are_exactly_at_most_five_per_cent_different_whenever_one_looks() -> None:
    """The chance of ever reaching the level in 300 choices, summed over all paths."""
    chances, ever = np.ones(1), 0.0
    for n in range(1, 301):
        chances = (np.append(chances, 0) + np.append(0, chances)) / 2
        reached = np.array([anytime_sign_p(wins, n - wins) <= 0.05 for wins in range(n + 1)])
        ever += chances[reached].sum()
        chances[reached] = 0
    assert 0.02 < ever <= 0.05
