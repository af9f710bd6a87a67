from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from patmark.collections.retrieval.collection import read_collection
from patmark.collections.retrieval.demo_collection import (
    DOCUMENTS,
    LANGUAGES,
    QRELS,
    TOPICS,
    DemoCollection,
    write_demo,
)
from patmark.collections.retrieval.ipc import ipc_prefixes
from patmark.collections.retrieval.qrels import read_qrels
from patmark.collections.retrieval.topics import read_topics
from patmark.errors import UsageError
from patmark.examples.vocabulary import coined_word, domains
from patmark.languages import has_cjk, has_kana

_SIZE = 300


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_collection_can_be_made_again(language: Any) -> None:
    demo = DemoCollection(_SIZE, language)
    documents = list(demo.documents())
    assert documents == list(DemoCollection(_SIZE, language).documents())
    assert documents != list(DemoCollection(_SIZE, language, seed=1).documents())
    assert len({document.id for document in documents}) == _SIZE
    assert all(ipc_prefixes(code) for document in documents for code in document.ipc)
    assert 0 < sum(document.date is None for document in documents) < _SIZE / 10


def test_languages_tell_of_the_same_inventions() -> None:
    facts = [
        [(one.date, one.ipc, one.family) for one in DemoCollection(_SIZE, language).documents()]
        for language in LANGUAGES
    ]
    assert facts[0] == facts[1] == facts[2]
    demo = DemoCollection(_SIZE)
    english, chinese, japanese = (demo.topics(10, language) for language in LANGUAGES)
    assert [topic.id for topic in english] == [topic.id for topic in japanese]
    assert not any(has_cjk(topic.text) for topic in english)
    assert not any(has_kana(topic.text) for topic in chinese)
    assert all(has_kana(topic.text) for topic in japanese)


def test_families_share_their_invention() -> None:
    families = defaultdict(list)
    for document in DemoCollection(_SIZE).documents():
        families[document.family].append(document)
    assert {len(members) for members in families.values()} == {2}
    assert all(len({one.ipc for one in members}) == 1 for members in families.values())


def test_citations_are_of_other_families_and_graded() -> None:
    demo = DemoCollection(_SIZE)
    topics, qrels = demo.topics(30), demo.qrels(30)
    family = {document.id: document.family for document in demo.documents()}
    assert qrels.topics == tuple(topic.id for topic in topics)
    assert {grade for _, _, grade in qrels.rows()} == {1, 2}
    own = {topic.id: topic.family for topic in topics}
    for topic, document, _ in qrels.rows():
        assert family[document] != own[topic]


def test_length_follows_what_is_asked_for() -> None:
    for words in (50, 400):
        lengths = [
            len(one.description.split()) for one in DemoCollection(200, words=words).documents()
        ]
        assert sum(lengths) / len(lengths) == pytest.approx(words, rel=0.15)


def test_coined_words_differ() -> None:
    words = [coined_word(number) for number in range(20_000)]
    for language in range(3):
        assert len({word[language] for word in words}) == len(words)


def test_the_vocabulary_is_complete() -> None:
    words = [word for domain in domains() for word in (domain.device, *domain.parts)]
    assert all(all(word) for word in words)
    assert not any(has_cjk(word.en) for word in words)
    assert all(has_cjk(word.zh) and has_cjk(word.ja) for word in words)


def test_files_are_read_back(tmp_path: Path) -> None:
    demo = DemoCollection(120, "ja")
    write_demo(tmp_path, demo, 5)
    assert list(read_collection([tmp_path / DOCUMENTS])) == list(demo.documents())
    read = [
        (one.id, one.text, one.date, one.ipc, one.family) for one in read_topics(tmp_path / TOPICS)
    ]
    assert read == [(one.id, one.text, one.date, one.ipc, one.family) for one in demo.topics(5)]
    qrels = read_qrels(tmp_path / QRELS)
    assert list(qrels.rows()) == list(demo.qrels(5).rows())


def test_what_cannot_be_made_is_refused() -> None:
    language: Any = "de"
    with pytest.raises(UsageError, match="choose from en, zh, ja"):
        DemoCollection(10, language)
    with pytest.raises(UsageError, match="at least one"):
        DemoCollection(0)
    with pytest.raises(UsageError, match="give only"):
        DemoCollection(50).topics(100)
