"""Numbers in patent text: values, units, ranges, formulas, identifiers, numerals, number words.

| form | example | read as |
|---|---|---|
| digits | 1,000 ／ １０００ / .5 / 3万 / 1万2千 / 1.5 million | its value |
| list without blanks | (208,308, 408) | one number, or its parts where the context is a list |
| power of ten | 5×10¹⁸, 5×10^18, 10⁻³, 1e-3 | its value: 1018 is another number |
| fraction | ½, 1/2, 1 1/2 | its value; 1/3 where that does not end |
| with a unit | 5 mm, 5毫米, 5 millimeters | value, canonical unit; a range shares its unit |
| negative | −20 ℃, minus 20, minus twenty, 零下20℃, マイナス20 | a bare dash counts only where a \
unit follows |
| formula, identifier | Fe₂O₃, CO<sub>2</sub>, T1, 4010NA | one token, case ignored |
| formula without a number | CO, NaCl | *faint* |
| numeral or word that counts | 三个, 第二, 13番目, 二〇二〇年, two, fiftieth | value, *stated* |
| fraction in words | 三分之一, 3分の1, 一半, 半分, two thirds, one half | value, *stated* |
| year of an era, decade | 平成10年, 80年代, 20世纪90年代 | its year, or as it is written |
| month of a date | July 17, 17 July 1997 | value, *stated* |
| word that may count | 双, 两侧, 半, both, half, trimer, March, a million | value, *possible* |
| word that seldom counts | 一 in 一种, each, either | value, *faint* |

Digits are *exact*: each occurrence matters. Stated words matter once per value, since languages
repeat them differently. Possible and faint words only help to explain a number on the other side.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from patmark import languages
from patmark.facts.lexicon import Hit, find_words, phrases
from patmark.facts.units import (
    CURRENCIES,
    CURRENCY_CODES,
    currency_before,
    in_base_unit,
    match_unit,
    match_units,
    unit_before,
)
from patmark.languages import (
    HAN,
    KANA,
    Certainty,
    Folded,
    Row,
    covered,
    fold,
    fraction_value,
    kept_in_workspace,
    language as pack_of,
    packs,
    plain_value,
)

_TURNED = {">=": "<", "<": ">=", ">": "<=", "<=": ">"}
_CLOSED = {">": ">=", "<": "<="}
_FARTHEST = 40
_NUMBER = re.compile(r"\d")  # "not within the range" limits nothing
_TEXTS_KEPT = 1 << 13

_AMOUNT = r"(?:about |approximately )?[\d.,]+ ?[A-Za-zμ°%/Ω]{0,8}"
# between a negation and a comparison after it
_NOT_BEFORE = phrases(
    rf"(?:{{not-before}})\s+(?:(?:{{not-before-verb}})\s+){{0,4}}(?:{_AMOUNT}\s*)?"
)
_REVERSES = phrases("{not-reverses}")
# from a comparison to a negation after it
_NOT_AFTER = phrases("(?:{not-after})?")
_NOUN_PREFIX = phrases("{negative-prefix}")
_NEED_NOT = phrases("{need-not}")
_OR_EQUAL = phrases("(?:{or-equal})$")


@cache
def _as(row: Row, identity: str) -> Row:
    return replace(row, id=identity)


@kept_in_workspace(_TEXTS_KEPT)
def stated_words(text: str, language: str) -> tuple[Hit, ...]:
    """Return the words of the table in a folded text, with limits as meant in their phrase."""
    return tuple(_composed(text, language, find_words(text, language)))


def _composed(text: str, language: str, hits: Sequence[Hit]) -> Sequence[Hit]:
    limits = [hit for hit in hits if hit.row.group.startswith("limit")]
    if not limits:
        return hits
    negations = [hit for hit in hits if hit.row.group == "negation" and hit.row.sure]
    used: set[Hit] = set()
    composed: dict[Hit, Hit] = {}
    for hit in limits:
        start, end, identity = hit.start, hit.end, hit.row.id
        before = max(0, start - _FARTHEST)
        joint = _OR_EQUAL.of(language)
        if identity in _CLOSED and joint and (found := joint.search(text, before, start)):
            start, identity = found.start(), _CLOSED[identity]
        negated = _negation(text, language, start, end, negations)
        if negated is not None and (hit.row.sure or _NUMBER.search(text, end, end + _FARTHEST)):
            identity = _TURNED[identity]
            used.update(one for one in negations if negated[0] <= one.start < negated[1])
            if hit.row.group == "limit-pre":
                start = min(start, negated[0])
            else:
                end = max(end, negated[1])
        if identity != hit.row.id:
            composed[hit] = Hit(start, end, _as(hit.row, identity))
    if not composed:
        return hits
    spans = [(one.start, one.end) for one in composed.values()]
    used.update(
        hit for hit in hits if hit.row.group == "or" and any(a <= hit.start < b for a, b in spans)
    )
    return sorted((composed.get(hit, hit) for hit in hits if hit not in used), key=_place)


def _place(hit: Hit) -> tuple[int, int]:
    return hit.start, hit.end


def _negation(
    text: str, language: str, start: int, end: int, negations: Sequence[Hit]
) -> tuple[int, int] | None:
    """Return the place of a negation that belongs to a comparison."""
    before = _NOT_BEFORE.of(language) or _REVERSES.of(language)
    in_table = bool(pack_of(language).table("words").forms("negation"))
    if before and in_table:
        nearest = next((one for one in reversed(negations) if one.end <= start), None)
        if nearest is None or start - nearest.start > _FARTHEST:
            return None
        return (nearest.start, start) if before.fullmatch(text, nearest.start, start) else None
    if before:
        found = before.finditer(text, max(0, start - _FARTHEST), start)
        return next((match.span() for match in found if match.end() == start), None)
    after = _NOT_AFTER.of(language)
    if after is None:
        return None
    if in_table:
        nearest = next((one for one in negations if one.start >= end), None)
        if nearest is None or _NOUN_PREFIX.match(text, nearest.start):
            return None
        if not after.fullmatch(text, end, nearest.start):
            return None
        return None if _NEED_NOT.match(text, nearest.start) else (end, nearest.end)
    match = after.match(text, end)
    return match.span() if match and match.end() > end else None


COUNTED_LANGUAGES = frozenset(pack.code for pack in packs() if pack.numerals)
"""The languages whose number words are known."""

_DECIMAL = re.compile(r"\d+(?:\.\d+)?")
_LARGEST_WORD = 12  # numbers up to here are written as words or left to grammar: both, a pair
_ELIDED_UNITS = frozenset({"h", "d", "week", "month", "year", *CURRENCIES, "dollar", "money"})


class Quantity(NamedTuple):
    """A number or formula: its place in the original text, and its meaning.

    ``key`` is the plain value ("0.5") or, for a token with letters, the token in capitals.
    ``groups`` are the parts of a number with separators, which might be a list: 100,200; it is
    ``listed`` if the context shows that. For a year they are the written number: 10 of 平成10年.
    ``negative`` None means that a dash precedes the number, which may be a minus or a hyphen.
    ``reach`` is the end of the unit, 0 without one. ``limit`` is one of ``>=``, ``>``, ``<=``,
    ``<``, or ``~>`` and ``~<``, which leave open if the end is included; it is ``ranged`` if the
    number is an end of a range. An ``identifier`` belongs to a name: Scheme 2.0, COVID-19.
    """

    start: int
    end: int
    key: str
    certainty: Certainty = "exact"
    unit: str | None = None
    negative: bool | None = False
    chemical: bool = False
    is_token: bool = False
    groups: tuple[str, ...] = ()
    listed: bool = False
    ordinal: bool = False
    reach: int = 0
    limit: str = ""
    ranged: bool = False
    identifier: bool = False

    @property
    def is_incidental(self) -> bool:
        """True if a translation may omit or add it: dates, number words, names, an hour."""
        return (
            self.certainty != "exact"
            or self.is_date
            or self.identifier
            or self.unit in ("decade", "century")
            or (self.unit is None and self.key.isdecimal() and int(self.key) <= _LARGEST_WORD)
            or (self.key == "1" and self.unit in _ELIDED_UNITS)
        )

    @property
    def is_date(self) -> bool:
        """True for a year, a month of the year and a day of the month."""
        return self.is_year or self.unit in ("calendar month", "calendar day")

    @property
    def is_year(self) -> bool:
        """True for a number that may be a year of our time."""
        return (
            self.unit in (None, "year")
            and self.key.isdecimal()
            and len(self.key) == 4
            and self.key[:2] in ("18", "19", "20")
        )


_POWER = (
    r"(?:(?P<mantissa>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?) ?[×x*·⋅X] ?)?(?<![\d.,])10 ?"
    r"(?:(?:\^|\*\*) ?[({]?(?P<power>[-+]?\d{1,3})[)}]?(?!\d|\.\d)"
    r"|(?:{genitive})(?P<raised>(?:[-+]|{minus-sign})?(?:\d{1,3}|(?:{ordinal-digit}){1,3}))(?:{power-word})"
    r"|<(?P<angled>[-+]\d{1,3}) ?>"  # remains of <sup>
    r"|(?(mantissa)(?P<plain>-[1-9])(?![\d.]| ?[×x*])|(?!)))"  # 10-20 is a range
    r"|(?<![\w.,])(?P<significand>\d+(?:\.\d+)?)"
    r"(?:e(?P<small>[-+]?\d{1,3})|E(?P<signed>[-+]\d{1,3})|(?<=\.\d)E(?P<large>\d{1,3}))(?![\w.])"
)
_POWERS = ("power", "raised", "angled", "plain")
_RUN = phrases(
    rf"{_POWER}|"
    r"(?P<fraction>(?<![\d.,/])(?P<part>\d{1,2})/(?P<of>[1-9]\d{0,2})"
    r"(?![\d./]|,\d))"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?"
    r"|(?<![^ (<>=≤≥~±-])(?<![Ff]ig )(?<!FIG )(?<!No )\.\d+)"
    rf"|(?<![A-Za-z])(?!(?:{CURRENCY_CODES})\d)[A-Za-z]{{1,20}}\d[A-Za-z0-9]*(?:(?<=\d)\.\d+)?",
    ignore_case=False,
)
_LETTERS = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_DECADE = re.compile(r"(?:1[5-9]|20)\d0'?s\b")
_ABOUT = r"(?:(?:{<about>})\s?)?"
_RANGE = phrases(rf"\s*(?:-|~|{{until}}|×|\*|x)\s*{_ABOUT}\s*")
_BETWEEN = phrases(rf"(?:{{<between}})\s*{_ABOUT}$")
_AND = phrases(rf"\s*(?:{{and}})\s*{_ABOUT}\s*")
_COUNTED = phrases(r"\s?(?:{counter})")
_ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z0-9])")
_ELEMENT_SYMBOLS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se "
    "Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb "
    "Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Th U"
)
_ELEMENTS = frozenset(_ELEMENT_SYMBOLS.split())
_SYMBOL = re.compile(r"([A-Z][a-z]?)\d*")
_GASES = frozenset({"H2", "O2", "N2", "F2", "Cl2", "Br2", "I2", "O3"})


@kept_in_workspace(_TEXTS_KEPT)
def find_quantities(text: str, language: str) -> tuple[Quantity, ...]:
    """Return all numbers of a text, in order of place."""
    folded = without_scan_blanks(fold(text))
    found = folded_quantities(folded.text, language, stated_words(folded.text, language))
    if len(folded.text) == len(text):
        return found
    return tuple(_at_original(quantity, folded) for quantity in found)


def folded_quantities(text: str, language: str, hits: Sequence[Hit]) -> tuple[Quantity, ...]:
    """Return all numbers of a folded text, in order of place; ``hits`` are its words."""
    names = [hit for hit in hits if hit.row.group == "identifier"]
    in_digits = [
        item
        for item in _share_units(text, _join_mixed(text, list(_exact(text))))
        if not any(hit.start <= item.start < hit.end for hit in names)
    ]
    words = pack_of(language).number_words
    in_words: list[Quantity] = [] if words is None else list(words(text, _READER))
    certain = ("exact", "stated")
    read = covered(item for item in in_words if item.certainty in certain)  # 3分の1, 平成10年
    powers = [item for item in in_digits if "10" in text[item.start : item.end]]
    in_words = [
        item
        for item in in_words
        if not any(one.start < item.start < one.end for one in powers)  # 10的负六次方
    ]
    found = [item for item in in_digits if item.start not in read] + in_words
    found += _formulas_without_numbers(text)
    limits = [hit for hit in hits if hit.row.group.startswith("limit")]
    found = _with_limits(text, language, found, limits) if found else found
    found.sort(key=lambda quantity: (quantity.start, quantity.end))
    return tuple(_without_restatements(text, found))


_BRACKET_OPENS = re.compile(r"\s?\(")


def _without_restatements(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """Yield numbers; one in brackets that repeats the preceding one is only possible."""
    last: Quantity | None = None
    for item in found:
        if item.certainty not in ("exact", "stated"):
            yield item
            continue
        after = max(item.end, item.reach)
        if (
            last is not None
            and text[after : after + 1] == ")"
            and _BRACKET_OPENS.fullmatch(text, max(last.end, last.reach), item.start)
            and _share_or_value(item) == _share_or_value(last)
        ):
            yield item._replace(certainty="possible")
        else:
            yield item
        last = item


def _share_or_value(item: Quantity) -> Hashable:
    """Return a percentage as a share, another number in base units."""
    if item.is_token:
        return item.key
    if item.unit == "%":
        return Fraction(item.key) / 100
    return in_base_unit(item.key, item.unit) or Fraction(item.key)


_CONTINENTAL = re.compile(
    r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?:,\d+)?(?![\d.])|(?<![\d.,])\d+,\d+(?![\d,])"
)
_FRENCH = re.compile(
    rf"(?<![\d.,])(?<!\d )\d{{1,3}}(?: \d{{3}})+(?:,\d+)?(?![\d ]\d)|{_CONTINENTAL.pattern}"
)
# can be nothing else in any language: 1.500,5 0,25 60,0
_SURELY_CONTINENTAL = re.compile(
    r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})+,\d+|0,\d{2,}|\d+,0{1,2})(?![\d.,])"
)
_EXCHANGED = str.maketrans("., ", ",.,")


def with_decimal_points(folded: Folded, language: str) -> Folded:
    """Write numbers with decimal points: 1.000,5 as 1,000.5; all of a German or French text.

    French groups digits with blanks: 8 000.
    """
    numbers = _SURELY_CONTINENTAL
    if pack_of(language).has_decimal_comma:
        numbers = _FRENCH if pack_of(language).groups_digits_with_blanks else _CONTINENTAL
    if numbers.search(folded.text) is None:
        return folded

    def exchanged(match: re.Match[str]) -> str:
        around = match.string[match.start() - 1 : match.start()] + match.string[match.end() :][:1]
        return match.group() if around == "()" else match.group().translate(_EXCHANGED)

    return Folded(numbers.sub(exchanged, folded.text), folded.places)


_SCAN_BLANK = re.compile(rf"[{HAN}{KANA}]\)? ?\d{{1,3}}\.( )(?=\d{{1,4}}(?![\d.]))")
_BLANK_AT_DIGIT = re.compile(r"\d\.? (?=[\d.,])")
_SPACED_DIGITS = re.compile(
    rf"(?<![A-Za-z\d.,] )(?<![A-Za-z\d.,])\d(?: [.,]? ?\d){{1,}}(?= ?(?:[{HAN}%]))(?<! \d\d)"
)


def without_scan_blanks(folded: Folded) -> Folded:
    """Remove the blanks of typesetting in numbers beside Han characters: 10. 375, 2 0 1 5 年."""
    if _BLANK_AT_DIGIT.search(folded.text) is None:
        return folded
    blanks = [match.start(1) for match in _SCAN_BLANK.finditer(folded.text)]
    for match in _SPACED_DIGITS.finditer(folded.text):
        blanks += [place for place in range(*match.span()) if folded.text[place] == " "]
    if not blanks:
        return folded
    dropped = set(blanks)
    kept = [place for place in range(len(folded.text)) if place not in dropped]
    text = "".join(folded.text[place] for place in kept)
    return Folded(text, [folded.places[place] for place in kept])


def _at_original(quantity: Quantity, folded: Folded) -> Quantity:
    start, end = folded.span(quantity.start, quantity.end)
    reach = folded.span(quantity.start, quantity.reach)[1] if quantity.reach else 0
    return quantity._replace(start=start, end=end, reach=reach)


_DIGIT = re.compile(r"\d")
_LONGEST_LETTERS = 21  # before the first digit of a token


def _exact(text: str) -> Iterator[Quantity]:
    at = 0
    while (digit := _DIGIT.search(text, at)) is not None:
        match = _RUN.search(text, max(at, digit.start() - _LONGEST_LETTERS))
        if match is None:
            return
        if any(match[name] for name in _POWERS) or match["significand"]:
            quantity = _power_of_ten(text, match)
        elif match["fraction"]:
            quantity = _fraction(text, match)
        else:
            quantity = _number(text, match) if match["number"] else _token(match)
        yield quantity
        at = max(quantity.reach, quantity.end)


_FOOTNOTED = re.compile(r"([A-Z]?[a-z]{4,}|[A-Z]{6,})(\d{1,2})")


def _token(match: re.Match[str]) -> Quantity:
    token = match.group()
    footnoted = _FOOTNOTED.fullmatch(token)
    if footnoted is not None:  # the mark of a footnote behind a word
        return Quantity(match.start() + footnoted.start(2), match.end(), footnoted[2], "possible")
    chemical = _is_chemical(token)
    return Quantity(match.start(), match.end(), token.upper(), chemical=chemical, is_token=True)


_CAPITALS = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z][a-z]?){2,}(?![A-Za-z0-9])")


def _formulas_without_numbers(text: str) -> Iterator[Quantity]:
    """Yield CO, NaCl: formulas without numbers, which may have lost one."""
    for match in _CAPITALS.finditer(text):
        if _is_chemical(match.group()):
            yield Quantity(
                *match.span(), match.group().upper(), "faint", chemical=True, is_token=True
            )


def _is_chemical(token: str) -> bool:
    symbols = _SYMBOL.findall(token)
    spelled = "".join(symbols) == re.sub(r"\d", "", token)
    known = spelled and _ELEMENTS.issuperset(symbols)
    return token in _GASES or (known and len(set(symbols)) > 1)


_MEASURED_BEFORE = phrases(r"(?:[ 、,:=(>≥<≤~]|{measured-before})$")
_SINGLE_CAPITAL = re.compile("[A-Z][^/·*]?")  # 10A may be a sign, 5L/min is none


def _number(text: str, match: re.Match[str]) -> Quantity:
    start, end, key = match.start(), match.end(), plain_value(match.group())
    attached = _LETTERS.match(text, end)
    if _ORDINAL_SUFFIX.match(text, end):
        return Quantity(start, end, key, "stated", ordinal=True)
    if _DECADE.match(text, start):  # the 1980s
        return Quantity(start, end, key)
    single_capital = attached is not None and _SINGLE_CAPITAL.fullmatch(
        text, end, attached.end() + 1
    )
    if single_capital and _MEASURED_BEFORE.search(text, max(0, start - 16), start):
        single_capital = None  # 电压为12V
    unit = None if single_capital else match_units(text, end)
    if unit is None and (more := _MORE_THAN.match(text, end)):
        unit = match_units(text, more.end())
    if attached is not None and unit is None:
        token = match.group() + attached.group()
        return Quantity(start, attached.end(), token.upper(), is_token=True)
    if unit is not None and unit[0] != "money":
        return _with_unit(text, start, end, key, unit)
    if (unit or currency_before(text, start)) and _scaled(text, key, end) is None:
        return _measured(text, start, end, key)
    return _plain(text, start, end, key)


_WRITTEN_MINUS = phrases("{minus-sign}")


def _power_of_ten(text: str, match: re.Match[str]) -> Quantity:
    """Return 5×10^18, 10^-3, 1e-3 with its value."""
    stated = next(filter(None, match.group(*_POWERS, "small", "signed", "large")))
    digits = (match["mantissa"] or match["significand"] or "1").replace(",", "")
    power = _WRITTEN_MINUS.regex.sub("-", stated)
    exponent = int(power) if power[-1].isdecimal() else languages.whole_han(power.lstrip("-")) or 0
    if not power[-1].isdecimal() and power[0] == "-":
        exponent = -exponent
    key = plain_value(f"{Decimal(digits) * Decimal(10) ** exponent:f}")
    unit = match_units(text, match.end())
    if unit is not None:
        return _with_unit(text, match.start(), match.end(), key, unit)
    negative, begin = _sign(text, match.start(), match.end())
    rate, reach = _rate(text, match.start(), match.end())
    return Quantity(begin, match.end(), key, negative=negative, unit=rate, reach=reach)


def _fraction(text: str, match: re.Match[str]) -> Quantity:
    """Return 1/2, or two numbers with a stroke between them, into which it may be split."""
    key = fraction_value(int(match["part"]), int(match["of"]))
    name, reach = match_units(text, match.end()) or (None, 0)
    groups = (plain_value(match["part"]), plain_value(match["of"]))
    return Quantity(*match.span(), key, unit=name, groups=groups, reach=reach)


_LONGEST_WHOLE = 3


def _join_mixed(text: str, found: list[Quantity]) -> list[Quantity]:
    """Read 1 1/2 as one and a half."""
    joined: list[Quantity] = []
    for item in found:
        whole = joined[-1] if joined else item
        small = len(whole.key) <= _LONGEST_WHOLE and whole.key.isdecimal()
        proper = "/" in text[item.start : item.end] and int(item.groups[0]) < int(item.groups[1])
        if small and proper and text[whole.end : item.start] in (" ", "-"):
            joined.pop()
            part, of = map(int, item.groups)
            key, groups = fraction_value(part, of, int(whole.key)), (whole.key, *item.groups)
            item = item._replace(start=whole.start, key=key, groups=groups)
        joined.append(item)
    return joined


_MINUS_WORD = phrases("(?:{<minus}) ?$")
_TAKEN_FROM = re.compile(r"(?:\d|\b[A-Za-z]|[)\]]) ?$")  # 10 minus 5, x minus 5
_BELOW_ZERO = re.compile(r"[^\d,.;:()]{0,20}? below (?:zero|freezing)\b", re.IGNORECASE)
_LONGEST_MINUS = 9
_LONGEST_WORD = 12


@cache
def _number_before() -> re.Pattern[str]:
    words = "|".join((*languages.ENGLISH_CARDINALS, *languages.ENGLISH_MAGNITUDES))
    return re.compile(rf"(?:\b(?:{words})|[{languages.HAN_NUMERAL}]) ?$", re.IGNORECASE)


_JOINED = re.compile(r"(?:[A-Za-z0-9)\]]|\d ?)-$")


def _sign(text: str, start: int, end: int) -> tuple[bool | None, int]:
    """Return True for a negative number, None if a dash leaves it open; and its start."""
    word = _MINUS_WORD.search(text[max(0, start - _LONGEST_MINUS) : start])
    if word is not None:
        begin = start - len(word.group())
        before = text[max(0, begin - _LONGEST_WORD) : begin]
        subtracted = _TAKEN_FROM.search(before) or _number_before().search(before)
        return (None, start) if subtracted else (True, begin)
    if _BELOW_ZERO.match(text, end):
        return True, start
    if not text[start].isdigit():  # a dash before a word is no minus
        return False, start
    if start == 0 or text[start - 1] != "-":
        return False, start
    return (None, start) if _JOINED.search(text[max(0, start - 3) : start]) else (True, start - 1)


_MONTH_BEFORE = phrases("(?:{month-mark}) ?$")
_EACH_THING_AFTER = phrases(rf" ?[{HAN}{KANA}]{{1,8}}?(?:{{each-after}})")
_A_DAY = phrases("1 ?(?:{in-one})")
_AND_A_HALF = phrases("{and-a-half}")
_EACH_AFTER = phrases(" ?(?:{each-after}|{each-within})")


def _with_unit(text: str, start: int, end: int, key: str, unit: tuple[str, int]) -> Quantity:
    """Return a number with its unit, divided by a unit before it: 每秒3米 is 3 m/s."""
    negative, begin = _sign(text, start, end)
    name, reach = unit
    if name == "d" and _MONTH_BEFORE.search(text, max(0, begin - 2), begin):
        name = "calendar day"
    if key == "1" and (_EACH_AFTER.match(text, reach) or _A_DAY.match(text, start)):
        return Quantity(begin, end, key, "faint", unit=name, reach=reach)
    if key.isdecimal() and (half := _AND_A_HALF.match(text, reach)):
        half_end = half.end()
        return Quantity(begin, end, f"{key}.5", unit=name, negative=bool(negative), reach=half_end)
    per = unit_before(text, begin) if "/" not in name else None
    return Quantity(
        begin, end, key, unit=f"{name}/{per}" if per else name, negative=bool(negative), reach=reach
    )


def _scaled(text: str, key: str, at: int) -> tuple[str, int] | None:
    """Return the value of digits with a magnitude in words behind them, and its end."""
    return languages.scaled_han_digits(text, key, at) or languages.scaled_english_digits(
        text, key, at
    )


def _plain(text: str, start: int, end: int, key: str) -> Quantity:
    if (scaled := _scaled(text, key, end)) is not None:
        return _measured(text, start, scaled[1], scaled[0])
    if languages.counts_in_order(text, start, end):
        return Quantity(start, end, key, "stated", ordinal=True)
    if key == "1" and _COUNTED.match(text, end):
        return Quantity(start, end, key, "possible")
    if key == "1" and _EACH_THING_AFTER.match(text, end):  # 1ウェルあたり
        return Quantity(start, end, key, "faint")
    rate, reach = _rate(text, start, end)
    negative, begin = _sign(text, start, end)
    if negative and text[start - 1] == "-":  # without a unit a dash is seldom a minus
        negative, begin = None, start
    groups = text[start:end].split(",")
    named = _NAME_BEFORE if text[start:end].endswith(".0") else _HYPHENED_BEFORE
    return Quantity(
        begin,
        end,
        key,
        negative=negative,
        unit=rate,
        reach=reach,
        groups=tuple(groups) if len(groups) > 1 else (),
        listed=_is_list(text, start, end, groups),
        identifier=named.search(text, max(0, start - 12), start) is not None,
    )


_HYPHENED_BEFORE = re.compile("[A-Z]{2,}-$")
_NAME_BEFORE = re.compile("[A-Z][A-Za-z]+ $")


_THINGS_PER = phrases(
    r"(?: [a-z]+){1,3} (?:per|each|every) (?=[a-z])| per (?=[a-z])"
    r"| ?(?:[A-Za-z]{1,9}|{counter}|{counted-thing})?/(?=[^\d])"
)


def _rate(text: str, start: int, end: int) -> tuple[str | None, int]:
    """Return the unit of things that are counted in a time, and its end; 0 if it is not behind.

    30 frames per second, 每秒30帧, 5×10^18/cm3.
    """
    per, reach = unit_before(text, start), 0
    if per is None and (things := _THINGS_PER.match(text, end)):
        unit = match_unit(text, things.end(), powers=True)
        if unit is not None:
            power = _UNIT_POWER.match(text, unit[1])
            per = unit[0] + (power[1] if power else "")
            reach = power.end() if power else unit[1]
        elif things.group().endswith(" per ") and things.group() != " per ":
            per = "?"
    return (f"1/{per}" if per else None), reach


_UNIT_POWER = re.compile(r"\^?([23])(?!\d|\.\d)")


_MORE_THAN = phrases("{more-than}")


def _measured(text: str, start: int, end: int, key: str) -> Quantity:
    more = _MORE_THAN.match(text, end)
    unit = match_units(text, more.end() if more else end)
    currency = currency_before(text, start)
    if currency is not None and (unit is None or unit[0] == "money"):
        return Quantity(start, end, key, unit=currency, reach=unit[1] if unit else end)
    return Quantity(start, end, key) if unit is None else _with_unit(text, start, end, key, unit)


_LISTED_BEFORE = re.compile(r"\d[A-Za-z]?[,、] +$")
_LISTED_AFTER = re.compile(r"[,、] +[A-Za-z]?\d")
_WORD_AND_BRACKET = re.compile(r"[^\W\d_] ?\($")


def _is_list(text: str, start: int, end: int, groups: list[str]) -> bool:
    """Return True if 208,308 is a list: beside ", 408", or alone in brackets after a word.

    1,000 and 20,050 are no lists: no sign or count begins with 0.
    """
    if len(groups) < 2 or any(group.startswith("0") or "." in group for group in groups):
        return False
    before = text[max(0, start - 4) : start]
    if _LISTED_BEFORE.search(before) or _LISTED_AFTER.match(text, end):
        return True
    return bool(_WORD_AND_BRACKET.search(before)) and text[end : end + 1] == ")"


_LONGEST_BETWEEN = 24


def _is_less(one: Quantity, other: Quantity) -> bool:
    values = [q.key for q in (one, other)]
    if not all(map(_DECIMAL.fullmatch, values)):
        return False
    return Decimal(values[0]) < Decimal(values[1])


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Give the first number of a range the unit of the last: 3–5 mm, between 3 and 5 mm.

    A divisor before a range belongs to both: 毎分15～25L is 15 to 25 L/min.
    """
    for position in range(len(found) - 2, -1, -1):
        first, second = found[position], found[position + 1]
        if first.is_token or not second.unit:
            continue
        own, _, divisor = (first.unit or "").partition("/")
        if divisor and "/" not in second.unit and own in ("1", second.unit):
            if _RANGE.fullmatch(text, max(first.end, first.reach), second.start):
                unit = f"{second.unit}/{divisor}"
                found[position : position + 2] = (
                    one._replace(unit=unit) for one in (first, second)
                )
            continue
        between = text[first.end : second.start]
        if first.unit:
            continue
        if first.is_year and _is_less(second, first):  # in 2018 to 2.00%
            continue
        before = text[max(0, first.start - _LONGEST_BETWEEN) : first.start]
        if _RANGE.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(before)):
            dashed = first.negative is None
            found[position] = (
                _with_unit(text, first.start, first.end, first.key, (second.unit, first.end))
                if dashed
                else first._replace(unit=second.unit)
            )
    return found


_BEFORE_NUMBER = phrases(r"[\s(]*(?:{before-number}){0,5}[-+±$€]?")
_AFTER_UNSPACED = phrases(
    r" ?(?:{counter}|{counted-thing})?(?:{about-after}|\([^()]{1,12}\))?[ )]{0,2}、?"
)
_AFTER_SPACED = re.compile(
    r"\s*(?:\([^()]{1,20}\)|thick|long|wide|deep|high|in (?:diameter|length|width)"
    r"|apart|of (?:the |its |their |said |an? )?(?:[a-z-]+ ){0,2}[a-z-]+)?,?\s*"
)
_RANGE_WORDS = phrases(rf"\s*(?:-|~|{{until}}|(?P<and>{{and}}))\s*{_ABOUT}")


def _with_limits(
    text: str, language: str, found: list[Quantity], hits: Sequence[Hit]
) -> list[Quantity]:
    """Return quantities with the limits that words before or after them state.

    An end of a range is a limit, too, but less certain: 5 to 10 need not include 10.
    """
    before, after = (
        [h for h in hits if h.row.group == name] for name in ("limit-pre", "limit-post")
    )
    ahead = _BEFORE_NUMBER.of(language) or _BEFORE_NUMBER.regex
    behind = _AFTER_SPACED if not pack_of(language).is_dense else _AFTER_UNSPACED.regex
    exact = sorted(
        (q for q in found if q.certainty in ("exact", "stated") and not q.ordinal),
        key=lambda q: q.start,
    )
    limits: dict[int, tuple[str, bool]] = {}
    ends, starts = [h.end for h in before], [h.start for h in after]
    for place, item in enumerate(exact):
        at = bisect(ends, item.start) - 1
        nearest = before[at] if at >= 0 else None
        if nearest and ahead.fullmatch(text, nearest.end, item.start):
            limits[id(item)] = _limit(nearest), False
        end = max(item.end, item.reach)
        for last in (item.end, end):
            next_one = bisect_left(starts, last)
            following = after[next_one] if next_one < len(after) else None
            inside = (
                following is not None and text[following.end : item.reach].strip(" .") != ""
            )  # 400 or more per meter
            if (
                following
                and (inside or last == end)
                and behind.fullmatch(text, last, following.start)
            ):
                limits[id(item)] = _limit(following), False
        if place + 1 < len(exact) and end <= exact[place + 1].start:
            second = exact[place + 1]
            joint = _RANGE_WORDS.fullmatch(text, end, second.start)
            near = max(0, item.start - _LONGEST_BETWEEN)
            if joint and (joint["and"] is None or _BETWEEN.search(text, near, item.start)):
                limits.setdefault(id(item), (">=", True))
                limits.setdefault(id(second), ("<=", True))
    return [
        item._replace(limit=limits[id(item)][0], ranged=limits[id(item)][1])
        if id(item) in limits
        else item
        for item in found
    ]


def _limit(hit: Hit) -> str:
    """Return a limit; of a word like "up to" only the direction is certain."""
    return hit.row.id if hit.row.sure else f"~{hit.row.id[0]}"


@dataclass(frozen=True, slots=True)
class _Reader:
    """Units, signs and quantities for the readers of number words."""

    quantity: Callable[..., Quantity] = Quantity
    measured: Callable[..., Quantity] = _with_unit

    def unit(self, text: str, at: int) -> tuple[str, int] | None:
        return match_units(text, at)

    def simple_unit(self, text: str, at: int) -> tuple[str, int] | None:
        return match_unit(text, at)

    def sign(self, text: str, start: int, end: int) -> tuple[bool | None, int]:
        return _sign(text, start, end)

    def with_sign(self, item: Quantity, negative: bool | None) -> Quantity:
        return item._replace(negative=negative)


_READER = _Reader()
