"""Limits that several words state together: negated, or with the end included.

A negation beside a comparison reverses it and is consumed: "cannot be less than 5" is ≥ 5,
5mmを超えることはない is ≤ 5 mm. "Equal to or" includes the end: "at or above 5" is ≥ 5. The forms
in ``words.tsv`` state the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from patmark.facts.lexicon import Hit, find_words, phrases
from patmark.languages import Row, kept_in_workspace, language as pack_of

_TURNED = {">=": "<", "<": ">=", ">": "<=", "<=": ">"}
_CLOSED = {">": ">=", "<": "<="}
_FARTHEST = 40
_NUMBER = re.compile(r"\d")  # "not within the range" limits nothing
_TEXTS_KEPT = 1 << 13

_AMOUNT = r"(?:about |approximately )?[\d.,]+ ?[A-Za-zμ°%/Ω]{0,8}"
# between a negation and a comparison after it
_NOT_BEFORE = phrases(
    rf"(?:{{not-before}})\s+(?:(?:{{not-before-verb}})\s+){{0,4}}(?:{_AMOUNT}\s*)?"
)
_REVERSES = phrases("{not-reverses}")
# from a comparison to a negation after it
_NOT_AFTER = phrases("(?:{not-after})?")
_NOUN_PREFIX = phrases("{negative-prefix}")
_NEED_NOT = phrases("{need-not}")
_OR_EQUAL = phrases("(?:{or-equal})$")


@cache
def _as(row: Row, identity: str) -> Row:
    return replace(row, id=identity)


@kept_in_workspace(_TEXTS_KEPT)
def stated_words(text: str, language: str) -> tuple[Hit, ...]:
    """Return the words of the table in a folded text, with limits as meant in their phrase."""
    return tuple(_composed(text, language, find_words(text, language)))


def _composed(text: str, language: str, hits: Sequence[Hit]) -> Sequence[Hit]:
    limits = [hit for hit in hits if hit.row.group.startswith("limit")]
    if not limits:
        return hits
    negations = [hit for hit in hits if hit.row.group == "negation" and hit.row.sure]
    used: set[Hit] = set()
    composed: dict[Hit, Hit] = {}
    for hit in limits:
        start, end, identity = hit.start, hit.end, hit.row.id
        before = max(0, start - _FARTHEST)
        joint = _OR_EQUAL.of(language)
        if identity in _CLOSED and joint and (found := joint.search(text, before, start)):
            start, identity = found.start(), _CLOSED[identity]
        negated = _negation(text, language, start, end, negations)
        if negated is not None and (hit.row.sure or _NUMBER.search(text, end, end + _FARTHEST)):
            identity = _TURNED[identity]
            used.update(one for one in negations if negated[0] <= one.start < negated[1])
            if hit.row.group == "limit-pre":
                start = min(start, negated[0])
            else:
                end = max(end, negated[1])
        if identity != hit.row.id:
            composed[hit] = Hit(start, end, _as(hit.row, identity))
    if not composed:
        return hits
    spans = [(one.start, one.end) for one in composed.values()]
    used.update(
        hit for hit in hits if hit.row.group == "or" and any(a <= hit.start < b for a, b in spans)
    )
    return sorted((composed.get(hit, hit) for hit in hits if hit not in used), key=_place)


def _place(hit: Hit) -> tuple[int, int]:
    return hit.start, hit.end


def _negation(
    text: str, language: str, start: int, end: int, negations: Sequence[Hit]
) -> tuple[int, int] | None:
    """Return the place of a negation that belongs to a comparison."""
    before = _NOT_BEFORE.of(language) or _REVERSES.of(language)
    in_table = bool(pack_of(language).table("words").forms("negation"))
    if before and in_table:
        nearest = next((one for one in reversed(negations) if one.end <= start), None)
        if nearest is None or start - nearest.start > _FARTHEST:
            return None
        return (nearest.start, start) if before.fullmatch(text, nearest.start, start) else None
    if before:
        found = before.finditer(text, max(0, start - _FARTHEST), start)
        return next((match.span() for match in found if match.end() == start), None)
    after = _NOT_AFTER.of(language)
    if after is None:
        return None
    if in_table:
        nearest = next((one for one in negations if one.start >= end), None)
        if nearest is None or _NOUN_PREFIX.match(text, nearest.start):
            return None
        if not after.fullmatch(text, end, nearest.start):
            return None
        return None if _NEED_NOT.match(text, nearest.start) else (end, nearest.end)
    match = after.match(text, end)
    return match.span() if match and match.end() > end else None
