"""How well groups of sentences explain each other's words: IBM model 1 for every bead in a band.

A word t of a bead is worth log(1 + o · Σ_s p(t|s) / (l · p(t))), over the l words s of the other
side, o the odds that a word is translated at all: how much likelier it is next to them than
anywhere in the text. Both directions are computed. A word is in one bead whatever the beads are,
so sums over whole texts can be compared (R. Moore, "Fast and accurate sentence alignment of
bilingual corpora", 2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.corpus.alignment.search import Band
from patmark.corpus.alignment.sparse import entries
from patmark.corpus.alignment.words import Side
from patmark.data import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Grid: TypeAlias = NDArray[np.float32]
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Explanation:
    """How words of one side follow from sentences of the other.

    ``support[w, k]`` sums p(w|s) / p(w) over the words s of sentence k, which has ``sizes[k]``
    words; ``odds`` is how much more often a word is translated than not.
    """

    explained: Side
    support: csr_array
    sizes: IntArray
    odds: float

    def of_groups(self, largest: int, rows: slice, columns: slice) -> Grid:
        """For sentences in ``rows``: what 1 … ``largest`` sentences from a column on explain.

        Groups that would run beyond the text end with it.
        """
        starts = self.explained.starts[rows.start : rows.stop + 1]
        length = columns.stop - columns.start
        stop = min(columns.stop + largest - 1, len(self.sizes))
        tokens = self.explained.ids[starts[0] : starts[-1]]
        dense = np.zeros((len(tokens), length + largest - 1), dtype=np.float32)
        dense[:, : stop - columns.start] = self.support[tokens, columns.start : stop].toarray()
        words = np.zeros(length + largest - 1, dtype=np.float32)
        words[: stop - columns.start] = self.sizes[columns.start : stop]
        filled = np.flatnonzero(np.diff(starts))
        result = np.zeros((largest, rows.stop - rows.start, length), dtype=np.float32)
        total, count = np.zeros((len(tokens), length), np.float32), np.zeros(length, np.float32)
        for more in range(largest if len(filled) else 0):
            total += dense[:, more : more + length]
            count += words[more : more + length]
            worth = np.log1p(total * (self.odds / np.maximum(count, 1)))
            result[more, filled] = np.add.reduceat(worth, starts[filled] - starts[0], axis=0)
        return result

    def by_chance(self) -> FloatArray:
        """For each sentence: what a sentence of the other text explains of it on average."""
        worth = self.support.copy()
        worth.data = np.log1p(worth.data * (self.odds / np.maximum(self.sizes, 1))[worth.indices])
        of_word = np.asarray(worth.sum(axis=1)).ravel() / max(len(self.sizes), 1)
        running = np.concatenate([[0.0], np.cumsum(of_word[self.explained.ids])])
        return np.asarray(np.diff(running[self.explained.starts]))

    def of_beads(self, explained: IntArray, explaining: IntArray) -> FloatArray:
        """The sum for each bead, given as boundaries: bead k has the sentences k to k + 1 of both.

        A bead with an empty side has the sum 0.
        """
        from scipy.sparse import csr_array

        beads = np.arange(len(explaining) - 1)
        bead_of_other = np.repeat(beads, np.diff(explaining))
        ones, rows = np.ones(len(bead_of_other)), np.arange(len(bead_of_other))
        shape = (len(self.sizes), len(beads))
        groups = csr_array((ones, (rows, bead_of_other)), shape=shape)
        bead = np.repeat(np.repeat(beads, np.diff(explained)), self.explained.sizes)
        support = entries((self.support @ groups).tocsr(), self.explained.ids, bead)
        words = np.bincount(bead_of_other, weights=self.sizes, minlength=len(beads))
        worth = np.log1p(support * (self.odds / np.maximum(words[bead], 1)))
        return np.asarray(np.bincount(bead, weights=worth, minlength=len(beads)), dtype=np.float64)


def explained_sources(band: Band, explanation: Explanation, largest: int) -> Grid:
    """``[b - 1, i, c]``: source sentence i next to b target sentences from cell c on."""
    result = np.full((largest, band.sources, band.width), -np.inf, dtype=np.float32)
    for first in range(0, band.sources, _BLOCK):
        last = min(first + _BLOCK, band.sources)
        columns = slice(band.low[first], min(band.low[last - 1] + band.width, band.targets))
        block = explanation.of_groups(largest, slice(first, last), columns)
        cells = np.arange(columns.start, columns.stop) - band.low[first:last, None]
        row, column = np.nonzero((cells >= 0) & (cells < band.width))
        result[:, first + row, cells[row, column]] = block[:, row, column]
    return result


def explained_targets(band: Band, explanation: Explanation, largest: int) -> Grid:
    """``[a - 1, i, c]``: the target sentence at cell c next to a source sentences from i on."""
    result = np.full((largest, band.sources, band.width), -np.inf, dtype=np.float32)
    low = band.low[: band.sources]
    for first in range(0, band.targets, _BLOCK):
        last = min(first + _BLOCK, band.targets)
        columns = slice(
            int(np.searchsorted(low, first - band.width, side="right")),
            int(np.searchsorted(low, last - 1, side="right")),
        )
        block = explanation.of_groups(largest, slice(first, last), columns)
        cells = np.arange(first, last)[:, None] - low[columns]
        target, source = np.nonzero((cells >= 0) & (cells < band.width))
        result[:, columns.start + source, cells[target, source]] = block[:, target, source]
    return result


def over_targets(grid: Grid, count: int) -> Grid:
    """The sum over ``count`` target sentences from each cell on; out of the band is never."""
    width = grid.shape[1]
    result = np.full(grid.shape, -np.inf, dtype=np.float32)
    if count <= width:
        inner = result[:, : width - count + 1]
        inner[:] = 0.0
        for more in range(count):
            inner += grid[:, more : width - count + 1 + more]
    return result


def over_sources(grid: Grid, band: Band, count: int) -> Grid:
    """The sum over ``count`` source sentences from each cell on, at the same target sentence."""
    result = grid.copy()
    cells = np.arange(band.width)
    result[max(band.sources - count + 1, 0) :] = -np.inf
    for more in range(1, min(count, band.sources)):
        shift = band.low[: band.sources - more] - band.low[more : band.sources]
        place = cells + shift[:, None]
        values = np.take_along_axis(grid[more:], np.maximum(place, 0), axis=1)
        result[: band.sources - more] += np.where(place >= 0, values, -np.inf)
    return result
