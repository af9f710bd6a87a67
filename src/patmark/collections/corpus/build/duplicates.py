"""Excluded pairs: by filters, as exact duplicates, as near-duplicates of a better pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial

import numpy as np

from patmark.collections.corpus import near_duplicates as near
from patmark.collections.corpus.build.pair_filters import filter_all
from patmark.collections.corpus.build.pair_scores import SCORES, scored_checks
from patmark.collections.corpus.build.settings import DuplicateSettings, FilterSettings
from patmark.engine import Batch, Dataset, Relation, StepRunner, View, arrow, arrow_schema, batch_of

CHECK_SCHEMA = {
    "place": "int64",
    "left_out": "string",
    "reasons": "string",
    "source_key": "string",
    "target_key": "string",
}
BAND_SCHEMA = {"place": "int64", "band": "int64", "band_key": "int64"}
SIMILAR_SCHEMA = {"place": "int64", "earlier": "int64"}
_EXACT_KEYS = {
    "pair": ("source_key, target_key",),
    "source": ("source_key",),
    "target": ("target_key",),
    "either": ("source_key", "target_key"),
    "keep": (),
}

_UNIQUE = """
SELECT place, reasons, source_key, target_key,
       CASE WHEN left_out = '' AND ROW_NUMBER() OVER (
              PARTITION BY CASE WHEN left_out = '' THEN 0 ELSE 1 END, {keys} ORDER BY place) > 1
            THEN 'duplicate' ELSE left_out END AS left_out
FROM {table} t
"""
_KEPT = """
SELECT r.place, r.source
FROM ranked r JOIN unique_pairs u ON u.place = r.place
WHERE u.left_out = ''
"""
# Each pair is compared with the first of its bucket and with its predecessor.
_CANDIDATES = """
WITH neighbours AS (
  SELECT place,
         FIRST_VALUE(place) OVER (PARTITION BY band, band_key ORDER BY place) AS first_place,
         LAG(place) OVER (PARTITION BY band, band_key ORDER BY place) AS place_before
  FROM bands
), candidates AS (
  SELECT place, first_place AS earlier FROM neighbours WHERE first_place < place
  UNION
  SELECT place, place_before AS earlier FROM neighbours WHERE place_before IS NOT NULL
)
SELECT c.place, c.earlier, l.source, l.target,
       e.source AS earlier_source, e.target AS earlier_target
FROM candidates c
JOIN ranked l ON l.place = c.place
JOIN ranked e ON e.place = c.earlier
"""
_NOTHING_SIMILAR = "SELECT place, place AS earlier FROM ranked WHERE 1 = 0"
_CLEANED = """
SELECT u.place, u.reasons,
       CASE WHEN u.left_out = '' AND s.place IS NOT NULL THEN 'near-duplicate'
            ELSE u.left_out END AS left_out
FROM unique_pairs u
LEFT JOIN (SELECT DISTINCT place FROM similar_pairs) s ON s.place = u.place
ORDER BY u.place
"""


def clean_step(
    steps: StepRunner, ranked: Dataset, filters: FilterSettings, duplicates: DuplicateSettings
) -> tuple[Relation, Dataset]:
    """Return the keys of the texts of each pair, and the reason for its exclusion."""
    check = partial(check_pairs, filters)
    columns = ("place", "left_out", "source", "target")
    given = {name: value for name, value in asdict(filters).items() if name not in SCORES}
    ruled = steps.map("checked", check, ranked, CHECK_SCHEMA, given, columns=columns)
    checked = scored_checks(steps, ranked, ruled, filters)
    table = "checked"
    for keys in _EXACT_KEYS[duplicates.exact]:
        table = f"({_UNIQUE.format(keys=keys, table=table)})"
    unique = View(f"SELECT place, reasons, left_out FROM {table} u", {"checked": checked})
    similar = _similar(steps, ranked, unique, duplicates.near)
    tables = {"unique_pairs": unique, "similar_pairs": similar}
    return checked, steps.sql("cleaned", _CLEANED, tables)


def check_pairs(filters: FilterSettings, pairs: Batch) -> Iterator[Batch]:
    """Yield the reasons against pairs and the keys of their texts, without cut pairs."""
    columns = pairs.to_pydict()
    wanted = [n for n, left_out in enumerate(columns["left_out"]) if not left_out]
    sources, targets = ([columns[side][n] for n in wanted] for side in ("source", "target"))
    found = dict(zip(wanted, filter_all(sources, targets, filters), strict=True))
    rows = []
    for n, place in enumerate(columns["place"]):
        reasons = found.get(n, ())
        keys = [
            near.exact_key(columns[side][n]) if n in found else "" for side in ("source", "target")
        ]
        rows.append(
            {
                "place": place,
                "left_out": columns["left_out"][n] or ("filter" if reasons else ""),
                "reasons": " ".join(reasons),
                "source_key": keys[0],
                "target_key": keys[1],
            }
        )
    yield batch_of(rows, CHECK_SCHEMA)


def _similar(steps: StepRunner, ranked: Dataset, unique: View, threshold: float) -> Relation:
    """Find pairs that are nearly equal to a better one, on both sides."""
    if not threshold:
        return View(_NOTHING_SIMILAR, {"ranked": ranked})
    settings = near.MinHashSettings.at(threshold)
    given = asdict(settings)
    kept = View(_KEPT, {"ranked": ranked, "unique_pairs": unique})
    bands = steps.map("bands", partial(source_bands, settings), kept, BAND_SCHEMA, given)
    candidates = View(_CANDIDATES, {"bands": bands, "ranked": ranked})
    compare = partial(similar_pairs, settings)
    return steps.map("similar", compare, candidates, SIMILAR_SCHEMA, given)


def source_bands(settings: near.MinHashSettings, pairs: Batch) -> Iterator[Batch]:
    """Yield the band keys of the source sides, one row each."""
    keys = near.band_keys(pairs.column("source").to_pylist(), settings)
    count, bands = keys.shape
    pyarrow = arrow()
    columns = [
        np.repeat(np.array(pairs.column("place").to_pylist(), dtype=np.int64), bands),
        np.tile(np.arange(bands), count),
        keys.reshape(-1),
    ]
    arrays = [pyarrow.array(column, pyarrow.int64()) for column in columns]
    yield pyarrow.RecordBatch.from_arrays(arrays, schema=arrow_schema(BAND_SCHEMA))


def similar_pairs(settings: near.MinHashSettings, candidates: Batch) -> Iterator[Batch]:
    """Yield the candidates whose sources and targets are both similar enough."""
    columns = candidates.to_pydict()
    alike = np.ones(candidates.num_rows, dtype=bool)
    for side in ("source", "target"):
        found = near.similarities(columns[side], columns[f"earlier_{side}"], settings)
        alike &= found >= settings.threshold
    rows = [
        {"place": columns["place"][n], "earlier": columns["earlier"][n]}
        for n in np.flatnonzero(alike)
    ]
    yield batch_of(rows, SIMILAR_SCHEMA)
