"""Rankings as the organiser sees them: scores on a line, intervals, marks of the sign test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from patmark.human.campaign.web.rendering import NOTHING, interval, number
from patmark.human.judgements import CriterionRanking


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system with its score; ``low``, ``at`` and ``high`` place it on a line from 0 to 100."""

    name: str
    score: str
    interval: str
    pairwise: str
    n: int
    group: int | None
    low: float
    at: float
    high: float


@dataclass(frozen=True, slots=True)
class RankedCriterion:
    """The ranking by one criterion, with who beats whom by the sign test.

    ``no_verdict`` is the reason why nothing is called significant; there are then no groups.
    """

    criterion: str
    score: str
    systems: tuple[RankedSystem, ...]
    marks: tuple[tuple[str, ...], ...]
    no_verdict: str

    @property
    def has_marks(self) -> bool:
        """True if the sign test says something of any two systems."""
        return any(mark for row in self.marks for mark in row)

    @property
    def has_pairwise(self) -> bool:
        """True if there is a pairwise score beside the mean."""
        return any(one.pairwise != NOTHING for one in self.systems)


def ranked_criterion(one: CriterionRanking, pairwise: Mapping[str, float]) -> RankedCriterion:
    """Return the ranking by one criterion, best system first."""
    measured = one.measured
    names = measured.ranking
    ends = [end for name in names for end in measured.estimates[name].ci or ()]
    ends += [measured.estimates[name].value for name in names]
    lowest, highest = _bounds(ends)
    digits = 3 if one.score in ("pairwise", "wins") else 2
    systems = []
    for name in names:
        found = measured.estimates[name]
        low, high = found.ci or (found.value, found.value)
        places = [_place(end, lowest, highest) for end in (low, found.value, high)]
        beside = pairwise.get(name) if one.score == "mean" else None
        systems.append(
            RankedSystem(
                name,
                number(found.value, digits),
                interval(found.ci, digits),
                number(beside, 3),
                measured.counted[name],
                measured.cluster_of(name),
                *places,
            )
        )
    signs = one.sign_marks()
    marks = tuple(tuple(signs.get((row, column), "") for column in names) for row in names)
    no_verdict = measured.no_verdict
    return RankedCriterion(one.criterion, one.score, tuple(systems), marks, no_verdict)


def _bounds(ends: Sequence[float]) -> tuple[float, float]:
    known = [end for end in ends if math.isfinite(end)]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _place(value: float, lowest: float, highest: float) -> float:
    """Return a place from 2 to 98, so that marks at the ends are seen whole."""
    if not math.isfinite(value) or highest <= lowest:
        return 50.0
    return round(2 + 96 * (value - lowest) / (highest - lowest), 2)
