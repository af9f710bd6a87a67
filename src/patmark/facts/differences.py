"""Differences between the facts of two texts: kind, slot, certainty and severity.

| kind | slots |
|---|---|
| number | value, presence, minus sign, binding |
| unit | unit |
| limit | direction, end, presence |
| polarity | negation |
| sign | presence, noun |
| ordinal | value, roles |
| marker | the group of the word: only, or, list, time, vertical, … |
| claim | number, reference |
| term | noun |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

FactKind: TypeAlias = Literal[
    "number", "unit", "limit", "polarity", "sign", "ordinal", "marker", "claim", "term"
]
FindingCertainty: TypeAlias = Literal["sure", "likely", "possible"]
FactSeverity: TypeAlias = Literal["error", "warning", "info"]
Span: TypeAlias = tuple[int, int]

_BY_CERTAINTY: dict[FindingCertainty, FactSeverity] = {
    "sure": "error", "likely": "warning", "possible": "info",
}  # fmt: skip
# kinds with too many flags in unaltered human translations to be errors; docs/facts.md
_NEVER_ERRORS = frozenset({"polarity", "marker", "term"})


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that two texts do not share, with the places in both original texts.

    A missing fact has no place. ``facts`` counts the lost or added facts: a value that became
    another counts twice.
    """

    kind: FactKind
    slot: str
    message: str
    source: Span | None = None
    target: Span | None = None
    certainty: FindingCertainty = "sure"
    facts: int = 1

    @property
    def severity(self) -> FactSeverity:
        """Severity by kind and certainty; an error is right nine times out of ten in real text."""
        if self.certainty == "sure" and self.kind in _NEVER_ERRORS:
            return "warning"
        return _BY_CERTAINTY[self.certainty]


def one_sided(
    kind: FactKind,
    slot: str,
    message: str,
    place: Span,
    *,
    lost: bool,
    certainty: FindingCertainty = "sure",
) -> Difference:
    """Return the difference of a fact that only the source has (lost), or only the target."""
    source, target = (place, None) if lost else (None, place)
    return Difference(kind, slot, message, source, target, certainty)


@dataclass(frozen=True, slots=True)
class FactComparison:
    """Facts of one kind in two texts: the number of kept ones, and the differences."""

    kept: int
    differences: Sequence[Difference] = ()

    @property
    def wrong(self) -> int:
        """Facts that are lost or added."""
        return sum(difference.facts for difference in self.differences)


_FORBIDDEN = 1e6


def least_cost_pairs(costs: Sequence[Sequence[float | None]]) -> list[tuple[int, int]]:
    """Return pairs of rows and columns: as many as possible, at the least sum of costs.

    ``None`` forbids a pair. Only rows and columns that compete are solved together.
    """
    columns = [[c for c, cost in enumerate(row) if cost is not None] for row in costs]
    rivals = [c for own in columns if len(own) == 1 for c in own]
    taken = [c for own in columns for c in own]
    alone = {c for c in rivals if taken.count(c) == 1}
    pairs = [(r, own[0]) for r, own in enumerate(columns) if len(own) == 1 and own[0] in alone]
    rows = [r for r, own in enumerate(columns) if own and not (len(own) == 1 and own[0] in alone)]
    if not rows:
        return pairs
    from scipy.optimize import linear_sum_assignment

    left = sorted({c for r in rows for c in columns[r]})
    table = [[_FORBIDDEN if costs[r][c] is None else costs[r][c] for c in left] for r in rows]
    for place, column in zip(*linear_sum_assignment(table), strict=True):
        if costs[rows[place]][left[column]] is not None:
            pairs.append((rows[place], left[column]))
    return sorted(pairs)
