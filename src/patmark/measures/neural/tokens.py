"""Texts as token ids: framed by the special tokens of a model, in windows and batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from patmark.data import FloatArray
from patmark.languages import has_cjk

Ids: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The special tokens before, between and after one or two texts.

    ``second_type`` is the token type of the second text; 0 if a model has no types.
    """

    before: Ids
    between: Ids
    after: Ids
    second_type: int

    @classmethod
    def of(cls, tokenizer: Any, texts: int = 1) -> Frame:
        """Find the special tokens that a tokenizer puts around one text, or two."""
        encoded = tokenizer(*("a", "a")[:texts])
        ids = tuple(encoded["input_ids"])
        sides = np.array([-1 if side is None else side for side in encoded.sequence_ids(0)])
        first, last = np.flatnonzero(sides == 0), np.flatnonzero(sides == texts - 1)
        return cls(
            ids[: first[0]],
            ids[first[-1] + 1 : last[0]],
            ids[last[-1] + 1 :],
            max(encoded.get("token_type_ids", [0])),
        )

    @property
    def size(self) -> int:
        """Number of tokens of the frame."""
        return len(self.before) + len(self.between) + len(self.after)

    def around(self, *texts: Ids) -> Ids:
        """Return one text, or two, in the frame."""
        if len(texts) == 1:
            return self.before + texts[0] + self.after
        return self.before + texts[0] + self.between + texts[1] + self.after


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text without special ones: ids, places in the text, and first ones of words.

    ``words`` is false for punctuation and for all but the first token of a word.
    """

    ids: Ids
    starts: Ids
    words: tuple[bool, ...]

    def cut(self, most: int) -> Tokens:
        """Return the first tokens only."""
        return Tokens(self.ids[:most], self.starts[:most], self.words[:most])


def tokenize(tokenizer: Any, texts: Sequence[str]) -> list[Tokens]:
    """Return the tokens of each text, without special tokens and at full length."""
    if not texts:
        return []
    encoded = tokenizer(
        list(texts), add_special_tokens=False, truncation=False, verbose=False,
        return_offsets_mapping=True,
    )  # fmt: skip
    return [
        Tokens(
            tuple(ids),
            tuple(start for start, _ in spans),
            _word_heads(encoded.word_ids(at), [text[start:end] for start, end in spans]),
        )
        for at, (text, ids, spans) in enumerate(
            zip(texts, encoded["input_ids"], encoded["offset_mapping"], strict=True)
        )
    ]


def _word_heads(words: Sequence[int | None], texts: Sequence[str]) -> tuple[bool, ...]:
    """Mark the first token of each word; in Chinese and Japanese every token is a word."""
    seen: set[int | None] = set()
    heads = []
    for word, text in zip(words, texts, strict=True):
        head = any(map(str.isalnum, text)) and (word not in seen or has_cjk(text))
        heads.append(head)
        if head:
            seen.add(word)
    return tuple(heads)


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text that is read at once, and the part of it that counts."""

    start: int
    end: int
    keep_start: int
    keep_end: int


def windows(length: int, size: int, overlap: int) -> list[Window]:
    """Cover a text with windows; a token of two windows counts in the one with more context."""
    if length <= size:
        return [Window(0, length, 0, length)]
    step = size - overlap
    starts = [*range(0, length - size, step), length - size]
    borders = [(start + before + size) // 2 for before, start in pairwise(starts)]
    kept = zip([0, *borders], [*borders, length], strict=True)
    return [
        Window(start, start + size, first, last)
        for start, (first, last) in zip(starts, kept, strict=True)
    ]


def windowed(
    texts: Sequence[Tokens], frame: Frame, size: int
) -> tuple[list[tuple[int, Window]], list[Ids]]:
    """Cover texts with windows that overlap by half: the place of the text of each, and its row."""
    parts = [
        (at, window)
        for at, text in enumerate(texts)
        for window in windows(len(text.ids), size, size // 2)
    ]
    return parts, [frame.around(texts[at].ids[one.start : one.end]) for at, one in parts]


def batches(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield places of texts of similar length, the longest first, to limit padding."""
    order = sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def padded(rows: Sequence[Ids], padding: int | None) -> dict[str, Any]:
    """Return rows as tensors: ids padded at the right, and a mask of real ones."""
    import torch

    width = max(map(len, rows))
    ids = np.full((len(rows), width), padding or 0, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
    return {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}


def inverse_frequencies(references: Sequence[Tokens]) -> dict[int, float]:
    """Return log((N + 1) / (n + 1)) for tokens that occur in n of N references."""
    counts = Counter(token for text in references for token in set(text.ids))
    return {
        token: float(np.log((len(references) + 1) / (count + 1))) for token, count in counts.items()
    }


def token_weights(
    tokens: Tokens, frequencies: dict[int, float] | None, references: int
) -> FloatArray:
    """Return the weight of each token: 1, or its inverse document frequency."""
    if frequencies is None:
        return np.ones(len(tokens.ids))
    unseen = float(np.log(references + 1))
    return np.array([frequencies.get(token, unseen) for token in tokens.ids], dtype=np.float64)
