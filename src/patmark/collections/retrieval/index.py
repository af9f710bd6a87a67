"""The index of a collection in a folder: built in batches, resumed after a crash, added to.

    DIR/manifest.json       how it was made
    DIR/tantivy/            the inverted index
    DIR/tables/documents/   Parquet: what is remembered of each document, by its number
    DIR/tables/postings/    Parquet: the terms for exact BM25, if asked for
    DIR/.batch/             the terms of the batch that is being added
    DIR/.lock               held by the build that is running

Several processes analyse the texts of a batch, and several threads of tantivy index them. A batch
is written to the tables first and then committed by the engine. The engine therefore determines the
progress, and the tables are cut back to it.

Documents are added in a separate folder, DIR/addition-N, which begins as a copy (by links) of the
finished index; the manifest names it when everything is indexed. Until then, and if the addition
fails, the index is unchanged.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from patmark.catalogue import load_library
from patmark.collections.retrieval.index_manifest import (
    ENGINE_FOLDER,
    MANIFEST_FILE,
    IndexManifest,
    read_manifest,
    write_manifest,
)
from patmark.collections.retrieval.index_tables import (
    POSTINGS,
    TABLES_FOLDER,
    DocumentColumns,
    count_documents,
    document_tables,
    drop_from,
    write_table,
)
from patmark.collections.retrieval.index_terms import TermProcedure, term_procedure
from patmark.collections.retrieval.search_settings import Bm25
from patmark.collections.retrieval.tantivy_index import TantivyIndex, engine_name
from patmark.data import PatentDocument
from patmark.engine import (
    LOCK_FILE,
    Batch,
    Engine,
    Schema,
    arrow,
    arrow_schema,
    batch_of,
    iter_batches,
    locked,
    open_engine,
    part_path,
    regrouped,
    write_part,
)
from patmark.errors import InputError, UsageError
from patmark.wording import setting

BATCH = 50_000
_BATCH_FOLDER = ".batch"
_OF_A_THREAD = 100_000_000  # number of characters of a batch
_ATTEMPTS, _PAUSE = 20, 0.05

Progress: TypeAlias = Callable[[int], None]


def build_index(
    folder: Path,
    documents: Iterable[PatentDocument],
    procedure: TermProcedure,
    *,
    sources: Sequence[str] = (),
    add: bool = False,
    exact_tables: bool = False,
    batch: int = BATCH,
    workers: int | None = None,
    progress: Progress | None = None,
) -> IndexManifest:
    """Index a collection, resume a stopped build, or ``add`` to a finished index.

    ``workers`` processes analyse texts, and as many threads index them: by default one for each
    processor. Search results do not depend on their number. ``sources`` name the collection: a
    build is resumed only with the same ones, and only if the indexed documents come first and in
    the same order. ``progress`` receives the number of committed documents. A failure before the
    first batch, or at any time of an addition, changes nothing.
    """
    if batch < 1:
        raise UsageError(f"a batch needs at least one document, not {batch}")
    for library in ("pyarrow.parquet", "tantivy", *(("duckdb",) if exact_tables else ())):
        load_library(library, "retrieval")
    workers = workers or os.cpu_count() or 1
    asked = _Asked(procedure, tuple(sources), exact_tables, batch, workers, progress)
    made = not folder.exists()
    if not (folder / MANIFEST_FILE).exists():
        if add:
            raise UsageError(f"{folder} holds no index to add to")
        _make_folder(folder)
    with locked(folder, folder):
        return _build_locked(folder, documents, asked, add, made)


def _build_locked(
    folder: Path, documents: Iterable[PatentDocument], asked: _Asked, add: bool, made: bool
) -> IndexManifest:
    """Build, resume or add, while holding the lock."""
    held = read_manifest(folder)
    if held is not None and held.state == "building" and not _committed(folder):
        held = None
    if add:
        if held is None:
            raise UsageError(f"{folder} holds no index to add to")
        return _add_to(folder, held, documents, asked)
    if held is not None and held.state == "complete":
        asked.check(folder, held)
        raise UsageError(
            f"{folder} holds a finished index of {held.documents} documents; use {setting('add')} "
            "to add documents, or choose another folder"
        )
    return _build(folder, held, documents, asked, made)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Request of a build."""

    procedure: TermProcedure
    sources: tuple[str, ...]
    exact_tables: bool
    batch: int
    workers: int
    progress: Progress | None

    def check(self, folder: Path, held: IndexManifest) -> None:
        """Refuse a folder that holds an index of another kind or an unfinished build."""
        held.check_terms(self.procedure)
        if held.exact_tables != self.exact_tables:
            has = "has" if held.exact_tables else "has no"
            raise UsageError(f"the index in {folder} {has} exact tables, which cannot change later")
        unfinished = held.state == "building" and _committed(folder) > held.documents
        if unfinished and held.sources != self.sources:
            raise UsageError(
                f"{folder} holds an unfinished build from {', '.join(held.sources) or '?'}; "
                "run that one again first, or remove the folder"
            )


def _add_to(
    folder: Path, held: IndexManifest, documents: Iterable[PatentDocument], asked: _Asked
) -> IndexManifest:
    """Add to a copy of a finished index, and put the copy in its place."""
    asked.check(folder, held)
    if held.state == "building":
        raise UsageError(f"the index in {folder} is not finished; run its build again first")
    grown = replace(held, additions=held.additions + 1)
    copy = grown.place(folder)
    begun = read_manifest(copy) if copy.is_dir() else None
    if begun is not None and begun.state == "complete" and begun.sources == asked.sources:
        return _put_in_place(folder, copy, replace(begun, additions=grown.additions))
    if begun is None:
        begun = held.begun(asked.sources)
        _link_copy(held.place(folder), copy)
        write_manifest(copy, begun)
    asked.check(copy, begun)
    try:
        added = _build(copy, begun, documents, asked)
    except Exception:
        _remove_folder(copy)
        raise
    return _put_in_place(folder, copy, replace(added, additions=grown.additions))


def _put_in_place(folder: Path, copy: Path, added: IndexManifest) -> IndexManifest:
    """Let the manifest of the folder name the copy, and remove the old index."""
    write_manifest(folder, added)
    _remove_data(folder)
    for other in folder.glob("addition-*"):
        if other != copy:
            _remove_folder(other)
    return added


def _remove_folder(folder: Path) -> None:
    """Remove an index; a tantivy reader may still write its lock there."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_PAUSE)
    shutil.rmtree(folder)


def _link_copy(held: Path, copy: Path) -> None:
    """Copy an index by hard links; its files are never modified."""
    shutil.rmtree(copy, ignore_errors=True)
    for name in (ENGINE_FOLDER, TABLES_FOLDER):
        if (held / name).is_dir():
            locks = shutil.ignore_patterns("*.lock")
            shutil.copytree(held / name, copy / name, ignore=locks, copy_function=_link)


def _link(source: str, copy: str) -> None:
    try:
        os.link(source, copy)
    except OSError:
        shutil.copy2(source, copy)


def _build(
    folder: Path,
    held: IndexManifest | None,
    documents: Iterable[PatentDocument],
    asked: _Asked,
    made: bool = False,
) -> IndexManifest:
    """Build an index, or resume a stopped build."""
    if held is None:
        terms = asked.procedure
        manifest = IndexManifest(
            terms.name, terms.signature, engine_name(), Bm25.k1, Bm25.b, asked.exact_tables,
            sources=asked.sources,
        )  # fmt: skip
    else:
        asked.check(folder, held)
        manifest = held.begun(asked.sources)
    write_manifest(folder, manifest)
    engine = TantivyIndex(folder / ENGINE_FOLDER)
    build = _Build(folder, manifest, engine, asked)
    try:
        remaining = build.resume(iter(documents))
        with closing(open_engine("local", workers=asked.workers)) as workers:
            while build.add_batch(remaining, workers):
                if asked.progress is not None:
                    asked.progress(len(engine))
    except BaseException:
        if not len(engine):
            engine.close()
            _remove(folder, made)
        raise
    finally:
        engine.close()
        shutil.rmtree(folder / _BATCH_FOLDER, ignore_errors=True)
    return build.finish()


def _remove(folder: Path, made: bool) -> None:
    """Undo a build that has committed nothing, with the folder if it was created for it."""
    _remove_data(folder)
    for name in (MANIFEST_FILE, LOCK_FILE):
        (folder / name).unlink(missing_ok=True)
    if made and not any(folder.iterdir()):
        folder.rmdir()


def _remove_data(folder: Path) -> None:
    for name in (ENGINE_FOLDER, TABLES_FOLDER, _BATCH_FOLDER):
        shutil.rmtree(folder / name, ignore_errors=True)


def _committed(folder: Path) -> int:
    """Count the documents that an unfinished build has committed."""
    return len(TantivyIndex(folder / ENGINE_FOLDER))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{folder} is a file; an index needs a folder") from None
    except OSError as error:
        raise InputError.at(f"cannot be made: {error.strerror}", str(folder)) from None
    if any(path.name != LOCK_FILE for path in folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no index; choose another folder")


@dataclass(slots=True)
class _Build:
    """One run of a build."""

    folder: Path
    manifest: IndexManifest
    engine: TantivyIndex
    asked: _Asked

    def resume(self, documents: Iterator[PatentDocument]) -> Iterator[PatentDocument]:
        """Truncate all files to the committed documents, and skip these in the input."""
        drop_from(self.folder, len(self.engine))
        tables = document_tables(self.folder, ["id"])
        held = [name for table in tables for name in table["id"].to_pylist()]
        self._check_tables(len(held))
        for place, known in enumerate(held[self.manifest.documents :], self.manifest.documents):
            found = next(documents, None)
            if found is None or found.id != known:
                what = "ends there" if found is None else f"has {found.id!r} there"
                raise InputError.at(
                    f"document {place + 1} was {known!r} when this build began, but the collection "
                    f"{what}; it changed, so remove {self.folder} and build again"
                )
        return _unknown(documents, set(held))

    def add_batch(self, documents: Iterator[PatentDocument], workers: Engine) -> bool:
        """Index the next documents, and commit them; False if there are none."""
        place, first = self.folder / _BATCH_FOLDER, len(self.engine)
        taken = take_batch(place, documents, first, self.asked.batch, self.manifest.terms, workers)
        if taken is None:
            return False
        self.engine.open_writer(min(self.asked.workers, 1 + taken.characters // _OF_A_THREAD))
        lengths: list[int] = []
        for counts, terms in taken.terms():
            for number, text in enumerate(terms, len(lengths)):
                self.engine.add(taken.documents, number, text)
            lengths += counts
        taken.documents.write(self.folder, lengths)
        if self.manifest.exact_tables:
            taken.write_postings(self.folder, workers)
        self.engine.commit()
        taken.remove()
        return True

    def finish(self) -> IndexManifest:
        """Count everything, and mark the index as complete."""
        manifest = replace(self.manifest, state="complete", **count_documents(self.folder))
        self._check_tables(manifest.documents)
        write_manifest(self.folder, manifest)
        return manifest

    def _check_tables(self, documents: int) -> None:
        """Raise InputError unless the tables have as many documents as the engine."""
        if documents != len(self.engine):
            raise InputError.at(
                f"has {documents} documents, but the index {len(self.engine)}; build it again",
                str(self.folder / TABLES_FOLDER),
            )


def _unknown(documents: Iterator[PatentDocument], held: set[str]) -> Iterator[PatentDocument]:
    """Yield the documents, and refuse those already in the index."""
    repeated = []
    for document in documents:
        if document.id in held:
            repeated.append(document.id)
        elif not repeated:
            yield document
    if repeated:
        shown = ", ".join(repeated[:10]) + (" …" if len(repeated) > 10 else "")
        raise InputError.at(f"{len(repeated)} documents are already in the index: {shown}")


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
