"""Word-by-word translation on sentences made by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.dictionaries import Dictionary, Glossary, glossary_from
from patmark.errors import UsageError
from patmark.systems import DictionaryTranslator, GlossedText

_ZH = {
    "齿轮": ["gear"],
    "行星": ["planet"],
    "行星齿轮": ["planetary gear"],
    "轴": ["shaft"],
    "包括": ["to comprise"],
    "输出": ["to output"],
    "一种": ["one kind of"],
    "X光": ["X-ray"],
}
_JA = {
    "歯車": ["gear"],
    "囲む": ["to surround"],
    "軸受": ["bearing"],
    "目の前": ["before one"],
    "セパレータ": ["separator"],
    "支持": ["support"],
}
_LETTERS = "行星齿轮包括歯車を囲む12aB gear-（）、 "
_EN = {"ring gear": ["齿圈"], "gear": ["齿轮"], "heat-resistant": ["耐热"], "shaft": ["轴"]}


def _glossary(source: str, target: str, words: dict[str, list[str]]) -> Glossary:
    return glossary_from(Dictionary("hand-made", source, target, list(words.items())))


def _translated(source: str, text: str) -> GlossedText:
    words = {"zh": _ZH, "ja": _JA, "en": _EN}[source]
    target = "zh" if source == "en" else "en"
    return DictionaryTranslator(_glossary(source, target, words)).translate(text)


def test_the_longest_headword_wins() -> None:
    assert _translated("zh", "行星齿轮包括齿轮。").text == "planetary gear comprise gear."


def test_a_word_that_is_no_headword_is_tried_in_parts() -> None:
    done = _translated("zh", "输出轴")
    assert (done.text, done.translated, done.unknown) == ("output shaft", 2, ())


def test_unknown_words_are_kept_and_counted() -> None:
    done = _translated("zh", "一种包括乒乓的齿轮")
    assert done.text == "one kind of comprise 乒乓 的 gear"
    assert (done.translated, done.unknown, done.coverage) == (3, ("乒乓", "的"), 0.6)


def test_numbers_latin_letters_and_marks_are_kept() -> None:
    done = _translated("zh", "齿轮（１２ａ）包括3.5mm的PTFE轴，【】。")
    assert done.text == "gear (12a) comprise 3.5 mm 的 PTFE shaft, []."
    assert done.unknown == ("的",)


def test_japanese_base_forms_are_looked_up_and_particles_left_out() -> None:
    done = _translated("ja", "前記歯車（１２）が軸受を囲み、セパレータで支持される。")
    assert done.text == "前記 gear (12) bearing surround, separator support さ."
    assert done.unknown == ("前記", "さ")
    assert done.left_out == 4


def test_a_headword_may_hold_a_particle_but_not_begin_with_one() -> None:
    assert _translated("ja", "目の前の歯車").text == "before one gear"


def test_english_lemmas_and_hyphens() -> None:
    done = _translated("en", "Heat-resistant ring gears, gears (12.5 mm): SHAFT PTFE foo.")
    assert done.text == "耐热齿圈，齿轮(12.5 mm)：轴PTFE foo。"
    assert done.unknown == ("mm", "PTFE", "foo")


def test_a_headword_may_end_within_a_word_of_the_segmenter() -> None:
    entries = {"行星齿轮": ["planetary gear"], "轴": ["shaft"]}
    done = DictionaryTranslator(_glossary("zh", "en", entries)).translate("行星齿轮轴")
    assert (done.text, done.translated, done.unknown) == ("planetary gear shaft", 2, ())


def test_english_articles_are_left_out_and_counted() -> None:
    done = _translated("en", "The gear and a shaft")
    assert (done.text, done.unknown, done.left_out) == ("齿轮and轴", ("and",), 2)


def test_unknown_words_are_left_out_on_request() -> None:
    translator = DictionaryTranslator(_glossary("zh", "en", _ZH), keep_unknown=False)
    kept = DictionaryTranslator(translator.glossary)
    text = "行星齿轮包括乒乓。"
    assert translator.translate(text).unknown == kept.translate(text).unknown == ("乒乓",)
    assert "乒乓" in kept.translate(text).text
    assert "乒乓" not in translator.translate(text).text
    assert translator.signature.endswith(",unknown=left out)")


def test_a_text_without_words_has_full_coverage() -> None:
    done = _translated("zh", "12, 13。")
    assert (done.text, done.coverage) == ("12, 13.", 1.0)


def test_the_signature_names_dictionary_languages_and_segmenter() -> None:
    translator = DictionaryTranslator(_glossary("zh", "en", _ZH))
    assert translator.signature.startswith("word-by-word/2(hand-made,zh-en,rjieba-")


def test_a_language_without_words_is_refused() -> None:
    with pytest.raises(UsageError, match="no words are known for 'de'"):
        DictionaryTranslator(_glossary("de", "en", {"Rad": ["wheel"]}))


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    st.sampled_from(["zh", "ja", "en"]),
    st.text("行星齿轮包括歯車を囲む12aB gear-（）、 ", max_size=30),
)
def test_every_word_is_accounted_for(source: str, text: str) -> None:
    done = _translated(source, text)
    assert done == _translated(source, text)
    assert 0 <= done.coverage <= 1
    assert all(word in done.text for word in done.unknown)
    assert "\x00" not in done.text
