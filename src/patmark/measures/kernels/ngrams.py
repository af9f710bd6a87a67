"""Counting n-grams of a whole corpus with a few sorts.

A window of tokens is packed into one integer behind the number of its scope (the segment that it
belongs to). In the sorted integers equal n-grams of a scope stand together, for every n at once,
because a shorter n-gram is a prefix of a longer one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, count, pairwise
from threading import Lock

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.text import TOKENIZERS, tokenize_all

_BREAK = "\0"
_MOST_KNOWN = 1 << 18
_TEXTS_AT_ONCE = 1 << 12
_BLOCKS_KEPT, _ENCODED_KEPT = 8, 6
_KEY_BITS = 62
_CHUNK_TOKENS = 1 << 15


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts as numbers: all tokens in a row (from 1), the length of each text, the largest id."""

    ids: IntArray
    lengths: IntArray
    largest: int

    def part(self, texts: slice) -> Encoded:
        """Some of the texts that stand side by side."""
        first = int(self.lengths[: texts.start].sum())
        lengths = self.lengths[texts]
        return replace(self, ids=self.ids[first : first + int(lengths.sum())], lengths=lengths)

    def listed(self) -> list[list[int]]:
        """The numbers of each text by themselves."""
        cuts = [0, *np.cumsum(self.lengths).tolist()]
        numbers = self.ids.tolist()
        return [numbers[start:end] for start, end in pairwise(cuts)]

    def picked(self, places: IntArray) -> Encoded:
        """The texts at these places, in their order; a place may occur more than once."""
        if len(places) == len(self.lengths) and (places == np.arange(len(places))).all():
            return self
        starts, lengths = (np.cumsum(self.lengths) - self.lengths)[places], self.lengths[places]
        shift = starts - np.cumsum(lengths) + lengths
        wanted = np.repeat(shift, lengths) + np.arange(int(lengths.sum()))
        return replace(self, ids=self.ids[wanted], lengths=lengths)

    def in_order_of_occurrence(self) -> IntArray:
        """The different numbers, in the order in which they first occur."""
        first = np.full(self.largest + 1, -1)
        first[self.ids[::-1]] = np.arange(len(self.ids))[::-1]
        occurring = np.flatnonzero(first >= 0)
        return occurring[np.argsort(first[occurring])]

    def renumbered(self, order: IntArray) -> Encoded:
        """The same with these numbers as 1, 2, 3 and so on; others come behind them."""
        largest = max(self.largest, int(order.max(initial=0)))
        numbers = np.arange(largest + 1) + len(order)
        numbers[order] = np.arange(1, len(order) + 1)
        return replace(self, ids=numbers[self.ids], largest=largest + len(order))


def joined(*parts: Encoded) -> Encoded:
    """The texts of parts with one vocabulary, numbered anew as closely as possible."""
    ids = np.concatenate([part.ids for part in parts])
    occurs = np.zeros(max(part.largest for part in parts) + 1, dtype=bool)
    occurs[ids] = True
    numbers: IntArray = np.cumsum(occurs, dtype=np.int64)
    lengths = np.concatenate([part.lengths for part in parts])
    return Encoded(numbers[ids], lengths, int(numbers[-1]))


class Words:
    """Numbers for words, the same in all texts and for all segmenters; 0 stands between texts.

    A word gets its number in one step, so that threads may share them and an interrupt does no
    harm.
    """

    def __init__(self) -> None:
        self.number_of: defaultdict[str, int] = defaultdict(count(1).__next__, {_BREAK: 0})
        self.lower_case = Derived(self, lambda word: [word.lower()])
        self.between_blanks = lru_cache(maxsize=_BLOCKS_KEPT)(self._between_blanks)

    def __len__(self) -> int:
        return len(self.number_of)

    def listed(self) -> list[str]:
        """All words so far, each at the place of its number."""
        return list(self.number_of)

    def numbers(self, words: Iterable[str], size: int) -> IntArray:
        """The numbers of so many words."""
        return np.fromiter(map(self.number_of.__getitem__, words), np.int64, size)

    def _between_blanks(self, texts: tuple[str, ...]) -> IntArray | None:
        """What stands between the blanks of texts, with 0 between texts.

        None for texts of several lines, or with the mark that stands for 0.
        """
        joined = f" {_BREAK} ".join(texts)
        if "\n" in joined or joined.count(_BREAK) != len(texts) - 1:
            return None
        words = joined.split()
        return self.numbers(words, len(words))


class Derived:
    """What is made of words, such as their tokens or lower case; made when it is first needed."""

    def __init__(self, words: Words, make: Callable[[str], Sequence[str]]) -> None:
        self._words, self._make = words, make
        self._made = np.zeros(0, dtype=np.int64)
        self._starts_and_sizes = np.zeros((2, 0), dtype=np.int64)
        self._lock = Lock()

    def each(self, numbers: IntArray) -> IntArray:
        """What is made of each word, if that is always one word."""
        with self._lock:
            self._learn(numbers)
            return self._made[self._starts_and_sizes[0, numbers]]

    def all(self, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """All that is made of the words in a row, and where that of each of them ends."""
        with self._lock:
            self._learn(numbers)
            starts, sizes = self._starts_and_sizes[:, numbers]
            ends = np.cumsum(sizes)
            wanted = np.repeat(starts - ends + sizes, sizes)
            wanted += np.arange(len(wanted))
            return self._made[wanted], ends

    def _learn(self, numbers: IntArray) -> None:
        unseen = len(self._words) - self._starts_and_sizes.shape[1]
        table = np.pad(self._starts_and_sizes, ((0, 0), (0, unseen)), constant_values=-1)
        wanted = np.zeros(table.shape[1], dtype=bool)
        wanted[numbers] = True
        new = np.flatnonzero(wanted & (table[1] < 0))
        if not len(new):
            return
        listed = self._words.listed()
        made = [self._make(listed[number]) for number in new.tolist()]
        sizes = np.fromiter(map(len, made), np.int64, len(made))
        ends = np.cumsum(sizes)
        numbers_made = self._words.numbers(chain.from_iterable(made), int(ends[-1]))
        table[:, new] = len(self._made) + ends - sizes, sizes
        self._made, self._starts_and_sizes = np.concatenate([self._made, numbers_made]), table


class Vocabulary:
    """Texts as numbers of the tokens of one segmenter.

    Texts whose segmenter works word by word are joined and split at once, for all segmenters and
    with or without case; each different word is segmented once.
    """

    def __init__(self, tokenizer: str, words: Words | None = None) -> None:
        self.words = words or Words()
        self._tokenizer = tokenizer
        self._segmenter = TOKENIZERS[tokenizer]
        of_word = self._segmenter.of_word
        self._tokens = of_word and Derived(self.words, lambda w: [] if w == _BREAK else of_word(w))
        self.encode = lru_cache(maxsize=_ENCODED_KEPT)(self._encode)

    def _encode(self, texts: tuple[str, ...], lower: bool = False) -> Encoded:
        at_once = _TEXTS_AT_ONCE if self._tokens else max(1, len(texts))
        blocks = [
            self._encode_block(texts[start : start + at_once], lower)
            for start in range(0, max(1, len(texts)), at_once)
        ]
        ids, lengths = map(np.concatenate, zip(*blocks, strict=True))
        return Encoded(ids, lengths, len(self.words) - 1)

    def _encode_block(self, texts: tuple[str, ...], lower: bool) -> tuple[IntArray, IntArray]:
        read = self._segmenter.read
        if read and any(mark in text for text in texts for mark in self._segmenter.marks):
            texts, lower = tuple(read(text.lower() if lower else text) for text in texts), False
        words = self.words.between_blanks(texts) if self._tokens else None
        if self._tokens is None or words is None:
            return self._encode_tokens(texts, lower)
        ids, ends = self._tokens.all(self.words.lower_case.each(words) if lower else words)
        return ids, np.diff(ends[words == 0], prepend=0, append=len(ids))

    def _encode_tokens(self, texts: tuple[str, ...], lower: bool) -> tuple[IntArray, IntArray]:
        tokens = tokenize_all(tuple(map(str.lower, texts)) if lower else texts, self._tokenizer)
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        return self.words.numbers(chain.from_iterable(tokens), int(lengths.sum())), lengths


@lru_cache(maxsize=1)
def _words() -> Words:
    return Words()


@lru_cache(maxsize=8)
def _vocabulary(tokenizer: str) -> Vocabulary:
    return Vocabulary(tokenizer, _words())


def vocabulary_of(tokenizer: str) -> Vocabulary:
    """The vocabulary of a segmenter; a new one where there are too many words."""
    if len(_words()) > _MOST_KNOWN:
        forget_words()
    return _vocabulary(tokenizer)


def forget_words() -> None:
    """Forget all words and texts."""
    _words.cache_clear()
    _vocabulary.cache_clear()


def encode_words(texts: Iterable[Sequence[str]]) -> Encoded:
    """Number the words of all texts."""
    texts = list(texts)
    vocabulary: defaultdict[str, int] = defaultdict(count(1).__next__)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers = map(vocabulary.__getitem__, chain.from_iterable(texts))
    ids = np.fromiter(numbers, dtype=np.int64, count=int(lengths.sum()))
    return Encoded(ids, lengths, len(vocabulary))


def encode_characters(texts: Sequence[str]) -> Encoded:
    """Number the characters of all texts, without white space."""
    packed = "".join(texts).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(packed, dtype=np.uint32).astype(np.int64)
    occurs = np.zeros(int(codes.max(initial=0)) + 1, dtype=bool)
    occurs[codes] = True
    white = _white_space()
    white = white[: np.searchsorted(white, len(occurs))]
    occurs[white] = False
    numbers: IntArray = np.cumsum(occurs, dtype=np.int64)
    largest = int(numbers[-1])
    numbers[white] = 0
    ids = numbers[codes]
    written = np.flatnonzero(ids)
    ends = np.cumsum([len(text) for text in texts])
    return Encoded(ids[written], np.diff(np.searchsorted(written, ends), prepend=0), largest)


@cache
def _white_space() -> IntArray:
    """The code points of blanks, in order."""
    return np.flatnonzero([chr(code).isspace() for code in range(0x3001)])


def chunk_slices(sizes: IntArray) -> Iterator[slice]:
    """Cut a corpus into runs of segments of bounded total size, so that memory stays flat."""
    chunk = np.cumsum(sizes) // _CHUNK_TOKENS
    cuts = [0, *(np.flatnonzero(np.diff(chunk)) + 1).tolist(), len(sizes)]
    return (slice(start, stop) for start, stop in pairwise(cuts) if stop > start)


def clipped_matches(
    texts: Encoded, scope: IntArray, side: IntArray, sides: int, longest: int
) -> FloatArray:
    """For each scope and n = 1 … ``longest``, the hypothesis n-grams that a reference has too.

    ``scope`` and ``side`` say for each text which segment it belongs to and whether it is the
    hypothesis (side 0) or one of the references. An n-gram counts at most as often as it occurs
    in the reference that has most of it.
    """
    matches = np.zeros((int(scope.max(initial=-1)) + 1, longest))
    sizes = np.bincount(scope, texts.lengths, len(matches)).astype(np.int64)
    filled = np.flatnonzero(sizes)
    starts = (np.cumsum(sizes) - sizes)[filled]
    for column, groups in enumerate(ngram_groups(texts, scope, side, sides, longest)):
        of_segments = np.searchsorted(groups.bounds, starts)
        matches[filled, column] = np.add.reduceat(groups.matched(), of_segments)
    return matches


@dataclass(frozen=True, slots=True)
class Groups:
    """Equal n-grams of one scope as groups of sorted windows.

    ``bounds`` has where each group starts and where the last ends, ``seen`` for each side but the
    first how many of its windows come before a place, ``starts`` the word that each window starts
    with, counted over all texts, and ``latest`` the last window at or before each that is not of
    side 0; both have nothing where nobody asked for it.
    """

    bounds: IntArray
    seen: Sequence[IntArray]
    starts: IntArray
    latest: IntArray

    def sizes(self) -> IntArray:
        """How many windows each group has."""
        return _steps(self.bounds)

    def reference_starts(self) -> IntArray:
        """Where a window of each group starts that is not of side 0, if the group has one."""
        return self.starts[self.latest[self.bounds[1:] - 1]]

    def counts(self) -> list[IntArray]:
        """How many windows of each side but the first each group has."""
        return [_steps(running[self.bounds]) for running in self.seen]

    def matched(self) -> IntArray:
        """Of each group the count on side 0, clipped at the largest count of another side."""
        counts = self.counts()
        own, most = self.sizes(), counts[0]
        for other in counts:
            own -= other
            most = np.maximum(most, other)
        return np.minimum(own, most)


def ngram_groups(
    texts: Encoded,
    scope: IntArray,
    side: IntArray,
    sides: int,
    longest: int,
    *,
    with_starts: bool = False,
) -> Iterator[Groups]:
    """The groups of equal n-grams for n = 1 … ``longest``; none where there are no words."""
    windows = _Windows.of(texts, scope, side, longest)
    side_bits, token_bits = (sides - 1).bit_length(), (texts.largest + 1).bit_length()
    word_at = windows.word_at() if with_starts else windows.starts[:0]
    done = 0
    while done < longest and windows.starts.size:
        scope_bits = max(1, int(windows.scope.max()).bit_length())
        width = min(longest - done, (_KEY_BITS - scope_bits - side_bits) // token_bits)
        keys = windows.keys(done, width, token_bits, side_bits)
        order = np.argsort(keys) if with_starts or done + width < longest else None
        ordered = np.sort(keys) if order is None else keys[order]
        sides_of = ordered & ((1 << side_bits) - 1)
        seen = _running_counts(sides_of, sides)
        starts = latest = windows.starts[:0]
        if with_starts:
            starts = word_at[windows.starts[order]]
            latest = np.maximum.accumulate(np.where(sides_of > 0, np.arange(len(sides_of)), 0))
        differs = ordered[1:] ^ ordered[:-1]
        for n in range(1, width + 1):
            bounds = _bounds(differs, side_bits + (width - n) * token_bits)
            yield Groups(bounds, seen, starts, latest)
        if order is not None:
            windows = windows.refined(ordered >> side_bits, order)
        done += width


@dataclass(frozen=True, slots=True)
class _Windows:
    """Where windows start, and what is known of each: a scope that stands for the segment and
    for the tokens that are already compared. Scopes of one segment are neighbours."""

    ids: IntArray
    starts: IntArray
    scope: IntArray
    side: IntArray

    @classmethod
    def of(cls, texts: Encoded, scope: IntArray, side: IntArray, longest: int) -> _Windows:
        """All windows of the texts, with enough room behind each text for the last of them.

        The room is filled with another number in hypotheses (0) than in references, so that a
        window that reaches beyond its text matches nothing.
        """
        room_before = np.arange(len(texts.lengths)) * longest
        starts = np.arange(len(texts.ids)) + np.repeat(room_before, texts.lengths)
        fill = np.where(side == 0, 0, texts.largest + 1)
        ids = np.repeat(fill, texts.lengths + longest)
        ids[starts] = texts.ids
        scope, side = (np.repeat(values, texts.lengths) for values in (scope, side))
        return cls(ids, starts, scope, side)

    def word_at(self) -> IntArray:
        """Which word of all texts stands at a place, before windows are refined."""
        words = np.zeros(len(self.ids), dtype=np.int64)
        words[self.starts] = np.arange(len(self.starts))
        return words

    def keys(self, done: int, width: int, token_bits: int, side_bits: int) -> IntArray:
        """Scope, ``width`` tokens from ``done`` on, and side, packed into one number."""
        windows = _joined(self.ids[done:], width, token_bits)
        keys = self.scope << (width * token_bits)
        keys |= windows[self.starts]
        keys <<= side_bits
        keys |= self.side
        return keys

    def refined(self, ordered: IntArray, order: IntArray) -> _Windows:
        """The same windows, with a scope for each distinct beginning."""
        new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        scope = np.cumsum(new) - 1
        return _Windows(self.ids, self.starts[order], scope, self.side[order])


def _joined(ids: IntArray, width: int, token_bits: int) -> IntArray:
    """The ``width`` tokens from each place on in one number, the first in the highest bits."""
    if width == 1:
        return ids
    half = width // 2
    left = width - half
    longer = _joined(ids, left, token_bits)
    shorter = longer if left == half else _joined(ids, half, token_bits)
    span = len(ids) - width + 1
    joined: IntArray = longer[:span] << (half * token_bits)
    joined |= shorter[left : left + span]
    return joined


def _steps(values: IntArray) -> IntArray:
    return values[1:] - values[:-1]


def _bounds(differs: IntArray, unread: int) -> IntArray:
    """Where groups start, and the end of the last, among sorted numbers whose neighbours differ
    in these bits; the lowest bits, still ``unread``, do not count."""
    inner = np.flatnonzero(differs >= (1 << unread))
    bounds = np.empty(len(inner) + 2, dtype=np.int64)
    bounds[0], bounds[-1] = 0, len(differs) + 1
    np.add(inner, 1, out=bounds[1:-1])
    return bounds


def _running_counts(side: IntArray, sides: int) -> list[IntArray]:
    """For each side but the first, how often it occurs before each position."""
    seen = []
    for number in range(1, sides):
        running = np.zeros(len(side) + 1, dtype=np.int64)
        np.cumsum(side == number, out=running[1:])
        seen.append(running)
    return seen


def ngrams_in(lengths: IntArray, order: int | IntArray) -> FloatArray:
    """How many n-grams of an order, or of each of several, texts of these lengths have."""
    return np.asarray(np.maximum(lengths - order + 1, 0), dtype=np.float64)


# Words told apart by their contexts, in time near-linear in the length of the texts.
#
# All suffixes of both texts are sorted together. A suffix shares its longest beginning with a
# neighbour, so the shortest context of a word that occurs once in each text can be read off the
# two neighbours of the suffix that starts there. Left contexts are right contexts of the reversed
# texts.


def unique_context_positions(
    hypothesis: Sequence[Hashable], reference: Sequence[Hashable]
) -> list[int | None]:
    """The reference position of each hypothesis word by its shortest context unique on both sides.

    Of a left and a right context of the same length the left one counts. The shortest context is
    the word alone.
    """
    numbers: defaultdict[Hashable, int] = defaultdict(count(1).__next__)
    own = np.array([numbers[word] for word in hypothesis], dtype=np.int64)
    other = np.array([numbers[word] for word in reference], dtype=np.int64)
    right_length, right_position = _right_contexts(own, other)
    left_length, mirrored = _right_contexts(own[::-1], other[::-1])
    left_length, left_position = left_length[::-1], len(other) - 1 - mirrored[::-1]
    position = np.where(left_length <= right_length, left_position, right_position)
    found = np.minimum(left_length, right_length) <= len(own)
    return [place if known else None for place, known in zip(position.tolist(), found, strict=True)]


def _right_contexts(hypothesis: IntArray, reference: IntArray) -> tuple[IntArray, IntArray]:
    """For each hypothesis word: the length of its shortest unique right context, and its position.

    The context is unique as soon as it is longer than what any suffix but one shares with it, and
    that one is of the reference. Where there is none, the length is more than the hypothesis has.
    """
    # The marks after the texts sort first and last, so that every word has two neighbours.
    text = np.concatenate([hypothesis, [0], reference])
    order, shared = _sorted_suffixes(np.append(text, text.max() + 1))
    rank = np.argsort(order)[: len(hypothesis)]
    before, after = shared[rank], shared[rank + 1]
    nearest = np.where(before > after, rank - 1, rank + 1)
    beyond = np.where(before > after, shared[rank - 1], shared[rank + 2])
    position = order[nearest] - len(hypothesis) - 1
    longest, second = np.maximum(before, after), np.maximum(np.minimum(before, after), beyond)
    unique = (position >= 0) & (longest > second)
    return np.where(unique, second + 1, len(hypothesis) + 1), position


def _sorted_suffixes(text: IntArray) -> tuple[IntArray, IntArray]:
    """The suffixes of a text in order, and how much each shares with the one before it.

    The second array is one longer than the first: nothing is shared at either end. The text holds
    all numbers from 0 to its last one, which occurs only there.
    """
    names = list(_names_of_windows(text))
    order = np.argsort(names[-1])
    first, second = order[:-1].copy(), order[1:].copy()
    shared = np.zeros(len(text) + 1, dtype=np.int64)
    for level in reversed(range(len(names))):
        step = (names[level][first] == names[level][second]) * (1 << level)
        first += step
        second += step
        shared[1:-1] += step
    return order, shared


def _names_of_windows(text: IntArray) -> Iterator[IntArray]:
    """Windows of 1, 2, 4, … numbers named in their order, until no two are the same.

    What lies beyond the end does not matter, since the last number tells those windows apart.
    """
    size = 1
    names = text
    yield names
    while names.max() < len(text) - 1:
        tail = np.concatenate([names[size:], np.zeros(size, dtype=np.int64)])
        names = np.unique(names * len(text) + tail, return_inverse=True)[1]
        yield names
        size *= 2
