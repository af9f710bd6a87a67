"""Length of the hypothesis: length ratio, omission, length hallucination, and leakage.

Length is in words if the target language has blanks, in characters for Chinese and Japanese.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated
from unicodedata import normalize

import numpy as np

from patmark.data import Evidence, FloatArray, Segment, TestSet, ratio
from patmark.errors import UsageError
from patmark.languages import language, packs
from patmark.measures.base import Check, Finding, MeanMeasure, Measure
from patmark.wording import tr


def text_lengths(texts: Sequence[str], code: str) -> FloatArray:
    """Return length of each text, in the unit of its language."""
    spaced = language(code).is_spaced
    return np.array([len(text.split() if spaced else text) for text in texts], dtype=np.float64)


def length_ratios(test_set: TestSet, hypotheses: Sequence[str]) -> FloatArray:
    """Return hypothesis length over reference length; 0 where the reference is empty.

    The nearest in length of several references counts.
    """
    own = text_lengths(hypotheses, test_set.target_language)
    ratios = np.zeros(len(test_set))
    for position, segment in enumerate(test_set):
        lengths = text_lengths(segment.references, test_set.target_language)
        nearest = lengths[np.argmin(np.abs(lengths - own[position]))]
        ratios[position] = own[position] / nearest if nearest else 0.0
    return ratios


@dataclass(frozen=True, kw_only=True)
class LengthRatio(Measure):
    """Total hypothesis length over total reference length."""

    label = "length-ratio"
    description = "hypothesis length over reference length (zh, ja: in characters)"
    formula = "sum of lengths / sum of mean reference lengths"
    limits = "Describes only: neither more nor less is better."
    guide = "measures/length-and-leakage.md"
    group = "length"
    runs_by_default = True
    citation = "PatSnap Patent Translation Bench"
    descriptive = True
    bounds = (0.0, float("inf"))

    @property
    def width(self) -> int:
        return 2

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        own = text_lengths(hypotheses, test_set.target_language)
        other = [
            text_lengths(references, test_set.target_language).mean()
            for references in test_set.reference_lists
        ]
        return np.column_stack([own, other])

    def score(self, totals: FloatArray) -> FloatArray:
        return ratio(totals[..., 0], totals[..., 1])


class _LengthFault(MeanMeasure):
    """Share of segments with a length fault, a rule of the PatSnap bench."""

    guide = "measures/length-and-leakage.md"
    group = "length"
    runs_by_default = True
    citation = "PatSnap Patent Translation Bench"
    higher_is_better = False
    rate = True


@dataclass(frozen=True, kw_only=True)
class Omission(_LengthFault):
    """Share of segments that are much too short."""

    label = "omission"
    description = "share of segments shorter than half the reference"
    formula = "segments with length < 0.5 · reference length / segments"
    limits = "Sees missing length, not missing content."

    below: Annotated[float, "length ratio under which text is missing"] = 0.5

    def __post_init__(self) -> None:
        if self.below <= 0:
            raise UsageError("omission: below must be greater than 0")

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return (length_ratios(test_set, hypotheses) < self.below).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class LengthHallucination(_LengthFault):
    """Share of segments that are much too long."""

    label = "length-hallucination"
    description = "share of segments longer than five times the reference"
    formula = "segments with length > 5 · reference length / segments"
    limits = "Sees surplus length, not invented content."

    above: Annotated[float, "length ratio over which text is invented"] = 5.0

    def __post_init__(self) -> None:
        if self.above <= 0:
            raise UsageError("length-hallucination: above must be greater than 0")

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return (length_ratios(test_set, hypotheses) > self.above).astype(np.float64)


_HAN = re.compile(r"[\u4e00-\u9fff]+")
_HAN_OR_KANA = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]+")
_LATIN = re.compile("[A-Za-z]+")


@dataclass(frozen=True, kw_only=True)
class Leakage(Check):
    """Share of segments with text of the source language, by the rule of the PatSnap bench.

    For a target in Latin script any Chinese (or, from Japanese, kana) character counts; for a
    Chinese or Japanese target a Latin letter counts, unless the reference has one too.
    """

    label = "leakage"
    description = "share of segments with characters of the source language"
    formula = "segments with characters of the source language / segments"
    limits = (
        "Only where source and target have different scripts; names in the source script count too."
    )
    guide = "measures/length-and-leakage.md"
    group = "length"
    runs_by_default = True
    citation = "PatSnap Patent Translation Bench"
    needs = frozenset({"references"})
    higher_is_better = False
    rate = True

    def supports(self, source: str, target: str) -> bool:
        """Return True if the two languages have different scripts, as far as the rule knows."""
        return not source or language(target).writes_han or language(source).writes_han

    def _known_languages(self) -> str:
        return f"pairs with {' or '.join(sorted(one.code for one in packs() if one.writes_han))}"

    def inspect_segment(self, test_set: TestSet, segment: Segment, hypothesis: str) -> Finding:
        """Return the finding of a segment: ``kept`` is 1 if it leaks."""
        source, target = (
            language(test_set.source_language or ""),
            language(test_set.target_language),
        )
        foreign, kind = _LATIN, tr("Latin letters, the reference has none")
        if not target.writes_han:
            foreign = _HAN_OR_KANA if source.writes_kana else _HAN
            kind = tr("left untranslated")
        # Japanese patents are set in full-width letters, which count as letters there.
        fold = partial(normalize, "NFKC") if target.writes_kana else str
        if target.writes_han and any(foreign.search(fold(one)) for one in segment.references):
            return Finding(0.0, 1.0)
        evidence = tuple(
            Evidence("hypothesis", *match.span(), tr("{name}: {text}", name=kind, text=match[0]))
            for match in foreign.finditer(hypothesis)
        )
        return Finding(float(bool(evidence)), 1.0, evidence)
