"""Simplified forms of traditional and Japanese characters, from ``simplified.txt``.

Its first two lines are the simplified variants of Unihan (Unicode 15.0) and some fifty more pairs;
the other two are Japanese characters that are no traditional ones: 気 気体 → 气 气体.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def _pairs() -> tuple[dict[int, int], dict[int, int]]:
    lines = files(__package__).joinpath("simplified.txt").read_text(encoding="utf-8").split()
    return str.maketrans(lines[0], lines[1]), str.maketrans(lines[2], lines[3])


def simplified(text: str) -> str:
    """Return a Chinese text in simplified characters."""
    return text.translate(_pairs()[0])


def simplified_japanese(text: str) -> str:
    """Return a Japanese text with its characters as Chinese writes them, for CC-CEDICT."""
    traditional, japanese = _pairs()
    return text.translate(traditional).translate(japanese)
