"""One document from several records, such as OPS replies or rows of tables.

Partial documents are stored in a temporary file, since those of a whole table exceed memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import reduce
from itertools import groupby

from patmark.collections.patents.sections import SECTIONS
from patmark.data import (
    Claim,
    Document,
    Paragraph,
    PatentText,
    document_from_json,
    document_to_json,
)

PATENTSVIEW = "patentsview"
PARTIAL_FORMATS = frozenset(("ops", PATENTSVIEW))
_APPLICATION = (
    "application_number",
    "application_date",
    "application_key",
    "application_problem",
)
_COLLECTED = ("priorities", "parents", "citations", "ipc", "cpc", "notes")


def merge_documents(one: Document, other: Document) -> Document:
    """Merge two records of one document; the first one takes precedence.

    >>> claims = Document("EP", "1", "A1", "", "ops", "en", texts=(PatentText("en", "Cup"),))
    >>> merge_documents(claims, Document("EP", "1", "A1", "2000-05-17", "ops")).publication_date
    '2000-05-17'
    """
    better = other if other.application_number and not one.application_number else one
    values = {
        field.name: getattr(one, field.name) or getattr(other, field.name)
        for field in fields(Document)
    }
    for name in (*_APPLICATION, *(["language"] if better.language else [])):
        values[name] = getattr(better, name)
    for name in _COLLECTED:
        values[name] = tuple(dict.fromkeys((*getattr(one, name), *getattr(other, name))))
    values["texts"] = _texts(one.texts, other.texts)
    return Document(**values)


def _texts(some: tuple[PatentText, ...], others: tuple[PatentText, ...]) -> tuple[PatentText, ...]:
    found: dict[str, PatentText] = {}
    for text in (*some, *others):
        known = found.get(text.language)
        found[text.language] = (
            text
            if known is None
            else replace(
                known,
                title=known.title or text.title,
                abstract=known.abstract or text.abstract,
                claims=_by_number(known, text),
                description=_by_section(known.description, text.description),
            )
        )
    return tuple(found.values())


def _by_number(one: PatentText, other: PatentText) -> tuple[Claim, ...]:
    claims = {claim.num: claim for claim in (*other.claims, *one.claims)}
    return tuple(claims[number] for number in sorted(claims))


def _by_section(
    some: tuple[Paragraph, ...], others: tuple[Paragraph, ...]
) -> tuple[Paragraph, ...]:
    """Merge paragraphs in the usual order of sections, without repeated parts."""
    if not some or set(others) <= set(some):
        return some or others
    return tuple(sorted((*some, *others), key=lambda each: SECTIONS.index(each.section)))


def _name(document: Document) -> str:
    """Return the name that the parts of a document share; most tables lack its kind."""
    named = document.source_format != PATENTSVIEW
    return document.id if named else f"{document.office}{document.number}"


class PartialDocuments:
    """Partial documents to be merged, in a temporary file."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("")
        self._rows.execute("CREATE TABLE part (id TEXT, document TEXT)")

    def add(self, document: Document) -> None:
        """Store a partial document."""
        row = json.dumps(document_to_json(document), ensure_ascii=False)
        self._rows.execute("INSERT INTO part VALUES (?, ?)", (_name(document), row))

    def whole(
        self,
        on_copy: Callable[[Document, Document], None] = lambda copy, kept: None,
        language: str | None = None,
    ) -> Iterator[Document]:
        """Yield each document once, by id, with its parts merged.

        If a document has several whole records, the one with most text counts, in a ``language`` if
        one is named. ``on_copy`` receives each other record, and the kept one.
        """

        def size(document: Document) -> tuple[int, int]:
            texts = [text for text in document.texts if language in (None, text.language)]
            return sum(map(_text_size, texts)), len(json.dumps(document_to_json(document)))

        rows = self._rows.execute("SELECT id, document FROM part ORDER BY id, rowid")
        for _, group in groupby(rows, key=lambda row: row[0]):
            documents = [document_from_json(json.loads(text)) for _, text in group]
            parts = [one for one in documents if one.source_format in PARTIAL_FORMATS]
            whole = [one for one in documents if one.source_format not in PARTIAL_FORMATS]
            joined = [reduce(merge_documents, parts)] if parts else []
            kept, *copies = sorted([*joined, *whole], key=size, reverse=True)
            for copy in copies:
                on_copy(copy, kept)
            yield kept
        self._rows.close()


def _text_size(text: PatentText) -> int:
    claims, paragraphs = text.claims, text.description
    texts = (text.title, text.abstract, *(one.text for one in claims))
    return sum(map(len, texts)) + sum(len(one.text) for one in paragraphs)
