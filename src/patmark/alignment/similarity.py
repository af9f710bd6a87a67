"""One-to-one matching of words that translate each other: co and SIM for beads.

SIM = (co + 1) / (l(J) + l(E) - 2 co + 2), where co counts matched content words and l all of them
(M. Utiyama and H. Isahara, ACL 2003). It is not bounded by 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from patmark.alignment.beads import Bead, Kind
from patmark.alignment.lexicon import Lexicon, Senses, dictionary_weights, known_pairs
from patmark.alignment.search import Band
from patmark.alignment.words import MARKS, Side, numbered, stop_words
from patmark.data import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_ROWS = 256
_LEAST_WEIGHT = 0.3
# a learned translation with a lower probability in either direction is no match
_LEAST_PROBABILITY = 0.3
_DOUBT = 1.0


@dataclass(frozen=True, slots=True)
class CellPairs:
    """Pairs of words that translate each other, in source sentence i and target sentence j.

    ``source_count`` and ``target_count`` are their counts in the sentences.
    """

    i: IntArray
    j: IntArray
    source: IntArray
    target: IntArray
    source_count: FloatArray
    target_count: FloatArray

    @classmethod
    def joined(cls, blocks: Iterable[CellPairs]) -> CellPairs:
        """Concatenate several blocks."""
        columns = zip(*(block.columns() for block in blocks), strict=True)
        return cls(*map(np.concatenate, columns))

    def taken(self, chosen: IntArray) -> CellPairs:
        """Return a selection of the pairs in a new order."""
        return CellPairs(
            self.i[chosen],
            self.j[chosen],
            self.source[chosen],
            self.target[chosen],
            self.source_count[chosen],
            self.target_count[chosen],
        )

    def columns(self) -> tuple[IntArray | FloatArray, ...]:
        """Return all arrays, in the order of the fields."""
        return (self.i, self.j, self.source, self.target, self.source_count, self.target_count)


@dataclass(frozen=True, slots=True)
class WordMatches:
    """The content words of two texts, and their translation pairs."""

    source: Side
    target: Side
    related: csr_array

    @classmethod
    def of(
        cls,
        source: Sequence[str],
        target: Sequence[str],
        languages: tuple[str, str],
        senses: Senses | None,
        lexicon: Lexicon | None = None,
    ) -> WordMatches:
        """Match words that are identical, or in the dictionary or the lexicon."""
        from scipy.sparse import csr_array

        source_side, target_side = (
            numbered(texts, language, stop_words(language).union(MARKS))
            for texts, language in zip((source, target), languages, strict=True)
        )
        *words, weights = dictionary_weights(source_side, target_side, senses)
        found = [np.array(words)[:, weights >= _LEAST_WEIGHT]]
        if lexicon is not None:
            known = known_pairs(source_side, target_side, None, lexicon, _DOUBT)
            likely = np.maximum(known.forward, known.backward) >= _LEAST_PROBABILITY
            found.append(np.array([known.source, known.target])[:, likely])
        places = np.concatenate(found, axis=1)
        shape = (len(source_side.vocabulary), len(target_side.vocabulary))
        related = csr_array((np.ones(places.shape[1]), tuple(places)), shape=shape)
        return cls(source_side, target_side, related)

    def pairs(self, band: Band) -> Iterator[CellPairs]:
        """Yield all pairs in the cells of a band, some hundred source sentences at a time."""
        sources = self.source.counts().T.tocsr()
        targets = self.target.counts().tocsr()
        for first in range(0, band.sources, _ROWS):
            last = min(first + _ROWS, band.sources)
            begin, end = band.low[first], band.low[last - 1] + band.width
            row, place = _expanded(sources, np.arange(first, last))
            word, source_count = sources.indices[place], sources.data[place]
            inner, place = _expanded(self.related, word)
            translation = self.related.indices[place]
            near = targets[:, begin:end]
            outer, place = _expanded(near, translation)
            i, j = first + row[inner[outer]], begin + near.indices[place]
            kept = (j >= band.low[i]) & (j < band.low[i] + band.width)
            chosen = inner[outer][kept]
            yield CellPairs(
                i[kept],
                j[kept],
                word[chosen],
                translation[outer[kept]],
                source_count[chosen],
                near.data[place][kept],
            )

    def matched(self, bead: IntArray, pairs: CellPairs, kind: Kind, beads: int) -> FloatArray:
        """Return co of each bead; ``kind`` has one sentence on one side at least."""
        width = len(self.target.vocabulary)
        word_pair = pairs.source * width + pairs.target
        _, first, place = np.unique(
            bead * (len(self.source.vocabulary) * width) + word_pair,
            return_index=True,
            return_inverse=True,
        )
        source_count, target_count = pairs.source_count[first], pairs.target_count[first]
        if kind[0] > 1:
            source_count = _totals(place, pairs.source_count)
        if kind[1] > 1:
            target_count = _totals(place, pairs.target_count)
        return matched_weight(
            bead[first],
            pairs.source[first],
            pairs.target[first],
            np.minimum(source_count, target_count),
            beads,
        )

    def similarities(self, beads: Sequence[Bead]) -> FloatArray:
        """Return SIM of beads that cover the texts; 0 for a bead with an empty side."""
        count = len(beads)
        merged = WordMatches(
            self.source.merged([len(bead.source) for bead in beads]),
            self.target.merged([len(bead.target) for bead in beads]),
            self.related,
        )
        band = Band(np.arange(count + 1), 1, count, count)
        matched = np.zeros(count)
        for pairs in merged.pairs(band):
            matched += merged.matched(pairs.i, pairs, (1, 1), count)
        both = np.array([bool(bead.source and bead.target) for bead in beads], dtype=bool)
        return np.where(both, sim(matched, merged.source.sizes, merged.target.sizes), 0.0)


def sim(matched: FloatArray, source_words: ArrayLike, target_words: ArrayLike) -> FloatArray:
    """Return SIM, element by element."""
    words = np.add(source_words, target_words)
    return np.asarray((matched + 1) / (words - 2 * matched + 2))


def _totals(place: IntArray, counts: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(place, weights=counts), dtype=np.float64)


def _expanded(matrix: csr_array, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for each entry of the wanted rows, the index of its row and of the entry."""
    sizes = np.diff(matrix.indptr)[rows]
    which = np.repeat(np.arange(len(rows)), sizes)
    inside = np.arange(len(which)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return which, matrix.indptr[rows][which] + inside


def matched_weight(
    group: IntArray, left: IntArray, right: IntArray, weight: FloatArray, groups: int
) -> FloatArray:
    """Return the weight of a one-to-one matching in each group.

    Pairs are chosen by weight, then by the fewest other partners of their words, then in the order
    of the words. So the matching is nearly maximal and deterministic. A pair is taken if it is the
    best remaining one for both of its words.
    """
    total = np.zeros(groups)
    lefts, rights = _nodes(group, left), _nodes(group, right)
    while len(group):
        partners = np.bincount(lefts)[lefts], np.bincount(rights)[rights]
        order = np.lexsort((right, left, np.maximum(*partners), np.minimum(*partners), -weight))
        worst_first = order[::-1]
        best_left = np.empty(lefts.max() + 1, dtype=np.int64)
        best_right = np.empty(rights.max() + 1, dtype=np.int64)
        best_left[lefts[worst_first]] = worst_first
        best_right[rights[worst_first]] = worst_first
        taken = best_left[lefts]
        taken = taken[(taken == np.arange(len(group))) & (best_right[rights] == taken)]
        total += np.bincount(group[taken], weights=weight[taken], minlength=groups)
        used_left = np.zeros(len(best_left), dtype=bool)
        used_right = np.zeros(len(best_right), dtype=bool)
        used_left[lefts[taken]] = True
        used_right[rights[taken]] = True
        left_over = ~(used_left[lefts] | used_right[rights])
        group, left, right = group[left_over], left[left_over], right[left_over]
        weight = weight[left_over]
        lefts, rights = lefts[left_over], rights[left_over]
    return total


def _nodes(group: IntArray, word: IntArray) -> IntArray:
    """Return a number for each word of each group."""
    keys = group * (word.max(initial=0) + 1) + word
    return np.unique(keys, return_inverse=True)[1]
