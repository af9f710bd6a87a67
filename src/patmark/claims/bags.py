"""Texts as bags of words and word bigrams, and their overlap."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from patmark.claims.words import word_list
from patmark.data import FloatArray

_FUNCTION_WORDS = word_list("function-words")
_NEGATIONS = word_list("negations")
_EXTRA = 3


@dataclass(frozen=True, eq=False)
class Bags:
    """The items of several texts as sets, in which a repeated item is another item."""

    items: tuple[frozenset[Hashable], ...]
    sizes: FloatArray


def token_bags_of(texts: Iterable[Sequence[str]]) -> Bags:
    """Return the bags of words and word bigrams."""
    return _bags([*words, *pairwise(words)] for words in texts)


def bags_of(texts: Iterable[Sequence[str]]) -> Bags:
    """Return the bags of content words and bigrams, with more weight for numbers and negations."""
    return _bags(
        [
            *(word for word in words if word not in _FUNCTION_WORDS),
            *pairwise(words),
            *_EXTRA * [word for word in words if word in _NEGATIONS or word[0].isdecimal()],
        ]
        for words in texts
    )


def _bags(texts: Iterable[Sequence[Hashable]]) -> Bags:
    """Distinguish the occurrences of an item within one text."""
    items = []
    for text in texts:
        seen: dict[Hashable, int] = {}
        numbered = set()
        for item in text:
            count = seen.get(item, 0)
            numbered.add((item, count))
            seen[item] = count + 1
        items.append(frozenset(numbered))
    return Bags(tuple(items), np.array([len(one) for one in items], dtype=np.float64))


class Overlap(NamedTuple):
    """Numbers of items that each row shares with each column, and that each has."""

    shared: FloatArray
    rows: FloatArray
    columns: FloatArray

    @property
    def agreement(self) -> FloatArray:
        """Dice coefficient: 1 for equal texts, the same both ways."""
        sizes = self.rows[:, None] + self.columns
        return np.asarray(2 * self.shared / np.maximum(sizes, 1))

    @property
    def contained(self) -> FloatArray:
        """The share of a row that its column has."""
        return np.asarray(self.shared / np.maximum(self.rows[:, None], 1))


def overlap(rows: Bags, columns: Bags) -> Overlap:
    """Count the items shared by each two texts."""
    known = {item: place for place, item in enumerate(frozenset().union(*rows.items))}
    return Overlap(
        _incidence(rows, known) @ _incidence(columns, known).T, rows.sizes, columns.sizes
    )


def _incidence(bags: Bags, known: Mapping[Hashable, int]) -> FloatArray:
    """Return an incidence table (texts, known items)."""
    table = np.zeros((len(bags.items), len(known)))
    for row, items in enumerate(bags.items):
        table[row, [known[item] for item in items if item in known]] = 1
    return table
