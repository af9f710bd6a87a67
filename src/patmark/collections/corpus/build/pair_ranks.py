"""Scores and ranks of aligned pairs over all documents, and the cut.

    AVSIM = mean SIM over the beads of a document pair
    SntScore = AVSIM × SIM
    score = SntScore, or SntScore × R

after Utiyama and Isahara (2003); R, the ratio of the sentence counts of the two documents, is that
of their work on patents (2007). Sums are sums of whole numbers, so that their order has no effect.

Two abstracts of one invention may have been written independently. Their score is the mean SIM over
all their sentences, including unaligned ones. If it is low compared with claims and descriptions of
the whole build, none of their pairs is kept.

``ranked`` holds the texts of all pairs, each with its place in the ranking; all later tables are
narrow and refer to a pair by its place. Pairs are marked, never deleted.
"""

from __future__ import annotations

from patmark.collections.corpus.build.document_pairs import quoted
from patmark.collections.corpus.build.settings import RankSettings
from patmark.engine import Dataset, Relation, StepRunner, View

_SCORES = """
WITH document_scores AS (
  SELECT pair_id,
         CAST(SUM(source_count) AS DOUBLE) AS source_total,
         CAST(SUM(target_count) AS DOUBLE) AS target_total,
         CAST(SUM(CASE WHEN source_count > 0 AND target_count > 0 AND problem = ''
                       THEN CAST(FLOOR(sim * 1e9 + 0.5e0) AS BIGINT) ELSE 0 END) AS DOUBLE)
         / SUM(CASE WHEN source_count > 0 AND target_count > 0 AND problem = ''
                    THEN 1e0 ELSE 0e0 END) / 1e9 AS mean
  FROM aligned GROUP BY pair_id
  HAVING SUM(CASE WHEN source_count > 0 AND target_count > 0 AND problem = ''
                  THEN 1 ELSE 0 END) > 0
), scored AS (
  SELECT a.pair_id, a.number,
         FLOOR(d.mean * 1e9 + 0.5e0) / 1e9 AS avsim,
         FLOOR(CASE WHEN d.source_total < d.target_total THEN d.source_total / d.target_total
                    ELSE d.target_total / d.source_total END * 1e9 + 0.5e0) / 1e9 AS ratio,
         a.sim
  FROM aligned a JOIN document_scores d ON d.pair_id = a.pair_id
  WHERE a.problem = '' AND a.bead IN ({beads})
)
SELECT pair_id, number, avsim, ratio,
       FLOOR(sim * avsim * 1e12 + 0.5e0) / 1e12 AS sntscore,
       FLOOR(sim * avsim{ratio} * 1e12 + 0.5e0) / 1e12 AS score
FROM scored
"""
# Scores are numbered in buckets of 1/10,000, so that no worker has to hold all pairs.
_BUCKET = "CAST(FLOOR(-score * 1e4) AS BIGINT)"
_NUMBERED = """
SELECT t.*, CAST(b.total AS BIGINT) AS total,
       CAST(b.earlier + ROW_NUMBER() OVER (PARTITION BY t.bucket ORDER BY {order}) AS BIGINT)
         AS place
FROM in_buckets t
JOIN (
  SELECT bucket, SUM(n) OVER (ORDER BY bucket) - n AS earlier, SUM(n) OVER () AS total
  FROM (SELECT bucket, COUNT(*) AS n FROM in_buckets GROUP BY bucket) counted
) b ON b.bucket = t.bucket
"""
_RANKED = """
SELECT s.place, a.pair_id, a.number, a.section, a.bead, a.sim, s.avsim, s.ratio, s.sntscore,
       s.score, a.source, a.target,
       CASE WHEN NOT ({kept}) THEN 'cut'
            WHEN b.score < b.least AND a.section = 'abstract' THEN 'abstract'
            ELSE '' END AS left_out
FROM scores s
JOIN aligned a ON a.pair_id = s.pair_id AND a.number = s.number
LEFT JOIN abstracts b ON b.pair_id = a.pair_id
ORDER BY s.place
"""
# sums of millionths, so that those of a large build are still exact
_MEAN = """
CAST(SUM({wanted} * CAST(FLOOR(sim * 1e6 + 0.5e0) AS BIGINT) * (source_count + target_count))
     AS DOUBLE) / NULLIF(SUM({wanted} * (source_count + target_count)), 0) / 1e6
"""
_TEXT = "CASE WHEN section IN ('title', 'abstract') THEN 0 ELSE 1 END"
_ABSTRACTS = f"""
SELECT a.pair_id, a.score, u.usual * CAST({{share!r}} AS DOUBLE) AS least
FROM (
  SELECT pair_id, {_MEAN.format(wanted="1")} AS score
  FROM aligned WHERE section = 'abstract' AND problem = '' GROUP BY pair_id
) a
CROSS JOIN (
  SELECT COALESCE({_MEAN.format(wanted=_TEXT)}, {_MEAN.format(wanted="1")}) AS usual
  FROM aligned WHERE problem = ''
) u
"""


def numbered(pairs: str, order: str) -> str:
    """Return SQL for pairs with a score, with ``place`` by falling scores, then ``order``."""
    buckets = f"WITH in_buckets AS (SELECT p.*, {_BUCKET} AS bucket FROM ({pairs}) p)"
    return f"{buckets} {_NUMBERED.format(order=f'score DESC, {order}')}"


def scores_view(aligned: Dataset, settings: RankSettings) -> View:
    """Return the scores and ranks of beads of the wanted kinds, without their texts."""
    statement = _SCORES.format(
        beads=", ".join(map(quoted, settings.beads)),
        ratio=" * ratio" if settings.use_ratio else "",
    )
    return View(numbered(statement, "pair_id, number"), {"aligned": aligned})


def abstracts_view(aligned: Dataset, share: float) -> View:
    """Return the score of the abstracts of each document pair, and the required minimum."""
    return View(_ABSTRACTS.format(share=float(share)), {"aligned": aligned})


def rank_step(steps: StepRunner, aligned: Dataset, settings: RankSettings) -> Dataset:
    """Rank all pairs of the wanted bead types by their scores, with their texts."""
    tables: dict[str, Relation] = {
        "scores": scores_view(aligned, settings),
        "abstracts": abstracts_view(aligned, settings.abstracts),
        "aligned": aligned,
    }
    return steps.sql("ranked", _RANKED.format(kept=_kept(settings)), tables)


def _kept(settings: RankSettings) -> str:
    """Return the SQL condition of the cut."""
    conditions = ["1 = 1"]
    if settings.min_score is not None:
        conditions.append(f"s.score >= CAST({settings.min_score!r} AS DOUBLE)")
    if settings.keep is not None:
        conditions.append(f"s.place <= {settings.keep}")
    if settings.share is not None:
        conditions.append(
            f"s.place <= CEIL(CAST(s.total AS DOUBLE) * CAST({settings.share!r} AS DOUBLE))"
        )
    return " AND ".join(conditions)
