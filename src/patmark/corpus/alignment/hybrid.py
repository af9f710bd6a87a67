"""The aligner to use: words that translate each other, lengths, and the kinds of beads together.

A first pass knows the dictionary (if there is one) and words that are written alike: numbers,
reference signs, names. From its beads word translations are learnt, and a second pass uses them; a
third pass also knows which kinds of beads the text has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from patmark.corpus.alignment.beads import Bead
from patmark.corpus.alignment.cooccurrence import learn
from patmark.corpus.alignment.lengths import Lengths
from patmark.corpus.alignment.lexicon import Lexicon, WordPairs, known_pairs
from patmark.corpus.alignment.model import FIRST_KINDS, Model, Weights
from patmark.corpus.alignment.search import Step, centres_of, diagonal, first_half_width
from patmark.corpus.alignment.senses import Senses
from patmark.corpus.alignment.stop_words import stop_words
from patmark.corpus.alignment.words import Side, numbered, words_version

VERSION = 3
_LATER_HALF_WIDTH = 16


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
    half_width = first_half_width(len(target))
    return model.best(diagonal(len(source), len(target)), half_width, FIRST_KINDS)


def _later_pass(
    source: Side, target: Side, known: WordPairs, path: Sequence[Step], weights: Weights
) -> tuple[Model, list[Step]]:
    """Beads from what the beads of an earlier pass teach about words and lengths."""
    learnt = learn(source, target, path, known, weights.learning)
    lengths = _lengths(source, target, weights).fitted(path)
    model = Model.of(source, target, known.after(learnt, weights.kept), lengths, weights)
    return model, model.best(centres_of(path, len(source)), _LATER_HALF_WIDTH, weights.kinds)


def _lengths(source: Side, target: Side, weights: Weights) -> Lengths:
    return Lengths.of(source, target, weights.first_variance)
