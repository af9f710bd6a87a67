"""Open words: words that match several reference words which do not match each other.

Not every choice of links for them leaves the greatest number of matches possible: if *a* matches
*x* and *y*, but *b* matches *x* only, a link must not give *x* to *a*. So links are chosen
without regard to that, the choice is checked, and each thing that made it fail is forbidden in
turn. The first choice that passes is the best, since they are tried from large to small.
If too many fail, the first one is repaired.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TypeAlias

from patmark.measures.kernels.meteor_links import Link, Links, most_links

Forms: TypeAlias = Mapping[str, Sequence[str]]
Matching: TypeAlias = dict[str, Counter[str]]

_MOST_WORK = 10_000


@dataclass(frozen=True, eq=False)
class OpenWords:
    """Two texts, and the open words of the first with the words of the second that they match."""

    hypothesis: Sequence[str]
    reference: Sequence[str]
    forms: Forms

    @cached_property
    def matches(self) -> int:
        """The greatest number of open words that can be matched."""
        return _size(self._matching_beside(()))

    def most_links(self, links: Links) -> int:
        """The most links that leave the greatest number of matches possible."""
        first = most_links(links)
        if self._leave_enough(self._places(first)):
            return len(first)
        most = _MOST_WORK // (len(self.reference) + sum(map(len, links)))
        if most < len(self.forms):
            return len(self._repaired(first))
        links = _without(links, self._hopeless(links))
        order = count()
        seen: set[frozenset[Link]] = set()
        queue = [(0, next(order), frozenset[Link](), most_links(links))]
        while True:
            _, _, forbidden, chosen = heapq.heappop(queue)
            places = self._places(chosen)
            if self._leave_enough(places):
                return len(chosen)
            for place in self._culprits(places):
                less = forbidden | {place}
                if less not in seen:
                    seen.add(less)
                    chosen = most_links(_without(links, less))
                    heapq.heappush(queue, (-len(chosen), next(order), less, chosen))
            if len(seen) > most:
                return len(self._repaired(first))

    def _repaired(self, links: Sequence[Link]) -> list[Link]:
        """The links that agree with one matching of greatest size, made to agree with many."""
        wishes = Counter(self._pair(place) for place in self._places(links))
        matching = _greatest_matching(self._supply, self._demand, self.forms, wishes)
        agreed: set[Link] = set()
        for place in sorted(self._places(links)):
            word, form = self._pair(place)
            if matching[form][word]:
                matching[form][word] -= 1
                agreed.add(place)
        return [link for link in links if self._places([link]) <= agreed]

    def _pair(self, place: Link) -> tuple[str, str]:
        return self.hypothesis[place[0]], self.reference[place[1]]

    def _places(self, links: Iterable[Link]) -> set[Link]:
        """Where a set of links puts open words: pairs of word and position."""
        return {
            (word + step, position + step)
            for word, position in links
            for step in (0, 1)
            if self.hypothesis[word + step] in self.forms
        }

    def _leave_enough(self, places: Collection[Link]) -> bool:
        return len(places) + _size(self._matching_beside(places)) == self.matches

    def _culprits(self, places: Collection[Link]) -> list[Link]:
        """Places that together leave too few matches, and none of which can be missed for that."""
        culprits = sorted(places)
        for place in sorted(places):
            others = [other for other in culprits if other != place]
            if not self._leave_enough(others):
                culprits = others
        return culprits

    def _hopeless(self, links: Links) -> set[Link]:
        """Places that no alignment with the greatest number of matches has."""
        places = self._places(_all(links))
        example = {self._pair(place): place for place in places}
        bad = {pair for pair, place in example.items() if not self._leave_enough([place])}
        return {place for place in places if self._pair(place) in bad}

    def _matching_beside(self, places: Collection[Link]) -> Matching:
        """A greatest matching of the open words that do not have one of these places."""
        supply, demand = self._supply.copy(), self._demand.copy()
        supply.subtract(self.hypothesis[word] for word, _ in places)
        demand.subtract(self.reference[position] for _, position in places)
        return _greatest_matching(supply, demand, self.forms, {})

    @cached_property
    def _supply(self) -> Counter[str]:
        return Counter(word for word in self.hypothesis if word in self.forms)

    @cached_property
    def _demand(self) -> Counter[str]:
        matched = {form for found in self.forms.values() for form in found}
        return Counter(word for word in self.reference if word in matched)


def _all(links: Links) -> list[Link]:
    return [(word, position) for word, found in enumerate(links) for position in found]


def _without(links: Links, places: Set[Link]) -> Links:
    """The links that put no word at one of these places."""
    return [
        {at: None for at in found if (word, at) not in places and (word + 1, at + 1) not in places}
        for word, found in enumerate(links)
    ]


def _size(matching: Matching) -> int:
    return sum(number for owners in matching.values() for number in owners.values())


def _greatest_matching(
    supply: Mapping[str, int],
    demand: Mapping[str, int],
    forms: Forms,
    wishes: Mapping[tuple[str, str], int],
) -> Matching:
    """Give as many words as possible one of their forms, each as often as it is demanded.

    The matching grows from the wishes (word, form), which are possible together.
    """
    left, free = Counter(supply), dict(demand)
    matching: Matching = {form: Counter() for form in demand}
    for (word, form), number in wishes.items():
        matching[form][word] += number
        left[word] -= number
        free[form] -= number
    for word in sorted(forms):
        while left[word] > 0 and _give_one(word, forms, free, matching):
            left[word] -= 1
    return matching


def _give_one(word: str, forms: Forms, free: dict[str, int], given: Matching) -> bool:
    """Give a word a form; if need be, others change theirs so that it can have one."""
    taker: dict[str, str] = {}
    leaves: dict[str, str] = {word: ""}
    queue = deque([word])
    while queue:
        current = queue.popleft()
        for form in forms[current]:
            if form in taker:
                continue
            taker[form] = current
            if free[form] > 0:
                free[form] -= 1
                _pass_on(form, taker, leaves, given)
                return True
            for owner, number in given[form].items():
                if number and owner not in leaves:
                    leaves[owner] = form
                    queue.append(owner)
    return False


def _pass_on(
    form: str,
    taker: Mapping[str, str],
    leaves: Mapping[str, str],
    given: Matching,
) -> None:
    """Carry out the changes that end in a free form, from the last to the first."""
    while form:
        owner = taker[form]
        given[form][owner] += 1
        form = leaves[owner]
        if form:
            given[form][owner] -= 1
