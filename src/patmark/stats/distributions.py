"""Normal, Student's t and binomial distribution: cdf and quantiles of single numbers.

SciPy has them too, but its import takes as long as a comparison of systems. The tails of Student's
t and of the binomial are incomplete beta functions, computed by a continued fraction.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, erfc, exp, expm1, inf, isnan, lgamma, log, log1p, nan, pi, sqrt

_LARGE = 1e5  # degrees of freedom from which Wallace's approximation is exact to ten digits
_MANY = 20
_NEAR = 1e-7
_NEAR_ZERO = 6.0
_PRECISE = 1e-15
_TINY = 1e-300  # replaces zero in denominators of a continued fraction
_FEW_TRIALS = 200


def farthest(
    near: float, far: float, is_inside: Callable[[float], bool], halvings: int = 40
) -> float:
    """Return the border between a point inside a range and one beyond, by bisection."""
    for _ in range(halvings):
        middle = (near + far) / 2
        near, far = (middle, far) if is_inside(middle) else (near, middle)
    return far


def normal_cdf(z: float) -> float:
    """Return P(Z ≤ z) of a standard normal Z."""
    return erfc(-z / sqrt(2)) / 2


def normal_quantile(p: float) -> float:
    """Return the quantile of the standard normal distribution at probability p."""
    from statistics import NormalDist  # imported here, because it loads decimal and fractions

    return NormalDist().inv_cdf(p)


def student_cdf(t: float, df: float) -> float:
    """Return P(T ≤ t) of Student's t with ``df`` degrees of freedom; infinite ``df`` is normal."""
    if isnan(t):
        return nan
    if df == inf:
        return normal_cdf(t)
    if t > 0:
        return 1 - student_cdf(-t, df)
    square = t * t
    if df > _LARGE:
        return normal_cdf(-_wallace(df) * sqrt(df * log1p(square / df)))
    whole = df + square
    inner, outer = (0.5, square / whole), (df / 2, df / whole)
    if square < _NEAR_ZERO:  # both branches are right; this one converges faster
        return (1 - _incomplete_beta(inner, outer)) / 2
    return _incomplete_beta(outer, inner) / 2


def student_quantile(p: float, df: float) -> float:
    """Return the quantile of Student's t with ``df`` degrees of freedom at probability p."""
    if p > 0.5:
        return -student_quantile(1 - p, df)
    z = normal_quantile(p)
    if df == inf:
        return z
    if df > _LARGE:
        return _from_normal(z, df)
    # The tail is convex and longer than that of the normal, so Newton's method converges from
    # there.
    t = _from_normal(z, df) if df > _MANY else z
    scale = lgamma((df + 1) / 2) - lgamma(df / 2) - log(pi * df) / 2
    step = -inf
    while abs(step) > _NEAR * abs(t):  # the next step would be as small as the square of this one
        density = exp(scale - (df + 1) / 2 * log1p(t * t / df))
        step = (p - student_cdf(t, df)) / density
        t += step
    return t


def _from_normal(z: float, df: float) -> float:
    """Approximate a negative quantile of Student's t by a normal one (Wallace 1959)."""
    return -sqrt(df * expm1((z / _wallace(df)) ** 2 / df))


def _wallace(df: float) -> float:
    return (8 * df + 1) / (8 * df + 3)


def binomial_cdf(successes: int, trials: int) -> float:
    """Return P(X ≤ successes) of a binomial X with probability ½; exact for few trials."""
    if trials <= _FEW_TRIALS:
        return sum(comb(trials, number) for number in range(successes + 1)) / (1 << trials)
    if 2 * successes >= trials:
        return 1 - binomial_cdf(trials - successes - 1, trials) if successes < trials else 1.0
    return _incomplete_beta((trials - successes, 0.5), (successes + 1, 0.5))


def _incomplete_beta(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Compute the regularised incomplete beta function of (a, x), (b, 1 − x) by Lentz's method."""
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
