"""Diagnostics of a draft against the reference: places in the texts, and their faults.

They follow four criteria of Patent-CE and have no score: as numbers they agreed with experts no
better than chance if no candidate is the reference itself.

| diagnostic | shows |
|---|---|
| completeness | limitations that are missing, weak, elsewhere or added; text that is no claim |
| clarity | "the X" without antecedent, slips, unfinished and repeated claims |
| consistency | terms that change, terms of the reference that are not used |
| linkage | wrong dependencies, claims without a counterpart, slips of a dependent form |

Faults that the reference shares are not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from patmark.claims.comparison import MISSING, WEAK, ClaimComparison, compare_profiles
from patmark.claims.model import ParsedClaim, TextRange, TextSpan
from patmark.claims.profiles import ROOT, ClaimProfile, Words, profile_of
from patmark.claims.text_forms import UNREAD, is_unread, last_word_start
from patmark.claims.visible_text import HIDDEN_NAMES
from patmark.data import Evidence, Side, TestSet
from patmark.languages import has_cjk
from patmark.measures import Check, Finding
from patmark.wording import tr

_Diagnosis: TypeAlias = Callable[[ClaimComparison], Iterator[Evidence]]


@dataclass(frozen=True)
class Diagnostic(Check):
    """Findings of one kind in drafts; no score."""

    label: ClassVar[str] = "diagnostic"
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    kind: str = "completeness"

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return the findings of each draft; a draft without claims has none."""
        found = []
        for segment, draft in zip(test_set, hypotheses, strict=True):
            compared = compare_profiles(profile_of(segment.references[0]), profile_of(draft))
            evidence = () if compared.problem else tuple(DIAGNOSTICS[self.kind](compared))
            found.append(Finding(0.0, 0.0, evidence))
        return found


def _completeness(compared: ClaimComparison) -> Iterator[Evidence]:
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
            message = tr("limitation moved: it is in {name}", name=_name(candidate, found.claim))
        else:
            continue
        yield compared.in_reference(found.clause, message)
    for found in compared.support.below(MISSING):
        message = tr("limitation added ({share:.0%} of it in the reference)", share=found.share)
        yield compared.in_candidate(found.clause, message)
    yield from _text_evidence(compared)


def _clarity(compared: ClaimComparison) -> Iterator[Evidence]:
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


def _consistency(compared: ClaimComparison) -> Iterator[Evidence]:
    """Yield terms that change, and terms of the reference that are not used."""
    for changed in compared.changed_terms:
        term = changed.term
        known = (
            tr("the reference says {text}", text=_shown(changed.usual))
            if changed.usual
            else tr("not introduced")
        )
        yield compared.in_candidate(term, tr("term {text}: {known}", text=term.text, known=known))
    for lost in compared.lost_terms:
        yield compared.in_reference(lost, tr("term {text} is not used", text=lost.text))


def _linkage(compared: ClaimComparison) -> Iterator[Evidence]:
    """Yield wrong dependencies, slips of dependent form, and claims without a counterpart."""
    reference, candidate = compared.reference, compared.candidate
    yield from missing_claim_evidence(compared)
    for slip in candidate.link_slips:
        yield compared.in_candidate(slip, slip.message)
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


DIAGNOSTICS: Mapping[str, _Diagnosis] = {
    "completeness": _completeness,
    "clarity": _clarity,
    "consistency": _consistency,
    "linkage": _linkage,
}


def _text_evidence(compared: ClaimComparison) -> Iterator[Evidence]:
    """Yield the ignored text, and a remark on languages without rules."""
    sides: tuple[tuple[Side, ClaimProfile, Callable[[TextRange, str], Evidence]], ...] = (
        ("reference", compared.reference, compared.in_reference),
        ("hypothesis", compared.candidate, compared.in_candidate),
    )
    for side, profile, told in sides:
        if is_unread(profile.form.text):
            yield Evidence(side, 0, 0, UNREAD)
        for piece in profile.claims.left_over:
            yield told(piece, tr("no part of the claims: not compared"))
        for hidden in profile.hidden:
            message = tr("{kind}, no part of the claims", kind=HIDDEN_NAMES[hidden.kind])
            yield Evidence(side, hidden.start, hidden.end, message)


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
