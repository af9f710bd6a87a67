"""Invented claims and their drafts with one change, whose relation in scope is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patmark.claims.comparison import compare_texts

_LINES = Path(__file__).with_name("scope_pairs.jsonl").read_text(encoding="utf-8").splitlines()
_CASES = [json.loads(line) for line in _LINES]


@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_the_relation_of_a_changed_claim_is_found(case: dict[str, str]) -> None:
    draft = case["reference"].replace(case["old"], case["new"])
    assert draft != case["reference"]
    found = compare_texts(case["reference"], draft).relation
    same = ("equivalent", "same", "reworded")
    assert found in (same if case["relation"] == "equivalent" else (case["relation"],))
