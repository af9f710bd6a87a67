"""Words told apart by their contexts, in time near-linear in the length of the texts.

All suffixes of both texts are sorted together. A suffix shares its longest beginning with a
neighbour, so the shortest context of a word that occurs once in each text can be read off the two
neighbours of the suffix that starts there. Left contexts are right contexts of the reversed texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from patmark.data import IntArray


def unique_context_positions(
    hypothesis: Sequence[str], reference: Sequence[str]
) -> list[int | None]:
    """The reference position of each hypothesis word by its shortest context unique on both sides.

    Of a left and a right context of the same length the left one counts. The shortest context is
    the word alone.
    """
    numbers: defaultdict[str, int] = defaultdict(count(1).__next__)
    own = np.array([numbers[word] for word in hypothesis], dtype=np.int64)
    other = np.array([numbers[word] for word in reference], dtype=np.int64)
    right_length, right_position = _right_contexts(own, other)
    left_length, mirrored = _right_contexts(own[::-1], other[::-1])
    left_length, left_position = left_length[::-1], len(other) - 1 - mirrored[::-1]
    position = np.where(left_length <= right_length, left_position, right_position)
    found = np.minimum(left_length, right_length) <= len(own)
    return [place if known else None for place, known in zip(position.tolist(), found, strict=True)]


def _right_contexts(hypothesis: IntArray, reference: IntArray) -> tuple[IntArray, IntArray]:
    """For each hypothesis word: the length of its shortest unique right context, and its position.

    The context is unique as soon as it is longer than what any suffix but one shares with it, and
    that one is of the reference. Where there is none, the length is more than the hypothesis has.
    """
    # The marks after the texts sort first and last, so that every word has two neighbours.
    text = np.concatenate([hypothesis, [0], reference])
    order, shared = _sorted_suffixes(np.append(text, text.max() + 1))
    rank = np.argsort(order)[: len(hypothesis)]
    before, after = shared[rank], shared[rank + 1]
    nearest = np.where(before > after, rank - 1, rank + 1)
    beyond = np.where(before > after, shared[rank - 1], shared[rank + 2])
    position = order[nearest] - len(hypothesis) - 1
    longest, second = np.maximum(before, after), np.maximum(np.minimum(before, after), beyond)
    unique = (position >= 0) & (longest > second)
    return np.where(unique, second + 1, len(hypothesis) + 1), position


def _sorted_suffixes(text: IntArray) -> tuple[IntArray, IntArray]:
    """The suffixes of a text in order, and how much each shares with the one before it.

    The second array is one longer than the first: nothing is shared at either end. The text holds
    all numbers from 0 to its last one, which occurs only there.
    """
    names = list(_names_of_windows(text))
    order = np.argsort(names[-1])
    first, second = order[:-1].copy(), order[1:].copy()
    shared = np.zeros(len(text) + 1, dtype=np.int64)
    for level in reversed(range(len(names))):
        step = (names[level][first] == names[level][second]) * (1 << level)
        first += step
        second += step
        shared[1:-1] += step
    return order, shared


def _names_of_windows(text: IntArray) -> Iterator[IntArray]:
    """Windows of 1, 2, 4, … numbers named in their order, until no two are the same.

    What lies beyond the end does not matter, since the last number tells those windows apart.
    """
    size = 1
    names = text
    yield names
    while names.max() < len(text) - 1:
        tail = np.concatenate([names[size:], np.zeros(size, dtype=np.int64)])
        names = np.unique(names * len(text) + tail, return_inverse=True)[1]
        yield names
        size *= 2
