"""ROUGE-1, ROUGE-2 and ROUGE-L, equal to rouge-score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import MeanMeasure, WordMeasure, one_of
from patmark.measures.kernels.edits import lcs_length
from patmark.measures.kernels.ngrams import clipped_matches, encode_words, ngrams_in
from patmark.measures.kernels.references import ReferenceLayout, best_reference
from patmark.text import porter_stem, tokenize_all

PARTS = ("f", "precision", "recall")
_STEM_ABOVE = 3


@dataclass(frozen=True, kw_only=True)
class Rouge(WordMeasure, MeanMeasure):
    """What the three measures share: overlap, precision and recall of each pair, best F."""

    citation: ClassVar[str] = "Lin 2004; rouge-score 0.1.2"
    english_tokenizer: ClassVar[str] = "rouge"
    parameters: ClassVar[dict[str, str]] = {
        "part": "f, precision or recall, of the reference with the best F",
        "stem": "Porter stems of English words longer than three letters",
    }

    part: str = "f"
    stem: bool = False

    def __post_init__(self) -> None:
        one_of(self.label, "part", self.part, PARTS)

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        tokenizer = self.tokenizer(test_set)
        if self.stem and tokenizer != "rouge":
            raise UsageError(f"{self.name}: stem=yes works with tok=rouge only, not {tokenizer}")
        layout = ReferenceLayout.of(test_set.reference_lists)
        own = self._words(hypotheses, tokenizer)
        references = self._words(test_set.flat_references, tokenizer)
        paired = [own[segment] for segment in layout.segment]
        parts = f_precision_recall(*self._overlap(paired, references))
        best = best_reference(layout, parts[0])
        return parts[PARTS.index(self.part)][best]

    def _words(self, texts: tuple[str, ...], tokenizer: str) -> list[list[str]]:
        tokens = tokenize_all(texts, tokenizer)
        if not self.stem:
            return tokens
        return [
            [porter_stem(word) if len(word) > _STEM_ABOVE else word for word in words]
            for words in tokens
        ]

    @abstractmethod
    def _overlap(
        self, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """For each pair: what is shared, what the hypothesis has, what the reference has."""


def f_precision_recall(
    shared: FloatArray, hypothesis: FloatArray, reference: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """F1, precision and recall; 0 where there is nothing to compare."""
    precision = shared / np.maximum(hypothesis, 1)
    recall = shared / np.maximum(reference, 1)
    total = precision + recall
    return 2 * precision * recall / np.where(total > 0, total, 1.0), precision, recall


def _ngram_overlap(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], order: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    pairs = len(hypotheses)
    texts = encode_words([*hypotheses, *references])
    scope, side = np.tile(np.arange(pairs), 2), np.repeat(np.arange(2), pairs)
    shared = clipped_matches(texts, scope, side, 2, order)[:, -1]
    return shared, ngrams_in(texts.lengths[:pairs], order), ngrams_in(texts.lengths[pairs:], order)


@dataclass(frozen=True, kw_only=True)
class ROUGE1(Rouge):
    """Shared words."""

    label: ClassVar[str] = "ROUGE-1"
    description: ClassVar[str] = "shared words, mean of segments, 0–1"

    def _overlap(
        self, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        return _ngram_overlap(hypotheses, references, 1)


@dataclass(frozen=True, kw_only=True)
class ROUGE2(Rouge):
    """Shared pairs of words."""

    label: ClassVar[str] = "ROUGE-2"
    description: ClassVar[str] = "shared word pairs, mean of segments, 0–1"

    def _overlap(
        self, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        return _ngram_overlap(hypotheses, references, 2)


@dataclass(frozen=True, kw_only=True)
class ROUGEL(Rouge):
    """The longest common subsequence of words, over the whole text."""

    label: ClassVar[str] = "ROUGE-L"
    description: ClassVar[str] = "longest common subsequence of words, mean of segments, 0–1"

    def _overlap(
        self, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        shared = [lcs_length(own, other) for own, other in zip(hypotheses, references, strict=True)]
        return (
            np.array(shared, dtype=np.float64),
            np.array([len(words) for words in hypotheses], dtype=np.float64),
            np.array([len(words) for words in references], dtype=np.float64),
        )
