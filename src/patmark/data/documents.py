"""The document model of all patent offices, and its JSON Lines.

A document has bibliographic data and, per language, a text: title, abstract, claims, description.
Dates are ISO dates (``2006-07-19``), or empty if the source gives none.

Formulas, tables and images are placeholders with a type and, if the source gives one, an id:
``⟦formula⟧``, ``⟦table:TABLE-US-00001⟧``.

A file has one document per line (.jsonl, compressed as .gz or .zst).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import date as Day
from pathlib import Path
from typing import Any

from patmark.data.archives import text_lines
from patmark.data.files import first_bytes, write_json_lines
from patmark.errors import InputError, Problem
from patmark.wording import tr_n

_PLACEHOLDER = re.compile(r"⟦(?P<kind>[a-z]+)(?::(?P<id>[^⟧]*))?⟧")
_DATE = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})", re.ASCII)
_WRITTEN = re.compile(rb'\s*\{[^\n]{0,1000}?"office"\s*:')
_NEEDED = ("office", "number", "kind", "publication_date", "source_format")


@dataclass(frozen=True, slots=True)
class Priority:
    """An earlier application that a document refers to.

    ``key`` is the normalised number (see ``numbers``); without one, ``problem`` is the reason.
    """

    country: str
    number: str
    date: str = ""
    kind: str = ""
    key: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited patent document, with one category of a search report.

    ``document`` is country, number and kind in one normalised text, ``US20070204872A1``, or the
    source text if that cannot be parsed. ``category`` holds the letters of the report (X, Y, A,
    PX), ``claims`` their claims: a document that is X for some claims and Y for others is cited
    twice. ``phase`` is search, examination, opposition, appeal, applicant or third-party, ``by``
    examiner, applicant, third-party or other; both are empty if the source does not state them.
    ``date`` is that of the cited publication, ``cited_on`` that of the report.
    """

    document: str
    category: str = ""
    claims: tuple[int, ...] = ()
    phase: str = ""
    by: str = ""
    date: str = ""
    cited_on: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return all nonempty fields."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, value: object) -> Citation:
        """Read the citation of an object, or of a document alone; raise ValueError if bad."""
        row = {"document": value} if isinstance(value, str) else value
        if not isinstance(row, dict):
            raise ValueError("a citation is a document, or an object with its document")
        unknown = sorted(set(row) - {field.name for field in fields(cls)})
        if unknown:
            raise ValueError(f"a citation has unknown fields: {', '.join(unknown)}")
        claims = row.get("claims") or []
        texts = {name: each or "" for name, each in row.items() if name != "claims"}
        if not all(isinstance(each, str) for each in texts.values()) or not texts.get("document"):
            raise ValueError("a citation needs a document, and its fields are texts")
        if not isinstance(claims, list | tuple) or not all(type(each) is int for each in claims):
            raise ValueError("the claims of a citation are a list of whole numbers")
        return cls(claims=tuple(claims), **texts)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim without its leading number, and the claims that it refers to."""

    num: int
    text: str
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or a heading of the description, and its section."""

    section: str
    id: str
    text: str
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class PatentText:
    """Text of a document in one language."""

    language: str
    title: str = ""
    abstract: str = ""
    claims: tuple[Claim, ...] = ()
    description: tuple[Paragraph, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A published patent document.

    ``parents`` are earlier applications of the same office (continuations, divisions).
    ``citations`` are the cited patent documents. ``stated_claims`` is the number of claims in the
    bibliographic data. ``notes`` report repairs and unreadable parts.
    """

    office: str
    number: str
    kind: str
    publication_date: str
    source_format: str
    language: str = ""
    application_number: str = ""
    application_date: str = ""
    application_key: str = ""
    application_problem: str = ""
    priorities: tuple[Priority, ...] = ()
    parents: tuple[Priority, ...] = ()
    citations: tuple[Citation, ...] = ()
    ipc: tuple[str, ...] = ()
    cpc: tuple[str, ...] = ()
    texts: tuple[PatentText, ...] = ()
    family_id: str = ""
    stated_claims: int | None = None
    notes: tuple[str, ...] = ()
    origin: str = ""
    record: int = 0

    @property
    def id(self) -> str:
        """Office, number and kind in one: EP1442058B1."""
        return f"{self.office}{self.number}{self.kind}"

    def text(self, language: str = "") -> PatentText:
        """Return the text in a language (by default the document's own); empty if absent.

        >>> Document("EP", "1", "A1", "2003-07-09", "ep", "en").text("de")
        PatentText(language='de', title='', abstract='', claims=(), description=())
        """
        wanted = language or self.language
        return next((text for text in self.texts if text.language == wanted), PatentText(wanted))

    def in_language(self, language: str, family: str = "") -> PatentDocument:
        """Return the document as a row of a collection, without formulas, tables and images.

        ``family`` is the id of ``build_families``; without it, the DOCDB id if there is one.
        """
        text = self.text(language)
        priorities = filter(None, (_day(each.date) for each in self.priorities))
        first = min(text.claims, key=lambda claim: claim.num, default=None)
        return PatentDocument(
            id=self.id,
            date=_day(self.publication_date),
            ipc=self.ipc,
            cpc=self.cpc,
            title=without_placeholders(text.title),
            abstract=without_placeholders(text.abstract),
            claims=without_placeholders(
                "\n".join(f"{each.num}. {each.text}" for each in text.claims)
            ),
            description=without_placeholders("\n".join(each.text for each in text.description)),
            lang=language,
            family=family or (f"docdb:{self.family_id}" if self.family_id else None),
            filed=_day(self.application_date),
            priority=min(priorities, default=None),
            citations=self.citations,
            first_claim=without_placeholders(first.text) if first else "",
        )

    def placed(self, origin: str, record: int, notes: tuple[str, ...]) -> Document:
        """Return the document with its origin and more notes."""
        return replace(self, origin=origin, record=record, notes=(*self.notes, *notes))


@dataclass(frozen=True, slots=True)
class PatentDocument:
    """A published patent document in one language, as stored in a collection.

    ``date`` is that of its publication. Documents of one ``family`` disclose the same invention.
    Texts of a collection are kept as received. ``filed`` is the filing date, ``priority`` the first
    priority date; ``citations`` are used for topics. ``first_claim`` is set if the source has
    separate claims.
    """

    id: str
    date: Day | None = None
    ipc: tuple[str, ...] = ()
    cpc: tuple[str, ...] = ()
    title: str = ""
    abstract: str = ""
    claims: str = ""
    description: str = ""
    lang: str | None = None
    family: str | None = None
    filed: Day | None = None
    priority: Day | None = None
    citations: tuple[Citation, ...] = ()
    first_claim: str = ""

    @property
    def text(self) -> str:
        """Everything that can be searched, in the order of a patent document."""
        parts = (self.title, self.abstract, self.claims, self.description)
        return "\n".join(filter(None, parts))

    def to_row(self) -> dict[str, Any]:
        """Return the document as a row of a collection; empty fields are left out."""
        row = {name: getattr(self, name) for name in COLLECTION_FIELDS}
        row["citations"] = [each.to_json() for each in self.citations]
        days = {name: day.isoformat() for name, day in row.items() if isinstance(day, Day)}
        return {name: value for name, value in (row | days).items() if value}


COLLECTION_FIELDS = tuple(each.name for each in fields(PatentDocument))[:-1]
"""The fields of a row of a collection."""


@dataclass(frozen=True, slots=True)
class BrokenRecord:
    """A record that could not be read: its place and problem.

    ``rest_lost`` is True if nothing after it could be read either, because the file is damaged.
    """

    path: str
    record: int
    message: str
    rest_lost: bool = False

    def __str__(self) -> str:
        return f"{self.path}: record {self.record}: {self.message}"


def damaged_files(n: int) -> str:
    """Return the note on places after which a file or a member of an archive is unreadable."""
    return tr_n(
        "files are damaged in {n} place: what follows the damage is missing",
        "files are damaged in {n} places: what follows the damage is missing",
        n=n,
    )


def parse_date(text: str) -> Day:
    """Return a day, with or without separators; a ValueError states the expected form."""
    match = _DATE.fullmatch(text.strip())
    if match is not None:
        try:
            return Day(int(match[1]), int(match[3]), int(match[4]))
        except ValueError:
            pass
    raise ValueError(f"expected a date such as 1995-06-29 or 19950629, found {text.strip()[:40]!r}")


def _day(text: str) -> Day | None:
    """Return the day of a date; None for a date without a day."""
    try:
        return parse_date(text)
    except ValueError:
        return None


def placeholder(kind: str, identifier: str = "") -> str:
    """Return the placeholder of a formula, table or image in a text."""
    return f"⟦{kind}:{identifier}⟧" if identifier else f"⟦{kind}⟧"


def without_placeholders(text: str) -> str:
    """Return a text for alignment: formulas, tables and images left out.

    >>> without_placeholders("where ⟦formula:m1⟧ is the mass")
    'where is the mass'
    """
    return re.sub(r" {2,}", " ", _PLACEHOLDER.sub("", text)).strip()


_NAMES = frozenset(field.name for field in fields(Document))


def document_to_json(document: Document) -> dict[str, Any]:
    """Return all fields of a document, with its id in front; empty fields are left out."""
    kept = {name: value for name, value in asdict(document).items() if value not in ("", (), None)}
    if document.citations:
        kept["citations"] = [each.to_json() for each in document.citations]
    return {"id": document.id, **kept}


def document_from_json(row: dict[str, Any]) -> Document:
    """Return the document of a row; ValueError, TypeError or KeyError when the row is not one."""
    values = {name: value for name, value in row.items() if name != "id"}
    unknown = sorted(set(values) - _NAMES)
    if unknown:
        raise ValueError(f"unknown fields: {', '.join(unknown)}")
    for name in _NEEDED:
        values.setdefault(name, "")
    for name in ("priorities", "parents"):
        values[name] = tuple(Priority(**each) for each in values.get(name, ()))
    values["citations"] = tuple(map(Citation.from_json, values.get("citations", ())))
    for name in ("ipc", "cpc", "notes"):
        values[name] = tuple(values.get(name, ()))
    values["texts"] = tuple(_text(each) for each in values.get("texts", ()))
    document = Document(**values)
    if not (document.office and document.number):
        raise ValueError("a document needs office and number")
    return document


def _text(row: dict[str, Any]) -> PatentText:
    claims = tuple(
        Claim(each["num"], each["text"], tuple(each.get("depends_on", ())))
        for each in row.get("claims", ())
    )
    description = tuple(Paragraph(**each) for each in row.get("description", ()))
    return PatentText(
        row["language"], row.get("title", ""), row.get("abstract", ""), claims, description
    )


def write_documents(path: str | Path, documents: Iterable[Document]) -> int:
    """Write documents to a stream; the file appears when all are written. Return the count."""
    return write_json_lines(path, map(document_to_json, documents))


def holds_documents(path: str | Path) -> bool:
    """Return True if a file begins like one of ``write_documents``, in any order of fields."""
    head = first_bytes(path)
    if _WRITTEN.match(head):  # also if the line is broken further on
        return True
    if not head.lstrip().startswith(b"{"):
        return False
    _, _, line = next(text_lines(Path(path), []), ("", 0, ""))
    try:
        return "office" in json.loads(line)
    except ValueError:
        return False


def read_document_jsonl(path: str | Path) -> Iterator[Document]:
    """Yield documents one at a time; list bad lines in one InputError at the end."""
    problems: list[Problem] = []
    for name, number, line in text_lines(Path(path), problems):
        try:
            document = document_from_json(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            problems.append(Problem(f"is no document: {error}", name, number))
            continue
        yield document
    if problems:
        raise InputError(problems)


def to_collection_row(document: Document, language: str, family: str = "") -> dict[str, Any]:
    """Return a row of a retrieval collection in one language, without empty fields."""
    return document.in_language(language, family).to_row()
