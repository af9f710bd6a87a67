"""Word files: paragraphs, tables and notes in order, with automatic numbers and revisions.

The parts of the file are parsed directly: python-docx omits inserted text, content controls,
equations, symbols, notes and numbers.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Literal, NamedTuple, TypeAlias

from patmark.collections.patents import raised
from patmark.data import FilePath, Notice, read_bytes, shown
from patmark.documents.formats.bilingual import NewBlock, document_of, subscript
from patmark.documents.formats.docx_numbering import DocxNumbering
from patmark.documents.formats.safe_xml import (
    Element,
    attribute,
    child,
    children,
    integer,
    local_name,
    parse_xml,
)
from patmark.documents.model import BlockKind, Place, WholeDocument
from patmark.errors import InputError
from patmark.wording import setting, tr, tr_n

Revisions: TypeAlias = Literal["final", "original"]
TableCell: TypeAlias = tuple[int, int, int]

LARGEST_PART = 1 << 27
_OLE = b"\xd0\xcf\x11\xe0"
_REVISIONS = ("ins", "del", "moveFrom", "moveTo")
_LEFT_OUT = {"final": ("del", "moveFrom"), "original": ("ins", "moveTo")}
_NO_TEXT = frozenset(
    ("pPr", "rPr", "rt", "instrText", "delInstrText", "Fallback", "sdtPr", "fldData", "annotation")
)
_CONTAINERS = frozenset(
    ("tbl", "tr", "tc", "sdt", "sdtContent", "customXml", "smartTag", "AlternateContent", "Choice",
     "ins", "moveTo", "del", "moveFrom")
)  # fmt: skip
_PICTURES = frozenset(("drawing", "pict", "object"))
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# the font Symbol from 0x41 and 0x61, and its signs
_SYMBOLS = {
    **dict(enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 0x41)),
    **dict(enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ", 0x61)),
    **dict(
        zip(
            bytes.fromhex("a2a3a5abacadaeafb0b1b2b3b4b5b6b7b8b9babbbcc5c7c8ced0d1d3d4d5d6d7e5f2"),
            "′≤∞↔←↑→↓°±″≥×∝∂•÷≠≡≈…⊕∩∪∈∠∇©™∏√⋅∑∫",
            strict=True,
        )
    ),
}
_PRIVATE = 0xF000
_MATH_RUN = "math}r"
_UNKNOWN_SYMBOL = "\ufffd"


@dataclass(frozen=True, slots=True)
class DocxParts:
    """Root elements of the parts of a file; None for a part that is absent."""

    document: Element
    numbering: Element | None = None
    styles: Element | None = None
    footnotes: Element | None = None
    endnotes: Element | None = None


class DocxPiece(NamedTuple):
    """A piece of text, its element, and its run; equations have no run."""

    text: str
    node: Element | None
    run: Element | None


@dataclass(frozen=True, slots=True)
class DocxBlock:
    """A paragraph with its pieces; ``anchor`` is the run that refers to a note or text box."""

    pieces: Sequence[DocxPiece]
    kind: BlockKind
    place: Place
    paragraph: Element
    anchor: Element | None = None

    @property
    def text(self) -> str:
        """The text of all pieces."""
        return "".join(piece.text for piece in self.pieces)


def read_docx(path: FilePath, revisions: Revisions = "final") -> WholeDocument:
    """Read a Word file with its tracked changes accepted or rejected."""
    parts = read_docx_parts(path)
    walk = DocxWalk(parts, revisions)
    blocks = [NewBlock(block.text, block.kind, block.place) for block in walk.blocks()]
    return document_of(shown(path), blocks, None, walk.notices())


def read_docx_parts(path: FilePath) -> DocxParts:
    """Return the parts of a Word file; refuse other files and zip bombs."""
    data = read_bytes(path)
    if data.startswith(_OLE):
        message = "is protected by a password or in the old format of Word; save it as plain .docx"
        raise InputError.at(message, shown(path))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            main = _related(archive, "", shown(path)).get("officeDocument")
            if main is None or local_name((root := _part(archive, main, path)).tag) != "document":
                raise InputError.at("is a zip file, but no Word document", shown(path))
            others = _related(archive, main, shown(path))
            names = ("numbering", "styles", "footnotes", "endnotes")
            return DocxParts(
                root, *(_part(archive, others[n], path) if n in others else None for n in names)
            )
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError.at(f"is no Word file: {error}", shown(path)) from None


def _related(archive: zipfile.ZipFile, part: str, origin: str) -> dict[str, str]:
    """Return the parts that a part refers to, by the last word of the relation's type."""
    place = PurePosixPath(part)
    name = str(place.parent / "_rels" / f"{place.name}.rels")
    if name not in archive.namelist():
        return {}
    found: dict[str, str] = {}
    for relation in _parsed(archive, name, origin):
        target = relation.get("Target", "")
        inside = target[1:] if target.startswith("/") else str(place.parent / target)
        if relation.get("TargetMode") != "External" and inside in archive.namelist():
            found.setdefault(relation.get("Type", "").rpartition("/")[2], inside)
    return found


def _part(archive: zipfile.ZipFile, name: str, path: FilePath) -> Element:
    return _parsed(archive, name, shown(path))


def _parsed(archive: zipfile.ZipFile, name: str, origin: str) -> Element:
    with archive.open(name) as file:
        data = file.read(LARGEST_PART + 1)
    if len(data) > LARGEST_PART:
        message = f"{name} holds more than {LARGEST_PART >> 20} MB, which no document has"
        raise InputError.at(message, origin)
    return parse_xml(data, f"{origin}:{name}")


@dataclass(slots=True)
class DocxWalk:
    """One reading of a file: its blocks in order, and counts of its contents."""

    parts: DocxParts
    revisions: Revisions = "final"
    _counts: Counter[str] = field(default_factory=Counter)
    _page: int | None = None
    _tables: int = 0

    def blocks(self) -> Iterator[DocxBlock]:
        """Yield the paragraphs that hold text, then the notes in the order of their references."""
        body = child(self.parts.document, "body")
        breaks = self.parts.document.iter("{*}lastRenderedPageBreak")
        self._page = 1 if next(breaks, None) is not None else None
        numbering = DocxNumbering(self.parts.numbering, self.parts.styles)
        notes: list[DocxBlock] = []
        number = 0
        for block in self._story(body, numbering) if body is not None else ():
            if block.text.strip():
                number += 1
                place = replace(block.place, paragraph=number)
                yield DocxBlock(block.pieces, block.kind, place, block.paragraph, block.anchor)
                notes += self._notes(block, place)
        yield from notes

    def notices(self) -> Iterator[Notice]:
        """Yield notices on omitted content, after the blocks were read."""
        roots = (self.parts.document, self.parts.footnotes, self.parts.endnotes)
        changes = sum(
            1
            for root in roots
            if root is not None
            for _ in root.iter(*(f"{{*}}{name}" for name in _REVISIONS))
        )
        if changes:
            other = "original" if self.revisions == "final" else "final"
            text = (
                tr_n("{n} tracked change is read as accepted",
                     "{n} tracked changes are read as accepted", n=changes)
                if self.revisions == "final"
                else tr_n("{n} tracked change is read as rejected",
                          "{n} tracked changes are read as rejected", n=changes)
            )  # fmt: skip
            remedy = tr("{setting} reads the other text.", setting=setting("revisions", other))
            yield Notice("warning", "revisions", text, remedy)
        if hidden := self._counts["hidden"]:
            text = tr_n("{n} run of hidden text is not read",
                        "{n} runs of hidden text are not read", n=hidden)  # fmt: skip
            yield Notice("warning", "hidden-text", text)
        if symbols := self._counts["symbols"]:
            text = tr_n("{n} symbol of an unknown font is read as �",
                        "{n} symbols of unknown fonts are read as �", n=symbols)  # fmt: skip
            yield Notice("warning", "unknown-symbols", text)
        if pictures := self._counts["pictures"]:
            text = tr_n("{n} picture or embedded object is not read",
                        "{n} pictures or embedded objects are not read", n=pictures)  # fmt: skip
            yield Notice("note", "pictures", text)

    def _story(self, story: Element, numbering: DocxNumbering) -> Iterator[DocxBlock]:
        """Yield the paragraphs of a story; one with a deleted mark continues in the next."""
        carried: list[DocxPiece] = []
        page = self._page
        boxes: list[tuple[Element, Element | None]] = []
        last = None
        for paragraph, cell in self._paragraphs(story, None):
            last = paragraph
            for piece in self._pieces(paragraph, None, boxes):
                if piece.text and not any(one.text for one in carried):
                    page = self._page
                carried.append(piece)
            if self._is_left_out(child(paragraph, "pPr", "rPr")):
                continue
            numbered = numbering.number(paragraph)
            kind: BlockKind = "paragraph"
            if cell:
                kind = "table cell"
            elif numbering.outline_level(paragraph) is not None:
                kind = "heading"
            elif numbered is not None:
                kind = "list item"
            if numbered and numbered.text and any(piece.text.strip() for piece in carried):
                carried.insert(0, DocxPiece(numbered.text, None, None))
            yield DocxBlock(carried, kind, Place(page=page, cell=cell), paragraph)
            for box, run in boxes:
                for block in self._story(box, numbering):
                    yield DocxBlock(block.pieces, block.kind, block.place, block.paragraph, run)
            carried, boxes = [], []
        if last is not None and carried:
            yield DocxBlock(carried, "paragraph", Place(page=page), last)

    def _paragraphs(
        self, parent: Element, cell: TableCell | None
    ) -> Iterator[tuple[Element, TableCell | None]]:
        """Yield paragraphs, each with its cell; tables in a cell belong to it."""
        for node in parent:
            name = local_name(node.tag)
            if name == "p":
                yield node, cell
            elif name == "tbl" and cell is None:
                self._tables += 1
                yield from self._cells(node, self._tables)
            elif name in _CONTAINERS and not self._skips(node, name):
                yield from self._paragraphs(node, cell)

    def _cells(self, table: Element, number: int) -> Iterator[tuple[Element, TableCell | None]]:
        for row, line in enumerate(self._parts(table, "tr"), 1):
            for column, node in enumerate(self._parts(line, "tc"), 1):
                yield from self._paragraphs(node, (number, row, column))

    def _parts(self, parent: Element, wanted: str) -> Iterator[Element]:
        """Yield the rows of a table or the cells of a row, also from content controls."""
        for node in parent:
            name = local_name(node.tag)
            if name not in _CONTAINERS or self._skips(node, name):
                continue
            if name == wanted:
                yield node
            else:
                yield from self._parts(node, wanted)

    def _skips(self, node: Element, name: str) -> bool:
        if name == "tr":
            return self._is_left_out(child(node, "trPr"))
        if name == "tc":
            cell = child(node, "tcPr")
            left_out = "cellDel" if self.revisions == "final" else "cellIns"
            return cell is not None and bool(children(cell, left_out))
        if name == "sdt":
            return child(node, "sdtPr", "showingPlcHdr") is not None
        return name in _LEFT_OUT[self.revisions]

    def _is_left_out(self, properties: Element | None) -> bool:
        """Return True if a row or the mark of a paragraph is omitted by the revisions."""
        return properties is not None and bool(children(properties, *_LEFT_OUT[self.revisions]))

    def _pieces(
        self, parent: Element, run: Element | None, boxes: list[tuple[Element, Element | None]]
    ) -> Iterator[DocxPiece]:
        last = ""
        for node in parent:
            for piece in self._piece(node, run, boxes, last):
                last = piece.text[-1:] or last
                yield piece

    def _piece(
        self,
        node: Element,
        run: Element | None,
        boxes: list[tuple[Element, Element | None]],
        before: str,
    ) -> Iterator[DocxPiece]:
        name = local_name(node.tag)
        if not name or name in _NO_TEXT or self._skips(node, name):
            return
        if name in ("t", "delText"):
            yield DocxPiece(node.text or "", node, run)
        elif name in _SIGNS:
            yield DocxPiece(_SIGNS[name], node, run)
        elif name == "sym":
            yield DocxPiece(self._symbol(node), node, run)
        elif name in ("footnoteReference", "endnoteReference"):
            yield DocxPiece("", node, run)
        elif name == "lastRenderedPageBreak":
            self._page = (self._page or 1) + 1
        elif name in _PICTURES:
            self._picture(node, run, boxes)
        elif name == "r" and node.tag.endswith(_MATH_RUN):
            yield from self._pieces(node, None, boxes)
        elif name == "r" and self._is_hidden(node):
            self._counts["hidden"] += 1
        elif name == "r":
            yield from self._run(node, boxes, before)
        elif name in _EQUATIONS:
            yield from self._equation(node, run, boxes)
        else:
            yield from self._pieces(node, run, boxes)

    def _run(
        self, run: Element, boxes: list[tuple[Element, Element | None]], before: str
    ) -> Iterator[DocxPiece]:
        """Yield the pieces of a run; superscript and subscript digits never join a number."""
        position = attribute(child(run, "rPr", "vertAlign"), "val")
        for piece in self._pieces(run, run, boxes):
            text = piece.text
            if position == "superscript":
                text = raised(text)
            elif position == "subscript":
                text = subscript(before, text)
            yield piece._replace(text=text)
            before = text[-1:] or before

    def _equation(
        self, node: Element, run: Element | None, boxes: list[tuple[Element, Element | None]]
    ) -> Iterator[DocxPiece]:
        """Yield a structure of an equation in a line: a/b, x², √x, (a)."""
        name = local_name(node.tag)
        parts = [
            list(self._pieces(part, run, boxes))
            for part in node
            if not local_name(part.tag).endswith("Pr")
        ]
        before, between, after = _EQUATIONS[name]
        if name == "sSup" and len(parts) == 2:
            power = raised("".join(piece.text for piece in parts[1]))
            parts, between = [parts[0], [DocxPiece(power, None, run)]], ""
        elif name == "d":
            properties = child(node, "dPr")
            opening = attribute(child(properties, "begChr"), "val")
            closing = attribute(child(properties, "endChr"), "val")
            before = before if opening is None else opening
            after = after if closing is None else closing
        yield DocxPiece(before, None, run)
        for place, pieces in enumerate(filter(None, parts)):
            if place:
                yield DocxPiece(between, None, run)
            yield from pieces
        yield DocxPiece(after, None, run)

    def _symbol(self, node: Element) -> str:
        code = integer(attribute(node, "char"), _PRIVATE, 16)
        if 0 < code < _PRIVATE:
            return chr(code)
        known = _SYMBOLS.get(code - _PRIVATE) if attribute(node, "font") == "Symbol" else None
        self._counts["symbols"] += known is None
        return known or _UNKNOWN_SYMBOL

    def _picture(
        self,
        node: Element,
        run: Element | None,
        boxes: list[tuple[Element, Element | None]],
    ) -> None:
        """Keep the text boxes of a drawing for later; count a drawing without."""
        found = [
            box
            for box in node.iter("{*}txbxContent")
            if not any(local_name(above.tag) == "Fallback" for above in box.iterancestors())
        ]
        boxes.extend((box, run) for box in found)
        self._counts["pictures"] += not found

    @staticmethod
    def _is_hidden(run: Element) -> bool:
        vanish = child(run, "rPr", "vanish")
        return vanish is not None and attribute(vanish, "val") not in ("0", "false", "off")

    def _notes(self, block: DocxBlock, place: Place) -> Iterator[DocxBlock]:
        """Yield the paragraphs of the notes that a block refers to, with their numbers."""
        for piece in block.pieces:
            if piece.node is None or not local_name(piece.node.tag).endswith("noteReference"):
                continue
            name = local_name(piece.node.tag)
            foot = name == "footnoteReference"
            part = self.parts.footnotes if foot else self.parts.endnotes
            wanted = attribute(piece.node, "id")
            self._counts[name] += 1
            here = Place(
                place.page,
                place.paragraph,
                footnote=self._counts[name] if foot else None,
                endnote=None if foot else self._counts[name],
            )
            for note in part if part is not None else ():
                if attribute(note, "id") != wanted:
                    continue
                for found in self._story(note, DocxNumbering(None, self.parts.styles)):
                    if found.text.strip():
                        yield DocxBlock(found.pieces, "footnote", here, found.paragraph, piece.run)


_EQUATIONS = {
    "f": ("", "/", ""),
    "sSup": ("", "^", ""),
    "rad": ("√", "", ""),
    "d": ("(", "|", ")"),
}
"""Signs before, between and after the parts of a structure in an equation."""
