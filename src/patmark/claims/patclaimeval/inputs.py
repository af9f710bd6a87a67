"""Claim texts as rows of token ids: reference and candidate in one frame, padded into tensors.

References and candidates that exceed the input limit together are refused, cut, or read in windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.errors import InputError, Problem, UsageError
from patmark.measures import Frame, Ids

LONG_WAYS = ("refuse", "window", "cut")


@dataclass(frozen=True, slots=True)
class TokenWindow:
    """Tokens of the reference and of the candidate that are read together."""

    reference: slice
    candidate: slice


@dataclass(frozen=True, slots=True)
class LongInputs:
    """Numbers of inputs, of those that were too long, of their rows and of dropped tokens."""

    inputs: int
    too_long: int
    rows: int
    dropped_tokens: int


def budgets(reference: int, candidate: int, room: int) -> tuple[int, int]:
    """Return the tokens of each side; a side that needs less than half leaves the rest."""
    if reference + candidate <= room:
        return reference, candidate
    half = room // 2
    if reference <= half:
        return reference, room - reference
    if candidate <= room - half:
        return room - candidate, candidate
    return half, room - half


def parts(reference: int, candidate: int, room: int, long: str) -> list[TokenWindow]:
    """Return the windows to read: all at once, the beginnings, or windows that cover everything.

    Windows of a side overlap by at least half. If both sides need windows, the first windows are
    read together, and so on to the last, because claims usually have the same order.
    """
    sizes = budgets(reference, candidate, room)
    if long == "cut" or reference + candidate <= room:
        return [TokenWindow(slice(0, sizes[0]), slice(0, sizes[1]))]
    sides = list(zip((reference, candidate), sizes, strict=True))
    count = max(1 + ceil((length - size) / max(1, size // 2)) for length, size in sides)
    own, other = (_windows(length, size, count) for length, size in sides)
    return [TokenWindow(first, second) for first, second in zip(own, other, strict=True)]


def _windows(length: int, size: int, count: int) -> list[slice]:
    """Return windows at even distances from the beginning to the end."""
    starts = np.rint(np.linspace(0, length - size, count)).astype(int).tolist()
    return [slice(start, start + size) for start in starts]


_LEAST_ROOM = 2


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Token ids in their frame, the segment number of each, and where the frame's tokens stand."""

    ids: Ids
    types: Ids
    frame: Ids


@dataclass(frozen=True, slots=True)
class Input:
    """A reference with a candidate: rows to read, and tokens in all and tokens in no row."""

    rows: tuple[TokenRow, ...]
    length: int
    dropped: int


@dataclass(frozen=True, slots=True)
class PairFrame:
    """The special tokens around two texts, and the segment numbers of the two."""

    frame: Frame
    types: tuple[int, int]

    @classmethod
    def of(cls, tokenizer: Any) -> PairFrame:
        """Return the frame of a tokenizer, whose first token must be a special one."""
        frame = Frame.of(tokenizer, 2)
        if not frame.before or tokenizer.pad_token_id is None:
            raise UsageError(
                "the tokenizer must put a special token before a pair of texts and have a padding "
                "token; is the model an encoder?"
            )
        probe = tokenizer("a", "a", return_token_type_ids=True)
        types = probe["token_type_ids"]
        return cls(frame, (types[0], types[-1]))

    def row(self, reference: Ids, candidate: Ids) -> TokenRow:
        """Return both texts in the frame; separators belong to the reference."""
        frame = self.frame
        first = len(frame.before) + len(reference) + len(frame.between)
        ids = frame.around(reference, candidate)
        types = (self.types[0],) * first + (self.types[1],) * (len(ids) - first)
        places = (
            *range(len(frame.before)),
            *range(first - len(frame.between), first),
            *range(len(ids) - len(frame.after), len(ids)),
        )
        return TokenRow(ids, types, places)


def encode(
    tokenizer: Any, texts: Sequence[tuple[str, str]], names: Sequence[str], limit: int, long: str
) -> list[Input]:
    """Encode pairs (reference, candidate); with long=refuse all that are too long are listed."""
    frame = PairFrame.of(tokenizer)
    room = limit - frame.frame.size
    if room < _LEAST_ROOM:
        raise UsageError(
            f"a limit of {limit} tokens leaves no room for a reference and a candidate"
        )
    tokens = _tokens(tokenizer, texts)
    lengths = [sum(len(tokens[text]) for text in pair) for pair in texts]
    if long == "refuse" and max(lengths, default=0) > room:
        raise InputError(
            Problem(
                f"{name}: reference and candidate have {length} tokens, the model takes {room}; "
                "give long=window or long=cut, or a model for longer texts"
            )
            for name, length in zip(names, lengths, strict=True)
            if length > room
        )
    return [_input(frame, tokens[one], tokens[other], room, long) for one, other in texts]


def _tokens(tokenizer: Any, texts: Sequence[tuple[str, str]]) -> dict[str, Ids]:
    """Return the tokens of each different text, at full length."""
    different = list(dict.fromkeys(text for pair in texts for text in pair))
    if not different:
        return {}
    encoded = tokenizer(different, add_special_tokens=False, truncation=False, verbose=False)
    return dict(zip(different, map(tuple, encoded["input_ids"]), strict=True))


def _input(frame: PairFrame, reference: Ids, candidate: Ids, room: int, long: str) -> Input:
    read = parts(len(reference), len(candidate), room, long)
    rows = tuple(frame.row(reference[part.reference], candidate[part.candidate]) for part in read)
    length = len(reference) + len(candidate)
    dropped = max(0, length - room) if long == "cut" else 0
    return Input(rows, length + frame.frame.size, dropped)


def long_counts(inputs: Sequence[Input], limit: int) -> LongInputs:
    """Count the inputs that were longer than the limit, and their rows and dropped tokens."""
    too_long = sum(one.length > limit for one in inputs)
    rows = sum(len(one.rows) for one in inputs)
    return LongInputs(len(inputs), too_long, rows, sum(one.dropped for one in inputs))


def owners(inputs: Sequence[Input]) -> IntArray:
    """Return the position of the input of each row."""
    return np.repeat(np.arange(len(inputs)), [len(one.rows) for one in inputs])


def means_by_owner(values: FloatArray, owner: IntArray, count: int) -> FloatArray:
    """Return the mean over the rows of each input."""
    return np.asarray(np.bincount(owner, values, count) / np.bincount(owner, minlength=count))


@dataclass(frozen=True, slots=True)
class Padding:
    """Padding of rows for a network: to a ``multiple``, with or without extra masks."""

    token: int
    multiple: int = 1
    types: bool = False
    global_attention: str = ""

    def tensors(self, rows: Sequence[TokenRow]) -> Mapping[str, Any]:
        """Return rows as tensors; ``global_attention`` marks the first token or the frame."""
        import torch

        longest = max(len(row.ids) for row in rows)
        shape = (len(rows), -(-longest // self.multiple) * self.multiple)
        ids = np.full(shape, self.token, dtype=np.int64)
        mask, types, seen = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for at, row in enumerate(rows):
            ids[at, : len(row.ids)] = row.ids
            mask[at, : len(row.ids)] = 1
            types[at, : len(row.ids)] = row.types
            seen[at, list(row.frame) if self.global_attention == "frame" else 0] = 1
        arrays = {"input_ids": ids, "attention_mask": mask}
        arrays |= {"token_type_ids": types} if self.types else {}
        arrays |= {"global_attention_mask": seen} if self.global_attention else {}
        return {name: torch.from_numpy(array) for name, array in arrays.items()}
