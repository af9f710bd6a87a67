"""Counting n-grams of a whole corpus with a few sorts.

The texts of a segment are a row of a table. A window of words is packed into one integer. In the
sorted row equal n-grams are adjacent, for every n at once, because a shorter n-gram is a prefix of
a longer one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, count, pairwise
from threading import Lock

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.languages import TOKENIZERS, kept_in_workspace, tokenize_all

_BREAK, _INSTEAD_OF_BREAK = "\0", " "  # of which the second is no token
_MOST_KNOWN = 1 << 18
_TEXTS_AT_ONCE = 1 << 12
_BLOCKS_KEPT, _ENCODED_KEPT = 8, 16
_KEY_BITS = 62
_CELLS = 1 << 15
_CHUNK_TOKENS = 1 << 17


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts as numbers: all tokens in a row (from 1), the length of each text, the largest id."""

    ids: IntArray
    lengths: IntArray
    largest: int

    def part(self, texts: slice) -> Encoded:
        """Return some of the adjacent texts."""
        first = int(self.lengths[: texts.start].sum())
        lengths = self.lengths[texts]
        return replace(self, ids=self.ids[first : first + int(lengths.sum())], lengths=lengths)

    def listed(self) -> list[list[int]]:
        """Return the numbers of each text by themselves."""
        cuts = [0, *np.cumsum(self.lengths).tolist()]
        numbers = self.ids.tolist()
        return [numbers[start:end] for start, end in pairwise(cuts)]

    def picked(self, places: IntArray) -> Encoded:
        """Return the texts at these places, in their order; a place may occur more than once."""
        if len(places) == len(self.lengths) and (places == np.arange(len(places))).all():
            return self
        starts, lengths = self.starts[places], self.lengths[places]
        return replace(self, ids=self.ids[runs(starts, lengths)], lengths=lengths)

    @property
    def starts(self) -> IntArray:
        """Start of each text among all numbers."""
        return np.cumsum(self.lengths) - self.lengths

    def in_order_of_occurrence(self) -> IntArray:
        """Return the different numbers, in the order in which they first occur."""
        first = np.full(self.largest + 1, -1)
        first[self.ids[::-1]] = np.arange(len(self.ids))[::-1]
        occurring = np.flatnonzero(first >= 0)
        return occurring[np.argsort(first[occurring])]

    def renumbered(self, order: IntArray) -> Encoded:
        """Renumber these numbers as 1, 2, 3 and so on; others follow."""
        largest = max(self.largest, int(order.max(initial=0)))
        numbers = np.arange(largest + 1) + len(order)
        numbers[order] = np.arange(1, len(order) + 1)
        return replace(self, ids=numbers[self.ids], largest=largest + len(order))


@dataclass(frozen=True, slots=True)
class Places:
    """For all words of consecutive texts: the number of the text, and the place in it."""

    text: IntArray
    place: IntArray

    @classmethod
    def of(cls, texts: Encoded) -> Places:
        """Return the places of the words of these texts."""
        text = np.repeat(np.arange(len(texts.lengths)), texts.lengths)
        return cls(text, np.arange(len(text)) - texts.starts[text])


def runs(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return the numbers from each start on, so many as its length says."""
    shifts = starts - np.cumsum(lengths) + lengths
    return np.repeat(shifts, lengths) + np.arange(int(lengths.sum()))


def joined(*parts: Encoded) -> Encoded:
    """Return the texts of parts with one vocabulary, numbered anew as closely as possible."""
    ids = np.concatenate([part.ids for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    ids, largest = _closely_numbered(ids, max(part.largest for part in parts))
    return Encoded(ids, lengths, largest)


def _closely_numbered(ids: IntArray, largest: int) -> tuple[IntArray, int]:
    """Renumber numbers in their order from 1 on; return them and the largest."""
    occurs = np.zeros(largest + 1, dtype=bool)
    occurs[ids] = True
    occurs[0] = False
    numbers: IntArray = np.cumsum(occurs, dtype=np.int64)
    return numbers[ids], int(numbers[-1])


class WordNumbers:
    """Numbers for words, the same in all texts and for all tokenizers; 0 separates texts.

    A word gets its number in one step, so that threads may share them and an interrupt is harmless.
    """

    def __init__(self) -> None:
        self.number_of: defaultdict[str, int] = defaultdict(count(1).__next__, {_BREAK: 0})
        self.lower_case = Derived(lambda word: [word.lower()])

    def __len__(self) -> int:
        return len(self.number_of)

    def listed(self) -> list[str]:
        """Return all words so far, each at the place of its number."""
        return list(self.number_of)

    def numbers(self, words: Iterable[str], size: int) -> IntArray:
        """Return the numbers of so many words."""
        return np.fromiter(map(self.number_of.__getitem__, words), np.int64, size)

    @kept_in_workspace(_BLOCKS_KEPT)
    def between_blanks(self, texts: tuple[str, ...]) -> IntArray | None:
        """Assign numbers to the words between the blanks of texts, with 0 between texts.

        None for texts of several lines, or with the mark that stands for 0.
        """
        joined = f" {_BREAK} ".join(texts)
        if "\n" in joined or joined.count(_BREAK) != len(texts) - 1:
            return None
        words = joined.split()
        return self.numbers(words, len(words))


class Derived:
    """Values derived from words, such as tokens or lower case, computed on first use."""

    def __init__(self, make: Callable[[str], Sequence[str]]) -> None:
        self._make = make
        self._made = np.zeros(0, dtype=np.int64)
        self._starts_and_sizes = np.zeros((2, 0), dtype=np.int64)
        self._lock = Lock()

    def each(self, words: WordNumbers, numbers: IntArray) -> IntArray:
        """Return the value derived from each word, if that is always one word."""
        with self._lock:
            self._learn(words, numbers)
            starts: IntArray = self._starts_and_sizes[0, numbers]
            return self._made[starts]

    def all(self, words: WordNumbers, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return all results for the words of a row, and the end of those of each word."""
        with self._lock:
            self._learn(words, numbers)
            starts, sizes = self._starts_and_sizes[:, numbers]
            one = int(sizes.max(initial=0)) <= 1
            places = starts[sizes > 0] if one else runs(starts, sizes)
            return self._made[places], np.cumsum(sizes)

    def _learn(self, words: WordNumbers, numbers: IntArray) -> None:
        unseen = len(words) - self._starts_and_sizes.shape[1]
        table = np.pad(self._starts_and_sizes, ((0, 0), (0, unseen)), constant_values=-1)
        wanted = np.zeros(table.shape[1], dtype=bool)
        wanted[numbers] = True
        new = np.flatnonzero(wanted & (table[1] < 0))
        if not len(new):
            return
        listed = words.listed()
        made = [self._make(listed[number]) for number in new.tolist()]
        sizes = np.fromiter(map(len, made), np.int64, len(made))
        ends = np.cumsum(sizes)
        numbers_made = words.numbers(chain.from_iterable(made), int(ends[-1]))
        table[:, new] = len(self._made) + ends - sizes, sizes
        self._made, self._starts_and_sizes = np.concatenate([self._made, numbers_made]), table


class Vocabulary:
    """Texts as numbers of the tokens of one tokenizer.

    Texts whose tokenizer works word by word are joined and split at once, for all tokenizers and
    with or without case; each different word is tokenized once.
    """

    def __init__(self, tokenizer: str, words: WordNumbers | None = None) -> None:
        self.words = words or WordNumbers()
        self._name, self._tokenizer = tokenizer, TOKENIZERS[tokenizer]
        of_word = self._tokenizer.of_word
        self._tokens = of_word and Derived(lambda word: [] if word == _BREAK else of_word(word))

    @kept_in_workspace(_ENCODED_KEPT)
    def encode(self, texts: tuple[str, ...], lower: bool = False) -> Encoded:
        at_once = _TEXTS_AT_ONCE if self._tokens else max(1, len(texts))
        blocks = [
            self._encode_block(texts[start : start + at_once], lower)
            for start in range(0, max(1, len(texts)), at_once)
        ]
        ids, lengths = map(np.concatenate, zip(*blocks, strict=True))
        return Encoded(ids, lengths, len(self.words) - 1)

    def _encode_block(self, texts: tuple[str, ...], lower: bool) -> tuple[IntArray, IntArray]:
        read, everything = self._tokenizer.read, "".join(texts)
        if read and any(mark in everything for mark in self._tokenizer.marks):
            texts, lower = tuple(read(text.lower() if lower else text) for text in texts), False
        words = self.words.between_blanks(texts) if self._tokens else None
        if self._tokens is None or words is None:
            return self._encode_tokens(texts, lower)
        ids, ends = self._tokens.all(
            self.words, self.words.lower_case.each(self.words, words) if lower else words
        )
        return ids, np.diff(ends[words == 0], prepend=0, append=len(ids))

    def _encode_tokens(self, texts: tuple[str, ...], lower: bool) -> tuple[IntArray, IntArray]:
        tokens = tokenize_all(tuple(map(str.lower, texts)) if lower else texts, self._name)
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        ids = self.words.numbers(chain.from_iterable(tokens), int(lengths.sum()))
        ids[ids == 0] = self.words.number_of[_INSTEAD_OF_BREAK]
        return ids, lengths


@kept_in_workspace(1)
def _vocabularies() -> dict[str, Vocabulary]:
    """Return the vocabularies of a workspace by tokenizer; they share the numbers of words."""
    return {}


def vocabulary_of(tokenizer: str) -> Vocabulary:
    """Return the vocabulary of a tokenizer; all begin anew when there are too many words."""
    known = _vocabularies()
    if known and len(next(iter(known.values())).words) > _MOST_KNOWN:
        known.clear()
    if tokenizer not in known:
        words = next(iter(known.values())).words if known else None
        known[tokenizer] = Vocabulary(tokenizer, words)
    return known[tokenizer]


def encode_words(texts: Iterable[Sequence[str]]) -> Encoded:
    """Assign numbers to the words of all texts."""
    texts = list(texts)
    vocabulary: defaultdict[str, int] = defaultdict(count(1).__next__)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers = map(vocabulary.__getitem__, chain.from_iterable(texts))
    ids = np.fromiter(numbers, dtype=np.int64, count=int(lengths.sum()))
    return Encoded(ids, lengths, len(vocabulary))


def encode_characters(texts: Sequence[str]) -> Encoded:
    """Assign numbers to the characters of all texts, without white space."""
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
    """Return the code points of blanks, in order."""
    return np.flatnonzero([chr(code).isspace() for code in range(0x3001)])


def chunk_slices(sizes: IntArray) -> Iterator[slice]:
    """Cut a corpus into runs of segments of bounded total size, so that memory stays flat."""
    chunk = np.cumsum(sizes) // _CHUNK_TOKENS
    cuts = [0, *(np.flatnonzero(np.diff(chunk)) + 1).tolist(), len(sizes)]
    return (slice(start, stop) for start, stop in pairwise(cuts) if stop > start)


def clipped_matches(
    hypotheses: Encoded, references: Encoded, segment: IntArray, longest: int
) -> FloatArray:
    """Count the clipped n-gram matches of each segment for n = 1 … ``longest``.

    ``segment`` is the hypothesis of each reference. An n-gram counts at most as often as in the
    reference with the most occurrences.
    """
    matches = np.zeros((len(hypotheses.lengths), longest))
    for rows in text_rows(hypotheses, references, segment, longest):
        for column, groups in enumerate(ngram_groups(rows, longest)):
            starts = np.searchsorted(groups.bounds, np.arange(0, rows.side.size, rows.columns))
            matches[rows.segments, column] = np.add.reduceat(groups.matched(), starts)
    return matches


@dataclass(frozen=True, slots=True)
class Rows:
    """Texts as a table: a row for each of some segments, a window of words from each cell on.

    A row has the hypothesis (``side`` 0) and then the references (1, 2, …), each followed by
    padding. The padding is 0 after a hypothesis and the ``largest`` number after references, so
    that a window beyond its text matches nothing. ``ids`` has more columns than there are windows.
    ``words`` has the position of each word among all hypotheses or all references, if needed.
    """

    segments: IntArray
    ids: IntArray
    side: IntArray
    sides: int
    largest: int
    words: IntArray

    @property
    def columns(self) -> int:
        """Number of windows of a row."""
        return int(self.side.shape[1])


def text_rows(
    hypotheses: Encoded,
    references: Encoded,
    segment: IntArray,
    longest: int,
    *,
    some: IntArray | None = None,
    with_words: bool = False,
) -> Iterator[Rows]:
    """Yield rows of all or ``some`` segments, those of one size together.

    ``segment`` is ascending: the hypothesis of each reference.
    """
    size = len(hypotheses.lengths)
    counts = np.bincount(segment, minlength=size)
    sides = int(counts.max(initial=0)) + 1
    first = np.cumsum(counts) - counts
    sizes = hypotheses.lengths + np.bincount(segment, references.lengths, size).astype(np.int64)
    own_starts, other_starts = hypotheses.starts, references.starts
    largest = max(hypotheses.largest, references.largest) + 1
    for segments in _batches(sizes + sides * longest, some):
        texts = runs(first[segments], counts[segments])
        row = np.repeat(np.arange(len(segments)), counts[segments])
        place = texts - first[segments[row]] + 1
        own_lengths, other_lengths = hypotheses.lengths[segments], references.lengths[texts]
        widths = np.full((len(segments), sides), longest)
        widths[:, 0] += own_lengths
        widths[row, place] += other_lengths
        starts = np.cumsum(widths, axis=1)
        columns = int(starts[:, -1].max())
        starts -= widths
        column = np.arange(columns + longest)
        inside = column >= starts[:, 1:2]
        side = inside.astype(np.int64)
        for begin in starts.T[2:]:
            side += column >= begin[:, None]
        ids, most = inside * largest, largest
        cell = np.arange(len(segments)) * len(column)
        own = runs(own_starts[segments], own_lengths)
        other = runs(other_starts[texts], other_lengths)
        own_cells = runs(cell, own_lengths)
        other_cells = runs(cell[row] + starts[row, place], other_lengths)
        ids.ravel()[own_cells] = hypotheses.ids[own]
        ids.ravel()[other_cells] = references.ids[other]
        if longest * largest.bit_length() + sides.bit_length() > _KEY_BITS:
            ids, most = _closely_numbered(ids, largest)
        words = side[:0]
        if with_words:
            words = np.zeros(side.shape, dtype=np.int64)
            words.ravel()[own_cells] = own
            words.ravel()[other_cells] = other
        yield Rows(segments, ids, side[:, :columns], sides, most, words[:, :columns])


def one_row(texts: Encoded, longest: int) -> Rows:
    """Join all texts into one row of references; an empty window has an extra word."""
    texts = joined(texts)
    lengths = texts.lengths + longest
    cells = runs(np.cumsum(lengths) - lengths, texts.lengths)
    ids = np.full((1, int(lengths.sum()) + longest), texts.largest + 1)
    words = np.full(ids.shape, len(texts.ids))
    ids[0, cells], words[0, cells] = texts.ids, np.arange(len(cells))
    side = np.ones((1, ids.shape[1] - longest), dtype=np.int64)
    return Rows(np.zeros(1, np.int64), ids, side, 2, texts.largest + 1, words[:, : side.shape[1]])


def _batches(widths: IntArray, some: IntArray | None) -> Iterator[IntArray]:
    """Yield the places of all or some numbers, largest first, in batches of one size."""
    places = np.arange(len(widths)) if some is None else some
    order = places[np.argsort(-widths[places], kind="stable")]
    while len(order):
        size = max(1, _CELLS // int(widths[order[0]]))
        yield order[:size]
        order = order[size:]


@dataclass(frozen=True, slots=True)
class Groups:
    """Equal n-grams of one row as groups of sorted windows; rows come one after the other.

    ``bounds`` are the starts of the groups and the end of the last. ``seen`` counts, for each side
    but the first, its windows before a position. ``words`` are those of each window, ``latest`` is
    the last window at or before each that is not of side 0; both are empty unless requested.
    """

    bounds: IntArray
    seen: Sequence[IntArray]
    words: IntArray
    latest: IntArray

    def sizes(self) -> IntArray:
        """Count the windows of each group."""
        return _steps(self.bounds)

    def reference_words(self) -> IntArray:
        """Return the word that a window of a reference starts with, if the group has one."""
        return self.words[self.latest[self.bounds[1:] - 1]]

    def counts(self) -> list[IntArray]:
        """Count the windows of each side but the first in each group."""
        return [_steps(running[self.bounds]) for running in self.seen]

    def matched(self) -> IntArray:
        """Return the count of each group on side 0, clipped at the largest of another side."""
        counts = self.counts()
        own, most = self.sizes(), counts[0]
        for other in counts:
            own -= other
            most = np.maximum(most, other)
        return np.minimum(own, most)


def ngram_groups(rows: Rows, longest: int, *, with_words: bool = False) -> Iterator[Groups]:
    """Yield the groups of equal n-grams of each row, for n = 1 … ``longest``.

    As many words of a window as fit are compared at once. If more are wanted, windows that begin
    alike are numbered, and compared by this number and the words that follow.
    """
    side_bits, token_bits = (rows.sides - 1).bit_length(), rows.largest.bit_length()
    side, done, begun_bits = rows.side, 0, 0
    order = begun = rows.side[:0]
    while done < longest:
        width = min(longest - done, (_KEY_BITS - begun_bits - side_bits) // token_bits)
        keys = _joined(rows.ids[:, done:], width, token_bits)[:, : rows.columns]
        if done:
            keys = (begun << (width * token_bits)) | np.take_along_axis(keys, order, axis=1)
        keys = (keys << side_bits) | side
        if with_words or done + width < longest:
            keys, sorting = _sorted(keys, begun_bits + width * token_bits + side_bits)
            order = np.take_along_axis(order, sorting, axis=1) if done else sorting
        else:
            keys.sort(axis=1)
        side = keys & ((1 << side_bits) - 1)
        differs = keys.ravel()[1:] ^ keys.ravel()[:-1]
        differs[rows.columns - 1 :: rows.columns] = 1 << _KEY_BITS
        seen = [
            np.concatenate([[0], np.cumsum(side.ravel() == number)])
            for number in range(1, rows.sides)
        ]
        words = latest = side[:0, 0]
        if with_words:
            words = np.take_along_axis(rows.words, order, axis=1).ravel()
            latest = np.maximum.accumulate(np.where(side.ravel() > 0, np.arange(side.size), 0))
        for n in range(1, width + 1):
            bounds = _bounds(differs, side_bits + (width - n) * token_bits)
            yield Groups(bounds, seen, words, latest)
        done += width
        if done < longest:
            new = np.append(True, differs >> side_bits).reshape(side.shape) != 0
            begun = np.cumsum(new, axis=1)
            begun_bits = rows.columns.bit_length()


def _sorted(keys: IntArray, bits: int) -> tuple[IntArray, IntArray]:
    """Sort each row of numbers of so many bits; also return the source columns."""
    column_bits = keys.shape[1].bit_length()
    if bits + column_bits > _KEY_BITS:
        order = np.argsort(keys, axis=1)
        return np.take_along_axis(keys, order, axis=1), order
    keys = (keys << column_bits) | np.arange(keys.shape[1])
    keys.sort(axis=1)
    return keys >> column_bits, keys & ((1 << column_bits) - 1)


def _joined(ids: IntArray, width: int, token_bits: int) -> IntArray:
    """Return the ``width`` words from each cell on in one number, the first in the highest bits."""
    if width == 1:
        return ids
    half = width // 2
    left = width - half
    longer = _joined(ids, left, token_bits)
    shorter = longer if left == half else _joined(ids, half, token_bits)
    span = ids.shape[1] - width + 1
    joined: IntArray = longer[:, :span] << (half * token_bits)
    joined |= shorter[:, left : left + span]
    return joined


def _steps(values: IntArray) -> IntArray:
    return values[1:] - values[:-1]


def _bounds(differs: IntArray, unread: int) -> IntArray:
    """Return the starts of groups and the end of the last, among sorted neighbours that differ.

    The lowest bits, still ``unread``, do not count.
    """
    inner = np.flatnonzero(differs >= (1 << unread))
    bounds = np.empty(len(inner) + 2, dtype=np.int64)
    bounds[0], bounds[-1] = 0, len(differs) + 1
    np.add(inner, 1, out=bounds[1:-1])
    return bounds


def ngrams_in(lengths: IntArray, order: int | IntArray) -> FloatArray:
    """Count the n-grams of one or several orders in texts of these lengths."""
    return np.asarray(np.maximum(lengths - order + 1, 0), dtype=np.float64)


# Words distinguished by their contexts, in time nearly linear in the length of the texts.
#
# All suffixes of both texts are sorted together. A suffix shares its longest beginning with a
# neighbour, so the shortest context of a word that occurs once in each text can be read off the
# two neighbours of the suffix that starts there. Left contexts are right contexts of the reversed
# texts.


def unique_context_positions(
    hypothesis: Sequence[Hashable], reference: Sequence[Hashable]
) -> list[int | None]:
    """Return the reference position of each word by its shortest context unique on both sides.

    If both contexts have the same length, the left one counts. The shortest is the word alone.
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
    """Return the length of the shortest unique right context of each word, and its position.

    The context is unique as soon as only one suffix shares all of it, and that suffix is of the
    reference. Without one, the length exceeds that of the hypothesis.
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
    """Return the sorted suffixes of a text, with the prefix shared with the previous one.

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
    """Yield windows of 1, 2, 4, … numbers named in their order, until no two are the same.

    Anything beyond the end does not matter, since the last number tells those windows apart.
    """
    size = 1
    names = text
    yield names
    while names.max() < len(text) - 1:
        tail = np.concatenate([names[size:], np.zeros(size, dtype=np.int64)])
        names = np.unique(names * len(text) + tail, return_inverse=True)[1]
        yield names
        size *= 2
