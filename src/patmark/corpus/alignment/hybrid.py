"""The aligner to use: words that translate each other, lengths, and the kinds of beads together.

A first pass knows the dictionary (if there is one) and words that are written alike: numbers,
reference signs, names. From its beads word translations are learnt, and a second pass uses them; a
third pass also knows which kinds of beads the text has, and how many sentences stand alone.

Words are IBM model 1 for every bead in a band. A word t of a bead is worth
log(1 + o · Σ_s p(t|s) / (l · p(t))), over the l words s of the other side, o the odds that a word
is translated at all: how much likelier it is next to them than anywhere in the text. Both
directions are computed. A word is in one bead whatever the beads are, so sums over whole texts can
be compared (R. Moore, "Fast and accurate sentence alignment of bilingual corpora", 2002).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.corpus.alignment.beads import (
    Band,
    Bead,
    BeadScores,
    Grid,
    Kind,
    Step,
    best_path,
    centres_of,
    diagonal,
    first_half_width,
    lone_runs,
    over_sources,
    over_targets,
)
from patmark.corpus.alignment.gale_church import Lengths
from patmark.corpus.alignment.lexicon import (
    Learning,
    Lexicon,
    Senses,
    WordPairs,
    frequencies,
    known_pairs,
    learn,
)
from patmark.corpus.alignment.words import Side, numbered, stop_words, words_version
from patmark.data import FloatArray, IntArray, TestSet
from patmark.errors import UsageError
from patmark.text import join_sentences

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_BLOCK = 64
_KIND_SCORES: Mapping[Kind, float] = {
    (1, 1): 0.0, (1, 2): -1.0, (2, 2): -2.8, (1, 3): -1.7, (2, 3): -3.5, (1, 4): -2.4,
    (3, 3): -6.5, (1, 5): -3.2, (2, 4): -6.0, (1, 6): -4.1,
}  # fmt: skip
_LONE: Kind = (0, 1)
_SHORT = 5
FIRST_KINDS: tuple[Kind, ...] = ((1, 1), (1, 2), (2, 2), (1, 3))
VERSION = 4
_LATER_HALF_WIDTH = 16
# from so many sentences on, blocks of sentences are aligned first
_LONG = 1500
_BLOCK_SENTENCES = 10
_DENSE = 1 << 20
_SMALL = 1 << 16
DocumentPair: TypeAlias = tuple[Sequence[str], Sequence[str]]
TRANSLATION_VERSION = 1


@dataclass(frozen=True, slots=True)
class Explanation:
    """How words of one side follow from sentences of the other.

    ``support[w, k]`` sums p(w|s) / p(w) over the words s of sentence k, which has ``sizes[k]``
    words; ``odds`` is how much more often a word is translated than not.
    """

    explained: Side
    support: csc_array | FloatArray
    sizes: IntArray
    odds: float

    @classmethod
    def of(
        cls,
        explained: Side,
        other: Side,
        chances: tuple[IntArray, IntArray, FloatArray],
        odds: float,
    ) -> Explanation:
        """Given words w of one side, words s of the other, and p(w|s) / p(w) for each two."""
        words, others, values = chances
        rows, columns = len(explained.vocabulary), len(other)
        if len(values) * columns <= _SMALL:
            cells = words[:, None] * columns + np.arange(columns)
            parts = values[:, None] * other.count_table()[others]
            support = np.bincount(cells.ravel(), parts.ravel(), rows * columns)
            return cls(explained, support.reshape(rows, columns), other.sizes, odds)
        from scipy.sparse import csr_array

        shape = (rows, len(other.vocabulary))
        product = csr_array((values, (words, others)), shape=shape) @ other.counts()
        is_short = rows * columns <= _DENSE
        return cls(explained, product.toarray() if is_short else product.tocsc(), other.sizes, odds)

    def of_groups(self, largest: int, rows: slice, columns: slice) -> Grid:
        """For sentences in ``rows``: what 1 … ``largest`` sentences from a column on explain.

        Groups that would run beyond the text end with it.
        """
        starts = self.explained.starts[rows.start : rows.stop + 1]
        length = columns.stop - columns.start
        stop = min(columns.stop + largest - 1, len(self.sizes))
        tokens = self.explained.ids[starts[0] : starts[-1]]
        dense = np.zeros((len(tokens), length + largest - 1), dtype=np.float32)
        near = slice(columns.start, stop)
        if isinstance(self.support, np.ndarray):
            dense[:, : stop - columns.start] = self.support[tokens, near]
        else:
            found, places = np.unique(tokens, return_inverse=True)
            dense[:, : stop - columns.start] = (
                self.support[:, near].tocsr()[found].toarray()[places]
            )
        words = np.zeros(length + largest - 1, dtype=np.float32)
        words[: stop - columns.start] = self.sizes[columns.start : stop]
        filled = np.flatnonzero(np.diff(starts))
        result = np.zeros((largest, rows.stop - rows.start, length), dtype=np.float32)
        total, count = np.zeros((len(tokens), length), np.float32), np.zeros(length, np.float32)
        for more in range(largest if len(filled) else 0):
            total += dense[:, more : more + length]
            count += words[more : more + length]
            worth = np.log1p(total * (self.odds / np.maximum(count, 1)))
            result[more, filled] = np.add.reduceat(worth, starts[filled] - starts[0], axis=0)
        return result

    def by_chance(self) -> FloatArray:
        """For each sentence: what a sentence of the other text explains of it on average."""
        scale = self.odds / np.maximum(self.sizes, 1)
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
        """The sum for each bead, given as boundaries: bead k has the sentences k to k + 1 of both.

        A bead with an empty side has the sum 0.
        """
        count = len(explaining) - 1
        bead = np.repeat(np.repeat(np.arange(count), np.diff(explained)), self.explained.sizes)
        others = np.diff(explaining)[bead]
        token = np.repeat(np.arange(len(bead)), others)
        inside = np.arange(len(token)) - np.repeat(np.cumsum(others) - others, others)
        found = self._entries(self.explained.ids[token], explaining[bead[token]] + inside)
        support = np.bincount(token, found, len(bead))
        running = np.concatenate([[0], np.cumsum(self.sizes)])
        words = np.diff(running[explaining])
        worth = np.log1p(support * (self.odds / np.maximum(words[bead], 1)))
        return np.asarray(np.bincount(bead, weights=worth, minlength=count), dtype=np.float64)

    def _entries(self, words: IntArray, sentences: IntArray) -> FloatArray:
        """Single entries of the support; scipy gives another sparse array for some choices."""
        found = self.support[words, sentences] if len(words) else np.zeros(0)
        return np.asarray(found.toarray() if hasattr(found, "toarray") else found).ravel()


def explained_sources(band: Band, explanation: Explanation, largest: int) -> Grid:
    """``[b - 1, i, c]``: source sentence i next to b target sentences from cell c on."""
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
    """``[a - 1, i, c]``: the target sentence at cell c next to a source sentences from i on."""
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


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts how much; tuned as docs/alignment.md says.

    ``kinds`` are the scores of kinds of beads, by the smaller and the larger side. ``odds`` is how
    much more often a word is translated than not; ``words`` and ``length`` weigh the evidence.
    ``empty`` is the score of a sentence without a translation, ``lost`` the share that it keeps of
    what its translation would explain. ``usual_beads`` is how many beads of a text outweigh the
    usual scores of kinds.
    """

    words: float = 0.7
    length: float = 1.0
    odds: float = 2.0
    first_variance: float = 7.0
    doubt: float = 2.0
    kept: float = 0.1
    smoothing: float = 1.0
    empty: float = -2.5
    lost: float = 0.15
    usual_beads: float = 200.0
    learning: Learning = field(default_factory=lambda: Learning(0.8, 2.0))
    kinds: Mapping[Kind, float] = field(default_factory=lambda: dict(_KIND_SCORES))

    def fitted(self, path: Sequence[Step]) -> Weights:
        """Scores of kinds, and of lone sentences, that lean to their shares on a path.

        How often sentences are joined, split or left out is a habit of a translator and of a genre.
        """
        usual = {**self.kinds, _LONE: self.empty}
        found = Counter((min(kind), max(kind)) for _, _, kind in path)
        total = sum(map(math.exp, self.kinds.values()))
        more = {
            kind: math.log1p(found[kind] * total / math.exp(score) / self.usual_beads)
            for kind, score in usual.items()
        }
        scores = {kind: score + more[kind] - more[1, 1] for kind, score in usual.items()}
        empty = min(scores.pop(_LONE), 0.0)
        return replace(self, kinds=scores, empty=empty)


@dataclass(frozen=True, slots=True)
class Model:
    """Two texts with what is believed about their words and lengths.

    ``usual`` is how much a translation explains of a word of each side, where beads are known.
    """

    source: Side
    target: Side
    sources: Explanation
    targets: Explanation
    lengths: Lengths
    weights: Weights
    usual: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(
        cls, source: Side, target: Side, pairs: WordPairs, lengths: Lengths, weights: Weights
    ) -> Model:
        """The model for two texts, given translations of words."""
        odds, smoothing = weights.odds, weights.smoothing
        to_source = pairs.backward * (1 / frequencies(source, smoothing))[pairs.source]
        to_target = pairs.forward * (1 / frequencies(target, smoothing))[pairs.target]
        return cls(
            source,
            target,
            Explanation.of(source, target, (pairs.source, pairs.target, to_source), odds),
            Explanation.of(target, source, (pairs.target, pairs.source, to_target), odds),
            lengths,
            weights,
        )

    def knowing(self, path: Sequence[Step]) -> Model:
        """The model with what the translations of a path explain of a word on average."""
        matched = np.array([all(kind) for _, _, kind in path], dtype=bool)
        places, evidence = self._evidence(path)

        def usual(side: Side, bounds: IntArray, worth: FloatArray) -> float:
            return float(worth[matched].sum() / max(side.sizes_between(bounds)[matched].sum(), 1))

        return replace(
            self,
            usual=(
                usual(self.source, places[0], evidence[0]),
                usual(self.target, places[1], evidence[1]),
            ),
        )

    def _evidence(
        self, path: Sequence[Step]
    ) -> tuple[tuple[IntArray, IntArray], tuple[FloatArray, FloatArray]]:
        """The boundaries of the beads of a path on both sides, and what they explain there."""
        sources = np.array([*(step[0] for step in path), len(self.source)])
        targets = np.array([*(step[1] for step in path), len(self.target)])
        explained = (
            self.sources.of_beads(sources, targets),
            self.targets.of_beads(targets, sources),
        )
        return (sources, targets), explained

    def best(
        self,
        centres: FloatArray,
        half_width: int,
        kinds: Iterable[Kind],
        runs: Mapping[int, int] = MappingProxyType({}),
    ) -> list[Step]:
        """The best beads of these kinds, either way round, and lone sentences."""
        sources, targets = len(self.source), len(self.target)
        wanted = [
            (a, b) for pair in kinds for a, b in _both_ways(pair) if a <= sources and b <= targets
        ]
        return best_path(
            centres, len(self.target), half_width, lambda band: self.scores(band, wanted), runs
        )

    def scores(self, band: Band, kinds: Sequence[Kind]) -> BeadScores:
        """The score of every bead in a band."""
        weights = self.weights
        has_blank = self.source.blank.any() or self.target.blank.any()
        sources = explained_sources(band, self.sources, max(kind[1] for kind in kinds))
        targets = explained_targets(band, self.targets, max(kind[0] for kind in kinds))
        shape = (len(kinds) + 1, band.sources + 1, band.width)
        grids = np.full(shape, -np.inf, dtype=np.float32)
        misfits = self.lengths.misfits(band, kinds)
        for place, ((a, b), misfit) in enumerate(zip(kinds, misfits, strict=True)):
            words = over_targets(targets[a - 1], b) + over_sources(sources[b - 1], band, a)
            cost = weights.kinds[min(a, b), max(a, b)]
            grids[place, :-1] = weights.words * words - weights.length * misfit + cost
            if has_blank:
                grids[place, :-1][self._blank_sides(band, (a, b))] = -np.inf
        grids[-1, :-1] = self._alone(self.sources, self.usual[0])[:, None]
        return BeadScores([*kinds, (1, 0)], grids, self._alone(self.targets, self.usual[1]))

    def _blank_sides(self, band: Band, kind: Kind) -> NDArray[np.bool_]:
        """For the bead of a kind from each cell on: whether a side of it has only empty lines."""
        sources, targets = (
            _only_blank(side.blank, count)
            for side, count in zip((self.source, self.target), kind, strict=True)
        )
        columns = np.minimum(band.columns()[:-1], band.targets - 1)
        return np.asarray(sources[:, None] | targets[columns])

    def _alone(self, explanation: Explanation, usual: float) -> FloatArray:
        """The score of each sentence without a translation.

        Its words keep what any sentence of the other text would explain of them; else common
        words alone would draw it into a bead of its neighbours. They also keep a share of what a
        translation would explain beyond that: a long sentence of which little is explained is
        rather one that was left out. An empty line is free to stand alone.
        """
        chance = explanation.by_chance()
        beyond = np.maximum(usual * explanation.explained.sizes - chance, 0.0)
        penalty = np.where(explanation.explained.blank, 0.0, self.weights.empty)
        return np.asarray(penalty + self.weights.words * (chance + self.weights.lost * beyond))

    def beads(self, path: Sequence[Step]) -> list[Bead]:
        """Beads with the evidence of words for each word, less for short ones, which prove less."""
        (sources, targets), evidence = self._evidence(path)
        words = self.source.sizes_between(sources) + self.target.sizes_between(targets)
        scores = sum(evidence) / (words + _SHORT)
        return [
            Bead(tuple(range(i, i + a)), tuple(range(j, j + b)), float(score))
            for (i, j, (a, b)), score in zip(path, scores, strict=True)
        ]


def _only_blank(blank: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Whether ``count`` lines from each one on are empty, or all to the end of the text."""
    running = np.concatenate([[0], np.cumsum(~blank)])
    ends = np.minimum(np.arange(len(blank)) + count, len(blank))
    return np.asarray(running[ends] == running[:-1])


def _both_ways(kind: Kind) -> list[Kind]:
    return [kind] if kind[0] == kind[1] else [kind, kind[::-1]]


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Aligns two texts; without a dictionary and a lexicon it starts from lengths and equal words.

    The dictionary may go either way between the two languages.
    """

    source: str
    target: str
    senses: Senses | None = None
    lexicon: Lexicon | None = None
    weights: Weights = field(default_factory=Weights)

    @property
    def signature(self) -> str:
        """Method, languages, segmenters, dictionary, lexicon, and weights if they are unusual."""
        words = f"{words_version(self.source)},{words_version(self.target)}"
        dictionary = "none" if self.senses is None else self.senses.dictionary.name
        lexicon = "none"
        if self.lexicon is not None:
            lexicon = f"{len(self.lexicon)} pairs {self.lexicon.digest}"
        own = "" if self.weights == Weights() else f",weights={self.weights}"
        return (
            f"hybrid/{VERSION}({self.source}-{self.target},{words},dictionary={dictionary},"
            f"lexicon={lexicon}{own})"
        )

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Beads in the order of the text; the score is the evidence of words for each word."""
        sides = self.sides(source, target)
        known = self.known(*sides)
        path = _first_pass(*sides, known, self.weights)
        model, path = _later_pass(*sides, known, path, self.weights)
        model, path = _later_pass(*sides, known, path, self.weights.fitted(path))
        return model.beads(path)

    def sides(self, source: Sequence[str], target: Sequence[str]) -> tuple[Side, Side]:
        """Both texts as numbered words."""
        return (
            numbered(source, self.source, stop_words(self.source)),
            numbered(target, self.target, stop_words(self.target)),
        )

    def known(self, source: Side, target: Side) -> WordPairs:
        """What the dictionary and the lexicon say about the words of two texts."""
        return known_pairs(source, target, self.senses, self.lexicon, self.weights.doubt)


def _first_pass(source: Side, target: Side, known: WordPairs, weights: Weights) -> list[Step]:
    """Beads from what is known beforehand."""
    model = Model.of(source, target, known, _lengths(source, target, weights), weights)
    if min(len(source), len(target)) < _LONG:
        half_width = first_half_width(len(target))
        return model.best(diagonal(len(source), len(target)), half_width, FIRST_KINDS)
    centres, runs = _rough_centres(source, target, known, weights)
    return model.best(centres, first_half_width(0), FIRST_KINDS, runs)


def _rough_centres(
    source: Side, target: Side, known: WordPairs, weights: Weights
) -> tuple[FloatArray, dict[int, int]]:
    """About where each source position is in the target, and runs of lone target sentences.

    They are those of blocks of sentences. A band around the diagonal of a long text would have to
    be as wide as what one side has more.
    """
    size = _BLOCK_SENTENCES
    first, second = (
        side.merged(np.diff([*range(0, len(side), size), len(side)]).tolist())
        for side in (source, target)
    )
    model = Model.of(first, second, known, _lengths(first, second, weights), weights)
    sources, targets = len(first), len(second)
    path = model.best(diagonal(sources, targets), first_half_width(targets), FIRST_KINDS)
    places = np.arange(len(source) + 1) / size
    centres = np.interp(places, np.arange(sources + 1), centres_of(path, sources)) * size
    runs = {min(row * size, len(source)): n * size for row, n in lone_runs(path).items()}
    return np.minimum(centres, len(target)), runs


def _later_pass(
    source: Side, target: Side, known: WordPairs, path: Sequence[Step], weights: Weights
) -> tuple[Model, list[Step]]:
    """Beads from what the beads of an earlier pass teach about words and lengths."""
    learnt = learn(source, target, path, known, weights.learning)
    lengths = _lengths(source, target, weights).fitted(path)
    model = Model.of(source, target, known.after(learnt, weights.kept), lengths, weights)
    model = model.knowing(path)
    centres = centres_of(path, len(source))
    return model, model.best(centres, _LATER_HALF_WIDTH, weights.kinds, lone_runs(path))


def _lengths(source: Side, target: Side, weights: Weights) -> Lengths:
    return Lengths.of(source, target, weights.first_variance)


def learn_lexicon(pairs: Sequence[DocumentPair], aligner: Hybrid, rounds: int = 2) -> Lexicon:
    """Word translations from document pairs, for texts that are too short to learn from alone.

    All pairs are aligned, word translations are learnt from all beads together, and from the
    second round on the pairs are aligned with what was learnt. A lexicon that the aligner already
    has is where the first round begins.
    """
    for _ in range(rounds):
        aligner = replace(aligner, lexicon=_one_round(pairs, aligner))
    return aligner.lexicon or Lexicon({})


def _one_round(pairs: Sequence[DocumentPair], aligner: Hybrid) -> Lexicon:
    sources: list[str] = []
    targets: list[str] = []
    path: list[Step] = []
    for source, target in pairs:
        path += _steps(aligner.align(source, target), len(sources), len(targets))
        sources += source
        targets += target
    sides = aligner.sides(sources, targets)
    known = aligner.known(*sides)
    return learn(*sides, path, known, aligner.weights.learning).to_lexicon(*sides)


def _steps(beads: Sequence[Bead], sources: int, targets: int) -> list[Step]:
    """Beads as steps, after so many sentences of earlier documents; those with an empty side go."""
    return [
        (sources + bead.source[0], targets + bead.target[0], (len(bead.source), len(bead.target)))
        for bead in beads
        if bead.source and bead.target
    ]


@dataclass(frozen=True, slots=True)
class TranslationAligner:
    """Compares translations of the source sentences, one for each, with the target.

    JaParaPat and EuroPat were aligned in this way.

    Beads are found by words that both share and by length, as :class:`Hybrid` does within one
    language; words of the translator that differ from those of the target are learnt. The score of
    a bead is chrF of its translation against its target, from 0 to 100.
    """

    target: str
    translations: Sequence[str]

    @property
    def signature(self) -> str:
        """Method and the aligner within the target language."""
        return f"translation/{TRANSLATION_VERSION}({self._within.signature},score=chrF)"

    @property
    def _within(self) -> Hybrid:
        return Hybrid(self.target, self.target)

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Beads of the source text whose translations were given."""
        if len(source) != len(self.translations):
            raise UsageError(
                f"{len(source)} source sentences need as many translations, "
                f"found {len(self.translations)}"
            )
        beads = self._within.align(self.translations, target)
        scores = _chrf(
            [_chosen(self.translations, bead.source, self.target) for bead in beads],
            [_chosen(target, bead.target, self.target) for bead in beads],
        )
        return [
            replace(bead, score=score if bead.source and bead.target else 0.0)
            for bead, score in zip(beads, scores, strict=True)
        ]


def _chosen(texts: Sequence[str], places: Sequence[int], language: str) -> str:
    return join_sentences([texts[place] for place in places], language)


def _chrf(translations: Sequence[str], references: Sequence[str]) -> list[float]:
    from patmark.measures import parse_measure

    measure = parse_measure("chrF")
    statistics = measure.statistics(TestSet.of(references), translations)
    return [float(score) for score in measure.score(statistics)]
