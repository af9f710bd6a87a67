"""Step 6: filters, exact duplicates and near-duplicates. Pairs are marked, none is thrown away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from patmark.corpus import near_duplicates as near
from patmark.corpus.build.settings import DuplicateSettings
from patmark.corpus.pair_filters import FilterSettings, filter_all
from patmark.engine.datasets import Batch, arrow, arrow_schema, batch_of
from patmark.engine.steps import Dataset, Workshop

CHECK_SCHEMA = {
    "place": "int64", "left_out": "string", "reasons": "string",
    "source_key": "string", "target_key": "string",
}  # fmt: skip
BAND_SCHEMA = {"place": "int64", "band": "int64", "band_key": "int64"}
SIMILAR_SCHEMA = {"place": "int64", "earlier": "int64"}
_HIGH = 0.85

_UNIQUE = """
SELECT place, reasons, source_key, target_key,
       CASE WHEN left_out = '' AND ROW_NUMBER() OVER (
              PARTITION BY CASE WHEN left_out = '' THEN 0 ELSE 1 END, {keys} ORDER BY place) > 1
            THEN 'duplicate' ELSE left_out END AS left_out
FROM checked
"""
_LEFT = """
SELECT r.place, r.source, r.target
FROM ranked r JOIN checked u ON u.place = r.place
WHERE u.left_out = ''
ORDER BY r.place
"""
# Each pair is held against the first of its bucket and against the one before it.
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
JOIN kept l ON l.place = c.place
JOIN kept e ON e.place = c.earlier
ORDER BY c.place, c.earlier
"""
_CLEAN_PAIRS = """
SELECT r.place, r.id, r.pair_id, r.number, r.family, r.family_group, r.relation, r.source_id,
       r.target_id, r.source_office, r.target_office, r.source_date, r.target_date, r.ipc,
       r.section, r.bead, r.sim, r.avsim, r.ratio, r.sntscore, r.score,
       r.source, r.target,
       CASE WHEN c.left_out = '' AND s.place IS NOT NULL THEN 'near-duplicate'
            ELSE c.left_out END AS left_out,
       c.reasons
FROM ranked r
JOIN checked c ON c.place = r.place
LEFT JOIN (SELECT DISTINCT place FROM similar_pairs) s ON s.place = r.place
ORDER BY r.place
"""


def clean_step(
    shop: Workshop, ranked: Dataset, filters: FilterSettings, duplicates: DuplicateSettings
) -> Dataset:
    """All pairs with the reason why one is left out, if there is one."""
    check = partial(check_pairs, filters)
    checked = shop.map("checked", check, ranked, CHECK_SCHEMA, asdict(filters))
    for keys in _key_lists(duplicates.exact):
        name = f"unique_{keys.replace('_key', '').replace(', ', '_')}"
        checked = shop.sql(name, _UNIQUE.format(keys=keys), {"checked": checked})
    similar = _similar(shop, ranked, checked, duplicates.near)
    tables = {"ranked": ranked, "checked": checked, "similar_pairs": similar}
    return shop.sql("cleaned", _CLEAN_PAIRS, tables)


def _key_lists(exact: str) -> Sequence[str]:
    return {
        "pair": ["source_key, target_key"], "source": ["source_key"], "target": ["target_key"],
        "either": ["source_key", "target_key"], "keep": [],
    }[exact]  # fmt: skip


def check_pairs(filters: FilterSettings, pairs: Batch) -> Iterator[Batch]:
    """The reasons against pairs, and the keys of their texts; cut pairs are not looked at."""
    columns = pairs.to_pydict()
    wanted = [n for n, left_out in enumerate(columns["left_out"]) if not left_out]
    sources, targets = ([columns[side][n] for n in wanted] for side in ("source", "target"))
    found = dict(zip(wanted, filter_all(sources, targets, filters), strict=True))
    rows = []
    for n, place in enumerate(columns["place"]):
        reasons = found.get(n, ())
        keys = [near.exact_key(columns[side][n]) if n in found else ""
                for side in ("source", "target")]  # fmt: skip
        rows.append({
            "place": place, "left_out": columns["left_out"][n] or ("filter" if reasons else ""),
            "reasons": " ".join(reasons), "source_key": keys[0], "target_key": keys[1],
        })  # fmt: skip
    yield batch_of(rows, CHECK_SCHEMA)


def _similar(shop: Workshop, ranked: Dataset, checked: Dataset, threshold: float) -> Dataset:
    """Pairs that are nearly the same as a better one, on both sides."""
    if not threshold:
        return shop.sql("similar", _NONE, {"checked": checked})
    settings = near_settings(threshold)
    kept = shop.sql("kept", _LEFT, {"ranked": ranked, "checked": checked})
    keys = partial(source_bands, settings)
    bands = shop.map("bands", keys, kept, BAND_SCHEMA, asdict(settings))
    candidates = shop.sql("candidates", _CANDIDATES, {"bands": bands, "kept": kept})
    compare = partial(similar_pairs, settings)
    return shop.map("similar", compare, candidates, SIMILAR_SCHEMA, asdict(settings))


_NONE = "SELECT place, place AS earlier FROM checked WHERE 1 = 0"


def near_settings(threshold: float) -> near.DuplicateSettings:
    """Bands that miss almost nothing at a threshold, and no more of them than that takes.

    16 bands of 8 miss one in 8,000 pairs at Jaccard 0.9; 32 bands of 4 are for lower thresholds.
    """
    if threshold >= _HIGH:
        return near.DuplicateSettings(threshold, bands=16, rows=8)
    return near.DuplicateSettings(threshold)


def source_bands(settings: near.DuplicateSettings, pairs: Batch) -> Iterator[Batch]:
    """The band keys of the source sides, one row each."""
    keys = near.band_keys(pairs.column("source").to_pylist(), settings)
    count, bands = keys.shape
    columns = [
        np.repeat(np.array(pairs.column("place").to_pylist(), dtype=np.int64), bands),
        np.tile(np.arange(bands), count),
        keys.reshape(-1),
    ]
    yield _batch(columns)


def _batch(columns: Sequence[Any]) -> Batch:
    pyarrow = arrow()
    arrays = [pyarrow.array(column, pyarrow.int64()) for column in columns]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=arrow_schema(BAND_SCHEMA))


def similar_pairs(settings: near.DuplicateSettings, candidates: Batch) -> Iterator[Batch]:
    """The candidates whose sources and targets are both similar enough."""
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
