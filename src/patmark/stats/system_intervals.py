"""Bootstrap intervals of correlations between scores of whole systems.

Systems are drawn, because other systems would give another correlation, and with them the segments
behind their scores where those are known. A system drawn twice is not compared with itself.
"""

from __future__ import annotations

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.correlation import Coefficient, pearson, spearman
from patmark.stats.correlation_intervals import (
    CorrelationInterval,
    check_shapes,
    interval_of,
    quotient,
)
from patmark.stats.pair_counts import acc_eq, kendall_b
from patmark.stats.resampling import Units, resample_totals

_SYSTEM_STREAM = 1  # systems are drawn from a stream of their own, beside that of segments
_FIT_FOR_REPEATS = (pearson, spearman, kendall_b, acc_eq)


def drawn_systems_interval(
    gold: FloatArray,
    metric: FloatArray,
    coefficient: Coefficient = pearson,
    resamples: int = 2000,
    seed: int = 0,
    *,
    gold_draws: FloatArray | None = None,
    metric_draws: FloatArray | None = None,
    resample_systems: bool = True,
) -> CorrelationInterval:
    """Interval of the correlation between two scores of the same systems, each (systems,).

    Where the scores of resampled segments are known, ``gold_draws`` and ``metric_draws``
    (resamples, systems) hold them; otherwise the scores stay and only systems are drawn. A drawn
    system without a score leaves the draw without a value.
    """
    if resample_systems and coefficient not in _FIT_FOR_REPEATS:
        raise UsageError(
            "systems can be resampled for pearson, spearman, kendall_b and acc_eq only; "
            "others would compare a system with itself"
        )
    shape = (resamples, len(gold))
    human = np.broadcast_to(gold, shape) if gold_draws is None else gold_draws
    scores = np.broadcast_to(metric, shape) if metric_draws is None else metric_draws
    chosen = _draw_systems(len(gold), resamples, seed) if resample_systems else None
    value = float(coefficient(gold[None], metric[None])[0]) if len(gold) else float("nan")
    return interval_of(value, _of_draws(human, scores, chosen, coefficient))


def mean_distance_interval(
    distances: FloatArray, resamples: int = 2000, seed: int = 0
) -> CorrelationInterval:
    """Interval of 1 − mean distance over pairs of systems, from a symmetric matrix.

    Soft pairwise accuracy is such a mean. Systems are drawn; a system drawn twice is not paired
    with itself.
    """
    systems = len(distances)
    drawn = _draw_systems(systems, resamples, seed)
    weights = np.zeros((resamples, systems))
    np.add.at(weights, (np.arange(resamples)[:, None], drawn), 1.0)
    total = ((weights @ distances) * weights).sum(axis=1) / 2
    pairs = (weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)) / 2
    own = distances[np.triu_indices(systems, 1)]
    value = 1 - float(own.mean()) if len(own) else float("nan")
    return interval_of(value, 1 - quotient(total, pairs))


def system_intervals(
    gold: FloatArray,
    metrics: FloatArray,
    units: Units,
    coefficient: Coefficient = pearson,
    resample_systems: bool = True,
    resamples: int = 2000,
    seed: int = 0,
) -> list[CorrelationInterval]:
    """Interval of the correlation between mean scores of systems, for each metric.

    Arguments as for segments. Segments or documents are drawn, and systems too unless told not
    to: with the same systems the interval says nothing about other ones. A system drawn twice is
    not compared with itself, which only Pearson, Spearman, ``kendall_b`` and ``acc_eq`` allow for.
    Means are over segments with a human score; systems without any are left out.
    """
    check_shapes(gold, metrics, units, resamples)
    known = ~np.isnan(gold).all(axis=1)
    gold, metrics = gold[known], metrics[:, known]
    present = ~np.isnan(gold)
    tables = np.where(present, np.stack([present, gold, *metrics]), 0.0)
    per_segment = np.moveaxis(tables, 0, -1)
    human, *scores = _means(resample_totals(per_segment, units, resamples, seed))
    observed_human, *observed = _means(per_segment.sum(axis=1)[None])
    return [
        drawn_systems_interval(
            observed_human[0], own[0], coefficient, resamples, seed,
            gold_draws=human, metric_draws=drawn, resample_systems=resample_systems,
        )
        for own, drawn in zip(observed, scores, strict=True)
    ]  # fmt: skip


def _means(sums: FloatArray) -> list[FloatArray]:
    """Means of systems from sums (draws, systems, tables), the first table being counts."""
    return [quotient(sums[..., table], sums[..., 0]) for table in range(1, sums.shape[-1])]


def _draw_systems(systems: int, resamples: int, seed: int) -> IntArray:
    rng = np.random.default_rng([seed, _SYSTEM_STREAM])
    return rng.integers(0, max(1, systems), size=(resamples, systems))


def _of_draws(
    human: FloatArray, metric: FloatArray, chosen: IntArray | None, coefficient: Coefficient
) -> FloatArray:
    """The coefficient of means (draws, systems); NaN where a drawn system has no mean."""
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
    return quotient(found * pairs - with_itself, pairs - with_itself)
