"""Exact BM25 as one SQL statement, the same text on DuckDB and on Spark.

    score(d, q) = Σ_t qtf · idf · tf·(k1 + 1) / (tf + k1·(1 − b + b·|d|/avgdl))
    idf(t) = ln(1 + (N − df + 0.5)/(df + 0.5))

N, df and the mean length are those of the whole collection; filters only remove candidates.
Addends are float64, rounded to 12 decimals and added as whole numbers, so that the order of
addition on a cluster cannot change a sum. Sums are rounded to 9 decimals before ranking, and equal
ones are ordered by document id (by code points).

Tables of the collection are described in ``tables``. Those of a search:
``query_terms(qid, term, qtf)``, ``topics(qid, fdate, family, codes)`` and ``settings(k1, b, k)``
with one row. DuckDB is the reference for tests and small collections; Spark searches for all
topics on a cluster, whose workers must find the folder of the index at the same place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from patmark.catalogue import load_library
from patmark.errors import UsageError
from patmark.retrieval.filters import TopicFilter
from patmark.retrieval.tables import TABLES, table_folder

_LARGEST_K1 = 100  # larger ones change nothing but the size of scores, which must fit a BIGINT

# 0.5e0, not 0.5: a number without an exponent is a DECIMAL in both engines.
STATEMENT = """
WITH collection AS (
  SELECT CAST(COUNT(*) AS DOUBLE) AS n, CAST(SUM(len) AS DOUBLE) / COUNT(*) AS avgdl FROM documents
), wanted AS (
  SELECT DISTINCT term FROM query_terms
), matches AS (
  SELECT p.term, p.doc, p.tf FROM postings p JOIN wanted w ON w.term = p.term
), terms AS (
  SELECT term, CAST(COUNT(*) AS DOUBLE) AS df FROM matches GROUP BY term
), weights AS (
  SELECT m.term, m.doc,
         LN(1 + (c.n - t.df + 0.5e0) / (t.df + 0.5e0))
         * m.tf * (s.k1 + 1) / (m.tf + s.k1 * (1 - s.b + s.b * d.len / c.avgdl)) AS weight
  FROM matches m
  JOIN terms t ON t.term = m.term
  JOIN documents d ON d.doc = m.doc
  CROSS JOIN collection c
  CROSS JOIN settings s
), sums AS (
  SELECT q.qid, w.doc, SUM(CAST(FLOOR(q.qtf * w.weight * 1e12 + 0.5e0) AS BIGINT)) AS units
  FROM query_terms q
  JOIN weights w ON w.term = q.term
  GROUP BY q.qid, w.doc
), scored AS (
  SELECT u.qid, d.id, FLOOR(CAST(u.units AS DOUBLE) / 1e3 + 0.5e0) / 1e9 AS score
  FROM sums u
  JOIN documents d ON d.doc = u.doc
  JOIN topics o ON o.qid = u.qid
  WHERE (o.fdate IS NULL OR d.pub_date < o.fdate)
    AND (o.family IS NULL OR d.family IS NULL OR d.family <> o.family)
    AND (o.codes IS NULL OR ARRAYS_OVERLAP(d.codes, o.codes))
), ranked AS (
  SELECT qid, id, score, ROW_NUMBER() OVER (PARTITION BY qid ORDER BY score DESC, id) AS place
  FROM scored
)
SELECT r.qid, r.id, r.score
FROM ranked r
CROSS JOIN settings s
WHERE r.place <= s.k
ORDER BY r.qid, r.place
"""

_COLUMNS = {
    "query_terms": {"qid": "BIGINT", "term": "STRING", "qtf": "BIGINT"},
    "topics": {"qid": "BIGINT", "fdate": "DATE", "family": "STRING", "codes": "ARRAY<STRING>"},
    "settings": {"k1": "DOUBLE", "b": "DOUBLE", "k": "BIGINT"},
}


@dataclass(frozen=True, slots=True)
class Bm25:
    """The parameters of BM25: how soon repetitions saturate, and how much length counts."""

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if not (0 <= self.k1 <= _LARGEST_K1 and 0 <= self.b <= 1):
            raise UsageError(
                f"BM25 needs k1 from 0 to {_LARGEST_K1} and b from 0 to 1, "
                f"not k1={self.k1}, b={self.b}"
            )


@dataclass(frozen=True, slots=True)
class ExactQuery:
    """Topics to search for, as the tables of the statement."""

    terms: Sequence[Counter[str]]
    filters: Sequence[TopicFilter]
    k: int
    bm25: Bm25 = field(default_factory=Bm25)

    def tables(self) -> Mapping[str, list[tuple[Any, ...]]]:
        """The rows of each table of the search."""
        return {
            "query_terms": [
                (topic, term, times)
                for topic, counts in enumerate(self.terms)
                for term, times in counts.items()
            ],
            "topics": [
                (topic, one.before, one.family, None if one.codes is None else sorted(one.codes))
                for topic, one in enumerate(self.filters)
            ],
            "settings": [(float(self.bm25.k1), float(self.bm25.b), self.k)],
        }

    def found(self, rows: Sequence[Sequence[object]]) -> list[list[tuple[str, float]]]:
        """The rows of the answer by topic, best first."""
        found: list[list[tuple[str, float]]] = [[] for _ in self.terms]
        for topic, document, score in rows:
            found[int(str(topic))].append((str(document), float(str(score))))
        return found


def duckdb_name() -> str:
    """The engine and its version, for signatures."""
    return f"duckdb-{load_library('duckdb', 'retrieval').__version__}"


def search_duckdb(folder: Path, query: ExactQuery) -> list[list[tuple[str, float]]]:
    """Ids and scores of the best documents of each topic."""
    database = load_library("duckdb", "retrieval").connect()
    try:
        database.execute("CREATE MACRO arrays_overlap(one, other) AS list_has_any(one, other)")
        for name in TABLES:
            files = str(table_folder(folder, name) / "*.parquet").replace("'", "''")
            database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{files}')")
        for name, rows in query.tables().items():
            database.register(name, _arrow_table(name, rows))
        return query.found(database.execute(STATEMENT).fetchall())
    finally:
        database.close()


def _arrow_table(name: str, rows: Sequence[tuple[Any, ...]]) -> Any:
    arrow = load_library("pyarrow", "retrieval")
    types = {
        "BIGINT": arrow.int64(),
        "DOUBLE": arrow.float64(),
        "STRING": arrow.string(),
        "DATE": arrow.date32(),
        "ARRAY<STRING>": arrow.list_(arrow.string()),
    }
    columns = _COLUMNS[name]
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return arrow.table(
        {
            column: arrow.array(list(found), types[kind])
            for (column, kind), found in zip(columns.items(), values, strict=True)
        }
    )


def spark_name() -> str:
    """The engine and its version, for signatures."""
    return f"spark-{load_library('pyspark', 'spark').__version__}"


def search_spark(
    folder: Path, query: ExactQuery, master: str | None = None
) -> list[list[tuple[str, float]]]:
    """Ids and scores of the best documents of each topic.

    ``master`` is the address of the cluster; without it, Spark's own settings decide. A session
    that is already running is used, and stays.
    """
    from patmark.engine import spark_session

    begun_here, session = spark_session(master)
    try:
        own = session.newSession()
        for name in TABLES:
            files = table_folder(folder, name).resolve().as_uri()
            own.read.parquet(files).createOrReplaceTempView(name)
        for name, rows in query.tables().items():
            columns = ", ".join(f"{column} {kind}" for column, kind in _COLUMNS[name].items())
            own.createDataFrame(rows, columns).createOrReplaceTempView(name)
        return query.found([tuple(row) for row in own.sql(STATEMENT).collect()])
    finally:
        if begun_here:
            session.stop()
