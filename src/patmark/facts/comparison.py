"""Comparison of the facts of two texts, by kind and all together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from patmark.facts.binding_matching import compare_bindings
from patmark.facts.claim_matching import compare_claims
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
from patmark.facts.limit_matching import compare_limits
from patmark.facts.quantities import COUNTED_LANGUAGES, Quantity
from patmark.facts.quantity_matching import is_misread, replaced_values
from patmark.facts.role_matching import compare_owners, compare_roles
from patmark.facts.sign_matching import compare_signs
from patmark.facts.texts import TextFacts, facts_of
from patmark.facts.units import OF_A_THING
from patmark.languages import kept_in_workspace, packs
from patmark.wording import tr

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
