"""Alignments for METEOR: the beam search of METEOR 1.5, and the matching from the end of NLTK.

METEOR 1.5 reads the reference from left to right and keeps the 40 best partial alignments. A word
with one candidate that is the candidate of no other word leaves no choice. At any other word each
partial alignment is continued with every free candidate, and with none. They are ranked by

1. more *equal* words among those chosen (stems and synonyms do not count here);
2. fewer chunks, where a chunk counts from the moment at which it ends;
3. a smaller distance: what is added for a candidate burdens the candidates after it, and leaving
   the word out, but not the candidate itself;
4. the order in which they were found: candidates equal, of one stem, synonyms; from left to right.

The paper (Denkowski and Lavie 2011) names the criteria; the details are those of the program. A
word that matches by stem *and* synonym has two candidates, so it does not count, and is left out if
it would form its own chunk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import IntArray
from patmark.measures.kernels.ngrams import Encoded, ngram_groups, runs, text_rows

Words: TypeAlias = Sequence[str]
Related: TypeAlias = Mapping[str, Sequence[Words]]

BEAM_WIDTH = 40

_NONE = -1
_NO_GAP = -3
_CELLS = 2**17
_NEVER = 2**62


@dataclass(frozen=True, slots=True)
class _Choices:
    """Reference words with a choice, pair after pair, and their candidates.

    ``words`` has five numbers for each: the position of the word, the number of its equal
    candidates, two for the gap between it and the preceding choice, and the number of all its
    candidates. The first number of a gap is the position of the first word without a choice. The
    second is the position after the last of them, at which the open chunk continues. They are
    ``_NONE`` if the word is unmatched, ``_NO_GAP`` if there is no such word.
    """

    words: list[int] = field(default_factory=list)
    candidates: list[int] = field(default_factory=list)

    def add(self, position: int, places: list[int], equal: int, gap: tuple[int, int]) -> None:
        """Add a word."""
        self.words.extend((position, equal, *gap, len(places)))
        self.candidates.extend(places)


def align_pairs(
    hypotheses: Sequence[Words], references: Sequence[Words], related: Related
) -> tuple[IntArray, IntArray]:
    """Return the numbers of matches and of chunks of each hypothesis and the reference beside it.

    ``related``: the other words that a word matches, for each module after the first one, which
    matches equal words.
    """
    sets = {word: [frozenset(others) for others in of] for word, of in related.items()}
    choices = _Choices()
    pairs = np.array(
        [
            _sort_out(own, other, sets, choices)
            for own, other in zip(hypotheses, references, strict=True)
        ],
        dtype=np.int64,
    ).reshape(-1, 5)
    found = pairs[:, :2].copy()
    if not choices.words:
        return found[:, 0], found[:, 1]
    words = np.array(choices.words, dtype=np.int64).reshape(-1, 5)
    candidates = np.array(choices.candidates, dtype=np.int64)
    steps = pairs[:, 4]
    search = _Search(words, candidates, steps, pairs[:, 2:4])
    left = np.flatnonzero(steps)
    most = np.maximum.reduceat(words[:, 4], search.first[left])
    length = np.array([len(own) for own in hypotheses], dtype=np.int64)[left]
    size = most + length // 64 + 1  # approximate, of a beam
    order = np.argsort(-size, kind="stable")
    left, size = left[order], size[order]
    while len(left):
        width = max(1, _CELLS // (BEAM_WIDTH * int(size[0])))
        batch = left[:width]
        batch = batch[np.argsort(-steps[batch], kind="stable")]
        found[batch] += search.best(batch)
        left, size = left[width:], size[width:]
    return found[:, 0], found[:, 1]


def _sort_out(
    hypothesis: Words,
    reference: Words,
    related: Mapping[str, Sequence[frozenset[str]]],
    choices: _Choices,
) -> tuple[int, int, int, int, int]:
    """Find the candidates of each word; add the words with a choice to the others.

    Return what does not depend on them: matches, chunks, the gap at the end, and their number.
    """
    by_word: dict[str, list[int]] = {}
    for place, word in enumerate(hypothesis):
        if word in by_word:
            by_word[word].append(place)
        else:
            by_word[word] = [place]
    own = set(by_word)
    candidates: dict[str, tuple[list[int], int]] = {}
    wanted = [0] * len(hypothesis)
    for word in reference:
        if word not in candidates:
            places = equal_places = by_word.get(word, [])
            for others in related.get(word, ()):
                if found := others & own:
                    places = places + sorted(place for one in found for place in by_word[one])
            candidates[word] = (places, len(equal_places))
        for place in candidates[word][0]:
            wanted[place] += 1
    matches = chunks = chosen = 0
    enter, leave = _NO_GAP, _NONE
    for position, word in enumerate(reference):
        places, equal = candidates[word]
        if len(places) > 1 or (places and wanted[places[0]] > 1):
            choices.add(position, places, equal, (enter, leave))
            chosen += 1
            enter, leave = _NO_GAP, _NONE
            continue
        place = places[0] if places else _NONE
        matches += len(places)
        if enter == _NO_GAP and chosen:
            enter = place
        elif leave not in (_NONE, place):
            chunks += 1
        leave = place + 1 if places else _NONE
    if not chosen:
        chunks += leave != _NONE
    return matches, chunks, enter, leave, chosen


@dataclass(frozen=True, slots=True)
class _Search:
    """The choices of all pairs as arrays; ``steps`` of each pair, and the gap at its end."""

    words: IntArray
    candidates: IntArray
    steps: IntArray
    tails: IntArray

    @property
    def first(self) -> IntArray:
        """The first choice of each pair."""
        first: IntArray = np.cumsum(self.steps) - self.steps
        return first

    def best(self, pairs: IntArray) -> IntArray:
        """Return matches and chunks of the best alignments; pairs with most choices come first."""
        steps = self.steps[pairs]
        chosen = runs(self.first[pairs], steps)
        ends = np.cumsum(self.words[:, 4])
        position, equal, enter, leave, sizes = self.words[chosen].T
        places = self.candidates[runs(ends[chosen] - sizes, sizes)]
        first, starts = np.cumsum(steps) - steps, np.cumsum(sizes) - sizes
        away = np.abs(places - np.repeat(position, sizes))
        chunk = int(np.add.reduceat(np.add.reduceat(away, starts), first).max()) + 1
        match = chunk * (int(position.max()) + 2)
        tails = self.tails[pairs]
        beam = _Beam.empty(leave[first], chunk, match, int(places.max()) + 2)
        found = np.empty((len(pairs), 2), dtype=np.int64)
        for step in range(int(steps[0]) + 1):
            live = int(np.searchsorted(-steps, -step))
            if live < len(beam.rank):
                done = beam.rows(live, len(beam.rank))
                done.pass_gap(*tails[live : len(beam.rank)].T)
                found[live : len(beam.rank)] = done.best()
                beam = beam.rows(0, live)
            if live:
                now = first[:live] + step
                if step:
                    beam.pass_gap(enter[now], leave[now])
                column = np.arange(int(sizes[now].max()))
                there = column < sizes[now, None]
                at = np.where(there, starts[now, None] + column, 0)
                words = np.where(there, places[at] + 1, 0)
                beam.choose(words, places[at], away[at], (column < equal[now, None]) * match)
        return found


@dataclass(slots=True)
class _Beam:
    """The partial alignments of many pairs: rows are pairs, columns alignments, the best first.

    ``rank`` holds the first three criteria as one number, relative to the best, which is in
    ``base``; a chunk and a match weigh ``chunk`` and ``match`` in it. ``last`` is the position
    where the open chunk would continue, ``taken`` the used words, as bits (bit 0 is always set).
    """

    rank: IntArray
    base: IntArray
    last: IntArray
    taken: NDArray[np.uint64]
    chunk: int
    match: int

    @classmethod
    def empty(cls, last: IntArray, chunk: int, match: int, words: int) -> _Beam:
        """Return one beginning for each pair, in which nothing is chosen."""
        rank = np.zeros((len(last), 1), dtype=np.int64)
        taken = np.zeros((len(last), words // 64 + 1, 1), dtype=np.uint64)
        taken[:, 0] = 1
        return cls(rank, rank, last[:, None], taken, chunk, match)

    def rows(self, start: int, end: int) -> _Beam:
        """Return the beams of some of the pairs."""
        own = slice(start, end)
        return replace(
            self,
            rank=self.rank[own],
            base=self.base[own],
            last=self.last[own],
            taken=self.taken[own],
        )

    def pass_gap(self, enter: IntArray, leave: IntArray) -> None:
        """Pass words without a choice: a chunk ends unless the first word continues it."""
        gap = enter[:, None] != _NO_GAP
        ends = gap & (self.last != _NONE) & (self.last != enter[:, None])
        self.last = np.where(gap, leave[:, None], self.last)
        if ends.any():
            order = self._keep_best(self.rank + ends * self.chunk, np.arange(ends.shape[1]))
            self.last = np.take_along_axis(self.last, order, axis=1)
            self.taken = np.take_along_axis(self.taken, order[:, None], axis=2)

    def choose(self, words: IntArray, places: IntArray, away: IntArray, gain: IntArray) -> None:
        """Continue each partial alignment with each candidate (a column of these) or with none.

        Intermediate values have the axes pair, candidate, alignment; the last "candidate" is none.
        """
        (rows, width), size = self.rank.shape, words.shape[1]
        layer, bit = np.divmod(words, 64)
        bits = np.uint64(1) << bit.astype(np.uint64)
        used = self.taken
        if used.shape[1] > 1:
            used = np.take_along_axis(used, layer[:, :, None], axis=1)
        free = used & bits[:, :, None] == 0
        children = np.empty((rows, size + 1, width), dtype=np.int64)
        children[:, 0] = self.rank
        for word in range(size):
            np.multiply(free[:, word], away[:, word, None], out=children[:, word + 1])
            children[:, word + 1] += children[:, word]
        ending = (self.last != _NONE) * self.chunk
        children[:, size] += ending
        with_one = children[:, :size]
        with_one += (self.last[:, None] != places[:, :, None]) * ending[:, None]
        with_one -= gain[:, :, None]
        with_one += ~free * _NEVER
        number = np.arange(width) * (size + 1) + np.arange(size + 1)[:, None]
        order = self._keep_best(children.reshape(rows, -1), number.ravel())
        parent, child = np.divmod(order, size + 1)
        skips = child == size
        child[skips] = 0
        row, column = np.arange(rows)[:, None], np.arange(order.shape[1])
        self.last = np.where(skips, _NONE, places[row, child] + 1)
        self.taken = np.take_along_axis(self.taken, parent[:, None], axis=2)
        chosen = np.where(skips, np.uint64(0), bits[row, child])
        self.taken[row, layer[row, child], column] |= chosen

    def _keep_best(self, rank: IntArray, number: IntArray) -> IntArray:
        """Keep the best of these ranks; return their numbers, ties in ascending order."""
        shift = len(number).bit_length()
        packed = np.minimum(rank, _NEVER >> shift)
        packed <<= shift
        packed |= number
        packed.sort(axis=1)
        packed = packed[:, :BEAM_WIDTH]
        self.rank = packed >> shift
        best = self.rank[:, :1].copy()
        self.base = self.base + best
        self.rank -= best
        return packed & (1 << shift) - 1

    def best(self) -> IntArray:
        """Return matches and chunks of the best alignment of each pair, at the end of the text."""
        rank = self.rank + (self.last != _NONE) * self.chunk
        order = self._keep_best(rank, np.arange(rank.shape[1]))
        taken = self.taken[np.arange(len(order)), :, order[:, 0]]
        matches = np.bitwise_count(taken).sum(axis=1, dtype=np.int64) - 1
        return np.stack([matches, self.base[:, 0] % self.match // self.chunk], axis=1)


def match_equal(hypotheses: Encoded, references: Encoded) -> tuple[IntArray, IntArray]:
    """Return the words of hypotheses and equal words of their references, the last ones first.

    Equal words of the hypothesis precede those of the reference, in their order.
    """
    found = []
    pairs = np.arange(len(hypotheses.lengths))
    for rows in text_rows(hypotheses, references, pairs, 1, with_words=True):
        [groups] = ngram_groups(rows, 1, with_words=True)
        [others], matched = groups.counts(), groups.matched()
        own = runs(groups.bounds[1:] - others - matched, matched)
        found.append(groups.words[[own, own + np.repeat(others, matched)]])
    own, other = np.concatenate(found, axis=1) if found else np.zeros((2, 0), dtype=np.int64)
    return own, other
