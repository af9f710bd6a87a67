"""The edits of TER: shifts that pay for themselves, then the edit distance of what is left.

Pairs are worked on together, a round at a time: align all, try all moves of all, make the best
move of each, until none gains. Pairs so long or so different that TER's beam may matter are done
one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from patmark.measures.kernels.edit_band import beam_alignment, beam_distances, beam_never_binds
from patmark.measures.kernels.edit_bits import WORD_BITS, EditMatrix
from patmark.measures.kernels.edit_pairs import Alignment, Pairs, Positions, swapped
from patmark.measures.kernels.shifts import (
    MAX_CANDIDATES,
    Shifts,
    apply_shifts,
    best_shifts,
    find_shifts,
)

_LONG = 4 * WORD_BITS  # longer pairs are done one by one
_CELLS = 1 << 21  # matrix cells of the pairs that are worked on together
_ROWS_AT_ONCE = 64


def translation_edits(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> Positions:
    """The number of edits of each pair of word lists."""
    numbers: dict[str, int] = {}
    hyps = [[numbers.setdefault(word, len(numbers)) for word in words] for words in hypotheses]
    refs = [[numbers.setdefault(word, len(numbers)) for word in words] for words in references]
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
    """Positions in groups of like lengths, so that little is padded."""
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
    """Edits of each pair, and the rows of those pairs whose edits the beam may change.

    A pair that starts clear of the beam stays so: only a move that lowers the distance is made,
    and a move that meets the beam costs at least its true distance, so it gains nothing.
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
    """Edits of a single pair, within the beam."""
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
    """The moves of one long pair, found piece by piece to stop early at the limit."""
    found = []
    for begin in range(0, pairs.hypotheses.shape[1], _ROWS_AT_ONCE):
        rows = slice(begin, begin + _ROWS_AT_ONCE)
        shifts, tried = find_shifts(pairs, alignment, tried, rows)
        found.append(shifts)
        if tried[0] >= MAX_CANDIDATES:
            break
    return Shifts.concatenated(found), tried
