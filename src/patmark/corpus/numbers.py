"""Application and priority numbers to keys that are equal for equal applications.

A key is (country, year, serial): ``JP 1990 080002``. The year comes from the **date**; a number
alone is never a key, and a number that holds a year must agree with its date. What cannot be
read gives an ``UnknownNumber`` with the reason, never a guess.

The same application is written in several styles: as the office writes it (``national``), as EP
documents do in B310 (``ep``), or in the two forms of DOCDB (``docdb``, ``epodoc``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from patmark.corpus import numbers_asia as asia
from patmark.corpus import numbers_europe as europe
from patmark.corpus.number_parts import Number, NumberProblem, must_agree, year_of
from patmark.corpus.numbers_us import united_states

Style: TypeAlias = Literal["national", "ep", "docdb", "epodoc"]

_RULES: dict[str, Callable[[Number], str]] = {
    "CH": europe.switzerland,
    "CN": asia.china,
    "DE": europe.germany,
    "EP": europe.european,
    "FR": europe.two_digit_year,
    "GB": europe.britain,
    "JP": asia.japan,
    "KR": asia.korea,
    "PT": europe.portugal,
    "SE": europe.two_digit_year,
    "TW": asia.taiwan,
    "US": united_states,
}
_LONGEST = 60
_PCT_FORMS = (
    re.compile(r"(?:PCT)?/?(?P<office>[A-Z]{2})(?P<year>\d{2}|\d{4})/(?P<serial>\d{1,6})"),
    re.compile(r"WO(?P<year>\d{4})(?P<office>[A-Z]{2})(?P<serial>\d{1,6})"),
)
_PCT_DIGITS = re.compile(r"(?P<year>\d{4})(?P<serial>\d{6})|(?P<short>\d{2})(?P<old>\d{5})")
_LETTER_AT_END = re.compile(r"(?<=\d)\s*([A-Z])\d?$")
_COUNTRY_AT_START = re.compile(r"([A-Z]{2})(?=\d)")
_DASHES = str.maketrans("‐‑‒–—−ー", "-------")


@dataclass(frozen=True, order=True, slots=True)
class NumberKey:
    """An application: country, year of filing, serial number."""

    country: str
    year: int
    serial: str

    def __str__(self) -> str:
        return f"{self.country} {self.year} {self.serial}"


@dataclass(frozen=True, slots=True)
class UnknownNumber:
    """A number without a key, and why."""

    reason: str


def number_key(
    country: str, raw: str, date: str, *, kind: str = "", style: Style = "national"
) -> NumberKey | UnknownNumber:
    """The key of an application or priority number.

    ``date`` is its filing date (ISO or eight digits), ``kind`` the kind code where one is given
    (P: US provisional, W: PCT); the country may also stand in the number.

    >>> str(number_key("JP", "平2-80002", "1990-03-27"))
    'JP 1990 080002'
    """
    if len(raw) > _LONGEST:
        return UnknownNumber(f"{raw[:_LONGEST]!r}…: longer than any number")
    text = unicodedata.normalize("NFKC", raw).upper().translate(_DASHES).strip()
    code = _country(country, text)
    try:
        year = year_of(date)
        pct = _pct(code, text, kind, year)
        if pct:
            return pct
        return NumberKey(code, year, _serial(code, text, date, year, kind, style))
    except NumberProblem as problem:
        return UnknownNumber(f"{code or '??'} {raw!r} of {date or 'no date'}: {problem}")


def _country(country: str, text: str) -> str:
    """Two letters: the Green Book adds an X (JPX), epodoc writes the country before the number."""
    code = country.strip().upper()[:2]
    at_start = _COUNTRY_AT_START.match(text)
    return code or (at_start[1] if at_start else "")


def _pct(code: str, text: str, kind: str, year: int) -> NumberKey | None:
    compact = re.sub(r"[\s,.]", "", text)
    for form in _PCT_FORMS:
        match = form.fullmatch(compact)
        if match:
            return _pct_key(match["office"], match["year"], match["serial"], year)
    digits = _PCT_DIGITS.fullmatch(compact) if kind.startswith("W") else None
    if digits:
        return _pct_key(
            code, digits["year"] or digits["short"], digits["serial"] or digits["old"], year
        )
    if code == "WO" or compact.startswith("PCT"):
        raise NumberProblem("this form of PCT numbers is not known")
    return None


def _pct_key(office: str, stated: str, serial: str, year: int) -> NumberKey:
    must_agree(stated, year)
    return NumberKey("WO", year, f"{office}{int(serial):05d}")


def _serial(code: str, text: str, date: str, year: int, kind: str, style: Style) -> str:
    if not code:
        raise NumberProblem("no country")
    body = text[len(code) :] if re.match(rf"{code}\s*\d", text) else text
    letter = _LETTER_AT_END.search(body)
    if letter and letter[1] == "X" and style in ("docdb", "epodoc"):
        raise NumberProblem("a number that DOCDB made up, because the real one is not known")
    if letter and code != "CN":
        body = body[: letter.start()]
        kind = kind or letter[1]
    number = Number(body.strip(), date, year, kind, style)
    return _RULES.get(code, europe.any_office)(number)
