"""Numbers of claims, forms that an office expects, and what costs extra."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from patmark.claims.lint.context import LintContext, found, name_of
from patmark.claims.lint.findings import Found, Office, Rule, bases, levels
from patmark.claims.model import Claim

_FREE_CLAIMS: dict[Office, int] = {"any": 20, "uspto": 20, "epo": 15, "cnipa": 10}
_FREE_INDEPENDENT = 3
_TWO_PART_BASIS = bases("", "Rule 43(1) EPC", "Implementing Regulations, Rule 24")


def _claims(context: LintContext) -> Iterator[Found]:
    free = _FREE_CLAIMS[context.office]
    if len(context.live) > free:
        claim = context.live[free]
        message = f"{len(context.live)} claims: those above {free} cost extra"
        yield Found(claim.start, claim.content.start, message)


def _independent(context: LintContext) -> Iterator[Found]:
    """A mere mention of a claim counts as independent here when the form is independent."""
    independent = [claim for claim in context.live if not claim.dependent]
    if len(independent) > _FREE_INDEPENDENT:
        claim = independent[_FREE_INDEPENDENT]
        message = (
            f"{len(independent)} independent claims: those above {_FREE_INDEPENDENT} cost extra"
        )
        yield Found(claim.start, claim.content.start, message)


def _multiple(context: LintContext) -> Iterator[Found]:
    multiple = [claim for claim in context.live if claim.dependent and claim.multiple]
    if multiple:
        counted = sum(len(claim.depends_on) for claim in multiple)
        message = f"multiple dependent claims cost extra, and {len(multiple)} count as {counted}"
        yield Found(multiple[0].start, multiple[0].content.start, message)


def _per_category(context: LintContext) -> Iterator[Found]:
    """Claims that mention another one are left out: they are often allowed."""
    groups: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in context.live:
        if not claim.refers_to:
            groups["process" if claim.category in ("method", "use") else "product"].append(claim)
    for category, claims in groups.items():
        for claim in claims[1:]:
            message = (
                f"a further independent {category} claim besides claim {name_of(claims[0])}; "
                "one per category unless an exception applies"
            )
            yield found(claim, claim.start, claim.content.start, message)


def _two_part(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        one_part = claim.transition is None or claim.transition.kind != "two-part"
        if not claim.refers_to and one_part:
            message = "not in two-part form (characterised in that), expected where it fits"
            yield found(claim, claim.preamble.start, claim.preamble.end, message)


RULES = (
    Rule(
        "two-part-form", "counts", "an independent claim that is not in two-part form",
        levels(None, "information", "information"), _TWO_PART_BASIS, _two_part,
    ),
    Rule(
        "independent-per-category", "counts", "several independent claims in one category",
        levels("information", "warning", "information"),
        bases("37 CFR 1.75(b)", "Rule 43(2) EPC", "Implementing Regulations, Rule 24(3)"),
        _per_category,
    ),
    Rule(
        "fee-claims", "counts", "more claims than the basic fee covers",
        levels("information", "information", "information"),
        bases("37 CFR 1.16(i)", "Rule 43(5), 45 EPC", "Implementing Regulations, Rule 110"),
        _claims,
    ),
    Rule(
        "fee-independent", "counts", "more independent claims than the basic fee covers",
        levels("information"), bases("37 CFR 1.16(h)"), _independent,
    ),
    Rule(
        "fee-multiple", "counts", "multiple dependent claims, which cost extra",
        levels("information"), bases("37 CFR 1.16(j), 1.75(c)"), _multiple,
    ),
)  # fmt: skip
