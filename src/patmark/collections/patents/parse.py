"""Patent files of any office into one file of documents, with counts and problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.collections.patents.merging import PARTIAL_FORMATS, PartialDocuments
from patmark.collections.patents.read import read_documents
from patmark.data import BrokenRecord, Document, damaged_files, write_documents
from patmark.errors import InputError, Problem
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import setting, tr, tr_n

if TYPE_CHECKING:
    from patmark.collections.patents.formats.mapped import FieldMapping

_SHOWN = 20
_LISTED = 5


@dataclass(slots=True)
class ParseResult(Result):
    """Counts of documents by office, format and language, and of skipped records."""

    documents: int = 0
    claims: int = 0
    citations: int = 0
    offices: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    without_key: int = 0
    noted: int = 0
    never_found: list[str] = field(default_factory=list)
    broken: list[BrokenRecord] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def add(self, document: Document) -> None:
        """Count a document."""
        self.documents += 1
        if document.id in self._ids:
            self.repeated.append(document.id)
        self._ids.add(document.id)
        self.offices[document.office] += 1
        self.formats[document.source_format] += 1
        self.languages.update(text.language for text in document.texts)
        self.claims += sum(len(text.claims) for text in document.texts)
        self.citations += len(document.citations)
        self.without_key += any(not each.key for each in document.priorities)
        self.noted += bool(document.notes)

    @property
    def damaged(self) -> int:
        """Number of places after which a file is unreadable."""
        return sum(each.rest_lost for each in self.broken)

    def to_json(self) -> dict[str, Any]:
        """Return all counts, and every broken record."""
        return {
            "documents": self.documents,
            "claims": self.claims,
            "citations": self.citations,
            "offices": dict(sorted(self.offices.items())),
            "formats": dict(sorted(self.formats.items())),
            "languages": dict(sorted(self.languages.items())),
            "priorities_without_key": self.without_key,
            "documents_with_notes": self.noted,
            "repeated": list(self.repeated),
            "fields_never_found": list(self.never_found),
            "skipped_files": dict(sorted(self.skipped.items())),
            "broken": len(self.broken),
            "damaged": self.damaged,
            "broken_records": [
                {"path": each.path, "record": each.record, "message": each.message}
                for each in self.broken
            ],
        }

    def lines(self) -> list[str]:
        """Return the counts for people, with the first broken records."""
        lines: list[str] = [
            tr(
                "{documents} documents ({offices}), {claims} claims, {citations} citations",
                documents=self.documents,
                offices=tuple(f"{office} {n}" for office, n in sorted(self.offices.items())),
                claims=self.claims,
                citations=self.citations,
            )
        ]
        if self.without_key:
            lines.append(
                tr(
                    "{n} documents have a priority number that is not understood",
                    n=self.without_key,
                )
            )
        if self.noted:
            lines.append(
                tr(
                    "{n} documents have notes on what was repaired or is doubtful",
                    n=self.noted,
                )
            )
        if self.repeated:
            lines.append(
                tr_n(
                    "{n} document is another record of a publication in the file ({ids}); "
                    "families use the numbers of all records, builds and indexes take one of them",
                    "{n} documents are other records of publications in the file ({ids}); "
                    "families use the numbers of all records, builds and indexes take one of them",
                    n=len(self.repeated),
                    ids=tuple(self.repeated[:_LISTED])
                    if len(self.repeated) <= _LISTED
                    else (*self.repeated[:_LISTED], "…"),
                )
            )
        lines += [
            tr("the mapping finds nothing at {place}", place=place) for place in self.never_found
        ]
        lines += [
            tr("{n} files not opened: {ending}", n=n, ending=ending)
            for ending, n in sorted(self.skipped.items())
        ]
        if self.broken:
            lines.append(tr("{n} broken records", n=len(self.broken)))
        if self.damaged:
            lines.append(damaged_files(self.damaged))
        lines += [f"  {each}" for each in self.broken[:_SHOWN]]
        if len(self.broken) > _SHOWN:
            more = len(self.broken) - _SHOWN
            lines.append(tr("  … and {n} more; {option} lists all", n=more, option=setting("json")))
        return lines

    def to_report(self) -> Report:
        """Return the counts as a table."""
        counts = {
            tr("office"): self.offices,
            tr("format"): self.formats,
            tr("language"): self.languages,
        }
        rows: list[tuple[Cell, ...]] = [
            (what, name, n) for what, each in counts.items() for name, n in sorted(each.items())
        ]
        first, *others = self.lines()
        columns = (Column(tr("by")), Column(tr("value")), Column(tr("documents"), 0))
        return Report(
            title=tr("Patent documents"),
            subtitle=first,
            headlines=(),
            tables=(Table(tr("Documents"), columns, tuple(rows)),),
            signatures={},
            notes=tuple(others),
        )


def parse_files(
    paths: Iterable[str],
    out: str,
    advance: Callable[[int], None] = lambda count: None,
    *,
    mapping: str | None = None,
) -> ParseResult:
    """Write the documents of files, archives and folders; count and list broken records.

    Nothing is written without documents. Partial records (OPS replies, rows of tables) are merged,
    and come after the others. ``mapping`` is a file with the places of fields in files of unknown
    formats. ``advance`` receives the number of documents so far.
    """
    result = ParseResult()
    places = None
    if mapping is not None:
        from patmark.collections.patents.formats.mapped import read_mapping

        places = read_mapping(mapping)
    write_documents(out, _documents(list(paths), result, advance, places))
    result.never_found = places.never_found() if places else []
    return result


def _documents(
    paths: list[str],
    result: ParseResult,
    advance: Callable[[int], None],
    mapping: FieldMapping | None,
) -> Iterator[Document]:
    def skip(name: str) -> None:
        result.skipped[Path(name).suffix.lower() or "no ending"] += 1

    partial = PartialDocuments()

    def read() -> Iterator[Document]:
        for path in paths:
            for found in read_documents(path, mapping=mapping, on_skip=skip):
                if isinstance(found, BrokenRecord):
                    result.broken.append(found)
                elif found.source_format in PARTIAL_FORMATS:
                    partial.add(found)
                else:
                    yield found

    for document in chain(read(), partial.whole()):
        result.add(document)
        advance(result.documents)
        yield document
    if not result.documents:
        problems = [
            Problem(f"record {each.record}: {each.message}", each.path) for each in result.broken
        ]
        raise InputError(problems or [Problem("no patent document found", ", ".join(paths))])
