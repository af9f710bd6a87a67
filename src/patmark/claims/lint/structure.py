"""Checks of the numbers, dependencies, form and number of claims.

Numbers start at 1 and are consecutive. Dependencies are on earlier existing claims of one category,
and add a limitation. A claim has a transition, closed groups and one category, and does not refer
to the figures or the description. Offices have formal requirements and fees.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from patmark.claims.lint.rule import (
    Check,
    Found,
    LintContext,
    Office,
    Severity,
    every_match,
    found,
    shown,
)
from patmark.claims.model import Category, ParsedClaim, Reference, TextSpan
from patmark.languages import FIGURE_MENTION, TABLE_MENTION
from patmark.wording import tr


def _number_place(claim: ParsedClaim) -> TextSpan:
    return TextSpan(claim.start, max(claim.content.start, claim.start))


def _missing(context: LintContext) -> Iterator[Found]:
    """Find claims without a number; a single claim needs none."""
    alone = len(context.claims.claims) == 1
    for claim in context.claims.claims:
        if claim.number is None and not alone:
            message = tr(
                "the claim has no number; it is claim {position} by its place",
                position=claim.position,
            )
            yield found(claim, TextSpan(claim.start, min(claim.start + 20, claim.end)), message)


def _first(context: LintContext) -> Iterator[Found]:
    claim = next((claim for claim in context.claims.claims if claim.number is not None), None)
    if claim is not None and claim.position == 1 and claim.number != 1:
        message = tr(
            "claims are numbered from 1, but the first is number {number}", number=claim.number
        )
        yield found(claim, _number_place(claim), message)


def _gap(context: LintContext) -> Iterator[Found]:
    """Find numbers that jump or go back; repeated numbers are the subject of another rule."""
    seen: set[int] = set()
    last: int | None = None
    for claim in context.claims.claims:
        if claim.number is None:
            last = None if last is None else last + 1
            continue
        if last is not None and claim.number != last + 1 and claim.number not in seen:
            message = tr(
                "number {number} is expected after {last}, not {number2}",
                number=last + 1,
                last=last,
                number2=claim.number,
            )
            yield found(claim, _number_place(claim), message)
        seen.add(claim.number)
        last = claim.numbers[-1]


def _duplicate(context: LintContext) -> Iterator[Found]:
    seen: set[int] = set()
    for claim in context.claims.claims:
        if claim.number is not None and claim.number in seen:
            message = tr("there is a claim {number} already", number=claim.number)
            yield found(claim, _number_place(claim), message)
        seen.update(() if claim.number is None else (claim.number,))


_STRUCTURAL: frozenset[Category] = frozenset(("apparatus", "system", "kit", "composition"))
_WORDS_ONLY = re.compile(r"[\W_]*")


def _self(context: LintContext) -> Iterator[Found]:
    for claim, item in _references(context):
        if claim.shown_number in item.numbers and not item.preceding:
            message = tr("claim {number} refers to itself", number=claim.shown_number)
            yield found(claim, item, message)


def _forward(context: LintContext) -> Iterator[Found]:
    for claim, item in _references(context):
        later = [
            number
            for number in item.numbers
            if (target := context.claims.find(number)) is not None
            and target.position > claim.position
        ]
        if later:
            message = tr("refers to claim {numbers}, which comes later", numbers=_listed(later))
            yield found(claim, item, message)


def _absent(context: LintContext) -> Iterator[Found]:
    for claim, item in _references(context):
        targets = {number: context.claims.find(number) for number in item.numbers}
        absent = [number for number, target in targets.items() if target is None]
        canceled = [number for number, target in targets.items() if target and target.canceled]
        if absent:
            message = tr("refers to claim {numbers}, which does not exist", numbers=_listed(absent))
            yield found(claim, item, message)
        if canceled and not item.preceding:
            message = tr("refers to claim {numbers}, which is canceled", numbers=_listed(canceled))
            yield found(claim, item, message)


def _category(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        for number in claim.depends_on:
            target = context.claims.find(number)
            if target is not None and target is not claim and _differ(claim, target):
                message = tr(
                    "a claim of the category {category} that depends on claim {number}, whose "
                    "category is {category2}",
                    category=claim.category,
                    number=number,
                    category2=target.category,
                )
                yield found(claim, claim.references[0], message)
                break


def _differ(claim: ParsedClaim, target: ParsedClaim) -> bool:
    """Return True if two categories cannot be names for one thing, as device and system can."""
    pair = {claim.category, target.category}
    if len(pair) == 1 or "other" in pair:
        return False
    return "method" in pair or "use" in pair or ("medium" in pair and not pair & _STRUCTURAL)


def _multiple_on_multiple(context: LintContext) -> Iterator[Found]:
    """Find multiple dependence on multiple claims, also through single ones.

    A claim that is independent by its form is a warning at most, but not at the JPO. At the CNIPA
    it is information: the rule is about dependent claims.
    """
    for claim in context.live:
        if not claim.multiple or not claim.references:
            continue
        multiple = [
            number
            for number in claim.references[0].numbers
            if (target := context.claims.find(number)) is not None
            and target is not claim
            and (target.multiple or any(item.multiple for item in context.claims.ancestors(number)))
        ]
        if multiple:
            message = tr(
                "refers to several claims, and so does claim {numbers} of these",
                numbers=_listed(multiple),
            )
            limit: Severity | None = None
            if not claim.dependent and context.office != "jpo":
                limit = "information" if context.office == "cnipa" else "warning"
            yield found(claim, claim.references[0], message, limit)


def _not_alternative(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        if claim.dependent and claim.multiple and not claim.alternative:
            message = tr(
                "refers to several claims at once; name them in the alternative (any one of)"
            )
            yield found(claim, claim.references[0], message)


def _adds_nothing(context: LintContext) -> Iterator[Found]:
    """Find dependent claims that end right after the reference."""
    for claim in context.live:
        if not claim.dependent or claim.limitations or claim.transition is not None:
            continue
        last = claim.references[0].end
        rest = context.plain[last : claim.content.end]
        if _WORDS_ONLY.fullmatch(rest) and _names_parent(context, claim):
            message = tr("adds nothing to the claim on which it depends")
            yield found(claim, claim.content, message)


def _names_parent(context: LintContext, claim: ParsedClaim) -> bool:
    """Return True if a claim has the subject of its parent, not something made with it."""
    parents = [context.claims.find(number) for number in claim.depends_on]
    named = [item.terms[0].head for item in parents if item is not None and item.terms]
    return bool(claim.terms) and claim.terms[0].head in named


def _references(context: LintContext) -> Iterator[tuple[ParsedClaim, Reference]]:
    return ((claim, item) for claim in context.live for item in claim.references)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


_FURTHER = re.compile(r"\bfurther\s+(?:compris|includ|contain|ha[sv])\w*", re.IGNORECASE)
_OPEN_GROUP = re.compile(
    r"\b(?:selected|chosen|taken)\s+from\s+(?:the\s+|a\s+)?(?:group|list|class|set)?\s*"
    r"(?:that\s+|which\s+)?(?:compris\w+|includ\w+|contain\w+|having)|"
    r"\b(?:the|a)\s+group\s+(?:that\s+|which\s+)?(?:compris(?:es|ing)|includ(?:es|ing))\b",
    re.IGNORECASE,
)
_HEREIN = re.compile(
    r"\b(?:substantially\s+)?as\s+(?:(?:is|are)\s+)?(?:here(?:in)?(?:before|above|after|inbefore)?|above|"
    r"before|previously)?\s*(?:described|shown|illustrated|depicted|disclosed|set\s+(?:forth|out))\s+"
    r"(?:herein(?:before|above)?|above|in\s+the\s+(?:description|specification|drawings?|accompanying))"
    r"|\bas\s+herein(?:before|above)?\s+(?:described|shown|illustrated|disclosed|set\s+forth)\b"
    r"|\bwith\s+reference\s+to\s+(?:the\s+)?(?:accompanying\s+)?(?:drawings?|figures?|examples?)\b"
    r"|\b(?:accompanying|attached|appended)\s+drawings?\b|\bin\s+the\s+(?:description|specification)\b"
    r"|如说明书|如說明書|说明书(?:中|所)|明細書に|参照说明书",
    re.IGNORECASE,
)
# curves that only a drawing can show; offices admit them if words cannot define them
_MEASURED_CURVE = re.compile(
    r"diffract|spectr|chromatogram|thermogram|isotherm|\bXR?PD\b|回折|衍射|光谱|图谱|スペクトル",
    re.I,
)
_FIGURE, _TABLE = re.compile(FIGURE_MENTION), re.compile(TABLE_MENTION)
_HEREIN_WORDS = (
    "descri", "shown", "illustrat", "depict", "disclos", "set ", "set\n", "drawing", "figure",
    "example", "specification", "说明书", "說明書", "明細書",
)  # fmt: skip
_FIGURE_WORDS = ("fig", "图", "圖", "図")
_TABLE_WORDS = ("table", "example")
_ITEM_LEAD = r"\W*(?:\w{1,3}[)\].:]\s*)?(?:and\s+)?(?:(?:the\s+)?steps?\s+of\s+)?"
_STEP = re.compile(rf"{_ITEM_LEAD}\w+ing\b", re.IGNORECASE)
_THING = re.compile(rf"{_ITEM_LEAD}(?:an?|at\s+least|one|two)\s", re.IGNORECASE)
_BY_PROCESS = re.compile(
    r"\b(?:by|according to|with|in|from)\s+an?\s+(?:\w+\s+)?(?:method|process)\b|"
    r"\bprocess\s+compris",
    re.IGNORECASE,
)
_FEWEST = 2


_COLON_FIRST = re.compile(r"[^,;:]{3,80}?(?<!steps):\s")
_TRANSITION_WORD = re.compile(
    r"compris|consist|includ|having|wherein|characteri|step|contain|which|that"
)


# "a medium storing instructions that cause a processor to": the stored content follows
_STORED = re.compile(
    r"\b(?:stor(?:ing|es|ed)|having|encoded|embod\w+)\b.*?\bcauses?\b", re.I | re.S
)


def _no_transition(context: LintContext) -> Iterator[Found]:
    """Find claims without transition; a compound or a use may be claimed by its name."""
    for claim in context.live:
        named = claim.category in ("composition", "use")
        opened = _COLON_FIRST.match(context.plain, claim.content.start, claim.content.end)
        bare = opened is not None and _TRANSITION_WORD.search(opened.group().lower()) is None
        stored = claim.category == "medium" and _STORED.search(context.words(claim)) is not None
        if (claim.transition is None or bare) and not (claim.refers_to or named or stored):
            message = tr("no transition such as comprising, consisting of, wherein")
            yield found(claim, claim.content, message)


def _omnibus(context: LintContext) -> Iterator[Found]:
    """Find references to anything but claims; texts without a trigger word are skipped."""
    patterns: tuple[tuple[tuple[str, ...], re.Pattern[str], Severity | None], ...] = (
        (_HEREIN_WORDS, _HEREIN, None),
        (_FIGURE_WORDS, _FIGURE, None),
        (_TABLE_WORDS, _TABLE, "information"),
    )
    lowered = context.plain.lower()
    for words, pattern, limit in patterns:
        if not any(word in lowered for word in words):
            continue
        for claim, match in context.matches(pattern):
            message = tr(
                '"{text}" refers to the description or the drawings', text=shown(match.group())
            )
            before = context.plain[max(claim.content.start, match.start() - 80) : match.start()]
            measured = limit is None and _MEASURED_CURVE.search(before) is not None
            yield found(claim, match, message, "warning" if measured else limit)


_FREE_CLAIMS: dict[Office, int] = {"any": 20, "uspto": 20, "epo": 15, "jpo": 0, "cnipa": 10}
_FREE_INDEPENDENT = 3


def _claims(context: LintContext) -> Iterator[Found]:
    free = _FREE_CLAIMS[context.office]
    if len(context.live) > free:
        claim = context.live[free]
        message = tr("{n} claims: those above {free} cost extra", n=len(context.live), free=free)
        yield Found(claim.start, claim.content.start, message)


def _independent(context: LintContext) -> Iterator[Found]:
    """Find a fourth independent claim; a mere mention of a claim makes it not dependent."""
    independent = [claim for claim in context.live if not claim.dependent]
    if len(independent) > _FREE_INDEPENDENT:
        claim = independent[_FREE_INDEPENDENT]
        message = tr(
            "{n} independent claims: those above {free_independent} cost extra",
            n=len(independent),
            free_independent=_FREE_INDEPENDENT,
        )
        yield Found(claim.start, claim.content.start, message)


def _multiple(context: LintContext) -> Iterator[Found]:
    multiple = [claim for claim in context.live if claim.dependent and claim.multiple]
    if multiple:
        counted = sum(len(claim.depends_on) for claim in multiple)
        message = tr(
            "multiple dependent claims cost extra, and {n} count as {counted}",
            n=len(multiple),
            counted=counted,
        )
        yield Found(multiple[0].start, multiple[0].content.start, message)


def _per_category(context: LintContext) -> Iterator[Found]:
    """Find further independent claims of a category, without those that mention a claim."""
    groups: defaultdict[str, list[ParsedClaim]] = defaultdict(list)
    for claim in context.live:
        if not claim.refers_to:
            groups["process" if claim.category in ("method", "use") else "product"].append(claim)
    for category, claims in groups.items():
        for claim in claims[1:]:
            message = tr(
                "a further independent {category} claim besides claim {number}; one per "
                "category unless an exception applies",
                category=category,
                number=claims[0].shown_number,
            )
            yield found(claim, TextSpan(claim.start, claim.content.start), message)


def _two_part(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        one_part = claim.transition is None or claim.transition.kind != "two-part"
        if not claim.refers_to and one_part:
            message = tr("not in two-part form (characterised in that), expected where it fits")
            yield found(claim, claim.preamble, message)


CHECKS: Mapping[str, Check] = {
    "number-missing": _missing,
    "number-first": _first,
    "number-gap": _gap,
    "number-duplicate": _duplicate,
    "dependency-self": _self,
    "dependency-forward": _forward,
    "dependency-missing": _absent,
    "dependency-category": _category,
    "multiple-on-multiple": _multiple_on_multiple,
    "multiple-not-alternative": _not_alternative,
    "dependency-adds-nothing": _adds_nothing,
    "transition-missing": _no_transition,
    "markush-open": every_match(
        _OPEN_GROUP, tr('"{words}" leaves the group open; use "consisting of"')
    ),
    "omnibus": _omnibus,
    "two-part-form": _two_part,
    "independent-per-category": _per_category,
    "fee-claims": _claims,
    "fee-independent": _independent,
    "fee-multiple": _multiple,
}
