"""Exact edit distances of many word sequences at once, 64 matrix cells to a machine word.

The method is Myers' (1999) in the form of Hyyrö (2003): a row of the edit matrix is kept as two
bit vectors, the columns where the distance grows by one and those where it falls by one. Each
array operation advances all pairs by one hypothesis word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.measures.kernels.edit_pairs import Alignment, Pairs, Positions, swapped

Bits: TypeAlias = NDArray[np.uint64]

WORD_BITS = 64
_ONE = np.uint64(1)
_TOP = np.uint64(WORD_BITS - 1)
_LANES = 4096  # so many candidates are advanced together: their bits stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class EditMatrix:
    """The edit matrices of many pairs; arrays are (rows, blocks of columns, pairs).

    ``rising`` and ``falling`` hold the differences between neighbouring columns. ``diagonal``
    marks cells best reached by a match or substitution, ``deletion`` those that can be reached
    by dropping the hypothesis word. ``matches`` (blocks, pairs × words) are the reference
    columns that hold the word.
    """

    pairs: Pairs
    matches: Bits
    rising: Bits
    falling: Bits
    diagonal: Bits
    deletion: Bits

    @classmethod
    def of(cls, pairs: Pairs) -> EditMatrix:
        """Fill the matrices of all pairs."""
        matches = _matches(pairs)
        blocks, rows = len(matches), pairs.hypotheses.shape[1]
        by_row = np.ascontiguousarray(matches.reshape(blocks, len(pairs), rows).transpose(2, 0, 1))
        shape = (rows + 1, blocks, len(pairs))
        rising, falling = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
        diagonal, deletion = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
        rising[0] = ~np.uint64(0)
        for row, equal in enumerate(by_row, start=1):
            rising[row], falling[row] = rising[row - 1], falling[row - 1]
            unchanged, deletion[row] = _advance(rising[row], falling[row], equal)
            diagonal[row] = equal | ~unchanged
        return cls(pairs, matches, rising, falling, diagonal, deletion)

    def distances(self) -> Positions:
        """The edit distance of each pair."""
        rows, lanes = self.pairs.hypothesis_lengths, np.arange(len(self.pairs))
        return self._distances(lanes, self.rising[rows, :, lanes].T, self.falling[rows, :, lanes].T)

    def _distances(self, lanes: Positions, rising: Bits, falling: Bits) -> Positions:
        """Distances in the last column, from the bits of the last row."""
        columns = _leading_bits(self.pairs.reference_lengths[lanes], len(rising))
        up: Positions = np.bitwise_count(rising & columns).sum(axis=0, dtype=np.int64)
        down: Positions = np.bitwise_count(falling & columns).sum(axis=0, dtype=np.int64)
        return self.pairs.hypothesis_lengths[lanes] + up - down

    def alignment(self) -> Alignment:
        """Walk back along the cheapest edits: match or substitute, else delete, else insert."""
        pairs, lanes = self.pairs, np.arange(len(self.pairs))
        blocks = self.diagonal.shape[1]
        row, column = pairs.hypothesis_lengths.copy(), pairs.reference_lengths.copy()
        consumed = np.zeros((len(pairs), pairs.references.shape[1] + 1), dtype=np.int64)
        paired = np.zeros(consumed.shape, dtype=bool)
        while np.any((row > 0) & (column > 0)):
            bit = np.maximum(column - 1, 0)
            cell = (row * blocks + bit // WORD_BITS) * len(pairs) + lanes
            shift = (bit % WORD_BITS).astype(np.uint64)
            inside = column > 0
            diagonal = _bit(self.diagonal, cell, shift) & inside
            deletion = (_bit(self.deletion, cell, shift) & ~diagonal) | ~inside
            consumed[lanes, column] = row
            paired[lanes, column] = diagonal
            row = np.maximum(row - (diagonal | deletion), 0)
            column = column - ~deletion
        consumed[lanes, column], paired[lanes, column] = row, False
        consumed[:, 0] = 0
        return Alignment.of(pairs, consumed, paired)

    def shifted_distances(
        self, lanes: Positions, first: Positions, middle: Positions, last: Positions
    ) -> Positions:
        """Distances after words ``first:middle`` and ``middle:last`` of a hypothesis change places.

        ``lanes`` are the rows of the pairs; rows of the matrix before ``first`` do not change.
        """
        result = np.empty(len(lanes), dtype=np.int64)
        order = np.argsort(first - self.pairs.hypothesis_lengths[lanes], kind="stable")
        for begin in range(0, len(order), _LANES):
            some = order[begin : begin + _LANES]
            result[some] = self._shifted(lanes[some], first[some], middle[some], last[some])
        return result

    def _shifted(
        self, lanes: Positions, first: Positions, middle: Positions, last: Positions
    ) -> Positions:
        remaining = self.pairs.hypothesis_lengths[lanes] - first  # falls along the lanes
        width = self.pairs.hypotheses.shape[1]
        rows = first + np.arange(remaining[0])[:, None]
        words = np.minimum(swapped(rows, first, middle, last), width - 1) + lanes * width
        rising, falling = self.rising[first, :, lanes].T, self.falling[first, :, lanes].T
        rising, falling = np.ascontiguousarray(rising), np.ascontiguousarray(falling)
        active = np.searchsorted(-remaining, -np.arange(remaining[0]), side="left")
        for step, count in enumerate(active):
            equal = self.matches[:, words[step, :count]]
            _advance(rising[:, :count], falling[:, :count], equal)
        return self._distances(lanes, rising, falling)


def _matches(pairs: Pairs) -> Bits:
    count, rows = pairs.hypotheses.shape
    blocks = -(-pairs.references.shape[1] // WORD_BITS)
    equal = np.zeros((count, rows, blocks * WORD_BITS), dtype=bool)
    np.equal(
        pairs.hypotheses[:, :, None],
        pairs.references[:, None, :],
        out=equal[:, :, : pairs.references.shape[1]],
    )
    packed = np.packbits(equal, axis=2, bitorder="little").view("<u8").astype(np.uint64, copy=False)
    return np.ascontiguousarray(packed.reshape(-1, blocks).T)


def _advance(rising: Bits, falling: Bits, equal: Bits) -> tuple[Bits, Bits]:
    """Replace the bits of a row by those of the next one.

    Returns where a cell equals its upper left neighbour, and where it exceeds its upper one.
    """
    unchanged, growing = np.empty_like(equal), np.empty_like(equal)
    grows_above: Bits | np.uint64 = _ONE
    falls_above: Bits | np.uint64 = np.uint64(0)
    for block, (up, down) in enumerate(zip(rising, falling, strict=True)):
        start = equal[block] | falls_above
        same = (((start & up) + up) ^ up) | start | down
        grows = down | ~(same | up)
        falls = same & up
        grows_left = (grows << _ONE) | grows_above
        falls_left = (falls << _ONE) | falls_above
        grows_above, falls_above = grows >> _TOP, falls >> _TOP
        rising[block] = falls_left | ~(same | grows_left)
        falling[block] = same & grows_left
        unchanged[block], growing[block] = same, grows
    return unchanged, growing


def _leading_bits(counts: Positions, blocks: int) -> Bits:
    """Bit vectors (blocks, len(counts)) whose first ``counts`` bits are set."""
    inside = counts - np.arange(blocks)[:, None] * WORD_BITS
    shift = np.clip(inside, 0, WORD_BITS - 1).astype(np.uint64)
    return np.where(inside >= WORD_BITS, ~np.uint64(0), (_ONE << shift) - _ONE)


def _bit(planes: Bits, cells: Positions, shift: Bits) -> NDArray[np.bool_]:
    return ((planes.ravel()[cells] >> shift) & _ONE).astype(bool)
