"""Chatter goes, translations stay."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.examples import example_path
from patmark.systems import clean

SOURCE = "一种阀门，包括壳体。"
TEXT = "A valve comprising a housing."


@pytest.mark.parametrize(
    ("raw", "steps"),
    [
        ("Here is the translation:\n\nA valve comprising a housing.", ("preamble",)),
        ("Sure! Here's the English translation: A valve comprising a housing.", ("preamble",)),
        ("Certainly!\n\nA valve comprising a housing.", ("preamble",)),
        ("**Here is the translated text:**\nA valve comprising a housing.", ("preamble",)),
        ("The English translation is as follows:\nA valve comprising a housing.", ("preamble",)),
        ("以下是翻译：\nA valve comprising a housing.", ("preamble",)),
        ("好的，以下是英文译文：\nA valve comprising a housing.", ("preamble",)),
        ("以下は英語の翻訳です：\nA valve comprising a housing.", ("preamble",)),
        ("翻译如下：\nA valve comprising a housing.", ("preamble",)),
        ("好的，英文译文如下：\n\nA valve comprising a housing.", ("preamble",)),
        ("承知しました。以下に翻訳を示します。\nA valve comprising a housing.", ("preamble",)),
        ("以下の通り翻訳しました：\n\nA valve comprising a housing.", ("preamble",)),
        ("翻訳は次のとおりです。\n\nA valve comprising a housing.", ("preamble",)),
        ("The translated text is as follows:\nA valve comprising a housing.", ("preamble",)),
        ("Translation: A valve comprising a housing.", ("label",)),
        ("Translation (English): A valve comprising a housing.", ("label",)),
        ("英文翻译：A valve comprising a housing.", ("label",)),
        ("翻译结果：\nA valve comprising a housing.", ("label",)),
        ("英訳：A valve comprising a housing.", ("label",)),
        ("翻訳結果：\nA valve comprising a housing.", ("label",)),
        ("**译文：** A valve comprising a housing.", ("label",)),
        ("```\nA valve comprising a housing.\n```", ("fence",)),
        ("~~~text\nA valve comprising a housing.\n~~~\n", ("fence",)),
        ('"A valve comprising a housing."', ("quotes",)),
        ("“A valve comprising a housing.”", ("quotes",)),
        ("<think>A 阀门 is a valve.</think>\nA valve comprising a housing.", ("thinking",)),
        ("阀门 is a valve.</think>A valve comprising a housing.", ("thinking",)),
        ("A valve comprising a housing.\n\nLet me know if you need more.", ("closing",)),
        ("A valve comprising a housing.\n\nNote: I kept the word housing.", ("closing",)),
        (
            'Here is the translation:\n```\n"A valve comprising a housing."\n```\n\nI hope so!',
            ("preamble", "closing", "fence", "quotes"),
        ),
        ("  A valve comprising a housing.\n", ("blanks",)),
        ("A valve comprising a housing.", ()),
    ],
)
def test_chatter_goes_and_every_step_is_named(raw: str, steps: tuple[str, ...]) -> None:
    done = clean(raw, SOURCE)
    assert (done.text, done.steps) == (TEXT, steps)


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
        "如果需要，可以关闭阀门。",
        "以下に弁の構成を示す。\n弁は座を有する。",
        "翻訳装置：入力部と出力部を有する。",
        "翻译装置的结构如下：输入部和输出部。",
        "阀门。\n\n如果需要，可以关闭阀门。",
    ],
)
def test_what_patents_say_stays(text: str) -> None:
    assert clean(text, SOURCE).text == text


@pytest.mark.parametrize(
    ("raw", "source"),
    [
        ('"closed" and "open"', "「閉」及び「開」"),
        ('"Closed position."', "“关闭位置。”"),
        ("```\nx = 1\n```", "```\nx = 1\n```"),
        ("Translation: to move without turning.", "译文：只移动而不转动。"),
    ],
)
def test_what_the_source_has_as_well_is_no_chatter(raw: str, source: str) -> None:
    assert clean(raw, source).text == raw


def test_references_of_the_examples_stay_as_they_are() -> None:
    for name in ("ja_en/reference.en", "en_zh/reference.zh"):
        for line in example_path(name).read_text(encoding="utf-8").splitlines():
            assert clean(line, SOURCE).text == line.strip()


@given(st.text())
def test_cleaning_only_takes_away(raw: str) -> None:
    done = clean(raw, SOURCE)
    assert done.text in raw
    assert bool(done.steps) == (done.text != raw)
