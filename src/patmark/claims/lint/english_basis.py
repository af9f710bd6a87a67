"""Whether an English phrase with "the" or "said" has something to refer to.

The answers: it has; something like it is there; it needs none, because its meaning or the words
after it explain it; there is nothing, but its place makes it less clear a fault (the preamble, or
words after it that narrow it down); there is nothing at all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from patmark.claims.lint.word_lists import (
    CONJUNCTION,
    DEVERBAL,
    EMPTY,
    EXPLAINED,
    MODIFIED,
    ORDINALS,
    PROPERTIES,
    SET_PHRASE,
    SUPERLATIVE,
    TAIL,
    UNIQUE,
)
from patmark.claims.lint.word_runs import ClaimTokens, claim_tokens, side_by_side
from patmark.claims.model import Claim, Term
from patmark.claims.terms import covers

Basis: TypeAlias = Literal["found", "similar", "implied", "doubtful", "none"]
_PARTICIPLE = re.compile(r".{3,}(?:ing|ed)")
_PLURALS = {"axe": "axis", "indice": "index", "vertice": "vertex", "matrice": "matrix",
            "media": "medium", "foot": "feet", "formulae": "formula"}  # fmt: skip
_IRREGULAR = _PLURALS | {one: many for many, one in _PLURALS.items()}


@dataclass(frozen=True, slots=True)
class ClaimTerms:
    """The terms of a claim by their last word and by each of their words."""

    by_head: dict[str, list[Term]]
    by_word: dict[str, list[Term]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, and the phrase that is most like the one looked for."""

    basis: Basis
    nearest: Term | None = None


@dataclass(slots=True)
class EnglishBasis:
    """Looks for what phrases refer to; each claim is read once."""

    plain: str
    _terms: dict[int, ClaimTerms] = field(default_factory=dict)
    _tokens: dict[int, ClaimTokens] = field(default_factory=dict)

    def judge(self, claim: Claim, place: int, scope: Sequence[Claim]) -> Verdict:
        """The basis of the term at a place in the list of terms of a claim."""
        reference = claim.terms[place]
        nowhere = bool(claim.references) and not scope
        if nowhere and reference.end <= claim.references[0].start:
            return Verdict("found")
        if _is_letter(reference) or reference.text.lower() in UNIQUE or self._is_same(reference):
            return Verdict("found")
        if SET_PHRASE.match(self.plain, reference.start) or _is_named_compound(reference, scope):
            return Verdict("found")
        readings = list(_readings(reference, self._joined(claim, place)))
        places = [*((item, item.end) for item in scope), (claim, reference.start)]
        sources = [(self._terms_of(item), end) for item, end in places]
        if any(_covered(reading, sources) for reading in readings):
            return Verdict("found")
        tokens = [(self._tokens_of(item), end) for item, end in places]
        if any(side_by_side(reading.words, tokens) for reading in readings):
            return Verdict("found")
        nearest = _nearest(reference, sources)
        if nearest is not None and nearest.head == reference.head:
            return Verdict("similar", nearest)
        if self._explained(reference) or _is_property_of(reference, nearest):
            return Verdict("implied", nearest)
        if nearest is not None:
            return Verdict("similar", nearest)
        related = any(side_by_side((word,), tokens) for word in reference.words[:-1])
        return Verdict("doubtful" if related or self._doubtful(claim, reference) else "none")

    def _terms_of(self, claim: Claim) -> ClaimTerms:
        if claim.position not in self._terms:
            self._terms[claim.position] = _claim_terms(claim)
        return self._terms[claim.position]

    def _tokens_of(self, claim: Claim) -> ClaimTokens:
        if claim.position not in self._tokens:
            self._tokens[claim.position] = claim_tokens(claim, self.plain)
        return self._tokens[claim.position]

    def _joined(self, claim: Claim, place: int) -> Term | None:
        """The second phrase of "the first and second shafts", if there is one."""
        if place + 1 >= len(claim.terms):
            return None
        term, after = claim.terms[place], claim.terms[place + 1]
        link = CONJUNCTION.fullmatch(self.plain, term.end, after.start)
        return after if link is not None and after.kind == "bare" else None

    def _explained(self, reference: Term) -> bool:
        """Whether its own meaning says what is meant: a property, a superlative, an action on."""
        first = reference.words[0]
        if SUPERLATIVE.fullmatch(first) is not None or first in EMPTY:
            return True
        return _is_inherent(reference) and self._goes_on(reference)

    def _is_same(self, reference: Term) -> bool:
        """Whether "same" stands before the noun: "from the same genus" needs nothing before it."""
        return self.plain[max(0, reference.start - 6) : reference.start].lower().strip() == "same"

    def _doubtful(self, claim: Claim, reference: Term) -> bool:
        """Whether the place or the words after it make a missing basis less clear a fault."""
        opening = claim.preamble.end
        if claim.refers_to:
            opening = claim.references[0].end
        return reference.end <= opening or self._goes_on(reference) or _is_inherent(reference)

    def _goes_on(self, reference: Term) -> bool:
        """Whether the words after it narrow it down: "the data in", "the surface of"."""
        return any(
            pattern.match(self.plain, reference.end) is not None
            for pattern in (EXPLAINED, MODIFIED)
        )


def _is_inherent(reference: Term) -> bool:
    """Whether a phrase names what other things have or do: a side, a speed, a movement."""
    known = reference.head in PROPERTIES or reference.head in ORDINALS
    return known or DEVERBAL.fullmatch(reference.head) is not None


def _is_property_of(reference: Term, nearest: Term | None) -> bool:
    """Whether a phrase names what a thing introduced before has: "the Mg content" after "Mg"."""
    thing = reference.words[:-1]
    known = nearest is not None and thing == nearest.words[len(nearest.words) - len(thing) :]
    return bool(thing) and known and reference.head in PROPERTIES


def _is_named_compound(reference: Term, scope: Sequence[Claim]) -> bool:
    """Whether "the compound" is one that an earlier claim calls by its chemical name."""
    return reference.text.lower() == "compound" and any(
        not claim.refers_to and claim.category == "composition" and claim.transition is None
        for claim in scope
    )


def _is_letter(reference: Term) -> bool:
    """Whether a phrase is a variable: the n, said X."""
    return len(reference.words) == 1 and len(reference.head) == 1


def _claim_terms(claim: Claim) -> ClaimTerms:
    by_head: defaultdict[str, list[Term]] = defaultdict(list)
    by_word: defaultdict[str, list[Term]] = defaultdict(list)
    for term in claim.terms:
        by_head[term.head].append(term)
        cut = _before_tail(term, _PARTICIPLE)
        if cut is not None:
            by_head[cut.head].append(cut)
        for word in term.words:
            by_word[word].append(term)
    return ClaimTerms(by_head, by_word)


def _before_tail(term: Term, *endings: re.Pattern[str]) -> Term | None:
    """The phrase before its first word that is no part of a name: "lip spaced apart"."""
    for place, word in enumerate(term.words[1:], start=1):
        if any(ending.fullmatch(word) for ending in (TAIL, *endings)):
            return _with_words(term, term.words[:place])
    return None


def _readings(reference: Term, joined: Term | None) -> Iterator[Term]:
    """The phrase as it stands, without empty adjectives, and with the noun it shares."""
    yield reference
    meant = tuple(word for word in reference.words if word not in EMPTY)
    if meant and meant != reference.words:
        yield _with_words(reference, meant)
    other_number = tuple(_IRREGULAR.get(word, word) for word in reference.words)
    if other_number != reference.words:
        yield _with_words(reference, other_number)
    cut = _before_tail(reference)
    if cut is not None:
        yield cut
    if joined is not None:
        yield _with_words(reference, (*reference.words, joined.head))
        if reference.head in ORDINALS or reference.head.endswith(("ed", "ing")):
            yield joined


def _with_words(term: Term, words: tuple[str, ...]) -> Term:
    return Term(term.start, term.end, " ".join(words), term.kind, term.marker, words, term.sign)


TermSources: TypeAlias = Sequence[tuple[ClaimTerms, int]]


def _covered(reference: Term, sources: TermSources) -> bool:
    """Whether a phrase before the reference covers it; only likely ones are compared."""
    words = set(reference.words)
    return any(
        term.start < before and covers(term, reference) and not _swapped(term, reference)
        for source, before in sources
        for word in words
        for term in source.by_head.get(word, ())
    )


def _swapped(term: Term, reference: Term) -> bool:
    """Whether a participle replaces another modifier: "the fixed part" after "a mobile part"."""
    own, other = set(reference.words), set(term.words)
    return any(word.endswith("ed") for word in own - other) and bool(other - own - EMPTY)


def _nearest(reference: Term, sources: TermSources) -> Term | None:
    """The phrase before the reference with most words in common; the head counts most."""
    best: tuple[int, Term] | None = None
    own = set(reference.words) - ORDINALS - EMPTY
    for term in _sharing(reference.words, sources):
        common = len(own & set(term.words)) + 10 * (term.head == reference.head)
        if common and (best is None or common > best[0]):
            best = common, term
    return None if best is None else best[1]


def _sharing(words: Iterable[str], sources: TermSources) -> Iterator[Term]:
    for source, before in sources:
        for word in words:
            yield from (term for term in source.by_word.get(word, ()) if term.start < before)
