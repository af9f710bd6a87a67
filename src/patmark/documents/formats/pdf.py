"""PDF files with a text layer: paragraphs in reading order, with their pages."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from ctypes import c_double
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from statistics import median
from typing import Any

from patmark.catalogue import load_library
from patmark.data import FilePath, Notice, read_bytes, shown
from patmark.documents.formats.bilingual import NewBlock, document_of
from patmark.documents.formats.page_layout import (
    APART,
    DESCENT,
    GUESSED_BLANK,
    Glyph,
    TextLine,
    reading_lines,
)
from patmark.documents.model import BlockKind, Place, WholeDocument
from patmark.documents.sections import section_of_heading
from patmark.errors import InputError
from patmark.languages import HANGUL, has_cjk
from patmark.wording import tr, tr_n

_FEWEST_GLYPHS = 50
_PICTURE = 0.3  # of the page
_UNKNOWN = "\ufffd"
_SPACE = ord(" ")
_HYPHEN = "-"
_LINE_END_HYPHEN = 2  # the code that PDFium gives to a hyphen which divides a word
_MOST_UNKNOWN = 0.05
# radicals, which fonts name for the same characters; ligatures; forms for vertical text
_COMPATIBLE = re.compile("[\u2e9f\u2ef3\u2f00-\u2fd5\ufb00-\ufb06\ufe10-\ufe19\ufe30-\ufe4f]")

_MARK = re.compile(
    r"[\[【][0-9０-９]{4,5}[\]】]|【[^】]{1,20}】|[0-9０-９]{1,3}\s*[.．、)）]\s*(?![0-9０-９])\S"
)
_BULLET = re.compile(r"[•●▪■◆‣]")
_SIGN = re.compile(r"[0-9０-９]{1,4}[a-z]?[\s:：、…]\s*[^\W\d]")
_END = re.compile(r"[.。!?！？:：;；」』】)）]\s*$")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:[-‐][A-Za-z\u00c0-\u024f]+)*")
_HYPHEN_END = re.compile(r"([A-Za-z0-9\u00c0-\u024f]+)([-‐\u00ad])$")
_WORD_START = re.compile(r"[A-Za-z0-9\u00c0-\u024f]+")
_NO_BLANK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\uffe0-\uffe6]")
_LONGEST_HEADING = 80


def read_pdf(path: FilePath) -> WholeDocument:
    """Read the text layer of a file; refuse a scan, which needs OCR."""
    pages = list(_pages(read_bytes(path), shown(path)))
    with_text = [page for page in pages if len(page.glyphs) >= _FEWEST_GLYPHS]
    if not with_text and any(page.is_picture for page in pages):
        message = "its pages are pictures without a text layer: it needs OCR"
        raise InputError.at(message, shown(path))
    unknown = sum(page.unknown for page in pages)
    if unknown > _MOST_UNKNOWN * sum(len(page.glyphs) for page in pages):
        message = "its fonts do not say which characters they show: it needs OCR"
        raise InputError.at(message, shown(path))
    lines = reading_lines([page.glyphs for page in pages])
    return document_of(shown(path), _blocks(_paragraphs(lines)), None, _notices(pages, unknown))


@dataclass(frozen=True, slots=True)
class _Page:
    glyphs: list[Glyph]
    turned: int
    unknown: int
    is_picture: bool


def _pages(data: bytes, origin: str) -> Iterator[_Page]:
    """Yield the glyphs of each page; text that runs downwards is turned to run to the right."""
    pdfium = load_library("pypdfium2", "documents")
    raw = load_library("pypdfium2.raw", "documents")
    try:
        with pdfium.PdfDocument(data) as document:
            for number in range(len(document)):
                yield _page(document[number], raw)
    except pdfium.PdfiumError as error:
        locked = error.err_code == raw.FPDF_ERR_PASSWORD
        said = "is protected by a password" if locked else f"is no PDF file: {error}"
        raise InputError.at(said, origin) from None


def _page(page: Any, raw: Any) -> _Page:
    width, height = page.get_size()
    upright: list[Glyph] = []
    turned: list[Glyph] = []
    unknown = 0
    text = page.get_textpage()
    for glyph, is_turned, is_known in _glyphs(text.raw, raw):
        (turned if is_turned else upright).append(glyph)
        unknown += not is_known
    is_picture = len(upright) + len(turned) < _FEWEST_GLYPHS and any(
        (x1 - x0) * (y1 - y0) > _PICTURE * width * height
        for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE])
        for x0, y0, x1, y1 in [picture.get_bounds()]
    )
    if _runs_downwards(upright):
        lying = [
            Glyph(height - one.y1, one.x0, height - one.y0, one.x1, *one[4:])
            for one in (*upright, *turned)
        ]
        return _Page(lying, 0, unknown, is_picture)
    return _Page(upright, len(turned), unknown, is_picture)


def _glyphs(text: Any, raw: Any) -> Iterator[tuple[Glyph, bool, bool]]:
    """Yield the characters that a page shows, and whether each is turned and known."""
    box, matrix, x, y = raw.FS_RECTF(), raw.FS_MATRIX(), c_double(), c_double()
    high, last, turned = 0, None, False
    for at in range(raw.FPDFText_CountChars(text)):
        code = raw.FPDFText_GetUnicode(text, at)
        if raw.FPDFText_IsGenerated(text, at) == 1:
            if code == _SPACE and last is not None:
                yield last._replace(x0=last.x1, text=GUESSED_BLANK), turned, True
            continue
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00
        raw.FPDFText_GetLooseCharBox(text, at, box)
        raw.FPDFText_GetMatrix(text, at, matrix)
        size = raw.FPDFText_GetFontSize(text, at) * hypot(matrix.b, matrix.d)
        known = code > 0 and raw.FPDFText_HasUnicodeMapError(text, at) != 1
        shown = _HYPHEN if code == _LINE_END_HYPHEN else chr(code) if known else _UNKNOWN
        turned = abs(matrix.b) > abs(matrix.a)
        bottom, top = box.bottom, box.top
        if not turned:  # boxes may fit the ink, so they give no line
            raw.FPDFText_GetCharOrigin(text, at, x, y)
            bottom, top = y.value - DESCENT * size, y.value + (1 - DESCENT) * size
        last = Glyph(box.left, bottom, box.right, top, _readable(shown), size, at + 1)
        yield last, turned, known


def _runs_downwards(glyphs: Sequence[Glyph]) -> bool:
    """Return True if most characters are below the one before, as in vertical Japanese."""
    steps: Counter[bool] = Counter(
        abs(below.x0 - above.x0) < above.size / 3 and 0 < above.y0 - below.y0 < 2 * above.size
        for above, below in pairwise(glyphs)
        if has_cjk(above.text) and has_cjk(below.text)
    )
    return steps[True] > steps[False]


def _readable(text: str) -> str:
    """Return the usual character for radicals, ligatures and vertical forms."""
    compatible = not text.isascii() and _COMPATIBLE.match(text)
    return unicodedata.normalize("NFKC", text) if compatible else text


def _notices(pages: Sequence[_Page], unknown: int) -> Iterator[Notice]:
    pictures = [number for number, page in enumerate(pages, 1) if page.is_picture]
    if pictures:
        text = tr("pages that are pictures are not read: {pages}", pages=tuple(map(str, pictures)))
        yield Notice("warning", "picture-pages", text, tr("OCR can add their text."))
    if unknown:
        text = tr_n(
            "{n} character that its font does not name is read as �",
            "{n} characters that their fonts do not name are read as �",
            n=unknown,
        )
        yield Notice("warning", "unknown-characters", text)
    if turned := sum(page.turned for page in pages):
        text = tr_n(
            "{n} turned character in margins or drawings is not read",
            "{n} turned characters in margins or drawings are not read",
            n=turned,
        )
        yield Notice("note", "turned-text", text)


def _paragraphs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Yield the lines of each paragraph, which may go on in the next column or page."""
    paragraph: list[TextLine] = []
    for line in lines:
        if paragraph and _begins(line, paragraph):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _begins(line: TextLine, paragraph: Sequence[TextLine]) -> bool:
    """Return True if a line begins a paragraph after those of the one before."""
    last = paragraph[-1]
    em = last.size
    if abs(line.size - last.size) > em / 8 or _BULLET.match(line.text):
        return True
    if _SIGN.match(line.text) and _SIGN.match(paragraph[0].text):
        return True
    indented = line.x0 - line.left > 0.8 * em
    short = last.x1 < last.right - 2 * em
    ended = _END.search(last.text) is not None
    marked = _MARK.match(line.text.lstrip("\u3000")) is not None
    if (marked and (ended or short)) or (short and ended):
        return True
    if last.x1 < last.left + 0.6 * (last.right - last.left):
        return True
    if (line.page, line.column) != (last.page, last.column):
        return indented or (ended and not line.text[:1].islower())
    if last.y - line.y > APART * line.pitch:
        return True
    return indented and (last.x0 - last.left < em / 2 or short)


def _blocks(paragraphs: Iterable[list[TextLine]]) -> Iterator[NewBlock]:
    found = list(paragraphs)
    lines = [line for paragraph in found for line in paragraph]
    words = _vocabulary(line.text for line in lines)
    usual = median(line.size for line in lines) if lines else 0.0
    for number, paragraph in enumerate(found, 1):
        text = _joined([line.text for line in paragraph], words)
        first = paragraph[0]
        kind: BlockKind = (
            "heading" if _is_heading(first, text, len(paragraph), usual) else ("paragraph")
        )
        yield NewBlock(text, kind, Place(page=first.page, paragraph=number))


def _is_heading(first: TextLine, text: str, lines: int, usual: float) -> bool:
    if lines > 2 or len(text) > _LONGEST_HEADING or text.endswith((".", "。", ",", "，", "、")):
        return False
    return first.size > 1.1 * usual or text.isupper() or section_of_heading(text) is not None


def _vocabulary(texts: Iterable[str]) -> Counter[str]:
    """Count words inside lines; skip the first and the last, which may be half words."""
    words: Counter[str] = Counter()
    broken = False
    for text in texts:
        found = _WORD.findall(text)
        ends_broken = _HYPHEN_END.search(text) is not None
        words.update(
            word.lower().replace("‐", "-")
            for word in found[1 if broken else 0 : -1 if ends_broken else None]
        )
        broken = ends_broken
    return words


def _joined(lines: Sequence[str], words: Counter[str]) -> str:
    """Join the lines of a paragraph: words that were divided become whole."""
    text = lines[0]
    for line in lines[1:]:
        divided, start = _HYPHEN_END.search(text), _WORD_START.match(line)
        if divided and start:
            keep = divided[2] != "\u00ad" and _keeps_hyphen(divided[1], start[0], words)
            text = text[: divided.start(2)] + ("-" if keep else "") + line
        elif _needs_no_blank(text[-1:]) or _needs_no_blank(line[:1]):
            text += line
        else:
            text = f"{text} {line}"
    return text.strip(" ")


def _keeps_hyphen(first: str, second: str, words: Counter[str]) -> bool:
    """Return True for a hyphen of the word itself: X-ray, well-known, 3-way.

    The document decides where it has the word elsewhere; the form that occurs more often counts.
    """
    whole, hyphened = words[f"{first}{second}".lower()], words[f"{first}-{second}".lower()]
    if whole != hyphened:
        return hyphened > whole
    if len(first) == 1 or not first.isalpha() or not second[:1].islower():
        return True
    return bool(words[first.lower()] and words[second.lower()])


def _needs_no_blank(character: str) -> bool:
    return _NO_BLANK.match(character) is not None and not re.match(f"[{HANGUL}]", character)
