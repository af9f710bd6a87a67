"""Invented claims with one planted defect each, and correct ones in other words.

A defect is found in its claim by the stated rule with the stated severity; the correct claims have
no such finding there, no error and no warning.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from patmark.claims.lint import LintFinding, lint

_LINES = Path(__file__).with_name("planted_defects.jsonl").read_text(encoding="utf-8").splitlines()
_CASES = [json.loads(line) for line in _LINES]
_CORRECT = [
    json.loads(line)
    for line in Path(__file__).with_name("correct_claims.jsonl").read_text("utf-8").splitlines()
]
_COUNTED = re.compile("two-part-form|independent-per-category|fee-")


def _findings(text: str, office: str) -> list[LintFinding]:
    found = lint(text, office=office).findings
    return [item for item in found if _COUNTED.match(item.rule) is None]


@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_a_planted_defect_is_found(case: dict[str, Any]) -> None:
    known = {(item.rule, item.message) for item in _findings(case["correct"], case["office"])}
    new = [
        (item.rule, item.severity)
        for item in _findings(case["faulty"], case["office"])
        if item.claim == case["claim"] and (item.rule, item.message) not in known
    ]
    assert (case["rule"], case["severity"]) in new


@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_correct_claims_are_not_flagged(case: dict[str, Any]) -> None:
    found = _findings(case["correct"], case["office"])
    assert [str(item.message) for item in found if item.severity != "information"] == []


@pytest.mark.parametrize("case", _CORRECT, ids=[case["text"][:30] for case in _CORRECT])
def test_other_correct_claims_are_not_flagged(case: dict[str, Any]) -> None:
    found = _findings(case["text"], case["office"])
    assert [str(item.message) for item in found if item.severity != "information"] == []
