"""Confidence intervals of correlations with human scores, for segments and for systems.

For systems, Pearson and Spearman use Fisher's z, and Kendall uses its variance for normal scores,
because resampling few systems gives intervals that are too narrow. Other coefficients are
resampled. A resample changes sums of item coefficients or of products of scores, so a matrix
product gives these sums for all resamples. All metrics use the same resamples. At system level,
systems are drawn too, because other systems would give another correlation. A system drawn twice is
not compared with itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from patmark.data import (
    FloatArray,
    IntArray,
    mean_statistics,
    ratio,
)
from patmark.errors import UsageError
from patmark.stats.correlation import (
    CONSTANT,
    AverageBy,
    Coefficient,
    acc_eq,
    as_groups,
    check_scores,
    group_coefficients,
    grouped,
    kendall_b,
    mean_defined,
    pearson,
    pearson_of_sums,
    spearman,
)
from patmark.stats.distributions import farthest, normal_quantile
from patmark.stats.intervals import interval_holding, tail_beyond
from patmark.stats.resampling import (
    Units,
    draw_weights,
    resample_totals,
)
from patmark.stats.rounding import rounded

_CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class CorrelationInterval:
    """A correlation and its interval, from the ``draws`` with a value.

    The correlation is undefined in ``undefined`` further draws, which are left out. Both ends are
    NaN if no draw has a value.
    """

    value: float
    ci: tuple[float, float]
    draws: int
    undefined: int


def segment_intervals(
    gold: FloatArray,
    metrics: FloatArray,
    units: Units,
    coefficient: Coefficient = pearson,
    average_by: AverageBy = "item",
    resamples: int = 2000,
    seed: int = 0,
) -> list[CorrelationInterval]:
    """Return the interval of the segment-level correlation of each metric.

    Segments or documents are drawn. ``gold`` (systems, segments) holds human scores, NaN if
    missing; ``metrics`` (metrics, systems, segments) those of each metric. By item any coefficient
    can be resampled; over all cells or by system, Pearson and Spearman.
    """
    check_shapes(gold, metrics, units, resamples)
    if average_by == "item":
        per_item = [group_coefficients(gold, metric, coefficient, "item") for metric in metrics]
        return item_intervals(np.array(per_item), units, resamples, seed)
    values = [grouped(gold, metric, coefficient, average_by).value for metric in metrics]
    if coefficient is pearson:
        draws = _resampled_pearson(gold, metrics, units, average_by, resamples, seed)
    elif coefficient is spearman:
        draws = _resampled_spearman(gold, metrics, units, average_by, resamples, seed)
    else:
        raise UsageError(
            "over all cells or by system only Pearson and Spearman can be resampled; "
            "average by item"
        )
    sizes = units.sizes(np.asarray(~np.isnan(gold).all(axis=0)))
    return [interval_of(value, drawn, sizes) for value, drawn in zip(values, draws.T, strict=True)]


def item_intervals(
    per_item: FloatArray, units: Units, resamples: int = 2000, seed: int = 0
) -> list[CorrelationInterval]:
    """Return intervals of means over items from coefficients (rows, items), NaN if absent.

    All rows, such as metrics and coefficients, use the same resamples.
    """
    values = mean_defined(per_item)
    statistics = mean_statistics(per_item)
    sums = resample_totals(statistics, units, resamples, seed)
    draws = ratio(sums[..., 0], sums[..., 1])
    sizes = units.sizes(~np.isnan(per_item))
    return [
        interval_of(float(value), drawn, own)
        for value, drawn, own in zip(values, draws.T, sizes, strict=True)
    ]


def check_shapes(gold: FloatArray, metrics: FloatArray, units: Units, resamples: int) -> None:
    """Refuse arrays of different shapes, and metrics without a score for a gold score."""
    if metrics.ndim != 3:
        raise UsageError(
            f"expected metrics of shape (metrics, systems, segments), not {metrics.shape}"
        )
    for metric in metrics:
        check_scores(gold, metric)
    if len(units.of_segment) != gold.shape[1]:
        raise UsageError(
            f"units of {len(units.of_segment)} segments do not fit {gold.shape[1]} segments"
        )
    if resamples < 1:
        raise UsageError(f"an interval needs at least one resample, not {resamples}")


def interval_of(value: float, drawn: FloatArray, sizes: FloatArray) -> CorrelationInterval:
    """Return the expanded percentile interval, widened to contain the value if necessary.

    ``sizes`` are those of the drawn units.
    """
    undefined = int(np.count_nonzero(np.isnan(drawn)))
    ci = interval_holding(value, drawn, tail_beyond(sizes))
    return CorrelationInterval(value, ci, len(drawn) - undefined, undefined)


def _resampled_pearson(
    gold: FloatArray,
    metrics: FloatArray,
    units: Units,
    average_by: AverageBy,
    resamples: int,
    seed: int,
) -> FloatArray:
    """Return Pearson of drawn segments over all cells or within systems, (resamples, metrics)."""
    present = ~np.isnan(gold)
    human, *scores = (_centred(table, present) for table in (gold, *metrics))
    products = [present, human, human**2]
    products += [part for score in scores for part in (score, score**2, human * score)]
    table = np.stack(products, axis=-1).astype(np.float64)
    table = table.sum(axis=0, keepdims=True) if average_by == "none" else table
    sums = np.moveaxis(resample_totals(table, units, resamples, seed), -1, 0)
    columns = [
        mean_defined(pearson_of_sums(sums[0], *sums[place : place + 3], *sums[1:3]))
        for place in range(3, len(sums), 3)
    ]
    return np.stack(columns, axis=1)


def _centred(table: FloatArray, present: NDArray[np.bool_]) -> FloatArray:
    """Return scores minus their mean, which keeps sums of squares exact; zero if absent."""
    mean = table[present].mean() if present.any() else 0.0
    return np.where(present, table - mean, 0.0)


def _resampled_spearman(
    gold: FloatArray,
    metrics: FloatArray,
    units: Units,
    average_by: AverageBy,
    resamples: int,
    seed: int,
) -> FloatArray:
    """Return Spearman of drawn segments over all cells or within systems, (resamples, metrics)."""
    places = np.arange(gold.size, dtype=np.float64).reshape(gold.shape)
    cells = as_groups(places, average_by).astype(np.int64)
    groups = [group[~np.isnan(gold.ravel()[group])] for group in cells]
    unit_of_cell = np.tile(units.of_segment, len(gold))
    rows = max(1, _CELLS_AT_ONCE // max(1, gold.size))
    blocks = []
    for drawn in draw_weights(units.count, resamples, seed):
        for start in range(0, len(drawn), rows):
            weights = drawn[start : start + rows]
            found = np.empty((len(weights), len(metrics), len(groups)))
            for place, group in enumerate(groups):
                found[:, :, place] = _weighted_spearman(
                    gold.ravel()[group],
                    metrics.reshape(len(metrics), -1)[:, group],
                    weights[:, unit_of_cell[group]],
                )
            blocks.append(mean_defined(found))
    return np.concatenate(blocks)


def _weighted_spearman(human: FloatArray, metrics: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Spearman of values that occur ``weights`` (rows, values) times, (rows, metrics)."""
    found = np.full((len(weights), len(metrics)), np.nan)
    if not len(human):
        return found
    x = _centred_ranks(human, weights)
    for metric, scores in enumerate(metrics):
        y = _centred_ranks(scores, weights)
        spread = (weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)
        found[:, metric] = ratio((weights * x * y).sum(axis=1), np.sqrt(spread))
    return found


def _centred_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return mid-ranks of values that occur ``weights`` times, minus their mean, (rows, values)."""
    _, place = np.unique(rounded(values), return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(place.max() + 1))
    masses = np.add.reduceat(weights[:, order], starts, axis=1)
    middles = np.cumsum(masses, axis=1) - masses / 2
    ranks: FloatArray = (middles - weights.sum(axis=1, keepdims=True) / 2)[:, place]
    return ranks


_FEWEST_FOR_KENDALL = 5
_SYSTEM_STREAM = 1  # systems have a random stream separate from that of segments
_FIT_FOR_REPEATS = (pearson, spearman, kendall_b, acc_eq)


def correlation_interval(
    coefficient: Coefficient, value: float, systems: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Return the interval of a correlation over systems; None if it has none.

    It uses Fisher's z with a variance of 1/(n − 3) for Pearson and (1 + ρ²/2)/(n − 3) for Spearman
    (Bonett and Wright 2000). A correlation of 1 or −1 is infinite on this scale and has no
    interval. For Kendall's τ, from 5 systems on, the interval consists of the true values that are
    compatible with τ given their variance, so a τ of 1 has one too.
    """
    z = normal_quantile((1 + confidence) / 2)
    if coefficient is kendall_b:
        return _kendall_interval(value, systems, z)
    factor = 1 + value**2 / 2 if coefficient is spearman else 1.0
    variance = float(ratio(factor, systems - 3))
    if np.isnan(variance) or not abs(value) < 1 - CONSTANT:
        return None
    half = z * np.sqrt(variance)
    middle = np.arctanh(value)
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))


def _kendall_interval(value: float, systems: int, z: float) -> tuple[float, float] | None:
    """Return the bounds at z standard deviations on both sides of τ."""
    if systems < _FEWEST_FOR_KENDALL or np.isnan(value):
        return None

    def is_near(truth: float) -> bool:
        return abs(value - truth) <= z * sqrt(_kendall_variance(truth, systems))

    return farthest(value, -1.0, is_near), farthest(value, 1.0, is_near)


def _kendall_variance(tau: float, n: int) -> float:
    """Return the variance of Kendall's τ of n pairs of normal scores (Esscher 1924)."""
    middle = 2 / pi * asin(sin(pi * tau / 2) / 2)
    return max(0.0, 2 / (n * (n - 1)) * (1 - tau**2 + 2 * (n - 2) * (1 / 9 - middle**2)))


def drawn_systems(
    gold: FloatArray,
    metric: FloatArray,
    coefficient: Coefficient = pearson,
    resamples: int = 2000,
    seed: int = 0,
    *,
    gold_draws: FloatArray | None = None,
    metric_draws: FloatArray | None = None,
    resample_systems: bool = True,
) -> FloatArray:
    """Return the correlation of two scores of the same systems, each (systems,), on resamples.

    ``gold_draws`` and ``metric_draws`` (resamples, systems) hold the scores of resampled segments,
    if known. Otherwise only systems are drawn. A drawn system without a score makes the draw
    undefined.
    """
    if resample_systems and coefficient not in _FIT_FOR_REPEATS:
        raise UsageError(
            "systems can be resampled for pearson, spearman, kendall_b and acc_eq only; "
            "others would compare a system with itself"
        )
    shape = (resamples, len(gold))
    human = np.broadcast_to(gold, shape) if gold_draws is None else gold_draws
    scores = np.broadcast_to(metric, shape) if metric_draws is None else metric_draws
    chosen = draw_systems(len(gold), resamples, seed) if resample_systems else None
    return _of_draws(human, scores, chosen, coefficient)


def mean_distance_interval(
    distances: FloatArray, resamples: int = 2000, seed: int = 0
) -> CorrelationInterval:
    """Return the interval of 1 − mean distance over pairs of systems, from a symmetric matrix.

    Soft pairwise accuracy is such a mean. Systems are drawn; a system drawn twice is not paired
    with itself.
    """
    weights = system_weights(len(distances), resamples, seed)
    own = distances[np.triu_indices(len(distances), 1)]
    value = 1 - float(own.mean()) if len(own) else float("nan")
    drawn = np.broadcast_to(own, (resamples, len(own)))
    return interval_of(value, 1 - _mean_of_pairs(drawn, weights), np.ones(len(distances)))


def draw_systems(systems: int, resamples: int, seed: int) -> IntArray:
    """Draw the systems of each resample, (resamples, systems)."""
    rng = np.random.default_rng([seed, _SYSTEM_STREAM])
    return rng.integers(0, max(1, systems), size=(resamples, systems))


def system_weights(systems: int, resamples: int, seed: int) -> FloatArray:
    """Count how often each system is in each resample, (resamples, systems)."""
    weights = np.zeros((resamples, systems))
    drawn = draw_systems(systems, resamples, seed)
    np.add.at(weights, (np.arange(resamples)[:, None], drawn), 1.0)
    return weights


def _mean_of_pairs(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return means over pairs (rows, pairs) with systems weighted (rows, systems)."""
    first, second = np.triu_indices(weights.shape[1], 1)
    sums = np.empty((2, len(weights)))
    block = max(1, _CELLS_AT_ONCE // max(1, len(first)))
    for start in range(0, len(weights), block):
        rows = slice(start, start + block)
        of_pair = weights[rows, first] * weights[rows, second]
        sums[:, rows] = (values[rows] * of_pair).sum(axis=1), of_pair.sum(axis=1)
    return ratio(*sums)


def _of_draws(
    human: FloatArray, metric: FloatArray, chosen: IntArray | None, coefficient: Coefficient
) -> FloatArray:
    """Return the coefficient of means (draws, systems); NaN where a drawn system has no mean."""
    if chosen is not None:
        human = np.take_along_axis(human, chosen, axis=1)
        metric = np.take_along_axis(metric, chosen, axis=1)
    defined = ~(np.isnan(human) | np.isnan(metric)).any(axis=1)
    found = np.full(len(human), np.nan)
    found[defined] = coefficient(human[defined], metric[defined])
    if chosen is None or coefficient is not acc_eq:
        return found
    size = chosen.shape[1]
    pairs = size * (size - 1) // 2
    with_itself = sum(
        np.count_nonzero(chosen[:, later:] == chosen[:, : size - later], axis=1)
        for later in range(1, size)
    )
    return ratio(found * pairs - with_itself, pairs - with_itself)
