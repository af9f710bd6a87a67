"""Texts as bags of content words and pairs of neighbouring words, in arrays.

An item is a 64-bit number made of the words; the second occurrence of an item in a text is another
item, so that sets of items overlap as bags do. Numbers and negations are few and decide much, so
that each counts as four words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray

_FUNCTION_WORD_LIST = """
a an and are as at be being by claim claims for from in into is it its of on one or that the to
which whereby wherein with 的 所 述 了 の を に は が と で
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
_NEGATION_LIST = "not no nor neither never none cannot without 不 非 无 無 未 否"
_NEGATIONS = frozenset(_NEGATION_LIST.split())
_EXTRA = 3
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_OF_PAIRS = np.uint64(0xC2B2AE3D27D4EB4F)


@dataclass(frozen=True, eq=False)
class Bags:
    """Items of several texts one after the other: whose they are, and how many each text has."""

    keys: NDArray[np.uint64]
    owners: IntArray
    sizes: FloatArray


def bags_of(texts: Sequence[Sequence[str]]) -> Bags:
    """The bags of texts that are given as words."""
    lengths = [len(words) for words in texts]
    flat = [word for words in texts for word in words]
    numbers = np.array([_number(word) for word in flat], dtype=np.uint64)
    content = np.array([word not in _FUNCTION_WORDS for word in flat], dtype=bool)
    owners = np.repeat(np.arange(len(texts)), lengths)
    precise = np.array([word in _NEGATIONS or word[0].isdecimal() for word in flat], dtype=bool)
    together = owners[1:] == owners[:-1]
    pairs = (numbers[:-1] * _SPREAD + numbers[1:]) * _OF_PAIRS
    once_more = [numbers[precise]] * _EXTRA
    keys = np.concatenate([numbers[content], pairs[together], *once_more])
    whose = np.concatenate([owners[content], owners[1:][together], *[owners[precise]] * _EXTRA])
    sizes = np.bincount(whose, minlength=len(texts)).astype(np.float64)
    return _counted(keys, whose, sizes)


def _counted(keys: NDArray[np.uint64], owners: IntArray, sizes: FloatArray) -> Bags:
    """Tell the occurrences of an item within one text apart."""
    order = np.lexsort((keys, owners))
    keys, owners = keys[order], owners[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]) | (owners[1:] != owners[:-1])
    places = np.arange(len(keys))
    occurrence = places - np.maximum.accumulate(np.where(new, places, 0))
    return Bags(keys + occurrence.astype(np.uint64) * _SPREAD, owners, sizes)


@lru_cache(maxsize=2**16)
def _number(word: str) -> int:
    """A number for a word that is the same in every process."""
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest())
