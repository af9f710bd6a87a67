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

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

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


class _Choice(NamedTuple):
    """A reference word with a choice, and the gap between it and the preceding choice.

    ``enter`` is the position of the first word without a choice. ``leave`` is the position after
    the last of them, at which the open chunk continues. They are ``_NONE`` if the word is
    unmatched, ``_NO_GAP`` if there is no such word.
    """

    position: int
    places: list[int]
    equal: int
    enter: int
    leave: int


@dataclass(slots=True)
class _Task:
    """A pair of texts: its choices, and the results that do not depend on them."""

    choices: list[_Choice]
    matches: int
    chunks: int
    enter: int
    leave: int
    length: int

    @property
    def size(self) -> int:
        """Approximate beam size."""
        return max(len(choice.places) for choice in self.choices) + self.length // 64 + 1


def align_pairs(
    hypotheses: Sequence[Words], references: Sequence[Words], related: Related
) -> tuple[IntArray, IntArray]:
    """Return the numbers of matches and of chunks of each hypothesis and the reference beside it.

    ``related``: the other words that a word matches, for each module after the first one, which
    matches equal words.
    """
    tasks = [_task(own, other, related) for own, other in zip(hypotheses, references, strict=True)]
    found = np.array([[task.matches, task.chunks] for task in tasks], dtype=np.int64)
    found = found.reshape(-1, 2)
    largest_first = sorted(
        (number for number, task in enumerate(tasks) if task.choices),
        key=lambda number: tasks[number].size,
        reverse=True,
    )
    while largest_first:
        width = max(1, _CELLS // (BEAM_WIDTH * tasks[largest_first[0]].size))
        batch, largest_first = largest_first[:width], largest_first[width:]
        batch.sort(key=lambda number: len(tasks[number].choices), reverse=True)
        found[batch] += _search([tasks[number] for number in batch])
    return found[:, 0], found[:, 1]


def _task(hypothesis: Words, reference: Words, related: Related) -> _Task:
    """Find the candidates of each word, and set apart those that leave no choice."""
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(hypothesis):
        by_word[word].append(place)
    candidates: dict[str, tuple[list[int], int]] = {}
    for word in set(reference):
        places = equal_places = by_word.get(word, [])
        for others in related.get(word, ()):
            places = places + sorted(place for other in others for place in by_word.get(other, ()))
        candidates[word] = (places, len(equal_places))
    wanted = Counter(place for word in reference for place in candidates[word][0])
    task = _Task([], 0, 0, _NO_GAP, _NONE, len(hypothesis))
    enter, leave = _NO_GAP, _NONE
    for position, word in enumerate(reference):
        places, equal = candidates[word]
        if len(places) > 1 or (places and wanted[places[0]] > 1):
            task.choices.append(_Choice(position, places, equal, enter, leave))
            enter, leave = _NO_GAP, _NONE
            continue
        place = places[0] if places else _NONE
        task.matches += len(places)
        if enter == _NO_GAP and task.choices:
            enter = place
        elif leave not in (_NONE, place):
            task.chunks += 1
        leave = place + 1 if places else _NONE
    if not task.choices:
        task.chunks += leave != _NONE
    task.enter, task.leave = enter, leave
    return task


def _search(tasks: Sequence[_Task]) -> IntArray:
    """Search for all of these pairs at once, those with most choices first."""
    choices = [choice for task in tasks for choice in task.choices]
    steps = np.array([len(task.choices) for task in tasks])
    first = np.cumsum(steps) - steps
    sizes = np.array([len(choice.places) for choice in choices])
    starts = np.cumsum(sizes) - sizes
    places = np.array([place for choice in choices for place in choice.places])
    position, equal, enter, leave = np.array(
        [(choice.position, choice.equal, choice.enter, choice.leave) for choice in choices]
    ).T
    away = np.abs(places - np.repeat(position, sizes))
    chunk = int(np.add.reduceat(np.add.reduceat(away, starts), first).max()) + 1
    match = chunk * (int(position.max()) + 2)
    tails = np.array([(task.enter, task.leave) for task in tasks])
    beam = _Beam.empty(leave[first], chunk, match, int(places.max()) + 2)
    found = np.empty((len(tasks), 2), dtype=np.int64)
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
        children[:, 0] = 0
        np.cumsum(free * away[:, :, None], axis=1, out=children[:, 1:])
        children += self.rank[:, None]
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
