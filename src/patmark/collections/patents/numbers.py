"""Application and priority numbers as keys that are equal for equal applications.

A key is (country, year, serial): ``JP 1990 080002``. The year comes from the **date**; a number
alone is never a key, and a number that contains a year must agree with its date. An unreadable
number gives an ``UnknownNumber`` with the reason, never a guess.

The same application is written in several styles: that of the office (``national``), of EP
documents in B310 (``ep``), or of DOCDB (``docdb``, ``epodoc``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date as Date
from typing import Literal, NamedTuple, TypeAlias

from patmark.collections.patents.publications import DASHES, office_words, with_letters_of_eras

Style: TypeAlias = Literal["national", "ep", "docdb", "epodoc"]
_LONGEST = 60
_PCT_FORMS = (
    re.compile(r"PCT/?(?P<office>[A-Z]{2})(?P<year>\d{2}|(?:19|20)\d\d)[/-](?P<serial>\d{1,6})"),
    re.compile(r"/?(?P<office>[A-Z]{2})(?P<year>\d{2}|(?:19|20)\d\d)/(?P<serial>\d{5,6})"),
    re.compile(r"WO(?P<year>\d{4})(?P<office>[A-Z]{2})(?P<serial>\d{1,6})"),
)
_PCT_YEAR_FIRST = re.compile(r"(?P<year>\d{4})(?P<office>[A-Z]{2})(?P<serial>\d{1,6})")
_PCT_JOINED = re.compile(
    r"(?:PCT/?)?(?P<office>[A-Z]{2})(?:(?P<year>(?:19|20)\d\d)(?P<serial>\d{6})"
    r"|(?P<short>\d\d)(?P<old>\d{5,6}))"
)
_PCT_DIGITS = re.compile(r"(?P<year>\d{4})(?P<serial>\d{6})|(?P<short>\d{2})(?P<old>\d{5})")
_OLDEST_PARENT = 20
_CHECKED_BY_LETTER = ("CN", "SG")
_LETTER_AT_END = re.compile(r"(?<=\d)\s*([A-Z])\d?$")
_BRACKETS_AT_END = re.compile(r"\s*[(\[][A-Z.]{1,4}[)\]]$")
_COUNTRY_AT_START = re.compile(r"([A-Z]{2})(?=\d)")
_REGULAR = (
    ("1948-01-01", "03"), ("1960-01-01", "04"), ("1970-01-01", "05"), ("1979-01-01", "06"),
    ("1987-01-01", "07"), ("1993-01-01", "08"), ("1997-12-30", "09"), ("2001-11-01", "10"),
    ("2004-12-01", "11"), ("2007-12-05", "12"), ("2011-01-01", ""),
)  # fmt: skip
_PROVISIONAL = (
    ("1995-06-08", "60"), ("2007-10-20", "61"), ("2014-05-15", "62"), ("2020-03-27", "63"),
    ("2024-01-01", ""),
)  # fmt: skip
# first and last years of use (USPTO, filing years by series code), for a series that is stated
_SERIES_YEARS = {
    "01": (1925, 1934), "02": (1935, 1947), "03": (1948, 1959), "04": (1960, 1969),
    "05": (1970, 1978), "06": (1979, 1986), "07": (1987, 1992), "08": (1993, 1997),
    "09": (1998, 2001), "10": (2001, 2004), "11": (2004, 2007), "12": (2007, 2010),
    "13": (2010, 2013), "14": (2012, 2016), "15": (2015, 2018), "16": (2018, 2020),
    "17": (2020, 2022), "18": (2022, 2025), "19": (2024, 9999),
    "29": (1992, 9999), "35": (2013, 9999),  # designs
    "60": (1995, 2007), "61": (2007, 2014), "62": (2014, 2020), "63": (2020, 9999),
    "64": (2024, 9999), "90": (1981, 9999), "95": (1999, 2013), "96": (2012, 9999),
}  # fmt: skip
_PCT_ENTRY_YEARS = 4
_LAST_REGULAR = "28"
_NEAR_DAYS = 183
_HIGH_SERIAL = 500_000
_WITH_SERIES = re.compile(r"(\d{1,2})\s*[/-]\s*(\d{1,3})[ ,.]?(\d{3})")
_DE_LONG = re.compile(r"(?P<type>[12][0-9])(?P<year>(?:19|20)\d\d)(?P<serial>\d{6})")
_DE_EPODOC = re.compile(r"(?P<year>\d{4})(?P<rest>\d{7,8})")
_DE_1995 = re.compile(r"(?P<type>[126])(?P<year>\d{2})(?P<serial>\d{5})")
_DE_OLD = re.compile(r"(?P<year>\d{2})(?P<serial>\d{5})")
_DE_YEAR_CODE = 50
_DE_REGISTERS = {"2": "U", "6": "T"}
_DE_LETTER = re.compile(r"(?P<year>\d{4})?(?P<letter>[A-Z]) ?0*(?P<serial>\d{1,3} ?\d{3})(?: .*)?")
_DE_LAST_LETTER = 1967
_SLASHED = re.compile(r"0*(\d{1,6})\s*/\s*(\d{2}|\d{4})(?:\s*-\s*\d)?")
_MOST_DIGITS = 40
_TWO_PARTS = re.compile(r"(\d{1,7})\s*[/-]\s*(\d{2,7})")
# epodoc puts the year before the letters
_PREFIX = re.compile(
    r"^(?:[AW]P ?[A-Z] ?\d\d ?[A-Z] ?/ ?|(?:PA|MX)/[A-Z]/|"
    r"(?P<year>\d{4})?(?:P|PA|PI|PP|PV|U|S|A|NO)[\s./-]*)(?=\d)"
)
_TYPED = re.compile(r"(?P<type>[12]\d?)(?P<year>(?:19|20)\d\d)(?P<serial>\d{6})")
_CLASS_AT_END = re.compile(r"(?<=\d{8})/\d\d$")
_CHECK_DIGIT = re.compile(r"(\d[\d\s/]{4,}\d)\s*-\s*[\dX]")
_CENTURIES = ("19", "20")
_LETTERED = re.compile(r"([A-Z]{1,3})[\s.-]*(\d{1,8})")
_FR_FIRST_YEARLY = 1969
_NL_LAST_YEARLY = 1994
_AT_LONGEST_SERIAL = 5
_ERAS = {"S": 1925, "H": 1988, "R": 2018}  # the year before the first
_JP_WORDS = re.compile(
    r"^TOKUGAN|^JP|(?<=\d)-P(?=-\d)|^\(?(?:P|PAT|PATENT)[.)-]?(?=[\dHSR])"
    r"|\([PU]\)$|(?<=[HSR])(?:EI|HO|HOWA|EISEI|EIWA)[.-]?(?=\d)"
)
_JP_ERA = re.compile(r"([SHR])[.-]?(\d{1,2})[-/]?(\d{1,6})")
_JP_SHORT = re.compile(r"(\d{1,2})[-/](\d{1,6})")
_JP_LONG = re.compile(r"(\d{4})[-/]0{0,2}(\d{1,7})")
_JP_SERIAL_FIRST = re.compile(r"(\d{1,6})/(\d{2}|\d{4})")
_LAST_ERA_YEAR = 1999
_CN_FORMS = re.compile(r"(?P<year>\d{4})(?P<long>\d{8})|(?P<short>\d{2})(?P<old>\d{6})")
_CN_EPODOC = re.compile(r"(?P<year>\d{4})(?P<type>[1-389])(?P<serial>\d{6})")
_CN_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9)


class NumberProblem(Exception):
    """Reason why a number has no key."""


class OtherYear(NumberProblem):
    """The year in the number is not that of the date."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number without its country, with its date, kind code and style of writing."""

    text: str
    date: str
    year: int
    kind: str
    style: str

    @property
    def digits(self) -> str:
        """The digits; only blanks and punctuation may be between them."""
        bare = re.sub(r"[\s,./-]", "", self.text)
        if not bare.isdecimal() or len(bare) > _MOST_DIGITS:
            raise NumberProblem("this form of number is not known")
        return bare

    @property
    def short_year(self) -> str:
        """The last two digits of the year."""
        return f"{self.year % 100:02d}"

    @property
    def from_docdb(self) -> bool:
        """True if the EPO joined serial and year."""
        return self.style in ("docdb", "ep")


def year_of(date: str) -> int:
    """Return the year of an ISO or eight-digit date."""
    match = re.match(r"((?:1[89]|20)\d\d)(?:-?\d\d){0,2}$", date.strip())
    if not match:
        raise NumberProblem("without a date, the number is no key")
    return int(match[1])


def must_agree(stated: str | int, year: int) -> None:
    """Check a year of two or four digits in a number."""
    value = int(stated)
    if value != (year if value > 99 else year % 100):
        raise OtherYear(f"year {stated} in the number does not agree with the date")


def unknown(what: str = "this form of number is not known") -> NumberProblem:
    """Return the problem to raise if no rule fits."""
    return NumberProblem(what)


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
    """A number without a key, and the reason."""

    reason: str


def number_key(
    country: str,
    raw: str,
    date: str,
    *,
    kind: str = "",
    style: Style = "national",
    inherits_date: bool = False,
) -> NumberKey | UnknownNumber:
    """Return the key of an application or priority number.

    ``date`` is its filing date (ISO or eight digits), ``kind`` the kind code if given (P: US
    provisional, W: PCT); the country may also be in the number. A divisional application and a PCT
    national phase may have the date of their parent (``inherits_date``): then the year is that of
    the number.

    >>> str(number_key("JP", "平2-80002", "1990-03-27"))
    'JP 1990 080002'
    >>> str(number_key("EP", "13196195.5", "2012-09-14", inherits_date=True))
    'EP 2013 196195'
    """
    if len(raw) > _LONGEST:
        return UnknownNumber(f"{raw[:_LONGEST]!r}…: longer than any number")
    text = unicodedata.normalize("NFKC", raw).upper().translate(DASHES).strip()
    text = _BRACKETS_AT_END.sub("", text).removeprefix("NO. ")
    code = _country(country, text)
    if country and code != "WO" and not kind.startswith("W"):
        names = "GB|UK" if code == "GB" else re.escape(code)  # which some sources repeat
        text = re.sub(rf"^(?:{names})[\s/-]*(?=[A-Z ]{{0,4}}\d|[A-Z]{{2}}/)", "", text)
    try:
        year = year_of(date)
        pct = _pct(code, text, kind, year)
        if pct:
            return pct
        number = _number(code, text, date, year, kind, style)
        return _key(code, number, inherits_date)
    except NumberProblem as problem:
        return UnknownNumber(f"{code or '??'} {raw!r} of {date or 'no date'}: {problem}")


def _country(country: str, text: str) -> str:
    """Return two letters: the Green Book adds an X (JPX), epodoc has the country in the number."""
    code = country.strip().upper()[:2]
    at_start = _COUNTRY_AT_START.match(text)
    return code or (at_start[1] if at_start else "")


def _pct(code: str, text: str, kind: str, year: int) -> NumberKey | None:
    compact = re.sub(r"[\s,.]", "", text)
    for form in (*_PCT_FORMS, *([_PCT_YEAR_FIRST] if code == "WO" else [])):
        match = form.fullmatch(compact)
        if match:
            return _pct_key(match["office"], match["year"], match["serial"], year)
    digits = _PCT_DIGITS.fullmatch(compact) if kind.startswith("W") else None
    if digits:
        return _pct_key(
            code, digits["year"] or digits["short"], digits["serial"] or digits["old"], year
        )
    joined = _PCT_JOINED.fullmatch(compact)
    if joined and (code == "WO" or kind.startswith("W") or compact.startswith("PCT")):
        return _pct_key(
            joined["office"],
            joined["year"] or joined["short"],
            joined["serial"] or joined["old"],
            year,
        )
    if code == "WO" or compact.startswith("PCT"):
        raise NumberProblem("this form of PCT numbers is not known")
    return None


def _pct_key(office: str, stated: str, serial: str, year: int) -> NumberKey:
    must_agree(stated, year)
    return NumberKey("WO", year, f"{office}{int(serial):05d}")


def _number(code: str, text: str, date: str, year: int, kind: str, style: Style) -> Number:
    if not code:
        raise NumberProblem("no country")
    body = re.sub(rf"^{re.escape(code)}[\s-]*(?=\d)", "", text)
    letter = _LETTER_AT_END.search(body)
    checked = letter and letter[1] == "X" and code in _CHECKED_BY_LETTER
    invented = body.startswith("X") if style == "epodoc" else letter and letter[1] == "X"
    if invented and style in ("docdb", "epodoc") and not checked:
        raise NumberProblem("a number that DOCDB made up, because the real one is not known")
    if letter and not checked:
        body = body[: letter.start()]
        kind = kind or letter[1]
    return Number(body.strip(), date, year, kind, style)


def _key(code: str, number: Number, inherits_date: bool) -> NumberKey:
    rule = _RULES.get(code, any_office)
    try:
        return NumberKey(code, number.year, rule(number))
    except OtherYear:
        if not inherits_date:
            raise
        for year in (*range(number.year + 1, number.year + _OLDEST_PARENT), number.year - 1):
            with suppress(NumberProblem):
                return NumberKey(code, year, rule(replace(number, year=year)))
        raise


def united_states(number: Number) -> str:
    """Return series and serial of a US application: ``60/060410``.

    Serial numbers restart with each series. A missing series follows from the date. Near a change
    of series, high serial numbers belong to the old one. After 2010 no number without its series is
    accepted.
    """
    written = _WITH_SERIES.fullmatch(number.text)
    if written:
        return _stated_series(number, f"{int(written[1]):02d}", written[2] + written[3])
    digits = number.digits
    if len(digits) == 12:
        must_agree(digits[:4], number.year)
        return _stated_series(number, digits[4:6], digits[6:])
    if len(digits) in (10, 11):
        must_agree(digits[:4], number.year)
        return _with_series(number, int(digits[4:]))
    if number.style == "docdb":
        if not 3 <= len(digits) <= 8 or digits[-2:] != number.short_year:
            raise unknown()
        return _with_series(number, int(digits[:-2]))
    if len(digits) == 8 and _in_use(digits[:2], number.year):
        return f"{digits[:2]}/{digits[2:]}"
    if len(digits) == 8 and digits.endswith(number.short_year):
        return _with_series(number, int(digits[:-2]))
    if len(digits) == 8:
        return _stated_series(number, digits[:2], digits[2:])
    if len(digits) <= 6:
        return _with_series(number, int(digits))
    raise unknown()


def _in_use(series: str, year: int) -> bool:
    """Return True if a series was in use in a year.

    The date of a national phase may be that of the international application, years before.
    """
    first, last = _SERIES_YEARS.get(series, (9999, 0))
    before = _PCT_ENTRY_YEARS if series <= _LAST_REGULAR else 0
    return first - before <= year <= last + 1


def _stated_series(number: Number, series: str, serial: str) -> str:
    if not _in_use(series, number.year):
        raise unknown(f"series {series} was not in use in {number.year}")
    return f"{series}/{int(serial):06d}"


def _with_series(number: Number, serial: int) -> str:
    if serial > 999_999:
        raise unknown("a US serial number has at most six digits")
    series = _series(number, serial)
    if not series:
        raise unknown("the series is not stated and does not follow from the date")
    return f"{series}/{serial:06d}"


def _series(number: Number, serial: int) -> str:
    first, last = (_series_on(day, number, serial) for day in _days(number.date))
    if first != last:
        raise unknown("the series needs the day of filing")
    return first


def _series_on(filed: Date, number: Number, serial: int) -> str:
    table = _PROVISIONAL if number.kind.startswith("P") else _REGULAR
    found = ""
    for place, (start, series) in enumerate(table):
        away = (filed - Date.fromisoformat(start)).days
        before = table[place - 1][1] if place else ""
        if abs(away) <= _NEAR_DAYS and before:
            return before if serial >= _HIGH_SERIAL else series
        if away >= 0:
            found = series
    return found


def _days(date: str) -> tuple[Date, Date]:
    """Return the first and the last day that a date without day or month may mean."""
    digits = re.sub(r"\D", "", date)
    year, month, day = int(digits[:4]), int(digits[4:6] or 0), int(digits[6:8] or 0)
    try:
        return Date(year, month or 1, day or 1), Date(year, month or 12, day or 28)
    except ValueError:
        raise unknown("its date is no day") from None


def germany(number: Number) -> str:
    """Read 10 2011 114434; 101 54112 (1995 to 2003); 27 24675 (to 1994: year code + 50).

    To 1967 a letter stood for the applicant: B 77613.
    """
    lettered = _DE_LETTER.fullmatch(number.text) if number.year <= _DE_LAST_LETTER else None
    if lettered:
        must_agree(lettered["year"] or number.year, number.year)
        return f"{lettered['letter']}{int(lettered['serial'].replace(' ', '')):06d}"
    text = re.sub(r"^[PG][\s.]*", "", number.text).partition(".")[0]
    digits = re.sub(r"[\s-]", "", text)
    epodoc = _DE_EPODOC.fullmatch(digits) if number.style == "epodoc" else None
    long = _DE_LONG.fullmatch(digits)
    if long and not epodoc:
        must_agree(long["year"], number.year)
        return _german_serial(long["type"][0], long["serial"])
    epodoc = epodoc or _DE_EPODOC.fullmatch(digits)
    if epodoc:
        must_agree(epodoc["year"], number.year)
        digits = epodoc["rest"]
        if number.year >= 1995:
            return _german_serial(digits[0], digits[-6:])
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
    """Return the serial; utility models (2) and European patents (6) have separate series."""
    return f"{_DE_REGISTERS.get(register, '')}{int(serial):06d}"


def switzerland(number: Number) -> str:
    """Read 1974/01, 1974/01-3, 338895 (3388 of 1995), 19742001, 20010001974."""
    slashed = _SLASHED.fullmatch(re.sub(rf"^{number.year}\s+", "", number.text))
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
    """Read 9026298, 201810777, 19900026298, with or without the check digit."""
    slashed = _serial_and_year(number.text, number)
    if slashed:
        return f"{int(slashed):05d}"
    checked = _CHECK_DIGIT.fullmatch(number.text)
    digits = re.sub(r"[\s-]", "", checked[1] if checked else number.text.partition(".")[0])
    digits = digits[:-1] if len(digits) == 8 else digits
    if not digits.isdecimal() or len(digits) not in (7, 9, 11):
        raise unknown()
    years = 2 if len(digits) == 7 else 4
    must_agree(digits[:years], number.year)
    return f"{int(digits[years:]):05d}"


def european(number: Number) -> str:
    """Read 99203729, 02779063.3, 20060101078: six digits after the year."""
    digits = re.sub(r"[\s-]", "", number.text.partition(".")[0])
    digits = digits.zfill(8)  # of 02001225, the nought is often lost
    if not digits.isdecimal() or len(digits) not in (8, 11):
        raise unknown()
    years = 2 if len(digits) == 8 else 4
    must_agree(digits[:years], number.year)
    return f"{int(digits[years:]):06d}"


def year_first(number: Number) -> str:
    """Read the year, then the serial: 9912345, 0201225-6, 2001/1234, 19990012345.

    Letters in front (P, PA, PI) and a check digit or a class at the end are not part of the number.
    DOCDB has the year at the end (123499) if the office writes it so.
    """
    text = _CLASS_AT_END.sub("", _PREFIX.sub(r"\g<year>", number.text))
    slashed = _serial_and_year(text, number)
    if slashed:
        return f"{int(slashed):05d}"
    text = text.partition(".")[0]
    checked = _CHECK_DIGIT.fullmatch(text)
    digits = re.sub(r"[\s/-]", "", checked[1] if checked else text)
    if not digits.isdecimal():
        raise unknown()
    if len(digits) > 7 and digits.startswith(str(number.year)):
        return f"{int(digits[4:]):05d}"
    if len(digits) < 5:
        raise unknown()
    if number.style == "docdb" and not digits.startswith(number.short_year):
        return f"{int(_before_the_year(digits, number)):05d}"
    must_agree(
        digits[:2] if len(digits) < 8 or digits[:2] not in _CENTURIES else digits[:4], number.year
    )
    return f"{int(digits[2:]):05d}"


def _before_the_year(digits: str, number: Number) -> str:
    if len(digits) < 3 or not digits.endswith(number.short_year):
        raise OtherYear("the digits hold no year that agrees with the date")
    return digits[:-2]


def perhaps_year_first(number: Number) -> str:
    """Read the year first, or a number without a year or with a type before it."""
    typed = _TYPED.fullmatch(re.sub(r"[\s-]", "", _CHECK_DIGIT.sub(r"\1", number.text)))
    if typed:
        must_agree(typed["year"], number.year)
        return f"{typed['type']}{typed['serial']}"
    try:
        return year_first(number)
    except NumberProblem:
        return any_office(number)


def _serial_and_year(text: str, number: Number) -> str:
    """Return the serial of 1234/99, 1234/1999, 99/1234 or 1999-1234; else empty."""
    match = _TWO_PARTS.fullmatch(text)
    if not match:
        return ""
    years = (str(number.year), number.short_year)
    first, last = match[1], match[2]
    if first in years:
        return last
    if last in years:
        return first
    return ""


def france(number: Number) -> str:
    """Read 9912345, 19990012345; before 1969 the numbers were consecutive over the years."""
    if number.year < _FR_FIRST_YEARLY and len(number.digits) <= 6:
        return f"{int(number.digits):05d}"
    return year_first(number)


def austria(number: Number) -> str:
    """Read A 1234/99, 123499, 12341999, and A 1234 without its year.

    Utility models (GM, kind U) have a separate series. European patents validated there (kind T)
    keep their European number.
    """
    if number.kind.startswith("T"):
        return any_office(number)
    text = re.sub(r"^(?:A|GM)\s*(?=\d)", "", number.text)
    try:
        serial = switzerland(replace(number, text=text))
    except NumberProblem:
        if not (text.isdecimal() and len(text) <= _AT_LONGEST_SERIAL):
            raise
        serial = str(int(text))
    model = number.text.startswith("GM") or number.kind.startswith("U")
    return f"U{serial}" if model else serial


def sweden(number: Number) -> str:
    """Read 0201225-6, 20020001225: five digits after the year, then a check digit."""
    digits = re.sub(r"[\s-]", "", number.text)
    joined = len(digits) == 8 and digits.startswith(number.short_year)
    return year_first(replace(number, text=digits[:7]) if joined else number)


def netherlands(number: Number) -> str:
    """Read 8503101 to 1994, then without a year: 1010536."""
    return year_first(number) if number.year <= _NL_LAST_YEARLY else any_office(number)


def running(number: Number) -> str:
    """Read 132793, consecutive over the years; DOCDB adds the year at the end, epodoc in front."""
    digits = re.sub(r"[\s,./-]", "", number.text)
    if number.style == "docdb" and digits.isdecimal() and not digits.startswith(str(number.year)):
        with suppress(OtherYear):
            return str(int(_before_the_year(digits, number)))
    return any_office(number)


def any_office(number: Number) -> str:
    """Return digits without a year, in front or after a slash, that agrees with the date."""
    text = _PREFIX.sub(r"\g<year>", number.text)
    slashed = _serial_and_year(text, number)
    if slashed:
        return str(int(slashed))
    lettered = _LETTERED.fullmatch(text)
    if lettered:
        return f"{lettered[1]}{int(lettered[2])}"
    digits = replace(number, text=text).digits
    if number.style == "epodoc" or len(digits) > 9:
        year = str(number.year)
        if digits.startswith(year) and len(digits) > len(year):
            digits = digits[len(year) :]
    return str(int(digits))


def japan(number: Number) -> str:
    """Read era years (S53-84696), Gregorian years (2015-123456), and serials (8000290)."""
    text = re.sub(r"[\s,]|\(\d{4}\)", "", number.text)
    text = re.sub(office_words("JP").pattern("application"), "", text)
    text = with_letters_of_eras(_JP_WORDS.sub("", text))
    era = _JP_ERA.fullmatch(text)
    if era:
        must_agree(_ERAS[era[1]] + int(era[2]), number.year)
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
    """Return True if a short year is that year in some era, or its last two digits."""
    eras = {start + stated for start in _ERAS.values()} if year <= _LAST_ERA_YEAR else set()
    return year in eras | {1900 + stated, 2000 + stated}


def _japan_digits(text: str, number: Number) -> str:
    digits = text.replace("-", "")
    if not digits.isdecimal():
        raise unknown()
    if len(digits) in (10, 11):
        must_agree(digits[:4], number.year)
        return f"{int(digits[4:]):06d}"
    if number.style == "national" and len(digits) in (7, 8):
        year, serial = int(digits[:-6]), digits[-6:]
        if _is_year(year, number.year):
            return serial
    ends_in_year = len(digits) > 2 and digits.endswith(number.short_year)
    if len(digits) <= 8 and ends_in_year and (number.from_docdb or len(digits) > 6):
        return f"{int(digits[:-2]):06d}"
    if len(digits) <= 6:
        return f"{int(digits):06d}"
    raise unknown("the digits hold no year that agrees with the date")


def china(number: Number) -> str:
    """Read 201810358967.X or 98101234.5, with or without ZL and check digit."""
    text = re.sub(r"^(?:ZL|CN)|[\s/]", "", number.text)
    body, _, check = text.replace("-", ".").partition(".")
    if len(check) > 1:  # 02-101234
        body, check = body + check, ""
    if not check and len(body) in (9, 13):
        body, check = body[:-1], body[-1]
    epodoc = _CN_EPODOC.fullmatch(body)
    if epodoc:
        must_agree(epodoc["year"], number.year)
        return f"{epodoc['type']}{int(epodoc['serial']):07d}"
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
    """Return the check digit: weights 2 to 9 and 2 to 5, modulo 11, X for ten.

    >>> chinese_check_digit("201510163325")
    '6'
    """
    weights = (_CN_WEIGHTS * 2)[: len(body)]
    rest = sum(int(digit) * weight for digit, weight in zip(body, weights, strict=True)) % 11
    return "X" if rest == 10 else str(rest)


class _Form(NamedTuple):
    """A form of numbers: its pattern, and the serial as written in keys.

    ``era`` is the year before the first of the office, ``until`` the last year of the form.
    """

    pattern: str
    written: str
    styles: tuple[str, ...] = ()
    until: int = 9999
    era: int = 0


def _by_forms(
    ignored: str, forms: tuple[_Form, ...], otherwise: Callable[[Number], str]
) -> Callable[[Number], str]:
    """Return a rule: the first form that fits, without ignored signs, or another rule."""

    def rule(number: Number) -> str:
        text = re.sub(ignored, "", number.text)
        for form in forms:
            match = re.fullmatch(form.pattern, text)
            known = not form.styles or number.style in form.styles
            if match and known and number.year <= form.until:
                parts = match.groupdict()
                if parts.get("year"):
                    stated = parts["year"]
                    must_agree(form.era + int(stated) if form.era else stated, number.year)
                return form.written.format(**parts | {"serial": int(parts["serial"])})
        return otherwise(number)

    return rule


def _unknown(number: Number) -> str:
    raise unknown()


def _australia(number: Number) -> str:
    slashed = _serial_and_year(number.text, number)
    return str(int(slashed)) if slashed else running(number)


def _singapore(number: Number) -> str:
    """Read 9901234-5, 200101234-5: the last sign is a check digit."""
    text = re.sub(r"\s", "", number.text)
    return year_first(replace(number, text=text[:9] if len(text) == 10 else text))


def korea(number: Number) -> str:
    """Read 10-1998-0012345, 1998-12345, 19980012345, perhaps among words; 20 is a utility model."""
    ignored = rf"[\s/]|^[PU](?=\d)|{office_words('KR').pattern('application')}"
    serial = _by_forms(ignored, _KOREAN, _unknown)(number)
    return f"U{serial}" if number.kind.startswith("U") and serial[0] != "U" else serial


_YEAR4 = r"(?P<year>(?:19|20)\d\d)"
_PROVISIONAL_LETTERS = r"(?P<letters>P[A-Z])"
_AUSTRALIAN = (  # provisional: PQ0559; DOCDB adds the year: PQ055999
    _Form(rf"(?P<year>\d{{4}}){_PROVISIONAL_LETTERS}(?P<serial>\d{{1,6}})", "{letters}{serial:04}"),
    _Form(rf"{_PROVISIONAL_LETTERS}(?P<serial>\d{{4}})(?P<year>\d\d)", "{letters}{serial:04}"),
    _Form(rf"{_PROVISIONAL_LETTERS}(?P<serial>\d{{1,5}})", "{letters}{serial:04}"),
)
_ITALIAN = (  # 20123 A/80 to 1990, MI2001A000123, IT2001MI00123, 102017000012345
    _Form(r"(?P<serial>\d{4,6})[A-Z](?P<year>\d\d)", "{serial}", until=1990),
    _Form(r"(?P<serial>\d{4,6})(?P<year>\d\d)", "{serial}", ("docdb", "ep"), until=1990),
    _Form(
        r"(?P<province>[A-Z]{2})(?P<year>(?:19|20)\d\d|\d\d)[A-Z]?0*(?P<serial>\d{1,6})",
        "{province}{serial:06}",
    ),
    _Form(r"(?P<year>\d{4})(?P<province>[A-Z]{2})(?P<serial>\d{1,6})", "{province}{serial:06}"),
    _Form(r"(?:[12]0)?(?P<year>20\d\d)(?P<serial>\d{8,9})", "{serial}"),
)
_INDIAN = (  # 123/MUM/2003, IN2003MU00123, 201741012345
    _Form(
        r"0*(?P<serial>\d{1,6})/?(?P<office>[A-Z]{2,6})/?(?P<year>\d{4}|\d{2})(?:[A-Z]\d?)?",
        "{office:.2}{serial:05}",
    ),
    _Form(r"(?P<year>\d{4})(?P<office>[A-Z]{2})(?P<serial>\d{1,6})", "{office:.2}{serial:05}"),
)
_SINGAPOREAN = (_Form(r"[12]0(?P<year>20\d\d)(?P<serial>\d{5})[A-Z\d]?", "{serial:05}"),)
_KOREAN = (
    _Form(rf"20-?{_YEAR4}-?(?P<serial>\d{{1,7}})", "U{serial:07}"),
    _Form(rf"(?:10-?)?{_YEAR4}-?(?P<serial>\d{{1,7}})", "{serial:07}"),
    _Form(r"(?P<year>\d\d)-?(?P<serial>\d{1,7})", "{serial:07}"),
)
_TAIWANESE = (  # 87101234: the year is counted from 1912; epodoc has 19980101234
    _Form(r"(?P<year>\d{4})0(?P<serial>\d{6})", "{serial:06}"),
    _Form(r"(?P<year>\d{2,3})(?P<serial>\d{6})", "{serial:06}", era=1911),
)
_YEAR_FIRST = "CZ DK EA FI NO ZA"
_PERHAPS_YEAR_FIRST = "AR BE BR ES GR HK HR HU IE MX MY PH RO RU SI SK TH TR UA"
_RUNNING = "DD IL NZ PL PT"
_RULES: dict[str, Callable[[Number], str]] = {
    **dict.fromkeys(_YEAR_FIRST.split(), year_first),
    **dict.fromkeys(_PERHAPS_YEAR_FIRST.split(), perhaps_year_first),
    **dict.fromkeys(_RUNNING.split(), running),
    "AT": austria,
    "AU": _by_forms(r"[\s/-]", _AUSTRALIAN, _australia),
    "CH": switzerland,
    "CN": china,
    "DE": germany,
    "EP": european,
    "FR": france,
    "GB": britain,
    "IN": _by_forms(r"[\s.-]", _INDIAN, any_office),
    "IT": _by_forms(r"[\s/.-]", _ITALIAN, any_office),
    "JP": japan,
    "KR": korea,
    "NL": netherlands,
    "SE": sweden,
    "SG": _by_forms(r"\s", _SINGAPOREAN, _singapore),
    "TW": _by_forms(r"[\s,./-]", _TAIWANESE, _unknown),
    "US": united_states,
}
