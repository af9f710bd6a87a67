"""Findings of the claim linter as SARIF 2.1.0, which code hosts and editors show in place."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from patmark._version import __version__
from patmark.claims.lint import RULES, Finding, LintResult, Office, Rule, Severity

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(results: Sequence[tuple[str, LintResult]]) -> str:
    """One run with the findings of all files; those that comments switched off are marked so."""
    office: Office = results[0][1].office if results else "any"
    rules = [rule for rule in RULES if rule.severity[office] is not None]
    places = {rule.id: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "patmark claims lint",
                "version": __version__,
                "rules": [_rule(rule, office) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "properties": {"office": office},
        "results": [item for path, result in results for item in _results(path, result, places)],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _rule(rule: Rule, office: Office) -> dict[str, Any]:
    severity = rule.severity[office]
    basis = rule.basis[office]
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.title} ({basis})" if basis else rule.title},
        "defaultConfiguration": {"level": "none" if severity is None else _LEVELS[severity]},
        "properties": {"family": rule.family, "basis": basis},
    }


def _results(path: str, result: LintResult, places: dict[str, int]) -> list[dict[str, Any]]:
    lines = _line_starts(result.claims.text)
    shown = [_result(path, item, lines, places) for item in result.findings]
    hidden = [
        {**_result(path, item, lines, places), "suppressions": [{"kind": "inSource"}]}
        for item in result.suppressed
    ]
    return shown + hidden


def _result(
    path: str, finding: Finding, lines: Sequence[int], places: dict[str, int]
) -> dict[str, Any]:
    first_line, first_column = _line_and_column(finding.start, lines)
    last_line, last_column = _line_and_column(finding.end, lines)
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(path.replace("\\", "/"))},
            "region": {
                "startLine": first_line,
                "startColumn": first_column,
                "endLine": last_line,
                "endColumn": last_column,
                "charOffset": finding.start,
                "charLength": finding.end - finding.start,
            },
        }
    }
    if finding.claim is not None:
        location["logicalLocations"] = [{"name": f"claim {finding.claim}", "kind": "element"}]
    return {
        "ruleId": finding.rule,
        "ruleIndex": places[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [location],
        "properties": {"claim": finding.claim, "basis": finding.basis},
    }


def _line_starts(text: str) -> list[int]:
    return [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n")]


def _line_and_column(place: int, lines: Sequence[int]) -> tuple[int, int]:
    """Line and column of a place, both from 1."""
    line = bisect_right(lines, place)
    return line, place - lines[line - 1] + 1
