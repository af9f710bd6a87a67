"""Phrases of limits, word classes, negations, opposites, primes and lists with respectively.

Each row of ``mechanisms.jsonl`` has one fault, with the findings that it must raise (kind, place in
the source, place in the translation), and one correct translation.
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


def _findings(languages: str, source: str, target: str) -> list[list[str]]:
    """Return the kind of each difference, and its places as they are written."""
    one, other = languages.split("-")
    return [
        [
            d.kind,
            source[slice(*d.source)] if d.source else "",
            target[slice(*d.target)] if d.target else "",
        ]
        for d in compare_facts(facts_of(source, one), facts_of(target, other))
    ]


@pytest.mark.parametrize("group", sorted({row["group"] for row in _ROWS}))
def test_faults_are_found_with_their_places_and_correct_translations_are_not_flagged(
    group: str,
) -> None:
    rows = [row for row in _ROWS if row["group"] == group]
    assert all(row["found"] for row in rows)
    wrong = [
        (row["source"], row["faulty"], row["found"], found)
        for row in rows
        if (found := _findings(row["languages"], row["source"], row["faulty"])) != row["found"]
    ]
    flagged = [r for r in rows if _findings(r["languages"], r["source"], r["correct"])]
    assert not wrong
    assert not flagged
