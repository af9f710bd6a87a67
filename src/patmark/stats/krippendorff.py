"""Krippendorff's alpha: agreement of any number of raters, with missing ratings.

All that alpha needs adds up over items: how often each value occurs, and how often each two
different values meet in an item. A resample is therefore a product of matrices. Ordinal alpha is
interval alpha of the mid-ranks that the values have among all ratings, which change by resample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.resampling import Units, draw_weights, percentile_interval

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha, its bootstrap interval, and what both rest on.

    ``items`` have at least two ratings, ``ratings`` in all; ``single_items`` have one or none and
    do not count. Alpha is NaN where all ratings are the same: then nothing shows whether the
    raters can tell items apart. ``undefined`` resamples were of that kind and are left out.
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
    """Per drawn unit the weight of each value and of each meeting of two different values.

    ``occurrences`` (units, values) and ``meetings`` (units, kinds of meeting) are sparse;
    ``lower`` and ``upper`` tell which values meet.
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
    """Alpha of ratings (raters, items), NaN where missing.

    The order and distance of values are those of the numbers; values that nobody used do not
    matter, so that no scale is asked for. ``units`` says which items are drawn together (each by
    itself if not given); the interval is made of percentiles of the resampled alphas.
    """
    if level not in get_args(Level):
        raise UsageError(f"level {level!r} is unknown; choose nominal, ordinal or interval")
    drawn = units or Units.choose([None] * ratings.shape[1], by="segment")
    given = np.count_nonzero(~np.isnan(ratings), axis=0)
    counted = given >= 2
    found = _coincidences(ratings[:, counted], drawn.of_segment[counted], drawn.count)
    value = float(_alphas(found, np.ones((1, drawn.count)), level)[0])
    draws = _resampled(found, drawn.count, level, resamples, seed)
    return Alpha(
        level,
        value,
        _interval(value, draws) if resamples else None,
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
    """Alpha of each row of weights (draws, units); NaN where there is nothing to disagree on."""
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


def _interval(value: float, draws: FloatArray) -> tuple[float, float]:
    """The interval, widened to hold its estimate where rounding puts it a hair outside."""
    low, high = percentile_interval(draws)
    return (min(low, value), max(high, value)) if value == value else (low, high)
