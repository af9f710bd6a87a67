"""Edit distances of one pair within TER's beam: a band along the pseudo-diagonal.

Only cells within the beam are looked at, so a very different pair costs more edits than its true
distance. That is part of how TER is defined; without it the numbers would differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.measures.kernels.edit_pairs import Alignment, Flags, Pairs, Positions, Words

Costs: TypeAlias = NDArray[np.int32]

BEAM = 25
_UNREACHED = 1 << 29
_NO_WORD = -3
_DIAGONAL, _DELETION, _INSERTION = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A row of the matrix from column ``start`` on, for several hypotheses: (columns, count)."""

    start: int
    distances: Costs
    by_diagonal: Costs
    by_deletion: Costs

    def steps(self) -> NDArray[np.int8]:
        """How each cell is reached; of equal costs the diagonal comes first, then deletion."""
        deletion = np.where(self.distances == self.by_deletion, _DELETION, _INSERTION)
        return np.where(self.distances == self.by_diagonal, _DIAGONAL, deletion).astype(np.int8)


def beam_never_binds(distances: Positions, pairs: Pairs) -> Flags:
    """Where the beam holds every cheapest path, so that the true distance and path are right.

    A path of cost d strays from the pseudo-diagonal by at most half the sum of d and the
    difference in length, plus one for rounding. A short reference lies within the beam entirely.
    """
    difference = np.abs(pairs.hypothesis_lengths - pairs.reference_lengths)
    stray: Positions = (distances + difference) // 2 + 1
    return (stray < BEAM) | (pairs.reference_lengths < BEAM)


def beam_distances(hypotheses: Words, reference: Words) -> Positions:
    """Distances of hypotheses (count, words) of one length to a reference."""
    distances = np.zeros(len(hypotheses), dtype=np.int64)
    for row in _rows(hypotheses, reference):
        distances[:] = row.distances[-1]
    return distances


def beam_alignment(pairs: Pairs) -> tuple[int, Alignment]:
    """The distance of a single pair, and its alignment."""
    steps: list[tuple[int, NDArray[np.int8]]] = []
    for matrix_row in _rows(pairs.hypotheses, pairs.references[0]):
        steps.append((matrix_row.start, matrix_row.steps()[:, 0]))
        distance = int(matrix_row.distances[-1, 0])
    row, column = pairs.hypotheses.shape[1], pairs.references.shape[1]
    consumed = np.zeros((1, column + 1), dtype=np.int64)
    paired = np.zeros((1, column + 1), dtype=bool)
    while row > 0 and column > 0:
        start, steps_of_row = steps[row - 1]
        step = steps_of_row[column - start]
        consumed[0, column], paired[0, column] = row, step == _DIAGONAL
        row -= int(step != _INSERTION)
        column -= int(step != _DELETION)
    consumed[0, column], paired[0, column] = row, False
    consumed[0, 0] = 0
    return distance, Alignment.of(pairs, consumed, paired)


def _windows(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """The columns (first, past the last) that the beam allows in rows 1 to ``rows``."""
    ratio = columns / rows
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    for row in range(1, rows + 1):
        centre = math.floor(row * ratio)
        end = columns + 1 if row == rows else min(columns + 1, centre + beam)
        yield max(0, centre - beam), end


def _rows(hypotheses: Words, reference: Words) -> Iterator[_Row]:
    """The rows of the edit matrices, first to last."""
    count, length = hypotheses.shape
    words = np.concatenate([[_NO_WORD], reference])[:, None]  # column 0 has no word
    columns = np.arange(len(words), dtype=np.int32)[:, None]
    start, distances = 0, np.repeat(columns, count, axis=1)
    for word, (first, end) in zip(hypotheses.T, _windows(length, len(reference)), strict=True):
        above = np.full((end - first + 1, count), _UNREACHED, dtype=np.int32)
        left = max(first - 1, start)
        known = distances[left - start : end - start]
        above[left - first + 1 : left - first + 1 + len(known)] = known
        by_diagonal = above[:-1] + (words[first:end] != word)
        by_deletion = above[1:] + np.int32(1)
        column = columns[first:end]
        distances = np.minimum(by_diagonal, by_deletion) - column
        distances = np.minimum.accumulate(distances, axis=0) + column
        start = first
        yield _Row(first, distances, by_diagonal, by_deletion)
