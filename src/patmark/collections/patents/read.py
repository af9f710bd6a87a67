"""Patent files of any office and format to documents, one at a time.

Folders, archives and compressed files are opened, also nested. A file of many records is split
before each ``<?xml``, before each ``<!DOCTYPE`` without an XML declaration (SGML), before each
``PATN`` line (Green Book), or around each ``exchange-document`` (DOCDB). Splitting uses bytes only,
so that a broken record does not affect the next one. Tables (JSON Lines, JSON, CSV) are read row by
row. The format of a record follows from its content.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from patmark.collections.patents.formats.bibliography import require_number
from patmark.collections.patents.formats.databases import (
    read_google_patents,
    read_lens_object,
    read_lens_table,
    read_patentsview,
)
from patmark.collections.patents.formats.docdb import JSON_ROOT, read_docdb, read_ops, read_ops_json
from patmark.collections.patents.formats.kipris import (
    MARKS,
    ROOT,
    SPECIFICATIONS,
    read_kipris,
    read_specification,
)
from patmark.collections.patents.formats.many_languages import read_ep, read_lexisnexis, read_marec
from patmark.collections.patents.formats.offices import GAZETTES, PARTS, TIPO, read_office
from patmark.collections.patents.formats.tables import (
    TABLE_ENDINGS,
    Row,
    csv_rows,
    header_of,
    is_json,
    json_rows,
)
from patmark.collections.patents.formats.uspto_green_book import read_green_book
from patmark.collections.patents.formats.xml_reading import Element, parse_record
from patmark.data import (
    ARCHIVE_ENDINGS,
    CHUNK,
    READ_ERRORS,
    TEXT_ENDINGS,
    ArchiveMember,
    BrokenRecord,
    Document,
    describe,
    iter_parts,
)
from patmark.errors import InputError

if TYPE_CHECKING:
    from patmark.collections.patents.formats.mapped import FieldMapping

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
    ("cnipa", read_office, ("cn-patent-document", "PatentDocumentAndRelated")),
    ("docdb", read_docdb, ("exchange-document", "exchange-documents")),
    ("ep-fulltext", read_ep, ("ep-patent-document",)),
    ("jpo-gazette", read_office, ("jp-official-gazette",)),
    ("kipo", read_specification, SPECIFICATIONS),
    ("kipris", read_kipris, (ROOT,)),
    ("lexisnexis", read_lexisnexis, ("lexisnexis-patent-document",)),
    ("marec", read_marec, ("patent-document",)),
    ("ops", read_ops, ("world-patent-data", "fulltext-documents", "fulltext-document")),
    ("st96", read_office, (*PARTS, *GAZETTES)),
    ("tipo", read_office, ("tw-patent-grants", "tw-patent-applications", *TIPO)),
    ("uspto-pap", read_office, ("patent-application-publication",)),
    ("uspto-red-book", read_office, ("us-patent-grant", "us-patent-application")),
    ("uspto-sgml", read_office, ("PATDOC",)),
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


LARGEST_RECORD = 1 << 28
UNREADABLE = "the reader of this format fails on the record"
_OVERLAP = 64
_WIDE = (
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    ("<".encode("utf-16-le"), "utf-16-le"),
    ("<".encode("utf-16-be"), "utf-16-be"),
)
# one odd record among millions must not end the reading of the others
_CONFUSED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)

_XML = re.compile(rb"<\?xml\s")
_SGML = re.compile(rb"(?:<!--[^<>]{0,200})?<!DOCTYPE\s")  # also one that is commented out
_COMMENTS = re.compile(rb"(?:\s|<!--(?:(?!-->).)*-->)++", re.DOTALL)
_GREEN_BEGINS = (b"PATN", b"HHHHH")
_GREEN = re.compile(rb"^PATN[ \t]*\r?$", re.MULTILINE)
_EXCHANGE = re.compile(rb"<(?:\w+:)?exchange-document[\s>]")
_EXCHANGE_END = re.compile(rb"</(?:\w+:)?exchange-document\s*>")
_EXCHANGE_HEAD = re.compile(
    rb"\s*+(?P<declaration><\?xml\s[^>]*\?>)?\s*+(?:<!DOCTYPE[^>]*>)?\s*+"
    rb"<(?:\w+:)?exchange-documents[^>]*>\s*+"
)
_EXCHANGE_FOOT = re.compile(rb"\s*+(?:</(?:\w+:)?exchange-documents\s*>\s*)?")


def read_documents(
    path: str | Path,
    *,
    mapping: FieldMapping | None = None,
    on_skip: Callable[[str], None] = lambda name: None,
    named: bool = True,
) -> Iterator[Document | BrokenRecord]:
    """Yield the documents of a file, archive or folder, and a BrokenRecord for others.

    ``mapping`` has the places of fields in files of other formats. ``on_skip`` receives the names
    of skipped files in folders and archives, which hold no text (images, PDF) or no patents, and of
    the sequence listings among the patents of weekly files. A file that is not ``named`` was found
    in a folder.
    """
    endings = (*TEXT_ENDINGS, *TABLE_ENDINGS)
    for part in iter_parts(Path(path), on_skip, endings, any_text=True, named=named):
        found_inside = not named or part.name != str(path)
        beside = found_inside and not part.name.lower().endswith((*TEXT_ENDINGS, *ARCHIVE_ENDINGS))
        found = _documents_of(part, mapping, on_skip)
        first = next(found, None)
        if beside and isinstance(first, BrokenRecord) and UNKNOWN in first.message:
            on_skip(part.name)
        elif first is not None:
            yield from chain([first], found)


def _documents_of(
    part: ArchiveMember, mapping: FieldMapping | None, on_skip: Callable[[str], None]
) -> Iterator[Document | BrokenRecord]:
    if part.stream is None:
        yield BrokenRecord(part.name, 1, part.problem, rest_lost=True)
        return
    number = 0
    try:
        for record in _records(part.stream, mapping):
            if isinstance(record, bytes) and _is_no_record(record, number):
                continue
            number += 1
            if isinstance(record, str):
                yield BrokenRecord(part.name, number, record)
            elif isinstance(record, dict):
                known = mapping or table_reader(record)
                yield from _read_safely(record, part.name, number, mapping)
                if number == 1 and not known:
                    return
            elif mapping is None and root_name(record) in SUPPLEMENTS:
                on_skip(f"{part.name}.{root_name(record)}")
            else:
                yield from _read_safely(record, part.name, number, mapping)
    except READ_ERRORS as error:
        yield BrokenRecord(part.name, number + 1, describe(error), rest_lost=True)
    except InputError as error:
        yield BrokenRecord(part.name, number + 1, str(error), rest_lost=True)
    else:
        if not number:
            yield BrokenRecord(part.name, 1, "is empty")


def _records(stream: IO[bytes], mapping: FieldMapping | None) -> Iterator[bytes | Row | str]:
    """Yield records of markup as bytes, rows of tables, and problems of rows."""
    head, chunks = _opened(stream)
    if is_json(head):
        yield from json_rows(chain([head], chunks))
        return
    delimiter, columns = ("", ()) if head.lstrip().startswith(b"<") else header_of(head)
    if delimiter and (mapping or table_reader(columns)):
        yield from csv_rows(chain([head], chunks), delimiter)
    elif len(head) >= CHUNK and b"<" not in head and not head.lstrip().startswith(_GREEN_BEGINS):
        yield head  # enough to say that it is no known format
    else:
        yield from _cut(head, chunks)


def _is_no_record(data: bytes, number: int) -> bool:
    """Return True for comments, and for the first line of weekly Green Book files."""
    if data.startswith(b"HHHHH"):
        return number == 0 and data.strip().count(b"\n") == 0
    return data.startswith(b"<!--") and _COMMENTS.fullmatch(data) is not None


def _read_safely(
    record: bytes | Row, origin: str, number: int, mapping: FieldMapping | None
) -> list[Document | BrokenRecord]:
    try:
        return [
            document.placed(origin, number, notes) for document, notes in _read(record, mapping)
        ]
    except InputError as error:
        return [BrokenRecord(origin, number, str(error))]
    except _CONFUSED as error:
        message = f"{UNREADABLE}: {type(error).__name__}: {error}"
        return [BrokenRecord(origin, number, message)]


def _read(
    record: bytes | Row, mapping: FieldMapping | None
) -> Iterator[tuple[Document, tuple[str, ...]]]:
    """Yield the documents of a record, with notes on repairs."""
    notes: tuple[str, ...] = ()
    if mapping is not None:
        found, notes = _mapped(record, mapping)
    elif isinstance(record, dict):
        reader = table_reader(record)
        if reader is None:
            if PUBLIC_SEARCH in record:
                raise InputError.at(f"{UNKNOWN}: USPTO Public Search; take the bulk data instead")
            names = ", ".join(list(record)[:5])
            raise InputError.at(f"{UNKNOWN}: a table that begins with the columns {names}")
        found = reader(record)
    elif (name := detect_format(record)) == GREEN_BOOK:
        text, notes = _green_book_text(record)
        found = read_green_book(text)
    elif name:
        parsed = parse_record(record)
        found, notes = reader_of(record)(parsed.root), parsed.notes
    else:
        raise InputError.at(unknown_format(record))
    for document in found:
        yield require_number(document), notes


def _mapped(
    record: bytes | Row, mapping: FieldMapping
) -> tuple[Iterator[Document], tuple[str, ...]]:
    from patmark.collections.patents.formats.mapped import read_mapped_row, read_mapped_xml

    if isinstance(record, dict):
        return read_mapped_row(record, mapping), ()
    parsed = parse_record(record)
    return read_mapped_xml(parsed.root, mapping), parsed.notes


def _green_book_text(data: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        return data.decode("latin-1"), ("bytes that are not UTF-8 were read as Latin-1",)


def _opened(stream: IO[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the start of a stream and its rest as UTF-8, without a byte order mark."""
    head, chunks = _begin(_chunks(stream))
    wide = next((name for mark, name in _WIDE if head.startswith(mark)), "")
    if wide:
        head, chunks = _begin(_narrowed(chain([head], chunks), wide))
    return head.removeprefix(codecs.BOM_UTF8), chunks


def _cut(head: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    if head.lstrip().startswith(_GREEN_BEGINS):
        yield from _pieces(head, chunks, _GREEN)
    elif b"exchange-documents" in head[:4096] and b"world-patent-data" not in head[:4096]:
        yield from _exchange_records(_pieces(head, chunks, _EXCHANGE))
    else:
        boundary = _XML if _XML.search(head) else _SGML
        yield from _pieces(head, chunks, boundary)


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield chunks as they arrive, so that damage does not lose preceding data."""
    read = getattr(stream, "read1", stream.read)
    while chunk := read(CHUNK):
        yield chunk


def _begin(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return enough of a stream to detect its format, and the rest."""
    head = bytearray()
    try:
        while len(head) < CHUNK and (chunk := next(chunks, b"")):
            head += chunk
    except READ_ERRORS as error:
        return bytes(head), _failing(error)
    return bytes(head), chunks


def _failing(error: BaseException) -> Iterator[bytes]:
    raise error
    yield b""


def _narrowed(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Convert UTF-16 to UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "replace")


def _pieces(head: bytes, chunks: Iterator[bytes], boundary: re.Pattern[bytes]) -> Iterator[bytes]:
    """Split before each boundary, keeping only the current piece."""
    buffer = bytearray(head)
    searched = 0
    while True:
        own = boundary.match(buffer)
        match = boundary.search(buffer, max(searched, own.end() if own else 1))
        if match:
            piece = bytes(buffer[: match.start()])
            del buffer[: match.start()]
            searched = 0
            if piece.strip():
                yield piece
            continue
        searched = len(buffer) - _OVERLAP
        if len(buffer) > LARGEST_RECORD:
            raise InputError.at(
                f"a record of more than {LARGEST_RECORD >> 20} MB; the rest is left"
            )
        chunk = next(chunks, None)
        if chunk is None:
            break
        buffer += chunk
    if buffer.strip():
        yield bytes(buffer)


def _exchange_records(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield records of DOCDB without their envelope; pass on other content unchanged."""
    declaration = b""
    for place, piece in enumerate(pieces):
        head = _EXCHANGE_HEAD.fullmatch(piece) if place == 0 else None
        if head:
            declaration = head["declaration"] or b""
            continue
        ends = list(_EXCHANGE_END.finditer(piece))
        whole = bool(ends) and _EXCHANGE_FOOT.fullmatch(piece, ends[-1].end()) is not None
        yield declaration + (piece[: ends[-1].end()] if whole else piece)
