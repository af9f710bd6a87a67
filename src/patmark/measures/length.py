"""How long the hypothesis is: length ratio, and the two faults that it gives away.

Words are counted where the target language has blanks, characters in Chinese and Japanese.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import MeanMeasure, Measure, ratio

_COUNTED_IN_CHARACTERS = frozenset({"zh", "ja"})


def text_lengths(texts: Sequence[str], language: str) -> FloatArray:
    """Length of each text, in the unit of its language."""
    if language in _COUNTED_IN_CHARACTERS:
        return np.array([len(text) for text in texts], dtype=np.float64)
    return np.array([len(text.split()) for text in texts], dtype=np.float64)


def length_ratios(test_set: TestSet, hypotheses: Sequence[str]) -> FloatArray:
    """Hypothesis length over reference length; 0 where the reference is empty.

    Of several references the one nearest in length counts.
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

    label: ClassVar[str] = "length-ratio"
    description: ClassVar[str] = "hypothesis length over reference length (zh, ja: in characters)"
    citation: ClassVar[str] = "PatSnap Patent Translation Bench"
    descriptive: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        own = text_lengths(hypotheses, test_set.target_language)
        other = [
            text_lengths(references, test_set.target_language).mean()
            for references in test_set.reference_lists
        ]
        return np.column_stack([own, other])

    def score(self, totals: FloatArray) -> FloatArray:
        return ratio(totals[..., 0], totals[..., 1])


@dataclass(frozen=True, kw_only=True)
class Omission(MeanMeasure):
    """Share of segments that are much too short."""

    label: ClassVar[str] = "omission"
    description: ClassVar[str] = "share of segments shorter than half the reference"
    citation: ClassVar[str] = "PatSnap Patent Translation Bench"
    higher_is_better: ClassVar[bool] = False
    parameters: ClassVar[dict[str, str]] = {"below": "length ratio under which text is missing"}

    below: float = 0.5

    def __post_init__(self) -> None:
        if self.below <= 0:
            raise UsageError("omission: below must be greater than 0")

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return (length_ratios(test_set, hypotheses) < self.below).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class LengthHallucination(MeanMeasure):
    """Share of segments that are much too long."""

    label: ClassVar[str] = "length-hallucination"
    description: ClassVar[str] = "share of segments longer than five times the reference"
    citation: ClassVar[str] = "PatSnap Patent Translation Bench"
    higher_is_better: ClassVar[bool] = False
    parameters: ClassVar[dict[str, str]] = {"above": "length ratio over which text is invented"}

    above: float = 5.0

    def __post_init__(self) -> None:
        if self.above <= 0:
            raise UsageError("length-hallucination: above must be greater than 0")

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        return (length_ratios(test_set, hypotheses) > self.above).astype(np.float64)
