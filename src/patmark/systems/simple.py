"""Systems for testing the tester: one that does nothing, and one that knows the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from patmark.systems.base import Answer, Description, Item, Settled, Traits


@dataclass(frozen=True, slots=True)
class CopySystem:
    """Returns the source as it is: the least that a measure must be able to tell apart."""

    description: ClassVar[Description] = Description("copy", "1")
    traits: ClassVar[Traits] = Traits(may_copy=True)

    async def answer_all(self, items: Sequence[Item], settled: Settled) -> None:
        """Every source."""
        for item in items:
            settled(item, Answer(item.source))


@dataclass(frozen=True, slots=True)
class OracleSystem:
    """Returns the first reference: the most that a measure can be expected to give."""

    description: ClassVar[Description] = Description("oracle", "1")
    traits: ClassVar[Traits] = Traits(may_copy=True)

    async def answer_all(self, items: Sequence[Item], settled: Settled) -> None:
        """Every first reference; an item without one fails."""
        for item in items:
            if item.references:
                settled(item, Answer(item.references[0]))
            else:
                settled(item, Answer(None, "there is no reference to return"))
