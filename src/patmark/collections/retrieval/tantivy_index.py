"""An inverted index on disk by tantivy, with its own BM25 scores.

Terms are already analysed, so tantivy only splits at blanks. Documents are numbered in the order of
their addition; the number is a fast field, because reading stored fields of a thousand results
would take longer than finding them. tantivy stores the length of a document in one byte, rounded
down by up to an eighth for more than 40 terms; ``bm25`` has the exact scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from patmark.catalogue import load_library
from patmark.collections.retrieval.filters import TopicFilter
from patmark.collections.retrieval.index_tables import DocumentColumns
from patmark.data import FloatArray, IntArray
from patmark.errors import InputError, UsageError

_DIGITS = 6  # sums of single precision: more would make the order of addition decide ties
_MEMORY = 100_000_000  # of each thread that writes
_MOST_THREADS = 8
_MORE = 100
_GROWTH = 4


def engine_name() -> str:
    """Return the engine and its version, for signatures."""
    load_library("tantivy", "retrieval")
    return f"tantivy-{version('tantivy')}"


class TantivyIndex:
    """Committed documents can be found; others are lost when the program ends."""

    def __init__(self, folder: Path) -> None:
        self._engine = load_library("tantivy", "retrieval")
        folder.mkdir(parents=True, exist_ok=True)
        self._schema = self._build_schema()
        try:
            self._index = self._engine.Index(self._schema, path=str(folder))
        except ValueError as error:
            raise InputError.at(f"cannot be opened by tantivy: {error}", str(folder)) from None
        self._searcher = self._index.searcher()
        self._writer: Any = None

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def open_writer(self, threads: int) -> None:
        """Open a writer with that many threads; an index of one thread is faster to search."""
        if self._writer is None:
            threads = min(threads, _MOST_THREADS)
            try:
                self._writer = self._index.writer(_MEMORY * threads, threads)
            except ValueError as error:
                raise UsageError(
                    f"the index cannot be written: {error}; is another build running?"
                ) from None

    def add(self, documents: DocumentColumns, place: int, terms: str) -> None:
        """Add a document of a batch, which counts from the next commit on."""
        entry = self._engine.Document()
        entry.add_unsigned("number", documents.first + place)
        entry.add_text("terms", terms)
        for code in documents.codes[place]:
            entry.add_text("ipc", code)
        if (day := documents.dates[place]) is not None:
            entry.add_integer("date", _day(day))
        if (family := documents.families[place]) is not None:
            entry.add_text("family", family)
        self._writer.add_document(entry)

    def commit(self) -> None:
        """Make all additions durable, atomically."""
        if self._writer is not None:
            self._writer.commit()
            self._index.reload()
            self._searcher = self._index.searcher()

    def close(self) -> None:
        """Wait until parts of the index have been merged, and release the lock."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None
            self._index.reload()
            self._searcher = self._index.searcher()

    def search(
        self, query: Mapping[str, int], wanted: TopicFilter, k: int
    ) -> tuple[IntArray, FloatArray]:
        """Return numbers and scores of the best ``k`` documents for weighted terms, best first.

        All documents that tie with the last are included: ids decide between those.
        """
        if not query or not len(self):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        asked = self._query(query, wanted)
        limit = k + _MORE
        while True:
            hits = self._searcher.search(asked, limit=limit, count=False).hits
            scores = _settled(np.array([score for score, _ in hits], dtype=np.float64))
            if len(hits) < limit or scores[-1] < scores[k - 1]:
                break
            limit *= _GROWTH
        kept = int((scores >= scores[:k][-1:]).sum())
        places = [place for _, place in hits[:kept]]
        numbers = self._searcher.fast_field_values("number", places)
        return np.array(numbers, dtype=np.int64), scores[:kept]

    def _build_schema(self) -> Any:
        builder = self._engine.SchemaBuilder()
        builder.add_unsigned_field("number", fast=True)
        builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
        builder.add_integer_field("date", fast=True)
        for name in ("ipc", "family"):
            builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
        return builder.build()

    def _query(self, query: Mapping[str, int], wanted: TopicFilter) -> Any:
        """Return a query for at least one of the terms, weighted by topic frequency.

        It is restricted to the documents that are wanted.
        """
        make, occur = self._engine.Query, self._engine.Occur
        weighted = [
            (occur.Should, make.boost_query(self._term("terms", term, "freq"), float(times)))
            for term, times in query.items()
        ]
        clauses = [(occur.Must, make.boolean_query(weighted))]
        clauses += [(occur.Must, make.const_score_query(one, 0.0)) for one in self._musts(wanted)]
        if wanted.family is not None:
            clauses.append((occur.MustNot, self._term("family", wanted.family, "basic")))
        return make.boolean_query(clauses)

    def _musts(self, wanted: TopicFilter) -> Iterable[Any]:
        make = self._engine.Query
        if wanted.codes is not None:
            yield make.term_set_query(self._schema, "ipc", sorted(wanted.codes))
        if wanted.before is not None:
            yield make.range_query(
                self._schema,
                "date",
                self._engine.FieldType.Integer,
                upper_bound=_day(wanted.before),
                include_upper=False,
            )

    def _term(self, field: str, value: str, option: str) -> Any:
        return self._engine.Query.term_query(self._schema, field, value, option)


def _day(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


def _settled(scores: FloatArray) -> FloatArray:
    """Return scores rounded to the digits that the largest of them has in single precision."""
    largest = scores.max(initial=0.0)
    decimals = _DIGITS - 1 - math.floor(math.log10(largest)) if largest > 0 else 0
    settled: FloatArray = scores.round(decimals)
    return settled
