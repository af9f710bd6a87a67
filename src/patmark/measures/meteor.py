"""METEOR by its definition, with an exact search for the best alignment."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, TypeAlias

from patmark.data import TestSet
from patmark.measures.kernels.meteor_alignment import Partners, best_alignment
from patmark.measures.meteor_family import MeteorFamily, PairScore, Words
from patmark.text.snowball import snowball_stem, snowball_version
from patmark.text.wordnet import WORDNET_VERSION, synsets_of_lemmas

Key: TypeAlias = str | int


@dataclass(frozen=True, kw_only=True)
class METEOR(MeteorFamily):
    """METEOR. English words match if equal, of one stem, or of one synset; others if equal.

    Of all alignments the one with most matches and fewest chunks counts. A reference matched as
    a whole in one chunk scores 1.
    """

    description: ClassVar[str] = "METEOR: exact, stem and synonym matches, best alignment; 0–1"
    citation: ClassVar[str] = "Lavie and Agarwal 2007; Denkowski and Lavie 2014"

    def _pair_score(self, test_set: TestSet, vocabulary: Set[str]) -> PairScore:
        partners = partners_among(vocabulary) if _is_english(test_set) else {}
        return partial(self._score, partners)

    def _score(self, partners: Partners, hypothesis: Words, reference: Words) -> float:
        matches, chunks = best_alignment(hypothesis, reference, partners)
        if not matches:
            return 0.0
        if chunks == 1 and matches == len(hypothesis) == len(reference):
            return 1.0
        mean = self.mean_of(matches, len(hypothesis), len(reference))
        return self.keep_of(matches, chunks) * mean

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        stages = {"stages": "exact"}
        if _is_english(test_set):
            stages = {
                "stages": "exact+stem+synonym",
                "stemmer": snowball_version(),
                "wordnet": WORDNET_VERSION,
            }
        return super()._signature_parts(test_set) | stages


def partners_among(words: Iterable[str]) -> dict[str, frozenset[str]]:
    """The words of a vocabulary that match another one, with all words that each matches."""
    vocabulary = sorted(words)
    first: dict[Key, str] = {}
    shared: dict[Key, list[str]] = {}
    for word in vocabulary:
        for key in _keys(word):
            if key in first:
                shared.setdefault(key, [first[key]]).append(word)
            else:
                first[key] = word
    partners: dict[str, frozenset[str]] = {}
    for word in vocabulary:
        found = {partner for key in _keys(word) if key in shared for partner in shared[key]}
        if len(found) > 1:
            partners[word] = frozenset(found)
    return partners


@lru_cache(maxsize=2**16)
def _keys(word: str) -> tuple[Key, ...]:
    """Two words match if they share one of these: the stem, or a synset."""
    return (snowball_stem(word), *synsets_of_lemmas(word))


def _is_english(test_set: TestSet) -> bool:
    return test_set.target_language == "en"
