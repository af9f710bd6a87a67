"""Names as whole numbers, so that rankings and judgements are arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from patmark.data import IntArray


class Names:
    """Gives each new name the next number."""

    def __init__(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__

    def code(self, names: Iterable[str]) -> list[int]:
        """The numbers of names, old and new."""
        return list(map(self.numbers.__getitem__, names))


def sorted_codes(names: Sequence[str], codes: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """The same coding with numbers in the order of the names: by code point, as by UTF-8 byte."""
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    return tuple(names[position] for position in order), place[codes]


def translated(names: Sequence[str], others: Sequence[str]) -> IntArray:
    """For each name its position among others; -1 where it is not there."""
    place = {name: position for position, name in enumerate(others)}
    return np.array([place.get(name, -1) for name in names], dtype=np.int64)


def positions_within(groups: IntArray) -> IntArray:
    """The position of each element in its group, from 0; ``groups`` must be sorted."""
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]]) if len(groups) else groups
    lengths = np.diff(np.r_[starts, len(groups)])
    return np.arange(len(groups)) - np.repeat(starts, lengths)


def repeated(keys: IntArray) -> IntArray:
    """The positions of elements that equal an earlier one."""
    order = np.argsort(keys, kind="stable")
    same = np.r_[False, keys[order][1:] == keys[order][:-1]] if len(keys) else keys > 0
    return np.sort(order[same])
