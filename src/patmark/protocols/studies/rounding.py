"""Bounds on coefficients of rounded numbers, and recovery of a lost one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from patmark.data import FloatArray
from patmark.stats import Coefficient, pearson, spearman

_SLACK = 1e-9  # of binary fractions

Bound: TypeAlias = Callable[[FloatArray, FloatArray, float, float], float]


def half_unit(decimals: int) -> float:
    """Return the largest difference between a number and its printed form."""
    return 0.5 * 10.0**-decimals


def pearson_bound(x: FloatArray, y: FloatArray, x_half: float, y_half: float) -> float:
    """Return a first-order bound on the change of r by rounding.

    It changes by (z_y - r z_x) / (n s_x) for each unit of an x, and likewise for a y.
    """
    z_x, z_y = ((each - each.mean()) / each.std() for each in (x, y))
    r = float(pearson(x, y))
    of_x = np.abs(z_y - r * z_x).mean() * x_half / x.std()
    of_y = np.abs(z_x - r * z_y).mean() * y_half / y.std()
    return float(of_x + of_y)


def spearman_bound(x: FloatArray, y: FloatArray, x_half: float, y_half: float) -> float:
    """Return a bound on the change of rho by rounding.

    Rounding never reverses an order, so only ties are open: each may stand for either order. The
    change is largest if all of them agree with the other side, or all disagree.
    """
    rho = float(spearman(x, y))
    broken = (pearson(_places(x, sign * y), _places(y, sign * x)) for sign in (1, -1))
    return max(abs(float(other) - rho) for other in broken)


def _places(values: FloatArray, within_ties: FloatArray) -> FloatArray:
    return np.argsort(np.lexsort((within_ties, values))).astype(np.float64)


BOUNDS: Mapping[str, Bound] = {"pearson": pearson_bound, "spearman": spearman_bound}
_COEFFICIENTS: Mapping[str, Coefficient] = {"pearson": pearson, "spearman": spearman}


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed coefficient; the metric of one system is NaN, because it is unknown."""

    statistic: str
    gold: Sequence[float]
    metric: Sequence[float]
    value: float


def solve(equations: Sequence[Printed], step: float, decimals: int) -> tuple[float, float] | None:
    """Return the smallest and largest number consistent with all printed coefficients.

    The search tries multiples of ``step`` within the range of the other numbers, extended by its
    width on both sides. Return None without coefficients.
    """
    known = np.concatenate([np.asarray(each.metric, np.float64) for each in equations])
    low, high = np.nanmin(known), np.nanmax(known)
    first, last = round((2 * low - high) / step), round((2 * high - low) / step)
    tried = np.arange(first, last + 1) * step
    good = np.ones(tried.size, dtype=bool)
    for each in equations:
        metric = np.tile(np.asarray(each.metric, np.float64), (tried.size, 1))
        metric = np.where(np.isnan(metric), tried[:, None], metric)
        found = _COEFFICIENTS[each.statistic](np.asarray(each.gold, np.float64), metric)
        good &= np.abs(found - each.value) <= half_unit(decimals) + _SLACK
    if not good.any():
        return None
    return round(float(tried[good].min()), 9), round(float(tried[good].max()), 9)
