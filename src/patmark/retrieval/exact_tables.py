"""The Parquet tables over which BM25 is computed exactly, written batch by batch.

``docs(doc, id, len, pub_date, family)``, ``postings(term, doc, tf)`` and ``doc_ipc(doc, code)``;
``doc`` is the number of a document in its index. Any engine that knows SQL can read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from patmark.data import IntArray
from patmark.errors import MissingExtra
from patmark.retrieval.indexed_documents import IndexedDocument

TABLES = ("docs", "postings", "doc_ipc")
TABLES_FOLDER = "tables"
_DIGITS = 9


@dataclass(slots=True)
class TableBatch:
    """The rows of the documents that are not yet written."""

    documents: list[tuple[int, IndexedDocument]] = field(default_factory=list)
    counts: list[Counter[str]] = field(default_factory=list)

    def add(self, number: int, document: IndexedDocument, terms: Sequence[str]) -> None:
        """Keep the rows of a document."""
        self.documents.append((number, document))
        self.counts.append(Counter(terms))

    def write(self, folder: Path) -> None:
        """Write one file for each table, named by the first document, and forget the rows."""
        if not self.documents:
            return
        first = self.documents[0][0]
        for name, table in self._tables().items():
            _write(table_folder(folder, name) / f"{first:0{_DIGITS}}.parquet", table)
        self.documents.clear()
        self.counts.clear()

    def _tables(self) -> dict[str, Any]:
        arrow = arrow_module("pyarrow")
        numbers, documents = zip(*self.documents, strict=True)
        codes = [(number, code) for number, one in self.documents for code in one.codes]
        return {
            "docs": arrow.table({
                "doc": arrow.array(numbers, arrow.int64()),
                "id": arrow.array([one.id for one in documents], arrow.string()),
                "len": arrow.array([one.length for one in documents], arrow.int64()),
                "pub_date": arrow.array([one.date for one in documents], arrow.date32()),
                "family": arrow.array([one.family for one in documents], arrow.string()),
            }),
            "postings": self._postings(arrow, numbers),
            "doc_ipc": arrow.table({
                "doc": arrow.array([number for number, _ in codes], arrow.int64()),
                "code": arrow.array([code for _, code in codes], arrow.string()),
            }),
        }  # fmt: skip

    def _postings(self, arrow: Any, numbers: Sequence[int]) -> Any:
        """Sorted by term, so that a search reads only the parts with its terms."""
        vocabulary = sorted(set().union(*self.counts))
        codes = {term: code for code, term in enumerate(vocabulary)}
        size = sum(map(len, self.counts))
        term_of = _flat(self.counts, lambda count: map(codes.__getitem__, count), size)
        times = _flat(self.counts, lambda count: count.values(), size)
        doc_of = np.repeat(np.array(numbers, dtype=np.int64), list(map(len, self.counts)))
        order = np.argsort(term_of, kind="stable")
        terms = arrow.DictionaryArray.from_arrays(
            arrow.array(term_of[order].astype(np.int32)), arrow.array(vocabulary, arrow.string())
        )
        return arrow.table({
            "term": terms.cast(arrow.string()),
            "doc": doc_of[order],
            "tf": times[order],
        })  # fmt: skip


def _flat(
    counts: Sequence[Counter[str]], values: Callable[[Counter[str]], Any], size: int
) -> IntArray:
    return np.fromiter((value for count in counts for value in values(count)), np.int64, size)


def table_folder(folder: Path, name: str) -> Path:
    """Where the files of a table are."""
    return folder / TABLES_FOLDER / name


def drop_from(folder: Path, number: int) -> None:
    """Remove the files of batches that begin at a document or later: they were not committed."""
    for name in TABLES:
        for path in table_folder(folder, name).glob("*.parquet"):
            if int(path.stem) >= number:
                path.unlink()


def _write(path: Path, table: Any) -> None:
    """A whole file or none, since a half one would stop every later search."""
    parquet = arrow_module("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    parquet.write_table(table, unfinished, compression="zstd")
    unfinished.replace(path)


def arrow_module(name: str) -> Any:
    """A module of pyarrow, or the error that says how to get it."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra("pyarrow", "retrieval") from None
