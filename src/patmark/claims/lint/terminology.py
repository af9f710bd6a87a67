"""One name for one thing: terms that change, and spellings that change."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher

from patmark.claims.lint.context import LintContext, found, shown
from patmark.claims.lint.findings import ENGLISH, Found, Rule, bases, everywhere
from patmark.claims.lint.word_lists import ORDINALS
from patmark.claims.model import Claim, Term

_BASIS = bases(
    "35 USC 112(b); MPEP 2173.05(e)", "Art. 84 EPC; Guidelines F-IV, 4.2",
    "Patent Law, Art. 26(4); Implementing Regulations, Rule 22(2)",
)  # fmt: skip
_SAME_SPELLING = 0.8
_SHORTEST = 7
_JOIN = re.compile(r"[\s-]+")


def _drift(context: LintContext) -> Iterator[Found]:
    """A phrase with "the" that differs in one word from one that was introduced."""
    for claim, term, verdict in context.unfounded:
        nearest = verdict.nearest
        if nearest is not None and _is_variant(term, nearest):
            message = f'"{shown(term.text)}" may be another name for "{shown(nearest.text)}"'
            yield found(claim, term.start, term.end, message)


def _is_variant(term: Term, nearest: Term) -> bool:
    """Whether all words but one are the same.

    Ordinals tell things apart, they do not drift; "the oxygen content" is no name of the oxygen.
    """
    own, other = set(term.words), set(nearest.words)
    if (own ^ other) & ORDINALS:
        return False
    new, old = own - other, other - own
    if len(new) != 1 or len(old) > 1:
        return False
    if not old:
        return term.head not in new
    return len(own & other) > 0 or _alike(min(new), min(old))


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other).ratio() >= _SAME_SPELLING


def _spelling(context: LintContext) -> Iterator[Found]:
    """One term in two spellings: side wall, side-wall, sidewall."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    places: dict[str, tuple[Claim, Term]] = {}
    for claim in context.live:
        for term in claim.terms:
            joined = "".join(_JOIN.split("".join(term.words)))
            if len(joined) >= _SHORTEST and joined.isalpha():
                form = " ".join(term.words).strip("-")
                written[joined][form] += 1
                places.setdefault(form, (claim, term))
    for forms in written.values():
        usual, *others = (form for form, _ in forms.most_common())
        for form in others:
            claim, term = places[form]
            message = f'"{shown(term.text)}" is written "{shown(places[usual][1].text)}" elsewhere'
            yield found(claim, term.start, term.end, message)


RULES = (
    Rule(
        "term-drift", "terminology", "a name that changes in one place",
        everywhere("warning"), _BASIS, _drift, ENGLISH,
    ),
    Rule(
        "term-spelling", "terminology", "a term in two spellings",
        everywhere("information"), _BASIS, _spelling, ENGLISH,
    ),
)  # fmt: skip
