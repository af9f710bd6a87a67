"""The index of a collection in a folder: built in batches, resumed after a crash, added to.

    DIR/manifest.json     how it was made; see IndexManifest
    DIR/documents.jsonl   what is remembered of each document, in the order of the collection
    DIR/tantivy/          the inverted index
    DIR/tables/           Parquet tables for exact BM25, if asked for

A batch is written to ``documents.jsonl`` and the tables first and then committed by the engine.
What the engine holds is therefore the truth about progress; the rest is cut back to it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeAlias

from patmark.data import FloatArray, IntArray
from patmark.errors import InputError, UsageError
from patmark.retrieval import tantivy_index
from patmark.retrieval.documents import PatentDocument
from patmark.retrieval.exact_tables import TABLES_FOLDER, TableBatch, arrow_module, drop_from
from patmark.retrieval.filters import TopicFilter
from patmark.retrieval.index_manifest import FILE, IndexManifest, read_manifest, write_manifest
from patmark.retrieval.index_terms import TermProcedure
from patmark.retrieval.indexed_documents import (
    IndexedDocument,
    append_documents,
    count_documents,
    indexed_document,
    keep_first,
    read_documents,
)
from patmark.retrieval.tantivy_lengths import K1, B

BATCH = 5000
DOCUMENTS = "documents.jsonl"
ENGINE_FOLDER = "tantivy"

Progress: TypeAlias = Callable[[int], None]


class Index(Protocol):
    """An engine that keeps numbered documents and finds the best of them.

    ``add`` hands a document over, ``commit`` makes all that was added durable at once, and the
    length is the number of committed documents.
    """

    def __len__(self) -> int: ...

    def add(self, number: int, document: IndexedDocument, terms: Sequence[str]) -> None:
        """Hand a document over."""

    def commit(self) -> None:
        """Make all that was added durable, or nothing of it."""

    def close(self) -> None:
        """Finish the work on the files."""

    def search(
        self, query: Mapping[str, int], wanted: TopicFilter, k: int
    ) -> tuple[IntArray, FloatArray]:
        """Numbers and BM25 scores of the best ``k`` documents for terms with frequencies, best
        first, and of all that tie with the last: ids decide between those."""


def build_index(
    folder: Path,
    documents: Iterable[PatentDocument],
    procedure: TermProcedure,
    *,
    sources: Sequence[str] = (),
    add: bool = False,
    exact_tables: bool = False,
    batch: int = BATCH,
    progress: Progress | None = None,
) -> IndexManifest:
    """Index a collection, resume a build that was stopped, or ``add`` to a finished index.

    ``sources`` name the collection: a build is resumed only with the same ones, and only if the
    documents that are already in come first and in the same order. ``progress`` is told how many
    documents are committed. What fails before its first batch leaves everything as it was.
    """
    if batch < 1:
        raise UsageError(f"a batch needs at least one document, not {batch}")
    if exact_tables:
        arrow_module("pyarrow.parquet")
    made = not folder.exists()
    begun = _begin(folder, procedure, tuple(sources), add=add, exact_tables=exact_tables)
    finished = read_manifest(folder)
    write_manifest(folder, begun)
    engine = tantivy_index.TantivyIndex(folder / ENGINE_FOLDER)
    build = _Build(folder, begun, engine, procedure)
    try:
        remaining = build.resume(iter(documents))
        while chosen := list(islice(remaining, batch)):
            build.add_batch(chosen)
            if progress is not None:
                progress(len(engine))
    except BaseException:
        if finished is not None and finished.state == "complete":
            build.withdraw(finished)
        elif not len(engine):
            engine.close()
            _remove(folder, made)
        raise
    finally:
        engine.close()
    return build.finish()


def _begin(
    folder: Path, procedure: TermProcedure, sources: tuple[str, ...], *, add: bool,
    exact_tables: bool,
) -> IndexManifest:  # fmt: skip
    """The manifest to work under; errors where the folder holds something else."""
    held = read_manifest(folder) if folder.is_dir() else None
    untouched = held is not None and held.state == "building" and not _committed(folder)
    if add and (held is None or untouched):
        raise UsageError(f"{folder} holds no index to add to")
    if held is None or untouched:
        if held is None:
            _make_folder(folder)
        return IndexManifest(
            procedure.name, procedure.signature, tantivy_index.engine_name(),
            K1, B, exact_tables, sources=sources,
        )  # fmt: skip
    held.check_terms(procedure)
    if held.exact_tables != exact_tables:
        has = "has" if held.exact_tables else "has no"
        raise UsageError(f"the index in {folder} {has} exact tables, which cannot change later")
    if held.state == "building":
        if held.sources != sources and _committed(folder) > held.documents:
            raise UsageError(
                f"{folder} holds an unfinished build from {', '.join(held.sources) or '?'}; "
                "run that one again first, or remove the folder"
            )
        return held.begun(sources)
    if not add:
        raise UsageError(
            f"{folder} holds a finished index of {held.documents} documents; use --add to add "
            "documents, or choose another folder"
        )
    return held.begun(sources)


def _remove(folder: Path, made: bool) -> None:
    """Take back a build that has committed nothing, with the folder if it was made for it."""
    for name in (ENGINE_FOLDER, TABLES_FOLDER):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (DOCUMENTS, FILE):
        (folder / name).unlink(missing_ok=True)
    if made and not any(folder.iterdir()):
        folder.rmdir()


def _committed(folder: Path) -> int:
    """How many documents an unfinished build has committed, over all."""
    return len(tantivy_index.TantivyIndex(folder / ENGINE_FOLDER))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{folder} is a file; an index needs a folder") from None
    except OSError as error:
        raise InputError.at(f"cannot be made: {error.strerror}", str(folder)) from None
    if any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no index; choose another folder")


@dataclass(slots=True)
class _Build:
    """One run of a build."""

    folder: Path
    manifest: IndexManifest
    engine: Index
    procedure: TermProcedure

    @property
    def _documents_file(self) -> Path:
        return self.folder / DOCUMENTS

    def resume(self, documents: Iterator[PatentDocument]) -> Iterator[PatentDocument]:
        """Cut everything back to what was committed, and pass over the documents of it."""
        committed = len(self.engine)
        self._cut_back(committed)
        held = [document.id for document in read_documents(self._documents_file)]
        if len(held) != committed:
            raise InputError.at(
                f"has {len(held)} documents, but the index {committed}; build it again",
                str(self._documents_file),
            )
        for place, known in enumerate(held[self.manifest.documents :], self.manifest.documents):
            found = next(documents, None)
            if found is None or found.id != known:
                what = "ends there" if found is None else f"has {found.id!r} there"
                raise InputError.at(
                    f"document {place + 1} was {known!r} when this build began, but the collection "
                    f"{what}; it changed, so remove {self.folder} and build again"
                )
        return _unknown(documents, set(held))

    def _cut_back(self, committed: int) -> None:
        keep_first(self._documents_file, committed)
        drop_from(self.folder, committed)

    def add_batch(self, documents: Sequence[PatentDocument]) -> None:
        """Index some documents, and commit them."""
        tables = TableBatch()
        kept = []
        for number, document in enumerate(documents, len(self.engine)):
            terms = self.procedure.terms(document.text)
            remembered = indexed_document(document, len(terms))
            kept.append(remembered)
            self.engine.add(number, remembered, terms)
            if self.manifest.exact_tables:
                tables.add(number, remembered, terms)
        append_documents(self._documents_file, kept)
        tables.write(self.folder)
        self.engine.commit()

    def withdraw(self, finished: IndexManifest) -> None:
        """Go back to the finished index, unless a batch has been added to it already."""
        if len(self.engine) == finished.documents:
            self._cut_back(finished.documents)
            write_manifest(self.folder, finished)

    def finish(self) -> IndexManifest:
        """Count everything, and say that the index is complete."""
        counts = count_documents(read_documents(self._documents_file))
        manifest = replace(self.manifest, state="complete", **counts)
        write_manifest(self.folder, manifest)
        return manifest


def _unknown(documents: Iterator[PatentDocument], held: set[str]) -> Iterator[PatentDocument]:
    """The documents, as long as none of them is in the index already."""
    repeated = []
    for document in documents:
        if document.id in held:
            repeated.append(document.id)
        elif not repeated:
            yield document
    if repeated:
        shown = ", ".join(repeated[:10]) + (" …" if len(repeated) > 10 else "")
        raise InputError.at(f"{len(repeated)} documents are already in the index: {shown}")
