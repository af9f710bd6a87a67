"""Chinese words: jieba's segmentation, computed by its Rust port."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version


def tokenize_zh_words(texts: Sequence[str]) -> list[list[str]]:
    """Words of jieba's default mode, without white space."""
    import rjieba

    return [" ".join(rjieba.cut(text)).split() for text in texts]


def zh_words_version() -> str:
    """The segmenter and its version, for signatures."""
    return f"rjieba-{version('rjieba')}"
