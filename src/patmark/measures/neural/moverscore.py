"""MoverScore: how far the words of one text must be moved to become those of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.measures.base import one_of
from patmark.measures.neural.embeddings import EmbeddedText, TokenVectorMeasure, unit_vectors
from patmark.measures.neural.transport import transport_cost


@dataclass(frozen=True, kw_only=True)
class MoverScore(TokenVectorMeasure):
    """1 − the word mover distance of n-gram vectors, weighted by inverse document frequency.

    A word is the vector of its first token; punctuation and special tokens are left out.
    """

    label: ClassVar[str] = "MoverScore"
    description: ClassVar[str] = "MoverScore: 1 − word mover distance of token vectors, up to 1"
    citation: ClassVar[str] = "Zhao et al. 2019"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    example: ClassVar[str] = "distilbert/distilbert-base-uncased"
    parameters: ClassVar[dict[str, str]] = {
        **TokenVectorMeasure.parameters,
        "n": "words per unit that is moved, 1 or 2",
    }

    idf: bool = True
    n: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "n", self.n, (1, 2))

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {"transport": "exact-highs-ds"}

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        def score(hypothesis: EmbeddedText, reference: EmbeddedText) -> float:
            return mover_score(word_units(hypothesis, self.n), word_units(reference, self.n))

        return self.score_vectors(test_set, pairs, names, score)


def word_units(text: EmbeddedText, n: int) -> tuple[FloatArray, FloatArray]:
    """Vectors and weights of the n-grams of words; a text of fewer words is one unit."""
    chosen = text.words & (text.weights > 0)
    return ngram_units(text.vectors[chosen], text.weights[chosen], n)


def ngram_units(vectors: FloatArray, weights: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """The weighted mean vector, of length 1, and the sum of weights of each n-gram."""
    size = min(n, len(weights))
    if size < 2:
        return vectors, weights
    places = np.arange(len(weights) - size + 1)[:, None] + np.arange(size)
    total = weights[places].sum(axis=1)
    means = (vectors[places] * weights[places][..., None]).sum(axis=1) / total[:, None]
    return unit_vectors(means), total


def mover_score(
    hypothesis: tuple[FloatArray, FloatArray], reference: tuple[FloatArray, FloatArray]
) -> float:
    """1 − the least mean distance of moving weights; 0 where a text has nothing to move."""
    if not len(hypothesis[1]) or not len(reference[1]):
        return 0.0
    squared = 2 - 2 * hypothesis[0] @ reference[0].T
    distances = np.sqrt(np.maximum(squared, 0.0))
    return 1 - transport_cost(hypothesis[1], reference[1], distances)
