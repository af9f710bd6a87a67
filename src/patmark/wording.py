"""User-visible texts in English, Chinese and Japanese.

Code holds each text once, in English: ``tr("{n} rows", n=3)``. It is an ordinary ``str``, so files
for programs stay English; output for people calls ``translated``. The other languages are in
``locale/*.po``, which ``tools/translations.py`` updates from the code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, partial, reduce
from shlex import quote
from typing import Any, Literal, TypeAlias

InterfaceLanguage: TypeAlias = Literal["en", "zh", "ja"]
LANGUAGES: Mapping[InterfaceLanguage, str] = {"en": "English", "zh": "中文", "ja": "日本語"}
"""The languages of the interface, each with its own name for itself."""
DEFAULT_LANGUAGE: InterfaceLanguage = "en"
"""The language of the texts in the code, and of texts that state none."""


class Text(str):
    """A text with its English pattern and its values, which can be translated into any language."""

    __slots__ = ("key", "language", "pattern", "values")
    key: str
    pattern: str
    values: Mapping[str, Any]
    language: str

    def __new__(
        cls, key: str, pattern: str, values: Mapping[str, Any], language: str = "en"
    ) -> Text:
        rendered = catalogue(language).get(key, pattern)
        if values:
            rendered = rendered.format(
                **{name: _value(one, language) for name, one in values.items()}
            )
        text = super().__new__(cls, rendered)
        text.key, text.pattern, text.values, text.language = key, pattern, values, language
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return Text, (self.key, self.pattern, self.values, self.language)


def tr(text: str, /, **values: Any) -> Text:
    """Mark a text for translation, with the values that ``str.format`` fills in.

    A text may be a value of another; a tuple of texts is listed with commas.
    """
    return Text(text, text, values)


def tr_n(one: str, many: str, /, n: int, **values: Any) -> Text:
    """Mark a text that depends on a number: ``tr_n("{n} row", "{n} rows", n=3)``."""
    return Text(one, one if n == 1 else many, {"n": n, **values})


def as_keyword(name: str, value: str = "") -> str:
    """Write a setting as an argument of a Python function: ``lang='ja-en'``."""
    return f"{name}={value!r}" if value else f"{name}="


def as_option(name: str, value: str = "") -> str:
    """Write a setting as an option of the command line: ``--lang ja-en``."""
    option = f"--{name.rstrip('_').replace('_', '-')}"
    return f"{option} {quote(value)}" if value else option


_as_setting: ContextVar[Callable[[str, str], str]] = ContextVar("setting", default=as_keyword)


def setting(name: str, value: str = "") -> str:
    """Name a setting of a request as users of the current front end write it.

    Messages below the front ends use it in place of option names. It reads ``lang='ja-en'`` in
    Python and ``--lang ja-en`` on the command line.
    """
    return _as_setting.get()(name, value)


@contextmanager
def settings_worded(by: Callable[[str, str], str]) -> Iterator[None]:
    """Let a front end word the settings in messages."""
    token = _as_setting.set(by)
    try:
        yield
    finally:
        _as_setting.reset(token)


def either(names: Sequence[str]) -> str:
    """Join names with "or"."""
    return reduce(lambda one, other: tr("{one} or {other}", one=one, other=other), names)


def capitalised(text: str) -> str:
    """Capitalise a text for the beginning of an English sentence."""
    if not isinstance(text, Text):
        return text[:1].upper() + text[1:]
    return Text(text.key, text.pattern[:1].upper() + text.pattern[1:], text.values, text.language)


def translated(text: str, language: str) -> str:
    """Translate a text; texts not made by ``tr`` stay unchanged."""
    if not isinstance(text, Text) or text.language == language:
        return text
    return Text(text.key, text.pattern, text.values, language)


def speaker(language: str) -> Callable[..., str]:
    """Return ``tr`` for pages, which translates at once."""
    plain = lru_cache(4096)(partial(_said, language))
    return lambda text, /, **values: (
        _said(language, text, **values) if values or isinstance(text, Text) else plain(text)
    )


def _said(language: str, text: str, /, **values: Any) -> str:
    return translated(text if isinstance(text, Text) else tr(text, **values), language)


def _value(value: Any, language: str) -> Any:
    if isinstance(value, tuple):
        return (", " if language == "en" else "、").join(
            str(_value(one, language)) for one in value
        )
    return translated(value, language) if isinstance(value, Text) else value


_STRINGS = r'(?:"(?:[^"\\\n]|\\.)*"\n)+'
_ENTRY = re.compile(
    rf"^msgid ({_STRINGS})(?:msgid_plural {_STRINGS})?msgstr(?:\[0\])? ({_STRINGS})", re.M
)
_IN_SCRIPT = re.compile(r'\btr\(\s*("(?:[^"\\]|\\.)*")')


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the translations of a language by English text; plurals by their singular."""
    if language == "en":
        return {}
    from importlib import resources  # English needs none, and starts faster without

    file = resources.files("patmark") / "locale" / f"{language}.po"
    entries = _ENTRY.findall(file.read_text(encoding="utf-8"))
    found = {_unquoted(key): _unquoted(text) for key, text in entries}
    return {key: text for key, text in found.items() if key and text}


def script_words(scripts: Iterable[str], language: str) -> Mapping[str, str]:
    """Return the translations that scripts need; the scripts hold the English texts."""
    words = catalogue(language)
    texts = [json.loads(text) for script in scripts for text in _IN_SCRIPT.findall(script)]
    return {text: words[text] for text in texts if text in words}


def _unquoted(strings: str) -> str:
    return "".join(json.loads(line) for line in strings.splitlines())


def percent(share: float, decimals: int = 0) -> str:
    """Format a share: 0.05 is "5 %"."""
    return f"{100 * share:.{decimals}f} %"


def yes_or_no(value: bool) -> str:
    """Format a truth value for tables, names and messages."""
    return tr("yes") if value else tr("no")
