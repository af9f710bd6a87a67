"""Numbers of European offices, and the rule for offices without a rule of their own."""

from __future__ import annotations

import re

from patmark.corpus.number_parts import Number, must_agree, unknown

_DE_LONG = re.compile(r"(?P<type>[12][0-9])(?P<year>\d{4})(?P<serial>\d{6})")
_DE_EPODOC = re.compile(r"(?P<year>\d{4})(?P<rest>\d{7})")
_DE_1995 = re.compile(r"(?P<type>[126])(?P<year>\d{2})(?P<serial>\d{5})")
_DE_OLD = re.compile(r"(?P<year>\d{2})(?P<serial>\d{5})")
_DE_YEAR_CODE = 50
_DE_REGISTERS = {"2": "U", "6": "T"}
_SLASHED = re.compile(r"0*(\d{1,6})\s*/\s*(\d{2}|\d{4})")


def germany(number: Number) -> str:
    """10 2011 114434; 101 54112 (1995 to 2003); 27 24675 (to 1994: year code + 50)."""
    text = re.sub(r"^[PG]\s+", "", number.text).partition(".")[0]
    digits = re.sub(r"[\s-]", "", text)
    long = _DE_LONG.fullmatch(digits)
    if long:
        must_agree(long["year"], number.year)
        return _german_serial(long["type"][0], long["serial"])
    epodoc = _DE_EPODOC.fullmatch(digits)
    if epodoc:
        must_agree(epodoc["year"], number.year)
        if number.year >= 1995:
            return _german_serial(epodoc["rest"][0], epodoc["rest"][1:])
        digits = epodoc["rest"]
    middle = _DE_1995.fullmatch(digits)
    if middle:
        must_agree(middle["year"], number.year)
        return _german_serial(middle["type"], middle["serial"])
    old = _DE_OLD.fullmatch(digits)
    if not old:
        raise unknown()
    if int(old["year"]) + _DE_YEAR_CODE == number.year % 100:
        return f"{int(old['serial']):06d}"
    must_agree(old["year"], number.year)
    return _german_serial("2", old["serial"])


def _german_serial(register: str, serial: str) -> str:
    """Utility models (register 2) and European patents (6) are counted apart from patents."""
    return f"{_DE_REGISTERS.get(register, '')}{int(serial):06d}"


def switzerland(number: Number) -> str:
    """1974/01, 338895 (3388 of 1995), 19742001, 20010001974: no leading noughts."""
    slashed = _SLASHED.fullmatch(number.text)
    if slashed:
        must_agree(slashed[2], number.year)
        return str(int(slashed[1]))
    digits = number.digits
    year = str(number.year)
    if len(digits) == 11:
        must_agree(digits[:4], number.year)
        return str(int(digits[4:]))
    for ending in (year, number.short_year):
        if digits.endswith(ending) and len(digits) > len(ending):
            return str(int(digits[: -len(ending)]))
    raise unknown("the digits hold no year that agrees with the date")


def britain(number: Number) -> str:
    """9026298, 201810777, 19900026298, with or without the check digit after a dot."""
    slashed = _SLASHED.fullmatch(number.text)
    if slashed:
        must_agree(slashed[2], number.year)
        return f"{int(slashed[1]):05d}"
    digits = re.sub(r"[\s-]", "", number.text.partition(".")[0])
    if not digits.isdecimal() or len(digits) not in (7, 9, 11):
        raise unknown()
    years = 2 if len(digits) == 7 else 4
    must_agree(digits[:years], number.year)
    return f"{int(digits[years:]):05d}"


def european(number: Number) -> str:
    """99203729, 02779063.3, 20060101078: six digits after the year."""
    digits = re.sub(r"[\s-]", "", number.text.partition(".")[0])
    if not digits.isdecimal() or len(digits) not in (8, 11):
        raise unknown()
    years = 2 if len(digits) == 8 else 4
    must_agree(digits[:years], number.year)
    return f"{int(digits[years:]):06d}"


def two_digit_year(number: Number) -> str:
    """France and Sweden: 9912345, 0201225; epodoc 19990012345."""
    digits = re.sub(r"[\s-]", "", number.text.partition(".")[0])
    if not digits.isdecimal() or len(digits) not in (7, 11):
        raise unknown()
    years = 2 if len(digits) == 7 else 4
    must_agree(digits[:years], number.year)
    return f"{int(digits[years:]):05d}"


def portugal(number: Number) -> str:
    """117283; DOCDB adds the year at the end, epodoc at the beginning."""
    digits = number.digits
    if number.style == "docdb" and digits.endswith(number.short_year):
        return str(int(digits[:-2]))
    return any_office(number)


def any_office(number: Number) -> str:
    """Digits as they are, without a year in front that agrees with the date."""
    digits = number.digits
    if number.style == "epodoc" or len(digits) > 9:
        year = str(number.year)
        if digits.startswith(year) and len(digits) > len(year):
            digits = digits[len(year) :]
    return str(int(digits))
