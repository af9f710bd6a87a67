"""Invented claims and their drafts with one change, whose relation in scope is known.

``shown`` is the relation that patmark shows if it cannot judge the words: reworded.
"""

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
    assert found == case.get("shown", case["relation"])


def test_only_equivalents_are_not_judged() -> None:
    others = {(case["relation"], case["shown"]) for case in _CASES if "shown" in case}
    assert others == {("equivalent", "reworded")}
