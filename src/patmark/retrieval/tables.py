"""What an index knows of its documents, as Parquet tables that are written batch by batch.

    documents(doc, id, len, pub_date, family, codes, unreadable_codes)
    postings(term, doc, tf)                                             only for exact BM25

``doc`` is the number of a document in its index, ``codes`` are its IPC codes at all levels. Any
engine that knows SQL can read them. A file holds one batch and is named by its first document:
``part-000005000.parquet``.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from patmark.catalogue import load_library
from patmark.data import IntArray
from patmark.errors import InputError
from patmark.retrieval.documents import PatentDocument
from patmark.retrieval.ipc import ipc_prefixes

DOCUMENTS, POSTINGS = "documents", "postings"
TABLES = (DOCUMENTS, POSTINGS)
TABLES_FOLDER = "tables"
_PART, _DIGITS = "part-", 9


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document without its text. ``codes`` are its IPC codes at all levels."""

    id: str
    date: date | None
    family: str | None
    codes: tuple[str, ...]
    length: int
    unreadable_codes: int = 0


def indexed_document(document: PatentDocument, length: int) -> IndexedDocument:
    """What is remembered of a document of ``length`` terms.

    Where a document has no IPC code, its CPC codes stand in: both agree down to the subclass.
    """
    found = [ipc_prefixes(code) for code in document.ipc or document.cpc]
    codes = {prefix for prefixes in found if prefixes for prefix in prefixes.values()}
    return IndexedDocument(
        document.id,
        document.date,
        document.family,
        tuple(sorted(codes)),
        length,
        found.count(None),
    )


@dataclass(slots=True)
class TableBatch:
    """The documents of a batch and the counts of their terms, not yet written."""

    first: int
    documents: list[IndexedDocument] = field(default_factory=list)
    counts: list[Counter[str]] = field(default_factory=list)

    def write(self, folder: Path, *, postings: bool) -> None:
        """Write one file for each table."""
        if not self.documents:
            return
        arrow = load_library("pyarrow", "retrieval")
        tables = {DOCUMENTS: self._documents(arrow)}
        if postings:
            tables[POSTINGS] = self._postings(arrow)
        for name, table in tables.items():
            _write(table_folder(folder, name) / f"{_PART}{self.first:0{_DIGITS}}.parquet", table)

    def _documents(self, arrow: Any) -> Any:
        numbers = range(self.first, self.first + len(self.documents))
        listed = self.documents
        columns = {
            "doc": (list(numbers), arrow.int64()),
            "id": ([one.id for one in listed], arrow.string()),
            "len": ([one.length for one in listed], arrow.int64()),
            "pub_date": ([one.date for one in listed], arrow.date32()),
            "family": ([one.family for one in listed], arrow.string()),
            "codes": ([one.codes for one in listed], arrow.list_(arrow.string())),
            "unreadable_codes": ([one.unreadable_codes for one in listed], arrow.int64()),
        }
        return arrow.table({name: arrow.array(*column) for name, column in columns.items()})

    def _postings(self, arrow: Any) -> Any:
        """Sorted by term, so that a search reads only the parts with its terms."""
        vocabulary = sorted(set().union(*self.counts))
        codes = {term: code for code, term in enumerate(vocabulary)}
        sizes = list(map(len, self.counts))
        term_of = _flat(self.counts, lambda count: map(codes.__getitem__, count), sum(sizes))
        times = _flat(self.counts, lambda count: count.values(), sum(sizes))
        doc_of = np.repeat(np.arange(self.first, self.first + len(sizes)), sizes)
        order = np.argsort(term_of, kind="stable")
        terms = arrow.DictionaryArray.from_arrays(
            arrow.array(term_of[order].astype(np.int32)), arrow.array(vocabulary, arrow.string())
        )
        columns = {"term": terms.cast(arrow.string()), "doc": doc_of[order], "tf": times[order]}
        return arrow.table(columns)


def _flat(
    counts: Sequence[Counter[str]], values: Callable[[Counter[str]], Any], size: int
) -> IntArray:
    return np.fromiter((value for count in counts for value in values(count)), np.int64, size)


def read_document_table(folder: Path, columns: Sequence[str] | None = None) -> Any:
    """The table of the documents in their order, as an Arrow table; some columns or all."""
    parts = list(_document_batches(folder, columns))
    arrow = load_library("pyarrow", "retrieval")
    return arrow.concat_tables(parts) if parts else arrow.table({"id": []})


def _document_batches(folder: Path, columns: Sequence[str] | None = None) -> Iterator[Any]:
    place = table_folder(folder, DOCUMENTS)
    parquet = load_library("pyarrow.parquet", "retrieval")
    try:
        for path in sorted(place.glob("*.parquet")):
            yield parquet.read_table(path, columns=columns)
    except (OSError, ValueError) as error:  # pyarrow's errors are of these two kinds
        raise InputError.at(f"is damaged: {error}; build the index again", str(place)) from None


def documents_of(table: Any) -> tuple[IndexedDocument, ...]:
    """The documents of a table that was read with all columns."""
    names = ("id", "pub_date", "family", "codes", "len", "unreadable_codes")
    rows = zip(*(table.column(name).to_pylist() for name in names), strict=True)
    return tuple(
        IndexedDocument(identity, day, family, tuple(codes), *counts)
        for identity, day, family, codes, *counts in rows
    )


def count_documents(folder: Path) -> dict[str, Any]:
    """The counts of a manifest, and the SHA-256 of all ids in order, one per line.

    Batch by batch, because the documents of a large collection need not fit into memory.
    """
    totals = dict.fromkeys(
        ("documents", "tokens", "undated", "unclassified", "unreadable_codes"), 0
    )
    digest = hashlib.sha256()
    for batch in _document_batches(folder):
        for document in documents_of(batch):
            digest.update(f"{document.id}\n".encode())
            totals["documents"] += 1
            totals["tokens"] += document.length
            totals["undated"] += document.date is None
            totals["unclassified"] += not document.codes
            totals["unreadable_codes"] += document.unreadable_codes
    return {**totals, "ids_sha256": digest.hexdigest()}


def table_folder(folder: Path, name: str) -> Path:
    """Where the files of a table are."""
    return folder / TABLES_FOLDER / name


def drop_from(folder: Path, number: int) -> None:
    """Remove the files of batches that begin at a document or later: they were not committed."""
    for name in TABLES:
        for path in table_folder(folder, name).glob("*.parquet"):
            if int(path.stem.removeprefix(_PART)) >= number:
                path.unlink()


def _write(path: Path, table: Any) -> None:
    """A whole file on the disk or none, since a half one would stop every later search."""
    parquet = load_library("pyarrow.parquet", "retrieval")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.stem}.unfinished")  # hidden: Spark reads all others
    with unfinished.open("wb") as file:
        parquet.write_table(table, file, compression="zstd")
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
