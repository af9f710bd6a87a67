"""Numbers in patent text: values, units, ranges, formulas, identifiers, numerals, number words.

| form | example | read as |
|---|---|---|
| digits | 1,000 ／ １０００ / 3万 / 1.5 million | its value |
| with a unit | 5 mm, 5毫米, 5 millimeters | value, canonical unit; a range shares its unit |
| negative | −20 ℃ | a minus counts only before a number with a unit |
| formula, identifier | Fe₂O₃, CO<sub>2</sub>, T1, 4010NA | one token, case ignored |
| numeral or word that counts | 三个, 第二, 第2, 二〇二〇年, two, third | value, *stated* |
| word that may count | 双, 两侧, both, trimer, March | value, *possible* |
| word that seldom counts | 一 in 一种, each, either | value, *faint* |

Digits are *exact*: each occurrence matters. Stated words matter once per value, since languages
repeat them differently. Possible and faint words only help to explain a number on the other side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, TypeAlias

from patmark.text.folding import Folded, fold
from patmark.text.numerals import (
    ENGLISH_MAGNITUDES,
    ENGLISH_NUMBER,
    HAN_NUMERAL,
    loose_value,
    parse_english,
    parse_han,
)
from patmark.text.units import match_unit

Certainty: TypeAlias = Literal["exact", "stated", "possible", "faint"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or formula: where it is in the original text, and what it says.

    ``key`` is the plain value ("0.5") or, for a token with letters, the token in capitals.
    ``groups`` are the parts of a number with separators, which might be a list: 100,200.
    """

    start: int
    end: int
    key: str
    certainty: Certainty = "exact"
    unit: str | None = None
    negative: bool = False
    chemical: bool = False
    is_token: bool = False
    groups: tuple[str, ...] = ()
    ordinal: bool = False


_RUN = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?)|(?<![A-Za-z])[A-Za-z]{1,20}\d[A-Za-z0-9]*"
)
_LETTERS = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_HAN_MAGNITUDE = re.compile(r" ?([十百千]?[万萬億亿兆])")
_ENGLISH_MAGNITUDE = re.compile(rf" ({'|'.join(ENGLISH_MAGNITUDES)})\b", re.IGNORECASE)
_MINUS = re.compile(r"(?<![A-Za-z0-9)\]])-$")
_RANGE = re.compile(r"\s*(?:-|~|to|至|到|から|乃至|ないし|×|\*|x)\s*")
_COUNTERS = "个個種种次条條根片块塊台组組只隻层層位倍项項枚本回段箇つ步対对匹株点軸维維方路级級轮輪"
_COUNTED = re.compile(rf"\s?[{_COUNTERS}]")
_UNIT_REST = re.compile(r"(?:[/·*]\(?[A-Za-zμΩ]+(?:\^?-?\d)?\)?)+")
_ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z0-9])")
_ELEMENT_SYMBOLS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se "
    "Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb "
    "Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Th U"
)
_ELEMENTS = frozenset(_ELEMENT_SYMBOLS.split())
_SYMBOL = re.compile(r"([A-Z][a-z]?)\d*")
_GASES = frozenset({"H2", "O2", "N2", "F2", "Cl2", "Br2", "I2", "O3"})


def find_quantities(text: str, language: str) -> list[Quantity]:
    """All numbers of a text in ``en``, ``zh`` or ``ja``, in order of place."""
    folded = fold(text)
    found = _share_units(folded.text, list(_exact(folded.text)))
    found += _english_words(folded.text) if language == "en" else _han_numerals(folded.text)
    if len(folded.text) != len(text):
        found = [_at_original(quantity, folded) for quantity in found]
    return sorted(found, key=lambda quantity: (quantity.start, quantity.end))


def _at_original(quantity: Quantity, folded: Folded) -> Quantity:
    start, end = folded.span(quantity.start, quantity.end)
    return replace(quantity, start=start, end=end)


def plain_value(digits: str) -> str:
    """A value without separators, leading or trailing zeros: 1,000.50 → 1000.5."""
    whole, _, decimals = digits.replace(",", "").partition(".")
    decimals = decimals.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{decimals}" if decimals else "")


def _exact(text: str) -> Iterator[Quantity]:
    at = 0
    while (match := _RUN.search(text, at)) is not None:
        quantity = _number(text, match) if match["number"] else _token(match)
        yield quantity
        at = quantity.end if quantity.unit is None else _end_of_unit(text, quantity.end)


def _end_of_unit(text: str, start: int) -> int:
    """Where the unit after a number ends, so that the 3 of kg/m3 is no number."""
    unit = match_unit(text, start)
    end = start if unit is None else unit[1]
    rest = _UNIT_REST.match(text, end)
    return end if rest is None else rest.end()


def _token(match: re.Match[str]) -> Quantity:
    token = match.group()
    chemical = _is_chemical(token)
    return Quantity(match.start(), match.end(), token.upper(), chemical=chemical, is_token=True)


def _is_chemical(token: str) -> bool:
    symbols = _SYMBOL.findall(token)
    spelled = "".join(symbols) == re.sub(r"\d", "", token)
    known = spelled and _ELEMENTS.issuperset(symbols)
    return token in _GASES or (known and len(set(symbols)) > 1)


def _number(text: str, match: re.Match[str]) -> Quantity:
    start, end, key = match.start(), match.end(), plain_value(match.group())
    attached = _LETTERS.match(text, end)
    if _ORDINAL_SUFFIX.match(text, end):
        return Quantity(start, end, key, "stated", ordinal=True)
    single_capital = attached is not None and re.fullmatch("[A-Z]", attached.group())
    unit = None if single_capital else match_unit(text, end)
    if attached is not None and unit is None:
        token = match.group() + attached.group()
        return Quantity(start, attached.end(), token.upper(), is_token=True)
    if unit is not None:
        return _with_unit(text, start, end, key, unit[0])
    return _plain(text, start, end, key)


def _with_unit(text: str, start: int, end: int, key: str, unit: str) -> Quantity:
    minus = (
        start > 0
        and text[start - 1] == "-"
        and not re.search(r"[A-Za-z0-9)\]]-$", text[:start][-2:])
    )
    return Quantity(start - minus, end, key, unit=unit, negative=minus)


def _plain(text: str, start: int, end: int, key: str) -> Quantity:
    han = _HAN_MAGNITUDE.match(text, end)
    if han is not None:
        scale = parse_han("一" + han.group(1)) or 1
        return Quantity(start, han.end(), plain_value(f"{Decimal(key) * scale:f}"))
    english = _ENGLISH_MAGNITUDE.match(text, end)
    if english is not None:
        scale = ENGLISH_MAGNITUDES[english.group(1).lower()]
        return Quantity(start, english.end(), plain_value(f"{Decimal(key) * scale:f}"))
    if key == "1" and _COUNTED.match(text, end):
        return Quantity(start, end, key, "possible")
    if start > 0 and text[start - 1] == "第":
        return Quantity(start, end, key, "stated", ordinal=True)
    groups = text[start:end].split(",")
    return Quantity(start, end, key, groups=tuple(groups) if len(groups) > 1 else ())


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Give the first number of a range the unit of the last: 3–5 mm."""
    for position in range(len(found) - 2, -1, -1):
        first, second = found[position], found[position + 1]
        between = text[first.end : second.start + second.negative]
        if first.unit is None and second.unit and not first.is_token and _RANGE.fullmatch(between):
            found[position] = _with_unit(text, first.start, first.end, first.key, second.unit)
    return found


_HAN_RUN = re.compile(rf"[{HAN_NUMERAL}]+|[双雙单単首初先Ⅰ-Ⅻ]")
_HAN_POSSIBLE = {"双": 2, "雙": 2, "首": 1, "初": 1, "先": 1, "单": 1, "単": 1}
_LABELLED = re.compile(
    r"(?:第|实施例|实施方式|实施形态|步骤|图|図|表|方案|权利要求|請求項|实验例|对比例|比较例|実施例)$"
)
_AFTER_NUMERAL = re.compile(rf"[{_COUNTERS}年月日号條%]")
_PERCENT_OF = re.compile(r"百分之(?:([\d.]+)|([〇零一二三四五六七八九十百]+))")
_VAGUE = re.compile(r"[数數几幾多若干]$")


def _han_numerals(text: str) -> Iterator[Quantity]:
    percents = [match.span() for match in _PERCENT_OF.finditer(text)]
    for match in _PERCENT_OF.finditer(text):
        value = parse_han(match.group(2)) if match.group(2) else None
        if value is not None:
            yield Quantity(match.start(), match.end(), str(value), "stated", "%")
    for match in _HAN_RUN.finditer(text):
        if not any(start <= match.start() < end for start, end in percents):
            yield from _han_numeral(text, match)


def _han_numeral(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    run, start, end = match.group(), match.start(), match.end()
    if run in _HAN_POSSIBLE:
        yield Quantity(start, end, str(_HAN_POSSIBLE[run]), "possible")
        return
    if "Ⅰ" <= run <= "Ⅻ":
        yield Quantity(start, end, str(ord(run) - ord("Ⅰ") + 1), "possible")
        return
    after_digit = start > 0 and text[start - 1].isdigit()
    value = None if after_digit else parse_han(run)
    if value is None or (value == 0 and run != "零"):
        return
    ordinal = start > 0 and text[start - 1] == "第"
    yield Quantity(start, end, str(value), _certainty(text, match, value), ordinal=ordinal)
    if len(run) > 1:
        for offset, mark in enumerate(run):
            single = parse_han(mark)
            if single is not None:
                yield Quantity(start + offset, start + offset + 1, str(single), "faint")


def _certainty(text: str, match: re.Match[str], value: int) -> Certainty:
    before = text[max(0, match.start() - 4) : match.start()]
    if _VAGUE.search(before):
        return "faint"
    if _LABELLED.search(before):
        return "stated"
    if value == 1:
        return "faint"
    return "stated" if _AFTER_NUMERAL.match(text, match.end()) else "possible"


_WORD = re.compile(r"[A-Za-z]+")


def _english_words(text: str) -> Iterator[Quantity]:
    for match in ENGLISH_NUMBER.finditer(text):
        value, ordinal = parse_english(match.group())
        if ordinal or value > 1:
            yield Quantity(match.start(), match.end(), str(value), "stated", ordinal=ordinal)
    for match in _WORD.finditer(text):
        loose = loose_value(match.group().lower())
        if loose is not None:
            certainty: Certainty = "faint" if loose[1] else "possible"
            yield Quantity(match.start(), match.end(), str(loose[0]), certainty)
