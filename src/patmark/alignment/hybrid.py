"""The default aligner: word translations, lengths and bead types together.

The first pass uses the dictionary (if there is one) and identical words: numbers, reference signs,
names. Word translations are learned from its beads and used in the second pass. The third pass also
uses the bead types of the text and the number of unaligned sentences.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.alignment.beads import Bead, Kind, Step
from patmark.alignment.lengths import Lengths
from patmark.alignment.lexicon import (
    Lexicon,
    LexiconLearning,
    Senses,
    WordPairs,
    known_pairs,
    learn,
)
from patmark.alignment.search import (
    Band,
    BeadScores,
    best_path,
    centres_of,
    diagonal,
    first_half_width,
    lone_runs,
    over_sources,
    over_targets,
)
from patmark.alignment.word_evidence import (
    Explanation,
    explained_sources,
    explained_targets,
)
from patmark.alignment.words import Side, numbered, stop_words, words_version
from patmark.data import FloatArray, IntArray

_SCORES: Mapping[Kind, float] = {
    (1, 1): 0.0, (1, 2): -1.0, (1, 3): -1.7, (1, 4): -2.4, (1, 5): -3.2, (1, 6): -4.1,
    (2, 2): -2.8, (2, 3): -3.5, (2, 4): -6.0, (3, 3): -6.5, (0, 1): -2.5,
}  # fmt: skip
# with learned words, large beads and unaligned sentences need less prior cost
_SCORES_OF_KNOWN_WORDS: Mapping[Kind, float] = {
    **_SCORES, (2, 2): -1.4, (2, 3): -1.5, (2, 4): -2.5, (3, 3): -2.5, (0, 1): -4.0,
}  # fmt: skip


def _both_ways(scores: Mapping[Kind, float]) -> Mapping[Kind, float]:
    return {kind: score for pair, score in scores.items() for kind in (pair, pair[::-1])}


USUAL_KINDS = _both_ways(_SCORES)
KINDS_OF_KNOWN_WORDS = _both_ways(_SCORES_OF_KNOWN_WORDS)


def with_lone(kinds: Mapping[Kind, float], score: float) -> dict[Kind, float]:
    """Return scores of bead types with another score of an unaligned sentence."""
    return {**kinds, (0, 1): score, (1, 0): score}


FIRST_KINDS: tuple[Kind, ...] = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1))


def fitted_kinds(
    path: Sequence[Step], usual: Mapping[Kind, float], usual_beads: float
) -> dict[Kind, float]:
    """Return scores by the shares of bead types on a path, smoothed by ``usual_beads`` prior beads.

    The frequency of joined, split and omitted sentences depends on the translator and the genre.
    """
    found = Counter(kind for _, _, kind in path)
    unit = usual_beads / sum(map(math.exp, usual.values()))
    scores = {kind: math.log(found[kind] + unit * math.exp(score)) for kind, score in usual.items()}
    return {
        kind: min(score - scores[1, 1], math.inf if all(kind) else 0.0)
        for kind, score in scores.items()
    }


VERSION = 5
_SHORT = 5
_ENOUGH_SENTENCES = 50
_LATER_HALF_WIDTH = 16
# number of sentences from which blocks of sentences are aligned first
_LONG = 1500
_BLOCK_SENTENCES = 10
DocumentPair: TypeAlias = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class HybridWeights:
    """Weights of the evidence; tuned as described in docs/alignment.md.

    ``words`` and ``length`` weight the evidence. ``odds`` is how much more often a word is
    translated than not; with ``by_word`` it is learned for each word. Otherwise ``lost`` is the
    share of the evidence of its translation that an unaligned sentence keeps. ``usual_beads`` is
    the weight of the default ``kinds``, in beads.
    """

    words: float = 0.7
    length: float = 1.0
    odds: float = 2.0
    first_variance: float = 7.0
    doubt: float = 2.0
    kept: float = 0.1
    smoothing: float = 1.0
    lost: float = 0.15
    usual_beads: float = 300.0
    by_word: bool = False
    learning: LexiconLearning = field(default_factory=lambda: LexiconLearning(0.8, 2.0))
    kinds: Mapping[Kind, float] = field(default_factory=lambda: dict(USUAL_KINDS))

    def fitted(self, path: Sequence[Step]) -> HybridWeights:
        """Return the weights with scores of bead types fitted to their shares on a path."""
        return replace(self, kinds=fitted_kinds(path, self.kinds, self.usual_beads))


WEIGHTS_OF_KNOWN_WORDS = HybridWeights(
    words=0.6, length=0.8, usual_beads=20.0, by_word=True, kinds=dict(KINDS_OF_KNOWN_WORDS)
)


@dataclass(frozen=True, slots=True)
class HybridModel:
    """Two texts with their word translations and lengths.

    ``usual`` is the usual evidence of a translation for a word of each side, if beads are known.
    """

    sources: Explanation
    targets: Explanation
    lengths: Lengths
    weights: HybridWeights
    usual: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(
        cls, source: Side, target: Side, pairs: WordPairs, lengths: Lengths, weights: HybridWeights
    ) -> HybridModel:
        """Return the model for two texts, given translations of words."""
        backward = (pairs.source, pairs.target, pairs.backward)
        forward = (pairs.target, pairs.source, pairs.forward)
        usual = weights.odds, weights.smoothing
        return cls(
            Explanation.of(source, target, backward, *usual),
            Explanation.of(target, source, forward, *usual),
            lengths,
            weights,
        )

    @property
    def source(self) -> Side:
        """The words of the source text."""
        return self.sources.explained

    @property
    def target(self) -> Side:
        """The words of the target text."""
        return self.targets.explained

    def knowing(self, path: Sequence[Step]) -> HybridModel:
        """Return the model with the word statistics of the beads of a path."""
        sources, targets = self._boundaries(path)
        if self.weights.by_word:
            smoothing = self.weights.smoothing
            in_target = centres_of(path, len(self.source))
            in_source = centres_of([(j, i, (b, a)) for i, j, (a, b) in path], len(self.target))
            return replace(
                self,
                sources=self.sources.compared_nearby(in_source, smoothing).learnt(sources, targets),
                targets=self.targets.compared_nearby(in_target, smoothing).learnt(targets, sources),
            )
        matched = np.array([all(kind) for _, _, kind in path], dtype=bool)

        def usual(explanation: Explanation, bounds: IntArray, others: IntArray) -> float:
            words = explanation.explained.sizes_between(bounds)[matched].sum()
            return float(explanation.of_beads(bounds, others)[matched].sum() / max(words, 1))

        return replace(
            self,
            usual=(usual(self.sources, sources, targets), usual(self.targets, targets, sources)),
        )

    def _boundaries(self, path: Sequence[Step]) -> tuple[IntArray, IntArray]:
        """Return the boundaries of the beads of a path on both sides."""
        sources = np.array([*(step[0] for step in path), len(self.source)])
        return sources, np.array([*(step[1] for step in path), len(self.target)])

    def best(
        self,
        centres: FloatArray,
        half_width: int,
        kinds: Iterable[Kind],
        runs: Mapping[int, int] = MappingProxyType({}),
    ) -> list[Step]:
        """Return the best beads of these types, and unaligned sentences."""
        sources, targets = len(self.source), len(self.target)
        wanted = [(a, b) for a, b in kinds if 0 < a <= sources and 0 < b <= targets]
        return best_path(
            centres, len(self.target), half_width, lambda band: self.scores(band, wanted), runs
        )

    def scores(self, band: Band, kinds: Sequence[Kind]) -> BeadScores:
        """Return the score of every bead in a band."""
        weights = self.weights
        has_blank = self.source.blank.any() or self.target.blank.any()
        sources = explained_sources(band, self.sources, max(kind[1] for kind in kinds))
        targets = explained_targets(band, self.targets, max(kind[0] for kind in kinds))
        shape = (len(kinds) + 1, band.sources + 1, band.width)
        grids = np.full(shape, -np.inf, dtype=np.float32)
        misfits = self.lengths.misfits(band, kinds)
        for place, ((a, b), misfit) in enumerate(zip(kinds, misfits, strict=True)):
            words = over_targets(targets[a - 1], b) + over_sources(sources[b - 1], band, a)
            cost = weights.kinds[a, b]
            grids[place, :-1] = weights.words * words - weights.length * misfit + cost
            if has_blank:
                grids[place, :-1][self._blank_sides(band, (a, b))] = -np.inf
        grids[-1, :-1] = self._alone(self.sources, self.usual[0], (1, 0))[:, None]
        return BeadScores([*kinds, (1, 0)], grids, self._alone(self.targets, self.usual[1], (0, 1)))

    def _alone(self, explanation: Explanation, usual: float, kind: Kind) -> FloatArray:
        """Return the score of each unaligned sentence.

        If no evidence counts against a bead, its words keep the evidence of any sentence of the
        other text. Otherwise common words alone would draw it into a neighbouring bead. They also
        keep a share of the additional evidence of a translation, because a long sentence with
        little evidence was probably omitted. An empty line may stay unaligned at no cost.
        """
        penalty = np.where(explanation.explained.blank, 0.0, self.weights.kinds[kind])
        if explanation.against.any():
            return penalty
        chance = explanation.by_chance()
        beyond = np.maximum(usual * explanation.explained.sizes - chance, 0.0)
        return np.asarray(penalty + self.weights.words * (chance + self.weights.lost * beyond))

    def _blank_sides(self, band: Band, kind: Kind) -> NDArray[np.bool_]:
        """Return, for the bead of a type from each cell on, True if a side has only empty lines."""
        sources, targets = (
            _only_blank(side.blank, count)
            for side, count in zip((self.source, self.target), kind, strict=True)
        )
        columns = np.minimum(band.columns()[:-1], band.targets - 1)
        return np.asarray(sources[:, None] | targets[columns])

    def beads(self, path: Sequence[Step]) -> list[Bead]:
        """Return beads with the lexical evidence per word, reduced for short beads."""
        sources, targets = self._boundaries(path)
        evidence = self.sources.of_beads(sources, targets) + self.targets.of_beads(targets, sources)
        words = self.source.sizes_between(sources) + self.target.sizes_between(targets)
        scores = evidence / (words + _SHORT)
        return [
            Bead(tuple(range(i, i + a)), tuple(range(j, j + b)), float(score))
            for (i, j, (a, b)), score in zip(path, scores, strict=True)
        ]


def _only_blank(blank: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Return True if ``count`` lines from each one on, or all to the end, are empty."""
    running = np.concatenate([[0], np.cumsum(~blank)])
    ends = np.minimum(np.arange(len(blank)) + count, len(blank))
    return np.asarray(running[ends] == running[:-1])


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Aligner by words, lengths and bead types; dictionary and lexicon are optional.

    The dictionary may have either direction. ``lone`` replaces the default score of an unaligned
    sentence in the later passes. ``by_word`` says that the lexicon is as complete as a dictionary.
    """

    source: str
    target: str
    senses: Senses | None = None
    lexicon: Lexicon | None = None
    weights: HybridWeights = field(default_factory=HybridWeights)
    lone: float | None = None
    by_word: bool = False

    @property
    def signature(self) -> str:
        """Method, languages, segmenters, dictionary, lexicon, and weights if not default."""
        words = f"{words_version(self.source)},{words_version(self.target)}"
        dictionary = "none" if self.senses is None else self.senses.dictionary.name
        lexicon = "none"
        if self.lexicon is not None:
            lexicon = f"{len(self.lexicon)} pairs {self.lexicon.digest}"
        own = "" if self.weights == HybridWeights() else f",weights={self.weights}"
        own += "" if self.lone is None else f",lone={self.lone}"
        own += ",by_word" if self.by_word else ""
        return (
            f"hybrid/{VERSION}({self.source}-{self.target},{words},dictionary={dictionary},"
            f"lexicon={lexicon}{own})"
        )

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Return beads in the order of the text; the score is the lexical evidence per word."""
        sides = self.sides(source, target)
        known = self.known(*sides)
        path = _first_pass(*sides, known, self.weights)
        weights = self._later_weights(*sides)
        if self.lone is not None:
            weights = replace(weights, kinds=with_lone(weights.kinds, self.lone))
        model, path = _later_pass(*sides, known, path, weights)
        model, path = _later_pass(*sides, known, path, weights.fitted(path))
        return model.beads(path)

    def _later_weights(self, source: Side, target: Side) -> HybridWeights:
        """Return the weights of later passes: by word for longer texts with a dictionary.

        Very long texts would need too much time and memory.
        """
        learnable = min(len(source), len(target)) >= _ENOUGH_SENTENCES
        learnable = learnable and max(len(source), len(target)) < _LONG
        known = self.senses is not None or self.by_word
        if not known or not learnable or self.weights != HybridWeights():
            return self.weights
        return WEIGHTS_OF_KNOWN_WORDS

    def sides(self, source: Sequence[str], target: Sequence[str]) -> tuple[Side, Side]:
        """Return both texts as numbered words."""
        return (
            numbered(source, self.source, stop_words(self.source)),
            numbered(target, self.target, stop_words(self.target)),
        )

    def known(self, source: Side, target: Side) -> WordPairs:
        """Return the translations of two texts in the dictionary and the lexicon."""
        return known_pairs(source, target, self.senses, self.lexicon, self.weights.doubt)


def _first_pass(source: Side, target: Side, known: WordPairs, weights: HybridWeights) -> list[Step]:
    """Return beads from the dictionary, the lexicon and equal words."""
    model = HybridModel.of(source, target, known, _lengths(source, target, weights), weights)
    if min(len(source), len(target)) < _LONG:
        half_width = first_half_width(len(target))
        return model.best(diagonal(len(source), len(target)), half_width, FIRST_KINDS)
    centres, runs = _rough_centres(source, target, known, weights)
    return model.best(centres, first_half_width(0), FIRST_KINDS, runs)


def _rough_centres(
    source: Side, target: Side, known: WordPairs, weights: HybridWeights
) -> tuple[FloatArray, dict[int, int]]:
    """Return the approximate target position of each source position, and unaligned target runs.

    They come from blocks of sentences. A band around the diagonal of a long text would have to be
    as wide as the surplus of one side.
    """
    size = _BLOCK_SENTENCES
    first, second = (
        side.merged(np.diff([*range(0, len(side), size), len(side)]).tolist())
        for side in (source, target)
    )
    model = HybridModel.of(first, second, known, _lengths(first, second, weights), weights)
    sources, targets = len(first), len(second)
    path = model.best(diagonal(sources, targets), first_half_width(targets), FIRST_KINDS)
    places = np.arange(len(source) + 1) / size
    centres = np.interp(places, np.arange(sources + 1), centres_of(path, sources)) * size
    runs = {min(row * size, len(source)): n * size for row, n in lone_runs(path).items()}
    return np.minimum(centres, len(target)), runs


def _later_pass(
    source: Side, target: Side, known: WordPairs, path: Sequence[Step], weights: HybridWeights
) -> tuple[HybridModel, list[Step]]:
    """Return beads after learning words and lengths from the beads of an earlier pass."""
    learnt = learn(source, target, path, known, weights.learning)
    lengths = _lengths(source, target, weights).fitted(path)
    model = HybridModel.of(source, target, known.after(learnt, weights.kept), lengths, weights)
    model = model.knowing(path)
    centres = centres_of(path, len(source))
    return model, model.best(centres, _LATER_HALF_WIDTH, weights.kinds, lone_runs(path))


def _lengths(source: Side, target: Side, weights: HybridWeights) -> Lengths:
    return Lengths.of(source, target, weights.first_variance)


def learn_lexicon(pairs: Sequence[DocumentPair], aligner: Hybrid, rounds: int = 2) -> Lexicon:
    """Learn word translations from document pairs, for texts too short to learn from alone.

    All pairs are aligned, word translations are learned from all beads together, and from the
    second round on the pairs are aligned with them. An existing lexicon of the aligner is used in
    the first round.
    """
    for _ in range(rounds):
        aligner = replace(aligner, lexicon=_one_round(pairs, aligner))
    return aligner.lexicon or Lexicon({})


def _one_round(pairs: Sequence[DocumentPair], aligner: Hybrid) -> Lexicon:
    aligned = [(source, target, aligner.align(source, target)) for source, target in pairs]
    return lexicon_of_beads(aligned, aligner)


def lexicon_of_beads(
    aligned: Iterable[tuple[Sequence[str], Sequence[str], Sequence[Bead]]], aligner: Hybrid
) -> Lexicon:
    """Learn word translations from the beads of documents, starting with known ones."""
    sources: list[str] = []
    targets: list[str] = []
    path: list[Step] = []
    for source, target, beads in aligned:
        path += _steps(beads, len(sources), len(targets))
        sources += source
        targets += target
    sides = aligner.sides(sources, targets)
    known = aligner.known(*sides)
    return learn(*sides, path, known, aligner.weights.learning).to_lexicon(*sides)


def _steps(beads: Sequence[Bead], sources: int, targets: int) -> list[Step]:
    """Return beads with two sides as steps, offset by the sentences of earlier documents."""
    return [
        (sources + bead.source[0], targets + bead.target[0], (len(bead.source), len(bead.target)))
        for bead in beads
        if bead.source and bead.target
    ]
