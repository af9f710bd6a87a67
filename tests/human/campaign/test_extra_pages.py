from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from patmark.human.campaign.extra_pages import EDITS, spoil
from patmark.languages import Language, packs

_TEXTS = {
    "en": "The mixture is stirred at 80 °C for 2 hours and then cooled to room temperature.",
    "zh": "将混合物在80℃下搅拌2小时，该涂层不含有机溶剂，并且能够冷却至室温。",
    "ja": "混合物を80℃で2時間撹拌し、その後、室温まで冷却することができる。",
}


def _spoilt(language: str, edit: str, seed: int = 0) -> tuple[str, str]:
    found = spoil(_TEXTS[language], language, np.random.default_rng(seed), [edit])
    assert found is not None
    [said] = found.edits
    assert said.startswith(f"{edit}: ")
    return found.text, said.removeprefix(f"{edit}: ")


@pytest.mark.parametrize("language", _TEXTS)
@pytest.mark.parametrize("seed", range(5))
def test_dropped_words_are_named(language: str, seed: int) -> None:
    text, dropped = _spoilt(language, "dropped", seed)
    original = _TEXTS[language]
    assert dropped in original and dropped not in text
    assert 0.2 < len(dropped) / len(original) < 0.7
    kept = original.replace(dropped, "", 1)
    assert kept.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("language", _TEXTS)
def test_swapped_words_are_all_still_there(language: str) -> None:
    text, said = _spoilt(language, "swapped")
    assert text != _TEXTS[language] and " ← " in said
    assert sorted(text.replace(" ", "")) == sorted(_TEXTS[language].replace(" ", ""))


@pytest.mark.parametrize("language", _TEXTS)
@pytest.mark.parametrize("seed", range(5))
def test_numbers_become_other_numbers(language: str, seed: int) -> None:
    text, said = _spoilt(language, "number", seed)
    old, new = said.split(" → ")
    assert old != new and old in ("80", "2")
    assert text == _TEXTS[language].replace(old, new, 1)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The user does not need it.", "The user does need it."),
        ("en", "The lid cannot move.", "The lid can move."),
        ("en", "It works without a pump.", "It works with a pump."),
        ("en", "The lid is open.", "The lid is not open."),
        ("zh", "用户不需要拆下滤网。", "用户需要拆下滤网。"),
        ("zh", "该装置包括壳体。", "该装置不包括壳体。"),
        ("zh", "这是一种装置。", "这不是一种装置。"),
        ("ja", "取り外すことはできない。", "取り外すことはできる。"),
        ("ja", "蓋を備える。", "蓋を備えない。"),
        ("ja", "これは装置である。", "これは装置ではない。"),
    ],
)
def test_negations_are_turned(language: str, text: str, expected: str) -> None:
    found = spoil(text, language, np.random.default_rng(0), ["negation"])
    assert found is not None and found.text == expected


def test_another_sentence_is_named_by_its_segment() -> None:
    rng = np.random.default_rng(0)
    found = spoil("one", "en", rng, ["other"], [("s1", "one"), ("s2", "two"), ("s3", " ")])
    assert found is not None and (found.text, found.edits) == ("two", ("other: the text of s2",))


def test_a_text_that_no_edit_changes_gives_nothing() -> None:
    assert spoil("蓋", "ja", np.random.default_rng(0), EDITS) is None
    assert spoil("lid", "en", np.random.default_rng(0), ["number", "dropped"]) is None


@given(
    st.text(st.sampled_from("ab不是2,.るない 冷却\n"), max_size=40),
    st.sampled_from(["en", "zh", "ja"]),
    st.integers(0, 5),
)
def test_a_spoilt_text_is_never_the_same_and_never_empty(
    text: str, language: str, seed: int
) -> None:
    found = spoil(text, language, np.random.default_rng(seed), EDITS, [("s9", "another one")])
    if found is not None:
        assert found.text != text and found.text.strip() and len(found.edits) == 1


@pytest.mark.parametrize("pack", packs(), ids=lambda pack: pack.code)
def test_rows_of_negations_find_their_examples_and_not_the_others(pack: Language) -> None:
    for row in pack.table("campaign").rows:
        assert re.search("|".join(row.forms), row.example), row
        assert not re.search("|".join(row.forms), row.no_example), row


def test_a_language_without_negations_takes_the_english_ones() -> None:
    found = spoil("The lid is open.", "de", np.random.default_rng(0), ["negation"])
    assert found is not None and found.text == "The lid is not open."
