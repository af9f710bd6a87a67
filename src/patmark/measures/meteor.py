"""METEOR by its definition, with an exact search for the best alignment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from patmark.data import TestSet
from patmark.measures._meteor import MeteorFamily, PairScore, Words
from patmark.measures._meteor_alignment import Partners, best_alignment
from patmark.text.snowball import snowball_stem, snowball_version
from patmark.text.wordnet import WORDNET_VERSION, synsets_of_lemmas


@dataclass(frozen=True, kw_only=True)
class METEOR(MeteorFamily):
    """METEOR. English words match if equal, of one stem, or of one synset; others if equal.

    Of all alignments the one with most matches and fewest chunks counts. A reference matched as
    a whole in one chunk scores 1.
    """

    description: ClassVar[str] = "METEOR: exact, stem and synonym matches, best alignment; 0–1"
    citation: ClassVar[str] = "Lavie and Agarwal 2007; Denkowski and Lavie 2014"

    def _pair_score(
        self, test_set: TestSet, hypotheses: Sequence[Words], references: Sequence[Words]
    ) -> PairScore:
        partners: Partners = {}
        if _is_english(test_set):
            partners = partners_among(
                {word for text in [*hypotheses, *references] for word in text}
            )

        def score(hypothesis: Words, reference: Words) -> float:
            return self._score(hypothesis, reference, partners)

        return score

    def _score(self, hypothesis: Words, reference: Words, partners: Partners) -> float:
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
    by_key: defaultdict[str | int, list[str]] = defaultdict(list)
    keys: dict[str, list[str | int]] = {
        word: [snowball_stem(word), *synsets_of_lemmas(word)] for word in words
    }
    for word, own in keys.items():
        for key in own:
            by_key[key].append(word)
    shared = {key: found for key, found in by_key.items() if len(found) > 1}
    partners: dict[str, frozenset[str]] = {}
    for word, own in keys.items():
        found = {partner for key in own if key in shared for partner in shared[key]}
        if len(found) > 1:
            partners[word] = frozenset(found)
    return partners


def _is_english(test_set: TestSet) -> bool:
    return test_set.target_language == "en"
