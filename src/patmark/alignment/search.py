"""Search for the best sequence of beads, given their scores.

The search is dynamic programming in a band along the diagonal. A cell (i, j) means that i source
and j target sentences are covered. Rows are source positions. Only ``width`` cells of each row from
``low[i]`` on are searched, so that time and memory grow with the band and not with the product of
the lengths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.alignment.beads import Kind, Step
from patmark.data import FloatArray, IntArray

Grid: TypeAlias = NDArray[np.float32]
_NEVER = -np.inf
_LEAST_HALF_WIDTH = 60
_SHARE_OF_TEXT = 40


@dataclass(frozen=True, slots=True)
class Band:
    """Cells of the search: in row i the cells ``low[i]`` to ``low[i] + width - 1``."""

    low: IntArray
    width: int
    sources: int
    targets: int

    @property
    def is_full(self) -> bool:
        """True if every cell is in the band."""
        return self.width > self.targets

    def columns(self) -> IntArray:
        """Return the target position of every cell, row by row; it may exceed the last."""
        return self.low[:, None] + np.arange(self.width)[None, :]


@dataclass(frozen=True, slots=True)
class BeadScores:
    """Scores of beads. ``grids[k][i, c]`` is the bead of ``kinds[k]`` from that cell on.

    ``lone_targets[j]`` is added for target sentence j without a source; None forbids it.
    """

    kinds: Sequence[Kind]
    grids: NDArray[np.float32]
    lone_targets: FloatArray | None = None


def band_around(centres: FloatArray, targets: int, half_width: int) -> Band:
    """Return a band with the same width everywhere, around a target position for each row."""
    width = min(2 * half_width + 1, targets + 1)
    low = np.rint(centres).astype(np.int64) - half_width
    low = np.maximum.accumulate(np.clip(low, 0, targets + 1 - width))
    return Band(low, width, len(centres) - 1, targets)


def diagonal(sources: int, targets: int) -> FloatArray:
    """Return the target position of each source position for parallel texts."""
    return np.asarray(np.arange(sources + 1) * (targets / max(sources, 1)), dtype=np.float64)


def centres_of(path: Sequence[Step], sources: int) -> FloatArray:
    """Return the target position of each source position on a path."""
    places = np.array([(i, j) for i, j, _ in path], dtype=np.float64).reshape(-1, 2)
    ends = [(i + a, j + b) for i, j, (a, b) in path[-1:]] or [(0, 0)]
    known = np.concatenate([places, np.array(ends, dtype=np.float64).reshape(-1, 2)])
    rows, first = np.unique(known[:, 0], return_index=True)
    return np.asarray(np.interp(np.arange(sources + 1), rows, known[first, 1]))


def first_half_width(targets: int) -> int:
    """Return the half width of the band of the first search around the diagonal."""
    return max(_LEAST_HALF_WIDTH, targets // _SHARE_OF_TEXT)


def lone_runs(path: Sequence[Step]) -> dict[int, int]:
    """Count the target sentences without a source after each source position of a path."""
    return dict(Counter(row for row, _, (sources, _) in path if not sources))


def best_path(
    centres: FloatArray,
    targets: int,
    half_width: int,
    score: Callable[[Band], BeadScores],
    runs: Mapping[int, int] = MappingProxyType({}),
) -> list[Step]:
    """Return the beads with the highest sum, as (first source, first target, type).

    The band is doubled while the path comes near its edge. ``runs`` are expected runs of unaligned
    target sentences, by source position; only long ones count.
    """
    if targets == 0 or len(centres) == 1:
        return _unmatched(len(centres) - 1, targets)
    while True:
        rows = _Rows.of(centres, runs, half_width)
        band = band_around(rows.centres, targets, half_width)
        path = search(band, rows.stretched(score(rows.real(band))))
        if path is not None and (band.is_full or not _touches(path, band, rows.is_run)):
            return rows.without_runs(path)
        if band.is_full:
            return _unmatched(len(centres) - 1, targets)
        half_width *= 2


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a search, with extra rows for long runs of unaligned target sentences.

    Such a run would need a band as wide as it is long. Extra rows without a source sentence are
    inserted instead, and the band follows them. ``last[i]`` is the row from which beads with the
    source sentence i begin; ``is_run`` marks the rows of runs.
    """

    centres: FloatArray
    last: IntArray
    is_run: NDArray[np.bool_]

    @classmethod
    def of(cls, centres: FloatArray, runs: Mapping[int, int], half_width: int) -> _Rows:
        """Return rows around centres; a run is long if it is longer than eight half widths."""
        more = np.zeros(len(centres), dtype=np.int64)
        for row, length in runs.items():
            if length > 8 * half_width:
                more[row] = -(-length // half_width)
        source = np.repeat(np.arange(len(centres)), more + 1)
        last = np.cumsum(more + 1) - 1
        inside = np.arange(len(source)) - (last - more)[source]
        return cls(centres[source] + half_width * inside, last, more[source] > 0)

    def real(self, band: Band) -> Band:
        """Return the rows from which beads begin."""
        return Band(band.low[self.last], band.width, len(self.last) - 1, band.targets)

    def stretched(self, scores: BeadScores) -> BeadScores:
        """Return scores for all rows; rows within a run pass to the next one at no cost."""
        if not self.is_run.any():
            return scores
        shape = (len(scores.kinds), len(self.centres), scores.grids.shape[2])
        grids = np.full(shape, _NEVER, dtype=np.float32)
        grids[:, self.last] = scores.grids
        begin = np.concatenate([[0], self.last[:-1] + 1])
        for place, (sources, _) in enumerate(scores.kinds):
            ends = begin[np.minimum(np.arange(len(begin)) + sources, len(begin) - 1)]
            grids[place, self.last[self.last + sources != ends]] = _NEVER  # it would cross a run
        within = np.ones(len(self.centres), dtype=bool)
        within[self.last] = False
        grids[list(scores.kinds).index((1, 0)), within] = 0.0
        return BeadScores(scores.kinds, grids, scores.lone_targets)

    def without_runs(self, path: Sequence[Step]) -> list[Step]:
        """Return a path through all rows as a path through the source sentences."""
        source = np.searchsorted(self.last, np.arange(len(self.centres)))
        return [
            (int(source[row]), target, kind)
            for row, target, kind in path
            if not kind[0] or self.last[source[row]] == row
        ]


def search(band: Band, scores: BeadScores) -> list[Step] | None:
    """Return the best path within the band; None if no sequence of beads covers both texts."""
    steps = _Table(band, scores)
    return steps.path() if steps.fill() else None


class _Table:
    """Table of the best sum of each cell, and the type of the bead that ends there.

    ``recent`` keeps the sums of beads that begin in the last rows, padded with ``width`` cells on
    both sides, so that a shift between rows is a slice.
    """

    def __init__(self, band: Band, scores: BeadScores) -> None:
        self.band, self.scores = band, scores
        self.sources_of = np.array([kind[0] for kind in scores.kinds])
        self.targets_of = np.array([kind[1] for kind in scores.kinds])
        self.depth = int(self.sources_of.max(initial=1)) + 1
        shape = (self.depth, len(scores.kinds), 3 * band.width)
        self.recent = np.full(shape, _NEVER)
        self.ending = np.full((band.sources + 1, band.width), -1, dtype=np.int8)
        self.lone = None if scores.lone_targets is None else _running_sum(scores.lone_targets)

    def fill(self) -> bool:
        """Fill all rows; return True if the last cell was reached."""
        band, cells = self.band, np.arange(self.band.width)
        which = np.arange(len(self.scores.kinds))
        end = band.targets - band.low
        begins = np.arange(band.sources + 1)[:, None] - self.sources_of
        shifts = band.low[:, None] - self.targets_of - band.low[np.maximum(begins, 0)]
        firsts = np.clip(shifts, -band.width, band.width) + band.width
        places = begins % self.depth
        for row in range(band.sources + 1):
            sums = self.recent[places[row, :, None], which[:, None], firsts[row, :, None] + cells]
            sums[begins[row] < 0] = _NEVER
            best = sums.argmax(axis=0)
            value = sums[best, cells]
            if row == 0:
                value[0] = 0.0
            self.ending[row] = np.where(np.isfinite(value), best, -1)
            value = self._with_lone_targets(row, value)
            value[end[row] + 1 :] = _NEVER
            inner = self.recent[row % self.depth, :, band.width : 2 * band.width]
            np.add(value, self.scores.grids[:, row], out=inner)
        return bool(end[-1] < band.width and np.isfinite(value[end[-1]]))

    def _with_lone_targets(self, row: int, value: FloatArray) -> FloatArray:
        """Add any number of unaligned target sentences."""
        if self.lone is None:
            return value
        low = self.band.low[row]
        cost = self.lone[np.minimum(low + np.arange(self.band.width), self.band.targets)]
        best_so_far = np.maximum.accumulate(value - cost)
        improved = best_so_far > value - cost
        self.ending[row][improved] = len(self.scores.kinds)
        return np.where(improved, best_so_far + cost, value)

    def path(self) -> list[Step]:
        """Trace the best path from the last cell to the first."""
        kinds = [*self.scores.kinds, (0, 1)]
        row, target = self.band.sources, self.band.targets
        steps: list[Step] = []
        while row or target:
            kind = kinds[self.ending[row, target - self.band.low[row]]]
            row, target = row - kind[0], target - kind[1]
            steps.append((row, target, kind))
        return steps[::-1]


def _running_sum(values: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(values)])


def _touches(path: Sequence[Step], band: Band, is_run: NDArray[np.bool_]) -> bool:
    """Return True if the path, outside of runs, comes near an inner edge of the band."""
    rows = np.array([step[0] for step in path])
    targets = np.array([step[1] for step in path])
    margin = max(2, band.width // 16)
    low, high = band.low[rows], band.low[rows] + band.width - 1
    near_low = (targets - low < margin) & (low > 0)
    near_high = (high - targets < margin) & (high < band.targets)
    return bool(((near_low | near_high) & ~is_run[rows]).any())


def _unmatched(sources: int, targets: int) -> list[Step]:
    """Return every sentence unaligned, for texts that no sequence of beads covers."""
    alone: list[Step] = [(row, 0, (1, 0)) for row in range(sources)]
    return alone + [(sources, target, (0, 1)) for target in range(targets)]


def over_targets(grid: Grid, count: int) -> Grid:
    """Sum a grid over ``count`` target sentences from each cell; -inf outside of the band."""
    if count == 1:
        return grid
    width = grid.shape[1]
    result = np.full(grid.shape, -np.inf, dtype=np.float32)
    if count <= width:
        inner = result[:, : width - count + 1]
        inner[:] = 0.0
        for more in range(count):
            inner += grid[:, more : width - count + 1 + more]
    return result


def over_sources(grid: Grid, band: Band, count: int) -> Grid:
    """Sum a grid over ``count`` source sentences from each cell, at the same target sentence."""
    if count == 1:
        return grid
    result = grid.copy()
    cells = np.arange(band.width)
    result[max(band.sources - count + 1, 0) :] = -np.inf
    for more in range(1, min(count, band.sources)):
        if band.is_full:
            result[: band.sources - more] += grid[more:]
            continue
        shift = band.low[: band.sources - more] - band.low[more : band.sources]
        place = cells + shift[:, None]
        values = np.take_along_axis(grid[more:], np.maximum(place, 0), axis=1)
        result[: band.sources - more] += np.where(place >= 0, values, -np.inf)
    return result
