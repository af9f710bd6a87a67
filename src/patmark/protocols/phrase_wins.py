"""What one system gets right and the other does not: phrases, terms, reference signs, numbers.

Wins are ranked by the z value of the sign test, smoothed: gains minus losses over the root of
their sum plus one, where gains are occurrences that only the first system gets right. So many
clear wins come before few, and what both systems get right does not count. Only phrases that begin
and end with a content word are shown: "lid member", but not "of the lid".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, TypeAlias

from patmark.data import Cell, Column, Run, Table, TestSet
from patmark.protocols.evaluation import Evaluation
from patmark.protocols.lookup import pair_of
from patmark.protocols.phrase_matches import (
    UNSPACED,
    Matches,
    References,
    Words,
    content_vocabulary,
    phrase_matches,
    reference_tokens,
    sign_and_number_matches,
    term_matches,
)

Kind: TypeAlias = Literal["phrase", "term", "reference sign", "number"]

_SEGMENTS_SHOWN = 5
_TABLE_ROWS = 10


@dataclass(frozen=True, slots=True)
class PhraseWin:
    """How often two systems get something of the references right, and where they differ.

    ``segments`` are the first few in which the system that wins is ahead.
    """

    phrase: str
    kind: Kind
    first: int
    second: int
    segments: tuple[str, ...]


@dataclass(slots=True)
class _Tally:
    """Matches of both systems, and the segments in which one is ahead of the other."""

    first: int = 0
    second: int = 0
    gains: int = 0
    losses: int = 0
    ahead: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)

    def add(self, segment: int, first: int, second: int) -> None:
        self.first += first
        self.second += second
        if first > second:
            self.gains += first - second
            self.ahead.append(segment)
        elif second > first:
            self.losses += second - first
            self.behind.append(segment)

    @property
    def score(self) -> float:
        return float(abs(self.gains - self.losses) / (self.gains + self.losses + 1) ** 0.5)

    @property
    def places(self) -> list[int]:
        return (self.ahead if self.gains > self.losses else self.behind)[:_SEGMENTS_SHOWN]


Tallies: TypeAlias = Mapping[Words, _Tally]


def phrase_wins(test_set: TestSet, first: Run, second: Run, limit: int = 30) -> list[PhraseWin]:
    """What one system gets right more often than the other, the clearest wins first.

    For each kind come the wins of the first system and then those of the second, at most ``limit``
    of each.
    """
    texts = (first.texts, second.texts)
    signs, numbers = sign_and_number_matches(test_set, texts)
    found: dict[Kind, Tallies] = {
        "phrase": _content_phrases(test_set, phrase_matches(test_set, texts)),
        "term": _tally(*term_matches(test_set, texts)),
        "reference sign": _tally(*signs),
        "number": _tally(*numbers),
    }
    references = reference_tokens(test_set)
    between = "" if test_set.target_language in UNSPACED else " "
    return [
        PhraseWin(
            _spelling(references, words, tally, between) if kind == "phrase" else words[0],
            kind, tally.first, tally.second,
            tuple(test_set[place].id for place in tally.places),
        )
        for kind, counted in found.items()
        for sign in (1, -1)
        for words, tally in islice(_ranked(counted, sign), limit)
    ]  # fmt: skip


def phrase_table(evaluation: Evaluation, a: str, b: str, limit: int = _TABLE_ROWS) -> Table:
    """The wins of two systems as a table."""
    first, second = (evaluation.runs[position] for position in pair_of(evaluation, a, b))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            win.phrase, win.kind, a if win.first > win.second else b, win.first, win.second,
            ", ".join(win.segments),
        )
        for win in phrase_wins(evaluation.test_set, first, second, limit)
    )  # fmt: skip
    titles = ("phrase", "kind", "won by", a, b, "segments")
    return Table(
        f"What only {a} or only {b} gets right",
        tuple(map(Column, titles)),
        rows,
        note=f"occurrences that agree with the references; up to {limit} of each kind won by each "
        f"system, the clearest first; {_SEGMENTS_SHOWN} segments at most where the winner is ahead",
    )


def _tally(first: Matches, second: Matches) -> dict[Words, _Tally]:
    tallies: defaultdict[Words, _Tally] = defaultdict(_Tally)
    for segment, (ours, theirs) in enumerate(zip(first, second, strict=True)):
        for words in ours.keys() | theirs.keys():
            tallies[words].add(segment, ours[words], theirs[words])
    return tallies


def _content_phrases(test_set: TestSet, matches: list[Matches]) -> Tallies:
    tallies = _tally(*matches)
    content = content_vocabulary(tallies, test_set.target_language)
    return {
        words: tally
        for words, tally in tallies.items()
        if words[0] in content and words[-1] in content
    }


def _ranked(tallies: Tallies, sign: int) -> Iterator[tuple[Words, _Tally]]:
    """The wins of one side; of phrases that say the same, only the longest.

    A phrase says the same as a longer one around it, or as one that is shifted by a word, if it
    is won and lost as often in the same segments.
    """
    wins = [item for item in tallies.items() if (item[1].gains - item[1].losses) * sign > 0]
    wins.sort(key=lambda item: (-item[1].score, -len(item[0]), item[0]))
    covered: set[tuple[object, ...]] = set()
    for words, tally in wins:
        counts = (tally.gains, tally.losses, *tally.places)
        shifted = (words[1:], words[:-1]) if len(words) > 2 else ()
        if covered.isdisjoint((part, *counts) for part in (words, *shifted)):
            yield words, tally
            covered.update((part, *counts) for part in _parts(words))


def _parts(words: Words) -> Iterator[Words]:
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            yield words[start:end]


def _spelling(references: References, words: Words, tally: _Tally, between: str) -> str:
    """A phrase as the references write it in the segments that are shown.

    Where spellings differ it is the one with the fewest capitals, since those of titles and of
    beginnings of sentences are not the phrase's own.
    """
    spellings = [
        written
        for place in tally.places
        for tokens in references[place]
        for written in zip(*(tokens[start:] for start in range(len(words))), strict=False)
        if tuple(token.lower() for token in written) == words
    ]
    best = min(spellings, key=lambda written: sum(map(str.isupper, "".join(written))))
    return between.join(best)
