"""Source text that was left untranslated.

| target | left over |
|---|---|
| English or another language in letters, from Chinese or Japanese | Chinese characters, kana |
| Chinese, Japanese, from English | English words of the source; any three English words in a row |
| Chinese, from Japanese | kana |
| any | a copy of the whole source |

Chinese and Japanese patents keep some words, which do not count: acronyms (up to six capitals),
words with digits or inner capitals (formulas, identifiers), capitalised names and units,
mathematical functions, short Latin phrases, names of isomers before a hyphen, and glosses in
brackets. The score is the share of characters (without blanks) that are clean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from patmark.data import Evidence, TestSet
from patmark.facts import COUNTED_LANGUAGES, match_unit
from patmark.languages import CJK, HAN, KANA, language, packs, shared_pack
from patmark.measures.base import Check, Finding, languages_of
from patmark.wording import tr

_Span: TypeAlias = tuple[int, int]

_CJK_RUN = re.compile(rf"[{CJK}](?:[{CJK}\s、。，；：（）「」]*[{CJK}])?")
_KANA_RUN = re.compile(rf"[{KANA}]+")
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_LATIN_RUN = re.compile(r"[A-Za-z][A-Za-z'’]*(?:[\s,;-]+[A-Za-z][A-Za-z'’]*)*")
_GLOSS = re.compile(rf"(?<=[{HAN}{KANA}])\s?[(（][^()（）]*[)）]")
_BEFORE_HYPHEN = re.compile(r"\s?[-‐‑–－]")
_SHORTEST = 3
_SHORTEST_COPY = 10
_SENTENCE = 3
_LONGEST_ACRONYM = 6


@dataclass(frozen=True)
class Untranslated(Check):
    """Share of the translation that is not text of the source language."""

    label = "untranslated"
    description = "share of characters that are not left in the source language"
    formula = "characters not left in the source language / characters"
    runs_by_default = True
    citation = "patmark"
    languages = COUNTED_LANGUAGES

    def supports(self, source: str, target: str) -> bool:
        """Return True also for Chinese or Japanese into all languages of another script."""
        other_script = language(source).writes_han and not language(target).is_dense
        return other_script or super().supports(source, target)

    def _known_languages(self) -> str:
        han = " or ".join(sorted(one.code for one in packs() if one.writes_han))
        return f"{super()._known_languages()} and from {han} into languages in other letters"

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment; see the table at the top of this file."""
        languages = languages_of(test_set)
        return [
            _inspect(source, hypothesis, *languages)
            for source, hypothesis in zip(test_set.sources, hypotheses, strict=True)
        ]


def _inspect(source: str, hypothesis: str, source_language: str, target_language: str) -> Finding:
    if source_language == target_language:
        left: list[_Span] = []
    elif not language(target_language).writes_han:
        left = [match.span() for match in _CJK_RUN.finditer(hypothesis)]
    elif not language(source_language).writes_han:
        left = list(_latin_runs(source, hypothesis))
        if left and _is_copy(source, hypothesis):
            left = [(0, len(hypothesis))]
    elif _is_copy(source, hypothesis):
        left = [(0, len(hypothesis))]
    elif not language(target_language).writes_kana:
        left = [match.span() for match in _KANA_RUN.finditer(hypothesis)]
    else:
        left = []
    total = _visible(hypothesis, (0, len(hypothesis)))
    evidence = tuple(
        Evidence("hypothesis", *span, tr("left in the source language")) for span in left
    )
    return Finding(total - sum(_visible(hypothesis, span) for span in left), total, evidence)


def _visible(text: str, span: _Span) -> int:
    return len("".join(text[slice(*span)].split()))


def _is_copy(source: str, hypothesis: str) -> bool:
    """Return True for a copy of the source, except short titles written alike in zh and ja."""
    copied = "".join(hypothesis.split())
    return len(copied) >= _SHORTEST_COPY and copied == "".join(source.split())


def _latin_runs(source: str, hypothesis: str) -> Iterator[_Span]:
    """Yield runs of source words, from the first word that should be translated to the last."""
    known = {word.lower() for word in _WORD.findall(source)}
    lower = {word for word in _WORD.findall(source) if word.islower()}
    glosses = [match.span() for match in _GLOSS.finditer(hypothesis)]
    for run in _LATIN_RUN.finditer(hypothesis):
        if any(start <= run.start() < end for start, end in glosses):
            continue
        english = [
            (run.start() + word.start(), run.start() + word.end())
            for word in _WORD.finditer(run.group())
        ]
        english = [span for span in english if _should_be_translated(hypothesis, span, lower)]
        if len(english) < _SENTENCE:
            english = [span for span in english if hypothesis[slice(*span)].lower() in known]
        if english:
            yield english[0][0], english[-1][1]


@cache
def _kept_words() -> frozenset[str]:
    """Return Latin words that Chinese and Japanese patents keep."""
    return shared_pack().table("measures").words("kept")


def _should_be_translated(text: str, span: _Span, lower: set[str]) -> bool:
    start, end = span
    word = text[start:end]
    if len(word) < _SHORTEST or word.lower() in _kept_words():
        return False
    after = text[end : end + 1]
    touches_digit = text[max(0, start - 1) : start].isdigit() or after.isdigit() or after == "%"
    if touches_digit or match_unit(f"{word} ", 0):
        return False
    if _BEFORE_HYPHEN.match(text, end) and len(word) <= _LONGEST_ACRONYM:
        return False
    if word.isupper():
        return len(word) > _LONGEST_ACRONYM
    return word.islower() or (word.istitle() and word.lower() in lower)
