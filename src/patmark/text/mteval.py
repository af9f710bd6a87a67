"""The tokenizers of the mteval scripts, as sacreBLEU defines them: 13a, intl, zh, char.

They work on many lines at once: one pass of each rule over all lines joined by line feeds,
which no rule may look across.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

_ASCII_MARKS = re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])")
_MARK_AFTER_NON_DIGIT = re.compile(r"([^0-9\n])([\.,])")
_MARK_BEFORE_NON_DIGIT = re.compile(r"([\.,])([^0-9\n])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# sacreBLEU writes two ranges with five hexadecimal digits after \u, which Python reads as
# two characters; the ranges that result (U+2001–2A6D, U+2F81–2FA1) are kept for equality.
_ZH = re.compile(
    "([\u3400-\u4db5\u4e00-\u9fa5\u9fa6-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9"
    "\u2001-\u2a6d\u2f81-\u2fa1\uff00-\uffef\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef"
    "\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f"
    "\u2600-\u26ff\u2700-\u27bf\u3200-\u32ff\u3300-\u33ff])"
)


def _split_lines(joined: str) -> list[list[str]]:
    return [line.split() for line in joined.split("\n")]


def _western_rules(joined: str) -> str:
    joined = _ASCII_MARKS.sub(r" \1 ", joined)
    joined = _MARK_AFTER_NON_DIGIT.sub(r"\1 \2 ", joined)
    joined = _MARK_BEFORE_NON_DIGIT.sub(r" \1 \2", joined)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", joined)


def _single_lines(texts: Iterable[str]) -> list[str]:
    return [text.rstrip().replace("\n", " ") for text in texts]


def tokenize_13a(texts: Sequence[str]) -> list[list[str]]:
    """mteval-v13a: split ASCII punctuation, keep marks between digits."""
    lines = [
        text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        for text in texts
    ]
    joined = "\n".join(f" {line} " for line in lines)
    for entity, character in _ENTITIES:
        joined = joined.replace(entity, character)
    return _split_lines(_western_rules(joined))


def tokenize_zh(texts: Sequence[str]) -> list[list[str]]:
    """sacreBLEU's ``zh``: Chinese characters one by one, the rest by the western rules."""
    joined = "\n".join(line.strip() for line in _single_lines(texts))
    return _split_lines(_western_rules(_ZH.sub(r" \1 ", joined)))


@lru_cache(maxsize=1)
def _international_rules() -> list[tuple[Any, str]]:
    import regex

    return [
        (regex.compile(r"([^\p{N}\n])(\p{P})"), r"\1 \2 "),
        (regex.compile(r"(\p{P})([^\p{N}\n])"), r" \1 \2"),
        (regex.compile(r"(\p{S})"), r" \1 "),
    ]


def tokenize_intl(texts: Sequence[str]) -> list[list[str]]:
    """mteval-v14 international: split every Unicode punctuation mark and symbol."""
    joined = "\n".join(_single_lines(texts))
    for rule, replacement in _international_rules():
        joined = rule.sub(replacement, joined)
    return _split_lines(joined)


def tokenize_char(texts: Sequence[str]) -> list[list[str]]:
    """sacreBLEU's ``char``: every character but white space."""
    return [list("".join(text.split())) for text in texts]
