"""The greatest set of links that do not contradict each other.

A link (word, position) says that a word and the next one stand, in the reference, at a position
and the next one. Two links contradict each other if they give one word two positions or one
position two words. The greatest set without contradiction is found by branch and reduce: take
what has at most one rival, drop what another link can always replace, and branch on the rest.
Sets of links are bits of an integer. The work is limited, so that texts that repeat themselves
without end take the best set found so far.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Link: TypeAlias = tuple[int, int]

_MOST_WORK = 20_000
_MOST_CONFLICTS = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class Conflicts:
    """Links as bits, in the order of their diagonals: the bit of a link that goes on is next.

    ``rivals``: the links that contradict each link. ``rows``, ``columns``: the links of each word
    and of each position. ``chained``: the links that the next bit goes on from.
    """

    links: Sequence[Link]
    rivals: Sequence[int]
    rows: Sequence[tuple[int, int]]
    columns: Sequence[tuple[int, int]]
    chained: int

    @classmethod
    def between(cls, links: Sequence[Link]) -> Conflicts:
        """Find who contradicts whom."""
        ordered = sorted(links, key=lambda link: (link[1] - link[0], link[0]))
        rows: defaultdict[int, int] = defaultdict(int)
        columns: defaultdict[int, int] = defaultdict(int)
        chained = 0
        for number, (word, position) in enumerate(ordered):
            rows[word] |= 1 << number
            columns[position] |= 1 << number
            if ordered[number - 1] == (word - 1, position - 1):
                chained |= 1 << number - 1
        rivals = []
        for number, (word, position) in enumerate(ordered):
            own = 1 << number
            friends = own | (own << 1 if chained & own else 0)
            if number and chained & own >> 1:
                friends |= own >> 1
            near = rows[word] | columns[position]
            for step in (-1, 1):
                near |= rows.get(word + step, 0) | columns.get(position + step, 0)
            rivals.append(near & ~friends)
        return cls(ordered, rivals, sorted(rows.items()), sorted(columns.items()), chained)

    def bound(self, alive: int) -> int:
        """No set of these links is greater than this."""
        pairs = alive & alive >> 1 & self.chained
        return min(_most_lines(self.rows, alive, pairs), _most_lines(self.columns, alive, pairs))


def greatest_set(links: Sequence[Link]) -> list[Link]:
    """The greatest set of links without contradiction.

    If there is too much to try, it may be a smaller one; if there are too many contradictions,
    it is empty.
    """
    conflicts = Conflicts.between(links)
    if sum(map(int.bit_count, conflicts.rivals)) > _MOST_CONFLICTS:
        return []
    alive, chosen = _reduce(conflicts, (1 << len(links)) - 1, 0)
    for part in _components(conflicts, alive):
        chosen |= _branch(conflicts, part)
    return [conflicts.links[number] for number in _numbers(chosen)]


def _branch(conflicts: Conflicts, part: int) -> int:
    best, size, work = 0, -1, 0
    stack = [(part, 0)]
    while stack and (size < 0 or work < _MOST_WORK):
        alive, chosen = stack.pop()
        work += alive.bit_count() + 1
        if chosen.bit_count() + conflicts.bound(alive) <= size:
            continue
        alive, chosen = _reduce(conflicts, alive, chosen)
        if not alive:
            if chosen.bit_count() > size:
                best, size = chosen, chosen.bit_count()
            continue
        number = min(_numbers(alive), key=lambda n: (conflicts.rivals[n] & alive).bit_count())
        own = 1 << number
        stack.append((alive & ~own, chosen))
        stack.append((alive & ~own & ~conflicts.rivals[number], chosen | own))
    return best


def _reduce(conflicts: Conflicts, alive: int, chosen: int) -> tuple[int, int]:
    """Decide every link about which there can be no doubt."""
    rivals = conflicts.rivals
    while True:
        before = alive
        for number in _numbers(alive):
            own = 1 << number
            against = rivals[number] & alive
            if alive & own and not against & (against - 1):
                chosen |= own
                alive &= ~(own | against)
        if alive == before:
            alive = _drop_replaceable(conflicts, alive)
            if alive == before:
                return alive, chosen


def _drop_replaceable(conflicts: Conflicts, alive: int) -> int:
    """Drop links that have a rival which contradicts no link but those they contradict."""
    rivals = conflicts.rivals
    for number in _numbers(alive):
        own = 1 << number
        against = rivals[number] & alive
        for other in _numbers(against):
            if not rivals[other] & alive & ~against & ~own:
                alive &= ~own
                break
    return alive


def _components(conflicts: Conflicts, alive: int) -> Iterator[int]:
    """Split links into parts that do not contradict each other."""
    while alive:
        part, edge = 0, alive & -alive
        while edge:
            part |= edge
            reach = 0
            for number in _numbers(edge):
                reach |= conflicts.rivals[number]
            edge = reach & alive & ~part
        alive &= ~part
        yield part


def _most_lines(lines: Sequence[tuple[int, int]], alive: int, pairs: int) -> int:
    """From how many lines (words, or positions) a link can be taken at most.

    One from each, and from neighbouring lines only if some pair of links goes on between them.
    """
    taken = skipped = 0
    previous, before = -2, 0
    for line, members in lines:
        here = members & alive
        if here:
            best = max(taken, skipped)
            agree = line != previous + 1 or before & pairs
            taken, skipped = (best if agree else skipped) + 1, best
            previous, before = line, here
    return max(taken, skipped)


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
