"""Terminology: use and consistency of prescribed terms, special characters, headings.

A segment lists its terms in ``meta["terms"]``: ``{"source": …, "target": [alternatives]}``.
"""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import Evidence, PrescribedTerm, TestSet
from patmark.languages import WordSpans, find_words, word_spans, words_version
from patmark.measures.base import Check, Finding, listed_texts
from patmark.wording import either, tr

_REMARK = re.compile(r"(?:(?<=\s)|(?<=[\u3400-\u9fff]))[(（]([^()（）]*)[)）]")
_ACRONYM = re.compile(r"(?=[A-Z]*[A-HJ-UWYZ])[A-Z][A-Z0-9-]+s?")
_SEPARATORS = re.compile(r",\s+|\s*[，、;；]\s*")
_LINE_BREAK = re.compile(r"(?<=[a-z])-(?=[a-z])")


def alternatives(term: str) -> tuple[str, ...]:
    """Return the renderings inside one term string.

    ``formulation, preparation`` gives both; ``ribonucleic acid (RNA)`` gives the term and the
    acronym. A gloss in brackets such as ``apply (a voltage, etc.)`` is dropped, and the hyphen of
    a line break (``con-trol``) may be left out. Commas and brackets inside a word belong to
    it: ``1,2-propanediol``, ``iron(III) oxide``.
    """
    acronyms = [remark for remark in _REMARK.findall(term) if _ACRONYM.fullmatch(remark)]
    found = [" ".join(part.split()) for part in _SEPARATORS.split(_REMARK.sub(" ", term))]
    joined = [_LINE_BREAK.sub("", part) for part in found]
    return tuple(dict.fromkeys(part for part in (*found, *acronyms, *joined) if part))


def _renderings(words: WordSpans, term: PrescribedTerm) -> list[list[tuple[int, int]]]:
    """Return the places of each rendering in the hypothesis."""
    return [find_words(words, rendering) for rendering in term.target]


class _TermCheck(Check):
    """A check that judges each prescribed term of a segment separately."""

    citation = "PatSnap Patent Translation Bench, with word boundaries"
    needs = frozenset({"terms"})

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {
            "words": words_version(test_set.target_language)
        }

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment; a kept term gives no evidence."""
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            terms = segment.terms
            words = word_spans(hypothesis, test_set.target_language)
            faults = [self._fault(segment.source or "", words, term) for term in terms]
            kept = sum(fault is None for fault in faults)
            evidence = tuple(item for fault in faults for item in fault or ())
            findings.append(Finding(kept, len(terms), evidence))
        return findings

    @abstractmethod
    def _fault(self, source: str, words: WordSpans, term: PrescribedTerm) -> list[Evidence] | None:
        """Return the evidence that a term is missing; None if it is kept."""


@dataclass(frozen=True, kw_only=True)
class TermAccuracy(_TermCheck):
    """Share of prescribed terms that occur in the hypothesis as whole words (by lemma)."""

    label = "term-accuracy"
    description = "share of prescribed terms that are used, 0–1"
    formula = "prescribed terms found / prescribed terms"
    limits = "Only the listed terms, as whole words by lemma."
    guide = "measures/terms.md"

    def _fault(self, source: str, words: WordSpans, term: PrescribedTerm) -> list[Evidence] | None:
        if any(_renderings(words, term)):
            return None
        wish = tr(
            "{source} should be rendered as {words}",
            source=term.source,
            words=either(term.target),
        )
        return _in_source(source, term, wish)


@dataclass(frozen=True, kw_only=True)
class TermConsistency(_TermCheck):
    """Share of prescribed terms with the same rendering at every occurrence of the source term.

    One rendering must occur as often as the source term, at most twice; two are required if the
    source term cannot be found, as in the bench.
    """

    label = "term-consistency"
    description = "share of recurring terms that are rendered alike, 0–1"
    formula = "recurring terms rendered alike / recurring terms"
    limits = "Only the listed terms; alike is not right."
    guide = "measures/terms.md"

    def _fault(self, source: str, words: WordSpans, term: PrescribedTerm) -> list[Evidence] | None:
        places = _renderings(words, term)
        occurrences = source.count(term.source) if term.source else 0
        wanted = min(2, occurrences) or 2
        if max(map(len, places), default=0) >= wanted:
            return None
        wish = tr(
            "{source} should be rendered {wanted}× by one of {words}",
            source=term.source,
            wanted=wanted,
            words=either(term.target),
        )
        found = [
            Evidence(
                "hypothesis",
                start,
                end,
                tr("one rendering; {wanted} alike expected", wanted=wanted),
            )
            for spans in places
            for start, end in spans
        ]
        return [*_in_source(source, term, wish), *found]


def _in_source(source: str, term: PrescribedTerm, message: str) -> list[Evidence]:
    """Return the places of a term in the source; none for an unknown source term."""
    if not term.source:
        return []
    return [
        Evidence("source", *match.span(), message)
        for match in re.finditer(re.escape(term.source), source)
    ]


@dataclass(frozen=True, kw_only=True)
class SpecialCharacters(Check):
    """Share of listed symbols that occur in the hypothesis, also as full-width forms."""

    label = "special-characters"
    description = "share of listed symbols that survive, 0–1"
    formula = "listed symbols kept / listed symbols"
    limits = "Only the listed symbols, wherever they stand."
    guide = "measures/terms.md"
    citation = "PatSnap Patent Translation Bench"
    needs = frozenset({"special_characters"})

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment; evidence marks the lost symbols in the source."""
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            symbols = listed_texts(segment, "special_characters")
            folded = unicodedata.normalize("NFKC", hypothesis)
            lost = [s for s in symbols if unicodedata.normalize("NFKC", s) not in folded]
            evidence = [
                Evidence("source", *match.span(), tr("{symbol} is lost", symbol=symbol))
                for symbol in lost
                for match in re.finditer(re.escape(symbol), segment.source or "")
            ]
            findings.append(Finding(len(symbols) - len(lost), len(symbols), tuple(evidence)))
        return findings


_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, kw_only=True)
class WritingNorm(Check):
    """Share of the prescribed headings that occur, ignoring case, number and articles."""

    label = "writing-norm"
    description = "share of prescribed section headings that occur, 0–1"
    formula = "headings found / headings prescribed"
    limits = "Only the listed headings."
    guide = "measures/terms.md"
    citation = "PatSnap Patent Translation Bench, with tolerant headings"
    needs = frozenset({"headings"})

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {
            "words": words_version(test_set.target_language)
        }

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment; evidence names missing headings at the start."""
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            headings = listed_texts(segment, "headings")
            words = word_spans(hypothesis, test_set.target_language, leave_out=_ARTICLES)
            lost = [heading for heading in headings if not find_words(words, heading)]
            evidence = tuple(
                Evidence(
                    "hypothesis", 0, 0, tr("the heading {heading} is missing", heading=heading)
                )
                for heading in lost
            )
            findings.append(Finding(len(headings) - len(lost), len(headings), evidence))
        return findings
