"""A batch of documents for an index: texts, their terms, and term counts.

Texts are written to Parquet in parts, several processes analyse them part by part, and the parts
are removed when the batch is in the index.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from patmark.collections.retrieval.index_tables import POSTINGS, DocumentColumns, write_table
from patmark.collections.retrieval.index_terms import term_procedure
from patmark.data import PatentDocument
from patmark.engine import (
    Batch,
    Engine,
    Schema,
    arrow,
    arrow_schema,
    batch_of,
    iter_batches,
    part_path,
    regrouped,
    write_part,
)

_TEXTS: Schema = {"doc": "int64", "text": "string"}
_TERMS: Schema = {"doc": "int64", "len": "int64", "terms": "string"}
_POSTINGS: Schema = {"term": "string", "doc": "int64", "tf": "int64"}
_PART_DOCUMENTS, _PART_CHARACTERS = 2_500, 16_000_000
_BATCH_CHARACTERS = 1_000_000_000
_ROWS_AT_ONCE = 500
_POSTING_ROWS = 2**17

# Sorted by term, so that a search reads only the parts with its terms.
_COUNTED = """
SELECT term, doc, COUNT(*) AS tf
FROM (SELECT doc, UNNEST(STRING_SPLIT(terms, ' ')) AS term FROM terms WHERE len > 0)
GROUP BY term, doc
ORDER BY term, doc
"""


@dataclass(frozen=True, slots=True)
class TermBatch:
    """The documents of a batch; their terms are in the batch's folder."""

    folder: Path
    documents: DocumentColumns
    characters: int

    def terms(self) -> Iterator[tuple[list[int], list[str]]]:
        """Yield term counts and terms of documents in order, some documents at a time."""
        for rows in iter_batches(self.folder / "terms", ["len", "terms"]):
            yield rows.column(0).to_pylist(), rows.column(1).to_pylist()

    def write_postings(self, folder: Path, engine: Engine) -> None:
        """Write the count of each term in each document, for exact BM25."""
        tables = {"terms": self.folder / "terms"}
        counted = engine.query(_COUNTED, tables, self.folder / "scratch")
        rows = regrouped(counted, _POSTING_ROWS)
        write_table(folder, POSTINGS, self.documents.first, arrow_schema(_POSTINGS), rows)

    def remove(self) -> None:
        """Remove temporary files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def take_batch(
    folder: Path,
    documents: Iterator[PatentDocument],
    first: int,
    most: int,
    terms: str,
    engine: Engine,
) -> TermBatch | None:
    """Take the next documents, ``most`` or a gigabyte of text; return None at the end.

    ``first`` is the number of the first of them, ``terms`` the name of the procedure.
    """
    shutil.rmtree(folder, ignore_errors=True)
    columns, characters = DocumentColumns(first), 0
    texts = folder / "texts"
    for number, (part, size) in enumerate(_parts(documents, columns, most)):
        texts.mkdir(parents=True, exist_ok=True)
        write_part(part_path(texts, number), [part], arrow_schema(_TEXTS))
        characters += size
    if not len(columns):
        return None
    engine.map_batches(
        partial(_term_rows, terms), texts, folder / "terms", _TERMS, batch_rows=_ROWS_AT_ONCE
    )
    shutil.rmtree(texts)
    return TermBatch(folder, columns, characters)


def _parts(
    documents: Iterator[PatentDocument], columns: DocumentColumns, most: int
) -> Iterator[tuple[Batch, int]]:
    """Yield texts in parts of one process each, with the number of their characters.

    Other facts of the documents go to ``columns``.
    """
    rows: list[dict[str, object]] = []
    in_part = in_batch = 0
    while len(columns) < most and in_batch < _BATCH_CHARACTERS:
        document = next(documents, None)
        if document is None:
            break
        text = document.text
        rows.append({"doc": columns.first + len(columns), "text": text})
        columns.add(document)
        in_part, in_batch = in_part + len(text), in_batch + len(text)
        if len(rows) == _PART_DOCUMENTS or in_part >= _PART_CHARACTERS:
            yield batch_of(rows, _TEXTS), in_part
            rows, in_part = [], 0
    if rows:
        yield batch_of(rows, _TEXTS), in_part


def _term_rows(terms: str, batch: Batch) -> Iterable[Batch]:
    """Yield texts as their terms, separated by blanks."""
    joined = list(map(term_procedure(terms).joined, batch.column("text").to_pylist()))
    lengths = [text.count(" ") + 1 if text else 0 for text in joined]
    columns = [batch.column("doc"), lengths, joined]
    yield arrow().RecordBatch.from_arrays(
        [arrow().array(column) for column in columns], schema=arrow_schema(_TERMS)
    )
