"""Lexical evidence for beads: IBM model 1 in both directions, for every bead in a band.

A word w of a bead is worth log(1 + o · Σ_s p(w|s) / (l · p(w))), over the l words s of the other
side, with o the odds that it is translated at all. That is how much likelier it is next to them
than elsewhere in the text. Every word is in exactly one bead, so sums over whole texts are
comparable (R. Moore, "Fast and accurate sentence alignment of bilingual corpora", 2002).

In long texts the odds are learned for every word, so that a word that usually has its translation
counts against a bead without it, and p(w) is that of this part of the text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from patmark.alignment.lexicon import frequencies
from patmark.alignment.search import Band, Grid
from patmark.alignment.words import Side
from patmark.data import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_BLOCK = 64
_DENSE = 1 << 20
_SMALL = 1 << 16
_ROUNDS = 4
_SENTENCES_NEARBY = 21
# weight of a nearby occurrence, in words of the whole text
_WORDS_OF_THE_WHOLE = 300.0
_USUALLY_TRANSLATED = 0.3
_MOST_TRANSLATED = 0.95


@dataclass(frozen=True, slots=True)
class Explanation:
    """Evidence for the words of one side in the sentences of the other.

    ``support[w, k]`` sums o · p(w|s) / p(w) over the words s of sentence k, which has ``sizes[k]``
    words; ``odds`` has o for each word, ``against`` its value in a bead that does not explain it.
    """

    explained: Side
    support: csc_array | FloatArray
    sizes: IntArray
    odds: FloatArray
    against: FloatArray

    @classmethod
    def of(
        cls,
        explained: Side,
        other: Side,
        chances: tuple[IntArray, IntArray, FloatArray],
        odds: float,
        smoothing: float,
    ) -> Explanation:
        """Build from words w of one side, words s of the other, and p(w|s) of each pair."""
        words, others, values = chances
        values = values * (odds / frequencies(explained, smoothing))[words]
        rows, columns = len(explained.vocabulary), len(other)
        of_words = np.full(rows, odds), np.zeros(rows)
        if len(values) * columns <= _SMALL:
            cells = words[:, None] * columns + np.arange(columns)
            parts = values[:, None] * other.count_table()[others]
            support = np.bincount(cells.ravel(), parts.ravel(), rows * columns)
            return cls(explained, support.reshape(rows, columns), other.sizes, *of_words)
        from scipy.sparse import csr_array

        shape = (rows, len(other.vocabulary))
        product = csr_array((values, (words, others)), shape=shape) @ other.counts()
        support = product.toarray() if rows * columns <= _DENSE else product.tocsc()
        return cls(explained, support, other.sizes, *of_words)

    def compared_nearby(self, centres: FloatArray, smoothing: float) -> Explanation:
        """Return the evidence with p(w) of the neighbourhood of each sentence.

        ``centres`` has the position of each boundary of the other text in the explained one.
        """
        count = len(self.explained)
        if count <= _SENTENCES_NEARBY:
            return self
        from scipy.sparse import csc_array

        first = np.rint((centres[:-1] + centres[1:] - _SENTENCES_NEARBY) / 2).astype(np.int64)
        first = np.clip(first, 0, count - _SENTENCES_NEARBY)
        sentences = (first[:, None] + np.arange(_SENTENCES_NEARBY)).ravel()
        bounds = np.arange(len(first) + 1) * _SENTENCES_NEARBY
        windows = csc_array((np.ones(len(sentences)), sentences, bounds), shape=(count, len(first)))
        near = (self.explained.counts().tocsc() @ windows).tocsc()
        whole = frequencies(self.explained, smoothing) * _WORDS_OF_THE_WHOLE
        # the explained occurrence itself does not count
        near.data = np.maximum(near.data - 1, 0) / whole[near.indices]
        words_nearby = len(self.explained.ids) * _SENTENCES_NEARBY / count
        scale = 1 + words_nearby / _WORDS_OF_THE_WHOLE
        if isinstance(self.support, np.ndarray):
            return replace(self, support=self.support * (scale / (1 + near.toarray())))
        near.data = -near.data / (1 + near.data)
        return replace(self, support=((self.support + self.support.multiply(near)) * scale).tocsc())

    def learnt(self, explained: IntArray, explaining: IntArray) -> Explanation:
        """Return the evidence with the odds of each word in the beads (as boundaries).

        One more occurrence, translated as usual, is added for each word; a word without known
        translations is neutral.
        """
        bead, ratio = self._in_beads(explained, explaining)
        beside = np.diff(explaining)[bead] > 0
        words = self.explained.ids[beside]
        ratio = ratio[beside] / self.odds[words]
        counts = np.bincount(words, minlength=len(self.odds)) + 1
        has_support = np.asarray(self.support.sum(axis=1)).ravel() > 0
        usual = np.where(has_support, _USUALLY_TRANSLATED, 0.0)
        share = usual
        for _ in range(_ROUNDS):
            by_translation = share[words] * ratio
            weights = by_translation / (1 - share[words] + by_translation)
            share = (np.bincount(words, weights, len(usual)) + usual) / counts
        share = np.minimum(share, _MOST_TRANSLATED)
        odds, against = share / (1 - share), np.log1p(-share)
        factors = odds / self.odds
        if isinstance(self.support, np.ndarray):
            support = self.support * factors[:, None]
        else:
            support = self.support.copy()
            support.data *= factors[support.indices]
        return replace(self, support=support, odds=odds, against=against)

    def of_groups(self, largest: int, rows: slice, columns: slice) -> Grid:
        """Return the evidence of 1 to ``largest`` sentences from each column for each row.

        Groups beyond the text end with it.
        """
        from scipy.sparse import csr_array

        starts = self.explained.starts[rows.start : rows.stop + 1]
        length = columns.stop - columns.start
        stop = min(columns.stop + largest - 1, len(self.sizes))
        found, places = np.unique(self.explained.ids[starts[0] : starts[-1]], return_inverse=True)
        sums = csr_array(
            (np.ones(len(places), np.float32), places, starts - starts[0]),
            shape=(rows.stop - rows.start, len(found)),
        )
        dense = np.zeros((len(found), length + largest - 1), dtype=np.float32)
        near = slice(columns.start, stop)
        if isinstance(self.support, np.ndarray):
            dense[:, : stop - columns.start] = self.support[found, near]
        else:
            dense[:, : stop - columns.start] = self.support[:, near].tocsr()[found].toarray()
        words = np.zeros(length + largest - 1, dtype=np.float32)
        words[: stop - columns.start] = self.sizes[columns.start : stop]
        result = np.zeros((largest, rows.stop - rows.start, length), dtype=np.float32)
        against = self.against[found, None].astype(np.float32)
        total, count = np.zeros((len(found), length), np.float32), np.zeros(length, np.float32)
        for more in range(largest):
            total += dense[:, more : more + length]
            count += words[more : more + length]
            worth = total / np.maximum(count, 1)
            np.log1p(worth, out=worth, where=worth > 0)  # most words have no support there
            worth += against
            result[more] = sums @ worth
        return result

    def by_chance(self) -> FloatArray:
        """Return, for each sentence, the mean evidence of any sentence of the other text."""
        scale = 1 / np.maximum(self.sizes, 1)
        if isinstance(self.support, np.ndarray):
            scaled = self.support * scale
            worth = np.log1p(scaled, out=scaled, where=scaled > 0).sum(axis=1)
        else:
            sparse = self.support.copy()
            sparse.data = np.log1p(sparse.data * np.repeat(scale, np.diff(sparse.indptr)))
            worth = np.asarray(sparse.sum(axis=1)).ravel()
        of_word = worth / max(len(self.sizes), 1)
        running = np.concatenate([[0.0], np.cumsum(of_word[self.explained.ids])])
        return np.asarray(np.diff(running[self.explained.starts]))

    def of_beads(self, explained: IntArray, explaining: IntArray) -> FloatArray:
        """Return the evidence for the words of each bead, never below 0.

        Bead k has the sentences from boundary k to boundary k + 1 of both sides.
        """
        bead, ratio = self._in_beads(explained, explaining)
        return np.bincount(bead, np.log1p(ratio), len(explaining) - 1).astype(np.float64)

    def _in_beads(self, explained: IntArray, explaining: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the bead of each word of the text, and the mean support by its neighbours."""
        bead = np.repeat(np.arange(len(explained) - 1), np.diff(explained))
        bead = np.repeat(bead, self.explained.sizes)
        others = np.diff(explaining)[bead]
        token = np.repeat(np.arange(len(bead)), others)
        inside = np.arange(len(token)) - np.repeat(np.cumsum(others) - others, others)
        found = self._entries(self.explained.ids[token], explaining[bead[token]] + inside)
        running = np.concatenate([[0], np.cumsum(self.sizes)])
        words = np.diff(running[explaining])
        return bead, np.bincount(token, found, len(bead)) / np.maximum(words[bead], 1)

    def _entries(self, words: IntArray, sentences: IntArray) -> FloatArray:
        """Return single entries of the support as a plain array."""
        found = self.support[words, sentences] if len(words) else np.zeros(0)
        return np.asarray(found.toarray() if hasattr(found, "toarray") else found).ravel()


def explained_sources(band: Band, explanation: Explanation, largest: int) -> Grid:
    """Return ``[b - 1, i, c]``: source sentence i next to b target sentences from cell c on."""
    result = np.full((largest, band.sources, band.width), -np.inf, dtype=np.float32)
    for first in range(0, band.sources, _BLOCK):
        last = min(first + _BLOCK, band.sources)
        columns = slice(band.low[first], min(band.low[last - 1] + band.width, band.targets))
        block = explanation.of_groups(largest, slice(first, last), columns)
        cells = np.arange(columns.start, columns.stop) - band.low[first:last, None]
        row, column = np.nonzero((cells >= 0) & (cells < band.width))
        result[:, first + row, cells[row, column]] = block[:, row, column]
    return result


def explained_targets(band: Band, explanation: Explanation, largest: int) -> Grid:
    """Return ``[a - 1, i, c]``: the target at cell c next to a source sentences from i on."""
    result = np.full((largest, band.sources, band.width), -np.inf, dtype=np.float32)
    low = band.low[: band.sources]
    for first in range(0, band.targets, _BLOCK):
        last = min(first + _BLOCK, band.targets)
        columns = slice(
            int(np.searchsorted(low, first - band.width, side="right")),
            int(np.searchsorted(low, last - 1, side="right")),
        )
        block = explanation.of_groups(largest, slice(first, last), columns)
        cells = np.arange(first, last)[:, None] - low[columns]
        target, source = np.nonzero((cells >= 0) & (cells < band.width))
        result[:, columns.start + source, cells[target, source]] = block[:, target, source]
    return result
