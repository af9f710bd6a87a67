"""Comparison of amounts in texts of one language: a draft with its reference, claims with a text.

Amounts are matched at least cost: equal ones first, then by the words of their clauses, then by
order. An interval that another contains is narrower.
"""

from __future__ import annotations

from collections.abc import Sequence

from patmark.facts.amounts import Amount
from patmark.facts.differences import Difference, FindingCertainty, least_cost_pairs
from patmark.facts.texts import TextFacts
from patmark.wording import tr

AmountPair = tuple[Amount | None, Amount | None]


def match_amounts(reference: TextFacts, draft: TextFacts) -> list[AmountPair]:
    """Return the amounts of two texts of one language in pairs, or alone without a counterpart.

    Amounts of the same unit are paired if they are equal or if their clauses share a word.
    """
    ours, theirs = reference.amounts, draft.amounts
    size, other_size = max(1, len(ours)), max(1, len(theirs))

    def cost(row: int, column: int) -> float | None:
        one, other = ours[row], theirs[column]
        relation = one.relation(other)
        shared = _shared(one, other)
        if one.unit != other.unit or (relation != "equal" and not shared):
            return None
        order = abs(row / size - column / other_size)
        return 4 * (relation != "equal") + 2 * (1 - shared) + order

    table = [[cost(row, column) for column in range(len(theirs))] for row in range(len(ours))]
    pairs = least_cost_pairs(table)
    matched: list[AmountPair] = [(ours[row], theirs[column]) for row, column in pairs]
    rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
    matched += [(one, None) for row, one in enumerate(ours) if row not in rows]
    return matched + [(None, one) for column, one in enumerate(theirs) if column not in columns]


def _shared(one: Amount, other: Amount) -> float:
    """Return the share of words that the clauses of two amounts have in common."""
    fewer = min(len(one.anchor), len(other.anchor))
    return len(one.anchor & other.anchor) / fewer if fewer else 0.0


def compare_drafts(reference: TextFacts, draft: TextFacts) -> list[Difference]:
    """Return the amounts of a draft that differ from its reference in the same language.

    The slot is narrower, broader, overlapping or disjoint; "presence" marks an amount that only one
    text has.
    """
    found: list[Difference] = []
    for ours, theirs in match_amounts(reference, draft):
        if ours is not None and theirs is not None:
            relation = ours.relation(theirs)
            if relation != "equal":
                message = tr("{old} became {new}", old=ours.shown, new=theirs.shown)
                places = reference.span(ours.start, ours.end), draft.span(theirs.start, theirs.end)
                found.append(Difference("number", relation, message, *places, facts=2))
        elif ours is not None:
            problem = tr("is not in the draft")
            message = tr("{number} {problem}", number=ours.shown, problem=problem)
            place = reference.span(ours.start, ours.end)
            found.append(Difference("number", "presence", message, place, None, "likely"))
        elif theirs is not None:
            problem = tr("is not in the reference")
            message = tr("{number} {problem}", number=theirs.shown, problem=problem)
            place = draft.span(theirs.start, theirs.end)
            found.append(Difference("number", "presence", message, None, place, "likely"))
    return found


_FEW_WORDS = 0.34


def compare_support(claims: TextFacts, description: TextFacts) -> list[Difference]:
    """Return the amounts of claims that no amount of the description contains.

    The comparison goes one way: the description may state more. The slot is "value" if the
    description states other values of the same thing, with their place, else "presence".
    """
    found: list[Difference] = []
    for amount in claims.amounts:
        same_unit = [one for one in description.amounts if one.unit == amount.unit]
        if any(one.contains(amount) for one in same_unit) or _is_spanned(amount, same_unit):
            continue
        place = claims.span(amount.start, amount.end)
        if not amount.symbol:
            if amount.lo is None or amount.hi is None or amount.lo != amount.hi:
                found.append(_unsupported(amount, place, "possible"))
            continue
        nearest = max(same_unit, key=lambda one: _shared(amount, one), default=None)
        if nearest is None or _shared(amount, nearest) < _FEW_WORDS:
            found.append(_unsupported(amount, place, "likely"))
            continue
        message = tr("the description states {new}, not {old}", new=nearest.shown, old=amount.shown)
        other = description.span(nearest.start, nearest.end)
        found.append(Difference("number", "value", message, place, other, "likely"))
    return found


def _unsupported(amount: Amount, place: tuple[int, int], certainty: FindingCertainty) -> Difference:
    problem = tr("is not in the description")
    message = tr("{number} {problem}", number=amount.shown, problem=problem)
    return Difference("number", "presence", message, place, None, certainty)


def _is_spanned(amount: Amount, others: Sequence[Amount]) -> bool:
    """Return True if other amounts state both ends: 5 to 10 by "at least 5" and "at most 10"."""
    if amount.lo is None or amount.hi is None or amount.lo == amount.hi:
        return False
    ends = {(one.lo, one.hi) for one in others}
    lower = any(low == amount.lo for low, _ in ends)
    return lower and any(high == amount.hi for _, high in ends)
