"""Facts of indexed documents, as Parquet tables that are written batch by batch.

    documents(doc, id, len, pub_date, family, codes, unreadable_codes)
    postings(term, doc, tf)                                             only for exact BM25

``doc`` is the number of a document in its index, ``codes`` are its IPC codes at all levels. Any SQL
engine can read them. A file holds one batch and is named by its first document:
``part-000050000.parquet``. Only required columns are read, on demand.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from patmark.catalogue import load_library
from patmark.collections.retrieval.ipc import ipc_prefixes
from patmark.data import IntArray, PatentDocument
from patmark.errors import InputError

DOCUMENTS, POSTINGS = "documents", "postings"
TABLES = (DOCUMENTS, POSTINGS)
TABLES_FOLDER = "tables"
_PART, _DIGITS = "part-", 9

_prefixes = lru_cache(maxsize=2**16)(ipc_prefixes)


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document without its text. ``codes`` are its IPC codes at all levels."""

    id: str
    date: date | None
    family: str | None
    codes: tuple[str, ...]
    length: int
    unreadable_codes: int = 0


@dataclass(slots=True)
class DocumentColumns:
    """Facts of the documents of a batch, column by column; ``first`` is a number."""

    first: int
    ids: list[str] = field(default_factory=list)
    dates: list[date | None] = field(default_factory=list)
    families: list[str | None] = field(default_factory=list)
    codes: list[list[str]] = field(default_factory=list)
    unreadable_codes: list[int] = field(default_factory=list)

    def add(self, document: PatentDocument) -> None:
        """Add a document.

        Without an IPC code, its CPC codes are used: both agree down to the subclass.
        """
        found = [_prefixes(code) for code in document.ipc or document.cpc]
        codes = {prefix for prefixes in found if prefixes for prefix in prefixes.values()}
        self.ids.append(document.id)
        self.dates.append(document.date)
        self.families.append(document.family)
        self.codes.append(sorted(codes))
        self.unreadable_codes.append(found.count(None))

    def __len__(self) -> int:
        return len(self.ids)

    def write(self, folder: Path, lengths: Sequence[int]) -> None:
        """Write the table of the documents, with the number of terms of each text."""
        arrow = load_library("pyarrow", "retrieval")
        columns = {
            "doc": (range(self.first, self.first + len(self)), arrow.int64()),
            "id": (self.ids, arrow.string()),
            "len": (lengths, arrow.int64()),
            "pub_date": (self.dates, arrow.date32()),
            "family": (self.families, arrow.string()),
            "codes": (self.codes, arrow.list_(arrow.string())),
            "unreadable_codes": (self.unreadable_codes, arrow.int64()),
        }
        table = arrow.table({name: arrow.array(*column) for name, column in columns.items()})
        write_table(folder, DOCUMENTS, self.first, table.schema, table.to_batches())


def table_folder(folder: Path, name: str) -> Path:
    """Return the folder of a table."""
    return folder / TABLES_FOLDER / name


def write_table(folder: Path, name: str, first: int, schema: Any, batches: Iterable[Any]) -> None:
    """Write the rows of a batch atomically, since a partial file would stop every search."""
    parquet = load_library("pyarrow.parquet", "retrieval")
    path = table_folder(folder, name) / f"{_PART}{first:0{_DIGITS}}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.stem}.unfinished")  # hidden: Spark reads all others
    with unfinished.open("wb") as file:
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    _keep_names(path.parent)


def _keep_names(folder: Path) -> None:
    """Make new names in a folder durable; Windows opens no folders."""
    if os.name == "posix":
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def drop_from(folder: Path, number: int) -> None:
    """Remove the uncommitted files of batches that begin at a document or later.

    Partial files of a killed build are removed, too.
    """
    for name in TABLES:
        for path in table_folder(folder, name).glob("*.parquet"):
            if int(path.stem.removeprefix(_PART)) >= number:
                path.unlink()
        for path in table_folder(folder, name).glob(".*.unfinished"):
            path.unlink()


def count_rows(folder: Path) -> int:
    """Count the documents of the table by the footers of its files."""
    return sum(file.metadata.num_rows for file in _document_files(folder))


def document_tables(folder: Path, columns: Sequence[str] | None = None) -> Iterator[Any]:
    """Yield the documents in order, as an Arrow table for each batch; some columns or all."""
    for file in _document_files(folder):
        yield file.read(columns=columns)


def _document_files(folder: Path) -> Iterator[Any]:
    """Yield the opened files of the table; pyarrow's dataset would load pandas."""
    place = table_folder(folder, DOCUMENTS)
    parquet = load_library("pyarrow.parquet", "retrieval")
    try:
        for path in sorted(place.glob("*.parquet")):
            with parquet.ParquetFile(path) as file:
                yield file
    except (OSError, ValueError) as error:  # pyarrow's errors are of these two kinds
        raise InputError.at(f"is damaged: {error}; build the index again", str(place)) from None


def documents_of(table: Any) -> Iterator[IndexedDocument]:
    """Yield the documents of a table that has all columns."""
    names = ("id", "pub_date", "family", "codes", "len", "unreadable_codes")
    rows = zip(*(table.column(name).to_pylist() for name in names), strict=True)
    for identity, day, family, codes, *counts in rows:
        yield IndexedDocument(identity, day, family, tuple(codes), *counts)


def find_documents(folder: Path, ids: Collection[str]) -> Iterator[IndexedDocument]:
    """Yield the documents of some ids that are in the table."""
    arrow, compute = (load_library(f"pyarrow{one}", "retrieval") for one in ("", ".compute"))
    wanted = arrow.array(sorted(ids), arrow.string())
    for table in document_tables(folder):
        yield from documents_of(table.filter(compute.is_in(table["id"], wanted)))


class DocumentIds:
    """The ids of all documents by number, as one Arrow array: 16 bytes for a short id."""

    def __init__(self, folder: Path) -> None:
        arrow = load_library("pyarrow", "retrieval")
        tables = document_tables(folder, ["id"])
        chunks = [chunk for table in tables for chunk in table["id"].chunks]
        self._ids = arrow.chunked_array(chunks, arrow.string()).combine_chunks()

    def __len__(self) -> int:
        return len(self._ids)

    def named(self, numbers: IntArray) -> list[str]:
        """Return the ids of some documents."""
        arrow = load_library("pyarrow", "retrieval")
        data = arrow.py_buffer(numbers.astype("int64"))  # arrow.array would load pandas
        wanted = arrow.Array.from_buffers(arrow.int64(), len(numbers), [None, data])
        names: list[str] = self._ids.take(wanted).to_pylist()
        return names


def count_documents(folder: Path) -> dict[str, Any]:
    """Return the counts of a manifest, and the SHA-256 of all ids in order, one per line.

    It works batch by batch, because the documents of a large collection may exceed memory.
    """
    totals = dict.fromkeys(
        ("documents", "tokens", "undated", "unclassified", "unreadable_codes"), 0
    )
    compute = load_library("pyarrow.compute", "retrieval")
    digest = hashlib.sha256()
    for table in document_tables(folder):
        digest.update("".join(f"{one}\n" for one in table["id"].to_pylist()).encode())
        totals["documents"] += len(table)
        totals["tokens"] += compute.sum(table["len"]).as_py() or 0
        totals["undated"] += table["pub_date"].null_count
        no_code = compute.equal(compute.list_value_length(table["codes"]), 0)
        totals["unclassified"] += compute.sum(no_code).as_py() or 0
        totals["unreadable_codes"] += compute.sum(table["unreadable_codes"]).as_py() or 0
    return {**totals, "ids_sha256": digest.hexdigest()}
