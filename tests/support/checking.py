"""What the tests of all reference-free checks do: inspect one pair, show the evidence as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from patmark.data.model import TestSet
from patmark.measures.base import Check, Finding

DIRECTIONS = [("zh", "en"), ("en", "zh")]


@dataclass(frozen=True, slots=True)
class Inspector:
    """A check, applied to single pairs."""

    check: Check

    def inspect(self, source: str, hypothesis: str, languages: str) -> Finding:
        """The finding for one pair; ``languages`` is written as zh-en."""
        source_language, target_language = languages.split("-")
        test_set = TestSet.of(
            [hypothesis],
            sources=[source],
            source_language=source_language,
            target_language=target_language,
        )
        return self.check.inspect(test_set, [hypothesis])[0]

    def shown(self, source: str, hypothesis: str, languages: str) -> list[tuple[str, str]]:
        """Side and text of each piece of evidence."""
        texts = {"source": source, "hypothesis": hypothesis}
        finding = self.inspect(source, hypothesis, languages)
        return [(item.side, texts[item.side][item.start : item.end]) for item in finding.evidence]

    def alarm_share(self, rows: list[dict[str, Any]], direction: tuple[str, str]) -> float:
        """The share of human translations in which the check finds a fault."""
        pairs = bilingual_pairs(rows, direction)
        languages = "-".join(direction)
        return sum(bool(self.inspect(*pair, languages).evidence) for pair in pairs) / len(pairs)


def bilingual_pairs(
    rows: list[dict[str, Any]], direction: tuple[str, str]
) -> list[tuple[str, str]]:
    """Source and human translation of the bench rows that have both."""
    fields = {"zh": "content_cn", "en": "content_en"}
    source, target = (fields[language] for language in direction)
    return [(row[source], row[target]) for row in rows if row["content_en"] != "Zero"]
