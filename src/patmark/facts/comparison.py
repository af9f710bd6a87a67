"""Comparison of the facts of two texts: claims, bindings and limits here, all together last.

Quantities, signs, counts, contrasts and roles have files of their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from patmark.facts.claim_references import ClaimLayout, ClaimReference, Claims
from patmark.facts.contrast_matching import compare_contrasts, compare_order
from patmark.facts.count_matching import compare_counted
from patmark.facts.differences import (
    Difference,
    FactComparison,
    FactKind,
    FindingCertainty,
    Span,
    one_sided,
)
from patmark.facts.lexicon import Hit, phrases
from patmark.facts.quantities import COUNTED_LANGUAGES, Quantity
from patmark.facts.quantity_matching import is_misread, replaced_values
from patmark.facts.role_matching import compare_owners, compare_roles
from patmark.facts.sign_matching import compare_signs
from patmark.facts.texts import TextFacts, facts_of
from patmark.facts.units import OF_A_THING, in_base_unit, unit_meaning
from patmark.facts.word_features import ORDINAL, ordinal_value, words_of
from patmark.languages import kept_in_workspace, packs
from patmark.wording import tr, tr_n


def compare_claims(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare the claim numbers and claim references of two texts."""
    numbers = _compare_numbers(source.layout, target.layout)
    references = _compare_references(source.layout, target.layout)
    return FactComparison(
        numbers.kept + references.kept, [*numbers.differences, *references.differences]
    )


def _compare_numbers(source: ClaimLayout, target: ClaimLayout) -> FactComparison:
    theirs, ours = ([item.number for item in side.numbers] for side in (source, target))
    if theirs == ours:
        return FactComparison(len(ours))
    blocks = SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks()
    kept_theirs = {block.a + offset for block in blocks for offset in range(block.size)}
    kept_ours = {block.b + offset for block in blocks for offset in range(block.size)}
    lost = [item for n, item in enumerate(source.numbers) if n not in kept_theirs]
    added = [item for n, item in enumerate(target.numbers) if n not in kept_ours]
    differences = []
    for item in lost:
        message = tr("claim number {number} is lost or moved", number=item.number)
        place = item.start, item.end
        differences.append(one_sided("claim", "number", message, place, lost=True))
    for item in added:
        message = tr("no claim {number} here in the source", number=item.number)
        place = item.start, item.end
        differences.append(one_sided("claim", "number", message, place, lost=False))
    return FactComparison(len(kept_theirs), differences)


def _compare_references(source: ClaimLayout, target: ClaimLayout) -> FactComparison:
    alike = [n.number for n in source.numbers] == [n.number for n in target.numbers]
    unused: defaultdict[Hashable, list[ClaimReference]] = defaultdict(list)
    for reference in target.references:
        unused[_key(reference, alike)].append(reference)
    lost: list[ClaimReference] = []
    for reference in source.references:
        if unused.get(_key(reference, alike)):
            unused[_key(reference, alike)].pop(0)
        else:
            lost.append(reference)
    added = [reference for references in unused.values() for reference in references]
    kept = len(source.references) - len(lost)
    differences: list[Difference] = []
    for item in list(lost):
        new = next((one for one in added if alike and one.within == item.within), None)
        if new is None and len(lost) == len(added) == 1:
            new = added[0]
        if new is not None:
            lost.remove(item)
            added.remove(new)
            message = tr(
                "{old} became {new}", old=_claims_text(item.claims), new=_claims_text(new.claims)
            )
            places = (item.start, item.end), (new.start, new.end)
            differences.append(Difference("claim", "reference", message, *places, facts=2))
    for item in lost:
        message = tr("the reference to {text} is lost", text=_claims_text(item.claims))
        place = item.start, item.end
        differences.append(one_sided("claim", "reference", message, place, lost=True))
    for item in added:
        message = tr("the source has no such reference to {text}", text=_claims_text(item.claims))
        place = item.start, item.end
        differences.append(one_sided("claim", "reference", message, place, lost=False))
    return FactComparison(kept, differences)


def _key(reference: ClaimReference, by_claim: bool) -> Hashable:
    claims = "preceding" if isinstance(reference.claims, str) else reference.claims
    return (reference.within if by_claim else None, claims)


def _claims_text(claims: Claims) -> str:
    if isinstance(claims, str):
        return tr("the preceding claims")
    numbers = tuple(map(str, sorted(claims)))
    return tr_n("claim {numbers}", "claims {numbers}", n=len(claims), numbers=numbers)


def compare_bindings(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find values that were exchanged between two things: layer 1 of 20 nm, layer 2 of 50 nm."""
    ours = _bindings(source)
    theirs = _bindings(target) if len(ours) > 1 else {}
    found: list[Difference] = []
    if not theirs:
        return found
    for (group, key), (other_group, other) in combinations(sorted(ours), 2):
        if group != other_group:
            continue
        values, others = ours[group, key], ours[group, other]
        mine, yours = theirs.get((group, key), {}), theirs.get((group, other), {})
        exchanged = next(
            (
                (value, rival)
                for value in values
                for rival in others
                if value != rival and value[0] == rival[0]
                and rival in mine and value in yours
                and value not in mine and rival not in yours
                and rival not in values and value not in others
            ),
            None,
        )  # fmt: skip
        if exchanged is not None:
            value, rival = exchanged
            one, two = (f"“{source.quoted(*b[v].key)}”" for b, v in (
                (values, value), (others, rival)
            ))  # fmt: skip
            message = tr("two values are exchanged between {one} and {other}", one=one, other=two)
            slot: tuple[FactKind, str] = (
                ("number", "binding") if value[0].startswith(_QUANTITY) else ("marker", value[0])
            )
            found += [
                Difference(*slot, message, source.span(*old.span), target.span(*new.span))
                for old, new in ((values[value], mine[rival]), (others[rival], yours[value]))
            ]
    return found


_KEY_GROUPS = frozenset({"depth", "vertical", "sagittal", "lateral"})
_MARKER_VALUES = frozenset(
    {"reach", "flow", "heat", "state", "trend", "switch", "speed", "chemistry", "polarity",
     "mobility", "motion", "operation", "conduct", "transparency", "hardness", "lock"}
)  # fmt: skip


class _Binding(NamedTuple):
    """The places of a key, and of a key with its value."""

    key: Span
    span: Span


_QUANTITY = "quantity "  # with its dimension: only values of one dimension can be exchanged
Bindings = dict[tuple[str, str], dict[tuple[str, str], _Binding]]


_JOINED_MARKERS = phrases(
    r" ?(?:{side-word})?(?:{genitive})? ?(?:{and}|{or}|[\u30fb、,/])(?: the| )?",
)


def _single_markers(facts: TextFacts) -> list[Hit]:
    """Return the values in words, but not two of one thing: upstream and downstream of a filter."""
    found: list[Hit] = []
    joined: set[Hit] = set()
    for hit in facts.words:
        if hit.row.group not in _MARKER_VALUES or not hit.row.sure:
            continue
        last = next((one for one in reversed(found) if one.row.group == hit.row.group), None)
        if last and _JOINED_MARKERS.fullmatch(facts.text, last.end, hit.start):
            joined |= {last, hit}
        found.append(hit)
    return [hit for hit in found if hit not in joined]


def _bindings(facts: TextFacts) -> Bindings:
    """Return the values of each ordinal, place or property, each with the place of both."""
    values: list[tuple[int, int, tuple[str, str]]] = [
        (q.start, max(q.end, q.reach), (f"{_QUANTITY}{meaning.dimension}", str(value)))
        for q in facts.quantities
        if q.certainty == "exact" and q.unit and not q.is_token
        for value, meaning in [in_base_unit(q.key, q.unit) or (Fraction(0), unit_meaning(q.unit))]
    ]
    values += [(hit.start, hit.end, (hit.row.group, hit.row.id)) for hit in _single_markers(facts)]
    if len({value for *_, value in values}) < 2:
        return {}
    keys: list[tuple[Span, str, str]] = [
        (m.span(), "ordinal", ordinal_value(m)) for m in ORDINAL.finditer(facts.text)
    ]
    keys += [
        ((hit.start, hit.end), hit.row.group.partition("-")[0], hit.row.id)
        for hit in facts.words
        if (hit.row.group in _KEY_GROUPS or hit.row.is_thing) and hit.row.sure
    ]
    if len(keys) < 2:
        return {}
    found: Bindings = {}
    for start, end, value in values:
        clause = next((c for c in facts.clauses if c[0] <= start < c[1]), (0, len(facts.text)))
        nearest: dict[str, tuple[Span, str]] = {}
        for key, group, identity in keys:
            place = key[0]
            if group == value[0]:
                continue
            if value[0].startswith(_QUANTITY):
                if place < start:
                    nearest[group] = (key, identity)
            elif clause[0] <= place < clause[1]:
                known = nearest.get(group)
                if known is None or abs(place - start) < abs(known[0][0] - start):
                    nearest[group] = (key, identity)
        for group, (key, identity) in nearest.items():
            span = (min(key[0], start), max(key[0] + 1, end))
            found.setdefault((group, identity), {}).setdefault(value, _Binding(key, span))
    return found


_SHOWN = {">=": "≥", ">": ">", "<=": "≤", "<": "<", "~>": ">", "~<": "<"}


def compare_limits(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare the limits of equal quantities: ≥ 85 % must not become ≤ 85 %, nor > 85 %."""
    differences: list[Difference] = []
    kept = 0
    for ours, theirs in source.matched(target).pairs:
        if not ours.limit and not theirs.limit:
            continue
        if _limits_agree(ours, theirs) or _is_extreme(source, ours, target, theirs):
            kept += 1
            continue
        number = f"{ours.key}{f' {ours.unit}' if ours.unit else ''}"
        message = tr(
            "{old} became {new}",
            old=f"{_SHOWN.get(ours.limit, '=')} {number}",
            new=f"{_SHOWN.get(theirs.limit, '=')} {number}",
        )
        reach_ours, reach_theirs = max(ours.end, ours.reach), max(theirs.end, theirs.reach)
        differences.append(
            Difference(
                "limit",
                _limit_slot(ours.limit, theirs.limit),
                message,
                source.span(*_with_limit_word(source, ours.start, reach_ours)),
                target.span(*_with_limit_word(target, theirs.start, reach_theirs)),
                "sure" if ours.limit and theirs.limit else "likely",
            )
        )
    return FactComparison(kept, differences)


def _is_extreme(source: TextFacts, ours: Quantity, target: TextFacts, theirs: Quantity) -> bool:
    """Return True if a noun states the limit that one number lacks: the maximum force is 70 N."""
    if bool(ours.limit) == bool(theirs.limit):
        return False
    facts, limit = (target, ours.limit) if ours.limit else (source, theirs.limit)
    extreme = "MINIMUM" if ">" in limit else "MAXIMUM"
    return bool(words_of(facts, "extreme", extreme))


def _limit_slot(ours: str, theirs: str) -> str:
    if not ours or not theirs:
        return "presence"
    return "end" if ours.lstrip("~")[0] == theirs.lstrip("~")[0] else "direction"


def _limits_agree(ours: Quantity, theirs: Quantity) -> bool:
    """Return True if two limits may be the same; an end of a range is weak evidence."""
    if ours.ranged or theirs.ranged:
        return True
    if not ours.limit or not theirs.limit:
        return "~" in ours.limit + theirs.limit or ours.unit is None or theirs.unit is None
    if "~" in ours.limit + theirs.limit:
        return ours.limit.lstrip("~")[0] == theirs.limit.lstrip("~")[0]
    return ours.limit == theirs.limit


_OTHER_LIMIT = re.compile(r"[\d,;。]")


def _with_limit_word(facts: TextFacts, start: int, end: int) -> Span:
    """Return the place of a quantity together with the word that limits it."""
    for hit in facts.words:
        if hit.row.group == "limit-pre" and 0 <= start - hit.end <= 25:
            start = start if _OTHER_LIMIT.search(facts.text, hit.end, start) else hit.start
        elif hit.row.group == "limit-post" and 0 <= hit.start - end <= 14:
            return start, end if _OTHER_LIMIT.search(facts.text, end, hit.start) else hit.end
    return start, end


FACT_LANGUAGES = frozenset(pack.code for pack in packs())
"""The languages whose quantities, limits and claim references are known."""


def compare_quantities(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare numbers and units, including values exchanged between two things."""
    matched = source.matched(target)
    differences = [_changed(source, ours, target, theirs) for ours, theirs in matched.changed]
    lost, added = list(matched.lost), list(matched.added)
    for ours, theirs in replaced_values(lost, added, len(source.text), len(target.text)):
        differences.append(_changed(source, ours, target, theirs))
        lost.remove(ours)
        added.remove(theirs)
    for item in lost:
        message = tr("is not in the translation")
        differences.append(_one_sided(source, item, message, in_source=True))
    for item in added:
        message = tr("is not in the source")
        differences.append(_one_sided(target, item, message, in_source=False))
    differences = _joined(differences)
    if not differences:
        differences += compare_bindings(source, target)
    return FactComparison(matched.kept, differences)


def _joined(differences: list[Difference]) -> list[Difference]:
    """Join the differences in both ends of a range to one."""
    found: list[Difference] = []
    for one in differences:
        last = found[-1] if found else None
        if last and last.source and last.target and one.source and one.target and (
            last.message == one.message and _RANGE_MARK.search(one.message)
        ):  # fmt: skip
            source, target = (last.source[0], one.source[1]), (last.target[0], one.target[1])
            found[-1] = replace(last, source=source, target=target, facts=last.facts + one.facts)
        else:
            found.append(one)
    return found


def _changed(source: TextFacts, ours: Quantity, target: TextFacts, theirs: Quantity) -> Difference:
    """Return the difference of two quantities in one slot."""
    ranges = _range_of(source, ours), _range_of(target, theirs)
    old, new = ranges if all(ranges) else (_shown(source, ours), _shown(target, theirs))
    message = tr("{old} became {new}", old=old, new=new)
    places = source.span(ours.start, ours.end), target.span(theirs.start, theirs.end)
    if ours.key != theirs.key:
        kind: FactKind = "ordinal" if ours.ordinal and theirs.ordinal else "number"
        sure = (is_misread(ours, theirs) and ours.ordinal == theirs.ordinal) or (
            "stated" not in (ours.certainty, theirs.certainty)
            and ours.unit == theirs.unit is not None
            and max(len(source.sentences), len(target.sentences)) <= _FEW_SENTENCES
        )
        certainty: FindingCertainty = "sure" if sure else "likely"
        return Difference(kind, "value", message, *places, certainty, facts=2)
    if ours.unit == theirs.unit or None in (ours.unit, theirs.unit):
        return Difference("number", "minus sign", message, *places)
    return Difference("unit", "unit", message, _unit(source, ours), _unit(target, theirs))


def _unit(facts: TextFacts, item: Quantity) -> Span:
    """Return the place of a unit; of the number if the unit is not behind it."""
    if item.reach <= item.end:
        return facts.span(item.start, item.end)
    blanks = len(facts.text[item.end : item.reach]) - len(
        facts.text[item.end : item.reach].lstrip()
    )
    return facts.span(item.end + blanks, item.reach)


def _one_sided(facts: TextFacts, item: Quantity, problem: str, *, in_source: bool) -> Difference:
    """Return a quantity that only one text has; a year or a number word is information."""
    certainty: FindingCertainty = "possible" if item.is_incidental else "likely"
    place = facts.span(item.start, item.end)
    message = tr("{number} {problem}", number=_shown(facts, item), problem=problem)
    kind: FactKind = "ordinal" if item.ordinal else "number"
    return one_sided(kind, "presence", message, place, lost=in_source, certainty=certainty)


def _range_of(facts: TextFacts, item: Quantity) -> str:
    """Return the range that a number is an end of; empty if it is none."""
    amount = next((a for a in facts.amounts if a.start <= item.start < a.end), None)
    return amount.shown if amount is not None and _RANGE_MARK.search(amount.shown) else ""


_FEW_SENTENCES = 2  # of more, two numbers of one unit may be unrelated
_RANGE_MARK = re.compile("[–…±]")
_LONGEST_VALUE = 7
_SHOWN_AS_WRITTEN = frozenset({"calendar month", "calendar day", "money", "dollar"})


def _shown(facts: TextFacts, item: Quantity) -> str:
    """Return value and unit; a long value, a word and a date as written."""
    worded = item.certainty != "exact" or item.unit in _SHOWN_AS_WRITTEN
    if worded or len(item.key) > _LONGEST_VALUE:
        return facts.quoted(item.start, max(item.end, item.reach))
    unit = f" {item.unit.removesuffix(OF_A_THING)}" if item.unit else ""
    unit = "" if unit == " 1" else unit
    return f"{'-' if item.negative else ''}{item.key}{unit}"


def compare_polarity(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare negations."""
    return compare_counted(source, target, "negation")


def compare_markers(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare only, or, closed lists, quantifiers, opposites and the order of arguments."""
    parts = [compare_counted(source, target, group) for group in ("only", "or", "list")]
    parts.append(compare_contrasts(source, target))
    found = [d for part in parts for d in part.differences]
    slots = {(d.kind, d.slot) for d in found}
    found += [d for d in compare_order(source, target) if (d.kind, d.slot) not in slots]
    found += compare_roles(source, target) or compare_owners(source, target)
    return FactComparison(sum(part.kept for part in parts), found)


COMPARISONS: Mapping[str, Callable[[TextFacts, TextFacts], FactComparison]] = {
    "numbers": compare_quantities,
    "limits": compare_limits,
    "reference-signs": compare_signs,
    "polarity": compare_polarity,
    "markers": compare_markers,
    "claim-structure": compare_claims,
}


_PAIRS_KEPT = 1 << 17


@kept_in_workspace(_PAIRS_KEPT)
def compare_kinds(
    source: str, source_language: str, target: str, target_language: str
) -> Mapping[str, FactComparison]:
    """Return the comparison of each kind of facts, with a cache of the last pairs.

    Several checks of a large test set read each text once, because the facts of that many texts
    exceed memory.
    """
    ours, theirs = facts_of(source, source_language), facts_of(target, target_language)
    return {name: compare(ours, theirs) for name, compare in COMPARISONS.items()}


def compare_facts(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Return the differences of all kinds of facts of two texts.

    The number of a claim that is reported as such is not reported again as a number. Polarity and
    markers are compared in Chinese, English and Japanese.
    """
    worded = COUNTED_LANGUAGES.issuperset({source.language, target.language})
    found = [
        difference
        for compare in COMPARISONS.values()
        if worded or compare not in (compare_polarity, compare_markers)
        for difference in compare(source, target).differences
    ]
    claims = [d for d in found if d.kind == "claim"]
    return [d for d in found if d.kind != "number" or not any(_overlap(d, one) for one in claims)]


def _overlap(one: Difference, other: Difference) -> bool:
    sides = ((one.source, other.source), (one.target, other.target))
    return any(a and b and a[0] < b[1] and b[0] < a[1] for a, b in sides)
