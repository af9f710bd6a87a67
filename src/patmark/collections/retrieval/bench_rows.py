"""Rows of public retrieval benches: novelty search, freedom to operate (FTO), designs.

A novelty row names the query patent (``pn``) and the X documents of its examiners: ``pn_x``, those
cited against its family (``pn_family_x``), and the families of both (``…_family``). Other rows have
``target_pns``.
"""

from __future__ import annotations

from patmark.collections.retrieval.collection_rows import name_of
from patmark.data import Record

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
