"""SARIF: what the standard asks for, and places that lead back to the text."""

from __future__ import annotations

import json
from typing import Any

from patmark.claims.lint import RULES, lint
from patmark.claims.lint.output import LintedFiles

_TEXT = (
    "1. A pump comprising a lid, such as a cap.\n% patmark: ignore=dependency\n"
    "2. The pump of claim 9,\nwherein the rotor is red.\n"
)


def _run() -> dict[str, Any]:
    document = json.loads(
        LintedFiles((("my drafts/claims.txt", lint(_TEXT, allow_ignore=True)),)).to_sarif()
    )
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return dict(run)


def test_results_name_rules_that_are_listed() -> None:
    run = _run()
    rules = run["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} == {
        rule.id for rule in RULES if rule.severity["any"] is not None
    }
    assert len(run["results"]) >= 3
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]


def test_regions_lead_back_to_the_text() -> None:
    lines = _TEXT.split("\n")
    for result in _run()["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "my%20drafts/claims.txt"
        region = place["region"]
        start = region["charOffset"]
        text = _TEXT[start : start + region["charLength"]]
        first = lines[region["startLine"] - 1][region["startColumn"] - 1 :]
        assert first.startswith(text.split("\n")[0])
        if region["startLine"] == region["endLine"]:
            assert region["endColumn"] - region["startColumn"] == region["charLength"]


def test_what_comments_switch_off_is_marked() -> None:
    marked = [result["ruleId"] for result in _run()["results"] if "suppressions" in result]
    assert marked == ["dependency-missing"]


def test_no_results() -> None:
    document = json.loads(LintedFiles(()).to_sarif())
    assert document["runs"][0]["results"] == []
