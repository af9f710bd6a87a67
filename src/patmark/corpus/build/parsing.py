"""Files of patent offices to documents, each file by one worker."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from patmark.data.archives import PACKED_ENDINGS, TEXT_ENDINGS
from patmark.data.documents import BrokenRecord, Document, document_to_json, read_document_jsonl
from patmark.data.files import write_atomically
from patmark.data.packing import ending
from patmark.engine.datasets import Batch, batch_of, part_path, write_rows
from patmark.engine.steps import Dataset, StepRunner
from patmark.errors import InputError, Problem
from patmark.patents.families import Links, links_of
from patmark.patents.read import read_documents

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
