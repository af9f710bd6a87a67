"""US application numbers: series and serial number, ``60/060410``.

Serial numbers begin again with each series. Where the series is left out, it follows from the
date: regular applications 03 from 1948, 04 from 1960, 05 from 1970, 06 from 1979, 07 from 1987,
08 from 1993, 09 from 30 December 1997, and so on; provisional ones 60 from 8 June 1995.
Near a change of series, high serial numbers belong to the old one. After 2010 no number without
its series is accepted.
"""

from __future__ import annotations

import re
from datetime import date as Date

from patmark.corpus.number_parts import Number, must_agree, unknown

_REGULAR = (
    ("1948-01-01", "03"), ("1960-01-01", "04"), ("1970-01-01", "05"), ("1979-01-01", "06"),
    ("1987-01-01", "07"), ("1993-01-01", "08"), ("1997-12-30", "09"), ("2001-11-01", "10"),
    ("2004-12-01", "11"), ("2007-12-05", "12"), ("2011-01-01", ""),
)  # fmt: skip
_PROVISIONAL = (
    ("1995-06-08", "60"), ("2007-10-20", "61"), ("2014-05-15", "62"), ("2020-03-27", "63"),
    ("2024-01-01", ""),
)  # fmt: skip
_NEAR_DAYS = 183
_HIGH_SERIAL = 500_000
_WITH_SERIES = re.compile(r"(\d{1,2})\s*/\s*(\d{1,3}),?(\d{3})")


def united_states(number: Number) -> str:
    """Series and serial number of a US application."""
    written = _WITH_SERIES.fullmatch(number.text)
    if written:
        return f"{int(written[1]):02d}/{int(written[2] + written[3]):06d}"
    digits = number.digits
    if len(digits) == 12:
        must_agree(digits[:4], number.year)
        return f"{digits[4:6]}/{digits[6:]}"
    if len(digits) == 11:
        must_agree(digits[:4], number.year)
        return _with_series(number, int(digits[4:]))
    if number.style == "docdb":
        if not 3 <= len(digits) <= 8 or digits[-2:] != number.short_year:
            raise unknown()
        return _with_series(number, int(digits[:-2]))
    if len(digits) == 8:
        return f"{digits[:2]}/{digits[2:]}"
    if len(digits) <= 6:
        return _with_series(number, int(digits))
    raise unknown()


def _with_series(number: Number, serial: int) -> str:
    if serial > 999_999:
        raise unknown("a US serial number has at most six digits")
    series = _series(number, serial)
    if not series:
        raise unknown("the series is not stated and does not follow from the date")
    return f"{series}/{serial:06d}"


def _series(number: Number, serial: int) -> str:
    table = _PROVISIONAL if number.kind.startswith("P") else _REGULAR
    filed = _day(number.date)
    found = ""
    for place, (start, series) in enumerate(table):
        away = (filed - Date.fromisoformat(start)).days
        before = table[place - 1][1] if place else ""
        if abs(away) <= _NEAR_DAYS and before:
            return before if serial >= _HIGH_SERIAL else series
        if away >= 0:
            found = series
    return found


def _day(date: str) -> Date:
    digits = re.sub(r"\D", "", date)
    try:
        return Date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
    except ValueError:
        raise unknown("the series needs the day of filing") from None
