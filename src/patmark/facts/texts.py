"""All facts of one text, extracted on first use."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property, partial

from patmark.facts.amounts import Amount, find_amounts
from patmark.facts.claim_references import ClaimLayout, claim_layout
from patmark.facts.counts import Count, find_counts, states_in_words
from patmark.facts.lexicon import Hit, forms_of, phrases
from patmark.facts.mentions import Mention, find_mentions
from patmark.facts.quantities import (
    COUNTED_LANGUAGES,
    Quantity,
    folded_quantities,
    stated_words,
    with_decimal_points,
    without_scan_blanks,
)
from patmark.facts.quantity_matching import MatchedQuantities, match_quantities
from patmark.languages import (
    HAN,
    KATAKANA,
    Folded,
    fold,
    function_words,
    kept_in_workspace,
    language as pack_of,
    simplified,
    singular,
)

TEXTS_KEPT = 1 << 13
"""The number of texts in the cache."""
_CLAUSE_END = re.compile(r"[,;:。、.!?](?!\d)|\n")
_PARAGRAPH_NUMBER = re.compile(r"[\[【](0\d{3,4})[\]】]")
_SENTENCE_END = re.compile(r"[;。!?]|\.(?=\s|$)|\n")


class TextFacts:
    """The facts of one text; places are those of the folded text.

    ``quantities`` are all numbers except paragraph numbers, [0012]. A number that is a reference
    sign is only *possible* there.
    """

    def __init__(self, text: str, language: str) -> None:
        self.language = language
        folded = with_decimal_points(without_scan_blanks(fold(text)), language)
        if pack_of(language).is_simplified:
            folded = Folded(simplified(folded.text), folded.places)
        self.folded: Folded = folded
        self.original = text
        self._matched: dict[TextFacts, MatchedQuantities] = {}

    @property
    def text(self) -> str:
        """The folded text."""
        return self.folded.text

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the original text."""
        return self.folded.span(start, max(end, start + 1)) if self.text else (0, 0)

    def quoted(self, start: int, end: int) -> str:
        """Return a place as it is written in the original text."""
        return self.original[slice(*self.span(start, end))]

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Nouns with reference signs, figure numbers and step labels."""
        return find_mentions(self.text, self.language, self.words)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Numbers with unit and limit, in order."""
        signs = {mention.start for mention in self.mentions}
        paragraphs = {match.start(1) for match in _PARAGRAPH_NUMBER.finditer(self.text)}
        basis = _stated_basis(self.text)
        return tuple(
            item._replace(certainty="possible")
            if item.start in signs
            else item._replace(unit=basis)
            if basis and item.unit == "%"
            else item
            for item in folded_quantities(self.text, self.language, self.words)
            if item.start not in paragraphs
        )

    @cached_property
    def limits(self) -> tuple[Hit, ...]:
        """Words of limits."""
        return tuple(hit for hit in self.words if hit.row.group.startswith("limit"))

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """Quantities as intervals, each with the words of its clause."""
        return tuple(
            replace(
                item,
                subject=self.text[clause[0] : item.start].strip(),
                anchor=_anchor(
                    f"{self.text[clause[0] : item.start]} {self.text[item.end : clause[1]]}"
                ),
            )
            for item in find_amounts(self.text, self.quantities, self.limits)
            for clause in [self._clause(item.start)]
        )

    @cached_property
    def counts(self) -> tuple[Count, ...]:
        """Numbers of things in words and numerals."""
        return find_counts(self.text, self.words, self.quantities, self.amounts)

    def states_in_words(self, amount: Amount) -> bool:
        """Return True if the text states an amount in words: a plurality, a pair, hourly."""
        return states_in_words(self.text, self.counts, amount)

    def _clause(self, place: int) -> tuple[int, int]:
        at = bisect(self.clauses, (place, len(self.text))) - 1
        return self.clauses[at] if at >= 0 else (0, len(self.text))

    @cached_property
    def words(self) -> tuple[Hit, ...]:
        """Words of the table."""
        return stated_words(self.text, self.language)

    @cached_property
    def by_group(self) -> dict[str, list[Hit]]:
        """Words of the table by their group."""
        found: dict[str, list[Hit]] = {}
        for hit in self.words:
            found.setdefault(hit.row.group, []).append(hit)
        return found

    def matched(self, target: TextFacts) -> MatchedQuantities:
        """Return the quantities of this text matched with those of a translation.

        Number words count only if both languages are known.
        """
        matched = self._matched.get(target)
        if matched is None:
            both = COUNTED_LANGUAGES.issuperset({self.language, target.language})
            ours, theirs = ((f.quantities if both else f.in_digits) for f in (self, target))
            matched = self._matched[target] = match_quantities(
                ours,
                theirs,
                partial(_distance, self, target),
                translated=self.language != target.language,
            )
        return matched

    def landmarks(self, place: int) -> frozenset[str]:
        """Return words of the table and reference signs in the clause of a place."""
        start, end = self._clause(place)
        words = {
            f"{hit.row.group} {hit.row.id}"
            for hit in self.words
            if start <= hit.start < end and hit.row.sure and "limit" not in hit.row.group
        }
        return frozenset(words | {m.sign for m in self.mentions if start <= m.start < end})

    @property
    def in_digits(self) -> list[Quantity]:
        """Quantities, of which those in words are only possible."""
        return [
            item
            if any(map(str.isdigit, self.text[item.start : item.end]))
            else item._replace(certainty="possible")
            for item in self.quantities
        ]

    @cached_property
    def layout(self) -> ClaimLayout:
        """Claim numbers and references; places are those of the original text."""
        return claim_layout(self.original)

    @cached_property
    def clauses(self) -> tuple[tuple[int, int], ...]:
        """Places of the clauses, at commas and stops."""
        return _split(self.text, _CLAUSE_END)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Places of the sentences, at stops and semicolons."""
        return _split(self.text, _SENTENCE_END)

    @cached_property
    def negations(self) -> tuple[Hit, ...]:
        """Words that negate, exclude or state an absence, also within words: non-conductive."""
        found = sorted(filter(_negates, self.words), key=lambda hit: hit.row.sure)
        return tuple({hit.start: hit for hit in found}.values())

    @cached_property
    def loose_limits(self) -> tuple[Hit, ...]:
        """Comparisons without a number: larger than the second hole."""
        signs = {mention.start for mention in self.mentions}
        near = [
            (q.start, max(q.end, q.reach))
            for q in self.quantities
            if q.limit and q.start not in signs
        ]
        return tuple(
            hit
            for hit in self.limits
            if hit.row.sure
            and not _touches(hit, near)
            and _COMPARES.search(self.text, hit.start, hit.end)
        )


def _negates(hit: Hit) -> bool:
    excludes = hit.row.id == "EXCLUDE" and not hit.row.variant
    return hit.row.group == "negation" and (hit.row.sure or excludes)


def _stated_basis(text: str) -> str | None:
    """Return the basis that a text states for all its percentages; None if not exactly one."""
    if "%" not in text:
        return None
    found = {basis for basis, pattern in _bases().items() if pattern.search(text)}
    return found.pop() if len(found) == 1 else None


@cache
def _bases() -> dict[str, re.Pattern[str]]:
    """Return the phrases for a basis of percentages, by unit."""
    return {
        unit: re.compile("|".join(forms), re.IGNORECASE)
        for unit, forms in forms_of("basis", subject="facts").items()
    }


def _distance(source: TextFacts, target: TextFacts, ours: Quantity, theirs: Quantity) -> float:
    """Return the share of landmarks that the clauses of two numbers do not have in common."""
    one, other = source.landmarks(ours.start), target.landmarks(theirs.start)
    return 1 - len(one & other) / len(one | other) if one or other else 1.0


_ANCHOR_WORD = re.compile(rf"[a-zäöüßéèà]{{3,}}|[{HAN}{KATAKANA}]+")


def _anchor(clause: str) -> frozenset[str]:
    """Return the words of a clause, of Chinese and Japanese pairs of characters."""
    found: set[str] = set()
    common = function_words("anchors")
    for word in _ANCHOR_WORD.findall(clause.lower()):
        if word[0] > "\u3000":
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif word not in common:
            found.add(singular(word))
    return frozenset(found)


_COMPARES = phrases("{compares}", ignore_case=False)


def _touches(hit: Hit, numbers: Sequence[tuple[int, int]]) -> bool:
    """Return True if a limit is next to a number."""
    return any(0 <= start - hit.end <= 25 or 0 <= hit.start - end <= 14 for start, end in numbers)


def _split(text: str, pattern: re.Pattern[str]) -> tuple[tuple[int, int], ...]:
    ends = [match.end() for match in pattern.finditer(text)] + [len(text)]
    starts = [0, *ends]
    return tuple((a, b) for a, b in zip(starts, ends, strict=False) if text[a:b].strip())


@kept_in_workspace(TEXTS_KEPT)
def facts_of(text: str, language: str) -> TextFacts:
    """Return the facts of a text, with a cache of the last texts."""
    return TextFacts(text, language)


def negations(text: str, language: str, *, affixes: bool = False) -> list[tuple[int, int]]:
    """Return the places of words that negate, exclude or state an absence, in order.

    This is the only answer to "is this a negation". A limit is none (not less than 5 mm), nor is
    "not only". With ``affixes``, negations within words count too: non-conductive, unreacted.

    >>> text = "A lid that never opens, of any metal other than non-magnetic steel"
    >>> [text[start:end] for start, end in negations(text, "en")]
    ['never', 'other than']
    """
    facts = facts_of(text, language)
    return sorted(
        facts.span(hit.start, hit.end)
        for hit in facts.negations
        if affixes or hit.row.variant != "affix"
    )
