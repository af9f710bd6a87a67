"""References to other claims, in Chinese, English, French, German, Japanese and Korean.

| what | English | Chinese | Japanese |
|---|---|---|---|
| one claim | of claim 1, of the first claim | 权利要求1所述, 申請專利範圍第1項 | 請求項1に記載の |
| several | any one of claims 1 to 3 | 权利要求1至3中任一项 | 請求項1〜3のいずれか |
| all before | any preceding claim | 上述权利要求中任一项 | 前記いずれかの請求項 |
| the one before | of the preceding claim | 前一权利要求 | |

| what | German | French | Korean |
|---|---|---|---|
| one claim | nach Anspruch 1 | selon la revendication 1 | 제1항에 있어서 |
| several | einem der Ansprüche 1 bis 3 | l'une des revendications 1 à 3 | 제1항 내지 제3항 |
| all before | einem der vorigen Ansprüche | des revendications précédentes | 선행하는 청구항 |
| the one before | dem vorhergehenden Anspruch | la revendication précédente | |
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from patmark import languages
from patmark.facts.lexicon import phrases
from patmark.languages import has_claim_style, plain_form, split_claims

Claims: TypeAlias = frozenset[int] | Literal["preceding", "previous"]

_CLAIM_WORD = phrases("{claim-noun}")
# letters that every word for a claim has, in any case and width
_MAY_CLAIM = phrases("{claim-letters}")
_BEFORE, _AFTER = 48, 24
_CLAIM = r"(?:{claim-noun})[ \t]*"
_UNIT = (
    r"[ \t]?(?:[%°℃]|(?:[μmnck]?[mgslv]|[mkg]?(?:pa|hz)|(?:wt|vol|mol)%?"
    r"|(?:hour|minute|day|week|month|year)s?)\b)"
)
_DIGITS = r"(?:\(\d{1,3}\)|\[\d{1,3}\]|\d{1,3})"
_BEFORE_NUMBER = r"(?:{before-claim-number})?(?:{ordinal-mark})?[ \t]*"
_NUMBER = rf"{_BEFORE_NUMBER}{_DIGITS}(?!\d|\.\d|{_UNIT})(?:{{claim-counter}})?"
_UNTIL = "{claims-until}|{until}"
_TO = rf"[ \t]*(?:{_UNTIL})[ \t]*"
_WORDS = "{claims-and}|{and}|{or}"
_AGAIN = "(?:{claim-again}){0,3}"
_AND = rf"[,;]?[ \t]*(?:{_WORDS})[ \t]*{_AGAIN}"
_PART = rf"{_NUMBER}(?:{_TO}(?:{_CLAIM})?{_NUMBER})?"
_REFERENCE = phrases(rf"{_CLAIM}(?P<numbers>{_PART}(?:{_AND}(?:{_CLAIM})?{_PART})*)")
_RANGE = phrases(
    r"(\d+)[)\]]?(?:{claim-counter})?"
    rf"(?:{_TO}(?:{_CLAIM})?(?:{{ordinal-mark}})?[ \t]*[(\[]?(\d+))?"
)
_PRECEDING = phrases("{preceding-claims}")
_PREVIOUS = phrases("{previous-claim}")


@cache
def _in_words() -> re.Pattern[str]:
    """Return the pattern of English references in words: the first claim, claim two."""
    ordinal, cardinals = languages.ENGLISH_ORDINAL, "|".join(languages.ENGLISH_CARDINALS)
    return re.compile(
        rf"(?:\b(?:of|in|to|by|per|under|with) the (?P<first>"
        rf"(?:(?P<other>{ordinal}) (?:or|and) )?(?P<ordinal>{ordinal}) claim)"
        rf"|\b(?P<one>claim (?P<cardinal>{cardinals})))"
        r"(?=\s*(?:[,.;:]|\Z)|\s+(?:where|in which|characteri|compris|further|which|that|and|or"
        r"|having|includ)\w*)",
        re.IGNORECASE,
    )


# claim I, Anspruch l
_BADLY_SCANNED = re.compile(
    r"[Il](?=[\s,;:.-])"
    r"(?:(?<=claim .)|(?<=claims .)|(?<=[Aa]nspruch .)|(?<=revendication .))"
)
_FIGURES = re.compile(r"\d(?: ?\d)*")


@dataclass(frozen=True, slots=True)
class ClaimNumber:
    """The number at the head of a claim."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class ClaimReference:
    """A mention of other claims inside claim ``within`` (None: one without a number)."""

    start: int
    end: int
    claims: Claims
    within: int | None


@dataclass(frozen=True, slots=True)
class ClaimLayout:
    """The claim numbers of a text and the references between claims, in order."""

    numbers: tuple[ClaimNumber, ...]
    references: tuple[ClaimReference, ...]


_HEADING = phrases(r"(?:^|\n)\s*(?:{claims-title})\s*[:：]?\s*(?=1\s*[.．、)）])")


def claim_layout(text: str) -> ClaimLayout:
    """Find claim numbers and references; a text without claim language has neither."""
    if not any(map(str.isdigit, text)) and _MAY_CLAIM.search(text) is None:
        return ClaimLayout((), ())
    plain = plain_form(text)
    numbers: list[ClaimNumber] = []
    references: list[ClaimReference] = []
    if _CLAIM_WORD.search(plain) is None and not (
        _FIGURES.search(plain) and has_claim_style(plain)
    ):
        return ClaimLayout((), ())
    heading = _HEADING.search(plain)
    before = 0 if heading is None else heading.end()  # of a whole document, its claims
    for chunk in split_claims(plain[before:])[0]:
        content, last = chunk.content + before, chunk.end + before
        head = _FIGURES.search(plain, chunk.start + before, content)
        if chunk.number is not None and head:
            numbers.append(ClaimNumber(*head.span(), chunk.number))
        references += (
            ClaimReference(content + start, content + end, claims, chunk.number)
            for (start, end), claims in claim_mentions(plain[content:last])
        )
    if not references and not has_claim_style(plain):
        numbers = []
    return ClaimLayout(tuple(numbers), tuple(references))


def claim_mentions(claim: str) -> list[tuple[tuple[int, int], Claims]]:
    """Return the places where a claim, in plain form, without its number, mentions claims."""
    text = _BADLY_SCANNED.sub("1", claim.replace("\n", " "))
    found: dict[tuple[int, int], Claims] = {}
    end = 0
    for word in _CLAIM_WORD.finditer(text):
        window = max(0, word.start() - _BEFORE), word.end() + _AFTER
        reference = _REFERENCE.match(text, word.start()) if word.start() >= end else None
        if reference is not None:
            found[reference.span()] = _claims(reference["numbers"])
            end = reference.end()
        for match in _in_words().finditer(text, *window):
            words = filter(None, match.group("other", "ordinal", "cardinal"))
            place = match.span("first" if match["first"] else "one")
            found[place] = frozenset(languages.parse_english(each)[0] for each in words)
        for match in (*_PREVIOUS.finditer(text, *window), *_PRECEDING.finditer(text, *window)):
            if not any(match.start() < last and first < match.end() for first, last in found):
                found[match.span()] = "previous" if _PREVIOUS.match(match[0]) else "preceding"
    return sorted(found.items())


def claims_meant(claims: Claims, earlier: Collection[int]) -> frozenset[int]:
    """Return the claim numbers that a mention means, after these earlier claims."""
    if claims == "previous":
        return frozenset({max(earlier)} if earlier else ())
    return frozenset(earlier) if claims == "preceding" else claims


def _claims(numbers: str) -> frozenset[int]:
    claims: set[int] = set()
    for first, last in _RANGE.regex.findall(numbers):
        ends = {int(first), int(last or first)}
        claims |= ends | set(range(min(ends), max(ends)))
    return frozenset(claims)
