"""A set of claims prepared for comparison: words, clauses, terms, and which claim refers to which.

Texts are compared in their canonical form (:mod:`patmark.claims.text_forms`). Words are in small
letters and singular; punctuation, claim numbers and mentions of claims are no words, and a clause
does not end at a line break alone. Chinese and Japanese characters are words of one character, so
that no segmenter is needed.

Claims and clauses are compared as bags of content words and of pairs of neighbouring words. An item
of a bag is a 64-bit number made of the words; the second occurrence of an item in a text is another
item, so that sets of items overlap as bags do. Numbers and negations are few and decide much, so
that each counts as four words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.claims.antecedents import missing_antecedents
from patmark.claims.lint.engine import lint
from patmark.claims.lint.rule import LintFinding
from patmark.claims.model import Claim, ClaimSet, Span, Term
from patmark.claims.parser import find_limitations, parse_claims
from patmark.claims.text_forms import CanonicalText, canonical_form
from patmark.data import Evidence, FloatArray, IntArray, Side
from patmark.text import CJK, singular

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
_SLIPS = ("article-slip", "word-doubled")
_CACHED = 2048


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
        """The terms with "the" of which the linter says, too, that they lack an antecedent."""
        missing = missing_antecedents(self.claims)
        return tuple(item.term for item in missing if item.antecedent.is_fault)

    @cached_property
    def referred(self) -> int:
        """How many terms stand with "the"."""
        return sum(term.kind == "referred" for claim in self.claims.claims for term in claim.terms)

    @cached_property
    def unfinished(self) -> tuple[Claim, ...]:
        """The claims that do not end with a full stop."""
        return tuple(claim for claim in self.claims.claims if not _ENDED.search(claim.text))

    @cached_property
    def slips(self) -> tuple[LintFinding, ...]:
        """Slips of the pen that the linter finds: a for an, a word twice."""
        return lint(self.claims, select=_SLIPS).findings

    @cached_property
    def sound(self) -> float:
        """The share of claims that end with a full stop and have no slip."""
        faulty = {claim.position for claim in self.unfinished}
        faulty |= {finding.position for finding in self.slips if finding.position is not None}
        return 1 - len(faulty) / len(self.words)

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


@lru_cache(maxsize=_CACHED)
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
    """The claims that are not canceled, with their new positions."""
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


_FUNCTION_WORD_LIST = """
a an and are as at be being by claim claims for from in into is it its of on one or that the to
which whereby wherein with 的 所 述 了 の を に は が と で
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
_NEGATION_LIST = "not no nor neither never none cannot without 不 非 无 無 未 否"
_NEGATIONS = frozenset(_NEGATION_LIST.split())
_EXTRA = 3
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_OF_PAIRS = np.uint64(0xC2B2AE3D27D4EB4F)


@dataclass(frozen=True, eq=False)
class Bags:
    """The items of several texts in one array, the text of each, and how many each text has."""

    keys: NDArray[np.uint64]
    owners: IntArray
    sizes: FloatArray


def bags_of(texts: Sequence[Sequence[str]]) -> Bags:
    """The bags of texts that are given as words."""
    lengths = [len(words) for words in texts]
    flat = [word for words in texts for word in words]
    numbers = np.array([_word_number(word) for word in flat], dtype=np.uint64)
    content = np.array([word not in _FUNCTION_WORDS for word in flat], dtype=bool)
    owners = np.repeat(np.arange(len(texts)), lengths)
    precise = np.array([word in _NEGATIONS or word[0].isdecimal() for word in flat], dtype=bool)
    together = owners[1:] == owners[:-1]
    pairs = (numbers[:-1] * _SPREAD + numbers[1:]) * _OF_PAIRS
    weighted = [numbers[precise]] * _EXTRA
    keys = np.concatenate([numbers[content], pairs[together], *weighted])
    whose = np.concatenate([owners[content], owners[1:][together], *[owners[precise]] * _EXTRA])
    sizes = np.bincount(whose, minlength=len(texts)).astype(np.float64)
    return _numbered_items(keys, whose, sizes)


def _numbered_items(keys: NDArray[np.uint64], owners: IntArray, sizes: FloatArray) -> Bags:
    """Tell the occurrences of an item within one text apart."""
    order = np.lexsort((keys, owners))
    keys, owners = keys[order], owners[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]) | (owners[1:] != owners[:-1])
    places = np.arange(len(keys))
    occurrence = places - np.maximum.accumulate(np.where(new, places, 0))
    return Bags(keys + occurrence.astype(np.uint64) * _SPREAD, owners, sizes)


@lru_cache(maxsize=2**16)
def _word_number(word: str) -> int:
    """A number for a word that is the same in every process."""
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest())
