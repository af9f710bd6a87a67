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
from patmark.facts import claim_mentions, claims_meant

_LEAD = re.compile(r"[\W\d_]{0,12}")
_MARK = re.compile(r"(?:\s?\([^()]{1,30}\)\s?)?[.:)\]]")
_ANY_BEFORE = re.compile(r"\b(?:any|either|one)\b(?:\s+(?:one|of|or|more|the|said)){0,4}\s*$", re.I)
_OR_INSIDE = re.compile(
    r"\bany\b|(?<!and/)\bor\b|任|或|いずれ|または|又は|若しくは|もしくは|あるいは",
    re.IGNORECASE,
)
_ANY_AFTER = re.compile(
    r"[项項]?(?:まで|迄)?[のに之的]?(?:其中|[其之]?中|うち|内|なか)?[のに之的]?"
    r"(?:任|いずれ|何れ|どれ|某一|之?一(?![种種])|至少一|少なくとも)"
)
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
_CHINESE_FORM = re.compile(
    r"(?:一[种種])?\s*(?:根据|根據|如|按照|依据|依據|依照|按|据|由|采用如|利用如)?\s*"
    r"(?:上述|前述|以上|前面)?(?:任[一意](?:一?[项項])?)?(?:的|所述的)?\s*"
)
_CHINESE_NOUN = re.compile(
    r"[^，,。；;：:的]{0,8}所述的?(?:制造|制备|製造|製備|生产|控制)?"
    r"(?:方法|工艺|用途|装置|设备|裝置|設備|系统|系統)\s*(?:[，,。；;：:]|\Z)"
)
_JAPANESE_NOUN = re.compile(
    r"[^、。,]{0,10}記載の(?:製造|制御)?(?:方法|装置|システム|使用)\s*(?:[、。,]|\Z)"
)
_JAPANESE_PHRASE = re.compile(r"(?:(?!において|であって)[^、。,])*")
_JAPANESE_ELEMENT = re.compile(
    r"を(?:備|具備|含|有|搭載|用い|使用|製造|実行|実施|構成|利用|内蔵|記録|記憶|備え|コンピュータ)|と$"
)

_RECITED = re.compile("所述的?|記載の")
_A_KIND_OF = re.compile("一[种種]")
_CATEGORY_WORD = re.compile(
    r"(?:方法|工艺|用途|装置|设备|裝置|設備|系统|系統|システム|プログラム|介质|媒体)\Z"
)


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
        _OR_INSIDE.search(words, start, end) is not None
        or _ANY_BEFORE.search(words, max(0, start - 40), start) is not None
        or _ANY_AFTER.match(words, end) is not None
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
    rule = {"zh": _chinese_form, "ja": _japanese_form}.get(language, _english_form)
    depends = rule(plain, content, first, own, target)
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


def _chinese_form(
    plain: str, content: TextSpan, first: Reference, own: ClaimSubject, target: ClaimSubject | None
) -> bool:
    if _CHINESE_FORM.fullmatch(plain, content.start, first.start) is None:
        return False
    return _same_kind(own, target) or bool(
        _CHINESE_NOUN.match(plain, first.end, content.end) or _is_renamed(own, target)
    )


def _japanese_form(
    plain: str, content: TextSpan, first: Reference, own: ClaimSubject, target: ClaimSubject | None
) -> bool:
    phrase = _JAPANESE_PHRASE.match(plain, first.end, content.end)
    if phrase is not None and _JAPANESE_ELEMENT.search(phrase.group()):
        return False
    return _same_kind(own, target) or bool(
        _JAPANESE_NOUN.match(plain, first.end, content.end) or _is_renamed(own, target)
    )


def _is_renamed(own: ClaimSubject, target: ClaimSubject | None) -> bool:
    """Return True if only the category word of the target differs: 去噪方法 became 去噪装置."""
    if target is None:
        return False
    names = [_name(one.noun) for one in (own, target)]
    return bool(names[0]) and names[0] == names[1]


def _name(noun: str) -> str:
    """Return a noun after the last mention of a claim, without its category."""
    *_, start = (0, *(match.end() for match in _RECITED.finditer(noun)))
    return _CATEGORY_WORD.sub("", _A_KIND_OF.sub("", noun[start:]))


def _same_kind(own: ClaimSubject, target: ClaimSubject | None) -> bool:
    return target is None or _kind_of_thing(own) == _kind_of_thing(target)
