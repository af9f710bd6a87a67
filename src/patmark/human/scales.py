"""Scales: which grades a criterion has, from worst to best, and whether they may be averaged."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, TypeAlias

from patmark.errors import UsageError

Kind: TypeAlias = Literal["interval", "ordinal"]

PREFERENCE = "preference"
"""The criterion of a choice between two outputs; it has no grades and needs no scale."""

_MOST_GRADES = 1001
_RESERVED = ("=", "|", ">", "<")
_RANGE = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)\.\.(-?[0-9]+(?:\.[0-9]+)?)")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Scale:
    """The grades of a criterion, worst first.

    Grades of an interval scale are numbers and are averaged. Grades of an ordinal scale have an
    order but no distances; they are never averaged. ``continuous`` allows every number between
    the first and the last value of an interval scale.
    """

    criterion: str
    values: tuple[str, ...]
    kind: Kind
    continuous: bool = False

    def __post_init__(self) -> None:
        problem = criterion_problem(self.criterion) or self._problem()
        if problem:
            raise UsageError(f"scale of {self.criterion!r}: {problem}")

    def _problem(self) -> str | None:
        if len(self.values) < 2 or len(set(self.values)) < len(self.values):
            return f"expected at least two different grades, found {', '.join(self.values)}"
        if any(not value.strip() or value != value.strip() for value in self.values):
            return "a grade is empty or has spaces around it"
        if self.kind == "ordinal":
            return "only an interval scale can be continuous" if self.continuous else None
        found = [parse_number(value) for value in self.values]
        numbers = [number for number in found if number is not None]
        if len(numbers) < len(found):
            return "the grades of an interval scale must be numbers"
        rising = all(worse < better for worse, better in pairwise(numbers))
        return None if rising else "the grades must rise from worst to best"

    @property
    def form(self) -> str:
        """The scale as :func:`parse_scale` reads it, without the criterion."""
        if self.kind == "ordinal":
            return ",".join(self.values)
        return f"{self.values[0]}..{self.values[-1]}"

    @property
    def expected(self) -> str:
        """What a grade must be, for messages."""
        if self.continuous:
            return f"a number from {self.values[0]} to {self.values[-1]}"
        if self.kind == "interval" and len(self.values) > 10:
            return f"a whole number from {self.values[0]} to {self.values[-1]}"
        return f"one of {', '.join(self.values)}"

    def grade(self, value: str) -> float | None:
        """The number of an interval grade, the rank from 0 of an ordinal one; None if outside."""
        if self.kind == "ordinal":
            return float(self.values.index(value)) if value in self.values else None
        number = parse_number(value)
        if number is None:
            return None
        numbers = [float(known) for known in self.values]
        if self.continuous:
            return number if numbers[0] <= number <= numbers[-1] else None
        return number if number in numbers else None


def parse_number(text: str) -> float | None:
    """A finite decimal number in plain ASCII; None for anything else."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


def criterion_problem(criterion: str) -> str | None:
    """What is wrong with the name of a criterion, if anything."""
    if not criterion.strip() or criterion != criterion.strip():
        return "the name of a criterion must not be empty or have spaces around it"
    if any(sign in criterion for sign in _RESERVED):
        return f"the name of a criterion must not hold any of {' '.join(_RESERVED)}"
    return None


def parse_scale(text: str) -> Scale:
    """A scale written as NAME=1..5, NAME=0.0..10.0 or NAME=F,C,B,A,AA (worst first).

    A range of whole numbers allows only whole numbers; one that is written with decimal points
    allows every number between. A list is ordinal: it is never averaged.
    """
    name, equals, grades = (part.strip() for part in text.partition("="))
    if not equals or not name or not grades:
        raise UsageError(f"expected NAME=1..5 or NAME=F,C,B,A,AA, found {text!r}")
    if name == PREFERENCE:
        raise UsageError(f"{PREFERENCE!r} is a choice between two outputs; it has no scale")
    if found := _RANGE.fullmatch(grades):
        return _range_scale(name, found[1], found[2])
    return Scale(name, tuple(value.strip() for value in grades.split(",")), "ordinal")


def known_scales(declared: Iterable[Scale] = ()) -> Mapping[str, Scale]:
    """The built-in scales by criterion; a declared one takes the place of a built-in one."""
    scales = dict(BUILT_IN_SCALES)
    seen: set[str] = set()
    for scale in declared:
        if scale.criterion in seen:
            raise UsageError(f"the scale of {scale.criterion!r} is declared twice")
        seen.add(scale.criterion)
        scales[scale.criterion] = scale
    return scales


def _range_scale(name: str, low: str, high: str) -> Scale:
    if "." in low or "." in high:
        return Scale(name, (low, high), "interval", continuous=True)
    if int(high) - int(low) >= _MOST_GRADES:
        raise UsageError(
            f"scale of {name!r}: more than {_MOST_GRADES} grades; "
            f"write {low}.0..{high}.0 for every number between"
        )
    return Scale(name, tuple(map(str, range(int(low), int(high) + 1))), "interval")


_CLAIM_CRITERIA = ("completeness", "clarity", "consistency", "linkage", "quality", "overall")

BUILT_IN_SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        scale.criterion: scale
        for scale in (
            _range_scale("adequacy", "1", "5"),
            _range_scale("fluency", "1", "5"),
            Scale("acceptability", ("F", "C", "B", "A", "AA"), "ordinal"),
            *(_range_scale(criterion, "0.0", "10.0") for criterion in _CLAIM_CRITERIA),
            _range_scale("da", "0.0", "100.0"),
            Scale("correctness", ("wrong", "partly", "correct"), "ordinal"),
        )
    }
)
"""The scales that need no declaration.

Adequacy and fluency of NTCIR-7 and NTCIR-9, acceptability of NTCIR-9, the five claim criteria of
Patent-CE with an evaluator's own overall grade, direct assessment, and the correctness of aligned
sentence pairs.
"""
