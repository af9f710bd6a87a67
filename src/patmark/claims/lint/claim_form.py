"""The form of a claim: subject, verb, category, status and place in the set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from patmark.claims.lint.rule import Check, Found, LintContext, every_match, found, shown
from patmark.claims.model import ParsedClaim, TextSpan
from patmark.languages import has_cjk
from patmark.wording import tr

_NO_SUBJECT = re.compile(
    r"\W*(?:compris(?:ing|es)|consist(?:ing|s)\s+of|wherein|which|that\s+compris|characteri[sz]ed|including"
    r"|having)\b|\W*(?:包括|包含|其特征|其中|具有|由)",
    re.IGNORECASE,
)


def _no_preamble(context: LintContext) -> Iterator[Found]:
    """Find claims that begin with the transition."""
    for claim in context.live:
        match = _NO_SUBJECT.match(context.plain, claim.content.start, claim.content.end)
        if match is not None:
            message = tr(
                'the claim begins with "{text}"; say first what is claimed',
                text=shown(match.group()),
            )
            yield found(claim, match, message)


_FINITE = re.compile(
    r"\s*,?\s*(?:(?:and\s+)?(?P<verb>(?:further|also|additionally)\s+(?:comprises|includes|contains|has|comprise|include)"
    r"|(?:comprises|includes|contains|is|are|has)\b)(?!\s+in\s+claim))",
    re.IGNORECASE,
)


def _finite_verb(context: LintContext) -> Iterator[Found]:
    """Find "The pump of claim 1 further comprises": a sentence about the claim, not a claim."""
    for claim in context.live:
        if not claim.dependent or not claim.references:
            continue
        match = _FINITE.match(context.plain, claim.references[0].end, claim.content.end)
        if match is not None:
            place = TextSpan(match.start("verb"), match.end("verb"))
            message = tr(
                '"{text}" makes the claim a statement; use "comprising" or "wherein"',
                text=shown(match["verb"]),
            )
            yield found(claim, place, message)


_MAIN_CLAUSE = re.compile(
    r"\s*,\s*(?P<clause>(?:the|said|each|an?)\s+(?:[\w-]+\s+(?:\([^()]{1,12}\)\s*)?){1,6}?"
    r"(?P<verb>is|are|has|have|comprises?|includes?|consists?|contains?|extends?|was|were|forms?|lies?)\s+(?!being\b))",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"\b(?:wherein|which|that|where|whereby|when|if|while|having|being|who|whose|so|such)\b", re.I
)


def _no_wherein(context: LintContext) -> Iterator[Found]:
    """Find "The pump of claim 1, the lid is red": a clause that nothing joins to the claim."""
    for claim in context.live:
        if not claim.dependent or not claim.references:
            continue
        match = _MAIN_CLAUSE.match(context.plain, claim.references[0].end, claim.content.end)
        if match is not None and _SUBORDINATE.search(match["clause"]) is None:
            place = TextSpan(match.start("clause"), match.end("verb"))
            message = tr('"{text}" has no "wherein" before it', text=shown(match["clause"]))
            yield found(claim, place, message)


_USE = {
    "en": re.compile(r"\W*(?:the\s+)?use\s+(?:of|according|as)\b", re.IGNORECASE),
    "zh": re.compile(
        r"[^,;。]{0,120}?(?:的(?:应用|用途)|用途)[,;。]?\s*\Z|[^,;。]{0,60}?在[^,;。]{1,60}?中的(?:应用|用途)"
    ),
    "ja": re.compile(r"[^。]{0,160}?の使用[。]?\s*\Z"),
}


def _use(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        match = _USE[context.claims.language].match(
            context.plain, claim.content.start, claim.content.end
        )
        if match is not None and context.plain[match.start() : match.end()].strip():
            message = tr("a claim to a use; claim a method with steps, or a thing")
            end = min(match.end(), match.start() + 40)
            yield found(claim, TextSpan(match.start(), end), message)


_TITLE = {
    "en": re.compile(
        r"\W*(?:an?|the)\s[^,;:]{2,60}?\s(?P<words>and\s+(?:an?\s+|the\s+)?(?:method|process|use)\s+"
        r"(?:of|for|to)\s+(?:using|making|producing|operating|manufacturing|use|it\b)\S*)",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"\s*一[种種][^,;。:]{1,40}?(?P<words>(?:及|和|与|以及)其(?:制造|制备|使用|控制|生产|应用)?方法)"
    ),
    "ja": re.compile(
        r"(?P<words>(?:及び|および|並びに|と)(?:その|、その)[^、。]{0,12}方法)"
        r"(?:[。]?\s*\Z|(?=であって|において|に於いて))"
    ),
}


def _two_categories(context: LintContext) -> Iterator[Found]:
    """Find titles with a thing and a method; a claim has one category."""
    for claim in context.live:
        pattern = _TITLE[context.claims.language]
        if context.claims.language == "ja":
            match = pattern.search(context.plain, claim.content.start, claim.content.end)
        else:
            match = pattern.match(context.plain, claim.content.start, claim.content.end)
        if match is not None:
            place = TextSpan(match.start("words"), match.end("words"))
            message = tr("a thing and a method in one claim: {text}", text=shown(match["words"]))
            yield found(claim, place, message)


_PERSON_ACTS = re.compile(
    r"\b(?:wherein|whereby|where|and)\s+(?P<act>(?:an?|the|said)\s+(?:user|operator|person|patient|driver|player|"
    r"customer|physician|surgeon|technician)\s+(?:[a-z]{3,}(?<!s)s)\s+(?:the|said|an?|on|to|in)\b)",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:has|is|was|wears|needs|suffers|remains|sits|lies|exhibits|undergoes)\b", re.IGNORECASE
)


def _user_acts(context: LintContext) -> Iterator[Found]:
    """Find acts of a person in a product claim, which leave infringement unclear."""
    for claim in context.live:
        if claim.category in ("method", "use"):
            continue
        for match in _PERSON_ACTS.finditer(context.plain, claim.content.start, claim.content.end):
            if _STATES.search(match["act"]) is None:
                place = TextSpan(match.start("act"), match.end("act"))
                message = tr(
                    "a step of a person in a claim to a thing: {text}", text=shown(match["act"])
                )
                yield found(claim, place, message)


_KNOWN_STATUS = re.compile(
    r"(?:original|currently amended|cancell?ed|previously presented|new|not entered"
    r"|withdrawn(?:\s*-\s*(?:currently amended|previously presented|new))?)\Z",
    re.IGNORECASE,
)


def _status(context: LintContext) -> Iterator[Found]:
    """Find a status outside the seven, a claim without one, and a canceled claim with text."""
    stated = [claim for claim in context.claims.claims if claim.status is not None]
    for claim in context.claims.claims:
        place = TextSpan(claim.start, max(claim.start + 1, claim.content.start))
        if claim.status is None:
            if 2 * len(stated) > len(context.claims.claims) and len(stated) > 1:
                yield found(claim, place, tr("no status, though the other claims have one"))
        elif _KNOWN_STATUS.match(" ".join(claim.status.split())) is None:
            message = tr('"{text}" is no status of an amendment', text=shown(claim.status))
            yield found(claim, place, message)
        elif claim.canceled and any(map(str.isalnum, context.words(claim))):
            yield found(claim, place, tr("a canceled claim has no text"))


_PREFIX = re.compile(r"权利要求")


def _prefix(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        match = _PREFIX.match(context.plain, claim.start, claim.content.start)
        if match is not None:
            yield found(claim, match, tr("the number of a claim stands alone, without 权利要求"))


def _order(context: LintContext) -> Iterator[Found]:
    """Find a dependent claim with another independent claim between it and its parent."""
    for claim in context.live:
        parents = [context.claims.find(number) for number in claim.depends_on]
        known = [item.position for item in parents if item is not None]
        if not known or not claim.dependent:
            continue
        between = context.claims.claims[max(known) : claim.position - 1]
        other = next((item for item in between if item.live and not item.refers_to), None)
        if other is not None and max(known) < claim.position:
            yield found(claim, claim.references[0], _behind(claim, other))


def _behind(claim: ParsedClaim, other: ParsedClaim) -> str:
    return tr(
        "claim {number} follows the independent claim {number2}",
        number=claim.shown_number,
        number2=other.shown_number,
    )


# well-known marks that are taken for the thing; a product with a sign is found without a list
_LATIN_MARKS = (
    r"\b(?:Teflon|Kevlar|Velcro|Nomex|Gore-?Tex|Plexiglas|Styrofoam|Tween|Triton\s?X|Bluetooth|Wi-?Fi|Java|Linux"
    r"|Windows|Android|Viton|Kapton|Mylar|Nafion|Pyrex|Lycra|Bakelite|Zytel|Delrin|Teflonized|Tyvek|Lexan|Invar"
    r"|Hastelloy|Inconel|Monel|Kovar|ZigBee|Vaseline|Formica|Loctite|Dacron|Orlon|Freon|Dynabeads|Ficoll|Sephadex)\b"
)
_KNOWN_MARKS = _LATIN_MARKS + (
    r"|特氟[龙隆]|凯夫拉|尼龙搭扣|蓝牙|魔术贴|テフロン|ケブラー|マジックテープ|ブルートゥース|ベルクロ|サランラップ|セロテープ"
)
_MARKS = re.compile(_KNOWN_MARKS)
_MARKS_WITHOUT_CJK = re.compile(_LATIN_MARKS)
_SIGN = re.compile(r"[®™]|\((?=\s?(?:R|TM)\s?\))|登録商標|注册商标")
_MARKS_WITH_SIGNS = re.compile(
    r"[\w-]*[®™]|\(\s?(?:R|TM)\s?\)|[\w\u30a1-\u30fc]+\(?登録商標\)?|[\u4e00-\u9fff\w]+\(?注册商标\)?|"
    + _KNOWN_MARKS
)

_TRADEMARK = tr('"{words}" is a trademark; name the thing')


def _trademarks(context: LintContext) -> Iterator[Found]:
    """Find trademarks; search for signs of trademarks only in texts that contain one."""
    marks = _MARKS if has_cjk(context.plain) else _MARKS_WITHOUT_CJK
    pattern = marks if _SIGN.search(context.plain) is None else _MARKS_WITH_SIGNS
    yield from every_match(pattern, _TRADEMARK)(context)


CHECKS: Mapping[str, Check] = {
    "preamble-missing": _no_preamble,
    "dependent-form": _finite_verb,
    "wherein-missing": _no_wherein,
    "use-claim": _use,
    "category-mixed": _two_categories,
    "user-action": _user_acts,
    "status-identifier": _status,
    "number-prefix": _prefix,
    "dependency-order": _order,
    "trademark": _trademarks,
}
