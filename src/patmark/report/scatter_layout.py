"""Where things stand in a drawing: round numbers on an axis, labels that do not overlap."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from patmark.data import FloatArray

Box: TypeAlias = tuple[float, float, float, float]

FONT_SIZE = 12.0
NARROW = 0.6
MARK_RADIUS = 5.5
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0, 20.0)
_AIR = 2.5


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis and the number written there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Label:
    """Text beside a mark; ``anchor`` is the SVG word for its flush side."""

    x: float
    y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Frame:
    """The plot (left, top, right, bottom) and the numbers that its sides stand for."""

    plot: Box
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a pair of numbers stands in the drawing."""
        left, top, right, bottom = self.plot
        across = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        up = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return left + across * (right - left), bottom - up * (bottom - top)


def value_range(values: Sequence[float]) -> tuple[float, float]:
    """From the smallest to the largest value, with some air; never empty."""
    low, high = min(values), max(values)
    air = 0.06 * (high - low) or 0.1 * abs(low) or 0.5
    return low - air, high + air


def nice_ticks(low: float, high: float, most: int) -> tuple[Tick, ...]:
    """Round numbers from low to high, at most ``most`` of them; ``at`` is the number itself."""
    power = math.floor(math.log10((high - low) / most))
    steps = (digits * 10.0**power for digits in _STEPS)
    step = next(step for step in steps if _count(low, high, step) <= most)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    decimals += not math.isclose(round(step, decimals), step)
    first = math.ceil(low / step)
    values = [place * step for place in range(first, first + _count(low, high, step))]
    return tuple(Tick(value, f"{value:,.{decimals}f}") for value in values)


def _count(low: float, high: float, step: float) -> int:
    return math.floor(high / step) - math.ceil(low / step) + 1


def text_width(text: str) -> float:
    """About how long a text is when drawn: ideographs are square, other characters narrower."""
    return FONT_SIZE * sum(
        1.0 if unicodedata.east_asian_width(character) in "WF" else NARROW for character in text
    )


def wrapped(text: str, width: float) -> tuple[str, ...]:
    """The text in lines of about this width, broken at blanks, or within a word that is longer."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for character in word:
            if lines[-1] and text_width(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return tuple(lines)


def place_labels(
    texts: Sequence[str], places: Sequence[tuple[float, float]], plot: Box
) -> tuple[Label | None, ...]:
    """A place for each text beside its mark, free of marks, other texts and the border.

    Earlier texts choose first. None means that a text found no free place.
    """
    taken = [
        _box(x - MARK_RADIUS, y - MARK_RADIUS, x + MARK_RADIUS, y + MARK_RADIUS) for x, y in places
    ]
    labels: list[Label | None] = []
    for own, (text, (x, y)) in enumerate(zip(texts, places, strict=True)):
        free = (
            (label, box)
            for label, box in _candidates(x, y, text_width(text))
            if _inside(box, plot) and not _touches(box, taken, own)
        )
        label, box = next(free, (None, None)) if text else (None, None)
        labels.append(label)
        if box is not None:
            taken.append(_box(*box))
    return tuple(labels)


def _box(left: float, top: float, right: float, bottom: float) -> FloatArray:
    return np.array([left, top, right, bottom])


def _candidates(x: float, y: float, width: float) -> list[tuple[Label, Box]]:
    """Right, left, above, below, and the four corners, each with the box that it fills."""
    gap, half = MARK_RADIUS + 3.0, FONT_SIZE / 2 + 1.0
    above, below = y - gap - half, y + gap + half
    centres = [
        (x + gap, y, "start"), (x - gap, y, "end"), (x, above, "middle"), (x, below, "middle"),
        (x + half, above, "start"), (x + half, below, "start"),
        (x - half, above, "end"), (x - half, below, "end"),
    ]  # fmt: skip
    shift = {"start": 0.0, "middle": -width / 2, "end": -width}
    return [
        (
            Label(at, middle, anchor),
            (left - _AIR, middle - half, left + width + _AIR, middle + half),
        )
        for at, middle, anchor in centres
        for left in (at + shift[anchor],)
    ]


def _inside(box: Box, plot: Box) -> bool:
    return box[0] >= plot[0] and box[1] >= plot[1] and box[2] <= plot[2] and box[3] <= plot[3]


def _touches(box: Box, taken: Sequence[FloatArray], own: int) -> bool:
    others = np.array(taken)
    hit = (others[:, 0] < box[2]) & (others[:, 2] > box[0])
    hit &= (others[:, 1] < box[3]) & (others[:, 3] > box[1])
    hit[own] = False
    return bool(hit.any())
