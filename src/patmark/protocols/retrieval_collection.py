"""A collection from any file that holds patents: rows of a collection, or files of the offices.

Rows (JSONL, Parquet) are somebody's own work and must all be right. Files of the offices are not,
so what cannot be read or used there is left out, named and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from patmark.corpus import (
    BrokenRecord,
    Document,
    read_document_jsonl,
    read_documents,
    to_collection_row,
    without_placeholders,
)
from patmark.errors import InputError, Problem
from patmark.retrieval.dates import parse_date
from patmark.retrieval.documents import PatentDocument, is_parquet, name_of, read_collection
from patmark.retrieval.streaming import first_bytes

_PARSED = re.compile(rb'\s*\{[^\n]{0,1000}?"office"\s*:')
_TEXTS = ("title", "abstract", "claims", "description")


@dataclass(slots=True)
class LeftOut:
    """What was met in files of the offices and is not in the collection, by reason.

    ``undated`` documents are in it, but the date that their file gives is none.
    """

    broken: list[str] = field(default_factory=list)
    without_text: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    skipped_files: list[str] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Every list."""
        return {name: list(getattr(self, name)) for name in self.__dataclass_fields__}

    def lines(self, shown: int = 10) -> Iterator[str]:
        """The counts for people, each with the first cases."""
        reasons = {
            "records could not be read": self.broken,
            "documents have no text in this language": self.without_text,
            "documents occur again and were taken once": self.repeated,
            "files were not opened, because their names say that they hold no text":
                self.skipped_files,
            "documents have a date that is none": self.undated,
        }  # fmt: skip
        for what, cases in reasons.items():
            if cases:
                yield f"{len(cases)} {what}:"
                yield from (f"  {case}" for case in cases[:shown])
                if len(cases) > shown:
                    yield f"  … and {len(cases) - shown} more; --json lists all"


def read_patents(
    paths: Iterable[str], language: str, left_out: LeftOut
) -> Iterator[PatentDocument]:
    """The documents of all files in one language, one at a time; no id occurs twice.

    A file may hold rows of a collection (JSONL, Parquet), documents that ``patmark corpus parse``
    wrote, or whatever ``patmark.corpus`` reads: XML, SGML, bulk files, archives, folders. A file
    that gives no document at all is an error.
    """
    places: dict[str, str] = {}
    for path in paths:
        if _holds_rows(path):
            yield from read_collection([path], language, places)
        else:
            yield from _new(_patents(path, language, left_out), places, left_out)


def _holds_rows(path: str) -> bool:
    """Whether a file holds rows of a collection, by its name and how it begins."""
    if Path(path).is_dir():
        return False
    endings = [ending.lower() for ending in Path(path).suffixes[-2:]]
    if is_parquet(path) or not Path(path).exists():
        return True
    begin = first_bytes(path)
    return not _PARSED.match(begin) and (".jsonl" in endings or begin.lstrip()[:1] in (b"{", b""))


def _new(
    patents: Iterable[tuple[PatentDocument, str]], places: dict[str, str], left_out: LeftOut
) -> Iterator[PatentDocument]:
    """Documents that were not there before; offices publish some of them again."""
    for patent, place in patents:
        if patent.id in places:
            left_out.repeated.append(f"{place}, first at {places[patent.id]}")
        else:
            places[patent.id] = place
            yield patent


def _patents(path: str, language: str, left_out: LeftOut) -> Iterator[tuple[PatentDocument, str]]:
    """The documents of a file of an office with their places."""
    broken, silent = len(left_out.broken), len(left_out.without_text)
    found = False
    for document in _documents(path, left_out):
        patent = _patent(document, language, left_out)
        if patent is not None:
            found = True
            yield patent, _place(document)
    if not found:
        problems = [Problem(message) for message in left_out.broken[broken:]]
        if len(left_out.without_text) > silent:
            problems.append(Problem(f"no document has a text in {language}", path))
        raise InputError(problems or [Problem("holds no file that could be read", path)])


def _documents(path: str, left_out: LeftOut) -> Iterator[Document]:
    if not Path(path).is_dir() and _PARSED.match(first_bytes(path)):
        yield from read_document_jsonl(path)
        return
    for one in read_documents(path, on_skip=left_out.skipped_files.append):
        if isinstance(one, BrokenRecord):
            left_out.broken.append(str(one))
        else:
            yield one


def _patent(document: Document, language: str, left_out: LeftOut) -> PatentDocument | None:
    """The document as it is indexed; None if it has no text in the language or no usable id."""
    row = to_collection_row(document, language)
    texts = {name: without_placeholders(row[name]) for name in _TEXTS}
    if name_of(row["id"]) is None:
        left_out.broken.append(f"{_place(document)}: the number is empty or holds a blank")
        return None
    if not any(texts.values()):
        left_out.without_text.append(_place(document))
        return None
    try:
        published = parse_date(row["date"]) if row["date"] else None
    except ValueError as error:
        left_out.undated.append(f"{_place(document)}: {error}")
        published = None
    return PatentDocument(
        row["id"], published, tuple(row["ipc"]), document.cpc, **texts, lang=language,
        family=row["family"] or None,
    )  # fmt: skip


def _place(document: Document) -> str:
    return f"{document.id} ({document.origin}, record {document.record})"
