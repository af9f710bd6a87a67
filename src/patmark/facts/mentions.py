"""Mentions of parts with reference signs: sign, noun, modifiers.

| considered a sign | example |
|---|---|
| in brackets after a noun | housing (12), 外壳（12、14）, 軸（10a） |
| directly after a noun | the housing 12, 外壳12, 回転軸12は |
| step label | S101, ステップS2 |
| figure number | FIG. 1(a), Figs. 2 and 3, 图1, 図1 |

In languages other than English, Chinese and Japanese only signs in brackets, step labels and
figure numbers are found: which nouns carry no sign (claim 1, table 2) is not known there.
Not signs: claim, example, table and formula numbers, dates, numbers with a unit or a counter.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from patmark import languages
from patmark.facts.lexicon import Hit, phrases
from patmark.facts.quantities import COUNTED_LANGUAGES
from patmark.facts.units import match_units
from patmark.languages import HAN, KANA, function_words, packs, singular

_SIGN = (
    r"(?:[A-Z]{1,3})?\d{1,4}(?!(?:st|nd|rd|th)\b)[A-Za-z]{0,2}(?:['′]{1,3}|[\"″](?!\w))?"
    r"(?:-\d{1,3}[a-z]?)?(?![A-Za-z0-9]|\.\d|-[A-Za-z])"
)
_LAST_DIGITS = re.compile(r"\d+(?=\D*$)")
_AND = r"\s*(?:,(?!\d{3}(?!\d))|、|;|/|~|{and}|{or}|{until})\s*"
_LIST = rf"{_SIGN}(?:{_AND}{_SIGN})*"
_ONE = re.compile(rf"(?<![A-Za-z0-9.]){_SIGN}(?:\s?\([a-z]\))?")
_FIGURE_SIGN = rf"{_SIGN}(?:\s?\([a-z]\))?"
_FIGURE = phrases(
    rf"(?:{{figure-word}})\s?"
    rf"(?P<signs>{_FIGURE_SIGN}(?:(?:{_AND}|-)(?:{{figure-word}})?{_FIGURE_SIGN})*)",
)
_MAY_BE_FIGURE = re.compile(r"[Ff][Ii][Gg]|[^\x00-\x7f]")
_BRACKETED = phrases(
    rf"(?<=[^\W\d_]|[\"”])\s?\(\s*(?P<signs>{_SIGN}"
    rf"(?:\s*(?:,|、|;|/|~|{{and}}|{{or}}|{{until}})\s*{_SIGN})*)\s*\)",
    ignore_case=False,
)
_NUMBERED = phrases(rf"(?:{{numbered}})\s?(?:\(\s*{_LIST}\s*\){_AND})*$")
_LONGEST_NUMBERED = 60
_STEP = re.compile(r"(?<![A-Za-z0-9-])(?P<signs>(?:S|ST)\d{1,4}[a-z]?)(?![A-Za-z0-9]|-\d)")
_ENGLISH_NOUN = phrases(
    rf"\b(?P<noun>[A-Za-z][a-z]{{2,}}) (?P<signs>{_LIST})(?!\s?[%°℃×*:]|,\d{{3}})",
    ignore_case=False,
)
_CJK_NOUN = phrases(
    rf"(?<=(?P<noun>[{HAN}{KANA}]))(?P<signs>{_LIST})(?!\s?[%°℃×*:]|,\d{{3}})",
    ignore_case=False,
)
_NO_NOUN_END = phrases("{no-noun-end}")
_COUNTED = phrases(r"\s?(?:{counted})", ignore_case=False)
_RANGE_GOES_ON = phrases(r"\s?(?:[-~]|{until})\s?\d+(?:\.\d+)?")
_NO_SIGN_AFTER = phrases("(?:{no-sign-after}|(?P<seldom>{seldom-sign-after}))$")
_RATE_AFTER = re.compile(r" [a-z]+ per [a-z]")  # process 120 sheets per minute
_STANDARD = re.compile(r"(?:ISO|GB|JIS|DIN|EN|IEC|USB|SUS|IP)\d")
_HIRAGANA = re.compile(r"[\u3041-\u3096]")
_HIRAGANA_NOUN = phrases("(?:{hiragana-noun})$")
_ENGLISH_WORDS_BEFORE = re.compile(r"(?:[A-Za-z][A-Za-z-]*\s+){0,6}$")
_NOUN_RUN = phrases("(?:{noun-run})$")
_NOUN_LEAD = phrases(".*(?:{noun-lead})")
_HAN_ORDINAL = phrases("(?:{ordinal-mark}) ?([0-9]{1,3}|(?:{ordinal-digit}){1,3})(?:{genitive})?")
_HAN_ORDINAL_BEFORE = phrases(
    "(?:{ordinal-mark}) ?([0-9]{1,3}|(?:{ordinal-digit}){1,3})(?:{genitive})?$"
)
_ENGLISH_ORDINAL = re.compile(
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth", re.IGNORECASE
)


class Mention(NamedTuple):
    """A noun with a reference sign; the noun is empty for figures and step labels.

    ``noun`` extends as far as its left end is certain, ``head`` is its last word. ``modifiers`` are
    the words of the table in the noun as (group, id), ordinals as ("ordinal", "2"). ``listed``
    signs share a noun with others; a ``bare`` sign is not in brackets.
    """

    start: int
    end: int
    sign: str
    noun: str = ""
    noun_start: int = 0
    modifiers: frozenset[tuple[str, str]] = frozenset()
    things: frozenset[str] = frozenset()
    listed: bool = False
    bare: bool = False

    @property
    def head(self) -> str:
        """The last word of an English noun, in the singular; else the noun itself."""
        return (
            singular(self.noun.split()[-1].lower())
            if self.noun.isascii() and self.noun
            else self.noun
        )


def sign_key(sign: str) -> str:
    """Return a sign without blanks and brackets, in capitals, its primes as ′."""
    plain = re.sub(r"[\s()]", "", sign).upper()
    return plain.replace('"', "″").replace("″", "′′").replace("'", "′")


def find_mentions(text: str, language: str, hits: Sequence[Hit]) -> tuple[Mention, ...]:
    """Return the mentions with signs in a folded text, in order; ``hits`` are its words."""
    if _LAST_DIGITS.search(text) is None:
        return ()
    found: dict[int, Mention] = {}
    for start, signs, has_noun, bare in _places(text, language):
        ones = list(_ONE.finditer(signs))
        noun, noun_start = _noun_before(text, start, language) if has_noun else ("", start)
        modifiers, things = _described(text, noun, noun_start, language, hits)
        for match in ones:
            place = start + match.start()
            found.setdefault(
                place,
                Mention(
                    place, start + match.end(), sign_key(match.group()), noun, noun_start,
                    modifiers, things, len(ones) > 1, bare,
                ),
            )  # fmt: skip
    return tuple(found[place] for place in sorted(found))


def _places(text: str, language: str) -> Iterator[tuple[int, str, bool, bool]]:
    for match in _FIGURE.finditer(text) if _MAY_BE_FIGURE.search(text) else ():
        yield match.start("signs"), match["signs"], False, False
    for match in _STEP.finditer(text) if "S" in text else ():
        yield match.start("signs"), match["signs"], False, False
    for match in _BRACKETED.finditer(text) if "(" in text else ():
        before = text[max(0, match.start() - _LONGEST_NUMBERED) : match.start()]
        if _NUMBERED.search(before) is None:
            yield match.start("signs"), match["signs"], True, False
    if language in COUNTED_LANGUAGES:
        for match in _ENGLISH_NOUN.finditer(text):
            if _may_carry_sign(text, match) and _is_sign(text, *match.span("signs")):
                yield match.start("signs"), match["signs"], True, True
        for match in _CJK_NOUN.finditer(text) if not text.isascii() else ():
            if _carries_sign(text, match) and _is_sign(text, *match.span("signs")):
                yield match.start("signs"), match["signs"], True, True


def _may_carry_sign(text: str, match: re.Match[str]) -> bool:
    """Return True for an English noun; for one that is often counted only as "the case 82"."""
    noun = match["noun"].lower()
    if noun not in _OFTEN_COUNTED:
        return noun not in _unsigned_nouns() and not _ADVERB.fullmatch(noun)
    article = _ARTICLE.search(text, max(0, match.start() - 40), match.start())
    return article is not None and _TWO_DIGITS.match(match["signs"]) is not None


@cache
def _unsigned_nouns() -> frozenset[str]:
    """Return the words that carry no sign: claim 1, March 3."""
    unsigned = (pack.table("words").words("unsigned") for pack in packs())
    return frozenset(languages.MONTHS).union(*unsigned)


_ADVERB = re.compile("(?!assembly|anomaly|family|monopoly|supply|reply|belly|multiply)[a-z]{4,}ly")
_IS_HAN = re.compile(f"[{HAN}]")
_OFTEN_COUNTED = frozenset(
    {"case", "chip", "section", "stage", "line", "zone", "phase", "sample", "group", "level"}
)
_ARTICLE = re.compile(r"\b(?:the|an?|said|each) (?:[a-z-]+ ){0,3}$", re.IGNORECASE)
_LETTER_AFTER = phrases("{letter-after}")
_TWO_DIGITS = re.compile(r"\d\d|\d+[a-z]\b")


def _carries_sign(text: str, match: re.Match[str]) -> bool:
    """Return True if the character before a number can end a noun; few nouns end in hiragana."""
    start, two_digits = match.start(), _TWO_DIGITS.match(match["signs"]) is not None
    if _HIRAGANA.match(match["noun"]):
        return _HIRAGANA_NOUN.search(text, max(0, start - 4), start) is not None
    if found := _NO_SIGN_AFTER.search(text, max(0, start - 6), start):
        return found["seldom"] is not None and two_digits  # ケース82
    if _LETTER_AFTER.match(match["noun"]):  # 节点N1, 支点30
        before = text[start - 2 : start - 1]
        named = _IS_HAN.match(before) and before not in languages.HAN_NUMERAL
        return match["signs"][0].isalpha() or (bool(named) and two_digits)
    return _NO_NOUN_END.match(match["noun"]) is None


def _is_sign(text: str, start: int, end: int) -> bool:
    """Return False for a quantity: ``15m``, ``600r/min``, ``30 s``, ``3个``.

    A single capital may be both a unit and part of a sign, and is taken for the latter: ``10A``.
    """
    if _STANDARD.match(text, start) or _RATE_AFTER.match(text, end):
        return False
    digits = _LAST_DIGITS.search(text[start:end])
    after = end if digits is None else start + digits.end()
    unit = match_units(text, after)
    if unit is not None and (after == end or unit[1] > after + 1 or text[after].islower()):
        return False
    if (more := _RANGE_GOES_ON.match(text, end)) and match_units(text, more.end()) is not None:
        return False
    return match_units(text, end) is None and _COUNTED.match(text, end) is None


def _noun_before(text: str, start: int, language: str) -> tuple[str, int]:
    """Return the noun before a sign or its bracket, and its place."""
    end = len(text[:start].rstrip(' ("”'))
    window = max(0, end - 80)
    before = text[window:end]
    if run := _NOUN_RUN.of(language):
        match = _HIRAGANA_NOUN.search(before) or run.search(before)
        if match is None:
            return "", end
        noun, lead = match.group(), _NOUN_LEAD.of(language)
        cut = lead.match(noun, 0, len(noun) - 1) if lead else None
        skipped = cut.end() if cut else 0
        return noun[skipped:], window + match.start() + skipped
    match = _ENGLISH_WORDS_BEFORE.search(before + " ")
    words = match.group().split() if match else []
    kept: list[str] = []
    stops = function_words("before-noun")
    for word in reversed(words):
        if word.lower() in stops or (kept and word.endswith("ly")):
            break
        kept.insert(0, word)
    noun = " ".join(kept)
    return noun, end - len(noun)


def _described(
    text: str, noun: str, start: int, language: str, hits: Sequence[Hit]
) -> tuple[frozenset[tuple[str, str]], frozenset[str]]:
    """Return the modifiers and the things of a noun."""
    if not noun:
        return frozenset(), frozenset()
    modifiers: set[tuple[str, str]] = set()
    things: set[str] = set()
    end = start + len(noun)
    for hit in hits[bisect_left(hits, (start,)) :]:
        if hit.start >= end:
            break
        if hit.end > end:
            continue
        if hit.row.is_thing:
            things.add(hit.row.id)
        elif hit.row.sure:
            modifiers.add((hit.row.group, hit.row.id))
    found = _HAN_ORDINAL.search(noun) or _HAN_ORDINAL_BEFORE.search(text, max(0, start - 6), start)
    if ordinal := _ENGLISH_ORDINAL.match(noun):
        value = str(languages.parse_english(ordinal.group())[0])
    else:
        value = found.group(1) if found else ""
        if value and not value.isdecimal():
            value = str(languages.parse_han(value) or "")
    if value:
        modifiers.add(("ordinal", value))
    return frozenset(modifiers), frozenset(things)
