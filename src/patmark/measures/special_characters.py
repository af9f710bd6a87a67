"""Symbols that must survive translation: ``-``, ``@``, ``*``, ``/``, ``%`` …

A segment lists them in ``meta["special_characters"]``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from patmark.data import Evidence, TestSet
from patmark.measures.base import Check, Finding, listed_texts


@dataclass(frozen=True, kw_only=True)
class SpecialCharacters(Check):
    """Share of listed symbols that occur in the hypothesis; full-width forms are as good."""

    label: ClassVar[str] = "special-characters"
    description: ClassVar[str] = "share of listed symbols that survive, 0–1"
    citation: ClassVar[str] = "PatSnap Patent Translation Bench"
    needs: ClassVar[frozenset[str]] = frozenset({"special_characters"})

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; evidence marks the lost symbols in the source."""
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            symbols = listed_texts(segment, "special_characters")
            folded = unicodedata.normalize("NFKC", hypothesis)
            lost = [s for s in symbols if unicodedata.normalize("NFKC", s) not in folded]
            evidence = [
                Evidence("source", *match.span(), f"{symbol} is lost")
                for symbol in lost
                for match in re.finditer(re.escape(symbol), segment.source or "")
            ]
            findings.append(Finding(len(symbols) - len(lost), len(symbols), tuple(evidence)))
        return findings
