"""Support: what the claims name is in the description."""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.claims.lint.context import LintContext, found, shown
from patmark.claims.lint.findings import Found, Rule, bases, everywhere
from patmark.claims.lint.word_lists import EMPTY, ORDINALS
from patmark.claims.model import Term
from patmark.claims.plain import plain_form
from patmark.text.phrases import singular

_WORD = re.compile(r"[^\W\d_]+")
_ROOT = 6


def _unsupported(context: LintContext) -> Iterator[Found]:
    """The first mention of each term with a word that the description does not have."""
    described = plain_form(context.description or "").lower()
    words = _roots(described)
    closed_up = "".join(described.split())
    seen: set[tuple[str, ...]] = set()
    for claim in context.live:
        for term in claim.terms:
            if term.kind == "referred" or term.words in seen:
                continue
            seen.add(term.words)
            absent = (
                _absent_words(term, words)
                if context.claims.language == "en"
                else []
                if term.head in closed_up
                else [term.head]
            )
            if absent:
                message = f'"{shown(term.text)}": the description does not have {", ".join(absent)}'
                yield found(claim, term.start, term.end, message)


def _roots(text: str) -> set[str]:
    return {singular(word)[:_ROOT] for word in _WORD.findall(text)}


def _absent_words(term: Term, roots: set[str]) -> list[str]:
    """The words of a term of which not even the root is there."""
    parts = [part for word in term.words for part in _WORD.findall(word)]
    return [
        part
        for part in parts
        if part not in EMPTY and part not in ORDINALS and singular(part)[:_ROOT] not in roots
    ]


RULES = (
    Rule(
        "term-unsupported", "support", "a term that the description does not have",
        everywhere("warning"),
        bases(
            "35 USC 112(a); 37 CFR 1.75(d)(1)", "Art. 84 EPC", "Patent Law, Art. 26(4)"
        ),
        _unsupported, needs_description=True,
    ),
)  # fmt: skip
