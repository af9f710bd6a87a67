"""Exact BM25 as one SQL statement, the same text on DuckDB and on Spark.

    score(d, q) = Σ_t qtf · idf · tf·(k1 + 1) / (tf + k1·(1 − b + b·|d|/avgdl))
    idf(t) = ln(1 + (N − df + 0.5)/(df + 0.5))

N, df and the mean length are those of the whole collection; filters only remove candidates. Addends
are float64, rounded to 12 decimals and added as whole numbers, so that the order of addition on a
cluster cannot change a sum. Sums are rounded to 9 decimals before ranking, and ties are ordered by
document id (by code points).

Tables of the collection are described in ``tables``. A search adds ``query_terms(qid, term, qtf)``
and ``topics(qid, fdate, family, codes)``. The engine runs on this machine or on a Spark
cluster, whose workers need the index folder at the same path. Only the best documents of each topic
are returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.catalogue import load_library
from patmark.collections.retrieval.filters import TopicFilter
from patmark.collections.retrieval.index_tables import TABLES, table_folder
from patmark.collections.retrieval.search_settings import Bm25

if TYPE_CHECKING:
    from patmark.engine import Engine

# 0.5e0, not 0.5: a number without an exponent is a DECIMAL in both engines.
_STATEMENT = """
WITH collection AS (
  SELECT CAST(COUNT(*) AS DOUBLE) AS n, CAST(SUM(len) AS DOUBLE) / COUNT(*) AS avgdl FROM documents
), wanted AS (
  SELECT DISTINCT term FROM query_terms
), matches AS (
  SELECT p.term, p.doc, p.tf FROM postings p JOIN wanted w ON w.term = p.term
), terms AS (
  SELECT term, CAST(COUNT(*) AS DOUBLE) AS df FROM matches GROUP BY term
), weights AS (
  SELECT m.term, m.doc, d.pub_date, d.family, d.codes,
         LN(1 + (c.n - t.df + 0.5e0) / (t.df + 0.5e0))
         * m.tf * ({k1} + 1) / (m.tf + {k1} * (1 - {b} + {b} * d.len / c.avgdl)) AS weight
  FROM matches m
  JOIN terms t ON t.term = m.term
  JOIN documents d ON d.doc = m.doc
  CROSS JOIN collection c
), sums AS (
  SELECT q.qid, w.doc, SUM(CAST(FLOOR(q.qtf * w.weight * 1e12 + 0.5e0) AS BIGINT)) AS units
  FROM query_terms q
  JOIN weights w ON w.term = q.term
  JOIN topics o ON o.qid = q.qid
  WHERE (o.fdate IS NULL OR w.pub_date < o.fdate)
    AND (o.family IS NULL OR w.family IS NULL OR w.family <> o.family)
    AND (o.codes IS NULL OR ARRAYS_OVERLAP(w.codes, o.codes))
  GROUP BY q.qid, w.doc
), scored AS (
  SELECT qid, doc, FLOOR(CAST(units AS DOUBLE) / 1e3 + 0.5e0) / 1e9 AS score FROM sums
), first_ranks AS (
  SELECT qid, doc, score, RANK() OVER (PARTITION BY qid ORDER BY score DESC) AS place FROM scored
), ranks AS (
  SELECT f.qid, d.id, f.score,
         ROW_NUMBER() OVER (PARTITION BY f.qid ORDER BY f.score DESC, d.id) AS place
  FROM first_ranks f
  JOIN documents d ON d.doc = f.doc
  WHERE f.place <= {k}
)
SELECT qid, id, score FROM ranks WHERE place <= {k} ORDER BY qid, place
"""


@dataclass(frozen=True, slots=True)
class ExactQuery:
    """Topics to search for, as the tables of the statement."""

    terms: Sequence[Counter[str]]
    filters: Sequence[TopicFilter]
    k: int
    bm25: Bm25 = field(default_factory=Bm25)

    @property
    def statement(self) -> str:
        """The SQL of the search, with numbers that both engines parse to the same double."""
        k1, b = (f"{number:.17e}" for number in (self.bm25.k1, self.bm25.b))
        return _STATEMENT.format(k1=k1, b=b, k=self.k)

    def tables(self) -> Mapping[str, Any]:
        """Return the tables of the search for Arrow."""
        arrow = load_library("pyarrow", "retrieval")
        number, text = arrow.int64(), arrow.string()
        counts = [(topic, *each) for topic, of in enumerate(self.terms) for each in of.items()]
        codes = [None if one.codes is None else sorted(one.codes) for one in self.filters]
        query_terms = {
            "qid": arrow.array([topic for topic, _, _ in counts], number),
            "term": arrow.array([term for _, term, _ in counts], text),
            "qtf": arrow.array([times for _, _, times in counts], number),
        }
        topics = {
            "qid": arrow.array(range(len(codes)), number),
            "fdate": arrow.array([one.before for one in self.filters], arrow.date32()),
            "family": arrow.array([one.family for one in self.filters], text),
            "codes": arrow.array(codes, arrow.list_(text)),
        }
        return {"query_terms": arrow.table(query_terms), "topics": arrow.table(topics)}


def search_exactly(
    folder: Path, query: ExactQuery, engine: Engine, scratch: Path
) -> list[list[tuple[str, float]]]:
    """Return ids and scores of the best documents of each topic, best first.

    ``scratch`` is an empty folder that all workers can access.
    """
    from patmark.engine import part_path, write_part

    tables = {name: table_folder(folder, name) for name in TABLES}
    for name, table in query.tables().items():
        tables[name] = scratch / name
        tables[name].mkdir()
        write_part(part_path(tables[name], 0), table.to_batches(), table.schema)
    found: list[list[tuple[str, float]]] = [[] for _ in query.terms]
    for batch in engine.query(query.statement, tables, scratch / "found"):
        columns = (column.to_pylist() for column in batch.columns)
        for topic, document, score in zip(*columns, strict=True):
            found[topic].append((document, score))
    return found
