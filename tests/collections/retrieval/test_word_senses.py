"""Word senses by IPC: which translation of a word a collection decides on."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from patmark.collections.retrieval import Topic, translate_by_ipc, translate_topics, word_senses
from patmark.collections.retrieval.word_senses import count_senses
from patmark.data import PatentDocument
from patmark.data.dictionaries import Dictionary, glossary_from, joined_glossaries
from patmark.errors import UsageError
from patmark.systems import DictionaryTranslator

ENGLISH = Dictionary("g", "en", "zh", [
    ("film", ["电影", "胶片", "薄膜", "膜"]),
    ("gate", ["大门", "闸门", "栅极"]),
    ("insulate", ["隔热", "绝缘"]),
    ("thin film", ["薄膜"]),
    ("wall", ["墙"]),
    ("cell", ["细胞", "电池"]),
])  # fmt: skip
SEMICONDUCTORS = "在衬底上形成绝缘膜，绝缘膜上有栅极。"
CINEMA = "电影院放映电影，墙隔热，大门关闭。"
WATER = "水渠的闸门。"


def collection(**texts: tuple[str, str, int]) -> list[PatentDocument]:
    return [
        PatentDocument(f"{name}{number}", ipc=(code,) if code else (), title=text)
        for name, (code, text, times) in texts.items()
        for number in range(times)
    ]


COLLECTION = collection(
    a=("H01L 21/336", SEMICONDUCTORS, 20),
    b=("G03B 21/00", CINEMA, 30),
    c=("E02B 7/20", WATER, 10),
)


def translated(
    text: str, *ipc: str, documents: Iterable[PatentDocument] = COLLECTION,
    dictionary: Dictionary = ENGLISH,
) -> str:  # fmt: skip
    translator = DictionaryTranslator(glossary_from(dictionary))
    topic = Topic("1", text, ipc=ipc)
    return translate_by_ipc([topic], translator, documents, dictionary.target).topics[0].text


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("insulated film", "H01L 29/78", "绝缘膜"),
        ("insulated film", "H01L0029780000", "绝缘膜"),
        ("insulated film", "H01B 3/00", "绝缘膜"),  # as in other classes of the section
        ("insulated film", "G03B 31/00", "隔热电影"),
        ("gate", "H01L", "栅极"),
        ("gate", "E02B 13/02", "闸门"),
        ("gate", "G03B", "大门"),
    ],
)
def test_the_sense_is_that_of_the_field(text: str, code: str, expected: str) -> None:
    assert translated(text, code) == expected


def test_of_several_codes_all_count() -> None:
    assert translated("gate", "H01L 21/00", "H01L 29/78", "E02B 7/20") == "栅极"
    assert translated("gate", "E02B 7/20", "E02B 9/00") == "闸门"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wall", "墙"),  # one translation
        ("thin film", "薄膜"),  # the longest headword, although 膜 fits H01L better
        ("cell", "细胞"),  # no document has either
    ],
)
@pytest.mark.parametrize("code", ["H01L 29/78", "G03B 31/00", "A61K 9/00"])
def test_without_a_choice_or_evidence_nothing_changes(text: str, expected: str, code: str) -> None:
    assert translated(text, code) == expected


def test_one_document_is_no_evidence() -> None:
    one = collection(a=("H01L 21/00", "电池", 1), b=("H01L 21/00", "衬底", 30))
    assert translated("cell", "H01L 21/00", documents=one) == "细胞"
    assert translated("cell", "H01L 21/00", documents=[*one, *collection(c=("", "电池", 1))]) == (
        "电池"
    )


@pytest.mark.parametrize("ipc", [(), ("A61K 9/00",), ("no code",)])
def test_without_a_known_code_the_whole_collection_decides(ipc: tuple[str, ...]) -> None:
    documents = collection(a=("H01L 21/00", SEMICONDUCTORS, 40), b=("G03B", CINEMA, 3))
    assert translated("gate", *ipc, documents=documents) == "栅极"
    assert translated("gate", *ipc, documents=documents[::-1]) == "栅极"
    assert translated("gate", *ipc, documents=[]) == "大门"


def test_other_languages_have_their_own_words() -> None:
    japanese = Dictionary("g", "ja", "en", [("弁", ["speech", "petal", "valve"])])
    english = [
        PatentDocument(str(n), cpc=("F16K 1/00",), abstract="Two check valves.") for n in range(5)
    ] + [PatentDocument(f"p{n}", ipc=("A01H 5/00",), abstract="Petals") for n in range(5)]
    assert translated("弁", "F16K", documents=english, dictionary=japanese) == "valve"
    assert translated("弁", "A01H", documents=english, dictionary=japanese) == "petal"
    chinese = Dictionary("g", "zh", "ja", [("阀", ["派閥", "弁"])])
    documents = collection(a=("F16K 1/00", "この弁は開く。", 3), b=("G06Q", "派閥の政治", 3))
    assert translated("阀", "F16K", documents=documents, dictionary=chinese) == "弁"
    assert translated("阀", "G06Q", documents=documents, dictionary=chinese) == "派閥"


def test_the_report_names_rule_documents_and_words() -> None:
    topics = [Topic("1", "insulated film", ipc=("H01L",)), Topic("2", "a wall of a cell")]
    translator = DictionaryTranslator(glossary_from(ENGLISH))
    done = translate_by_ipc(topics, translator, COLLECTION, "zh")
    assert done.senses is not None
    assert done.to_json()["senses"] == {
        "documents": 60, "topics_without_ipc": 1, "words_ambiguous": 3, "words_not_first": 2,
        "not_first": [
            {"word": "film", "translation": "膜", "times": 1},
            {"word": "insulated", "translation": "绝缘", "times": 1},
        ],
        "left_out": {name: [] for name in done.problems.to_json()},
    }  # fmt: skip
    assert "|senses=ipc/1(docs=60,ids=" in done.signature
    assert "terms=zh-word/1(" in done.signature
    text = "\n".join(done.lines())
    assert "3 words have several translations; by IPC and 60 documents, 2 are not" in text
    assert "insulated → 绝缘 1" in text and "1 topic has no IPC code" in text
    plain = translate_topics(topics, translator)
    assert "senses" not in plain.to_json() and "senses" not in plain.signature
    assert plain.topics[0].text == "隔热电影"


def test_the_first_dictionary_that_has_a_word_offers_its_translations() -> None:
    own = glossary_from(Dictionary("own", "en", "zh", [("film", ["薄膜层"])], literal=True))
    translator = DictionaryTranslator(joined_glossaries([own, glossary_from(ENGLISH)]))
    topic = Topic("1", "insulated film", ipc=("H01L",))
    done = translate_by_ipc([topic], translator, COLLECTION, "zh")
    assert done.topics[0].text == "绝缘薄膜层"


def test_a_sample_is_drawn_by_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_senses, "SAMPLE", 25)
    counts = count_senses(COLLECTION, ["膜"], "zh")
    assert counts == count_senses(COLLECTION[::-1], ["膜"], "zh")
    assert counts.total == 25
    assert 0 < counts.documents["H01L"] < 20


def test_languages_without_words_are_refused() -> None:
    with pytest.raises(UsageError, match="no words are known for 'de'"):
        count_senses([], [], "de")
