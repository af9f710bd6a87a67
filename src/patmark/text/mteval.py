"""The tokenizers of the mteval scripts, as sacreBLEU defines them: 13a, intl, zh, char.

No rule of 13a looks across a blank, so that a text can be tokenised word by word; words recur,
and the tokens of a word are remembered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

_MOST_WORDS = 1 << 17
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_WESTERN_RULES = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)

# sacreBLEU writes two ranges with five hexadecimal digits after \u, which Python reads as
# two characters; the ranges that result (U+2001–2A6D, U+2F81–2FA1) are kept for equality.
_ZH = (
    "\u3400-\u4db5\u4e00-\u9fa5\u9fa6-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9"
    "\u2001-\u2a6d\u2f81-\u2fa1\uff00-\uffef\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef"
    "\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f"
    "\u2600-\u26ff\u2700-\u27bf\u3200-\u32ff\u3300-\u33ff"
)
_ZH_CHARACTER = re.compile(f"([{_ZH}])")
_ZH_PIECE = re.compile(rf"[^\s{_ZH}]+|(?!\s)[{_ZH}]")


def _western_tokens(text: str) -> list[str]:
    for rule, replacement in _WESTERN_RULES:
        text = rule.sub(replacement, text)
    return text.split()


class _WordTokens(dict[str, list[str]]):
    """The tokens of words that stand between blanks, found when they are first asked for."""

    def __missing__(self, word: str) -> list[str]:
        if len(self) >= _MOST_WORDS:
            self.clear()
        tokens = self[word] = _western_tokens(f" {word} ")
        return tokens


_WORD_TOKENS = _WordTokens()


def _tokens_of(words: list[str]) -> list[str]:
    return list(chain.from_iterable(map(_WORD_TOKENS.__getitem__, words)))


def _tokens_13a(text: str) -> list[str]:
    if "<" in text:
        text = text.replace("<skipped>", "")
    if "\n" in text:
        text = text.rstrip().replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return _tokens_of(text.split())


def tokenize_13a(texts: Sequence[str]) -> list[list[str]]:
    """mteval-v13a: split ASCII punctuation, keep marks between digits."""
    return [_tokens_13a(text) for text in texts]


def _tokens_zh(text: str) -> list[str]:
    text = text.strip()
    if text.startswith((".", ",")) or text.endswith((".", ",")):  # here no blank stands outside
        return _western_tokens(_ZH_CHARACTER.sub(r" \1 ", text))
    return _tokens_of(_ZH_PIECE.findall(text))


def tokenize_zh(texts: Sequence[str]) -> list[list[str]]:
    """sacreBLEU's ``zh``: Chinese characters one by one, the rest by the western rules."""
    return [_tokens_zh(text) for text in texts]


@lru_cache(maxsize=1)
def _international_rules() -> list[tuple[Any, str]]:
    import regex

    return [
        (regex.compile(r"(\P{N})(\p{P})"), r"\1 \2 "),
        (regex.compile(r"(\p{P})(\P{N})"), r" \1 \2"),
        (regex.compile(r"(\p{S})"), r" \1 "),
    ]


def _tokens_international(text: str) -> list[str]:
    text = text.rstrip()
    for rule, replacement in _international_rules():
        text = rule.sub(replacement, text)
    return text.split()


def tokenize_intl(texts: Sequence[str]) -> list[list[str]]:
    """mteval-v14 international: split every Unicode punctuation mark and symbol."""
    return [_tokens_international(text) for text in texts]


def tokenize_char(texts: Sequence[str]) -> list[list[str]]:
    """sacreBLEU's ``char``: every character but white space."""
    return [list("".join(text.split())) for text in texts]
