"""Search for patterns of words only at the words of a text that can begin a match.

A pattern such as ``\\b(?:about|roughly)\\b`` is tried by ``re`` at every character. The words of a
text are indexed once, and each pattern is tried only where a word begins like a match.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from re import _constants, _parser  # type: ignore[attr-defined]  # the parser of patterns
from typing import Any

_WORD = re.compile(r"[^\W\d_]+")
_LONGEST = 8
_MOST = 400
_MOST_LETTERS = 4  # of a class such as [Aa]
_PATTERNS_KEPT = 256


class WordSearch:
    """A text with an index of its words."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The places of each word, in lower case."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for match in _WORD.finditer(self._text):
            found[match.group().lower()].append(match.start())
        return found

    def matches(
        self, pattern: re.Pattern[str], spans: Iterable[tuple[int, int]]
    ) -> Iterator[Iterable[re.Match[str]]]:
        """Yield the matches of a pattern in each span, as ``finditer`` does."""
        starts = _first_letters(pattern)
        if starts is None:
            yield from (pattern.finditer(self._text, *span) for span in spans)
            return
        places = sorted(
            place
            for word, each in self._places.items()
            if word.startswith(starts)
            for place in each
        )
        for start, end in spans:
            between = places[bisect_left(places, start) : bisect_left(places, end)]
            yield self._matches_at(pattern, between, end) if between else ()

    def _matches_at(
        self, pattern: re.Pattern[str], places: Sequence[int], end: int
    ) -> Iterator[re.Match[str]]:
        last = 0
        for place in places:
            match = pattern.match(self._text, place, end) if place >= last else None
            if match is not None:
                yield match
                last = match.end()


@lru_cache(maxsize=_PATTERNS_KEPT)
def _first_letters(pattern: re.Pattern[str]) -> tuple[str, ...] | None:
    """Return the beginnings of all matches, in lower case; None if some begin inside a word."""
    parsed = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    if not _begins_word(parsed):
        return None
    ended, going_on = _beginnings(parsed)
    found = ended | going_on
    return None if "" in found or not all(map(_WORD.fullmatch, found)) else tuple(found)


def _begins_word(parsed: Any) -> bool:
    """Return True if every match begins at the beginning of a word."""
    operation, value = parsed[0]
    if operation is _constants.BRANCH:
        return all(map(_begins_word, value[1]))
    return operation is _constants.AT and value is _constants.AT_BOUNDARY


def _beginnings(parsed: Any) -> tuple[set[str], set[str]]:
    """Return the possible beginnings of matches of a pattern, and those that may be longer."""
    ended: set[str] = set()
    going_on = {""}
    for operation, value in parsed:
        if operation in (_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT):
            continue
        stopped, parts = _part(operation, value)
        ended |= {start + part for start in going_on for part in stopped}
        going_on = {start + part for start in going_on for part in parts}
        if not going_on or len(going_on) > _MOST:
            break
    long = {start for start in going_on if len(start) > _LONGEST}
    return ended | long, going_on - long


def _part(operation: Any, value: Any) -> tuple[set[str], set[str]]:
    """Return the beginnings of one part of a pattern, and its whole texts; "" if unknown."""
    if operation is _constants.LITERAL and chr(value).isalpha():
        return set(), {chr(value).lower()}
    if operation is _constants.IN and len(value) <= _MOST_LETTERS:
        letters = {chr(code) for kind, code in value if kind is _constants.LITERAL}
        if len(letters) == len(value) and all(map(str.isalpha, letters)):
            return set(), {letter.lower() for letter in letters}
    if operation is _constants.SUBPATTERN:
        return _beginnings(value[-1])
    if operation is _constants.BRANCH:
        branches = [_beginnings(branch) for branch in value[1]]
        return set().union(*(b[0] for b in branches)), set().union(*(b[1] for b in branches))
    if operation is _constants.MAX_REPEAT and value[0] == 0:
        ended, whole = _beginnings(value[2])
        return (ended | whole, {""}) if value[1] != 1 else (ended, whole | {""})
    return {""}, set()
