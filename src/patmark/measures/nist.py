"""NIST, equal to mteval-v13a."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, IntArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import ReferenceLayout, WordMeasure, one_of
from patmark.measures.bleu import cased_tokens
from patmark.measures.kernels.ngrams import encode_words, ngrams_in

_BETA = -np.log(0.5) / np.log(1.5) ** 2


@dataclass(frozen=True, kw_only=True)
class NIST(WordMeasure):
    """Sum of the information of matched n-grams. Statistics: lengths, information and n-grams.

    The information of an n-gram comes from all references of the test set, so that the score of a
    segment depends on the test set that it stands in.
    """

    label: ClassVar[str] = "NIST"
    description: ClassVar[str] = "information-weighted n-gram matches, of the corpus, from 0 up"
    citation: ClassVar[str] = "Doddington 2002; mteval-v13a.pl"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    parameters: ClassVar[dict[str, str]] = {
        "n": "longest n-gram",
        "case": "lower, as mteval does by default, or mixed (mteval -c, as NTCIR-9 used it)",
        "history": "mteval takes the word 0 for no history; clean does not",
    }

    n: int = 5
    case: str = "lower"
    history: str = "mteval"

    def __post_init__(self) -> None:
        one_of("NIST", "case", self.case, ("lower", "mixed"))
        one_of("NIST", "history", self.history, ("mteval", "clean"))
        if not 1 <= self.n <= 9:
            raise UsageError("NIST: n must be between 1 and 9")

    @property
    def width(self) -> int:
        return 2 + 2 * self.n

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        hypothesis_tokens, reference_tokens = cased_tokens(
            test_set, hypotheses, self.tokenizer(test_set), self.case
        )
        layout = ReferenceLayout.of(test_set.reference_lists)
        corpus = _Corpus.of(hypothesis_tokens, reference_tokens, layout)
        size = len(test_set)
        reference_lengths = corpus.lengths[size:]
        mean_length = np.bincount(layout.segment, reference_lengths, size) / np.bincount(
            layout.segment, minlength=size
        )
        columns = [corpus.lengths[:size].astype(np.float64), mean_length]
        for order, information in enumerate(corpus.information(self.n, self.history), start=1):
            columns += [information, ngrams_in(corpus.lengths[:size], order)]
        return np.column_stack(columns)

    def score(self, totals: FloatArray) -> FloatArray:
        information, ngrams = totals[..., 2::2], totals[..., 3::2]
        precision = (information / np.maximum(ngrams, 1)).sum(axis=-1)
        return np.asarray(precision * length_penalty(totals[..., 0], totals[..., 1]))


def length_penalty(length: FloatArray, reference_length: FloatArray) -> FloatArray:
    """1 at the mean reference length or above; one half at two thirds of it."""
    ratio = length / np.maximum(reference_length, 1e-300)
    logs = np.log(np.clip(ratio, 1e-300, 1.0))
    return np.asarray(np.where(ratio > 0, np.exp(-_BETA * logs**2), 0.0))


@dataclass(frozen=True, slots=True)
class _Corpus:
    """Hypotheses, then references, as one row of word numbers."""

    ids: IntArray
    lengths: IntArray
    words: int
    zero: int
    segment: IntArray
    side: IntArray
    sides: int
    segments: int

    @classmethod
    def of(
        cls,
        hypotheses: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        layout: ReferenceLayout,
    ) -> _Corpus:
        texts = encode_words([["0"], *hypotheses, *references])
        segment = np.concatenate([np.arange(len(hypotheses)), layout.segment])
        side = np.concatenate([np.zeros(len(hypotheses), dtype=np.int64), layout.place + 1])
        lengths = texts.lengths[1:]
        return cls(
            texts.ids[1:], lengths, texts.largest + 1, int(texts.ids[0]),
            np.repeat(segment, lengths), np.repeat(side, lengths),
            layout.most + 1, len(hypotheses),
        )  # fmt: skip

    def information(self, longest: int, history_rule: str) -> Iterator[FloatArray]:
        """For each order the information of the matched n-grams of each segment."""
        left = np.repeat(np.cumsum(self.lengths), self.lengths) - np.arange(len(self.ids))
        starts = np.arange(len(self.ids))
        gram = np.zeros(len(self.ids), dtype=np.int64)
        total = float(np.count_nonzero(self.side))
        history_counts, previous_keys = np.array([total]), np.zeros(1, dtype=np.int64)
        for order in range(1, longest + 1):
            starts, gram = starts[left[starts] >= order], gram[left[starts] >= order]
            keys, gram = np.unique(gram * self.words + self.ids[starts + order - 1],
                                   return_inverse=True)  # fmt: skip
            counts = np.bincount(gram[self.side[starts] > 0], minlength=len(keys)).astype(float)
            before = history_counts[keys // self.words]
            if order == 2 and history_rule == "mteval":  # the keys of order 1 are words
                is_zero = previous_keys[keys // self.words] == self.zero
                before = np.where(is_zero, total, before)
            weights = np.log2(np.maximum(before, 1) / np.maximum(counts, 1))
            yield self._matched(starts, gram, weights)
            history_counts, previous_keys = counts, keys

    def _matched(self, starts: IntArray, gram: IntArray, weights: FloatArray) -> FloatArray:
        keys, group = np.unique(
            self.segment[starts] * max(1, len(weights)) + gram, return_inverse=True
        )
        counts = np.bincount(
            group * self.sides + self.side[starts], minlength=len(keys) * self.sides
        ).reshape(-1, self.sides)
        matched = np.minimum(counts[:, 0], counts[:, 1:].max(axis=1, initial=0))
        information = matched * weights[keys % max(1, len(weights))]
        return np.asarray(
            np.bincount(keys // max(1, len(weights)), information, self.segments), dtype=np.float64
        )
