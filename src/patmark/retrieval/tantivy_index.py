"""An inverted index on disk, kept by tantivy.

Terms come ready made, so tantivy only splits at blanks. Documents are numbered in the order of
their addition; the number is a fast field, because reading stored fields of a thousand results
would take longer than finding them. Where the true lengths are given, scores are corrected for
those that tantivy rounds, by a second search among the first hits: see ``tantivy_lengths``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, IntArray
from patmark.errors import InputError, MissingExtra, UsageError
from patmark.retrieval.filters import TopicFilter
from patmark.retrieval.indexed_documents import IndexedDocument
from patmark.retrieval.tantivy_lengths import K1, Bounds, LengthCorrection, explained_score

_DIGITS = 6  # sums of single precision: more would make the order of addition decide ties
_EXACT_DECIMALS = 9
_MEMORY = 100_000_000
_MARGIN = 1.1
_MORE = 100
_GROWTH = 4
_TOLERANCE = 1e-4
_TERM_TOLERANCE = 4 * (K1 + 1) * 2**-24  # ln(1 + x) loses x below 2⁻²⁴, on both sides of a bound
_MOST_EXPLAINED, _MOST_EXPLAINED_TERMS = 200, 4000  # explaining takes long


@dataclass(frozen=True, slots=True)
class _Hits:
    """Documents that tantivy found: its addresses, our numbers, and its scores."""

    places: list[Any]
    numbers: IntArray
    scores: FloatArray


def _tantivy() -> Any:
    try:
        return import_module("tantivy")
    except ImportError:
        raise MissingExtra("tantivy", "retrieval") from None


def engine_name() -> str:
    """The engine and its version, for signatures."""
    _tantivy()
    return f"tantivy-{version('tantivy')}"


class TantivyIndex:
    """Documents that were committed can be found; the others are lost when the program ends."""

    def __init__(self, folder: Path, lengths: IntArray | None = None) -> None:
        self._engine = _tantivy()
        folder.mkdir(parents=True, exist_ok=True)
        self._schema = self._build_schema()
        try:
            self._index = self._engine.Index(self._schema, path=str(folder))
        except ValueError as error:
            raise InputError.at(f"cannot be opened by tantivy: {error}", str(folder)) from None
        self._searcher = self._index.searcher()
        self._writer: Any = None
        self._correction = None if lengths is None else LengthCorrection.of(lengths)

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def add(self, number: int, document: IndexedDocument, terms: Sequence[str]) -> None:
        """Hand a document over; it counts from the next commit on."""
        entry = self._engine.Document()
        entry.add_unsigned("number", number)
        entry.add_text("terms", " ".join(terms))
        for code in document.codes:
            entry.add_text("ipc", code)
        if document.date is not None:
            entry.add_integer("date", _day(document.date))
        if document.family is not None:
            entry.add_text("family", document.family)
        self._open_writer().add_document(entry)

    def commit(self) -> None:
        """Make everything that was added durable, all of it or nothing."""
        if self._writer is not None:
            self._writer.commit()
            self._index.reload()
            self._searcher = self._index.searcher()

    def close(self) -> None:
        """Wait until parts of the index have been merged, and let go of the lock."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None
            self._index.reload()
            self._searcher = self._index.searcher()

    def search(
        self, query: Mapping[str, int], wanted: TopicFilter, k: int
    ) -> tuple[IntArray, FloatArray]:
        """Numbers and scores of the best ``k`` documents, and of all that tie with the last."""
        if not query or not len(self):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        asked = self._query(query, wanted)
        hits, bounds = self._hits(asked, query, wanted, k)
        scores = self._scores(asked, hits, bounds, query)
        best = np.lexsort((hits.numbers, -scores))
        kept = best[scores[best] >= scores[best[:k][-1:]]]
        return hits.numbers[kept], scores[kept]

    def _hits(
        self, asked: Any, query: Mapping[str, int], wanted: TopicFilter, k: int
    ) -> tuple[_Hits, Bounds]:
        """More than ``k`` hits, because true lengths change the order a little; and as many as it
        takes to come to the end of a tie, and below every score that may be the first."""
        limit = int(k * _MARGIN) + _MORE
        while True:
            hits = self._found(asked, limit)
            settled = _settled(hits.scores)
            is_all = len(settled) < limit
            if is_all or settled[-1] < settled[k - 1]:
                again = self._query(query, wanted, "basic") if is_all else self._among(query, hits)
                bounds = self._bounds(again, hits)
                if is_all or not _may_be_first(hits.scores[-1:], bounds, query).any():
                    return hits, bounds
            limit *= _GROWTH

    def _found(self, asked: Any, limit: int) -> _Hits:
        hits = self._searcher.search(asked, limit=limit, count=False).hits
        places = [place for _, place in hits]
        numbers = self._searcher.fast_field_values("number", places)
        scores = np.array([score for score, _ in hits], dtype=np.float64)
        return _Hits(places, np.array(numbers, dtype=np.int64), scores)

    def _among(self, query: Mapping[str, int], hits: _Hits) -> Any:
        """Terms that count once, among the hits only."""
        make, occur = self._engine.Query, self._engine.Occur
        among = make.term_set_query(self._schema, "number", hits.numbers.tolist())
        return make.boolean_query([
            (occur.Must, self._terms(query, "basic")),
            (occur.Must, make.const_score_query(among, 0.0)),
        ])  # fmt: skip

    def _bounds(self, again: Any, hits: _Hits) -> Bounds:
        """What the documents can score with their true lengths, if these are known; ``again``
        finds the same ones and counts every term once."""
        if self._correction is None or self._correction.is_needless(hits.numbers):
            return Bounds(hits.scores, hits.scores)
        single = self._found(again, len(hits.numbers))
        order = np.argsort(single.numbers)
        place = order[np.searchsorted(single.numbers, hits.numbers, sorter=order)]
        return self._correction.bounds(hits.numbers, hits.scores, single.scores[place])

    def _scores(
        self, asked: Any, hits: _Hits, bounds: Bounds, query: Mapping[str, int]
    ) -> FloatArray:
        """Likely scores, which are exact for a single term; exact ones for documents that may be
        the first. Documents as long and with the same bounds have the same terms, as copies of one
        text do, so that one of them is enough."""
        scores = _settled(bounds.estimate(len(query)))
        first = np.flatnonzero(_may_be_first(bounds.high, bounds, query))
        if self._correction is None or len(query) == 1 or len(first) < 2:
            return scores
        norms = self._correction.norms[hits.numbers]
        kinds = np.column_stack([norms, _settled(bounds.low), _settled(bounds.high)])
        most = min(_MOST_EXPLAINED, _MOST_EXPLAINED_TERMS // len(query))
        exact: dict[tuple[float, ...], float] = {}
        for row in first[np.argsort(-scores[first], kind="stable")].tolist():
            kind = tuple(kinds[row].tolist())
            if kind not in exact and len(exact) < most:
                explanation = asked.explain(self._searcher, hits.places[row]).to_json()
                exact[kind] = explained_score(explanation, float(norms[row]))
            scores[row] = round(exact.get(kind, scores[row]), _EXACT_DECIMALS)
        return scores

    def _build_schema(self) -> Any:
        builder = self._engine.SchemaBuilder()
        builder.add_unsigned_field("number", fast=True, indexed=True)
        builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
        builder.add_integer_field("date", fast=True)
        for name in ("ipc", "family"):
            builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
        return builder.build()

    def _open_writer(self) -> Any:
        if self._writer is None:
            try:
                self._writer = self._index.writer(heap_size=_MEMORY, num_threads=1)
            except ValueError as error:
                raise UsageError(
                    f"the index cannot be written: {error}; is another build running?"
                ) from None
        return self._writer

    def _query(self, query: Mapping[str, int], wanted: TopicFilter, option: str = "freq") -> Any:
        """Terms of which one must occur, restricted to the documents that are wanted."""
        make, occur = self._engine.Query, self._engine.Occur
        clauses = [(occur.Must, self._terms(query, option))]
        clauses += [(occur.Must, make.const_score_query(one, 0.0)) for one in self._musts(wanted)]
        if wanted.family is not None:
            clauses.append((occur.MustNot, self._term("family", wanted.family, "basic")))
        return make.boolean_query(clauses)

    def _terms(self, query: Mapping[str, int], option: str) -> Any:
        """Terms of which one must occur, each weighted by its frequency in the topic. With the
        option ``basic``, tantivy does not read how often it occurs in a document: once."""
        make, occur = self._engine.Query, self._engine.Occur
        return make.boolean_query([
            (occur.Should, make.boost_query(self._term("terms", term, option), float(times)))
            for term, times in query.items()
        ])  # fmt: skip

    def _musts(self, wanted: TopicFilter) -> Iterable[Any]:
        make = self._engine.Query
        if wanted.codes is not None:
            yield make.term_set_query(self._schema, "ipc", sorted(wanted.codes))
        if wanted.before is not None:
            yield make.range_query(
                self._schema, "date", self._engine.FieldType.Integer,
                upper_bound=_day(wanted.before), include_upper=False,
            )  # fmt: skip

    def _term(self, field: str, value: str, option: str) -> Any:
        return self._engine.Query.term_query(self._schema, field, value, option)


def _day(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


def _may_be_first(high: FloatArray, bounds: Bounds, query: Mapping[str, int]) -> NDArray[np.bool_]:
    """Whether scores of at most ``high`` may be the largest, for all that single precision hides:
    a share of the score, and as much again for each term, however small its weight."""
    hidden = high * _TOLERANCE + sum(query.values()) * _TERM_TOLERANCE
    return np.asarray(high + hidden >= bounds.low.max(initial=0.0))


def _settled(scores: FloatArray) -> FloatArray:
    """Scores rounded to the digits that the largest of them has in single precision."""
    largest = scores.max(initial=0.0)
    decimals = _DIGITS - 1 - math.floor(math.log10(largest)) if largest > 0 else 0
    settled: FloatArray = scores.round(decimals)
    return settled
