from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")
pytest.importorskip("duckdb", reason="duckdb is absent: pip install 'patmark[retrieval]'")

from patmark.collections.retrieval.bm25 import Bm25
from patmark.collections.retrieval.filters import Filters
from patmark.collections.retrieval.index import build_index
from patmark.collections.retrieval.rankings import read_ranking, write_ranking
from patmark.collections.retrieval.search import (
    OpenIndex,
    SearchSettings,
    _shared_scratch,
    search_topics,
)
from patmark.collections.retrieval.topics import Topic
from patmark.data import PatentDocument
from patmark.errors import InputError, MissingExtra, UsageError
from retrieval_index import WORDS, open_index

_OFF = Filters(None, False, False)
_DOCUMENTS = [
    PatentDocument("a", date(1990, 1, 1), ("H01L 21/00",), title="gate oxide film", family="f1"),
    PatentDocument("b", date(1995, 1, 1), ("H01L 29/00",), title="gate gate gate", family="f2"),
    PatentDocument("c", date(1999, 1, 1), ("H02K 1/00",), title="gate motor", family="f3"),
    PatentDocument("d", None, ("G06F 3/00",), title="gate array logic"),
    PatentDocument("e", date(1990, 1, 1), (), title="gate valve pump"),
]
_TOPIC = Topic("t", "gate", date(1999, 1, 1), ("H01L 21/336",), "f1")
_each_engine = pytest.mark.parametrize("engine", ["tantivy", "duckdb"])


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    return open_index(tmp_path_factory.mktemp("search") / "i", _DOCUMENTS)


def _names(index: OpenIndex, topic: Topic, filters: Filters, engine: Any) -> set[str]:
    found = search_topics(index, [topic], SearchSettings(filters, engine=engine)).found
    return {name for name, _ in found[topic.id]}


@_each_engine
@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (_OFF, "abcde"),
        (Filters(None, True, False), "abe"),
        (Filters(None, False, True), "bcde"),
        (Filters("section", False, False), "abc"),
        (Filters("class", False, False), "ab"),
        (Filters("subclass", False, False), "ab"),
        (Filters("group", False, False), "a"),
        (Filters("section", True, True), "b"),
    ],
)
def test_filters_leave_out_what_they_should(
    index: OpenIndex, engine: str, filters: Filters, names: str
) -> None:
    assert _names(index, _TOPIC, filters, engine) == set(names)


def test_what_filters_leave_out_is_counted(index: OpenIndex) -> None:
    strict = search_topics(index, [_TOPIC], SearchSettings(Filters("class")))
    assert (strict.undated, strict.unclassified, strict.without_family) == (1, 1, 0)
    loose = search_topics(index, [Topic("t", "gate")], SearchSettings(_OFF))
    assert (loose.undated, loose.unclassified, loose.without_family) == (0, 0, 0)
    nameless = Topic("t", "gate", date(2000, 1, 1))
    assert search_topics(index, [nameless]).without_family == 1


def test_topics_that_lack_what_a_filter_needs_are_all_listed(index: OpenIndex) -> None:
    topics = [
        Topic("t1", "gate", None, ("H01L",)),
        Topic("t2", "gate", date(2000, 1, 1)),
        Topic("t3", "gate", date(2000, 1, 1), ("H", "???")),
    ]
    with pytest.raises(InputError) as error:
        search_topics(index, topics, SearchSettings(Filters("class")))
    assert [str(problem) for problem in error.value.problems] == [
        "topic 't1' has no date; add it, or search without the date filter (no_date=)",
        "topic 't2' has no IPC code; add one, or search with ipc=off instead of class",
        "topic 't3' has the IPC code 'H', which has no class",
        "topic 't3' has '???', which is no IPC code",
    ]


@_each_engine
def test_the_frequency_of_a_term_in_the_topic_counts(index: OpenIndex, engine: Any) -> None:
    def score(text: str) -> float:
        topics = [Topic("t", text)]
        found = search_topics(index, topics, SearchSettings(_OFF, engine=engine)).found["t"]
        return dict(found)["a"]

    parts = score("oxide"), score("film")
    assert score("oxide oxide oxide film") == pytest.approx(3 * parts[0] + parts[1], abs=1e-3)


@_each_engine
def test_query_syntax_is_only_text(index: OpenIndex, engine: Any) -> None:
    text = 'terms:"oxide" AND -gate^99 (motor) [a TO z] family:f1 * ~ \\ " OR NOT'
    topics = [Topic("t", text), Topic("u", "terms oxide gate 99 motor z family f1")]
    found = search_topics(index, topics, SearchSettings(_OFF, engine=engine)).found
    assert found["t"] == found["u"] != []


@_each_engine
def test_long_topics_work(tmp_path: Path, engine: Any) -> None:
    words = [f"w{number}" for number in range(2000)]
    documents = [
        PatentDocument(f"d{start}", title=" ".join(words[start : start + 50]))
        for start in range(0, 2000, 10)
    ]
    index = open_index(tmp_path / "i", documents)
    topic = Topic("t", " ".join(words))
    found = search_topics(index, [topic], SearchSettings(_OFF, 1000, engine)).found["t"]
    assert len(found) == 200


@_each_engine
def test_equal_scores_are_ordered_by_id_and_kept_in_files(tmp_path: Path, engine: Any) -> None:
    names = [*(f"z{number}" for number in range(50)), "c", "a", "d", "b"]
    documents = [PatentDocument(name, title="gate") for name in names]
    index = open_index(tmp_path / "i", documents)
    result = search_topics(index, [Topic("t", "gate")], SearchSettings(_OFF, 3, engine))
    assert [name for name, _ in result.found["t"]] == ["a", "b", "c"]
    assert result.to_json()["separated_scores"] == 2
    assert any(line.startswith("2 tied scores were moved") for line in result.lines())
    write_ranking(tmp_path / "x.run", result.ranking("x"))
    rows = list(read_ranking(tmp_path / "x.run").rows())
    assert [document for _, document, _, _ in rows] == ["a", "b", "c"]


def test_scores_stay_in_the_run_where_they_fall(index: OpenIndex) -> None:
    result = search_topics(index, [Topic("t", "gate oxide")], SearchSettings(_OFF, 2, "duckdb"))
    assert result.separated == 0
    assert list(result.ranking("x").scores) == [score for _, score in result.found["t"]]


def test_nothing_found_is_told(index: OpenIndex) -> None:
    result = search_topics(index, [Topic("t", "unheard")], SearchSettings(_OFF))
    assert result.empty == ("t",)


def test_a_topic_without_terms_is_an_error(index: OpenIndex) -> None:
    with pytest.raises(InputError, match="'t' has no term left"):
        search_topics(index, [Topic("t", "of the ...")], SearchSettings(_OFF))


@pytest.mark.parametrize("topics", [[], [_TOPIC, _TOPIC]])
def test_no_topics_and_topics_twice(index: OpenIndex, topics: Sequence[Topic]) -> None:
    with pytest.raises(UsageError, match="topics"):
        search_topics(index, topics)


def test_settings_that_make_no_sense() -> None:
    settings: list[tuple[dict[str, Any], str]] = [
        ({"k": 0}, "k ≥ 1"),
        ({"engine": "lucene"}, "choose from tantivy, duckdb, spark"),
        ({"bm25": Bm25(0.9)}, "fixed"),
        ({"spark_master": "local[2]"}, "no sense"),
    ]
    for wrong, message in settings:
        with pytest.raises(UsageError, match=message):
            SearchSettings(**wrong)


def test_exact_engines_need_exact_tables(tmp_path: Path) -> None:
    build_index(tmp_path / "i", _DOCUMENTS, WORDS)
    with pytest.raises(UsageError, match="build it with exact="):
        search_topics(OpenIndex.at(tmp_path / "i"), [_TOPIC], SearchSettings(engine="duckdb"))


@pytest.mark.parametrize(
    ("engine", "library", "extra"),
    [("duckdb", "duckdb", "retrieval"), ("spark", "pyspark", "spark")],
)
def test_missing_libraries_name_the_extra(
    index: OpenIndex, engine: Any, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [*sys.modules]:
        if name.split(".")[0] == library:
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=rf"patmark\[{extra}\]"):
        search_topics(index, [_TOPIC], SearchSettings(engine=engine))


def test_what_killed_searches_of_a_cluster_left_is_removed(tmp_path: Path) -> None:
    for name in (".search-old", ".search-new"):
        (tmp_path / name / "found").mkdir(parents=True)
    os.utime(tmp_path / ".search-old", (1e9, 1e9))
    with _shared_scratch(tmp_path) as scratch:
        assert Path(scratch).parent == tmp_path
    assert [path.name for path in tmp_path.iterdir()] == [".search-new"]


def test_a_cluster_needs_an_index_that_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "i").write_text("no folder: also a superuser can make nothing in it")
    refused = pytest.raises(UsageError, match=r"i cannot be written: .*; Spark needs room there")
    with refused, _shared_scratch(tmp_path / "i"):
        pass


def test_the_signature_holds_everything(index: OpenIndex) -> None:
    made = search_topics(index, [_TOPIC], SearchSettings(Filters("class"), 7)).signature
    for part in ("tantivy-", "BM25(k1=1.2,b=0.75)", "terms=en-word/1", "ipc=class,date=before",
                 "family=exclude-own", "k=7", "docs=5", "ids="):  # fmt: skip
        assert part in made
