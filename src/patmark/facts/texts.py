"""All facts of one text, extracted when they are first asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from patmark.facts.claim_references import ClaimLayout, claim_layout
from patmark.facts.lexicon import Hit, find_words
from patmark.facts.mentions import Mention, find_mentions
from patmark.facts.quantities import (
    COUNTED_LANGUAGES,
    Quantity,
    folded_quantities,
    with_decimal_points,
    without_scan_blanks,
)
from patmark.facts.quantity_matching import MatchedQuantities, match_quantities
from patmark.text import Folded, fold, kept_in_workspace

_TEXTS_KEPT = 1 << 13
_CLAUSE_END = re.compile(r"[,;:。、.!?](?!\d)|\n")
_SENTENCE_END = re.compile(r"[;。!?]|\.(?=\s|$)|\n")


class TextFacts:
    """The facts of one text; places are those of the folded text.

    ``quantities`` are all numbers; a number that is a reference sign is only *possible* there.
    """

    def __init__(self, text: str, language: str) -> None:
        self.language = language
        folded = without_scan_blanks(fold(text))
        self.folded: Folded = with_decimal_points(folded) if language in ("de", "fr") else folded
        self.original = text
        self._matched: tuple[TextFacts, MatchedQuantities] | None = None

    @property
    def text(self) -> str:
        """The folded text."""
        return self.folded.text

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the original text."""
        return self.folded.span(start, max(end, start + 1)) if self.text else (0, 0)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Nouns with reference signs, figure numbers and step labels."""
        return find_mentions(self.text, self.language)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Numbers with unit and limit, in order."""
        signs = {mention.start for mention in self.mentions}
        basis = _stated_basis(self.text)
        return tuple(
            replace(item, certainty="possible")
            if item.start in signs
            else replace(item, unit=basis)
            if basis and item.unit == "%"
            else item
            for item in folded_quantities(self.text, self.language)
        )

    @cached_property
    def words(self) -> tuple[Hit, ...]:
        """Words of the table."""
        return find_words(self.text, self.language)

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
        if self._matched is None or self._matched[0] is not target:
            both = COUNTED_LANGUAGES.issuperset({self.language, target.language})
            ours, theirs = ((f.quantities if both else f.in_digits) for f in (self, target))
            self._matched = target, match_quantities(ours, theirs)
        return self._matched[1]

    @property
    def in_digits(self) -> list[Quantity]:
        """Quantities, of which those in words are only possible."""
        return [
            item
            if any(map(str.isdigit, self.text[item.start : item.end]))
            else replace(item, certainty="possible")
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
    def loose_limits(self) -> tuple[Hit, ...]:
        """Comparisons with something that is no number: larger than the second hole."""
        near = [(q.start, max(q.end, q.reach)) for q in self.quantities if q.limit]
        return tuple(
            hit
            for hit in self.words
            if hit.row.group.startswith("limit")
            and hit.row.sure
            and not _touches(hit, near)
            and _COMPARES.search(self.text, hit.start, hit.end)
        )


_BASES = {
    "wt%": r"(?:质量|重量|質量)(?:百分比|百分数|分数|百分率|パーセント|基準)|[以按](?:质量|重量)计"
    r"|\b(?:mass|weight) (?:percent(?:age)?s?|fractions?|basis)\b"
    r"|\b(?:percent(?:age)?s?|based|basis) (?:are |is |being )?by (?:mass|weight)\b",
    "vol%": r"(?:体积|体積|容量)(?:百分比|百分数|分数|百分率|パーセント|基準)|[以按]体积计"
    r"|\bvolume (?:percent(?:age)?s?|fractions?|basis)\b|\bpercent(?:age)?s? by volume\b",
    "mol%": r"(?:摩尔|モル)(?:百分比|百分数|分数|百分率|パーセント|基準)|[以按]摩尔计"
    r"|\b(?:mole|molar) (?:percent(?:age)?s?|fractions?|basis)\b",
    "at%": r"原子(?:百分比|百分数|分数|百分率|パーセント|基準)|[以按]原子计"
    r"|\batomic (?:percent(?:age)?s?|fractions?|basis)\b",
}
_BASIS = re.compile("|".join(f"({form})" for form in _BASES.values()), re.IGNORECASE)


def _stated_basis(text: str) -> str | None:
    """Return the basis that a text states for all its percentages; None if not exactly one."""
    if "%" not in text:
        return None
    found = {match.lastindex or 0 for match in _BASIS.finditer(text)}
    return list(_BASES)[found.pop() - 1] if len(found) == 1 else None


_COMPARES = re.compile(
    "than|exceed|above|below|[大小高低多少长短宽窄厚薄重轻快慢强弱]于|超|より|回[るらり]"
)


def _touches(hit: Hit, numbers: Sequence[tuple[int, int]]) -> bool:
    """Return True if a limit stands beside a number."""
    return any(0 <= start - hit.end <= 25 or 0 <= hit.start - end <= 14 for start, end in numbers)


def _split(text: str, pattern: re.Pattern[str]) -> tuple[tuple[int, int], ...]:
    ends = [match.end() for match in pattern.finditer(text)] + [len(text)]
    starts = [0, *ends]
    return tuple((a, b) for a, b in zip(starts, ends, strict=False) if text[a:b].strip())


@kept_in_workspace(_TEXTS_KEPT)
def facts_of(text: str, language: str) -> TextFacts:
    """Return the facts of a text; those of the last texts are kept."""
    return TextFacts(text, language)


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that two texts do not share: its kind, a message and the places in both texts.

    Places are those of the original texts; a missing fact has none. ``severity`` is major for a
    fact that changes what is claimed, else minor.
    """

    kind: str
    message: str
    source: tuple[int, int] | None = None
    target: tuple[int, int] | None = None
    severity: str = "major"


@dataclass(frozen=True, slots=True)
class FactComparison:
    """Facts of one kind in two texts: how many are kept, and the differences."""

    kept: int
    differences: Sequence[Difference] = ()
