"""Numbers of Japan, China, Korea and Taiwan."""

from __future__ import annotations

import re

from patmark.corpus.number_parts import Number, must_agree, unknown

# first year of an era minus one
_ERAS = {"S": 1925, "H": 1988, "R": 2018, "昭": 1925, "平": 1988, "令": 2018}
_JP_WORDS = re.compile(r"特許出願|実用新案登録出願|特願|実願|意願|願|第|号|\s|^P(?=\d)")
_JP_ERA = re.compile(r"(昭|平|令|[SHR])[和成]?(元|\d{1,2})年?[-/]?(\d{1,6})")
_JP_SHORT = re.compile(r"(\d{1,2})[-/](\d{1,6})")
_JP_LONG = re.compile(r"(\d{4})[-/](\d{1,7})")
_JP_SERIAL_FIRST = re.compile(r"(\d{1,6})/(\d{2}|\d{4})")
_LAST_ERA_YEAR = 1999

_CN_FORMS = re.compile(r"(?P<year>\d{4})(?P<long>\d{8})|(?P<short>\d{2})(?P<old>\d{6})")
_CN_EPODOC = re.compile(r"(?P<year>\d{4})(?P<type>\d)(?P<serial>\d{6})")
_CN_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9)

_KR = re.compile(r"(?:(?P<type>[12]0)-?)?(?P<year>(?:19|20)\d\d)-?(?P<serial>\d{1,7})")
_TW = re.compile(r"(?P<year>\d{2,3})(?P<serial>\d{6})")
_TW_FIRST = 1911


def japan(number: Number) -> str:
    """Era years (S53-84696), Gregorian years (2015-123456), serial and year (8000290), serial."""
    text = _JP_WORDS.sub("", number.text)
    era = _JP_ERA.fullmatch(text)
    if era:
        year = _ERAS[era[1]] + (1 if era[2] == "元" else int(era[2]))
        must_agree(year, number.year)
        return f"{int(era[3]):06d}"
    long = _JP_LONG.fullmatch(text)
    if long:
        must_agree(long[1], number.year)
        return f"{int(long[2]):06d}"
    short = _JP_SHORT.fullmatch(text)
    if short and _is_year(int(short[1]), number.year):
        return f"{int(short[2]):06d}"
    serial_first = _JP_SERIAL_FIRST.fullmatch(text)
    if serial_first:
        must_agree(serial_first[2], number.year)
        return f"{int(serial_first[1]):06d}"
    if short:
        raise unknown(f"year {short[1]} in the number does not agree with the date in any era")
    return _japan_digits(text, number)


def _is_year(stated: int, year: int) -> bool:
    """Whether a year of one or two digits is that year in some era, or its last two digits."""
    eras = {start + stated for start in _ERAS.values()} if year <= _LAST_ERA_YEAR else set()
    return year in eras | {1900 + stated, 2000 + stated}


def _japan_digits(text: str, number: Number) -> str:
    digits = re.sub(r"[,-]", "", text)
    if not digits.isdecimal():
        raise unknown()
    if len(digits) in (10, 11):
        must_agree(digits[:4], number.year)
        return f"{int(digits[4:]):06d}"
    ends_in_year = len(digits) > 2 and digits.endswith(number.short_year)
    if len(digits) <= 8 and ends_in_year and (number.from_docdb or len(digits) > 6):
        return f"{int(digits[:-2]):06d}"
    if len(digits) <= 6:
        return f"{int(digits):06d}"
    raise unknown("the digits hold no year that agrees with the date")


def china(number: Number) -> str:
    """201810358967.X or 98101234.5, with or without ZL and check digit: type and serial number."""
    text = re.sub(r"^(?:ZL|CN)|\s", "", number.text)
    body, _, check = text.partition(".")
    if not check and len(body) in (9, 13):
        body, check = body[:-1], body[-1]
    if number.style == "epodoc" and len(body) == 11:
        match = _CN_EPODOC.fullmatch(body)
        if match:
            must_agree(match["year"], number.year)
            return f"{match['type']}{int(match['serial']):07d}"
    match = _CN_FORMS.fullmatch(body)
    if not match:
        raise unknown()
    if check and check != chinese_check_digit(body):
        raise unknown(f"check digit {check} is wrong; {chinese_check_digit(body)} was expected")
    must_agree(match["year"] or match["short"], number.year)
    if match["long"]:
        return match["long"]
    return f"{match['old'][0]}{int(match['old'][1:]):07d}"


def chinese_check_digit(body: str) -> str:
    """The sign after the dot: digits weighted 2 to 9 and 2 to 5, modulo 11, X for ten.

    >>> chinese_check_digit("201510163325")
    '6'
    """
    weights = (_CN_WEIGHTS * 2)[: len(body)]
    rest = sum(int(digit) * weight for digit, weight in zip(body, weights, strict=True)) % 11
    return "X" if rest == 10 else str(rest)


def korea(number: Number) -> str:
    """10-1998-0012345, 1998-12345, 19980012345."""
    match = _KR.fullmatch(re.sub(r"[\s/]", "", number.text))
    if not match:
        raise unknown()
    must_agree(match["year"], number.year)
    model = "U" if match["type"] == "20" or number.kind.startswith("U") else ""
    return f"{model}{int(match['serial']):07d}"


def taiwan(number: Number) -> str:
    """87101234: the year is counted from 1912."""
    match = _TW.fullmatch(number.digits)
    if not match:
        raise unknown()
    must_agree(int(match["year"]) + _TW_FIRST, number.year)
    return match["serial"]
