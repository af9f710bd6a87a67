"""WordNet 3.0: the synsets of a word and the words of a synset.

The data is a compact table made by ``tools/build_wordnet.py``, without glosses and relations.
WordNet 3.0 is Copyright 2006 by Princeton University; its licence is in the same folder.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
WORDNET_VERSION = "3.0"

_DETACHMENTS: Mapping[str, Sequence[tuple[str, str]]] = {
    "noun": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
        ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
# Exceptions with two lines in WordNet's lists. The table has the second, as NLTK has it.
_LISTED_TWICE = {"aurar": ("eyir",), "involucra": ("involucre",), "offer": ("off",)}


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The table in memory: sorted words, and words and synsets joined by senses.

    The senses of word w are ``synsets[first_sense[w]:first_sense[w + 1]]``; the words of synset s
    are ``names[first_name[s]:first_name[s + 1]]``, those it spells in lower case only.
    """

    words: list[str]
    first_sense: IntArray
    synsets: IntArray
    first_name: IntArray
    names: IntArray
    ranges: Mapping[str, range]
    exceptions: Mapping[tuple[str, str], Sequence[str]]


def synsets(word: str) -> tuple[int, ...]:
    """Return the synsets of a word, looked up by its base forms in each part of speech."""
    word = word.lower()
    return tuple(
        synset
        for part in _DETACHMENTS
        for senses in _senses_by_form(word, part).values()
        for synset in senses
    )


def is_only_verb(word: str) -> bool:
    """Return True if WordNet lists a lower-case word only as a verb."""
    return word in _only_verbs()


@lru_cache(maxsize=1)
def _only_verbs() -> frozenset[str]:
    """Return the words that are only verbs, from a list that loads faster than the table."""
    name = f"verbs-{WORDNET_VERSION}.txt"
    packed = files("patmark.languages").joinpath("wordnet_data", name)
    return frozenset(packed.read_text(encoding="ascii").split())


def lemma_names(synset: int) -> tuple[str, ...]:
    """Return the members of a synset in lower case; ``_`` joins the words of one."""
    table = _table()
    places = table.names[table.first_name[synset] : table.first_name[synset + 1]]
    return tuple(table.words[place] for place in places)


def base_forms(word: str) -> tuple[str, ...]:
    """Return the word and its base forms as METEOR 1.5 finds them, if WordNet has them.

    They are the exceptions that WordNet lists, else the first form that a rule of any part of
    speech gives. The rule ves → f is NLTK's alone.
    """
    word = word.lower()
    exceptions = _table().exceptions
    bases = [base for part in _DETACHMENTS for base in exceptions.get((part, word), ())]
    if bases:
        bases += _LISTED_TWICE.get(word, ())
    elif len(word) > 2 and not word.endswith("ss"):
        forms = (
            word[: -len(ending)] + replacement
            for rules in _DETACHMENTS.values()
            for ending, replacement in rules
            if word.endswith(ending) and ending != "ves"
        )
        bases = [next((form for form in forms if _senses(form)), word)]
    return tuple(form for form in dict.fromkeys([word, *bases]) if _senses(form))


@lru_cache(maxsize=2**16)
def synonyms(word: str) -> frozenset[str]:
    """Return all single words of the synsets of a word, and the word itself."""
    names = (name for synset in synsets(word) for name in lemma_names(synset))
    return frozenset([word, *(name for name in names if "_" not in name)])


@lru_cache(maxsize=2**16)
def synsets_of_lemmas(word: str) -> frozenset[int]:
    """Return every synset of the word and of its base forms in any part of speech."""
    return frozenset(synset for form in base_forms(word) for synset in _senses(form))


def _senses_by_form(word: str, part: str) -> dict[str, list[int]]:
    """Return the word and its base forms that WordNet has as this part of speech, with synsets."""
    table = _table()
    bases = table.exceptions.get((part, word))
    if bases is None:
        bases = [
            word[: -len(ending)] + replacement
            for ending, replacement in _DETACHMENTS[part]
            if word.endswith(ending)
        ]
    numbers = table.ranges[part]
    found = {
        form: [synset for synset in _senses(form) if synset in numbers]
        for form in dict.fromkeys([word, *bases])
    }
    return {form: senses for form, senses in found.items() if senses}


@lru_cache(maxsize=2**16)
def _senses(word: str) -> tuple[int, ...]:
    """Return the synsets of a word without normalisation, in all parts of speech."""
    table = _table()
    place = bisect_left(table.words, word)
    if place == len(table.words) or table.words[place] != word:
        return ()
    first, end = table.first_sense[place : place + 2]
    return tuple(table.synsets[first:end].tolist())


@lru_cache(maxsize=1)
def _table() -> _Table:
    import zstandard

    packed = files("patmark.languages").joinpath("wordnet_data", f"wordnet-{WORDNET_VERSION}.zst")
    header, _, body = zstandard.decompress(packed.read_bytes()).partition(b"\n")
    layout = json.loads(header)
    sections: dict[str, bytes] = {}
    start = 0
    for name, length in layout["sections"].items():
        sections[name] = body[start : start + length]
        start += length
    counts = np.frombuffer(sections["counts"], dtype=np.uint8)
    numbers = _join_planes(sections["synsets"])
    first_name, names = _names_of_synsets(
        counts, numbers, sections["plain"], sum(layout["synsets"].values())
    )
    return _Table(
        words=sections["words"].decode("ascii").split("\n"),
        first_sense=_starts(counts),
        synsets=numbers,
        first_name=first_name,
        names=names,
        ranges=_ranges(layout["synsets"]),
        exceptions=_exceptions(sections["exceptions"]),
    )


def _join_planes(planes: bytes) -> IntArray:
    low, middle, high = np.frombuffer(planes, dtype=np.uint8).reshape(3, -1).astype(np.int64)
    numbers: IntArray = low + (middle << 8) + (high << 16)
    return numbers


def _starts(counts: NDArray[np.integer[Any]]) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _names_of_synsets(
    counts: NDArray[np.integer[Any]], numbers: IntArray, plain: bytes, size: int
) -> tuple[IntArray, IntArray]:
    """Invert "synsets of a word": the start of the words of each synset, and the words."""
    is_plain = np.unpackbits(np.frombuffer(plain, dtype=np.uint8), count=len(numbers)) == 1
    words = np.repeat(np.arange(len(counts)), counts)[is_plain]
    numbers = numbers[is_plain]
    first = _starts(np.bincount(numbers, minlength=size))
    return first, words[np.argsort(numbers, kind="stable")]


def _ranges(sizes: Mapping[str, int]) -> dict[str, range]:
    ranges: dict[str, range] = {}
    start = 0
    for part, size in sizes.items():
        ranges[part] = range(start, start + size)
        start += size
    return ranges


def _exceptions(section: bytes) -> dict[tuple[str, str], Sequence[str]]:
    lines = (line.split(" ") for line in section.decode("ascii").split("\n"))
    return {(part, form): bases for part, form, *bases in lines}
