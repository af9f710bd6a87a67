"""Longest common subsequences, with one big integer per row (Crochemore et al. 2001; Hyyrö 2004).

Bit j of row i is 0 where the table of subsequence lengths rises between columns j and j + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def _rows(first: Sequence[str], second: Sequence[str]) -> Iterator[int]:
    places: dict[str, int] = {}
    for position, word in enumerate(second):
        places[word] = places.get(word, 0) | (1 << position)
    full = (1 << len(second)) - 1
    row = full
    for word in first:
        matching = row & places.get(word, 0)
        row = ((row + matching) | (row - matching)) & full
        yield row


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    *_, last = (1 << len(second)) - 1, *_rows(first, second)
    return len(second) - last.bit_count()


def lcs_words(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """One longest common subsequence, last word first.

    Among equally long ones it is found by walking back from the end and, where the words differ,
    dropping the last word of ``second`` unless dropping that of ``first`` keeps more.
    """
    rows = [(1 << len(second)) - 1, *_rows(first, second)]

    def length(i: int, j: int) -> int:
        return j - (rows[i] & ((1 << j) - 1)).bit_count()

    words = []
    i, j = len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            words.append(first[i - 1])
            i, j = i - 1, j - 1
        elif length(i - 1, j) > length(i, j - 1):
            i -= 1
        else:
            j -= 1
    return words
