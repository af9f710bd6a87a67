"""Tails and quantiles of the normal, Student's and the binomial distribution, of single numbers.

SciPy has them too, but its import takes as long as a comparison of systems. What is beyond a value
of Student's t or of a count is an incomplete beta function, which has a continued fraction.
"""

from __future__ import annotations

from math import comb, erfc, exp, expm1, inf, isnan, lgamma, log, log1p, nan, pi, sqrt

_LARGE = 1e5  # degrees of freedom, from which on the distance of Wallace is exact to ten digits
_MANY = 20
_NEAR = 1e-7
_NEAR_ZERO = 6.0
_PRECISE = 1e-15
_TINY = 1e-300  # where a denominator of a fraction would be zero
_FEW_THROWS = 200


def normal_cdf(z: float) -> float:
    """How likely a standard normal value is at most z."""
    return erfc(-z / sqrt(2)) / 2


def normal_quantile(p: float) -> float:
    """What a standard normal value is at most with so likely."""
    from statistics import NormalDist  # with decimal numbers and fractions, which nobody else needs

    return NormalDist().inv_cdf(p)


def student_cdf(t: float, freedom: float) -> float:
    """How likely Student's t with so many degrees of freedom is at most ``t``.

    It is the normal distribution where they are infinite.
    """
    if isnan(t):
        return nan
    if freedom == inf:
        return normal_cdf(t)
    if t > 0:
        return 1 - student_cdf(-t, freedom)
    square = t * t
    if freedom > _LARGE:
        return normal_cdf(-_wallace(freedom) * sqrt(freedom * log1p(square / freedom)))
    whole = freedom + square
    inner, outer = (0.5, square / whole), (freedom / 2, freedom / whole)
    if square < _NEAR_ZERO:  # both are right, this one is there sooner
        return (1 - _beta_share(inner, outer)) / 2
    return _beta_share(outer, inner) / 2


def student_quantile(p: float, freedom: float) -> float:
    """What Student's t with so many degrees of freedom is at most with so likely."""
    if p > 0.5:
        return -student_quantile(1 - p, freedom)
    z = normal_quantile(p)
    if freedom == inf:
        return z
    if freedom > _LARGE:
        return _from_normal(z, freedom)
    # The tail is convex, and longer than that of the normal: Newton comes from there and stays.
    t = _from_normal(z, freedom) if freedom > _MANY else z
    scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(pi * freedom) / 2
    step = -inf
    while abs(step) > _NEAR * abs(t):  # the step after would be as small as the square of that
        density = exp(scale - (freedom + 1) / 2 * log1p(t * t / freedom))
        step = (p - student_cdf(t, freedom)) / density
        t += step
    return t


def _from_normal(z: float, freedom: float) -> float:
    """The value below zero of Student's t that is as far out as a normal one (Wallace 1959)."""
    return -sqrt(freedom * expm1((z / _wallace(freedom)) ** 2 / freedom))


def _wallace(freedom: float) -> float:
    return (8 * freedom + 1) / (8 * freedom + 3)


def coin_cdf(heads: int, throws: int) -> float:
    """How likely so many throws of a fair coin give at most so many heads; exact for few throws."""
    if throws <= _FEW_THROWS:
        return sum(comb(throws, number) for number in range(heads + 1)) / (1 << throws)
    if 2 * heads >= throws:
        return 1 - coin_cdf(throws - heads - 1, throws) if heads < throws else 1.0
    return _beta_share((throws - heads, 0.5), (heads + 1, 0.5))


def _beta_share(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The regularised incomplete beta function of (a, x) and (b, 1 − x), by Lentz's method."""
    (a, x), (b, rest) = one, other
    if x == 0:
        return 0.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    upper, lower = 1.0, 1 / (1 - (a + b) * x / (a + 1) or _TINY)
    fraction, change = lower, inf
    m = 0
    while abs(change - 1) > _PRECISE:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            lower = 1 / (1 + term * lower or _TINY)
            upper = 1 + term / upper or _TINY
            change *= upper * lower
        fraction *= change
    return front * fraction
