"""The files of a collection: pairs as Parquet, splits as test sets, context, sample."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from patmark.corpus.build.pair_ranks import numbered
from patmark.corpus.pair_rows import PairRow
from patmark.corpus.sampling import SampledPair, draw_ranks, write_sample
from patmark.corpus.splits import SPLITS
from patmark.data import document_from_json, json_text, to_collection_row, write_json_lines
from patmark.engine import (
    LINE_SCHEMA,
    Batch,
    Dataset,
    Relation,
    Schema,
    StepRunner,
    View,
    arrow,
    arrow_schema,
    batch_of,
    regrouped,
    write_part,
)

PAIRS_FILE = "pairs.parquet"
SAMPLE_FILE = "sample.csv"
SIMILAR_FILE = "similar.jsonl"
BROKEN_FILE = "broken.jsonl"
PAIR_SCHEMA: Schema = {
    "id": "string",
    "split": "string",
    "left_out": "string",
    "reasons": "string",
    "like": "string",
    "family": "string",
    "family_group": "string",
    "relation": "string",
    "source_id": "string",
    "target_id": "string",
    "source_office": "string",
    "target_office": "string",
    "source_date": "string",
    "target_date": "string",
    "ipc": "string",
    "pair_id": "string",
    "number": "int64",
    "section": "string",
    "bead": "string",
    "sim": "float64",
    "avsim": "float64",
    "ratio": "float64",
    "sntscore": "float64",
    "score": "float64",
    "rank": "int64",
    "source": "string",
    "target": "string",
}
_META = (
    "family",
    "family_group",
    "source_id",
    "target_id",
    "source_date",
    "target_date",
    "ipc",
    "section",
    "bead",
    "sim",
    "avsim",
    "sntscore",
    "score",
    "rank",
)
_SIMILAR = ("id", "left_out", "like", "source", "target")
_GROUP_ROWS = 50_000
_DOCUMENTS = 200


def _columns(**others: str) -> str:
    """Return the SQL of all columns of pairs in order; ``others`` come from elsewhere."""
    found = {name: others.get(name, f"p.{name}") for name in PAIR_SCHEMA}
    return ", ".join(filter(None, found.values()))


_DIVIDED = f"""
SELECT {_columns(split="s.split", left_out="s.left_out", like="", rank="p.place")}, s.alike
FROM pairs p JOIN splits s ON s.place = p.place
"""
_FINAL = f"""
SELECT {_columns(like="COALESCE(o.id, '') AS similar_to", rank="p.place")}
FROM divided p
LEFT JOIN pairs o ON o.place = p.alike AND p.alike > 0
ORDER BY p.place
"""
# sentences of a patent stand together in dev and test
_SPLITS = """
SELECT CASE split WHEN 'train' THEN 0 WHEN 'dev' THEN 1 WHEN 'test' THEN 2 ELSE 3 END AS file, p.*
FROM final_pairs p WHERE split <> '' OR left_out IN ('pattern', 'leak')
ORDER BY file, CASE WHEN split IN ('dev', 'test') THEN source_id ELSE '' END,
         CASE WHEN split IN ('dev', 'test') THEN target_id ELSE '' END,
         CASE WHEN split IN ('dev', 'test') THEN number ELSE rank END
"""
_CONTEXT = """
SELECT w.file, p.family, d.document
FROM (
  SELECT DISTINCT CASE split WHEN 'dev' THEN 0 ELSE 2 END AS file, source_id AS doc_id
  FROM final_pairs WHERE split IN ('dev', 'test')
  UNION
  SELECT DISTINCT CASE split WHEN 'dev' THEN 1 ELSE 3 END AS file, target_id AS doc_id
  FROM final_pairs WHERE split IN ('dev', 'test')
) w
JOIN publications p ON p.doc_id = w.doc_id
JOIN parsed d ON d.doc_id = p.doc_id AND d.origin = p.origin AND d.place = p.place
ORDER BY w.file, w.doc_id
"""
# all documents with text in a language, but for the families of dev and test
_MONOLINGUAL = """
SELECT 0 AS file, p.family, d.document
FROM publications p
JOIN parsed d ON d.doc_id = p.doc_id AND d.origin = p.origin AND d.place = p.place
LEFT JOIN (
  SELECT DISTINCT family_group FROM final_pairs WHERE split IN ('dev', 'test')
) h ON h.family_group = p.family_group
WHERE h.family_group IS NULL AND p.languages LIKE '%|{language}|%'
  AND p.pub_date <> '' AND SUBSTR(p.pub_date, 1, 4) <= '{until}'
ORDER BY p.doc_id
"""
_BROKEN = """
SELECT origin, problem FROM parsed WHERE status IN ('broken', 'damaged') ORDER BY origin, place
"""
_IN_SPLITS = "SELECT id, score FROM final_pairs WHERE split <> ''"
_CHOSEN = """
SELECT n.place, p.id, p.source, p.target, p.score, p.section, p.family
FROM ({numbered}) n JOIN final_pairs p ON p.id = n.id
WHERE n.place IN ({places})
"""


def divided_view(pairs: Relation, splits: Dataset) -> View:
    """Return all pairs with their splits."""
    return View(_DIVIDED, {"pairs": pairs, "splits": splits})


def write_pairs(steps: StepRunner, folder: Path, pairs: Relation, divided: View) -> Dataset:
    """Write all pairs as one Parquet file by rank, equal from every engine."""
    schema = arrow_schema(PAIR_SCHEMA)
    found = steps.batches(_FINAL, {"pairs": pairs, "divided": divided})
    renamed = (
        arrow().RecordBatch.from_arrays(batch.columns, names=schema.names).cast(schema)
        for batch in found
    )
    write_part(folder / PAIRS_FILE, regrouped(renamed, _GROUP_ROWS), schema)
    return Dataset(folder / PAIRS_FILE, "")


def segment_row(pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pair as a row of a test set."""
    return {
        "id": pair["id"],
        "document": pair["source_id"],
        "source": pair["source"],
        "references": [pair["target"]],
        "meta": {name: pair[name] for name in _META},
    }


def write_splits(steps: StepRunner, folder: Path, final: Dataset) -> None:
    """Write train, dev and test as test sets, and the pairs that resemble dev or test."""
    paths = [*(folder / f"{split}.jsonl" for split in SPLITS), folder / SIMILAR_FILE]
    steps.export(_SPLITS, {"final_pairs": final}, pair_lines, paths)


def pair_lines(pairs: Batch) -> Iterator[Batch]:
    """Yield pairs of splits as rows of test sets, others with the pairs they resemble."""
    rows = [
        segment_row(pair) if pair["split"] else {name: pair[name] for name in _SIMILAR}
        for pair in pairs.to_pylist()
    ]
    yield _lines(pairs.column("file").to_pylist(), rows)


def document_lines(languages: Sequence[str], documents: Batch) -> Iterator[Batch]:
    """Yield documents as rows of a collection; each file has its language."""
    columns = documents.to_pydict()
    for place, family, text in zip(*columns.values(), strict=True):
        document = document_from_json(json.loads(text))
        row = to_collection_row(document, languages[place], family)
        yield _lines([place], [row])


def _lines(places: Sequence[int], rows: Sequence[Mapping[str, Any]]) -> Batch:
    """Return rows as lines, joined by file, since one process writes them all."""
    joined = []
    for place, group in groupby(zip(places, rows, strict=True), key=itemgetter(0)):
        lines = [json_text(row) + "\n" for _, row in group]
        joined.append({"file": place, "lines": len(lines), "text": "".join(lines)})
    return batch_of(joined, LINE_SCHEMA)


def write_broken(steps: StepRunner, folder: Path, parsed: Relation) -> None:
    """Write all records that could not be read, with the reasons."""
    write_json_lines(folder / BROKEN_FILE, steps.rows(_BROKEN, {"parsed": parsed}))


def write_context(
    steps: StepRunner, folder: Path, tables: Mapping[str, Relation], languages: Sequence[str]
) -> dict[str, int]:
    """Write the documents of dev and test, one file per split and language."""
    (folder / "context").mkdir(exist_ok=True)
    names = [f"{split}.{language}" for split in ("dev", "test") for language in languages]
    paths = [folder / "context" / f"{name}.jsonl" for name in names]
    lines = partial(document_lines, [*languages, *languages])
    counts = steps.export(_CONTEXT, tables, lines, paths, shard_rows=_DOCUMENTS)
    return {name: count for name, count in zip(names, counts, strict=True) if count}


def write_monolingual(
    steps: StepRunner,
    folder: Path,
    tables: Mapping[str, Relation],
    languages: Sequence[str],
    until: int,
) -> dict[str, int]:
    """Write documents up to a year, one file per language, without dev and test."""
    counts = {}
    for language in languages:
        statement = _MONOLINGUAL.format(language=language, until=f"{until:04d}")
        path = folder / f"monolingual.{language}.jsonl"
        lines = partial(document_lines, [language])
        [counts[language]] = steps.export(statement, tables, lines, [path], shard_rows=_DOCUMENTS)
    return counts


def write_judging_sample(
    steps: StepRunner, folder: Path, final: Dataset, size: int, seed: int
) -> int:
    """Write pairs of all splits for people to judge, and return their number."""
    tables = {"final_pairs": final}
    [row] = steps.rows(f"SELECT COUNT(*) AS n FROM ({_IN_SPLITS}) p", tables)
    size = min(size, row["n"])
    if not size:
        return 0
    drawn = draw_ranks(row["n"], size, seed)
    places = ", ".join(str(rank + 1) for rank, _, _ in drawn)
    chosen = _CHOSEN.format(numbered=numbered(_IN_SPLITS, "id"), places=places)
    found = {row.pop("place"): PairRow(**row) for row in steps.rows(chosen, tables)}
    sample = (SampledPair(found[rank + 1], *about) for rank, *about in drawn)
    write_sample(folder / SAMPLE_FILE, sample)
    return size
