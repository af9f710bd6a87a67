"""The places that explain the criteria: limitations, terms, antecedents, dependencies."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.claims.alignment import Alignment
from patmark.claims.coverage import MISSING, WEAK, coverage, support
from patmark.claims.languages import UNREAD, is_unread
from patmark.claims.model import Claim
from patmark.claims.plain import last_word_start
from patmark.claims.profiles import BROKEN, ROOT, ClaimProfile, Words
from patmark.claims.quality_features import link_agreements
from patmark.claims.term_use import changed_terms, kept_terms, unclear_terms
from patmark.data import Evidence, Side
from patmark.text.scripts import has_cjk


def clause_evidence(alignment: Alignment) -> Iterator[Evidence]:
    """Limitations of the reference that are missing, weak or elsewhere; limitations added."""
    candidate = alignment.candidate
    for found in coverage(alignment).below(2.0):
        if found.share < MISSING or found.claim is None:
            message = f"limitation missing ({found.share:.0%} of it found)"
        elif found.share < WEAK:
            message = f"limitation weak: {found.share:.0%} of it in {_name(candidate, found.claim)}"
        elif found.moved:
            message = f"limitation moved: it is in {_name(candidate, found.claim)}"
        else:
            continue
        yield alignment.reference.evidence(
            "reference", found.clause.start, found.clause.end, message
        )
    for found in support(alignment).below(MISSING):
        message = f"limitation added ({found.share:.0%} of it in the reference)"
        yield candidate.evidence("hypothesis", found.clause.start, found.clause.end, message)


def text_evidence(alignment: Alignment) -> Iterator[Evidence]:
    """What was not compared: words around the claims; and languages without rules."""
    sides: dict[Side, ClaimProfile] = {
        "reference": alignment.reference,
        "hypothesis": alignment.candidate,
    }
    for side, profile in sides.items():
        if is_unread(profile.form.text):
            yield Evidence(side, 0, 0, UNREAD)
        for piece in profile.claims.left_over:
            message = "no part of the claims: not compared"
            yield profile.evidence(side, piece.start, piece.end, message)


def clarity_evidence(alignment: Alignment) -> Iterator[Evidence]:
    """Terms without antecedent, claims without an end, claims that repeat another."""
    reference, candidate = alignment.reference, alignment.candidate
    for term in unclear_terms(reference, candidate):
        message = f"{term.marker} {term.text}: no antecedent in its claim or those it refers to"
        yield candidate.evidence("hypothesis", term.start, term.end, message)
    for claim in candidate.unfinished:
        message = f"{_called(claim)} does not end with a full stop"
        start = claim.start + last_word_start(claim.text)
        yield candidate.evidence("hypothesis", start, claim.end, message)
    first: dict[Words, Claim] = {}
    for claim, words in zip(candidate.claims.claims, candidate.words, strict=True):
        if words in first:
            message = f"{_called(claim)} repeats {_called(first[words])}"
            yield candidate.evidence("hypothesis", claim.start, claim.end, message)
        first.setdefault(words, claim)


def term_evidence(alignment: Alignment) -> Iterator[Evidence]:
    """Terms that change, and recurring terms of the reference that the candidate does not use."""
    reference, candidate = alignment.reference, alignment.candidate
    for changed in changed_terms(reference, candidate):
        term = changed.term
        known = f"the reference says {_shown(changed.usual)}" if changed.usual else "not introduced"
        yield candidate.evidence("hypothesis", term.start, term.end, f"term {term.text}: {known}")
    for lost in kept_terms(reference, candidate).lost:
        yield alignment.reference.evidence(
            "reference", lost.start, lost.end, f"term {lost.text} is not used"
        )


def link_evidence(alignment: Alignment) -> Iterator[Evidence]:
    """Claims that refer to other claims than the reference's do, and claims without counterpart."""
    reference, candidate = alignment.reference, alignment.candidate
    yield from missing_claim_evidence(alignment)
    for ours, agreement in link_agreements(alignment).items():
        if agreement < 1:
            theirs = alignment.origin[ours]
            claim = candidate.claims.claims[ours]
            message = (
                f"{_called(claim)} {_links(candidate, ours)}; in the reference "
                f"{_name(reference, theirs)} {_links(reference, theirs)}"
            )
            link = claim.references[0] if claim.references else claim.preamble
            yield candidate.evidence("hypothesis", link.start, link.end, message)
    for place, claim in enumerate(reference.claims.claims):
        if place not in alignment.assigned:
            message = f"{_called(claim)} has no counterpart in the candidate"
            yield reference.evidence("reference", claim.start, claim.content.start, message)
    for place, claim in enumerate(candidate.claims.claims):
        if place not in alignment.origin:
            message = f"{_called(claim)} has no counterpart in the reference"
            yield candidate.evidence("hypothesis", claim.start, claim.content.start, message)


def missing_claim_evidence(alignment: Alignment) -> Iterator[Evidence]:
    """Each mention of a claim that the candidate lacks, but where its origin does the same."""
    reference, candidate = alignment.reference, alignment.candidate
    for place, claim in enumerate(candidate.claims.claims):
        origin = alignment.origin.get(place)
        absent = set(candidate.claims.absent(claim))
        if origin is not None:
            absent -= set(reference.claims.absent(reference.claims.claims[origin]))
        for mention in claim.references:
            for number in sorted(absent.intersection(mention.numbers)):
                message = f"{_called(claim)} refers to claim {number}, which is not there"
                yield candidate.evidence("hypothesis", mention.start, mention.end, message)


def _links(profile: ClaimProfile, place: int) -> str:
    """What a claim refers to, in words."""
    targets = profile.targets[place]
    if ROOT in targets:
        return "stands alone"
    claim = profile.claims.claims[place]
    names = [str(number) for number in claim.refers_to]
    absent = bool(profile.claims.absent(claim))
    wrong = " (not an earlier claim)" if BROKEN in targets and not absent else ""
    return f"refers to {', '.join(names)}{wrong}"


def _name(profile: ClaimProfile, place: int) -> str:
    return _called(profile.claims.claims[place])


def _called(claim: Claim) -> str:
    return f"claim {claim.position if claim.number is None else claim.number}"


def _shown(words: Words) -> str:
    return words[0] if has_cjk(words[0]) else " ".join(words)
