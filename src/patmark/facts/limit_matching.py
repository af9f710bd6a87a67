"""Comparison of the limits of equal quantities."""

from __future__ import annotations

import re

from patmark.facts.differences import Difference, FactComparison, Span
from patmark.facts.quantities import Quantity
from patmark.facts.texts import TextFacts
from patmark.facts.word_features import words_of
from patmark.wording import tr

_SHOWN = {">=": "≥", ">": ">", "<=": "≤", "<": "<", "~>": ">", "~<": "<"}


def compare_limits(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare the limits of equal quantities: ≥ 85 % must not become ≤ 85 %, nor > 85 %."""
    differences: list[Difference] = []
    kept = 0
    for ours, theirs in source.matched(target).pairs:
        if not ours.limit and not theirs.limit:
            continue
        if _limits_agree(ours, theirs) or _is_extreme(source, ours, target, theirs):
            kept += 1
            continue
        number = f"{ours.key}{f' {ours.unit}' if ours.unit else ''}"
        message = tr(
            "{old} became {new}",
            old=f"{_SHOWN.get(ours.limit, '=')} {number}",
            new=f"{_SHOWN.get(theirs.limit, '=')} {number}",
        )
        reach_ours, reach_theirs = max(ours.end, ours.reach), max(theirs.end, theirs.reach)
        differences.append(
            Difference(
                "limit",
                _limit_slot(ours.limit, theirs.limit),
                message,
                source.span(*_with_limit_word(source, ours.start, reach_ours)),
                target.span(*_with_limit_word(target, theirs.start, reach_theirs)),
                "sure" if ours.limit and theirs.limit else "likely",
            )
        )
    return FactComparison(kept, differences)


def _is_extreme(source: TextFacts, ours: Quantity, target: TextFacts, theirs: Quantity) -> bool:
    """Return True if a noun states the limit that one number lacks: the maximum force is 70 N."""
    if bool(ours.limit) == bool(theirs.limit):
        return False
    facts, limit = (target, ours.limit) if ours.limit else (source, theirs.limit)
    extreme = "MINIMUM" if ">" in limit else "MAXIMUM"
    return bool(words_of(facts, "extreme", extreme))


def _limit_slot(ours: str, theirs: str) -> str:
    if not ours or not theirs:
        return "presence"
    return "end" if ours.lstrip("~")[0] == theirs.lstrip("~")[0] else "direction"


def _limits_agree(ours: Quantity, theirs: Quantity) -> bool:
    """Return True if two limits may be the same; an end of a range is weak evidence."""
    if ours.ranged or theirs.ranged:
        return True
    if not ours.limit or not theirs.limit:
        return "~" in ours.limit + theirs.limit or ours.unit is None or theirs.unit is None
    if "~" in ours.limit + theirs.limit:
        return ours.limit.lstrip("~")[0] == theirs.limit.lstrip("~")[0]
    return ours.limit == theirs.limit


_OTHER_LIMIT = re.compile(r"[\d,;。]")


def _with_limit_word(facts: TextFacts, start: int, end: int) -> Span:
    """Return the place of a quantity together with the word that limits it."""
    for hit in facts.words:
        if hit.row.group == "limit-pre" and 0 <= start - hit.end <= 25:
            start = start if _OTHER_LIMIT.search(facts.text, hit.end, start) else hit.start
        elif hit.row.group == "limit-post" and 0 <= hit.start - end <= 14:
            return start, end if _OTHER_LIMIT.search(facts.text, end, hit.start) else hit.end
    return start, end
