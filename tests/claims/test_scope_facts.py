"""Facts that decide the scope of a claim."""

from __future__ import annotations

import pytest

from patmark.claims.scope_facts import scope_facts


@pytest.mark.parametrize(
    ("first", "second", "differences"),
    [
        ("twelve pins", "12 pins", []),
        ("thirteen pins", "13 pins", []),
        ("thirty pins", "forty pins", ["30 is missing", "40 was added"]),
        ("one pin", "a pin", []),
    ],
)
def test_number_words_count_up_to_ninety(first: str, second: str, differences: list[str]) -> None:
    facts = [scope_facts(tuple(text.split()), ()) for text in (first, second)]
    assert facts[0].differences(facts[1]) == differences
