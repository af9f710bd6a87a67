"""Open words: words that match several reference words which do not match each other.

Not every choice of links for them leaves the greatest number of matches possible: if *a* matches
*x* and *y*, but *b* matches *x* only, a link must not give *x* to *a*. So links are chosen
without regard to that, the choice is checked, and what made it fail is forbidden in turn. The
first choice that passes is the best, since choices are tried from the largest to smaller ones.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TypeAlias

from patmark.measures._meteor_links import Link, Links, most_links

Forms: TypeAlias = Mapping[str, Sequence[str]]

_MOST_ATTEMPTS = 60


@dataclass(frozen=True, eq=False)
class OpenWords:
    """Two texts, and the open words of the first with the words of the second that they match."""

    hypothesis: Sequence[str]
    reference: Sequence[str]
    forms: Forms

    @cached_property
    def matches(self) -> int:
        """The greatest number of open words that can be matched."""
        return self._matches_beside(())

    def most_links(self, links: Links) -> int:
        """The most links that leave the greatest number of matches possible."""
        order = count()
        chosen = most_links(links)
        queue = [(-len(chosen), next(order), frozenset[Link](), chosen)]
        while queue:
            _, number, forbidden, chosen = heapq.heappop(queue)
            places = self._places(chosen)
            if self._leave_enough(places):
                return len(chosen)
            if number == 0:
                links = _without(links, self._hopeless(links))
                places = {(-1, -1)}  # nothing to forbid yet: choose again
            for place in sorted(places):
                less = forbidden | {place}
                chosen = most_links(_without(links, less))
                heapq.heappush(queue, (-len(chosen), next(order), less, chosen))
            if number > _MOST_ATTEMPTS:
                break
        return len(most_links(_without(links, self._places(_all(links)))))

    def _places(self, links: Iterable[Link]) -> set[Link]:
        """Where a set of links puts open words: pairs of word and position."""
        return {
            (word + step, position + step)
            for word, position in links
            for step in (0, 1)
            if self.hypothesis[word + step] in self.forms
        }

    def _leave_enough(self, places: Collection[Link]) -> bool:
        return len(places) + self._matches_beside(places) == self.matches

    def _hopeless(self, links: Links) -> set[Link]:
        """Places that no alignment with the greatest number of matches has."""
        example = {
            (self.hypothesis[word], self.reference[position]): (word, position)
            for word, position in self._places(_all(links))
        }
        bad = {pair for pair, place in example.items() if not self._leave_enough([place])}
        return {
            (word, position)
            for word, position in self._places(_all(links))
            if (self.hypothesis[word], self.reference[position]) in bad
        }

    def _matches_beside(self, places: Collection[Link]) -> int:
        """The most matches of open words when some have their places already."""
        supply = Counter(word for word in self.hypothesis if word in self.forms)
        supply.subtract(self.hypothesis[word] for word, _ in places)
        demand = Counter(self.reference)
        demand.subtract(self.reference[position] for _, position in places)
        return _greatest_matching(supply, demand, self.forms)


def _all(links: Links) -> list[Link]:
    return [(word, position) for word, found in enumerate(links) for position in found]


def _without(links: Links, places: Set[Link]) -> Links:
    """The links that put no word at one of these places."""
    return [
        {at: None for at in found if (word, at) not in places and (word + 1, at + 1) not in places}
        for word, found in enumerate(links)
    ]


def _greatest_matching(supply: Mapping[str, int], demand: Mapping[str, int], forms: Forms) -> int:
    """How many of the supplied words can be given one of their forms, each within its demand."""
    free = dict(demand)
    given: dict[str, Counter[str]] = {form: Counter() for form in demand}
    return sum(
        _give_one(word, forms, free, given) for word in sorted(forms) for _ in range(supply[word])
    )


def _give_one(
    word: str, forms: Forms, free: dict[str, int], given: Mapping[str, Counter[str]]
) -> bool:
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
    given: Mapping[str, Counter[str]],
) -> None:
    """Carry out the changes that end in a free form, from the last to the first."""
    while form:
        owner = taker[form]
        given[form][owner] += 1
        form = leaves[owner]
        if form:
            given[form][owner] -= 1
