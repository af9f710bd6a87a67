"""How the organiser's pages show numbers, times, intervals and the state of a person."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from patmark.judgements import CriterionRanking, mark
from patmark.protocols import Person

NOTHING = "–"
_SMALLEST_P = 0.0001


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
    """The ranking by one criterion, with who beats whom by the sign test."""

    criterion: str
    score: str
    systems: tuple[RankedSystem, ...]
    marks: tuple[tuple[str, ...], ...]

    @property
    def has_pairwise(self) -> bool:
        """Whether there is a pairwise score beside the mean."""
        return any(one.pairwise != NOTHING for one in self.systems)


def number(value: float | None, digits: int = 2) -> str:
    """A number, or a dash where there is none."""
    return NOTHING if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def p_value(value: float | None) -> str:
    """A p-value; one that would be rounded to zero is said to be smaller."""
    if value is not None and value < _SMALLEST_P:
        return f"< {_SMALLEST_P}"
    return number(value, 4)


def interval(ci: tuple[float, float] | None, digits: int = 2) -> str:
    """An interval in brackets, or a dash."""
    if ci is None or not all(map(math.isfinite, ci)):
        return NOTHING
    return f"[{ci[0]:.{digits}f}, {ci[1]:.{digits}f}]"


def moment(time: str | None) -> str:
    """A time as kept by the store, to the minute."""
    return NOTHING if time is None else time[:16].replace("T", " ")


def state_key(person: Person) -> str:
    """The key of the words that say where a person stands."""
    if person.excluded is not None:
        return "person.excluded"
    if person.revoked is not None:
        return "person.revoked"
    if person.training.passed is None and person.qualified is None:
        return "person.training"
    if not person.may_judge:
        return "person.unqualified"
    return "person.finished" if person.done == person.total else "person.working"


def ranked_criterion(one: CriterionRanking, pairwise: Mapping[str, float]) -> RankedCriterion:
    """The ranking by one criterion, best system first."""
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
        systems.append(RankedSystem(
            name, number(found.value, digits), interval(found.ci, digits), number(beside, 3),
            measured.counted[name], measured.cluster_of(name), *places,
        ))  # fmt: skip
    return RankedCriterion(one.criterion, one.score, tuple(systems), _marks(one, names))


def _bounds(ends: Sequence[float]) -> tuple[float, float]:
    known = [end for end in ends if math.isfinite(end)]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _place(value: float, lowest: float, highest: float) -> float:
    """A place from 2 to 98, so that marks at the ends are seen whole."""
    if not math.isfinite(value) or highest <= lowest:
        return 50.0
    return round(2 + 96 * (value - lowest) / (highest - lowest), 2)


def _marks(one: CriterionRanking, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    found: dict[tuple[str, str], str] = {}
    for sign in one.signs:
        won = sign.test.wins >= sign.test.losses
        better, worse = (sign.first, sign.second) if won else (sign.second, sign.first)
        shown = mark(sign.test.p)
        found[better, worse] = shown
        found[worse, better] = "-" if shown == "-" else ""
    return tuple(tuple(found.get((row, column), "") for column in names) for row in names)
