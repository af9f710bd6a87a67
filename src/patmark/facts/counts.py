"""Numbers of things in words and numerals, and lengths of time in words.

| written | interval |
|---|---|
| a plurality of, several, a number of, 多个, 複数の | [2, ∞) |
| at least one, one or more, 至少一个, 一つ以上 | [1, ∞) |
| more than one, 多于一个 | [2, ∞) |
| at least ten; more than three | [10, ∞); [4, ∞) |
| hourly, every hour, 每小时, 1時間ごと | 3,600 s |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from patmark.facts.amounts import Amount
from patmark.facts.lexicon import Hit, forms_of, phrases
from patmark.facts.quantities import Quantity
from patmark.facts.units import in_base_unit

_TWO = Fraction(2)
_BEFORE, _AFTER = 1, 3  # characters between "one" and its limit: at least one, 1个以上
_COUNTER = phrases("{counter-of-one}")
_PAIR = phrases("{<pair>}")


class Count(NamedTuple):
    """A number of things as an interval of whole numbers; its place is that of the words."""

    start: int
    end: int
    amount: Amount
    in_words: bool


def find_counts(
    text: str, words: Sequence[Hit], quantities: Sequence[Quantity], amounts: Sequence[Amount]
) -> tuple[Count, ...]:
    """Return the numbers of things of a text, in order."""
    found = [*_of_one(words, quantities), *_of_many(words)]
    found += [Count(a.start, a.end, whole(a), in_words=False) for a in amounts if not a.symbol]
    longest = sorted(found, key=lambda one: one.start - one.end)
    kept: list[Count] = []
    for one in longest:
        if not any(one.start < other.end and other.start < one.end for other in kept):
            kept.append(one)
    return tuple(one._replace(end=_after_counter(text, one.end)) for one in sorted(kept))


def _after_counter(text: str, end: int) -> int:
    """Return the end of a number with its counter: 多于一个."""
    return end + 1 if _COUNTER.match(text, end) else end


def whole(amount: Amount) -> Amount:
    """Return a number without unit with closed ends: more than three is at least four."""
    if amount.symbol:
        return amount
    low, high = amount.lo, amount.hi
    if low is not None and not amount.lo_closed and low.denominator == 1:
        amount = replace(amount, lo=low + 1, lo_closed=True)
    if high is not None and not amount.hi_closed and high.denominator == 1:
        amount = replace(amount, hi=high - 1, hi_closed=True)
    return amount


def _of_many(words: Sequence[Hit]) -> Iterator[Count]:
    for hit in words:
        if (hit.row.group, hit.row.id) == ("count", "MANY"):
            yield _at_least(_TWO, hit.start, hit.end)


def _of_one(words: Sequence[Hit], quantities: Sequence[Quantity]) -> Iterator[Count]:
    """Yield "one" with a limit: at least one, one or more, more than one."""
    for item in quantities:
        if item.key != "1" or item.unit:
            continue
        for hit in words:
            if (hit.row.group, hit.row.id) == ("scope", "SOME"):
                if hit.start <= item.start < hit.end:
                    yield _at_least(Fraction(1), hit.start, hit.end)
            elif hit.row.id in (">", ">=") and _is_beside(hit, item):
                least = Fraction(1 if hit.row.id == ">=" else 2)
                yield _at_least(least, min(hit.start, item.start), max(hit.end, item.end))


def _is_beside(limit: Hit, item: Quantity) -> bool:
    """Return True if a limit stands right before a number, or right after its counter."""
    if limit.row.group == "limit-pre":
        return 0 <= item.start - limit.end <= _BEFORE
    return limit.row.group == "limit-post" and 0 <= limit.start - item.end <= _AFTER


def _at_least(least: Fraction, start: int, end: int) -> Count:
    return Count(start, end, Amount(start, end, least, None), in_words=True)


def states_in_words(text: str, counts: Sequence[Count], amount: Amount) -> bool:
    """Return True if a text states an amount in words: a plurality, a pair, hourly."""
    if not amount.symbol:
        if amount.lo == amount.hi == _TWO:
            return _PAIR.search(text) is not None
        return any(one.in_words and one.amount.relation(whole(amount)) == "equal" for one in counts)
    return amount.lo == amount.hi and any(
        (amount.lo, amount.unit) == in_base_unit("1", unit) and pattern.search(text) is not None
        for unit, pattern in _periods().items()
    )


@cache
def _periods() -> dict[str, re.Pattern[str]]:
    """Return the phrases for once in a unit of time, by unit."""
    return {
        unit: re.compile("|".join(forms), re.IGNORECASE)
        for unit, forms in forms_of("period", subject="facts").items()
    }
