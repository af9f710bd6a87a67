"""Office files to documents, families, and document pairs for alignment.

Each file is read by one worker.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from patmark.collections.corpus.build.settings import PipelineSettings
from patmark.collections.patents import (
    KEY_SCHEMA,
    FamilyKind,
    family_step,
    link_keys,
    links_of,
    links_to_json,
)
from patmark.data import (
    BrokenRecord,
    Document,
    document_to_json,
    holds_documents,
    read_document_jsonl,
)
from patmark.engine import (
    Batch,
    Dataset,
    Relation,
    StepRunner,
    StoredFile,
    View,
    batch_of,
    is_url,
    local_file,
    shown_url,
    stored_files,
    write_rows,
)
from patmark.errors import Damage, InputError, Problem

FILE_SCHEMA = {
    "item": "string",
    "origin": "string",
    "path": "string",
    "named": "int64",
    "size": "int64",
}
DOCUMENT_SCHEMA = {
    "item": "string",
    "status": "string",  # document, broken, damaged, skipped; file: its hash is the problem
    "doc_id": "string",
    "office": "string",
    "kind": "string",
    "pub_date": "string",
    "language": "string",
    "languages": "string",  # |en|zh|
    "parts": "string",  # |en claims|en description|
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
LONG_PARTS = ("claims", "description")
_PAIRS_PER_SHARD = (10, 50)
_SHARDS = 20
_PARSED = "SELECT p.* FROM found p JOIN files f ON f.item = p.item WHERE p.status <> 'file'"
_CONTENT = """
SELECT p.origin, p.problem FROM found p JOIN files f ON f.item = p.item
WHERE p.status = 'file' ORDER BY p.origin
"""
# If a publication has several records, the one with most text is used.
_CATALOGUE = """
SELECT doc_id, office, kind, pub_date, language, languages, parts, ipc, origin, place
FROM (
  SELECT d.*, ROW_NUMBER() OVER (
    PARTITION BY doc_id ORDER BY text_size DESC, origin, place) AS choice
  FROM parsed d WHERE status = 'document'
) chosen
WHERE choice = 1
"""
_LINKS = "SELECT doc_id, links FROM parsed WHERE status = 'document'"
_PUBLICATIONS = """
SELECT c.doc_id, c.office, c.kind, c.pub_date, c.language, c.languages, c.parts, c.ipc, c.origin,
       c.place,
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
{some}
ORDER BY pair_id
"""


def parse_step(steps: StepRunner, inputs: Sequence[str], base: Path) -> View:
    """Read documents, broken records and skipped files, one row each.

    A file of an earlier build with the same name, size and time is not read again. The key of the
    result is that of the contents.
    """
    listing = hashlib.sha256()
    for row in input_files(inputs, base):
        listing.update(row["item"].encode())
    listed = steps.step(
        "files",
        lambda output: write_rows(output, input_files(inputs, base), FILE_SCHEMA),
        settings={"files": listing.hexdigest()},
    )
    read = partial(read_files, str(base.resolve()))
    found = steps.gather(
        "parsed", read, listed, DOCUMENT_SCHEMA, item_schema=FILE_SCHEMA, most=_SHARD_BYTES
    )
    content = hashlib.sha256()
    for row in steps.rows(_CONTENT, {"found": found, "files": listed}):
        content.update(f"{row['origin']}\0{row['problem']}\n".encode())
    key = content.hexdigest()[:16]
    return View(_PARSED, {"found": replace(found, key=key), "files": replace(listed, key=key)})


def input_files(inputs: Sequence[str], base: Path) -> Iterator[dict[str, Any]]:
    """Yield all files of the inputs without hidden ones.

    ``origin`` is the name in results. An explicitly named file is always read; others only if they
    hold patents.
    """
    missing = [base / name for name in inputs if not is_url(name) and not (base / name).exists()]
    if missing:
        raise InputError(Problem("no such file or folder", str(place)) for place in missing)
    names = sorted({name.rstrip("/") for name in inputs})
    found = False
    for name in names:
        own = shown_url(name)
        inner = [other for other in map(shown_url, names) if other.startswith(f"{own}/")]
        for file in stored_files(name) if is_url(name) else _files_in(base / name):
            origin = f"{own}/{file.inside}" if file.inside else own
            if any(origin == other or origin.startswith(f"{other}/") for other in inner):
                continue
            found = True
            row = {
                "origin": origin,
                "path": file.url if is_url(name) else _relative(Path(file.url), base),
                "named": int(not file.inside),
                "size": file.size,
            }
            content = json.dumps([*row.values(), file.changed])
            yield {"item": hashlib.sha256(content.encode()).hexdigest()[:16], **row}
    if not found:
        raise InputError.at("holds no file", ", ".join(inputs))


def _files_in(place: Path) -> Iterator[StoredFile]:
    """Yield the file itself, or all files below a folder."""
    if place.is_file():
        yield _stored(place, "")
        return
    for folder, inner, names in os.walk(place):
        inner.sort()
        for name in sorted(names):
            if not name.startswith("."):
                path = Path(folder, name)
                yield _stored(path, path.relative_to(place).as_posix())


def _stored(path: Path, inside: str) -> StoredFile:
    state = path.stat()
    return StoredFile(str(path), inside, state.st_size, state.st_mtime_ns)


def _relative(path: Path, base: Path) -> str:
    place, folder = path.resolve(), base.resolve()
    return str(place.relative_to(folder)) if place.is_relative_to(folder) else str(place)


def read_files(base: str, files: Batch) -> Iterator[Batch]:
    """Yield the documents of files, in batches of limited size."""
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
        with local_file(file["path"], Path(base)) as path:
            yield from _file_rows(path, file)


def _file_rows(path: Path, file: dict[str, Any]) -> Iterator[dict[str, Any]]:
    skipped: list[str] = []
    place = 0
    empty = {**_EMPTY, "item": file["item"], "origin": file["origin"]}
    with path.open("rb") as stream:
        content = hashlib.file_digest(stream, "sha256").hexdigest()
    yield {**empty, "status": "file", "problem": content}
    for place, found in enumerate(_read(path, bool(file["named"]), skipped), 1):
        row = _broken_row(found) if isinstance(found, BrokenRecord) else _document_row(found)
        shown = row["origin"].replace(str(path), file["origin"], 1)
        yield {**row, "item": file["item"], "origin": shown, "place": place}
    for number, name in enumerate(skipped, place + 1):
        problem = Path(name).suffix.lower() or "no ending"
        yield {**empty, "status": "skipped", "place": number, "problem": problem}


def _read(path: Path, named: bool, skipped: list[str]) -> Iterator[Document | BrokenRecord]:
    """Yield the documents of a file in any format, ours included."""
    if _holds_ours(path):
        yield from _read_jsonl(path)
    else:
        from patmark.collections.patents import (
            read_documents,  # documents of our own need no reader of offices
        )

        yield from read_documents(path, named=named, on_skip=skipped.append)


def _holds_ours(path: Path) -> bool:
    """Return True for documents of our own; the reader of offices lists a damaged beginning."""
    try:
        return holds_documents(path)
    except InputError:
        return False


def _read_jsonl(path: Path) -> Iterator[Document | BrokenRecord]:
    try:
        for document in read_document_jsonl(path):
            yield document.placed(str(path), document.record, ())
    except InputError as error:
        for problem in error.problems:
            lost = isinstance(problem, Damage)
            yield BrokenRecord(str(path), problem.line or 0, problem.message, rest_lost=lost)


def _broken_row(found: BrokenRecord) -> dict[str, Any]:
    problem = f"record {found.record}: {found.message}"
    status = "damaged" if found.rest_lost else "broken"
    return {**_EMPTY, "status": status, "origin": found.path, "problem": problem}


def _document_row(document: Document) -> dict[str, Any]:
    written = [
        text.language for text in document.texts if text.claims or text.description or text.abstract
    ]
    parts = [
        f"{text.language} {name}"
        for text in document.texts
        for name in LONG_PARTS
        if getattr(text, name)
    ]
    text = json.dumps(document_to_json(document), ensure_ascii=False)
    return {
        **_EMPTY,
        "status": "document",
        "doc_id": document.id,
        "office": document.office,
        "kind": document.kind,
        "pub_date": document.publication_date,
        "language": document.language,
        "languages": f"|{'|'.join(sorted(set(written)))}|",
        "parts": f"|{'|'.join(sorted(set(parts)))}|",
        "ipc": " | ".join(document.ipc),
        "text_size": len(text),
        "origin": document.origin,
        "links": links_to_json(links_of(document)),
        "document": text,
    }


def publication_step(
    steps: StepRunner, parsed: Relation, kind: FamilyKind
) -> tuple[Dataset, Dataset]:
    """Return the numbers that link documents, and every publication with its family.

    The extended family, which no split divides, is included.
    """
    links = View(_LINKS, {"parsed": parsed})
    keys = steps.map("link_keys", link_keys, links, KEY_SCHEMA)
    tables: dict[str, Relation] = {
        "catalogue": View(_CATALOGUE, {"parsed": parsed}),
        "members": family_step(steps, keys, kind),
    }
    return keys, steps.sql("publications", _PUBLICATIONS, tables)


def pair_step(
    steps: StepRunner,
    parsed: Relation,
    publications: Dataset,
    settings: PipelineSettings,
    share: float = 1.0,
) -> Dataset:
    """Pair documents with both texts: one pair per family, or documents in both languages.

    ``share`` of them are taken, by a hash of their names.
    """
    wanted = settings.pairs
    parts = {
        "source_wanted": is_wanted(settings.source_language, wanted.source_offices),
        "target_wanted": is_wanted(settings.target_language, wanted.target_offices),
        "source_order": _order(settings.source_language, wanted.source_offices, wanted.prefer),
        "target_order": _order(settings.target_language, wanted.target_offices, wanted.prefer),
    }
    statements = {"family": _FAMILY_PAIRS, "document": _DOCUMENT_PAIRS}
    relations = " UNION ALL ".join(statements[kind].format(**parts) for kind in wanted.kinds)
    some = f"WHERE SUBSTR(MD5(r.source_id), 1, 4) < '{round(share * 0xFFFF):04x}'"
    statement = _PAIRS.format(relations=relations, some=some if share < 1 else "")
    tables = {"publications": publications, "parsed": parsed}
    shard_rows = pairs_per_shard(publications.rows // 2)
    return steps.sql("document_pairs", statement, tables, shard_rows=shard_rows)


def pairs_per_shard(pairs: int) -> int:
    """Return the document pairs per shard: few, so that a small build shows progress."""
    least, most = _PAIRS_PER_SHARD
    return min(max(pairs // _SHARDS, least), most)


def is_wanted(language: str, offices: Sequence[str]) -> str:
    """Return the SQL condition for publications with a text in the language."""
    found = f"p.languages LIKE '%|{language}|%'"
    if not offices:
        return found
    return f"{found} AND p.office IN ({', '.join(map(quoted, offices))})"


def _order(language: str, offices: Sequence[str], kinds: Sequence[str]) -> str:
    """Return the SQL order: full text, own language, preferred offices and kinds, earliest.

    A bibliographic record often is the earliest one of its family, and has next to no text.
    """
    missing = [f"CASE WHEN {has_part(language, part)} THEN 0 ELSE 1 END" for part in LONG_PARTS]
    return ", ".join(
        [
            " + ".join(missing),
            f"CASE WHEN p.language = '{language}' THEN 0 ELSE 1 END",
            _places("p.office =", [quoted(office) for office in offices]),
            _places("p.kind LIKE", [quoted(f"{kind}%") for kind in kinds]),
            "CASE WHEN p.pub_date = '' THEN '9999' ELSE p.pub_date END",
            "p.doc_id",
        ]
    )


def has_part(language: str, part: str, publication: str = "p") -> str:
    """Return the SQL condition for a publication with this part of a text in the language."""
    return f"{publication}.parts LIKE '%|{language} {part}|%'"


def _places(test: str, values: Sequence[str]) -> str:
    """Return SQL for the index of the first value that fits."""
    if not values:
        return "CAST(NULL AS BIGINT)"
    cases = " ".join(f"WHEN {test} {value} THEN {place}" for place, value in enumerate(values))
    return f"CASE {cases} ELSE {len(values)} END"


def quoted(text: str) -> str:
    """Quote a string for SQL."""
    return "'" + text.replace("'", "''") + "'"
