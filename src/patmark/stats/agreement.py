"""Agreement of raters on a declared scale: shares of equal ratings, Cohen's and Fleiss' kappa.

Ratings are an array (raters, items), NaN where a rater did not judge an item. The scale lists all
values that could have been given, lowest first: a kappa with weights counts steps on that scale,
so a value that nobody used still keeps its neighbours apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.errors import InputError, Problem, UsageError


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two raters by position, on the items that both judged.

    ``exact`` and ``within_one`` are shares of these items: equal values, and values at most one
    step of the scale apart. A kappa is NaN where chance alone would make the raters agree, as it
    does when both give one and the same value throughout.
    """

    first: int
    second: int
    items: int
    exact: float
    within_one: float
    kappa: float
    kappa_linear: float
    kappa_quadratic: float


@dataclass(frozen=True, slots=True)
class PercentAgreement:
    """Shares of all pairs of ratings of one item that are equal, or at most one step apart."""

    pairs: int
    exact: float
    within_one: float


def scale_positions(ratings: FloatArray, scale: Sequence[float]) -> FloatArray:
    """Where on the scale each rating stands, counted from 0; NaN stays.

    All ratings that are not on the scale are reported together.
    """
    steps = np.asarray(scale, dtype=np.float64)
    if len(steps) < 2 or not np.all(np.diff(steps) > 0):
        raise UsageError(f"a scale needs at least two values, lowest first, not {list(scale)}")
    places = np.searchsorted(steps, ratings).clip(max=len(steps) - 1)
    missing = np.isnan(ratings)
    wrong = np.argwhere(~missing & (steps[places] != ratings))
    if len(wrong):
        raise InputError(
            Problem(f"rating {ratings[tuple(place)]:g} at {place.tolist()} is not on the scale")
            for place in wrong
        )
    return np.where(missing, np.nan, places.astype(np.float64))


def value_counts(positions: FloatArray, steps: int) -> IntArray:
    """How often each item got each value of the scale: (raters, items) to (items, steps)."""
    _, items = positions.shape
    given = ~np.isnan(positions)
    cells = np.nonzero(given)[1] * steps + positions[given].astype(np.int64)
    return np.bincount(cells, minlength=items * steps).reshape(items, steps)


def rater_pairs(ratings: FloatArray, scale: Sequence[float]) -> list[PairAgreement]:
    """The agreement of every two raters, by position."""
    positions = scale_positions(ratings, scale)
    return [
        _pair_agreement(positions, first, second, len(scale))
        for first, second in combinations(range(len(positions)), 2)
    ]


def _pair_agreement(positions: FloatArray, first: int, second: int, steps: int) -> PairAgreement:
    both = positions[[first, second]]
    both = both[:, ~np.isnan(both).any(axis=0)].astype(np.int64)
    items = both.shape[1]
    table = np.bincount(both[0] * steps + both[1], minlength=steps**2).reshape(steps, steps)
    distance = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    return PairAgreement(
        first,
        second,
        items,
        exact=_ratio(table[distance == 0].sum(), items),
        within_one=_ratio(table[distance <= 1].sum(), items),
        kappa=_kappa(table, np.sign(distance)),
        kappa_linear=_kappa(table, distance),
        kappa_quadratic=_kappa(table, distance**2),
    )


def _kappa(table: IntArray, weights: IntArray) -> float:
    """One minus the weighted disagreement over that of independent raters with these margins."""
    by_chance = weights * np.outer(table.sum(axis=1), table.sum(axis=0))
    return 1 - _ratio((weights * table).sum() * table.sum(), by_chance.sum())


def percent_agreement(ratings: FloatArray, scale: Sequence[float]) -> PercentAgreement:
    """Agreement of any number of raters, without correction for chance."""
    counts = value_counts(scale_positions(ratings, scale), len(scale))
    given = counts.sum(axis=1)
    pairs = int((given * (given - 1)).sum()) // 2
    equal = int((counts * (counts - 1)).sum()) // 2
    near = int((counts[:, 1:] * counts[:, :-1]).sum())
    return PercentAgreement(pairs, _ratio(equal, pairs), _ratio(equal + near, pairs))


def fleiss_kappa(ratings: FloatArray, scale: Sequence[float]) -> float:
    """Fleiss' kappa of items that all have the same number of ratings, whoever gave them.

    NaN where all ratings are the same.
    """
    counts = value_counts(scale_positions(ratings, scale), len(scale))
    numbers = np.unique(counts.sum(axis=1))
    if len(numbers) != 1 or numbers[0] < 2:
        found = ", ".join(map(str, numbers)) or "no"
        raise UsageError(
            "Fleiss' kappa needs the same number of ratings, at least two, for every item, and "
            f"there are items with {found} ratings; Krippendorff's alpha allows missing ratings"
        )
    number = int(numbers[0])
    observed = (counts * (counts - 1)).sum(axis=1).mean() / (number * (number - 1))
    by_chance = float(np.square(counts.sum(axis=0) / counts.sum()).sum())
    return _ratio(float(observed) - by_chance, 1 - by_chance)


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else float("nan")
