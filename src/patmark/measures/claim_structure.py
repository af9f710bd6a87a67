"""Claim numbers in order, and every claim depending on the claims it should.

| considered | rule |
|---|---|
| claim numbers (1. / 1、 / 【請求項1】 / Claim 1) | kept when they stand in the same order |
| references (claim 1, 权利要求1至3中任一项, 請求項1〜3) | kept when the set of claims is equal |
| where a reference stands | within the same claim, if both texts number their claims alike |
| text without claim language | nothing expected, nothing counted |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import ClassVar

from patmark.data import Evidence, TestSet
from patmark.facts import COUNTED_LANGUAGES, ClaimLayout, ClaimReference, Claims, claim_layout
from patmark.measures.base import MOST_THINGS, Check, Finding
from patmark.wording import tr, tr_n


@dataclass(frozen=True)
class ClaimStructure(Check):
    """Share of claim numbers and claim references that source and translation have in common."""

    label: ClassVar[str] = "claim-structure"
    description: ClassVar[str] = "claim numbers and dependencies kept"
    formula: ClassVar[str] = "kept / (kept + lost + invented), at most 10 a segment"
    runs_by_default: ClassVar[bool] = True
    citation: ClassVar[str] = "patmark"
    languages: ClassVar[frozenset[str] | None] = COUNTED_LANGUAGES
    most: ClassVar[float] = MOST_THINGS
    rules: ClassVar[int] = 2

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; see the table at the top of this file."""
        return [
            _compare(claim_layout(source), claim_layout(hypothesis))
            for source, hypothesis in zip(test_set.sources, hypotheses, strict=True)
        ]


def _compare(source: ClaimLayout, hypothesis: ClaimLayout) -> Finding:
    numbers = _compare_numbers(source, hypothesis)
    references = _compare_references(source, hypothesis)
    return Finding(
        numbers.kept + references.kept,
        numbers.expected + references.expected,
        numbers.evidence + references.evidence,
    )


def _compare_numbers(source: ClaimLayout, hypothesis: ClaimLayout) -> Finding:
    theirs, ours = ([item.number for item in side.numbers] for side in (source, hypothesis))
    blocks = SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks()
    kept_theirs = {block.a + offset for block in blocks for offset in range(block.size)}
    kept_ours = {block.b + offset for block in blocks for offset in range(block.size)}
    evidence = [
        Evidence(
            "source",
            item.start,
            item.end,
            tr("claim number {number} is lost or moved", number=item.number),
        )
        for position, item in enumerate(source.numbers)
        if position not in kept_theirs
    ] + [
        Evidence(
            "hypothesis",
            item.start,
            item.end,
            tr("no claim {number} here in the source", number=item.number),
        )
        for position, item in enumerate(hypothesis.numbers)
        if position not in kept_ours
    ]
    return Finding(len(kept_theirs), len(kept_theirs) + len(evidence), tuple(evidence))


def _compare_references(source: ClaimLayout, hypothesis: ClaimLayout) -> Finding:
    alike = [n.number for n in source.numbers] == [n.number for n in hypothesis.numbers]
    unused: defaultdict[Hashable, list[ClaimReference]] = defaultdict(list)
    for reference in hypothesis.references:
        unused[_key(reference, alike)].append(reference)
    lost: list[ClaimReference] = []
    for reference in source.references:
        if unused.get(_key(reference, alike)):
            unused[_key(reference, alike)].pop(0)
        else:
            lost.append(reference)
    added = [reference for references in unused.values() for reference in references]
    evidence = [
        Evidence(
            "source",
            item.start,
            item.end,
            tr("the reference to {text} is lost", text=_shown(item.claims)),
        )
        for item in lost
    ] + [
        Evidence(
            "hypothesis",
            item.start,
            item.end,
            tr("the source has no such reference to {text}", text=_shown(item.claims)),
        )
        for item in added
    ]
    kept = len(source.references) - len(lost)
    return Finding(kept, kept + len(evidence), tuple(evidence))


def _key(reference: ClaimReference, by_claim: bool) -> Hashable:
    claims = "preceding" if isinstance(reference.claims, str) else reference.claims
    return (reference.within if by_claim else None, claims)


def _shown(claims: Claims) -> str:
    if isinstance(claims, str):
        return tr("the preceding claims")
    numbers = tuple(map(str, sorted(claims)))
    return tr_n("claim {numbers}", "claims {numbers}", n=len(claims), numbers=numbers)
