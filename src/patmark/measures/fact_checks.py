"""Checks of the facts that a translation must keep: numbers, limits, signs, polarity, markers.

Each check compares the facts of source and translation by one function of ``patmark.facts``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from patmark.data import Evidence, Message, Scores, TestSet
from patmark.facts import (
    COUNTED_LANGUAGES,
    FACT_LANGUAGES,
    TEXTS_KEPT,
    Difference,
    FactComparison,
    TextFacts,
    compare_claims,
    compare_kinds,
    compare_limits,
    compare_markers,
    compare_polarity,
    compare_quantities,
    compare_signs,
    facts_of,
    gloss_signature,
    is_patent_text,
)
from patmark.languages import language_of
from patmark.measures.base import MOST_THINGS, Check, Finding, languages_of
from patmark.wording import tr

_SAMPLE = 50


def _evidence(difference: Difference) -> list[Evidence]:
    """Return the places of a difference in both texts."""
    severity = "major" if difference.severity == "error" else "minor"
    sides = (("source", difference.source), ("hypothesis", difference.target))
    return [
        Evidence(side, *place, difference.message, severity)  # type: ignore[arg-type]
        for side, place in sides
        if place is not None
    ]


def _language(declared: str | None, text: str) -> str:
    """Return the declared language, else that of the script."""
    return (declared or "").partition("-")[0] or language_of(None, text)


@dataclass(frozen=True)
class _FactCheck(Check):
    """A check that compares one kind of facts of source and translation by a function.

    Its result may depend on ``glosses`` of words.
    """

    glosses: ClassVar[bool] = False
    citation = "patmark"
    formula = "kept / (kept + lost + invented), at most 10 a segment"
    most = MOST_THINGS
    languages: ClassVar[frozenset[str] | None] = COUNTED_LANGUAGES

    @staticmethod
    @abstractmethod
    def compare(source: TextFacts, target: TextFacts) -> FactComparison:
        """Compare the facts of two texts."""

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        parts = super()._signature_parts(test_set)
        if self.glosses:
            parts |= {"glosses": gloss_signature(*languages_of(test_set))}
        return parts

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment."""
        many = 2 * len(hypotheses) > TEXTS_KEPT
        return [
            self._finding(
                compare_kinds(source, ours, hypothesis, theirs)[self.label]
                if many
                else self.compare(facts_of(source, ours), facts_of(hypothesis, theirs))
            )
            for source, hypothesis in zip(test_set.sources, hypotheses, strict=True)
            for ours in [_language(test_set.source_language, source)]
            for theirs in [_language(test_set.target_language, hypothesis)]
        ]

    def _finding(self, found: FactComparison) -> Finding:
        evidence = tuple(e for difference in found.differences for e in _evidence(difference))
        return Finding(found.kept, found.kept + found.wrong, evidence)


@dataclass(frozen=True)
class _PatentCheck(_FactCheck):
    """A check of facts that only patents state."""

    def not_applicable(self, test_set: TestSet) -> str:
        """Return the reason why this check does not apply to other text than patents, or ""."""
        texts = tuple(filter(None, test_set.sources))
        language = _language(test_set.source_language, " ".join(texts[:_SAMPLE]))
        return "" if is_patent_text(texts, language) else tr("the sources do not read like patents")


@dataclass(frozen=True)
class Numbers(_FactCheck):
    """Share of numbers, units and formulas that source and translation have in common."""

    label = "numbers"
    runs_by_default = True
    description = "numbers, units and formulas kept, none invented"
    formula = "kept / (kept + lost + invented), a changed one counted twice, at most 10 a segment"
    languages = FACT_LANGUAGES
    rules = 8
    compare = staticmethod(compare_quantities)


@dataclass(frozen=True)
class Limits(_FactCheck):
    """Share of limits of quantities that point the same way and include the same end."""

    label = "limits"
    description = "limits kept: at least, at most, less than"
    rules = 3
    languages = FACT_LANGUAGES
    compare = staticmethod(compare_limits)


@dataclass(frozen=True)
class ReferenceSigns(_PatentCheck):
    """Share of reference signs, figure numbers and step labels that both texts have."""

    label = "reference-signs"
    runs_by_default = True
    description = "reference signs kept and on their nouns, figures and steps"
    languages = None
    rules = 5
    glosses = True
    compare = staticmethod(compare_signs)

    def remarks(self, test_set: TestSet, scores: Scores) -> tuple[Message, ...]:
        """Return a note that signs after nouns are checked in some languages only."""
        languages = {test_set.source_language, test_set.target_language} - {None}
        remarks = super().remarks(test_set, scores)
        if COUNTED_LANGUAGES.issuperset(languages) or remarks:
            return remarks
        return (
            tr(
                "{name}: signs after nouns are looked for in {names} only; here those in "
                "brackets, step labels and figure numbers.",
                name=self.name,
                names=tuple(sorted(COUNTED_LANGUAGES)),
            ),
        )


@dataclass(frozen=True)
class Polarity(_FactCheck):
    """Share of negations that source and translation have in common."""

    label = "polarity"
    description = "negations kept, none added"
    rules = 3
    compare = staticmethod(compare_polarity)


@dataclass(frozen=True)
class Markers(_FactCheck):
    """Share of function words and opposites that decide the scope of a claim and were kept."""

    label = "markers"
    description = "only, and/or, each/any, consisting of, before/after, opposites kept"
    rules = 3
    glosses = True
    compare = staticmethod(compare_markers)


@dataclass(frozen=True)
class ClaimStructure(_PatentCheck):
    """Share of claim numbers and claim references that source and translation have in common."""

    label = "claim-structure"
    runs_by_default = True
    description = "claim numbers and dependencies kept"
    languages = FACT_LANGUAGES
    rules = 2
    compare = staticmethod(compare_claims)
