"""Open words: words that match several reference words which do not match each other.

Not every choice of links for them leaves the greatest number of matches possible: if *a* matches
*x* and *y*, but *b* matches *x* only, a link must not give *x* to *a*. So links are chosen
without regard to that, the choice is checked, and what made it fail is forbidden in turn; the
best choice that passes is the best there is.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from itertools import count

from patmark.measures._meteor_links import Link, Links, most_links

_MOST_ATTEMPTS = 60


class OpenWords:
    """The open words of a hypothesis, the reference words that they match, and how many of each."""

    def __init__(
        self, hypothesis: Sequence[str], reference: Sequence[str], forms: Mapping[str, Sequence[str]]
    ) -> None:
        self._hypothesis = hypothesis
        self._reference = reference
        self._forms = forms
        targets = {form for found in forms.values() for form in found}
        self._supply = Counter(word for word in hypothesis if word in forms)
        self._demand = Counter(word for word in reference if word in targets)
        self.matches = self._most_matches(Counter())

    def most_links(self, links: Links) -> int:
        """The most links that leave the greatest number of matches possible."""
        attempts = count()
        chosen = most_links(links)
        queue = [(-len(chosen), next(attempts), frozenset[Link](), chosen)]
        while queue:
            size, number, forbidden, chosen = heapq.heappop(queue)
            placed = self._placed(chosen)
            if self._completes(placed.values()):
                return -size
            if number > _MOST_ATTEMPTS:
                break
            for place in placed:
                less = forbidden | {place}
                chosen = most_links(_without(links, less))
                heapq.heappush(queue, (-len(chosen), next(attempts), less, chosen))
        return len(most_links(_without(links, self._placed(_all(links)))))
