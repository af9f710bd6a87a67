"""The words by which claims are read: ``claims.tsv`` and ``claims.toml`` of the packs.

Without a language, the words of all packs are meant. A blank in a form is any white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from patmark.languages import Language, language as pack_of, packs, shared_pack

_SUBJECT = "claims"


def _packs(language: str | None) -> tuple[Language, ...]:
    return (*(packs() if language is None else (pack_of(language),)), shared_pack())


@cache
def word_list(name: str, language: str | None = None) -> frozenset[str]:
    """Return a list of words by its name."""
    return frozenset().union(*(pack.table(_SUBJECT).words(name) for pack in _packs(language)))


@cache
def pattern(
    group: str,
    language: str | None = None,
    name: str = "",
    *,
    whole: bool = False,
    flags: int = re.IGNORECASE,
) -> re.Pattern[str]:
    """Return a pattern for the phrases of a group, or those of one name; ``whole`` for words."""
    return re.compile(source(group, language, name, whole=whole), flags)


def claim_languages() -> tuple[str, ...]:
    """Return the codes of the languages whose claims are parsed: those with transitions."""
    return tuple(pack.code for pack in packs() if pack.table(_SUBJECT).forms("transition"))


def verb_last(language: str) -> bool:
    """Return True if the subject of a claim stands at its end, after the limitations."""
    return pack_of(language).is_verb_last


@cache
def source(group: str, language: str | None = None, name: str = "", *, whole: bool = False) -> str:
    """Return the source of a pattern, to be part of another."""
    return f"(?:{'|'.join(_sources(group, language, name, whole)) or '(?!)'})"


def _sources(group: str, language: str | None, name: str, whole: bool) -> Iterator[str]:
    for pack in _packs(language):
        forms = pack.table(_SUBJECT).forms(group)
        found = "|".join(form for key in forms if name in ("", key) for form in forms[key])
        if found and pack.is_spaced:
            found = found.replace(" ", r"\s+")
            yield rf"(?<!\w)(?:{found})(?!\w)" if whole else found
        elif found:
            yield found
