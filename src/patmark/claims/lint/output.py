"""Linted files as JSON, as lines of text (file, line, column, message, excerpt) and as SARIF.

``output.schema.json`` is the JSON schema of the JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from patmark.claims.lint.engine import LintFinding, LintResult
from patmark.claims.lint.rule import (
    OFFICE_NAMES,
    SEVERITIES,
    SEVERITY_NAMES,
    Office,
    Rule,
    Severity,
    rules,
)
from patmark.report import (
    Column,
    Report,
    Result,
    SarifFile,
    SarifFinding,
    SarifLevel,
    SarifRule,
    Table,
    text_cells,
    to_sarif,
)
from patmark.wording import DEFAULT_LANGUAGE, tr, tr_n, translated

_BEFORE, _WIDTH = 30, 76
_INFORMATION = "https://github.com/patmark/patmark/tree/main/docs/claim_lint.md"
_LEVELS: dict[Severity, SarifLevel] = {
    "error": "error",
    "warning": "warning",
    "information": "note",
}


@dataclass(frozen=True)
class LintedFiles(Result):
    """The findings of one or more files.

    Findings of the severity ``shown`` and above are shown; those of ``limit`` and above make the
    check fail.
    """

    results: tuple[tuple[str, LintResult], ...]
    shown: Severity = "information"
    limit: Severity | None = "error"

    @property
    def office(self) -> Office:
        """The office whose rules were applied."""
        return self.results[0][1].office if self.results else "any"

    @property
    def failed(self) -> bool:
        """True if a file has a finding of the limit or above."""
        limit = self.limit
        return limit is not None and any(result.at_least(limit) for _, result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return the result of a file; for several files, all findings and each result."""
        files = []
        for path, result in self.results:
            kept = result.findings_json(result.at_least(self.shown))
            files.append({"file": path, **result.to_json(), "findings": kept})
        if len(files) == 1:
            return files[0]
        findings = [{"file": one["file"], **item} for one in files for item in one["findings"]]
        return {"office": self.office, "findings": findings, "files": files}

    def to_report(self) -> Report:
        """Return the counts, and the findings of each file in the order of the text."""
        titles = (tr("file"), tr("claim"), tr("severity"), tr("rule"), tr("finding"), tr("basis"),
                  tr("text"))  # fmt: skip
        rows = tuple(
            (
                path, _claim_name(finding), SEVERITY_NAMES[finding.severity], finding.rule,
                finding.message,
                finding.basis or None, result.claims.text[finding.start : finding.end] or None,
            )
            for path, result in self.results
            for finding in result.at_least(self.shown)
        )  # fmt: skip
        return Report(
            title=tr("Faults of claims"),
            subtitle=tr("rules of {office}", office=OFFICE_NAMES[self.office]),
            headlines=(),
            tables=(Table(tr("Findings"), tuple(map(Column, titles)), rows),),
            signatures={},
            notes=tuple(self.notes()),
            findings=(self._summary(),),
        )

    def lines(self, language: str = DEFAULT_LANGUAGE) -> Iterator[str]:
        """Yield the findings of each file in the order of the text, then the counts."""
        for path, result in self.results:
            yield from _finding_lines(path, result, self.shown, language)
        yield translated(self._summary(), language)

    def notes(self) -> Iterator[str]:
        """Yield the notes on each file."""
        for path, result in self.results:
            yield from (tr("{name}: {text}", name=path, text=note) for note in result.notes)

    def to_sarif(self) -> str:
        """Return all findings as SARIF, whatever their severity."""
        office = self.office
        used = [rule for rule in rules() if rule.severity[office] is not None]
        described = [_sarif_rule(rule, office) for rule in used]
        files = [_sarif_file(path, result) for path, result in self.results]
        return to_sarif("patmark claims lint", described, files, {"office": office}, _INFORMATION)

    def _summary(self) -> str:
        results = [result for _, result in self.results]
        claims = sum(len(result.claims.claims) for result in results)
        counts = {name: sum(one.counts[name] for one in results) for name in SEVERITIES}
        suppressed = sum(len(result.suppressed) for result in results)
        parts = [
            tr_n("{n} error", "{n} errors", n=counts["error"]),
            tr_n("{n} warning", "{n} warnings", n=counts["warning"]),
            tr_n("{n} hint", "{n} hints", n=counts["information"]),
        ]
        if suppressed:
            parts.append(tr("{n} switched off in the text", n=suppressed))
        return tr(
            "{claims}, {rules} rules: {found}",
            claims=tr_n("{n} claim", "{n} claims", n=claims),
            rules=len(results[0].rules_run) if results else 0,
            found=tuple(parts),
        )


@dataclass(frozen=True)
class RuleList:
    """The rules of the linter at an office."""

    office: Office

    def to_json(self) -> dict[str, Any]:
        """Return every rule, those that do not apply at the office included."""
        office = self.office
        listed = [
            {
                "rule": rule.id,
                "family": rule.family,
                "title": rule.title,
                "severity": rule.severity[office],
                "basis": rule.basis[office],
                "languages": list(rule.languages),
            }
            for rule in rules()
        ]
        return {"office": office, "rules": listed}

    def lines(self, language: str = DEFAULT_LANGUAGE) -> Iterator[str]:
        """Yield one line per rule."""
        for rule in rules():
            severity = rule.severity[self.office]
            name = translated(SEVERITY_NAMES[severity] if severity else tr("not used"), language)
            title = translated(tr(rule.title), language)
            blanks = " " * (12 - text_cells(name))
            yield f"{rule.id:<26} {rule.family:<12} {name}{blanks} {title}"


def _finding_lines(path: str, result: LintResult, shown: Severity, language: str) -> Iterator[str]:
    for finding in result.at_least(shown):
        line, column = result.place(finding)
        basis = f" [{translated(finding.basis, language)}]" if finding.basis else ""
        kind = translated(SEVERITY_NAMES[finding.severity], language)
        message = finding.message
        if finding.claim is not None:
            message = tr("claim {number}: {text}", number=finding.claim, text=message)
        words = translated(message, language)
        yield f"{path}:{line}:{column}: {kind} {finding.rule}: {words}{basis}"
        if finding.end > finding.start:
            yield from _excerpt(result.claims.text, finding)


def _claim_name(finding: LintFinding) -> str:
    return tr("set") if finding.claim is None else str(finding.claim)


def _excerpt(text: str, finding: LintFinding) -> Iterator[str]:
    """Yield the line of the text around a finding, and a line that marks it."""
    line_start = text.rfind("\n", 0, finding.start) + 1
    line_end = text.find("\n", finding.end)
    start = max(line_start, finding.start - _BEFORE)
    end = len(text) if line_end < 0 else line_end
    before = _on_one_line(text[start : finding.start])
    marked = _on_one_line(text[finding.start : finding.end])
    line = (before + marked + _on_one_line(text[finding.end : end]))[:_WIDTH]
    room = max(1, _WIDTH - len(before))
    yield f"    {line.rstrip()}"
    yield f"    {' ' * text_cells(before)}{'^' * max(1, text_cells(marked[:room]))}"


def _on_one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").replace("\r", " ")


def _sarif_rule(rule: Rule, office: Office) -> SarifRule:
    severity, basis = rule.severity[office], rule.basis[office]
    return SarifRule(
        rule.id,
        rule.title,
        f"{rule.title} ({basis})" if basis else rule.title,
        "none" if severity is None else _LEVELS[severity],
        {"family": rule.family, "basis": basis},
    )


def _sarif_file(path: str, result: LintResult) -> SarifFile:
    """Return the findings of a file, then the suppressed ones."""
    kept = [_sarif_finding(finding, False) for finding in result.findings]
    hidden = [_sarif_finding(finding, True) for finding in result.suppressed]
    return SarifFile(path, result.claims.text, [*kept, *hidden])


def _sarif_finding(finding: LintFinding, suppressed: bool) -> SarifFinding:
    return SarifFinding(
        finding.rule,
        _LEVELS[finding.severity],
        finding.message,
        finding.start,
        finding.end,
        None if finding.claim is None else f"claim {finding.claim}",
        {"claim": finding.claim, "basis": finding.basis},
        suppressed,
    )
