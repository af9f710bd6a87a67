"""Dependencies: on claims that exist and come before, of one category, and with something new."""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.claims.lint.context import LintContext, found, name_of
from patmark.claims.lint.findings import ENGLISH, Found, Rule, Severity, bases, everywhere, levels
from patmark.claims.model import Category, Claim, Reference

_FORM = bases(
    "35 USC 112(d); 37 CFR 1.75(c)",
    "Rule 43(4) EPC",
    "Implementing Regulations, Rule 23(3) and 25",
)
_MULTIPLE = bases(
    "35 USC 112(e); MPEP 608.01(n)", "Rule 43(4) EPC", "Implementing Regulations, Rule 25(2)"
)
_STRUCTURAL: frozenset[Category] = frozenset(("apparatus", "system", "kit", "composition"))
_WORDS_ONLY = re.compile(r"[\W_]*")


def _self(context: LintContext) -> Iterator[Found]:
    for claim, item in _references(context):
        if name_of(claim) in item.numbers and not item.preceding:
            message = f"claim {name_of(claim)} refers to itself"
            yield found(claim, item.start, item.end, message)


def _forward(context: LintContext) -> Iterator[Found]:
    for claim, item in _references(context):
        later = [
            number
            for number in item.numbers
            if (target := context.claims.find(number)) is not None
            and target.position > claim.position
        ]
        if later:
            message = f"refers to claim {_listed(later)}, which comes later"
            yield found(claim, item.start, item.end, message)


def _absent(context: LintContext) -> Iterator[Found]:
    for claim, item in _references(context):
        targets = {number: context.claims.find(number) for number in item.numbers}
        absent = [number for number, target in targets.items() if target is None]
        canceled = [number for number, target in targets.items() if target and target.canceled]
        if absent:
            message = f"refers to claim {_listed(absent)}, which does not exist"
            yield found(claim, item.start, item.end, message)
        if canceled and not item.preceding:
            message = f"refers to claim {_listed(canceled)}, which is canceled"
            yield found(claim, item.start, item.end, message)


def _category(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        for number in claim.depends_on:
            target = context.claims.find(number)
            if target is not None and target is not claim and _differ(claim, target):
                message = (
                    f"a claim of the category {claim.category} that depends on claim {number}, "
                    f"whose category is {target.category}"
                )
                yield found(claim, claim.references[0].start, claim.references[0].end, message)
                break


def _differ(claim: Claim, target: Claim) -> bool:
    """Whether two categories cannot be names for one thing, as device and system can."""
    pair = {claim.category, target.category}
    if len(pair) == 1 or "other" in pair:
        return False
    return "method" in pair or "use" in pair or ("medium" in pair and not pair & _STRUCTURAL)


def _multiple_on_multiple(context: LintContext) -> Iterator[Found]:
    """Less certain for a claim that is independent by its form, such as a use of the others."""
    for claim in context.live:
        if not claim.multiple or not claim.references:
            continue
        targets = [context.claims.find(number) for number in claim.references[0].numbers]
        multiple = [
            name_of(target)
            for target in targets
            if target is not None and target is not claim and target.multiple
        ]
        if multiple:
            message = f"refers to several claims, and so does claim {_listed(multiple)} of these"
            limit: Severity | None = None if claim.dependent else "warning"
            yield found(claim, claim.references[0].start, claim.references[0].end, message, limit)


def _not_alternative(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        if claim.dependent and claim.multiple and not claim.alternative:
            message = "refers to several claims at once; name them in the alternative (any one of)"
            yield found(claim, claim.references[0].start, claim.references[0].end, message)


def _adds_nothing(context: LintContext) -> Iterator[Found]:
    """A dependent claim that ends right after the reference."""
    for claim in context.live:
        if not claim.dependent or claim.limitations or claim.transition is not None:
            continue
        last = claim.references[0].end
        rest = context.plain[last : claim.content.end]
        if _WORDS_ONLY.fullmatch(rest):
            message = "adds nothing to the claim on which it depends"
            yield found(claim, claim.content.start, claim.content.end, message)


def _references(context: LintContext) -> Iterator[tuple[Claim, Reference]]:
    return ((claim, item) for claim in context.live for item in claim.references)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


RULES = (
    Rule(
        "dependency-self", "dependency", "a claim that refers to itself",
        everywhere("error"), _FORM, _self,
    ),
    Rule(
        "dependency-forward", "dependency", "a reference to a later claim",
        everywhere("error"), _FORM, _forward,
    ),
    Rule(
        "dependency-missing", "dependency",
        "a reference to a claim that does not exist or is canceled",
        everywhere("error"), _FORM, _absent,
    ),
    Rule(
        "dependency-category", "dependency", "a dependent claim of another category",
        everywhere("warning"), _FORM, _category,
    ),
    Rule(
        "multiple-on-multiple", "dependency", "a multiple dependent claim on another",
        levels("error", "information", "error"), _MULTIPLE, _multiple_on_multiple,
    ),
    Rule(
        "multiple-not-alternative", "dependency", "several claims, but not in the alternative",
        levels("error", "information", "error"), _MULTIPLE, _not_alternative,
    ),
    Rule(
        "dependency-adds-nothing", "dependency", "a dependent claim without a limitation",
        everywhere("warning"), _FORM, _adds_nothing, ENGLISH,
    ),
)  # fmt: skip
