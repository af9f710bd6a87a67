"""Which clauses of one set of claims another set has.

| where a clause is found | it counts |
|---|---|
| in the claim that answers its own | as the share of its words and word pairs that are there |
| in another claim | four fifths of that share |

A clause counts by its length in words. Coverage asks this of the reference's clauses, support of
the candidate's: what is missing, and what was added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from patmark.claims.alignment import Alignment, overlap
from patmark.claims.profiles import ClaimProfile, Clause
from patmark.data import FloatArray

MISSING, WEAK = 0.35, 0.65
_ELSEWHERE = 0.8


@dataclass(frozen=True, slots=True)
class FoundClause:
    """A clause, the share of it that was found, and the claim (from 0) where most of it is."""

    clause: Clause
    share: float
    claim: int | None
    moved: bool


@dataclass(frozen=True, eq=False)
class Coverage:
    """How far the clauses of one side are found in the other."""

    clauses: tuple[Clause, ...]
    shares: FloatArray
    claims: tuple[int | None, ...]
    own: tuple[int | None, ...]

    @property
    def value(self) -> float:
        """The mean share, each clause by its length; 0 where there is no clause."""
        sizes = np.array([len(clause.words) for clause in self.clauses], dtype=np.float64)
        return float((sizes * self.shares).sum() / sizes.sum()) if len(sizes) else 0.0

    def below(self, share: float) -> list[FoundClause]:
        """The clauses of which less was found."""
        found = zip(self.clauses, self.shares.tolist(), self.claims, self.own, strict=True)
        return [
            FoundClause(clause, value, claim, claim != own)
            for clause, value, claim, own in found
            if value < share
        ]


def coverage(alignment: Alignment) -> Coverage:
    """How far the candidate has the clauses of the reference."""
    return _found(alignment.reference, alignment.candidate, alignment.assigned)


def support(alignment: Alignment) -> Coverage:
    """How far the reference has the clauses of the candidate."""
    return _found(alignment.candidate, alignment.reference, alignment.origin)


def _found(side: ClaimProfile, other: ClaimProfile, assigned: Mapping[int, int]) -> Coverage:
    own = tuple(assigned.get(clause.claim) for clause in side.clauses)
    if not side.clauses or not other.words:
        nowhere = (None,) * len(own)
        return Coverage(side.clauses, np.zeros(len(own)), nowhere, own)
    contained = overlap(side.clause_bags, other.claim_bags).contained
    counted = _ELSEWHERE * contained
    rows = [row for row, claim in enumerate(own) if claim is not None]
    columns = [claim for claim in own if claim is not None]
    counted[rows, columns] = contained[rows, columns]
    places = tuple(counted.argmax(axis=1).tolist())
    return Coverage(side.clauses, counted.max(axis=1), places, own)
