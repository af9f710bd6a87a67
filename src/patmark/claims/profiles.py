"""A set of claims prepared for comparison: words, clauses, terms, and which claim refers to which.

Texts are compared in their canonical form (:mod:`patmark.claims.canonical`). Words are in small
letters and singular; punctuation, claim numbers and mentions of claims are no words, and a clause
does not end at a line break alone. Chinese and Japanese characters are words of one character, so
that no segmenter is needed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypeAlias

from patmark.claims.bags import Bags, bags_of
from patmark.claims.canonical import CanonicalText, canonical_form
from patmark.claims.limitations import find_limitations
from patmark.claims.model import Claim, ClaimSet, Span, Term
from patmark.claims.parser import parse_claims
from patmark.claims.terms import covers
from patmark.data import Evidence, Side
from patmark.text.phrases import singular
from patmark.text.scripts import CJK, has_cjk

Words: TypeAlias = tuple[str, ...]
ROOT, BROKEN = -1, -2

_WORD = re.compile(rf"[{CJK}]|[^\W\d_{CJK}]+|\d+(?:[.,]\d+)*")
_CLAUSE_END = re.compile(r"[;:]\s*(?:and|or)?\s*$|と[、,]\s*$", re.IGNORECASE)
_CLAUSE_START = re.compile(r"(?:and\s+)?where(?:in|by)\b|其中|\(?[a-hivx]{1,4}\)", re.IGNORECASE)
# 权利要求1中任一项所述的, 請求項1のいずれか一項に記載の
_AFTER_REFERENCE = re.compile(
    r"[中之の]?(?:任[一意]|いずれか)?[一1]?[项項]?(?:所述[的之]?|に記載の?)"
)
_ENDED = re.compile(r"[.。．][\s\"')\]”’]*$")
_KEPT = 2048


@dataclass(frozen=True, slots=True)
class Clause:
    """A preamble or limitation: the claim it stands in (from 0), its place and its words."""

    claim: int
    start: int
    end: int
    words: Words


@dataclass(frozen=True, eq=False)
class ClaimProfile:
    """What the measures of claims compare. All places are places in the canonical form."""

    form: CanonicalText
    claims: ClaimSet
    words: tuple[Words, ...]
    clauses: tuple[Clause, ...]

    def evidence(self, side: Side, start: int, end: int, message: str) -> Evidence:
        """A remark on a place, as a place in the text as it was received."""
        return Evidence(side, *self.form.original(start, end), message)

    @cached_property
    def claim_bags(self) -> Bags:
        """The items of each claim."""
        return bags_of(self.words)

    @cached_property
    def clause_bags(self) -> Bags:
        """The items of each clause."""
        return bags_of([clause.words for clause in self.clauses])

    @cached_property
    def all_words(self) -> Words:
        """The words of all claims in order."""
        return tuple(word for words in self.words for word in words)

    @cached_property
    def terms(self) -> Counter[Words]:
        """How often each term occurs, introduced or referred to."""
        return Counter(term.words for claim in self.claims.claims for term in claim.terms)

    @cached_property
    def relations(self) -> Counter[tuple[str, str]]:
        """How often the head of one term is followed by that of another within a clause."""
        return Counter(
            (first.head, second.head)
            for inside in self._terms_of_clauses()
            for first, second in pairwise(inside)
        )

    @cached_property
    def targets(self) -> tuple[frozenset[int], ...]:
        """The places (from 0) of the claims that each claim refers to.

        ROOT stands for none, BROKEN for a number that is missing, later or the claim's own.
        """
        return tuple(frozenset(self._targets(claim)) for claim in self.claims.claims)

    @cached_property
    def unsupported(self) -> tuple[Term, ...]:
        """The terms with "the" that neither their claim nor those it refers to introduce."""
        return tuple(_unsupported(self.claims))

    @cached_property
    def unclear(self) -> tuple[Term, ...]:
        """As unsupported, but a claim that refers to a missing one may use all earlier claims."""
        return tuple(_unsupported(self.claims, lenient=True))

    @cached_property
    def referred(self) -> int:
        """How many terms stand with "the"."""
        return sum(term.kind == "referred" for claim in self.claims.claims for term in claim.terms)

    @cached_property
    def unfinished(self) -> tuple[Claim, ...]:
        """The claims that do not end with a full stop."""
        return tuple(claim for claim in self.claims.claims if not _ENDED.search(claim.text))

    @cached_property
    def repeated(self) -> float:
        """The share of runs of four words that were there before."""
        words = self.all_words
        runs = list(zip(words, words[1:], words[2:], words[3:], strict=False))
        return 1 - len(set(runs)) / len(runs) if runs else 0.0

    def _targets(self, claim: Claim) -> Iterator[int]:
        if not claim.refers_to:
            yield ROOT
        for number in claim.refers_to:
            target = self.claims.find(number)
            earlier = target is not None and target.position < claim.position
            yield target.position - 1 if target is not None and earlier else BROKEN

    def _terms_of_clauses(self) -> Iterator[list[Term]]:
        starts = [[term.start for term in claim.terms] for claim in self.claims.claims]
        for clause in self.clauses:
            own = starts[clause.claim]
            first, last = bisect_left(own, clause.start), bisect_left(own, clause.end)
            yield list(self.claims.claims[clause.claim].terms[first:last])


@lru_cache(maxsize=_KEPT)
def profile_of(text: str) -> ClaimProfile:
    """Parse a text and prepare it; a reference that many candidates share is parsed once."""
    form = canonical_form(text)
    claims = _without_canceled(parse_claims(form.text))
    plain = _masked(claims)
    words: list[Words] = []
    clauses: list[Clause] = []
    for place, claim in enumerate(claims.claims):
        found = list(_WORD.finditer(plain, claim.content.start, claim.content.end))
        forms = tuple(singular(match.group().lower()) for match in found)
        starts = [match.start() for match in found]
        words.append(forms)
        for span in _clause_spans(claim, form.text):
            inside = forms[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
            if inside:
                clauses.append(Clause(place, span.start, span.end, inside))
    return ClaimProfile(form, claims, tuple(words), tuple(clauses))


def _without_canceled(claims: ClaimSet) -> ClaimSet:
    """The claims that still say something, by their new places."""
    live = [claim for claim in claims.claims if not claim.canceled]
    if len(live) == len(claims.claims):
        return claims
    moved = tuple(replace(claim, position=place) for place, claim in enumerate(live, 1))
    return replace(claims, claims=moved)


def _masked(claims: ClaimSet) -> str:
    """The text with blanks for mentions of claims."""
    parts, place = [], 0
    for claim in claims.claims:
        for mention in claim.references:
            parts += [claims.text[place : mention.start], " " * (mention.end - mention.start)]
            place = mention.end
    return "".join([*parts, claims.text[place:]])


def _clause_spans(claim: Claim, text: str) -> list[Span]:
    """What a claim says, clause by clause: its preamble and its limitations.

    Of a dependent claim with limitations the words up to the reference only repeat a name; what
    follows ("… of claim 1 in which the rotor has blades, wherein …") limits it.
    """
    body = [Span(item.start, item.end) for item in claim.limitations]
    own = _own_preamble(claim, text) if claim.dependent and body else claim.preamble
    if _WORD.search(text, own.start, own.end) is None:
        return _joined(text, body)
    head = [Span(item.start, item.end) for item in find_limitations(text, text, own)]
    return [*_joined(text, head), *_joined(text, body)]


def _own_preamble(claim: Claim, text: str) -> Span:
    """The preamble of a dependent claim after the reference and the words that belong to it."""
    preamble, reference = claim.preamble, claim.references[0]
    if not preamble.start <= reference.start < preamble.end:
        return preamble
    after = min(reference.end, preamble.end)
    match = _AFTER_REFERENCE.match(text, after, preamble.end)
    return Span(after if match is None else match.end(), preamble.end)


def _joined(text: str, clauses: list[Span]) -> list[Span]:
    """Clauses that a mere line break cuts, as one."""
    spans: list[Span] = []
    for clause in clauses:
        if spans and not _is_cut(text, spans[-1], clause.start):
            spans[-1] = Span(spans[-1].start, clause.end)
        else:
            spans.append(clause)
    return spans


def _is_cut(text: str, before: Span, start: int) -> bool:
    """Whether a limitation ends for another reason than a line break."""
    return (
        "\n" not in text[before.end : start]
        or _CLAUSE_END.search(text, max(before.start, before.end - 8), before.end) is not None
        or _CLAUSE_START.match(text, start) is not None
    )


def _unsupported(claims: ClaimSet, lenient: bool = False) -> Iterator[Term]:
    """Terms with "the" that no term before them covers, in their claim or those it refers to."""
    known: list[dict[str, list[Term]]] = []
    for claim in claims.claims:
        own: dict[str, list[Term]] = {}
        reached = claims.in_scope(claim)
        if lenient and any(claims.absent(item) for item in (claim, *reached)):
            reached = claims.claims
        scope = [known[item.position - 1] for item in reached if item.position < claim.position]
        for term in claim.terms:
            if term.kind == "referred" and not any(
                covers(earlier, term)
                for heads in (own, *scope)
                for earlier in _possible(heads, term)
            ):
                yield term
            own.setdefault(term.head, []).append(term)
        known.append(own)


def _possible(heads: dict[str, list[Term]], wanted: Term) -> list[Term]:
    """Terms that may cover another: in English their head must be one of its words."""
    if has_cjk(wanted.head):
        return [term for terms in heads.values() for term in terms]
    return [term for word in wanted.words for term in heads.get(word, ())]
