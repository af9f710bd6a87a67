"""SARIF: what the standard asks for, and places that lead back to the text."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema

from patmark.app.commands.claims import LintRequest, lint_files
from patmark.claims.lint import lint, rules
from patmark.claims.lint.output import LintedFiles
from patmark.wording import translated

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
    listed = run["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in listed} == {
        rule.id for rule in rules() if rule.severity["any"] is not None
    }
    assert len(run["results"]) >= 3
    for result in run["results"]:
        assert listed[result["ruleIndex"]]["id"] == result["ruleId"]
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


def test_the_page_of_the_tool_is_named() -> None:
    assert _run()["tool"]["driver"]["informationUri"].startswith("https://")


def test_json_follows_its_schema(tmp_path: Path) -> None:
    schema = json.loads((files("patmark.claims.lint") / "output.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for path in paths:
        path.write_text(_TEXT, encoding="utf-8")
    for chosen in (paths[:1], paths):
        texts = [(path.name, path) for path in chosen]
        check.validate(lint_files(LintRequest(texts=texts, allow_ignore=True)).to_json())
    assert not check.is_valid({"file": "one.txt", "findings": []})


def test_places_of_a_file_with_carriage_returns(tmp_path: Path) -> None:
    path = tmp_path / "draft.txt"
    path.write_bytes(_TEXT.replace("\n", "\r\n").encode())
    written = path.read_bytes().decode()
    linted = lint_files(LintRequest(texts=(("draft.txt", path),)))
    [finding] = [one for one in linted.to_json()["findings"] if one["rule"] == "dependency-missing"]
    assert written[finding["start"] : finding["end"]] == "claim 9"
    assert (finding["line"], finding["column"]) == (3, 16)
    assert any(
        line.startswith("draft.txt:3:16: error dependency-missing:") for line in linted.lines()
    )


def test_legal_bases_are_translated_except_american_ones() -> None:
    [finding] = lint(
        "1. 一种泵，包括轴和所述盖板。", "cnipa", select=["antecedent-missing"]
    ).findings
    assert finding.basis == "Patent Law, Art. 26(4)"
    assert translated(finding.basis, "zh") == "专利法第26条第4款"
    [finding] = lint("1. A pump comprising the lid.", "uspto", select=["antecedents"]).findings
    assert translated(finding.basis, "ja") == "35 USC 112(b); MPEP 2173.05(e)"
    [finding] = lint("1. A pump comprising the lid.", "any", select=["antecedents"]).findings
    assert finding.basis.startswith("uspto: 35 USC 112(b); MPEP 2173.05(e); epo: Art. 84 EPC; jpo:")
