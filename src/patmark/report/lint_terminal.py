"""Findings of the claim linter as lines of text: place, excerpt with a mark, message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from patmark.claims.lint import SEVERITIES, Finding, LintResult, Severity

_BEFORE, _WIDTH = 30, 76
_NAMES: dict[Severity, tuple[str, str]] = {
    "error": ("error", "errors"),
    "warning": ("warning", "warnings"),
    "information": ("hint", "hints"),
}


def lint_lines(path: str, result: LintResult, shown: Severity) -> Iterator[str]:
    """The findings of a file from a severity up, in the order of the text."""
    for finding in result.at_least(shown):
        claim, column = _place(result, finding)
        basis = f" [{finding.basis}]" if finding.basis else ""
        place = f"{path}:{claim}:{column}"
        yield f"{place}: {finding.severity} {finding.rule}: {finding.message}{basis}"
        if finding.end > finding.start:
            yield from _excerpt(result.claims.text, finding)


def lint_summary(results: Sequence[LintResult]) -> str:
    """How much was found in how much, in one line."""
    claims = sum(len(result.claims.claims) for result in results)
    parts = []
    for severity in SEVERITIES:
        count = sum(result.counts[severity] for result in results)
        one, many = _NAMES[severity]
        parts.append(f"{count} {one if count == 1 else many}")
    suppressed = sum(len(result.suppressed) for result in results)
    hidden = f", {suppressed} switched off in the text" if suppressed else ""
    rules = len(results[0].rules_run) if results else 0
    return f"{claims} claims, {rules} rules: {', '.join(parts)}{hidden}"


def _place(result: LintResult, finding: Finding) -> tuple[str, int]:
    """The claim, and the column in it from 1; the set as a whole has the column of the text."""
    position = finding.position
    if position is None:
        return "set", finding.start + 1
    claim = result.claims.claims[position - 1]
    return str(finding.claim), finding.start - claim.start + 1


def _excerpt(text: str, finding: Finding) -> Iterator[str]:
    """The line of the text around a finding, and a line that marks it."""
    line_start = text.rfind("\n", 0, finding.start) + 1
    line_end = text.find("\n", finding.end)
    start = max(line_start, finding.start - _BEFORE)
    end = len(text) if line_end < 0 else line_end
    before = _on_one_line(text[start : finding.start])
    marked = _on_one_line(text[finding.start : finding.end])
    line = (before + marked + _on_one_line(text[finding.end : end]))[:_WIDTH]
    room = max(1, _WIDTH - len(before))
    yield f"    {line.rstrip()}"
    yield f"    {' ' * _columns(before)}{'^' * max(1, _columns(marked[:room]))}"


def _on_one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").replace("\r", " ")


def _columns(text: str) -> int:
    """How many columns a text takes on a terminal; Chinese and Japanese signs take two."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)
