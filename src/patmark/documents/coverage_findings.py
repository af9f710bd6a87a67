"""Text that is missing, added, moved, doubled or left untranslated."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from patmark.documents.document_sentences import DocumentSide
from patmark.documents.findings import DocumentFinding, FindingSeverity
from patmark.documents.layout import Passage
from patmark.documents.review_alignment import AlignedDocuments, ReviewBead
from patmark.languages import CJK, UNSPACED_LANGUAGES, fits_language
from patmark.wording import tr

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
