"""Normalised form of a text for finding numbers and signs, with offsets into the original.

Full-width characters become half-width, dashes and waves become ``-`` and ``~``, sub- and
superscripts (characters or ``<sub>``/``<sup>`` tags) become plain digits. An exponent keeps a ``^``
before it, so that 10² does not become 102. ½ becomes 1/2, 1½ becomes 1 1/2.

``simplified.txt`` has the simplified forms of characters: its first two lines are the variants of
Unihan (Unicode 15.0) and some fifty more pairs, the other two Japanese characters that are no
traditional ones: 気 気体 → 气 气体.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SQUARED = {mark: unicodedata.normalize("NFKC", mark) for mark in "㎎㎏㎜㎝㎞㎡㎖㎛㎚ℓ⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"}
_FRACTIONS = {
    mark: unicodedata.normalize("NFKC", mark).replace("⁄", "/") for mark in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
}
_SPECIAL = re.compile(
    rf"<(?P<open>su[bp])\s*>|</su[bp]\s*>|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+|[{''.join([*_SQUARED, *_FRACTIONS])}]",
    re.IGNORECASE,
)


def _same_length_table() -> dict[int, str]:
    table = {code + 0xFEE0: chr(code) for code in range(0x21, 0x7F)}
    table |= dict.fromkeys(map(ord, "‐‑‒–—―−ｰ"), "-")
    table |= dict.fromkeys(map(ord, "～〜∼˜"), "~")
    table |= dict.fromkeys(map(ord, "\u3000\u00a0\u2009\u202f"), " ")
    table |= dict.fromkeys(map(ord, "∶"), ":") | {ord("⁄"): "/"}
    table |= {ord("µ"): "μ", ord("º"): "°", ord("˚"): "°", ord("Ω"): "Ω"}
    table |= {0x2080 + digit: str(digit) for digit in range(10)}
    table |= {0x2460 + digit: str(digit + 1) for digit in range(9)}
    return table


_TABLE = _same_length_table()


@dataclass(frozen=True, slots=True)
class Folded:
    """The normalised text, and for each of its characters the offset in the original."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the original of characters ``start`` to ``end`` (end > start)."""
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> Folded:
    """Return the plain form of a text."""
    if text.isascii() and "<" not in text:
        return Folded(text, range(len(text)))
    if _SPECIAL.search(text) is None:
        return Folded(text.translate(_TABLE), range(len(text)))
    characters: list[str] = []
    places: list[int] = []

    def add(piece: str, at: Sequence[int]) -> None:
        characters.extend(piece)
        places.extend(at)

    last = 0
    for match in _SPECIAL.finditer(text):
        add(text[last : match.start()].translate(_TABLE), range(last, match.start()))
        piece = _special(match, after_digit=bool(characters) and characters[-1].isdigit())
        add(piece, [min(match.start() + i, match.end() - 1) for i in range(len(piece))])
        last = match.end()
    add(text[last:].translate(_TABLE), range(last, len(text)))
    return Folded("".join(characters), places)


def _special(match: re.Match[str], after_digit: bool) -> str:
    found = match.group()
    if match["open"] is not None:
        return "^" if match["open"].lower() == "sup" and after_digit else ""
    if found in _FRACTIONS:  # 1½ is one and a half, not eleven halves
        return f" {_FRACTIONS[found]}" if after_digit else _FRACTIONS[found]
    if found in _SQUARED:
        return _SQUARED[found]
    if found.startswith("</"):
        return ""
    digits = found.translate(_SUPERSCRIPTS)
    return "^" + digits if after_digit else digits


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
