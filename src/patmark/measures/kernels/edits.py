"""The edits of TER: shifts that pay off, then the edit distance of the rest; and LCS.

Pairs are processed together, a round at a time: align all, try all moves of all, make the best move
of each, until none gains. Pairs for which TER's beam may matter are processed one by one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate, count
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray
from patmark.measures.kernels.ngrams import Encoded, chunk_slices

Words: TypeAlias = NDArray[np.int32]
Positions: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

_PAIRS_AT_ONCE = 20_000
_NO_HYPOTHESIS_WORD = -1
_NO_REFERENCE_WORD = -2


class _Columns:
    """Columns of one length, the fields of a dataclass."""

    __slots__: ClassVar[tuple[str, ...]] = ()

    def take(self, rows: Positions | Flags) -> Self:
        """Return some of the rows."""
        return type(self)(*(getattr(self, name)[rows] for name in self.__slots__))

    @classmethod
    def concatenated(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of several parts as one."""
        columns = ([getattr(part, name) for part in parts] for name in cls.__slots__)
        return cls(*map(np.concatenate, columns))


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(_Columns):
    """Hypotheses and references as word numbers, one pair per row.

    Rows are padded with numbers that equal no word and not each other.
    """

    hypotheses: Words
    references: Words
    hypothesis_lengths: Positions
    reference_lengths: Positions

    @classmethod
    def of(cls, hypotheses: Sequence[Sequence[int]], references: Sequence[Sequence[int]]) -> Pairs:
        """Return pairs from lists of word numbers."""
        return cls(
            _padded(hypotheses, _NO_HYPOTHESIS_WORD),
            _padded(references, _NO_REFERENCE_WORD),
            np.array([len(words) for words in hypotheses], dtype=np.int64),
            np.array([len(words) for words in references], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.hypotheses)


def swapped(position: Positions, first: Positions, middle: Positions, last: Positions) -> Positions:
    """Return the old position of each word when ``first:middle`` and ``middle:last`` swap."""
    forward, backward = middle - first, last - middle
    moved = np.where(position < first + backward, position + forward, position - backward)
    return np.where((position >= first) & (position < last), moved, position)


def _padded(rows: Sequence[Sequence[int]], filler: int) -> Words:
    table = np.full((len(rows), max(map(len, rows), default=0)), filler, dtype=np.int32)
    for row, words in zip(table, rows, strict=True):
        row[: len(words)] = words
    return table


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Alignment of the words of each pair by the cheapest edits.

    ``consumed[:, j]`` is the number of hypothesis words used when reference word ``j`` (counted
    from 1) is reached. The error counts are cumulative: the errors among words ``start`` to ``end``
    are ``counts[:, end] - counts[:, start]``.
    """

    consumed: Positions
    hypothesis_errors: Positions
    reference_errors: Positions

    @classmethod
    def of(cls, pairs: Pairs, consumed: Positions, paired: Flags) -> Alignment:
        """Return an alignment from the path of the edits.

        ``paired[:, j]`` is True if reference word ``j`` is aligned with hypothesis word
        ``consumed``, False if it is missing from the hypothesis.
        """
        rows = np.arange(len(pairs))[:, None]
        facing = pairs.hypotheses[rows, consumed[:, 1:] - 1]
        correct = paired[:, 1:] & (facing == pairs.references)
        wrong = np.ones(pairs.hypotheses.shape, dtype=bool)
        correct_rows, correct_columns = np.nonzero(correct)
        wrong[correct_rows, consumed[correct_rows, correct_columns + 1] - 1] = False
        return cls(consumed, _cumulated(wrong), _cumulated(~correct))


def _cumulated(flags: Flags) -> Positions:
    counts = np.zeros((flags.shape[0], flags.shape[1] + 1), dtype=np.int64)
    np.cumsum(flags, axis=1, out=counts[:, 1:])
    return counts


# Exact edit distances of many word sequences at once, 64 matrix cells to a machine word.
#
# The method is Myers' (1999) in the form of Hyyrö (2003): a row of the edit matrix is kept as two
# bit vectors, the columns where the distance grows by one and those where it falls by one. Each
# array operation advances all pairs by one hypothesis word.
Bits: TypeAlias = NDArray[np.uint64]

WORD_BITS = 64
_ONE = np.uint64(1)
_TOP = np.uint64(WORD_BITS - 1)
_LANES = 4096  # number of candidates per block, so that their bits stay in the cache


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
        """Return the edit distance of each pair."""
        rows, lanes = self.pairs.hypothesis_lengths, np.arange(len(self.pairs))
        return self._distances(lanes, self.rising[rows, :, lanes].T, self.falling[rows, :, lanes].T)

    def _distances(self, lanes: Positions, rising: Bits, falling: Bits) -> Positions:
        """Return distances in the last column, from the bits of the last row."""
        inside = self.pairs.reference_lengths[lanes] - np.arange(len(rising))[:, None] * WORD_BITS
        shift = np.clip(inside, 0, WORD_BITS - 1).astype(np.uint64)
        columns = np.where(inside >= WORD_BITS, ~np.uint64(0), (_ONE << shift) - _ONE)
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
        """Return distances after parts ``first:middle`` and ``middle:last`` change places.

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
        for step, still in enumerate(active):
            equal = self.matches[:, words[step, :still]]
            _advance(rising[:, :still], falling[:, :still], equal)
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


def _bit(planes: Bits, cells: Positions, shift: Bits) -> NDArray[np.bool_]:
    return ((planes.ravel()[cells] >> shift) & _ONE).astype(bool)


# Edit distances of one pair within TER's beam: a band along the pseudo-diagonal.
#
# Only cells within the beam are looked at, so a very different pair costs more edits than its
# true distance. That is part of how TER is defined; without it the numbers would differ.
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
        """Return the step into each cell; for equal costs diagonal, then deletion."""
        deletion = np.where(self.distances == self.by_deletion, _DELETION, _INSERTION)
        return np.where(self.distances == self.by_diagonal, _DIAGONAL, deletion).astype(np.int8)


def beam_never_binds(distances: Positions, pairs: Pairs) -> Flags:
    """Return True if the beam contains every cheapest path, so that distances are exact.

    A path of cost d deviates from the pseudo-diagonal by at most half the sum of d and the
    difference in length, plus one for rounding. A short reference is within the beam entirely.
    """
    difference = np.abs(pairs.hypothesis_lengths - pairs.reference_lengths)
    stray: Positions = (distances + difference) // 2 + 1
    return (stray < BEAM) | (pairs.reference_lengths < BEAM)


def beam_distances(hypotheses: Words, reference: Words) -> Positions:
    """Return distances of hypotheses (count, words) of one length to a reference."""
    distances = np.zeros(len(hypotheses), dtype=np.int64)
    for row in _band_rows(hypotheses, reference):
        distances[:] = row.distances[-1]
    return distances


def beam_alignment(pairs: Pairs) -> tuple[int, Alignment]:
    """Return the distance of a single pair, and its alignment."""
    steps: list[tuple[int, NDArray[np.int8]]] = []
    for matrix_row in _band_rows(pairs.hypotheses, pairs.references[0]):
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
    """Yield the columns (first, past the last) that the beam allows in rows 1 to ``rows``."""
    ratio = columns / rows
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    for row in range(1, rows + 1):
        centre = math.floor(row * ratio)
        end = columns + 1 if row == rows else min(columns + 1, centre + beam)
        yield max(0, centre - beam), end


def _band_rows(hypotheses: Words, reference: Words) -> Iterator[_Row]:
    """Yield the rows of the edit matrices, first to last."""
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


# TER's search for a block of words to move.
#
# The rules are those of tercom as sacreBLEU fixes them. A run of words that the hypothesis and
# the reference share may move when it holds an error on both sides and does not cover its own
# target; it is tried before and after each word of its target.
MAX_CANDIDATES = 1000
_MAX_LENGTH = 10
_MAX_DISTANCE = 50


@dataclass(frozen=True, slots=True, eq=False)
class Shifts(_Columns):
    """Moves of ``length`` words from ``start`` to before ``target``, in the pair ``lane``."""

    lane: Positions
    start: Positions
    length: Positions
    target: Positions

    def __len__(self) -> int:
        return len(self.lane)

    def swaps(self, pairs: Pairs) -> tuple[Positions, Positions, Positions]:
        """Return each move as neighbouring parts ``first:middle`` and ``middle:last``.

        A target inside the run itself counts from the end of the run.
        """
        end = self.start + self.length
        beyond = np.where(self.target > end, self.target, self.target + self.length)
        beyond = np.minimum(beyond, pairs.hypothesis_lengths[self.lane])
        back = self.target < self.start
        return (
            np.where(back, self.target, self.start),
            np.where(back, self.start, end),
            np.where(back, end, beyond),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Runs(_Columns):
    """Runs of equal words: from ``start`` in the hypothesis, from ``goal`` in the reference."""

    lane: Positions
    start: Positions
    goal: Positions
    length: Positions


def find_shifts(
    pairs: Pairs, alignment: Alignment, tried: Positions, rows: slice = slice(None)
) -> tuple[Shifts, Positions]:
    """Return the moves to try, for runs that start in ``rows`` of the hypotheses.

    ``tried`` counts the moves of each pair so far. When it reaches its limit, no further run is
    considered. The updated counts are returned with the moves.
    """
    runs = _movable_runs(pairs, alignment, rows)
    turns = np.zeros(alignment.consumed.shape, dtype=np.int64)
    np.cumsum(np.diff(alignment.consumed, axis=1) != 0, axis=1, out=turns[:, 1:])
    targets = 1 + turns[runs.lane, runs.goal + runs.length] - turns[runs.lane, runs.goal]
    total = np.concatenate([[0], np.cumsum(targets)])
    before_lane = total[np.searchsorted(runs.lane, np.arange(len(pairs)))]
    allowed = tried[runs.lane] + total[:-1] - before_lane[runs.lane] < MAX_CANDIDATES
    counts = np.zeros_like(tried)
    np.add.at(counts, runs.lane[allowed], targets[allowed])
    return _with_targets(runs.take(allowed), alignment), tried + counts


def best_shifts(shifts: Shifts, gains: Positions) -> Shifts:
    """Return the best move of each pair: most gain, longest, earliest start and target.

    Moves that tie in all four give the same words.
    """
    gaining = np.flatnonzero(gains > 0)
    some, gains = shifts.take(gaining), gains[gaining]
    order = np.lexsort((-some.target, -some.start, some.length, gains, some.lane))
    lanes = some.lane[order]
    return some.take(order[np.flatnonzero(np.diff(lanes, append=-1))])


def apply_shifts(pairs: Pairs, shifts: Shifts) -> Pairs:
    """Return the pairs after one move each."""
    hypotheses = pairs.hypotheses.copy()
    first, middle, last = (part[:, None] for part in shifts.swaps(pairs))
    columns = swapped(np.arange(hypotheses.shape[1])[None, :], first, middle, last)
    hypotheses[shifts.lane] = pairs.hypotheses[shifts.lane[:, None], columns]
    return replace(pairs, hypotheses=hypotheses)


def _equal_words(pairs: Pairs, rows: slice) -> _Runs:
    """Return runs of one word, in the order pair, hypothesis position, reference position."""
    begin, end, _ = rows.indices(pairs.hypotheses.shape[1])
    nearest = max(0, begin - _MAX_DISTANCE)
    reference = pairs.references[:, None, nearest : end + _MAX_DISTANCE]
    lane, start, goal = np.nonzero(pairs.hypotheses[:, begin:end, None] == reference)
    start, goal = start + begin, goal + nearest
    near = np.abs(start - goal) <= _MAX_DISTANCE
    return _Runs(lane, start, goal, np.ones_like(lane)).take(near)


def _movable_runs(pairs: Pairs, alignment: Alignment, rows: slice) -> _Runs:
    """Return all runs that may move, in the order pair, start, goal, length."""
    runs = _equal_words(pairs, rows)
    facing = alignment.consumed[runs.lane, runs.goal + 1] - 1
    order = np.arange(len(runs.lane))
    found: list[tuple[Positions, _Runs]] = []
    for length in range(1, _MAX_LENGTH + 1):
        outside = (facing < runs.start) | (facing >= runs.start + length)
        alive = outside & (_equal_at(pairs, runs, length - 1) if length > 1 else True)
        runs, facing, order = runs.take(alive), facing[alive], order[alive]
        if not len(order):
            break
        wrong = _has_error(alignment.hypothesis_errors, runs.lane, runs.start, length)
        wrong &= _has_error(alignment.reference_errors, runs.lane, runs.goal, length)
        movable = runs.take(wrong)
        lengths = np.full(len(movable.lane), length)
        found.append((order[wrong], replace(movable, length=lengths)))
    return _in_order(found)


def _equal_at(pairs: Pairs, runs: _Runs, offset: int) -> Flags:
    """Return True if the word at ``offset`` continues each run."""
    start, goal = runs.start + offset, runs.goal + offset
    inside = start < pairs.hypothesis_lengths[runs.lane]
    inside &= goal < pairs.reference_lengths[runs.lane]
    lane, start, goal = runs.lane[inside], start[inside], goal[inside]
    inside[inside] = pairs.hypotheses[lane, start] == pairs.references[lane, goal]
    return inside


def _has_error(errors: Positions, lane: Positions, start: Positions, length: int) -> Flags:
    return errors[lane, start + length] > errors[lane, start]


def _in_order(found: list[tuple[Positions, _Runs]]) -> _Runs:
    """Return runs of all lengths, sorted by the order of their first word and then by length."""
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return _Runs(nothing, nothing, nothing, nothing)
    order = np.argsort(np.concatenate([rank for rank, _ in found]), kind="stable")
    return _Runs.concatenated([runs for _, runs in found]).take(order)


def _with_targets(runs: _Runs, alignment: Alignment) -> Shifts:
    """Return each run with each possible target: around the words aligned with its goal."""
    widths = runs.length + 1
    run = np.repeat(np.arange(len(widths)), widths)
    offset = np.arange(len(run)) - np.repeat(np.cumsum(widths) - widths, widths)
    column = runs.goal[run] + offset
    lane = runs.lane[run]
    target = alignment.consumed[lane, column]
    new = (offset == 0) | (target != alignment.consumed[lane, np.maximum(column - 1, 0)])
    return Shifts(lane, runs.start[run], runs.length[run], target).take(new)


_LONG = 4 * WORD_BITS  # longer pairs are done one by one
_CELLS = 1 << 21  # matrix cells of the pairs that are worked on together
_ROWS_AT_ONCE = 64


def translation_edits(hypotheses: Encoded, references: Encoded) -> Positions:
    """Return the number of edits of each pair of texts."""
    starts = range(0, len(references.lengths), _PAIRS_AT_ONCE)
    parts = [slice(start, start + _PAIRS_AT_ONCE) for start in starts]
    found = [
        _edits(hypotheses.part(part).listed(), references.part(part).listed()) for part in parts
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *found])


def _edits(hyps: Sequence[Sequence[int]], refs: Sequence[Sequence[int]]) -> Positions:
    edits = np.array([max(map(len, pair)) for pair in zip(hyps, refs, strict=True)], dtype=np.int64)
    longest = edits.tolist()
    together: list[int] = []
    alone: list[int] = []
    for position, (hyp, ref) in enumerate(zip(hyps, refs, strict=True)):
        if hyp == ref:
            edits[position] = 0
        elif hyp and ref:
            (together if longest[position] <= _LONG else alone).append(position)
    for batch in _batches(together, hyps, refs):
        pairs = Pairs.of([hyps[p] for p in batch], [refs[p] for p in batch])
        edits[batch], bound = _edits_together(pairs)
        alone += [batch[row] for row in bound]
    for position in alone:
        edits[position] = _edits_alone(Pairs.of([hyps[position]], [refs[position]]))
    return edits


def _batches(
    positions: list[int], hyps: Sequence[Sequence[int]], refs: Sequence[Sequence[int]]
) -> Iterator[list[int]]:
    """Yield positions in groups of similar lengths, to limit padding."""
    blocks = {p: -(-len(refs[p]) // WORD_BITS) for p in positions}
    batch: list[int] = []
    for position in sorted(positions, key=lambda p: (blocks[p], len(hyps[p]))):
        cells = len(hyps[position]) * blocks[position] * WORD_BITS
        full = (len(batch) + 1) * cells > _CELLS
        if batch and (full or blocks[batch[0]] != blocks[position]):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _edits_together(pairs: Pairs) -> tuple[Positions, Positions]:
    """Return edits of each pair, and the rows of pairs whose edits the beam may change.

    A pair that starts clear of the beam stays so. Only a move that lowers the distance is made, and
    a move that meets the beam costs at least its true distance.
    """
    edits = np.zeros(len(pairs), dtype=np.int64)
    tried = np.zeros(len(pairs), dtype=np.int64)
    active = np.arange(len(pairs))
    bound = np.zeros(0, dtype=np.int64)
    for made in count():
        matrix = EditMatrix.of(pairs)
        distances = matrix.distances()
        edits[active] = made + distances
        shifts, tried = find_shifts(pairs, matrix.alignment(), tried)
        gains = distances[shifts.lane] - matrix.shifted_distances(shifts.lane, *shifts.swaps(pairs))
        best = best_shifts(shifts, gains)
        best = best.take(tried[best.lane] < MAX_CANDIDATES)
        if made == 0:
            free = beam_never_binds(distances, pairs)
            bound, best = np.flatnonzero(~free), best.take(free[best.lane])
        if not len(best):
            break
        pairs = apply_shifts(pairs, best).take(best.lane)
        tried, active = tried[best.lane], active[best.lane]
    return edits, bound


def _edits_alone(pairs: Pairs) -> int:
    """Return edits of a single pair, within the beam."""
    tried = np.zeros(1, dtype=np.int64)
    made = 0
    while True:
        distance, alignment = beam_alignment(pairs)
        shifts, tried = _find_shifts_stepwise(pairs, alignment, tried)
        if not len(shifts) or tried[0] >= MAX_CANDIDATES:
            return made + distance
        columns = np.arange(pairs.hypotheses.shape[1])
        order = swapped(columns, *(part[:, None] for part in shifts.swaps(pairs)))
        gains = distance - beam_distances(pairs.hypotheses[0][order], pairs.references[0])
        best = best_shifts(shifts, gains)
        if not len(best):
            return made + distance
        pairs = apply_shifts(pairs, best)
        made += 1


def _find_shifts_stepwise(
    pairs: Pairs, alignment: Alignment, tried: Positions
) -> tuple[Shifts, Positions]:
    """Return the moves of one long pair, found piece by piece to stop early at the limit."""
    found = []
    for begin in range(0, pairs.hypotheses.shape[1], _ROWS_AT_ONCE):
        rows = slice(begin, begin + _ROWS_AT_ONCE)
        shifts, tried = find_shifts(pairs, alignment, tried, rows)
        found.append(shifts)
        if tried[0] >= MAX_CANDIDATES:
            break
    return Shifts.concatenated(found), tried


# Longest common subsequences, with one big integer per row (Crochemore et al. 2001; Hyyrö 2004).
#
# Bit j of row i is 0 where the table of subsequence lengths rises between columns j and j + 1.
def _places(words: Sequence[Hashable]) -> dict[Hashable, int]:
    """Return the places of each word, as the bits of a number."""
    places: dict[Hashable, int] = {}
    for position, word in enumerate(words):
        places[word] = places.get(word, 0) | (1 << position)
    return places


def _next_row(row: Any, places: Any) -> Any:
    """Return the row below for a word at these places; bits beyond the last column are void."""
    matching = row & places
    return (row + matching) | (row - matching)


def lcs_length(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return length of the longest common subsequence."""
    full = (1 << len(second)) - 1
    row = reduce(_next_row, filter(None, map(_places(second).get, first)), full)
    return len(second) - (row & full).bit_count()


def lcs_lengths(first: Encoded, second: Encoded) -> FloatArray:
    """Return the LCS lengths of many pairs, those of at most 63 words all at once.

    The places of a word in the second text are the bits of one number.
    """
    lengths = np.zeros(len(first.lengths))
    for pair in np.flatnonzero(second.lengths >= WORD_BITS).tolist():
        own, other = (side.part(slice(pair, pair + 1)).ids.tolist() for side in (first, second))
        lengths[pair] = lcs_length(own, other)
    short = np.flatnonzero((second.lengths > 0) & (second.lengths < WORD_BITS))
    first, second = first.picked(short), second.picked(short)
    for chunk in chunk_slices(first.lengths + second.lengths):
        lengths[short[chunk]] = _short_lcs(first.part(chunk), second.part(chunk))
    return lengths


def _short_lcs(first: Encoded, second: Encoded) -> IntArray:
    masks = _places_in(first, second)
    order = np.argsort(-first.lengths, kind="stable")  # those that end early come last
    lengths, starts = first.lengths[order], (np.cumsum(first.lengths) - first.lengths)[order]
    full = (np.uint64(1) << second.lengths[order].astype(np.uint64)) - np.uint64(1)
    rows = full.copy()
    active = np.searchsorted(-lengths, -np.arange(int(lengths.max(initial=0))))
    for step, many in enumerate(active.tolist()):
        rows[:many] = _next_row(rows[:many], masks[starts[:many] + step])
    found = np.empty(len(order), dtype=np.int64)
    found[order] = second.lengths[order] - np.bitwise_count(rows & full)
    return found


def _places_in(first: Encoded, second: Encoded) -> NDArray[np.uint64]:
    """Return the places of each word of the first texts in the paired second text, as bits."""
    width = max(first.largest, second.largest) + 1
    pairs = np.arange(len(first.lengths))
    own, other = (np.repeat(pairs, side.lengths) * width + side.ids for side in (first, second))
    starts = np.repeat(np.cumsum(second.lengths) - second.lengths, second.lengths)
    bits = np.uint64(1) << (np.arange(len(other)) - starts).astype(np.uint64)
    order = np.argsort(other)
    words, firsts = np.unique(other[order], return_index=True)
    masks = np.append(np.bitwise_or.reduceat(bits[order], firsts), np.uint64(0))
    found = np.searchsorted(words, own)
    words = np.append(words, -1)
    return masks[np.where(words[found] == own, found, len(words) - 1)]


def lcs_words(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return one longest common subsequence, last word first.

    Among equally long ones it is found by walking back from the end. If the words differ, the last
    word of ``second`` is dropped unless dropping that of ``first`` keeps more.
    """
    places = _places(second)
    masks = (places.get(word, 0) for word in first)
    rows = list(accumulate(masks, _next_row, initial=(1 << len(second)) - 1))

    def length(i: int, j: int) -> int:
        return j - (rows[i] & ((1 << j) - 1)).bit_count()

    words = []
    i, j = len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            words.append(first[i - 1])
            i, j = i - 1, j - 1
        elif length(i - 1, j) > length(i, j - 1):
            i -= 1
        else:
            j -= 1
    return words
