"""Normalised publication numbers, from all spellings of search reports and gazettes.

One application is cited as ``2007/0204872`` in the US, as ``US-A1- 2007 204 872`` in EP documents
and as ``2007204872`` in DOCDB; a Japanese one as ``特開平７－３００９７９`` or ``JP-A- 7 300 979``.
Here they are ``US20070204872`` and ``JPH07300979``, the latter as in DOCDB.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from patmark.languages import WordTable, language, office_language

_LONGEST = 500
DASHES = dict.fromkeys((*range(0x2010, 0x2015), 0x2212, 0x30FC), "-")
_REST = r"(?:\s*[,;:(](?!\d{3}(?!\d)).*)?"
_DASHED = re.compile(
    rf"(?P<country>[A-Z]{{2}})\s*-\s*(?P<kind>[A-Z]\d?)\s*-(?P<number>[^,;:(]+){_REST}"
)
_PLAIN = re.compile(
    r"(?P<country>[A-Z]{2})[\s-]*"
    r"(?P<number>[A-Z]{0,2}\s?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d[\d\s./-]*))"
    rf"\s?(?P<kind>[A-Z]\d?)?{_REST}"
)
_NUMBER = re.compile(r"[A-Z]{0,3}\d+")
_US_APPLICATION = re.compile(r"(?P<year>20\d\d)(?P<serial>\d{6,7})")
_WO = re.compile(r"(?P<year>(?:19|20)\d\d|\d\d)/?(?P<serial>\d{5,6})")
_FIRST_WO_YEAR = 78
_KR_TYPED = re.compile(r"(?P<type>[12]0)(?P<rest>(?:19|20)\d\d\d{7})")
_JP_ERA = re.compile(r"(?P<era>[SHR])(?P<year>\d{1,2})[-/ ]?(?P<serial>[\d ]+)")
_JP_YEAR = re.compile(r"(?P<year>(?:19|20)\d\d)[-/ ]?(?P<serial>\d{1,3} ?\d{1,3})")
_JP_SHORT = re.compile(r"(?P<year>\d{1,2})(?P<mark>[-/ ])(?P<serial>\d{1,3} ?\d{1,3})")
# of American examiners: 362123456 is S62123456, 405123456 is H05123456
_JP_CODED = re.compile(r"(?P<era>3(?=[4-6])|4(?=0|1[0-2]))(?P<rest>\d{8})")
_JP_CODES = {"3": "S", "4": "H"}
_FIRST_PATENT = 2_500_001  # patents have numbers of their own since 1996
_FIRST_MODEL = 3_000_001
_LAST_HEISEI = 12  # from 2000 on, numbers have Gregorian years
_FIRST_SHOWA = 46  # applications are laid open since 1971
_IN_BRACKETS = re.compile(r"\(\s*(?P<country>[A-Z]{2})\s*,\s*(?P<kind>[A-Z]\d?)\s*\)")
_IN_WORDS = re.compile(
    r"(?P<words>[\u3040-\u30ff\u4e00-\u9fff]*?)\s*(?P<number>(?:WO\s*)?[SHR]?\d[\d\s,./-]*)"
)
_ABSTRACTS_OF_JAPAN = re.compile(r"&\s*(JP[\s-].*)")


@cache
def office_words(office: str) -> WordTable:
    """Return the words of numbers in the language of an office."""
    return language(office_language(office)).table("patents")


@cache
def _names() -> tuple[tuple[str, str, str], ...]:
    """Return the Japanese names of publications with country and kind, the longest first."""
    found = [
        (name, *meant.partition(" ")[::2])
        for meant, names in office_words("JP").forms("publication").items()
        for name in names
    ]
    return tuple(sorted(found, key=lambda row: -len(row[0])))


def with_letters_of_eras(text: str) -> str:
    """Write Japanese years with the letter of the era.

    >>> with_letters_of_eras("昭和60年123456"), with_letters_of_eras("平元-12345")
    ('S60-123456', 'H1-12345')
    """
    if text.isascii():
        return text
    words = office_words("JP")
    first, mark = ("|".join(forms) for forms in words.forms("year").values())
    for letter, forms in words.forms("era").items():
        era = rf"(?:{'|'.join(forms)}|^{letter}(?=\d+(?:{mark})|{first}))"
        end = rf"(?:{mark})?[-/ ]?(?=\d)"
        text = re.sub(rf"{era}(?:{first}){end}", f"{letter}1-", text)
        text = re.sub(rf"{era}(\d{{1,2}}){end}", rf"{letter}\1-", text)
    return text


@dataclass(frozen=True, slots=True)
class Publication:
    """A published document: country, normalised number, and kind code if known."""

    country: str
    number: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.country}{self.number}{self.kind}"

    @property
    def key(self) -> str:
        """Key of all publications of one application that share a number: A1 and B1.

        Separate series keep their letter: utility models of Japan and Korea, publications after
        examination in Japan, certificates of addition in France.
        """
        letter = ""
        if self.country == "JP":
            letter = self.kind[:1] or ("B" if len(self.number) == 7 else "A")
            letter = {"T": "A", "S": "A", "C": "B"}.get(letter, letter)
        elif self.country == "KR":
            letter = "U" if self.kind[:1] in ("U", "Y") else ""
        elif self.country == "FR":
            letter = "E" if self.kind.startswith("E") else ""
        return f"{self.country}{_without_noughts(self.number)}{letter}"


def publication(country: str, number: str, kind: str = "") -> Publication:
    """Return the publication of a number, which may begin with its country.

    >>> str(publication("US", "2007/0204872", "A1")), str(publication("WO", "96/25012"))
    ('US20070204872A1', 'WO1996025012')
    """
    plain = _plain(number).upper()
    code = country.strip().upper()[:2] or plain[:2]
    kind = kind.strip().upper()
    plain = plain[len(code) :].lstrip(" -") if plain.startswith(code) else plain
    if len(plain) > _LONGEST:
        return Publication(code, plain, kind)
    return Publication(code, _FORMS[code](plain, kind) if code in _FORMS else _bare(plain), kind)


def read_publication(text: str) -> Publication | None:
    """Return the publication named in a text; None without one.

    >>> print(read_publication("US-A1- 2007 204 872"), read_publication("特開平７－３００９７９"))
    US20070204872A1 JPH07300979A
    """
    plain = _plain(text[:_LONGEST])
    abstracts = _ABSTRACTS_OF_JAPAN.search(plain)
    plain = abstracts[1] if abstracts else plain
    found = _DASHED.fullmatch(plain) or _PLAIN.fullmatch(plain)
    if found:
        return _known(publication(found["country"], found["number"], found["kind"] or ""))
    return _named(plain)


def publication_key(name: str) -> str:
    """Return the key that all names of a publication share, or another name unchanged.

    >>> publication_key("US2006142694A1") == publication_key("US20060142694")
    True
    """
    found = _PLAIN.fullmatch(_plain(name)) if len(name) <= _LONGEST else None
    if found is None:
        return name
    known = _known(publication(found["country"], found["number"], found["kind"] or ""))
    return known.key if known else name


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(DASHES).strip()


def _known(found: Publication) -> Publication | None:
    return found if _NUMBER.fullmatch(found.number) else None


def _named(text: str) -> Publication | None:
    """Read a number with the Japanese name of its kind, or country and kind in brackets."""
    marked = _IN_BRACKETS.search(text)
    before = text[: marked.start()] if marked else text
    for found in _IN_WORDS.finditer(with_letters_of_eras(before)):
        named = [meant for name, *meant in _names() if name in found["words"]]
        if named or marked:
            country, kind = marked.group("country", "kind") if marked else named[0]
            return _known(publication(country, found["number"].strip(" ,.-"), kind))
    return None


def _bare(number: str) -> str:
    return re.sub(r"[\s,./-]", "", number)


def _without_noughts(number: str) -> str:
    return re.sub(r"^([A-Z]*)0+(?=\d)", r"\1", number)


def _united_states(number: str, _: str) -> str:
    bare = _bare(number)
    application = _US_APPLICATION.fullmatch(bare)
    if application:
        return f"{application['year']}{int(application['serial']):07d}"
    return _without_noughts(bare)


def _international(number: str, _: str) -> str:
    match = _WO.fullmatch(re.sub(r"[\s,.-]", "", number))
    if not match:
        return _bare(number)
    year = int(match["year"])
    if year < 100:
        year += 1900 if year >= _FIRST_WO_YEAR else 2000
    return f"{year}{int(match['serial']):06d}"


def _european(number: str, _: str) -> str:
    bare = _bare(number)
    return f"{int(bare):07d}" if bare.isdecimal() else bare


def _german(number: str, _: str) -> str:
    """Return a number without the marks DE-OS, DE-AS, DE-PS or DE-GM of former kinds."""
    return _bare(re.sub(r"^(?:[OAP]S|GM)\b", "", number))


def _korean(number: str, _: str) -> str:
    """Return 10-2001-0012345, laid open, as 20010012345 (DOCDB); patents keep their 10."""
    bare = _bare(number)
    typed = _KR_TYPED.fullmatch(bare)
    return typed["rest"] if typed else bare


def _japanese(number: str, kind: str) -> str:
    """Return H07300979 or S59219410 with an era, 2001123456, or the number of a patent."""
    text = with_letters_of_eras(number.removeprefix("P").strip())
    era = _JP_ERA.fullmatch(text)
    if era:
        return f"{era['era']}{_joined(int(era['year']), era['serial'])}"
    full = _JP_YEAR.fullmatch(text)
    if full:
        return f"{full['year']}{int(_bare(full['serial'])):06d}"
    short = _JP_SHORT.fullmatch(text)
    bare = _bare(text)
    if short and (" " not in short["mark"] or len(bare) < 7):
        return _era(int(short["year"]), _bare(short["serial"])) or bare
    coded = _JP_CODED.fullmatch(bare)
    if coded:
        return f"{_JP_CODES[coded['era']]}{coded['rest']}"
    if not bare.isdecimal() or not 7 <= len(bare) <= 8:
        return bare
    first = {"U": _FIRST_MODEL}.get(kind[:1], _FIRST_PATENT)
    counted = kind[:1] in ("B", "C", "U") or (not kind and len(bare) == 7)
    return bare if int(bare) >= first and counted else _era(int(bare[:-6]), bare[-6:]) or bare


def _era(year: int, serial: str) -> str:
    """Return a short year of Heisei or Showa with the serial; empty if it is neither."""
    era = "H" if 1 <= year <= _LAST_HEISEI else "S" if year >= _FIRST_SHOWA else ""
    return f"{era}{_joined(year, serial)}" if era else ""


def _joined(year: int, serial: str) -> str:
    return f"{year:02d}{int(_bare(serial)):06d}"


_FORMS: dict[str, Callable[[str, str], str]] = {
    "DE": _german,
    "EP": _european,
    "JP": _japanese,
    "KR": _korean,
    "US": _united_states,
    "WO": _international,
}
