"""What the hybrid aligner adds up for a bead: evidence of words and lengths, and its kind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from patmark.corpus.alignment.beads import Bead
from patmark.corpus.alignment.cooccurrence import Learning
from patmark.corpus.alignment.generation import (
    Explanation,
    explained_sources,
    explained_targets,
    over_sources,
    over_targets,
)
from patmark.corpus.alignment.lengths import Lengths
from patmark.corpus.alignment.lexicon import WordPairs
from patmark.corpus.alignment.search import Band, BeadScores, Kind, Step, best_path
from patmark.corpus.alignment.words import Side
from patmark.data import FloatArray

_KIND_SCORES: Mapping[Kind, float] = {
    (1, 1): 0.0, (1, 2): -1.0, (2, 2): -2.8, (1, 3): -1.7, (2, 3): -3.5, (1, 4): -2.4,
    (3, 3): -6.5, (1, 5): -3.2, (2, 4): -6.0, (1, 6): -4.1,
}  # fmt: skip
_SHORT = 5
FIRST_KINDS: tuple[Kind, ...] = ((1, 1), (1, 2), (2, 2), (1, 3))


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts how much; tuned as docs/alignment.md says.

    ``kinds`` are the scores of kinds of beads, by the smaller and the larger side. ``odds`` is how
    much more often a word is translated than not; ``words`` and ``length`` weigh the evidence.
    ``usual_beads`` is how many beads of a text outweigh the usual scores of kinds.
    """

    words: float = 0.7
    length: float = 1.0
    odds: float = 2.0
    first_variance: float = 7.0
    doubt: float = 2.0
    kept: float = 0.1
    smoothing: float = 1.0
    empty: float = -4.0
    usual_beads: float = 200.0
    learning: Learning = field(default_factory=lambda: Learning(0.8, 2.0))
    kinds: Mapping[Kind, float] = field(default_factory=lambda: dict(_KIND_SCORES))

    def fitted(self, path: Sequence[Step]) -> Weights:
        """Scores of kinds that lean to the shares of kinds on a path.

        How often sentences are joined or split is a habit of a translator and of a genre.
        """
        found = Counter((min(kind), max(kind)) for _, _, kind in path if all(kind))
        total = sum(math.exp(score) for score in self.kinds.values())
        usual = {kind: math.exp(score) / total for kind, score in self.kinds.items()}
        more = {
            kind: math.log((found[kind] / share + self.usual_beads) / self.usual_beads)
            for kind, share in usual.items()
        }
        kinds = {kind: score + more[kind] - more[1, 1] for kind, score in self.kinds.items()}
        return replace(self, kinds=kinds)


@dataclass(frozen=True, slots=True)
class Model:
    """Two texts with what is believed about their words and lengths."""

    source: Side
    target: Side
    sources: Explanation
    targets: Explanation
    lengths: Lengths
    weights: Weights

    @classmethod
    def of(
        cls, source: Side, target: Side, pairs: WordPairs, lengths: Lengths, weights: Weights
    ) -> Model:
        """The model for two texts, given translations of words."""
        from scipy.sparse import diags_array

        to_source = diags_array(1 / _frequencies(source, weights.smoothing)) @ pairs.backward
        to_target = diags_array(1 / _frequencies(target, weights.smoothing)) @ pairs.forward.T
        return cls(
            source, target,
            Explanation(source, (to_source @ target.counts()).tocsr(), target.sizes, weights.odds),
            Explanation(target, (to_target @ source.counts()).tocsr(), source.sizes, weights.odds),
            lengths, weights,
        )  # fmt: skip

    def best(self, centres: FloatArray, half_width: int, kinds: Iterable[Kind]) -> list[Step]:
        """The best beads of these kinds, either way round, and lone sentences."""
        wanted = [kind for pair in kinds for kind in _both_ways(pair)]
        return best_path(
            centres, len(self.target), half_width, lambda band: self.scores(band, wanted)
        )

    def scores(self, band: Band, kinds: Sequence[Kind]) -> BeadScores:
        """The score of every bead in a band."""
        weights = self.weights
        has_blank = self.source.blank.any() or self.target.blank.any()
        sources = explained_sources(band, self.sources, max(kind[1] for kind in kinds))
        targets = explained_targets(band, self.targets, max(kind[0] for kind in kinds))
        shape = (len(kinds) + 1, band.sources + 1, band.width)
        grids = np.full(shape, -np.inf, dtype=np.float32)
        for place, (a, b) in enumerate(kinds):
            words = over_targets(targets[a - 1], b) + over_sources(sources[b - 1], band, a)
            misfit = self.lengths.misfit(band, (a, b))
            cost = weights.kinds[min(a, b), max(a, b)]
            grids[place, :-1] = weights.words * words - weights.length * misfit + cost
            if has_blank:
                grids[place, :-1][self._blank_sides(band, (a, b))] = -np.inf
        grids[-1, :-1] = self._alone(self.sources)[:, None]
        return BeadScores([*kinds, (1, 0)], grids, self._alone(self.targets))

    def _blank_sides(self, band: Band, kind: Kind) -> NDArray[np.bool_]:
        """For the bead of a kind from each cell on: whether a side of it has only empty lines."""
        sources, targets = (
            _only_blank(side.blank, count)
            for side, count in zip((self.source, self.target), kind, strict=True)
        )
        columns = np.minimum(band.columns()[:-1], band.targets - 1)
        return np.asarray(sources[:, None] | targets[columns])

    def _alone(self, explanation: Explanation) -> FloatArray:
        """The score of each sentence without a translation.

        Its words keep what any sentence of the other text would explain of them; else common
        words alone would draw it into a bead of its neighbours. An empty line is free to stand
        alone.
        """
        penalty = np.where(explanation.explained.blank, 0.0, self.weights.empty)
        return np.asarray(penalty + self.weights.words * explanation.by_chance())

    def beads(self, path: Sequence[Step]) -> list[Bead]:
        """Beads with the evidence of words for each word, less for short ones, which prove less."""
        sources = np.array([*(step[0] for step in path), len(self.source)])
        targets = np.array([*(step[1] for step in path), len(self.target)])
        evidence = self.sources.of_beads(sources, targets) + self.targets.of_beads(targets, sources)
        words = np.diff(self.source.starts[sources]) + np.diff(self.target.starts[targets])
        scores = evidence / (words + _SHORT)
        return [
            Bead(tuple(range(i, i + a)), tuple(range(j, j + b)), float(score))
            for (i, j, (a, b)), score in zip(path, scores, strict=True)
        ]


def _frequencies(side: Side, smoothing: float) -> FloatArray:
    counts = np.bincount(side.ids, minlength=len(side.vocabulary)) + smoothing
    return np.asarray(counts / counts.sum())


def _only_blank(blank: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Whether ``count`` lines from each one on are empty, or all to the end of the text."""
    running = np.concatenate([[0], np.cumsum(~blank)])
    ends = np.minimum(np.arange(len(blank)) + count, len(blank))
    return np.asarray(running[ends] == running[:-1])


def _both_ways(kind: Kind) -> list[Kind]:
    return [kind] if kind[0] == kind[1] else [kind, kind[::-1]]
