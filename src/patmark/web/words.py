"""The words of the interface in English, Chinese and Japanese."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import TypeAlias

from patmark.human.campaign.form import LANGUAGES

Phrase: TypeAlias = Callable[..., str]
"""Gives the text of a key in one language; names in braces are filled in."""


@cache
def all_words() -> Mapping[str, Mapping[str, str]]:
    """Every text of the interface by key, then by language."""
    file = resources.files("patmark.web") / "words.json"
    words: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return words


def phrases(language: str) -> Phrase:
    """The texts of one language."""
    return phrases_of(all_words(), language)


def phrases_of(words: Mapping[str, Mapping[str, str]], language: str) -> Phrase:
    """Some texts in one language."""

    def phrase(key: str, **values: object) -> str:
        return words[key][language].format(**values) if values else words[key][language]

    return phrase


def starting_with(prefixes: tuple[str, ...], language: str) -> dict[str, str]:
    """The texts that a script needs, with their names in braces."""
    return {key: texts[language] for key, texts in all_words().items() if key.startswith(prefixes)}


def preferred_language(chosen: str | None, planned: str | None, accepted: str) -> str:
    """The language that was chosen, else the planned one, else one for the browser, else English.

    The person chooses on the page; the campaign file plans; the browser names what it accepts.
    """
    for wanted in (chosen, planned):
        if wanted in LANGUAGES:
            return wanted
    for part in accepted.split(","):
        code = part.partition(";")[0].strip().lower().partition("-")[0]
        if code in LANGUAGES:
            return code
    return "en"


def in_language(words: Mapping[str, str], language: str) -> str:
    """A text of a form: in the language of the interface, else in English, else in any."""
    return words.get(language) or words.get("en") or next(iter(words.values()), "")
