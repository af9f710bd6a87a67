"""The aligner to use: words that translate each other, lengths, and the kinds of beads together.

A first pass knows the dictionary (if there is one) and words that are written alike: numbers,
reference signs, names. From its beads word translations are learnt, and a second pass uses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from patmark.corpus.alignment.beads import Bead
from patmark.corpus.alignment.cooccurrence import learn
from patmark.corpus.alignment.lengths import Lengths
from patmark.corpus.alignment.lexicon import Lexicon, WordPairs, known_pairs
from patmark.corpus.alignment.model import FIRST_KINDS, Model, Weights
from patmark.corpus.alignment.search import Step, centres_of, diagonal, first_half_width
from patmark.corpus.alignment.senses import Senses
from patmark.corpus.alignment.stop_words import stop_words
from patmark.corpus.alignment.words import Side, numbered, words_version

VERSION = 1
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
        path, lengths = first_pass(*sides, known, self.weights)
        learnt = learn(*sides, path, known, self.weights.learning)
        model = Model.of(*sides, known.after(learnt, self.weights.kept), lengths, self.weights)
        path = model.best(centres_of(path, len(sides[0])), _LATER_HALF_WIDTH, self.weights.kinds)
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


def first_pass(
    source: Side, target: Side, known: WordPairs, weights: Weights
) -> tuple[list[Step], Lengths]:
    """Beads from what is known beforehand, and the lengths as they are in these beads."""
    lengths = Lengths.of(source, target, weights.first_variance)
    model = Model.of(source, target, known, lengths, weights)
    half_width = first_half_width(len(target))
    path = model.best(diagonal(len(source), len(target)), half_width, FIRST_KINDS)
    return path, replace(lengths, variance=lengths.variance_in(path))
