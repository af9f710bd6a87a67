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

from patmark.facts.lexicon import Hit, find_words
from patmark.languages import Row, kept_in_workspace

_TURNED = {">=": "<", "<": ">=", ">": "<=", "<=": ">"}
_CLOSED = {">": ">=", "<": "<="}
_FARTHEST = 40
_NUMBER = re.compile(r"\d")  # "not within the range" limits nothing
_TEXTS_KEPT = 1 << 13

_AMOUNT = r"(?:about |approximately )?[\d.,]+ ?[A-Za-zμ°%/Ω]{0,8}"
# between a negation and a comparison after it
_NOT_BEFORE = {
    "en": re.compile(
        r"(?:\b(?:not|never|cannot|without|nor|no)|\w*n't)\s+(?:(?:to|be|been|being|have|has|having|fall"
        r"(?:s|ing)?|go(?:es)?|going|drop(?:s|ping)?|rise[sn]?|rising|sink|lie|extend|become|equal|or"
        r"|in|at|at any time|a|of|any|set to|reach|contain(?:s|ing)?|comprise|include|use)\s+){0,4}"
        rf"(?:{_AMOUNT}\s*)?",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?:从未|并未|并不|决不|绝不|从不|尚未|不|未|没有|没|勿)"
        r"(?:得|应该?|能够?|可以?|会|宜|要|该|曾|再|允许|许|致|至于|至|准|使其?|让其?|将其?){0,2}"
        r"|(?:防止|避免|禁止)[^,;。、\d]{0,10}"  # 防止间隙超过0.2mm
    ),
    "de": re.compile(r"\bnicht\s+(?:\w+\s+)?", re.IGNORECASE),
    "fr": re.compile(r"\b(?:pas|non|jamais)\s+(?:être\s+)?", re.IGNORECASE),
}
# from a comparison to a negation after it
_NOT_AFTER = {
    "ja": re.compile(r"(?:(?!しか)[ぁ-はぱ-ろわん]|事|成|為|は){0,9}"),
    "ko": re.compile(r"(?:하|되|크|작|높|낮|[이가은는을를 ])*(?:지 ?(?:않|아니|못)|[이가]? ?아니)"),
}
_MAY_BE_OTHERWISE = re.compile(r"な?く?(?:て|と)も(?:よ|良|構|かまわ|差し支え)")
_OR_EQUAL = {
    "en": re.compile(
        r"(?:\b(?:equal(?:s|ing|ling)?(?: to)?|the same as|at|on|meet(?:s|ing)?|reach(?:es|ing)?"
        r"|match(?:es|ing)?|either equal to),? or (?:is |be )?)$",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?:等[于於]|达到?|满|至|相等|相同)(?:、|,)?(?:或者?|和|及|并|以及)(?:是|者)?$"
    ),
    "de": re.compile(r"(?:gleich(?: zu)?|bei) oder $", re.IGNORECASE),
    "fr": re.compile(r"(?:égale?s?(?: à)?) ou $", re.IGNORECASE),
}


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
        joint = _OR_EQUAL.get(language)
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


_PREFIXES = "非不無未"  # of the noun that follows: 20ppm以下である非水電解液


def _negation(
    text: str, language: str, start: int, end: int, negations: Sequence[Hit]
) -> tuple[int, int] | None:
    """Return the place of a negation that belongs to a comparison."""
    if pattern := _NOT_BEFORE.get(language):
        if language in ("en", "zh"):
            nearest = next((one for one in reversed(negations) if one.end <= start), None)
            if nearest is None or start - nearest.start > _FARTHEST:
                return None
            return (nearest.start, start) if pattern.fullmatch(text, nearest.start, start) else None
        for match in pattern.finditer(text, max(0, start - _FARTHEST), start):
            if match.end() == start:
                return match.span()
        return None
    after = _NOT_AFTER.get(language)
    if after is None:
        return None
    if language == "ja":
        nearest = next((one for one in negations if one.start >= end), None)
        if nearest is None or text[nearest.start] in _PREFIXES:
            return None
        if not after.fullmatch(text, end, nearest.start):
            return None
        return None if _MAY_BE_OTHERWISE.match(text, nearest.start) else (end, nearest.end)
    found = after.match(text, end)
    return None if found is None else found.span()
