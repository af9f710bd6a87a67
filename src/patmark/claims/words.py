"""The word lists for reading claims, from ``words.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


def word_list(name: str) -> frozenset[str]:
    """Return a list by its name."""
    return frozenset(_lists()[name].split())


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))
