"""METEOR by its definition, with an exact search for the best alignment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.measures.kernels.meteor_alignment import Partners, best_alignment
from patmark.measures.meteor_family import MeteorFamily, Words
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

    def _pair_scores(
        self, test_set: TestSet, hypotheses: Sequence[Words], references: Sequence[Words]
    ) -> FloatArray:
        vocabulary = {word: word.lower() for word in set().union(*hypotheses, *references)}
        hypotheses, references = (
            [[vocabulary[word] for word in words] for words in texts]
            for texts in (hypotheses, references)
        )
        partners: Partners = {}
        if _is_english(test_set):
            partners = partners_among(set(vocabulary.values()))
        aligned = [
            best_alignment(own, other, partners)
            for own, other in zip(hypotheses, references, strict=True)
        ]
        matches, chunks = np.array(aligned, dtype=np.int64).reshape(-1, 2).T
        lengths = [
            np.array([len(words) for words in texts], dtype=np.int64)
            for texts in (hypotheses, references)
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
