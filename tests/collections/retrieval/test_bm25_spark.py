"""DuckDB and Spark rank alike. Spark runs as a cluster of two workers in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from patmark.collections.retrieval.bm25 import Bm25
from patmark.collections.retrieval.demo_collection import DemoCollection
from patmark.collections.retrieval.filters import Filters
from patmark.collections.retrieval.index import build_index
from patmark.collections.retrieval.index_terms import term_procedure
from patmark.collections.retrieval.search import OpenIndex, SearchSettings, search_topics
from patmark.errors import UsageError
from spark_cluster import MASTER, skip_without_spark, spark_session

skip_without_spark()
pytest.importorskip("duckdb", reason="duckdb is absent: pip install 'patmark[retrieval]'")
pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")

_LANGUAGES = {"en": "en-stem", "zh": "zh-bigram", "ja": "ja-bigram"}

pytestmark = pytest.mark.filterwarnings("ignore")  # those of pyspark are not ours


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    with spark_session(4) as session:
        yield session


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_spark_and_duckdb_give_the_same_rankings(
    language: Any, session: Any, tmp_path: Path
) -> None:
    demo = DemoCollection(500, language, seed=3, words=60)
    folder = tmp_path / "index"
    procedure = term_procedure(_LANGUAGES[language])
    build_index(folder, demo.documents(), procedure, exact_tables=True, batch=200)
    index, topics = OpenIndex.at(folder), demo.topics(12)
    level: Any
    for level, bm25 in ((None, Bm25()), ("subclass", Bm25(0.9, 0.4))):
        filters = Filters(level)
        exact = search_topics(index, topics, SearchSettings(filters, 300, "duckdb", bm25))
        spark = search_topics(index, topics, SearchSettings(filters, 300, "spark", bm25))
        for topic in topics:
            ours, theirs = exact.found[topic.id], spark.found[topic.id]
            assert [name for name, _ in ours] == [name for name, _ in theirs]
            assert [s for _, s in ours] == pytest.approx([s for _, s in theirs], abs=2e-9)
        assert spark.signature.startswith("spark-")


def test_the_work_was_done_by_two_workers(session: Any) -> None:
    assert session.sparkContext.master == MASTER
    status = session.sparkContext._jsc.sc().getExecutorMemoryStatus()
    assert status.size() == 3  # the driver and two workers


def test_another_cluster_than_the_running_one_is_refused(session: Any, tmp_path: Path) -> None:
    demo = DemoCollection(60, words=20)
    build_index(tmp_path / "i", demo.documents(), term_procedure("en-stem"), exact_tables=True)
    settings = SearchSettings(k=5, engine="spark", spark_master="local[1]")
    with pytest.raises(UsageError, match="is running"):
        search_topics(OpenIndex.at(tmp_path / "i"), demo.topics(1), settings)
