"""Section headings that a patent must have.

A segment lists them in ``meta["headings"]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from patmark.data import Evidence, TestSet
from patmark.measures.base import Check, Finding, listed_texts
from patmark.text import find_words, word_spans, words_version

_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, kw_only=True)
class WritingNorm(Check):
    """Share of the prescribed headings that occur, whatever their case, number and articles."""

    label: ClassVar[str] = "writing-norm"
    description: ClassVar[str] = "share of prescribed section headings that occur, 0–1"
    citation: ClassVar[str] = "PatSnap Patent Translation Bench, with tolerant headings"
    needs: ClassVar[frozenset[str]] = frozenset({"headings"})

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return {"words": words_version(test_set.target_language)}

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; evidence names the missing headings at the start of the text."""
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            headings = listed_texts(segment, "headings")
            words = word_spans(hypothesis, test_set.target_language, leave_out=_ARTICLES)
            lost = [heading for heading in headings if not find_words(words, heading)]
            evidence = tuple(
                Evidence("hypothesis", 0, 0, f"the heading {heading} is missing")
                for heading in lost
            )
            findings.append(Finding(len(headings) - len(lost), len(headings), evidence))
        return findings
