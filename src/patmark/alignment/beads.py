"""Beads, and the interface of aligners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Kind: TypeAlias = tuple[int, int]
Step: TypeAlias = tuple[int, int, Kind]


@dataclass(frozen=True, slots=True)
class Bead:
    """Consecutive sentences of each side, by 0-based index, and their score.

    One side may be empty: the sentences of the other have no translation.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    score: float

    @property
    def kind(self) -> str:
        """Number of sentences on each side: ``1-1``, ``2-1``, ``0-1``."""
        return f"{len(self.source)}-{len(self.target)}"


class Aligner(Protocol):
    """Aligner of the sentences of a text with those of its translation."""

    @property
    def signature(self) -> str:
        """Everything that changes the beads: method, dictionary, weights, versions."""

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Return beads in the order of the text; every sentence is in exactly one of them."""
