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


@pytest.mark.parametrize(
    ("first", "second", "differences"),
    [
        ("1500 mm at 3 rpm", "150 mm at 4 rpm",
         ["1500 mm and 3 rpm are missing", "150 mm and 4 rpm were added"]),
        ("300 mm", "1500 mm and not 300 mm", ['1500 mm and "not" were added']),
        ("1500 mm", "1500 cm", ["1500 mm is missing", "1500 cm was added"]),
        ("20 mm by 30 cm", "20 cm by 30 mm",
         ["20 mm and 30 cm are missing", "20 cm and 30 mm were added"]),
        ("part 1.2.3 mm", "part 1.2.3 cm", ["1.2.3 mm is missing", "1.2.3 cm was added"]),
        ("1500 mm", "1500", []),
    ],
)  # fmt: skip
def test_a_number_is_named_with_its_unit(first: str, second: str, differences: list[str]) -> None:
    facts = [scope_facts(tuple(text.split()), ()) for text in (first, second)]
    assert facts[0].differences(facts[1]) == differences


@pytest.mark.parametrize(
    "pair", [("1500 mm", "1.5 m"), ("150 cm", "1500 mm"), ("0.3 kg", "300 g"), ("20 μs", "0.02 ms")]
)
def test_a_size_in_another_unit_is_the_same(pair: tuple[str, str]) -> None:
    facts = [scope_facts(tuple(text.split()), ()) for text in pair]
    assert facts[0].differences(facts[1]) == []


@pytest.mark.parametrize(
    ("first", "second", "differences"),
    [
        ("a tool comprising a lid", "a tool consisting of a lid", ["an open list was closed"]),
        ("made up of a lid", "including a lid", ["a closed list was opened"]),
        ("a tool comprising a metal from the group consisting of iron",
         "a tool consisting of a metal from the group comprising iron",
         ["an open list was closed"]),
        ("装置 包括 壳体", "装置 由 壳体 组成", ["an open list was closed"]),
        ("蓋 を 備える 装置", "蓋 からなる 装置", ["an open list was closed"]),
        ("a tool comprising a lid", "a tool including a lid", []),
        ("a tool comprising a lid", "a tool with a lid", []),
    ],
)  # fmt: skip
def test_lists_that_are_closed_or_opened(first, second, differences) -> None:
    facts = [scope_facts(tuple(text.split()), ()) for text in (first, second)]
    assert facts[0].differences(facts[1]) == differences
