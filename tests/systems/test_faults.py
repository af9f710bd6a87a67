"""Refusals and copies are told from translations."""

from __future__ import annotations

import pytest

from patmark.examples import example_path
from patmark.systems.cleaning import find_fault, is_copy, refusal


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that request.",
        "I am very sorry, I am unable to translate this text.",
        "I cannot help with that.",
        "Unfortunately, I won't be able to do this; I can not.",
        "As an AI language model, I have no access to patents.",
        "抱歉，我无法翻译这段文字。",
        "我不能提供帮助。",
        "I'm unable to help with that.",
        "I’m not able to translate this.",
        "我很抱歉，但我无法完成该请求。",
        "作为一个AI语言模型，我无法翻译这段文字。",
        "申し訳ありませんが、この内容は翻訳できません。",
    ],
)
def test_refusals(text: str) -> None:
    assert str(refusal(text)).startswith("refused: ")


@pytest.mark.parametrize(
    "text",
    [
        "Unfortunately, known valves leak.",
        "Unfortunately, such a valve cannot be closed without a tool.",
        "As an AI accelerator, the chip has a systolic array.",
        "The lever cannot be turned.",
        "抱歉 is a word of politeness.",
        "I/O cannot be blocked.",
        "I can" + "'t " + "x" * 700,
    ],
)
def test_translations_are_no_refusals(text: str) -> None:
    assert refusal(text) is None


def test_human_translations_are_no_refusals() -> None:
    for name in ("ja_en/reference.en", "en_zh/reference.zh", "ja_en/source.ja"):
        lines = example_path(name).read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if refusal(line)] == []


@pytest.mark.parametrize(
    ("source", "text", "copied"),
    [
        ("一种带安全锁止机构的外科吻合器", "一种带安全锁止机构的 外科吻合器", True),
        ("一种阀门", "一种阀门", False),
        ("The valve has a seat.", "The valve has a seat.", True),
        ("C6H12O6", "C6H12O6", False),
        ("10 mm × 20 mm", "10 mm × 20 mm", False),
        ("The valve has a seat.", "The valve has a seat!", False),
    ],
)
def test_copies_where_they_cannot_be_right(source: str, text: str, copied: bool) -> None:
    assert is_copy(source, text) is copied


def test_faults_in_order() -> None:
    assert "cut off" in str(find_fault("a", "", cut_off=True))
    assert find_fault("a", " \n") == "the answer is empty"
    assert find_fault("the valve is open", "the valve is open") is None
    assert find_fault("a", "I cannot do that.") is None
    assert "refused" in str(find_fault("a", "I cannot do that.", chatty=True))
    assert "is the source" in str(find_fault("the valve is open", "the valve is open",
                                             may_copy=False))  # fmt: skip
