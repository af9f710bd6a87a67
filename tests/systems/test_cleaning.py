"""Lines before an answer go, other chatter is flagged; refusals and copies are told apart."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.examples import example_path
from patmark.systems import clean
from patmark.systems.cleaning import Cleaned, chatter_in, find_fault, is_copy, refusal

SOURCE = "一种阀门，包括壳体。"
TEXT = "A valve comprising a housing."


@pytest.mark.parametrize(
    ("raw", "steps"),
    [
        ("Here is the translation:\n\nA valve comprising a housing.", ("preamble",)),
        ("Sure! Here's the English translation:\nA valve comprising a housing.", ("preamble",)),
        ("Certainly!\n\nA valve comprising a housing.", ("preamble",)),
        ("**Here is the translated text:**\nA valve comprising a housing.", ("preamble",)),
        ("The English translation is as follows:\nA valve comprising a housing.", ("preamble",)),
        ("以下是翻译：\nA valve comprising a housing.", ("preamble",)),
        ("好的，以下是英文译文：\nA valve comprising a housing.", ("preamble",)),
        ("好的！\nA valve comprising a housing.", ("preamble",)),
        ("以下は英語の翻訳です：\nA valve comprising a housing.", ("preamble",)),
        ("翻译如下：\nA valve comprising a housing.", ("preamble",)),
        ("好的，英文译文如下：\n\nA valve comprising a housing.", ("preamble",)),
        ("承知しました。以下に翻訳を示します。\nA valve comprising a housing.", ("preamble",)),
        ("以下の通り翻訳しました：\n\nA valve comprising a housing.", ("preamble",)),
        ("翻訳は次のとおりです。\n\nA valve comprising a housing.", ("preamble",)),
        ("The translated text is as follows:\nA valve comprising a housing.", ("preamble",)),
        ("Translation:\nA valve comprising a housing.", ("preamble",)),
        ("**Translation:**\n\nA valve comprising a housing.", ("preamble",)),
        ("### Translation\nA valve comprising a housing.", ("preamble",)),
        ("翻译结果：\nA valve comprising a housing.", ("preamble",)),
        ("翻訳結果：\nA valve comprising a housing.", ("preamble",)),
        ("<think>A 阀门 is a valve.</think>\nA valve comprising a housing.", ("thinking",)),
        (
            "阀门 is a valve.\n</think>\n\nTranslation:\nA valve comprising a housing.",
            ("thinking", "preamble"),
        ),
        ("  A valve comprising a housing.\n", ("blanks",)),
        ("A valve comprising a housing.", ()),
    ],
)
def test_lines_before_the_answer_go_and_every_step_is_named(
    raw: str, steps: tuple[str, ...]
) -> None:
    assert clean(raw, SOURCE) == Cleaned(TEXT, steps)
    assert chatter_in(TEXT, SOURCE) == ()


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Here is the translation: A valve comprising a housing.", ("preamble",)),
        ("Sure! Here's the English translation: A valve comprising a housing.", ("preamble",)),
        ("以下是翻译：A valve comprising a housing.", ("preamble",)),
        ("以下に翻訳を示します。A valve comprising a housing.", ("preamble",)),
        ("Translation: A valve comprising a housing.", ("label",)),
        ("Translation (English): A valve comprising a housing.", ("label",)),
        ("英文翻译：A valve comprising a housing.", ("label",)),
        ("英訳：A valve comprising a housing.", ("label",)),
        ("**译文：** A valve comprising a housing.", ("label",)),
        ("```\nA valve comprising a housing.\n```", ("fence",)),
        ("~~~text\nA valve comprising a housing.\n~~~", ("fence",)),
        ('"A valve comprising a housing."', ("quotes",)),
        ("“A valve comprising a housing.”", ("quotes",)),
        ("「ハウジングを備える弁。」", ("quotes",)),
        ("阀门 is a valve.</think>A valve comprising a housing.", ("thinking",)),
        ("A valve comprising a housing.\n\nLet me know if you need more.", ("closing",)),
        ("A valve comprising a housing.\n\nNote: I kept the word housing.", ("closing",)),
        ("A valve comprising a housing.\n\n**Note:** 壳体 is also a shell.", ("closing",)),
        ("A valve comprising a housing.\n\n（注：壳体也可译作 shell。）", ("closing",)),
        ("A valve comprising a housing.\n\n訳注：壳体は筐体とも訳せます。", ("closing",)),
    ],
)
def test_other_chatter_is_flagged_and_no_word_of_it_is_lost(
    text: str, kinds: tuple[str, ...]
) -> None:
    assert clean(text, SOURCE) == Cleaned(text)
    assert chatter_in(text, SOURCE) == kinds


def test_after_a_preamble_the_rest_is_flagged() -> None:
    raw = 'Here is the translation:\n```\n"A valve comprising a housing."\n```\n\nI hope so!'
    done = clean(raw, SOURCE)
    assert (done.steps, chatter_in(done.text, SOURCE)) == (("preamble",), ("closing",))
    assert done.text == raw.partition("\n")[2]


@pytest.mark.parametrize(
    "text",
    [
        "Of course, the valve can also be closed by hand.\nIt then stays closed.",
        "The following are the results of the test:\n1. 20 °C",
        "Note that some valves have no spring.",
        "A valve.\n\nNote that some valves have no spring.",
        '"A" denotes the valve and "B"',
        "Here is a valve seat, and below is a spring: both are of steel.",
        "What is claimed is:\n1. A valve.",
        "The translation of the shaft moves the valve.",
        "Translation\nof the shaft",
        "如果需要，可以关闭阀门。",
        "以下に弁の構成を示す。\n弁は座を有する。",
        "翻訳装置：入力部と出力部を有する。",
        "翻译装置的结构如下：输入部和输出部。",
        "阀门。\n\n如果需要，可以关闭阀门。",
    ],
)
def test_what_patents_say_stays(text: str) -> None:
    assert clean(text, SOURCE) == Cleaned(text) and not chatter_in(text, SOURCE)


@pytest.mark.parametrize(
    ("raw", "source"),
    [
        ('"closed" and "open"', "「閉」及び「開」"),
        ('"Closed position."', "“关闭位置。”"),
        ("```\nx = 1\n```", "```\nx = 1\n```"),
        ("Translation: to move without turning.", "译文：只移动而不转动。"),
        ("Translation: moving the camera along the x axis.", "平移：沿x轴移动相机。"),
        (
            "Translation:\nto move.\nRotation:\nto turn.",
            "平移：\n移动。\n旋转：\n转动。",
        ),
        ("The following are the claims:\n1. A valve.", "以下为权利要求书：\n1. 一种阀门。"),
        ("Here is the translation stage:\nit moves.", "这里示出了平移台\n它会移动。"),
        ("以下に翻訳を示します。\n弁は開く。", "The translation is shown below.\nThe valve opens."),
        ("翻译：\n只移动而不转动。", "Translation:\nto move without turning."),
        ("A valve.\n\nNote: it opens.", "一种阀门。\n\n注：它会打开。"),
        ("Use the tag </think> here.", "此处使用标签</think>。"),
    ],
)
def test_what_the_source_has_as_well_is_no_chatter(raw: str, source: str) -> None:
    assert clean(raw, source) == Cleaned(raw) and not chatter_in(raw, source)


def test_a_translation_that_begins_like_a_label_keeps_its_words() -> None:
    text = "Translation: moving the camera along the x axis."
    assert clean(text, "平移，即沿x轴移动相机。").text == text


def test_an_announcement_without_an_answer_is_empty() -> None:
    assert clean("Sure! Here is the translation:", SOURCE).text == ""


def test_references_of_the_examples_stay_as_they_are() -> None:
    for name in ("ja_en/reference.en", "en_zh/reference.zh"):
        for line in example_path(name).read_text(encoding="utf-8").splitlines():
            assert clean(line, SOURCE) in (Cleaned(line), Cleaned(line.strip(), ("blanks",)))


@given(st.text())
def test_cleaning_only_takes_away(raw: str) -> None:
    done = clean(raw, SOURCE)
    assert done.text in raw
    assert bool(done.steps) == (done.text != raw)


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
    assert "is the source" in str(
        find_fault("the valve is open", "the valve is open", may_copy=False)
    )
