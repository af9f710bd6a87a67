"""Comparison of quantities: each number with its counterpart, and the slot in which they differ.

| considered | rule |
|---|---|
| numbers in digits, formulas, identifiers | each occurrence must have a partner on the other side |
| units, minus signs | must agree where both sides show them; wt% fits %, ° fits °C; \
0.1 MPa is 100 kPa |
| counting words (三个, 第二, two, third) | the value must occur in the translation in some form; \
one that the source has not is an error beside a number that is lost, which it replaces |
| chemical formulas (Al2O3) | may be named in words; a *different* formula is an error, also one \
without its number (CO for CO2) |
| 1 with a counter, articles, one | never an error by themselves |
| reference signs | only explain a number of the other text |
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise, product

from patmark.facts.differences import least_cost_pairs
from patmark.facts.quantities import Quantity
from patmark.facts.units import compatible, in_base_unit, unit_meaning
from patmark.languages import plain_value

_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?|\d+/\d+")
Pair = tuple[Quantity, Quantity]
Distance = Callable[[Quantity, Quantity], float]
_MANY = 100  # order decides last


@dataclass(frozen=True, slots=True)
class MatchedQuantities:
    """Quantities of two texts: matched, matched with another unit or sign, and the rest."""

    kept: int
    pairs: Sequence[Pair]
    changed: Sequence[Pair]
    lost: Sequence[Quantity]
    added: Sequence[Quantity]


def match_quantities(
    source: Sequence[Quantity], target: Sequence[Quantity], distance: Distance, *, translated: bool
) -> MatchedQuantities:
    """Match the quantities of two texts, strict matches first.

    ``distance`` is from 0 to 1 how much the things of two numbers differ. If ``translated``, one
    and two may be expressed by other words: a pair, both, double.
    """
    exact, pairs = _Unmatched.of(source, target, distance).matched()
    changed, exact = exact.conflicts()
    clear = [item for item in target if item.certainty != "faint"]
    lost = _unexplained(exact.source, clear, source)
    added = _unexplained(exact.target, source, target)
    kept = len(pairs) + len(exact.source) - len(lost)
    if lost or added:
        lost, added = _without_named_formulas(
            lost, added, _formula_counts(source), _formula_counts(target)
        )
        lost, added, summed = _without_sums(lost, added, _unexact(target))
        added, lost, more = _without_sums(added, lost, _unexact(source))
        kept += summed + more
    words = _stated_once(source)
    lost_words = [word for word in words if not _occurs(word, source, target)]
    kept += len(words) - len(lost_words)
    surplus = max(0, len(lost) + len(lost_words) - len(added))
    invented = [word for word in _stated_once(target) if not _occurs(word, target, source)]
    least = _LEAST_COUNT if translated else 2
    if translated and any(one.certainty == "possible" for one in source):
        least = _NO_COUNT
    invented.sort(key=lambda word: not _is_count(word, least))
    surplus = max(surplus, sum(_is_count(word, least) for word in invented))
    words_with_limits = _limited_words(source, target)
    return MatchedQuantities(
        kept, pairs + words_with_limits, changed, lost + lost_words, added + invented[:surplus]
    )


_LEAST_COUNT = 3
_NO_COUNT = 10**9  # 双层壁: the source may count in another way


def _is_count(word: Quantity, least: int) -> bool:
    """Return True for a number word that no other word replaces: three holes."""
    return not word.ordinal and word.key.isdecimal() and int(word.key) >= least


_FARTHEST = 0.4  # of a text, between a number without a unit and the one that replaces it


def replaced_values(
    lost: Sequence[Quantity], added: Sequence[Quantity], length: int, other_length: int
) -> list[Pair]:
    """Return lost and added numbers that differ only in their value, at least cost."""

    def cost(ours: Quantity, theirs: Quantity) -> float | None:
        distance = abs(ours.start / max(1, length) - theirs.start / max(1, other_length))
        misread = _one_digit_apart(ours.key, theirs.key)
        if ours.is_token != theirs.is_token:
            return None
        if ours.ordinal != theirs.ordinal and not (
            misread and distance <= _FARTHEST and _is_designator(ours, theirs)
        ):
            return None
        if ours.is_year != theirs.is_year and not misread:
            return None
        if not _alike(ours, theirs):
            return None
        if distance > _FARTHEST and None in (ours.unit, theirs.unit) and not misread:
            return None
        return (
            (not misread)
            + (ours.ordinal != theirs.ordinal)
            + (ours.unit != theirs.unit)
            + (ours.certainty != theirs.certainty)
            + distance
        )

    pairs = least_cost_pairs([[cost(ours, theirs) for theirs in added] for ours in lost])
    return [(lost[row], added[column]) for row, column in pairs]


def is_misread(ours: Quantity, theirs: Quantity) -> bool:
    """Return True if two exact numbers differ in one digit."""
    exact = ours.certainty == theirs.certainty == "exact"
    return exact and _one_digit_apart(ours.key, theirs.key)


def _is_designator(first: Quantity, second: Quantity) -> bool:
    """Return True if a number may be the same as an ordinal: section 7 and 第7条."""
    cardinal, ordinal = (second, first) if first.ordinal else (first, second)
    digits = cardinal.certainty == "exact" and ordinal.certainty != "faint"
    return digits and cardinal.unit is None and ordinal.unit is None


def _one_digit_apart(first: str, second: str) -> bool:
    return (
        len(first) == len(second) and sum(a != b for a, b in zip(first, second, strict=True)) == 1
    )


def _alike(first: Quantity, second: Quantity) -> bool:
    """Return True if the units of two numbers have one dimension, or one has none."""
    if first.unit is None or second.unit is None:
        return True
    one, other = unit_meaning(first.unit), unit_meaning(second.unit)
    return one.dimension == other.dimension and one.basis == other.basis


def _without_sums(
    parts: list[Quantity], wholes: list[Quantity], words: Sequence[Quantity]
) -> tuple[list[Quantity], list[Quantity], int]:
    """Leave out two neighbours that make up a number of the other text: 1 h 30 min are 90 min.

    ``words`` are numbers in words of the other text: an hour and a half.
    """
    left = list(wholes)
    kept = list(parts)
    for first, second in pairwise(parts):
        one, other = (in_base_unit(q.key, q.unit) for q in (first, second))
        if one is None or other is None or one[1] != other[1]:
            continue
        total = (one[0] + other[0], one[1])
        whole = next((q for q in left if in_base_unit(q.key, q.unit) == total), None)
        if second.start - first.reach > _NEAR:
            continue
        if whole is not None:
            left.remove(whole)
        if whole is not None or any(in_base_unit(q.key, q.unit) == total for q in words):
            kept = [q for q in kept if q not in (first, second)]
    return kept, left, len(wholes) - len(left)


_NEAR = 6


def _limited_words(source: Sequence[Quantity], target: Sequence[Quantity]) -> list[Pair]:
    """Return number words with limits that each text has once: not fewer than three."""
    pairs = []
    for word in source:
        if word.limit and sum(one.key == word.key for one in source if one.limit) == 1:
            partners = [one for one in target if one.limit and one.key == word.key]
            if len(partners) == 1 and "stated" in (word.certainty, partners[0].certainty):
                pairs.append((word, partners[0]))
    return pairs


@dataclass(frozen=True, slots=True)
class _Unmatched:
    """Exact numbers of both sides that have no partner yet."""

    source: list[Quantity]
    target: list[Quantity]
    pairs: list[Pair] = field(default_factory=list)
    distance: Distance = field(default=lambda ours, theirs: 0.0)

    @classmethod
    def of(
        cls, source: Iterable[Quantity], target: Iterable[Quantity], distance: Distance
    ) -> _Unmatched:
        ours, theirs = ([q for q in side if q.certainty == "exact"] for side in (source, target))
        return cls(ours, theirs, distance=distance)

    def matched(self) -> tuple[_Unmatched, list[Pair]]:
        """Return the unmatched numbers, after strict matches first, and the matches."""
        left = self._match(lambda q: (q.key, q.unit, q.negative, q.limit), lambda a, b: True)
        left = left._match(lambda q: (_measured(q), q.negative, q.limit), lambda a, b: True)
        left = left._match(lambda q: (_measured(q), q.negative, q.limit[:1]), lambda a, b: True)
        left = left._match(lambda q: (q.key, q.unit, q.negative), lambda a, b: True)
        left = left._match(lambda q: q.key, _agree)
        left = left._match(_measured, _agree_in_sign)
        left = left._split_lists()
        left = left._match(lambda q: q.key, _agree)
        left = left._match(_digits, lambda a, b: a.is_token != b.is_token)
        return left, left.pairs

    def _match(
        self, key: Callable[[Quantity], Hashable], fits: Callable[[Quantity, Quantity], bool]
    ) -> _Unmatched:
        if not self.source or not self.target:
            return self
        partners: defaultdict[Hashable, list[Quantity]] = defaultdict(list)
        for item in self.target:
            partners[key(item)].append(item)
        groups: defaultdict[Hashable, list[Quantity]] = defaultdict(list)
        for item in self.source:
            if partners.get(own := key(item)):
                groups[own].append(item)
        if not groups:
            return self
        matched = [
            pair
            for own, items in groups.items()
            for pair in self._pairs(items, partners[own], fits)
        ]
        taken = {id(item) for pair in matched for item in pair}
        source, target = (
            [item for item in side if id(item) not in taken] for side in (self.source, self.target)
        )
        return _Unmatched(source, target, self.pairs + matched, self.distance)

    def _pairs(
        self,
        ours: list[Quantity],
        theirs: list[Quantity],
        fits: Callable[[Quantity, Quantity], bool],
    ) -> list[Pair]:
        """Pair the numbers of one value: by limit, thing and order if it matters, else in order."""
        if min(len(ours), len(theirs)) > 1 and len({q.limit for q in (*ours, *theirs)}) > 1:
            costs = [
                [
                    2 * (a.limit != b.limit) + self.distance(a, b) + abs(row - column) / _MANY
                    if fits(a, b)
                    else None
                    for column, b in enumerate(theirs)
                ]
                for row, a in enumerate(ours)
            ]
            return [(ours[row], theirs[column]) for row, column in least_cost_pairs(costs)]
        left, pairs = list(theirs), []
        for item in ours:
            found = next((p for p in left if fits(item, p)), None)
            if found is not None:
                left.remove(found)
                pairs.append((item, found))
        return pairs

    def _split_lists(self) -> _Unmatched:
        """Read 100,200 as two numbers if the other side has two, or in a list."""
        source, target = _split(self.source, self.target)
        target, source = _split(target, source)
        return _Unmatched(source, target, self.pairs, self.distance)

    def conflicts(self) -> tuple[list[Pair], _Unmatched]:
        """Return equal numbers with another unit or sign, and the rest."""
        partners: defaultdict[str, list[Quantity]] = defaultdict(list)
        for item in reversed(self.target):
            partners[item.key].append(item)
        changed: list[Pair] = []
        left: list[Quantity] = []
        for item in self.source:
            if partners.get(item.key) and item.unit != "calendar month":
                changed.append((item, partners[item.key].pop()))
            else:
                left.append(item)
        unused = {id(item) for items in partners.values() for item in items}
        rest = [item for item in self.target if id(item) in unused]
        return changed, _Unmatched(left, rest, self.pairs, self.distance)


def _agree(first: Quantity, second: Quantity) -> bool:
    return compatible(first.unit, second.unit) and _agree_in_sign(first, second)


def _agree_in_sign(first: Quantity, second: Quantity) -> bool:
    return first.negative == second.negative or None in (first.negative, second.negative)


def _measured(item: Quantity) -> Hashable:
    """Return value and dimension in base units: 0.1 MPa is 100 kPa."""
    if item.unit is None or not _DECIMAL.fullmatch(item.key):
        return item.key
    value, meaning = in_base_unit(item.key, item.unit) or (item.key, None)
    return (value, meaning.dimension, meaning.basis) if meaning else item.key


def _digits(item: Quantity) -> Hashable:
    groups = [plain_value(g) for g in _DIGITS.findall(item.key)] if item.is_token else [item.key]
    return groups[0] if len(groups) == 1 else item.key


def _share(item: Quantity) -> str | None:
    """Return a percentage as the share that a fraction names: 50 % is 0.5."""
    if item.unit is None or not item.unit.endswith("%") or not _DECIMAL.fullmatch(item.key):
        return None
    if "/" in item.key:
        return None
    return plain_value(f"{Decimal(item.key) / 100:f}")


def _split(lists: list[Quantity], others: list[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    keys = {other.key for other in others}
    split: list[Quantity] = []
    for item in lists:
        if item.groups and (item.listed or keys.issuperset(item.groups)):
            split += [Quantity(item.start, item.end, group) for group in item.groups]
        else:
            split.append(item)
    return split, others


def _unexplained(
    items: list[Quantity], words: Sequence[Quantity], own_words: Sequence[Quantity]
) -> list[Quantity]:
    """Return numbers that no word of the other side explains.

    A word can explain a number if this side does not have the word itself: with 第一 … 1 against
    "first …" the 1 is lost. Cardinals and ordinals are counted separately.
    """
    if not items:
        return []
    free = _words(words, ("stated", "possible", "faint"))
    free.subtract(_words(own_words, ("stated", "possible")))
    left: list[Quantity] = []
    measured = Counter(map(_measured, _unexact(words)))
    measured.subtract(map(_measured, _unexact(own_words)))
    for item in items:
        if item.unit is not None and measured[_measured(item)] > 0:  # 24 h are a day
            measured[_measured(item)] -= 1
            continue
        signs = (False, True) if item.negative is None else (item.negative,)
        keys = dict.fromkeys(filter(None, (item.key, _digits(item), _share(item))))
        kinds = product(keys, (False, True), signs)
        kind = next((kind for kind in kinds if free[kind] > 0), None)
        if (
            kind is None
            and item.groups
            and all(free[part, False, False] > 0 for part in item.groups)
        ):
            continue  # 100,200 after a noun is two signs
        if kind is None:
            left.append(item)
        else:
            free[kind] -= 1
    return left


def _unexact(items: Sequence[Quantity]) -> list[Quantity]:
    """Return numbers in words that have a unit."""
    return [item for item in items if item.unit is not None and item.certainty != "exact"]


def _words(
    items: Sequence[Quantity], certainties: tuple[str, ...]
) -> Counter[tuple[Hashable, bool, bool]]:
    return Counter(
        (item.key, item.ordinal, bool(item.negative))
        for item in items
        if item.certainty in certainties
    )


def _formula_counts(items: Sequence[Quantity]) -> Counter[str]:
    """Count formulas without a number, by their letters."""
    return Counter(item.key for item in items if item.chemical and item.certainty == "faint")


def _without_named_formulas(
    lost: list[Quantity],
    added: list[Quantity],
    plain_source: Counter[str],
    plain_target: Counter[str],
) -> tuple[list[Quantity], list[Quantity]]:
    """Leave out formulas on one side only: the other names the substance in words.

    They stay if the other side has the same letters without the number: CO for CO2.
    """
    if any(q.chemical for q in lost) and any(q.chemical for q in added):
        return lost, added
    without_number = plain_target - plain_source
    with_number = plain_source - plain_target
    return (
        [q for q in lost if not q.chemical or without_number[_letters(q)] > 0],
        [q for q in added if not q.chemical or with_number[_letters(q)] > 0],
    )


def _letters(item: Quantity) -> str:
    return "".join(mark for mark in item.key if not mark.isdigit())


def _stated_once(source: Sequence[Quantity]) -> list[Quantity]:
    first: dict[str, Quantity] = {}
    for item in source:
        if item.certainty == "stated":
            first.setdefault(item.key, item)
    return list(first.values())


def _occurs(word: Quantity, own: Sequence[Quantity], target: Sequence[Quantity]) -> bool:
    """Return True if the other side has a number word, as a word or in digits.

    Digits that already stand for the same digits do not explain an ordinal: step S1, first pump.
    """
    there, here = ([item for item in side if _says(item, word)] for side in (target, own))
    if not word.ordinal or any(item.ordinal for item in there):
        return bool(there)
    return len(there) > sum(not item.ordinal for item in here)


def _says(item: Quantity, word: Quantity) -> bool:
    return (
        word.key in (_digits(item), _share(item))
        and (word.key != "1" or item.certainty != "faint")
        and (word.negative == item.negative or None in (word.negative, item.negative))
    )
