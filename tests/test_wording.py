"""Texts in three languages: how they are made, and that no translation is missing."""

from __future__ import annotations

import ast
import pickle
import re
import string
from collections import Counter

import pytest

from patmark.wording import LANGUAGES, catalogue, speaker, tr, tr_n, translated
from translations import KEYWORDS, SOURCE, TRANSLATED, first_form, template, translations


def test_a_text_is_english_until_it_is_shown() -> None:
    text = tr("{done} of {total} pages", done=3, total=7)
    assert text == "3 of 7 pages" and isinstance(text, str)
    assert translated(text, "en") == "3 of 7 pages"
    assert translated(text, "zh") == "已完成 3/7 页"
    assert translated(text, "ja") == "7 ページ中 3 ページ"


def test_texts_within_texts_are_translated_and_data_is_not() -> None:
    text = tr("Evaluator {name}", name=tr("Guidelines"))
    assert text == "Evaluator Guidelines"
    assert translated(text, "zh") == "评审员 评审指南"
    assert translated(tr("Evaluator {name}", name="Guidelines"), "zh") == "评审员 Guidelines"
    assert translated("Guidelines", "zh") == "Guidelines"


def test_a_text_without_translation_stays_english() -> None:
    assert translated(tr("nobody translated {x}", x=1), "ja") == "nobody translated 1"
    assert [tr_n("{n} gnu", "{n} gnus", n=n) for n in (0, 1, 2)] == ["0 gnus", "1 gnu", "2 gnus"]


def test_braces_stay_in_a_text_without_values() -> None:
    assert tr("{done} of {total} pages") == "{done} of {total} pages"


def test_a_text_survives_pickling() -> None:
    made = tr_n("{n} gnu of {name}", "{n} gnus of {name}", n=2, name="a")
    text = pickle.loads(pickle.dumps(made))
    assert text == "2 gnus of a" and text.key == "{n} gnu of {name}"


def test_a_page_speaks_one_language() -> None:
    say = speaker("ja")
    assert say("{done} of {total} pages", done=3, total=7) == "7 ページ中 3 ページ"
    assert say(tr("Guidelines")) == "評価の手引き"


def test_no_text_hides_in_an_f_string() -> None:
    """There the extractor would not find it."""
    hidden = [
        f"{file}:{call.lineno}"
        for file in SOURCE.rglob("*.py")
        for string in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(string, ast.JoinedStr)
        for call in ast.walk(string)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if call.func.id in KEYWORDS
    ]
    assert hidden == []


def test_lists_have_the_commas_of_their_language() -> None:
    text = tr("Not shown: {columns}.", columns=("BLEU", tr("system")))
    assert text == "Not shown: BLEU, system."
    assert translated(text, "zh") == "未显示：BLEU、系统。"


@pytest.mark.parametrize("language", TRANSLATED)
def test_warnings_are_known_by_their_first_word(language: str) -> None:
    for english, text in catalogue(language).items():
        assert english.startswith("Warning:") == text.startswith("警告："), text


def test_languages_of_the_interface() -> None:
    assert set(LANGUAGES) == {"en", *TRANSLATED}


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_are_in_step_with_the_code(language: str) -> None:
    """If this fails: python tools/translations.py, then translate what it lists."""
    marked = {message.id for message in template() if message.id}
    assert {message.id for message in translations(language) if message.id} == marked


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_are_complete(language: str) -> None:
    for message in translations(language):
        if not message.id:
            continue
        text = first_form(message.string)
        assert text.strip() and not message.fuzzy, f"{first_form(message.id)!r} has no translation"
        assert _fields(text) == _fields(first_form(message.id)), text


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_reader_of_po_files_agrees_with_babel(language: str) -> None:
    expected = {
        first_form(message.id): first_form(message.string)
        for message in translations(language)
        if message.id
    }
    assert catalogue(language) == expected


@pytest.mark.parametrize("language", TRANSLATED)
def test_punctuation_between_han_characters_is_full_width(language: str) -> None:
    pattern = r"[\u3040-\u30ff\u4e00-\u9fff][,;:!?]|[\u3040-\u30ff\u4e00-\u9fff]\.(?!\w)"
    found = [text for text in catalogue(language).values() if re.search(pattern, text)]
    assert found == []


def _fields(text: str) -> Counter[str]:
    return Counter(f"{name}:{spec}" for _, name, spec, _ in string.Formatter().parse(text) if name)
