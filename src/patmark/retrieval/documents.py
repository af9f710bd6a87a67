"""The collection that is searched: patent documents, read one by one from JSONL or Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from typing import Any

from patmark.data import FilePath, Record, json_object, json_type, language_code, shown
from patmark.errors import InputError, MissingExtra, Problem, UsageError
from patmark.retrieval.dates import parse_date
from patmark.retrieval.streaming import decoded, iter_byte_lines

FIELDS = (
    "id", "date", "ipc", "cpc", "title", "abstract", "claims", "description", "lang", "family",
)  # fmt: skip
_MOST_PROBLEMS = 1000
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class PatentDocument:
    """A published patent document. ``date`` is that of its publication.

    Documents of one ``family`` disclose the same invention. Texts are kept as received.
    """

    id: str
    date: date | None = None
    ipc: tuple[str, ...] = ()
    cpc: tuple[str, ...] = ()
    title: str = ""
    abstract: str = ""
    claims: str = ""
    description: str = ""
    lang: str | None = None
    family: str | None = None

    @property
    def text(self) -> str:
        """Everything that can be searched, in the order of a patent document."""
        parts = (self.title, self.abstract, self.claims, self.description)
        return "\n".join(part for part in parts if part)


def read_collection(
    paths: Iterable[FilePath], language: str | None = None, places: dict[str, str] | None = None
) -> Iterator[PatentDocument]:
    """The documents of several files, JSONL (.gz, .zst) or Parquet, in constant memory per text.

    Only ids are kept, to refuse a document that occurs twice; ``places`` holds those of earlier
    files, with their places. A row of another ``language`` is refused. After the first bad row
    nothing more is given out; the rest of its file is read to list all problems, up to 1,000.
    """
    places = {} if places is None else places
    for path in paths:
        yield from _read_file(path, language, places)


def is_parquet(path: FilePath) -> bool:
    """Whether the name of a file says that it holds Parquet."""
    return str(path).lower().endswith((".parquet", ".pq"))


def _read_file(
    path: FilePath, language: str | None, places: dict[str, str]
) -> Iterator[PatentDocument]:
    problems: list[Problem] = []
    rows = _parquet_rows(path, problems) if is_parquet(path) else _jsonl_rows(path, problems)
    for record in rows:
        document = _document(record, places)
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
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("pyarrow", "retrieval") from None
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


def _document(record: Record, places: dict[str, str]) -> PatentDocument:
    record.only(FIELDS)
    return PatentDocument(
        id=_identity(record, places),
        date=optional_date(record),
        ipc=_texts(record, "ipc"),
        cpc=_texts(record, "cpc"),
        title=record.optional_text("title") or "",
        abstract=record.optional_text("abstract") or "",
        claims=_claims(record),
        description=record.optional_text("description") or "",
        lang=record.optional_text("lang"),
        family=record.optional_text("family") or None,
    )


def _check_language(record: Record, language: str | None) -> None:
    """An index holds one language: terms of another would be cut wrongly, and never found."""
    found = record.fields.get("lang")
    if language is not None and isinstance(found, str) and found and not _same(found, language):
        record.complain(f"field 'lang': expected {language}, the language asked for, not {found!r}")


def _identity(record: Record, places: dict[str, str]) -> str:
    identity = name_of(record.fields.get("id"))
    if identity is None:
        record.mismatch("id", "a string or a whole number without blanks")
        return ""
    if identity in places:
        record.complain(f"document {identity!r} is already at {places[identity]}")
    places.setdefault(identity, f"{record.path}:{record.line}")
    return identity


def name_of(value: object) -> str | None:
    """The name of a document or topic from a string or a number; None if it cannot be one.

    A name with a blank could not be written to a TREC file.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    name = str(value)
    return name if name and name.split() == [name] else None


def optional_date(record: Record) -> date | None:
    """The field ``date``: a text, a date of Parquet, or nothing."""
    value = record.fields.get("date")
    if isinstance(value, date):
        return date(value.year, value.month, value.day)
    text = str(value) if type(value) is int else record.optional_text("date")
    if not text:
        return None
    try:
        return parse_date(text)
    except ValueError as error:
        record.complain(f"field 'date': {error}")
        return None


def _same(one: str, other: str) -> bool:
    try:
        return language_code(one) == language_code(other)
    except UsageError:
        return False


def _texts(record: Record, name: str) -> tuple[str, ...]:
    return () if record.fields.get(name) is None else record.texts(name)


def _claims(record: Record) -> str:
    """One text, or a list of claims."""
    value = record.fields.get("claims")
    if isinstance(value, list):
        return "\n".join(record.texts("claims"))
    if value is None or isinstance(value, str):
        return value or ""
    record.complain(
        f"field 'claims': expected a string or a list of strings, found {json_type(value)}"
    )
    return ""


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """What evaluation needs to know of a collection: its documents and their families.

    A document without a family is a family of its own.
    """

    families: Mapping[str, str]

    @classmethod
    def of(cls, documents: Iterable[PatentDocument]) -> CollectionFacts:
        """The facts about a stream of documents; their texts are not kept."""
        return cls({document.id: document.family or document.id for document in documents})

    def family(self, document: str) -> str:
        """The family of a document; a document that is not known is a family of its own."""
        return self.families.get(document, document)

    def __len__(self) -> int:
        return len(self.families)

    def __contains__(self, document: object) -> bool:
        return document in self.families
