"""Mentions of claims in a claim, and dependence on them by form.

| wording | mentions | depends |
|---|---|---|
| The device of claim 1 | 1 | yes |
| A device according to any one of claims 1 to 3 | 1, 2, 3 | yes, multiple, alternative |
| A method of making the device of claim 1 | 1 | no: another category |
| A vehicle comprising the device of claim 1 | 1 | no: claim 1 is an element |
| 根据权利要求1或2所述的装置; 請求項1又は2に記載の装置 | 1, 2 | yes, multiple, alternative |
| 一种采用权利要求1所述装置的方法; 請求項1に記載の装置を備える車両 (装置と、…を備える) | 1 | no |

A single noun with the mention ("A method according to claim 1", 根据权利要求1所述的方法) suffices
for dependence, regardless of claim 1. A dependent claim has this form, and a change of category is
a fault.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from patmark.claims.categories import ClaimSubject, english_noun
from patmark.claims.model import Reference, TextSpan
from patmark.claims.words import pattern, source, verb_last
from patmark.facts import claim_mentions, claims_meant
from patmark.languages import language as pack_of

_LEAD = re.compile(r"[\W\d_]{0,12}")
_MARK = re.compile(r"(?:\s?\([^()]{1,30}\)\s?)?[.:)\]]")
_ANY_BEFORE = re.compile(r"\b(?:any|either|one)\b(?:\s+(?:one|of|or|more|the|said)){0,4}\s*$", re.I)
# "patent claims 1 to 3" and "claims 1 to 3 of a patent" are objects that the invention processes
_OWN_LINK = re.compile(
    r"\b(?:of|to|in|by|with|per|under|from|and|or|as)\s+(?:(?:any|one|of|the|or|more)\s+)*"
    r"(?:\w+\s+)?\Z",
    re.IGNORECASE,
)
_FOREIGN_BEFORE = re.compile(r"\b(?:patent|patented|published|foreign|dependent|draft)\s+\Z", re.I)
_FOREIGN_AFTER = re.compile(
    r"\s+(?:of|in|from)\s+(?:an?|the|said|each|another|US|U\.S\.|EP|WO|JP|CN)\s*"
    r"(?:[\w-]+\s+){0,2}?(?:patents?|applications?|publications?|documents?|specifications?|\d)",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"[,\s]*(?:\b(?:as|is|are|being)\s+)?\b(?:of|according to|in accordance with|as in|in|to|by|per"
    r"|under|from|with|(?:claimed|recited|defined|described|set forth|set out|specified|stated)\s+"
    r"(?:in|by))\b[\s,]*(?:(?:any|one|at|least|or|more|several|either|of|the|all|both|each|a)\b\s*)*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\b(?:wherein|whereby|characteri[sz]ed|which|that)\b", re.IGNORECASE)
_ELEMENT = re.compile(
    r"\b(?:compris|includ|having|contain|consist|with\b|using|configured|adapted|storing|equipped|"
    r"incorporat|employ)",
    re.IGNORECASE,
)
_INNER = re.compile(
    r"\b(?:an?|the|said|each|every|at least one|one or more|of|for|to|with|in|by|from|on|out|"
    r"comprising|including|having|containing|using|use|storing|(?:perform|execut|implement|mak|"
    r"produc|operat|prepar|manufactur)(?:e|ing)?)\s+",
    re.IGNORECASE,
)
_LONGEST_NOUN = 300
_SHORT_OPENING = 6


@dataclass(frozen=True, slots=True)
class Dependency:
    """The outcome for one claim."""

    refers_to: tuple[int, ...]
    depends_on: tuple[int, ...]
    multiple: bool
    alternative: bool


def find_references(
    plain: str, content: TextSpan, earlier: Collection[int]
) -> tuple[Reference, ...]:
    """Return the mentions of claims; "preceding" claims are those with a number before it."""
    words = plain[content.start : content.end]
    return tuple(
        Reference(
            content.start + start,
            content.start + end,
            tuple(sorted(claims_meant(claims, earlier))),
            isinstance(claims, str),
            _is_alternative(words, start, end),
        )
        for (start, end), claims in claim_mentions(words)
        if not _is_own_mark(words, start, end) and not _is_foreign(words, start, end)
    )


def _is_own_mark(words: str, start: int, end: int) -> bool:
    """Return True if the mention is the head of the claim itself: "Claim 1 (Original): A pump"."""
    return bool(_LEAD.fullmatch(words, 0, start) and _MARK.match(words, end))


def _is_foreign(words: str, start: int, end: int) -> bool:
    """Return True if the claims of another document are meant, or claims as such."""
    if _FOREIGN_AFTER.match(words, end) is not None:
        return True
    before = words[max(0, start - 60) : start]
    return _FOREIGN_BEFORE.search(before) is not None and _OWN_LINK.search(before) is None


def _is_alternative(words: str, start: int, end: int) -> bool:
    return (
        pattern("or").search(words, start, end) is not None
        or _ANY_BEFORE.search(words, max(0, start - 40), start) is not None
        or pattern("any-of-claims").match(words, end) is not None
        or pattern("any-before-claims").search(words, max(0, start - 40), start) is not None
    )


def find_dependency(
    plain: str,
    content: TextSpan,
    references: tuple[Reference, ...],
    own: ClaimSubject,
    known: Mapping[int, ClaimSubject],
    language: str,
) -> Dependency:
    """Return the dependence of a claim on its mentions; ``known`` has the claims before it."""
    refers_to = tuple(sorted({number for item in references for number in item.numbers}))
    if not references:
        return Dependency((), (), False, False)
    first = references[0]
    target = next((known[number] for number in first.numbers if number in known), None)
    if pack_of(language).is_spaced:
        depends = _english_form(plain, content, first, own, target)
    else:
        depends = _cjk_form(plain, content, first, own, target, language)
    return Dependency(
        refers_to,
        first.numbers if depends else (),
        len(first.numbers) > 1,
        len(first.numbers) > 1 and first.alternative,
    )


def _english_form(
    plain: str, content: TextSpan, first: Reference, own: ClaimSubject, target: ClaimSubject | None
) -> bool:
    before = plain[content.start : first.start]
    link = _LINK.search(before, max(0, len(before) - 100))
    noun = " ".join(before[: len(before) if link is None else link.start()].split())
    if _CLAUSE.search(noun) or len(noun) > _LONGEST_NOUN:
        return False
    element = _ELEMENT.search(noun) is not None
    if link is None:
        return not element and len(noun.split()) <= _SHORT_OPENING
    inner = _last_noun(noun)
    if inner is None:
        return True
    if target is None:
        return not element
    if own == target:
        return not element or inner != target.noun
    return not element and _kind_of_thing(own) == _kind_of_thing(target) and inner != target.noun


def _last_noun(noun: str) -> str | None:
    """Return the head of the last noun phrase, when there is more than one."""
    starts = [match.end() for match in _INNER.finditer(noun)]
    if not starts or len(noun[: starts[-1]].split()) < 2:
        return None
    return english_noun(noun[starts[-1] :])


def _kind_of_thing(subject: ClaimSubject) -> str:
    return subject.category if subject.category in ("method", "use") else "thing"


def _cjk_form(
    plain: str,
    content: TextSpan,
    first: Reference,
    own: ClaimSubject,
    target: ClaimSubject | None,
    language: str,
) -> bool:
    """Return True if a claim names its parent as its subject, not as one of its elements."""
    if verb_last(language):
        phrase = pattern("phrase", language).match(plain, first.end, content.end)
        if phrase is not None and pattern("element", language).search(phrase.group()):
            return False
    elif not pattern("dependent-opening", language).fullmatch(plain, content.start, first.start):
        return False
    return (
        target is None
        or _kind_of_thing(own) == _kind_of_thing(target)
        or pattern("dependent-noun", language).match(plain, first.end, content.end) is not None
        or _is_renamed(own, target)
    )


def _is_renamed(own: ClaimSubject, target: ClaimSubject) -> bool:
    """Return True if only the category word of the target differs: 去噪方法 became 去噪装置."""
    names = [_name(one.noun) for one in (own, target)]
    return bool(names[0]) and names[0] == names[1]


def _name(noun: str) -> str:
    """Return a noun after the last mention of a claim, without its category."""
    *_, start = (0, *(match.end() for match in pattern("recited").finditer(noun)))
    name = pattern("a-kind-of").sub("", noun[start:])
    return re.sub(rf"{source('category-word')}\Z", "", name)
