"""Alignment by dictionary similarity: M. Utiyama and H. Isahara, ACL 2003.

Groups of sentences are bags of content words. ``co`` counts words that translate each other, one to
one; SIM = (co + 1) / (l(J) + l(E) - 2 co + 2). Beads of one sentence with 1 … 6 others maximise the
sum of SIM. AVSIM is the mean SIM of a document pair, SntScore = AVSIM · SIM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.alignment.beads import Bead, Kind, Step
from patmark.alignment.lexicon import Senses
from patmark.alignment.search import (
    Band,
    BeadScores,
    best_path,
    centres_of,
    diagonal,
    first_half_width,
    over_sources,
    over_targets,
)
from patmark.alignment.similarity import CellPairs, WordMatches, sim
from patmark.alignment.words import words_version
from patmark.data import FloatArray, IntArray

VERSION = 2
_HALF_WIDTH = 16
_KINDS: tuple[Kind, ...] = (
    (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UtiyamaIsahara:
    """The published method."""

    source: str
    target: str
    senses: Senses

    @property
    def signature(self) -> str:
        """Method, languages, segmenters and dictionary."""
        words = f"{words_version(self.source)},{words_version(self.target)}"
        return (
            f"utiyama-isahara/{VERSION}({self.source}-{self.target},{words},"
            f"dictionary={self.senses.dictionary.name})"
        )

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Return beads in the order of the text; the score is SIM (see :func:`snt_scores`).

        Without empty beads some texts cannot be covered, such as 1 and 7 sentences; then every
        sentence stays unaligned.
        """
        matches = WordMatches.of(source, target, (self.source, self.target), self.senses)
        path = best_path(
            diagonal(len(source), len(target)),
            len(target),
            first_half_width(len(target)),
            lambda band: rough_scores(band, matches),
        )
        path = best_path(
            centres_of(path, len(source)),
            len(target),
            _HALF_WIDTH,
            lambda band: sim_scores(band, matches),
        )
        return _scored(path, matches)


def _scored(path: Sequence[Step], matches: WordMatches) -> list[Bead]:
    beads = [Bead(tuple(range(i, i + a)), tuple(range(j, j + b)), 0.0) for i, j, (a, b) in path]
    similarity = matches.similarities(beads)
    return [replace(bead, score=float(s)) for bead, s in zip(beads, similarity, strict=True)]


def avsim(similarity: FloatArray) -> float:
    """Return the mean SIM of a document pair; 0 without beads."""
    return float(similarity.mean()) if len(similarity) else 0.0


def snt_scores(similarity: FloatArray) -> FloatArray:
    """Return SntScore = AVSIM · SIM: a bead counts more in a document with a good overall fit."""
    return avsim(similarity) * similarity


def count_ratio(sources: int, targets: int) -> float:
    """Return R: the smaller number of sentences over the larger."""
    return min(sources, targets) / max(sources, targets, 1)


def rough_scores(band: Band, matches: WordMatches) -> BeadScores:
    """Return SIM with co replaced by an upper bound: the words with any partner."""
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
    """Return SIM with a one-to-one matching of words for each bead."""
    pairs = CellPairs.joined(matches.pairs(band))
    grids = []
    for kind in _KINDS:
        matched = _matched(band, kind, pairs, matches)
        grids.append(sim(matched, *_group_sizes(band, kind, matches)))
    return _padded(band, grids)


def _add_distinct(grid: FloatArray, cell: IntArray, word: IntArray, count: FloatArray) -> None:
    """Add the words of each cell, each counted once regardless of its partners."""
    _, first = np.unique(cell * (word.max(initial=0) + 1) + word, return_index=True)
    total = np.bincount(cell[first], weights=count[first], minlength=grid.size)
    grid += total.reshape(grid.shape)


def _matched(band: Band, kind: Kind, pairs: CellPairs, matches: WordMatches) -> FloatArray:
    """Return co of the bead of a kind from each cell on."""
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
    """Return the content words on both sides of a bead from each cell on."""
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
    """Return scores with a row for the end of the text, from which no bead begins."""
    shape = (len(_KINDS), band.sources + 1, band.width)
    padded = np.full(shape, -np.inf, dtype=np.float32)
    padded[:, :-1] = grids
    return BeadScores(_KINDS, padded)
