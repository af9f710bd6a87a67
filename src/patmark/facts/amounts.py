"""Amounts: each stated quantity as one interval in base units, with its unit and its noun.

| written | interval |
|---|---|
| 10 to 20 mm, 10以上20以下, between 10 and 20, 10 or more and 20 or less | [10, 20] |
| more than 10 but not more than 20, 10超20以下 | (10, 20] |
| at least 5, 5以上, not less than 5 | [5, ∞) |
| 10 ± 2 mm | [8, 12] |
| about 5, 約5, 5左右 | [5, 5], approximate |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from patmark.facts.lexicon import Hit, phrases
from patmark.facts.quantities import Quantity
from patmark.facts.units import UnitMeaning, in_base_unit

AmountRelation: TypeAlias = Literal["equal", "narrower", "broader", "overlapping", "disjoint"]
_NO_UNIT = UnitMeaning(frozenset(), Fraction(1))
_VALUE = re.compile(r"\d+(?:\.\d+)?|\d+/\d+")


@dataclass(frozen=True, slots=True)
class Amount:
    """An interval of values in base units; ``None`` for an unbounded end.

    Places are those of the folded text and include the words of the limits. ``unit`` has dimension
    exponents and basis (mass, volume, mole), ``symbol`` is its name. ``subject`` is the clause
    before the amount; ``anchor`` holds the words of the whole clause, for Chinese and Japanese
    character bigrams.
    """

    start: int
    end: int
    lo: Fraction | None
    hi: Fraction | None
    lo_closed: bool = True
    hi_closed: bool = True
    approximate: bool = False
    unit: UnitMeaning = _NO_UNIT
    symbol: str = ""
    shown: str = ""
    subject: str = ""
    anchor: frozenset[str] = frozenset()

    def contains(self, other: Amount) -> bool:
        """Return True if every value of another amount is in this one."""
        if self.unit != other.unit:
            return False
        return _reaches(self.lo, self.lo_closed, other.lo, other.lo_closed, 1) and _reaches(
            self.hi, self.hi_closed, other.hi, other.hi_closed, -1
        )

    def relation(self, other: Amount) -> AmountRelation:
        """Return the relation of another amount to this one, such as narrower or broader."""
        narrower, broader = self.contains(other), other.contains(self)
        if narrower and broader:
            return "equal"
        if narrower or broader:
            return "narrower" if narrower else "broader"
        return "overlapping" if self._meets(other) else "disjoint"

    def _meets(self, other: Amount) -> bool:
        """Return True if some value lies in both amounts."""
        if self.unit != other.unit:
            return False
        return _before(self.lo, self.lo_closed, other.hi, other.hi_closed) and _before(
            other.lo, other.lo_closed, self.hi, self.hi_closed
        )


def _reaches(
    end: Fraction | None, closed: bool, other: Fraction | None, other_closed: bool, sign: int
) -> bool:
    """Return True if an end lies at another end or beyond it."""
    if end is None:
        return True
    if other is None:
        return False
    return sign * end < sign * other or (end == other and (closed or not other_closed))


def _before(lo: Fraction | None, lo_closed: bool, hi: Fraction | None, hi_closed: bool) -> bool:
    if lo is None or hi is None:
        return True
    return lo < hi or (lo == hi and lo_closed and hi_closed)


_JOINT = phrases(r"[\s,、;]*(?:{limits-joint})?[\s,、]*")
_TOLERANCE = re.compile(r"\s?(?:±|\+/-|\+-)\s?")
_ABOUT_BEFORE = phrases(r"(?:{<about}) ?$")
_ABOUT_AFTER = phrases(r" ?(?:{about-after})")


def find_amounts(
    text: str, quantities: Sequence[Quantity], limits: Sequence[Hit]
) -> tuple[Amount, ...]:
    """Return the amounts of a folded text, in order, without dates; two ends form one amount."""
    items = [
        q
        for q in quantities
        if q.certainty in ("exact", "stated")
        and not q.ordinal
        and not q.is_token
        and not q.identifier
        and not q.is_date
        and _VALUE.fullmatch(q.key)
    ]
    found: list[Amount] = []
    at = 0
    while at < len(items):
        first = items[at]
        second = items[at + 1] if at + 1 < len(items) else None
        kind = "" if second is None else _joined(text, first, second, limits)
        if second is not None and kind:
            found.append(_pair(text, first, second, kind, limits))
        else:
            found.append(_single(text, first, limits))
        at += 2 if kind else 1
    return tuple(found)


def _reach(item: Quantity) -> int:
    return max(item.end, item.reach)


def _joined(text: str, first: Quantity, second: Quantity, limits: Sequence[Hit]) -> str:
    """Return "range" or "tolerance" if two numbers make one amount, else an empty text."""
    if _reach(first) > second.start:
        return ""
    between = text[_reach(first) : second.start]
    if first.unit and second.unit and not _share_unit(first, second):
        return ""
    if _TOLERANCE.fullmatch(between):
        return "tolerance"
    ranged = first.ranged and second.ranged
    bounded = (first.limit.lstrip("~")[:1], second.limit.lstrip("~")[:1]) in (
        (">", "<"),
        ("<", ">"),
    )
    if not bounded or first.ranged != second.ranged:
        return ""
    if ranged:
        return "range"
    if first.unit and not second.unit and text[second.start].isalpha():
        return ""  # "shorter than 380 nm and two or more lamps"
    words = [hit for hit in limits if _reach(first) <= hit.start and hit.end <= second.start]
    for hit in reversed(words):
        start, end = hit.start - _reach(first), hit.end - _reach(first)
        between = between[:start] + between[end:]
    return "range" if _JOINT.fullmatch(between) else ""


def _share_unit(first: Quantity, second: Quantity) -> bool:
    one, other = _measured(first)[1], _measured(second)[1]
    return one.dimension == other.dimension and (
        one.basis == other.basis or not (one.basis and other.basis)
    )


def _measured(item: Quantity, unit: str | None = None) -> tuple[Fraction, UnitMeaning]:
    measured = in_base_unit(item.key, item.unit or unit)
    value, meaning = measured or (Fraction(item.key), _NO_UNIT)
    return (-value if item.negative else value), meaning


def _pair(text: str, first: Quantity, second: Quantity, kind: str, limits: Sequence[Hit]) -> Amount:
    unit = second.unit or first.unit
    (one, meaning), (other, last) = (_measured(q, unit) for q in (first, second))
    meaning = last if last.basis else meaning
    start, end = _with_words(first.start, _reach(second), limits)
    symbol = unit or ""
    shown = f"{_number(first)}–{_number(second)} {symbol}".strip()
    about = _is_about(text, first)
    if kind == "tolerance":
        shown = f"{_number(first)} ± {_number(second)} {symbol}".strip()
        low, high, closed = one - other, one + other, (True, True)
        return Amount(start, end, low, high, *closed, about, meaning, symbol, shown)
    if first.limit.lstrip("~").startswith("<"):
        first, second, one, other = second, first, other, one
    closed = first.limit != ">", second.limit != "<"
    if not first.ranged:
        shown = f"{_number(first)} {'≤' if closed[0] else '<'} … {'≤' if closed[1] else '<'} "
        shown = f"{shown}{_number(second)} {symbol}".strip()
    return Amount(start, end, one, other, *closed, about, meaning, symbol, shown)


_MARKS = {">": ">", ">=": "≥", "<": "<", "<=": "≤", "~>": ">", "~<": "<", "": ""}


def _single(text: str, item: Quantity, limits: Sequence[Hit]) -> Amount:
    value, meaning = _measured(item)
    limit = "" if item.ranged else item.limit.lstrip("~")
    start, end = (
        _with_words(item.start, _reach(item), limits) if limit else (item.start, _reach(item))
    )
    shown = f"{_MARKS[item.limit if limit else '']} {_number(item)} {item.unit or ''}".strip()
    amount = Amount(
        start, end, value, value, True, True, _is_about(text, item), meaning, item.unit or "", shown
    )
    if limit.startswith(">"):
        return replace(amount, hi=None, lo_closed=limit != ">")
    return replace(amount, lo=None, hi_closed=limit != "<") if limit else amount


def _number(item: Quantity) -> str:
    return f"{'-' if item.negative else ''}{item.key}"


def _is_about(text: str, item: Quantity) -> bool:
    before = _ABOUT_BEFORE.search(text, max(0, item.start - 16), item.start)
    return bool(before or _ABOUT_AFTER.match(text, _reach(item)))


def _with_words(start: int, end: int, limits: Sequence[Hit]) -> tuple[int, int]:
    """Return a place together with the words of limits beside it."""
    for hit in limits:
        if hit.row.group == "limit-pre" and 0 <= start - hit.end <= _BEFORE:
            start = min(start, hit.start)
        elif hit.row.group == "limit-post" and 0 <= hit.start - end <= _AFTER:
            end = max(end, hit.end)
    return start, end


_BEFORE, _AFTER = 12, 6
