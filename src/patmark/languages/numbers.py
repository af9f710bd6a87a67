"""Number words: the exact values that readers of the packs give, and what they get from facts.

A pack with number words has a module ``numerals`` with ``number_words(text, read)``, which yields
the numbers of a folded text that are written in words, in any order.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Literal, Protocol, TypeAlias, TypeVar

Certainty: TypeAlias = Literal["exact", "stated", "possible", "faint"]


class PlacedNumber(Protocol):
    """A number at a place of a text."""

    @property
    def start(self) -> int:
        """Its first place."""
        ...

    @property
    def end(self) -> int:
        """The place behind it."""
        ...

    @property
    def certainty(self) -> Certainty:
        """The certainty that the words are a number."""
        ...


Read = TypeVar("Read", bound=PlacedNumber)


class NumberReader(Protocol[Read]):
    """The units, signs and quantities of facts, for the readers of number words."""

    def unit(self, text: str, at: int) -> tuple[str, int] | None:
        """Return the whole unit at a place and its end."""
        ...

    def simple_unit(self, text: str, at: int) -> tuple[str, int] | None:
        """Return the unit without divisor at a place and its end."""
        ...

    def sign(self, text: str, start: int, end: int) -> tuple[bool | None, int]:
        """Return True for a negative number, None if that is open; and its start."""
        ...

    def quantity(
        self,
        start: int,
        end: int,
        key: str,
        certainty: Certainty = "exact",
        unit: str | None = None,
        negative: bool | None = False,
        *,
        ordinal: bool = False,
        reach: int = 0,
        groups: tuple[str, ...] = (),
    ) -> Read:
        """Return a number with its value as plain digits."""
        ...

    def measured(self, text: str, start: int, end: int, key: str, unit: tuple[str, int]) -> Read:
        """Return a number with the unit behind it and a divisor before it."""
        ...

    def with_sign(self, item: Read, negative: bool | None) -> Read:
        """Return a number with another sign."""
        ...


def covered(items: Iterable[PlacedNumber]) -> set[int]:
    """Return the places that numbers take up."""
    return {place for item in items for place in range(item.start, item.end)}


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


def plain_value(digits: str) -> str:
    """Return a value without separators, leading or trailing zeros: 1,000.50 → 1000.5."""
    whole, _, decimals = digits.replace(",", "").partition(".")
    decimals = decimals.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{decimals}" if decimals else "")
