"""What the number rules of all offices share."""

from __future__ import annotations

import re
from dataclasses import dataclass


class NumberProblem(Exception):
    """Why a number has no key."""


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
        """Digits only; anything but blanks and punctuation between them is an unknown form."""
        bare = re.sub(r"[\s,./-]", "", self.text)
        if not bare.isdecimal():
            raise NumberProblem("this form of number is not known")
        return bare

    @property
    def short_year(self) -> str:
        """The last two digits of the year."""
        return f"{self.year % 100:02d}"

    @property
    def from_docdb(self) -> bool:
        """Whether serial and year were put together by the EPO."""
        return self.style in ("docdb", "ep")


def year_of(date: str) -> int:
    """The year of an ISO or eight-digit date."""
    match = re.match(r"((?:1[89]|20)\d\d)(?:-?\d\d){0,2}$", date.strip())
    if not match:
        raise NumberProblem("without a date, the number is no key")
    return int(match[1])


def must_agree(stated: str | int, year: int) -> None:
    """Check a year of two or four digits that stands in a number."""
    value = int(stated)
    if value != (year if value > 99 else year % 100):
        raise NumberProblem(f"year {stated} in the number does not agree with the date")


def unknown(what: str = "this form of number is not known") -> NumberProblem:
    """The problem to raise when no rule fits."""
    return NumberProblem(what)
