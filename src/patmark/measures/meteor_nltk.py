"""METEOR as NLTK computes it, with the order of its matching and the stems it hands on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from operator import eq
from typing import Any, ClassVar

from patmark.data import TestSet
from patmark.measures.meteor_family import MeteorFamily, PairScore, Words
from patmark.text.porter import porter_stem
from patmark.text.wordnet import WORDNET_VERSION, synonyms

UNMATCHED = -2


@dataclass(frozen=True, kw_only=True)
class MeteorNltk(MeteorFamily):
    """NLTK's METEOR. Identical texts of n words score 1 − γ/n^β, not 1."""

    variant: ClassVar[str] = "nltk"
    description: ClassVar[str] = "METEOR as NLTK: exact, Porter stem, WordNet synonym; greedy; 0–1"
    citation: ClassVar[str] = "NLTK 3.10.4, nltk.translate.meteor_score.meteor_score"

    def _pair_score(self, test_set: TestSet, vocabulary: Set[str]) -> PairScore:
        return self._score

    def _score(self, hypothesis: Words, reference: Words) -> float:
        positions = align(hypothesis, reference)
        matches = len(positions) - positions.count(UNMATCHED)
        if not matches:
            return 0.0
        mean = self.mean_of(matches, len(hypothesis), len(reference))
        return self.keep_of(matches, matches - count_links(positions)) * mean

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {
            "stages": "exact+stem+synonym",
            "stemmer": "porter-nltk",
            "wordnet": WORDNET_VERSION,
        }


def align(hypothesis: Words, reference: Words) -> list[int]:
    """For each word of the hypothesis its position in the reference, or ``UNMATCHED``.

    Each stage takes the words left over from the one before, from the last to the first, and
    gives each the last free position of its form. The synonyms are those of the *stems*.
    """
    free: defaultdict[str, list[int]] = defaultdict(list)
    for position, word in enumerate(reference):
        free[word].append(position)
    positions = []
    for word in reversed(hypothesis):
        places = free.get(word)
        positions.append(places.pop() if places else UNMATCHED)
    positions.reverse()
    left = positions.count(UNMATCHED)
    if left and len(hypothesis) - left < len(reference):
        _match_stems_and_synonyms(hypothesis, positions, _by_stem(free))
    return positions


def _match_stems_and_synonyms(
    hypothesis: Words, positions: list[int], free: dict[str, list[int]]
) -> None:
    """Match what is left by stem, then by synonyms of the stem; emptied lists are dropped."""
    left = [index for index, position in enumerate(positions) if position == UNMATCHED]
    stems = [(index, porter_stem(hypothesis[index])) for index in reversed(left)]
    for index, stem in stems:
        if stem in free:
            positions[index] = _pop(free, stem)
    for index, stem in stems:
        if positions[index] == UNMATCHED:
            candidates = synonyms(stem) & free.keys()
            if candidates:
                positions[index] = _pop(free, max(candidates, key=lambda form: free[form][-1]))


def _by_stem(free: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """The free positions by stem, in ascending order."""
    by_stem: defaultdict[str, list[int]] = defaultdict(list)
    for word, places in free.items():
        if places:
            by_stem[porter_stem(word)] += places
    return {stem: sorted(places) for stem, places in by_stem.items()}


def _pop(free: dict[str, list[int]], form: str) -> int:
    position = free[form].pop()
    if not free[form]:
        del free[form]
    return position


def count_links(positions: Sequence[int]) -> int:
    """How many neighbouring words stand at neighbouring positions, in the same order."""
    return sum(map(eq, positions[1:], [position + 1 for position in positions]))
