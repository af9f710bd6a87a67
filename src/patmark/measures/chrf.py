"""chrF and chrF++, equal to sacreBLEU."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.languages import resolve_tokenizer, tokenize_all, tokenizer_signature
from patmark.measures.base import Measure, ReferenceLayout, best_reference, one_of
from patmark.measures.kernels.ngrams import (
    Encoded,
    chunk_slices,
    clipped_matches,
    encode_characters,
    encode_words,
    ngrams_in,
)

_PUNCTUATION = frozenset(string.punctuation)
_EPSILON = 1e-16


@dataclass(frozen=True, kw_only=True)
class ChrF(Measure):
    """F-score of character n-grams, and of word n-grams if ``words`` is set.

    Statistics per order: n-grams of the hypothesis, of the reference, matches.
    """

    label = "chrF"
    description = "F2 of character n-grams (words=2: chrF++), of the corpus, 0–100"
    formula = "100 · mean over n = 1…6 of F2 of character n-grams"
    limits = "Rewards similar spelling: a wrong sign or number costs a few characters."
    guide = "measures/chrf.md"
    runs_by_default = True
    citation = "Popović 2015, 2017; sacreBLEU 2.6.0"
    bounds = (0.0, 100.0)

    words: Annotated[int, "longest word n-gram, 0 for none; 2 gives chrF++"] = 0
    chars: Annotated[int, "longest character n-gram"] = 6
    beta: Annotated[float, "weight of recall against precision"] = 2.0
    case: Annotated[str, "mixed, or lower to fold case"] = "mixed"
    eps: Annotated[
        bool, "average the F-scores of all orders instead of precision and recall (chrF++.py)"
    ] = False
    tok: Annotated[str, "tokenizer of the words; needed for chrF++ on Chinese and Japanese"] = (
        "auto"
    )

    def __post_init__(self) -> None:
        one_of("chrF", "case", self.case, ("mixed", "lower"))
        if self.chars < 1 or self.words < 0 or self.beta <= 0:
            raise UsageError("chrF: chars must be at least 1, words at least 0, beta above 0")
        if self.tok != "auto" and not self.words:
            raise UsageError(f"chrF: tok={self.tok} has no effect without words")

    def with_tokenizer(self, tok: str) -> Measure:
        return replace(self, tok=tok) if self.words and self.tok == "auto" else self

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return {"tok": tokenizer_signature(self._tokenizer(test_set)) if self.words else "-"}

    def _tokenizer(self, test_set: TestSet) -> str:
        return resolve_tokenizer(self.tok, test_set.target_language, "none", force=None)

    @property
    def width(self) -> int:
        return 3 * (self.chars + self.words)

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        layout = ReferenceLayout.of(test_set.reference_lists)
        hypothesis_texts: Sequence[str] = hypotheses
        reference_texts: Sequence[str] = test_set.flat_references
        if self.case == "lower":
            hypothesis_texts = list(map(str.lower, hypotheses))
            reference_texts = list(map(str.lower, reference_texts))
        sizes = np.array(
            [
                len(hypothesis_texts[segment]) + len(text)
                for segment, text in zip(layout.segment, reference_texts, strict=True)
            ],
            dtype=np.int64,
        )
        parts = []
        tokenizer = self._tokenizer(test_set)
        for chunk in chunk_slices(sizes):
            own = [hypothesis_texts[segment] for segment in layout.segment[chunk]]
            parts.append(self._pair_counts(own, reference_texts[chunk], tokenizer))
        counts = np.concatenate(parts)
        quality = self.score(counts.reshape(len(counts), -1))
        return counts[best_reference(layout, quality)].reshape(len(test_set), -1)

    def _pair_counts(
        self, hypotheses: Sequence[str], references: Sequence[str], tokenizer: str
    ) -> FloatArray:
        """Return counts (hypothesis, reference, match) of each pair: (pairs, orders, 3)."""
        counts = [_order_counts(encode_characters((*hypotheses, *references)), self.chars)]
        if self.words:
            tokens = tokenize_all((*hypotheses, *references), tokenizer)
            split = [[part for word in words for part in _peel(word)] for words in tokens]
            counts.append(_order_counts(encode_words(split), self.words))
        return np.concatenate(counts, axis=1)

    def score(self, totals: FloatArray) -> FloatArray:
        triples = totals.reshape(*totals.shape[:-1], self.chars + self.words, 3)
        hypothesis, reference, match = (triples[..., part] for part in range(3))
        factor = self.beta**2
        if self.eps:
            precision = np.where(hypothesis > 0, match / np.maximum(hypothesis, 1), _EPSILON)
            recall = np.where(reference > 0, match / np.maximum(reference, 1), _EPSILON)
            divisor = factor * precision + recall
            f_scores = (1 + factor) * precision * recall / np.where(divisor > 0, divisor, 1.0)
            return np.asarray(100 * np.where(divisor > 0, f_scores, _EPSILON).mean(axis=-1))
        used = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(used.sum(axis=-1), 1)
        precision = (match / np.where(used, hypothesis, 1) * used).sum(axis=-1) / orders
        recall = (match / np.where(used, reference, 1) * used).sum(axis=-1) / orders
        divisor = factor * precision + recall
        return np.asarray(
            100 * (1 + factor) * precision * recall / np.where(divisor > 0, divisor, 1.0)
        )


def _peel(word: str) -> list[str]:
    """Split one punctuation mark off the end of a word, else off its start."""
    if len(word) == 1:
        return [word]
    if word[-1] in _PUNCTUATION:
        return [word[:-1], word[-1]]
    if word[0] in _PUNCTUATION:
        return [word[0], word[1:]]
    return [word]


def _order_counts(texts: Encoded, longest: int) -> FloatArray:
    """Return counts for pairs whose hypotheses come first, then their references."""
    pairs = len(texts.lengths) // 2
    sides = (texts.part(slice(0, pairs)), texts.part(slice(pairs, 2 * pairs)))
    ngrams = ngrams_in(texts.lengths[:, None], np.arange(1, longest + 1))
    hypothesis, reference = ngrams[:pairs], ngrams[pairs:]
    match = clipped_matches(*sides, np.arange(pairs), longest)
    return np.stack([hypothesis * (reference > 0), reference, match], axis=-1)
