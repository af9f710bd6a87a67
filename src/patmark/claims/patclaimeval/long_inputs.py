"""References and candidates that do not fit the encoder together: how many, and what is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

LONG_WAYS = ("refuse", "window", "cut")


@dataclass(frozen=True, slots=True)
class Part:
    """Which tokens of the reference and of the candidate are read together."""

    reference: slice
    candidate: slice


@dataclass(frozen=True, slots=True)
class LongInputs:
    """How many inputs there were, how many were too long, and what became of those."""

    inputs: int
    too_long: int
    rows: int
    dropped_tokens: int


def budgets(reference: int, candidate: int, room: int) -> tuple[int, int]:
    """How many tokens each side may have: a side that needs less than half leaves the rest."""
    if reference + candidate <= room:
        return reference, candidate
    half = room // 2
    if reference <= half:
        return reference, room - reference
    if candidate <= room - half:
        return room - candidate, candidate
    return half, room - half


def parts(reference: int, candidate: int, room: int, long: str) -> list[Part]:
    """The parts that are read: all at once, the beginnings, or windows that cover everything.

    Windows of a side overlap by at least half. Where both sides need windows, the first windows are
    read together, and so on to the last, because claims mostly stand in the same order.
    """
    sizes = budgets(reference, candidate, room)
    if long == "cut" or reference + candidate <= room:
        return [Part(slice(0, sizes[0]), slice(0, sizes[1]))]
    sides = list(zip((reference, candidate), sizes, strict=True))
    count = max(1 + ceil((length - size) / max(1, size // 2)) for length, size in sides)
    own, other = (_windows(length, size, count) for length, size in sides)
    return [Part(first, second) for first, second in zip(own, other, strict=True)]


def _windows(length: int, size: int, count: int) -> list[slice]:
    """Windows at even distances from the beginning to the end."""
    starts = np.rint(np.linspace(0, length - size, count)).astype(int).tolist()
    return [slice(start, start + size) for start in starts]


def summarise(lengths: Sequence[int], rows: Sequence[int], dropped: Sequence[int],
              limit: int) -> LongInputs:  # fmt: skip
    """The counts over inputs: tokens with the frame, rows read, and tokens that no row holds."""
    too_long = sum(length > limit for length in lengths)
    return LongInputs(len(lengths), too_long, sum(rows), sum(dropped))
