"""Equal words of two texts, matched from the end: the last in one with the last in the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from patmark.data import IntArray
from patmark.measures.kernels.ngrams import Encoded, encode_words

UNMATCHED = -2


@dataclass(frozen=True, slots=True)
class Side:
    """The words of one side of all pairs in a row: pair and place of each."""

    pair: IntArray
    place: IntArray
    starts: IntArray

    @classmethod
    def of(cls, lengths: IntArray) -> Side:
        """The layout of texts of these lengths."""
        starts = np.concatenate([[0], np.cumsum(lengths)])
        pair = np.repeat(np.arange(len(lengths)), lengths)
        return cls(pair, np.arange(starts[-1]) - starts[:-1][pair], starts)


@dataclass(frozen=True, slots=True)
class ExactMatches:
    """For each word of either side its place on the other side, or ``UNMATCHED``."""

    hypothesis: Side
    reference: Side
    to_reference: IntArray
    to_hypothesis: IntArray


def match_exact(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> ExactMatches:
    """Match the words of each hypothesis with words of its reference, equal but for case."""
    texts = encode_words([*hypotheses, *references], fold_case=True)
    sides = [Side.of(lengths) for lengths in np.split(texts.lengths, 2)]
    cut = int(sides[0].starts[-1])
    ids = (texts.ids[:cut], texts.ids[cut:])
    ranked = [_ranked(side, words, texts) for side, words in zip(sides, ids, strict=True)]
    _, own, other = np.intersect1d(
        ranked[0][0], ranked[1][0], assume_unique=True, return_indices=True
    )
    found = (ranked[0][1][own], ranked[1][1][other])
    places = [np.full(len(words), UNMATCHED, dtype=np.int64) for words in ids]
    places[0][found[0]] = sides[1].place[found[1]]
    places[1][found[1]] = sides[0].place[found[0]]
    return ExactMatches(sides[0], sides[1], places[0], places[1])


def _ranked(side: Side, words: IntArray, texts: Encoded) -> tuple[IntArray, IntArray]:
    """A key for each word (pair, word, how many equal ones follow in its text), and its index."""
    longest = int(texts.lengths.max(initial=0)) + 1
    groups = side.pair * (texts.largest + 1) + words
    order = np.argsort(groups * longest + (longest - 1 - side.place))
    ordered = groups[order]
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]
    firsts = np.flatnonzero(new)
    rank = np.arange(len(ordered)) - firsts[np.cumsum(new) - 1]
    return ordered * longest + rank, order
