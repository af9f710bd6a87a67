"""Signs of a document as tables, and heads that are learned without a dictionary."""

from __future__ import annotations

import pytest

from patmark.facts import (
    compare_signs,
    facts_of,
    gloss_signature,
    learned_heads,
    sign_table,
)

_SOURCE = (
    "前フゴベ（1）と後フゴベ（2）を備える。上モザク（3）と下モザク（4）を備える。"
    "内フゴベ（5）は外モザク（6）に当たる。"
)
_TARGET = (
    "A front quone (1) and a rear quone (2) are provided. An upper brill (3) and a lower brill (4) "
    "are provided. The inner quone (5) abuts the outer brill (6)."
)


def test_a_table_gives_nouns_by_sign_and_signs_by_noun() -> None:
    table = sign_table(facts_of("The pump (3) and the pumps (3) feed the left valve (4).", "en"))
    assert {sign: len(mentions) for sign, mentions in table.nouns.items()} == {"3": 2, "4": 1}
    assert {noun: [m.sign for m in ms] for noun, ms in table.signs.items()} == {
        "pump": ["3", "3"],
        "left valve": ["4"],
    }
    assert table.usual_noun("3") == "pump"


def test_heads_are_learned_from_a_document() -> None:
    tables = sign_table(facts_of(_SOURCE, "ja")), sign_table(facts_of(_TARGET, "en"))
    assert learned_heads(*tables) == {"ゴベ": "quone", "ザク": "brill"}


@pytest.mark.parametrize("faulty", [True, False])
def test_exchanged_signs_are_found_without_a_dictionary(
    faulty: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patmark.facts.sign_matching.is_known", lambda *given: False)
    source = _SOURCE + "ゼフゴベ（7）とゼモザク（8）を備える。"
    one, other = (8, 7) if faulty else (7, 8)
    target = f"{_TARGET} A zed quone ({one}) and a zed brill ({other}) are provided."
    found = compare_signs(facts_of(source, "ja"), facts_of(target, "en")).differences
    assert {difference.kind for difference in found} == ({"sign"} if faulty else set())


def test_the_signature_says_that_heads_are_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("patmark.facts.glosses.dictionary_name", lambda language: "")
    assert gloss_signature("ja", "en") == "learned"
