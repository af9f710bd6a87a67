"""Claim numbers and references to other claims, in the languages of patmark and of the EPO.

| what | English | Chinese | Japanese |
|---|---|---|---|
| number of a claim | ``1.`` ``Claim 1:`` | ``1、`` ``1.`` 权利要求1： | 【請求項1】 請求項1 |
| one claim | of claim 1, of the first claim | 权利要求1所述, 申請專利範圍第1項 | 請求項1に記載の |
| several | any one of claims 1 to 3 | 权利要求1至3中任一项 | 請求項1〜3のいずれか |
| all before | any preceding claim | 上述权利要求中任一项 | 前記いずれかの請求項 |

| what | German | French |
|---|---|---|
| one claim | nach Anspruch 1 | selon la revendication 1 |
| several | nach einem der Ansprüche 1 bis 3 | selon l'une des revendications 1 à 3 |
| all before | einem der vorhergehenden Ansprüche | l'une des revendications précédentes |
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal, TypeAlias

from patmark.text.folding import Folded, fold
from patmark.text.quantities import ENGLISH_ORDINAL, parse_english

Claims: TypeAlias = frozenset[int] | Literal["preceding"]

# every mention has one of these words, and is looked for only around them
_CLAIM_WORD = re.compile(
    r"claim|Claim|CLAIM|[Aa]nspr[uü]ch|ANSPR[UÜ]CH|[Rr]evendication|REVENDICATION|权利\s?要求|權利\s?要求|请求[项項]|請求[项項]|申[请請][专專]利[范範][围圍]"
)
_BEFORE, _AFTER = 48, 24
# blanks only: a heading "Claims" may stand on the line before "1."
_CLAIM = (
    r"(?:\bclaims?|anspr[uü]che?[ns]?|\brevendications?"
    r"|[权權]利\s?要求|[请請]求[项項]|申[请請][专專]利[范範][围圍])[ \t]*"
)
_UNIT = r"[ \t]?(?:[%°℃]|(?:[μmnck]?[mgslv]|[mkg]?(?:pa|hz)|(?:wt|vol|mol)%?|hours?|minutes?)\b)"
_NUMBER = rf"(?:from |nos?\.? ?)?第?[ \t]*\d{{1,3}}(?!\d|\.\d|{_UNIT})[项項]?"
_TO = r"[ \t]*(?:-|~|to|through|thru|bis|à|至|到|から|乃至|ないし)[ \t]*"
_WORDS = (
    r"and/or|und/oder|et/ou|and|or|und|oder|sowie|et|ou|[,、/]"
    r"|[和与及]/或|及び/又は|および/または|或者?|和|与|以?及び?|または|又は|若しくは|もしくは|および|並びに"
)
_AND = (
    rf",?[ \t]*(?:{_WORDS})[ \t]*(?:any (?:one )?of |(?:nach|gemäß|selon|la|les|den|der) ){{0,3}}"
)
_PART = rf"{_NUMBER}(?:{_TO}(?:{_CLAIM})?{_NUMBER})?"
_REFERENCE = re.compile(
    rf"{_CLAIM}(?P<numbers>{_PART}(?:{_AND}(?:{_CLAIM})?{_PART})*)", re.IGNORECASE
)
_RANGE = re.compile(rf"(\d+)[项項]?(?:{_TO}(?:{_CLAIM})?第?[ \t]*(\d+))?", re.IGNORECASE)
_PRECEDING = re.compile(
    r"\b(?:preceding|foregoing|previous|prior|above|(?:afore|above)[- ]?(?:mentioned|said|going))"
    r" (?:patent )?claims?\b|\bclaims? above\b"
    r"|\b(?:vor(?:an|her)?(?:ge)?gangenen|vor(?:an|her|aus)?gehenden|vor(?:an|her)?stehenden|vor(?:her)?igen"
    r"|vor(?:ge|be|er)(?:nannten|schriebenen|wähnten)|obigen)"
    r" (?:patent|schutz)?anspr[uü]che?n?\b"
    r"|\brevendications? (?:précédentes?|antérieures?|ci-dessus|qui précèdent)"
    r"|(?:上述|前述|之前的?|前面的?|以上)(?:任一|任意一项|各|所有)?(?:项|項)?(?:的)?(?:权利要求|请求项)"
    r"|(?:前記|上記|先行する)(?:の|いずれかの|いずれか[1１一]項の)*請求項",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"\b(?:of|in|to|by|per|under|with) the (?P<ordinal_claim>(?P<ordinal>"
    rf"{ENGLISH_ORDINAL}) claim)(?=\s*(?:[,.;:]|\Z)|\s+(?:where|in which|characteri|compris|"
    r"further|which|that|and|or|having|includ)\w*)",
    re.IGNORECASE,
)
_EXPLICIT = re.compile(
    rf"(?:^[ \t]{{0,9}}[\[【(]?|【)[ \t]{{0,9}}{_CLAIM}(?P<number>\d{{1,3}})[ \t]*(?:[\]】):.]|$)",
    re.IGNORECASE | re.MULTILINE,
)
# scanned text has blanks inside numbers: "1 0."
_NUMBERED = re.compile(
    r"(?:^|(?<=[.。])) *(?P<number>\d(?: ?\d){0,2}) ?[.、](?!\d)(?=\s*\S)", re.MULTILINE
)
_CLAIM_STYLE = re.compile(
    r"其特征|特征在于|特徴と|characteri[sz]ed|compris|wherein|,其中|包括|備え", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ClaimNumber:
    """The number at the head of a claim."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class ClaimReference:
    """A mention of other claims inside claim ``within`` (None: no number stands before it)."""

    start: int
    end: int
    claims: Claims
    within: int | None


@dataclass(frozen=True, slots=True)
class ClaimLayout:
    """The claim numbers of a text and the references between claims, in order."""

    numbers: tuple[ClaimNumber, ...]
    references: tuple[ClaimReference, ...]


def claim_layout(text: str) -> ClaimLayout:
    """Find claim numbers and references; a text without claim language has neither."""
    folded = fold(text)
    numbers = _numbers(_EXPLICIT, folded)
    mentions = [(folded.span(*place), claims) for place, claims in claim_mentions(folded.text)]
    if not numbers and (mentions or _CLAIM_STYLE.search(folded.text)):
        numbers = _heads(folded)
    references = (
        ClaimReference(*span, claims, _within(numbers, span[0])) for span, claims in mentions
    )
    return ClaimLayout(tuple(numbers), tuple(references))


def claim_mentions(text: str) -> list[tuple[tuple[int, int], Claims]]:
    """Where a folded text mentions claims, and which; numbers at the head of claims are none."""
    found: dict[tuple[int, int], Claims] = {}
    end = 0
    for word in _CLAIM_WORD.finditer(text):
        window = max(0, word.start() - _BEFORE), word.end() + _AFTER
        reference = _REFERENCE.match(text, word.start()) if word.start() >= end else None
        if reference is not None:
            found[reference.span()] = _claims(reference["numbers"])
            end = reference.end()
        for match in _PRECEDING.finditer(text, *window):
            found[match.span()] = "preceding"
        for match in _ORDINAL.finditer(text, *window):
            found[match.span("ordinal_claim")] = frozenset({parse_english(match["ordinal"])[0]})
    heads = {match.start("number") for match in _EXPLICIT.finditer(text)} if found else ()
    return [
        (place, found[place])
        for place in sorted(found)
        if not any(place[0] <= head < place[1] for head in heads)
    ]


def _heads(folded: Folded) -> list[ClaimNumber]:
    """Explicit numbers, else those that rise; items of a list inside a claim are none."""
    explicit = _numbers(_EXPLICIT, folded)
    if explicit:
        return explicit
    candidates = _numbers(_NUMBERED, folded)
    heading = folded.text.find("\n")
    opening = [each for each in candidates if _opens(folded, each.start, heading)]
    after_sentence = _rising(opening)
    lenient = _rising(candidates)
    return after_sentence if len(after_sentence) >= len(lenient) else lenient


def _opens(folded: Folded, start: int, heading: int) -> bool:
    """Whether a number opens the text or comes after the end of a sentence or a heading."""
    place = bisect_left(folded.places, start)
    while place > 0 and folded.text[place - 1] in " \t\r\n":
        place -= 1
    return place <= max(heading, 0) or folded.text[place - 1] in ".。:"


def _numbers(pattern: re.Pattern[str], folded: Folded) -> list[ClaimNumber]:
    return [
        ClaimNumber(
            *folded.span(match.start("number"), match.end("number")),
            int(match["number"].replace(" ", "")),
        )
        for match in pattern.finditer(folded.text)
    ]


def _claims(numbers: str) -> frozenset[int]:
    claims: set[int] = set()
    for first, last in _RANGE.findall(numbers):
        ends = {int(first), int(last or first)}
        claims |= ends | set(range(min(ends), max(ends)))
    return frozenset(claims)


def _rising(candidates: list[ClaimNumber]) -> list[ClaimNumber]:
    """Numbers that go up by one, from the first; others are list marks or ends of sentences."""
    numbers: list[ClaimNumber] = []
    for candidate in candidates:
        if not numbers or candidate.number == numbers[-1].number + 1:
            numbers.append(candidate)
    return numbers


def _within(numbers: list[ClaimNumber], place: int) -> int | None:
    before = [number.number for number in numbers if number.start < place]
    return before[-1] if before else None
