"""Share of the words of a sentence that a translation renders, every word at most once.

Aligners let one word explain several, so that an omitted sentence may be hidden by a neighbour with
the same words. Here words are matched one to one, and rare words weigh more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.alignment import Bead, Hybrid, WordMatches, lexicon_of_beads
from patmark.data import FloatArray

_Words = list[Counter[int]]


@dataclass(frozen=True, slots=True)
class WordShares:
    """Content words of the sentences of both texts, their weights, and known translations."""

    words: tuple[_Words, _Words]
    weights: tuple[FloatArray, FloatArray]
    partners: dict[int, list[int]]
    letters: tuple[list[int], list[int]]
    usual: float = 0.0

    @classmethod
    def of(
        cls, source: Sequence[str], target: Sequence[str], beads: Sequence[Bead], aligner: Hybrid
    ) -> WordShares:
        """Learn translations from beads; ``usual`` is the median share in one-to-one beads."""
        lexicon = lexicon_of_beads([(source, target, beads)], aligner)
        if aligner.lexicon is not None:
            lexicon = aligner.lexicon.updated(lexicon)
        languages = aligner.source, aligner.target
        matches = WordMatches.of(source, target, languages, aligner.senses, lexicon)
        sides = matches.source, matches.target
        words = tuple(
            [
                Counter(side.ids[a:b].tolist())
                for a, b in zip(side.starts, side.starts[1:], strict=False)
            ]
            for side in sides
        )
        weights = tuple(
            _rarity(own, len(side.vocabulary)) for own, side in zip(words, sides, strict=True)
        )
        table = matches.related.tocsr()
        partners = {
            word: table.indices[table.indptr[word] : table.indptr[word + 1]].tolist()
            for word in range(len(sides[0].vocabulary))
        }
        letters = sides[0].letters.tolist(), sides[1].letters.tolist()
        shares = cls((words[0], words[1]), (weights[0], weights[1]), partners, letters)
        simple = [bead for bead in beads if len(bead.source) == len(bead.target) == 1]
        found = [share for bead in simple for share in shares.both(bead.source, bead.target)]
        return replace(shares, usual=float(np.median(found or [0.0])))

    def rendered(self, sources: Iterable[int], targets: Iterable[int]) -> tuple[float, float]:
        """Return the weight of the matched words on both sides."""
        ours, theirs = self._joined(0, sources), self._joined(1, targets)
        pairs = sorted(
            (-self.weights[0][word] - self.weights[1][other], word, other)
            for word in ours
            for other in self.partners[word]
            if other in theirs
        )
        first = second = 0.0
        for _, word, other in pairs:
            times = min(ours[word], theirs[other])
            ours[word] -= times
            theirs[other] -= times
            first += times * self.weights[0][word]
            second += times * self.weights[1][other]
        return first, second

    def both(self, sources: Sequence[int], targets: Sequence[int]) -> tuple[float, float]:
        """Return the share of the words of each side that the other renders."""
        first, second = self.rendered(sources, targets)
        return first / self.weight(0, sources), second / self.weight(1, targets)

    def added(self, side: int, place: int, sources: Sequence[int], targets: Sequence[int]) -> float:
        """Return the share of the words of one sentence that its bead renders only with it."""
        with_it = self.rendered(sources, targets)[side]
        rest = [one for one in (sources, targets)[side] if one != place]
        without = self.rendered(*((rest, targets) if side == 0 else (sources, rest)))[side]
        return (with_it - without) / self.weight(side, [place])

    def weight(self, side: int, places: Iterable[int]) -> float:
        """Return the weight of the words of sentences; never 0."""
        weights = self.weights[side]
        words = self._joined(side, places)
        return max(float(sum(weights[word] * times for word, times in words.items())), 1e-9)

    def length_misfit(self, sources: Iterable[int], targets: Iterable[int]) -> float:
        """Return how far the lengths of two sides are from the usual ratio; 0 if they fit."""
        sizes = [
            sum(letters[place] for place in places) / max(sum(letters), 1)
            for letters, places in zip(self.letters, (sources, targets), strict=True)
        ]
        return abs(math.log(max(sizes[0], 1e-9) / max(sizes[1], 1e-9)))

    def size(self, side: int, place: int) -> int:
        """Return the number of content words of a sentence."""
        return self.words[side][place].total()

    def _joined(self, side: int, places: Iterable[int]) -> Counter[int]:
        found: Counter[int] = Counter()
        for place in places:
            found.update(self.words[side][place])
        return found


def _rarity(sentences: _Words, vocabulary: int) -> FloatArray:
    """Return the inverse document frequency of each word over the sentences."""
    found = np.zeros(vocabulary)
    for words in sentences:
        found[list(words)] += 1
    return np.log((len(sentences) + 1) / (found + 0.5))
