"""Rows of collections and of public benches, and the format of their fields: ids, dates.

Benches are novelty search, freedom to operate (FTO), designs. A novelty row names the query patent
(``pn``) and the X documents of its examiners: ``pn_x``, those cited against its family
(``pn_family_x``), and the families of both (``…_family``). Other rows have ``target_pns``.
"""

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


TARGETS = "target_pns"
_SINGLE = ("pn_x", "pn_family_x")
_COLLAPSED = ("pn_x_family", "pn_family_x_family")
_TEXTS = ("technical_text", "description")


def is_novelty_row(record: Record) -> bool:
    """Return True if a row has X documents instead of targets."""
    return _SINGLE[0] in record.fields and TARGETS not in record.fields


def is_bench_row(record: Record) -> bool:
    """Return True if a row belongs to a bench rather than to a topic file."""
    return "text" not in record.fields and (TARGETS in record.fields or is_novelty_row(record))


def novelty_targets(record: Record, collapsed: bool) -> list[str]:
    """Return the numbers of X documents in upper case, each once; or those of their families."""
    first, second = _COLLAPSED if collapsed else _SINGLE
    found: dict[str, None] = {}
    for name in (first, second):
        value = record.fields.get(name)
        if value is None and name == second:
            continue
        if not isinstance(value, list):
            record.mismatch(name, "a list of document numbers")
            continue
        for item in value:
            document = name_of(item.strip() if isinstance(item, str) else item)
            if document is None:
                record.complain(f"field {name!r}: {item!r} is no document number")
            else:
                found[document.upper()] = None
    return list(found)


def bench_text(record: Record) -> str:
    """Return the query text; a row with only the patent number has none."""
    name = next((one for one in _TEXTS if one in record.fields), None)
    if name is None:
        patent = f" of {record.fields['pn']}" if "pn" in record.fields else ""
        record.complain(
            f"has no text to search with; add the description{patent} as the field 'description'"
        )
        return ""
    text = record.text(name)
    if isinstance(record.fields.get(name), str) and not text.strip():
        record.complain(f"field {name!r} is empty")
    return text
