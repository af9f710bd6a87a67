"""Terms: introduced before "the", one name and one sign for one thing, also in the description."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from patmark.claims.antecedents import (
    EMPTY,
    MODIFIED,
    AntecedentKind,
    MissingAntecedent,
    missing_antecedents,
)
from patmark.claims.lint.rule import Found, LintContext, Severity, found, shown
from patmark.claims.model import ParsedClaim, Term
from patmark.claims.terms import TELLING_APART
from patmark.claims.words import pattern, word_list
from patmark.facts import match_unit
from patmark.languages import (
    FIGURE_START,
    REFERENCE_SIGN,
    content_words,
    plain_form,
    singular,
    synsets,
)
from patmark.wording import tr

_LIMITS: dict[AntecedentKind, Severity | None] = {
    "none": None,
    "similar": "warning",
    "doubtful": "information",
    "unwritten": "warning",
    "implied": "information",
    "unknown": "information",
}
_OTHER_FAULTS = ("ambiguous", "number")
# a part of something else, or one of several: "each arm having a hinge"
_PART = re.compile(
    r"\b(?:each|every|respective(?:ly)?|per|or|either|any|both|another|having|ha[sd]|with|includ\w+|"
    r"compris\w+|contain\w+|defin\w+|form\w*|provid\w+|as|like|is|are)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s*(?:\([^()]{1,20}\)\s*)?(?:of|between|that|which|or|when|where|such)\b", re.IGNORECASE
)


def missing(context: LintContext) -> Iterator[Found]:
    """Find references to things without an antecedent."""
    for item in missing_antecedents(context.claims):
        if item.antecedent.kind not in _OTHER_FAULTS:
            yield _unintroduced(context, item, _LIMITS[item.antecedent.kind])


def ambiguous(context: LintContext) -> Iterator[Found]:
    """Find references to one of several things of the name, without a distinguishing word.

    In English it is information: the words around it often tell which one is meant.
    """
    for item in missing_antecedents(context.claims):
        if item.antecedent.kind == "ambiguous":
            limit: Severity | None = "information" if context.claims.is_spaced else None
            yield found(
                item.claim,
                item.term,
                "",
                limit,
                words=_reference(item),
                candidates=tuple(map(shown, item.antecedent.candidates)),
            )


def other_number(context: LintContext) -> Iterator[Found]:
    """Find a plural that refers to one thing, and a singular that refers to several.

    One of several without a number is information: "the article" after "for conveying articles".
    """
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for item in missing_antecedents(context.claims):
        nearest, key = item.antecedent.nearest, (item.claim.position, item.term.words)
        if item.antecedent.kind == "number" and nearest is not None and key not in seen:
            seen.add(key)
            limit: Severity | None = "information" if nearest.kind == "bare" else None
            yield found(
                item.claim,
                item.term,
                "",
                limit,
                words=_reference(item),
                text=shown(f"{nearest.marker} {nearest.name}".strip()),
            )


def _reference(item: MissingAntecedent) -> str:
    """Return a reference with its marker, as the text has it."""
    name = item.antecedent.name or item.term.name
    blank = " " if name.isascii() else ""
    return f"{item.term.marker}{blank}{shown(name)}"


def _unintroduced(context: LintContext, item: MissingAntecedent, limit: Severity | None) -> Found:
    """Build the result for a reference without an antecedent, with the message that fits it."""
    term, antecedent = item.term, item.antecedent
    if not context.claims.is_spaced:
        name = shown(antecedent.name or term.text)
        return found(item.claim, term, "name", limit, text=name)
    words = f'"{term.marker} {shown(term.name)}"'
    if antecedent.kind != "implied" and antecedent.nearest is not None:
        nearest = shown(antecedent.nearest.name)
        return found(item.claim, term, "similar", limit, words=words, text=nearest)
    place = tr("before it in the claim")
    if item.claim.refers_to:
        place = tr("in the claims it builds on")
    kind = "implied" if antecedent.kind == "implied" else ""
    return found(item.claim, term, kind, limit, words=words, place=place)


def double(context: LintContext) -> Iterator[Found]:
    """Find elements that are introduced with "a" once more in the same words."""
    for claim in context.live:
        known: dict[tuple[str, ...], ParsedClaim] = {}
        for item in context.scopes[claim.position]:
            known |= {term.words: item for term in _introduced(item)}
        for term in _introduced(claim):
            earlier = known.get(term.words)
            if earlier is not None and _is_repeated(context, claim, term):
                text, number = shown(term.text), earlier.shown_number
                kind = "" if earlier is claim else "other"
                yield found(claim, term, kind, text=text, number=number)
            known.setdefault(term.words, claim)


def _introduced(claim: ParsedClaim) -> Sequence[Term]:
    return [
        term for term in claim.terms if term.kind == "introduced" and term.head not in TELLING_APART
    ]


def _is_repeated(context: LintContext, claim: ParsedClaim, term: Term) -> bool:
    """Return True if the second mention is hardly another element, though "the X" follows."""
    if term.marker not in ("a", "an") or term.end <= (
        claim.references[0].end if claim.references else claim.content.start
    ):
        return False
    size = len(term.words)
    later = (item for item in claim.terms if item.kind == "referred" and item.start > term.end)
    if not any(item.words[:size] == term.words for item in later):
        return False
    opened = claim.content.start if claim.transition is None else claim.transition.end
    clause = context.plain[max(min(opened, term.start), term.start - 50) : term.start]
    after = (_GOES_ON, MODIFIED)
    return _PART.search(clause) is None and not any(
        pattern.match(context.plain, term.end) for pattern in after
    )


_SAME_SPELLING = 0.8
_SHORTEST = 7
_JOIN = re.compile(r"[\s-]+")


def drift(context: LintContext) -> Iterator[Found]:
    """Find phrases with "the" that differ in one word from one that was introduced."""
    for item in missing_antecedents(context.claims):
        term, nearest = item.term, item.antecedent.nearest
        if item.antecedent.kind in _OTHER_FAULTS:
            continue
        if nearest is not None and (not context.claims.is_spaced or _is_variant(term, nearest)):
            yield found(
                item.claim,
                term,
                "",
                _drift_limit(context, item, nearest),
                text=shown(term.name),
                text2=shown(nearest.name),
            )


def _drift_limit(context: LintContext, item: MissingAntecedent, nearest: Term) -> Severity | None:
    """Return information if nothing but a common modifier relates an English phrase to another.

    Also for a Chinese name whose end is uncertain.
    """
    if not context.claims.is_spaced:
        return "information" if item.antecedent.kind == "doubtful" else None
    (new,), (old,) = _other_words(item.term, nearest)
    alike = _is_spelt_alike(new, old) or new.endswith(old) or old.endswith(new)
    return None if alike or set(synsets(new)) & set(synsets(old)) else "information"


def _is_variant(term: Term, nearest: Term) -> bool:
    """Return True if one word differs: the noun after equal words, or the spelling.

    "the drive axle" after "a drive shaft", "the pulsed laser" after "a pulse laser". Another word
    before the same noun distinguishes two things.
    """
    new, old = _other_words(term, nearest)
    if len(new) != 1 or len(old) != 1 or (new | old) & TELLING_APART:
        return False
    if _is_spelt_alike(min(new), min(old)):
        return term.words.index(min(new)) == nearest.words.index(min(old))
    return len(set(term.words)) > 1 and term.words[:-1] == nearest.words[:-1]


def _other_words(term: Term, nearest: Term) -> tuple[set[str], set[str]]:
    """Return the words that only one of two phrases has."""
    own, other = set(term.words), set(nearest.words)
    return own - other, other - own


def _is_spelt_alike(new: str, old: str) -> bool:
    return SequenceMatcher(None, new, old).ratio() >= _SAME_SPELLING


def spelling(context: LintContext) -> Iterator[Found]:
    """Find terms in two spellings: side wall, side-wall, sidewall."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    places: dict[str, tuple[ParsedClaim, Term]] = {}
    for claim in context.live:
        for term in claim.terms:
            joined = "".join(term.words)
            if not joined.isalpha():
                joined = "".join(_JOIN.split(joined))
            if len(joined) >= _SHORTEST and joined.isalpha():
                form = " ".join(term.words).strip("-")
                written[joined][form] += 1
                places.setdefault(form, (claim, term))
    for forms in written.values():
        usual, *others = (form for form, _ in forms.most_common())
        for form in others:
            claim, term = places[form]
            yield found(claim, term, text=shown(term.text), text2=shown(places[usual][1].text))


_WORD = re.compile(r"[^\W\d_]+")
_ROOT = 6


def _absent_parts(name: str, described: str, language: str) -> list[str]:
    """Return the words of a Chinese or Japanese name that a text lacks; a name can be cut wrong."""
    if name in described:
        return []
    having = pattern("verb-of-having", language)
    words = [one.form for one in content_words([name], language)[0]] or [name]
    return [word for word in words if word not in described and not having.fullmatch(word)]


def unsupported(context: LintContext) -> Iterator[Found]:
    """Find the first mention of each term with a word that the description lacks."""
    described = plain_form(context.description or "").lower()
    words = {singular(word)[:_ROOT] for word in _WORD.findall(described)}
    closed_up = "".join(described.split())
    seen: set[tuple[str, ...]] = set()
    for claim in context.live:
        for term in claim.terms:
            if term.kind == "referred" or term.words in seen:
                continue
            seen.add(term.words)
            absent = (
                _absent_words(term, words)
                if context.claims.is_spaced
                else _absent_parts(term.head, closed_up, context.claims.language)
            )
            if absent:
                yield found(claim, term, text=shown(term.text), absent=tuple(absent))


def _absent_words(term: Term, roots: set[str]) -> list[str]:
    """Return the words of a term whose root is absent."""
    parts = [part for word in term.words for part in _WORD.findall(word)]
    return [
        part
        for part in parts
        if part not in EMPTY and part not in TELLING_APART and singular(part)[:_ROOT] not in roots
    ]


_OPENED = re.compile(r"\s*\(")
_SIGN = re.compile(REFERENCE_SIGN)
_COUNTED = word_list("counted")
_LIST_GOES_ON = re.compile(r"\s*(?:°|to\b|-|or\b|and\b|wt|\.(?=\S))")
_DRAWINGS = re.compile(FIGURE_START, re.IGNORECASE)


def _signed(context: LintContext) -> Iterator[tuple[ParsedClaim, Term, frozenset[str]]]:
    """Yield the terms with a sign in brackets, and their signs."""
    for claim in context.live:
        for term in claim.terms:
            if (
                term.sign is not None
                and term.head not in _COUNTED
                and _OPENED.match(context.plain, term.end)
                and (signs := frozenset(_SIGN.findall(term.sign)))
            ):
                yield claim, term, signs


def _name(term: Term) -> tuple[str, ...]:
    return tuple(word for word in term.words if word not in EMPTY) or term.words


def sign_changed(context: LintContext) -> Iterator[Found]:
    """Find terms whose sign differs from that in the claims it depends on."""
    known: dict[tuple[str, ...], tuple[ParsedClaim, frozenset[str]]] = {}
    reported: set[tuple[tuple[str, ...], frozenset[str]]] = set()
    for claim, term, signs in _signed(context):
        name = _name(term)
        first, before = known.setdefault(name, (claim, signs))
        if term.kind == "referred" and not before & signs and (name, signs) not in reported:
            reported.add((name, signs))
            yield found(
                claim,
                term,
                text=shown(term.text),
                numbers=_listed(signs),
                numbers2=_listed(before),
                number=first.shown_number,
            )


def sign_conflict(context: LintContext) -> Iterator[Found]:
    """Find one sign for terms without a common word; lists of signs name parts of a whole."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    reported: set[tuple[str, str]] = set()
    for claim, term, signs in _signed(context):
        if len(signs) > 1 or term.head == "means":
            continue
        own, sign = set(term.words), min(signs)
        words = known[sign]
        if words and not _share(words, own) and (sign, term.head) not in reported:
            reported.add((sign, term.head))
            yield found(claim, term, sign=sign, text=shown(term.text))
        words |= own


def _share(words: set[str], own: set[str]) -> bool:
    """Return True if two names have a word in common, or a part of one: 转轴 and 第一转轴."""
    return any(one in other or other in one for one in words for other in own)


def sign_unmatched(context: LintContext) -> Iterator[Found]:
    """Find reference signs that the description does not have."""
    described = set(_SIGN.findall(context.description or ""))
    reported: set[str] = set()
    for claim, term, signs in _signed(context):
        for sign in sorted(signs - described - reported):
            reported.add(sign)
            yield found(claim, term, sign=sign, text=shown(term.text))


def sign_unbracketed(context: LintContext) -> Iterator[Found]:
    """Find a number after a term more than once, as a sign would be, but without brackets."""
    places: defaultdict[tuple[tuple[str, ...], str], list[tuple[ParsedClaim, Term]]] = defaultdict(
        list
    )
    for claim in context.live:
        for term in claim.terms:
            if term.sign and term.kind != "bare" and term.head not in _COUNTED:
                end = context.plain.find(term.sign, term.end) + len(term.sign)
                if not (
                    _OPENED.match(context.plain, term.end)
                    or _LIST_GOES_ON.match(context.plain, end)
                    or match_unit(context.plain, end)
                ):
                    places[_name(term), term.sign].append((claim, term))
    for (_, sign), used in places.items():
        if len(used) > 1:
            claim, term = used[0]
            yield found(claim, term, sign=sign, text=shown(term.text))


def signs_absent(context: LintContext) -> Iterator[Found]:
    """Find claims without signs if the description has drawings."""
    if _DRAWINGS.search(context.description or "") and not any(_signed(context)):
        yield Found(0, 0)


def _listed(signs: frozenset[str]) -> str:
    return ", ".join(sorted(signs))
