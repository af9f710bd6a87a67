"""Antecedents of terms with "the": one answer for scores and for the linter.

:func:`missing_antecedents` classifies each term with "the" that has no exact antecedent:

| kind | meaning |
|---|---|
| similar | something like it was introduced |
| implied | none is needed: the phrase or the words after it explain it |
| doubtful | there is none, but the place makes it less clear a fault: the preamble, words \
after it that narrow it down, or a longer name that begins with it ("the coolant" after "a coolant \
circuit") |
| unwritten | a Chinese or Japanese name that is not written before; it is doubtful if a whole \
name before begins it, because its end is then uncertain: 核酸分子编码 after 核酸分子 |
| unknown | a claim that it builds on does not exist |
| none | there is none at all |
| ambiguous | two or more things before it have the name |
| number | one thing was introduced and several are meant, or the reverse |

The linter reports them all, as errors, warnings and information; the measures of claims count the
errors and warnings.

In Chinese and Japanese the whole name must have occurred before, including the ordinal, or be the
head of one that has (``cjk_names.py``).

| referred to | written before |
|---|---|
| 第一齿轮 | 第一齿轮; 第一和第二齿轮; 第1又は第2の歯車 |
| 第二齿轮 | 第一至第三齿轮; 第1乃至第3の歯車 |
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import Literal, TypeAlias

from patmark.claims.cjk_names import (
    goes_on_from_a_name,
    inherent,
    is_new,
    is_written_before,
    names_with_head,
    nearest_name,
    reference_words,
    written_name,
)
from patmark.claims.model import ClaimSet, ParsedClaim, Term
from patmark.claims.terms import TELLING_APART, covers_words, readings_of
from patmark.claims.words import source, word_list
from patmark.languages import ENGLISH_ORDINALS, kept_in_workspace, singular, synsets

AntecedentKind: TypeAlias = Literal[
    "found",
    "similar",
    "implied",
    "doubtful",
    "unwritten",
    "unknown",
    "none",
    "ambiguous",
    "number",
]
_CACHED = 1024
_FEWEST_CANDIDATES = 2


@dataclass(frozen=True, slots=True)
class Antecedent:
    """The outcome of a search, and the most similar phrase."""

    kind: AntecedentKind
    nearest: Term | None = None
    name: str | None = None
    candidates: tuple[str, ...] = ()

    @property
    def is_fault(self) -> bool:
        """True if it is missing, and neither its meaning nor a missing claim explains that."""
        return self.kind in ("similar", "doubtful", "unwritten", "none")


@dataclass(frozen=True, slots=True)
class MissingAntecedent:
    """A term with "the" in a claim, without an exact antecedent."""

    claim: ParsedClaim
    term: Term
    antecedent: Antecedent


@kept_in_workspace(_CACHED)
def missing_antecedents(claims: ClaimSet) -> tuple[MissingAntecedent, ...]:
    """Return the terms with "the" without an exact antecedent in their claim or those it mentions.

    Scores and the linter use the same result.
    """
    return tuple(_missing(claims))


def _missing(claims: ClaimSet) -> Iterator[MissingAntecedent]:
    engine: _EnglishAntecedents | _CjkAntecedents = (
        _EnglishAntecedents(claims.plain) if claims.is_spaced else _CjkAntecedents(claims)
    )
    for claim in claims.live:
        scope = claims.scopes[claim.position]
        # one that refers only to itself probably means an unknown claim
        unknown = any(
            claims.absent(item) or item.canceled or item.refers_to == (item.number,)
            for item in (claim, *scope)
        )
        unknown = unknown or _mentions_without_number(claims, claim)
        for place, term in enumerate(claim.terms):
            if term.kind != "referred":
                continue
            found = engine.find(claim, place, scope)
            if found.kind != "found":
                if unknown and found.kind not in ("ambiguous", "number"):
                    found = replace(found, kind="unknown")
                yield MissingAntecedent(claim, term, found)


def _mentions_without_number(claims: ClaimSet, claim: ParsedClaim) -> bool:
    """Return True if a claim means another but states no number: "the panel claimed above"."""
    start, end = claim.content.start, claim.content.end
    return not claim.references and _CLAIMED_BEFORE.search(claims.plain, start, end) is not None


_CLAIMED_BEFORE = re.compile(
    r"\b(?:previously|before|above|already|earlier)[- ]claimed\b"
    r"|\bclaimed\s+(?:above|before|previously|earlier)\b",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r".{3,}(?:ing|ed)")
_PLURALS = {
    "axe": "axis",
    "indice": "index",
    "vertice": "vertex",
    "matrice": "matrix",
    "media": "medium",
    "foot": "feet",
    "formulae": "formula",
}
_IRREGULAR = _PLURALS | {one: many for many, one in _PLURALS.items()}


@dataclass(frozen=True)
class _ClaimTerms:
    """The terms of a claim, by their last word and by each of their words."""

    terms: Sequence[Term]
    by_head: dict[str, list[Term]]

    @cached_property
    def by_word(self) -> dict[str, list[Term]]:
        found: defaultdict[str, list[Term]] = defaultdict(list)
        for term in self.terms:
            for word in term.words:
                found[word].append(term)
        return found


@dataclass(slots=True)
class _EnglishAntecedents:
    """Search for the antecedents of phrases that reads each claim once."""

    plain: str
    _terms: dict[int, _ClaimTerms] = field(default_factory=dict)
    _tokens: dict[int, _ClaimTokens] = field(default_factory=dict)

    def find(self, claim: ParsedClaim, place: int, scope: Sequence[ParsedClaim]) -> Antecedent:
        """Return the antecedent of the term at a place in the list of terms of a claim."""
        reference = claim.terms[place]
        if self._needs_none(claim, reference, scope):
            return Antecedent("found")
        places = [*((item, item.end) for item in scope), (claim, reference.start)]
        sources = [(self._terms_of(item), end) for item, end in places]
        if _covered(reference, sources):
            return self._which(claim, reference, sources, scope)
        readings = [reference, *_readings(reference, self._joined(claim, place))]
        if self._is_second_subject(claim, place):
            readings.append(_with_words(reference, reference.words[:-1]))
        if self._ends_in_verb(reference):
            readings.append(_with_words(reference, reference.words[:-1]))
        if any(_covered(reading, sources) for reading in readings[1:]):
            return Antecedent("found")
        tokens = [(self._tokens_of(item), end) for item, end in places]
        if any(_stand_together(reading.words, tokens) for reading in readings):
            return Antecedent("found")
        nearest = _nearest(reference, sources)
        owned = _is_owned(reference, sources)
        side = self._is_side(reference)
        if not owned and not side and nearest is not None and nearest.head == reference.head:
            return Antecedent("doubtful" if self._goes_on(reference) else "similar", nearest)
        if (
            self._explained(reference)
            or (nearest is None and self._is_named(reference))
            or _is_property_of(reference, nearest)
            or _is_natural_part(reference, tokens)
            or self._is_in_a_compound(reference, places)
            or owned
            or side
        ):
            return Antecedent("implied", nearest)
        if nearest is not None:
            less_clear = self._goes_on(reference) or _begins(reference, nearest)
            return Antecedent("doubtful" if less_clear else "similar", nearest)
        related = any(_stand_together((word,), tokens) for word in reference.words[:-1])
        if related or _is_root_known(reference, tokens) or self._doubtful(claim, reference):
            return Antecedent("doubtful")
        if not all(map(_is_dictionary_word, reference.words)):
            return Antecedent("doubtful")
        return Antecedent("none")

    def _needs_none(
        self, claim: ParsedClaim, reference: Term, scope: Sequence[ParsedClaim]
    ) -> bool:
        """Return True for a letter, a set phrase, a unique thing or an absent subject."""
        if claim.references and not scope and reference.end <= claim.references[0].start:
            return True
        return (
            len(reference.words) == len(reference.head) == 1
            or reference.text.lower() in _UNIQUE
            or reference.head in _COMPARED
            or _ITEM_LABEL.match(self.plain, reference.end) is not None
            or self._is_role(reference)
            or self._is_same(reference)
            or reference.text.lower() in _SEVERAL_OF
            or _SET_PHRASE.match(self.plain, reference.start) is not None
            or _is_named_compound(reference, scope)
        )

    def _which(
        self,
        claim: ParsedClaim,
        reference: Term,
        sources: _TermSources,
        scope: Sequence[ParsedClaim],
    ) -> Antecedent:
        """Return "found", or the reason why the antecedent is ambiguous."""
        subject = bool(claim.references) and reference.end <= claim.references[0].start
        if subject or _is_vague(reference):
            return Antecedent("found")
        readings = [words for words in readings_of(reference) if words[-1] == reference.head]
        known = [
            term
            for source, before in sources
            for term in source.by_head.get(reference.head, ())
            if term.start < before
            and term.kind != "referred"
            and any(covers_words(term.words, words) for words in readings)
            and not self._is_no_introduction(term)
        ]
        if not known:
            return Antecedent("found")
        plural = _is_plural(reference)
        if not plural:
            told_apart = _told_apart(reference, known)
            if len(told_apart) >= _FEWEST_CANDIDATES:
                return Antecedent("ambiguous", candidates=told_apart)
        same = [term for term in known if _noun_words(term) == reference.words]
        other = _of_other_number(same, plural) if len(same) == len(known) else None
        if other is None or self._is_distributed(claim, reference, other, plural, scope):
            return Antecedent("found")
        return Antecedent("number", other)

    def _is_no_introduction(self, term: Term) -> bool:
        """Return True if the words beside a phrase make it no introduction.

        "each sensor", "is a pump", "is a wheel, a gear or a pulley", "a vehicle (10) speed".
        """
        after = _NOUN_AFTER_SIGN.match(self.plain, term.end)
        if after is not None and after["noun"] in _PROPERTIES | _MEASURED:
            return True
        if term.kind == "bare":
            return _EACH_BEFORE.search(self.plain, max(0, term.start - 12), term.start) is not None
        start = max(0, term.start - len(term.marker) - 120)
        return _IS_BEFORE.search(self.plain, start, term.start) is not None

    def _is_distributed(
        self,
        claim: ParsedClaim,
        reference: Term,
        introduced: Term,
        plural: bool,
        scope: Sequence[ParsedClaim],
    ) -> bool:
        """Return True if each of several has one: "for each image a label; the labels"."""
        if plural:
            around = self.plain[max(0, introduced.start - 250) : introduced.end + 100]
            return introduced.kind == "bare" or _EACH.search(around) is not None
        if self._goes_on(reference) or any(
            reference.head in match.group().lower()
            for match in _ONE_OF.finditer(self.plain, claim.content.start, reference.start)
        ):
            return True
        return any(self._goes_through(item, reference) for item in scope)

    def _goes_through(self, claim: ParsedClaim, reference: Term) -> bool:
        """Return True if an earlier claim takes one after the other: "for each image …"."""
        start, end = claim.content.start, claim.content.end
        named = [
            match
            for match in _ONE_OF.finditer(self.plain, start, end)
            if reference.head in match.group().lower()
        ]
        looped = any(_FOR.search(self.plain, start, match.start()) for match in named)
        return looped or any(
            term.words == reference.words
            for term in (claim.terms if named else ())
            if term.kind == "referred" and not _is_plural(term)
        )

    def _is_named(self, reference: Term) -> bool:
        """Return True for a proper name or a label: the Warburg effect, the guaBA locus."""
        if _PROPER.search(reference.text) is not None:
            return True
        return _LABEL.search(reference.text) is not None and reference.head in _NAMED_THINGS

    def _is_in_a_compound(self, reference: Term, places: Sequence[tuple[ParsedClaim, int]]) -> bool:
        """Return True if an adjective before names it: "the binder" after "binder-coated"."""
        if len(reference.words) > 1:
            return False
        joined = re.compile(rf"\b{re.escape(reference.head)}-{_JOINED}\b", re.IGNORECASE)
        return any(joined.search(self.plain, claim.content.start, end) for claim, end in places)

    def _terms_of(self, claim: ParsedClaim) -> _ClaimTerms:
        if claim.position not in self._terms:
            self._terms[claim.position] = _claim_terms(claim)
        return self._terms[claim.position]

    def _tokens_of(self, claim: ParsedClaim) -> _ClaimTokens:
        if claim.position not in self._tokens:
            self._tokens[claim.position] = _claim_tokens(claim, self.plain)
        return self._tokens[claim.position]

    def _joined(self, claim: ParsedClaim, place: int) -> Term | None:
        """Return the second phrase of "the driving and driven shafts", if there is one."""
        if place + 1 >= len(claim.terms):
            return None
        term, after = claim.terms[place], claim.terms[place + 1]
        link = _CONJUNCTION.fullmatch(self.plain, term.end, after.start)
        return after if link is not None and after.kind == "bare" else None

    def _is_second_subject(self, claim: ParsedClaim, place: int) -> bool:
        """Return True if the last word may be a verb: "the lid and the shaft turn"."""
        before, term = claim.terms[place - 1], claim.terms[place]
        return (
            place > 0
            and len(term.words) > 1
            and _AND_THE.fullmatch(self.plain, before.end, term.start) is not None
            and _VERB_FOLLOWS.match(self.plain, term.end) is None
        )

    def _ends_in_verb(self, reference: Term) -> bool:
        """Return True if an object follows the last word: "the backwashing takes five minutes"."""
        last = reference.text.split()[-1]
        return (
            len(reference.words) > 1
            and last.endswith("s")
            and not last.endswith("ss")
            and _OBJECT_FOLLOWS.match(self.plain, reference.end) is not None
        )

    def _explained(self, reference: Term) -> bool:
        """Return True if its meaning explains it: a property, a superlative, an action."""
        first = reference.words[0]
        if _SUPERLATIVE.fullmatch(first) is not None or first in EMPTY:
            return True
        if reference.head in _MEASURED or _OF_ONE.match(self.plain, reference.end) is not None:
            return True
        if reference.head in _PARTS and _OF_THING.match(self.plain, reference.end) is not None:
            return True
        return _is_inherent(reference) and self._goes_on(reference)

    def _is_side(self, reference: Term) -> bool:
        """Return True for a side that a thing has: "the proximal end of the cartridge"."""
        return (
            reference.head in _PROPERTIES
            and reference.words[0] in TELLING_APART.difference(ENGLISH_ORDINALS)
            and _OF_THING.match(self.plain, reference.end) is not None
        )

    def _is_role(self, reference: Term) -> bool:
        """Return True if it names the role of something: "water as the primary component"."""
        before = self.plain[max(0, reference.start - len(reference.marker) - 12) : reference.start]
        return (
            _ROLE.search(before) is not None and _NO_ROLE.match(self.plain, reference.end) is None
        )

    def _is_same(self, reference: Term) -> bool:
        """Return True if "same" precedes the noun: "from the same genus"."""
        return self.plain[max(0, reference.start - 6) : reference.start].lower().strip() == "same"

    def _doubtful(self, claim: ParsedClaim, reference: Term) -> bool:
        """Return True if its place or the words after it make the fault less certain."""
        opening = claim.preamble.end
        if claim.refers_to:
            opening = claim.references[0].end
        named = _NAME.search(reference.text) is not None
        if (
            _LABELLED.match(self.plain, reference.end)
            or _RELATED.search(self.plain, max(0, reference.start - 15), reference.start)
            or self._is_drawn(claim, reference)
        ):
            return True
        if _AT_WHICH.search(self.plain, max(0, reference.start - 30), reference.start):
            return True
        return (
            named or reference.end <= opening or self._goes_on(reference) or _is_inherent(reference)
        )

    def _is_drawn(self, claim: ParsedClaim, reference: Term) -> bool:
        """Return True for a part of a drawn formula: "substituents of the saturated ring"."""
        return reference.head in _FORMULA_PARTS and (
            _FORMULA.search(self.plain, claim.content.start, reference.start) is not None
        )

    def _goes_on(self, reference: Term) -> bool:
        """Return True if the words after it narrow it down: "the data in", "the surface of"."""
        return any(
            pattern.match(self.plain, reference.end) is not None
            for pattern in (_EXPLAINED, MODIFIED)
        )


def _is_vague(reference: Term) -> bool:
    """Return True for a noun that usually has kinds: a step, a value, a side."""
    return (
        reference.shares_noun
        or reference.head in _PROPERTIES
        or reference.head in _STEP_WORDS
        or reference.head in TELLING_APART
        or "one" in reference.marker.split()
        or "each" in reference.marker
    )


def _is_plural(term: Term) -> bool:
    return (
        term.text.split()[-1].lower() != term.head
        and singular(term.text.split()[-1].lower()) == term.head
    )


def _noun_words(term: Term) -> tuple[str, ...]:
    """Return the words of a term without a verb before it: "for transporting articles"."""
    verb = term.kind == "bare" and len(term.words) > 1 and _PARTICIPLE.fullmatch(term.words[0])
    return term.words[1:] if verb else term.words


def _told_apart(reference: Term, known: Sequence[Term]) -> tuple[str, ...]:
    """Return the names of things that differ only in a word before the noun, if all do."""
    if set(reference.words) & TELLING_APART:
        return ()
    names: dict[str, None] = {}
    for term in known:
        marks = [word for word in term.words if word in _ORDER and word not in reference.words]
        modified = term.kind == "introduced" and len(term.words) > 1 == len(reference.words)
        if _is_plural(term) and not term.shares_noun:
            continue
        if not (marks or modified):
            return ()
        names[" ".join(term.words)] = None
    return tuple(names)


def _of_other_number(known: Sequence[Term], plural: bool) -> Term | None:
    """Return the first term of the same words if all have the other number."""
    if not known or set(known[0].words) & TELLING_APART:
        return None
    if any(_is_plural(term) == plural or _is_open(term) for term in known):
        return None
    return known[0]


def _is_open(term: Term) -> bool:
    """Return True if an introduction does not fix the number: "at least one sensor"."""
    return term.marker not in ("", "a", "an", "one", "a single") and not _SEVERAL.search(
        term.marker
    )


def _is_inherent(reference: Term) -> bool:
    """Return True if a phrase names an inherent part or action of things: a side, a movement."""
    known = reference.head in _PROPERTIES or reference.head in TELLING_APART
    return known or len(reference.head) == 1 or _DEVERBAL.fullmatch(reference.head) is not None


def _is_property_of(reference: Term, nearest: Term | None) -> bool:
    """Return True if a phrase names a property of a known thing: "the Mg content" after "Mg"."""
    thing = reference.words[:-1]
    known = nearest is not None and thing == nearest.words[len(nearest.words) - len(thing) :]
    return bool(thing) and known and reference.head in _PROPERTIES


def _begins(reference: Term, nearest: Term) -> bool:
    """Return True if a longer name begins with it: "the coolant" after "a coolant circuit"."""
    return nearest.words[: len(reference.words)] == reference.words


def _is_owned(reference: Term, sources: _TermSources) -> bool:
    """Return True if a known thing has it: "the user's eyes" after "a user"."""
    for place, word in enumerate(reference.words[:-1], start=1):
        if word.endswith(("'", "\u2019")):
            owner = (*reference.words[: place - 1], word[:-1])
            return _covered(_with_words(reference, owner), sources)
    return False


def _is_natural_part(reference: Term, sources: _TokenSources) -> bool:
    """Return True for a part that a known thing has by nature.

    "the head" after "a patient", "the stomach" after "a capsule"; "the main chain" after "a block
    copolymer".
    """
    body = reference.head in _BODY_PARTS and _occur(_PEOPLE | _TAKEN, sources)
    return body or (reference.head in ("chain", "backbone") and _occur(_CHAINS, sources))


def _occur(words: Iterable[str], sources: _TokenSources) -> bool:
    """Return True if a text before has one of the words."""
    return any(
        source.starts[place] < before
        for source, before in sources
        for word in words
        for place in source.places.get(word, ())
    )


def _is_named_compound(reference: Term, scope: Sequence[ParsedClaim]) -> bool:
    """Return True if "the compound" is one that an earlier claim calls by its chemical name."""
    return reference.text.lower() == "compound" and any(
        not claim.refers_to and claim.category == "composition" and claim.transition is None
        for claim in scope
    )


def _claim_terms(claim: ParsedClaim) -> _ClaimTerms:
    by_head: defaultdict[str, list[Term]] = defaultdict(list)
    for term in claim.terms:
        by_head[term.head].append(term)
        cut = _before_tail(term, participle=True)
        if cut is not None:
            by_head[cut.head].append(cut)
    return _ClaimTerms(claim.terms, by_head)


def _before_tail(term: Term, *, participle: bool = False) -> Term | None:
    """Return the phrase before its first word outside a name: "lip spaced apart"."""
    for place, word in enumerate(term.words[1:], start=1):
        if _is_tail(word) or (participle and _is_participle(word)):
            return _with_words(term, term.words[:place])
    return None


@lru_cache(maxsize=2**15)
def _is_tail(word: str) -> bool:
    return _TAIL.fullmatch(word) is not None


@lru_cache(maxsize=2**15)
def _is_participle(word: str) -> bool:
    return _PARTICIPLE.fullmatch(word) is not None


def _readings(reference: Term, joined: Term | None) -> Iterator[Term]:
    """Yield the phrase without empty adjectives, in another number, and with its shared noun."""
    if (
        reference.shares_noun
    ):  # the verb may be taken for the noun: "the first and second shafts turn"
        yield _with_words(reference, reference.words[:-1])
    if len(reference.words) > 1 and _SUPERLATIVE.fullmatch(reference.words[0]) is not None:
        yield _with_words(reference, reference.words[1:])
    meant = tuple(word for word in reference.words if word not in EMPTY)
    if meant and meant != reference.words:
        yield _with_words(reference, meant)
    other_number = tuple(_IRREGULAR.get(word, word) for word in reference.words)
    if other_number != reference.words:
        yield _with_words(reference, other_number)
    cut = _before_tail(reference)
    if cut is not None:
        yield cut
    if len(reference.words) > 1 and len(reference.head) == 1:  # the substituents R
        yield _with_words(reference, reference.words[:-1])
    if joined is not None:
        yield _with_words(reference, (*reference.words, joined.head))
        if reference.head in TELLING_APART or reference.head.endswith(("ed", "ing")):
            yield joined


def _with_words(term: Term, words: tuple[str, ...]) -> Term:
    return Term(term.start, term.end, " ".join(words), term.kind, term.marker, words, term.sign)


_TermSources: TypeAlias = Sequence[tuple[_ClaimTerms, int]]


def _covered(reference: Term, sources: _TermSources) -> bool:
    """Return True if an earlier phrase covers the reference; compare likely phrases only."""
    return any(
        term.start < before and covers_words(term.words, words) and not _swapped(term, reference)
        for words in readings_of(reference)
        for source, before in sources
        for term in source.by_head.get(words[-1], ())
    )


def _swapped(term: Term, reference: Term) -> bool:
    """Return True if a participle replaces a modifier: "the fixed part" after "a mobile part"."""
    own, other = set(reference.words), set(term.words)
    return any(word.endswith("ed") for word in own - other) and bool(other - own - EMPTY)


def _nearest(reference: Term, sources: _TermSources) -> Term | None:
    """Return the phrase before the reference with most words in common; the head counts most."""
    best: tuple[int, Term] | None = None
    own = set(reference.words) - TELLING_APART - EMPTY
    known = (
        term
        for source, before in sources
        for word in reference.words
        for term in source.by_word.get(word, ())
        if term.start < before
    )
    for term in known:
        common = len(own & set(term.words)) + 10 * (term.head == reference.head)
        if common and (best is None or common > best[0]):
            best = common, term
    return None if best is None else best[1]


# "the presence of", "the group consisting of": set phrases that refer to nothing before them
_SET_PHRASE = re.compile(
    r"(?:(?:group|class|set|list)\s*(?::|\s(?:consist|compris|of|includ|formed|made))"
    r"|(?:following|latter|former|invention|balance|rest|remainder|remaining|like|art|same)\b"
    r"|(?:steps?|acts?|operations?|stages?)\s*(?::|of\b|\(|,|in\b|[a-z]\)|\d|[A-Z]\b)"
    r"|(?:presence|absence|age|basis|form|event|case|range|context|course|use|order|fact|purpose|manner"
    r"|way|aid|help|sense|shape|vicinity|neighbou?rhood|proximity|region|assistance|influence|action"
    r"|condition|extent|exception|kind|type|sum|name|process|place|entirety|proviso|assumption)"
    r"\s+(?:of|that|where|when|in|with|or|and|to|from|such)\b"
    r"|(?:\w+\s+){0,2}(?:formula|formulae|formulas|equation|equations|symbols?|expressions?)\b"
    r"|(?:one|other)\s+hand\b|(?:first|last|next)\s+(?:two|three|four|five|six|several|few|\d+)\b"
    r"|(?:oral|nasal|parenteral|rectal|(?:intra|trans|sub|per)\w+)\s+route\b|claimed\b|(?:type|kind)\s+\w+(?:ed|ing|wn)\b"
    r"|(?:first|second|third|fourth|fifth|\w+(?:th|st))\s+(?:(?:or|and|to)\s+\w+\s+)?claims?\b)",
    re.IGNORECASE,
)
_UNIQUE = word_list("unique")
# "the surface of", "the distance between", "the speed at which": explained by the next words
_EXPLAINED = re.compile(
    r"\s*(?:\([^()]{1,20}\)\s*)?(?:,?\s*(?:and|or|and/or)\s+(?:the\s+)?(?:[\w-]+\s+){1,2}(?=of\b))?"
    r"(?:(?:of|between|that|which|where|when|whose|within|among|"
    r"(?:at|in|on|by|from|to|with)\s+which|(?:formed|defined|used|produced|obtained|provided|"
    r"generated|prevailing|required|needed|necessary|made|given)\s+(?:by|for|in|from|to|at|on|within|"
    r"between|outside|inside))\b)",
    re.IGNORECASE,
)
_COMPARED = word_list("compared")
_NAMED_THINGS = word_list("named-things")
# proper names, and letters that stand for a kind: the Periodic Table, the N-terminus
_PROPER = re.compile(r"\b[A-Z][a-z]{3,}|\b[A-Z]-(?:[a-z]+-)?termin|^[a-z]{2,}[A-Z]{2,}")
_LABEL = re.compile(r"[A-Z]{2}|[a-z][A-Z]|\d")
_ITEM_LABEL = re.compile(r"\s*(?:\(?[a-z]\)|\((?:[ivx]{2,4}|[IVX]{1,4})\))(?!\w)")
_ROLE = re.compile(r"\b(?:as|being)\s+(?:the|said)\s+\Z", re.IGNORECASE)
_SEVERAL_OF = frozenset(("pair", "plurality", "multitude", "multiplicity"))  # "a pair of rods"
_NO_ROLE = re.compile(r"\s+(?:is|are|was|were|has|have|moves?|rotates?)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"plurality|number|multitude|pair|two|three|four|five|six|seven|eight|nine|ten|multiple|several"
)
_EACH = re.compile(
    r"\b(?:each|every|respective(?:ly)?|per|any|corresponding|plurality|multiple|one or more"
    r"|at least one|iterat\w+|repeat\w*|set of|number of)\b",
    re.IGNORECASE,
)
_ONE_OF = re.compile(
    r"\b(?:each|every|any|one|single|respective|either|given|another|same)\s"
    r"(?:of\s)?(?:(?:the|said)\s)?(?:[\w-]+\s){0,3}[\w-]+",
    re.IGNORECASE,
)
_FOR = re.compile(r"\bfor\s+\Z", re.IGNORECASE)
_AT_WHICH = re.compile(
    r"\b(?:(?:at|in|by|from|to|on|with|for)\s+which|(?<=[^\W\d] )where)\s+(?:the|said)\s+\Z", re.I
)
# "the half-width 'a'", "the corresponding solvents": a label, or a relation to the context
_LABELLED = re.compile(r"\s*['\"‘“]\w{1,3}['\"’”]")
_RELATED = re.compile(r"\b(?:corresponding|respective)\s+\Z", re.IGNORECASE)
# parts of a structure that only a drawn formula shows
_FORMULA = re.compile(r"\bformulae?\b|\bstructures?\b", re.IGNORECASE)
_FORMULA_PARTS = word_list("formula-parts")
_EACH_BEFORE = re.compile(r"\b(?:each|every|respective|any)\s+\Z", re.IGNORECASE)
_IS_BEFORE = re.compile(
    r"\b(?:is|are|be|being|as)\s+"
    r"(?:(?:either\s+)?an?\s[\w-]+(?:\s[\w-]+){0,3}\s?(?:,\s*or\b|,|\bor\b)\s*){0,6}an?\s+\Z",
    re.IGNORECASE,
)
_NOUN_AFTER_SIGN = re.compile(r"\s*\(\d{1,4}[a-z]?\)\s+(?P<noun>[a-z]+)\b")
_ORDER = frozenset(ENGLISH_ORDINALS) | frozenset(
    ("left", "right", "upper", "lower", "inner", "outer", "front", "rear", "primary", "secondary")
)
# "the genome of an organism" introduces both
_OF_ONE = re.compile(r"\s*of\s+(?:an?|one|each|any|every|at least one)\s", re.IGNORECASE)
_OF_THING = re.compile(r"\s*(?:\([^()]{1,20}\)\s*)?of\s+(?:the|said|each|an?)\s", re.IGNORECASE)
# what makes an adjective of a noun: binder-coated, oil-filled
_JOINED = f"(?:{'|'.join(sorted(word_list('joined')))})"
_CHAINS = word_list("chain-molecules")
_BODY_PARTS = word_list("body-parts")
_PEOPLE = word_list("people")
_TAKEN = word_list("medical-products")
# a proper name or a label: the Curie temperature, the Cannabis genus, the sp3 form
_NAME = re.compile(r"\b[A-Z][a-z]{2,}|[A-Za-z]\d")
_PROPERTIES = word_list("properties")
_PARTS = word_list("natural-parts")
_MEASURED = word_list("measured")
EMPTY = word_list("empty")
_SUPERLATIVE = re.compile(
    r"(?:.{3,}(?:est|most)|last|latest|maximum|minimum|best|worst|most|least)"
)
_STEP_WORDS = word_list("steps")
_DEVERBAL = re.compile(
    r".{3,}(?:ing|ion|ment|ance|ence|al|ure|ison|age|sis|tion|ed|ity|metry|graphy|scopy)"
)
# words after a noun that do not belong to its name
_TAIL = re.compile(
    r"there(?:in|by|on|of|to|with|from|through|between|within|under|over|after|upon|along|around)+"
    r"|(?:in|out|up|down|for|back|side|rear)wards?|.{3,}[ai]ble|cannot|again|away|apart|lie|lies|wound"
    r"|downstream|upstream|proximate|parallel|perpendicular|coaxial|concentric|orthogonal|sufficient"
    r"|indicative|remote|versus|operate|face|faces|fit|fits|exclusive|inclusive|free|full|due"
    r"|closest|nearest|even|born|present|minus|plus|begins?|needs?|lies?|evolves?|remains?|alone|ends?"
    r"|starts?|takes?|approximate|stops?|dialogs?|meets?|varies|results?|leads?|acts?|serves?|occurs?"
)
# "the data in the object", "the seller representing": less certain than a phrase on its own
MODIFIED = re.compile(
    r"\s*(?:\([^()]{1,20}\)\s*)?(?:in|at|for|on|from|to|with|by|under|over|above|below|inside|"
    r"outside|through|during|across|along|around|near|who|containing|\w{3,}ing|\w{3,}ed)\b",
    re.IGNORECASE,
)
_AND_THE = re.compile(r"\s*,?\s*and\s+(?:the|said)\s+", re.IGNORECASE)
_VERB_FOLLOWS = re.compile(
    r"\s*(?:\([^()]{1,20}\)\s*)?(?:is|are|was|were|be|being|has|have|having|can|may|each|both|"
    r"together|compris\w+|includ\w+|\w{3,}ed)\b",
    re.IGNORECASE,
)
_OBJECT_FOLLOWS = re.compile(
    r"\s+(?:the|said|an?|its|at\s+least|at\s+most|between|about|approximately|less|more|no|only|each|every)\s"
    r"|\s+\d[\d.,]*\s*(?:%|°|[µμ]?[A-Za-z]+\b(?!\s+(?:is|are|has|have)\b))",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"\s*(?:,|/|-)?\s*(?:and/or|and|or|to|,|/|-)?\s*")


_WORD = re.compile(r"[^\W\d_]+")
_BRACKETS = re.compile(r"\((?:(?P<short>[A-Z][A-Za-z]*[A-Z]s?)|[^()]{1,80})\)")
_WINDOW = 12
_ROOT = 5
_STRANGERS = 1
_LINKS = word_list("links")


@dataclass(frozen=True, slots=True)
class _ClaimTokens:
    """All words of a claim in order, their starts, and the positions of each.

    ``asides`` are the positions of words that a name does not need: those in brackets, and those of
    an abbreviation in brackets, "an RFID (radio frequency identification) tag".
    """

    places: dict[str, list[int]]
    starts: list[int]
    tokens: list[str]
    asides: frozenset[int]


_TokenSources: TypeAlias = Sequence[tuple[_ClaimTokens, int]]


def _claim_tokens(claim: ParsedClaim, plain: str) -> _ClaimTokens:
    """Return the words of a claim."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    starts: list[int] = []
    tokens: list[str] = []
    matches = _WORD.finditer(plain, claim.content.start, claim.content.end)
    for number, match in enumerate(matches):
        word = match.group().lower()
        starts.append(match.start())
        tokens.append(singular(word))
        places[tokens[-1]].append(number)
        if len(word) > _ROOT:
            places["~" + word[:_ROOT]].append(number)
    return _ClaimTokens(places, starts, tokens, frozenset(_asides(claim, plain, starts, tokens)))


def _asides(
    claim: ParsedClaim, plain: str, starts: Sequence[int], tokens: Sequence[str]
) -> Iterator[int]:
    for match in _BRACKETS.finditer(plain, claim.content.start, claim.content.end):
        first, last = (bisect_left(starts, place) for place in match.span())
        yield from range(first, last)
        if match["short"]:
            longest = range(max(0, first - len(match["short"])), first)
            initial = match["short"][0].lower()
            yield from (range(next((n for n in longest if tokens[n][0] == initial), first), first))


def _stand_together(words: Sequence[str], sources: _TokenSources) -> bool:
    """Return True if all words occur together before, in any order and form.

    "the rotation speed" after "a speed of rotation"; "the comparison" after "comparing"; "the first
    shaft" after "a first and a second shaft".
    """
    meant = [word for word in words if word not in _STEP_WORDS] or list(words)
    wanted = [part for word in meant for part in _WORD.findall(word)]
    if not wanted or (len(wanted) == 1 and not _DEVERBAL.fullmatch(wanted[0])):
        return False
    ordinal = wanted[0] in TELLING_APART
    firsts = [_forms(wanted[0])] if ordinal else [_forms(word) for word in wanted]
    return any(
        _runs_on(wanted, source, place, before, 0 if ordinal else _STRANGERS)
        for source, before in sources
        for forms in firsts
        for form in forms
        for place in source.places.get(form, ())
        if source.starts[place] < before
    )


def _is_dictionary_word(word: str) -> bool:
    """Return True if WordNet has all parts of a word, so that it is no name or term of art."""
    return all(synsets(part) for part in _WORD.findall(word)) or word in TELLING_APART


# results of a step whose spelling differs from that of its verb from the fifth letter on
_OTHER_ROOTS = {"filtrate": ("filter", "~filte"), "eluate": ("elute", "eluted", "~eluti")}


def _is_root_known(reference: Term, sources: _TokenSources) -> bool:
    """Return True if a word before has the root of the phrase: "label" after "labeled probes"."""
    roots = {
        form
        for word in reference.words
        for form in (word, "~" + word[:_ROOT], *_OTHER_ROOTS.get(word, ()))
    }
    return _occur(roots - TELLING_APART - EMPTY, sources)


def _forms(word: str) -> tuple[str, ...]:
    """Return the lookup forms of a word: its singular, and the root of a verbal noun."""
    if _DEVERBAL.fullmatch(word) and len(word) > _ROOT:
        return singular(word), "~" + word[:_ROOT]
    return (singular(word),)


def _runs_on(
    wanted: Sequence[str], source: _ClaimTokens, place: int, before: int, strangers: int
) -> bool:
    """Return True if all words follow a place, with function words and few others between."""
    missing = {form: word for word in wanted for form in _forms(word)}
    left = set(wanted)
    for number in range(place, min(place + _WINDOW, len(source.tokens))):
        if source.starts[number] >= before:
            return False
        token = source.tokens[number]
        word = missing.get(token) or missing.get("~" + token[:_ROOT])
        if word is not None:
            left.discard(word)
            if not left:
                return True
        elif token not in _LINKS and token not in TELLING_APART and number not in source.asides:
            strangers -= 1
            if strangers < 0:
                return False
    return False


@dataclass(slots=True)
class _CjkAntecedents:
    """Search for names in the preceding text, which reads each claim once, without its blanks."""

    claims: ClaimSet
    _texts: dict[int, str] = field(default_factory=dict)

    def find(self, claim: ParsedClaim, place: int, scope: Sequence[ParsedClaim]) -> Antecedent:
        """Return the antecedent of the term at a place in the list of terms of a claim."""
        term, plain, language = claim.terms[place], self.claims.plain, self.claims.language
        if self.claims.absent(claim) and any(
            plain[item.end : term.start].strip() == term.marker for item in claim.references
        ):
            return Antecedent("found")
        texts = [*map(self._text_of, scope), _closed_up(plain[claim.content.start : term.start])]
        words = reference_words(plain, term.start, claim.content.end)
        name = written_name(words, language)
        if is_written_before(words, language, texts):
            if _restricted(language).search(plain[claim.content.start : term.start]):
                return Antecedent("found")
            return self._unless_ambiguous(name, texts)
        earlier = [
            one
            for item in (*scope, claim)
            for one in item.terms
            if item is not claim or one.end <= term.start
        ]
        old = nearest_name(name, [one.head for one in earlier])
        nearest = next((one for one in reversed(earlier) if one.head == old), None)
        kind: AntecedentKind = "unwritten"
        if name in inherent(language):
            kind = "implied"
        elif goes_on_from_a_name(words, language, texts):
            kind = "doubtful"
        elif old is None and is_new(name, texts, language):
            kind = "none"
        return Antecedent(kind, nearest, name=name)

    def _unless_ambiguous(self, name: str, texts: Sequence[str]) -> Antecedent:
        longer = names_with_head(name, texts, self.claims.language)
        if len(longer) < _FEWEST_CANDIDATES:
            return Antecedent("found")
        return Antecedent("ambiguous", candidates=longer)

    def _text_of(self, claim: ParsedClaim) -> str:
        if claim.position not in self._texts:
            words = self.claims.plain[claim.content.start : claim.content.end]
            self._texts[claim.position] = _closed_up(words)
        return self._texts[claim.position]


@cache
def _restricted(language: str) -> re.Pattern[str]:
    """Return a pattern for words before a marker that tell which one is meant.

    選択された前記アンテナ, 选中的所述天线
    """
    marker = source("marker", language, "referred")
    return re.compile(rf"{source('restricted', language)}{marker}\Z")


def _closed_up(text: str) -> str:
    return "".join(text.split())
