"""Source language left in the output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar
from unicodedata import normalize

from patmark.data import Evidence, TestSet
from patmark.measures.base import Check, Finding

_HAN = re.compile("[\u4e00-\u9fff]+")
_HAN_OR_KANA = re.compile("[\u3041-\u30ff\u4e00-\u9fff]+")
_LATIN = re.compile("[A-Za-z]+")


@dataclass(frozen=True, kw_only=True)
class Leakage(Check):
    """Share of segments with text of the source language, by the rule of the PatSnap bench.

    For a target in Latin script any Chinese (or, from Japanese, kana) character counts; for a
    Chinese or Japanese target a Latin letter counts, unless the reference has one too.
    """

    label: ClassVar[str] = "leakage"
    description: ClassVar[str] = "share of segments with characters of the source language"
    citation: ClassVar[str] = "PatSnap Patent Translation Bench"
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    higher_is_better: ClassVar[bool] = False

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment: ``kept`` is 1 where the segment leaks."""
        latin_target = test_set.target_language not in ("zh", "ja")
        foreign = _LATIN
        if latin_target:
            foreign = _HAN_OR_KANA if test_set.source_language == "ja" else _HAN
        # Japanese patents are set in full-width letters, which count as letters there.
        fold = partial(normalize, "NFKC") if test_set.target_language == "ja" else str
        kind = "left untranslated" if latin_target else "Latin letters, the reference has none"
        findings = []
        for segment, hypothesis in zip(test_set, hypotheses, strict=True):
            allowed = not latin_target and any(
                foreign.search(fold(reference)) for reference in segment.references
            )
            evidence = [] if allowed else [
                Evidence("hypothesis", *match.span(), f"{kind}: {match.group()}")
                for match in foreign.finditer(hypothesis)
            ]  # fmt: skip
            findings.append(Finding(float(bool(evidence)), 1.0, tuple(evidence)))
        return findings
