"""Reference signs: which of two places is the odd one."""

from __future__ import annotations

from patmark.facts import compare_signs, facts_of


def _places(source: str, target: str) -> list[tuple[str, str]]:
    found = compare_signs(facts_of(source, "en"), facts_of(target, "en")).differences
    return [
        (source[slice(*d.source)] if d.source else "", target[slice(*d.target)] if d.target else "")
        for d in found
    ]


def test_the_rarer_of_two_signs_of_a_noun_is_odd() -> None:
    source = "A filter (3) holds a seal (4). The filter (3) is round. The seal (4) is soft."
    target = "A filter (3) holds a filter (4). The filter (3) is round. The seal (4) is soft."
    assert _places(source, target) == [("seal (4", "filter (4")]


def test_the_sign_that_has_its_own_noun_elsewhere_is_odd() -> None:
    source = "A gear (3) holds a filter (4). The gear (3) is round."
    target = "A filter (3) holds a filter (4). The gear (3) is round."
    assert _places(source, target)[0][1] == "filter (3"


def test_the_rarer_of_two_nouns_of_a_sign_is_odd() -> None:
    source = "The gear (3) turns. The gear (3) is round. The gear (3) is hard."
    target = "The gear (3) turns. The lid (3) is round. The gear (3) is hard."
    assert _places(source, target) == [("gear (3", "lid (3")]


def test_a_lost_and_an_added_sign_are_one_difference() -> None:
    assert _places("The gear (3) turns.", "The gear (5) turns.") == [("3", "5")]


def test_a_sign_that_is_kept_anywhere_is_not_lost() -> None:
    assert _places("The gear (3a) and gear 3a turn.", "The gear (3a) turns.") == []
