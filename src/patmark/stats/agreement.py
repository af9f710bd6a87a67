"""Agreement of raters: kappa, Krippendorff's alpha, preferences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from patmark.data import (
    FloatArray,
    IntArray,
    ScoreFunction,
    ratio,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.stats.intervals import interval_holding, tail_beyond
from patmark.stats.resampling import Units, draw_weights
from patmark.stats.rounding import magnitude, rounded


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two raters on the items that both judged.

    ``exact`` and ``within_one`` are shares of these items with equal values, and with values at
    most one step of the scale apart. A kappa is NaN if chance agreement is certain, as when both
    raters give one and the same value throughout. Intervals of kappa are None without resamples.
    """

    first: int
    second: int
    items: int
    exact: float
    within_one: float
    kappa: float
    kappa_linear: float
    kappa_quadratic: float
    kappa_ci: tuple[float, float] | None = None
    kappa_linear_ci: tuple[float, float] | None = None
    kappa_quadratic_ci: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class PercentAgreement:
    """Shares of all pairs of ratings of one item that are equal, or at most one step apart."""

    pairs: int
    exact: float
    within_one: float


def scale_positions(ratings: FloatArray, scale: Sequence[float]) -> FloatArray:
    """Return the position of each rating on the scale, counted from 0; NaN stays.

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
    """Count how often each item got each value: (raters, items) to (items, steps)."""
    _, items = positions.shape
    given = ~np.isnan(positions)
    cells = np.nonzero(given)[1] * steps + positions[given].astype(np.int64)
    return np.bincount(cells, minlength=items * steps).reshape(items, steps)


def rater_pairs(
    ratings: FloatArray, scale: Sequence[float], units: Units | None = None, resamples: int = 0,
    seed: int = 0,
) -> list[PairAgreement]:  # fmt: skip
    """Return the agreement of every two raters, by position.

    With ``resamples``, kappas have expanded percentile intervals. ``units`` gives the resampling
    unit of each item; by default each item is a unit.
    """
    positions = scale_positions(ratings, scale)
    drawn = units or Units.choose([None] * ratings.shape[1], by="segment")
    return [
        _pair_agreement(positions[[first, second]], (first, second), len(scale), drawn,
                        resamples, seed)
        for first, second in combinations(range(len(positions)), 2)
    ]  # fmt: skip


def _pair_agreement(
    both: FloatArray, raters: tuple[int, int], steps: int, units: Units, resamples: int, seed: int
) -> PairAgreement:
    known = np.flatnonzero(~np.isnan(both).any(axis=0))
    first, second = both[:, known].astype(np.int64)
    cells = np.zeros((units.count, steps**2))
    np.add.at(cells, (units.of_segment[known], first * steps + second), 1.0)
    cells = cells[cells.any(axis=1)]
    table = cells.sum(axis=0)
    distance = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps))).ravel()
    weights = np.stack([np.sign(distance), distance, distance**2])
    kappas = _kappas(table, weights)
    intervals: list[tuple[float, float] | None] = [None] * len(weights)
    if resamples and len(cells) > 1:
        drawn = np.concatenate(
            [_kappas(block @ cells, weights) for block in draw_weights(len(cells), resamples, seed)]
        )
        tail = tail_beyond(cells.sum(axis=1))
        intervals = [
            None if np.isnan(kappa) else interval_holding(float(kappa), of_kappa, tail)
            for kappa, of_kappa in zip(kappas, drawn.T, strict=True)
        ]
    shares = ratio([table[distance <= most].sum() for most in (0, 1)], len(known)).tolist()
    return PairAgreement(*raters, len(known), *shares, *kappas.tolist(), *intervals)


def _kappas(tables: FloatArray, weights: IntArray) -> FloatArray:
    """Return 1 − weighted disagreement over that of independent raters with these margins.

    Tables are (…, steps²), weights (kappas, steps²); the result is (…, kappas).
    """
    steps = int(np.sqrt(tables.shape[-1]))
    square = tables.reshape(*tables.shape[:-1], steps, steps)
    by_chance = square.sum(axis=-1)[..., :, None] * square.sum(axis=-2)[..., None, :]
    expected = by_chance.reshape(tables.shape) @ weights.T
    return 1 - ratio((tables @ weights.T) * tables.sum(axis=-1, keepdims=True), expected)


def percent_agreement(ratings: FloatArray, scale: Sequence[float]) -> PercentAgreement:
    """Return agreement of any number of raters, without correction for chance."""
    counts = value_counts(scale_positions(ratings, scale), len(scale))
    given = counts.sum(axis=1)
    pairs = int((given * (given - 1)).sum()) // 2
    equal = int((counts * (counts - 1)).sum()) // 2
    near = int((counts[:, 1:] * counts[:, :-1]).sum())
    return PercentAgreement(pairs, *ratio([equal, equal + near], pairs).tolist())


def fleiss_kappa(ratings: FloatArray, scale: Sequence[float]) -> float:
    """Return Fleiss' kappa of items that all have the same number of ratings.

    The result is NaN if all ratings are equal.
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
    return float(ratio(float(observed) - by_chance, 1 - by_chance))


# Krippendorff's alpha: agreement of any number of raters, with missing ratings. It depends on
# counts that are additive over items: of each value, and of each pair of different values in an
# item. A resample is therefore a matrix product. Ordinal alpha is interval alpha of the mid-ranks
# of the values among all ratings, which change with the resample.
Level: TypeAlias = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha with its bootstrap interval and sample sizes.

    ``items`` have at least two ratings, ``ratings`` in all; ``single_items`` have one or none and
    do not count. Alpha is NaN if all ratings are equal, because nothing then shows if the raters
    can distinguish items. ``undefined`` counts resamples of that kind, which are left out.
    """

    level: Level
    value: float
    ci: tuple[float, float] | None
    items: int
    ratings: int
    single_items: int
    resamples: int
    undefined: int
    seed: int
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class _Coincidences:
    """Weights of each value and of each pair of different values, per resampling unit.

    ``occurrences`` (units, values) and ``meetings`` (units, kinds of pair) are sparse. ``lower``
    and ``upper`` are the values of each kind of pair.
    """

    values: FloatArray
    occurrences: Any
    meetings: Any
    lower: IntArray
    upper: IntArray


def krippendorff_alpha(
    ratings: FloatArray,
    level: Level,
    units: Units | None = None,
    resamples: int = 0,
    seed: int = 0,
) -> Alpha:
    """Return alpha of ratings (raters, items), NaN if missing.

    Order and distance of values are those of the numbers. Unused values have no effect, so no scale
    is needed. ``units`` gives the resampling unit of each item (by default each item is a unit).
    The interval consists of expanded percentiles of the resampled alphas; a single unit has none.
    """
    if level not in get_args(Level):
        raise UsageError(f"level {level!r} is unknown; choose nominal, ordinal or interval")
    drawn = units or Units.choose([None] * ratings.shape[1], by="segment")
    given = np.count_nonzero(~np.isnan(ratings), axis=0)
    counted = given >= 2
    drawn_units = len(np.unique(drawn.of_segment[counted]))
    found = _coincidences(ratings[:, counted], drawn.of_segment[counted], drawn.count)
    value = float(_alphas(found, np.ones((1, drawn.count)), level)[0])
    draws = _resampled(found, drawn.count, level, resamples, seed)
    tail = tail_beyond(drawn.sizes(counted))
    return Alpha(
        level,
        value,
        interval_holding(value, draws, tail) if resamples and drawn_units > 1 else None,
        items=int(np.count_nonzero(counted)),
        ratings=int(given[counted].sum()),
        single_items=int(np.count_nonzero(~counted)),
        resamples=resamples,
        undefined=int(np.count_nonzero(np.isnan(draws))),
        seed=seed,
        unit=str(drawn),
    )


def _coincidences(ratings: FloatArray, unit_of: IntArray, units: int) -> _Coincidences:
    from scipy.sparse import coo_array

    given = ~np.isnan(ratings)
    values, places = np.unique(ratings[given], return_inverse=True)
    number = given.sum(axis=0)
    owners = np.broadcast_to(unit_of, ratings.shape)[given]
    occurrences = coo_array((np.ones(len(places)), (owners, places)), shape=(units, len(values)))
    ranked = np.sort(ratings, axis=0)[: number.max(initial=0)]  # missing ones come last
    first, second = np.triu_indices(len(ranked), k=1)
    rows, items = np.nonzero(ranked[first] < ranked[second])
    lower = np.searchsorted(values, ranked[first[rows], items])
    upper = np.searchsorted(values, ranked[second[rows], items])
    kinds, kind = np.unique(lower * len(values) + upper, return_inverse=True)
    meetings = coo_array(
        (2 / (number[items] - 1), (unit_of[items], kind)), shape=(units, len(kinds))
    )
    width = max(1, len(values))
    return _Coincidences(
        values, occurrences.tocsr(), meetings.tocsr(), kinds // width, kinds % width
    )


def _alphas(found: _Coincidences, weights: FloatArray, level: Level) -> FloatArray:
    """Return alpha of each row of weights (draws, units); NaN without disagreement to expect."""
    counts = weights @ found.occurrences
    meetings = weights @ found.meetings
    total = counts.sum(axis=1)
    if level == "nominal":
        observed = meetings.sum(axis=1)
        expected = total**2 - np.square(counts).sum(axis=1)
    else:
        ranks = counts.cumsum(axis=1) - counts / 2
        scores = ranks if level == "ordinal" else np.broadcast_to(found.values, counts.shape)
        distances = np.square(scores[:, found.upper] - scores[:, found.lower])
        observed = (meetings * distances).sum(axis=1)
        middle = (counts * scores).sum(axis=1) / np.where(total > 0, total, 1)
        deviations = np.square(scores - middle[:, None])
        expected = 2 * total * (counts * deviations).sum(axis=1)
    various = np.count_nonzero(counts, axis=1) > 1
    return np.where(various, 1 - (total - 1) * observed / np.where(various, expected, 1), np.nan)


def _resampled(
    found: _Coincidences, units: int, level: Level, resamples: int, seed: int
) -> FloatArray:
    blocks = [_alphas(found, weights, level) for weights in draw_weights(units, resamples, seed)]
    return np.concatenate([np.empty(0), *blocks])


# Predicted against human preferences between two candidates: 1, 0 or -1 for each pair. The
# definitions are those of the Patent-CE paper. They depend on the nine counts of label and
# prediction, which are additive over pairs, so a bootstrap is a sum of counts.
CLASSES = (-1, 0, 1)
_SIZE = len(CLASSES)


def predicted_preferences(
    first: FloatArray,
    second: FloatArray,
    higher_is_better: bool = True,
    band: float | FloatArray = 0.0,
) -> IntArray:
    """Return 1 if the first score is better, -1 if the second is, 0 for a tie.

    Scores tie if they differ by at most ``band``, to twelve digits. Without a band, scores that
    differ in the last digit are different.
    """
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if np.isnan(first).any() or np.isnan(second).any():
        raise UsageError("a score has no value, so that nothing is predicted for its pair")
    scale = magnitude(first, second)
    signs = (first > second).astype(np.int64) - (first < second)
    signs[
        (np.asarray(band) > 0)
        & (rounded(abs(first - second), scale) <= rounded(np.asarray(band), scale))
    ] = 0
    return signs if higher_is_better else -signs


def meeting_counts(labels: IntArray, predictions: IntArray) -> FloatArray:
    """Return a vector of nine counts for each pair, with a 1 for its label and prediction.

    Labels are (pairs,), predictions (…, pairs); the result is (…, pairs, 9).
    """
    labels, predictions = np.asarray(labels), np.asarray(predictions)
    for values in (labels, predictions):
        if not np.isin(values, CLASSES).all():
            raise UsageError("a preference must be 1, 0 or -1")
    cells = (labels + 1) * _SIZE + predictions + 1
    return np.asarray(cells[..., None] == np.arange(_SIZE * _SIZE), dtype=np.float64)


def tau(counts: FloatArray) -> FloatArray:
    """Return Kendall's tau-b over the ranks of all candidates; counts (…, 9) to (…).

    A preference is two ranks: 1 is (1, 2), -1 is (2, 1), 0 is (1, 1). With two ranks, tau-b is the
    phi coefficient of "this candidate lost". NaN if one side has only ties.
    """
    table = _table(counts)
    slots = 2 * counts.sum(axis=-1)
    both_lost = table[..., 0, 0] + table[..., 2, 2]
    lost = table[..., [0, 2], :].sum(axis=(-2, -1))
    predicted_lost = table[..., :, [0, 2]].sum(axis=(-2, -1))
    spread = lost * (slots - lost) * predicted_lost * (slots - predicted_lost)
    return ratio(slots * both_lost - lost * predicted_lost, np.sqrt(spread))


def rho(counts: FloatArray) -> FloatArray:
    """Return Spearman's rho of labels and predictions; NaN if one is constant."""
    table = _table(counts)
    labelled, predicted = table.sum(axis=-1), table.sum(axis=-2)
    own, other = _centred_ranks(labelled), _centred_ranks(predicted)
    together = (table * own[..., :, None] * other[..., None, :]).sum(axis=(-2, -1))
    spread = (labelled * own**2).sum(axis=-1) * (predicted * other**2).sum(axis=-1)
    return np.clip(ratio(together, np.sqrt(spread)), -1.0, 1.0)


def accuracy(counts: FloatArray) -> FloatArray:
    """Return the share of pairs with the predicted label, ties included."""
    return ratio(np.trace(_table(counts), axis1=-2, axis2=-1), counts.sum(axis=-1))


def weighted_f1(counts: FloatArray) -> FloatArray:
    """Return F1 of the three labels, weighted by their frequency among people.

    A label that is never predicted has F1 0, so a metric that never ties loses every tie.
    """
    table = _table(counts)
    labelled, predicted = table.sum(axis=-1), table.sum(axis=-2)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    f1 = 2 * right / np.maximum(labelled + predicted, 1)
    return ratio((labelled * f1).sum(axis=-1), counts.sum(axis=-1))


STATISTICS: Mapping[str, ScoreFunction] = MappingProxyType(
    {"tau": tau, "rho": rho, "accuracy": accuracy, "f1": weighted_f1}
)


def _table(counts: FloatArray) -> FloatArray:
    """Reshape counts (…, 9) into tables (…, label, prediction)."""
    return counts.reshape(*counts.shape[:-1], _SIZE, _SIZE)


def _centred_ranks(sizes: FloatArray) -> FloatArray:
    """Return the mid-rank of each class, less the mean rank."""
    ranks = np.cumsum(sizes, axis=-1) - (sizes - 1) / 2
    return np.asarray(ranks - (sizes.sum(axis=-1, keepdims=True) + 1) / 2)
