"""Matched quantities: kept, changed, lost and added."""

from __future__ import annotations

from patmark.facts import facts_of


def _matched(source: str, target: str) -> tuple[int, list[str], list[str], list[tuple[str, str]]]:
    ours = facts_of(source, "en")
    found = ours.matched(facts_of(target, "en"))
    return (
        found.kept,
        [item.key for item in found.lost],
        [item.key for item in found.added],
        [(a.key, b.key) for a, b in found.changed],
    )


def test_equal_values_in_other_units_are_kept() -> None:
    assert _matched("It is 0.1 MPa.", "It is 100 kPa.") == (1, [], [], [])


def test_an_equal_value_with_another_dimension_is_changed() -> None:
    assert _matched("It is 5 mm.", "It is 5 kg.") == (0, [], [], [("5", "5")])


def test_two_parts_make_up_a_whole() -> None:
    assert _matched("It takes 1 h 30 min.", "It takes 90 min.") == (1, [], [], [])


def test_a_formula_without_its_number_is_lost() -> None:
    assert _matched("CO2 flows.", "CO flows.")[1] == ["CO2"]


def test_a_list_without_blanks_matches_its_parts() -> None:
    assert _matched("lines 208,308 and 408", "lines 208, 308 and 408")[1:] == ([], [], [])


def test_a_number_word_counts_once() -> None:
    assert _matched("Three holes and three bolts", "Three holes with bolts")[1:] == ([], [], [])
