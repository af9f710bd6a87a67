"""NIST, equal to mteval-v13a."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import ReferenceLayout, WordMeasure, one_of
from patmark.measures.bleu import cased_tokens
from patmark.measures.kernels.ngrams import (
    Encoded,
    encode_words,
    ngram_groups,
    ngrams_in,
    window_starts,
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
        size = len(test_set)
        texts = encode_words([*hypothesis_tokens, *reference_tokens, ["0"]])
        zero = int(texts.ids[-1]) if self.history == "mteval" else None
        texts = replace(texts, ids=texts.ids[:-1], lengths=texts.lengths[:-1])
        lengths, reference_lengths = texts.lengths[:size], texts.lengths[size:]
        mean_length = np.bincount(layout.segment, reference_lengths, size) / np.bincount(
            layout.segment, minlength=size
        )
        columns = [lengths.astype(np.float64), mean_length]
        for order, information in enumerate(_information(texts, layout, self.n, zero).T, start=1):
            columns += [information, ngrams_in(lengths, order)]
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


def _information(
    texts: Encoded, layout: ReferenceLayout, longest: int, zero: int | None
) -> FloatArray:
    """The information of the matched n-grams of each segment, a column for each order.

    ``texts`` has the hypotheses, then the references. Counts of n-grams in all references are
    kept by the place where a window starts, so that the count of an n-gram without its last word
    stands at the same place. The word ``zero`` is no history.
    """
    size = len(texts.lengths) - len(layout.segment)
    segment = np.concatenate([np.arange(size), layout.segment])
    side = np.concatenate([np.zeros(size, dtype=np.int64), layout.place + 1])
    places = window_starts(texts.lengths, longest)
    total = float(texts.lengths[size:].sum())
    history = np.full(int(places.max(initial=-1)) + 1, total)
    segment_at = np.zeros(len(history), dtype=np.int64)
    segment_at[places] = np.repeat(segment, texts.lengths)
    found = np.zeros((size, longest))
    everywhere = ngram_groups(
        texts, np.zeros_like(segment), np.minimum(side, 1), 2, longest, with_starts=True
    )
    inside = ngram_groups(texts, segment, side, layout.most + 1, longest, with_starts=True)
    for order, (corpus, own) in enumerate(zip(everywhere, inside, strict=True)):
        counts = np.ones(len(history))
        counts[corpus.starts] = np.repeat(corpus.counts()[0], corpus.sizes())
        matched = own.matched()
        first = own.starts[own.bounds[:-1][matched > 0]]
        weights = np.log2(history[first] / counts[first])
        found[:, order] = np.bincount(segment_at[first], matched[matched > 0] * weights, size)
        history = counts
        if order == 0 and zero is not None:
            history[places[texts.ids == zero]] = total
    return found
