"""Comparison of claims: numbers in order, and every claim depending on the claims it should.

| considered | rule |
|---|---|
| claim numbers (1. / 1、 / 【請求項1】 / Claim 1) | kept if they have the same order |
| references (claim 1, 权利要求1至3中任一项, 請求項1〜3) | kept if the set of claims is equal |
| the place of a reference | within the same claim, if both texts number their claims alike |
| text without claim language | nothing expected, nothing counted |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from difflib import SequenceMatcher

from patmark.facts.claim_references import ClaimLayout, ClaimReference, Claims
from patmark.facts.differences import Difference, FactComparison, one_sided
from patmark.facts.texts import TextFacts
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
            message = tr("{old} became {new}", old=_shown(item.claims), new=_shown(new.claims))
            places = (item.start, item.end), (new.start, new.end)
            differences.append(Difference("claim", "reference", message, *places, facts=2))
    for item in lost:
        message = tr("the reference to {text} is lost", text=_shown(item.claims))
        place = item.start, item.end
        differences.append(one_sided("claim", "reference", message, place, lost=True))
    for item in added:
        message = tr("the source has no such reference to {text}", text=_shown(item.claims))
        place = item.start, item.end
        differences.append(one_sided("claim", "reference", message, place, lost=False))
    return FactComparison(kept, differences)


def _key(reference: ClaimReference, by_claim: bool) -> Hashable:
    claims = "preceding" if isinstance(reference.claims, str) else reference.claims
    return (reference.within if by_claim else None, claims)


def _shown(claims: Claims) -> str:
    if isinstance(claims, str):
        return tr("the preceding claims")
    numbers = tuple(map(str, sorted(claims)))
    return tr_n("claim {numbers}", "claims {numbers}", n=len(claims), numbers=numbers)
