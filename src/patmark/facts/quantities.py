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
from collections.abc import Hashable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from patmark.facts.lexicon import Hit, values_of
from patmark.facts.limit_phrases import stated_words
from patmark.facts.units import (
    CURRENCIES,
    CURRENCY_CODES,
    currency_before,
    in_base_unit,
    match_unit,
    match_units,
    unit_before,
)
from patmark.languages import HAN, KANA, Folded, fold, kept_in_workspace

COUNTED_LANGUAGES = frozenset({"en", "zh", "ja"})
"""The languages whose number words are known."""

_DECIMAL = re.compile(r"\d+(?:\.\d+)?")
_DIGITS = values_of("number-digit", "zh")
_SMALL = values_of("number-power", "zh")
MAGNITUDES = values_of("number-magnitude", "zh")
_LONGEST_NUMERAL = 30
HAN_NUMERAL = "".join((*_DIGITS, *_SMALL, *MAGNITUDES))

ENGLISH_MAGNITUDES = values_of("number-magnitude", "en")
ENGLISH_CARDINALS = values_of("number-cardinal", "en")
_TENS_WORDS = [word for word, value in ENGLISH_CARDINALS.items() if value >= 20]
_ORDINALS = values_of("number-ordinal", "en")
_ORDINAL_MAGNITUDES = {f"{word}th": value for word, value in ENGLISH_MAGNITUDES.items()}
ENGLISH_ORDINALS = _ORDINALS | {
    f"{tens}-{word}": ENGLISH_CARDINALS[tens] + value
    for tens in _TENS_WORDS
    for word, value in _ORDINALS.items()
    if value < 10
}
"""Ordinals in words up to ninety-ninth."""
MONTHS = values_of("number-month", "en")
_POSSIBLE_WORDS = values_of("number-possible", "en")
_FAINT_WORDS = values_of("number-faint", "en")
_PREFIXES = values_of("number-prefix", "en")
_NUMERIC_PREFIX = re.compile(
    rf"(?P<prefix>{'|'.join(_PREFIXES)})-?(?:mer|ploid|angl|axial|polymer|"
    r"pl|phas|dimension|function|valent|cycl|later|nary|direction|chromat|pod|metal|component|gon|"
    r"rup|part|lobe|blade|sect)"
)


def parse_han(numeral: str) -> int | None:
    """Return the value of a Chinese or Japanese numeral; None if it is not well formed."""
    if len(numeral) > _LONGEST_NUMERAL:
        return None
    if all(mark in _DIGITS for mark in numeral):
        return int("".join(str(_DIGITS[mark]) for mark in numeral))
    total = section = digit = 0
    for mark in numeral:
        if mark in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[mark]
        elif mark in _SMALL:
            section += (digit or 1) * _SMALL[mark]
            digit = 0
        else:
            if section + digit == 0 and total == 0:
                return None
            if section + digit == 0:  # 万亿
                total *= MAGNITUDES[mark]
                continue
            total += (section + digit) * MAGNITUDES[mark]
            section = digit = 0
    return total + section + digit


def _any_word(words: Iterable[str]) -> str:
    """Return a pattern of words, longest first, so that sixth does not match in sixtieth."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_TENS = _any_word(_TENS_WORDS)
_ONES = _any_word([*ENGLISH_CARDINALS, *_ORDINALS])
_BELOW_100 = rf"(?:(?:{_TENS})(?:[ -](?:{_ONES})\b)?|(?:{_ONES}))\b"
_MAGNITUDE = rf"(?:{_any_word([*ENGLISH_MAGNITUDES, *_ORDINAL_MAGNITUDES])})\b"
_MORE = rf"(?:[ -]{_MAGNITUDE}(?:[ -](?:and[ -])?{_BELOW_100})?)"
ENGLISH_NUMBER = re.compile(
    rf"\b(?:{_BELOW_100}{_MORE}*|an?{_MORE}+|(?:{_any_word(_ORDINAL_MAGNITUDES)})\b)",
    re.IGNORECASE,
)
# a pattern for one ordinal in words, which parse_english reads
ENGLISH_ORDINAL = rf"(?:(?:{_TENS})[ -])?(?:{_any_word([*_ORDINALS, *_ORDINAL_MAGNITUDES])})"


def parse_english(number: str) -> tuple[int, bool]:
    """Return the value of a match of ENGLISH_NUMBER, and True if it is an ordinal."""
    total = current = 0
    ordinal = False
    for word in re.split(r"[ -]", number.lower()):
        if word in _ORDINAL_MAGNITUDES or word in ENGLISH_MAGNITUDES:
            ordinal = ordinal or word in _ORDINAL_MAGNITUDES
            scale = ENGLISH_MAGNITUDES[word.removesuffix("th")]
            if scale == 100:
                current = (current or 1) * scale
            else:
                total += (current or 1) * scale
                current = 0
        elif word in ("a", "an"):
            current = 1
        elif word != "and":
            ordinal = ordinal or word in _ORDINALS
            current += _ORDINALS.get(word, ENGLISH_CARDINALS.get(word, 0))
    return total + current, ordinal


def fraction_value(numerator: int, denominator: int, whole: int = 0) -> str:
    """Return the key of a fraction: 0.75 for three quarters, 1/3 if decimals do not end."""
    value = Fraction(numerator, denominator) + whole
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest > 1:
        return f"{value.numerator}/{value.denominator}"
    return plain_value(f"{Decimal(value.numerator) / Decimal(value.denominator):f}")


@lru_cache(maxsize=2**16)
def loose_value(word: str) -> tuple[int, bool] | None:
    """Return the number that an English word may mean, and True if only sometimes.

    both → 2, trimer → 3, March → 3; each → 1, sometimes.
    """
    if word in _POSSIBLE_WORDS:
        return _POSSIBLE_WORDS[word], False
    if word in _FAINT_WORDS:
        return _FAINT_WORDS[word], True
    prefix = _NUMERIC_PREFIX.match(word)
    return None if prefix is None else (_PREFIXES[prefix["prefix"]], False)


Certainty: TypeAlias = Literal["exact", "stated", "possible", "faint"]


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
    r"|[の的](?P<raised>(?:[-+]|[负負]|マイナス)?(?:\d{1,3}|[一二三四五六七八九十]{1,3}))(?:乗|次[方幂])"
    r"|<(?P<angled>[-+]\d{1,3}) ?>"  # remains of <sup>
    r"|(?(mantissa)(?P<plain>-[1-9])(?![\d.]| ?[×x*])|(?!)))"  # 10-20 is a range
    r"|(?<![\w.,])(?P<significand>\d+(?:\.\d+)?)"
    r"(?:e(?P<small>[-+]?\d{1,3})|E(?P<signed>[-+]\d{1,3})|(?<=\.\d)E(?P<large>\d{1,3}))(?![\w.])"
)
_POWERS = ("power", "raised", "angled", "plain")
_RUN = re.compile(
    rf"{_POWER}|"
    r"(?P<fraction>(?<![\d.,/])(?P<part>\d{1,2})/(?P<of>[1-9]\d{0,2})"
    r"(?![\d./]|,\d))"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?"
    r"|(?<![^ (<>=≤≥~±-])(?<![Ff]ig )(?<!FIG )(?<!No )\.\d+)"
    rf"|(?<![A-Za-z])(?!(?:{CURRENCY_CODES})\d)[A-Za-z]{{1,20}}\d[A-Za-z0-9]*(?:(?<=\d)\.\d+)?"
)
_LETTERS = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_HAN_MAGNITUDE = re.compile(
    r" ?([十百千]?(?:[万萬][億亿]|[万萬億亿兆])(?!分)"
    r"|[百千](?![分克瓦伏帕赫焦米牛欧安电字比摩吨斤升卡巴]))"
)
_HAN_NEXT = re.compile(
    r"(\d{1,4})(?:([十百千]?[万萬億亿兆]|[百千](?![分克瓦伏帕赫焦米牛欧安电字比摩]))|(?![\d.A-Z]|,\d))"
)
_DECADE = re.compile(r"(?:1[5-9]|20)\d0'?s\b")
_ENGLISH_MAGNITUDE = re.compile(rf" ({'|'.join(ENGLISH_MAGNITUDES)})\b", re.IGNORECASE)
_ABOUT = r"(?:\b(?:about|approximately|around)\s|大?约|約)?"
_RANGE = re.compile(rf"\s*(?:-|~|(?:up )?to|至|到|から|乃至|ないし|×|\*|x)\s*{_ABOUT}\s*")
_BETWEEN = re.compile(rf"(?:\bbetween\s|介[于於]|在)\s*{_ABOUT}$", re.IGNORECASE)
_AND = re.compile(rf"\s*(?:and|和|与|與|と)\s*{_ABOUT}\s*")
_COUNTERS = (
    "个個種种次条條根片块塊台组組只隻层層位倍项項枚本回段箇つ步対对匹株点軸维維方路级級轮輪"
    "排列行圈匝股束串张張套件颗顆粒滴页頁帧把座道遍处處"
)
_COUNTED = re.compile(rf"\s?[{_COUNTERS}]")
_ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z0-9])")
_ELEMENT_SYMBOLS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se "
    "Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb "
    "Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Th U"
)
_ELEMENTS = frozenset(_ELEMENT_SYMBOLS.split())
_SYMBOL = re.compile(r"([A-Z][a-z]?)\d*")
_TEXTS_KEPT = 1 << 13
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
    words = _han_numerals if language in ("zh", "ja") else _english_words
    in_words = list(words(text)) if language in COUNTED_LANGUAGES else []
    certain = ("exact", "stated")
    read = _covered(item for item in in_words if item.certainty in certain)  # 3分の1, 平成10年
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
    numbers = {"de": _CONTINENTAL, "fr": _FRENCH}.get(language, _SURELY_CONTINENTAL)
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


def _covered(items: Iterable[Quantity]) -> set[int]:
    """Return the places that numbers take up."""
    return {place for item in items for place in range(item.start, item.end)}


def _at_original(quantity: Quantity, folded: Folded) -> Quantity:
    start, end = folded.span(quantity.start, quantity.end)
    reach = folded.span(quantity.start, quantity.reach)[1] if quantity.reach else 0
    return quantity._replace(start=start, end=end, reach=reach)


def plain_value(digits: str) -> str:
    """Return a value without separators, leading or trailing zeros: 1,000.50 → 1000.5."""
    whole, _, decimals = digits.replace(",", "").partition(".")
    decimals = decimals.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{decimals}" if decimals else "")


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


_MEASURED_BEFORE = re.compile(
    r"(?:[为是约約达到至于於的以加在取用有过は をがにでともの、,:=(>≥<≤~每毎秒]"
    r"|[每毎](?:分[钟鐘]?|小?[时時])|当た?り|あたり|につき|以[上下]|未満|未满"
    r"|\b(?:of|at|is|are|about|an?|the|to|from|than|by|least|most|approximately|and|or) ?)$",
    re.IGNORECASE,
)
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
    if unit is not None or currency_before(text, start):
        magnitude = _ENGLISH_MAGNITUDE.match(text, end) or _HAN_MAGNITUDE.match(text, end)
        if magnitude is None:
            return _measured(text, start, end, key)
    return _plain(text, start, end, key)


_WRITTEN_MINUS = re.compile("[负負]|マイナス")


def _power_of_ten(text: str, match: re.Match[str]) -> Quantity:
    """Return 5×10^18, 10^-3, 1e-3 with its value."""
    stated = next(filter(None, match.group(*_POWERS, "small", "signed", "large")))
    digits = (match["mantissa"] or match["significand"] or "1").replace(",", "")
    power = _WRITTEN_MINUS.sub("-", stated)
    exponent = int(power) if power[-1].isdecimal() else _whole(power.lstrip("-")) or 0
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


_MINUS_WORD = re.compile(r"(?:\b(?:minus|negative)|零下|氷点下|[负負]|マイナス) ?$", re.IGNORECASE)
_TAKEN_FROM = re.compile(r"(?:\d|\b[A-Za-z]|[)\]]) ?$")  # 10 minus 5, x minus 5
_BELOW_ZERO = re.compile(r"[^\d,.;:()]{0,20}? below (?:zero|freezing)\b", re.IGNORECASE)
_LONGEST_MINUS = 9
_LONGEST_WORD = 12
_NUMBER_BEFORE = re.compile(
    rf"(?:\b(?:{_any_word([*ENGLISH_CARDINALS, *ENGLISH_MAGNITUDES])})|[{HAN_NUMERAL}]) ?$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:[A-Za-z0-9)\]]|\d ?)-$")


def _sign(text: str, start: int, end: int) -> tuple[bool | None, int]:
    """Return True for a negative number, None if a dash leaves it open; and its start."""
    word = _MINUS_WORD.search(text[max(0, start - _LONGEST_MINUS) : start])
    if word is not None:
        begin = start - len(word.group())
        before = text[max(0, begin - _LONGEST_WORD) : begin]
        subtracted = _TAKEN_FROM.search(before) or _NUMBER_BEFORE.search(before)
        return (None, start) if subtracted else (True, begin)
    if _BELOW_ZERO.match(text, end):
        return True, start
    if not text[start].isdigit():  # a dash before a word is no minus
        return False, start
    if start == 0 or text[start - 1] != "-":
        return False, start
    return (None, start) if _JOINED.search(text[max(0, start - 3) : start]) else (True, start - 1)


_MONTH_BEFORE = re.compile("[月월] ?$")
_EACH_THING_AFTER = re.compile(rf" ?[{HAN}{KANA}]{{1,8}}?(?:当たり|当り|あたり|につき)")
_A_DAY = re.compile(r"1 ?(?:日(?=に? ?\d)|(?:時間|分間?|秒間?|週間?)に ?\d)")  # 1日2mg
_HALF_WORD = re.compile("半(?:[导導径徑球円圆透周波減值値固熟自月面个個块分])")
_EACH_AFTER = re.compile(r" ?(?:当たり|当り|あたり|につき|당|中)")


def _with_unit(text: str, start: int, end: int, key: str, unit: tuple[str, int]) -> Quantity:
    """Return a number with its unit, divided by a unit before it: 每秒3米 is 3 m/s."""
    negative, begin = _sign(text, start, end)
    name, reach = unit
    if name == "d" and _MONTH_BEFORE.search(text, max(0, begin - 2), begin):
        name = "calendar day"
    if key == "1" and (_EACH_AFTER.match(text, reach) or _A_DAY.match(text, start)):
        return Quantity(begin, end, key, "faint", unit=name, reach=reach)
    if text[reach : reach + 1] == "半" and key.isdecimal() and not _HALF_WORD.match(text, reach):
        return Quantity(begin, end, f"{key}.5", unit=name, negative=bool(negative), reach=reach + 1)
    per = unit_before(text, begin) if "/" not in name else None
    return Quantity(
        begin, end, key, unit=f"{name}/{per}" if per else name, negative=bool(negative), reach=reach
    )


def _plain(text: str, start: int, end: int, key: str) -> Quantity:
    han = _HAN_MAGNITUDE.match(text, end)
    if han is not None:
        return _with_magnitudes(text, start, han, key)
    english = _ENGLISH_MAGNITUDE.match(text, end)
    if english is not None:
        scale = ENGLISH_MAGNITUDES[english.group(1).lower()]
        return _measured(text, start, english.end(), plain_value(f"{Decimal(key) * scale:f}"))
    if _counts_in_order(text, start, end):
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


_THINGS_PER = re.compile(
    r"(?: [a-z]+){1,3} (?:per|each|every) (?=[a-z])| per (?=[a-z])"
    rf"| ?(?:[A-Za-z]{{1,9}}|[{_COUNTERS}株人])?/(?=[^\d])",
    re.IGNORECASE,
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


def _with_magnitudes(text: str, start: int, first: re.Match[str], key: str) -> Quantity:
    """Return 3万 and numbers that continue it: 1万2千, 20万8308."""
    scale, end = parse_han("一" + first.group(1)) or 1, first.end()
    value = Decimal(key) * scale
    while key.isdecimal() and (more := _HAN_NEXT.match(text, end)) is not None:
        size = (parse_han("一" + more.group(2)) or 1) if more.group(2) else 1
        part = int(more.group(1)) * size
        if part >= scale:
            break
        value, scale, end = value + part, size, more.end()
    return _measured(text, start, end, plain_value(f"{value:f}"))


_MORE_THAN = re.compile("[多余餘幾几]")


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


_ORDINAL_AFTER = re.compile(r" ?(?:番目|番(?!号)|[つ個箇回枚本台段層]目(?![的标標录錄次前]))")


def _counts_in_order(text: str, start: int, end: int) -> bool:
    """Return True if a Chinese or Japanese number is an ordinal: 第13, 13番目, 三つ目."""
    before = text[max(0, start - 2) : start].rstrip(" ")
    return before.endswith("第") or _ORDINAL_AFTER.match(text, end) is not None


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


_PROPERTY_OF = (
    r"(?:(?:the|this|that|an?|its|said) )?(?:[a-z]+ )?(?:speed|velocity|temperature|pressure|value"
    r"|threshold|limit|thickness|length|width|height|depth|distance|diameter|size|voltage|current"
    r"|power|force|torque|weight|mass|density|viscosity|concentration|content|ratio|rate|level"
    r"|angle|frequency|duration|period|amount|total) of "
)
_BEFORE_NUMBER = {
    "en": re.compile(
        rf"[\s(]*(?:{_PROPERTY_OF})?"
        r"(?:(?:about|approximately|around|roughly|some|substantially|the|an?|or|equal|to|is|of|by"
        r"|its|minus|plus|each)\s+){0,3}[-+±$€]?",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"[ (]*(?:为|是|约|大约|大概|等于|或|达到?|到|至|近|其|的|值|:|=|有|：| ){0,4}"
        rf"(?:[{HAN}]{{1,6}}的)?[-+±]?"
    ),
    "ja": re.compile(r"[ (]*(?:約|およそ|略|ほぼ|で|も|、|は|の|が|を| ){0,3}[-+±]?"),
    "de": re.compile(r"[\s(]*(?:(?:etwa|ca\.|ungefähr|von|als|gleich|bei|um|auf)\s+){0,2}[-+±]?"),
    "fr": re.compile(r"[\s(]*(?:(?:environ|de|à|égal|égale|d'environ)\s+){0,2}[-+±]?"),
    "ko": re.compile(r"[ (]*(?:약 ?)?[-+±]?"),
}
_COUNTERS_AND_NOUNS = rf"(?:[{_COUNTERS}名人件类類月年日]|重)?"
_AFTER_NUMBER = {
    "zh": re.compile(rf" ?{_COUNTERS_AND_NOUNS}(?:左右|\([^()]{{1,12}}\))?[ )]?"),
    "ja": re.compile(rf" ?{_COUNTERS_AND_NOUNS}(?:程度|\([^()]{{1,12}}\))?[ )]?、?"),
    "ko": re.compile(r" ?(?:개|가지|의|도)?\)? ?"),
}
_AFTER_ENGLISH = re.compile(
    r"\s*(?:\([^()]{1,20}\)|thick|long|wide|deep|high|in (?:diameter|length|width)"
    r"|apart|of (?:the |its |their |said |an? )?(?:[a-z-]+ ){0,2}[a-z-]+)?,?\s*"
)
_RANGE_WORDS = re.compile(
    r"\s*(?:-|~|(?:up )?to|至|到|から|乃至|ないし|bis|à|내지|and|und|et|和|与|與|と)\s*"
    r"(?:(?:about|approximately|around|大?约|約)\s?)?"
)
_IN_A_RANGE = re.compile(
    r"(?:\b(?:between|zwischen|entre)|介[于於]|在)\s*(?:about |约|約)?$", re.IGNORECASE
)
_AND_WORDS = frozenset({"and", "und", "et", "和", "与", "與", "と"})


def _with_limits(
    text: str, language: str, found: list[Quantity], hits: Sequence[Hit]
) -> list[Quantity]:
    """Return quantities with the limits that words before or after them state.

    An end of a range is a limit, too, but less certain: 5 to 10 need not include 10.
    """
    before, after = (
        [h for h in hits if h.row.group == name] for name in ("limit-pre", "limit-post")
    )
    ahead = _BEFORE_NUMBER.get(language, _BEFORE_NUMBER["en"])
    behind = _AFTER_NUMBER.get(language, _AFTER_ENGLISH)
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
            if joint and (
                joint.group().strip() not in _AND_WORDS
                or _IN_A_RANGE.search(text, near, item.start)
            ):
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


_HAN_OR_DIGITS = rf"\d{{1,3}}|[{HAN_NUMERAL}]{{1,7}}"
_HAN_FRACTION = re.compile(
    rf"(?<![\d.{HAN_NUMERAL}])(?P<of>\d{{1,3}}[百千万億]+|{_HAN_OR_DIGITS})"
    rf"分[之の](?P<part>{_HAN_OR_DIGITS})(?![\d.])"
)
_HALF = re.compile(r"一半|半分|半数|折半")
_TENTHS = re.compile(
    rf"(?<![\d.{HAN_NUMERAL}])(?P<tenths>\d{{1,2}}(?:\.\d+)?|[一二三四五六七八九十])"
    rf"(?:割(?![合りれっるけ高安])(?:(?P<hundredths>[\d一二三四五六七八九])分)?|成(?=左右|以[上下]|的|至|到|[。,、;]|$))"
)


def _tenths(digits: str | None) -> Decimal | None:
    if digits is None:
        return None
    return Decimal(digits) if digits[0].isdecimal() else Decimal(parse_han(digits) or 0)


def _fractions_of(text: str) -> Iterator[Quantity]:
    """Yield Chinese and Japanese fractions: 三分之一, 3分の1; 一半 and 半分 are halves."""
    for match in _HAN_FRACTION.finditer(text):
        part, of = (_whole(match[name]) for name in ("part", "of"))
        if part and of in (10**3, 10**4, 10**5, 10**6) and not match["of"].isdecimal():
            yield Quantity(*match.span(), fraction_value(100 * part, of), unit="%")
        elif part and of and match["of"] not in ("百", "100"):  # percents are read by themselves
            yield Quantity(*match.span(), fraction_value(part, of), "stated")
            yield Quantity(*match.span("of"), str(of), "faint")
            yield Quantity(*match.span("part"), str(part), "faint")
    for match in _TENTHS.finditer(text):
        tenths, hundredths = (_tenths(match[name]) for name in ("tenths", "hundredths"))
        if tenths:
            share = plain_value(f"{10 * tenths + (hundredths or Decimal(0)):f}")
            yield Quantity(*match.span(), share, unit="%", reach=match.end())
    for match in _HALF.finditer(text):
        yield Quantity(*match.span(), "0.5", "stated")
        yield Quantity(*match.span(), "50", "possible")  # percent


_ERAS = values_of("number-era", "ja")
_ERA_YEAR = re.compile(
    rf"(?P<era>{'|'.join(_ERAS)}) ?(?P<year>\d{{1,2}}|[{HAN_NUMERAL}]{{1,3}}|元)(?=年)"
)
_DECADE_OF = re.compile(
    rf"(?:(?<![\d{HAN_NUMERAL}])(?P<century>\d{{1,2}}|[{HAN_NUMERAL}]{{1,3}})世[纪紀]の?)?"
    rf"(?<![\d{HAN_NUMERAL}])(?P<decade>[1-9]0|[二三四五六七八九]?十)(?=年代)"
)
_FIRST_OF_LAST_CENTURY = 30  # the tens and twenties may be those of this century


def _years(text: str) -> Iterator[Quantity]:
    """Yield years of Japanese eras, and decades; both may also be kept as written."""
    for match in _ERA_YEAR.finditer(text):
        count = 1 if match["year"] == "元" else _whole(match["year"])
        if count:
            yield from _year(match, _ERAS[match["era"]] + count - 1, count)
    for match in _DECADE_OF.finditer(text):
        century = _whole(match["century"]) if match["century"] else None
        decade = _whole(match["decade"]) or 0
        if century:
            yield from _year(match, 100 * (century - 1) + decade, decade)
            yield Quantity(*match.span("century"), str(century), "possible")
        elif decade >= _FIRST_OF_LAST_CENTURY:
            yield from _year(match, 1900 + decade, decade)


def _year(match: re.Match[str], year: int, written: int) -> Iterator[Quantity]:
    yield Quantity(*match.span(), str(year), groups=(str(written),))
    yield Quantity(*match.span(), str(written), "possible")


def _whole(numeral: str) -> int | None:
    if numeral[0] in MAGNITUDES:  # 万分之一
        return parse_han("一" + numeral)
    digits = _LEADING_DIGITS.match(numeral)
    if digits and digits.end() < len(numeral):  # 100万
        return int(digits.group()) * (parse_han("一" + numeral[digits.end() :]) or 1)
    return int(numeral) if numeral.isdecimal() else parse_han(numeral)


_LEADING_DIGITS = re.compile(r"\d+")


_HAN_RUN = re.compile(rf"[{HAN_NUMERAL}]+(?:点[〇零一二三四五六七八九]+)?|[双雙单単首初先Ⅰ-Ⅻ]|半")
_HAN_POSSIBLE = values_of("number-possible", "zh")
_LABELLED = re.compile(
    r"(?:第|实施例|实施方式|实施形态|步骤|图|図|表|方案|权利要求|請求項|实验例|对比例|比较例|実施例)$"
)
_AFTER_NUMERAL = re.compile(rf"[{_COUNTERS}年月日号條%番]")
_POINT = "(?:点([〇零一二三四五六七八九]+))?"
_PERCENT_OF = re.compile(rf"百分之(?:([\d.]+)|([〇零一二三四五六七八九十百]+){_POINT})")
_VAGUE = re.compile(r"[数數几幾多若干]$")


def _han_numerals(text: str) -> Iterator[Quantity]:
    whole = [*_fractions_of(text), *_years(text)]
    yield from whole
    read = _covered(whole)
    read.update(place for match in _PERCENT_OF.finditer(text) for place in range(*match.span()))
    for match in _PERCENT_OF.finditer(text):
        value = parse_han(match.group(2)) if match.group(2) else None
        if value is not None:
            key = _with_decimals(value, match.group(3))
            yield Quantity(match.start(), match.end(), key, "stated", "%")
    for match in _HAN_RUN.finditer(text):
        if match.start() not in read:
            yield from _han_numeral(text, match)


def _with_decimals(whole: int, decimals: str | None) -> str:
    """Return the value of 三点五 from 3 and 五."""
    digits = "".join(str(_DIGITS[mark]) for mark in decimals or "")
    return plain_value(f"{whole}.{digits}") if digits else str(whole)


def _han_numeral(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    run, start, end = match.group(), match.start(), match.end()
    if "点" in run:
        yield from _han_decimal(text, match)
        return
    if run == "半":
        more = list(_and_a_half(text, match))
        unit = None if more else match_units(text, end + (text[end : end + 1] in "个個"))
        if unit is None or (unit[1] - end < _LEAST_MEASURED and unit[0] != "year"):
            yield Quantity(start, end, "0.5", "possible")
            yield from more
        else:
            yield _with_unit(text, start, end, "0.5", unit)
        return
    if run in _HAN_POSSIBLE:
        yield Quantity(start, end, str(_HAN_POSSIBLE[run]), "possible")
        return
    if "Ⅰ" <= run <= "Ⅻ":
        yield Quantity(start, end, str(ord(run) - ord("Ⅰ") + 1), "possible")
        return
    if run == "一" and text.startswith("倍", end):  # 增加一倍
        yield Quantity(start, end, "2", "possible")
    if run in MAGNITUDES:
        yield Quantity(start, end, str(MAGNITUDES[run]), "possible")
        return
    prefixed = match_unit(text, start)
    if prefixed is not None and prefixed[1] > end:  # the kilo of 千克
        return
    after_digit = start > 0 and text[start - 1].isdigit()
    value = None if after_digit else parse_han(run)
    if value is None or (value == 0 and run != "零"):
        return
    if _ABOUT_TWO.fullmatch(run):  # 七八次
        yield from (Quantity(start, end, str(parse_han(mark)), "possible") for mark in run)
        return
    ordinal = _counts_in_order(text, start, end)
    negative, begin = _sign(text, start, end)
    certainty = "stated" if negative else _certainty(text, match, value)
    unit = None if ordinal or value < _LEAST_MEASURED else match_units(text, end)
    in_days = text[end : end + 1] in _DAYS_AND_YEARS and value < _LONGEST_DAYS
    if unit is not None and (unit[1] - end > 1 or unit[0] in _PLAIN_UNITS or in_days):
        yield _with_unit(text, begin, end, str(value), unit)._replace(negative=negative)
    else:
        yield Quantity(begin, end, str(value), certainty, negative=negative, ordinal=ordinal)
    if value == 1 and (one := match_units(text, end + (text[end : end + 1] in "个個"))):
        half = text[one[1] : one[1] + 1] == "半"
        yield Quantity(start, end, "1.5" if half else "1", "possible", unit=one[0], reach=one[1])
    if len(run) > 1:
        for offset, mark in enumerate(run):
            single = parse_han(mark)
            if single is not None:
                yield Quantity(start + offset, start + offset + 1, str(single), "faint")


def _han_decimal(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    """Yield 零点二五毫米 as 0.25 mm; 三点一线 is no decimal."""
    whole, _, decimals = match.group().partition("点")
    value, unit = parse_han(whole), match_units(text, match.end())
    if value is not None and (unit or text[match.end() : match.end() + 1] in ("倍", "万", "亿")):
        key = _with_decimals(value, decimals)
        name, reach = unit or (None, 0)
        yield Quantity(*match.span(), key, "stated", unit=name, reach=reach)


_ABOUT_TWO = re.compile("一二|二三|两三|三四|四五|五六|六七|七八|八九")
_LEAST_MEASURED = 2
_DAYS_AND_YEARS = frozenset("天周年")
_LONGEST_DAYS = 100
_PLAIN_UNITS = frozenset({"%", "m", "s", "g", "kg", "K"})  # one character says no more than that
_HALF_AFTER = re.compile(rf"(\d+|[{HAN_NUMERAL}]+)(?:[{_COUNTERS}年天日周]|小时|時間)$")


def _and_a_half(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    """Yield 两年半, 3个半: a whole number, its counter, and a half."""
    before = _HALF_AFTER.search(text[max(0, match.start() - 6) : match.start()])
    whole = None if before is None else _whole(before.group(1))
    if whole is not None:
        name, reach = match_units(text, match.end()) or (None, 0)
        yield Quantity(match.start(), match.end(), f"{whole}.5", "stated", unit=name, reach=reach)


def _certainty(text: str, match: re.Match[str], value: int) -> Certainty:
    before = text[max(0, match.start() - 4) : match.start()].rstrip(" ")
    if _VAGUE.search(before):
        return "faint"
    if _LABELLED.search(before):
        return "stated"
    if value == 1 and not _ORDINAL_AFTER.match(text, match.end()):
        return "faint"
    if value == 0:  # 零件
        return "possible"
    if value >= _LEAST_BARE and _ENDS_NUMERAL.match(text, match.end()):  # 齿数为二十四,
        return "stated"
    return "stated" if _AFTER_NUMERAL.match(text, match.end()) else "possible"


_LEAST_BARE = 10
_ENDS_NUMERAL = re.compile(r"[,;。)]|$|以[上下]|[和与或至到]")


_WORD = re.compile(r"[A-Za-z]+")
_MONTH = _any_word(form for month in MONTHS for form in (month.title(), month.upper()))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b(?!\.\d| ?[%°])"
_DATE = re.compile(
    rf"\b(?P<before>{_MONTH})\b\.?,? ?(?=(?:the )?{_DAY}|\d{{4}}\b)"
    rf"|(?<=\d)(?:st|nd|rd|th)?,? (?:day )?(?:of )?(?P<after>{_MONTH})\b(?!\.?\d)"
)
_PARTS = {f"{word}{s}": value for word, value in _ORDINALS.items() if value > 2 for s in ("", "s")}
_PARTS |= {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_PARTS |= {f"{word}{s}": value for word, value in _ORDINAL_MAGNITUDES.items() for s in ("", "s")}
_COUNT = _any_word(ENGLISH_CARDINALS)
_SCALE = rf"(?: (?:of )?an? (?P<scale>{_any_word(ENGLISH_MAGNITUDES)})\b)"
_FRACTION = re.compile(
    rf"\b(?:(?P<whole>{_COUNT}) and )?(?:(?P<count>{_COUNT}|an?)[ -](?P<part>{_any_word(_PARTS)})\b"
    rf"{_SCALE}?|half{_SCALE.replace('scale', 'half_scale')})",
    re.IGNORECASE,
)
_DIGIT_WORDS = {word: str(value) for word, value in ENGLISH_CARDINALS.items() if value < 10}
_DECIMAL_IN_WORDS = re.compile(
    rf"(?<!\bat )\b(?P<whole>{_BELOW_100}) point(?P<digits>(?: (?:{_any_word(_DIGIT_WORDS)})\b)+)",
    re.IGNORECASE,
)
_PART_OF = re.compile(r"\s*(?:[.,;:)]|$| (?:of|the|that|as|to|or|and|its|their|than|is|are)\b)")
_OF_TIME = re.compile(r"\b(?:per|every|each|(?:of|for|times|than|in) a) second\b", re.IGNORECASE)


_OF_TIME_BEFORE = re.compile(r"\b(?:one|1|half a) $", re.IGNORECASE)
_ADVERB = re.compile(
    r"(?:first|second|third)(?:,| of all\b| and foremost\b)|(?<=at )first\b", re.IGNORECASE
)
_ONE_UNIT = re.compile(r"\b(?:an?|one|single) (?=[a-z])", re.IGNORECASE)
_TIMES_OF_ONE = frozenset({"s", "min", "h", "d", "week", "fortnight", "month", "year", "decade"})
_AND_A_PART = re.compile(r" and (?:a|one|three) (half|quarters?)\b", re.IGNORECASE)
_ONE_AND = {"half": "1.5", "quarter": "1.25", "quarters": "1.75"}
_PART_OF_UNIT = re.compile(
    r"(?<!and a )(?<!and one )\b(?:(?:one[ -])?half(?: of)?(?: an?)?"
    r"|(?:a |one |three )?quarters? (?:of )?an?) (?=[a-z])",
    re.IGNORECASE,
)


def _english_words(text: str) -> Iterator[Quantity]:
    words = frozenset(_WORD.findall(text.lower()))
    if words & _TIME_WORDS:
        yield from _single_times(text)
    found = list(_english_dates(text)) if words & _MONTH_WORDS else []
    if words & _NUMBER_WORDS:
        yield from _english_numbers(text, found)
    else:
        yield from found
    if not any(map(_may_count, words)):
        return
    for match in _WORD.finditer(text):
        word = match.group().lower()
        loose = loose_value(word)
        if word.endswith("fold") and word[:-4] in ENGLISH_CARDINALS:  # twofold
            yield Quantity(*match.span(), str(ENGLISH_CARDINALS[word[:-4]]), "stated")
        if loose is not None:
            yield Quantity(*match.span(), str(loose[0]), "faint" if loose[1] else "possible")
        if word in ("quarter", "quarters"):
            yield Quantity(*match.span(), "0.25", "possible")
        if word in ("half", "halves", "halve", "halved", "halving"):
            yield Quantity(*match.span(), "0.5", "possible")
            yield Quantity(*match.span(), "50", "possible")  # percent


_TIME_WORDS = frozenset(
    {"second", "minute", "hour", "day", "week", "fortnight", "month", "year", "decade"}
)


@lru_cache(maxsize=2**16)
def _may_count(word: str) -> bool:
    """Return True for a word that may stand for a number: both, twofold, half."""
    return (
        loose_value(word) is not None
        or word.endswith("fold")
        or word.startswith(("quarter", "hal"))
    )


def _single_times(text: str) -> Iterator[Quantity]:
    """Yield a day, an hour and the like, which may be 24 h or 60 min; a minute and a half."""
    for match in _ONE_UNIT.finditer(text):
        unit = match_units(text, match.end())
        if unit is None or unit[0] not in _TIMES_OF_ONE:
            continue
        part = _AND_A_PART.match(text, unit[1])
        key, reach = (_ONE_AND[part[1].lower()], part.end()) if part else ("1", unit[1])
        yield Quantity(match.start(), match.end(), key, "possible", unit=unit[0], reach=reach)


_MONTH_WORDS = frozenset({*MONTHS, *(f"mid{month}" for month in MONTHS)})
_NUMBER_WORDS = frozenset(
    {*ENGLISH_CARDINALS, *ENGLISH_MAGNITUDES, *_ORDINALS, *_ORDINAL_MAGNITUDES, *_PARTS}
)


def _english_numbers(text: str, dates: list[Quantity]) -> Iterator[Quantity]:
    """Yield numbers in words, fractions and dates."""
    found = [*_english_fractions(text), *_english_decimals(text), *dates]
    found += [Quantity(*match.span(), "1", "possible") for match in _OF_TIME.finditer(text)]
    for match in _PART_OF_UNIT.finditer(text):
        unit = match_units(text, match.end())
        if unit is not None:
            words = match.group().lower()
            share = "0.5" if "half" in words else "0.75" if "three" in words else "0.25"
            found.append(_with_unit(text, match.start(), match.end(), share, unit))
    yield from found
    read = _covered(item for item in found if item.certainty != "faint")
    for match in ENGLISH_NUMBER.finditer(text):
        value, ordinal = parse_english(match.group())
        if ordinal and (
            _OF_TIME_BEFORE.search(text[max(0, match.start() - 8) : match.start()])
            or _ADVERB.match(text, match.start())
        ):
            yield Quantity(*match.span(), str(value), "possible", ordinal=True)
        elif (ordinal or value > 1) and match.start() not in read:
            vague = match.group()[0] in "aA" and not match.group().lower().endswith("dozen")
            certainty: Certainty = "possible" if vague else "stated"  # a million
            unit = None if ordinal else match_units(text, match.end())
            if unit is not None and text[match.end() : unit[1]].strip() in ("part", "parts"):
                unit = None  # not by weight
            negative, begin = _sign(text, *match.span())
            if unit is not None:
                yield _with_unit(text, begin, match.end(), str(value), unit)._replace(
                    negative=negative
                )
                continue
            yield Quantity(
                begin, match.end(), str(value), certainty, negative=negative, ordinal=ordinal
            )
            if ordinal and value > 2:  # the tenth part
                yield Quantity(*match.span(), fraction_value(1, value), "faint")


_FULL_MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
_MONTH_NAME = re.compile(
    rf"\b({_FULL_MONTHS})\b(?! [a-z]+ (?:to|on)\b)|\b[Mm]id-?({_MONTH})\b"
    r"|\b(?:[Ii]n|[Bb]y|[Oo]f|[Ff]rom|[Tt]o|[Ss]ince|[Uu]ntil|[Tt]ill|[Dd]uring|[Bb]etween|[Aa]nd|[Oo]r"
    r"|[Ee]arly|[Ll]ate|[Ee]nd|[Ll]ast|[Tt]his|[Nn]ext|[Tt]hrough)[ -](May)\b"
)


def _english_dates(text: str) -> Iterator[Quantity]:
    """Yield the months of dates: July 17, 17 July 1997, May 2020; elsewhere they are words."""
    dated = set()
    for match in _MONTH_NAME.finditer(text):
        name = match[1] or match[2] or match[3]
        dated.add(match.end())
        place = match.end() - len(name), match.end()
        yield Quantity(*place, str(MONTHS[name.lower()]), "stated", "calendar month")
    for match in _DATE.finditer(text):
        name = "before" if match["before"] else "after"
        if match.end(name) not in dated:
            month = str(MONTHS[match[name].lower()])
            yield Quantity(*match.span(name), month, "stated", "calendar month")


_OF_A_YEAR = re.compile(r"\b(?:first|last|past|next|previous|these) $", re.IGNORECASE)


def _english_decimals(text: str) -> Iterator[Quantity]:
    """Find decimals in words: zero point five, two point zero five."""
    for match in _DECIMAL_IN_WORDS.finditer(text):
        digits = "".join(_DIGIT_WORDS[word] for word in match["digits"].lower().split())
        key = plain_value(f"{parse_english(match['whole'])[0]}.{digits}")
        unit = match_units(text, match.end())
        if unit is None:
            yield Quantity(*match.span(), key, "stated")
        else:
            yield _with_unit(text, *match.span(), key, unit)


def _english_fractions(text: str) -> Iterator[Quantity]:
    """Find fractions in words: one third, two-thirds, three and a half, a quarter of a million.

    "One third electrode" may count or divide, so that neither is certain; "a third rod" counts.
    """
    for match in _FRACTION.finditer(text):
        if _OF_A_YEAR.search(text, max(0, match.start() - 10), match.start()):
            continue
        whole, count = (
            ENGLISH_CARDINALS.get((match[name] or "").lower()) for name in ("whole", "count")
        )
        part = (match["part"] or "half").lower()
        of, scale = _PARTS[part], match["scale"] or match["half_scale"]
        key = fraction_value(1 if count is None else count, of, whole or 0)
        if count not in (None, 1) and not part.endswith("s"):  # ninety-ninth, two third rods
            yield Quantity(*match.span(), key, "faint")
            continue
        divides = of == 2 or (part.endswith("s") and count != 1) or "-" in match.group()
        divides = divides or _PART_OF.match(text, match.end()) is not None
        if scale:
            size = ENGLISH_MAGNITUDES[scale.lower()]
            yield Quantity(*match.span(), fraction_value((count or 1) * size, of), "possible")
        elif whole:
            name, reach = match_units(text, match.end()) or (None, 0)
            yield Quantity(*match.span(), key, "stated", unit=name, reach=reach)
            yield Quantity(*match.span(), str(whole), "possible")
        elif divides and count:
            yield Quantity(*match.span(), key, "stated")
            yield Quantity(*match.span(), str(of), "faint")
        elif divides or count:
            yield Quantity(*match.span(), key, "possible")
            yield Quantity(*match.span(), str(of), "possible", ordinal=True)
