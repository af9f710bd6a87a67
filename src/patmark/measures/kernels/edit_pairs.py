"""What the parts of TER share: pairs of word sequences, how their words align, how blocks swap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.int32]
Positions: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

_NO_HYPOTHESIS_WORD = -1
_NO_REFERENCE_WORD = -2


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Hypotheses and references as word numbers, one pair per row.

    Rows are padded with numbers that equal no word and not each other.
    """

    hypotheses: Words
    references: Words
    hypothesis_lengths: Positions
    reference_lengths: Positions

    @classmethod
    def of(cls, hypotheses: Sequence[Sequence[int]], references: Sequence[Sequence[int]]) -> Pairs:
        """Pairs from lists of word numbers."""
        return cls(
            _padded(hypotheses, _NO_HYPOTHESIS_WORD),
            _padded(references, _NO_REFERENCE_WORD),
            np.array([len(words) for words in hypotheses], dtype=np.int64),
            np.array([len(words) for words in references], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.hypotheses)

    def take(self, rows: Positions | Flags) -> Pairs:
        """Some of the pairs."""
        return Pairs(
            self.hypotheses[rows],
            self.references[rows],
            self.hypothesis_lengths[rows],
            self.reference_lengths[rows],
        )

    def with_hypotheses(self, hypotheses: Words) -> Pairs:
        """The same references against reordered hypotheses."""
        return Pairs(hypotheses, self.references, self.hypothesis_lengths, self.reference_lengths)


def swapped(position: Positions, first: Positions, middle: Positions, last: Positions) -> Positions:
    """Which old position a word comes from when ``first:middle`` and ``middle:last`` swap."""
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
    """How the cheapest edits of each pair align its words.

    ``consumed[:, j]`` is the number of hypothesis words used up when reference word ``j``
    (counted from 1) is reached. The error counts are cumulative: the errors among words
    ``start`` to ``end`` are ``counts[:, end] - counts[:, start]``.
    """

    consumed: Positions
    hypothesis_errors: Positions
    reference_errors: Positions

    @classmethod
    def of(cls, pairs: Pairs, consumed: Positions, paired: Flags) -> Alignment:
        """An alignment from the path of the edits.

        ``paired[:, j]`` tells whether reference word ``j`` faces hypothesis word ``consumed``,
        rather than being missing from the hypothesis.
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
