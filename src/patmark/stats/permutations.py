"""What the permutation tests between metrics share: the plan, the result, and p."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.paired import draw_signs, system_pairs

_ROUNDING = 1e-10  # of a coefficient; differences that are equal but for this count as equal


@dataclass(frozen=True, slots=True, eq=False)
class PermutationPlan:
    """How two metrics are exchanged.

    ``unit_of_segment`` numbers the unit of each segment, such as its document, from 0; what
    belongs to a unit is exchanged as a whole, over all systems. Without it the smallest parts are
    exchanged one by one. p is (b + 1)/(k + 1), where b of k permutations reach the observed
    difference; without ``plus_one`` it is b/k, as in MTME.
    """

    permutations: int = 1000
    seed: int = 0
    unit_of_segment: IntArray | None = None
    plus_one: bool = True

    def __post_init__(self) -> None:
        if self.permutations < 1:
            raise UsageError(
                f"a permutation test needs at least one permutation, not {self.permutations}"
            )

    def units(self, segments: int) -> IntArray | None:
        """The unit of each segment, checked and numbered without gaps."""
        if self.unit_of_segment is None:
            return None
        if self.unit_of_segment.shape != (segments,):
            raise UsageError(
                f"exchange units of shape {self.unit_of_segment.shape} do not fit "
                f"{segments} segments"
            )
        return np.unique(self.unit_of_segment, return_inverse=True)[1].astype(np.int64)

    def signs(self, units: int, rows: int) -> Iterator[FloatArray]:
        """For each permutation and unit −1 (exchanged) or 1, in blocks of at most so many rows."""
        for block in draw_signs(units, self.permutations, self.seed):
            for start in range(0, len(block), rows):
                yield block[start : start + rows]


@dataclass(frozen=True, slots=True, eq=False)
class MetricTests:
    """The value of each metric and p[a, b], one-sided, of "metric a is better than metric b".

    ``values`` are means over ``groups``; ``undefined_groups`` counts those that have no value for
    a metric and are left out of its mean. ``undefined`` counts the permutations that gave no
    difference for a pair and do not enter its p. ``units`` are exchanged as wholes.
    """

    values: FloatArray
    p: FloatArray
    permutations: int
    units: int
    undefined: IntArray
    groups: int
    undefined_groups: IntArray


def one_sided_p(
    deltas: FloatArray, values: FloatArray, plus_one: bool
) -> tuple[FloatArray, IntArray]:
    """p[a, b] of "a is better than b", and the number of permutations without a difference.

    ``deltas`` (pairs, permutations) are permuted differences, first minus second, of all pairs of
    metrics; ``values`` the observed ones. A metric against itself has p = 1; p is NaN where a
    value is.
    """
    p = np.where(np.isnan(values)[:, None], np.nan, np.eye(len(values)))
    undefined = np.zeros(p.shape, dtype=np.int64)
    for (a, b), permuted in zip(system_pairs(len(values)), deltas, strict=True):
        valid = permuted[~np.isnan(permuted)]
        undefined[a, b] = undefined[b, a] = len(permuted) - len(valid)
        delta = values[a] - values[b]
        at_least = int(np.count_nonzero(valid >= delta - _ROUNDING))
        at_most = int(np.count_nonzero(valid <= delta + _ROUNDING))
        draws = 0 if np.isnan(delta) else len(valid)
        p[a, b] = _share(at_least, draws, plus_one)
        p[b, a] = _share(at_most, draws, plus_one)
    return p, undefined


def _share(count: int, draws: int, plus_one: bool) -> float:
    if not draws:
        return float("nan")
    return (count + 1) / (draws + 1) if plus_one else count / draws
