"""A dictionary as it was printed: headwords with all their senses, in the order of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Entry: TypeAlias = tuple[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Entries of one direction; ``name`` says which dictionary it is, for signatures.

    A headword may come several times.
    """

    name: str
    source: str
    target: str
    entries: Sequence[Entry]
