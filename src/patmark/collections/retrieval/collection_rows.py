"""Rows of collections, and the format of their fields: ids, dates."""

from __future__ import annotations

from datetime import date as Day

from patmark.data import COLLECTION_FIELDS, Citation, PatentDocument, Record, json_type, parse_date


def document_of_record(record: Record, identity: str) -> PatentDocument:
    """Return the document of a row of a collection; note problems in the record."""
    record.only(COLLECTION_FIELDS)
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


def name_of(value: object) -> str | None:
    """Return the name of a document or topic from a string or a number; None if invalid.

    A name with a blank could not be written to a TREC file.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    name = str(value)
    return name if name and name.split() == [name] else None


def optional_date(record: Record, name: str = "date") -> Day | None:
    """Return the day of a field: a text, a date of Parquet, or None."""
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
    """Return all claims, and the first one if they are a list."""
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
