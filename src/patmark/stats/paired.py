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
from patmark.stats.tail_bound import hoeffding_bound

Convention: TypeAlias = Literal["shift", "sacrebleu"]

_CELLS_AT_ONCE = 1 << 23
_WORD_BITS = 64
_ROUNDING = 1e-10  # of a score; differences that are equal but for this count as equal


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
    draws: FloatArray, observed: FloatArray, convention: Convention = "shift",
    pairs: Sequence[tuple[int, int]] | None = None,
) -> list[PairedTest]:  # fmt: skip
    """Paired bootstrap from resampled scores (resamples, systems) and scores of the whole set.

    Without ``pairs``, given by position, all pairs are tested.

    ``shift`` asks how often a resampled difference lies as far from the observed one as that lies
    from zero. ``sacrebleu`` follows that program and Moses: absolute differences, centred at their
    mean, strictly beyond the observed one; its p is about half as large.
    """
    results = []
    for a, b in system_pairs(len(observed)) if pairs is None else pairs:
        delta = float(observed[a] - observed[b])
        differences = draws[:, a] - draws[:, b]
        low, high = percentile_interval(differences)
        if convention == "sacrebleu":
            p = _centred_p(np.abs(differences), abs(delta))
        else:
            p = _p_value(np.abs(differences - delta), observed[a], observed[b])
        results.append(PairedTest(a, b, delta, (min(low, delta), max(high, delta)), p))
    return results


def draw_signs(units: int, trials: int, seed: int) -> Iterator[FloatArray]:
    """For each trial and unit whether the two systems are exchanged (−1) or not (1), in blocks.

    A trial takes whole random words, so that the numbers do not depend on the size of the blocks.
    """
    rng = np.random.default_rng(seed)
    words = max(1, -(-units // _WORD_BITS))
    block = max(1, _CELLS_AT_ONCE // max(1, units))
    for start in range(0, trials, block):
        rows = min(block, trials - start)
        drawn = rng.integers(0, 1 << _WORD_BITS, size=(rows, words), dtype=np.uint64)
        bits = np.unpackbits(drawn.astype("<u8").view(np.uint8), axis=1, count=units)
        signs = bits.astype(np.float64)
        signs *= -2.0
        signs += 1.0
        yield signs


def randomise_pairs(
    quantities: Sequence[tuple[FloatArray, ScoreFunction]], units: Units, trials: int, seed: int,
    pairs: Sequence[tuple[int, int]] | None = None, tail_bound: bool = False,
) -> list[list[PairedTest]]:  # fmt: skip
    """Approximate randomisation of many quantities by the same exchanges: quantity × pair.

    A quantity is given by its statistics (systems, segments, k) and its score function. In each
    trial the two systems exchange the statistics of every unit with probability ½. The exchanges
    follow from the seed and the number of units alone and are drawn anew for each quantity, which
    costs little and keeps the statistics of only one in memory twice. Without ``pairs``, given by
    position, all pairs are tested. With ``tail_bound``, p is :func:`hoeffding_bound` where no trial
    reaches the difference and that is less; so p keeps its level, as each of the two does. Units on
    which two systems score the same are no evidence: p is never less than the others could give.
    """
    if trials < 1:
        raise UsageError(f"approximate randomisation needs at least one trial, not {trials}")
    results = []
    for statistics, score in quantities:
        per_unit = units.totals(statistics)
        signed = _signed_totals(per_unit, trials, seed)
        tested = system_pairs(len(per_unit)) if pairs is None else pairs
        results.append(_randomise(per_unit, signed, score, tested, tail_bound))
    return results


def _signed_totals(per_unit: FloatArray, trials: int, seed: int) -> FloatArray:
    """For each system and trial the units that stay minus those that go: (systems, trials, k).

    The trials of one statistic lie side by side in memory, which score functions work fastest on.
    """
    systems, count, size = per_unit.shape
    matrix = np.moveaxis(per_unit, 0, 1).reshape(count, systems * size)
    signed = np.empty((systems, size, trials))
    start = 0
    for signs in draw_signs(count, trials, seed):
        end = start + len(signs)
        signed[..., start:end] = (matrix.T @ signs.T).reshape(systems, size, -1)
        start = end
    return np.swapaxes(signed, 1, 2)


def _randomise(
    per_unit: FloatArray, signed: FloatArray, score: ScoreFunction,
    pairs: Sequence[tuple[int, int]], tail_bound: bool,
) -> list[PairedTest]:  # fmt: skip
    totals = per_unit.sum(axis=1)
    observed = score(totals)
    of_units = score(per_unit)
    results = []
    for a, b in pairs:
        middle = (totals[a] + totals[b]) / 2
        exchanged = (signed[a] - signed[b]) / 2
        distances = np.abs(score(middle + exchanged) - score(middle - exchanged))
        delta = float(observed[a] - observed[b])
        p = _p_value(distances, observed[a], observed[b])
        if tail_bound and p <= 1 / (np.count_nonzero(~np.isnan(distances)) + 1):
            p = min(p, hoeffding_bound(per_unit[a], per_unit[b], score))
        p = float(np.maximum(p, _least_p(of_units[a], of_units[b])))
        results.append(PairedTest(a, b, delta, None, p))
    return results


def _least_p(first: FloatArray, second: FloatArray) -> float:
    """The least p that units can give of which only some have different scores: 2 in 2ⁿ exchanges.

    Exchanging units with equal scores can still move a ratio, by its denominator: two systems of
    which one is shorter throughout would differ significantly by a single error.
    """
    differing = np.count_nonzero((first != second) & ~(np.isnan(first) & np.isnan(second)))
    return min(1.0, 2.0 ** (1 - differing))


def _p_value(distances: FloatArray, first: float, second: float) -> float:
    """The share of distances that reach the one between two scores, which counts as one of them."""
    valid = distances[~np.isnan(distances)]
    bound = abs(first - second)
    if np.isnan(bound) or not len(valid):
        return float("nan")
    slack = _ROUNDING * max(abs(first), abs(second))
    return (int(np.count_nonzero(valid >= bound - slack)) + 1) / (len(valid) + 1)


def _centred_p(distances: FloatArray, bound: float) -> float:
    valid = distances[~np.isnan(distances)]
    if np.isnan(bound) or not len(valid):
        return float("nan")
    return (int(np.count_nonzero(valid - valid.mean() > bound)) + 1) / (len(valid) + 1)
