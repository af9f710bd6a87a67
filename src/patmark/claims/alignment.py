"""Which claim of a candidate answers which claim of the reference, and how alike texts are.

Likeness counts content words and pairs of neighbouring words; the pairs are lost when words are
shuffled. The assignment of claims is the best one over all claims together; a claim in the same
place is preferred where texts decide nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from patmark.claims.bags import Bags
from patmark.claims.profiles import ClaimProfile, profile_of
from patmark.data import FloatArray
from patmark.errors import InputError

_SAME_PLACE = 0.05
_KEPT = 64


class Overlap(NamedTuple):
    """How many items each row shares with each column, and how many each has."""

    shared: FloatArray
    rows: FloatArray
    columns: FloatArray

    @property
    def agreement(self) -> FloatArray:
        """Dice coefficient: 1 for equal texts, the same both ways."""
        sizes = self.rows[:, None] + self.columns
        return np.asarray(2 * self.shared / np.maximum(sizes, 1))

    @property
    def contained(self) -> FloatArray:
        """The share of a row that its column has."""
        return np.asarray(self.shared / np.maximum(self.rows[:, None], 1))


@dataclass(frozen=True, eq=False)
class Alignment:
    """Reference and candidate, and where each claim of the reference is in the candidate.

    Claims are named by their place, from 0. ``likeness`` has shape (reference, candidate).
    """

    reference: ClaimProfile
    candidate: ClaimProfile
    likeness: FloatArray
    assigned: dict[int, int]

    @cached_property
    def origin(self) -> dict[int, int]:
        """From a claim of the candidate to that of the reference."""
        return {ours: theirs for theirs, ours in self.assigned.items()}

    def in_reference(self, target: int) -> int | str:
        """A target of a candidate's claim in places of the reference; it may lack it."""
        return target if target < 0 else self.origin.get(target, f"added claim {target}")

    @property
    def longest(self) -> int:
        """The larger number of claims, by which shares are counted."""
        return max(len(self.reference.words), len(self.candidate.words))


@lru_cache(maxsize=_KEPT)
def align(reference: ClaimProfile, candidate: ClaimProfile) -> Alignment:
    """Assign claims to claims so that their likeness is largest in all."""
    from scipy.optimize import linear_sum_assignment

    likeness = overlap(reference.claim_bags, candidate.claim_bags).agreement
    preferred = likeness + _SAME_PLACE * np.eye(*likeness.shape)
    theirs, ours = linear_sum_assignment(preferred, maximize=True)
    return Alignment(
        reference, candidate, likeness, dict(zip(theirs.tolist(), ours.tolist(), strict=True))
    )


def align_texts(reference: str, candidate: str) -> Alignment:
    """Assign the claims of two texts; the reference must hold claims."""
    profile = profile_of(reference)
    problem = reference_problem(profile)
    if problem:
        raise InputError.at(problem)
    return align(profile, profile_of(candidate))


def reference_problem(reference: ClaimProfile) -> str:
    """Why nothing can be held against a reference; empty when all is well."""
    return "" if reference.clauses else "the reference holds no claims"


def overlap(rows: Bags, columns: Bags) -> Overlap:
    """What texts share, each with each; repeated items count as often as both have them."""
    known = np.unique(rows.keys)
    shared = _incidence(rows, known) @ _incidence(columns, known).T
    return Overlap(np.asarray(shared, dtype=np.float64), rows.sizes, columns.sizes)


def _incidence(bags: Bags, known: NDArray[np.uint64]) -> NDArray[np.float32]:
    """A table (texts, keys) with 1 where a text has a known key."""
    table = np.zeros((len(bags.sizes), len(known)), dtype=np.float32)
    if len(known):
        places = np.minimum(np.searchsorted(known, bags.keys), len(known) - 1)
        found = known[places] == bags.keys
        table[bags.owners[found], places[found]] = 1
    return table
