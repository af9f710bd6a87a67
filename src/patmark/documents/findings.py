"""Findings of a review: kind, severity, places in both documents and a message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from patmark.documents.model import Span

FindingSeverity: TypeAlias = Literal["error", "warning", "info"]
ReviewKind: TypeAlias = Literal[
    "omission", "addition", "order", "doubled", "untranslated", "number", "unit", "limit",
    "polarity", "sign", "ordinal", "marker", "claim", "term", "section",
]  # fmt: skip
FINDING_SEVERITIES: tuple[FindingSeverity, ...] = get_args(FindingSeverity)
REVIEW_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)


@dataclass(frozen=True, slots=True)
class DocumentFinding:
    """A place where a translation differs from its source.

    Places are offsets in the texts as read; a side without such text is None.
    """

    kind: ReviewKind
    severity: FindingSeverity
    source: Span | None
    target: Span | None
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the finding for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "source": None if self.source is None else list(self.source),
            "target": None if self.target is None else list(self.target),
            "message": self.message,
        }


def in_order(findings: Iterable[DocumentFinding]) -> tuple[DocumentFinding, ...]:
    """Return findings without repetitions, in the order of the translation."""

    def place(finding: DocumentFinding) -> tuple[int, int, int]:
        start = (finding.target or finding.source or (0, 0))[0]
        return start, REVIEW_KINDS.index(finding.kind), (finding.source or (0, 0))[0]

    return tuple(sorted(dict.fromkeys(findings), key=place))


def counts_by_kind(findings: Iterable[DocumentFinding]) -> dict[str, dict[str, int]]:
    """Count findings by kind and severity, in a fixed order."""
    found = Counter((one.kind, one.severity) for one in findings)
    return {
        kind: {severity: found[kind, severity] for severity in FINDING_SEVERITIES}
        for kind in REVIEW_KINDS
        if any(found[kind, severity] for severity in FINDING_SEVERITIES)
    }
