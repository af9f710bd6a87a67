"""Which words of one language a dictionary gives for words of the other, with all senses."""

from __future__ import annotations

import gc
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache

from patmark.corpus.alignment.words import sentence_words
from patmark.text import Dictionary, has_cjk, plain_headword, read_dictionary

_WITHOUT_BLANKS = ("zh", "ja")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_ABOUT_THE_WORD = re.compile(
    r"CL:|(?:[a-z]+ )*variant of|also (?:pr|written)|see(?: also)? \S*[|\[]"
)
_FILLERS = frozenset({
    "a", "an", "and", "as", "at", "be", "by", "etc", "for", "from", "in", "is", "it", "of", "on",
    "one", "or", "s", "sb", "sth", "surnam", "that", "the", "this", "to", "with",
})  # fmt: skip
_LONGEST_SENSE = 4
_PART_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Senses:
    """A dictionary that is asked for single words; answers are kept."""

    dictionary: Dictionary
    _listed: Mapping[str, Sequence[str]]
    _known: dict[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, dictionary: Dictionary) -> Senses:
        """The senses of every headword, or of every word in it where words have blanks."""
        listed: dict[str, list[str]] = defaultdict(list)
        for headword, senses in dictionary.entries:
            for word in _keys(headword, dictionary.source):
                listed[word].extend(senses)
        return cls(dictionary, dict(listed))

    def translations(self, word: str) -> Mapping[str, float]:
        """Words of the other language with weights up to 1, none for an unknown word.

        A Chinese or Japanese word also gets the translations of its parts, with less weight.
        """
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._weighed(word)
        return found

    def _weighed(self, word: str) -> Mapping[str, float]:
        weights: dict[str, float] = {}
        for part, weight in self._parts(word):
            for sense in self._listed[part]:
                words = _sense_words(sense, self.dictionary.target)
                for each in words:
                    weights[each] = max(weights.get(each, 0.0), weight / len(words))
        return weights

    def _parts(self, word: str) -> Iterator[tuple[str, float]]:
        """The word itself, then the longest headwords that it is made of."""
        if word in self._listed:
            yield word, 1.0
        if self.dictionary.source not in _WITHOUT_BLANKS or not has_cjk(word):
            return
        longest = len(word) - (word in self._listed)
        place = 0
        while place < len(word):
            ends = range(min(len(word), place + longest), place, -1)
            end = next((end for end in ends if word[place:end] in self._listed), None)
            if end is not None:
                yield word[place:end], _PART_WEIGHT
            place = place + 1 if end is None else end


def _keys(headword: str, language: str) -> Sequence[str]:
    if language in _WITHOUT_BLANKS:
        return (plain_headword(headword, language),)
    return sentence_words([headword], language)[0]


def _sense_words(sense: str, language: str) -> Sequence[str]:
    """What a sense contributes: its words, if they are few and do not only speak of the word."""
    if language == "en":
        if _ABOUT_THE_WORD.match(sense.strip()):
            return ()
        while (shorter := _BRACKETED.sub(" ", sense)) != sense:
            sense = shorter
    words = [word for word in sentence_words([sense], language)[0] if word not in _FILLERS]
    return words if len(words) <= _LONGEST_SENSE else ()


@lru_cache(maxsize=4)
def read_senses(choice: str, source: str, target: str) -> Senses:
    """The dictionary that a user names, for one direction."""
    with _collector_at_rest():
        return Senses.of(read_dictionary(choice, source, target))


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Make many objects that stay: to look for garbage among them would double the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
