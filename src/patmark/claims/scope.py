"""Scope of a claim against the claim of the reference that it stands for.

| difference | the draft is |
|---|---|
| a quantity admits other values, fewer or more: 5 to 10 mm for 3 to 20 mm | contradictory, \
narrower or broader |
| a negation, an opposite, the order of arguments: not, before and after | contradictory |
| a list is closed, "only" is added; a list is opened, "only" is gone | narrower; broader |
| words are added and none removed; removed and none added | narrower; broader |

A quantity in another unit is the same. A quantity or negation that goes with the words around it
makes a claim broader. Other words in the place of some are no difference that can be judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from patmark.claims.words import word_list
from patmark.facts import (
    Quantity,
    TextFacts,
    compare_markers,
    compare_polarity,
    facts_of,
    in_base_unit,
)
from patmark.text import CJK
from patmark.wording import Text, tr

ScopeRelation: TypeAlias = Literal["contradictory", "narrower", "broader", "equivalent"]
PlacedWords: TypeAlias = Sequence[tuple[int, str]]
_FUNCTION_WORDS = word_list("function-words")
_FACT_GROUPS = ("limit-pre", "limit-post", "negation")


@dataclass(frozen=True, slots=True)
class ScopeDifference:
    """A difference between two claims, and what it makes of the draft."""

    relation: ScopeRelation
    message: str


class ScopedClaim(NamedTuple):
    """A claim as scopes are compared: its facts, and its content words with their places."""

    facts: TextFacts
    words: PlacedWords

    @classmethod
    def of(cls, text: str, language: str, words: PlacedWords) -> ScopedClaim:
        """Return a claim with those of its words that are no function words."""
        content = [placed for placed in words if placed[1] not in _FUNCTION_WORDS]
        return cls(facts_of(text, language), content)

    def words_beside_facts(self) -> list[str]:
        """Return the words that state no quantity, limit or negation."""
        places = self.fact_places()
        return [word for start, word in self.words if not any(start in one for one in places)]

    def fact_places(self) -> list[range]:
        """Return the places of quantities, ranges, limits and negations."""
        facts = self.facts
        spans = [(item.start, max(item.end, item.reach)) for item in facts.quantities]
        spans += [
            (low.start, high.end)
            for low, high in pairwise(facts.quantities)
            if low.ranged and high.ranged and low.limit[:1] == ">" and high.limit[:1] == "<"
        ]
        words = (hit for name in _FACT_GROUPS for hit in facts.by_group.get(name, ()))
        spans += [(hit.start, hit.end) for hit in words]
        return [range(*facts.span(*span)) for span in spans]


def scope_differences(reference: ScopedClaim, draft: ScopedClaim) -> list[ScopeDifference]:
    """Return the differences in scope of a draft to the claim that it stands for."""
    edits = list(_edits(reference, draft))
    found = [
        *_of_quantities(reference.facts, draft.facts, edits),
        *_of_polarity(reference.facts, draft.facts, edits),
        *_of_markers(reference.facts, draft.facts),
    ]
    found = found or list(_of_opposites(reference.facts, draft.facts, edits))
    return found or _of_words(reference, draft, edits)


def relation_of(differences: Sequence[ScopeDifference]) -> ScopeRelation:
    """Return the relation of a claim with these differences; broader and narrower contradict."""
    relations = {one.relation for one in differences}
    if not relations:
        return "equivalent"
    return relations.pop() if len(relations) == 1 else "contradictory"


class _Edit(NamedTuple):
    """Words of the reference that became words of the draft, with their places."""

    old: tuple[int, int]
    new: tuple[int, int]
    removed: list[str]
    added: list[str]


def _edits(reference: ScopedClaim, draft: ScopedClaim) -> Iterator[_Edit]:
    ours, theirs = ([word for _, word in side.words] for side in (reference, draft))
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            removed, added = (
                [word for word in words if not _ENDING.fullmatch(word)]
                for words in (ours[a:b], theirs[c:d])
            )
            yield _Edit(_span(reference, a, b), _span(draft, c, d), removed, added)


_ENDING = re.compile("[ぁ-ゖ之的了地得所]")
_REST_OF_WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]*")


def _span(claim: ScopedClaim, first: int, last: int) -> tuple[int, int]:
    """Return the place of a run of words."""
    if first == last:
        start = claim.words[first][0] if first < len(claim.words) else len(claim.facts.original)
        return start, start
    end = _REST_OF_WORD.match(claim.facts.original, claim.words[last - 1][0])
    return claim.words[first][0], end.end() if end else claim.words[last - 1][0]


class _Interval(NamedTuple):
    """Values that a quantity admits, in base units; an end that is None is infinite."""

    unit: object
    low: Fraction | None
    high: Fraction | None
    open_low: bool
    open_high: bool

    def contains(self, other: _Interval) -> bool:
        """Return True if each value of the other is one of these."""
        return (
            self.low is None
            or (other.low is not None and (other.low, other.open_low) >= (self.low, self.open_low))
        ) and (
            self.high is None
            or (
                other.high is not None
                and (other.high, not other.open_high) <= (self.high, not self.open_high)
            )
        )


_MARKS = {">=": "≥", ">": ">", "<=": "≤", "<": "<", "~>": ">", "~<": "<", "": ""}


class _Amount(NamedTuple):
    """A quantity or a range of a claim: its place, how it is shown, the values that it admits."""

    start: int
    shown: str
    interval: _Interval | None


def _amounts(facts: TextFacts) -> dict[int, _Amount]:
    """Return the amounts of a text by the place of each of their quantities."""
    found: dict[int, _Amount] = {}
    for item in facts.quantities:
        start = facts.span(item.start, item.end)[0]
        found[item.start] = _Amount(start, _shown(item), _interval(item))
    for low, high in pairwise(facts.quantities):
        if low.ranged and high.ranged and low.limit[:1] == ">" and high.limit[:1] == "<":
            one, other = found[low.start].interval, found[high.start].interval
            if one and other and one.unit == other.unit:
                interval = one._replace(high=other.high, open_high=other.open_high)
                unit = f" {high.unit}" if high.unit else ""
                both = _Amount(found[low.start].start, f"{low.key}–{high.key}{unit}", interval)
                found[low.start] = found[high.start] = both
    return found


def _shown(item: Quantity) -> str:
    sign = "-" if item.negative else ""
    mark = _MARKS[item.limit]
    return f"{mark} {sign}{item.key} {item.unit or ''}".strip()


def _interval(item: Quantity) -> _Interval | None:
    if item.is_token or item.chemical:
        return None
    measured = in_base_unit(item.key, item.unit)
    value, unit = measured or (Fraction(item.key), None)
    value = -value if item.negative else value
    mark = item.limit.lstrip("~")
    if unit is None and mark in (">", "<") and value.denominator == 1:  # more than three: four
        value, mark = value + (1 if mark == ">" else -1), f"{mark}="
    return _Interval(
        unit,
        None if mark.startswith("<") else value,
        None if mark.startswith(">") else value,
        mark == ">",
        mark == "<",
    )


def _relation(old: _Interval | None, new: _Interval | None) -> ScopeRelation:
    if old is None or new is None:
        return "contradictory"
    narrower, broader = old.contains(new), new.contains(old)
    if narrower and broader:
        return "equivalent"
    return "narrower" if narrower else "broader" if broader else "contradictory"


def _of_quantities(
    reference: TextFacts, draft: TextFacts, edits: Sequence[_Edit]
) -> Iterator[ScopeDifference]:
    """Pair the amounts that are lost with those that are added, in order, by their unit."""
    matched = reference.matched(draft)
    turned = [*matched.changed, *(pair for pair in matched.pairs if _is_turned(*pair))]
    lost = _distinct(_amounts(reference), [*matched.lost, *(old for old, _ in turned)])
    added = _distinct(_amounts(draft), [*matched.added, *(new for _, new in turned)])
    for one in tuple(lost):
        other = next((item for item in added if _unit(item) == _unit(one)), None)
        if other is not None:
            lost.remove(one)
            added.remove(other)
            relation = _relation(one.interval, other.interval)
            if relation != "equivalent":
                shown = tr("{old} became {new}", old=one.shown, new=other.shown)
                yield ScopeDifference(relation, shown)
    for one in lost:
        shown = tr("{word} is missing", word=one.shown)
        gone = _goes_with_words(one.start, edits, removed=True)
        yield ScopeDifference("broader" if gone else "contradictory", shown)
    for one in added:
        shown = tr("{word} was added", word=one.shown)
        came = _goes_with_words(one.start, edits, removed=False)
        yield ScopeDifference("narrower" if came else "contradictory", shown)


def _is_turned(old: Quantity, new: Quantity) -> bool:
    """Return True if equal numbers have limits that admit other values."""
    return old.limit.lstrip("~") != new.limit.lstrip("~") and not (old.ranged or new.ranged)


def _distinct(amounts: dict[int, _Amount], items: Sequence[Quantity]) -> list[_Amount]:
    return sorted({amounts[item.start] for item in items}, key=lambda one: one.start)


def _unit(amount: _Amount) -> object:
    return amount.interval and amount.interval.unit


def _goes_with_words(place: int, edits: Sequence[_Edit], removed: bool, words: int = 0) -> bool:
    """Return True if a fact stands in words that were only removed, or only added."""
    for edit in edits:
        start, end = edit.old if removed else edit.new
        own, other = (edit.removed, edit.added) if removed else (edit.added, edit.removed)
        if start <= place < end:
            return len(own) > words and not other
    return False


_NEGATION_ALONE = 1


def _of_polarity(
    reference: TextFacts, draft: TextFacts, edits: Sequence[_Edit]
) -> Iterator[ScopeDifference]:
    removed = _balance(reference, draft, "negation") < 0
    for one in compare_polarity(reference, draft).differences:
        place = (one.source if removed else one.target) or (0, 0)
        message = _change((reference if removed else draft).original[slice(*place)], removed)
        if not _goes_with_words(place[0], edits, removed, words=_NEGATION_ALONE):
            yield ScopeDifference("contradictory", message)
        else:
            yield ScopeDifference("broader" if removed else "narrower", message)


def _change(words: str, removed: bool) -> Text:
    word = f"“{' '.join(words.split())}”"
    return tr("{word} is missing", word=word) if removed else tr("{word} was added", word=word)


_NARROWING = {"only": "ONLY", "list": "CLOSED"}


def _of_markers(reference: TextFacts, draft: TextFacts) -> Iterator[ScopeDifference]:
    for one in compare_markers(reference, draft).differences:
        group = one.slot
        balance = _balance(reference, draft, group, _NARROWING.get(group))
        if group not in _NARROWING or not balance:
            yield ScopeDifference("contradictory", one.message)
        elif balance > 0:
            message = _change(draft.original[slice(*(one.target or (0, 0)))], removed=False)
            yield ScopeDifference("narrower", message)
        else:
            message = _change(reference.original[slice(*(one.source or (0, 0)))], removed=True)
            yield ScopeDifference("broader", message)


def _balance(reference: TextFacts, draft: TextFacts, group: str, word: str | None = None) -> int:
    """Return how many more words of a group the draft has."""
    return _sure(draft, group, word) - _sure(reference, group, word)


def _sure(facts: TextFacts, group: str, identity: str | None = None) -> int:
    hits = facts.by_group.get(group, ())
    return sum(hit.row.sure and identity in (None, hit.row.id) for hit in hits)


_OPPOSITE_PREFIXES = ("un", "in", "im", "ir", "non", "dis", "de", "不", "非", "未", "無", "无")


def _of_opposites(
    reference: TextFacts, draft: TextFacts, edits: Sequence[_Edit]
) -> Iterator[ScopeDifference]:
    """Yield words whose opposite stands in their place: before and after, locking and unlocking."""
    for edit in edits:
        old, new = _contrasts(reference, edit.old), _contrasts(draft, edit.new)
        words = reference.original[slice(*edit.old)], draft.original[slice(*edit.new)]
        shown = tr("{old} became {new}", old=f"“{words[0]}”", new=f"“{words[1]}”")
        short, long = sorted((" ".join(edit.removed), " ".join(edit.added)), key=len)
        if (old.get("list"), new.get("list")) == ("OPEN", "CLOSED"):
            yield ScopeDifference("narrower", shown)
        elif (old.get("list"), new.get("list")) == ("CLOSED", "OPEN"):
            yield ScopeDifference("broader", shown)
        elif any(old[group] != new[group] for group in old.keys() & new.keys()) or (
            short and long in [prefix + short for prefix in _OPPOSITE_PREFIXES]
        ):
            yield ScopeDifference("contradictory", shown)


def _contrasts(facts: TextFacts, place: tuple[int, int]) -> dict[str, str]:
    """Return the words with an opposite at a place, by their group."""
    return {
        hit.row.group: hit.row.id
        for hit in facts.words
        if (hit.row.sure or hit.row.group == "list")
        and hit.row.group not in _FACT_GROUPS
        and not hit.row.is_thing
        and place[0] <= facts.span(hit.start, hit.end)[0] < place[1]
    }


# a longer list of alternatives admits more
_ALTERNATIVES = re.compile(
    r"\b(?:selected|chosen) from\b|\bone (?:or more )?of\b|\bgroup consisting\b"
    "|选自|任一|から選ばれ|から選択|いずれか",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[;；。]|\bwherein\b")


def _of_words(
    reference: ScopedClaim, draft: ScopedClaim, edits: Sequence[_Edit]
) -> list[ScopeDifference]:
    """Return the words that were only removed, or only added."""
    if any(edit.old[0] < edit.old[1] and edit.new[0] < edit.new[1] for edit in edits):
        return []
    found: list[ScopeDifference] = []
    for edit in edits:
        if not edit.removed and not edit.added:
            continue
        claim, place = (reference, edit.old) if edit.removed else (draft, edit.new)
        if any(place[0] in one for one in claim.fact_places()):
            continue
        facts = claim.facts
        message = _change(facts.original[slice(*place)], removed=bool(edit.removed))
        broader = bool(edit.removed) != _is_alternative(facts, place)
        found.append(ScopeDifference("broader" if broader else "narrower", message))
    return found if len({one.relation for one in found}) == 1 else []


def _is_alternative(facts: TextFacts, place: tuple[int, int]) -> bool:
    """Return True if words are some of a list of alternatives."""
    text = facts.original
    *_, start = (0, *(match.end() for match in _CLAUSE_END.finditer(text, 0, place[0])))
    end = _CLAUSE_END.search(text, place[1])
    return _ALTERNATIVES.search(text, start, end.start() if end else len(text)) is not None
