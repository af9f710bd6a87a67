"""Repeated sentences: exact, near, or of one pattern with other numbers.

* **Exact**: the same letters and digits; case, width, punctuation and blanks do not matter.
* **Near**: the sets of character n-grams (shingles) overlap by at least ``threshold`` (Jaccard).
  MinHash signatures, cut into bands, find the candidates; their shingles are then compared.
* **Pattern**: the same words once numbers, reference signs and identifiers are masked.

All keys come from fixed arithmetic on code points: they are the same in every process, on every
machine and for every input order, so that an SQL engine can group by them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.languages import fold, has_cjk, packs

_Hashes: TypeAlias = NDArray[np.uint64]

_BATCH = 1 << 16
_PAIRS = 500
_HASH_BITS = 44
_PADDING = "\0"
_HIGH = 0.85
_MASK = "#"
_ASCII_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())
_TOKEN = re.compile(r"(?<![^\W_])[^\W_]*\d[^\W_]*(?:[.,:/×~'-]+[^\W_]*\d[^\W_]*)*", re.ASCII)


@cache
def _list() -> re.Pattern[str]:
    """Return a list of masked numbers, whose words are those of all languages."""
    words = "|".join(pack.table("corpus").pattern("joiner") for pack in packs())
    return re.compile(rf"{_MASK}(?:(?:[\s(),;/、~-]|{words})*{_MASK})+")


@dataclass(frozen=True, slots=True)
class MinHashSettings:
    """Parameters of the search for near-duplicates.

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

    @classmethod
    def at(cls, threshold: float) -> MinHashSettings:
        """Return the fewest bands with high recall at a threshold.

        16 bands of 8 miss one in 8,000 pairs at Jaccard 0.9; 32 bands of 4 are for lower ones.
        """
        return cls(threshold, bands=16, rows=8) if threshold >= _HIGH else cls(threshold)

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise UsageError(f"the threshold is above 0 and at most 1, not {self.threshold}")
        if min(self.shingle, self.cjk_shingle, self.bands, self.rows) < 1 or self.seed < 0:
            raise UsageError("shingle, bands and rows are at least 1, the seed at least 0")


def plain_text(text: str) -> str:
    """Return the letters and digits of a text in one case and width.

    >>> plain_text("The Pump（１２）, closed.")
    'thepump12closed'
    """
    if text.isascii():  # the same, ten times as fast
        return text.lower().encode().translate(None, _ASCII_MARKS).decode()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def exact_key(*texts: str) -> str:
    """Return a key of a text, or of a pair of texts, that is equal for exact duplicates."""
    plain = "\x00".join(map(plain_text, texts))
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def pattern_of(text: str) -> str:
    """Return a text with numbers, reference signs, identifiers and lists of them masked.

    >>> pattern_of("FIG. 3 shows valves 12a, 12b.") == pattern_of("FIG. 11 shows valves 7 and 8.")
    True
    """
    masked = _TOKEN.sub(_MASK, fold(text).text.casefold())
    plain = _list().sub(_MASK, masked)
    return "".join(mark for mark in plain if mark.isalpha() or mark == _MASK)


def band_keys(texts: Sequence[str], settings: MinHashSettings) -> IntArray:
    """Return one key per text and band, (texts, bands); near-duplicates likely share one."""
    keys = np.empty((len(texts), settings.bands), dtype=np.int64)
    for start, batch in _batches(texts):
        signatures = _minima(_shingles(batch, settings), settings)
        keys[start : start + len(batch)] = _bands(signatures, settings)
    return keys


def similarities(
    firsts: Sequence[str], seconds: Sequence[str], settings: MinHashSettings
) -> FloatArray:
    """Compute the Jaccard similarity of the shingles of each text and its counterpart."""
    found = np.empty(len(firsts))
    for start, ours, theirs in _pair_batches(firsts, seconds):
        first, second = (_shingles(batch, settings) for batch in (ours, theirs))
        shared = np.intersect1d(first, second, assume_unique=True)
        own, other, both = (
            np.bincount(_owners(keys), minlength=len(ours)) for keys in (first, second, shared)
        )
        found[start : start + len(ours)] = both / (own + other - both)
    return found


def _pair_batches(
    firsts: Sequence[str], seconds: Sequence[str]
) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield plain texts and their counterparts in batches, with the place of the first one."""
    for start in range(0, len(firsts), _PAIRS):
        part = slice(start, start + _PAIRS)
        yield start, [*map(plain_text, firsts[part])], [*map(plain_text, seconds[part])]


def _batches(texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield plain texts in batches of limited length, each with the place of its first text."""
    start, size, batch = 0, 0, list[str]()
    for place, text in enumerate(texts):
        batch.append(plain_text(text))
        size += len(batch[-1])
        if size > _BATCH:
            yield start, batch
            start, size, batch = place + 1, 0, []
    if batch:
        yield start, batch


def _shingles(batch: Sequence[str], settings: MinHashSettings) -> _Hashes:
    """Return distinct shingles of plain texts: the index of the text above a 44-bit hash.

    A text that is shorter than a shingle is one shingle.
    """
    widths = [settings.cjk_shingle if has_cjk(text) else settings.shingle for text in batch]
    places = {width: [n for n, own in enumerate(widths) if own == width] for width in set(widths)}
    found = [
        _windows([batch[n] for n in chosen], np.array(chosen, dtype=np.uint64), width)
        for width, chosen in places.items()
    ]
    keys = np.sort(np.concatenate(found))
    return np.asarray(keys[np.concatenate([[True], keys[1:] != keys[:-1]])])


def _windows(texts: Sequence[str], places: _Hashes, width: int) -> _Hashes:
    """Return the shingles of some texts of a batch."""
    padded = [text.ljust(width, _PADDING) for text in texts]
    text = "".join(padded)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    total = np.zeros(len(codes) - width + 1, dtype=np.uint64)
    for offset, factor in enumerate(_constants(width, 1)):
        total += (codes[offset : offset + len(total)] + np.uint64(1)) * factor
    sizes = np.array([len(each) for each in padded], dtype=np.int64)
    inside = np.arange(len(codes)) < np.repeat(np.cumsum(sizes) - width + 1, sizes)
    owners = np.repeat(places, sizes)[inside] << np.uint64(_HASH_BITS)
    return owners | (_mixed(total[inside[: len(total)]]) >> np.uint64(64 - _HASH_BITS))


def _owners(keys: _Hashes) -> IntArray:
    """Return the texts that shingles belong to."""
    return (keys >> _HASH_BITS).astype(np.int64)


def _minima(keys: _Hashes, settings: MinHashSettings) -> _Hashes:
    """Return MinHash signatures, (texts, rows of all bands): each row orders the hashes anew."""
    firsts = np.flatnonzero(np.diff(_owners(keys), prepend=-1))
    hashes = (keys >> (_HASH_BITS - 32)).astype(np.uint32)
    rows = settings.bands * settings.rows
    factors, shifts = _constants(2 * rows, settings.seed).astype(np.uint32).reshape(2, rows)
    minima = np.empty((len(firsts), rows), dtype=np.uint64)
    for row, (factor, shift) in enumerate(zip(factors, shifts, strict=True)):
        minima[:, row] = np.minimum.reduceat(hashes * factor + shift, firsts)
    return minima


def _bands(signatures: _Hashes, settings: MinHashSettings) -> IntArray:
    shaped = signatures.reshape(len(signatures), settings.bands, settings.rows)
    factors = _constants(settings.rows, 2)
    offsets = _constants(settings.bands, 3)
    keys = _mixed((_mixed(shaped) * factors).sum(axis=2, dtype=np.uint64) + offsets)
    return keys.view(np.int64)


def _constants(count: int, seed: int) -> _Hashes:
    """Return odd 64-bit numbers that depend on the seed only."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    start = np.full(1, seed, dtype=np.uint64) << np.uint64(32)
    return _mixed(steps + start) | np.uint64(1)


def _mixed(values: _Hashes) -> _Hashes:
    """Permute 64-bit numbers so that every bit spreads over all (as in SplitMix64)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
