"""Renderings of the terms of a document: the usual one and its competitors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from patmark.languages import Phrase, is_common_noun, language

Forms: TypeAlias = tuple[str, ...]
_Places: TypeAlias = dict[Forms, set[int]]

_ASSOCIATED = 2 / 3
_MANY = 6


@dataclass(frozen=True, slots=True)
class TermContext:
    """A pair of sentences (or whole texts) with the phrases of both sides."""

    segment: int
    source: Mapping[Forms, Phrase]
    target: Mapping[Forms, Phrase]
    squeezed: str


@dataclass(frozen=True, slots=True)
class TermRendering:
    """Pieces where a term has its usual rendering, and where it differs, with the rendering."""

    term: Forms
    usual: Forms
    kept: frozenset[int]
    drifted: Mapping[int, Forms]


def judge_terms(pieces: Sequence[TermContext], least: int, code: str) -> Iterator[TermRendering]:
    """Judge every term of a document that has a usual rendering."""
    book = _Book(
        pieces,
        _index([piece.source for piece in pieces]),
        _index([piece.target for piece in pieces]),
    )
    for term, places in _terms(book.sources, least, code):
        core = book.core_rendering(places)
        if core is None:
            continue
        usual = book.full_rendering(term, places, core)
        kept = {place for place in places if book.holds(place, usual)}
        drifted = book.drifted(term, usual, places - kept)
        kept |= {place for place in places - drifted.keys() if book.holds(place, core)}
        yield TermRendering(term, usual, frozenset(kept), drifted)


def _index(sides: Sequence[Mapping[Forms, Phrase]]) -> _Places:
    places: _Places = defaultdict(set)
    for position, side in enumerate(sides):
        for forms in side:
            places[forms].add(position)
    return places


def _terms(sources: _Places, least: int, code: str) -> list[tuple[Forms, set[int]]]:
    """Yield recurring phrases that look like terms, without parts that only occur in a term."""
    terms = [
        (forms, places)
        for forms, places in sources.items()
        if len(places) >= least and _looks_like_term(forms, code)
    ]
    terms.sort(key=lambda item: (-len(item[0]), item[0]))
    covered: set[tuple[Forms, frozenset[int]]] = set()
    chosen: list[tuple[Forms, set[int]]] = []
    for forms, places in terms:
        if (forms, frozenset(places)) not in covered:
            chosen.append((forms, places))
        covered |= {(part, frozenset(places)) for part in _parts(forms)}
    return chosen


def _looks_like_term(forms: Forms, code: str) -> bool:
    if len(forms) > 1 or language(code).is_spaced:
        return len(forms) > 1
    return len(forms[0]) > 2 or (len(forms[0]) == 2 and is_common_noun(forms[0], code))


def _parts(forms: Forms) -> set[Forms]:
    size = len(forms)
    return {forms[a:b] for a in range(size) for b in range(a + 1, size + 1) if b - a < size}


@dataclass(frozen=True, slots=True)
class _Book:
    """The pieces of a document, and the pieces of each phrase."""

    pieces: Sequence[TermContext]
    sources: _Places
    targets: _Places

    def holds(self, place: int, rendering: Forms) -> bool:
        """Return True if a piece contains a rendering, ignoring blanks and hyphens."""
        return "".join(rendering) in self.pieces[place].squeezed

    def together(self, places: set[int]) -> Counter[Forms]:
        """Count the pieces that contain each target phrase."""
        return Counter(forms for place in places for forms in self.pieces[place].target)

    def core_rendering(self, places: set[int]) -> Forms | None:
        """Return the phrase most associated with a term, if most of its pieces contain it."""
        ranks = [
            (_dice(places, self.targets[forms]), len(forms), len("".join(forms)), forms)
            for forms, count in self.together(places).items()
            if _is_usual(count, places)
        ]
        return None if not ranks or max(ranks)[0] < _ASSOCIATED else max(ranks)[3]

    def full_rendering(self, term: Forms, places: set[int], core: Forms) -> Forms:
        """Return the longest usual phrase around the core whose words belong to the term."""
        longer = [
            (len(forms), _dice(places, self.targets[forms]), forms)
            for forms, count in self.together(places).items()
            if _is_usual(count, places)
            and core in _parts(forms)
            and _dice(places, self.targets[forms]) >= _ASSOCIATED
            and all(self._belongs(word, term, places) for word in set(forms) - set(core))
        ]
        return max(longer)[2] if longer else core

    def _belongs(self, word: str, term: Forms, places: set[int]) -> bool:
        """Return True if no other source phrase is as strongly associated with a word."""
        found = self.targets[(word,)]
        own = _dice(places, found)
        rivals = {forms for place in found for forms in self.pieces[place].source}
        return all(
            _overlap(forms, term) or _dice(self.sources[forms], found) < own for forms in rivals
        )

    def drifted(self, term: Forms, usual: Forms, places: set[int]) -> dict[int, Forms]:
        """Return the competing rendering at each place without the usual one."""
        together = self.together(places)
        found: dict[int, Forms] = {}
        for place in sorted(places):
            rivals = [
                (_is_variant(forms, usual), together[forms], -abs(len(forms) - len(usual)), forms)
                for forms in self.pieces[place].target
                if self.targets[forms] <= places
                and (_is_variant(forms, usual) or self._recurs(place, term, forms, places))
            ]
            if rivals:
                found[place] = max(rivals)[3]
        return found

    def _recurs(self, place: int, term: Forms, rendering: Forms, places: set[int]) -> bool:
        """Return True if a rendering recurs in pieces without the usual one, at least twice.

        False if another source phrase has exactly the same pieces, which explains it.
        """
        found = self.targets[rendering]
        return (
            len(found) > 1
            and _dice(places, found) >= _ASSOCIATED
            and not any(
                self.sources[forms] == found
                for forms in self.pieces[place].source
                if not _overlap(forms, term)
            )
        )


def _is_usual(count: int, places: set[int]) -> bool:
    """Return True if most pieces contain a rendering; for many pieces, half."""
    return 2 * count > len(places) or 2 * count == len(places) >= _MANY


def _dice(first: set[int], second: set[int]) -> float:
    return 2 * len(first & second) / (len(first) + len(second))


def _overlap(first: Forms, second: Forms) -> bool:
    one, other = "".join(first), "".join(second)
    return one in other or other in one


def _is_variant(forms: Forms, usual: Forms) -> bool:
    """Return True if two renderings differ in one word (CJK: also half the characters)."""
    if len(forms) == len(usual) > 1:
        return sum(a != b for a, b in zip(forms, usual, strict=True)) == 1
    ours, theirs = "".join(forms), "".join(usual)
    if ours.isascii() or len(ours) != len(theirs):
        return False
    return 2 * sum(a == b for a, b in zip(ours, theirs, strict=True)) >= len(theirs)
