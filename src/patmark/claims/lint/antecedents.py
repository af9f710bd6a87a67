"""Antecedents: what "the" refers to has been introduced before, and only once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from patmark.claims.antecedents import (
    MODIFIED,
    AntecedentKind,
    MissingAntecedent,
    missing_antecedents,
)
from patmark.claims.lint.rule import (
    ENGLISH,
    Found,
    LintContext,
    Rule,
    Severity,
    bases,
    everywhere,
    found,
    shown,
)
from patmark.claims.model import Claim, Term
from patmark.claims.terms import TELLING_APART
from patmark.wording import tr

_BASIS = bases(
    "35 USC 112(b); MPEP 2173.05(e)",
    "Art. 84 EPC",
    "Patent Law, Art. 26(4)",
)
_LIMITS: dict[AntecedentKind, Severity | None] = {
    "none": None,
    "similar": "warning",
    "doubtful": "warning",
    "implied": "information",
    "unknown": "information",
}
# a part of something else, or one of several: "each arm having a hinge"
_PART = re.compile(
    r"\b(?:each|every|respective(?:ly)?|per|or|either|any|both|another|having|ha[sd]|with|includ\w+|"
    r"compris\w+|contain\w+|defin\w+|form\w*|provid\w+|as|like|is|are)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s*(?:\([^()]{1,20}\)\s*)?(?:of|between|that|which|or|when|where|such)\b", re.IGNORECASE
)


def _missing(context: LintContext) -> Iterator[Found]:
    for item in missing_antecedents(context.claims):
        limit = _LIMITS[item.antecedent.kind]
        yield found(item.claim, item.term.start, item.term.end, _message(context, item), limit)


def _message(context: LintContext, item: MissingAntecedent) -> str:
    term, antecedent = item.term, item.antecedent
    if context.claims.language != "en":
        return tr("{text} is not introduced", text=shown(term.text))
    words = f'"{term.marker} {shown(term.name)}"'
    place = tr("before it in the claim")
    if item.claim.refers_to:
        place = tr("in the claims it builds on")
    if antecedent.kind == "implied":
        return tr(
            "{words} is not introduced {place}, but may be clear from its meaning",
            words=words,
            place=place,
        )
    if antecedent.nearest is None:
        return tr("{words} has no antecedent {place}", words=words, place=place)
    return tr(
        '{words} has no exact antecedent; the nearest is "{text}"',
        words=words,
        text=shown(antecedent.nearest.name),
    )


def _double(context: LintContext) -> Iterator[Found]:
    """An element that is introduced with "a" once more in the same words."""
    for claim in context.live:
        known: dict[tuple[str, ...], Claim] = {}
        for item in context.scopes[claim.position]:
            known |= {term.words: item for term in _introduced(item)}
        for term in _introduced(claim):
            earlier = known.get(term.words)
            if earlier is not None and _is_repeated(context, claim, term):
                message = tr('"{text}" is introduced already; use "the"', text=shown(term.text))
                if earlier is not claim:
                    message = tr(
                        '"{text}" is introduced in claim {number} already; use "the"',
                        text=shown(term.text),
                        number=earlier.shown_number,
                    )
                yield found(claim, term.start, term.end, message)
            known.setdefault(term.words, claim)


def _introduced(claim: Claim) -> Sequence[Term]:
    return [
        term for term in claim.terms if term.kind == "introduced" and term.head not in TELLING_APART
    ]


def _is_repeated(context: LintContext, claim: Claim, term: Term) -> bool:
    """Whether the second mention is hardly another element, though "the X" follows."""
    if term.marker not in ("a", "an") or term.end <= _subject_end(claim):
        return False
    size = len(term.words)
    later = (item for item in _referred(claim) if item.start > term.end)
    if not any(item.words[:size] == term.words for item in later):
        return False
    opened = claim.content.start if claim.transition is None else claim.transition.end
    clause = context.plain[max(min(opened, term.start), term.start - 50) : term.start]
    after = (_GOES_ON, MODIFIED)
    return _PART.search(clause) is None and not any(
        pattern.match(context.plain, term.end) for pattern in after
    )


def _referred(claim: Claim) -> Iterator[Term]:
    return (term for term in claim.terms if term.kind == "referred")


def _subject_end(claim: Claim) -> int:
    """Where "A device according to claim 1" ends in a claim that refers to others."""
    return claim.references[0].end if claim.references else claim.content.start


ANTECEDENTS = (
    Rule(
        "antecedent-missing", "antecedents", '"the X" without an earlier "a X"',
        everywhere("error"), _BASIS, _missing,
    ),
    Rule(
        "antecedent-double", "antecedents", '"a X" introduced a second time',
        everywhere("warning"), _BASIS, _double, ENGLISH,
    ),
)  # fmt: skip
