"""Preferences: which of two outputs an evaluator liked better."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.human.judgements import Phase, RowSet, in_words, positions, unique
from patmark.human.scales import PREFERENCE


@dataclass(frozen=True, slots=True)
class Preference:
    """A choice between the outputs of two systems; ``winner`` None is a tie.

    ``first`` is the output that was shown first or on the left.
    """

    evaluator: str
    segment: str
    first: str
    second: str
    winner: str | None
    criterion: str = PREFERENCE
    document: str | None = None
    phase: Phase = "main"
    line: int | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """What may occur only once; the order of the two systems does not matter."""
        pair = sorted((self.first, self.second))
        return self.phase, self.evaluator, self.segment, self.criterion, *pair

    @property
    def said(self) -> str:
        """The choice in words, without its winner, for messages."""
        about = f"{self.first!r} and {self.second!r}, segment {self.segment!r}"
        return f"{self.evaluator!r} compared {about}{in_words(self.phase)}"


@dataclass(frozen=True)
class Preferences(RowSet[Preference]):
    """Preferences that have been checked.

    Made by :func:`patmark.human.check_preferences` and by the readers.
    """

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Whose outputs were compared, in the order of their first occurrence."""
        return unique(name for row in self.rows for name in (row.first, row.second))

    def wins(self, criterion: str = PREFERENCE) -> FloatArray:
        """How often one system beat another, of shape (segments, systems, systems).

        Entry [n, i, j] counts the wins of i over j in segment n. Only the main phase counts.
        """
        return self._counts(criterion, tied=False)

    def ties(self, criterion: str = PREFERENCE) -> FloatArray:
        """How often two systems tied, of shape (segments, systems, systems), symmetric."""
        ties = self._counts(criterion, tied=True)
        return ties + ties.transpose(0, 2, 1)

    def _counts(self, criterion: str, tied: bool) -> FloatArray:
        if criterion not in self.criteria:
            raise UsageError(
                f"{self.name} has no preferences of {criterion!r}; "
                f"there are {', '.join(self.criteria) or 'none'}"
            )
        rows = [
            row
            for row in self.rows
            if (row.criterion, row.phase) == (criterion, "main") and (row.winner is None) == tied
        ]
        better = [row.winner or row.first for row in rows]
        worse = [
            row.first if name == row.second else row.second
            for row, name in zip(rows, better, strict=True)
        ]
        counts = np.zeros((len(self.segments), len(self.systems), len(self.systems)))
        places = (
            positions(self.segments, (row.segment for row in rows)),
            positions(self.systems, better),
            positions(self.systems, worse),
        )
        np.add.at(counts, places, 1.0)
        return counts
