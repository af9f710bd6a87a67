"""Findings of a review: kind, severity, places in both documents and a message.

| function | subject |
|---|---|
| coverage_findings | text that is missing, added, moved, doubled or left untranslated |
| fact_findings, sign_findings | facts that differ, by bead and over the whole document |
| structure_findings | sections that one document lacks, the number of claims, their dependencies |
| term_findings | terms of a glossary: missing, forbidden, or rendered in two ways |
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, TypeAlias, get_args

from patmark.data import plain_headword
from patmark.documents.document_sentences import DocumentSide
from patmark.documents.formats.glossary import GlossaryTerm
from patmark.documents.layout import Passage, joined
from patmark.documents.model import Span
from patmark.documents.review_alignment import AlignedDocuments, ReviewBead
from patmark.documents.sections import CLAIMS, SECTION_NAMES, DocumentSection
from patmark.facts import (
    FACT_LANGUAGES,
    Difference,
    claim_layout,
    compare_claims,
    compare_facts,
    compare_signs,
    facts_of,
)
from patmark.languages import (
    CJK,
    UNSPACED_LANGUAGES,
    WordSpans,
    find_words,
    fits_language,
    word_spans,
)
from patmark.wording import either, tr

FindingSeverity: TypeAlias = Literal["error", "warning", "info"]
ReviewKind: TypeAlias = Literal[
    "omission", "addition", "order", "doubled", "untranslated", "number", "unit", "limit",
    "polarity", "sign", "ordinal", "marker", "claim", "term", "section",
]  # fmt: skip
FINDING_SEVERITIES: tuple[FindingSeverity, ...] = get_args(FindingSeverity)
REVIEW_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)


@dataclass(frozen=True, slots=True)
class DocumentFinding:
    """A place where a translation differs from its source.

    Places are offsets in the texts as read; a side without such text is None.
    """

    kind: ReviewKind
    severity: FindingSeverity
    source: Span | None
    target: Span | None
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the finding for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "source": None if self.source is None else list(self.source),
            "target": None if self.target is None else list(self.target),
            "message": self.message,
        }


def in_order(findings: Iterable[DocumentFinding]) -> tuple[DocumentFinding, ...]:
    """Return findings without repetitions, in the order of the translation."""

    def place(finding: DocumentFinding) -> tuple[int, int, int]:
        start = (finding.target or finding.source or (0, 0))[0]
        return start, REVIEW_KINDS.index(finding.kind), (finding.source or (0, 0))[0]

    return tuple(sorted(dict.fromkeys(findings), key=place))


def counts_by_kind(findings: Iterable[DocumentFinding]) -> dict[str, dict[str, int]]:
    """Count findings by kind and severity, in a fixed order."""
    found = Counter((one.kind, one.severity) for one in findings)
    return {
        kind: {severity: found[kind, severity] for severity in FINDING_SEVERITIES}
        for kind in REVIEW_KINDS
        if any(found[kind, severity] for severity in FINDING_SEVERITIES)
    }


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


_Renderings = defaultdict[str, list[tuple[Span, Span]]]


def term_findings(
    aligned: AlignedDocuments, terms: Sequence[GlossaryTerm]
) -> Iterator[DocumentFinding]:
    """Yield terms that are not rendered as in the glossary, and terms rendered in two ways."""
    languages = aligned.source.language, aligned.target.language
    longest_first = sorted(terms, key=lambda term: -len(term.source))
    used: dict[str, _Renderings] = {term.source: defaultdict(list) for term in terms}
    for bead, source, target in aligned.paired():
        if bead.weak:
            continue
        occurring = list(_occurring(source.text, longest_first, languages[0]))
        words = word_spans(target.text, languages[1])
        right = [
            place
            for term, _ in occurring
            for one in term.target
            for place in find_words(words, one)
        ]
        for term, place in occurring:
            where = source.original(place)
            found = _found(target, words, term.target)
            for rendering, span in found:
                used[term.source][rendering].append((where, span))
            for rendering, span in _found(target, words, term.forbidden, right):
                message = tr(
                    "“{rendering}” must not be used for “{term}”",
                    rendering=rendering, term=term.source,
                )  # fmt: skip
                yield DocumentFinding("term", "error", where, span, message)
            if term.target and not found:
                message = tr(
                    "{source} should be rendered as {words}",
                    source=term.source, words=either(term.target),
                )  # fmt: skip
                yield DocumentFinding("term", "warning", where, target.span, message)
    for source_term, renderings in used.items():
        yield from _in_two_ways(source_term, renderings)


def _occurring(
    text: str, terms: Sequence[GlossaryTerm], language: str
) -> Iterator[tuple[GlossaryTerm, Span]]:
    """Yield the terms of a text, once each; a part of a longer term does not count."""
    plain = plain_headword(text, language)
    words = word_spans(text, language)
    taken: list[Span] = []
    for term in terms:
        begin = plain_headword(term.source, language)[:3]
        if begin not in plain:
            continue
        places = [
            (start, end)
            for start, end in find_words(words, term.source)
            if not any(start < last and first < end for first, last in taken)
        ]
        taken += places
        if places:
            yield term, places[0]


def _found(
    passage: Passage, words: WordSpans, renderings: Sequence[str], outside: Sequence[Span] = ()
) -> list[tuple[str, Span]]:
    """Return the renderings that a passage has outside some places, each with its first place."""
    found = []
    for rendering in renderings:
        places = (
            (start, end)
            for start, end in find_words(words, rendering)
            if not any(first <= start and end <= last for first, last in outside)
        )
        found += [(rendering, passage.original(place)) for place in islice(places, 1)]
    return found


def _in_two_ways(term: str, renderings: _Renderings) -> Iterator[DocumentFinding]:
    """Yield the rarer of several renderings of a term over the document."""
    usual, *others = sorted(renderings, key=lambda one: -len(renderings[one])) or [""]
    for rare in others:
        for source, target in renderings[rare]:
            message = tr(
                "“{term}” is rendered as “{rare}” here, elsewhere as “{usual}”",
                term=term, rare=rare, usual=usual,
            )  # fmt: skip
            yield DocumentFinding("term", "info", source, target, message)


_LETTERS = re.compile(r"[^\W\d_]")
_END = re.compile(r"[.!?;。．！？；][\"'”’)\]」』）】]*\s*$")
_FEW_LETTERS = 4
_SHORTEST_DOUBLED = 12
_LATIN_RUN = re.compile(r"(?<![A-Za-z])[A-Za-z]+(?:[ ,'’-]+[A-Za-z]+){3,}")
_LOWER_WORD = re.compile(r"(?<![A-Za-z])[a-z]{2,}(?![A-Za-z])")
_WORDS = re.compile(r"[^\W\d_]{4}")
_CJK_RUN = re.compile(rf"[{CJK}]{{3,}}")


def coverage_findings(aligned: AlignedDocuments) -> Iterator[DocumentFinding]:
    """Yield omissions, additions, moved, doubled and untranslated text."""
    doubled = _doubled(aligned)
    copied = _copies(aligned)
    for bead in aligned.beads:
        source, target = aligned.source.span(bead.source), aligned.target.span(bead.target)
        if bead.moved:
            message = tr("this passage is elsewhere in the translation")
            yield DocumentFinding("order", "warning", source, target, message)
        elif target is None and copied.keys() >= set(bead.source):
            continue  # the sentence is in the translation, but not translated
        elif target is None:
            severity = _severity(aligned.source, bead.source, given=aligned.given)
            message = tr("no translation of this passage was found")
            yield DocumentFinding("omission", severity, source, None, message)
        elif source is None and not doubled.union(copied.values()).issuperset(bead.target):
            severity = _severity(aligned.target, bead.target, given=aligned.given)
            message = tr("the source has no such passage")
            yield DocumentFinding("addition", severity, None, target, message)
    for place in sorted(doubled):
        message = tr("this sentence appears twice in the translation, but once in the source")
        span = aligned.target.sentences[place].span
        yield DocumentFinding("doubled", "error", None, span, message)
    yield from _untranslated(aligned, copied)


def _severity(side: DocumentSide, places: Sequence[int], *, given: bool) -> FindingSeverity:
    """Return the severity of text without counterpart.

    Short labels are hard to align: without a counterpart they are information, unless beads are
    given.
    """
    text = side.passage(places).text
    few = _FEW_LETTERS if side.language in UNSPACED_LANGUAGES else 3 * _FEW_LETTERS
    if not _END.search(text):
        few *= 3
    return "error" if len(_LETTERS.findall(text)) >= (1 if given else few) else "info"


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _doubled(aligned: AlignedDocuments) -> set[int]:
    """Return target sentences that repeat another one more often than their beads justify."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(aligned.target.sentences):
        plain = _plain(sentence.text)
        if len(plain) >= _SHORTEST_DOUBLED:
            places[plain].append(place)
    beads = {place: bead for bead in aligned.beads for place in bead.target}
    found: set[int] = set()
    for same in places.values():
        used: Counter[ReviewBead] = Counter()
        rest = []
        for place in same:
            bead = beads[place]
            used[bead] += 1
            if used[bead] > _sources(bead):
                rest.append(place)
        found.update(rest if len(rest) < len(same) else rest[1:])
    return found


def _sources(bead: ReviewBead) -> int:
    """Return the number of equal target sentences that the source of a bead justifies."""
    if bead.weak or not bead.source:
        return 0
    return len(bead.source) if len(bead.source) >= len(bead.target) else 1


def _copies(aligned: AlignedDocuments) -> dict[int, int]:
    """Return source sentences that stand untranslated in the translation, with their places."""
    languages = aligned.source.language, aligned.target.language
    found: dict[int, int] = {}
    if languages[0] == languages[1]:
        return found
    foreign = {
        place: _plain(sentence.text)
        for place, sentence in enumerate(aligned.target.sentences)
        if any(_foreign_runs(sentence.text, languages))
        or not fits_language(sentence.text, languages[1])
    }
    for place, sentence in enumerate(aligned.source.sentences) if foreign else ():
        plain = _plain(sentence.text)
        there = next((one for one, text in foreign.items() if plain in text), None)
        if there is not None and len(plain) >= _FEW_LETTERS:
            found[place] = there
    return found


def _untranslated(
    aligned: AlignedDocuments, copied: Mapping[int, int]
) -> Iterator[DocumentFinding]:
    """Yield sentences and longer phrases of the translation that are in the source language."""
    languages = aligned.source.language, aligned.target.language
    if languages[0] == languages[1]:
        return
    whole = _plain(aligned.source.document.text)
    original = {target: source for source, target in copied.items()}
    for bead in aligned.beads:
        for place in bead.target:
            sentence = aligned.target.sentences[place]
            sources = bead.source if place not in original else (original[place],)
            source = aligned.source.span(sources)
            if _is_copied(sentence, whole, languages):
                message = tr("this sentence is not translated")
                spans = source, sentence.span
                yield DocumentFinding("untranslated", "error", *spans, message)
                continue
            for start, end in _foreign_runs(sentence.text, languages):
                if _plain(sentence.text[start:end]) in whole:
                    message = tr("“{text}” is not translated", text=sentence.text[start:end])
                    spans = source, sentence.original((start, end))
                    yield DocumentFinding("untranslated", "warning", *spans, message)


def _is_copied(sentence: Passage, source: str, languages: tuple[str, str]) -> bool:
    """Return True if a source sentence occurs unchanged in the translation.

    Units and other symbols are no sentence.
    """
    symbols = UNSPACED_LANGUAGES.isdisjoint(languages[:1]) and not _WORDS.search(sentence.text)
    if symbols or fits_language(sentence.text, languages[1]):
        return False
    return fits_language(sentence.text, languages[0]) and _plain(sentence.text) in source


def _foreign_runs(text: str, languages: tuple[str, str]) -> Iterator[tuple[int, int]]:
    """Yield phrases in the script of the source language; names in capitals do not count."""
    dense = [language in UNSPACED_LANGUAGES for language in languages]
    if dense == [False, True]:
        for match in _LATIN_RUN.finditer(text):
            if len(_LOWER_WORD.findall(match.group())) >= 3:
                yield match.span()
    elif dense == [True, False]:
        yield from (match.span() for match in _CJK_RUN.finditer(text))
