"""Search an index with topics: the same call for every engine."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from patmark.catalogue import load_library
from patmark.collections.retrieval.bm25 import ExactQuery, search_exactly
from patmark.collections.retrieval.filters import TopicFilter, topic_filters
from patmark.collections.retrieval.index_manifest import ENGINE_FOLDER, IndexManifest, read_manifest
from patmark.collections.retrieval.index_tables import (
    DOCUMENTS,
    DocumentIds,
    IndexedDocument,
    count_rows,
    document_tables,
    documents_of,
    find_documents,
    table_folder,
)
from patmark.collections.retrieval.rankings import Ranking, ordered_ranking, separated_note
from patmark.collections.retrieval.recall_ceiling import RecallCeiling
from patmark.collections.retrieval.search_settings import SearchSettings
from patmark.collections.retrieval.tantivy_index import TantivyIndex, engine_name
from patmark.collections.retrieval.topics import Topic
from patmark.errors import InputError, Problem, UsageError
from patmark.wording import setting, tr

_SCRATCH, _SCRATCH_SECONDS = ".search-", 24 * 60 * 60
Found: TypeAlias = list[tuple[str, float]]
Progress: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class OpenIndex:
    """A finished index, ready to be searched. Documents are read on demand."""

    folder: Path
    manifest: IndexManifest

    @classmethod
    def at(cls, folder: Path) -> OpenIndex:
        """Open the index of a folder; refuse one that is not complete."""
        manifest = read_manifest(folder)
        if manifest is None:
            raise UsageError(f"{folder} holds no index; make one with patmark retrieve index")
        if manifest.state != "complete":
            raise UsageError(f"the index in {folder} is not finished; run its build again")
        if not manifest.documents:
            raise UsageError(f"the index in {folder} holds no documents; build it again")
        place = manifest.place(folder)
        rows = count_rows(place)
        if rows != manifest.documents:
            raise InputError.at(
                f"has {rows} documents, but the manifest says {manifest.documents}; "
                "build the index again",
                str(table_folder(place, DOCUMENTS)),
            )
        return cls(place, manifest)

    @property
    def documents(self) -> tuple[IndexedDocument, ...]:
        """Facts of each document, in the order of the collection."""
        tables = document_tables(self.folder)
        return tuple(document for table in tables for document in documents_of(table))

    def find(self, ids: Collection[str]) -> tuple[IndexedDocument, ...]:
        """Return the facts of some documents that are in the index."""
        return tuple(find_documents(self.folder, ids))

    @property
    def families(self) -> dict[str, str]:
        """The family of each document; one without a family is its own."""
        return {
            name: family or name
            for table in document_tables(self.folder, ["id", "family"])
            for name, family in zip(*(column.to_pylist() for column in table.columns), strict=True)
        }


@dataclass(frozen=True)
class SearchResult:
    """Documents by topic, best first, with counts of filtered ones.

    ``undated`` documents could not be found because of the date filter, ``unclassified`` ones
    because of the IPC filter. ``without_family`` topics have no family to exclude. ``ceiling`` is
    the recall that the filters allow, if there are judgements.
    """

    found: Mapping[str, Found]
    signature: str
    undated: int
    unclassified: int
    without_family: int
    ceiling: RecallCeiling | None = None

    def to_json(self) -> dict[str, Any]:
        """Return counts and signature; the documents are in the run."""
        return {
            "topics": len(self.found),
            "rows": sum(map(len, self.found.values())),
            "empty_topics": list(self.empty),
            "excluded_undated": self.undated,
            "excluded_unclassified": self.unclassified,
            "topics_without_family": self.without_family,
            "separated_scores": self.separated,
            "ceiling": self.ceiling and self.ceiling.to_json(),
            "signature": self.signature,
        }

    def lines(self) -> Iterator[str]:
        """Describe the result for people."""
        rows = sum(map(len, self.found.values()))
        yield tr("{n} topics, {rows} documents found", n=len(self.found), rows=rows)
        yield self.signature
        if self.empty:
            yield tr(
                "nothing was found for {n} topics: {names}",
                n=len(self.empty),
                names=tuple(self.empty[:10]),
            )
        if self.undated:
            yield tr("{undated} documents without a date were left out", undated=self.undated)
        if self.unclassified:
            yield tr(
                "{unclassified} documents without an IPC code were left out",
                unclassified=self.unclassified,
            )
        if self.without_family:
            yield tr(
                "{without_family} topics name no family that could be left out",
                without_family=self.without_family,
            )
        if self.separated:
            yield separated_note(self.separated)
        if self.ceiling is not None:
            yield from self.ceiling.lines()

    @cached_property
    def separated(self) -> int:
        """Number of tied scores that are moved so that a run keeps its order."""
        return self.ranking("").separated

    @property
    def empty(self) -> tuple[str, ...]:
        """The topics without results."""
        return tuple(topic for topic, rows in self.found.items() if not rows)

    def ranking(self, name: str) -> Ranking:
        """Return the documents as a run in this order."""
        return ordered_ranking(name, self.found)


def search_topics(
    index: OpenIndex,
    topics: Sequence[Topic],
    settings: SearchSettings | None = None,
    progress: Progress | None = None,
    *,
    allow_empty: bool = False,
) -> SearchResult:
    """Find the best documents of each topic. ``progress`` receives the number of finished topics.

    A topic without any search term is an error, or finds nothing with ``allow_empty``.
    """
    settings = settings or SearchSettings()
    _refuse_doubles(topics)
    wanted = topic_filters(topics, settings.filters)
    terms = topic_terms(index, topics, allow_empty=allow_empty)
    if settings.engine == "tantivy":
        found = _search_tantivy(index, terms, wanted, settings.k, progress)
        engine = engine_name()
    else:
        found, engine = _search_exactly(index, terms, wanted, settings)
        if progress is not None:
            progress(len(topics))
    manifest, filters = index.manifest, settings.filters
    return SearchResult(
        dict(zip((topic.id for topic in topics), found, strict=True)),
        f"{engine}|BM25(k1={settings.bm25.k1:g},b={settings.bm25.b:g})|"
        f"terms={manifest.terms_signature}|{filters}|k={settings.k}|"
        f"docs={manifest.documents}|ids={manifest.ids_sha256[:12]}",
        manifest.undated if filters.before_date else 0,
        manifest.unclassified if filters.ipc else 0,
        sum(topic.family is None for topic in topics) if filters.other_family else 0,
    )


def topic_terms(
    index: OpenIndex, topics: Sequence[Topic], *, allow_empty: bool = False
) -> list[Counter[str]]:
    """Return the terms of each topic with their frequencies, by the procedure of the index."""
    procedure = index.manifest.procedure
    counted = [Counter(procedure.terms(topic.text)) for topic in topics]
    problems = [
        Problem(f"topic {topic.id!r} has no term left to search with ({procedure.name})")
        for topic, counts in zip(topics, counted, strict=True)
        if not counts
    ]
    if problems and not allow_empty:
        raise InputError(problems)
    return counted


class TopicSearcher:
    """The index in tantivy, opened once for many searches; several threads may use it."""

    def __init__(self, index: OpenIndex) -> None:
        place = index.folder / ENGINE_FOLDER
        self._ids = DocumentIds(index.folder)
        self._engine = TantivyIndex(place)
        if len(self._engine) != len(self._ids):
            raise InputError.at(
                f"holds {len(self._engine)} documents instead of {len(self._ids)}; build it again",
                str(place),
            )

    def search(self, query: Mapping[str, int], wanted: TopicFilter, k: int) -> Found:
        """Return ids and scores of the best ``k`` documents, best first, equal ones by id."""
        numbers, scores = self._engine.search(query, wanted, k)
        rows = sorted(zip((-scores).tolist(), self._ids.named(numbers), strict=True))[:k]
        return [(name, -score) for score, name in rows]


def _search_tantivy(
    index: OpenIndex,
    terms: Sequence[Counter[str]],
    wanted: Sequence[TopicFilter],
    k: int,
    progress: Progress | None,
) -> list[Found]:
    """Search with one thread per processor; tantivy works outside of Python's lock."""
    searcher = TopicSearcher(index)
    found = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for rows in pool.map(searcher.search, terms, wanted, repeat(k)):
            found.append(rows)
            if progress is not None:
                progress(len(found))
    return found


def _search_exactly(
    index: OpenIndex,
    terms: Sequence[Counter[str]],
    wanted: Sequence[TopicFilter],
    settings: SearchSettings,
) -> tuple[list[Found], str]:
    if not index.manifest.exact_tables:
        raise UsageError(
            f"the index in {index.folder} has no exact tables, which the engine {settings.engine} "
            f"needs; build it with {setting('exact')}"
        )
    from patmark.engine import open_engine

    local = settings.engine == "duckdb"
    load_library(*(("duckdb", "retrieval") if local else ("pyspark", "spark")))
    query = ExactQuery(terms, wanted, settings.k, settings.bm25)
    with (
        TemporaryDirectory() if local else _shared_scratch(index.folder) as scratch,
        closing(open_engine("local" if local else "spark", master=settings.spark_master)) as engine,
    ):
        return search_exactly(index.folder, query, engine, Path(scratch)), engine.name


@contextmanager
def _shared_scratch(folder: Path) -> Iterator[str]:
    """Yield a folder that the workers of a cluster can access; remove those of killed searches."""
    for left in folder.glob(f"{_SCRATCH}*"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _SCRATCH_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
    try:
        scratch = TemporaryDirectory(prefix=_SCRATCH, dir=folder)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written: {error.strerror}; Spark needs room there while it "
            "searches, the engine duckdb does not"
        ) from None
    with scratch as name:
        yield name


def _refuse_doubles(topics: Sequence[Topic]) -> None:
    if not topics:
        raise UsageError("there are no topics to search with")
    repeated = [name for name, times in Counter(topic.id for topic in topics).items() if times > 1]
    if repeated:
        raise UsageError(f"topics occur twice: {', '.join(repeated[:10])}")
