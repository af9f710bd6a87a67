"""Formats of records: the one table from the content of a record to its reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from patmark.data import Document
from patmark.patents.formats.cnipa import read_cnipa
from patmark.patents.formats.docdb import read_docdb
from patmark.patents.formats.ep_fulltext import read_ep
from patmark.patents.formats.google_patents import read_google_patents
from patmark.patents.formats.jpo_gazette import read_jpo
from patmark.patents.formats.lens import read_lens_object, read_lens_table
from patmark.patents.formats.lexisnexis import read_lexisnexis
from patmark.patents.formats.marec import read_marec
from patmark.patents.formats.ops import JSON_ROOT, read_ops, read_ops_json
from patmark.patents.formats.patentsview import read_patentsview
from patmark.patents.formats.st96 import GAZETTES, PARTS, read_st96
from patmark.patents.formats.tables import Row
from patmark.patents.formats.tipo import ROOTS as TIPO_ROOTS, read_tipo
from patmark.patents.formats.uspto_pap import read_pap
from patmark.patents.formats.uspto_red_book import read_red_book
from patmark.patents.formats.uspto_sgml import read_patdoc
from patmark.patents.formats.xml_reading import Element

_LOOKED_AT = 1 << 20
_GREEN_RECORD = re.compile(rb"\s*+(?:HHHHH[^\n]*\n)*+\s*+PATN[ \t]*\r?\n")


_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")


@dataclass(frozen=True, slots=True)
class _Format:
    """A format of XML or SGML: the root elements that it is told by, and its reader."""

    name: str
    read: Callable[[Element], Iterator[Document]]
    roots: tuple[str, ...]


GREEN_BOOK = "uspto-green-book"  # the one format that is neither XML nor SGML
_FORMATS = (
    _Format("cnipa", read_cnipa, ("cn-patent-document", "PatentDocumentAndRelated")),
    _Format("docdb", read_docdb, ("exchange-document", "exchange-documents")),
    _Format("ep-fulltext", read_ep, ("ep-patent-document",)),
    _Format("jpo-gazette", read_jpo, ("jp-official-gazette",)),
    _Format("lexisnexis", read_lexisnexis, ("lexisnexis-patent-document",)),
    _Format("marec", read_marec, ("patent-document",)),
    _Format("ops", read_ops, ("world-patent-data", "fulltext-documents", "fulltext-document")),
    _Format("st96", read_st96, (*PARTS, *GAZETTES)),
    _Format("tipo", read_tipo, ("tw-patent-grants", "tw-patent-applications", *TIPO_ROOTS)),
    _Format("uspto-pap", read_pap, ("patent-application-publication",)),
    _Format("uspto-red-book", read_red_book, ("us-patent-grant", "us-patent-application")),
    _Format("uspto-sgml", read_patdoc, ("PATDOC",)),
)
UNKNOWN = "no known patent format"
# records beside a patent, which are none: sequence listings, amendments of Japanese applications
SUPPLEMENTS = frozenset(
    (
        "sequence-cwu",
        "ST26SequenceListing",
        "UnexaminedPatentPublicationAmendment",
        "InternationalPatentPublicationAmendment",
    )
)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of patents: the columns, or fields of JSON, that it is told by, and its reader."""

    name: str
    read: Callable[[Row], Iterator[Document]]
    columns: frozenset[str]


_TABLES = (
    _Table("google-patents", read_google_patents, frozenset(("publication_number",))),
    _Table("lens", read_lens_object, frozenset(("lens_id", "jurisdiction", "doc_number"))),
    _Table("lens", read_lens_table, frozenset(("Jurisdiction", "Display Key"))),
    _Table("ops", read_ops_json, frozenset((JSON_ROOT,))),
    _Table("patentsview", read_patentsview, frozenset(("patent_id",))),
    _Table("patentsview", read_patentsview, frozenset(("pgpub_id",))),
)
_BY_ROOT = {root: form for form in _FORMATS for root in form.roots}
FORMATS = tuple(sorted({GREEN_BOOK, *(form.name for form in (*_FORMATS, *_TABLES))}))


def detect_format(data: bytes) -> str | None:
    """Return one of ``FORMATS``, or None for something else.

    >>> detect_format(b"<ep-patent-document id='EP1'/>")
    'ep-fulltext'
    """
    if _GREEN_RECORD.match(data[:_LOOKED_AT]):
        return GREEN_BOOK
    form = _BY_ROOT.get(root_name(data))
    return form.name if form else None


def root_name(data: bytes) -> str:
    """Return the local name of the first element, empty when there is none."""
    begin = _COMMENT.sub(b"", data[:_LOOKED_AT])
    at = begin.find(b"<!DOCTYPE")
    doctype = _DOCTYPE.match(begin, at) if at >= 0 else None
    match = (_ROOT.search(begin, 0, at) if doctype else None) or _ROOT.search(
        begin, doctype.end() if doctype else 0
    )
    return match[1].decode("ascii", "replace") if match else ""


def reader_of(data: bytes) -> Callable[[Element], Iterator[Document]]:
    """Return the reader of a record whose format is known and not the Green Book."""
    return _BY_ROOT[root_name(data)].read


def table_reader(columns: Iterable[str]) -> Callable[[Row], Iterator[Document]] | None:
    """Return the reader of a table with these columns; None for one that is not known."""
    names = frozenset(columns)
    return next((table.read for table in _TABLES if table.columns <= names), None)


def unknown_format(data: bytes) -> str:
    """Return the message about a record in no known format."""
    name = root_name(data)
    begin = data.lstrip()[:20].decode("utf-8", "replace")
    found = f"the root element is {name!r}" if name else f"the text begins with {begin!r}"
    return f"{UNKNOWN}: {found}"
