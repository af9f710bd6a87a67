"""Scope of a claim compared with its reference claim.

| difference | the draft is |
|---|---|
| a quantity admits other values, fewer or more: 5 to 10 mm for 3 to 20 mm | contradictory, \
narrower or broader |
| a negation, an opposite, the order of arguments: not, before and after | contradictory |
| a list is closed, "only" is added; a list is opened, "only" is gone | narrower; broader |
| a number of things in words: a plurality became at least ten, at least one | narrower; broader |
| at least one of some things became each; each became at least one | narrower; broader |
| words are added and none removed; removed and none added | narrower; broader |

A quantity in another unit is the same. A quantity or negation that is removed with the words around
it makes a claim broader. Replaced words cannot be judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from patmark.claims.words import pattern, word_list
from patmark.facts import (
    Amount,
    AmountRelation,
    Count,
    Difference,
    Quantity,
    TextFacts,
    compare_markers,
    compare_polarity,
    facts_of,
    in_base_unit,
    match_amounts,
    whole,
)
from patmark.languages import CJK
from patmark.wording import Text, tr

ScopeRelation: TypeAlias = Literal["contradictory", "narrower", "broader", "equivalent"]
PlacedWords: TypeAlias = Sequence[tuple[int, str]]
_FUNCTION_WORDS = word_list("function-words") | {
    "configured", "adapted", "further", "additionally", "thereof", "therein", "respective",
}  # fmt: skip
_NEGATIONS = word_list("negations")
_FACT_GROUPS = ("limit-pre", "limit-post", "negation")
_NO_CONTRASTS = (*_FACT_GROUPS, "action")  # what is done has no opposite: mounted, fixed


@dataclass(frozen=True, slots=True)
class ScopeDifference:
    """A difference between two claims, and its effect on the scope of the draft.

    Places are those in the content of the claims; None if one of them has nothing.
    """

    relation: ScopeRelation
    message: str
    reference: tuple[int, int] | None = None
    draft: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class ScopedClaim:
    """A claim for scope comparison: its facts, and its content words with their places.

    A part of a claim has the facts of the ``whole``.
    """

    facts: TextFacts
    words: PlacedWords
    whole: ScopedClaim | None = None

    @classmethod
    def of(cls, text: str, language: str, words: PlacedWords) -> ScopedClaim:
        """Return a claim with its words except function words and words of form."""
        formal = {
            place for match in pattern("formal").finditer(text) for place in range(*match.span())
        }
        switched = {match.start("particle") for match in _SWITCHED.finditer(text)}
        content = [
            (start, word)
            for start, word in words
            if start in switched or (start not in formal and word not in _FUNCTION_WORDS)
        ]
        return cls(facts_of(text, language), content)

    def within(self, start: int, end: int) -> ScopedClaim:
        """Return the claim with the words of one place."""
        words = [placed for placed in self.words if start <= placed[0] < end]
        return ScopedClaim(self.facts, words, self.whole or self)

    def words_beside_facts(self) -> list[str]:
        """Return the words that state no quantity, limit or negation."""
        stated = (self.whole or self).stated
        return [word for start, word in self.words if start not in stated]

    def words_and_counts(self) -> list[str]:
        """Return the words that state no fact, and one for each number of things."""
        whole = self.whole or self
        found: dict[int | tuple[int, int], str] = {}
        for start, word in self.words:
            count = next((one for one in whole.counts if one[0] <= start < one[1]), None)
            if count is not None:
                found[count[:2]] = count[2]
            elif start not in whole.stated:
                found[start] = word
        return list(found.values())

    @cached_property
    def counts(self) -> list[tuple[int, int, str]]:
        """The places of numbers of things without upper limit, with these limits as a word."""
        facts = self.facts
        return [
            (*facts.span(one.start, one.end), f"≥ {one.amount.lo}")
            for one in facts.counts
            if one.amount.hi is None
        ]

    @cached_property
    def stated(self) -> frozenset[int]:
        """The characters that state a fact."""
        return frozenset(place for one in self.fact_places for place in one)

    @cached_property
    def fact_places(self) -> list[range]:
        """The places of quantities, ranges, limits and negations."""
        if self.whole is not None:
            return self.whole.fact_places
        facts = self.facts
        spans = [(item.start, max(item.end, item.reach)) for item in facts.quantities]
        spans += [(_range_start(facts.text, item), item.end) for item in facts.amounts]
        words = (hit for name in _FACT_GROUPS for hit in facts.by_group.get(name, ()))
        spans += [(hit.start, hit.end) for hit in words]
        return [range(*facts.span(*span)) for span in spans]


# words that a claim may have or lack: its subject before a transition, "the steps of",
# "selected from the group consisting of", を特徴とする
# the particle of a verb distinguishes opposites: switched on, switched off
_SWITCHED = re.compile(
    r"\b(?:switch|turn|power)(?:e?s|ed|ing)?(?: \w+){0,3}? (?P<particle>on)"
    r"(?= (?:when|if|and|or|after|before|until|while|by|in|during|at|the|said|an?)\b| ?[,;.]|$)",
    re.IGNORECASE,
)
_RANGE_WORDS = re.compile(r"\b(?:between|from|ranging from|in an? range of|in the range of) ?$")


def _range_start(text: str, amount: Amount) -> int:
    """Return the start of an amount with the words before it that only open a range."""
    found = _RANGE_WORDS.search(text, max(0, amount.start - 20), amount.start)
    return amount.start if found is None else found.start()


def fact_differences(reference: ScopedClaim, draft: ScopedClaim) -> list[ScopeDifference]:
    """Return the differences of a draft in quantities, negations, lists and opposites."""
    edits = list(_edits(reference, draft))
    facts = reference.facts, draft.facts
    polarity = list(_of_polarity(*facts, edits))
    markers = [one for one in _of_markers(*facts, edits) if not _is_converse(reference, draft, one)]
    counts = list(_of_counts(*facts, edits))
    amounts = (one for one in _of_quantities(*facts, edits) if not _is_beside(one, counts))
    found = [*counts, *amounts, *polarity, *markers]
    opposites = list(_of_opposites(reference, draft, edits))
    turned = [one for one in markers if one.reference and one.draft] or opposites
    if _is_turned_twice(*facts, turned):
        return [one for one in found if one not in polarity and one not in turned]
    return found or [*opposites, *_of_directions(*facts)]


def _is_turned_twice(
    reference: TextFacts, draft: TextFacts, turned: Sequence[ScopeDifference]
) -> bool:
    """Return True if an opposite is combined with a negation: unlocked is not locked."""
    if len(turned) != 1 or turned[0].reference is None or turned[0].draft is None:
        return False
    old, new = (
        _negations_beside(facts, place)
        for facts, place in ((reference, turned[0].reference), (draft, turned[0].draft))
    )
    return abs(old - new) == 1


def _negations_beside(facts: TextFacts, place: tuple[int, int]) -> int:
    """Return the number of negations near a place outside its words."""
    spans = (
        facts.span(hit.start, hit.end)
        for hit in facts.by_group.get("negation", ())
        if not hit.row.id.startswith("UN")
    )
    return sum(
        place[0] - _BESIDE < start < place[1] + _BESIDE
        and (
            end <= place[0]
            or place[1] <= start
            or facts.original[start:end].lower().startswith("non")
        )
        for start, end in spans
    )


_BESIDE = 24  # characters between a negation and the word that it negates


def differ_in_a_word(reference: ScopedClaim, draft: ScopedClaim) -> bool:
    """Return True if one content word replaces another and all others are equal."""
    if len(reference.words) != len(draft.words):
        return False
    pairs = zip(reference.words, draft.words, strict=True)
    return sum(old != new for (_, old), (_, new) in pairs) == 1


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
                [word for word in words if not pattern("no-content").fullmatch(word)]
                for words in (ours[a:b], theirs[c:d])
            )
            yield _Edit(_span(reference, a, b), _span(draft, c, d), removed, added)


_REST_OF_WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]*")


def _span(claim: ScopedClaim, first: int, last: int) -> tuple[int, int]:
    """Return the place of a run of words."""
    if first == last:
        start = claim.words[first][0] if first < len(claim.words) else len(claim.facts.original)
        return start, start
    end = _REST_OF_WORD.match(claim.facts.original, claim.words[last - 1][0])
    return claim.words[first][0], end.end() if end else claim.words[last - 1][0]


def _of_quantities(
    reference: TextFacts, draft: TextFacts, edits: Sequence[_Edit]
) -> Iterator[ScopeDifference]:
    """Yield amounts that admit other values, and amounts and numbers that only one claim has."""
    matched = reference.matched(draft)
    lost = {item.start for item in (*matched.lost, *(old for old, _ in matched.changed))}
    added = {item.start for item in (*matched.added, *(new for _, new in matched.changed))}
    for old, new in match_amounts(reference, draft):
        if old is not None and new is not None:
            relation = _RELATIONS[whole(old).relation(whole(new))]
            if relation != "equivalent":
                shown = tr("{old} became {new}", old=old.shown, new=new.shown)
                places = reference.span(old.start, old.end), draft.span(new.start, new.end)
                yield ScopeDifference(relation, shown, *places)
        elif old is not None and _has(old, lost) and not _is_stated(old, draft):
            yield _alone(old.shown, reference.span(old.start, old.end), edits, removed=True)
        elif new is not None and _has(new, added) and not _is_stated(new, reference):
            yield _alone(new.shown, draft.span(new.start, new.end), edits, removed=False)
    for old_item, new_item in matched.changed:
        if _is_name(reference, old_item):
            shown = tr("{old} became {new}", old=_shown(old_item), new=_shown(new_item))
            places = (reference.span(old_item.start, old_item.end),
                      draft.span(new_item.start, new_item.end))  # fmt: skip
            yield ScopeDifference("contradictory", shown, *places)
    for item in matched.lost:
        if _is_name(reference, item):
            yield _alone(_shown(item), reference.span(item.start, item.end), edits, removed=True)
    for item in matched.added:
        if _is_name(draft, item):
            yield _alone(_shown(item), draft.span(item.start, item.end), edits, removed=False)


_RELATIONS: Mapping[AmountRelation, ScopeRelation] = {
    "equal": "equivalent",
    "narrower": "narrower",
    "broader": "broader",
    "overlapping": "contradictory",
    "disjoint": "contradictory",
}


def _has(amount: Amount, places: Collection[int]) -> bool:
    """Return True if a quantity at one of the places is part of an amount."""
    return any(amount.start <= place < amount.end for place in places)


def _is_stated(amount: Amount, other: TextFacts) -> bool:
    """Return True if a text states an amount in words, or as one of its quantities."""
    return other.states_in_words(amount) or (
        bool(amount.symbol)
        and amount.lo == amount.hi
        and any(
            in_base_unit(item.key, item.unit) == (amount.lo, amount.unit)
            for item in other.quantities
            if item.unit and not item.is_token
        )
    )


def _of_counts(
    reference: TextFacts, draft: TextFacts, edits: Sequence[_Edit]
) -> Iterator[ScopeDifference]:
    """Yield numbers of things of which one is stated in words: a plurality became at least ten."""
    for edit in edits:
        old, new = _count_at(reference, edit.old), _count_at(draft, edit.new)
        if old is None or new is None or not (old.in_words or new.in_words):
            continue
        relation = _RELATIONS[old.amount.relation(new.amount)]
        if relation != "equivalent":
            places = reference.span(old.start, old.end), draft.span(new.start, new.end)
            words = reference.original[slice(*places[0])], draft.original[slice(*places[1])]
            shown = tr("{old} became {new}", old=f"“{words[0]}”", new=f"“{words[1]}”")
            yield ScopeDifference(relation, shown, *places)


def _count_at(facts: TextFacts, place: tuple[int, int]) -> Count | None:
    """Return the number of things at a place."""
    for one in facts.counts:
        start, end = facts.span(one.start, one.end)
        if start < place[1] and place[0] < end:
            return one
    return None


def _is_beside(one: ScopeDifference, others: Sequence[ScopeDifference]) -> bool:
    """Return True if another difference has the words of this one."""
    return any(
        mine is not None and theirs is not None and mine[0] < theirs[1] and theirs[0] < mine[1]
        for other in others
        for mine, theirs in ((one.reference, other.reference), (one.draft, other.draft))
    )


def _is_name(facts: TextFacts, item: Quantity) -> bool:
    """Return True if a number is no part of an amount: an ordinal, a formula, an identifier."""
    return not any(one.start <= item.start < one.end for one in facts.amounts)


def _shown(item: Quantity) -> str:
    return f"{item.key} {item.unit or ''}".strip()


def _alone(
    shown: str, place: tuple[int, int], edits: Sequence[_Edit], removed: bool
) -> ScopeDifference:
    """Return the difference of a fact that only one claim has."""
    whole = _goes_with_words(place, edits, removed)
    if removed:
        message = tr("{word} is missing", word=shown)
        return ScopeDifference("broader" if whole else "contradictory", message, place)
    message = tr("{word} was added", word=shown)
    return ScopeDifference("narrower" if whole else "contradictory", message, None, place)


_AUXILIARIES = frozenset({"do", "doe", "does", "did", "be", "been", "can", "will"})


def _goes_with_words(
    place: tuple[int, int], edits: Sequence[_Edit], removed: bool, words: int = 0
) -> bool:
    """Return True if a fact is within words that were only removed, or only added."""
    for edit in edits:
        start, end = edit.old if removed else edit.new
        own, other = (edit.removed, edit.added) if removed else (edit.added, edit.removed)
        if start < place[1] and place[0] < end:
            return len([word for word in own if word not in _AUXILIARIES]) > words and not other
    return False


_NEGATION_ALONE = 1


def _of_polarity(
    reference: TextFacts, draft: TextFacts, edits: Sequence[_Edit]
) -> Iterator[ScopeDifference]:
    removed = _balance(reference, draft, "negation") < 0
    if len(reference.negations) == len(draft.negations):
        return
    for one in compare_polarity(reference, draft).differences:
        place = (one.source if removed else one.target) or (0, 0)
        message = _change((reference if removed else draft).original[slice(*place)], removed)
        places = one.source if removed else None, None if removed else one.target
        text = (reference if removed else draft).original
        if _is_replaced(place[0], edits, removed) or _KEPT_FROM.match(text, place[1]):
            continue
        if not _goes_with_words(place, edits, removed, words=_NEGATION_ALONE):
            yield ScopeDifference("contradictory", message, *places)
        else:
            yield ScopeDifference("broader" if removed else "narrower", message, *places)


_KEPT_FROM = re.compile(r"\s+from\s+[-−]?\d")  # "kept from 2 °C to 6 °C" negates nothing


def _is_replaced(place: int, edits: Sequence[_Edit], removed: bool) -> bool:
    """Return True if other words replace a negation and its argument."""
    for edit in edits:
        start, end = edit.old if removed else edit.new
        own, other = (edit.removed, edit.added) if removed else (edit.added, edit.removed)
        if start <= place < end:
            stems = {_INFLECTED.sub("", word) for word in own}
            return len(own) > 1 and any(_INFLECTED.sub("", word) not in stems for word in other)
    return False


def _change(words: str, removed: bool) -> Text:
    word = f"“{' '.join(words.split())}”"
    return tr("{word} is missing", word=word) if removed else tr("{word} was added", word=word)


_NARROWING = {"only": "ONLY", "list": "CLOSED"}


def _of_markers(
    reference: TextFacts, draft: TextFacts, edits: Sequence[_Edit]
) -> Iterator[ScopeDifference]:
    for one in compare_markers(reference, draft).differences:
        group = one.slot
        if group == "or" and (change := _alternative_change(one, reference, draft, edits)):
            yield change
            continue
        if relation := _scope_change(one, reference, draft):
            yield ScopeDifference(relation, one.message, one.source, one.target)
            continue
        balance = _balance(reference, draft, group, _NARROWING.get(group))
        if group not in _NARROWING or not balance:
            yield ScopeDifference("contradictory", one.message, one.source, one.target)
        elif balance > 0:
            message = _change(draft.original[slice(*(one.target or (0, 0)))], removed=False)
            yield ScopeDifference("narrower", message, None, one.target)
        else:
            message = _change(reference.original[slice(*(one.source or (0, 0)))], removed=True)
            yield ScopeDifference("broader", message, one.source)


def _scope_change(one: Difference, reference: TextFacts, draft: TextFacts) -> ScopeRelation | None:
    """Return the change from at least one of some things to all of them, or back; else None."""
    if one.slot != "scope" or one.source is None or one.target is None:
        return None
    change = _scope_at(reference, one.source), _scope_at(draft, one.target)
    return _OF_ALL.get(change)


_OF_ALL: Mapping[tuple[str, str], ScopeRelation] = {
    ("SOME", "ALL"): "narrower",
    ("ALL", "SOME"): "broader",
}


def _scope_at(facts: TextFacts, place: tuple[int, int]) -> str:
    return next(
        (
            hit.row.id
            for hit in facts.by_group.get("scope", ())
            if hit.row.sure and facts.span(hit.start, hit.end)[0] == place[0]
        ),
        "",
    )


def _alternative_change(
    one: Difference, reference: TextFacts, draft: TextFacts, edits: Sequence[_Edit]
) -> ScopeDifference | None:
    """Return the change of scope if an alternative and its "or" went or came; else None."""
    for place, removed in ((one.source, True), (one.target, False)):
        for edit in edits if place is not None else ():
            start, end = edit.old if removed else edit.new
            own, other = (edit.removed, edit.added) if removed else (edit.added, edit.removed)
            if place and own and not other and start - _NEAR <= place[0] <= end + _NEAR:
                text = (reference if removed else draft).original[start:end]
                message = _change(text, removed)
                places = ((start, end), None) if removed else (None, (start, end))
                return ScopeDifference("narrower" if removed else "broader", message, *places)
    return None


_NEAR = 4  # characters between an alternative and its "or"


def _balance(reference: TextFacts, draft: TextFacts, group: str, word: str | None = None) -> int:
    """Return how many more words of a group the draft has."""
    return _sure(draft, group, word) - _sure(reference, group, word)


def _sure(facts: TextFacts, group: str, identity: str | None = None) -> int:
    hits = facts.by_group.get(group, ())
    return sum(hit.row.sure and identity in (None, hit.row.id) for hit in hits)


def _of_opposites(
    reference: ScopedClaim, draft: ScopedClaim, edits: Sequence[_Edit]
) -> Iterator[ScopeDifference]:
    """Yield words replaced by their opposite: before and after, locking and unlocking.

    Words of limits belong to quantities. An opposite with exchanged arguments is no difference: A
    is above B as B is below A.
    """
    limits = reference.fact_places, draft.fact_places
    for edit in edits:
        if _is_within(edit.old, limits[0]) and _is_within(edit.new, limits[1]):
            continue
        old, new = _contrasts(reference.facts, edit.old), _contrasts(draft.facts, edit.new)
        words = (
            reference.facts.original[slice(*edit.old)],
            draft.facts.original[slice(*edit.new)],
        )
        shown = tr("{old} became {new}", old=f"“{words[0]}”", new=f"“{words[1]}”")
        short, long = sorted((" ".join(edit.removed), " ".join(edit.added)), key=len)
        if (old.get("list"), new.get("list")) == ("OPEN", "CLOSED"):
            yield ScopeDifference("narrower", shown, edit.old, edit.new)
        elif (old.get("list"), new.get("list")) == ("CLOSED", "OPEN"):
            yield ScopeDifference("broader", shown, edit.old, edit.new)
        elif (
            any(old[group] != new[group] for group in old.keys() & new.keys())
            or (short and long in [prefix + short for prefix in word_list("opposite-prefixes")])
            or _has_opposite(edit)
        ):
            found = ScopeDifference("contradictory", shown, edit.old, edit.new)
            if not _is_converse(reference, draft, found):
                yield found


def _is_within(place: tuple[int, int], places: Sequence[range]) -> bool:
    """Return True if words are in one of some places."""
    return any(one.start <= place[0] < place[1] <= one.stop for one in places)


def _is_converse(reference: ScopedClaim, draft: ScopedClaim, one: ScopeDifference) -> bool:
    """Return True if two claims have the same words in another order, apart from an opposite."""
    if one.reference is None or one.draft is None:
        return False
    old, new = ([word for _, word in claim.words] for claim in (reference, draft))
    gone, came = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if not gone or not came or max(gone.total(), came.total()) > _ONE_OPPOSITE:
        return False
    old, new = (
        [word for start, word in claim.words if start not in range(*place) or word not in changed]
        for claim, place, changed in (
            (reference, one.reference, gone),
            (draft, one.draft, came),
        )
    )
    return old != new and sorted(old) == sorted(new)


_ONE_OPPOSITE = 2  # words, or Chinese or Japanese characters


_FROM_TO = re.compile(
    r"\bfrom (?P<start>[^,;.]+?) to (?P<end>[^,;.]+?)"
    r"(?=[,;.]|$| (?:by|with|when|if|at|in|on|using|while|during|through|via|for|and|after"
    r"|before)\b)"
)
_WORD = re.compile(r"[^\W\d_]+")


def _of_directions(reference: TextFacts, draft: TextFacts) -> Iterator[ScopeDifference]:
    """Yield start and end that changed places: from the inlet to the outlet."""
    for old in _FROM_TO.finditer(reference.original):
        start, end = _words_of(old["start"]), _words_of(old["end"])
        for new in _FROM_TO.finditer(draft.original):
            if start != end and start == _words_of(new["end"]) and end == _words_of(new["start"]):
                values = {"words": f"“{old['start']}”", "words2": f"“{old['end']}”"}
                message = tr("{words} and {words2} changed places", **values)
                yield ScopeDifference("contradictory", message, old.span(), new.span())


def _words_of(text: str) -> list[str]:
    return sorted(word for word in _WORD.findall(text) if word not in _FUNCTION_WORDS)


_OPPOSITES = {
    tuple(pair.split("/")[::order]) for pair in word_list("opposites") for order in (1, -1)
}
_INFLECTED = re.compile(r"(?<=\w{3})(?:e[ds]?|ing|s)$")


def _has_opposite(edit: _Edit) -> bool:
    """Return True if one word of an edit has its opposite among the other words."""
    if len(edit.removed) > _FEW_WORDS or len(edit.added) > _FEW_WORDS:
        return False
    old, new = (
        [_INFLECTED.sub("", word) for word in words] + ["".join(words)]
        for words in (edit.removed, edit.added)
    )
    return any((one, other) in _OPPOSITES for one in old for other in new)


_FEW_WORDS = 4


def _contrasts(facts: TextFacts, place: tuple[int, int]) -> dict[str, str]:
    """Return the words with an opposite at a place, by their group."""
    return {
        hit.row.group: hit.row.id
        for hit in facts.words
        if (hit.row.sure or hit.row.group == "list")
        and hit.row.group not in _NO_CONTRASTS
        and not hit.row.is_thing
        and place[0] <= facts.span(hit.start, hit.end)[0] < place[1]
    }


# a longer list of alternatives admits more
_CLAUSE_END = re.compile(r"[;；。]|\bwherein\b")


def word_differences(reference: ScopedClaim, draft: ScopedClaim) -> list[ScopeDifference]:
    """Return the words that were only removed, or only added.

    There are none if words were replaced or moved.
    """
    return _of_words(reference, draft, list(_edits(reference, draft)))


def _of_words(
    reference: ScopedClaim, draft: ScopedClaim, edits: Sequence[_Edit]
) -> list[ScopeDifference]:
    if any(edit.old[0] < edit.old[1] and edit.new[0] < edit.new[1] for edit in edits):
        return []
    gone, came = ({word for one in edits for word in one.removed},
                  {word for one in edits for word in one.added})  # fmt: skip
    moved = gone & came
    if gone - moved and came - moved:
        return []
    found: list[ScopeDifference] = []
    for edit in edits:
        if not edit.removed and not edit.added:
            continue
        removed = bool(edit.removed)
        if moved.issuperset(edit.removed or edit.added):
            continue
        claim, place = (reference, edit.old) if removed else (draft, edit.new)
        if any(place[0] in one for one in claim.fact_places):
            continue
        facts = claim.facts
        text = facts.original[slice(*place)]
        if not text.strip() or (
            len(reference.facts.negations) == len(draft.facts.negations)
            and any(place[0] <= facts.span(hit.start, hit.end)[0] < place[1]
                    for hit in facts.by_group.get("negation", ()))
        ):  # fmt: skip
            continue
        message = _change(facts.original[slice(*place)], removed)
        broader = removed != _is_alternative(facts, place)
        places = (place, None) if removed else (None, place)
        relation: ScopeRelation = "broader" if broader else "narrower"
        if _AUXILIARIES.union(_NEGATIONS).issuperset(edit.removed or edit.added):
            relation = "contradictory"
        elif _is_compound_verb(facts.original, place):
            continue
        found.append(ScopeDifference(relation, message, *places))
    return found if len({one.relation for one in found}) == 1 else []


def _is_compound_verb(text: str, place: tuple[int, int]) -> bool:
    """Return True if words are the first half of a Japanese compound verb: 取り of 取り外す."""
    stem = text[slice(*place)][-2:]
    return (
        pattern("verb-stem").fullmatch(stem) is not None
        and pattern("verb").fullmatch(text, place[1], place[1] + 2) is not None
    )


def _is_alternative(facts: TextFacts, place: tuple[int, int]) -> bool:
    """Return True if words are some of a list of alternatives."""
    text = facts.original
    *_, start = (0, *(match.end() for match in _CLAUSE_END.finditer(text, 0, place[0])))
    end = _CLAUSE_END.search(text, place[1])
    return (
        pattern("alternatives").search(text, start, end.start() if end else len(text)) is not None
    )
