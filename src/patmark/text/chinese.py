"""Chinese words: jieba's segmentation, computed by its Rust port."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version

_ASCII_RUN = re.compile(r"[a-zA-Z0-9+#&._%\-]{2,}")
_ASCII_WORD = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")


def jieba_words(text: str) -> list[str]:
    """Words of jieba's default mode; each blank is a word of its own, as jieba gives it."""
    import rjieba

    return list(_split_ascii(rjieba.cut(text)))


def tokenize_zh_words(texts: Sequence[str]) -> list[list[str]]:
    """Words of jieba's default mode, without white space."""
    return [" ".join(jieba_words(text)).split() for text in texts]


def _split_ascii(words: Iterable[str]) -> Iterator[str]:
    """Split Latin runs as jieba does: the port keeps ``TYPE-C`` and ``3.5mm`` whole."""
    import rjieba

    for word in words:
        if _ASCII_RUN.fullmatch(word) and not rjieba.has_word(word):
            yield from filter(None, _ASCII_WORD.split(word))
        else:
            yield word


def zh_words_version() -> str:
    """The segmenter and its version, for signatures."""
    return f"rjieba-{version('rjieba')}"
