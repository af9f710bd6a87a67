"""Counting n-grams of a whole corpus with a few sorts.

A window of tokens is packed into one integer behind the number of its scope (the segment that it
belongs to). In the sorted integers equal n-grams of a scope stand together, for every n at once,
because a shorter n-gram is a prefix of a longer one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray

_KEY_BITS = 62
_CHUNK_TOKENS = 1 << 20


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts as numbers: all tokens in a row (from 1), the length of each text, the largest id."""

    ids: IntArray
    lengths: IntArray
    largest: int


@dataclass(frozen=True, slots=True)
class NgramGroups:
    """The distinct n-grams of one order: the scope of each, and counts (sides, n-grams)."""

    order: int
    scope: IntArray
    counts: IntArray


def encode_words(texts: Iterable[Sequence[str]]) -> Encoded:
    """Number the words of all texts."""
    texts = list(texts)
    vocabulary: defaultdict[str, int] = defaultdict(count(1).__next__)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers = map(vocabulary.__getitem__, chain.from_iterable(texts))
    ids = np.fromiter(numbers, dtype=np.int64, count=int(lengths.sum()))
    return Encoded(ids, lengths, len(vocabulary))


def encode_characters(texts: Sequence[str]) -> Encoded:
    """Number the characters of all texts."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    if not codes.size:
        return Encoded(np.zeros(0, dtype=np.int64), lengths, 0)
    ranks = np.cumsum(np.bincount(codes) > 0)
    return Encoded(ranks[codes].astype(np.int64), lengths, int(ranks[-1]))


def chunk_slices(sizes: IntArray) -> Iterator[slice]:
    """Cut a corpus into runs of segments of bounded total size, so that memory stays flat."""
    chunk = np.cumsum(sizes) // _CHUNK_TOKENS
    cuts = [0, *(np.flatnonzero(np.diff(chunk)) + 1).tolist(), len(sizes)]
    return (slice(start, stop) for start, stop in pairwise(cuts) if stop > start)


def ngram_groups(
    texts: Encoded, scope: IntArray, side: IntArray, sides: int, longest: int
) -> Iterator[NgramGroups]:
    """Group the n-grams of all texts by scope, for n = 1 … ``longest``.

    ``scope`` and ``side`` say for each text which segment it belongs to and whether it is the
    hypothesis (side 0) or one of the references.
    """
    ids, starts = _padded(texts, longest)
    token_scope = np.repeat(scope, texts.lengths)
    token_side = np.repeat(side, texts.lengths)
    scope_names = np.arange(int(scope.max(initial=0)) + 1)
    token_bits = max(1, int(texts.largest).bit_length())
    side_bits = (sides - 1).bit_length()
    done = 0
    while done < longest and starts.size:
        scope_bits = max(1, int(token_scope.max()).bit_length())
        width = min(longest - done, (_KEY_BITS - scope_bits - side_bits) // token_bits)
        keys = token_scope
        for offset in range(done, done + width):
            keys = (keys << token_bits) | ids[starts + offset]
        keys = (keys << side_bits) | token_side
        done += width
        order = np.argsort(keys) if done < longest else None
        ordered = np.sort(keys) if order is None else keys[order]
        seen = _running_counts(ordered & ((1 << side_bits) - 1), sides)
        for n in range(1, width + 1):
            prefixes = ordered >> (side_bits + (width - n) * token_bits)
            firsts = np.flatnonzero(_changes(prefixes))
            distinct = prefixes[firsts]
            complete = (distinct & ((1 << token_bits) - 1)) != 0
            ends = np.append(firsts[1:], len(prefixes))[complete]
            counts = seen[:, ends] - seen[:, firsts[complete]]
            groups = scope_names[distinct[complete] >> (n * token_bits)]
            yield NgramGroups(done - width + n, groups, counts)
        if order is not None:
            whole = ordered >> side_bits
            new = _changes(whole)
            scope_names = scope_names[whole[new] >> (width * token_bits)]
            longer = (whole & ((1 << token_bits) - 1)) != 0
            token_scope = (np.cumsum(new) - 1)[longer]
            starts, token_side = starts[order][longer], token_side[order][longer]


def _changes(ordered: IntArray) -> NDArray[np.bool_]:
    """Where a sorted array shows a value for the first time."""
    new = np.empty(len(ordered), dtype=np.bool_)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def _running_counts(side: IntArray, sides: int) -> IntArray:
    """How often each side occurs before each position: (sides, positions + 1)."""
    seen = np.zeros((sides, len(side) + 1), dtype=np.int64)
    for number in range(sides):
        np.cumsum(side == number, out=seen[number, 1:])
    return seen


def _padded(texts: Encoded, longest: int) -> tuple[IntArray, IntArray]:
    """The tokens with ``longest`` zeros behind each text, and where each token stands there."""
    text_of_token = np.repeat(np.arange(len(texts.lengths)), texts.lengths)
    starts = np.arange(len(texts.ids)) + text_of_token * longest
    ids = np.zeros(len(texts.ids) + len(texts.lengths) * longest, dtype=np.int64)
    ids[starts] = texts.ids
    return ids, starts


def clipped_matches(groups: NgramGroups, scopes: int) -> FloatArray:
    """Per scope, how many hypothesis n-grams find a partner in the reference that has most."""
    matched = np.minimum(groups.counts[0], groups.counts[1:].max(axis=0))
    return np.asarray(np.bincount(groups.scope, matched, scopes), dtype=np.float64)


def ngrams_in(lengths: IntArray, order: int) -> FloatArray:
    """How many n-grams texts of these lengths have."""
    return np.maximum(lengths - order + 1, 0).astype(np.float64)
