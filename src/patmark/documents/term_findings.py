"""Terms of a glossary: missing, forbidden, or rendered in two ways over the document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from patmark.data import plain_headword
from patmark.documents.findings import DocumentFinding
from patmark.documents.formats.glossary import GlossaryTerm
from patmark.documents.layout import Passage
from patmark.documents.model import Span
from patmark.documents.review_alignment import AlignedDocuments
from patmark.languages import WordSpans, find_words, word_spans
from patmark.wording import either, tr

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
