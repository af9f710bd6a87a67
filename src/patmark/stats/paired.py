"""Paired tests on summed statistics, for all pairs of systems at once.

One set of resamples (or of exchanges) serves every system and every measure, so that all pairs are
compared on the same draws and the work is a matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from patmark.data import FloatArray, ScoreFunction
from patmark.errors import UsageError
from patmark.stats.resampling import Units, percentile_interval

Convention: TypeAlias = Literal["shift", "sacrebleu"]

_CELLS_AT_ONCE = 1 << 23


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two systems by position: score of the first minus score of the second, interval, p."""

    first: int
    second: int
    delta: float
    ci: tuple[float, float] | None
    p: float


def system_pairs(systems: int) -> list[tuple[int, int]]:
    """All pairs of positions, the earlier first."""
    return list(combinations(range(systems), 2))


def bootstrap_pairs(
    draws: FloatArray, observed: FloatArray, convention: Convention = "shift"
) -> list[PairedTest]:
    """Paired bootstrap from resampled scores (resamples, systems) and scores of the whole set.

    ``shift`` asks how often a resampled difference lies as far from the observed one as that lies
    from zero. ``sacrebleu`` follows that program and Moses: absolute differences, centred at their
    mean, strictly beyond the observed one; its p is about half as large.
    """
    results = []
    for a, b in system_pairs(len(observed)):
        delta = float(observed[a] - observed[b])
        differences = draws[:, a] - draws[:, b]
        low, high = percentile_interval(differences)
        results.append(
            PairedTest(
                a,
                b,
                delta,
                (min(low, delta), max(high, delta)),
                _bootstrap_p(differences, delta, convention),
            )
        )
    return results


def _bootstrap_p(differences: FloatArray, delta: float, convention: Convention) -> float:
    valid = differences[~np.isnan(differences)]
    if np.isnan(delta) or not len(valid):
        return float("nan")
    if convention == "sacrebleu":
        distances = np.abs(valid)
        beyond = np.count_nonzero(distances - distances.mean() > abs(delta))
    else:
        beyond = np.count_nonzero(at_least(np.abs(valid - delta), abs(delta)))
    return (beyond + 1) / (len(valid) + 1)


def at_least(values: FloatArray, bound: float) -> FloatArray:
    """Whether values reach a bound; sums of floats that should be equal to it count as equal."""
    return np.asarray(values >= bound - 1e-12 * max(1.0, abs(bound)))


def draw_signs(units: int, trials: int, seed: int) -> Iterator[FloatArray]:
    """For each trial and unit whether the two systems are exchanged (−1) or not (1), in blocks."""
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS_AT_ONCE // max(1, units))
    for start in range(0, trials, block):
        rows = min(block, trials - start)
        yield rng.integers(0, 2, size=(rows, units), dtype=np.int8).astype(np.float64) * 2 - 1


def randomise_pairs(
    quantities: Sequence[tuple[FloatArray, ScoreFunction]], units: Units, trials: int, seed: int
) -> list[list[PairedTest]]:
    """Approximate randomisation of many quantities from one set of exchanges: quantity × pair.

    A quantity is given by its statistics (systems, segments, k) and its score function. In each
    trial the two systems exchange the statistics of every unit with probability ½.
    """
    if trials < 1:
        raise UsageError(f"approximate randomisation needs at least one trial, not {trials}")
    if not quantities:
        return []
    joined = units.totals(np.concatenate([statistics for statistics, _ in quantities], axis=-1))
    systems, count, size = joined.shape
    matrix = np.moveaxis(joined, 0, 1).reshape(count, systems * size)
    signed = np.concatenate([signs @ matrix for signs in draw_signs(count, trials, seed)])
    signed = signed.reshape(trials, systems, size)
    results, end = [], 0
    for statistics, score in quantities:
        start, end = end, end + statistics.shape[-1]
        totals = statistics.sum(axis=1)
        results.append(_randomise(totals, signed[..., start:end], score))
    return results


def _randomise(totals: FloatArray, signed: FloatArray, score: ScoreFunction) -> list[PairedTest]:
    observed = score(totals)
    results = []
    for a, b in system_pairs(len(totals)):
        delta = float(observed[a] - observed[b])
        middle = (totals[a] + totals[b]) / 2
        exchanged = (signed[:, a] - signed[:, b]) / 2
        differences = np.abs(score(middle + exchanged) - score(middle - exchanged))
        valid = differences[~np.isnan(differences)]
        p = float("nan")
        if len(valid) and not np.isnan(delta):
            p = (np.count_nonzero(at_least(valid, abs(delta))) + 1) / (len(valid) + 1)
        results.append(PairedTest(a, b, delta, None, p))
    return results
