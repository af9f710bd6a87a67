"""Topics translated word by word."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from patmark.collections.retrieval import Topic
from patmark.collections.retrieval.topic_translation import translate_topics
from patmark.data.dictionaries import Dictionary, glossary_from, read_glossary
from patmark.errors import InputError
from patmark.protocols.ntcir7.demo import degrade_topics
from patmark.systems import DictionaryTranslator

_TRANSLATOR = DictionaryTranslator(
    glossary_from(Dictionary("g", "ja", "en", [("歯車", ["gear"]), ("軸", ["shaft"])]))
)
_TOPIC = Topic("1048", "歯車が軸と前記ピストンと前記", date(1995, 6, 29), ("F16H 1/00",), "F1")


def test_only_the_text_changes_and_words_are_counted() -> None:
    done = translate_topics([_TOPIC], _TRANSLATOR)
    (topic,) = done.topics
    assert topic.text == "gear shaft 前記 ピストン 前記"
    assert (topic.id, topic.date, topic.ipc, topic.family) == (
        "1048", date(1995, 6, 29), ("F16H 1/00",), "F1",
    )  # fmt: skip
    assert done.to_json() == {
        "topics": 1, "words_translated": 2, "words_unknown": 3, "particles_left_out": 3,
        "coverage": 0.4, "untranslated": 0.6, "unknown_kept": True,
        "unknown": {"前記": 2, "ピストン": 1}, "signature": _TRANSLATOR.signature,
    }  # fmt: skip
    assert done.lines()[1] == "2 translated (40.0 %), 3 unknown and kept"


def test_the_untranslated_are_left_out_on_request() -> None:
    done = translate_topics([_TOPIC], replace(_TRANSLATOR, keep_unknown=False))
    assert done.topics[0].text == "gear shaft"
    assert done.lines()[1] == "2 translated (40.0 %), 3 unknown and left out"
    assert done.to_json()["words_unknown"] == 3


@pytest.mark.parametrize("pair", ["en-ja", "ja-en", "zh-en", "en-zh"])
def test_one_dictionary_serves_both_directions(tmp_path: Path, pair: str) -> None:
    source, target = pair.split("-")
    texts = {
        "en": "a planetary gear shaft of wumpus",
        "ja": "遊星歯車軸のwumpus",
        "zh": "行星齿轮轴wumpus",
    }
    words = {
        "ja": "遊星歯車\tplanetary gear\n歯車\tgear\n軸\tshaft\n",
        "zh": "行星齿轮\tplanetary gear\n齿轮\tgear\n轴\tshaft\n",
    }
    other = target if source == "en" else source
    (tmp_path / "words.tsv").write_text(words[other], encoding="utf-8")
    kind = "inverted-tsv" if source == "en" else "tsv"
    glossary = read_glossary(f"{kind}:{tmp_path / 'words.tsv'}", source, target)
    done = translate_topics([Topic("1", texts[source])], DictionaryTranslator(glossary, False))
    expected = {"en": "planetary gear shaft", "ja": "遊星歯車軸", "zh": "行星齿轮轴"}[target]
    assert done.topics[0].text.removesuffix("wumpus").strip() == expected
    assert done.translated == 2


def test_topics_of_which_nothing_is_left_are_all_named() -> None:
    with pytest.raises(InputError) as error:
        translate_topics([Topic("1", "を"), _TOPIC, Topic("2", "を")], _TRANSLATOR)
    assert len(error.value.problems) == 2


def test_degraded_topics_differ_in_what_is_dropped() -> None:
    topics = [Topic(str(n), "a b c d e f g h i j") for n in range(5)]
    done = degrade_topics(topics, 0.5, "en")
    assert {len(topic.text.split()) for topic in done} == {5}
    assert len({topic.text for topic in done}) > 1
    assert done == degrade_topics(topics, 0.5, "en")
