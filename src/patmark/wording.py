"""What people read, in English, Chinese and Japanese.

A text stands once, in English, where it is used: ``tr("{n} rows", n=3)``. It is an ordinary
``str``, so that files for machines stay English; whatever shows it to a person asks
``translated``. The other languages are in ``locale/*.po``, which ``tools/translations.py`` keeps in
step with the code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import resources
from typing import Any

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "中文", "ja": "日本語"}
"""The languages of the interface, each with its own name for itself."""


class Text(str):
    """An English text that knows its pattern and values, and so can be said in other languages."""

    __slots__ = ("key", "pattern", "values")
    key: str
    pattern: str
    values: Mapping[str, Any]

    def __new__(cls, key: str, pattern: str, values: Mapping[str, Any]) -> Text:
        text = super().__new__(cls, _filled(pattern, values))
        text.key, text.pattern, text.values = key, pattern, values
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return Text, (self.key, self.pattern, self.values)


def tr(text: str, /, **values: Any) -> Text:
    """A text with its values, as ``str.format`` fills them in; a text may be a value of another."""
    return Text(text, text, values)


def tr_n(one: str, many: str, /, n: int, **values: Any) -> Text:
    """A text that differs with a number: ``tr_n("{n} row", "{n} rows", n=3)``."""
    return Text(one, one if n == 1 else many, {"n": n, **values})


def translated(text: str, language: str) -> str:
    """A text in a language of the interface; what was not made by ``tr`` stays as it is."""
    if language == "en" or not isinstance(text, Text):
        return text
    pattern = catalogue(language).get(text.key, text.pattern)
    return _filled(pattern, {name: _value(one, language) for name, one in text.values.items()})


def speaker(language: str) -> Callable[..., str]:
    """``tr`` for pages: it gives a text in one language at once."""
    return partial(_tr_in, language)


def _tr_in(language: str, text: str, /, **values: Any) -> str:
    return translated(text if isinstance(text, Text) else tr(text, **values), language)


def _value(value: Any, language: str) -> Any:
    return translated(value, language) if isinstance(value, Text) else value


def _filled(pattern: str, values: Mapping[str, Any]) -> str:
    return pattern.format(**values) if values else pattern


_STRINGS = r'(?:"(?:[^"\\\n]|\\.)*"\n)+'
_ENTRY = re.compile(
    rf"^msgid ({_STRINGS})(?:msgid_plural {_STRINGS})?msgstr(?:\[0\])? ({_STRINGS})", re.M
)


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """The translations of one language by their English text; of plurals, by the singular."""
    if language == "en":
        return {}
    file = resources.files("patmark") / "locale" / f"{language}.po"
    entries = _ENTRY.findall(file.read_text(encoding="utf-8"))
    return {_unquoted(key): _unquoted(text) for key, text in entries if _unquoted(key)}


def _unquoted(strings: str) -> str:
    return "".join(json.loads(line) for line in strings.splitlines())
