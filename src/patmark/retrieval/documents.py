"""The document that is searched, and how its fields are written: ids, dates.

Everything else in this room knows a patent document only by the class of this file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from patmark.data import Record, json_type

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
)
_TEXTS = ("title", "abstract", "claims", "description")
_DATE = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PatentDocument:
    """A published patent document in one language. ``date`` is that of its publication.

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
        return "\n".join(filter(None, (getattr(self, name) for name in _TEXTS)))

    def to_row(self) -> dict[str, Any]:
        """The document as a row of a collection; empty fields are left out."""
        fields = {name: getattr(self, name) for name in FIELDS}
        day = None if self.date is None else self.date.isoformat()
        return {name: value for name, value in {**fields, "date": day}.items() if value}


def document_of_record(record: Record, identity: str) -> PatentDocument:
    """The document of a row of a collection; what is wrong with the row is noted in it."""
    record.only(FIELDS)
    return PatentDocument(
        id=identity,
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


def document_of_office(document: Document, language: str, published: date | None) -> PatentDocument:
    """A document of an office in one language, without formulas, tables and images."""
    from patmark.data import to_collection_row, without_placeholders

    row = to_collection_row(document, language)
    return PatentDocument(
        id=row["id"],
        date=published,
        ipc=tuple(row["ipc"]),
        cpc=document.cpc,
        **{name: without_placeholders(row[name]) for name in _TEXTS},
        lang=language,
        family=row["family"] or None,
    )


def name_of(value: object) -> str | None:
    """The name of a document or topic from a string or a number; None if it cannot be one.

    A name with a blank could not be written to a TREC file.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    name = str(value)
    return name if name and name.split() == [name] else None


def parse_date(text: str) -> date:
    """A day, with or without separators; a ValueError says what was expected."""
    match = _DATE.fullmatch(text.strip())
    if match is not None:
        try:
            return date(int(match[1]), int(match[3]), int(match[4]))
        except ValueError:
            pass
    raise ValueError(f"expected a date such as 1995-06-29 or 19950629, found {text.strip()[:40]!r}")


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
