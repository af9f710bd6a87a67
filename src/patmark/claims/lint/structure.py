"""Checks of the numbers, dependencies, form and number of claims.

Numbers start at 1 and are consecutive. Dependencies are on earlier existing claims of one category,
and add a limitation. A claim has a transition, closed groups and one category, and does not refer
to the figures or the description. Offices have formal requirements and fees.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from patmark.claims.lint.rule import Found, LintContext, Office, Severity, found, shown
from patmark.claims.model import Category, ParsedClaim, Reference, TextSpan
from patmark.claims.words import pattern
from patmark.languages import FIGURE_MENTION, TABLE_MENTION


def _number_place(claim: ParsedClaim) -> TextSpan:
    return TextSpan(claim.start, max(claim.content.start, claim.start))


def number_missing(context: LintContext) -> Iterator[Found]:
    """Find claims without a number; a single claim needs none."""
    alone = len(context.claims.claims) == 1
    for claim in context.claims.claims:
        if claim.number is None and not alone:
            yield found(
                claim,
                TextSpan(claim.start, min(claim.start + 20, claim.end)),
                position=claim.position,
            )


def number_first(context: LintContext) -> Iterator[Found]:
    """Find a first claim with another number than 1."""
    claim = next((claim for claim in context.claims.claims if claim.number is not None), None)
    if claim is not None and claim.position == 1 and claim.number != 1:
        yield found(claim, _number_place(claim), number=claim.number)


def number_gap(context: LintContext) -> Iterator[Found]:
    """Find numbers that jump or go back; repeated numbers are the subject of another rule."""
    seen: set[int] = set()
    last: int | None = None
    for claim in context.claims.claims:
        if claim.number is None:
            last = None if last is None else last + 1
            continue
        if last is not None and claim.number != last + 1 and claim.number not in seen:
            yield found(
                claim, _number_place(claim), number=last + 1, last=last, number2=claim.number
            )
        seen.add(claim.number)
        last = claim.numbers[-1]


def number_duplicate(context: LintContext) -> Iterator[Found]:
    """Find numbers that a claim before has."""
    seen: set[int] = set()
    for claim in context.claims.claims:
        if claim.number is not None and claim.number in seen:
            yield found(claim, _number_place(claim), number=claim.number)
        seen.update(() if claim.number is None else (claim.number,))


_STRUCTURAL: frozenset[Category] = frozenset(("apparatus", "system", "kit", "composition"))
_WORDS_ONLY = re.compile(r"[\W_]*")


def self_reference(context: LintContext) -> Iterator[Found]:
    """Find claims that refer to themselves."""
    for claim, item in _references(context):
        if claim.shown_number in item.numbers and not item.preceding:
            yield found(claim, item, number=claim.shown_number)


def forward_reference(context: LintContext) -> Iterator[Found]:
    """Find references to later claims."""
    for claim, item in _references(context):
        later = [
            number
            for number in item.numbers
            if (target := context.claims.find(number)) is not None
            and target.position > claim.position
        ]
        if later:
            yield found(claim, item, numbers=_listed(later))


def absent_reference(context: LintContext) -> Iterator[Found]:
    """Find references to claims that do not exist or are canceled."""
    for claim, item in _references(context):
        targets = {number: context.claims.find(number) for number in item.numbers}
        absent = [number for number, target in targets.items() if target is None]
        canceled = [number for number, target in targets.items() if target and target.canceled]
        if absent:
            yield found(claim, item, numbers=_listed(absent))
        if canceled and not item.preceding:
            yield found(claim, item, "canceled", numbers=_listed(canceled))


def category(context: LintContext) -> Iterator[Found]:
    """Find dependent claims of another category."""
    for claim in context.live:
        for number in claim.depends_on:
            target = context.claims.find(number)
            if target is not None and target is not claim and _differ(claim, target):
                yield found(
                    claim,
                    claim.references[0],
                    category=claim.category,
                    number=number,
                    category2=target.category,
                )
                break


def _differ(claim: ParsedClaim, target: ParsedClaim) -> bool:
    """Return True if two categories cannot be names for one thing, as device and system can."""
    pair = {claim.category, target.category}
    if len(pair) == 1 or "other" in pair:
        return False
    return "method" in pair or "use" in pair or ("medium" in pair and not pair & _STRUCTURAL)


def multiple_on_multiple(context: LintContext) -> Iterator[Found]:
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
            limit: Severity | None = None
            if not claim.dependent and context.office != "jpo":
                limit = "information" if context.office == "cnipa" else "warning"
            yield found(claim, claim.references[0], "", limit, numbers=_listed(multiple))


def not_alternative(context: LintContext) -> Iterator[Found]:
    """Find dependent claims on several claims at once."""
    for claim in context.live:
        if claim.dependent and claim.multiple and not claim.alternative:
            yield found(claim, claim.references[0])


def adds_nothing(context: LintContext) -> Iterator[Found]:
    """Find dependent claims that end right after the reference."""
    for claim in context.live:
        if not claim.dependent or claim.limitations or claim.transition is not None:
            continue
        last = claim.references[0].end
        rest = context.plain[last : claim.content.end]
        if _WORDS_ONLY.fullmatch(rest) and _names_parent(context, claim):
            yield found(claim, claim.content)


def _names_parent(context: LintContext, claim: ParsedClaim) -> bool:
    """Return True if a claim has the subject of its parent, not something made with it."""
    parents = [context.claims.find(number) for number in claim.depends_on]
    named = [item.terms[0].head for item in parents if item is not None and item.terms]
    return bool(claim.terms) and claim.terms[0].head in named


def _references(context: LintContext) -> Iterator[tuple[ParsedClaim, Reference]]:
    return ((claim, item) for claim in context.live for item in claim.references)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


_FIGURE, _TABLE = re.compile(FIGURE_MENTION), re.compile(TABLE_MENTION)
_COLON_FIRST = re.compile(r"[^,;:]{3,80}?(?<!steps):\s")
_TRANSITION_WORD = re.compile(
    r"compris|consist|includ|having|wherein|characteri|step|contain|which|that"
)


# "a medium storing instructions that cause a processor to": the stored content follows
_STORED = re.compile(
    r"\b(?:stor(?:ing|es|ed)|having|encoded|embod\w+)\b.*?\bcauses?\b", re.I | re.S
)


def no_transition(context: LintContext) -> Iterator[Found]:
    """Find claims without transition; a compound or a use may be claimed by its name."""
    for claim in context.live:
        named = claim.category in ("composition", "use")
        opened = _COLON_FIRST.match(context.plain, claim.content.start, claim.content.end)
        bare = opened is not None and _TRANSITION_WORD.search(opened.group().lower()) is None
        stored = claim.category == "medium" and _STORED.search(context.words(claim)) is not None
        if (claim.transition is None or bare) and not (claim.refers_to or named or stored):
            yield found(claim, claim.content)


def omnibus(context: LintContext) -> Iterator[Found]:
    """Find references to anything but claims.

    It is a warning for curves that only a drawing can show; offices admit them if words cannot
    define them.
    """
    herein, curve = pattern("omnibus"), pattern("measured-curve")
    limits: tuple[Severity | None, ...] = (None, None, "information")
    for mentions, limit in zip((herein, _FIGURE, _TABLE), limits, strict=True):
        for claim, match in context.matches(mentions):
            before = context.plain[max(claim.content.start, match.start() - 80) : match.start()]
            measured = limit is None and curve.search(before) is not None
            milder = "warning" if measured else limit
            yield found(claim, match, "", milder, text=shown(match.group()))


_FREE_CLAIMS: dict[Office, int] = {"any": 20, "uspto": 20, "epo": 15, "jpo": 0, "cnipa": 10}
_FREE_INDEPENDENT = 3


def fee_claims(context: LintContext) -> Iterator[Found]:
    """Find the first claim that costs extra."""
    free = _FREE_CLAIMS[context.office]
    if len(context.live) > free:
        claim = context.live[free]
        yield Found(claim.start, claim.content.start, "", {"n": len(context.live), "free": free})


def fee_independent(context: LintContext) -> Iterator[Found]:
    """Find a fourth independent claim; a mere mention of a claim makes it not dependent."""
    independent = [claim for claim in context.live if not claim.dependent]
    if len(independent) > _FREE_INDEPENDENT:
        claim = independent[_FREE_INDEPENDENT]
        values = {"n": len(independent), "free_independent": _FREE_INDEPENDENT}
        yield Found(claim.start, claim.content.start, "", values)


def fee_multiple(context: LintContext) -> Iterator[Found]:
    """Find the first multiple dependent claim."""
    multiple = [claim for claim in context.live if claim.dependent and claim.multiple]
    if multiple:
        counted = sum(len(claim.depends_on) for claim in multiple)
        values = {"n": len(multiple), "counted": counted}
        yield Found(multiple[0].start, multiple[0].content.start, "", values)


def per_category(context: LintContext) -> Iterator[Found]:
    """Find further independent claims of a category, without those that mention a claim."""
    groups: defaultdict[str, list[ParsedClaim]] = defaultdict(list)
    for claim in context.live:
        if not claim.refers_to:
            groups["process" if claim.category in ("method", "use") else "product"].append(claim)
    for category, claims in groups.items():
        for claim in claims[1:]:
            yield found(
                claim,
                TextSpan(claim.start, claim.content.start),
                category=category,
                number=claims[0].shown_number,
            )


def two_part(context: LintContext) -> Iterator[Found]:
    """Find independent claims that are not in two-part form."""
    for claim in context.live:
        one_part = claim.transition is None or claim.transition.kind != "two-part"
        if not claim.refers_to and one_part:
            yield found(claim, claim.preamble)


_KNOWN_STATUS = re.compile(
    r"(?:original|currently amended|cancell?ed|previously presented|new|not entered"
    r"|withdrawn(?:\s*-\s*(?:currently amended|previously presented|new))?)\Z",
    re.IGNORECASE,
)


def status(context: LintContext) -> Iterator[Found]:
    """Find a status outside the seven, a claim without one, and a canceled claim with text."""
    stated = [claim for claim in context.claims.claims if claim.status is not None]
    for claim in context.claims.claims:
        place = TextSpan(claim.start, max(claim.start + 1, claim.content.start))
        if claim.status is None:
            if 2 * len(stated) > len(context.claims.claims) and len(stated) > 1:
                yield found(claim, place, "none")
        elif _KNOWN_STATUS.match(" ".join(claim.status.split())) is None:
            yield found(claim, place, text=shown(claim.status))
        elif claim.canceled and any(map(str.isalnum, context.words(claim))):
            yield found(claim, place, "text")


def order(context: LintContext) -> Iterator[Found]:
    """Find a dependent claim with another independent claim between it and its parent."""
    for claim in context.live:
        parents = [context.claims.find(number) for number in claim.depends_on]
        known = [item.position for item in parents if item is not None]
        if not known or not claim.dependent:
            continue
        between = context.claims.claims[max(known) : claim.position - 1]
        other = next((item for item in between if item.live and not item.refers_to), None)
        if other is not None and max(known) < claim.position:
            numbers = {"number": claim.shown_number, "number2": other.shown_number}
            yield found(claim, claim.references[0], **numbers)
