"""Segmenters against the programs that they equal."""

from __future__ import annotations

import logging
import random
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from patmark.errors import UsageError
from patmark.languages import (
    TOKENIZERS,
    english_lemmas,
    find_words,
    jieba_words,
    lemmatizer_version,
    resolve_tokenizer,
    tokenize,
    tokenizer_signature,
    word_spans,
)

_PEERS = {
    "13a": Tokenizer13a(),
    "intl": TokenizerV14International(),
    "zh": TokenizerZh(),
    "char": TokenizerChar(),
    "ja-mecab": TokenizerJaMecab(),
}
_DIFFICULT = st.text(
    "ab1２5.,-–()/&;\"'<> 中。，％\u3000\u2028\t…₂℃カ9%+=_[]{}~`@#\n&amp;", max_size=14
)


@pytest.mark.parametrize("name", [name for name in _PEERS if name != "ja-mecab"])
@given(text=_DIFFICULT)
def test_equal_to_sacrebleu_on_difficult_text(name: str, text: str) -> None:
    assert tokenize(text, name) == _PEERS[name](text.rstrip()).split()


@pytest.mark.parametrize("name", _PEERS)
def test_equal_to_sacrebleu_on_real_text(name: str, patsnap_rows: list[dict[str, Any]]) -> None:
    for row in patsnap_rows:
        for text in (row["content_cn"][:3000], row["content_en"][:3000]):
            assert tokenize(text, name) == _PEERS[name](text.rstrip()).split()


def test_jieba_words_equal_jieba_on_real_text(patsnap_rows: list[dict[str, Any]]) -> None:
    import jieba

    jieba.setLogLevel(logging.ERROR)
    for row in patsnap_rows:
        assert jieba_words(row["content_cn"]) == list(jieba.cut(row["content_cn"]))


def test_jieba_words_equal_jieba_on_mixed_scripts() -> None:
    import jieba

    jieba.setLogLevel(logging.ERROR)
    jieba.initialize()
    rng = random.Random(5)
    words = [word for word, count in jieba.dt.FREQ.items() if count > 50][:20000]
    odd = ["TYPE-C", "3.5mm", "0.1-10%", "C++", "AT&T", "a.b.c", "..", "5%-10%", "B超", "3D",
           "e-mail", "％", "①", "μm", "℃", "(12)", " ", "\n", "，", "１２", "噁", "铕"]  # fmt: skip
    for _ in range(2000):
        text = "".join(rng.choice(words if rng.random() < 0.6 else odd) for _ in range(8))
        assert jieba_words(text) == list(jieba.cut(text))


def test_treebank_words_equal_nltk(patsnap_rows: list[dict[str, Any]]) -> None:
    from nltk.tokenize import TreebankWordTokenizer

    peer = TreebankWordTokenizer()
    for row in patsnap_rows:
        assert tokenize(row["content_en"], "treebank") == peer.tokenize(row["content_en"])


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("none", " a  b\u3000c ", ["a", "b", "c"]),
        ("rouge", "The rotor (12), 3.5 mm", ["the", "rotor", "12", "3", "5", "mm"]),
        ("cjk-char", "LED灯12个バルブ", ["LED", "灯", "12", "个", "バ", "ル", "ブ"]),
        ("ja-ntcir", "弁 12を", ["弁", "１２", "を"]),
        ("lemma", "The valves are closed.", ["the", "valve", "be", "close", "."]),
        ("zh-jieba", "阀门 关闭", ["阀门", "关闭"]),
        ("treebank", "It's the \"gate\" (Vg).", ["It", "'s", "the", "``", "gate", "''", "(", "Vg",
                                                ")", "."]),
    ],
)  # fmt: skip
def test_words(name: str, text: str, expected: list[str]) -> None:
    assert tokenize(text, name) == expected


def test_ntcir_joins_digits_that_mecab_splits() -> None:
    assert "１２３４５" in tokenize("番号12345の弁", "ja-ntcir")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_segmenter_takes_empty_and_mixed_text(name: str) -> None:
    assert tokenize("", name) == []
    assert tokenize("阀门 valve バルブ 12", name)
    assert tokenizer_signature(name).startswith(name)


@pytest.mark.parametrize(
    ("language", "expected"), [("en", "13a"), ("zh", "zh"), ("ja", "ja-mecab"), ("de", "13a")]
)
def test_segmenter_follows_the_language(language: str, expected: str) -> None:
    assert resolve_tokenizer("auto", language) == expected


def test_unknown_segmenter_is_refused() -> None:
    with pytest.raises(UsageError, match="the tokenizer 'moses' is unknown; choose from 13a"):
        tokenize("a", "moses")
    with pytest.raises(UsageError, match="'moses' is unknown"):
        resolve_tokenizer("moses", "en")


def test_lemmas_are_lower_case_and_keep_marks() -> None:
    assert english_lemmas("Two Housings (12) were TYPE-C.") == "two housing ( 12 ) be type - c ."
    assert english_lemmas("") == ""
    assert lemmatizer_version("simplemma").startswith("simplemma-")
    with pytest.raises(UsageError, match="choose from auto, simplemma, spacy"):
        english_lemmas("a", "stanza")  # type: ignore[arg-type]


def test_phrases_are_found_as_whole_words() -> None:
    words = word_spans("Lotions and two ion pumps; Ion-pump", "en")
    assert find_words(words, "ion pump") == [(16, 25)]
    assert find_words(words, "lotion") == [(0, 7)]
    assert find_words(words, "otion") == []
    assert find_words(word_spans("一种阀门装置", "zh"), "阀门") == [(2, 4)]


def test_latin_words_are_found_whole_among_characters() -> None:
    words = word_spans("采用OLED和LED 光源的装置", "zh")
    assert find_words(words, "LED") == [(7, 10)]
    assert find_words(words, "led光源") == [(7, 13)]
    assert find_words(word_spans("อุปกรณ์ปั๊มน้ำ", "th"), "ปั๊ม") == [(7, 11)]


def test_rouge_words_of_other_scripts_are_whole() -> None:
    assert tokenize("Öl für Насос-2 (펌프), पंप।", "rouge-intl") == [
        "öl", "für", "насос", "2", "펌프", "पंप",
    ]  # fmt: skip
    assert tokenize("The 3.5 mm rod (4) isn't", "rouge-intl") == tokenize(
        "The 3.5 mm rod (4) isn't", "rouge"
    )
    with pytest.raises(UsageError, match="hardly any ko word is left; use tok=rouge-intl"):
        resolve_tokenizer("rouge", "ko")
    assert resolve_tokenizer("rouge", "ko", force=True) == "rouge"


def test_languages_without_blanks_are_split_into_characters() -> None:
    assert resolve_tokenizer("auto", "th") == "char"
    with pytest.raises(UsageError, match="a whole th clause for one word; use tok=char"):
        resolve_tokenizer("13a", "th")


@settings(max_examples=1000)
@given(st.text(alphabet="a1é図.,-_'()[]%/~", min_size=1, max_size=8))
def test_words_are_split_as_sacrebleu_splits_them(word: str) -> None:
    assert tokenize(word, "13a") == Tokenizer13a()(word).split()


@given(st.text("ab19.,-()&<>'\"_%/é図$~", min_size=1, max_size=9))
@example("5.,6")
@example("5--7")
def test_words_full_of_marks_have_the_tokens_of_sacrebleu(word: str) -> None:
    assert tokenize(word, "13a") == Tokenizer13a()(word).split()
