"""Patent files of any office and format to documents, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from patmark.corpus.cnipa import read_cnipa
from patmark.corpus.detect import GREEN_BOOK, detect_format, root_name
from patmark.corpus.docdb import read_docdb
from patmark.corpus.document import BrokenRecord, Document
from patmark.corpus.ep_fulltext import read_ep
from patmark.corpus.jpo_gazette import read_jpo
from patmark.corpus.ops import read_ops
from patmark.corpus.st96 import read_st96
from patmark.corpus.streams import READ_ERRORS, Part, describe, iter_parts, split_records
from patmark.corpus.uspto_green_book import read_green_book
from patmark.corpus.uspto_pap import read_pap
from patmark.corpus.uspto_red_book import read_red_book
from patmark.corpus.uspto_sgml import read_patdoc
from patmark.corpus.xml_reading import Element, parse_record
from patmark.errors import InputError

_READERS: dict[str, Callable[[Element], Iterator[Document]]] = {
    "cnipa": read_cnipa,
    "docdb": read_docdb,
    "ep-fulltext": read_ep,
    "jpo-gazette": read_jpo,
    "ops": read_ops,
    "st96": read_st96,
    "uspto-pap": read_pap,
    "uspto-red-book": read_red_book,
    "uspto-sgml": read_patdoc,
}

# one odd record among millions must not end the reading of the others
_CONFUSED = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip
UNREADABLE = "the reader of this format fails on the record"


def read_documents(
    path: str | Path, *, on_skip: Callable[[str], None] | None = None
) -> Iterator[Document | BrokenRecord]:
    """The documents of a file, archive or folder; what cannot be read comes as a BrokenRecord.

    ``on_skip`` is told the names of files in folders and archives that were not opened, because
    their ending says that they hold no text (images, PDF).
    """
    for part in iter_parts(Path(path), on_skip):
        yield from _documents_of(part)


def _documents_of(part: Part) -> Iterator[Document | BrokenRecord]:
    if part.stream is None:
        yield BrokenRecord(part.name, 1, part.problem)
        return
    number = 0
    try:
        for data in split_records(part.stream):
            if _is_file_header(data, number):
                continue
            number += 1
            yield from read_record(data, part.name, number)
    except READ_ERRORS as error:
        yield BrokenRecord(part.name, number + 1, describe(error))
    except InputError as error:
        yield BrokenRecord(part.name, number + 1, str(error))
    else:
        if not number:
            yield BrokenRecord(part.name, 1, "is empty")


def _is_file_header(data: bytes, number: int) -> bool:
    """Weekly Green Book files begin with a line of their own."""
    return number == 0 and data.startswith(b"HHHHH") and data.strip().count(b"\n") == 0


def read_record(data: bytes, origin: str = "", number: int = 1) -> list[Document | BrokenRecord]:
    """The documents of one record (an OPS reply has several), or what is wrong with it."""
    try:
        return [*_read(data, origin, number)]
    except InputError as error:
        return [BrokenRecord(origin, number, str(error))]
    except _CONFUSED as error:
        message = f"{UNREADABLE}: {type(error).__name__}: {error}"
        return [BrokenRecord(origin, number, message)]


def _read(data: bytes, origin: str, number: int) -> Iterator[Document]:
    name = detect_format(data)
    if name == GREEN_BOOK:
        text, notes = _green_book_text(data)
        found = read_green_book(text)
    elif name:
        record = parse_record(data)
        found, notes = _READERS[name](record.root), record.notes
    else:
        raise InputError.at(_unknown(data))
    for document in found:
        yield document.placed(origin, number, notes)


def _green_book_text(data: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        return data.decode("latin-1"), ("bytes that are not UTF-8 were read as Latin-1",)


def _unknown(data: bytes) -> str:
    name = root_name(data)
    begin = data.lstrip()[:20].decode("utf-8", "replace")
    found = f"the root element is {name!r}" if name else f"the text begins with {begin!r}"
    return f"no known patent format: {found}"
