"""One name for one thing, names that the description supports, and nothing said twice."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from patmark.claims.antecedents import EMPTY, missing_antecedents
from patmark.claims.lint.rule import (
    ENGLISH,
    Found,
    LintContext,
    Rule,
    bases,
    everywhere,
    found,
    shown,
)
from patmark.claims.model import Claim, Term
from patmark.claims.terms import TELLING_APART
from patmark.text import HAN, KANA, plain_form, singular
from patmark.wording import tr

_BASIS = bases(
    "35 USC 112(b); MPEP 2173.05(e)",
    "Art. 84 EPC; Guidelines F-IV, 4.2",
    "Patent Law, Art. 26(4); Implementing Regulations, Rule 22(2)",
)
_SAME_SPELLING = 0.8
_SHORTEST = 7
_JOIN = re.compile(r"[\s-]+")


def _drift(context: LintContext) -> Iterator[Found]:
    """A phrase with "the" that differs in one word from one that was introduced."""
    for item in missing_antecedents(context.claims):
        term, nearest = item.term, item.antecedent.nearest
        if nearest is not None and _is_variant(term, nearest):
            message = tr(
                '"{text}" may be another name for "{text2}"',
                text=shown(term.name),
                text2=shown(nearest.name),
            )
            yield found(item.claim, term.start, term.end, message)


def _is_variant(term: Term, nearest: Term) -> bool:
    """Whether all words but one are the same.

    Ordinals tell things apart, they do not drift; "the oxygen content" is no name of the oxygen.
    """
    own, other = set(term.words), set(nearest.words)
    if (own ^ other) & TELLING_APART:
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
            message = tr(
                '"{text}" is written "{text2}" elsewhere',
                text=shown(term.text),
                text2=shown(places[usual][1].text),
            )
            yield found(claim, term.start, term.end, message)


TERMINOLOGY = (
    Rule(
        "term-drift", "terminology", "a name that changes in one place",
        everywhere("warning"), _BASIS, _drift, ENGLISH,
    ),
    Rule(
        "term-spelling", "terminology", "a term in two spellings",
        everywhere("information"), _BASIS, _spelling, ENGLISH,
    ),
)  # fmt: skip


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
                message = tr(
                    '"{text}": the description does not have {absent}',
                    text=shown(term.text),
                    absent=tuple(absent),
                )
                yield found(claim, term.start, term.end, message)


def _roots(text: str) -> set[str]:
    return {singular(word)[:_ROOT] for word in _WORD.findall(text)}


def _absent_words(term: Term, roots: set[str]) -> list[str]:
    """The words of a term of which not even the root is there."""
    parts = [part for word in term.words for part in _WORD.findall(word)]
    return [
        part
        for part in parts
        if part not in EMPTY and part not in TELLING_APART and singular(part)[:_ROOT] not in roots
    ]


SUPPORT = (
    Rule(
        "term-unsupported", "support", "a term that the description does not have",
        everywhere("warning"),
        bases(
            "35 USC 112(a); 37 CFR 1.75(d)(1)", "Art. 84 EPC", "Patent Law, Art. 26(4)"
        ),
        _unsupported, needs_description=True,
    ),
)  # fmt: skip


_DIFFER = bases(
    "37 CFR 1.75(b); MPEP 608.01(m)", "Art. 84 EPC (conciseness)", "Patent Law, Art. 26(4)"
)
_NARROWER = bases("35 USC 112(d)", "Rule 43(4) EPC", "Implementing Regulations, Rule 23(3)")
_TOKEN = re.compile(rf"[{HAN}{KANA}]|[^\W_]+")
_EMPTY_WORDS = """
a an the said that which of wherein where whereby comprising comprises comprise further is are being
according to as claimed in recited defined and also
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_CACHED = 1024
_LOOP = 4
_LONGEST_LOOP = 60
_VARIED = 2
_BREAK = re.compile(r"[,;:.、。]|\b(?:and|or)\b")
_LETTERS = re.compile(r"[^\d]*")
_FEWEST = {"en": 4, "zh": 10, "ja": 10}


@lru_cache(maxsize=_CACHED)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.lower()))


@lru_cache(maxsize=_CACHED)
def _content(text: str) -> tuple[str, ...]:
    """The words that carry meaning, in singular and in order."""
    return tuple(singular(token) for token in _tokens(text) if token not in _EMPTY)


def _duplicate(context: LintContext) -> Iterator[Found]:
    for claim, first in _same(context, _tokens):
        message = tr("the same text as claim {number}", number=first.shown_number)
        yield found(claim, claim.content.start, claim.content.end, message)


def _near_duplicate(context: LintContext) -> Iterator[Found]:
    """Claims that differ in articles, plurals, punctuation and other small words only."""
    exact = {claim.position for claim, _ in _same(context, _tokens)}
    for claim, first in _same(context, _content):
        if claim.position not in exact:
            message = tr(
                "the same as claim {number} but for small words", number=first.shown_number
            )
            yield found(claim, claim.content.start, claim.content.end, message)


def _same(
    context: LintContext, form: Callable[[str], tuple[str, ...]]
) -> Iterator[tuple[Claim, Claim]]:
    """Claims that are the same in some form as an earlier one, with that one."""
    seen: dict[tuple[str, ...], Claim] = {}
    for claim in context.live:
        tokens = form(context.words(claim))
        first = seen.setdefault(tokens, claim)
        if first is not claim and tokens:
            yield claim, first


def _repeats_parent(context: LintContext) -> Iterator[Found]:
    """A dependent claim whose limitation stands word for word in a claim above it."""
    fewest = _FEWEST[context.claims.language]
    contents: dict[int, str] = {}
    for claim in context.live:
        if not claim.dependent or claim.body.start >= claim.body.end:
            continue
        own = _content(context.plain[claim.body.start : claim.body.end])
        if len(own) < fewest:
            continue
        for item in context.scopes[claim.position]:
            if item.position not in contents:
                contents[item.position] = _joined(_content(context.words(item)))
            if _joined(own) in contents[item.position]:
                message = tr("claim {number} says the same already", number=item.shown_number)
                yield found(claim, claim.body.start, claim.body.end, message)
                break


def _joined(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "


def _repeated_limitation(context: LintContext) -> Iterator[Found]:
    """The same clause again; lists of compounds and amounts repeat themselves rightly."""
    fewest = _FEWEST[context.claims.language]
    for claim in context.live:
        seen: set[tuple[str, ...]] = set()
        for item in claim.limitations:
            tokens = _content(context.plain[item.start : item.end])
            plain_words = len(tokens) >= fewest and all(token.isalpha() for token in tokens)
            if plain_words and tokens in seen:
                message = tr('said before in this claim: "{text}"', text=shown(item.text))
                yield found(claim, item.start, item.end, message)
            seen.add(tokens)


def _loop(context: LintContext) -> Iterator[Found]:
    """Words that follow themselves: twice without a break, or three times with one."""
    for claim in context.live:
        matches = list(_TOKEN.finditer(context.plain, claim.content.start, claim.content.end))
        tokens = [match.group().lower() for match in matches]
        for start, size in _loops(tokens, _FEWEST[context.claims.language]):
            first, last = matches[start + size], matches[start + 2 * size - 1]
            again = tokens[start : start + size] == tokens[start + 2 * size : start + 3 * size]
            run = context.plain[matches[start].start() : last.end()]
            if again or (_BREAK.search(run) is None and _LETTERS.fullmatch(run)):
                message = tr(
                    'repeated at once: "{text}"',
                    text=shown(context.plain[first.start() : last.end()]),
                )
                yield found(claim, first.start(), last.end(), message)
                break


def _loops(tokens: Sequence[str], fewest: int) -> Iterator[tuple[int, int]]:
    """Start and length of the runs that come twice in a row."""
    last: dict[tuple[str, ...], int] = {}
    for place in range(len(tokens) - _LOOP + 1):
        key = tuple(tokens[place : place + _LOOP])
        before = last.get(key)
        last[key] = place
        if before is None:
            continue
        size = place - before
        if not fewest <= size <= _LONGEST_LOOP or len(set(tokens[before:place])) < _VARIED:
            continue
        if tokens[before:place] == tokens[place : place + size]:
            yield before, size


REPETITION = (
    Rule(
        "duplicate-claim", "repetition", "two claims with the same text",
        everywhere("warning"), _DIFFER, _duplicate,
    ),
    Rule(
        "near-duplicate", "repetition", "two claims that differ in small words only",
        everywhere("warning"), _DIFFER, _near_duplicate,
    ),
    Rule(
        "repeats-parent", "repetition", "a dependent claim that says what its parent says",
        everywhere("warning"), _NARROWER, _repeats_parent,
    ),
    Rule(
        "limitation-repeated", "repetition", "a limitation twice in a claim",
        everywhere("warning"), _DIFFER, _repeated_limitation,
    ),
    Rule(
        "text-loop", "repetition", "words that run in a loop",
        everywhere("warning"), _DIFFER, _loop,
    ),
)  # fmt: skip
