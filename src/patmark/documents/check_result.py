"""Result of a check of whole documents: JSON, report, and decisions of a saved review."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from patmark.data import FilePath, Message, Notice
from patmark.documents.checking import CheckedDocument
from patmark.documents.findings import (
    FINDING_SEVERITIES,
    DocumentFinding,
    FindingSeverity,
    counts_by_kind,
)
from patmark.errors import InputError
from patmark.report import (
    FINDING_TITLES,
    Cell,
    Column,
    Report,
    Result,
    ReviewedPair,
    ReviewItem,
    Table,
    english,
    finding_rank,
    messages_json,
)
from patmark.wording import percent, tr, tr_n

Verdict: TypeAlias = Literal["accepted", "rejected"]
FindingKey: TypeAlias = tuple[str, str, str]
"""Document, kind and places of a finding; its message may change."""
_FORMAT, _VERSION = "patmark review", 1


def review_entry(finding: DocumentFinding) -> dict[str, object]:
    """Return the entry of a finding in a saved review, without its verdict."""
    return {**finding.to_json(), "message": english(finding.message)}


def finding_key(document: str, entry: Mapping[str, Any]) -> FindingKey:
    """Return the key of a finding: document, kind and places."""
    return document, str(entry["kind"]), json.dumps([entry["source"], entry["target"]])


def read_review(path: FilePath) -> dict[FindingKey, Verdict]:
    """Read the verdicts of a saved review."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content["format"] != _FORMAT or content["version"] != _VERSION:
            raise InputError.at("is a review of another version", str(path))
        return {
            finding_key(document["name"], entry): entry["verdict"]
            for document in content["documents"]
            for entry in document["findings"]
            if entry["verdict"] in ("accepted", "rejected")
        }
    except OSError as error:
        raise InputError.at(error.strerror or "cannot be read", str(path)) from None
    except (ValueError, KeyError, TypeError):
        raise InputError.at("is no review that a check report saved", str(path)) from None


KIND_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "omission": tr("omission"), "addition": tr("addition"), "order": tr("order"),
        "doubled": tr("doubled text"), "untranslated": tr("untranslated text"),
        "number": tr("number"), "unit": tr("unit"), "limit": tr("limit"),
        "polarity": tr("polarity"), "sign": tr("reference sign"), "ordinal": tr("ordinal"),
        "marker": tr("marker word"), "claim": tr("claim"), "term": tr("term"),
        "section": tr("section"),
    }
)  # fmt: skip
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class FailedDocument:
    """A document that could not be checked, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class CheckResult(Result):
    """Checked documents, those that could not be checked, and files without counterpart.

    Findings of the severity ``fail_on`` and above make the check fail, unless ``verdicts`` of a
    reviewer reject them. ``missed`` are source files without counterpart or in an unsupported
    format; ``uncommented`` are documents whose copy with comments could not be written.
    """

    documents: tuple[CheckedDocument, ...]
    failures: tuple[FailedDocument, ...] = ()
    unmatched: tuple[str, ...] = ()
    fail_on: FindingSeverity | None = None
    verdicts: Mapping[FindingKey, Verdict] = field(default_factory=dict)
    missed: tuple[str, ...] = ()
    uncommented: tuple[FailedDocument, ...] = ()
    other_notices: tuple[Notice, ...] = ()

    def verdict(self, document: CheckedDocument, finding: DocumentFinding) -> Verdict | None:
        """Return the verdict of the reviewer on a finding; None without one."""
        return self.verdicts.get(finding_key(document.name, finding.to_json()))

    @property
    def failed(self) -> bool:
        """True if a document was not checked or commented, or a finding is severe enough."""
        if self.failures or self.missed or self.uncommented:
            return True
        return self.fail_on is not None and self._has(self.fail_on)

    @property
    def passed(self) -> bool:
        """True if all documents were checked, without a finding of ``fail_on`` (default: error)."""
        return not (self.failures or self.missed or self._has(self.fail_on or "error"))

    def _has(self, severity: FindingSeverity) -> bool:
        """Return True if a finding that no reviewer rejected has this severity or a higher one."""
        severe = FINDING_SEVERITIES[: FINDING_SEVERITIES.index(severity) + 1]
        return any(self._standing[one] for one in severe)

    @property
    def _standing(self) -> Counter[str]:
        """Number of findings by severity, without those that a reviewer rejected."""
        return Counter(
            finding.severity
            for document, finding in self.findings()
            if self.verdict(document, finding) != "rejected"
        )

    def findings(self) -> Iterator[tuple[CheckedDocument, DocumentFinding]]:
        """Yield the findings of all documents."""
        for document in self.documents:
            for finding in document.findings:
                yield document, finding

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Limits of the check, and files without counterpart."""
        found = [notice for document in self.documents for notice in document.notices]
        found += [not_checked(failure.name, failure.reason) for failure in self.failures]
        for failure in self.uncommented:
            text = tr(
                "{name} was checked, but has no copy with comments: {why}",
                name=failure.name, why=failure.reason,
            )  # fmt: skip
            found.append(Notice("warning", "not-commented", text))
        if self.unmatched:
            text = tr_n(
                "{n} file has no counterpart: {files}", "{n} files have no counterpart: {files}",
                n=len(self.unmatched), files=self.unmatched,
            )  # fmt: skip
            found.append(Notice("warning", "unmatched", text))
        return tuple(dict.fromkeys((*found, *self.other_notices)))

    def to_json(self) -> dict[str, Any]:
        """Return documents with beads, findings and coverage."""
        return {
            "verdict": "pass" if self.passed else "fail",
            "documents": [document.to_json() for document in self.documents],
            "failures": [{"name": one.name, "reason": one.reason} for one in self.failures],
            "unmatched": list(self.unmatched),
            "missed": list(self.missed),
            "uncommented": [{"name": one.name, "reason": one.reason} for one in self.uncommented],
            **messages_json(self.notices),
        }

    def to_report(self) -> Report:
        """Return the findings by severity, the coverage of each document, and counts by kind."""
        found = sorted(self.findings(), key=lambda item: finding_rank(item[1].severity))
        return Report(
            title=tr("Check of translated documents"),
            subtitle=tr_n("{n} document", "{n} documents", n=len(self.documents)),
            headlines=(),
            tables=(
                Table(
                    tr("Findings"),
                    tuple(map(Column, self._titles())),
                    tuple(self._row(*item) for item in found),
                ),
                self._documents(),
                self._kinds(),
                *([self._verdicts()] if self.verdicts else []),
                *([self._scores()] if self._signatures else []),
            ),
            signatures=self._signatures,
            notes=self.notices,
            findings=self.summary,
            brief=3,
            review=tuple(map(self._side_by_side, self.documents)),
        )

    def _side_by_side(self, document: CheckedDocument) -> ReviewedPair:
        sides = document.aligned.source, document.aligned.target
        items = tuple(
            ReviewItem(
                review_entry(finding),
                KIND_NAMES[finding.kind],
                finding.severity,
                finding.message,
                self._place(document, finding),
                finding.source,
                finding.target,
                self.verdict(document, finding) or "",
            )
            for finding in document.findings
        )
        beads = tuple(
            (sides[0].span(bead.source), sides[1].span(bead.target))
            for bead in document.aligned.beads
        )
        texts = sides[0].document.text, sides[1].document.text
        return ReviewedPair(document.name, document.languages, texts, beads, items)

    def _verdicts(self) -> Table:
        """Return the precision by a review: accepted findings among those with a verdict."""
        judged: dict[str, Counter[str]] = defaultdict(Counter)
        for document, finding in self.findings():
            verdict = self.verdict(document, finding)
            if verdict is not None:
                judged[finding.kind][verdict] += 1
        rows = [
            (KIND_NAMES[kind], found["accepted"], found.total(), found["accepted"] / found.total())
            for kind, found in judged.items()
        ]
        return Table(
            tr("Precision by the review"),
            (Column(tr("kind")), Column(tr("accepted"), 0), Column(tr("judged"), 0),
             Column(tr("precision"), 2)),
            tuple(rows),
        )  # fmt: skip

    @property
    def summary(self) -> tuple[Message, ...]:
        """The verdict with its reasons, and the coverage of the source."""
        return tuple(self._summary())

    def _summary(self) -> Iterator[Message]:
        counts = self._standing
        reasons = [
            tr_n("{n} error", "{n} errors", n=counts["error"]),
            tr_n("{n} warning", "{n} warnings", n=counts["warning"]),
        ]
        if rest := len(self.failures) + len(self.missed):
            reasons.append(tr_n("{n} document not checked", "{n} documents not checked", n=rest))
        why = tuple(reasons)
        yield (
            tr("Verdict: pass ({reasons})", reasons=why)
            if self.passed
            else tr("Verdict: fail ({reasons})", reasons=why)
        )
        if rejected := sum(1 for _ in self.findings()) - counts.total():
            yield tr_n(
                "{n} finding was rejected in the review and does not count",
                "{n} findings were rejected in the review and do not count",
                n=rejected,
            )
        yield from (notice for notice in self.notices if notice.code == "other-language")
        sides = [document.coverage for document in self.documents]
        if sides:
            covered, whole = (
                sum(getattr(source, name) for source, _ in sides)
                for name in ("covered", "characters")
            )
            share = percent(covered / whole if whole else 1.0, 1)
            yield tr("{share} of the source has a counterpart in the translation", share=share)

    def _titles(self) -> list[str]:
        named = [tr("document")] if len(self.documents) > 1 else []
        return [
            *named, tr("severity"), tr("kind"), tr("place"), tr("finding"), tr("source"),
            tr("translation"),
        ]  # fmt: skip

    def _row(self, document: CheckedDocument, finding: DocumentFinding) -> tuple[Cell, ...]:
        named = (document.name,) if len(self.documents) > 1 else ()
        sides = document.aligned.source.document, document.aligned.target.document
        spans = finding.source, finding.target
        texts = [
            None if span is None else _excerpt(side.text[slice(*span)])
            for side, span in zip(sides, spans, strict=True)
        ]
        place = self._place(document, finding)
        return (
            *named, FINDING_TITLES[finding.severity], KIND_NAMES[finding.kind], place or None,
            finding.message, *texts,
        )  # fmt: skip

    @staticmethod
    def _place(document: CheckedDocument, finding: DocumentFinding) -> str:
        """Return the place in the translation, or in the source if it has none there."""
        if finding.target is not None:
            return document.aligned.target.place(finding.target[0]).label
        if finding.source is None:
            return ""
        label = document.aligned.source.place(finding.source[0]).label
        return tr("source: {place}", place=label) if label else ""

    def _kinds(self) -> Table:
        counts = counts_by_kind(finding for _, finding in self.findings())
        titles = (tr("kind"), *FINDING_TITLES.values())
        rows: list[tuple[Cell, ...]] = [
            (KIND_NAMES[kind], *found.values()) for kind, found in counts.items()
        ]
        return Table(tr("Findings by kind"), tuple(map(Column, titles)), tuple(rows))

    @property
    def _signatures(self) -> Mapping[str, str]:
        found = (document.scores.signatures for document in self.documents)
        return next(filter(None, found), {})

    def _scores(self) -> Table:
        """Return the scores against the reference, by document, section and claim."""
        titles = [Column(tr("document")), Column(tr("part")), *map(Column, self._signatures)]
        rows: list[tuple[Cell, ...]] = [
            (document.name, part.title, *part.values.values())
            for document in self.documents
            for part in document.scores.parts
        ]
        return Table(tr("Scores against the reference"), tuple(titles), tuple(rows))

    def _documents(self) -> Table:
        titles = (
            tr("document"), tr("translation"), tr("languages"), tr("sentences"),
            tr("source covered"), tr("translation covered"), tr("errors"), tr("warnings"),
        )  # fmt: skip
        rows = []
        for document in self.documents:
            source, target = document.coverage
            counts = Counter(finding.severity for finding in document.findings)
            rows.append(
                (
                    document.name, document.aligned.target.document.name,
                    "-".join(document.languages), source.sentences,
                    percent(source.share, 1), percent(target.share, 1), counts["error"],
                    counts["warning"],
                )
            )  # fmt: skip
        return Table(tr("Documents"), tuple(map(Column, titles)), tuple(rows))


def not_checked(name: str, reason: str) -> Notice:
    """Return the notice on a file that was not checked."""
    return Notice(
        "warning", "not-checked", tr("{name} was not checked: {why}", name=name, why=reason)
    )


def _excerpt(text: str) -> str:
    """Return the beginning of a text; wide characters count twice."""
    plain = " ".join(text.split())
    most = _SHOWN // 2 if len(plain.encode()) > 2 * len(plain) else _SHOWN
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
