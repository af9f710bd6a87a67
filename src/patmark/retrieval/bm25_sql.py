"""Exact BM25 as one SQL statement, the same text on DuckDB and on Spark.

    score(d, q) = Σ_t qtf · idf · tf·(k1 + 1) / (tf + k1·(1 − b + b·|d|/avgdl))
    idf(t) = ln(1 + (N − df + 0.5)/(df + 0.5))

N, df and the mean length are those of the whole collection; filters only remove candidates.
Addends are float64, rounded to 12 decimals and added as whole numbers, so that the order of
addition on a cluster cannot change a sum. Sums are rounded to 9 decimals before ranking, and equal
ones are ordered by document id (by code points).

Tables of the collection are described in ``exact_tables``. Those of a search:
``query_terms(qid, term, qtf)``, ``topics(qid, fdate, family)``, ``topic_ipc(qid, code)`` and
``settings(k1, b, k)`` with one row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from patmark.errors import UsageError
from patmark.retrieval.filters import TopicFilter

_LARGEST_K1 = 100  # larger ones change nothing but the size of scores, which must fit a BIGINT

# 0.5e0, not 0.5: a number without an exponent is a DECIMAL in both engines.
_STATEMENT = """
WITH collection AS (
  SELECT CAST(COUNT(*) AS DOUBLE) AS n, CAST(SUM(len) AS DOUBLE) / COUNT(*) AS avgdl FROM docs
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
  JOIN docs d ON d.doc = m.doc
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
  JOIN docs d ON d.doc = u.doc
  JOIN topics o ON o.qid = u.qid
  WHERE (o.fdate IS NULL OR d.pub_date < o.fdate)
    AND (o.family IS NULL OR d.family IS NULL OR d.family <> o.family){ipc}
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
_IPC = """
    AND EXISTS (SELECT 1 FROM doc_ipc di JOIN topic_ipc ti ON di.code = ti.code
                WHERE di.doc = u.doc AND ti.qid = u.qid)"""

QUERY_COLUMNS = {
    "query_terms": (("qid", "int64"), ("term", "string"), ("qtf", "int64")),
    "topics": (("qid", "int64"), ("fdate", "date32"), ("family", "string")),
    "topic_ipc": (("qid", "int64"), ("code", "string")),
    "settings": (("k1", "float64"), ("b", "float64"), ("k", "int64")),
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

    @property
    def statement(self) -> str:
        """The SQL; the restriction by IPC is part of it only if it is on."""
        restricted = any(one.codes is not None for one in self.filters)
        return _STATEMENT.replace("{ipc}", _IPC if restricted else "")

    def tables(self) -> Mapping[str, list[tuple[str | int | float | date | None, ...]]]:
        """The rows of each table of the search, as ``QUERY_COLUMNS`` describes them."""
        return {
            "query_terms": [
                (topic, term, times)
                for topic, counts in enumerate(self.terms)
                for term, times in counts.items()
            ],
            "topics": [(n, one.before, one.family) for n, one in enumerate(self.filters)],
            "topic_ipc": [
                (n, code) for n, one in enumerate(self.filters) for code in sorted(one.codes or ())
            ],
            "settings": [(float(self.bm25.k1), float(self.bm25.b), self.k)],
        }

    def found(self, rows: Sequence[Sequence[object]]) -> list[list[tuple[str, float]]]:
        """The rows of the answer by topic, best first."""
        found: list[list[tuple[str, float]]] = [[] for _ in self.terms]
        for topic, document, score in rows:
            found[int(str(topic))].append((str(document), float(str(score))))
        return found
