"""The Snowball stemmer for English ("Porter 2"), as METEOR uses it."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import version


@lru_cache(maxsize=2**17)
def snowball_stem(word: str) -> str:
    """The stem of a lower-case English word."""
    import snowballstemmer

    # A fresh stemmer for each new word: it keeps the word in itself, so threads cannot share it.
    stem: str = snowballstemmer.EnglishStemmer().stemWord(word)
    return stem


def snowball_version() -> str:
    """The stemmer and its version, for signatures."""
    return f"snowballstemmer-{version('snowballstemmer')}"
