"""Features that parts of two texts can share: words of the table, ordinals, signs, gloss stems."""

from __future__ import annotations

import re
from itertools import pairwise

from patmark import languages
from patmark.facts.differences import FactKind
from patmark.facts.glosses import (
    gloss_stems,
)
from patmark.facts.lexicon import Hit, phrases
from patmark.facts.texts import TextFacts
from patmark.languages import HAN, language as pack_of, simplified, simplified_japanese

FUNCTION_GROUPS = frozenset({"limit-pre", "limit-post", "negation", "only", "or", "and", "list"})
NO_CONTRASTS = FUNCTION_GROUPS | {"action"}  # what is done only tells steps apart


def words_of(facts: TextFacts, group: str, identity: str | None = None) -> list[Hit]:
    """Return the words of a group, or of one meaning of it."""
    hits = facts.by_group.get(group, [])
    return hits if identity is None else [hit for hit in hits if hit.row.id == identity]


_MOST_SENTENCES = 8


def is_long(source: TextFacts, target: TextFacts) -> bool:
    """Return True for texts of many sentences, where counts of words say nothing."""
    return max(len(facts.sentences) for facts in (source, target)) > _MOST_SENTENCES


def slot_of(group: str) -> tuple[FactKind, str]:
    """Return kind and slot of a difference in words of a group."""
    slots: dict[str, tuple[FactKind, str]] = {
        "negation": ("polarity", "negation"), "thing": ("term", "noun"),
        "ordinal": ("ordinal", "roles"), "limit": ("limit", "direction"),
    }  # fmt: skip
    return slots.get(group.partition("-")[0], ("marker", group))


_NUMERAL = r"[0-9]{1,3}|(?:{ordinal-digit}){1,3}"
ORDINAL = phrases(
    rf"(?:{{ordinal-mark}}) ?({_NUMERAL})|\b(first|second|third|fourth|fifth|sixth)\b(?! of\b)"
    rf"|({_NUMERAL})(?:{{ordinal-after}})"
)
_SIGN_OR_NUMBER = re.compile(r"[A-Z]?\d+[a-z]?|(?<![A-Za-z])[A-Z](?![A-Za-z])")


def features_of(text: str, language: str) -> set[str]:
    """Return features comparable across languages: ordinals, signs, stems of glosses."""
    found = {f"#{ordinal_value(m)}" for m in ORDINAL.finditer(text)}
    found |= {m.group().lower() for m in _SIGN_OR_NUMBER.finditer(ORDINAL.regex.sub(" ", text))}
    return found | set(gloss_stems(text, language))


def han_features(text: str, language: str) -> set[str]:
    """Return features comparable between Chinese and Japanese: ordinals, signs, Han words."""
    found = {f"#{ordinal_value(m)}" for m in ORDINAL.finditer(text)}
    found |= {m.group().lower() for m in _SIGN_OR_NUMBER.finditer(ORDINAL.regex.sub(" ", text))}
    plain = simplified(text) if pack_of(language).is_simplified else simplified_japanese(text)
    return found | {a + b for a, b in pairwise(plain) if _HAN.match(a) and _HAN.match(b)}


_HAN = re.compile(f"[{HAN}]")


def ordinal_value(match: re.Match[str]) -> str:
    """Return the number of a match of ORDINAL."""
    if numeral := match[1] or match[3]:
        return numeral if numeral.isdecimal() else str(languages.parse_han(numeral))
    return str(languages.parse_english(match[2])[0])
