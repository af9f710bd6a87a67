"""BERTScore: each token is matched with the most similar token of the other text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.measures.base import one_of
from patmark.measures.neural.embeddings import EmbeddedText, TokenVectorMeasure

PARTS = ("f", "precision", "recall")


@dataclass(frozen=True, kw_only=True)
class BERTScore(TokenVectorMeasure):
    """Greedy cosine matches of token vectors, without rescaling.

    Special tokens can be matched but have no weight, as in the authors' program.
    """

    label: ClassVar[str] = "BERTScore"
    description: ClassVar[str] = "BERTScore: greedy matches of token vectors, cosine, up to 1"
    citation: ClassVar[str] = "Zhang et al. 2020; bert-score 0.3.13 without rescaling"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    example: ClassVar[str] = "FacebookAI/roberta-large,layer=17"
    parameters: ClassVar[dict[str, str]] = {
        **TokenVectorMeasure.parameters,
        "part": "f, precision or recall",
    }

    part: str = "f"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "part", self.part, PARTS)

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        part = PARTS.index(self.part)
        return self.score_vectors(
            test_set, pairs, names, lambda own, other: f_precision_recall(own, other)[part]
        )


def f_precision_recall(
    hypothesis: EmbeddedText, reference: EmbeddedText
) -> tuple[float, float, float]:
    """F1, precision and recall; 0 where a text has no token of any weight."""
    precision = _matched(hypothesis, reference)
    recall = _matched(reference, hypothesis)
    if not hypothesis.weights.any() or not reference.weights.any():
        return 0.0, 0.0, 0.0
    total = precision + recall
    return (2 * precision * recall / total if total else 0.0), precision, recall


def _matched(text: EmbeddedText, other: EmbeddedText) -> float:
    """The weighted mean over the tokens of a text of the best cosine with the other text."""
    if not text.weights.any():
        return 0.0
    best = (text.vectors @ np.concatenate([other.vectors, other.special]).T).max(axis=1)
    return float(best @ text.weights / text.weights.sum())
