"""Terminology: use and consistency of prescribed terms, also as in WMT25; symbols, headings.

A segment lists its terms in ``meta["terms"]``: ``{"source": …, "target": [alternatives]}``.
"""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from patmark.data import Evidence, PrescribedTerm, Segment, TestSet
from patmark.languages import WordSpans, find_words, function_words, word_spans, words_version
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


class _WordCheck(Check):
    """A check that looks for words by their lemmas."""

    guide = "measures/terms.md"

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        words = words_version(test_set.target_language)
        return super()._signature_parts(test_set) | {"words": words}


class _TermCheck(_WordCheck):
    """A check that judges each prescribed term of a segment separately."""

    citation = "PatSnap Patent Translation Bench, with word boundaries"
    needs = frozenset({"terms"})

    def inspect_segment(self, test_set: TestSet, segment: Segment, hypothesis: str) -> Finding:
        """Return the finding of a segment; a kept term gives no evidence."""
        words = word_spans(hypothesis, test_set.target_language)
        faults = [self._fault(segment.source or "", words, term) for term in segment.terms]
        kept = sum(fault is None for fault in faults)
        evidence = tuple(item for fault in faults for item in fault or ())
        return Finding(kept, len(faults), evidence)

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

    def _fault(self, source: str, words: WordSpans, term: PrescribedTerm) -> list[Evidence] | None:
        if any(find_words(words, rendering) for rendering in term.target):
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

    def _fault(self, source: str, words: WordSpans, term: PrescribedTerm) -> list[Evidence] | None:
        places = [find_words(words, rendering) for rendering in term.target]
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

    def inspect_segment(self, test_set: TestSet, segment: Segment, hypothesis: str) -> Finding:
        """Return the finding of a segment; evidence marks the lost symbols in the source."""
        symbols = listed_texts(segment, "special_characters")
        folded = unicodedata.normalize("NFKC", hypothesis)
        lost = [s for s in symbols if unicodedata.normalize("NFKC", s) not in folded]
        evidence = [
            Evidence("source", *match.span(), tr("{symbol} is lost", symbol=symbol))
            for symbol in lost
            for match in re.finditer(re.escape(symbol), segment.source or "")
        ]
        return Finding(len(symbols) - len(lost), len(symbols), tuple(evidence))


@dataclass(frozen=True, kw_only=True)
class WritingNorm(_WordCheck):
    """Share of the prescribed headings that occur, ignoring case, number and articles."""

    label = "writing-norm"
    description = "share of prescribed section headings that occur, 0–1"
    formula = "headings found / headings prescribed"
    limits = "Only the listed headings."
    citation = "PatSnap Patent Translation Bench, with tolerant headings"
    needs = frozenset({"headings"})

    def inspect_segment(self, test_set: TestSet, segment: Segment, hypothesis: str) -> Finding:
        """Return the finding of a segment; evidence names missing headings at the start."""
        headings = listed_texts(segment, "headings")
        words = word_spans(
            hypothesis, test_set.target_language, leave_out=function_words("articles")
        )
        lost = [heading for heading in headings if not find_words(words, heading)]
        evidence = tuple(
            Evidence("hypothesis", 0, 0, tr("the heading {heading} is missing", heading=heading))
            for heading in lost
        )
        return Finding(len(headings) - len(lost), len(headings), evidence)


# Terminology as in the WMT25 task: success rates and consistency; a segment may be a document.
Counting: TypeAlias = Literal["frequency", "presence"]


def occurrences(text: str, term: str) -> int:
    """Count a term in a text, ignoring case, also within words."""
    return text.lower().count(term.lower()) if term else 0


def _present(text: str, term: str, language: str | None) -> bool:
    """Return True if a text contains a term literally or by the lemmas of its words."""
    return bool(occurrences(text, term) or find_words(word_spans(text, language or ""), term))


class _TaskCheck(_WordCheck):
    """A check of prescribed terms by the rules of the WMT25 terminology task."""

    citation = "WMT25 terminology task"
    needs = frozenset({"terms", "source"})


@dataclass(frozen=True, kw_only=True)
class TermSuccess(_TaskCheck):
    """Success rate of terms by frequency (document track) or presence (sentence track).

    By frequency, a term counts if the source has it and the reference, if there is one, has a
    rendering; its rate is the number of renderings in the output divided by the number of source
    terms, at most 1. By presence, a term counts if the source has it, and any rendering is a
    success. Terms are lower-case substrings of the text; presence also uses lemmas.
    """

    by: Counting = "frequency"

    label = "term-success"
    description = "success rate of prescribed terms as in WMT25, 0–1"
    formula = "mean of min(renderings / source terms, 1), or terms present / terms"
    limits = "Parts of words count: ion stands in lotion. Only the listed terms."

    def inspect_segment(self, test_set: TestSet, segment: Segment, hypothesis: str) -> Finding:
        """Return the finding of a segment; evidence marks terms without enough renderings."""
        rates = [
            (term, self._rate(term, segment, hypothesis, test_set.target_language))
            for term in segment.terms
            if self._counts(term, segment, test_set.source_language)
        ]
        evidence = tuple(
            one for term, rate in rates if rate < 1 for one in _places(segment, term, rate)
        )
        return Finding(sum(rate for _, rate in rates), len(rates), evidence)

    def _counts(self, term: PrescribedTerm, segment: Segment, language: str | None) -> bool:
        source = segment.source or ""
        if self.by == "presence":
            return _present(source, term.source, language)
        if not occurrences(source, term.source):
            return False
        return not segment.references or any(
            occurrences(reference, rendering)
            for reference in segment.references
            for rendering in term.target
        )

    def _rate(self, term: PrescribedTerm, segment: Segment, output: str, language: str) -> float:
        if self.by == "presence":
            return float(any(_present(output, rendering, language) for rendering in term.target))
        found = sum(occurrences(output, rendering) for rendering in term.target)
        return min(found / occurrences(segment.source or "", term.source), 1.0)


def _places(segment: Segment, term: PrescribedTerm, rate: float) -> list[Evidence]:
    source = (segment.source or "").lower()
    start = source.find(term.source.lower())
    message = tr(
        "{source} should be rendered as {words}; success {rate:.2f}",
        source=term.source,
        words=either(term.target),
        rate=rate,
    )
    if start < 0:
        return []
    return [Evidence("source", start, start + len(term.source), message)]


@dataclass(frozen=True, kw_only=True)
class TaskTermConsistency(_TaskCheck):
    """Share of source terms whose rendering is the most frequent one of the whole output.

    The rendering of a term in a segment is the most frequent prescribed one; an absent one never
    matches. The task aligns words with a language model instead.
    """

    label = "term-consistency-wmt"
    description = "share of terms in their most frequent rendering, 0–1"
    formula = "segments with the most frequent rendering / segments with the term"
    limits = "Only the listed renderings can be found; alike is not right."

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment; evidence marks terms in another rendering."""
        rows = [
            [
                (term, _rendering(term, hypothesis, test_set.target_language))
                for term in segment.terms
                if _present(segment.source or "", term.source, test_set.source_language)
            ]
            for segment, hypothesis in zip(test_set, hypotheses, strict=True)
        ]
        usual = _most_frequent([pair for row in rows for pair in row])
        findings = []
        for segment, row in zip(test_set, rows, strict=True):
            alike = [found is not None and found == usual[term.source] for term, found in row]
            evidence = tuple(
                one
                for (term, _), same in zip(row, alike, strict=True)
                if not same
                for one in _places(segment, term, 0.0)
            )
            findings.append(Finding(sum(alike), len(row), evidence))
        return findings


def _rendering(term: PrescribedTerm, output: str, language: str) -> str | None:
    """Return the most frequent rendering in an output, the longer one of several."""
    counts = {one: occurrences(output, one) for one in term.target}
    if not any(counts.values()):
        counts = {one: int(_present(output, one, language)) for one in term.target}
    best = max(counts, key=lambda one: (counts[one], len(one)), default=None)
    return best if best is not None and counts[best] else None


def _most_frequent(rendered: Sequence[tuple[PrescribedTerm, str | None]]) -> dict[str, str | None]:
    """Return the most frequent rendering of each source term, the first of equal ones."""
    counts: dict[str, Counter[str]] = {}
    for term, found in rendered:
        of_term = counts.setdefault(term.source, Counter())
        if found is not None:
            of_term[found] += 1
    return {
        source: max(found, key=found.__getitem__, default=None) for source, found in counts.items()
    }
