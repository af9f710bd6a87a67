"""Terminology: is the prescribed term used, and used throughout?

A segment lists its terms in ``meta["terms"]``: ``{"source": …, "target": [alternatives]}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from patmark.data import Evidence, Segment, TestSet
from patmark.errors import InputError
from patmark.measures.base import Check, Finding
from patmark.text import WordSpans, find_words, word_spans, words_version

_REMARK = re.compile(r"(?:(?<=\s)|(?<=[\u3400-\u9fff]))[(（]([^()（）]*)[)）]")
_ACRONYM = re.compile(r"(?=[A-Z]*[A-HJ-UWYZ])[A-Z][A-Z0-9-]+s?")
_SEPARATORS = re.compile(r",\s+|\s*[，、;；]\s*")
_LINE_BREAK = re.compile(r"(?<=[a-z])-(?=[a-z])")


@dataclass(frozen=True, slots=True)
class Term:
    """A source term and the renderings that count as right."""

    source: str
    target: tuple[str, ...]


def alternatives(term: str) -> tuple[str, ...]:
    """The renderings inside one term string.

    ``formulation, preparation`` gives both; ``ribonucleic acid (RNA)`` gives the term and the
    acronym, while a gloss in brackets such as ``apply (a voltage, etc.)`` is dropped; the hyphen
    of a line break (``con-trol``) may be left out. Commas and brackets inside a word belong to
    it: ``1,2-propanediol``, ``iron(III) oxide``.
    """
    acronyms = [remark for remark in _REMARK.findall(term) if _ACRONYM.fullmatch(remark)]
    found = [" ".join(part.split()) for part in _SEPARATORS.split(_REMARK.sub(" ", term))]
    joined = [_LINE_BREAK.sub("", part) for part in found]
    return tuple(dict.fromkeys(part for part in (*found, *acronyms, *joined) if part))


def terms_of(segment: Segment) -> list[Term]:
    """The terms that a segment prescribes."""
    listed = segment.meta.get("terms", ())
    try:
        return [Term(str(item["source"]), _as_tuple(item["target"])) for item in listed]
    except (KeyError, TypeError):
        raise InputError.at(
            f"segment {segment.id!r}: meta.terms must be a list of {{source, target}} objects"
        ) from None


def _as_tuple(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _renderings(words: WordSpans, term: Term) -> list[list[tuple[int, int]]]:
    """The places of each rendering in the hypothesis."""
    return [find_words(words, rendering) for rendering in term.target]


@dataclass(frozen=True, kw_only=True)
class TermAccuracy(Check):
    """Share of prescribed terms that occur in the hypothesis as whole words (by lemma)."""

    label: ClassVar[str] = "term-accuracy"
    description: ClassVar[str] = "share of prescribed terms that are used, 0–1"
    citation: ClassVar[str] = "PatSnap Patent Translation Bench, with word boundaries"
    needs: ClassVar[frozenset[str]] = frozenset({"terms"})

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return {"words": words_version(test_set.target_language)}

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; evidence marks the source terms that are not rendered."""
        language = test_set.target_language
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            terms = terms_of(segment)
            words = word_spans(hypothesis, language)
            missing = [term for term in terms if not any(_renderings(words, term))]
            evidence = [item for term in missing for item in _absent(segment, term)]
            findings.append(Finding(len(terms) - len(missing), len(terms), tuple(evidence)))
        return findings


def _absent(segment: Segment, term: Term) -> Iterable[Evidence]:
    message = f"{term.source} should be rendered as {' or '.join(term.target)}"
    for match in re.finditer(re.escape(term.source), segment.source or ""):
        yield Evidence("source", *match.span(), message)


@dataclass(frozen=True, kw_only=True)
class TermConsistency(Check):
    """Share of prescribed terms that are rendered alike at every occurrence of the source term.

    One rendering must occur as often as the source term, twice at most being asked for; a source
    in which the term cannot be found asks for two, as the bench does.
    """

    label: ClassVar[str] = "term-consistency"
    description: ClassVar[str] = "share of recurring terms that are rendered alike, 0–1"
    citation: ClassVar[str] = "PatSnap Patent Translation Bench, with word boundaries"
    needs: ClassVar[frozenset[str]] = frozenset({"terms"})

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return {"words": words_version(test_set.target_language)}

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; evidence marks the renderings that were found."""
        language = test_set.target_language
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            terms = terms_of(segment)
            words = word_spans(hypothesis, language)
            kept, evidence = 0, []
            for term in terms:
                places = _renderings(words, term)
                wanted = min(2, (segment.source or "").count(term.source)) or 2
                if max(map(len, places), default=0) >= wanted:
                    kept += 1
                else:
                    evidence += [*_mixed(segment, term, wanted), *_found(places, wanted)]
            findings.append(Finding(kept, len(terms), tuple(evidence)))
        return findings


def _mixed(segment: Segment, term: Term, wanted: int) -> Iterable[Evidence]:
    message = f"{term.source} should be rendered {wanted}× by one of {' or '.join(term.target)}"
    for match in re.finditer(re.escape(term.source), segment.source or ""):
        yield Evidence("source", *match.span(), message)


def _found(places: Iterable[Iterable[tuple[int, int]]], wanted: int) -> Iterable[Evidence]:
    for spans in places:
        for start, end in spans:
            yield Evidence("hypothesis", start, end, f"one rendering; {wanted} alike expected")
