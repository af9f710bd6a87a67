"""A candidate set of claims compared with the reference, for the measures of claims.

Claims are assigned to claims so that the total similarity is largest. A claim at the same position
is preferred if texts are not decisive. The similarity is the Dice coefficient of words and word
bigrams, which are lost when words are shuffled.

| a clause is found | it counts |
|---|---|
| in the claim that is assigned to its own | as the share of its words and word pairs found there |
| in another claim | four fifths of that share |

A clause counts by its length in words. Coverage refers to the reference's clauses (missing
content), support to the candidate's (added content).

| a term of the candidate | is |
|---|---|
| a term of the reference, or a short form of one ("the shaft" for "a rotating shaft") | kept |
| the head of a term of the reference with other words before it | changed |
| "the X" that nothing introduces, and that the reference does not use | changed |
| anything else | new: neither good nor bad |

A claim that resembles its assigned one may still be narrower, broader or contradict it
(:mod:`patmark.claims.scope`). It also contradicts it if it refers to none of the claims that it
should, though they exist. A small change of a text may be a large one of a claim, and no score
shows its size: it is a finding. Dissimilar texts are not compared in this way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeVar

import numpy as np

from patmark.claims.bags import bags_of, overlap
from patmark.claims.limitations import (
    ClaimRelation,
    ComparedLimitation,
    compare_limitations,
    joint_relation,
    relation_of_claims,
    say_the_same,
)
from patmark.claims.model import Term, TextRange
from patmark.claims.profiles import ClaimProfile, Clause, Words, profile_of
from patmark.claims.scope import (
    ScopeDifference,
    differ_in_a_word,
    fact_differences,
    word_differences,
)
from patmark.data import Evidence, FloatArray
from patmark.errors import InputError
from patmark.facts import exchanged_phrases
from patmark.languages import foreign_script, kept_in_workspace, language as pack_of
from patmark.wording import tr

MISSING, WEAK = 0.35, 0.65
_SAME_PLACE = 0.05
_ELSEWHERE = 0.8
_RECURRING = 2
_ALIKE = 0.6  # whole claims: most words beside facts are equal
_CACHED = 1024
OTHER_SCRIPT = (
    "in a script that cannot be compared: claims are read in Latin letters, Chinese and Japanese"
)

_Item = TypeVar("_Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class FoundClause:
    """A clause, its found share, and the claim (from 0) with most of it."""

    clause: Clause
    share: float
    claim: int | None
    moved: bool


@dataclass(frozen=True, eq=False)
class Coverage:
    """Shares of the clauses of one side that are found in the other."""

    clauses: tuple[Clause, ...]
    shares: FloatArray
    claims: tuple[int | None, ...]
    own: tuple[int | None, ...]

    @cached_property
    def value(self) -> float:
        """The mean share, weighted by clause length; 0 without clauses."""
        sizes = np.array([len(clause.words) for clause in self.clauses], dtype=np.float64)
        return float((sizes * self.shares).sum() / sizes.sum()) if len(sizes) else 0.0

    def below(self, share: float) -> list[FoundClause]:
        """Return the clauses of which less was found."""
        found = zip(self.clauses, self.shares.tolist(), self.claims, self.own, strict=True)
        return [
            FoundClause(clause, value, claim, claim != own)
            for clause, value, claim, own in found
            if value < share
        ]


@dataclass(frozen=True, slots=True)
class ChangedTerm:
    """A term of the candidate, and the words of the reference for it if known."""

    term: Term
    usual: Words | None


@dataclass(frozen=True, slots=True)
class ComparedClaim:
    """A claim of the reference, the one assigned to it (both from 0), and their differences.

    ``differences`` are those of the whole claims, if these are similar, else of the limitations.
    """

    reference: int
    candidate: int
    relation: str
    differences: tuple[ScopeDifference, ...]
    limitations: tuple[ComparedLimitation, ...]

    @property
    def difference(self) -> str:
        """The differences in words."""
        return tr("{parts}", parts=tuple(one.message for one in self.differences))


@dataclass(frozen=True, eq=False)
class ClaimComparison:
    """Reference and candidate, and the assignment of their claims.

    Claims are identified by their position, from 0. ``likeness`` has shape (reference, candidate).
    Results are cached, because all measures of one candidate and its evidence use them.
    """

    reference: ClaimProfile
    candidate: ClaimProfile
    likeness: FloatArray
    assigned: dict[int, int]

    @cached_property
    def origin(self) -> dict[int, int]:
        """From a claim of the candidate to that of the reference."""
        return {ours: theirs for theirs, ours in self.assigned.items()}

    @property
    def longest(self) -> int:
        """The larger number of claims, the denominator of shares."""
        return max(len(self.reference.tokens), len(self.candidate.tokens))

    def in_reference(self, place: TextRange, message: str) -> Evidence:
        """Return evidence at a place of the reference, by its place in the original text."""
        return Evidence("reference", *self.reference.form.original(place.start, place.end), message)

    def in_candidate(self, place: TextRange, message: str) -> Evidence:
        """Return evidence at a place of the candidate, by its place in the original text."""
        original = self.candidate.form.original(place.start, place.end)
        return Evidence("hypothesis", *original, message)

    @cached_property
    def problem(self) -> str:
        """The reason why the candidate has no score; empty if it has one."""
        if self.candidate.problem:
            return self.candidate.problem
        written = foreign_script([self.candidate.form.text], self.reference.outline.language)
        if not written:
            return ""
        return tr("the draft is {written}, the reference is not", written=written)

    @cached_property
    def coverage(self) -> Coverage:
        """Shares of the clauses of the reference that the candidate has."""
        return _found(self.reference, self.candidate, self.assigned)

    @cached_property
    def support(self) -> Coverage:
        """Shares of the clauses of the candidate that the reference has."""
        return _found(self.candidate, self.reference, self.origin)

    @cached_property
    def link_agreements(self) -> dict[int, float]:
        """Agreement of assigned candidate claims with their reference claims on mentioned claims.

        The agreement is the Jaccard coefficient of the claims that both refer to.
        """
        agreements = {}
        for theirs, ours in self.assigned.items():
            wanted, seen = self.reference.targets[theirs], self._targets_in_reference(ours)
            agreements[ours] = len(wanted & seen) / len(wanted | seen)
        return agreements

    @property
    def linkage(self) -> float:
        """Agreement of the claims that assigned claims refer to, over the larger number."""
        return sum(self.link_agreements.values()) / self.longest

    @property
    def repetition(self) -> float:
        """1 minus the share of repeated four-word sequences that the reference does not have."""
        return 1 - max(0.0, self.candidate.repeated - self.reference.repeated)

    @cached_property
    def changed_terms(self) -> tuple[ChangedTerm, ...]:
        """The occurrences of changed terms in the candidate."""
        known = _with_short_forms(self.reference)
        by_head = _usual_by_head(self.reference)
        loose = {(term.start, term.end) for term in self.candidate.unsupported}
        found = []
        for term in (term for claim in self.candidate.claims.claims for term in claim.terms):
            if term.words in known:
                continue
            usual = by_head.get(term.head)
            if usual is not None or (term.start, term.end) in loose:
                found.append(ChangedTerm(term, usual))
        return tuple(found)

    @cached_property
    def lost_terms(self) -> tuple[Term, ...]:
        """Terms that the reference uses more than once and the candidate does not use."""
        first: dict[Words, Term] = {}
        for claim in self.reference.claims.claims:
            for term in claim.terms:
                first.setdefault(term.words, term)
        used = _with_short_forms(self.candidate)
        recurring = [words for words, count in self.reference.terms.items() if count >= _RECURRING]
        return tuple(first[words] for words in recurring if words not in used)

    @cached_property
    def unclear_terms(self) -> tuple[Term, ...]:
        """Terms with "the" that lack an antecedent, and that the reference does not use so.

        A reference to a missing claim is a fault of linkage and not counted again.
        """
        excused = {term.words for term in self.reference.unsupported}
        return tuple(term for term in self.candidate.unsupported if term.words not in excused)

    @cached_property
    def compared_claims(self) -> tuple[ComparedClaim, ...]:
        """The claims of the reference with the assigned claims of the candidate."""
        return tuple(self._compared_claim(*pair) for pair in sorted(self.assigned.items()))

    @property
    def relation(self) -> str:
        """Relation of the candidate to the reference in scope: that of all its claims."""
        return joint_relation({one.relation for one in self.compared_claims})

    @property
    def claim_relations(self) -> tuple[ClaimRelation, ...]:
        """The claims of both sides with their relations: answered, then missing, then added."""
        old, new = (
            [claim.shown_number for claim in side.claims.claims]
            for side in (self.reference, self.candidate)
        )
        both = (
            ClaimRelation(old[one.reference], new[one.candidate], one.relation, one.limitations)
            for one in self.compared_claims
        )
        missing = (
            ClaimRelation(number, None, "missing")
            for place, number in enumerate(old)
            if place not in self.assigned
        )
        added = (
            ClaimRelation(None, number, "added")
            for place, number in enumerate(new)
            if place not in self.origin
        )
        return (*both, *missing, *added)

    @property
    def scope_changes(self) -> tuple[ComparedClaim, ...]:
        """The claims of the candidate that are narrower, broader or contradict their origin."""
        return tuple(one for one in self.compared_claims if one.differences)

    @property
    def contradictions(self) -> tuple[ComparedClaim, ...]:
        """The claims of the candidate that contradict those they are assigned to."""
        return tuple(one for one in self.scope_changes if one.relation == "contradictory")

    def _compared_claim(self, theirs: int, ours: int) -> ComparedClaim:
        """Compare the scope of two claims, as wholes if they are similar, and by limitations."""
        alike = self._are_alike(theirs, ours)
        whole = list(self._differences(theirs, ours)) if alike else []
        rows = compare_limitations(self.reference, self.candidate, (theirs, ours), whole)
        claims = self.reference.scoped[theirs], self.candidate.scoped[ours]
        if not whole and say_the_same(*claims):
            rows = [row.as_moved for row in rows]
        if not whole and alike:
            whole = word_differences(*claims)
        own = whole or [one for row in rows for one in row.differences]
        relation = relation_of_claims(rows, whole)
        return ComparedClaim(theirs, ours, relation, tuple(own), tuple(rows))

    def _targets_in_reference(self, ours: int) -> set[int | str]:
        """Return the targets of a claim of the candidate, as positions of the reference."""
        return {
            target if target < 0 else self.origin.get(target, f"added claim {target}")
            for target in self.candidate.targets[ours]
        }

    def _differences(self, theirs: int, ours: int) -> Iterator[ScopeDifference]:
        """Yield the differences in scope of a claim to the one that it is assigned to."""
        wanted, seen = self.reference.scoped[theirs], self.candidate.scoped[ours]
        yield from fact_differences(wanted, seen)
        for words, words2 in self._exchanged(theirs, ours):
            message = tr("{words} and {words2} changed places", words=words, words2=words2)
            yield ScopeDifference("contradictory", message)
        if self._links_elsewhere(theirs, ours):
            yield ScopeDifference("contradictory", tr("it refers to another claim"))

    def _exchanged(self, theirs: int, ours: int) -> list[tuple[str, str]]:
        """Return the phrases that changed places in clauses that otherwise have the same words."""
        if not pack_of(self.reference.outline.language).is_spaced:
            return []
        wanted, seen = self.reference.clause_texts(theirs), self.candidate.clause_texts(ours)
        pairs = product(wanted - seen, seen - wanted)
        return sorted(filter(None, (exchanged_phrases(one, other) for one, other in pairs)))

    def _links_elsewhere(self, theirs: int, ours: int) -> bool:
        """Return True if a claim refers to none of the claims that it should and could refer to."""
        wanted = self.reference.targets[theirs]
        possible = any(target < 0 or target in self.assigned for target in wanted)
        return possible and not wanted & self._targets_in_reference(ours)

    def _are_alike(self, theirs: int, ours: int) -> bool:
        """Return True if two claims are similar apart from their facts."""
        claims = self.reference.scoped[theirs], self.candidate.scoped[ours]
        if differ_in_a_word(*claims):
            return True
        first, second = (bags_of([claim.words_beside_facts()]) for claim in claims)
        return float(overlap(first, second).agreement[0, 0]) > _ALIKE


@kept_in_workspace(_CACHED)
def compare_profiles(reference: ClaimProfile, candidate: ClaimProfile) -> ClaimComparison:
    """Assign claims to claims so that the total similarity is largest."""
    from scipy.optimize import linear_sum_assignment

    likeness = overlap(reference.token_bags, candidate.token_bags).agreement
    preferred = likeness + _SAME_PLACE * np.eye(*likeness.shape)
    theirs, ours = linear_sum_assignment(preferred, maximize=True)
    return ClaimComparison(
        reference, candidate, likeness, dict(zip(theirs.tolist(), ours.tolist(), strict=True))
    )


def compare_texts(reference: str, candidate: str) -> ClaimComparison:
    """Compare the claims of two texts; the reference must hold claims."""
    profile = profile_of(reference)
    problem = reference_problem(profile)
    if problem:
        raise InputError.at(problem)
    return compare_profiles(profile, profile_of(candidate))


def reference_problem(reference: ClaimProfile) -> str:
    """Return the reason why nothing can be compared with a reference; empty without one."""
    if reference.empty:
        return "the reference holds no claims"
    return f"the reference is {OTHER_SCRIPT}" if reference.unread else ""


def _found(side: ClaimProfile, other: ClaimProfile, assigned: Mapping[int, int]) -> Coverage:
    own = tuple(assigned.get(clause.claim) for clause in side.clauses)
    if not side.clauses or not other.tokens:
        nowhere = (None,) * len(own)
        return Coverage(side.clauses, np.zeros(len(own)), nowhere, own)
    contained = overlap(side.clause_bags, other.claim_bags).contained
    counted = _ELSEWHERE * contained
    rows = [row for row, claim in enumerate(own) if claim is not None]
    columns = [claim for claim in own if claim is not None]
    counted[rows, columns] = contained[rows, columns]
    places = tuple(counted.argmax(axis=1).tolist())
    return Coverage(side.clauses, counted.max(axis=1), places, own)


def _with_short_forms(profile: ClaimProfile) -> set[Words]:
    """Return the terms, and their short forms without words before the head."""
    return {words[start:] for words in profile.terms for start in range(len(words))}


def _usual_by_head(profile: ClaimProfile) -> dict[str, Words]:
    """Return the commonest term of each head; the first of several."""
    counts: dict[str, Counter[Words]] = {}
    for words, count in profile.terms.items():
        counts.setdefault(words[-1], Counter())[words] += count
    return {head: terms.most_common(1)[0][0] for head, terms in counts.items()}
