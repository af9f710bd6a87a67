"""The criteria of Patent-CE as diagnostics of a candidate against the reference, from 0 to 10.

They are there for their evidence: places in the texts, and what is wrong there. As judges of which
candidate is better they are weak; :data:`DIAGNOSTIC_NOTE` goes with their numbers.

| measure | score / 10 |
|---|---|
| claim-completeness | share of the reference's clauses that the candidate has (coverage) |
| claim-clarity | 1/2 "the X" with an antecedent + 1/4 claims without slips + 1/4 no repetition, \
times the share of claims that repeat no other |
| claim-consistency | 1/2 recurring terms of the reference kept + 1/2 terms not changed |
| claim-linkage | 2/3 agreement of dependencies + 1/3 agreement of neighbouring elements |
| claim-overall | (4 completeness + 2 clarity + 2 consistency + 3 linkage) / 11, see below |

A fault of the reference itself does not count, so that the reference scores 10 in all of them. A
candidate without claims scores 0. Clarity asks how a text is written, not what it says: nonsense
can be clear. Therefore clarity, consistency and linkage count in claim-overall in full only if half
of the content is there, and less in proportion below. Content is the geometric mean of coverage and
support.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from patmark.claims.comparison import (
    MISSING,
    OTHER_SCRIPT,
    WEAK,
    ClaimComparison,
    compare_profiles,
    dice,
    reference_problem,
)
from patmark.claims.model import ParsedClaim, TextRange, TextSpan
from patmark.claims.profiles import ROOT, ClaimProfile, Words, profile_of
from patmark.claims.text_forms import UNREAD, is_unread, last_word_start
from patmark.data import CRITERION_WEIGHTS, Evidence, Segment, Side, TestSet
from patmark.errors import InputError, Problem
from patmark.measures import Check, Finding, Group, Reduction
from patmark.text import has_cjk
from patmark.wording import tr

_TEN = 10.0
DIAGNOSTIC_NOTE = tr(
    "claim-overall and its four parts are diagnostics: their evidence counts, not the number. "
    "Where no candidate is the reference itself, claim-completeness agrees with experts no better "
    "than chance (Patent-CE, tau -.060)."
)
_CITATION = "patmark; criteria and weights of Patent-CE (Jiang et al., ACL 2025)"


class ClaimCheck(Check):
    """A measure of a set of claims against one reference; the score of a system is the mean.

    A finding holds the score of one candidate as ``kept`` of ``expected`` 1.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    group: ClassVar[Group] = "reference"
    aggregation: ClassVar[Reduction] = "mean"

    @abstractmethod
    def examine(self, compared: ClaimComparison) -> Finding:
        """Return the score of a candidate and the places that explain it."""

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment: a set of claims."""
        return [self.examine(compared) for compared in self.compared(test_set, hypotheses)]

    def compared(self, test_set: TestSet, hypotheses: Sequence[str]) -> Iterator[ClaimComparison]:
        """Yield each set of claims against its reference; all bad references are told at once."""
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


class _Criterion(ClaimCheck):
    """A diagnostic from 0 to 10, named after a criterion."""

    limits: ClassVar[str] = "A diagnostic for its evidence; it agrees with experts weakly."
    guide: ClassVar[str] = "claim_measures.md"
    citation: ClassVar[str] = _CITATION
    bounds: ClassVar[tuple[float, float]] = (0.0, _TEN)

    def examine(self, compared: ClaimComparison) -> Finding:
        """Return the score from 0 to 10, with its evidence."""
        if compared.candidate.empty:
            empty = Evidence("hypothesis", 0, 0, tr("the candidate holds no claims"))
            return Finding(0.0, 1.0, (empty,))
        return Finding(_TEN * self.share(compared), 1.0, tuple(self.evidence(compared)))

    @abstractmethod
    def share(self, compared: ClaimComparison) -> float:
        """Return the score from 0 to 1."""

    @abstractmethod
    def evidence(self, compared: ClaimComparison) -> Iterator[Evidence]:
        """Yield the places that explain the score."""


@dataclass(frozen=True)
class Completeness(_Criterion):
    """Limitations of the reference that the candidate has."""

    label: ClassVar[str] = "claim-completeness"
    description: ClassVar[str] = "diagnostic: limitations of the reference that are there, 0 to 10"
    formula: ClassVar[str] = "10 · share of the limitations of the reference that are there"

    def share(self, compared: ClaimComparison) -> float:
        """Return the coverage of the clauses of the reference."""
        return compared.coverage.value

    def evidence(self, compared: ClaimComparison) -> Iterator[Evidence]:
        """Yield limitations that are missing, weak or elsewhere, and those that were added."""
        candidate = compared.candidate
        for found in compared.coverage.below(2.0):
            if found.share < MISSING or found.claim is None:
                message = tr("limitation missing ({share:.0%} of it found)", share=found.share)
            elif found.share < WEAK:
                message = tr(
                    "limitation weak: {share:.0%} of it in {name}",
                    share=found.share,
                    name=_name(candidate, found.claim),
                )
            elif found.moved:
                message = tr(
                    "limitation moved: it is in {name}", name=_name(candidate, found.claim)
                )
            else:
                continue
            yield compared.in_reference(found.clause, message)
        for found in compared.support.below(MISSING):
            message = tr("limitation added ({share:.0%} of it in the reference)", share=found.share)
            yield compared.in_candidate(found.clause, message)
        yield from _text_evidence(compared)


@dataclass(frozen=True)
class Clarity(_Criterion):
    """Antecedents, complete claims without slips of the pen, and no repeated text."""

    label: ClassVar[str] = "claim-clarity"
    description: ClassVar[str] = (
        "diagnostic: antecedents, no slips of form, no repeated text, 0 to 10"
    )
    formula: ClassVar[str] = "10 · share of antecedents found, less slips and repetition"

    def share(self, compared: ClaimComparison) -> float:
        """Return the weighted mean of the table above."""
        reference, candidate = compared.reference, compared.candidate
        sound = min(1.0, candidate.sound / reference.sound) if reference.sound else 1.0
        unclear = len(compared.unclear_terms)
        founded = 1 - unclear / candidate.referred if unclear else 1.0
        clear = 0.5 * founded + 0.25 * sound + 0.25 * compared.repetition
        return clear * min(1.0, candidate.distinct / reference.distinct)

    def evidence(self, compared: ClaimComparison) -> Iterator[Evidence]:
        """Yield terms without antecedent, slips, unfinished claims and repeated claims."""
        candidate = compared.candidate
        for term in compared.unclear_terms:
            message = tr(
                "{marker} {name}: no antecedent in its claim or those it refers to",
                marker=term.marker,
                name=term.name,
            )
            yield compared.in_candidate(term, message)
        for slip in candidate.slips:
            yield compared.in_candidate(slip, slip.message)
        for claim in candidate.unfinished:
            message = tr("{claim} does not end with a full stop", claim=_called(claim))
            start = claim.start + last_word_start(claim.text)
            yield compared.in_candidate(TextSpan(start, claim.end), message)
        for place, first in candidate.repeated_claims.items():
            claim, same = candidate.claims.claims[place], candidate.claims.claims[first]
            message = tr("{claim} repeats {claim2}", claim=_called(claim), claim2=_called(same))
            if claim.shown_number == same.shown_number:
                message = tr(
                    "{claim} is there again, in place {number} of the claims",
                    claim=_called(claim),
                    number=place + 1,
                )
            yield compared.in_candidate(claim, message)


@dataclass(frozen=True)
class ClaimTermConsistency(_Criterion):
    """Each element keeps one term, that of the reference."""

    label: ClassVar[str] = "claim-consistency"
    description: ClassVar[str] = "diagnostic: terms of the reference kept and not changed, 0 to 10"
    formula: ClassVar[str] = "10 · share of terms kept and not changed"

    def share(self, compared: ClaimComparison) -> float:
        """Return the mean of the two shares of the table above."""
        used = compared.candidate.terms.total()
        unchanged = 1 - len(compared.changed_terms) / used if used else 1.0
        return 0.5 * compared.kept_terms.share + 0.5 * unchanged

    def evidence(self, compared: ClaimComparison) -> Iterator[Evidence]:
        """Yield terms that change, and terms of the reference that are not used."""
        for changed in compared.changed_terms:
            term = changed.term
            known = (
                tr("the reference says {text}", text=_shown(changed.usual))
                if changed.usual
                else tr("not introduced")
            )
            yield compared.in_candidate(
                term,
                tr("term {text}: {known}", text=term.text, known=known),
            )
        for lost in compared.kept_terms.lost:
            yield compared.in_reference(lost, tr("term {text} is not used", text=lost.text))


@dataclass(frozen=True)
class Linkage(_Criterion):
    """Dependencies between claims, and which element stands beside which."""

    label: ClassVar[str] = "claim-linkage"
    description: ClassVar[str] = "diagnostic: dependencies and neighbours as the reference, 0 to 10"
    formula: ClassVar[str] = "10 · share of dependencies and neighbours as in the reference"

    def share(self, compared: ClaimComparison) -> float:
        """Return the weighted mean of the table above."""
        relations = dice(compared.reference.relations, compared.candidate.relations)
        return (2 * compared.linkage + relations) / 3

    def evidence(self, compared: ClaimComparison) -> Iterator[Evidence]:
        """Yield wrong dependencies, and claims without a counterpart."""
        reference, candidate = compared.reference, compared.candidate
        yield from missing_claim_evidence(compared)
        for ours, agreement in compared.link_agreements.items():
            if agreement < 1:
                theirs = compared.origin[ours]
                claim = candidate.claims.claims[ours]
                message = tr(
                    "{claim} {links}; in the reference {name} {links2}",
                    claim=_called(claim),
                    links=_links(candidate, ours),
                    name=_name(reference, theirs),
                    links2=_links(reference, theirs),
                )
                link = claim.references[0] if claim.references else claim.preamble
                yield compared.in_candidate(link, message)
        for place, claim in enumerate(reference.claims.claims):
            if place not in compared.assigned:
                message = tr("{claim} has no counterpart in the candidate", claim=_called(claim))
                yield compared.in_reference(_head(claim), message)
        for place, claim in enumerate(candidate.claims.claims):
            if place not in compared.origin:
                message = tr("{claim} has no counterpart in the reference", claim=_called(claim))
                yield compared.in_candidate(_head(claim), message)


CRITERIA: dict[str, _Criterion] = {
    "completeness": Completeness(),
    "clarity": Clarity(),
    "consistency": ClaimTermConsistency(),
    "linkage": Linkage(),
}


@dataclass(frozen=True)
class Overall(_Criterion):
    """The four criteria in one number."""

    label: ClassVar[str] = "claim-overall"
    description: ClassVar[str] = (
        "diagnostic: (4 completeness + 2 clarity + 2 consistency + 3 linkage) / 11"
    )
    formula: ClassVar[str] = "(4 · completeness + 2 · clarity + 2 · consistency + 3 · linkage) / 11"

    def share(self, compared: ClaimComparison) -> float:
        """Return the weighted mean of the criteria, those of form by what content allows."""
        form = compared.form_weight
        total = sum(
            weight * CRITERIA[name].share(compared) * (1.0 if name == "completeness" else form)
            for name, weight in CRITERION_WEIGHTS.items()
        )
        return total / sum(CRITERION_WEIGHTS.values())

    def evidence(self, compared: ClaimComparison) -> Iterator[Evidence]:
        """Yield the score of each criterion; their own evidence has the places."""
        messages = [f"{name} {_TEN * one.share(compared):.2f}" for name, one in CRITERIA.items()]
        form = compared.form_weight
        if form < 1:
            messages.append(
                tr(
                    "little of the content is there: all but completeness count {form:.0%}",
                    form=form,
                )
            )
        yield from (Evidence("hypothesis", 0, 0, message) for message in messages)


def _text_evidence(compared: ClaimComparison) -> Iterator[Evidence]:
    """Yield the text that was not compared, and a remark on languages without rules."""
    sides: tuple[tuple[Side, ClaimProfile, Callable[[TextRange, str], Evidence]], ...] = (
        ("reference", compared.reference, compared.in_reference),
        ("hypothesis", compared.candidate, compared.in_candidate),
    )
    for side, profile, told in sides:
        if is_unread(profile.form.text):
            yield Evidence(side, 0, 0, UNREAD)
        for piece in profile.claims.left_over:
            yield told(piece, tr("no part of the claims: not compared"))


def missing_claim_evidence(compared: ClaimComparison) -> Iterator[Evidence]:
    """Yield each mention of a claim that the candidate lacks, unless its origin has it too."""
    reference, candidate = compared.reference, compared.candidate
    for place, claim in enumerate(candidate.claims.claims):
        origin = compared.origin.get(place)
        absent = set(candidate.claims.absent(claim))
        if origin is not None:
            absent -= set(reference.claims.absent(reference.claims.claims[origin]))
        for mention in claim.references:
            for number in sorted(absent.intersection(mention.numbers)):
                message = tr(
                    "{claim} refers to claim {number}, which is not there",
                    claim=_called(claim),
                    number=number,
                )
                yield compared.in_candidate(mention, message)


def _links(profile: ClaimProfile, place: int) -> str:
    """Describe the claims that a claim refers to."""
    targets = profile.targets[place]
    if ROOT in targets:
        return tr("stands alone")
    claim = profile.claims.claims[place]
    names = [str(number) for number in claim.refers_to]
    if max(targets) >= place:
        return tr("refers to {names} (not an earlier claim)", names=tuple(names))
    return tr("refers to {names}", names=tuple(names))


def _name(profile: ClaimProfile, place: int) -> str:
    return _called(profile.claims.claims[place])


def _head(claim: ParsedClaim) -> TextSpan:
    """Return the place of the number of a claim."""
    return TextSpan(claim.start, claim.content.start)


def _called(claim: ParsedClaim) -> str:
    return tr("claim {number}", number=claim.shown_number)


def _shown(words: Words) -> str:
    return words[0] if has_cjk(words[0]) else " ".join(words)
