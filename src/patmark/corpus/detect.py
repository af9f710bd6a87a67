"""The format of a record, from its content."""

from __future__ import annotations

import re

from patmark.corpus.st96 import GAZETTES, PARTS

GREEN_BOOK = "uspto-green-book"
_LOOKED_AT = 1 << 20
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_GREEN = re.compile(rb"\s*+(?:HHHHH[^\n]*\n)*+\s*+PATN[ \t]*\r?\n")

_BY_ROOT = {
    "PATDOC": "uspto-sgml",
    "patent-application-publication": "uspto-pap",
    "us-patent-grant": "uspto-red-book",
    "us-patent-application": "uspto-red-book",
    "ep-patent-document": "ep-fulltext",
    "exchange-document": "docdb",
    "exchange-documents": "docdb",
    "world-patent-data": "ops",
    "jp-official-gazette": "jpo-gazette",
    "cn-patent-document": "cnipa",
    "PatentDocumentAndRelated": "cnipa",
    **dict.fromkeys([*PARTS, *GAZETTES], "st96"),
}
FORMATS = tuple(sorted({GREEN_BOOK, *_BY_ROOT.values()}))


def root_name(data: bytes) -> str:
    """The local name of the first element, empty when there is none."""
    begin = _COMMENT.sub(b"", data[:_LOOKED_AT])
    at = begin.find(b"<!DOCTYPE")
    doctype = _DOCTYPE.match(begin, at) if at >= 0 else None
    match = (_ROOT.search(begin, 0, at) if doctype else None) or _ROOT.search(
        begin, doctype.end() if doctype else 0
    )
    return match[1].decode("ascii", "replace") if match else ""


def detect_format(data: bytes) -> str | None:
    """One of ``FORMATS``, or None for something else.

    >>> detect_format(b"<ep-patent-document id='EP1'/>")
    'ep-fulltext'
    """
    if _GREEN.match(data[:_LOOKED_AT]):
        return GREEN_BOOK
    return _BY_ROOT.get(root_name(data))
