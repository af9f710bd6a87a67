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
from typing import Literal, TypeAlias

from patmark.facts.quantities import (
    ENGLISH_CARDINALS,
    ENGLISH_ORDINAL,
    parse_english,
)
from patmark.languages import has_claim_style, plain_form, split_claims

Claims: TypeAlias = frozenset[int] | Literal["preceding", "previous"]

# a claim of a Korean text, and no paragraph of a law: 특허법 제29조 제1항, 제30조의2 제1항
_KOREAN_CLAIM = r"(?<!조)(?<!조 )(?<!조의\d)(?<!조의\d )제 ?\d{1,3} ?항"
_HAN_WORD = (
    r"[权權] ?利 ?要 ?求|[请請] ?求 ?[项項]|申[请請][专專]利[范範][围圍]|請 ?求 ?の ?範 ?囲|청구항"
)
# every mention has one of these words, and is looked for only around them
_CLAIM_WORD = re.compile(
    rf"claim|Claim|CLAIM|[Aa]nspr[uü]ch|ANSPR[UÜ]CH|[Rr]evendication|REVENDICATION|{_HAN_WORD}"
    rf"|{_KOREAN_CLAIM}"
)
# letters that every word for a claim has, in any case and width
_MAY_CLAIM = re.compile(
    r"[LlＬｌ][AaＡａ][IiＩｉ][MmＭｍ]|[SsＳｓ][PpＰｐ][RrＲｒ]|[VvＶｖ][EeＥｅ][NnＮｎ]|[求청제]"
)
_BEFORE, _AFTER = 48, 24
_CLAIM = (
    rf"(?:\bclaims?|anspr[uü]che?[ns]?|\brevendications?|{_HAN_WORD}|(?={_KOREAN_CLAIM}))[ \t]*"
)
_UNIT = (
    r"[ \t]?(?:[%°℃]|(?:[μmnck]?[mgslv]|[mkg]?(?:pa|hz)|(?:wt|vol|mol)%?"
    r"|(?:hour|minute|day|week|month|year)s?)\b)"
)
_DIGITS = r"(?:\(\d{1,3}\)|\[\d{1,3}\]|\d{1,3})"
_BEFORE_NUMBER = r"(?:from |von |de |n(?:os?|umbers?|°)\.? ?|#)?[第제]?[ \t]*"
_NUMBER = rf"{_BEFORE_NUMBER}{_DIGITS}(?!\d|\.\d|{_UNIT})(?:[项項]| ?항)?"
_UNTIL = (
    r"-|~|\.\.\.?|…|(?:up )?to(?: and including)?|through|thru|bis(?: zu)?|(?:jusqu')?à"
    r"|至|到|から|乃至|ないしは?|내지"
)
_TO = rf"[ \t]*(?:{_UNTIL})[ \t]*"
_WORDS = (
    r"and/or|und/oder|et/ou|and|or|as well as|und|oder|sowie|bzw\.|beziehungsweise|resp\.|et|ou"
    r"|[,;、/&]|[和与及]/或|及び/又は|および/または|或者?|和|与|以?及び?|または|又は|あるいは|或いは|若しくは|もしくは|および|並びに"
    r"|및|또는|혹은"
)
_AGAIN = r"(?:any (?:one )?of |(?:nach|gemäß|selon|la|les|den|der) ){0,3}"
_AND = rf"[,;]?[ \t]*(?:{_WORDS})[ \t]*{_AGAIN}"
_PART = rf"{_NUMBER}(?:{_TO}(?:{_CLAIM})?{_NUMBER})?"
_REFERENCE = re.compile(
    rf"{_CLAIM}(?P<numbers>{_PART}(?:{_AND}(?:{_CLAIM})?{_PART})*)", re.IGNORECASE
)
_RANGE = re.compile(
    rf"(\d+)[)\]]?(?:[项項]| ?항)?(?:{_TO}(?:{_CLAIM})?[第제]?[ \t]*[(\[]?(\d+))?", re.IGNORECASE
)
_PRECEDING = re.compile(
    r"\b(?:preceding|foregoing|previous|prior|earlier|above"
    r"|(?:afore|above)[- ]?(?:mentioned|said|going))"
    r" (?:(?:patent|device|apparatus|system|product|composition|method|process|use) )?claims?\b"
    r"|\bclaims? (?:(?:mentioned|recited|set forth) )?above\b|\bclaims preceding\b"
    r"|\b(?:vor(?:an|her)?(?:ge)?gangenen|vor(?:an|her|aus)?gehenden|vor(?:an|her)?stehenden|vor(?:her)?igen"
    r"|vor(?:ge|be|er)(?:nannten|schriebenen|wähnten)|obigen|bisherigen"
    r"|(?:oben|zuvor|vorher|vor(?:an|her)?stehend) ?"
    r"(?:genannten|aufgeführten|stehenden|beschriebenen))"
    r" (?:patent|schutz)?anspr[uü]che?n?\b"
    r"|\brevendications? (?:préc\w+|antérieures?|ci-(?:dessus|avant)|sus-?\w+|qui précèdent)"
    r"|\b(?:précédent|antérieur)es revendications"
    r"|(?:上述|前述|[之先]前的?|前面的?|以上|在[前先]的?)(?:任一|任意一[项項]|各|所有)?[项項]?的?"
    r"(?:[权權]利要求|[请請]求[项項])"
    r"|(?:前記|上記|先行する|前述)(?:の|いずれかの|いずれか[1一]項の)*請求項"
    r"|(?:전술한|선행하?는?|앞선|상기|이전)의? ?청구항",
    re.IGNORECASE,
)
_PREVIOUS = re.compile(
    r"(?<!any of )(?<!one of )\bthe (?:immediately |directly )?"
    r"(?:preceding|previous|foregoing) claim\b"
    r"|\bdem (?:unmittelbar )?vor(?:her|an)gehenden (?:patent|schutz)?anspruch\b"
    r"|\bla revendication (?:immédiatement )?précédente\b"
    r"|前一[项項]?(?:[权權]利要求|[请請]求[项項])",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(
    rf"(?:\b(?:of|in|to|by|per|under|with) the (?P<first>"
    rf"(?:(?P<other>{ENGLISH_ORDINAL}) (?:or|and) )?(?P<ordinal>{ENGLISH_ORDINAL}) claim)"
    rf"|\b(?P<one>claim (?P<cardinal>{'|'.join(ENGLISH_CARDINALS)})))"
    r"(?=\s*(?:[,.;:]|\Z)|\s+(?:where|in which|characteri|compris|further|which|that|and|or|having"
    r"|includ)\w*)",
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


_HEADING = re.compile(
    r"^\s*(?:claims?|what is claimed is|(?:we|i) claim|权利要求书?|權利要求書?|(?:特許)?請求の範囲)"
    r"\s*[:：]?\s*(?=1\s*[.．、)）])",
    re.IGNORECASE | re.MULTILINE,
)


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
        for match in _IN_WORDS.finditer(text, *window):
            words = filter(None, match.group("other", "ordinal", "cardinal"))
            place = match.span("first" if match["first"] else "one")
            found[place] = frozenset(parse_english(each)[0] for each in words)
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
    for first, last in _RANGE.findall(numbers):
        ends = {int(first), int(last or first)}
        claims |= ends | set(range(min(ends), max(ends)))
    return frozenset(claims)
