"""Files of patent offices to documents, families, and the document pairs that are to be aligned.

Each file is read by one worker.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from patmark.corpus.build.settings import PipelineSettings
from patmark.data import (
    PACKED_ENDINGS,
    TEXT_ENDINGS,
    BrokenRecord,
    Document,
    document_to_json,
    ending,
    read_document_jsonl,
    write_atomically,
)
from patmark.engine import Batch, Dataset, StepRunner, Table, View, batch_of, part_path, write_rows
from patmark.errors import InputError, Problem
from patmark.patents import FamilyKind, Links, build_families, links_of, read_documents

FILE_SCHEMA = {"origin": "string", "path": "string", "named": "int64"}
DOCUMENT_SCHEMA = {
    "status": "string",  # document, broken or skipped
    "doc_id": "string",
    "office": "string",
    "kind": "string",
    "pub_date": "string",
    "language": "string",
    "languages": "string",  # |en|zh|
    "ipc": "string",
    "text_size": "int64",
    "origin": "string",
    "place": "int64",
    "problem": "string",
    "links": "string",
    "document": "string",
}
_EMPTY = {name: 0 if kind == "int64" else "" for name, kind in DOCUMENT_SCHEMA.items()}
_SHARD_BYTES = 1 << 26
_BATCH_BYTES = 1 << 24
_HASHES = "hashes.json"
KNOWN_ENDINGS = TEXT_ENDINGS + PACKED_ENDINGS
KEY_SCHEMA = {"doc_id": "string", "link": "string", "problem": "string"}
MEMBER_SCHEMA = {"doc_id": "string", "family": "string", "family_group": "string"}
_PAIRS_PER_SHARD = 50
# Of several records of one publication, the one with most text is read.
_CATALOGUE = """
SELECT doc_id, office, kind, pub_date, language, languages, ipc, origin, place
FROM (
  SELECT d.*, ROW_NUMBER() OVER (
    PARTITION BY doc_id ORDER BY text_size DESC, origin, place) AS choice
  FROM parsed d WHERE status = 'document'
) chosen
WHERE choice = 1
"""
# Only documents that share a number with another one can be in a family with it.
_SHARED = """
SELECT l.doc_id, l.links
FROM parsed l
JOIN (
  SELECT DISTINCT k.doc_id
  FROM link_keys k
  JOIN (
    SELECT link FROM link_keys WHERE link <> '' GROUP BY link HAVING COUNT(DISTINCT doc_id) > 1
  ) common ON common.link = k.link
) wanted ON wanted.doc_id = l.doc_id
WHERE l.status = 'document'
ORDER BY l.doc_id, l.links
"""
_PUBLICATIONS = """
SELECT c.doc_id, c.office, c.kind, c.pub_date, c.language, c.languages, c.ipc, c.origin, c.place,
       COALESCE(m.family, CONCAT('alone:', c.doc_id)) AS family,
       COALESCE(m.family_group, CONCAT('alone:', c.doc_id)) AS family_group
FROM catalogue c LEFT JOIN members m ON m.doc_id = c.doc_id
ORDER BY c.doc_id
"""
_FAMILY_PAIRS = """
SELECT source_id, target_id, 'family' AS relation
FROM (
  SELECT s.doc_id AS source_id, p.doc_id AS target_id,
         ROW_NUMBER() OVER (PARTITION BY p.family ORDER BY {target_order}) AS choice
  FROM publications p
  JOIN (
    SELECT family, doc_id, office
    FROM (
      SELECT p.family, p.doc_id, p.office,
             ROW_NUMBER() OVER (PARTITION BY p.family ORDER BY {source_order}) AS choice
      FROM publications p WHERE {source_wanted}
    ) ordered_sources
    WHERE choice = 1
  ) s ON s.family = p.family AND s.office <> p.office
  WHERE {target_wanted}
) ordered_targets
WHERE choice = 1
"""
_DOCUMENT_PAIRS = """
SELECT p.doc_id AS source_id, p.doc_id AS target_id, 'document' AS relation
FROM publications p
WHERE {source_wanted} AND {target_wanted}
"""
_PAIRS = """
SELECT CONCAT(r.source_id, ':', r.target_id) AS pair_id, r.relation, s.family, s.family_group,
       r.source_id, r.target_id, s.office AS source_office, t.office AS target_office,
       s.pub_date AS source_date, t.pub_date AS target_date,
       CASE WHEN s.ipc <> '' THEN s.ipc ELSE t.ipc END AS ipc,
       sd.document AS source_document, td.document AS target_document
FROM ({relations}) r
JOIN publications s ON s.doc_id = r.source_id
JOIN publications t ON t.doc_id = r.target_id
JOIN parsed sd ON sd.doc_id = s.doc_id AND sd.origin = s.origin AND sd.place = s.place
JOIN parsed td ON td.doc_id = t.doc_id AND td.origin = t.origin AND td.place = t.place
ORDER BY pair_id
"""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read: the name that results show, its place, and its content as a hash.

    A file that is named itself is read whatever its ending is; others only if it is a known one.
    """

    origin: str
    path: Path
    size: int
    content: str
    named: bool


def input_files(inputs: Sequence[str], base: Path, cache: Path) -> list[InputFile]:
    """All files of the inputs, in the order of their names; hidden ones do not count.

    Hashes of files that have not changed since the last time are taken from ``cache``.
    """
    found: dict[str, Path] = {}
    problems = []
    for name in inputs:
        place = base / name
        if place.is_dir():
            inside = sorted(place.rglob("[!.]*"))
            found |= {
                f"{name.rstrip('/')}/{file.relative_to(place).as_posix()}": file
                for file in inside
                if file.is_file()
            }
        elif place.exists():
            found[name] = place
        else:
            problems.append(Problem("no such file or folder", str(place)))
    if not found and not problems:
        problems.append(Problem("holds no file", ", ".join(inputs)))
    if problems:
        raise InputError(problems)
    return _hashed(found, frozenset(inputs), cache / _HASHES)


def _hashed(found: dict[str, Path], named: frozenset[str], cache: Path) -> list[InputFile]:
    known: dict[str, list[Any]] = json.loads(cache.read_bytes()) if cache.exists() else {}
    hashes: dict[str, list[Any]] = {}
    files = []
    for origin, path in found.items():
        state = path.stat()
        seen = known.get(str(path))
        if seen is None or seen[:2] != [state.st_size, state.st_mtime_ns]:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            seen = [state.st_size, state.st_mtime_ns, digest]
        hashes[str(path)] = seen
        files.append(InputFile(origin, path, state.st_size, seen[2], origin in named))
    cache.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(cache, json.dumps(hashes))
    return files


def parse_step(steps: StepRunner, files: Sequence[InputFile], base: Path) -> Dataset:
    """Documents, broken records and files that were not opened, one row each."""
    content = hashlib.sha256(json.dumps([[f.origin, f.content] for f in files]).encode())

    def make(output: Path) -> None:
        for number, shard in enumerate(_shards(files)):
            rows = [
                {"origin": f.origin, "path": _relative(f.path, base), "named": int(f.named)}
                for f in shard
            ]
            part = part_path(output, number)
            write_rows(output / ".new", rows, FILE_SCHEMA)
            part_path(output / ".new", 0).replace(part)
        (output / ".new").rmdir()

    listed = steps.step("files", make, settings={"content": content.hexdigest()})
    read = partial(read_files, str(base.resolve()))
    return steps.map("parsed", read, listed, DOCUMENT_SCHEMA, batch_rows=1)


def _relative(path: Path, base: Path) -> str:
    place, folder = path.resolve(), base.resolve()
    return str(place.relative_to(folder)) if place.is_relative_to(folder) else str(place)


def _shards(files: Sequence[InputFile]) -> Iterator[list[InputFile]]:
    """Small files together, a large one alone."""
    shard: list[InputFile] = []
    size = 0
    for file in files:
        if shard and size + file.size > _SHARD_BYTES:
            yield shard
            shard, size = [], 0
        shard.append(file)
        size += file.size
    yield shard


def read_files(base: str, files: Batch) -> Iterator[Batch]:
    """The documents of files, in batches that are not too large to hold."""
    rows: list[dict[str, Any]] = []
    size = 0
    for row in _rows(base, files.to_pylist()):
        rows.append(row)
        size += len(row["document"])
        if size > _BATCH_BYTES:
            yield batch_of(rows, DOCUMENT_SCHEMA)
            rows, size = [], 0
    if rows:
        yield batch_of(rows, DOCUMENT_SCHEMA)


def _rows(base: str, files: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for file in files:
        path = Path(base) / file["path"]
        skipped: list[str] = []
        place = 0
        for place, found in enumerate(_read(path, bool(file["named"]), skipped), 1):
            row = _broken_row(found) if isinstance(found, BrokenRecord) else _document_row(found)
            shown = row["origin"].replace(str(path), file["origin"], 1)
            yield {**row, "origin": shown, "place": place}
        for number, name in enumerate(skipped, place + 1):
            yield {
                **_EMPTY,
                "status": "skipped",
                "origin": file["origin"],
                "place": number,
                "problem": Path(name).suffix.lower() or "no ending",
            }


def _read(path: Path, named: bool, skipped: list[str]) -> Iterator[Document | BrokenRecord]:
    """The documents of a file in any format, ours included."""
    if ending(path) == ".jsonl":
        yield from _read_jsonl(path)
    elif named or path.suffix.lower() in KNOWN_ENDINGS:
        yield from read_documents(path, on_skip=skipped.append)
    else:
        skipped.append(path.name)


def _read_jsonl(path: Path) -> Iterator[Document | BrokenRecord]:
    try:
        for document in read_document_jsonl(path):
            yield document.placed(str(path), document.record, ())
    except InputError as error:
        for problem in error.problems:
            yield BrokenRecord(str(path), problem.line or 0, problem.message)


def _broken_row(found: BrokenRecord) -> dict[str, Any]:
    problem = f"record {found.record}: {found.message}"
    return {**_EMPTY, "status": "broken", "origin": found.path, "problem": problem}


def _document_row(document: Document) -> dict[str, Any]:
    written = [
        text.language for text in document.texts if text.claims or text.description or text.abstract
    ]
    text = json.dumps(document_to_json(document), ensure_ascii=False)
    return {
        "status": "document",
        "doc_id": document.id,
        "office": document.office,
        "kind": document.kind,
        "pub_date": document.publication_date,
        "language": document.language,
        "languages": f"|{'|'.join(sorted(set(written)))}|",
        "ipc": " | ".join(document.ipc),
        "text_size": len(text),
        "origin": document.origin,
        "place": 0,
        "problem": "",
        "links": links_to_json(links_of(document)),
        "document": text,
    }


def links_to_json(links: Links) -> str:
    """What links a document, as text; sets in order."""
    values = {name: getattr(links, name) for name in Links.__slots__}
    plain = {
        name: sorted(value) if isinstance(value, frozenset) else value
        for name, value in values.items()
    }
    return json.dumps(plain, ensure_ascii=False)


def links_from_json(text: str) -> Links:
    """The reverse of ``links_to_json``."""
    values = json.loads(text)
    for name in ("priorities", "related"):
        values[name] = frozenset(values[name])
    return Links(**{**values, "problems": tuple(values["problems"])})


def family_step(steps: StepRunner, parsed: Dataset, kind: FamilyKind) -> tuple[Dataset, Dataset]:
    """The numbers that link documents, and every publication with its family.

    The extended family, which no split divides, stands beside it.
    """
    keys = steps.map("link_keys", keys_of, parsed, KEY_SCHEMA, columns=("status", "links"))

    def make(output: Path) -> None:
        shared = steps.rows(_SHARED, {"parsed": parsed, "link_keys": keys})
        write_rows(output, _members(shared, kind), MEMBER_SCHEMA)

    members = steps.step("members", make, [parsed, keys], {"kind": kind, "shared": _SHARED})
    catalogue = View(_CATALOGUE, {"parsed": parsed})
    tables: dict[str, Table] = {"catalogue": catalogue, "members": members}
    return keys, steps.sql("publications", _PUBLICATIONS, tables)


def keys_of(links: Batch) -> Iterator[Batch]:
    """One row for each number that may link a document; one without a number if there is none."""
    rows = []
    for record in links.to_pylist():
        if record["status"] != "document":
            continue
        found = links_from_json(record["links"])
        docdb = [f"docdb:{found.family_id}"] if found.family_id else []
        names = sorted({*found.priorities, *found.related, *docdb, found.application} - {""})
        problem = "; ".join(found.problems)
        rows += [{"doc_id": found.id, "link": name, "problem": problem} for name in names or [""]]
    yield batch_of(rows, KEY_SCHEMA)


def _members(shared: Iterable[dict[str, Any]], kind: FamilyKind) -> Iterator[dict[str, Any]]:
    links = [links_from_json(row["links"]) for row in shared]
    families = build_families(links, kind).families
    groups = build_families(links, "extended").families
    group_of = {member.id: group.id for group in groups for member in group.members}
    family_of = {member.id: family.id for family in families for member in family.members}
    for name in sorted(family_of):
        yield {"doc_id": name, "family": family_of[name], "family_group": group_of[name]}


def pair_step(
    steps: StepRunner, parsed: Dataset, publications: Dataset, settings: PipelineSettings
) -> Dataset:
    """The document pairs with both texts: one per family, or documents in both languages."""
    wanted = settings.pairs
    parts = {
        "source_wanted": _wanted(settings.source_language, wanted.source_offices),
        "target_wanted": _wanted(settings.target_language, wanted.target_offices),
        "source_order": _order(settings.source_language, wanted.source_offices, wanted.prefer),
        "target_order": _order(settings.target_language, wanted.target_offices, wanted.prefer),
    }
    statements = {"family": _FAMILY_PAIRS, "document": _DOCUMENT_PAIRS}
    relations = " UNION ALL ".join(statements[kind].format(**parts) for kind in wanted.kinds)
    statement = _PAIRS.format(relations=relations)
    tables = {"publications": publications, "parsed": parsed}
    return steps.sql("document_pairs", statement, tables, shard_rows=_PAIRS_PER_SHARD)


def _wanted(language: str, offices: Sequence[str]) -> str:
    """Which publications have a text in the language."""
    found = f"p.languages LIKE '%|{language}|%'"
    if not offices:
        return found
    return f"{found} AND p.office IN ({', '.join(map(quoted, offices))})"


def _order(language: str, offices: Sequence[str], kinds: Sequence[str]) -> str:
    """Own language first, then offices and kinds as they are preferred, then the earliest."""
    return ", ".join(
        [
            f"CASE WHEN p.language = '{language}' THEN 0 ELSE 1 END",
            _places("p.office =", [quoted(office) for office in offices]),
            _places("p.kind LIKE", [quoted(f"{kind}%") for kind in kinds]),
            "CASE WHEN p.pub_date = '' THEN '9999' ELSE p.pub_date END",
            "p.doc_id",
        ]
    )


def _places(test: str, values: Sequence[str]) -> str:
    """The place of the first value that fits."""
    if not values:
        return "CAST(NULL AS BIGINT)"
    cases = " ".join(f"WHEN {test} {value} THEN {place}" for place, value in enumerate(values))
    return f"CASE {cases} ELSE {len(values)} END"


def quoted(text: str) -> str:
    """A string in SQL."""
    return "'" + text.replace("'", "''") + "'"
