"""Tails and quantiles of distributions: against SciPy, and at the ends of their ranges."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
from scipy import special

from patmark.stats.distributions import (
    binomial_cdf,
    normal_cdf,
    normal_quantile,
    student_cdf,
    student_quantile,
)

FREEDOM = [0.5, 1, 1.4, 2, 2.5, 5, 9, 19, 49, 333, 1999, 9e4, 1.1e5, 1e6, 1e15, 1e300]
SHARES = [1e-9, 0.00001, 0.025, 0.2, 0.4999, 0.5, 0.6, 0.95, 0.975, 0.99999]


@pytest.mark.parametrize("freedom", FREEDOM)
def test_student_is_that_of_scipy(freedom: float) -> None:
    for t in np.linspace(-8, 8, 161).tolist():
        wanted = special.stdtr(freedom, t)
        assert student_cdf(t, freedom) == pytest.approx(wanted, rel=1e-8, abs=0), t
    for p in SHARES:
        wanted = special.stdtrit(freedom, p)
        assert student_quantile(p, freedom) == pytest.approx(wanted, rel=1e-9, abs=1e-12), p


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 20])
def test_a_fraction_without_a_denominator_goes_on(freedom: int) -> None:
    """(freedom + 1)·t² = 3·(freedom + t²): the first denominator of the fraction is zero."""
    square = 3 * freedom / (freedom - 2) if freedom > 2 else 2.0
    for t in (square**0.5, 3**0.5, 1.0, 2.0):
        wanted = special.stdtr(freedom, -t)
        assert student_cdf(-t, freedom) == pytest.approx(wanted, rel=1e-11), t


def test_student_at_the_ends() -> None:
    assert student_cdf(-inf, 4) == 0 and student_cdf(inf, 4) == 1 and student_cdf(0.0, 4) == 0.5
    assert 0 < student_cdf(-1e4, 40) < 1e-90
    assert isnan(student_cdf(nan, 4))


def test_student_with_infinite_freedom_is_normal() -> None:
    for t in (-inf, -38.0, -1.96, 0.0, 1.0, inf):
        assert student_cdf(t, inf) == normal_cdf(t)
    for p in SHARES:
        assert student_quantile(p, inf) == pytest.approx(normal_quantile(p), rel=1e-15, abs=1e-15)
    assert isnan(student_cdf(nan, inf))


@pytest.mark.parametrize("throws", [0, 1, 2, 3, 50, 333, 2000, 100_000])
def test_coins_are_those_of_scipy(throws: int) -> None:
    for heads in sorted({0, throws // 10, throws // 2 - 1, throws // 2, throws // 2 + 1, throws}):
        if 0 <= heads <= throws:
            wanted = special.bdtr(heads, throws, 0.5)
            assert binomial_cdf(heads, throws) == pytest.approx(wanted, rel=1e-9, abs=1e-300), heads


def test_few_coins_are_exact() -> None:
    assert [binomial_cdf(0, throws) for throws in (0, 1, 7, 200)] == [1, 1 / 2, 2**-7, 2**-200]
    assert binomial_cdf(3, 7) == 0.5 and binomial_cdf(7, 7) == 1


def test_the_normal_is_that_of_scipy() -> None:
    for z in (-30, -8.5, -1.96, 0.0, 1.0, 9.0):
        assert normal_cdf(z) == pytest.approx(float(special.ndtr(z)), rel=1e-12, abs=0)
    for p in SHARES:
        assert normal_quantile(p) == pytest.approx(float(special.ndtri(p)), rel=1e-12)
