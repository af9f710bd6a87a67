from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb", reason="duckdb is absent: pip install 'patmark[retrieval]'")
pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")

from patmark.collections.retrieval.bm25 import Bm25, ExactQuery, search_exactly
from patmark.collections.retrieval.demo_collection import DemoCollection
from patmark.collections.retrieval.filters import Filters, TopicFilter, topic_filters
from patmark.collections.retrieval.search import (
    OpenIndex,
    SearchSettings,
    search_topics,
    topic_terms,
)
from patmark.collections.retrieval.topics import Topic
from patmark.data import PatentDocument
from patmark.engine import open_engine
from patmark.errors import UsageError
from retrieval_index import demo_index, open_index


def _found(index: OpenIndex, query: ExactQuery, folder: Path) -> list[tuple[str, float]]:
    """What is found for the only topic of a query."""
    (folder / "scratch").mkdir()
    with closing(open_engine("local", workers=2)) as engine:
        [rows] = search_exactly(index.folder, query, engine, folder / "scratch")
    return rows


def _plain_bm25(
    texts: dict[str, list[str]],
    query: Counter[str],
    bm25: Bm25,
    length: Callable[[Sequence[str]], int] = len,
) -> dict[str, float]:
    """BM25 as the formula is written, one document after the other."""
    n = len(texts)
    mean = sum(map(len, texts.values())) / n
    counts = {name: Counter(terms) for name, terms in texts.items()}
    df = {term: sum(term in count for count in counts.values()) for term in query}
    scores = {}
    for name, count in counts.items():
        norm = bm25.k1 * (1 - bm25.b + bm25.b * length(texts[name]) / mean)
        parts = [
            qtf * math.log(1 + (n - df[term] + 0.5) / (df[term] + 0.5))
            * count[term] * (bm25.k1 + 1) / (count[term] + norm)
            for term, qtf in query.items() if count[term]
        ]  # fmt: skip
        if parts:
            scores[name] = math.fsum(parts)
    return scores


@pytest.mark.parametrize(
    ("language", "terms", "bm25"),
    [
        ("en", "en-stem", Bm25()),
        ("en", "en-word", Bm25(0.0, 0.0)),
        ("zh", "zh-bigram", Bm25(0.9, 0.4)),
        ("ja", "ja-bigram", Bm25(2.0, 1.0)),
    ],
)
def test_the_statement_equals_the_formula(
    language: Any, terms: str, bm25: Bm25, tmp_path: Path
) -> None:
    demo = DemoCollection(160, language, words=40)
    index = demo_index(tmp_path / "i", demo, terms, batch=60)
    procedure = index.manifest.procedure
    texts = {document.id: procedure.terms(document.text) for document in demo.documents()}
    topics = demo.topics(3)
    settings = SearchSettings(Filters(None, False, False), 1000, "duckdb", bm25)
    found = search_topics(index, topics, settings).found
    for topic, query in zip(topics, topic_terms(index, topics), strict=True):
        expected = _plain_bm25(texts, query, bm25)
        assert dict(found[topic.id]) == pytest.approx(expected, abs=1e-9)
        scores = [score for _, score in found[topic.id]]
        assert scores == sorted(scores, reverse=True)


def test_scores_equal_those_of_rank_bm25(tmp_path: Path) -> None:
    # rank_bm25 0.2.2, BM25Plus(k1=1.2, b=0.75, delta=0), whose idf is ln((N + 1) / df):
    # its scores over its idf equal ours over ours for a query of one term.
    # print(list(BM25Plus(corpus, k1=1.2, b=0.75, delta=0).get_scores(["x"]) / log(5 / 3)))
    corpus = {"a": "x y z", "b": "x x w", "c": "v w", "d": "x u u u u u"}
    documents = [PatentDocument(name, title=text) for name, text in corpus.items()]
    index = open_index(tmp_path / "i", documents)
    query = ExactQuery([Counter(["x"])], [TopicFilter()], 10)
    idf = math.log(1 + (4 - 3 + 0.5) / (3 + 0.5))
    found = {name: score / idf for name, score in _found(index, query, tmp_path)}
    assert found == pytest.approx(
        {"a": 1.0620689655172415, "b": 1.4325581395348839, "d": 0.7738693467336684}, abs=3e-9
    )


def test_equal_scores_are_ordered_by_id(tmp_path: Path) -> None:
    names = ["b", "a", "Z", "é", "z", "10", "9", "😀", "ﬀ"]
    index = open_index(tmp_path / "i", [PatentDocument(name, title="gate") for name in names])
    query = ExactQuery([Counter(["gate"])], [TopicFilter()], 100)
    assert [name for name, _ in _found(index, query, tmp_path)] == sorted(names)


def test_statistics_are_those_of_the_whole_collection(tmp_path: Path) -> None:
    """A filter changes which documents are found, not what they score."""
    demo = DemoCollection(400, words=40)
    index, topics = demo_index(tmp_path / "i", demo, "en-stem"), demo.topics(4)
    everything = search_topics(
        index, topics, SearchSettings(Filters(None, False, False), 1000, "duckdb")
    ).found
    level: Any
    for level in ("section", "class", "subclass", "group"):
        filters = Filters(level)
        wanted = topic_filters(topics, filters)
        some = search_topics(index, topics, SearchSettings(filters, 1000, "duckdb")).found
        by_id = {document.id: document for document in index.documents}
        for topic, one in zip(topics, wanted, strict=True):
            passing = [
                (name, score) for name, score in everything[topic.id]
                if one.passes_ipc(by_id[name]) and one.passes_date(by_id[name])
                and one.passes_family(by_id[name])
            ]  # fmt: skip
            assert some[topic.id] == passing


def test_published_on_the_day_itself_is_too_late(tmp_path: Path) -> None:
    day = date(2000, 1, 2)
    documents = [
        PatentDocument("before", date(2000, 1, 1), title="gate"),
        PatentDocument("same", day, title="gate"),
        PatentDocument("undated", title="gate"),
    ]
    index = open_index(tmp_path / "i", documents)
    query = ExactQuery([Counter(["gate"])], [TopicFilter(before=day)], 10)
    assert [name for name, _ in _found(index, query, tmp_path)] == ["before"]


def test_a_folder_with_a_quote_in_its_name(tmp_path: Path) -> None:
    index = open_index(tmp_path / "it's", [PatentDocument("a", title="gate")])
    query = ExactQuery([Counter(["gate"])], [TopicFilter()], 10)
    assert len(_found(index, query, tmp_path)) == 1


def test_parameters_out_of_range_are_refused() -> None:
    for k1, b in ((-1, 0.5), (1.2, 1.5), (math.nan, 0.5), (math.inf, 0.5), (1.2, math.inf)):
        with pytest.raises(UsageError, match="k1 from 0 to 100"):
            Bm25(k1, b)


def _agreement(index: OpenIndex, topics: Any, filters: Filters) -> tuple[list[bool], float]:
    """Whether the first document of each topic is the same, and the mean overlap@100."""
    fast = search_topics(index, topics, SearchSettings(filters)).found
    exact = search_topics(index, topics, SearchSettings(filters, engine="duckdb")).found
    same = [fast[topic][0][0] == rows[0][0] for topic, rows in exact.items() if rows]
    shares = [
        len({name for name, _ in fast[topic][:100]} & {name for name, _ in rows[:100]})
        / len(rows[:100])
        for topic, rows in exact.items() if rows
    ]  # fmt: skip
    return same, sum(shares) / len(shares)


_ENGLISH = DemoCollection(2000, words=60)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    return demo_index(tmp_path_factory.mktemp("english") / "i", _ENGLISH, "en-stem")


@pytest.mark.parametrize("filters", [Filters(), Filters("subclass"), Filters(None, False, False)])
def test_tantivy_is_close_to_exact_bm25_on_2000_documents(
    filters: Filters, english: OpenIndex
) -> None:
    same, overlap = _agreement(english, _ENGLISH.topics(60), filters)
    assert len(same) == 60
    assert sum(same) >= 58
    assert overlap >= 0.98


@pytest.mark.parametrize(("language", "terms"), [("zh", "zh-bigram"), ("ja", "ja-word")])
def test_tantivy_is_close_to_exact_bm25_in_other_languages(
    language: Any, terms: str, tmp_path: Path
) -> None:
    demo = DemoCollection(2000, language, words=30)
    index = demo_index(tmp_path / "i", demo, terms)
    same, overlap = _agreement(index, demo.topics(20), Filters("class"))
    assert len(same) == 20
    assert sum(same) >= 18
    assert overlap >= 0.98


def _rounded_length(terms: Sequence[str]) -> int:
    """A length as tantivy keeps it in one byte (its src/fieldnorm/code.rs): exact up to 40,
    then four significant bits above 24."""
    length = len(terms)
    if length <= 40:
        return length
    shift = (length - 24).bit_length() - 4
    return 24 + ((length - 24) >> shift << shift)


def _words(rng: random.Random, kinds: int, count: int) -> str:
    return " ".join(f"w{rng.randrange(kinds)}" for _ in range(count))


_RNG = random.Random(1)
_COLLECTIONS = {
    "one word, lengths up to 5000": (
        ["gate " * _RNG.randint(1, 9) + "filler " * _RNG.randint(0, 5000) for _ in range(300)],
        ["gate"],
    ),
    "words drawn alike": (
        [_words(_RNG, 300, _RNG.randint(60, 250)) for _ in range(800)],
        [_words(_RNG, 300, 60) for _ in range(8)],
    ),
    "words that nearly all documents have": (
        ["gate shaft " * _RNG.randint(1, 3) + "filler " * _RNG.randint(41, 89) for _ in range(600)],
        ["gate", "gate shaft", "gate gate shaft filler"],
    ),
    "a long and a short document": (
        ["gate " * 12 + "filler " * 2300, "gate " + "filler " * 108, *["filler " * 282] * 100],
        ["gate"],
    ),
}


@pytest.mark.parametrize("name", _COLLECTIONS)
def test_tantivy_has_the_formula_with_rounded_lengths(name: str, tmp_path: Path) -> None:
    texts, queries = _COLLECTIONS[name]
    documents = [PatentDocument(f"d{number}", title=text) for number, text in enumerate(texts)]
    index = open_index(tmp_path / "i", documents)
    topics = [Topic(f"t{number}", query) for number, query in enumerate(queries)]
    settings = SearchSettings(Filters(None, False, False), k=len(texts))
    found = search_topics(index, topics, settings).found
    terms = {document.id: document.title.split() for document in documents}
    for topic in topics:
        query = Counter(topic.text.split())
        expected = _plain_bm25(terms, query, Bm25(), _rounded_length)
        largest = max(expected.values())
        assert dict(found[topic.id]) == pytest.approx(expected, rel=1e-4, abs=1e-5 * largest)
        scores = [score for _, score in found[topic.id]]
        assert scores == sorted(scores, reverse=True)
