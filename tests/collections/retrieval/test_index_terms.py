from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.collections.retrieval.index_terms import (
    default_procedure,
    term_procedure,
)
from patmark.errors import UsageError
from patmark.languages import function_words

_NAMES = ["en-stem", "en-word", "zh-bigram", "zh-word", "ja-bigram", "ja-word"]


@pytest.mark.parametrize(
    ("name", "text", "terms"),
    [
        ("en-stem", "The rotating SHAFTS of 3.5 mm", ["rotat", "shaft", "3.5", "mm"]),
        ("en-word", "The rotating SHAFTS", ["rotating", "shafts"]),
        ("en-stem", "semi‐conductor ｆｉｌｍｓ", ["semi", "conductor", "film"]),
        ("zh-bigram", "半导体装置。", ["半导", "导体", "体装", "装置"]),
        ("zh-bigram", "ＵＳＢ接口，轴", ["usb", "接口", "轴"]),
        ("zh-word", "一种半导体装置", ["一种", "半导体", "装置"]),
        ("ja-bigram", "ｻｰﾊﾞを", ["サー", "ーバ", "バを"]),
        ("ja-word", "装置を備える。", ["装置", "を", "備える"]),
    ],
)
def test_terms_of_each_procedure(name: str, text: str, terms: list[str]) -> None:
    assert term_procedure(name).terms(text) == terms


@pytest.mark.parametrize("spelling", ["コンピュータ", "コンピューター", "コンピュ−タ", "ｺﾝﾋﾟｭｰﾀ"])
def test_long_vowels_and_hyphens_have_one_form(spelling: str) -> None:
    procedure = term_procedure("ja-bigram")
    assert procedure.terms(f"{spelling}装置") == procedure.terms("コンピュータ装置")


def test_short_katakana_words_keep_their_last_vowel() -> None:
    assert term_procedure("ja-bigram").terms("カバー") == ["カバ", "バー"]


@pytest.mark.parametrize("signs", ["(12)", "（１２ａ、１３）", "[S101]", "(12, 14-16)", "(12a')"])
def test_reference_signs_in_brackets_are_dropped_if_asked_for(signs: str) -> None:
    assert term_procedure("en-stem-nosigns").terms(f"shaft {signs} rotor") == ["shaft", "rotor"]
    assert len(term_procedure("en-stem").terms(f"shaft {signs} rotor")) > 2


def test_quantities_in_brackets_stay() -> None:
    assert term_procedure("en-stem-nosigns").terms("(20 mm)") == ["20", "mm"]


def test_signatures_tell_procedures_apart() -> None:
    names = [*_NAMES, "en-stem-nosigns"]
    assert len({term_procedure(name).signature for name in names}) == len(names)
    assert term_procedure("en-stem").signature.startswith("en-stem/1(snowballstemmer-")


def test_defaults_need_no_dictionary() -> None:
    names = [default_procedure(language).name for language in ("en", "zh-CN", "ja")]
    assert names == ["en-stem", "zh-bigram", "ja-bigram"]


@pytest.mark.parametrize("name", ["en", "de-stem", "nosigns", "en-stem-nosigns-nosigns"])
def test_unknown_procedures_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="choose from"):
        term_procedure(name)


def test_other_languages_are_refused() -> None:
    with pytest.raises(UsageError, match="choose from en, zh, ja"):
        default_procedure("fr")


@given(st.text(max_size=200), st.sampled_from(_NAMES))
def test_terms_hold_no_blank_and_are_short(text: str, name: str) -> None:
    for term in term_procedure(name).terms(text + " " + "x" * 500):
        assert term.split() == [term]
        assert len(term) <= 64
        assert term not in function_words("retrieval") or not name.startswith("en")
