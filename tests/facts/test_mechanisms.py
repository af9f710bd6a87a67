"""Phrases of limits, word classes, negations, opposites, primes and lists with respectively.

Each row of ``mechanisms.jsonl`` has one fault that must be found and one correct translation.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patmark.facts import compare_facts, facts_of

_ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("mechanisms.jsonl").read_text("utf-8").splitlines()
]


def _is_flagged(languages: str, source: str, target: str) -> bool:
    one, other = languages.split("-")
    return bool(compare_facts(facts_of(source, one), facts_of(target, other)))


@pytest.mark.parametrize("group", sorted({row["group"] for row in _ROWS}))
def test_faults_are_found_and_correct_translations_are_not_flagged(group: str) -> None:
    rows = [row for row in _ROWS if row["group"] == group]
    missed = [r for r in rows if not _is_flagged(r["languages"], r["source"], r["faulty"])]
    flagged = [r for r in rows if _is_flagged(r["languages"], r["source"], r["correct"])]
    assert not missed
    assert not flagged
