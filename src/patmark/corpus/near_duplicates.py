"""Sentences that occur twice: exactly, nearly, or as one pattern with other numbers in it.

* **Exact**: the same letters and digits; case, width, punctuation and blanks do not matter.
* **Near**: the sets of character n-grams (shingles) overlap by at least ``threshold`` (Jaccard).
  MinHash signatures, cut into bands, find the candidates; their shingles are then compared.
* **Pattern**: the same words once numbers, reference signs and identifiers are masked.

All keys come from fixed arithmetic on code points: they are the same in every process, on every
machine and for every order of the input, so that an SQL engine can group by them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import IntArray
from patmark.errors import UsageError
from patmark.text.folding import fold
from patmark.text.scripts import has_cjk

_Hashes: TypeAlias = NDArray[np.uint64]

_BATCH = 1 << 18
_SMALL_BUCKET = 50
_MASK = "#"
_TOKEN = re.compile(r"(?<![^\W_])[^\W_]*\d[^\W_]*(?:[.,:/×~'-]+[^\W_]*\d[^\W_]*)*", re.ASCII)
_LIST = re.compile(rf"{_MASK}(?:(?:[\s(),;/、~-]|and|or|to|及び|和|与|或|至)*{_MASK})+")


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """How near-duplicates are found.

    With 32 bands of 4 rows a pair of Jaccard 0.8 becomes a candidate with probability above
    0.9999999, one of 0.5 with 0.87. Chinese and Japanese texts have shorter shingles, because a
    character says more.
    """

    threshold: float = 0.8
    shingle: int = 5
    cjk_shingle: int = 3
    bands: int = 32
    rows: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise UsageError(f"the threshold is above 0 and at most 1, not {self.threshold}")
        if min(self.shingle, self.cjk_shingle, self.bands, self.rows) < 1 or self.seed < 0:
            raise UsageError("shingle, bands and rows are at least 1, the seed at least 0")


def plain_text(text: str) -> str:
    """What counts of a text for duplicates: letters and digits, one case and width.

    >>> plain_text("The Pump（１２）, closed.")
    'thepump12closed'
    """
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def exact_key(*texts: str) -> str:
    """A key of a text, or of a pair of texts, that is equal for exact duplicates."""
    plain = "\x00".join(map(plain_text, texts))
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def pattern_of(text: str) -> str:
    """A text with numbers, reference signs, identifiers and lists of them masked.

    >>> pattern_of("FIG. 3 shows valves 12a, 12b.") == pattern_of("FIG. 11 shows valves 7 and 8.")
    True
    """
    masked = _TOKEN.sub(_MASK, fold(text).text.casefold())
    plain = _LIST.sub(_MASK, masked)
    return "".join(mark for mark in plain if mark.isalpha() or mark == _MASK)


def pattern_key(*texts: str) -> str:
    """A key that is equal for texts (or pairs) of one pattern."""
    return exact_key(*(pattern_of(text).replace(_MASK, "0") for text in texts))


def band_keys(texts: Sequence[str], settings: DuplicateSettings) -> IntArray:
    """One key per text and band, (texts, bands): near-duplicates share at least one, likely."""
    coefficients = _constants(settings.bands * settings.rows * 2, settings.seed)
    keys = np.empty((len(texts), settings.bands), dtype=np.int64)
    for start, batch in _batches(texts):
        hashes, firsts = _shingles(batch, settings)
        signatures = _minima(hashes, firsts, coefficients)
        keys[start : start + len(batch)] = _bands(signatures, settings)
    return keys


def similarity(first: str, second: str, settings: DuplicateSettings) -> float:
    """How much the shingles of two texts overlap (Jaccard), to check candidates from an engine."""
    sets = _shingle_sets([first, second], {0, 1}, settings)
    return _jaccard(sets[0], sets[1])


def near_duplicate_groups(
    ids: Sequence[str], texts: Sequence[str], settings: DuplicateSettings
) -> list[str]:
    """For each text the lowest id among its near-duplicates, which is its own if it is kept.

    Duplicates of duplicates are in one group. The groups do not depend on the order of the input.
    In a band with more than 50 texts of one key, each is compared with the lowest of them and
    with its neighbours in the order of ids only.
    """
    if len(set(ids)) != len(ids) or len(ids) != len(texts):
        raise UsageError("near_duplicate_groups needs one id for each text, all different")
    order = sorted(range(len(ids)), key=ids.__getitem__)
    ordered = [texts[place] for place in order]
    parents = list(range(len(ordered)))
    candidates = _candidates(band_keys(ordered, settings))
    found = _shingle_sets(ordered, {place for pair in candidates for place in pair}, settings)
    for first, second in candidates:
        ours, theirs = _root(parents, first), _root(parents, second)
        if ours != theirs and _jaccard(found[first], found[second]) >= settings.threshold:
            parents[max(ours, theirs)] = min(ours, theirs)
    kept = [""] * len(ids)
    for rank, place in enumerate(order):
        kept[place] = ids[order[_root(parents, rank)]]
    return kept


def _root(parents: list[int], place: int) -> int:
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = parents[place]
    return place


def _candidates(keys: IntArray) -> list[tuple[int, int]]:
    """Pairs of texts that share the key of a band, in order."""
    pairs: set[tuple[int, int]] = set()
    for column in keys.T:
        order = np.argsort(column, kind="stable")
        changes = np.flatnonzero(np.diff(column[order])) + 1
        for bucket in np.split(order, changes):
            if len(bucket) > 1:
                pairs.update(_bucket_pairs(bucket.tolist()))
    return sorted(pairs)


def _bucket_pairs(members: list[int]) -> Iterator[tuple[int, int]]:
    if len(members) <= _SMALL_BUCKET:
        for place, first in enumerate(members):
            yield from ((first, second) for second in members[place + 1 :])
        return
    for before, member in pairwise(members):
        yield members[0], member
        if before != members[0]:
            yield before, member


def _jaccard(first: _Hashes, second: _Hashes) -> float:
    shared = len(np.intersect1d(first, second, assume_unique=True))
    return shared / (len(first) + len(second) - shared)


def _batches(texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Plain texts in batches of limited length, each with the place of its first text."""
    start, size, batch = 0, 0, list[str]()
    for place, text in enumerate(texts):
        batch.append(plain_text(text))
        size += len(batch[-1])
        if size > _BATCH:
            yield start, batch
            start, size, batch = place + 1, 0, []
    if batch:
        yield start, batch


def _shingle_sets(
    texts: Sequence[str], places: set[int], settings: DuplicateSettings
) -> dict[int, _Hashes]:
    wanted = sorted(places)
    sets: list[_Hashes] = []
    for _, batch in _batches([texts[place] for place in wanted]):
        hashes, firsts = _shingles(batch, settings)
        sets += [np.unique(each) for each in np.split(hashes, firsts[1:])]
    return dict(zip(wanted, sets, strict=True))


def _shingles(batch: Sequence[str], settings: DuplicateSettings) -> tuple[_Hashes, IntArray]:
    """Hashes of all shingles of plain texts, and where those of each text begin.

    A text that is shorter than a shingle is one shingle.
    """
    hashes = [
        _windows(text, settings.cjk_shingle if has_cjk(text) else settings.shingle)
        for text in batch
    ]
    ends = np.cumsum([len(each) for each in hashes], dtype=np.int64)
    return _mixed(np.concatenate(hashes)), np.concatenate([[0], ends[:-1]])


def _windows(text: str, width: int) -> _Hashes:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    padded = np.pad(codes.astype(np.uint64) + np.uint64(1), (0, max(0, width - len(codes))))
    factors = _constants(width, 1)
    count = len(padded) - width + 1
    total = np.zeros(count, dtype=np.uint64)
    for offset in range(width):
        total += padded[offset : offset + count] * factors[offset]
    return total


def _minima(hashes: _Hashes, firsts: IntArray, coefficients: _Hashes) -> _Hashes:
    """MinHash signatures, (texts, rows of all bands)."""
    factors, shifts = coefficients.reshape(2, -1)
    columns = [
        np.minimum.reduceat(_mixed(hashes * factor + shift), firsts)
        for factor, shift in zip(factors, shifts, strict=True)
    ]
    return np.stack(columns, axis=1)


def _bands(signatures: _Hashes, settings: DuplicateSettings) -> IntArray:
    shaped = signatures.reshape(len(signatures), settings.bands, settings.rows)
    factors = _constants(settings.rows, 2)
    offsets = _constants(settings.bands, 3)
    keys = _mixed((_mixed(shaped) * factors).sum(axis=2, dtype=np.uint64) + offsets)
    return keys.view(np.int64)


def _constants(count: int, seed: int) -> _Hashes:
    """Odd 64-bit numbers that depend on the seed only."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    start = np.full(1, seed, dtype=np.uint64) << np.uint64(32)
    return _mixed(steps + start) | np.uint64(1)


def _mixed(values: _Hashes) -> _Hashes:
    """A permutation of the 64-bit numbers that spreads every bit over all (as in SplitMix64)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
