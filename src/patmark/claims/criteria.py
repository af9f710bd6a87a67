"""The criteria of Patent-CE as measures of a candidate against the reference, from 0 to 10.

| measure | score / 10 |
|---|---|
| claim-completeness | share of the reference's clauses that the candidate has (coverage) |
| claim-clarity | 1/2 "the X" with an antecedent + 1/4 claims that end + 1/4 text not repeated |
| claim-consistency | 1/2 recurring terms of the reference kept + 1/2 terms not changed |
| claim-linkage | 2/3 agreement of dependencies + 1/3 agreement of neighbouring elements |
| claim-overall | (4 completeness + 2 clarity + 2 consistency + 3 linkage) / 11, see below |

What the reference itself does is no fault, so that it scores 10 in all of them; a candidate without
claims scores 0. Clarity asks how a text is written, not what it says: nonsense can be clear.
Therefore clarity, consistency and linkage count in claim-overall in full only when at least half of
the content is there (the geometric mean of coverage and support), and less in proportion below.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from patmark.claims.alignment import Alignment
from patmark.claims.coverage import coverage, support
from patmark.claims.criteria_evidence import (
    clarity_evidence,
    clause_evidence,
    link_evidence,
    term_evidence,
    text_evidence,
)
from patmark.claims.one_reference import ClaimCheck
from patmark.claims.profiles import ClaimProfile
from patmark.claims.quality_features import dice, form_gate, linkage, novelty
from patmark.claims.term_use import changed_terms, kept_terms, unclear_terms
from patmark.data import Evidence
from patmark.measures import Finding

WEIGHTS = {"completeness": 4, "clarity": 2, "consistency": 2, "linkage": 3}
_TEN = 10.0
_CITATION = "patmark; criteria and weights of Patent-CE (Jiang et al., ACL 2025)"


class _Criterion(ClaimCheck):
    """A criterion from 0 to 10."""

    citation: ClassVar[str] = _CITATION
    bounds: ClassVar[tuple[float, float]] = (0.0, _TEN)

    def examine(self, alignment: Alignment) -> Finding:
        """The score from 0 to 10, with its evidence."""
        if not alignment.candidate.all_words:
            empty = Evidence("hypothesis", 0, 0, "the candidate holds no claims")
            return Finding(0.0, 1.0, (empty,))
        return Finding(_TEN * self.share(alignment), 1.0, self.evidence(alignment))

    @abstractmethod
    def share(self, alignment: Alignment) -> float:
        """The score from 0 to 1."""

    @abstractmethod
    def evidence(self, alignment: Alignment) -> tuple[Evidence, ...]:
        """The places that explain the score."""


@dataclass(frozen=True)
class Completeness(_Criterion):
    """Which limitations of the reference the candidate has."""

    label: ClassVar[str] = "claim-completeness"
    description: ClassVar[str] = "limitations of the reference that the candidate has, 0 to 10"

    def share(self, alignment: Alignment) -> float:
        """Coverage of the reference's clauses."""
        return coverage(alignment).value

    def evidence(self, alignment: Alignment) -> tuple[Evidence, ...]:
        """Limitations that are missing, weak or elsewhere, and those that were added."""
        return (*clause_evidence(alignment), *text_evidence(alignment))


@dataclass(frozen=True)
class Clarity(_Criterion):
    """Antecedents, complete claims, and no repeated text."""

    label: ClassVar[str] = "claim-clarity"
    description: ClassVar[str] = "antecedents present, claims complete, no repeated text, 0 to 10"

    def share(self, alignment: Alignment) -> float:
        """The weighted mean of the table above."""
        reference, candidate = alignment.reference, alignment.candidate
        ended = min(1.0, _ended(candidate) / _ended(reference)) if _ended(reference) else 1.0
        unclear = len(unclear_terms(reference, candidate))
        founded = 1 - unclear / candidate.referred if unclear else 1.0
        return 0.5 * founded + 0.25 * ended + 0.25 * novelty(reference, candidate)

    def evidence(self, alignment: Alignment) -> tuple[Evidence, ...]:
        """Terms without antecedent, unfinished claims, repeated claims."""
        return tuple(clarity_evidence(alignment))


@dataclass(frozen=True)
class Consistency(_Criterion):
    """One element, one term: that of the reference."""

    label: ClassVar[str] = "claim-consistency"
    description: ClassVar[str] = "terms of the reference kept and not changed, 0 to 10"

    def share(self, alignment: Alignment) -> float:
        """The mean of the two shares of the table above."""
        reference, candidate = alignment.reference, alignment.candidate
        used = candidate.terms.total()
        unchanged = 1 - len(changed_terms(reference, candidate)) / used if used else 1.0
        return 0.5 * kept_terms(reference, candidate).share + 0.5 * unchanged

    def evidence(self, alignment: Alignment) -> tuple[Evidence, ...]:
        """Terms that change, and terms of the reference that are not used."""
        return tuple(term_evidence(alignment))


@dataclass(frozen=True)
class Linkage(_Criterion):
    """Dependencies between claims, and which element stands beside which."""

    label: ClassVar[str] = "claim-linkage"
    description: ClassVar[str] = "dependencies and neighbouring elements as the reference, 0 to 10"

    def share(self, alignment: Alignment) -> float:
        """The weighted mean of the table above."""
        relations = dice(alignment.reference.relations, alignment.candidate.relations)
        return (2 * linkage(alignment) + relations) / 3

    def evidence(self, alignment: Alignment) -> tuple[Evidence, ...]:
        """Wrong dependencies, claims without a counterpart."""
        return tuple(link_evidence(alignment))


CRITERIA: dict[str, _Criterion] = {
    "completeness": Completeness(),
    "clarity": Clarity(),
    "consistency": Consistency(),
    "linkage": Linkage(),
}


@dataclass(frozen=True)
class Overall(_Criterion):
    """The four criteria in one number."""

    label: ClassVar[str] = "claim-overall"
    description: ClassVar[str] = "(4 completeness + 2 clarity + 2 consistency + 3 linkage) / 11"

    def share(self, alignment: Alignment) -> float:
        """The weighted mean of the criteria, those of form by what content allows."""
        gate = form_gate(coverage(alignment).value, support(alignment).value)
        total = sum(
            weight * CRITERIA[name].share(alignment) * (1.0 if name == "completeness" else gate)
            for name, weight in WEIGHTS.items()
        )
        return total / sum(WEIGHTS.values())

    def evidence(self, alignment: Alignment) -> tuple[Evidence, ...]:
        """The score of each criterion; their own evidence has the places."""
        messages = [f"{name} {_TEN * one.share(alignment):.2f}" for name, one in CRITERIA.items()]
        gate = form_gate(coverage(alignment).value, support(alignment).value)
        if gate < 1:
            messages.append(
                f"little of the content is there: all but completeness count {gate:.0%}"
            )
        return tuple(Evidence("hypothesis", 0, 0, message) for message in messages)


def _ended(profile: ClaimProfile) -> float:
    """The share of claims that end with a full stop."""
    return 1 - len(profile.unfinished) / len(profile.words)
