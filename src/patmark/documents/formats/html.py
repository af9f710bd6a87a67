"""HTML and Markdown: text of block elements, with the numbers of ordered lists."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from patmark.catalogue import load_library
from patmark.collections.patents import lowered, raised, tidy
from patmark.data import FilePath, read_bytes, read_text, shown
from patmark.documents.formats.bilingual import NewBlock, document_of
from patmark.documents.formats.safe_xml import Element, integer
from patmark.documents.model import BlockKind, Place, WholeDocument
from patmark.errors import InputError

_DROPPED = frozenset(
    ("script", "style", "nav", "head", "rt", "rp", "noscript", "template", "svg", "iframe")
)
_KINDS: dict[str, BlockKind] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("li", "dt", "dd"), "list item"),
    **dict.fromkeys(("td", "th", "caption"), "table cell"),
}
_MORE_BLOCKS = """
    html body address article aside blockquote center details dialog dl div fieldset figcaption
    figure footer form header hr main ol p pre section summary table tbody thead tfoot tr ul
"""
_BLOCKS = frozenset((*_KINDS, *_MORE_BLOCKS.split()))
_CHARSET = re.compile(rb"""<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(r"^\s*<\?xml[^>]*\?>")
_WIDER = {"shift_jis": "cp932", "x-sjis": "cp932", "gb2312": "gb18030", "gbk": "gb18030"}
_BREAK = "\x1e"
_NUMBERED = re.compile(r"\s*[\[【(（]?\s*(?:\d|[０-９])+\s*[\]】)）.．、]")


def read_html(path: FilePath) -> WholeDocument:
    """Read a page without its scripts, navigation and ruby."""
    return document_of(shown(path), html_blocks(_decoded(path), shown(path)))


def read_markdown(path: FilePath) -> WholeDocument:
    """Read the text of CommonMark with tables."""
    from markdown_it import MarkdownIt

    page = MarkdownIt("commonmark").enable("table").render(read_text(path))
    return document_of(shown(path), html_blocks(page, shown(path)))


def _decoded(path: FilePath) -> str:
    """Decode by byte order mark, the page's own declaration, or UTF-8."""
    data = read_bytes(path)
    marked = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    declared = _CHARSET.search(data[:4096])
    if marked or declared is None:
        return read_text(path)
    name = declared[1].decode("ascii").lower()
    try:
        return data.decode(_WIDER.get(name, name))
    except LookupError:
        raise InputError.at(f"declares the unknown encoding {name}", shown(path)) from None
    except UnicodeDecodeError as error:
        message = f"declares the encoding {name}, but is not in it at byte {error.start + 1}"
        raise InputError.at(message, shown(path)) from None


def html_blocks(page: str, origin: str) -> Iterator[NewBlock]:
    """Yield the blocks of a page that hold text."""
    html = load_library("lxml.html", "documents")
    etree = load_library("lxml.etree", "documents")
    parser = html.HTMLParser(huge_tree=True)
    try:
        root = html.document_fromstring(_XML_ENCODING.sub("", page), parser)
    except (etree.ParserError, ValueError) as error:
        raise InputError.at(f"is no HTML page: {error}", origin) from None
    if any(one.level == etree.ErrorLevels.FATAL for one in parser.error_log):
        raise InputError.at("nests its elements too deeply", origin)
    walk = _Walk()
    walk.read(etree.iterwalk(root, events=("start", "end", "comment", "pi")))
    for number, (text, kind, cell) in enumerate(walk.found, 1):
        yield NewBlock(text, kind, Place(paragraph=number, cell=cell))


@dataclass(slots=True)
class _Walk:
    """State of the reader of a page: the current block, and the completed ones."""

    found: list[tuple[str, BlockKind, tuple[int, int, int] | None]] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    number: str = ""
    kinds: list[BlockKind] = field(default_factory=lambda: ["paragraph"])
    counts: dict[Element, int] = field(default_factory=dict)
    in_pre: int = 0
    tables: int = 0
    depth: int = 0
    row: int = 0
    column: int = 0

    def read(self, events: Any) -> None:
        """Read elements as they start and end; a page may be nested more deeply than calls."""
        for event, element in events:
            if event == "start" and not self.start(element):
                events.skip_subtree()
            if event == "end" and not _left_out(element):
                self.end(element.tag)
            if event != "start":
                self.add(element.tail)

    def start(self, element: Element) -> bool:
        """Begin an element; return True if its content is to be read."""
        name = element.tag
        if _left_out(element):
            return False
        if name == "br":
            self.pieces.append(_BREAK)
        elif name in ("sup", "sub"):
            text = "".join(element.itertext())
            self.pieces.append(raised(text) if name == "sup" else lowered(text))
            return False
        elif name in _BLOCKS:
            self.close()
            self.kinds.append(_KINDS.get(name, self.kinds[-1]))
            self.in_pre += name == "pre"
            self.count_cell(name)
            if name == "li":
                self.number = self.list_number(element)
        self.add(element.text)
        return True

    def end(self, name: str) -> None:
        if name in _BLOCKS:
            self.close()
            self.kinds.pop()
            self.in_pre -= name == "pre"
            self.depth -= name == "table"

    def count_cell(self, name: str) -> None:
        """Count tables, rows and cells; tables in a cell belong to it."""
        if name == "table":
            self.depth += 1
            if self.depth == 1:
                self.tables, self.row, self.column = self.tables + 1, 0, 0
        elif self.depth == 1 and name == "tr":
            self.row, self.column = self.row + 1, 0
        elif self.depth == 1 and name in ("td", "th"):
            self.column += 1

    def add(self, text: str | None) -> None:
        if text:
            self.pieces.append(text.replace("\n", _BREAK) if self.in_pre else text)

    def close(self) -> None:
        """Complete the current block, if it has text."""
        lines = (tidy(line) for line in "".join(self.pieces).split(_BREAK))
        text = "\n".join(filter(None, lines))
        self.pieces = []
        if text:
            counted = self.number and not _NUMBERED.match(text)
            cell = (self.tables, self.row, self.column) if self.depth and self.column else None
            full = f"{self.number}. {text}" if counted else text
            self.found.append((full, self.kinds[-1], cell))
            self.number = ""

    def list_number(self, item: Element) -> str:
        """Return the number that a browser shows before an item of an ordered list."""
        parent = item.getparent()
        if parent is None or parent.tag != "ol" or parent.get("type", "1") != "1":
            return ""
        last = self.counts.get(parent, integer(parent.get("start"), 1) - 1)
        self.counts[parent] = integer(item.get("value"), last + 1)
        return str(self.counts[parent])


def _left_out(element: Element) -> bool:
    return element.tag in _DROPPED or element.get("hidden") is not None
