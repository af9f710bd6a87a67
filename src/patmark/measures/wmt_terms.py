"""Terminology as in the WMT25 task: success rates and consistency of prescribed terms.

A segment lists its terms in ``meta["terms"]``; a whole document may be one segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from patmark.data import Evidence, PrescribedTerm, Segment, TestSet
from patmark.languages import find_words, word_spans, words_version
from patmark.measures.base import Check, Finding
from patmark.wording import either, tr

Counting: TypeAlias = Literal["frequency", "presence"]
_CITATION = "WMT25 terminology task"


def occurrences(text: str, term: str) -> int:
    """Count a term in a text, ignoring case, also within words."""
    return text.lower().count(term.lower()) if term else 0


def _present(text: str, term: str, language: str | None) -> bool:
    """Return True if a text contains a term literally or by the lemmas of its words."""
    return bool(occurrences(text, term) or find_words(word_spans(text, language or ""), term))


class _TaskCheck(Check):
    """A check of prescribed terms by the rules of the task."""

    citation = _CITATION
    needs = frozenset({"terms", "source"})
    guide = "measures/terms.md"

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {
            "words": words_version(test_set.target_language)
        }


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

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment; evidence marks source terms without enough renderings."""
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            rates = [
                (term, self._rate(term, segment, hypothesis, test_set.target_language))
                for term in segment.terms
                if self._counts(term, segment, test_set.source_language)
            ]
            evidence = tuple(
                one for term, rate in rates if rate < 1 for one in _places(segment, term, rate)
            )
            findings.append(Finding(sum(rate for _, rate in rates), len(rates), evidence))
        return findings

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
