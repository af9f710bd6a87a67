"""Findings of a checker as SARIF 2.1.0, which code hosts and editors show in place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from patmark._version import __version__
from patmark.report.json import to_json_text

SarifLevel: TypeAlias = Literal["error", "warning", "note", "none"]
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True, slots=True)
class SarifRule:
    """A rule of the checker."""

    id: str
    title: str
    description: str
    level: SarifLevel
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SarifFinding:
    """A finding of a rule at a place in the text of a file; ``element`` names its container.

    A finding is ``suppressed`` when a comment in the text switches it off.
    """

    rule: str
    level: SarifLevel
    message: str
    start: int
    end: int
    element: str | None
    properties: Mapping[str, Any]
    suppressed: bool = False


@dataclass(frozen=True, slots=True)
class SarifFile:
    """A file that was checked, and its findings in order."""

    path: str
    text: str
    findings: Sequence[SarifFinding]


def to_sarif(
    tool: str,
    rules: Sequence[SarifRule],
    files: Sequence[SarifFile],
    properties: Mapping[str, Any],
    information_uri: str,
) -> str:
    """Return one run with the findings of all files; suppressed findings are marked.

    ``information_uri`` is the address of the page about the tool.
    """
    places = {rule.id: number for number, rule in enumerate(rules)}
    driver = {
        "name": tool,
        "version": __version__,
        "informationUri": information_uri,
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": rule.title},
                "fullDescription": {"text": rule.description},
                "defaultConfiguration": {"level": rule.level},
                "properties": rule.properties,
            }
            for rule in rules
        ],
    }
    results = []
    for file in files:
        starts = [0, *(place + 1 for place, sign in enumerate(file.text) if sign == "\n")]
        results += [_result(file.path, finding, starts, places) for finding in file.findings]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "properties": properties,
        "results": results,
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return to_json_text(document) + "\n"


def _result(
    path: str, finding: SarifFinding, line_starts: Sequence[int], places: Mapping[str, int]
) -> dict[str, Any]:
    first_line, first_column = _line_and_column(finding.start, line_starts)
    last_line, last_column = _line_and_column(finding.end, line_starts)
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
    if finding.element is not None:
        location["logicalLocations"] = [{"name": finding.element, "kind": "element"}]
    result = {
        "ruleId": finding.rule,
        "ruleIndex": places[finding.rule],
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [location],
        "properties": finding.properties,
    }
    return {**result, "suppressions": [{"kind": "inSource"}]} if finding.suppressed else result


def _line_and_column(place: int, line_starts: Sequence[int]) -> tuple[int, int]:
    """Return line and column of a character offset, both from 1."""
    line = bisect_right(line_starts, place)
    return line, place - line_starts[line - 1] + 1
