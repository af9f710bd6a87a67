"""How a claim is put together: transition, closed groups, references to figures, category."""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.claims.lint.context import LintContext, found, name_of, shown
from patmark.claims.lint.findings import (
    ENGLISH,
    Found,
    Rule,
    Severity,
    bases,
    everywhere,
)
from patmark.claims.model import Claim

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
_FIGURE = re.compile(
    r"\b(?:Figs?\.?|FIGS?\.?|[Ff]igures?)\s*\d+[A-Za-z]?\b|(?:如|参见|見)?附?[图圖]\s?\d+(?=所示)|図\s?\d+(?=に示)"
)
_TABLE = re.compile(r"\b(?:Table|TABLE|Example|EXAMPLE)s?\s+[\dIVX]+\b")
_ITEM_LEAD = r"\W*(?:\w{1,3}[)\].:]\s*)?(?:and\s+)?(?:(?:the\s+)?steps?\s+of\s+)?"
_STEP = re.compile(rf"{_ITEM_LEAD}\w+ing\b", re.IGNORECASE)
_THING = re.compile(rf"{_ITEM_LEAD}(?:an?|at\s+least|one|two)\s", re.IGNORECASE)
_BY_PROCESS = re.compile(
    r"\b(?:by|according to|with|in|from)\s+an?\s+(?:\w+\s+)?(?:method|process)\b|"
    r"\bprocess\s+compris",
    re.IGNORECASE,
)
_FEWEST = 2

_OMNIBUS_BASIS = bases(
    "MPEP 2173.05(r), 2173.05(s)", "Rule 43(6) EPC", "Implementing Regulations, Rule 22(3)"
)
_TRANSITION_BASIS = bases("MPEP 2111.03", "Rule 43(1) EPC", "Implementing Regulations, Rule 24")


def _no_transition(context: LintContext) -> Iterator[Found]:
    """A compound may be claimed by its name alone, a use by what is used for what."""
    for claim in context.live:
        named = claim.category in ("composition", "use")
        if claim.transition is None and not claim.refers_to and not named:
            message = "no transition such as comprising, consisting of, wherein"
            yield found(claim, claim.content.start, claim.content.end, message)


def _mixed(context: LintContext) -> Iterator[Found]:
    """More elements for a claim that a closed transition has closed."""
    for claim in context.live:
        chain = [claim, *(context.claims.find(number) for number in claim.depends_on)]
        closed = next(
            (
                item
                for item in chain
                if item is not None
                and item.transition is not None
                and item.transition.kind == "closed"
                and not item.depends_on
            ),
            None,
        )
        match = _FURTHER.search(context.plain, claim.content.start, claim.content.end)
        if closed is not None and match is not None:
            message = f'"{shown(match.group())}", but claim {name_of(closed)} is closed'
            yield found(claim, match.start(), match.end(), message)


def _markush(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        for match in _OPEN_GROUP.finditer(context.plain, claim.content.start, claim.content.end):
            message = f'"{shown(match.group())}" leaves the group open; use "consisting of"'
            yield found(claim, match.start(), match.end(), message)


def _omnibus(context: LintContext) -> Iterator[Found]:
    patterns: tuple[tuple[re.Pattern[str], Severity | None], ...] = (
        (_HEREIN, None), (_FIGURE, None), (_TABLE, "information"),
    )  # fmt: skip
    for claim in context.live:
        for pattern, limit in patterns:
            for match in pattern.finditer(context.plain, claim.content.start, claim.content.end):
                message = f'"{shown(match.group())}" refers to the description or the drawings'
                yield found(claim, match.start(), match.end(), message, limit)


def _category_mixed(context: LintContext) -> Iterator[Found]:
    """A method made of things only, or a thing made of steps only."""
    for claim in context.live:
        if claim.refers_to or claim.transition is None or claim.transition.kind != "open":
            continue
        if _BY_PROCESS.search(context.plain, claim.content.start, claim.transition.end):
            continue
        items = [item.text for item in claim.limitations if item.level == 1]
        if len(items) < _FEWEST:
            continue
        message = _mismatch(claim, items)
        if message is not None:
            yield found(claim, claim.body.start, claim.body.end, message)


def _mismatch(claim: Claim, items: list[str]) -> str | None:
    if claim.category == "method" and all(_THING.match(item) for item in items):
        return "a method whose limitations are all things, not steps"
    steps = [_STEP.match(item) for item in items]
    if claim.category == "apparatus" and all(steps):
        return "an apparatus whose limitations are all steps, not parts"
    return None


RULES = (
    Rule(
        "transition-missing", "structure", "an independent claim without a transition",
        everywhere("warning"), _TRANSITION_BASIS, _no_transition, ("en", "zh"),
    ),
    Rule(
        "transition-mixed", "structure", "further elements in a closed claim",
        everywhere("warning"), bases("MPEP 2111.03", "Art. 84 EPC", "Patent Law, Art. 26(4)"),
        _mixed, ENGLISH,
    ),
    Rule(
        "markush-open", "structure", "selected from a group comprising",
        everywhere("warning"),
        bases("MPEP 2173.05(h), 2117", "Art. 84 EPC", "Guidelines, Part II, Ch. 10, 8.1"),
        _markush, ENGLISH,
    ),
    Rule(
        "omnibus", "structure", "a reference to the description or the drawings",
        everywhere("error"), _OMNIBUS_BASIS, _omnibus,
    ),
    Rule(
        "category-mixed", "structure", "a method of things, or a thing of steps",
        everywhere("warning"),
        bases("MPEP 2173.05(p)", "Art. 84 EPC", "Guidelines, Part II, Ch. 2, 3.1.1"),
        _category_mixed, ENGLISH,
    ),
)  # fmt: skip
