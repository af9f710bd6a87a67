"""The best alignment of two texts for METEOR: most matches, then fewest chunks.

A *link* joins two matches that are neighbours, in the same order, on both sides; so chunks =
matches − links. As a rule words fall into groups that match as a whole: the same word, or all
forms of it. Then every choice of links can be completed to the greatest number of matches, and
only links have to be searched. Words of which this is not true are *open*: one matches two
others that do not match each other. They are given their partners during the search.

The total distance, which the definition names last, cannot change the number of matches or of
chunks, and is not computed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from patmark.measures._meteor_search import Problem, search

Words: TypeAlias = Sequence[str]
Partners: TypeAlias = Mapping[str, frozenset[str]]

_NONE: Sequence[int] = ()


class Alignment(NamedTuple):
    """How many words match, and in how many runs of neighbours they lie."""

    matches: int
    chunks: int


def best_alignment(hypothesis: Words, reference: Words, partners: Partners) -> Alignment:
    """Align two texts.

    ``partners`` is a symmetric relation: the words that a word matches, itself among them. A word
    that is not in it matches itself only.
    """
    open_words: Mapping[str, Words] = {}
    related = partners.keys() & hypothesis
    if related:
        hypothesis, reference, open_words = _grouped(related, hypothesis, reference, partners)
    matches = _overlap(Counter(hypothesis), Counter(reference), open_words)
    if not open_words:
        return Alignment(matches, matches - _most_links(hypothesis, reference))
    problem = Problem.of(
        _open_starts(hypothesis, reference, open_words), hypothesis, reference, open_words
    )
    open_matches, links = problem.split(search(problem))
    matches += open_matches
    return Alignment(matches, matches - links)


def _grouped(
    related: Iterable[str], hypothesis: Words, reference: Words, partners: Partners
) -> tuple[Words, Words, Mapping[str, Words]]:
    """Give all words of a group one name; return the open words with the words they match."""
    present = frozenset(reference)
    forms = {word: partners[word] & present for word in sorted(related)}
    claims: dict[str, frozenset[str]] = {}
    mixed: set[frozenset[str]] = set()
    for found in forms.values():
        for form in found:
            if claims.setdefault(form, found) != found:
                mixed |= {found, claims[form]}
    names = {form: min(found) for form, found in claims.items() if found not in mixed}
    own = {word: min(found) for word, found in forms.items() if found and found not in mixed}
    return (
        [own.get(word, word) for word in hypothesis],
        [names.get(word, word) for word in reference],
        {word: sorted(found) for word, found in forms.items() if found in mixed},
    )


def _overlap(
    hypothesis: Mapping[str, int], reference: Mapping[str, int], left_out: Mapping[str, Words]
) -> int:
    """How many words two texts have in common, each counted as often as it is in both."""
    shared = hypothesis.keys() & reference.keys() - left_out.keys()
    return sum([min(hypothesis[word], reference[word]) for word in shared])


def _most_links(hypothesis: Words, reference: Words) -> int:
    """The greatest number of links between texts in which equal words match."""
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for position, pair in enumerate(pairwise(reference)):
        places[pair].append(position)
    starts = [places.get(pair, _NONE) for pair in pairwise(hypothesis)]
    counts = Counter(pair for pair in pairwise(hypothesis) if pair in places)
    bound = sum([min(count, len(places[pair])) for pair, count in counts.items()])
    links = _follow_runs(starts, hypothesis, reference)
    if links == bound:
        return links
    return max(links, search(Problem.of(starts, hypothesis, reference, {}), links + 1))


def _follow_runs(starts: Sequence[Sequence[int]], hypothesis: Words, reference: Words) -> int:
    """Links found by going on as long as possible and starting where the longest run is."""
    used: set[int] = set()
    links = 0
    here = -1
    for word, positions in enumerate(starts):
        if here < 0:
            free = [at for at in positions if at not in used and at + 1 not in used]
            if free:
                here = _longest_run(free, word, hypothesis, reference)
                used.add(here)
        if here >= 0:
            here += 1
            if here - 1 in positions and here not in used:
                used.add(here)
                links += 1
            else:
                here = -1
    return links


def _longest_run(positions: Sequence[int], word: int, hypothesis: Words, reference: Words) -> int:
    if len(positions) == 1:
        return positions[0]
    best, longest = positions[0], 0
    for position in positions:
        length = 0
        for ours, theirs in zip(hypothesis[word:], reference[position:], strict=False):
            if ours != theirs:
                break
            length += 1
        if length > longest:
            best, longest = position, length
    return best


def _open_starts(
    hypothesis: Words, reference: Words, open_words: Mapping[str, Words]
) -> list[Sequence[int]]:
    """For each neighbouring pair of the hypothesis, where the reference has a matching pair."""
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for position, pair in enumerate(pairwise(reference)):
        places[pair].append(position)
    forms = [open_words.get(word, (word,)) for word in hypothesis]
    return [
        sorted(at for one in left for other in right for at in places.get((one, other), _NONE))
        for left, right in pairwise(forms)
    ]
