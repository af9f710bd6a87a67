"""Formats of records: the one table from the content of a record to its reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from patmark.collections.patents.formats.cnipa import read_cnipa
from patmark.collections.patents.formats.docdb import read_docdb
from patmark.collections.patents.formats.ep_fulltext import read_ep
from patmark.collections.patents.formats.google_patents import read_google_patents
from patmark.collections.patents.formats.jpo_gazette import read_jpo
from patmark.collections.patents.formats.kipris import (
    MARKS,
    ROOT,
    SPECIFICATIONS,
    read_kipris,
    read_specification,
)
from patmark.collections.patents.formats.lens import read_lens_object, read_lens_table
from patmark.collections.patents.formats.lexisnexis import read_lexisnexis
from patmark.collections.patents.formats.marec import read_marec
from patmark.collections.patents.formats.ops import JSON_ROOT, read_ops, read_ops_json
from patmark.collections.patents.formats.patentsview import read_patentsview
from patmark.collections.patents.formats.st96 import GAZETTES, PARTS, read_st96
from patmark.collections.patents.formats.tables import Row
from patmark.collections.patents.formats.tipo import ROOTS as TIPO_ROOTS, read_tipo
from patmark.collections.patents.formats.uspto_pap import read_pap
from patmark.collections.patents.formats.uspto_red_book import read_red_book
from patmark.collections.patents.formats.uspto_sgml import read_patdoc
from patmark.collections.patents.formats.xml_reading import Element
from patmark.data import Document

_LOOKED_AT = 1 << 20
_GREEN_RECORD = re.compile(rb"\s*+(?:HHHHH[^\n]*\n)*+\s*+PATN[ \t]*\r?\n")


_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")


XmlReader: TypeAlias = Callable[[Element], Iterator[Document]]
RowReader: TypeAlias = Callable[[Row], Iterator[Document]]

GREEN_BOOK = "uspto-green-book"  # the one format that is neither XML nor SGML
# formats of XML and SGML by their root elements
_FORMATS: tuple[tuple[str, XmlReader, tuple[str, ...]], ...] = (
    ("cnipa", read_cnipa, ("cn-patent-document", "PatentDocumentAndRelated")),
    ("docdb", read_docdb, ("exchange-document", "exchange-documents")),
    ("ep-fulltext", read_ep, ("ep-patent-document",)),
    ("jpo-gazette", read_jpo, ("jp-official-gazette",)),
    ("kipo", read_specification, SPECIFICATIONS),
    ("kipris", read_kipris, (ROOT,)),
    ("lexisnexis", read_lexisnexis, ("lexisnexis-patent-document",)),
    ("marec", read_marec, ("patent-document",)),
    ("ops", read_ops, ("world-patent-data", "fulltext-documents", "fulltext-document")),
    ("st96", read_st96, (*PARTS, *GAZETTES)),
    ("tipo", read_tipo, ("tw-patent-grants", "tw-patent-applications", *TIPO_ROOTS)),
    ("uspto-pap", read_pap, ("patent-application-publication",)),
    ("uspto-red-book", read_red_book, ("us-patent-grant", "us-patent-application")),
    ("uspto-sgml", read_patdoc, ("PATDOC",)),
)
UNKNOWN = "no known patent format"
# records of a patent that are not documents: sequence listings, amendments of Japanese applications
SUPPLEMENTS = frozenset(
    (
        "sequence-cwu",
        "ST26SequenceListing",
        "UnexaminedPatentPublicationAmendment",
        "InternationalPatentPublicationAmendment",
    )
)


# tables by their columns or JSON fields
_TABLES: tuple[tuple[str, RowReader, frozenset[str]], ...] = (
    ("google-patents", read_google_patents, frozenset(("publication_number",))),
    ("lens", read_lens_object, frozenset(("lens_id", "jurisdiction", "doc_number"))),
    ("lens", read_lens_table, frozenset(("Jurisdiction", "Display Key"))),
    ("ops", read_ops_json, frozenset((JSON_ROOT,))),
    ("patentsview", read_patentsview, frozenset(("patent_id",))),
    ("patentsview", read_patentsview, frozenset(("pgpub_id",))),
)
PUBLIC_SEARCH = "guid"
"""Field of USPTO Public Search; its records also have a ``publication_number``, in another form."""
_BY_ROOT = {root: (name, read) for name, read, roots in _FORMATS for root in roots}
FORMATS = tuple(sorted({GREEN_BOOK, *(name for name, *_ in (*_FORMATS, *_TABLES))}))


def detect_format(data: bytes) -> str | None:
    """Return one of ``FORMATS``, or None for something else.

    >>> detect_format(b"<ep-patent-document id='EP1'/>")
    'ep-fulltext'
    """
    if _GREEN_RECORD.match(data[:_LOOKED_AT]):
        return GREEN_BOOK
    if root_name(data) == ROOT and not MARKS.search(data):
        return None
    return _BY_ROOT.get(root_name(data), (None,))[0]


def root_name(data: bytes) -> str:
    """Return the local name of the first element, empty when there is none."""
    begin = _COMMENT.sub(b"", data[:_LOOKED_AT])
    at = begin.find(b"<!DOCTYPE")
    doctype = _DOCTYPE.match(begin, at) if at >= 0 else None
    match = (_ROOT.search(begin, 0, at) if doctype else None) or _ROOT.search(
        begin, doctype.end() if doctype else 0
    )
    return match[1].decode("ascii", "replace") if match else ""


def reader_of(data: bytes) -> XmlReader:
    """Return the reader of a record whose format is known and not the Green Book."""
    return _BY_ROOT[root_name(data)][1]


def table_reader(columns: Iterable[str]) -> RowReader | None:
    """Return the reader of a table with these columns; None if unknown."""
    names = frozenset(columns)
    if PUBLIC_SEARCH in names:
        return None
    return next((read for _, read, own in _TABLES if own <= names), None)


def unknown_format(data: bytes) -> str:
    """Return the message about a record in no known format."""
    name = root_name(data)
    begin = data.lstrip()[:20].decode("utf-8", "replace")
    found = f"the root element is {name!r}" if name else f"the text begins with {begin!r}"
    return f"{UNKNOWN}: {found}"
