"""Facts that differ between source and translation, by bead and over the whole document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from patmark.documents.findings import DocumentFinding
from patmark.documents.layout import Passage, joined
from patmark.documents.model import Span
from patmark.documents.review_alignment import AlignedDocuments, ReviewBead
from patmark.facts import FACT_LANGUAGES, Difference, compare_facts, compare_signs, facts_of

_OF_WEAK_PAIRS = frozenset({"number", "unit", "limit"})


def fact_findings(aligned: AlignedDocuments) -> Iterator[DocumentFinding]:
    """Yield the facts that differ within beads, or within whole claims.

    In weak pairs only numbers, units and limits count, and never as errors.
    """
    languages = aligned.source.language, aligned.target.language
    if not FACT_LANGUAGES.issuperset(languages):
        return
    beads = [bead for bead in aligned.beads if bead.weak]
    weak = (
        [aligned.source.sentences[place].span for bead in beads for place in bead.source],
        [aligned.target.sentences[place].span for bead in beads for place in bead.target],
    )
    for source, target, in_claims in _compared(aligned):
        for difference in compare_facts(
            facts_of(source.text, languages[0]), facts_of(target.text, languages[1])
        ):
            finding = _finding(difference, source, target)
            if in_claims and finding.kind == "claim":
                continue
            if not (_touches(finding.source, weak[0]) or _touches(finding.target, weak[1])):
                yield finding
            elif finding.kind in _OF_WEAK_PAIRS:
                milder = "warning" if finding.severity == "error" else finding.severity
                yield replace(finding, severity=milder)


def sign_findings(
    aligned: AlignedDocuments, known: Sequence[DocumentFinding]
) -> Iterator[DocumentFinding]:
    """Yield signs that are on other nouns over the whole patent, if no bead shows it."""
    sides = aligned.source, aligned.target
    languages = [side.language for side in sides]
    if not FACT_LANGUAGES.issuperset(languages) or not all(side.sections for side in sides):
        return
    source, target = (joined(side.sentences, "\n") for side in sides)
    facts = facts_of(source.text, languages[0]), facts_of(target.text, languages[1])
    places = [one.target for one in known if one.kind in ("sign", "term") and one.target]
    for difference in compare_signs(*facts).differences:
        finding = _finding(difference, source, target)
        if finding.source is None or finding.target is None:
            continue
        if not _touches(finding.target, places):
            yield finding


def _touches(span: Span | None, others: Iterable[Span]) -> bool:
    """Return True if a span overlaps another one."""
    return span is not None and any(span[0] < end and start < span[1] for start, end in others)


def _compared(aligned: AlignedDocuments) -> Iterator[tuple[Passage, Passage, bool]]:
    """Yield the texts to compare, and True for claims, whose parts may change their order."""
    groups: defaultdict[tuple[str, int], list[ReviewBead]] = defaultdict(list)
    for number, bead in enumerate(aligned.beads):
        if bead.source and bead.target:
            claim = aligned.source.claim_of(bead.source[0])
            groups[("bead", number) if claim is None else ("claim", claim)].append(bead)
    for (kind, _), beads in groups.items():
        sources = sorted(place for bead in beads for place in bead.source)
        targets = sorted(place for bead in beads for place in bead.target)
        yield aligned.source.passage(sources), aligned.target.passage(targets), kind == "claim"


def _finding(difference: Difference, source: Passage, target: Passage) -> DocumentFinding:
    """Return a difference with its places in the documents."""
    places = (
        source.original(difference.source) if difference.source else None,
        target.original(difference.target) if difference.target else None,
    )
    return DocumentFinding(difference.kind, difference.severity, *places, difference.message)
