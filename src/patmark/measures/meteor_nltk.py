"""METEOR as NLTK computes it, with the order of its matching and the stems it hands on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from patmark.data import FloatArray, IntArray, TestSet
from patmark.measures.kernels.exact_words import UNMATCHED, ExactMatches, match_exact
from patmark.measures.meteor_family import MeteorFamily, Words
from patmark.text.porter import porter_stem
from patmark.text.wordnet import WORDNET_VERSION, synonyms


@dataclass(frozen=True, kw_only=True)
class MeteorNltk(MeteorFamily):
    """NLTK's METEOR. Identical texts of n words score 1 − γ/n^β, not 1."""

    variant: ClassVar[str] = "nltk"
    description: ClassVar[str] = "METEOR as NLTK: exact, Porter stem, WordNet synonym; greedy; 0–1"
    citation: ClassVar[str] = "NLTK 3.10.4, nltk.translate.meteor_score.meteor_score"

    def _pair_scores(
        self, test_set: TestSet, hypotheses: Sequence[Words], references: Sequence[Words]
    ) -> FloatArray:
        found = align(hypotheses, references)
        matched = found.to_reference != UNMATCHED
        pairs = len(hypotheses)
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


def align(hypotheses: Sequence[Words], references: Sequence[Words]) -> ExactMatches:
    """Align each hypothesis with its reference.

    Each stage takes the words left over from the one before, from the last to the first, and
    gives each the last free position of its form. The synonyms are those of the *stems*.
    """
    found = match_exact(hypotheses, references)
    own_left = np.flatnonzero(found.to_reference == UNMATCHED)
    other_left = np.flatnonzero(found.to_hypothesis == UNMATCHED)
    open_pairs = np.intersect1d(found.hypothesis.pair[own_left], found.reference.pair[other_left])
    own_cuts = np.searchsorted(found.hypothesis.pair[own_left], [open_pairs, open_pairs + 1])
    other_cuts = np.searchsorted(found.reference.pair[other_left], [open_pairs, open_pairs + 1])
    own_places = found.hypothesis.place[own_left].tolist()
    other_places = found.reference.place[other_left].tolist()
    for pair, own, own_end, other, other_end in np.stack(
        [open_pairs, *own_cuts, *other_cuts], axis=1
    ).tolist():
        start = found.hypothesis.starts[pair]
        hypothesis, reference = hypotheses[pair], references[pair]
        free: defaultdict[str, list[int]] = defaultdict(list)
        for place in other_places[other:other_end]:
            free[porter_stem(reference[place].lower())].append(place)
        for place, position in _match_stems_and_synonyms(hypothesis, own_places[own:own_end], free):
            found.to_reference[start + place] = position
    return found


def _match_stems_and_synonyms(
    hypothesis: Words, left: Sequence[int], free: dict[str, list[int]]
) -> list[tuple[int, int]]:
    """Match what is left by stem, then by synonyms of the stem; emptied lists are dropped."""
    matched, unmatched = [], []
    for place in reversed(left):
        stem = porter_stem(hypothesis[place].lower())
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
