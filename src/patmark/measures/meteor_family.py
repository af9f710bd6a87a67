"""What the two METEORs share: parameters, lower-case words, and the formula."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from patmark.data import FloatArray, IntArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import MeanMeasure, WordMeasure
from patmark.measures.kernels.references import ReferenceLayout, best_reference
from patmark.text import tokenize_all

Words: TypeAlias = Sequence[str]


@dataclass(frozen=True, kw_only=True)
class MeteorFamily(WordMeasure, MeanMeasure):
    """A weighted mean of precision and recall over matched words, less a penalty for chunks."""

    label: ClassVar[str] = "METEOR"
    parameters: ClassVar[Mapping[str, str]] = {
        "alpha": "weight of precision in the denominator of the mean, 0–1; high favours recall",
        "beta": "exponent of the penalty, at least 0",
        "gamma": "greatest penalty, 0–1",
    }

    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5

    def __post_init__(self) -> None:
        allowed = {"alpha": 1.0, "beta": float("inf"), "gamma": 1.0}
        for parameter, most in allowed.items():
            value = getattr(self, parameter)
            if not 0 <= value <= most:
                raise UsageError(f"METEOR: {parameter}={value} is not between 0 and {most:g}")

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        tokenizer = self.tokenizer(test_set)
        ours = tokenize_all(hypotheses, tokenizer)
        theirs = tokenize_all(test_set.flat_references, tokenizer)
        layout = ReferenceLayout.of(test_set.reference_lists)
        paired = [ours[segment] for segment in layout.segment.tolist()]
        scores = self._pair_scores(test_set, paired, theirs)
        return scores[best_reference(layout, scores)]

    @abstractmethod
    def _pair_scores(
        self, test_set: TestSet, hypotheses: Sequence[Words], references: Sequence[Words]
    ) -> FloatArray:
        """The score of each hypothesis against the reference beside it, whatever the case."""

    def scores(
        self, matches: IntArray, chunks: IntArray, own: IntArray, other: IntArray
    ) -> FloatArray:
        """Scores of pairs with so many matches in so many chunks, and texts of these lengths."""
        counted = np.maximum(matches, 1)
        precision, recall = counted / np.maximum(own, 1), counted / np.maximum(other, 1)
        mean = precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)
        keep = 1 - self.gamma * (chunks / counted) ** self.beta
        return np.where(matches > 0, keep * mean, 0.0)
