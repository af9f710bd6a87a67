"""How far evaluators can be trusted without common segments: the validation of NTCIR-9.

Grades are an array (evaluators, systems, segments), better ones higher, NaN where an evaluator did
not judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.correlation import pearson
from patmark.stats.pairwise_score import pairwise_score, pairwise_statistics
from patmark.stats.resampling import percentile_interval


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and middle 95 % of Pearson's r over splits.

    Those ``undefined``, in which a side lacks a system or all differences, are left out.
    """

    mean: float
    interval: tuple[float, float]
    splits: int
    undefined: int

    @classmethod
    def of(cls, values: FloatArray) -> Spread:
        """The spread of values that may be NaN."""
        valid = values[~np.isnan(values)]
        undefined = len(values) - len(valid)
        mean = float(valid.mean()) if len(valid) else float("nan")
        return cls(mean, percentile_interval(values), len(values), undefined)


@dataclass(frozen=True, slots=True)
class HalfSplit:
    """Pearson over systems between pairwise scores on two halves of the data.

    ``in_order`` compares the first half of the segments with the second. Spearman–Brown foretells
    r for data twice as large as a half, from the mean r of the random splits. ``segments`` are
    those of each evaluator, ``shared`` those of more than one.
    """

    in_order: float
    random: Spread
    spearman_brown: float
    systems: int
    segments: tuple[int, ...]
    shared: int
    seed: int


@dataclass(frozen=True, slots=True)
class EvaluatorPair:
    """Pearson over ``systems`` between pairwise scores of two evaluators on their own segments.

    ``segments`` of each, ``common`` of both: where none is common, differences of the data are in
    the number too. ``left_out`` systems were not compared by both.
    """

    first: int
    second: int
    pearson: float
    systems: int
    left_out: int
    segments: tuple[int, int]
    common: int


def half_split(grades: FloatArray, splits: int = 1000, seed: int = 0) -> HalfSplit:
    """Compare halves that each contain half of the segments of every evaluator (NTCIR-9, 5.1).

    A segment is in one half with all its grades: a half that shared segments with the other would
    agree with it for that alone. Segments of one evaluator are halved for each evaluator, those
    of several together. Of an odd number the second half gets one more. Segments in which an
    evaluator graded fewer than two systems hold no comparison and do not count.
    """
    statistics = pairwise_statistics(grades)
    compared = statistics[..., 1].sum(axis=1) > 0
    numbers = compared.sum(axis=1)
    few = [f"{place} ({number})" for place, number in enumerate(numbers) if number < 2]
    if few or not len(grades):
        raise UsageError(
            "a half split needs at least two segments with comparisons of every evaluator; "
            f"too few has evaluator {', '.join(few) or '(there is none)'}"
        )
    parts = _parts_to_halve(compared)
    of_segment = np.moveaxis(statistics.sum(axis=0), 0, 1)[np.concatenate(parts)]
    by_segment = of_segment.reshape(len(of_segment), -1)
    rng = np.random.default_rng(seed)
    first = [np.arange(len(part))[None, :] < len(part) // 2 for part in parts]
    chosen = [random_halves(len(part), splits, rng) for part in parts]
    random = Spread.of(_half_correlations(np.concatenate(chosen, axis=1), by_segment))
    in_order = float(_half_correlations(np.concatenate(first, axis=1), by_segment)[0])
    segments, shared = tuple(map(int, numbers)), int((compared.sum(axis=0) > 1).sum())
    return HalfSplit(
        in_order, random, spearman_brown(random.mean), grades.shape[1], segments, shared, seed
    )


def spearman_brown(r: float) -> float:
    """What r would be if both sides had twice as many data: 2r / (1 + r)."""
    return 2 * r / (1 + r) if r > -1 else float("nan")


def _parts_to_halve(compared: NDArray[np.bool_]) -> list[IntArray]:
    """Segments of each evaluator alone, and all others together, of (evaluators, segments).

    A single segment of an evaluator alone cannot be halved; it goes with the others.
    """
    judges = compared.sum(axis=0)
    alone = [np.flatnonzero(own & (judges == 1)) for own in compared]
    parts = [own for own in alone if len(own) > 1]
    placed = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
    others = np.setdiff1d(np.flatnonzero(judges), placed)
    return [*parts, others] if len(others) else parts


def random_halves(size: int, splits: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Who is in the first half: (splits, size)."""
    if splits < 1:
        raise UsageError(f"at least one random split is needed, not {splits}")
    return rng.permuted(np.tile(np.arange(size), (splits, 1)), axis=1) < size // 2


def _half_correlations(first_half: NDArray[np.bool_], by_segment: FloatArray) -> FloatArray:
    """Pearson of each split (splits, segments), from statistics (segments, systems × 2)."""
    first = first_half.astype(np.float64) @ by_segment
    second = by_segment.sum(axis=0) - first
    sums = np.stack([first, second]).reshape(2, len(first), -1, 2)
    return pearson(*pairwise_score(sums))


def between_evaluators(grades: FloatArray) -> list[EvaluatorPair]:
    """Compare every two evaluators, each on their own segments (NTCIR-9, 5.2)."""
    statistics = pairwise_statistics(grades)
    scores = pairwise_score(statistics.sum(axis=2))
    compared = statistics[..., 1].sum(axis=1) > 0
    results = []
    for a, b in combinations(range(len(grades)), 2):
        both = ~np.isnan(scores[a]) & ~np.isnan(scores[b])
        r = float(pearson(scores[a, both], scores[b, both]))
        segments = (int(compared[a].sum()), int(compared[b].sum()))
        common = int((compared[a] & compared[b]).sum())
        systems = int(both.sum())
        results.append(EvaluatorPair(a, b, r, systems, len(both) - systems, segments, common))
    return results
