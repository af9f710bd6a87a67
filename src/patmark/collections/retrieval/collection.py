"""A collection from any patent file: rows of a collection, or office files.

Rows (JSONL, Parquet) must all be valid. In office files, unreadable and unusable records are left
out, listed and counted.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.catalogue import load_library
from patmark.collections.retrieval.collection_rows import document_of_record, name_of
from patmark.data import (
    FilePath,
    PatentDocument,
    Record,
    decoded,
    file_format,
    first_bytes,
    holds_documents,
    is_parquet,
    iter_byte_lines,
    json_object,
    shown,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import language_code
from patmark.wording import setting, tr

if TYPE_CHECKING:
    from patmark.data import Citation, Document

_MOST_PROBLEMS = 1000
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """Documents and families of a collection, for its evaluation.

    A document without a family is its own family. For a large collection only the documents in runs
    and judgements are kept; ``documents`` is the total number.
    """

    families: Mapping[str, str]
    documents: int | None = None

    @classmethod
    def of(
        cls, documents: Iterable[PatentDocument], named: Container[str] | None = None
    ) -> CollectionFacts:
        """Collect the facts of a stream of documents, all or the named ones, without texts."""
        families: dict[str, str] = {}
        count = 0
        for document in documents:
            count += 1
            if named is None or document.id in named:
                families[document.id] = document.family or document.id
        return cls(families, None if named is None else count)

    def family(self, document: str) -> str:
        """Return the family of a document; an unknown document is its own family."""
        return self.families.get(document, document)

    def __len__(self) -> int:
        return len(self.families) if self.documents is None else self.documents

    def __contains__(self, document: object) -> bool:
        return document in self.families


@dataclass(slots=True)
class CollectionProblems:
    """Office records that are not in the collection, by reason.

    ``undated`` documents are in the collection, but the date in their file is unreadable.
    """

    broken: list[str] = field(default_factory=list)
    without_text: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    skipped_files: list[str] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return every list."""
        return {name: list(getattr(self, name)) for name in self.__dataclass_fields__}

    def lines(self, shown: int = 10) -> Iterator[str]:
        """Yield the counts for people, each with the first cases."""
        for cases, count in self._counts():
            if cases:
                yield count
                yield from (f"  {case}" for case in cases[:shown])
                if (rest := len(cases) - shown) > 0:
                    yield tr("  … and {n} more; {option} lists all", n=rest, option=setting("json"))

    def _counts(self) -> Iterator[tuple[list[str], str]]:
        unopened = self.skipped_files
        yield self.broken, tr("{n} records could not be read:", n=len(self.broken))
        yield (
            self.without_text,
            tr("{n} documents have no text in this language:", n=len(self.without_text)),
        )
        yield (
            self.repeated,
            tr(
                "{n} records were left out for a fuller or an earlier record of the same document:",
                n=len(self.repeated),
            ),
        )
        yield (
            unopened,
            tr("{n} files were not opened: by their names, they hold no text:", n=len(unopened)),
        )
        yield self.undated, tr("{n} documents have an invalid date:", n=len(self.undated))


def read_patents(
    paths: Iterable[str],
    language: str | None,
    problems: CollectionProblems,
    families: Mapping[str, str] | None = None,
    *,
    any_language: bool = False,
) -> Iterator[PatentDocument]:
    """Yield the documents of all files in one language; no id occurs twice.

    A file may hold rows of a collection (JSONL, Parquet), output of ``patmark corpus parse``, or
    office publications: XML, SGML, bulk files, archives, folders. A file without any document is an
    error. Of several records of one document the first with claims and description counts, else the
    one with most text in the language, so incomplete ones come last. ``families`` by document
    replace those of the documents. With ``any_language``, rows may be in other languages.
    """
    places: dict[str, str] = {}
    records = _Records(language or "", places, problems)

    def found() -> Iterator[PatentDocument]:
        for path in paths:
            if _holds_rows(path):
                yield from read_collection([path], None if any_language else language, places)
            elif language is None:
                raise UsageError(
                    f"{path} may hold several languages; say which with {setting('lang')}"
                )
            else:
                yield from records.whole(path)
        yield from records.waited()

    for document in found():
        family = families.get(document.id) if families else None
        yield replace(document, family=family) if family else document


def read_citations(
    paths: Iterable[str], problems: CollectionProblems
) -> dict[str, tuple[Citation, ...]]:
    """Read the citations of files (as for ``read_patents``) by ``publication_key``."""
    from patmark.collections.patents import publication_key

    found: dict[str, dict[Citation, None]] = {}
    for path in paths:
        documents = read_collection([path]) if _holds_rows(path) else _parsed(path, problems)
        for document in documents:
            if document.citations:
                known = found.setdefault(publication_key(document.id), {})
                known.update(dict.fromkeys(document.citations))
    return {key: tuple(citations) for key, citations in found.items()}


def read_collection(
    paths: Iterable[FilePath], language: str | None = None, places: dict[str, str] | None = None
) -> Iterator[PatentDocument]:
    """Yield the documents of files, JSONL (.gz, .zst) or Parquet, in constant memory.

    Only ids are kept, to refuse duplicate documents; ``places`` holds those of earlier files, with
    their places. A row of another ``language`` is refused. After the first bad row no more rows are
    yielded; the rest of its file is read to list all problems, up to 1,000.
    """
    places = {} if places is None else places
    for path in paths:
        yield from _read_file(path, language, places)


def _holds_rows(path: str) -> bool:
    """Return True if a file holds rows of a collection, by its name and beginning."""
    if Path(path).is_dir():
        return False
    if is_parquet(path) or not Path(path).exists():
        return True
    begin = first_bytes(path)
    return not holds_documents(path) and (
        file_format(path) == "jsonl" or begin.lstrip()[:1] in (b"{", b"")
    )


def _read_file(
    path: FilePath, language: str | None, places: dict[str, str]
) -> Iterator[PatentDocument]:
    problems: list[Problem] = []
    rows = _parquet_rows(path, problems) if is_parquet(path) else _jsonl_rows(path, problems)
    for record in rows:
        document = document_of_record(record, _identity(record, places))
        _check_language(record, language)
        if not problems:
            yield document
        elif len(problems) >= _MOST_PROBLEMS:
            break
    if problems:
        raise InputError(problems)


def _jsonl_rows(path: FilePath, problems: list[Problem]) -> Iterator[Record]:
    name = shown(path)
    for number, line in iter_byte_lines(path):
        try:
            yield Record(json_object(decoded(line)), name, number, problems)
        except ValueError as error:
            problems.append(Problem(str(error), name, number))


def _parquet_rows(path: FilePath, problems: list[Problem]) -> Iterator[Record]:
    parquet = load_library("pyarrow.parquet", "retrieval")
    name = shown(path)
    try:
        with parquet.ParquetFile(path) as file:
            rows = 0
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
                for number, row in enumerate(batch.to_pylist(), rows + 1):
                    yield Record(row, name, number, problems)
                rows += len(batch)
    except FileNotFoundError:
        raise InputError.at("no such file", name) from None
    except (OSError, ValueError) as error:  # pyarrow's errors are of these two kinds
        raise InputError.at(f"cannot be read as Parquet: {error}", name) from None
    if not rows:
        raise InputError.at("has no rows", name)


def _identity(record: Record, places: dict[str, str]) -> str:
    identity = name_of(record.fields.get("id"))
    if identity is None:
        record.mismatch("id", "a string or a whole number without blanks")
        return ""
    if identity in places:
        record.complain(f"document {identity!r} is already at {places[identity]}")
    places.setdefault(identity, f"{record.path}:{record.line}")
    return identity


def _check_language(record: Record, language: str | None) -> None:
    """Refuse a row in another language, whose terms would be wrong."""
    found = record.fields.get("lang")
    if (
        language is not None
        and isinstance(found, str)
        and found
        and not same_language(found, language)
    ):
        record.complain(f"field 'lang': expected {language}, the language asked for, not {found!r}")


def same_language(one: str, other: str) -> bool:
    """Return True if two known codes name one language."""
    try:
        return language_code(one) == language_code(other)
    except UsageError:
        return False


class _Records:
    """Office records on their way to documents, without duplicate ids.

    Records with claims and description are yielded at once. Others wait, because fuller ones may
    follow. ``places`` holds all documents with their places, including rows of other files.
    """

    def __init__(self, language: str, places: dict[str, str], problems: CollectionProblems) -> None:
        from patmark.collections.patents import PartialDocuments

        self._language = language
        self._places = places
        self._problems = problems
        self._waiting = PartialDocuments()
        self._missing: set[str] = set()

    def whole(self, path: str) -> Iterator[PatentDocument]:
        """Yield the new documents of a file that need not wait."""
        for document, patent in _office_documents(path, self._language, self._problems):
            if document.id in self._places and document.id not in self._missing:
                self._repeated(document)
                continue
            self._places[document.id] = _place(document)
            if patent.claims and patent.description:
                self._missing.discard(document.id)
                yield patent
            else:
                self._missing.add(document.id)
                self._waiting.add(document)

    def waited(self) -> Iterator[PatentDocument]:
        """Yield the waiting documents for which no fuller record was found."""
        from patmark.collections.patents import simple_family

        for document in self._waiting.whole(self._copied, self._language):
            if document.id in self._missing:
                yield document.in_language(self._language, simple_family(document))
            else:
                self._repeated(document)

    def _copied(self, copy: Document, kept: Document) -> None:
        if kept.id in self._missing:
            self._places[kept.id] = _place(kept)
        self._repeated(copy)

    def _repeated(self, document: Document) -> None:
        taken = self._places[document.id]
        self._problems.repeated.append(f"{_place(document)}, taken from {taken}")


def _office_documents(
    path: str, language: str, problems: CollectionProblems
) -> Iterator[tuple[Document, PatentDocument]]:
    """Yield the documents of an office file that have a text in the language."""
    broken, silent = len(problems.broken), len(problems.without_text)
    found = False
    for document in _parsed(path, problems):
        patent = _usable(document, language, problems)
        if patent is not None:
            found = True
            yield document, patent
    if not found:
        reasons = [Problem(message) for message in problems.broken[broken:]]
        if len(problems.without_text) > silent:
            reasons.append(Problem(f"no document has a text in {language}", path))
        raise InputError(reasons or [Problem("holds no file that could be read", path)])


def _parsed(path: str, problems: CollectionProblems) -> Iterator[Document]:
    """Yield the documents of a file; load the readers of the offices only if needed."""
    from patmark.collections.patents import read_documents
    from patmark.data import BrokenRecord, read_document_jsonl

    if not Path(path).is_dir() and holds_documents(path):
        yield from read_document_jsonl(path)
        return
    for one in read_documents(path, on_skip=problems.skipped_files.append):
        if isinstance(one, BrokenRecord):
            problems.broken.append(str(one))
        else:
            yield one


def _usable(
    document: Document, language: str, problems: CollectionProblems
) -> PatentDocument | None:
    """Return the document to be indexed; None without a text in the language or a usable id.

    Its family is that of DOCDB, or follows from its own priorities.
    """
    from patmark.collections.patents import simple_family

    place = _place(document)
    patent = document.in_language(language, simple_family(document))
    if name_of(patent.id) is None:
        problems.broken.append(f"{place}: the number is empty or holds a blank")
        return None
    if not patent.text:
        problems.without_text.append(place)
        return None
    if document.publication_date and patent.date is None:
        problems.undated.append(f"{place}: {document.publication_date[:40]!r} is no date")
    return patent


def _place(document: Document) -> str:
    return f"{document.id} ({document.origin}, record {document.record})"
