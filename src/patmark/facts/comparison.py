"""Comparison of the facts of two texts, by kind and all together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from patmark.facts.claim_matching import compare_claims
from patmark.facts.quantities import Quantity
from patmark.facts.sign_matching import compare_signs
from patmark.facts.texts import Difference, FactComparison, TextFacts
from patmark.facts.word_matching import (
    compare_bindings,
    compare_contrasts,
    compare_counted,
    compare_limits,
    compare_order,
    compare_roles,
)
from patmark.wording import tr

FACT_LANGUAGES = frozenset({"en", "zh", "ja", "de", "fr", "ko"})
"""The languages whose quantities, limits and claim references are known."""


def compare_quantities(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare numbers and units; values that were exchanged between two things count, too."""
    matched = source.matched(target)
    differences: list[Difference] = []
    for ours, theirs in matched.changed:
        message = tr("{old} became {new}", old=_shown(ours), new=_shown(theirs))
        places = source.span(ours.start, ours.end), target.span(theirs.start, theirs.end)
        differences.append(Difference("number", message, *places))
    for item in matched.lost:
        differences.append(_difference(item, tr("is not in the translation"), source=source))
    for item in matched.added:
        differences.append(_difference(item, tr("is not in the source"), target=target))
    if not differences:
        differences += compare_bindings(source, target)
    return FactComparison(matched.kept, differences)


def _difference(
    item: Quantity,
    problem: str,
    source: TextFacts | None = None,
    target: TextFacts | None = None,
) -> Difference:
    return Difference(
        "number",
        tr("{number} {problem}", number=_shown(item), problem=problem),
        source.span(item.start, item.end) if source else None,
        target.span(item.start, item.end) if target else None,
    )


def _shown(item: Quantity) -> str:
    unit = "" if item.unit is None else f" {item.unit}"
    return f"{'-' if item.negative else ''}{item.key}{unit}"


def compare_polarity(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare negations."""
    return compare_counted(source, target, "negation")


def compare_markers(source: TextFacts, target: TextFacts) -> FactComparison:
    """Compare only, or, closed lists, quantifiers, opposites and the order of arguments."""
    parts = [compare_counted(source, target, group) for group in ("only", "or", "list")]
    parts.append(compare_contrasts(source, target))
    extra = [*compare_order(source, target), *compare_roles(source, target)]
    return FactComparison(
        sum(part.kept for part in parts), [*(d for part in parts for d in part.differences), *extra]
    )


COMPARISONS: Mapping[str, Callable[[TextFacts, TextFacts], FactComparison]] = {
    "numbers": compare_quantities,
    "limits": compare_limits,
    "reference-signs": compare_signs,
    "polarity": compare_polarity,
    "markers": compare_markers,
    "claim-structure": compare_claims,
}


def compare_facts(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Return the differences of all kinds of facts of two texts."""
    return [d for compare in COMPARISONS.values() for d in compare(source, target).differences]
