"""The files of a collection: pairs as Parquet, splits as test sets, context, sample."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from patmark.corpus.pair_rows import PairRow
from patmark.corpus.sampling import SampledPair, draw, write_sample
from patmark.corpus.splits import LEAK_COLUMNS, SPLITS, check_leakage
from patmark.data import (
    atomic_writer,
    document_from_json,
    json_text,
    to_collection_row,
    write_json_lines,
)
from patmark.engine import (
    Dataset,
    Schema,
    StepRunner,
    Table,
    View,
    arrow,
    arrow_schema,
    iter_rows,
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
_GROUP_ROWS = 50_000


def _columns(**others: str) -> str:
    """All columns of pairs in their order; ``others`` come from somewhere else, or nowhere."""
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
_CONTEXT = """
SELECT w.split, w.side, w.doc_id, p.family, d.document
FROM (
  SELECT DISTINCT split, 'source' AS side, source_id AS doc_id FROM divided
  WHERE split IN ('dev', 'test')
  UNION
  SELECT DISTINCT split, 'target' AS side, target_id AS doc_id FROM divided
  WHERE split IN ('dev', 'test')
) w
JOIN publications p ON p.doc_id = w.doc_id
JOIN parsed d ON d.doc_id = p.doc_id AND d.origin = p.origin AND d.place = p.place
ORDER BY w.split, w.side, w.doc_id
"""
# all documents with text in a language, but for the families of dev and test
_MONOLINGUAL = """
SELECT p.doc_id, p.family, d.document
FROM publications p
JOIN parsed d ON d.doc_id = p.doc_id AND d.origin = p.origin AND d.place = p.place
LEFT JOIN (
  SELECT DISTINCT family_group FROM divided WHERE split IN ('dev', 'test')
) h ON h.family_group = p.family_group
WHERE h.family_group IS NULL AND p.languages LIKE '%|{language}|%'
  AND p.pub_date <> '' AND SUBSTR(p.pub_date, 1, 4) <= '{until}'
ORDER BY p.doc_id
"""
_BROKEN = """
SELECT origin, problem FROM parsed WHERE status = 'broken' ORDER BY origin, place
"""
_IN_SPLITS = f"SELECT {', '.join(LEAK_COLUMNS)} FROM divided WHERE split <> ''"


def divided_view(pairs: Table, splits: Dataset) -> View:
    """All pairs with their splits."""
    return View(_DIVIDED, {"pairs": pairs, "splits": splits})


def check_splits(steps: StepRunner, divided: View) -> dict[str, int]:
    """Whether two splits have something in common, which is an error; counts what was compared."""
    return check_leakage(lambda: steps.rows(_IN_SPLITS, {"divided": divided}))


def write_pairs(steps: StepRunner, folder: Path, pairs: Table, divided: View) -> None:
    """All pairs as one Parquet file in the order of their ranks, the same from every engine."""
    schema = arrow_schema(PAIR_SCHEMA)
    found = steps.batches(_FINAL, {"pairs": pairs, "divided": divided})
    renamed = (
        arrow().RecordBatch.from_arrays(batch.columns, names=schema.names).cast(schema)
        for batch in found
    )
    write_part(folder / PAIRS_FILE, regrouped(renamed, _GROUP_ROWS), schema)


def segment_row(pair: Mapping[str, Any]) -> dict[str, Any]:
    """A pair as a row of a test set."""
    return {
        "id": pair["id"],
        "document": pair["source_id"],
        "source": pair["source"],
        "references": [pair["target"]],
        "meta": {name: pair[name] for name in _META},
    }


def write_splits(folder: Path) -> dict[str, int]:
    """Train, dev and test as test sets; sentences of a patent stand together in dev and test."""
    held: dict[str, list[dict[str, Any]]] = {"dev": [], "test": []}
    counts = dict.fromkeys(SPLITS, 0)
    with ExitStack() as stack:
        train = stack.enter_context(atomic_writer(folder / "train.jsonl"))
        similar = stack.enter_context(atomic_writer(folder / SIMILAR_FILE))
        for pair in iter_rows(folder / PAIRS_FILE):
            if pair["split"] == "train":
                train.write(json_text(segment_row(pair)) + "\n")
            elif pair["split"]:
                held[pair["split"]].append(pair)
            elif pair["like"]:
                names = ("id", "left_out", "like", "source", "target")
                similar.write(json_text({name: pair[name] for name in names}) + "\n")
            if pair["split"]:
                counts[pair["split"]] += 1
    for name, pairs in held.items():
        pairs.sort(key=lambda pair: (pair["source_id"], pair["target_id"], pair["number"]))
        write_json_lines(folder / f"{name}.jsonl", map(segment_row, pairs))
    return counts


def write_broken(steps: StepRunner, folder: Path, parsed: Table) -> None:
    """All records that could not be read, and why."""
    write_json_lines(folder / BROKEN_FILE, steps.rows(_BROKEN, {"parsed": parsed}))


def write_context(
    steps: StepRunner, folder: Path, tables: Mapping[str, Table], languages: Mapping[str, str]
) -> dict[str, int]:
    """The documents that dev and test are taken from, one file per split and language."""
    (folder / "context").mkdir(exist_ok=True)
    counts: dict[str, int] = {}
    with ExitStack() as stack:
        files = {
            (split, side): stack.enter_context(
                atomic_writer(folder / "context" / f"{split}.{language}.jsonl")
            )
            for split in ("dev", "test")
            for side, language in languages.items()
        }
        for row in steps.rows(_CONTEXT, tables):
            document = document_from_json(json.loads(row["document"]))
            language = languages[row["side"]]
            found = to_collection_row(document, language, row["family"])
            files[row["split"], row["side"]].write(json_text(found) + "\n")
            name = f"{row['split']}.{language}"
            counts[name] = counts.get(name, 0) + 1
    return counts


def write_monolingual(
    steps: StepRunner,
    folder: Path,
    tables: Mapping[str, Table],
    languages: Sequence[str],
    until: int,
) -> dict[str, int]:
    """Documents published up to a year, one file per language, apart from dev and test."""
    counts = {}
    for language in languages:
        statement = _MONOLINGUAL.format(language=language, until=f"{until:04d}")
        rows = (
            to_collection_row(
                document_from_json(json.loads(row["document"])), language, row["family"]
            )
            for row in steps.rows(statement, tables)
        )
        counts[language] = write_json_lines(folder / f"monolingual.{language}.jsonl", rows)
    return counts


def write_judging_sample(folder: Path, size: int, seed: int) -> int:
    """Pairs of all splits for people to judge; fewer if there are fewer. Gives their number."""
    ids, scores = [], []
    for pair in iter_rows(folder / PAIRS_FILE, ("id", "split", "score")):
        if pair["split"]:
            ids.append(pair["id"])
            scores.append(pair["score"])
    size = min(size, len(ids))
    if not size:
        return 0
    drawn = draw(ids, np.array(scores, dtype=np.float64), size, seed, PAIRS_FILE)
    wanted = {ids[place]: (stratum, pairs) for place, stratum, pairs in drawn}
    names = ("id", "source", "target", "score", "section", "family")
    found = {
        pair["id"]: PairRow(*(pair[name] for name in names))
        for pair in iter_rows(folder / PAIRS_FILE, names)
        if pair["id"] in wanted
    }
    sample: Iterable[SampledPair] = (
        SampledPair(found[identity], *about) for identity, about in wanted.items()
    )
    write_sample(folder / SAMPLE_FILE, sample)
    return size
