"""ROUGE-1, ROUGE-2 and ROUGE-L, equal to rouge-score, or to the package rouge (pltrdy)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np

from patmark.data import FloatArray, Scores, TestSet
from patmark.errors import UsageError
from patmark.languages import porter_stem, tokenize_all
from patmark.measures.base import (
    PARTS,
    MeanMeasure,
    ReferenceLayout,
    WordMeasure,
    best_of_references,
    best_reference,
    one_of,
)
from patmark.measures.bleu import encoded_sides
from patmark.measures.kernels.edits import lcs_length, lcs_lengths, lcs_words
from patmark.measures.kernels.ngrams import (
    Encoded,
    clipped_matches,
    encode_words,
    ngrams_in,
)
from patmark.wording import tr, tr_n

_STEM_ABOVE = 3


@dataclass(frozen=True, kw_only=True)
class Rouge(WordMeasure, MeanMeasure):
    """Common parts of ROUGE-1, ROUGE-2 and ROUGE-L: overlap, precision, recall, best F.

    ``order`` is the number of words of an n-gram, 0 for common subsequences.
    """

    limits = "Made for summaries: only the same words count, whatever they say."
    guide = "measures/rouge.md"
    citation = "Lin 2004; rouge-score 0.1.2"
    english_tokenizer = "rouge"
    spaced_tokenizer = "rouge-intl"
    order: ClassVar[int] = 0

    part: Annotated[str, "f, precision or recall, of the reference with the best F"] = "f"
    stem: Annotated[bool, "Porter stems of English words longer than three letters"] = False

    def __post_init__(self) -> None:
        one_of(self.label, "part", self.part, PARTS)

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        tokenizer = self.tokenizer(test_set)
        if self.stem and tokenizer != "rouge":
            raise UsageError(f"{self.name}: stem=yes works with tok=rouge only, not {tokenizer}")
        layout = ReferenceLayout.of(test_set.reference_lists)
        own, references = self._encoded(test_set, hypotheses, tokenizer)
        parts = f_precision_recall(*self._overlap(own.picked(layout.segment), references))
        best = best_reference(layout, parts[0])
        return parts[PARTS.index(self.part)][best]

    def _encoded(
        self, test_set: TestSet, hypotheses: tuple[str, ...], tokenizer: str
    ) -> tuple[Encoded, Encoded]:
        if not self.stem:
            return encoded_sides(test_set, hypotheses, tokenizer, "mixed")
        tokens = tokenize_all((*hypotheses, *test_set.flat_references), tokenizer)
        stems = encode_words(
            [porter_stem(word) if len(word) > _STEM_ABOVE else word for word in words]
            for words in tokens
        )
        size = len(hypotheses)
        return stems.part(slice(0, size)), stems.part(slice(size, len(tokens)))

    def _overlap(
        self, hypotheses: Encoded, references: Encoded
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the shared counts of each pair, those of the hypothesis and of the reference."""
        order, pairs = self.order or 1, np.arange(len(hypotheses.lengths))
        if self.order:
            shared = clipped_matches(hypotheses, references, pairs, order)[:, -1]
        else:
            shared = lcs_lengths(hypotheses, references)
        return shared, ngrams_in(hypotheses.lengths, order), ngrams_in(references.lengths, order)


def f_precision_recall(
    shared: FloatArray, hypothesis: FloatArray, reference: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return F1, precision and recall; 0 if there is nothing to compare."""
    precision = shared / np.maximum(hypothesis, 1)
    recall = shared / np.maximum(reference, 1)
    total = precision + recall
    return 2 * precision * recall / np.where(total > 0, total, 1.0), precision, recall


@dataclass(frozen=True, kw_only=True)
class ROUGE1(Rouge):
    """Shared words."""

    label = "ROUGE-1"
    description = "shared words, mean of segments, 0–1"
    formula = "F1 of words in common"
    order = 1


@dataclass(frozen=True, kw_only=True)
class ROUGE2(Rouge):
    """Shared pairs of words."""

    label = "ROUGE-2"
    description = "shared word pairs, mean of segments, 0–1"
    formula = "F1 of word pairs in common"
    order = 2

    def remarks(self, test_set: TestSet, scores: Scores) -> tuple[str, ...]:
        """Return segments that score 0 because no reference has a word bigram."""
        lost = np.flatnonzero((scores.statistics[..., 0] == 0).all(axis=0))
        texts = [test_set.reference_lists[place] for place in lost]
        tokenizer = self.tokenizer(test_set)
        words = iter(tokenize_all(tuple(text for some in texts for text in some), tokenizer))
        short = sum(bool(some) and max(len(next(words)) for _ in some) < 2 for some in texts)
        if not short:
            return ()
        return (
            tr(
                "{name} is 0 in {segments} whose reference is a single word; ROUGE-1 and "
                "ROUGE-L count single words.",
                name=self.name,
                segments=tr_n("{n} segment", "{n} segments", n=short),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class ROUGEL(Rouge):
    """The longest common subsequence of words, over the whole text."""

    label = "ROUGE-L"
    description = "longest common subsequence of words, mean of segments, 0–1"
    formula = "F1 of the longest common subsequence"
    runs_by_default = True


Sentences = list[list[str]]


@dataclass(frozen=True, kw_only=True)
class PltrdyRouge(WordMeasure, MeanMeasure):
    """Common parts of the pltrdy variants: sentences at full stops, F of counts, best reference."""

    order: ClassVar[int] = 0

    variant = "pltrdy"
    limits = "Made for summaries: only the same words count, whatever they say."
    guide = "measures/rouge.md"
    citation = "rouge 1.0.1 (pltrdy)"
    english_tokenizer = "none"

    exclusive: Annotated[bool, "count distinct words and n-grams only"] = True

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

    def _counts(self, hypothesis: Sentences, reference: Sentences) -> tuple[int, int, int]:
        """Count shared items, those of the hypothesis and those of the reference."""
        own, other = (
            [word for sentence in side for word in sentence] for side in (hypothesis, reference)
        )
        if self.order:
            return self._shared_counts(_ngrams(own, self.order), _ngrams(other, self.order))
        if not self.exclusive:
            shared = sum(lcs_length(ref, hyp) for ref in reference for hyp in hypothesis)
            return shared, len(own), len(other)
        union = {word for ref in reference for hyp in hypothesis for word in lcs_words(ref, hyp)}
        return len(union), len(set(own)), len(set(other))

    def _shared_counts(
        self, own: Sequence[object], other: Sequence[object]
    ) -> tuple[int, int, int]:
        if self.exclusive:
            own_set, other_set = set(own), set(other)
            return len(own_set & other_set), len(own_set), len(other_set)
        return (Counter(own) & Counter(other)).total(), len(own), len(other)


def _ngrams(words: Sequence[str], order: int) -> Sequence[object]:
    return words if order == 1 else list(pairwise(words))


def split_sentences(text: str) -> Sentences:
    """Split at every full stop, then at blanks.

    A stretch of blanks beside a stop is a sentence of one empty word, as in the package.
    """
    pieces = [piece for piece in text.split(".") if piece]
    return [" ".join(piece.split()).split(" ") for piece in pieces]


@dataclass(frozen=True, kw_only=True)
class PltrdyROUGE1(PltrdyRouge):
    """Shared words."""

    label = "ROUGE-1"
    description = "shared distinct words, as the package rouge, 0–1"
    formula = "F1 of distinct words in common"
    order = 1


@dataclass(frozen=True, kw_only=True)
class PltrdyROUGE2(PltrdyRouge):
    """Shared pairs of words."""

    label = "ROUGE-2"
    description = "shared distinct word pairs, as the package rouge, 0–1"
    formula = "F1 of distinct word pairs in common"
    order = 2


@dataclass(frozen=True, kw_only=True)
class PltrdyROUGEL(PltrdyRouge):
    """Words in the union of the longest common subsequences of all pairs of sentences."""

    label = "ROUGE-L"
    description = "union of common subsequences, as the package rouge, 0–1"
    formula = "F1 of the union of common subsequences of sentences"
