"""NIST, equal to mteval-v13a."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.languages import kept_in_workspace
from patmark.measures.base import ReferenceLayout, WordMeasure, one_of
from patmark.measures.bleu import encoded_sides
from patmark.measures.kernels.ngrams import (
    Encoded,
    ngram_groups,
    ngrams_in,
    one_row,
    text_rows,
    vocabulary_of,
)

_BETA = -np.log(0.5) / np.log(1.5) ** 2


@dataclass(frozen=True, kw_only=True)
class NIST(WordMeasure):
    """Sum of the information of matched n-grams. Statistics: lengths, information and n-grams.

    The information of an n-gram comes from all references of the test set, so that the score of a
    segment depends on its test set.
    """

    label = "NIST"
    description = "information-weighted n-gram matches, of the corpus, from 0 up"
    formula = "brevity · sum over n = 1…5 of information of matched n-grams / n-grams of the output"
    limits = "It has no upper end and depends on all references: compare on one test set only."
    guide = "measures/nist.md"
    runs_by_default = True
    citation = "Doddington 2002; mteval-v13a.pl"
    bounds = (0.0, float("inf"))

    n: Annotated[int, "longest n-gram"] = 5
    case: Annotated[
        str, "lower, as mteval does by default, or mixed (mteval -c, as NTCIR-9 used it)"
    ] = "lower"
    history: Annotated[str, "mteval takes the word 0 for no history; clean does not"] = "mteval"

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
        weights = _reference_weights(
            test_set.flat_references, tokenizer, self.case == "lower", self.n,
            self.history == "mteval",
        )  # fmt: skip
        in_order = other.in_order_of_occurrence()  # so it is added up whatever was read before
        own, other = own.renumbered(in_order), other.renumbered(in_order)
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
    """Return 1 at the mean reference length or above, one half at two thirds of it."""
    ratio = length / np.maximum(reference_length, 1e-300)
    logs = np.log(np.clip(ratio, 1e-300, 1.0))
    return np.asarray(np.where(ratio > 0, np.exp(-_BETA * logs**2), 0.0))


@kept_in_workspace(4)
def _reference_weights(
    references: tuple[str, ...], tokenizer: str, lower: bool, longest: int, mteval: bool
) -> FloatArray:
    """Return the information of the n-gram that starts at each reference word: (n, words).

    A word that equals 0 is no history for mteval. An n-gram beyond the end of a text counts, too,
    but matches nothing.
    """
    vocabulary = vocabulary_of(tokenizer)
    encoded = vocabulary.encode(references, lower)
    words = len(encoded.ids)
    history = np.full(words + 1, float(words))
    weights = np.zeros((longest, words + 1))
    for order, groups in enumerate(
        ngram_groups(one_row(encoded, longest), longest, with_words=True)
    ):
        counts, sizes = np.ones(words + 1), groups.sizes()
        counts[groups.words] = np.repeat(sizes, sizes)
        weights[order] = np.log2(history / counts)
        history = counts
        if order == 0 and mteval:
            history[:-1][encoded.ids == vocabulary.words.number_of["0"]] = words
    return weights


def _information(
    hypotheses: Encoded, references: Encoded, layout: ReferenceLayout, weights: FloatArray
) -> FloatArray:
    """Return the information of the matched n-grams of each segment, a column for each order.

    A matched n-gram is in a reference of its segment, where its weight is known.
    """
    found = np.zeros((len(hypotheses.lengths), len(weights)))
    for rows in text_rows(hypotheses, references, layout.segment, len(weights), with_words=True):
        everything = ngram_groups(rows, len(weights), with_words=True)
        for order, groups in enumerate(everything):
            matched = groups.matched()
            shared = np.flatnonzero(matched)
            words, row = groups.reference_words()[shared], groups.bounds[shared] // rows.columns
            information = matched[shared] * weights[order, words]
            found[rows.segments, order] = np.bincount(row, information, len(rows.segments))
    return found
