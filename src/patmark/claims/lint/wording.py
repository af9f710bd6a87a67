"""Wording that leaves the scope open: relative, exemplary, negative and functional language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.claims.lint.context import LintContext, found, shown
from patmark.claims.lint.findings import ENGLISH, Found, Rule, Severity, bases, everywhere, levels
from patmark.claims.model import Claim

_APPROXIMATE = re.compile(
    r"\b(?:about(?=\s+[\d(a-z]+(?:\s|%|°))|approximately|substantially|(?<!consisting )essentially|"
    r"generally|roughly|nearly|almost|virtually)\b",
    re.IGNORECASE,
)
# "turns about an axis" is no approximation
_AROUND = re.compile(r"about\s+(?:an?|the|said|its|their|each|which)\b", re.IGNORECASE)
_DEGREES = (
    r"high|low|large|small|big|thin|thick|strong|weak|wide|narrow|long|short|fast|slow|hard|soft|"
    r"heavy|light|close|good|bad|rapid|easy|simple|cheap"
)
_RELATIVE = re.compile(
    r"\b(?:relatively(?!\s+(?:mov|rotat|slid|displac))|comparatively|very|extremely|quite|fairly|"
    r"easily|quickly|conveniently|suitably|"
    r"appropriately|adequately|reasonably|user-friendly|aesthetically|(?:if|as|when|where)\s+(?:needed|"
    r"necessary|desired|required|appropriate)|(?<!pharmaceutically )suitable(?!\s+for)|"
    r"appropriate|adequate|desirable|advantageous(?:ly)?|optimal(?:ly)?|superior|"
    rf"(?:(?:is|are|be|being|becomes?|remains?)\s+(?:{_DEGREES})(?=[\s]*[,;.])))\b",
    re.IGNORECASE,
)
_EXEMPLARY = re.compile(
    r"\b(?:such\s+as|for\s+example|for\s+instance|e\.\s?g\.|exemplary|preferabl[ye]|in\s+particular|"
    r"particularly|especially|(?:and|or)\s+the\s+like|(?:and|or)\s+(?:similar|so\s+on|so\s+forth)|etc\b)",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:(?<!or )(?<!if )not(?!\s+(?:less|more|greater|smaller|larger|lower|higher|exceed|only|"
    r"necessarily|limited))|without|excluding|except(?:ing)?|free\s+(?:of|from)|neither|devoid\s+of|"
    r"cannot|never|lack(?:s|ing)?|other\s+than)\b",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\bmeans\s*(?:\([^()]{1,20}\)\s*)?,?\s*"
    r"(?:for\s+\w+ing|to\s+\w+|adapted|configured|operable|which|that)\b|\bsteps?\s+for\s+\w+ing\b",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[\w-]+(?=\s+$)")
_NONCE = re.compile(
    r"\b(?:module|unit|mechanism|component|element|member|device|apparatus|machine|system|logic|"
    r"engine|facility|arrangement)s?\s*(?:\([^()]{1,20}\)\s*)?,?\s*(?:is\s+|are\s+|being\s+)?"
    r"(?:(?:further\s+)?(?:configured|adapted|operable|arranged|designed|programmed)\s+(?:to|for)|"
    r"for\s+\w+ing)\b",
    re.IGNORECASE,
)

_RELATIVE_BASIS = bases(
    "MPEP 2173.05(b)", "Art. 84 EPC; Guidelines F-IV, 4.6",
    "Patent Law, Art. 26(4); Guidelines, Part II, Ch. 2, 3.2.2",
)  # fmt: skip
_APPROXIMATE_BASIS = {**_RELATIVE_BASIS, "epo": "Art. 84 EPC; Guidelines F-IV, 4.7"}
_EXEMPLARY_BASIS = {
    **_RELATIVE_BASIS, "uspto": "MPEP 2173.05(d)", "epo": "Art. 84 EPC; Guidelines F-IV, 4.9",
}  # fmt: skip
_NEGATIVE_BASIS = bases("MPEP 2173.05(i)", "Art. 84 EPC", "Patent Law, Art. 26(4)")
_FUNCTION_BASIS = bases(
    "35 USC 112(f); MPEP 2181", "Art. 84 EPC", "Guidelines, Part II, Ch. 2, 3.2.1"
)


def _matches(
    context: LintContext, pattern: re.Pattern[str]
) -> Iterator[tuple[Claim, re.Match[str]]]:
    for claim in context.live:
        for match in pattern.finditer(context.plain, claim.content.start, claim.content.end):
            yield claim, match


def _approximate(context: LintContext) -> Iterator[Found]:
    for claim, match in _matches(context, _APPROXIMATE):
        if _AROUND.match(context.plain, match.start()) is None:
            message = f'"{match.group()}" needs a standard in the description'
            yield found(claim, match.start(), match.end(), message)


def _relative(context: LintContext) -> Iterator[Found]:
    for claim, match in _matches(context, _RELATIVE):
        message = f'"{shown(match.group())}" has no clear limit'
        yield found(claim, match.start(), match.end(), message)


def _exemplary(context: LintContext) -> Iterator[Found]:
    for claim, match in _matches(context, _EXEMPLARY):
        message = f'"{shown(match.group())}" leaves open whether what follows is required'
        yield found(claim, match.start(), match.end(), message)


def _negative(context: LintContext) -> Iterator[Found]:
    for claim, match in _matches(context, _NEGATIVE):
        message = f'"{shown(match.group())}": the description must support what is excluded'
        yield found(claim, match.start(), match.end(), message)


def _means(context: LintContext) -> Iterator[Found]:
    """Means or a step for a function; more than a hint when the description lacks the name."""
    described = None if context.description is None else context.description.lower()
    for claim, match in _matches(context, _MEANS):
        before = context.plain[max(claim.content.start, match.start() - 40) : match.start()]
        name = _NAME_BEFORE.search(before)
        word = "" if name is None else name.group().lower()
        if word == "by":
            continue
        start = match.start() if name is None else match.start() - len(before) + name.start()
        absent = described is not None and word not in described
        message = (
            f'"{shown(context.plain[start : match.end()])}" is read as means plus function'
            + ("; the description does not mention it" if absent else "")
        )
        limit: Severity | None = None if absent else "information"
        yield found(claim, start, match.end(), message, limit)


def _nonce(context: LintContext) -> Iterator[Found]:
    for claim in context.live:
        start = max(claim.body.start, claim.content.start)
        for match in _NONCE.finditer(context.plain, start, claim.content.end):
            message = f'"{shown(match.group())}" may be read as means plus function'
            yield found(claim, match.start(), match.end(), message)


RULES = (
    Rule(
        "approximate-term", "wording", "about, substantially and the like",
        levels("information", "information", "warning"), _APPROXIMATE_BASIS, _approximate, ENGLISH,
    ),
    Rule(
        "relative-term", "wording", "words of degree without a measure",
        everywhere("warning"), _RELATIVE_BASIS, _relative, ENGLISH,
    ),
    Rule(
        "exemplary-language", "wording", "such as, for example, preferably",
        everywhere("warning"), _EXEMPLARY_BASIS, _exemplary, ENGLISH,
    ),
    Rule(
        "negative-limitation", "wording", "what the invention is not",
        everywhere("information"), _NEGATIVE_BASIS, _negative, ENGLISH,
    ),
    Rule(
        "means-plus-function", "wording", "means for a function, step for a function",
        everywhere("warning"), _FUNCTION_BASIS, _means, ENGLISH,
    ),
    Rule(
        "nonce-word", "wording", "unit, module, member configured to",
        levels("information"), _FUNCTION_BASIS, _nonce, ENGLISH,
    ),
)  # fmt: skip
