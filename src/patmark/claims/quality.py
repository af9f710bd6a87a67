"""ClaimQuality: the untrained mean of four verifiable parts, from 0 to 1.

| part | definition | 1 means |
|---|---|---|
| content | likeness of assigned claims, over the larger number of claims | the same words |
| length | mean number of words of a claim, the smaller over the larger | claims as long |
| structure | agreement of the claims that assigned claims refer to, over the larger number | the \
same dependencies |
| repetition | 1 − the share of repeated runs of four words beyond that of the reference | no \
more repeated |

Only content depends on the words of claims. The others count in full from a content of 0.2 on and
in proportion below, so that claims of another patent gain nothing by their form. A candidate
without claims scores 0. Scores that differ by at most 0.045 show no clear difference.

The parts were chosen on 10 references of Patent-CE and on PatentEval, and measured once on 10 other
references (docs/claim_quality_model_card.md). A contradiction is a finding and does not change the
score (:mod:`patmark.claims.comparison`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from patmark.claims.comparison import (
    OTHER_SCRIPT,
    ClaimComparison,
    compare_profiles,
    compare_texts,
    reference_problem,
)
from patmark.claims.diagnostics import missing_claim_evidence
from patmark.claims.limitations import ClaimRelation
from patmark.claims.profiles import ClaimProfile, profile_of, segmenter_versions
from patmark.data import Evidence, FloatArray, Segment, TestSet
from patmark.errors import InputError, Problem
from patmark.measures import Check, Finding, Group, Reduction
from patmark.wording import tr

PARTS: Mapping[str, str] = {
    "content": tr("content"),
    "length": tr("length"),
    "structure": tr("structure"),
    "repetition": tr("repetition"),
}
"""Parts of the score, with their display names; all have the same weight."""
TIE_BAND = 0.045
_SHARE = 1 / len(PARTS)
_FULL_FROM = 0.2
_RECIPE = f"mean of content, length, structure and repetition; content gate {_FULL_FROM}"


@dataclass(frozen=True, slots=True)
class QualityParts:
    """The four parts of a candidate, each from 0 to 1."""

    content: float
    length: float
    structure: float
    repetition: float

    @classmethod
    def of(cls, compared: ClaimComparison) -> QualityParts:
        """Return the parts of a candidate; all 0 where it has no claims."""
        reference, candidate = compared.reference, compared.candidate
        if compared.problem:
            return cls(0.0, 0.0, 0.0, 0.0)
        theirs, ours = list(compared.assigned), list(compared.assigned.values())
        lengths = reference.mean_length, candidate.mean_length
        return cls(
            float(compared.likeness[theirs, ours].sum()) / compared.longest,
            min(lengths) / max(lengths),
            compared.linkage,
            compared.repetition,
        )

    @property
    def gate(self) -> float:
        """Weight of the parts that do not read content."""
        return min(1.0, self.content / _FULL_FROM)

    @property
    def contributions(self) -> tuple[Contribution, ...]:
        """Contribution of each part to the score, in the order of PARTS."""
        return tuple(
            Contribution(name, value, _SHARE)
            for name, value in zip(PARTS, self._counted, strict=True)
        )

    @property
    def score(self) -> float:
        """Mean of the parts, those of form times the gate."""
        return float(np.array(self._counted) @ np.full(len(PARTS), _SHARE))

    @property
    def _counted(self) -> tuple[float, float, float, float]:
        gate = self.gate
        return self.content, gate * self.length, gate * self.structure, gate * self.repetition

    def to_json(self) -> dict[str, float]:
        """Return the parts and the gate."""
        return {name: getattr(self, name) for name in (*PARTS, "gate")}


@dataclass(frozen=True, slots=True)
class QualityFinding(Finding):
    """A score with the values to be read with it.

    ``coverage`` is the share of the reference's limitations that the candidate has, ``relation``
    that of its scope to the reference's; None with a ``problem``, the reason for a score of 0.
    """

    parts: QualityParts = QualityParts(0.0, 0.0, 0.0, 0.0)
    coverage: float = 0.0
    contradictions: int = 0
    relation: str | None = None
    claims: tuple[ClaimRelation, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Contribution:
    """Contribution of one part to a score; the sum of all contributions is the score."""

    feature: str
    value: float
    share: float

    @property
    def points(self) -> float:
        """Points of the part in the score."""
        return self.value * self.share


@dataclass(frozen=True)
class ClaimQuality(Check):
    """Quality of generated claims from four parts, from 0 to 1; a system has the mean.

    A finding holds the score of one candidate as ``kept`` of ``expected`` 1.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    group: ClassVar[Group] = "reference"
    aggregation: ClassVar[Reduction] = "mean"

    label: ClassVar[str] = "ClaimQuality"
    description: ClassVar[str] = "mean of content, length, structure and repetition of claims"
    formula: ClassVar[str] = "mean of content, length, structure and repetition"
    limits: ClassVar[str] = (
        "An untrained mean; its agreement with experts stands in its model card."
    )
    guide: ClassVar[str] = "claim_quality_model_card.md"
    citation: ClassVar[str] = "patmark, docs/claim_quality_model_card.md"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    tie_band: ClassVar[float] = TIE_BAND

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        segmenters = segmenter_versions(text for one in test_set for text in one.references)
        return {"recipe": _RECIPE, **({"words": segmenters} if segmenters else {})}

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        """Compute scores without findings, which needs no analysis of claims."""
        compared = self._compared(test_set, hypotheses)
        scores = [QualityParts.of(one).score for one in compared]
        return np.column_stack([scores, np.ones(len(scores))])

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per set of claims."""
        return [self._examine(compared) for compared in self._compared(test_set, hypotheses)]

    def _compared(self, test_set: TestSet, hypotheses: Sequence[str]) -> Iterator[ClaimComparison]:
        """Yield each set of claims against its reference; report all bad references together."""
        problems: list[Problem] = []
        for segment, candidate in zip(test_set, hypotheses, strict=True):
            reference = profile_of(segment.references[0])
            problem = self._problem(segment, reference)
            if problem:
                problems.append(Problem(f"segment {segment.id!r} {problem}", test_set.name))
            elif not problems:
                yield compare_profiles(reference, profile_of(candidate))
        if problems:
            raise InputError(problems)

    def _problem(self, segment: Segment, reference: ClaimProfile) -> str:
        """Describe a fault of a reference: several, without claims, or in an unknown script."""
        if len(segment.references) > 1:
            return f"has {len(segment.references)} references; {self.label} takes one"
        why = "without claims" if reference.empty else OTHER_SCRIPT
        return reference_problem(reference) and f"has a reference {why}"

    def _examine(self, compared: ClaimComparison) -> Finding:
        """Return the score with its parts, contradictions, and references to missing claims."""
        if compared.problem:
            message = tr("error: no score: {problem}", problem=compared.problem)
            place = Evidence("hypothesis", 0, 0, message)
            return QualityFinding(0.0, 1.0, (place,), problem=compared.problem)
        parts = QualityParts.of(compared)
        evidence = (
            *_scope_evidence(compared),
            *_absent_claims(compared),
            *missing_claim_evidence(compared),
            *_parts_evidence(parts),
        )
        return QualityFinding(
            parts.score,
            1.0,
            evidence,
            parts,
            compared.coverage.value,
            len(compared.contradictions),
            compared.relation,
            compared.claim_relations,
        )

    def contributions(self, reference: str, candidate: str) -> tuple[Contribution, ...]:
        """Return the contribution of each part to the score of a candidate."""
        return QualityParts.of(compare_texts(reference, candidate)).contributions


def _scope_evidence(compared: ClaimComparison) -> Iterator[Evidence]:
    """Yield each claim of the candidate that resembles its origin and differs in scope."""
    claims = compared.candidate.claims.claims
    for item in compared.scope_changes:
        values = {"number": item.reference + 1, "difference": item.difference}
        if item.relation == "narrower":
            message = tr("is narrower than claim {number} of the reference: {difference}", **values)
        elif item.relation == "broader":
            message = tr("is broader than claim {number} of the reference: {difference}", **values)
        elif item.relation == "overlapping":
            message = tr("overlaps with claim {number} of the reference: {difference}", **values)
        else:
            message = tr("contradicts claim {number} of the reference: {difference}", **values)
        yield compared.in_candidate(claims[item.candidate].content, message)


def _absent_claims(compared: ClaimComparison) -> Iterator[Evidence]:
    """Yield each claim of the reference that no claim of the candidate answers."""
    for place, claim in enumerate(compared.reference.claims.claims):
        if place not in compared.assigned:
            message = tr("claim {number} is missing in the draft", number=claim.shown_number)
            yield compared.in_reference(claim.content, message)


def _parts_evidence(parts: QualityParts) -> Iterator[Evidence]:
    """Yield each part below its maximum, the largest loss first, at the start of the candidate."""
    lost = {one: one.share - one.points for one in parts.contributions}
    for one in sorted(lost, key=lambda one: lost[one], reverse=True):
        if lost[one] > 0:
            value = getattr(parts, one.feature)
            message = tr(
                "{feature} {value:.2f}: gives {points:.3f} of {share:.3f}",
                feature=PARTS[one.feature],
                value=value,
                points=one.points,
                share=one.share,
            )
            yield Evidence("hypothesis", 0, 0, message)
