"""NIST, equal to mteval-v13a."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, IntArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import ReferenceLayout, WordMeasure, one_of
from patmark.measures.bleu import encoded_sides
from patmark.measures.kernels.ngrams import (
    Encoded,
    chunk_slices,
    joined,
    ngram_groups,
    ngrams_in,
    vocabulary_of,
)

_BETA = -np.log(0.5) / np.log(1.5) ** 2


@dataclass(frozen=True, kw_only=True)
class NIST(WordMeasure):
    """Sum of the information of matched n-grams. Statistics: lengths, information and n-grams.

    The information of an n-gram comes from all references of the test set, so that the score of a
    segment depends on the test set that it stands in.
    """

    label: ClassVar[str] = "NIST"
    description: ClassVar[str] = "information-weighted n-gram matches, of the corpus, from 0 up"
    formula: ClassVar[str] = (
        "brevity · sum over n = 1…5 of information of matched n-grams / n-grams of the output"
    )
    limits: ClassVar[str] = (
        "It has no upper end and depends on all references: compare on one test set only."
    )
    guide: ClassVar[str] = "measures/nist.md"
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
        tokenizer = self.tokenizer(test_set)
        own, other = encoded_sides(test_set, hypotheses, tokenizer, self.case)
        weights, order = _reference_weights(
            test_set.flat_references, tokenizer, self.case == "lower", self.n,
            self.history == "mteval",
        )  # fmt: skip
        own, other = own.renumbered(order), other.renumbered(order)
        layout = ReferenceLayout.of(test_set.reference_lists)
        size = len(test_set)
        mean_length = np.bincount(layout.segment, other.lengths, size) / np.bincount(
            layout.segment, minlength=size
        )
        columns = [own.lengths.astype(np.float64), mean_length]
        for order, information in enumerate(_information(own, other, layout, weights).T, start=1):
            columns += [information, ngrams_in(own.lengths, order)]
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


@lru_cache(maxsize=4)
def _reference_weights(
    references: tuple[str, ...], tokenizer: str, lower: bool, longest: int, mteval: bool
) -> tuple[FloatArray, IntArray]:
    """The information of the n-gram that starts at each word of the references: (n, words).

    A word that equals 0 is no history for mteval. What reaches beyond the end of a text counts,
    too; nothing can match it. The second array has the different words in the order in which they
    first occur, in which information is added up whatever texts were read before.
    """
    vocabulary = vocabulary_of(tokenizer)
    encoded = vocabulary.encode(references, lower)
    texts = joined(encoded)
    words = len(texts.ids)
    alone, other_side = (
        np.zeros(len(texts.lengths), np.int64),
        np.ones(len(texts.lengths), np.int64),
    )
    history = np.full(words, float(words))
    weights = np.zeros((longest, words))
    for order, groups in enumerate(
        ngram_groups(texts, alone, other_side, 2, longest, with_starts=True)
    ):
        counts, sizes = np.ones(words), groups.sizes()
        counts[groups.starts] = np.repeat(sizes, sizes)
        weights[order] = np.log2(history / counts)
        history = counts
        if order == 0 and mteval:
            history[encoded.ids == vocabulary.words.number_of["0"]] = words
    return weights, encoded.in_order_of_occurrence()


def _information(
    hypotheses: Encoded, references: Encoded, layout: ReferenceLayout, weights: FloatArray
) -> FloatArray:
    """The information of the matched n-grams of each segment, a column for each order.

    An n-gram that matches stands in a reference of its segment, where its weight is known.
    """
    longest = len(weights)
    found = np.zeros((len(hypotheses.lengths), longest))
    sizes = hypotheses.lengths + np.bincount(layout.segment, references.lengths, len(found)).astype(
        np.int64
    )
    for chunk in chunk_slices(sizes):
        inside = slice(*np.searchsorted(layout.segment, [chunk.start, chunk.stop]).tolist())
        own = hypotheses.part(chunk)
        texts = joined(own, references.part(inside))
        count = len(own.lengths)
        scope = np.concatenate([np.arange(count), layout.segment[inside] - chunk.start])
        side = np.concatenate([np.zeros(count, dtype=np.int64), layout.place[inside] + 1])
        segment_at = np.repeat(scope, texts.lengths)
        before = int(references.lengths[: inside.start].sum()) - len(own.ids)
        everything = ngram_groups(texts, scope, side, layout.most + 1, longest, with_starts=True)
        for order, groups in enumerate(everything):
            matched = groups.matched()
            place = groups.reference_starts()[matched > 0]
            information = matched[matched > 0] * weights[order, place + before]
            found[chunk, order] = np.bincount(segment_at[place], information, count)
    return found
