"""Ranges of values: in order, within those of the parent claim, and stated in the description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from patmark.claims.lint.rule import Found, LintContext, found, shown
from patmark.claims.model import ParsedClaim
from patmark.claims.words import pattern, word_list
from patmark.facts import Amount, facts_of

# "within 20 angstroms of the median" is a difference
_DIFFERENCE = re.compile(r"\bwithin\s[^,;]{1,25}\sof\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_HAN_PAIR = re.compile(r"(?=([\u3041-\u9fff]{2}))")
_FILLERS = word_list("range-fillers")
_FACTOR_SIGNS = frozenset("*×·")
_REACH = 160
_NEAR = 60
_FEW = 2
_ALIKE = 0.75  # a parent may word the subject of a range with one word in four otherwise


def reversed_range(context: LintContext) -> Iterator[Found]:
    """Find lower limits above the upper ones."""
    for claim, amount in _amounts(context):
        if amount.lo is None or amount.hi is None or amount.lo <= amount.hi:
            continue
        before = context.plain[max(claim.content.start, amount.start - 60) : amount.start]
        if not pattern("change").search(before) and not _is_factor(context, amount):
            yield found(claim, amount, text=amount.shown)


def _is_factor(context: LintContext, amount: Amount) -> bool:
    """Return True if a factor is next to a number: "0.8*10 5 Pa", its exponent flattened."""
    before = context.plain[: amount.start].rstrip()[-1:]
    return before in _FACTOR_SIGNS or context.plain[amount.end :].lstrip()[:1] in _FACTOR_SIGNS


def wider_range(context: LintContext) -> Iterator[Found]:
    """Find ranges of dependent claims that exceed the range of a parent claim."""
    for claim, amount in _amounts(context):
        if claim.dependent:
            item = _exceeded(context, claim, amount)
            if item is not None:
                parent, range_above = item
                yield found(
                    claim,
                    amount,
                    text=amount.shown,
                    text2=range_above.shown,
                    number=parent.shown_number,
                )


def _exceeded(
    context: LintContext, claim: ParsedClaim, amount: Amount
) -> tuple[ParsedClaim, Amount] | None:
    """Return the amount of the same thing in a parent claim that does not contain an amount."""
    words = _subject(context, claim, amount)
    if _DIFFERENCE.search(context.plain, max(0, amount.start - 12), amount.end + 3):
        return None
    if not words or not _is_alone(context, claim, amount):
        return None
    for parent in context.claims.ancestors(claim.shown_number):
        alike = [
            one
            for one in context.amounts(parent)
            if one.unit == amount.unit
            and _is_alone(context, parent, one)
            and _is_alike(words, _subject(context, parent, one))
        ]
        if alike and not any(one.contains(amount) or _narrows(one, amount) for one in alike):
            return parent, alike[0]
    return None


def _narrows(above: Amount, amount: Amount) -> bool:
    """Return True if the one limit of an amount lies within a range: "at least 9.5" in 9 to 12."""
    if above.lo is None or above.hi is None or (amount.lo is None) == (amount.hi is None):
        return False
    limit = amount.hi if amount.lo is None else amount.lo
    return limit is not None and above.lo < limit < above.hi


def _is_alone(context: LintContext, claim: ParsedClaim, amount: Amount) -> bool:
    """Return True unless a claim is a list of amounts in one unit, such as a composition."""
    return sum(one.unit == amount.unit for one in context.amounts(claim)) <= _FEW


def _subject(context: LintContext, claim: ParsedClaim, amount: Amount) -> frozenset[str]:
    """Return the content words of the clause before an amount, without numbers of claims."""
    start = max(
        [claim.content.start, amount.start - _REACH, *_clause_starts(context, claim, amount)]
    )
    words = pattern("reference-mark").sub(" ", context.plain[start : amount.start].lower())
    parts = _WORD if context.claims.is_spaced else _HAN_PAIR
    return frozenset(parts.findall(words)) - _FILLERS


def _clause_starts(context: LintContext, claim: ParsedClaim, amount: Amount) -> Iterator[int]:
    for mark in word_list("clause-starts"):
        place = context.plain.rfind(mark, claim.content.start, amount.start)
        if place >= 0 and amount.start - place > len(mark) + 2:
            yield place + len(mark)
    yield from (item.end for item in claim.references if item.end <= amount.start)


def _is_alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= _ALIKE * len(words) if others else False


def nested_range(context: LintContext) -> Iterator[Found]:
    """Find a preferred range inside another one in the same claim."""
    for claim in context.live:
        last: Amount | None = None
        for amount in context.amounts(claim):
            if last is not None and last.contains(amount) and last.symbol == amount.symbol:
                between = context.plain[last.end : amount.start]
                if len(between) < _NEAR and pattern("preferred").search(between):
                    yield found(claim, amount, text=amount.shown)
            last = amount


def unsupported_number(context: LintContext) -> Iterator[Found]:
    """Find limits of ranges that the description does not state."""
    described = _ends(facts_of(context.description or "", context.claims.language).amounts)
    reported: set[str] = set()
    for claim, amount in _amounts(context):
        ends = {end for end in (amount.lo, amount.hi) if end is not None}
        absent = {(amount.unit, end) for end in ends} - described
        if absent and amount.shown not in reported:
            reported.add(amount.shown)
            yield found(claim, amount, text=shown(amount.shown))


def _ends(amounts: list[Amount] | tuple[Amount, ...]) -> set[tuple[object, Fraction]]:
    return {(one.unit, end) for one in amounts for end in (one.lo, one.hi) if end is not None}


def _amounts(context: LintContext) -> Iterator[tuple[ParsedClaim, Amount]]:
    for claim in context.live:
        for amount in context.amounts(claim):
            yield claim, amount
