"""METEOR: as the METEOR 1.5 program aligns, and as NLTK does."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np

from patmark.data import FloatArray, IntArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import MeanMeasure, ReferenceLayout, WordMeasure, best_reference
from patmark.measures.kernels.meteor import UNMATCHED, ExactMatches, align_pairs, match_exact
from patmark.measures.kernels.ngrams import Encoded, vocabulary_of
from patmark.text import (
    WORDNET_VERSION,
    porter_stem,
    snowball_stem,
    snowball_version,
    synonyms,
    synsets_of_lemmas,
    tokenize_all,
)

Words: TypeAlias = Sequence[str]


@dataclass(frozen=True, kw_only=True)
class MeteorFamily(WordMeasure, MeanMeasure):
    """A weighted mean of precision and recall over matched words, less a penalty for chunks."""

    label: ClassVar[str] = "METEOR"
    guide: ClassVar[str] = "measures/meteor.md"
    parameters: ClassVar[Mapping[str, str]] = {
        "alpha": "weight of precision in the denominator of the mean, 0–1; high favours recall",
        "beta": "exponent of the penalty, at least 0",
        "gamma": "greatest penalty, 0–1",
    }

    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5

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
        """The score of each reference, whose ``segment`` is given, whatever the case."""

    def scores(
        self, matches: IntArray, chunks: IntArray, own: IntArray, other: IntArray
    ) -> FloatArray:
        """Scores of pairs with so many matches in so many chunks, and texts of these lengths."""
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

    description: ClassVar[str] = (
        "METEOR: exact, stem and synonym matches, aligned as by METEOR 1.5; 0–1"
    )
    formula: ClassVar[str] = "(1 − 0.5 · (chunks / matches)³) · P · R / (0.9 · P + 0.1 · R)"
    limits: ClassVar[str] = (
        "Stems and synonyms are English; of other languages only equal words count."
    )
    citation: ClassVar[str] = "Lavie and Agarwal 2007; Denkowski and Lavie 2014"

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
        related = related_words(vocabulary.values()) if _is_english(test_set) else {}
        matches, chunks = align_pairs(ours, theirs, related)
        lengths = [
            np.array([len(words) for words in texts], dtype=np.int64) for texts in (ours, theirs)
        ]
        whole = (chunks == 1) & (matches == lengths[0]) & (matches == lengths[1])
        return np.where(whole, 1.0, self.scores(matches, chunks, *lengths))

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        stages = {"stages": "exact"}
        if _is_english(test_set):
            stages = {
                "stages": "exact+stem+synonym",
                "stemmer": snowball_version(),
                "wordnet": WORDNET_VERSION,
            }
        return super()._signature_parts(test_set) | stages


def related_words(vocabulary: Iterable[str]) -> dict[str, tuple[Words, Words]]:
    """The words of a vocabulary that others match: those of the same stem, and the synonyms."""
    words = sorted(set(vocabulary))
    stems = {word: (snowball_stem(word),) for word in words}
    synsets = {word: synsets_of_lemmas(word) for word in words}
    by_stem, by_synset = _others(stems), _others(synsets)
    return {
        word: (by_stem.get(word, ()), by_synset.get(word, ()))
        for word in by_stem.keys() | by_synset.keys()
    }


def _others(keys: Mapping[str, Collection[str | int]]) -> dict[str, Words]:
    """The other words that share a key with a word, if there are any."""
    sharing: defaultdict[str | int, list[str]] = defaultdict(list)
    for word, found in keys.items():
        for key in found:
            sharing[key].append(word)
    others: dict[str, Words] = {}
    for word, found in keys.items():
        partners = {other for key in found for other in sharing[key]} - {word}
        if partners:
            others[word] = sorted(partners)
    return others


def _is_english(test_set: TestSet) -> bool:
    return test_set.target_language == "en"


@dataclass(frozen=True, kw_only=True)
class MeteorNltk(MeteorFamily):
    """NLTK's METEOR. Identical texts of n words score 1 − γ/n^β, not 1."""

    variant: ClassVar[str] = "nltk"
    description: ClassVar[str] = "METEOR as NLTK: exact, Porter stem, WordNet synonym; greedy; 0–1"
    formula: ClassVar[str] = "the same on NLTK's greedy alignment"
    limits: ClassVar[str] = "Not the numbers of the METEOR program; stems and synonyms are English."
    citation: ClassVar[str] = "NLTK 3.10.4, nltk.translate.meteor_score.meteor_score"

    def _pair_scores(
        self, test_set: TestSet, hypotheses: tuple[str, ...], segment: IntArray
    ) -> FloatArray:
        vocabulary = vocabulary_of(self.tokenizer(test_set))
        words = vocabulary.words
        sides = [vocabulary.encode(texts) for texts in (hypotheses, test_set.flat_references)]
        lower = [words.lower_case.each(side.ids) for side in sides]
        own, other = (
            replace(side, ids=ids, largest=len(words) - 1)
            for side, ids in zip(sides, lower, strict=True)
        )
        found = align(own.picked(segment), other, words.listed())
        matched = found.to_reference != UNMATCHED
        pairs = len(segment)
        matches = np.bincount(found.hypothesis.pair[matched], minlength=pairs)
        chunks = matches - count_links(found)
        lengths = [np.diff(side.starts) for side in (found.hypothesis, found.reference)]
        return self.scores(matches, chunks, *lengths)

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {
            "stages": "exact+stem+synonym",
            "stemmer": "porter-nltk",
            "wordnet": WORDNET_VERSION,
        }


def align(hypotheses: Encoded, references: Encoded, words: Sequence[str]) -> ExactMatches:
    """Align each hypothesis with its reference; ``words`` stand at the places of their numbers.

    Each stage takes the words left over from the one before, from the last to the first, and
    gives each the last free position of its form. The synonyms are those of the *stems*.
    """
    found = match_exact(hypotheses, references)
    own_left = np.flatnonzero(found.to_reference == UNMATCHED)
    other_left = np.flatnonzero(found.to_hypothesis == UNMATCHED)
    open_pairs = np.intersect1d(found.hypothesis.pair[own_left], found.reference.pair[other_left])
    own_cuts = np.searchsorted(found.hypothesis.pair[own_left], [open_pairs, open_pairs + 1])
    other_cuts = np.searchsorted(found.reference.pair[other_left], [open_pairs, open_pairs + 1])
    stems = {
        number: porter_stem(words[number])
        for number in np.unique(
            np.concatenate([hypotheses.ids[own_left], references.ids[other_left]])
        ).tolist()
    }
    own_words = [
        (place, stems[number])
        for place, number in zip(own_left.tolist(), hypotheses.ids[own_left].tolist(), strict=True)
    ]
    other_words = [
        (place, stems[number])
        for place, number in zip(
            found.reference.place[other_left].tolist(),
            references.ids[other_left].tolist(),
            strict=True,
        )
    ]
    for own, own_end, other, other_end in np.stack([*own_cuts, *other_cuts], axis=1).tolist():
        free: defaultdict[str, list[int]] = defaultdict(list)
        for place, stem in other_words[other:other_end]:
            free[stem].append(place)
        for place, position in _match_stems_and_synonyms(own_words[own:own_end], free):
            found.to_reference[place] = position
    return found


def _match_stems_and_synonyms(
    left: Sequence[tuple[int, str]], free: dict[str, list[int]]
) -> list[tuple[int, int]]:
    """Match what is left by stem, then by synonyms of the stem; emptied lists are dropped."""
    matched, unmatched = [], []
    for place, stem in reversed(left):
        if stem in free:
            matched.append((place, _pop(free, stem)))
        else:
            unmatched.append((place, stem))
    for place, stem in unmatched:
        candidates = synonyms(stem) & free.keys()
        if candidates:
            matched.append((place, _pop(free, max(candidates, key=lambda form: free[form][-1]))))
    return matched


def _pop(free: dict[str, list[int]], form: str) -> int:
    position = free[form].pop()
    if not free[form]:
        del free[form]
    return position


def count_links(found: ExactMatches) -> IntArray:
    """For each pair, how many neighbours stand at neighbouring positions, in the same order."""
    pair, position = found.hypothesis.pair, found.to_reference
    linked = (np.diff(position) == 1) & (np.diff(pair) == 0) & (position[:-1] != UNMATCHED)
    return np.asarray(np.bincount(pair[:-1][linked], minlength=len(found.hypothesis.starts) - 1))
