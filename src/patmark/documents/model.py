"""Documents as text with blocks, each with its place in the original file."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal, TypeAlias

from patmark.data import Notice
from patmark.wording import tr

Span: TypeAlias = tuple[int, int]
"""Start and end in characters of a text as read."""
BlockKind: TypeAlias = Literal[
    "paragraph", "heading", "list item", "table cell", "claim", "footnote"
]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the original file; numbers count from 1, and unknown parts are None.

    ``cell`` is the number of a table, its row and its column; ``printed`` is the number before a
    paragraph, such as [0012].
    """

    page: int | None = None
    paragraph: int | None = None
    segment: str | None = None
    claim: int | None = None
    line: int | None = None
    cell: tuple[int, int, int] | None = None
    footnote: int | None = None
    endnote: int | None = None
    printed: str | None = None

    @property
    def label(self) -> str:
        """The place in words: "page 3, paragraph 12"; empty if nothing is known.

        A footnote, table cell, claim or printed number replaces the count of paragraphs.
        """
        parts = (
            tr("page {n}", n=self.page) if self.page is not None else None,
            self._unit(),
            tr("segment {id}", id=self.segment) if self.segment is not None else None,
            tr("line {n}", n=self.line) if self.line is not None else None,
        )
        known = tuple(part for part in parts if part is not None)
        return tr("{parts}", parts=known) if known else ""

    def _unit(self) -> str | None:
        if self.footnote is not None:
            return tr("footnote {n}", n=self.footnote)
        if self.endnote is not None:
            return tr("endnote {n}", n=self.endnote)
        if self.cell is not None:
            table, row, column = self.cell
            return tr("table {n}, row {row}, column {column}", n=table, row=row, column=column)
        if self.claim is not None:
            return tr("claim {n}", n=self.claim)
        if self.printed is not None:
            return tr("paragraph {number}", number=self.printed)
        return None if self.paragraph is None else tr("paragraph {n}", n=self.paragraph)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A separate part of a document, with its offsets in the text.

    ``section`` is empty if the file does not state it. Otherwise it is title, abstract, claims, or
    a section of the description (:data:`patmark.collections.patents.SECTIONS`).
    """

    start: int
    end: int
    kind: BlockKind
    place: Place
    section: str = ""


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """The text of a document in reading order.

    ``blocks`` are in order, do not overlap and are separated by line breaks. They are empty for
    plain text, whose layout the file does not state. ``lang`` is None if unknown.
    """

    name: str
    text: str
    blocks: tuple[TextBlock, ...] = ()
    lang: str | None = None
    notices: tuple[Notice, ...] = ()

    def place(self, offset: int) -> Place:
        """Return the place of an offset in the original file; between blocks the one before."""
        if not self.blocks:
            return Place(line=self.text.count("\n", 0, offset) + 1)
        found = bisect_right(self.blocks, offset, key=lambda block: block.start)
        return self.blocks[max(found - 1, 0)].place


@dataclass(frozen=True, slots=True)
class BilingualDocument:
    """Source and target of a file that pairs them, such as XLIFF and TMX.

    ``pairs`` are the spans of a segment on both sides; None for a side without text.
    """

    source: WholeDocument
    target: WholeDocument
    pairs: tuple[tuple[Span | None, Span | None], ...]


@dataclass(frozen=True, slots=True)
class DocumentComment:
    """A comment on a span of a document, to be written into a copy of its file."""

    start: int
    end: int
    text: str
    side: Literal["source", "target"] = "target"
