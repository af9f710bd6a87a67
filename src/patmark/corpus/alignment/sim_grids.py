"""SIM for every bead of one sentence with one to six others, in a band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patmark.corpus.alignment.generation import over_sources, over_targets
from patmark.corpus.alignment.search import Band, BeadScores, Kind
from patmark.corpus.alignment.similarity import CellPairs, WordMatches, sim
from patmark.data import FloatArray, IntArray

_MOST = 6
_KINDS: tuple[Kind, ...] = (
    (1, 1), *((1, n) for n in range(2, _MOST + 1)), *((n, 1) for n in range(2, _MOST + 1))
)  # fmt: skip


def rough_scores(band: Band, matches: WordMatches) -> BeadScores:
    """SIM with co replaced by the number of words that have some partner, which is never less."""
    covered = np.zeros((2, band.sources, band.width), dtype=np.float32)
    for pairs in matches.pairs(band):
        cell = pairs.i * band.width + pairs.j - band.low[pairs.i]
        _add_distinct(covered[0], cell, pairs.source, pairs.source_count)
        _add_distinct(covered[1], cell, pairs.target, pairs.target_count)
    grids = []
    for kind in _KINDS:
        counts = [over_targets(over_sources(grid, band, kind[0]), kind[1]) for grid in covered]
        sizes = _group_sizes(band, kind, matches)
        outside = np.isneginf(counts[0])
        matched = np.maximum(np.minimum.reduce([*counts, *np.broadcast_arrays(*sizes)]), 0)
        grids.append(np.where(outside, -np.inf, sim(matched, *sizes)))
    return _padded(band, grids)


def sim_scores(band: Band, matches: WordMatches) -> BeadScores:
    """SIM as it is defined, with a one-to-one matching of words for each bead."""
    pairs = CellPairs.joined(matches.pairs(band))
    grids = []
    for kind in _KINDS:
        matched = _matched(band, kind, pairs, matches)
        grids.append(sim(matched, *_group_sizes(band, kind, matches)))
    return _padded(band, grids)


def _add_distinct(grid: FloatArray, cell: IntArray, word: IntArray, count: FloatArray) -> None:
    """Add the words of each cell, each counted once however many partners it has."""
    _, first = np.unique(cell * (word.max(initial=0) + 1) + word, return_index=True)
    total = np.bincount(cell[first], weights=count[first], minlength=grid.size)
    grid += total.reshape(grid.shape)


def _matched(band: Band, kind: Kind, pairs: CellPairs, matches: WordMatches) -> FloatArray:
    """co of the bead of a kind from each cell on. A pair is in the beads that begin before it."""
    beads, chosen = [], []
    for back in range(max(kind)):
        i = pairs.i - (back if kind[0] > 1 else 0)
        j = pairs.j - (back if kind[1] > 1 else 0)
        cell = j - band.low[np.maximum(i, 0)]
        inside = np.flatnonzero((i >= 0) & (cell >= 0) & (cell < band.width))
        beads.append((i * band.width + cell)[inside])
        chosen.append(inside)
    bead = np.concatenate(beads)
    of_beads = pairs.taken(np.concatenate(chosen))
    cells = band.sources * band.width
    return matches.matched(bead, of_beads, kind, cells).reshape(band.sources, band.width)


def _group_sizes(band: Band, kind: Kind, matches: WordMatches) -> tuple[IntArray, IntArray]:
    """How many content words both sides of a bead from each cell on have."""
    rows, columns = np.arange(band.sources)[:, None], band.columns()[:-1]
    return (
        _words_between(matches.source.starts, rows, kind[0]),
        _words_between(matches.target.starts, columns, kind[1]),
    )


def _words_between(starts: IntArray, begin: IntArray, count: int) -> IntArray:
    last = len(starts) - 1
    size: IntArray = starts[np.minimum(begin + count, last)] - starts[np.minimum(begin, last)]
    return size


def _padded(band: Band, grids: Sequence[FloatArray]) -> BeadScores:
    """With a row for the end of the text, from which no bead begins."""
    shape = (len(_KINDS), band.sources + 1, band.width)
    padded = np.full(shape, -np.inf, dtype=np.float32)
    padded[:, :-1] = grids
    return BeadScores(_KINDS, padded)
