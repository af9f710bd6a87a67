"""Reference signs in brackets; numbers of claims, forms an office expects, and what costs extra."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from patmark.claims.antecedents import EMPTY
from patmark.claims.lint.rule import (
    Found,
    LintContext,
    Office,
    Rule,
    bases,
    everywhere,
    found,
    levels,
    shown,
)
from patmark.claims.model import Claim, Term
from patmark.wording import tr

_BASIS = bases("MPEP 608.01(m)", "Rule 43(7) EPC", "Implementing Regulations, Rule 22(4)")
_CLEAR = bases("35 USC 112(b)", "Art. 84 EPC", "Patent Law, Art. 26(4)")
_OPENED = re.compile(r"\s*\(")
_PARTS = re.compile(r"[A-Za-z]{0,2}\d{1,4}[a-z']{0,2}")
_COUNTED_WORDS = """
claim class compound condition embodiment equation example expression figure formula group
level no number part phase position scheme section seq step stage table type version
"""
_COUNTED = frozenset(_COUNTED_WORDS.split())
_UNIT = re.compile(
    r"\s*(?:%|°|to\b|-|mm|cm|kg|g\b|ml|wt|mol|nm|hours?|minutes?|seconds?|or\b|and\b|\.\d)"
)
_DRAWINGS = re.compile(r"\bFigs?\.|\bfigures?\s+\d|附图|图\s?\d|図\s?\d", re.IGNORECASE)


def _signed(context: LintContext) -> Iterator[tuple[Claim, Term, frozenset[str]]]:
    """The terms with a sign in brackets, and their signs."""
    for claim in context.live:
        for term in claim.terms:
            if (
                term.sign is not None
                and term.head not in _COUNTED
                and _OPENED.match(context.plain, term.end)
                and (signs := frozenset(_PARTS.findall(term.sign)))
            ):
                yield claim, term, signs


def _name(term: Term) -> tuple[str, ...]:
    return tuple(word for word in term.words if word not in EMPTY) or term.words


def _changed(context: LintContext) -> Iterator[Found]:
    """A term whose sign differs from the one it had in the claims it builds on."""
    known: dict[tuple[str, ...], tuple[Claim, frozenset[str]]] = {}
    reported: set[tuple[tuple[str, ...], frozenset[str]]] = set()
    for claim, term, signs in _signed(context):
        name = _name(term)
        first, before = known.setdefault(name, (claim, signs))
        if term.kind == "referred" and not before & signs and (name, signs) not in reported:
            reported.add((name, signs))
            message = tr(
                '"{text}" has the sign {numbers} here, and {numbers2} in claim {number}',
                text=shown(term.text),
                numbers=_listed(signs),
                numbers2=_listed(before),
                number=first.shown_number,
            )
            yield found(claim, term.start, term.end, message)


def _conflict(context: LintContext) -> Iterator[Found]:
    """One sign for terms that have no word in common; lists of signs name parts of a whole."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    reported: set[tuple[str, str]] = set()
    for claim, term, signs in _signed(context):
        if len(signs) > 1 or term.head == "means":
            continue
        own, sign = set(term.words), min(signs)
        words = known[sign]
        if words and not _share(words, own) and (sign, term.head) not in reported:
            reported.add((sign, term.head))
            message = tr(
                'the sign {sign} of "{text}" stands for another thing before',
                sign=sign,
                text=shown(term.text),
            )
            yield found(claim, term.start, term.end, message)
        words |= own


def _share(words: set[str], own: set[str]) -> bool:
    """Whether two names have a word in common, or a part of one: 转轴 and 第一转轴."""
    return any(one in other or other in one for one in words for other in own)


def _unmatched(context: LintContext) -> Iterator[Found]:
    described = set(_PARTS.findall(context.description or ""))
    reported: set[str] = set()
    for claim, term, signs in _signed(context):
        for sign in sorted(signs - described - reported):
            reported.add(sign)
            message = tr(
                'the sign {sign} of "{text}" is not in the description',
                sign=sign,
                text=shown(term.text),
            )
            yield found(claim, term.start, term.end, message)


def _unbracketed(context: LintContext) -> Iterator[Found]:
    """A number after a term more than once, as a sign would be, but without brackets."""
    places: defaultdict[tuple[tuple[str, ...], str], list[tuple[Claim, Term]]] = defaultdict(list)
    for claim in context.live:
        for term in claim.terms:
            if term.sign and term.kind != "bare" and term.head not in _COUNTED:
                end = context.plain.find(term.sign, term.end) + len(term.sign)
                if not _OPENED.match(context.plain, term.end) and not _UNIT.match(
                    context.plain, end
                ):
                    places[_name(term), term.sign].append((claim, term))
    for (_, sign), used in places.items():
        if len(used) > 1:
            claim, term = used[0]
            message = tr(
                'the sign {sign} after "{text}" has no brackets', sign=sign, text=shown(term.text)
            )
            yield found(claim, term.start, term.end, message)


def _absent(context: LintContext) -> Iterator[Found]:
    if _DRAWINGS.search(context.description or "") and not any(_signed(context)):
        yield Found(
            0, 0, tr("the description has drawings, but the claims have no reference signs")
        )


def _listed(signs: frozenset[str]) -> str:
    return ", ".join(sorted(signs))


SIGNS = (
    Rule(
        "sign-changed", "signs", "one term with two signs", everywhere("warning"), _CLEAR, _changed
    ),
    Rule(
        "sign-conflict", "signs", "one sign for two things",
        everywhere("warning"), _CLEAR, _conflict,
    ),
    Rule(
        "sign-unmatched", "signs", "a sign that the description does not have",
        everywhere("warning"), _BASIS, _unmatched, needs_description=True,
    ),
    Rule(
        "sign-unbracketed", "signs", "a reference sign without brackets",
        everywhere("information"), _BASIS, _unbracketed,
    ),
    Rule(
        "signs-absent", "signs", "drawings, but no reference signs in the claims",
        levels(None, "information", "information"), _BASIS, _absent, needs_description=True,
    ),
)  # fmt: skip


_FREE_CLAIMS: dict[Office, int] = {"any": 20, "uspto": 20, "epo": 15, "cnipa": 10}
_FREE_INDEPENDENT = 3
_TWO_PART_BASIS = bases("", "Rule 43(1) EPC", "Implementing Regulations, Rule 24")


def _claims(context: LintContext) -> Iterator[Found]:
    free = _FREE_CLAIMS[context.office]
    if len(context.live) > free:
        claim = context.live[free]
        message = tr("{n} claims: those above {free} cost extra", n=len(context.live), free=free)
        yield Found(claim.start, claim.content.start, message)


def _independent(context: LintContext) -> Iterator[Found]:
    """A mere mention of a claim counts as independent here when the form is independent."""
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
    """Claims that mention another one are left out: they are often allowed."""
    groups: defaultdict[str, list[Claim]] = defaultdict(list)
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
            yield found(claim, claim.start, claim.content.start, message)


def _two_part(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        one_part = claim.transition is None or claim.transition.kind != "two-part"
        if not claim.refers_to and one_part:
            message = tr("not in two-part form (characterised in that), expected where it fits")
            yield found(claim, claim.preamble.start, claim.preamble.end, message)


COUNTS = (
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
