"""The search for the alignment with most matches of open words, then most links.

The hypothesis is walked from left to right. A state holds the reference positions that are taken
and that a later word may still want, and the position of the word before if the next word can
go on from there. Of equal states the best is kept, so nothing is lost; only where the number of
states outgrows a limit, the worst are dropped, which keeps the time in proportion to the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_WORK = 300_000
_FEWEST_STATES, _MOST_STATES = 32, 4096
_NARROW = 8
_NOWHERE = -1


class State(NamedTuple):
    """Taken positions and slots as bits, and where the last word stands if it may be linked.

    ``bound`` says that the last word was placed for the sake of a link, so it must get one.
    """

    taken: int
    last: int
    bound: bool


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What there is to choose for each word of the hypothesis.

    ``starts``: positions from which the word and the next one can be linked. ``slots``: for an
    open word, one mask of bits per reference word that it matches, a bit per occurrence.
    ``bits``: the bit of a position that several words want; ``slots_at``: the mask of the
    reference word at a position. ``keep``: the bits that later words look at. ``rest``: the most
    that the links and open words after this one can add. An open match outweighs all links.
    """

    starts: Sequence[frozenset[int]]
    slots: Sequence[Sequence[int]]
    bits: Mapping[int, int]
    slots_at: Mapping[int, int]
    keep: Sequence[int]
    rest: Sequence[int]
    weight: int

    @classmethod
    def of(
        cls,
        starts: Sequence[Sequence[int]],
        hypothesis: Sequence[str],
        reference: Sequence[str],
        open_words: Mapping[str, Sequence[str]],
    ) -> Problem:
        """Prepare the search: ``starts`` holds one list per neighbouring pair of words."""
        wanted = _last_contested_use(starts)
        bits = {position: 1 << number for number, position in enumerate(wanted)}
        masks = _slot_masks(reference, open_words, len(bits))
        slots = [[masks[form] for form in open_words.get(word, ())] for word in hypothesis]
        last_use = {bits[position]: word for position, word in wanted.items()}
        for word, choices in enumerate(slots):
            last_use |= dict.fromkeys(choices, word)
        weight = len(hypothesis) + 1
        return cls(
            starts=[*map(frozenset, starts), frozenset()],
            slots=slots,
            bits=bits,
            slots_at={at: masks[word] for at, word in enumerate(reference) if word in masks},
            keep=_masks_still_needed(last_use, len(hypothesis)),
            rest=_still_possible(starts, slots, weight),
            weight=weight,
        )

    def split(self, value: int) -> tuple[int, int]:
        """The matches of open words and the links that make up a value."""
        return divmod(value, self.weight)

    @property
    def width(self) -> int:
        """How many states to keep: fewer where each of them has many ways to go on."""
        ways = len(self.starts) + sum(map(len, self.starts))
        return max(_FEWEST_STATES, min(_MOST_STATES, _WORK // ways))


def search(problem: Problem, floor: int = 0) -> int:
    """The best value, or 0 if none reaches the floor."""
    if floor:
        return _walk(problem, floor, problem.width)
    first = _walk(problem, 0, _NARROW)
    return max(first, _walk(problem, first + 1, problem.width))


def _walk(problem: Problem, floor: int, width: int) -> int:
    states = {State(0, _NOWHERE, False): 0}
    for word, rest in enumerate(problem.rest):
        reached: dict[State, int] = {}
        for state, value in states.items():
            for after, gain in _moves(problem, word, state):
                total = value + gain
                if total + rest + (after.last >= 0) >= floor and reached.get(after, -1) < total:
                    reached[after] = total
        if len(reached) > width:
            best = sorted(reached.items(), key=lambda item: -item[1])
            reached = dict(best[:width])
        states = reached
    return max(states.values(), default=0)


def _moves(problem: Problem, word: int, state: State) -> Iterator[tuple[State, int]]:
    """All ways to place one word: go on, stay unlinked, or start where a link can follow."""
    keep, starts = problem.keep[word], problem.starts[word]
    match = problem.weight if problem.slots[word] else 0
    follow = state.last + 1 if state.last >= 0 else _NOWHERE
    if follow >= 0 and (taken := _take(problem, state.taken, follow)) >= 0:
        last = follow if follow in starts else _NOWHERE
        yield State(taken & keep, last, False), match + 1
    if state.bound:
        return
    for mask in problem.slots[word]:
        free = mask & ~state.taken
        if free:
            yield State((state.taken | (free & -free)) & keep, _NOWHERE, False), match
    yield State(state.taken & keep, _NOWHERE, False), 0
    for start in sorted(starts):
        if start != follow and not state.taken & problem.bits.get(start + 1, 0):
            taken = _take(problem, state.taken, start)
            if taken >= 0:
                yield State(taken & keep, start, True), match


def _take(problem: Problem, taken: int, position: int) -> int:
    """The taken bits with those of this position, or −1 if it is not free."""
    bit = problem.bits.get(position, 0)
    if taken & bit:
        return -1
    mask = problem.slots_at.get(position, 0)
    free = mask & ~taken
    if mask and not free:
        return -1
    return taken | bit | (free & -free)


def _last_contested_use(starts: Sequence[Sequence[int]]) -> dict[int, int]:
    """The positions that more than one word may take for a link, with the last such word."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for word, positions in enumerate(starts):
        for start in positions:
            first.setdefault(start, word)
            last[start] = max(word, last.get(start, word))
            first.setdefault(start + 1, word + 1)
            last[start + 1] = word + 1
    return {position: last[position] for position in first if first[position] != last[position]}


def _slot_masks(
    reference: Sequence[str], open_words: Mapping[str, Sequence[str]], first_bit: int
) -> dict[str, int]:
    """For each reference word that open words match: as many bits as it has occurrences."""
    masks: dict[str, int] = {}
    for form in sorted({form for forms in open_words.values() for form in forms}):
        count = reference.count(form)
        masks[form] = ((1 << count) - 1) << first_bit
        first_bit += count
    return masks


def _masks_still_needed(last_use: Mapping[int, int], length: int) -> list[int]:
    """For each word, the bits that some later word looks at."""
    dropped = [0] * length
    for mask, word in last_use.items():
        dropped[word] |= mask
    needed = -1
    keep: list[int] = []
    for mask in dropped:
        needed &= ~mask
        keep.append(needed)
    return keep


def _still_possible(
    starts: Sequence[Sequence[int]], slots: Sequence[Sequence[int]], weight: int
) -> list[int]:
    """For each word, the most that the words after it can add, links from this one not counted."""
    rest = [0] * len(slots)
    for word in range(len(slots) - 2, -1, -1):
        linkable = word + 1 < len(starts) and bool(starts[word + 1])
        rest[word] = rest[word + 1] + linkable + (weight if slots[word + 1] else 0)
    return rest
