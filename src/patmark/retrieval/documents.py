"""The document that is searched, and how its fields are written: ids, dates.

Everything else in this room knows a patent document only by the class of this file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date as Day
from typing import TYPE_CHECKING, Any

from patmark.data import Citation, Record, json_type

if TYPE_CHECKING:
    from patmark.data import Document

FIELDS = (
    "id",
    "date",
    "ipc",
    "cpc",
    "title",
    "abstract",
    "claims",
    "description",
    "lang",
    "family",
    "filed",
    "priority",
    "citations",
)
_DAYS = ("date", "filed", "priority")
_TEXTS = ("title", "abstract", "claims", "description")
_DATE = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PatentDocument:
    """A published patent document in one language. ``date`` is that of its publication.

    Documents of one ``family`` disclose the same invention. Texts are kept as received. ``filed``
    is the filing date, ``priority`` that of the first priority; ``citations`` make topics.
    ``first_claim`` is there where the source has the claims one by one.
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
        return "\n".join(filter(None, (getattr(self, name) for name in _TEXTS)))

    def to_row(self) -> dict[str, Any]:
        """The document as a row of a collection; empty fields are left out."""
        fields = {name: getattr(self, name) for name in FIELDS}
        days = {name: fields[name].isoformat() for name in _DAYS if fields[name]}
        cited = [each.to_json() for each in self.citations]
        row = {**fields, **days, "citations": cited}
        return {name: value for name, value in row.items() if value}


def document_of_record(record: Record, identity: str) -> PatentDocument:
    """The document of a row of a collection; what is wrong with the row is noted in it."""
    record.only(FIELDS)
    claims, first = _claims(record)
    return PatentDocument(
        id=identity,
        date=optional_date(record),
        ipc=_texts(record, "ipc"),
        cpc=_texts(record, "cpc"),
        title=record.optional_text("title") or "",
        abstract=record.optional_text("abstract") or "",
        claims=claims,
        description=record.optional_text("description") or "",
        lang=record.optional_text("lang"),
        family=record.optional_text("family") or None,
        filed=optional_date(record, "filed"),
        priority=optional_date(record, "priority"),
        citations=_citations(record),
        first_claim=first,
    )


def document_of_office(document: Document, language: str, published: Day | None) -> PatentDocument:
    """A document of an office in one language, without formulas, tables and images.

    Its family is that of DOCDB, or follows from its own priorities.
    """
    from patmark.data import to_collection_row, without_placeholders
    from patmark.patents import simple_family

    row = to_collection_row(document, language, simple_family(document))
    first = min(document.text(language).claims, key=lambda claim: claim.num, default=None)
    return PatentDocument(
        id=row["id"],
        date=published,
        ipc=tuple(row["ipc"]),
        cpc=document.cpc,
        **{name: without_placeholders(row[name]) for name in _TEXTS},
        lang=language,
        family=row["family"] or None,
        filed=_known_day(row.get("filed", "")),
        priority=_known_day(row.get("priority", "")),
        citations=document.citations,
        first_claim=without_placeholders(first.text) if first else "",
    )


def name_of(value: object) -> str | None:
    """The name of a document or topic from a string or a number; None if it cannot be one.

    A name with a blank could not be written to a TREC file.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    name = str(value)
    return name if name and name.split() == [name] else None


def parse_date(text: str) -> Day:
    """A day, with or without separators; a ValueError says what was expected."""
    match = _DATE.fullmatch(text.strip())
    if match is not None:
        try:
            return Day(int(match[1]), int(match[3]), int(match[4]))
        except ValueError:
            pass
    raise ValueError(f"expected a date such as 1995-06-29 or 19950629, found {text.strip()[:40]!r}")


def _known_day(text: str) -> Day | None:
    """The day of a text; None for a date without a day, which offices have, too."""
    try:
        return parse_date(text)
    except ValueError:
        return None


def optional_date(record: Record, name: str = "date") -> Day | None:
    """A field with a day: a text, a date of Parquet, or nothing."""
    value = record.fields.get(name)
    if isinstance(value, Day):
        return Day(value.year, value.month, value.day)
    text = str(value) if type(value) is int else record.optional_text(name)
    if not text:
        return None
    try:
        return parse_date(text)
    except ValueError as error:
        record.complain(f"field {name!r}: {error}")
        return None


def _texts(record: Record, name: str) -> tuple[str, ...]:
    return () if record.fields.get(name) is None else record.texts(name)


def _citations(record: Record) -> tuple[Citation, ...]:
    value = record.fields.get("citations") or []
    if not isinstance(value, list):
        record.mismatch("citations", "a list of citations")
        return ()
    try:
        return tuple(map(Citation.from_json, value))
    except ValueError as error:
        record.complain(f"field 'citations': {error}")
        return ()


def _claims(record: Record) -> tuple[str, str]:
    """All claims, and the first one if they are a list."""
    value = record.fields.get("claims")
    if isinstance(value, list):
        texts = record.texts("claims")
        return "\n".join(texts), texts[0] if texts else ""
    if value is None or isinstance(value, str):
        return value or "", ""
    record.complain(
        f"field 'claims': expected a string or a list of strings, found {json_type(value)}"
    )
    return "", ""
