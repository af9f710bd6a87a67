"""Step 5: scores of aligned pairs over all documents, their ranks, and the cut.

    AVSIM = mean SIM over the beads of a document pair
    SntScore = AVSIM × SIM
    score = SntScore, or SntScore × R

after Utiyama and Isahara (2003); R, the ratio of the sentence counts of the two documents, is that
of their work on patents (2007). Sums are sums of whole numbers, so that their order cannot change
them.
"""

from __future__ import annotations

from patmark.corpus.build.linking import quoted
from patmark.corpus.build.settings import RankSettings
from patmark.engine.steps import Dataset, Workshop

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
), final_scores AS (
  SELECT pair_id, number, avsim, ratio,
         FLOOR(sim * avsim * 1e12 + 0.5e0) / 1e12 AS sntscore,
         FLOOR(sim * avsim{ratio} * 1e12 + 0.5e0) / 1e12 AS score
  FROM scored
)
SELECT pair_id, number, avsim, ratio, sntscore, score,
       CAST(ROW_NUMBER() OVER (ORDER BY score DESC, pair_id, number) AS BIGINT) AS place,
       CAST(COUNT(*) OVER () AS BIGINT) AS total
FROM final_scores
"""
_RANKED = """
SELECT s.place,
       CONCAT(p.pair_id, ':', CAST(a.number AS STRING)) AS id,
       a.pair_id, a.number, p.family, p.family_group, p.relation, p.source_id, p.target_id,
       p.source_office, p.target_office, p.source_date, p.target_date, p.ipc,
       a.section, a.bead, a.sim, s.avsim, s.ratio, s.sntscore, s.score,
       a.source, a.target,
       CASE WHEN {kept} THEN '' ELSE 'cut' END AS left_out
FROM scores s
JOIN aligned a ON a.pair_id = s.pair_id AND a.number = s.number
JOIN document_pairs p ON p.pair_id = s.pair_id
ORDER BY s.place
"""


def rank_step(shop: Workshop, aligned: Dataset, pairs: Dataset, settings: RankSettings) -> Dataset:
    """All pairs of the wanted kinds of beads in the order of their scores."""
    scores = score_step(shop, "scores", aligned, settings)
    tables = {"scores": scores, "aligned": aligned, "document_pairs": pairs}
    return shop.sql("ranked", _RANKED.format(kept=_kept(settings)), tables)


def score_step(shop: Workshop, name: str, aligned: Dataset, settings: RankSettings) -> Dataset:
    """The scores and ranks of beads, without their texts."""
    statement = _SCORES.format(
        beads=", ".join(map(quoted, settings.beads)),
        ratio=" * ratio" if settings.use_ratio else "",
    )
    return shop.sql(name, statement, {"aligned": aligned})


def _kept(settings: RankSettings) -> str:
    """The condition of the cut."""
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
