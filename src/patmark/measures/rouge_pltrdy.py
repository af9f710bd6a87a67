"""ROUGE-1, ROUGE-2 and ROUGE-L, equal to the package ``rouge`` (pltrdy).

It splits at every full stop, counts distinct words unless told otherwise, keeps case and
punctuation, and adds 1e-8 to the denominator of F, so that equal texts score 0.999999995.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from patmark.data import FloatArray, TestSet
from patmark.measures.base import MeanMeasure, WordMeasure
from patmark.measures.kernels.edits import lcs_length, lcs_words
from patmark.measures.kernels.references import best_of_references
from patmark.text import tokenize_all

Sentences = list[list[str]]


@dataclass(frozen=True, kw_only=True)
class PltrdyRouge(WordMeasure, MeanMeasure):
    """What the three measures share: sentences split at full stops, F of counts, best reference."""

    variant: ClassVar[str] = "pltrdy"
    citation: ClassVar[str] = "rouge 1.0.1 (pltrdy)"
    english_tokenizer: ClassVar[str] = "none"
    parameters: ClassVar[dict[str, str]] = {"exclusive": "count distinct words and n-grams only"}

    exclusive: bool = True

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        own = self._sentences(hypotheses, test_set)
        references = self._sentences(test_set.flat_references, test_set)
        return best_of_references(test_set, own, references, self._pair_score)

    def _sentences(self, texts: tuple[str, ...], test_set: TestSet) -> list[Sentences]:
        tokenizer = self.tokenizer(test_set)
        if tokenizer == "none":
            return [split_sentences(text) for text in texts]
        return [split_sentences(" ".join(words)) for words in tokenize_all(texts, tokenizer)]

    def _pair_score(self, hypothesis: Sentences, reference: Sentences) -> float:
        if not hypothesis or not reference:
            return 0.0
        shared, own, other = self._counts(hypothesis, reference)
        precision = shared / own if own else 0.0
        recall = shared / other if other else 0.0
        return 2.0 * ((precision * recall) / (precision + recall + 1e-8))

    @abstractmethod
    def _counts(self, hypothesis: Sentences, reference: Sentences) -> tuple[int, int, int]:
        """What is shared, what the hypothesis has, what the reference has."""

    def _shared_counts(
        self, own: Sequence[object], other: Sequence[object]
    ) -> tuple[int, int, int]:
        if self.exclusive:
            own_set, other_set = set(own), set(other)
            return len(own_set & other_set), len(own_set), len(other_set)
        return (Counter(own) & Counter(other)).total(), len(own), len(other)


def split_sentences(text: str) -> Sentences:
    """Split at every full stop, then at blanks.

    A stretch of blanks beside a stop is a sentence of one empty word, as in the package.
    """
    pieces = [piece for piece in text.split(".") if piece]
    return [" ".join(piece.split()).split(" ") for piece in pieces]


def _flat(sentences: Sentences) -> list[str]:
    return [word for sentence in sentences for word in sentence]


@dataclass(frozen=True, kw_only=True)
class PltrdyROUGE1(PltrdyRouge):
    """Shared words."""

    label: ClassVar[str] = "ROUGE-1"
    description: ClassVar[str] = "shared distinct words, as the package rouge, 0–1"

    def _counts(self, hypothesis: Sentences, reference: Sentences) -> tuple[int, int, int]:
        return self._shared_counts(_flat(hypothesis), _flat(reference))


@dataclass(frozen=True, kw_only=True)
class PltrdyROUGE2(PltrdyRouge):
    """Shared pairs of words."""

    label: ClassVar[str] = "ROUGE-2"
    description: ClassVar[str] = "shared distinct word pairs, as the package rouge, 0–1"

    def _counts(self, hypothesis: Sentences, reference: Sentences) -> tuple[int, int, int]:
        return self._shared_counts(
            list(pairwise(_flat(hypothesis))), list(pairwise(_flat(reference)))
        )


@dataclass(frozen=True, kw_only=True)
class PltrdyROUGEL(PltrdyRouge):
    """Words in the union of the longest common subsequences of all pairs of sentences."""

    label: ClassVar[str] = "ROUGE-L"
    description: ClassVar[str] = "union of common subsequences, as the package rouge, 0–1"

    def _counts(self, hypothesis: Sentences, reference: Sentences) -> tuple[int, int, int]:
        own, other = _flat(hypothesis), _flat(reference)
        if not self.exclusive:
            shared = sum(lcs_length(ref, hyp) for ref in reference for hyp in hypothesis)
            return shared, len(own), len(other)
        union = {word for ref in reference for hyp in hypothesis for word in lcs_words(ref, hyp)}
        return len(union), len(set(own)), len(set(other))
