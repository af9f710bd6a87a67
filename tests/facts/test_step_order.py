"""The order of steps: each fault with a correct translation of the same source."""

from __future__ import annotations

import pytest

from patmark.facts import compare_markers, facts_of

_BOTH_WAYS = [
    (
        "en-zh",
        "The part is heated and then cooled.",
        "加热该部件，然后冷却。",
        "冷却该部件，然后加热。",
    ),
    ("en-zh", "The part is cooled after being heated.", "该部件加热后冷却。", "该部件冷却后加热。"),
    (
        "zh-en",
        "先加入乙醇，再加入氨水。",
        "Ammonia water is added after ethanol is added.",
        "Ethanol is added after ammonia water is added.",
    ),
    (
        "ja-en",
        "基板を洗浄し、次いで加熱する。",
        "The substrate is washed before it is heated.",
        "The substrate is heated before it is washed.",
    ),
    ("ja-en", "試薬Ａを加え、その後試薬Ｂを加える。", "A is added, then B.", "B is added, then A."),
]


@pytest.mark.parametrize(("languages", "source", "correct", "faulty"), _BOTH_WAYS)
def test_steps_in_another_order_are_found(
    languages: str, source: str, correct: str, faulty: str
) -> None:
    one, other = languages.split("-")
    facts = facts_of(source, one)
    assert not compare_markers(facts, facts_of(correct, other)).differences
    [found] = compare_markers(facts, facts_of(faulty, other)).differences
    assert (found.kind, found.slot) == ("marker", "time")


@pytest.mark.parametrize(
    "text",
    [
        "The part is heated, then washed, and finally dried.",
        "Before cooling, the part is washed.",
        "将混合物冷却后过滤，然后干燥。",
        "溶液をろ過した後、濃縮する。",
    ],
)
def test_a_text_has_the_order_of_its_own_steps(text: str) -> None:
    language = "en" if text.isascii() else "ja" if "を" in text else "zh"
    facts = facts_of(text, language)
    assert not compare_markers(facts, facts_of(f"{text} ", language)).differences
