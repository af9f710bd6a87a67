"""The best alignment of two texts for METEOR: most matches, then fewest chunks.

A *link* joins two matches that are neighbours, in the same order, on both sides; so chunks =
matches − links. As a rule words fall into groups that match as a whole: the same word, or all
forms of it. Then every choice of links can be completed to the greatest number of matches, and
only links have to be searched. Words of which this is not true are *open*: one matches two
others that do not match each other; see :mod:`patmark.measures.kernels.meteor_open`.

The total distance, which the definition names last, cannot change the number of matches or of
chunks, and is not computed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from patmark.measures.kernels.meteor_links import links_between, most_links
from patmark.measures.kernels.meteor_open import OpenWords

Words: TypeAlias = Sequence[str]
Partners: TypeAlias = Mapping[str, frozenset[str]]


class Alignment(NamedTuple):
    """How many words match, and in how many runs of neighbours they lie."""

    matches: int
    chunks: int


def best_alignment(hypothesis: Words, reference: Words, partners: Partners) -> Alignment:
    """Align two texts.

    ``partners`` is a symmetric relation: the words that a word matches, itself among them. A word
    that is not in it matches itself only.
    """
    forms: Mapping[str, Words] = {}
    related = partners.keys() & hypothesis
    if related:
        hypothesis, reference, forms = _grouped(related, hypothesis, reference, partners)
    matches = _common(hypothesis, dict(Counter(reference)), forms)
    links = links_between(hypothesis, reference, forms)
    if forms:
        open_words = OpenWords(hypothesis, reference, forms)
        matches += open_words.matches
        return Alignment(matches, matches - open_words.most_links(links))
    return Alignment(matches, matches - len(most_links(links)))


def _common(hypothesis: Words, left: dict[str, int], open_words: Mapping[str, Words]) -> int:
    """How many words are among those left, each used up by its match; open words are passed by."""
    matches = 0
    for word in hypothesis:
        if left.get(word) and word not in open_words:
            left[word] -= 1
            matches += 1
    return matches


def _grouped(
    related: Iterable[str], hypothesis: Words, reference: Words, partners: Partners
) -> tuple[Words, Words, Mapping[str, Words]]:
    """Give all words of a group one name; return the open words with the words they match."""
    present = frozenset(reference)
    forms = {word: partners[word] & present for word in sorted(related)}
    if all(found <= {word} for word, found in forms.items()):
        return hypothesis, reference, {}
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
