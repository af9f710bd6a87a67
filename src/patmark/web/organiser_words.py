"""The words of the organiser's pages in English, Chinese and Japanese."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from patmark.web.words import Phrase, phrases_of


@cache
def organiser_words() -> Mapping[str, Mapping[str, str]]:
    """Every text of the organiser's pages by key, then by language."""
    file = resources.files("patmark.web") / "organiser_words.json"
    words: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return words


def organiser_phrases(language: str) -> Phrase:
    """The texts of one language."""
    return phrases_of(organiser_words(), language)
