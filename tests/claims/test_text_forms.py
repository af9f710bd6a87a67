"""Languages that the rules do not know are seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patmark.claims.text_forms import is_unread


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("1. A pump comprising a housing and a rotor, wherein the rotor is red.", False),
        ("1. Eine Pumpe mit einem Gehäuse und einem Rotor, wobei der Rotor rot ist.", True),
        ("1. Pompe comprenant un boîtier et un rotor, dans laquelle le rotor est rouge.", True),
        ("1. Bomba según la reivindicación 1, donde el rotor y la carcasa son de acero.", True),
        ("1. Насос, содержащий корпус и ротор, установленный в корпусе.", True),
        ("1. 一种泵，包括壳体和转子。", False),
        ("1. 軸を備えるポンプ。", False),
        ("1. Aspirin.", False),
        ("", False),
    ],
)
def test_is_unread(text: str, unread: bool) -> None:
    assert is_unread(text) == unread


def test_real_claims_in_three_languages(shared_data: Path) -> None:
    path = shared_data / "patents" / "ep_fulltext" / "claims_parallel_de_en_fr.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert not any(is_unread(row["en"]) for row in rows)
    assert all(is_unread(row[language]) for row in rows for language in ("de", "fr"))
