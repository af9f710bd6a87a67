"""Links between two texts, and quick ways to take as many as possible of them.

A link (word, position) says that a word and the next one stand, in the reference, at a position
and the next one. Links are held by word: for each word but the last, its positions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from patmark.measures.kernels.meteor_search import greatest_set

Link: TypeAlias = tuple[int, int]
Links: TypeAlias = Sequence[Collection[int]]

_MOST_LINKS = 3_000
_LOOK_AHEAD = 16
_LONG = 100
_NO_POSITIONS: Collection[int] = ()


def links_between(
    hypothesis: Sequence[str], reference: Sequence[str], forms: Mapping[str, Collection[str]]
) -> Links:
    """All links. A word matches its ``forms``, or only itself if it has no entry there."""
    places = _places(reference)
    if not forms:
        return [places.get(pair, _NO_POSITIONS) for pair in pairwise(hypothesis)]
    accepted = [forms.get(word, (word,)) for word in hypothesis]
    return [
        {at: None for one in left for two in right for at in places.get((one, two), ())}
        for left, right in pairwise(accepted)
    ]


def _places(reference: Sequence[str]) -> Mapping[tuple[str, str], Collection[int]]:
    """The positions of each pair of neighbours."""
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for position, pair in enumerate(pairwise(reference)):
        found[pair].append(position)
    if len(reference) < _LONG:
        return found
    # Where lists may be long, the time of a look-up must not depend on their length.
    return {pair: dict.fromkeys(positions) for pair, positions in found.items()}


def most_links(links: Links) -> list[Link]:
    """The greatest set of links that give no word two positions and no position two words.

    Cheap attempts come first, and a bound that proves most of them right. Texts with very many
    links, which must repeat themselves a lot, are left at that.
    """
    chosen = _follow_runs(links)
    if len(chosen) == sum(map(bool, links)) or sum(map(len, links)) > _MOST_LINKS:
        return chosen
    bound = _line_bound(links)
    if len(chosen) < bound:
        bound = min(bound, _line_bound(_by_position(links)))
    if len(chosen) < bound:
        chosen = max(chosen, _follow_runs_back(links), key=len)
    if len(chosen) < bound:
        every = [(word, at) for word, found in enumerate(links) for at in found]
        chosen = max(chosen, greatest_set(every), key=len)
    return chosen


def _follow_runs(links: Links) -> list[Link]:
    """Go through the words; follow a run to its end, then start the longest one that is free."""
    chosen: list[Link] = []
    used: set[int] = set()
    word, words = 0, len(links)
    while word < words:
        at = _longest_run(links, word, used) if links[word] else -1
        if at >= 0:
            used.add(at)
            while word < words and at in links[word] and at + 1 not in used:
                chosen.append((word, at))
                word += 1
                at += 1
                used.add(at)
        word += 1
    return chosen


def _longest_run(links: Links, word: int, used: set[int]) -> int:
    """The free position from which most links follow, −1 if none is free."""
    free = [at for at in links[word] if at not in used and at + 1 not in used]
    if len(free) < 2:
        return free[0] if free else -1
    best, longest = free[0], 0
    for start in free:
        length = 1
        for ahead, found in enumerate(links[word + 1 : word + _LOOK_AHEAD], start + 1):
            if ahead not in found or ahead + 1 in used:
                break
            length += 1
        if length > longest:
            best, longest = start, length
    return best


def _follow_runs_back(links: Links) -> list[Link]:
    """The same from the last word to the first: runs are followed backwards."""
    last = len(links) - 1
    mirrored = [{-at: None for at in found} for found in reversed(links)]
    lowest = min((min(found) for found in mirrored if found), default=0)
    shifted = [{at - lowest: None for at in found} for found in mirrored]
    return [(last - word, -(at + lowest)) for word, at in _follow_runs(shifted)]


def _by_position(links: Links) -> Links:
    """The words of each position, from the first to the last position that has one."""
    columns: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for word, found in enumerate(links):
        for at in found:
            columns[at][word] = None
    return [columns.get(at, _NO_POSITIONS) for at in range(min(columns), max(columns) + 1)]


def _line_bound(lines: Links) -> int:
    """From how many lines (words, or positions) one link can be taken at most.

    From two neighbouring lines only if some link of the second goes on from one of the first.
    """
    taken = skipped = 0
    before: Collection[int] = _NO_POSITIONS
    for line in lines:
        best = taken if taken > skipped else skipped
        if not line:
            taken = best
        elif not before or any(at + 1 in line for at in before):
            taken = best + 1
        else:
            taken = skipped + 1
        skipped = best
        before = line
    return max(taken, skipped)
