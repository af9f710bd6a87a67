"""Numbers of the source that the translation must hold, and none that it must not.

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

Claim numbers and reference signs are numbers too and are not left out: their notation differs
between languages ((12) against 12), so leaving them out on one side only would raise alarms,
and leaving them out on both would hide errors that look like ordinary numbers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from patmark.data import Evidence, Side, TestSet
from patmark.facts import (
    COUNTED_LANGUAGES,
    Quantity,
    compatible,
    find_quantities,
    in_base_unit,
    plain_value,
)
from patmark.measures.base import MOST_THINGS, Check, Finding
from patmark.text import language_of
from patmark.wording import tr

_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Numbers(Check):
    """Share of numbers, units and formulas that source and translation have in common."""

    label: ClassVar[str] = "numbers"
    description: ClassVar[str] = "numbers, units and formulas kept, none invented"
    formula: ClassVar[str] = (
        "kept / (kept + lost + invented), a changed one counted twice, at most 10 a segment"
    )
    runs_by_default: ClassVar[bool] = True
    citation: ClassVar[str] = "patmark"
    languages: ClassVar[frozenset[str] | None] = COUNTED_LANGUAGES
    most: ClassVar[float] = MOST_THINGS
    rules: ClassVar[int] = 5

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; see the table at the top of this file."""
        return [
            _compare(
                find_quantities(source, language_of(test_set.source_language, source)),
                find_quantities(hypothesis, language_of(test_set.target_language, hypothesis)),
            )
            for source, hypothesis in zip(test_set.sources, hypotheses, strict=True)
        ]


def _compare(source: Sequence[Quantity], hypothesis: Sequence[Quantity]) -> Finding:
    exact, kept = _Unmatched.of(source, hypothesis).matched()
    conflicts, exact = exact.conflicts()
    clear = [item for item in hypothesis if item.certainty != "faint"]
    lost = _unexplained(exact.source, clear, source)
    added = _unexplained(exact.hypothesis, source, hypothesis)
    kept += len(exact.source) - len(lost)
    lost, added = _without_named_formulas(
        lost, added, _formula_counts(source), _formula_counts(hypothesis)
    )
    words = _stated_once(source)
    lost_words = [word for word in words if not _occurs(word, hypothesis)]
    kept += len(words) - len(lost_words)
    changed = max(0, len(lost) + len(lost_words) - len(added))
    invented = [word for word in _stated_once(hypothesis) if not _occurs(word, source)]
    added = added + invented[:changed]
    evidence = [
        *conflicts,
        *(_evidence("source", item, tr("is not in the translation")) for item in lost + lost_words),
        *(_evidence("hypothesis", item, tr("is not in the source")) for item in added),
    ]
    expected = kept + len(conflicts) / 2 + len(lost) + len(lost_words) + len(added)
    return Finding(kept, expected, tuple(evidence))


def _evidence(side: Side, item: Quantity, problem: str) -> Evidence:
    return Evidence(
        side, item.start, item.end, tr("{number} {problem}", number=_shown(item), problem=problem)
    )


def _shown(item: Quantity) -> str:
    unit = "" if item.unit is None else f" {item.unit}"
    return f"{'-' if item.negative else ''}{item.key}{unit}"


@dataclass(frozen=True, slots=True)
class _Unmatched:
    """Exact numbers of both sides that have no partner yet."""

    source: list[Quantity]
    hypothesis: list[Quantity]

    @classmethod
    def of(cls, source: Iterable[Quantity], hypothesis: Iterable[Quantity]) -> _Unmatched:
        return cls(*([q for q in side if q.certainty == "exact"] for side in (source, hypothesis)))

    def matched(self) -> tuple[_Unmatched, int]:
        """What is left when partners are taken away, strict ones first; and how many there were."""
        left = self._match(lambda q: (q.key, q.unit, q.negative), lambda a, b: True)
        left = left._match(lambda q: q.key, _agree)
        left = left._match(_measured, _agree_in_sign)
        split = left._split_lists()
        rest = split._match(lambda q: q.key, _agree)
        rest = rest._match(_digits, lambda a, b: a.is_token != b.is_token)
        whole, parts = len(self.source) - len(left.source), len(split.source) - len(rest.source)
        return rest, whole + parts

    def _match(
        self, key: Callable[[Quantity], Hashable], fits: Callable[[Quantity, Quantity], bool]
    ) -> _Unmatched:
        partners: defaultdict[Hashable, list[Quantity]] = defaultdict(list)
        for item in self.hypothesis:
            partners[key(item)].append(item)
        left: list[Quantity] = []
        for item in self.source:
            found = next((p for p in partners.get(key(item), ()) if fits(item, p)), None)
            if found is None:
                left.append(item)
            else:
                partners[key(item)].remove(found)
        unused = {id(item) for items in partners.values() for item in items}
        return _Unmatched(left, [item for item in self.hypothesis if id(item) in unused])

    def _split_lists(self) -> _Unmatched:
        """Read 100,200 as two numbers where the other side has two, or where a list stands."""
        source, hypothesis = _split(self.source, self.hypothesis)
        hypothesis, source = _split(hypothesis, source)
        return _Unmatched(source, hypothesis)

    def conflicts(self) -> tuple[list[Evidence], _Unmatched]:
        """The same number with another unit or sign: evidence on both sides, and the rest."""
        partners: defaultdict[str, list[Quantity]] = defaultdict(list)
        for item in reversed(self.hypothesis):
            partners[item.key].append(item)
        evidence: list[Evidence] = []
        left: list[Quantity] = []
        for item in self.source:
            if partners.get(item.key):
                other = partners[item.key].pop()
                evidence.append(_evidence("source", item, tr("became {text}", text=_shown(other))))
                evidence.append(_evidence("hypothesis", other, tr("was {text}", text=_shown(item))))
            else:
                left.append(item)
        unused = {id(item) for items in partners.values() for item in items}
        rest = [item for item in self.hypothesis if id(item) in unused]
        return evidence, _Unmatched(left, rest)


def _agree(first: Quantity, second: Quantity) -> bool:
    return compatible(first.unit, second.unit) and _agree_in_sign(first, second)


def _agree_in_sign(first: Quantity, second: Quantity) -> bool:
    return first.negative == second.negative or None in (first.negative, second.negative)


def _measured(item: Quantity) -> Hashable:
    """What is measured, whatever the prefix of the unit: 0.1 MPa is 100 kPa."""
    return in_base_unit(item.key, item.unit) or item


def _digits(item: Quantity) -> Hashable:
    groups = _DIGITS.findall(item.key) if item.is_token else [item.key]
    return groups[0] if len(groups) == 1 else item.key


def _share(item: Quantity) -> str | None:
    """A percentage as the share that a fraction names: 50 % is 0.5."""
    if item.unit is None or not item.unit.endswith("%") or "/" in item.key:
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
    """Numbers that no word of the other side stands for.

    A word is free to stand for a number when it is one more than this side has itself: with
    第一 … 1 against "first …" the 1 is lost. Cardinals and ordinals are counted apart.
    """
    free = _words(words, ("stated", "possible", "faint"))
    free.subtract(_words(own_words, ("stated", "possible")))
    left: list[Quantity] = []
    for item in items:
        signs = (False, True) if item.negative is None else (item.negative,)
        kinds = ((_digits(item), ordinal, sign) for ordinal in (False, True) for sign in signs)
        kind = next((kind for kind in kinds if free[kind] > 0), None)
        if kind is None:
            left.append(item)
        else:
            free[kind] -= 1
    return left


def _words(
    items: Sequence[Quantity], certainties: tuple[str, ...]
) -> Counter[tuple[Hashable, bool, bool]]:
    return Counter(
        (item.key, item.ordinal, bool(item.negative))
        for item in items
        if item.certainty in certainties
    )


def _formula_counts(items: Sequence[Quantity]) -> Counter[str]:
    """How often formulas without a number occur, by their letters."""
    return Counter(item.key for item in items if item.chemical and item.certainty == "faint")


def _without_named_formulas(
    lost: list[Quantity],
    added: list[Quantity],
    plain_source: Counter[str],
    plain_hypothesis: Counter[str],
) -> tuple[list[Quantity], list[Quantity]]:
    """Leave out formulas that stand on one side only: the other names the substance in words.

    Not where the other side has the same letters without the number: CO for CO2.
    """
    if any(q.chemical for q in lost) and any(q.chemical for q in added):
        return lost, added
    without_number = plain_hypothesis - plain_source
    with_number = plain_source - plain_hypothesis
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


def _occurs(word: Quantity, hypothesis: Sequence[Quantity]) -> bool:
    faint_counts = word.key != "1"
    return any(
        word.key in (_digits(item), _share(item))
        and (faint_counts or item.certainty != "faint")
        and (word.negative == item.negative or None in (word.negative, item.negative))
        for item in hypothesis
    )
