"""TER's search for a block of words to move: which moves are tried, and which one is made.

The rules are those of tercom as sacreBLEU fixes them. A run of words that the hypothesis and the
reference share may move when it holds an error on both sides and does not cover its own target;
it is tried before and after each word of its target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from patmark.measures.kernels.edit_pairs import Alignment, Flags, Pairs, Positions, swapped

MAX_CANDIDATES = 1000
_MAX_LENGTH = 10
_MAX_DISTANCE = 50


@dataclass(frozen=True, slots=True, eq=False)
class Shifts:
    """Moves of ``length`` words from ``start`` to before ``target``, in the pair ``lane``."""

    lane: Positions
    start: Positions
    length: Positions
    target: Positions

    def __len__(self) -> int:
        return len(self.lane)

    def take(self, rows: Positions | Flags) -> Shifts:
        """Some of the moves."""
        return Shifts(self.lane[rows], self.start[rows], self.length[rows], self.target[rows])

    @classmethod
    def concatenated(cls, parts: Sequence[Shifts]) -> Shifts:
        """Several groups of moves as one."""
        return cls(
            np.concatenate([part.lane for part in parts]),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.length for part in parts]),
            np.concatenate([part.target for part in parts]),
        )

    def swaps(self, pairs: Pairs) -> tuple[Positions, Positions, Positions]:
        """Each move as neighbouring parts ``first:middle`` and ``middle:last`` that change places.

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
class _Runs:
    """Runs of equal words: from ``start`` in the hypothesis, from ``goal`` in the reference."""

    lane: Positions
    start: Positions
    goal: Positions
    length: Positions

    def take(self, rows: Positions | Flags) -> _Runs:
        return _Runs(self.lane[rows], self.start[rows], self.goal[rows], self.length[rows])


def find_shifts(
    pairs: Pairs, alignment: Alignment, tried: Positions, rows: slice = slice(None)
) -> tuple[Shifts, Positions]:
    """The moves to try, for runs that start in ``rows`` of the hypotheses.

    ``tried`` counts the moves of each pair so far. Once it reaches its limit no further run is
    looked at. The counts that result are returned with the moves.
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
    """The best move of each pair that gains: most gain, longest, earliest start, earliest target.

    Moves that tie in all four give the same words, so that no further rule is needed.
    """
    gaining = np.flatnonzero(gains > 0)
    some, gains = shifts.take(gaining), gains[gaining]
    order = np.lexsort((-some.target, -some.start, some.length, gains, some.lane))
    lanes = some.lane[order]
    return some.take(order[np.flatnonzero(np.diff(lanes, append=-1))])


def apply_shifts(pairs: Pairs, shifts: Shifts) -> Pairs:
    """The pairs after one move each."""
    hypotheses = pairs.hypotheses.copy()
    first, middle, last = (part[:, None] for part in shifts.swaps(pairs))
    columns = swapped(np.arange(hypotheses.shape[1])[None, :], first, middle, last)
    hypotheses[shifts.lane] = pairs.hypotheses[shifts.lane[:, None], columns]
    return pairs.with_hypotheses(hypotheses)


def _equal_words(pairs: Pairs, rows: slice) -> _Runs:
    """Runs of one word, in the order pair, hypothesis position, reference position."""
    begin, end, _ = rows.indices(pairs.hypotheses.shape[1])
    nearest = max(0, begin - _MAX_DISTANCE)
    reference = pairs.references[:, None, nearest : end + _MAX_DISTANCE]
    lane, start, goal = np.nonzero(pairs.hypotheses[:, begin:end, None] == reference)
    start, goal = start + begin, goal + nearest
    near = np.abs(start - goal) <= _MAX_DISTANCE
    return _Runs(lane, start, goal, np.ones_like(lane)).take(near)


def _movable_runs(pairs: Pairs, alignment: Alignment, rows: slice) -> _Runs:
    """All runs that may move, in the order pair, start, goal, length."""
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
        found.append((order[wrong], _Runs(movable.lane, movable.start, movable.goal, lengths)))
    return _in_order(found)


def _equal_at(pairs: Pairs, runs: _Runs, offset: int) -> Flags:
    """Whether the word at ``offset`` continues each run."""
    start, goal = runs.start + offset, runs.goal + offset
    inside = start < pairs.hypothesis_lengths[runs.lane]
    inside &= goal < pairs.reference_lengths[runs.lane]
    lane, start, goal = runs.lane[inside], start[inside], goal[inside]
    inside[inside] = pairs.hypotheses[lane, start] == pairs.references[lane, goal]
    return inside


def _has_error(errors: Positions, lane: Positions, start: Positions, length: int) -> Flags:
    return errors[lane, start + length] > errors[lane, start]


def _in_order(found: list[tuple[Positions, _Runs]]) -> _Runs:
    """Runs of all lengths, sorted by the order of their first word and then by length."""
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return _Runs(nothing, nothing, nothing, nothing)
    order = np.argsort(np.concatenate([rank for rank, _ in found]), kind="stable")
    return _Runs(
        np.concatenate([runs.lane for _, runs in found]),
        np.concatenate([runs.start for _, runs in found]),
        np.concatenate([runs.goal for _, runs in found]),
        np.concatenate([runs.length for _, runs in found]),
    ).take(order)


def _with_targets(runs: _Runs, alignment: Alignment) -> Shifts:
    """Each run with each place where it may go: around the words that face its goal."""
    widths = runs.length + 1
    run = np.repeat(np.arange(len(widths)), widths)
    offset = np.arange(len(run)) - np.repeat(np.cumsum(widths) - widths, widths)
    column = runs.goal[run] + offset
    lane = runs.lane[run]
    target = alignment.consumed[lane, column]
    new = (offset == 0) | (target != alignment.consumed[lane, np.maximum(column - 1, 0)])
    return Shifts(lane, runs.start[run], runs.length[run], target).take(new)
