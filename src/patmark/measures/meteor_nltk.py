"""METEOR as NLTK computes it, with the order of its matching and the stems it hands on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from patmark.data import TestSet
from patmark.measures._meteor import MeteorFamily, PairScore, Words
from patmark.text.porter import porter_stem
from patmark.text.wordnet import WORDNET_VERSION, synonyms


@dataclass(frozen=True, kw_only=True)
class MeteorNltk(MeteorFamily):
    """NLTK's METEOR. Identical texts of n words score 1 − γ/n^β, not 1."""

    variant: ClassVar[str] = "nltk"
    description: ClassVar[str] = "METEOR as NLTK: exact, Porter stem, WordNet synonym; greedy; 0–1"
    citation: ClassVar[str] = "NLTK 3.10.4, nltk.translate.meteor_score.meteor_score"

    def _pair_score(
        self, test_set: TestSet, hypotheses: Sequence[Words], references: Sequence[Words]
    ) -> PairScore:
        return self._score

    def _score(self, hypothesis: Words, reference: Words) -> float:
        partners = align(hypothesis, reference)
        matches = len(partners)
        if not matches:
            return 0.0
        mean = self.mean_of(matches, len(hypothesis), len(reference))
        return self.keep_of(matches, matches - count_links(partners)) * mean

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {
            "stages": "exact+stem+synonym",
            "stemmer": "porter-nltk",
            "wordnet": WORDNET_VERSION,
        }


def align(hypothesis: Words, reference: Words) -> dict[int, int]:
    """The reference position of each matched hypothesis position.

    Each stage takes the words left over from the one before, from the last to the first, and
    gives each the last free position of its form. The synonyms are those of the *stems*.
    """
    partners: dict[int, int] = {}
    free: defaultdict[str, list[int]] = defaultdict(list)
    for position, word in enumerate(reference):
        free[word].append(position)
    left = []
    for position in range(len(hypothesis) - 1, -1, -1):
        places = free.get(hypothesis[position])
        if places:
            partners[position] = places.pop()
        else:
            left.append(position)
    if left and len(partners) < len(reference):
        stems, free_stems = [], _by_stem(free)
        for position in left:
            stem = porter_stem(hypothesis[position])
            places = free_stems.get(stem)
            if places:
                partners[position] = places.pop()
            else:
                stems.append((position, stem))
        _match_synonyms(stems, {stem: p for stem, p in free_stems.items() if p}, partners)
    return partners


def _by_stem(free: Mapping[str, list[int]]) -> defaultdict[str, list[int]]:
    """The free positions by stem, in ascending order."""
    by_stem: defaultdict[str, list[int]] = defaultdict(list)
    for word, places in free.items():
        if places:
            by_stem[porter_stem(word)] += places
    for places in by_stem.values():
        places.sort()
    return by_stem


def _match_synonyms(
    stems: Sequence[tuple[int, str]], free: dict[str, list[int]], partners: dict[int, int]
) -> None:
    """Match stems whose form is a synonym of another stem, and drop what is used up."""
    for position, stem in stems:
        candidates = synonyms(stem) & free.keys()
        if candidates:
            best = max(candidates, key=lambda form: free[form][-1])
            partners[position] = free[best].pop()
            if not free[best]:
                del free[best]


def count_links(partners: Mapping[int, int]) -> int:
    """How many neighbouring hypothesis words have neighbouring partners in the same order."""
    return sum(partners.get(position + 1) == partner + 1 for position, partner in partners.items())
