"""Claim numbers: they start at 1 and count on."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.claims.lint.context import LintContext, found
from patmark.claims.lint.findings import Found, Rule, bases, everywhere
from patmark.claims.model import Claim

_BASIS = bases(
    "37 CFR 1.75(f), 1.126; MPEP 608.01(j)", "Rule 43(5) EPC", "Implementing Regulations, Rule 22"
)


def _number_place(claim: Claim) -> tuple[int, int]:
    return claim.start, max(claim.content.start, claim.start)


def _missing(context: LintContext) -> Iterator[Found]:
    """Claims without a number; a single claim needs none."""
    alone = len(context.claims.claims) == 1
    for claim in context.claims.claims:
        if claim.number is None and not alone:
            message = f"the claim has no number; it is claim {claim.position} by its place"
            yield found(claim, claim.start, min(claim.start + 20, claim.end), message)


def _first(context: LintContext) -> Iterator[Found]:
    claim = next((claim for claim in context.claims.claims if claim.number is not None), None)
    if claim is not None and claim.position == 1 and claim.number != 1:
        message = f"claims are numbered from 1, but the first is number {claim.number}"
        yield found(claim, *_number_place(claim), message)


def _gap(context: LintContext) -> Iterator[Found]:
    """Numbers that jump or go back; a repeated number is the subject of another rule."""
    seen: set[int] = set()
    last: int | None = None
    for claim in context.claims.claims:
        if claim.number is None:
            last = None if last is None else last + 1
            continue
        if last is not None and claim.number != last + 1 and claim.number not in seen:
            message = f"number {last + 1} is expected after {last}, not {claim.number}"
            yield found(claim, *_number_place(claim), message)
        seen.add(claim.number)
        last = claim.numbers[-1]


def _duplicate(context: LintContext) -> Iterator[Found]:
    seen: set[int] = set()
    for claim in context.claims.claims:
        if claim.number is not None and claim.number in seen:
            message = f"there is a claim {claim.number} already"
            yield found(claim, *_number_place(claim), message)
        seen.update(() if claim.number is None else (claim.number,))


RULES = (
    Rule(
        "number-missing", "numbering", "a claim without a number",
        everywhere("error"), _BASIS, _missing,
    ),
    Rule(
        "number-first", "numbering", "the first claim is not claim 1",
        everywhere("error"), _BASIS, _first,
    ),
    Rule(
        "number-gap", "numbering", "numbers that jump or go back",
        everywhere("error"), _BASIS, _gap,
    ),
    Rule(
        "number-duplicate", "numbering", "a number that is used twice",
        everywhere("error"), _BASIS, _duplicate,
    ),
)  # fmt: skip
