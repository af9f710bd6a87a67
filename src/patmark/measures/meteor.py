"""METEOR, with the alignment of the METEOR 1.5 program or of NLTK."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any, TypeAlias

import numpy as np

from patmark.data import FloatArray, IntArray, TestSet
from patmark.errors import UsageError
from patmark.languages import (
    WORDNET_VERSION,
    kept_in_workspace,
    language,
    porter_stem,
    snowball_stem,
    snowball_version,
    synonyms,
    synsets_of_lemmas,
    tokenize_all,
)
from patmark.measures.base import MeanMeasure, ReferenceLayout, WordMeasure, best_reference
from patmark.measures.kernels.meteor import align_pairs, match_equal
from patmark.measures.kernels.ngrams import (
    Derived,
    Encoded,
    Places,
    WordNumbers,
    runs,
    vocabulary_of,
)

Forms: TypeAlias = Sequence[str]

_UNMATCHED = -2


@dataclass(frozen=True, kw_only=True)
class MeteorFamily(WordMeasure, MeanMeasure):
    """A weighted mean of precision and recall over matched words, minus a penalty for chunks."""

    label = "METEOR"
    guide = "measures/meteor.md"

    alpha: Annotated[
        float, "weight of precision in the denominator of the mean, 0–1; high favours recall"
    ] = 0.9
    beta: Annotated[float, "exponent of the penalty, at least 0"] = 3.0
    gamma: Annotated[float, "greatest penalty, 0–1"] = 0.5

    def __post_init__(self) -> None:
        allowed = {"alpha": 1.0, "beta": float("inf"), "gamma": 1.0}
        for parameter, most in allowed.items():
            value = getattr(self, parameter)
            if not 0 <= value <= most:
                raise UsageError(f"METEOR: {parameter}={value} is not between 0 and {most:g}")

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        layout = ReferenceLayout.of(test_set.reference_lists)
        scores = self._pair_scores(test_set, hypotheses, layout.segment)
        return scores[best_reference(layout, scores)]

    @abstractmethod
    def _pair_scores(
        self, test_set: TestSet, hypotheses: tuple[str, ...], segment: IntArray
    ) -> FloatArray:
        """Return the score of each reference, whose ``segment`` is given, whatever the case."""

    def scores(
        self, matches: IntArray, chunks: IntArray, own: IntArray, other: IntArray
    ) -> FloatArray:
        """Score pairs with these numbers of matches and chunks, and texts of these lengths."""
        counted = np.maximum(matches, 1)
        precision, recall = counted / np.maximum(own, 1), counted / np.maximum(other, 1)
        mean = precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)
        keep = 1 - self.gamma * (chunks / counted) ** self.beta
        return np.where(matches > 0, keep * mean, 0.0)


@dataclass(frozen=True, kw_only=True)
class METEOR(MeteorFamily):
    """METEOR. English words match if equal, of one stem, or of one synset; others if equal.

    The alignment is the one that the METEOR 1.5 program finds. A reference matched as a whole in
    one chunk scores 1.
    """

    description = "METEOR: exact, stem and synonym matches, aligned as by METEOR 1.5; 0–1"
    formula = "(1 − 0.5 · (chunks / matches)³) · P · R / (0.9 · P + 0.1 · R)"
    limits = "Stems and synonyms are English; of other languages only equal words count."
    runs_by_default = True
    citation = "Lavie and Agarwal 2007; Denkowski and Lavie 2014"

    def _pair_scores(
        self, test_set: TestSet, hypotheses: tuple[str, ...], segment: IntArray
    ) -> FloatArray:
        tokenizer = self.tokenizer(test_set)
        own = tokenize_all(hypotheses, tokenizer)
        ours = [own[place] for place in segment.tolist()]
        theirs = tokenize_all(test_set.flat_references, tokenizer)
        vocabulary = {word: word.lower() for word in set().union(*ours, *theirs)}
        ours, theirs = (
            [[vocabulary[word] for word in words] for words in texts] for texts in (ours, theirs)
        )
        related = related_words(vocabulary.values()) if _has_synonyms(test_set) else {}
        matches, chunks = align_pairs(ours, theirs, related)
        lengths = [
            np.array([len(words) for words in texts], dtype=np.int64) for texts in (ours, theirs)
        ]
        whole = (chunks == 1) & (matches == lengths[0]) & (matches == lengths[1])
        return np.where(whole, 1.0, self.scores(matches, chunks, *lengths))

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        stages = {"stages": "exact"}
        if _has_synonyms(test_set):
            stages = {
                "stages": "exact+stem+synonym",
                "stemmer": snowball_version(),
                "wordnet": WORDNET_VERSION,
            }
        return super()._signature_parts(test_set) | stages


def related_words(vocabulary: Iterable[str]) -> dict[str, tuple[Forms, Forms]]:
    """Return the words of a vocabulary that others match: equal stems, and synonyms."""
    words = sorted(set(vocabulary))
    stems = {word: (snowball_stem(word),) for word in words}
    synsets = {word: synsets_of_lemmas(word) for word in words}
    by_stem, by_synset = _others(stems), _others(synsets)
    return {
        word: (by_stem.get(word, ()), by_synset.get(word, ()))
        for word in by_stem.keys() | by_synset.keys()
    }


def _others(keys: Mapping[str, Collection[str | int]]) -> dict[str, Forms]:
    """Return the other words that share a key with a word, if there are any."""
    sharing: defaultdict[str | int, list[str]] = defaultdict(list)
    for word, found in keys.items():
        for key in found:
            sharing[key].append(word)
    others: dict[str, Forms] = {}
    for word, found in keys.items():
        partners = {other for key in found for other in sharing[key]} - {word}
        if partners:
            others[word] = sorted(partners)
    return others


def _has_synonyms(test_set: TestSet) -> bool:
    return language(test_set.target_language).has_synonyms


@dataclass(frozen=True, kw_only=True)
class MeteorNltk(MeteorFamily):
    """NLTK's METEOR. Identical texts of n words score 1 − γ/n^β, not 1."""

    variant = "nltk"
    description = "METEOR as NLTK: exact, Porter stem, WordNet synonym; greedy; 0–1"
    formula = "the same on NLTK's greedy alignment"
    limits = "Not the numbers of the METEOR program; stems and synonyms are English."
    citation = "NLTK 3.10.4, nltk.translate.meteor_score.meteor_score"

    def _pair_scores(
        self, test_set: TestSet, hypotheses: tuple[str, ...], segment: IntArray
    ) -> FloatArray:
        vocabulary = vocabulary_of(self.tokenizer(test_set))
        words = vocabulary.words
        sides = [vocabulary.encode(texts) for texts in (hypotheses, test_set.flat_references)]
        lower = [words.lower_case.each(words, side.ids) for side in sides]
        own, other = (
            replace(side, ids=ids, largest=len(words) - 1)
            for side, ids in zip(sides, lower, strict=True)
        )
        own = own.picked(segment)
        position = align(own, other, words)
        text, matched = Places.of(own).text, position != _UNMATCHED
        matches = np.bincount(text[matched], minlength=len(segment))
        linked = (np.diff(position) == 1) & (np.diff(text) == 0) & matched[:-1]
        chunks = matches - np.bincount(text[:-1][linked], minlength=len(segment))
        return self.scores(matches, chunks, own.lengths, other.lengths)

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {
            "stages": "exact+stem+synonym",
            "stemmer": "porter-nltk",
            "wordnet": WORDNET_VERSION,
        }


@dataclass(frozen=True, slots=True)
class _Left:
    """The words of one side that have no partner: index, form and number of the text of each."""

    words: IntArray
    forms: IntArray
    text: IntArray
    texts: int

    def without(self, taken: IntArray) -> _Left:
        """Return the words that are left without these."""
        kept = np.ones(len(self.words), dtype=bool)
        kept[taken] = False
        return _Left(self.words[kept], self.forms[kept], self.text[kept], self.texts)

    def encoded(self, largest: int) -> Encoded:
        """Return the forms as texts."""
        return Encoded(self.forms, np.bincount(self.text, minlength=self.texts), largest)


def align(hypotheses: Encoded, references: Encoded, words: WordNumbers) -> IntArray:
    """Return the position of the aligned reference word of each hypothesis word.

    Each stage takes the words left over from the one before, from the last to the first, and gives
    each the last free position of its form. The synonyms are those of the *stems*.
    """
    places = Places.of(references).place
    position = np.full(len(hypotheses.ids), _UNMATCHED)
    own, other = (
        _Left(np.arange(len(side.ids)), side.ids, Places.of(side).text, len(side.lengths))
        for side in (hypotheses, references)
    )
    for forms_of in (None, _stems(words)):
        if forms_of is not None:
            own, other = (
                replace(left, forms=forms_of.each(words, left.forms)) for left in (own, other)
            )
        found, partners = match_equal(own.encoded(len(words) - 1), other.encoded(len(words) - 1))
        position[own.words[found]] = places[other.words[partners]]
        own, other = own.without(found), other.without(partners)
    for word, partner in _synonym_pairs(own, other, words):
        position[word] = places[partner]
    return position


@kept_in_workspace(1)
def _stems(words: WordNumbers) -> Derived:
    return Derived(lambda word: [porter_stem(word)])


def _synonym_pairs(own: _Left, other: _Left, words: WordNumbers) -> Iterator[tuple[int, int]]:
    """Yield words with synonyms among the stems left in the reference, with the last one.

    The words are taken from the last to the first.
    """
    listed, number_of = words.listed(), words.number_of
    stems, place = np.unique(own.forms, return_inverse=True)
    known = [
        [number_of[one] for one in synonyms(listed[stem]) if one in number_of]
        for stem in stems.tolist()
    ]
    sizes = np.array([len(numbers) for numbers in known], dtype=np.int64)
    wanted = np.array([number for numbers in known for number in numbers], dtype=np.int64)
    asking = np.repeat(np.arange(len(place)), sizes[place])
    wanted = wanted[runs((np.cumsum(sizes) - sizes)[place], sizes[place])]
    wanted += own.text[asking] * len(words)
    there = other.text * len(words) + other.forms
    met = np.isin(wanted, there)
    asking, wanted = own.words[asking[met]], wanted[met]
    free: defaultdict[int, list[int]] = defaultdict(list)
    offered = np.isin(there, wanted)
    for form, word in zip(there[offered].tolist(), other.words[offered].tolist(), strict=True):
        free[form].append(word)
    from_the_end = zip(asking[::-1].tolist(), wanted[::-1].tolist(), strict=True)
    for word, asked in groupby(from_the_end, key=itemgetter(0)):
        partners = [free[form] for _, form in asked if free[form]]
        if partners:
            yield word, max(partners, key=itemgetter(-1)).pop()
