"""The files of a collection: pairs as Parquet, splits as test sets, context, sample."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from patmark.collections.corpus.build.pair_ranks import numbered
from patmark.collections.corpus.pair_rows import PairRow
from patmark.collections.corpus.sampling import SampledPair, draw_ranks, write_sample
from patmark.collections.corpus.splits import SPLITS
from patmark.data import (
    atomic_writer,
    document_from_json,
    json_text,
    to_collection_row,
    write_json_lines,
)
from patmark.engine import (
    LINE_SCHEMA,
    Batch,
    Dataset,
    Place,
    Relation,
    Schema,
    StepRunner,
    View,
    any_place,
    arrow,
    arrow_schema,
    batch_of,
    file_facts,
    local_target,
    part_path,
    place_name,
    regrouped,
    remove_tree,
    write_part,
)

PAIRS_FILE = "pairs.parquet"
SAMPLE_FILE = "sample.csv"
SIMILAR_FILE = "similar.jsonl"
BROKEN_FILE = "broken.jsonl"
_DESCRIBED = (
    "id split left_out reasons like family family_group relation source_id target_id source_office "
    "target_office source_date target_date ipc pair_id"
)
PAIR_SCHEMA: Schema = {
    **dict.fromkeys(_DESCRIBED.split(), "string"),
    "number": "int64",
    **dict.fromkeys(("section", "bead"), "string"),
    **dict.fromkeys(("sim", "avsim", "ratio", "sntscore", "score"), "float64"),
    "rank": "int64",
    **dict.fromkeys(("source", "target"), "string"),
}
_META = (
    "family", "family_group", "source_id", "target_id", "source_date", "target_date", "ipc",
    "section", "bead", "sim", "avsim", "sntscore", "score", "rank",
)  # fmt: skip
TEXT_SCHEMA: Schema = {"path": "string", "rows": "int64", "bytes": "int64", "sha256": "string"}
PAIRS_FOLDER = "pairs"
_DIVIDED_TEXTS = ("train", "similar")
_RESEMBLING = ("pattern", "leak")
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
SELECT {_columns(like="COALESCE(o.id, '') AS similar_to", rank="p.place AS rank")}
FROM divided p
LEFT JOIN pairs o ON o.place = p.alike AND p.alike > 0
"""
_IN_FILES = """
SELECT CAST(FLOOR((CAST(f.rank AS DOUBLE) - 1) / {rows}) AS BIGINT) AS file, f.* FROM ({pairs}) f
"""
# sentences of a patent are adjacent in dev and test
_SPLITS = """
SELECT {files} AS file, p.*
FROM final_pairs p WHERE (split <> '' OR left_out IN ('pattern', 'leak')) AND {wanted}
ORDER BY file, CASE WHEN split IN ('dev', 'test') THEN source_id ELSE '' END,
         CASE WHEN split IN ('dev', 'test') THEN target_id ELSE '' END,
         CASE WHEN split IN ('dev', 'test') THEN number ELSE rank END
"""
_ALL_FILES = "CASE split WHEN 'train' THEN 0 WHEN 'dev' THEN 1 WHEN 'test' THEN 2 ELSE 3 END"
_HELD_FILES = "CASE split WHEN 'dev' THEN 0 ELSE 1 END"
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
# all documents with text in a language, without the families of dev and test
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


def pairs_place(folder: Place) -> Place:
    """Return the pairs of a collection: a file, or a folder of files."""
    divided = folder / PAIRS_FOLDER
    return divided if divided.is_dir() else folder / PAIRS_FILE


def write_pairs(
    steps: StepRunner, folder: Place, pairs: Relation, divided: View, rows: int = 0
) -> tuple[Dataset, list[dict[str, Any]]]:
    """Write all pairs by rank, equal from every engine, and describe the files.

    More than ``rows`` pairs are divided into files, which workers write; 0 means one file.
    """
    tables: dict[str, Relation] = {"pairs": pairs, "divided": divided}
    [found] = steps.rows("SELECT COUNT(*) AS n FROM divided", tables)
    remove_tree(folder / PAIRS_FOLDER)
    if rows and found["n"] > rows:
        (folder / PAIRS_FILE).unlink(missing_ok=True)
        statement = _IN_FILES.format(rows=rows, pairs=_FINAL)
        place = folder / PAIRS_FOLDER
        written = steps.divide(
            statement, tables, place, PAIR_SCHEMA, order="rank", group_rows=_GROUP_ROWS
        )
        names = [f"{PAIRS_FOLDER}/{part_path(place, each['file']).name}" for each in written]
    else:
        schema = arrow_schema(PAIR_SCHEMA)
        renamed = (
            arrow().RecordBatch.from_arrays(batch.columns, names=schema.names).cast(schema)
            for batch in steps.batches(f"{_FINAL} ORDER BY p.place", tables)
        )
        with local_target(folder / PAIRS_FILE) as file:
            count = write_part(file, regrouped(renamed, _GROUP_ROWS), schema)
            written = [{"rows": count, **file_facts(file)}]
        names = [PAIRS_FILE]
    return Dataset(pairs_place(folder), ""), [
        manifest_row(name, facts) for name, facts in zip(names, written, strict=True)
    ]


def manifest_row(name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of a file in the manifest."""
    return {"path": name, **{each: facts[each] for each in ("rows", "bytes", "sha256")}}


def segment_row(pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pair as a row of a test set."""
    return {
        "id": pair["id"],
        "document": pair["source_id"],
        "source": pair["source"],
        "references": [pair["target"]],
        "meta": {name: pair[name] for name in _META},
    }


def write_splits(
    steps: StepRunner, folder: Place, final: Dataset, rows: int = 0
) -> list[dict[str, Any]]:
    """Write train, dev and test as test sets, and the pairs that resemble dev or test.

    If the pairs are divided into files, so are training pairs and similar ones: each worker writes
    those of one file of pairs. Return the rows of the manifest.
    """
    tables = {"final_pairs": final}
    paths = [*(folder / f"{split}.jsonl" for split in SPLITS), folder / SIMILAR_FILE]
    for name in _DIVIDED_TEXTS:
        remove_tree(folder / name)
    if final.path.is_file():
        statement = _SPLITS.format(files=_ALL_FILES, wanted="1 = 1")
        return _exported(steps, statement, tables, paths)
    for name in _DIVIDED_TEXTS:
        (folder / f"{name}.jsonl").unlink(missing_ok=True)
        (folder / name).mkdir(exist_ok=True)
    held = _SPLITS.format(files=_HELD_FILES, wanted="split IN ('dev', 'test')")
    written = _exported(steps, held, tables, [folder / "dev.jsonl", folder / "test.jsonl"])
    found = steps.map_files(partial(write_text_files, place_name(folder), rows), final, TEXT_SCHEMA)
    return [*written, *sorted(found, key=itemgetter("path"))]


def _exported(
    steps: StepRunner, statement: str, tables: Mapping[str, Relation], paths: Sequence[Place]
) -> list[dict[str, Any]]:
    """Write the pairs of a statement to files, and return their rows of the manifest."""
    written = steps.export(statement, tables, pair_lines, paths)
    return [manifest_row(path.name, facts) for path, facts in zip(paths, written, strict=True)]


def write_text_files(folder: str, rows: int, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Write the training pairs and the similar pairs of a file of pairs, in a worker."""
    place = any_place(folder)
    targets: dict[str, Path] = {}
    with ExitStack() as uploads:
        with ExitStack() as writers:
            files: dict[str, IO[str]] = {}
            counts = Counter[str]()
            for pair in chain.from_iterable(batch.to_pylist() for batch in batches):
                table = _text_name(pair)
                if not table:
                    continue
                name = f"{table}/part-{(pair['rank'] - 1) // rows:06}.jsonl"
                if name not in files:
                    targets[name] = uploads.enter_context(local_target(place / name))
                    files[name] = writers.enter_context(atomic_writer(targets[name]))
                files[name].write(json_text(_text_row(pair)) + "\n")
                counts[name] += 1
        written = [
            {"path": name, "rows": counts[name], **file_facts(local)}
            for name, local in targets.items()
        ]
    yield batch_of(written, TEXT_SCHEMA)


def _text_name(pair: Mapping[str, Any]) -> str:
    """Return the table of texts of a pair, if it is a divided one."""
    if pair["split"] == "train":
        return "train"
    return "similar" if not pair["split"] and pair["left_out"] in _RESEMBLING else ""


def _text_row(pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pair of a split as a test set row, other rows with the pair they resemble."""
    return segment_row(pair) if pair["split"] else {name: pair[name] for name in _SIMILAR}


def pair_lines(pairs: Batch) -> Iterator[Batch]:
    """Yield pairs of splits as rows of test sets, others with the pairs they resemble."""
    rows = [_text_row(pair) for pair in pairs.to_pylist()]
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


def write_broken(steps: StepRunner, folder: Place, parsed: Relation) -> None:
    """Write all unreadable records, with the reasons."""
    with local_target(folder / BROKEN_FILE) as file:
        write_json_lines(file, steps.rows(_BROKEN, {"parsed": parsed}))


def write_context(
    steps: StepRunner, folder: Place, tables: Mapping[str, Relation], languages: Sequence[str]
) -> dict[str, int]:
    """Write the documents of dev and test, one file per split and language."""
    (folder / "context").mkdir(exist_ok=True)
    names = [f"{split}.{language}" for split in ("dev", "test") for language in languages]
    paths = [folder / "context" / f"{name}.jsonl" for name in names]
    lines = partial(document_lines, [*languages, *languages])
    written = steps.export(_CONTEXT, tables, lines, paths, shard_rows=_DOCUMENTS)
    counts = {name: facts["rows"] for name, facts in zip(names, written, strict=True)}
    return {name: count for name, count in counts.items() if count}


def write_monolingual(
    steps: StepRunner,
    folder: Place,
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
        [written] = steps.export(statement, tables, lines, [path], shard_rows=_DOCUMENTS)
        counts[language] = written["rows"]
    return counts


def write_judging_sample(
    steps: StepRunner, folder: Place, final: Dataset, size: int, seed: int
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
    with local_target(folder / SAMPLE_FILE) as file:
        write_sample(file, sample)
    return size
