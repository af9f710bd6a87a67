"""Where line breaks and paragraph numbers end a sentence, and which brackets belong together.

A line break is only a blank in text that was wrapped, so it ends a sentence only where something
else says so: an empty line, the end of a sentence before it, a heading, a paragraph number, or an
entry of a list of figures.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from patmark.text.scripts import has_cjk

_NUMBER = r"(?:\[(?!1[89]\d\d\]|20\d\d\])\d{4,5}\]|【[\d０-９]{4,5}】|【請求項[\d０-９]{1,4}】)"
PARAGRAPH_NUMBER = re.compile(_NUMBER)
_NUMBER_IN_TEXT = re.compile(rf"(?:(?<=\s)|(?<=[。．.!?！？])|\A){_NUMBER}(?=\s|[^\s,;.，；、)）])")
_BREAK = re.compile(r"[^\S\n]*\n\s*")
_FINISHED = re.compile(r"[.!?。．｡！？][\"'”’»)\]」』）】]*$")
_HEADING_MARK = re.compile(r"【[^【】\n]{1,40}】$")
_FIGURE = re.compile(r"(?:fig(?:ure|ur)?s?\.?|[图図圖])\s?[\d０-９]", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]")
_CJK_HEADING = re.compile(r"[^\s、，。；：,.;:]{2,25}")
_LONGEST_HEADING = 80
_LONGEST_BRACKET = 500
_DEEPEST = 20
_PAIRS = {")": "(", "]": "[", "）": "（", "」": "「", "』": "『", "】": "【", "〕": "〔", "”": "“",
          "》": "《", "］": "［"}  # fmt: skip
_BRACKET = re.compile(r"[()\[\]（）「」『』【】〔〕“”《》［］]")


def block_spans(text: str) -> Iterator[tuple[int, int]]:
    """Parts of a text that no sentence crosses; blanks between them belong to none."""
    cuts = {0, len(text), *_line_cuts(text)}
    for match in _NUMBER_IN_TEXT.finditer(text):
        cuts.update(match.span())
    yield from pairwise(sorted(cuts))


def _line_cuts(text: str) -> Iterator[int]:
    line = 0
    for match in _BREAK.finditer(text):
        before = text[line : match.start()].strip()
        if match.group().count("\n") > 1 or _ends_line(before, text, match.end()):
            yield match.end()
        line = match.end()


def _ends_line(before: str, text: str, after: int) -> bool:
    if not before or _FINISHED.search(before) or _is_heading(before):
        return True
    entry = _FIGURE.match(text, after) is not None
    return entry and (before[-1] in ";；:：" or _FIGURE.match(before) is not None)


def _is_heading(line: str) -> bool:
    if len(line) > _LONGEST_HEADING:
        return False
    if _HEADING_MARK.search(line):
        return True
    if has_cjk(line):
        return _CJK_HEADING.fullmatch(line) is not None
    letters = "".join(_LETTERS.findall(line))
    return len(letters) > 3 and letters.isupper() and line[-1] not in ",;:-–" and " " in line


@dataclass(frozen=True, slots=True)
class Brackets:
    """The outermost pairs of brackets of a part of a text, in order."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def around(self, place: int) -> tuple[int, int] | None:
        """The outermost pair (places of both brackets) that a place lies in."""
        at = bisect_right(self.starts, place) - 1
        if at >= 0 and place <= self.ends[at]:
            return self.starts[at], self.ends[at]
        return None


def find_brackets(text: str, start: int, end: int) -> Brackets:
    """Pairs of brackets and quotation marks; an unpaired or very distant one is no bracket."""
    open_: list[tuple[str, int]] = []
    pairs: list[tuple[int, int]] = []
    for match in _BRACKET.finditer(text, start, end):
        mark, place = match.group(), match.start()
        opener = _PAIRS.get(mark)
        if opener is None:
            open_.append((mark, place))
            continue
        deepest = max(len(open_) - _DEEPEST, 0)
        at = next(
            (i for i in range(len(open_) - 1, deepest - 1, -1) if open_[i][0] == opener), None
        )
        if at is not None:
            if place - open_[at][1] <= _LONGEST_BRACKET:
                pairs.append((open_[at][1], place))
            del open_[at:]
    outer: list[tuple[int, int]] = []
    for first, last in sorted(pairs):
        if not outer or first > outer[-1][1]:
            outer.append((first, last))
    return Brackets(tuple(first for first, _ in outer), tuple(last for _, last in outer))
