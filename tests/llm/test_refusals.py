"""Refusals in words, at the beginning of a text and anywhere in it."""

from __future__ import annotations

import pytest

from patmark.llm import is_refusal

_REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "As an AI I do not rate patents.",
    "As an AI language model, I have no access to patents.",
    "I must decline.",
    "I am unable to judge this.",
    "抱歉，我无法评价。",
    "我不能提供译文。",
    "申し訳ございませんが、お答えできません。",
    "すみませんが、評価できかねます。",
]
_ANSWERS = [
    "I was unable to find any errors.",
    "I cannot see an error here.",
    "Sorry, what a clear translation.",
    "As an AI accelerator, the chip has a systolic array.",
    "The lever cannot be turned.",
    "无法转动的杆。",
    "申し訳のように短い。",
]


@pytest.mark.parametrize("text", _REFUSALS)
def test_refusals_are_known_at_the_beginning_and_anywhere(text: str) -> None:
    assert is_refusal(text) and is_refusal(text, anywhere=True)
    assert is_refusal(f"Clarity: 0\n{text}", anywhere=True)
    assert not is_refusal(f"Clarity: 0\n{text}")


@pytest.mark.parametrize("text", _ANSWERS)
def test_answers_are_no_refusals(text: str) -> None:
    assert not is_refusal(text) and not is_refusal(text, anywhere=True)


def test_a_long_text_that_begins_like_a_refusal_is_a_text() -> None:
    assert not is_refusal("I cannot open the lid, said the operator. " + "x" * 600)
