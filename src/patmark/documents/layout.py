"""Layout of plain text: hard-wrapped or not, and its blocks.

A text is hard-wrapped if, at most line breaks, the first word of the next line would not have
fitted. In such a text blank lines, list markers and headings end a block; otherwise every line
break does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import median

from patmark.collections.patents import classify_heading
from patmark.documents.model import BlockKind, Place, Span, TextBlock
from patmark.languages import CJK, joint_pattern, shared_pack

_WIDE = re.compile(rf"[{CJK}\u3000-\u303f\uff01-\uff60]")
_OPENING = "(（「『【《“‘\\["
_CLOSING = "，。、；：！？）」』】》”’%"
# the text up to the next place where a line may be broken
_FIRST_WORD = re.compile(
    rf"[{_OPENING}]*(?:[!-~]+(?: [!-~]+)*(?= ?[^\x00-\x7f])|[!-~]+|\S)"
    rf"(?: (?=[^\x00-\x7f])\S|[{_CLOSING}])*"
)
_SIGN_ENTRY = re.compile(r"\d{1,4}[A-Za-z]?['′]?(?:\s+|…+|·+|[:：]\s*)(?=[^\W\d_])")
_LABEL = re.compile(r"【[^【】]*】")  # of a section or a paragraph
_END_OF_SENTENCE = re.compile(r"[.!?:;。．！？：；][\"'”’)\]」』）】]*$")
_CONTENTS_ENTRY = re.compile(r"(?:\.{3,}|…{2,}|(?:\. ){3,}|·{3,}|\t)\s*\d{1,4}$")
_HEADING_MARK = re.compile(r"\s*#{1,6}\s+(?=\S)")
_HEADING_CELLS = 80
_SHORT_LINE = 0.7


@cache
def _list_marker() -> re.Pattern[str]:
    han = "".join(shared_pack().table("documents").values("han-digit"))
    return re.compile(
        r"(?:[-*•·●▪‣◆■○–—]\s*(?=[^\W\d_])|#{1,6}\s|【"
        rf"|[(（]?(?:\d{{1,3}}(?:\.\d{{1,3}})*|[a-zA-Z]|[ivxIVX]{{1,5}}|[{han}]{{1,3}})[)）.、．](?!\d)"
        r"|\[\d{4,5}\])"
    )


@cache
def _end_of_block() -> re.Pattern[str]:
    """Return the pattern of a mark or a word at which a block may end."""
    link = joint_pattern("documents", "item-link", at_word=True)
    return re.compile(rf"[.!?:;。．！？：；,，、][\"'”’)\]」』）】]*$|(?:{link})$")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without the blanks around it; ``cells`` counts wide characters twice."""

    start: int
    end: int
    text: str
    number: int
    cells: int


def _cells(text: str) -> int:
    return len(text) + len(_WIDE.findall(text))


def _paragraphs(text: str) -> Iterator[list[_Line]]:
    """Yield the lines between blank lines."""
    found: list[_Line] = []
    place = 0
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if line:
            start = place + raw.index(line[0])
            found.append(_Line(start, start + len(line), line, number, _cells(line)))
        elif found:
            yield found
            found = []
        place += len(raw) + 1
    if found:
        yield found


def _widths(lines: Sequence[_Line]) -> tuple[int, int]:
    """Return the characters and the cells of the widest lines."""
    return max(len(line.text) for line in lines), max(line.cells for line in lines)


def _fits(line: _Line, following: _Line, widths: tuple[int, int]) -> bool:
    """Return True if the first word of the next line would have fitted into a line.

    Programs count characters or cells; the line must have had room by both.
    """
    match = _FIRST_WORD.match(following.text)
    word = match.group() if match else following.text
    blank = "" if _WIDE.match(word) or _WIDE.match(line.text[-1]) else " "
    longer = line.text + blank + word
    return len(longer) <= widths[0] and _cells(longer) <= widths[1]


def is_hard_wrapped(text: str) -> bool:
    """Return True if most line breaks of a text only keep its lines short.

    Breaks before a list marker or a reference sign and after a label are ignored. A paragraph on
    one line that is twice as long as other lines is evidence against it; many lines of the greatest
    width are enough.
    """
    filled = fitting = 0
    widths: list[int] = []
    single: list[int] = []
    for lines in _paragraphs(text):
        breaks = [
            (line, following)
            for line, following in pairwise(lines)
            if not (
                _list_marker().match(following.text)
                or _SIGN_ENTRY.match(following.text)
                or _LABEL.fullmatch(line.text)
            )
        ]
        widest = _widths(lines)
        fits = sum(_fits(*pair, widest) for pair in breaks)
        filled += len(breaks) - fits
        fitting += fits
        (widths if breaks else single).extend(line.cells for line in lines)
    if not widths:
        return False
    if _are_full([*widths, *single]):
        return True
    limit = 2 * median(widths)
    return filled > fitting + sum(width > limit for width in single)


_FULL_LINES, _FULL_SHARE, _NARROWEST = 5, 0.2, 40


def _are_full(widths: Sequence[int]) -> bool:
    """Return True if many lines are as wide as the widest one, up to a wide character."""
    widest = max(widths)
    full = sum(width >= widest - 2 for width in widths)
    return widest >= _NARROWEST and full >= max(_FULL_LINES, _FULL_SHARE * len(widths))


def text_blocks(text: str) -> tuple[TextBlock, ...]:
    """Return the blocks of a plain text; their places are line numbers."""
    wrapped = is_hard_wrapped(text)
    usual = _usual_width(text) if wrapped else 0.0
    blocks: list[TextBlock] = []
    for lines in _paragraphs(text):
        groups = _wrapped_blocks(lines, usual) if wrapped else ([line] for line in lines)
        for group in groups:
            span = group[0].start, group[-1].end
            kind = block_kind(text[slice(*span)])
            blocks.append(TextBlock(*span, kind, Place(line=group[0].number)))
    return tuple(blocks)


def _usual_width(text: str) -> float:
    """Return the median of the widest lines of the paragraphs, in cells."""
    return median(_widths(lines)[1] for lines in _paragraphs(text) if len(lines) > 1)


def _wrapped_blocks(lines: Sequence[_Line], usual: float) -> Iterator[list[_Line]]:
    """Yield the blocks of a paragraph of hard-wrapped text."""
    block = [lines[0]]
    widths = _widths(lines)
    for line, following in pairwise(lines):
        first = len(block) == 1
        if _ends_block(line, following, widths, first=first) or _ends_entry(line, following, usual):
            yield block
            block = []
        block.append(following)
    yield block


def _ends_entry(line: _Line, following: _Line, usual: float) -> bool:
    """Return True for a short entry before another one, even if it is the widest of the list."""
    entries = (
        _list_marker().match(one.text) or _SIGN_ENTRY.match(one.text) for one in (line, following)
    )
    return all(entries) and line.cells < _SHORT_LINE * usual


def _ends_block(line: _Line, following: _Line, widths: tuple[int, int], *, first: bool) -> bool:
    if _CONTENTS_ENTRY.search(line.text):
        return True
    fits = _fits(line, following, widths)
    if _list_marker().match(following.text):
        return fits or _end_of_block().search(line.text) is not None
    short = fits and line.cells < _SHORT_LINE * widths[1]
    if _END_OF_SENTENCE.search(line.text):
        return short
    heading = first and not _list_marker().match(line.text) and _may_be_heading(line.text)
    return heading and short and not following.text[0].islower()


def block_kind(text: str) -> BlockKind:
    """Return the kind of a block of plain text."""
    if _HEADING_MARK.match(text) or classify_heading(text) is not None:
        return "heading"
    if _list_marker().match(text) or _CONTENTS_ENTRY.search(text):
        return "list item"
    return "heading" if _may_be_heading(text) else "paragraph"


def _may_be_heading(text: str) -> bool:
    return "\n" not in text and _cells(text) <= _HEADING_CELLS and not _end_of_block().search(text)


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document as running text: line breaks inside it are undone.

    ``offsets`` has the place of each character in the document, and of the end.
    """

    text: str
    offsets: tuple[int, ...]

    @property
    def span(self) -> Span:
        """The place in the document."""
        return self.offsets[0], self.offsets[-1]

    def original(self, span: Span) -> Span:
        """Return the place in the document of a part of the text."""
        start, end = span
        last = self.offsets[max(end - 1, start)] + 1 if self.text else self.offsets[0]
        return self.offsets[min(start, len(self.text))], last

    def part(self, start: int, end: int) -> Passage:
        """Return a part of the passage."""
        last = self.offsets[end - 1] + 1 if end > start else self.offsets[start]
        return Passage(self.text[start:end], (*self.offsets[start:end], last))


def _is_wide(line: str) -> bool:
    """Return True if at least half of the characters of a line are wide."""
    return 2 * len(_WIDE.findall(line)) >= len(line)


_BREAK = re.compile(r"[^\S\n]*\n\s*")


def running_text(text: str, start: int, end: int) -> Passage:
    """Return a block as running text: a break is a blank, except beside a wide character.

    Between two digits of a Chinese or Japanese line it is no blank either.
    """
    pieces: list[str] = []
    offsets: list[int] = []
    place = start
    for match in _BREAK.finditer(text, start, end):
        pieces.append(text[place : match.start()])
        offsets += range(place, match.start())
        around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        tight = _WIDE.search(around) or (
            around.isdecimal() and _is_wide(text[place : match.start()])
        )
        if place < match.start() and match.end() < end and not tight:
            pieces.append(" ")
            offsets.append(match.start())
        place = match.end()
    pieces.append(text[place:end])
    return Passage("".join(pieces), (*offsets, *range(place, end), end))


def without_heading_mark(passage: Passage) -> Passage:
    """Return a passage without the number signs of a Markdown heading."""
    mark = _HEADING_MARK.match(passage.text)
    return passage.part(mark.end(), len(passage.text)) if mark else passage


def joined(passages: Sequence[Passage], blank: str) -> Passage:
    """Return neighbouring passages as one, joined by a blank."""
    offsets: list[int] = []
    for passage in passages:
        offsets += [offsets.pop()] * len(blank) if offsets else []
        offsets += passage.offsets
    return Passage(blank.join(one.text for one in passages), tuple(offsets))
