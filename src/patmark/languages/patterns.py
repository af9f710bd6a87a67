"""Regular expressions with the phrases of the packs in them.

``{GROUP}`` stands for the forms of a group of a table. ``{<GROUP>}`` adds word boundaries at the
marked sides in languages whose characters are no words. A pattern holds the grammar that languages
share, and the packs hold the words::

    PhrasePattern("facts", r"(?:{<about}) ?$")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from patmark.languages.base import Language
from patmark.languages.registry import language, packs, shared_pack

_GROUP = re.compile(r"\{(<?)([a-z][a-z-]*)(>?)\}")
_NEVER = "(?!)"


class PhrasePattern:
    """A pattern with the phrases of all languages or of one, compiled when it is first used."""

    def __init__(self, subject: str, pattern: str, *, ignore_case: bool = True) -> None:
        self._subject = subject
        self._pattern = pattern
        self._flags = re.IGNORECASE if ignore_case else re.NOFLAG
        self._found: dict[str, re.Pattern[str] | None] = {}

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern with the phrases of all languages."""
        return self._compiled((shared_pack(), *packs()))

    def of(self, code: str) -> re.Pattern[str] | None:
        """Return the pattern with the phrases of a language; None if it lacks a group of them."""
        if code not in self._found:
            table = language(code).table(self._subject)
            has_all = all(table.forms(match[2]) for match in _GROUP.finditer(self._pattern))
            self._found[code] = self._compiled((language(code),)) if has_all else None
        return self._found[code]

    def _compiled(self, chosen: tuple[Language, ...]) -> re.Pattern[str]:
        def phrases(match: re.Match[str]) -> str:
            forms = []
            before, after = (r"\b" if mark else "" for mark in match.group(1, 3))
            for pack in chosen:
                if pack.table(self._subject).forms(match[2]):
                    form = pack.table(self._subject).pattern(match[2])
                    forms.append(f"{before}(?:{form}){after}" if not pack.is_dense else form)
            return "|".join(forms) or _NEVER

        return re.compile(_GROUP.sub(phrases, self._pattern), self._flags)

    @property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """The method of the pattern with the phrases of all languages."""
        return self.regex.match

    @property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        """The method of the pattern with the phrases of all languages."""
        return self.regex.fullmatch

    @property
    def search(self) -> Callable[..., re.Match[str] | None]:
        """The method of the pattern with the phrases of all languages."""
        return self.regex.search

    @property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        """The method of the pattern with the phrases of all languages."""
        return self.regex.finditer
