"""Sections that one document lacks, the number of claims, and their dependencies."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.documents.document_sentences import DocumentSide
from patmark.documents.findings import DocumentFinding
from patmark.documents.model import Span
from patmark.documents.review_alignment import AlignedDocuments
from patmark.documents.sections import CLAIMS, SECTION_NAMES, DocumentSection
from patmark.facts import claim_layout, compare_claims, facts_of
from patmark.wording import tr

_COVERED = 0.5


def structure_findings(aligned: AlignedDocuments) -> Iterator[DocumentFinding]:
    """Yield sections that are missing, and claims that differ in number or dependency."""
    source_paired = {place for bead, _, _ in aligned.paired() for place in bead.source}
    target_paired = {place for bead, _, _ in aligned.paired() for place in bead.target}
    for name, section in _missing(aligned.source, aligned.target, source_paired):
        message = tr("the translation has no section “{name}”", name=SECTION_NAMES[name])
        yield DocumentFinding("section", "error", _head(section), None, message)
    for name, section in _missing(aligned.target, aligned.source, target_paired):
        message = tr("the source has no section “{name}”", name=SECTION_NAMES[name])
        yield DocumentFinding("section", "warning", None, _head(section), message)
    yield from _claims(aligned)


def _missing(
    side: DocumentSide, other: DocumentSide, paired: set[int]
) -> Iterator[tuple[str, DocumentSection]]:
    """Yield sections that the other document lacks and whose sentences have no counterpart."""
    there = {section.name for section in other.sections}
    for section in side.sections:
        inside = [
            place
            for place, sentence in enumerate(side.sentences)
            if section.start <= sentence.span[0] < section.end
        ]
        if section.name not in there and len(paired.intersection(inside)) < _COVERED * len(inside):
            yield section.name, section


def _head(section: DocumentSection) -> Span:
    start, end = section.heading
    return start, max(end, start + 1)


def _claims(aligned: AlignedDocuments) -> Iterator[DocumentFinding]:
    """Yield differences of the claims, if both documents have a section of claims."""
    sides = aligned.source, aligned.target
    sections = [next((one for one in side.sections if one.name == CLAIMS), None) for side in sides]
    source, target = sections
    if source is None or target is None:
        return
    texts = [
        side.document.text[section.heading[1] : section.end]
        for side, section in zip(sides, (source, target), strict=True)
    ]
    counts = [len({claim.number for claim in claim_layout(text).numbers}) for text in texts]
    if counts[0] != counts[1]:
        message = tr(
            "the source has {source} claims, the translation {target}",
            source=counts[0], target=counts[1],
        )  # fmt: skip
        yield DocumentFinding("claim", "error", _head(source), _head(target), message)
    facts = [facts_of(text, side.language) for text, side in zip(texts, sides, strict=True)]
    for difference in compare_claims(facts[0], facts[1]).differences:
        places = _shifted(difference.source, source), _shifted(difference.target, target)
        yield DocumentFinding("claim", "error", *places, difference.message)


def _shifted(span: Span | None, section: DocumentSection) -> Span | None:
    """Return the place in the document of a span behind the heading of a section."""
    start = section.heading[1]
    return None if span is None else (span[0] + start, span[1] + start)
