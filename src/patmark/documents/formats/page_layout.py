"""Glyphs of printed pages to lines in reading order: rows, columns, page furniture removed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise, takewhile
from statistics import median
from typing import NamedTuple

from patmark.collections.patents import raised
from patmark.documents.formats.bilingual import subscript
from patmark.languages import joint_pattern

# lengths are in units of the size of letters
_SMALL = 0.8  # of the usual size: indices, line numbers
_BLANKS = (0.12, 0.5, 0.9)  # if none, one or both of the characters are full-width
_BETWEEN_COLUMNS = 0.9
_WIDE_GAP = 0.15  # of the width of the text: not columns of prose, but of a table
_FEWEST_ROWS = 3
_CROSSED = 0.25  # of the rows of a page, by titles and tables
_EDGE_ROWS = 3
_NOTE_SIZE = 0.93  # of the usual size: footnotes
_SURELY_RECURRING = 3
_SAME_LINE = 0.3
_NEXT_GLYPHS = 3
_BESIDE = 4
DESCENT = 0.2
"""Share of the size of a letter below its line."""
APART = 1.25
"""Relative line distance from which a new block begins."""
_NOTE = re.compile(r"(?P<mark>[0-9¹²³⁰⁴-⁹]{1,3}|[*†‡]{1,3})[)）]?\s*(?=[^\W\d_])")
_NOTE_MARK = re.compile(  # behind words and signs that take no power
    r"(?P<before>[^\W\d_A-Za-z]|[a-z]{4}|[.,;:!?)”’。，、；：！？）」]|[°℃]C?)(?P<mark>[¹²³⁰⁴-⁹]{1,3})"
)
_PUBLICATION = re.compile(  # EP 1 234 567 A1, (3) JP 2099-1234 A 2099.1.1
    r"(?:\(\d+\)\s*)?[A-Z]{2}\s?\d[\d\s,./-]{4,}(?:[A-Z]\d?)?(?:\s*[\d.]+)?"
)
GUESSED_BLANK = "\x1f"
"""A blank that is not in the file but guessed from a gap, which may be one of justified text."""
_IDEOGRAPHIC = "\u3000"
_EM_BLANKS = {_IDEOGRAPHIC, "\u2003"}
_DIGITS = re.compile(r"[0-9０-９]+")
_FIRST_FULL_WIDTH = "\u2e80"
_FULL_WIDTH = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\uffe0-\uffe6"
_IS_FULL_WIDTH = re.compile(f"[{_FULL_WIDTH}]")


class Glyph(NamedTuple):
    """A character and its box; y grows upwards. ``order`` is its number in the file, if known."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    order: int = 0


@cache
def _page_number() -> re.Pattern[str]:
    before, between, after = (
        joint_pattern("documents", f"page-{at}") for at in ("before", "between", "after")
    )
    return re.compile(
        rf"(?:(?:{before}|[-–—(（])?\s*[0-9０-９]{{1,4}}\s*"
        rf"(?:(?:/|{between}|－|-)\s*[0-9０-９]{{1,4}}\s*)?(?:{after}|[-–—)）])?\s*){{1,2}}",
        re.IGNORECASE,
    )


@dataclass(slots=True)
class PageWord:
    """Glyphs without a blank between them, and the blank that divides them from others."""

    x0: float
    x1: float
    y: float
    text: str
    before: str = ""
    sizes: Counter[float] = field(default_factory=Counter)


@dataclass(slots=True)
class PageRow:
    """Words at one height of a page, from left to right."""

    y: float
    size: float
    words: list[PageWord] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The words with their blanks."""
        first, *others = self.words
        return first.text + "".join(word.before + word.text for word in others)


class TextLine(NamedTuple):
    """A line of a column; ``left`` and ``right`` are the edges of its column."""

    page: int
    column: int
    x0: float
    x1: float
    y: float
    size: float
    text: str
    left: float
    right: float
    pitch: float


def reading_lines(pages: Sequence[Sequence[Glyph]]) -> list[TextLine]:
    """Return the lines of all pages in reading order.

    Line numbers, page numbers and lines that recur at the edges of pages are left out. Footnotes
    come last.
    """
    rows = [page_rows(glyphs) for glyphs in pages]
    _drop_line_numbers(rows)
    _drop_page_edges(rows)
    gutters = [_gutter(found) for found in rows]
    known = [gutter for gutter in gutters if gutter is not None]
    usual = median(known) if known and len(known) * 2 >= sum(map(bool, rows)) else None
    lines: list[TextLine] = []
    for number, (found, gutter) in enumerate(zip(rows, gutters, strict=True), 1):
        if gutter is None and usual is not None:
            crossed = sum(_gap(row, usual) is None for row in found)
            gutter = usual if crossed <= _CROSSED * len(found) else None
        lines += _lines_of_page(found, number, gutter)
    notes = set(_footnotes(lines))
    marks = {
        (note.page, raised(mark["mark"])) for note in notes if (mark := _NOTE.match(note.text))
    }
    text = [_without_marks(line, marks) for line in lines if line not in notes]
    return text + [line for line in lines if line in notes]


def _footnotes(lines: Sequence[TextLine]) -> Iterator[TextLine]:
    """Yield the last lines of a column that are small and begin with the mark of a note."""
    usual = median(line.size for line in lines) if lines else 0.0
    for _, column in groupby(lines, key=lambda line: (line.page, line.column)):
        own = list(column)
        small = list(takewhile(lambda line: line.size < _NOTE_SIZE * usual, reversed(own)))
        begin = max((at for at, line in enumerate(small) if _NOTE.match(line.text)), default=-1)
        yield from small[: begin + 1]


def _without_marks(line: TextLine, marks: Container[tuple[int, str]]) -> TextLine:
    """Return a line without the raised numbers of the footnotes of its page."""

    def kept(found: re.Match[str]) -> str:
        return found["before"] if (line.page, found["mark"]) in marks else found.group()

    return line._replace(text=_NOTE_MARK.sub(kept, line.text))


def page_rows(glyphs: Sequence[Glyph]) -> list[PageRow]:
    """Group glyphs into rows from top to bottom; indices join the row that they touch."""
    visible = [glyph for glyph in glyphs if glyph.text.strip()]
    if not visible:
        return []
    usual = median(glyph.size for glyph in visible)
    normal = [glyph for glyph in glyphs if glyph.size >= _SMALL * usual]
    small = [glyph for glyph in visible if glyph.size < _SMALL * usual]
    groups = _by_height(normal)
    alone = [glyph for glyph in small if not _attach(glyph, groups)]
    groups += _by_height(alone)
    rows = [_row(group) for group in groups if any(glyph.text.strip() for glyph in group)]
    return sorted(rows, key=lambda row: -row.y)


def _by_height(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    groups: list[list[Glyph]] = []
    for glyph in sorted(glyphs, key=lambda one: -(one.y0 + one.y1)):
        first = groups[-1][0] if groups else None
        if first and _share_row(first, glyph):
            groups[-1].append(glyph)
        else:
            groups.append([glyph])
    return groups


def _share_row(one: Glyph, other: Glyph) -> bool:
    """Return True if two characters are at one height; of unlike sizes if on one line."""
    small, large = sorted((one.size, other.size))
    if small >= _SMALL * large:
        return abs(one.y0 + one.y1 - other.y0 - other.y1) < large
    lines = (each.y0 + DESCENT * each.size for each in (one, other))
    return abs(next(lines) - next(lines)) < _SAME_LINE * small


def _attach(index: Glyph, groups: list[list[Glyph]]) -> bool:
    """Add a small glyph to the row whose letters it touches; return False if none fits."""
    for group in groups:
        first = group[0]
        if index.y0 >= first.y1 or index.y1 <= first.y0:
            continue
        near = first.size / 4
        if any(one.x0 - near <= index.x1 and index.x0 <= one.x1 + near for one in group
               if one.text.strip()):  # fmt: skip
            group.append(index)
            return True
    return False


def _row(group: list[Glyph]) -> PageRow:
    size = max(glyph.size for glyph in group)
    base = median(glyph.y0 for glyph in group if glyph.size >= _SMALL * size)
    row = PageRow(base, size)
    blank, end, order = "", None, 0
    for glyph, text in _scripts(sorted(group)):
        if not text.strip():
            blank += text
            continue
        gap = glyph.x0 - end if end is not None else 0.0
        last = row.words[-1].text[-1] if row.words else ""
        wide = _is_wide(text) + _is_wide(last)
        if blank.strip(GUESSED_BLANK):
            blank = _IDEOGRAPHIC if _is_wide(text) and set(blank) & _EM_BLANKS else " "
        elif blank:
            blank = " " if not wide or (last.isascii() and not last.isalnum()) else ""
        if not blank and gap > _BLANKS[wide] * size:
            blank = _IDEOGRAPHIC if wide == len(_BLANKS) - 1 else " "
        # a line number that touches the text comes from elsewhere in the file
        jumped = order and abs(glyph.order - order) > _NEXT_GLYPHS
        strange = jumped and text.isdecimal() != last.isdecimal()
        if not row.words or blank or strange or gap > _BETWEEN_COLUMNS * size:
            row.words.append(PageWord(glyph.x0, glyph.x1, glyph.y0, text, blank or " "))
        else:
            row.words[-1].text += text
            row.words[-1].x1 = max(glyph.x1, row.words[-1].x1)
        row.words[-1].sizes[glyph.size] += 1
        blank, end, order = "", glyph.x1, glyph.order
    row.size = _usual_size(row.words)
    return row


def _usual_size(words: Sequence[PageWord]) -> float:
    """Return the size of most letters; the number of a note may be larger than the note."""
    letters = sum((word.sizes for word in words), Counter[float]())
    return max(letters, key=lambda size: (letters[size], size))


def _scripts(group: list[Glyph]) -> Iterator[tuple[Glyph, str]]:
    """Yield glyphs with their text; raised and lowered digits never join a number.

    The letters beside a digit decide, since a heading of the other column may be in its row.
    """
    before = ""
    for at, glyph in enumerate(group):
        text = glyph.text
        beside = group[max(0, at - _BESIDE) : at + _BESIDE + 1]
        near = [one for one in beside if one.text.strip() and _are_near(one, glyph)]
        largest = max(near, key=lambda one: one.size, default=glyph)
        if glyph.size < _SMALL * largest.size and text.strip():
            high = glyph.y0 > largest.y0 + largest.size / 5
            text = raised(text) if high else subscript(before, text)
        yield glyph, text
        before = text[-1:]


def _are_near(one: Glyph, other: Glyph) -> bool:
    """Return True if two characters stand side by side, also in the file."""
    apart = max(one.x0 - other.x1, other.x0 - one.x1)
    known = one.order and other.order
    return apart < one.size and not (known and abs(one.order - other.order) > 2 * _BESIDE)


def _is_wide(text: str) -> bool:
    return text >= _FIRST_FULL_WIDTH and _IS_FULL_WIDTH.match(text) is not None


class _LineNumber(NamedTuple):
    value: int
    x: float
    row: PageRow
    word: PageWord


class _Grid(NamedTuple):
    """Places of line numbers on a page: x, y of line 0, and the distance of lines."""

    x: float
    y: float
    pitch: float
    size: float

    def holds(self, number: _LineNumber) -> bool:
        line = self.y - number.value * self.pitch
        near = abs(number.x - self.x) < self.size
        return near and abs(number.row.y - line) < self.pitch / 2


class _Margin(NamedTuple):
    """Place of line numbers that rise down a page by 5, at any distance of lines."""

    x: float
    size: float
    half: float

    @classmethod
    def of(cls, number: _LineNumber) -> _Margin:
        half = min(number.row.size, number.word.x1 - number.word.x0) / 2
        return cls(number.x, number.row.size, half)

    def holds(self, number: _LineNumber) -> bool:
        return abs(number.x - self.x) < self.size

    def is_free(self, rows: Iterable[PageRow], numbers: Iterable[_LineNumber]) -> bool:
        """Return True if few rows have other words here."""
        own = {id(number.word) for number in numbers}
        left, right = self.x - self.half, self.x + self.half
        taken = [
            any(word.x0 < right and word.x1 > left and id(word) not in own for word in row.words)
            for row in rows
        ]
        return sum(taken) <= _CROSSED * len(taken)


def _drop_line_numbers(pages: list[list[PageRow]]) -> None:
    """Remove multiples of 5 that count lines in the gutter or a margin.

    Their position on one page identifies them on pages with too few to be certain.
    """
    grids: list[_Grid] = []
    margins: list[_Margin] = []
    candidates: list[list[_LineNumber]] = []
    for rows in pages:
        found = [
            _LineNumber(int(word.text), (word.x0 + word.x1) / 2, row, word)
            for row in rows
            for word in row.words
            if word.text.isdecimal() and len(word.text) <= 4 and int(word.text) % 5 == 0
        ]
        candidates.append(found)
        grids += _grids(found, rows)
        margins += _margins(found, rows)
    for rows, found in zip(pages, candidates, strict=True):
        free = [margin for margin in margins if margin.is_free(rows, filter(margin.holds, found))]
        for number in found:
            if any(grid.holds(number) for grid in grids) or any(
                margin.holds(number) for margin in free
            ):
                number.row.words.remove(number.word)
    for rows in pages:
        rows[:] = [row for row in rows if row.words]


def _grids(numbers: list[_LineNumber], rows: list[PageRow]) -> Iterator[_Grid]:
    """Yield a grid that fits two numbers or more and whose column has no other words."""
    pitch = _pitch(rows)
    for first in numbers if pitch else ():
        grid = _Grid(first.x, first.row.y + first.value * pitch, pitch, first.row.size)
        held = [number for number in numbers if grid.holds(number)]
        free = _Margin.of(first).is_free(rows, held)
        if len({number.value for number in held}) > 1 and free:
            yield grid
            return


def _margins(numbers: list[_LineNumber], rows: list[PageRow]) -> Iterator[_Margin]:
    """Yield the places of three or more numbers that rise by 5, free of other words."""
    rest = numbers
    while rest:
        margin = _Margin.of(rest[0])
        held = [number for number in rest if margin.holds(number)]
        rest = [number for number in rest if not margin.holds(number)]
        steps = {below.value - above.value for above, below in pairwise(held)}
        rising = len(held) >= _FEWEST_ROWS and steps == {5}
        if rising and _are_apart(held, rows) and margin.is_free(rows, held):
            yield margin


def _are_apart(numbers: Sequence[_LineNumber], rows: Iterable[PageRow]) -> bool:
    """Return True if rows stand between numbers; a table may have one in each row."""
    inside = [row for row in rows if numbers[-1].row.y <= row.y <= numbers[0].row.y]
    return len(inside) > 2 * len(numbers)


def _pitch(rows: Sequence[PageRow]) -> float:
    """Return the usual distance between adjacent rows; 0 if there are too few."""
    apart = []
    for place, row in enumerate(rows):
        below = (
            row.y - other.y
            for other in rows[place + 1 : place + 4]
            if other.words[0].x0 < row.words[-1].x1
            and row.words[0].x0 < other.words[-1].x1
            and row.y - other.y > row.size / 2
        )
        apart += [*below][:1]
    return median(apart) if len(apart) > 1 else 0.0


def _drop_page_edges(pages: list[list[PageRow]]) -> None:
    """Remove page numbers, and rows that recur at the top or bottom of pages."""
    for step in (1, -1):
        outer = [rows[::step][: _EDGE_ROWS + 1] for rows in pages]
        seen = Counter(key for rows in outer for key in set(map(_edge_key, rows)))
        filled = sum(map(bool, pages))
        enough = min(_SURELY_RECURRING, max(2, filled / 2))
        recurring = {key for key, times in seen.items() if times >= enough}
        everywhere = {key for key in recurring if seen[key] == filled}
        for rows in pages:
            furniture = _furniture(rows[::step], recurring, everywhere, _pitch(rows))
            rows[:] = rows[furniture:] if step > 0 else rows[: len(rows) - furniture]


def _edge_key(row: PageRow) -> tuple[str, int]:
    return _DIGITS.sub("#", "".join(row.text.split())), round(row.y / 10)


def _furniture(
    rows: list[PageRow],
    recurring: set[tuple[str, int]],
    everywhere: set[tuple[str, int]],
    pitch: float,
) -> int:
    """Count the first rows that recur or number page or publication, and are set apart.

    Rows on all pages need not be set apart from text that differs; rows of numbers in a table do
    not count.
    """
    for count in range(min(_EDGE_ROWS, len(rows) - 1), 0, -1):
        outer, text = rows[:count], rows[count]
        apart = abs(outer[-1].y - text.y) > APART * (pitch or text.size)
        if not apart and _edge_key(text) in everywhere:
            continue
        if all(
            _is_numbering(row) if apart else _edge_key(row) in everywhere and _is_label(row)
            for row in outer
            if not (apart and _edge_key(row) in recurring)
        ):
            return count
    return 0


def _is_numbering(row: PageRow) -> bool:
    """Return True for the number of a page or of the publication."""
    return any(form.fullmatch(row.text) for form in (_page_number(), _PUBLICATION))


def _is_label(row: PageRow) -> bool:
    return _is_numbering(row) or any(map(str.isalpha, row.text))


def _lines_of_page(rows: list[PageRow], page: int, gutter: float | None) -> Iterator[TextLine]:
    """Yield lines: a row across the columns ends both, and stands between."""
    parts: list[tuple[int, PageRow]] = []
    waiting: list[tuple[int, PageRow]] = []
    pitch = _pitch(rows) or (rows[0].size * 1.3 if rows else 0)
    for row in rows:
        goes_on = parts and not waiting and parts[-1][1].y - row.y < APART * pitch
        if gutter is None or _gap(row, gutter) is None or (goes_on and row.words[-1].x1 <= gutter):
            parts += sorted(waiting, key=lambda part: part[0])
            waiting = []
            parts.append((0, row))
            continue
        for column, own in ((1, [w for w in row.words if w.x1 <= gutter]),
                            (2, [w for w in row.words if w.x0 >= gutter])):  # fmt: skip
            if own:
                waiting.append((column, PageRow(median(w.y for w in own), _usual_size(own), own)))
    parts += sorted(waiting, key=lambda part: part[0])
    edges = _edges(parts)
    for column, row in parts:
        left, right = edges[column]
        yield TextLine(
            page, column, row.words[0].x0, row.words[-1].x1, row.y, row.size, row.text,
            left, right, pitch,
        )  # fmt: skip


def _edges(parts: Iterable[tuple[int, PageRow]]) -> dict[int, tuple[float, float]]:
    """Return the edges of each column: where most lines begin, and where the longest ends."""
    lines: dict[int, list[PageRow]] = defaultdict(list)
    for column, row in parts:
        lines[column].append(row)
    edges = {}
    for column, rows in lines.items():
        begins = Counter(round(row.words[0].x0 / 2) for row in rows)
        most = max(begins.values())
        left = 2 * min(begin for begin, times in begins.items() if times * 2 >= most)
        edges[column] = float(left), max(row.words[-1].x1 for row in rows)
    return edges


def _gap(row: PageRow, x: float) -> tuple[float, float] | None:
    """Return the end of the words before x and the start of those after; None if x is covered."""
    before, after = float("-inf"), float("inf")
    for word in row.words:
        if word.x1 <= x:
            before = max(before, word.x1)
        elif word.x0 >= x:
            after = min(after, word.x0)
        else:
            return None
    return None if after - before < _BETWEEN_COLUMNS * row.size else (before, after)


def _side_by_side(rows: Sequence[PageRow]) -> Iterator[PageRow]:
    """Yield rows; two that stand side by side at nearly one height are one."""
    last: PageRow | None = None
    for row in rows:
        if last is not None and last.y - row.y < max(last.size, row.size):
            first, second = sorted((last, row), key=lambda one: one.words[0].x0)
            if first.words[-1].x1 <= second.words[0].x0:
                yield PageRow(last.y, row.size, first.words + second.words)
                last = None
                continue
        if last is not None:
            yield last
        last = row
    if last is not None:
        yield last


def _gutter(rows: Sequence[PageRow]) -> float | None:
    """Return the x between two columns that most rows keep clear; None for one column."""
    if not rows:
        return None
    rows = list(_side_by_side(rows))
    left = min(row.words[0].x0 for row in rows)
    width = max(row.words[-1].x1 for row in rows) - left
    found = Counter(
        round((one.x1 + other.x0) / 4) * 2
        for row in rows
        for one, other in pairwise(row.words)
        if other.x0 - one.x1 >= _BETWEEN_COLUMNS * row.size
    )
    best, most = None, 0
    for x in found:
        if not left + 0.3 * width < x < left + 0.7 * width:
            continue
        gaps = [_gap(row, x) for row in rows]
        crossed = sum(gap is None for gap in gaps)
        clear = [after - before for before, after in filter(None, gaps)]
        both = sorted(gap for gap in clear if gap < float("inf"))
        if len(both) < max(_FEWEST_ROWS, crossed) or both[len(both) // 4] > _WIDE_GAP * width:
            continue
        if len(both) - crossed > most:
            best, most = float(x), len(both) - crossed
    return best
