"""The body of a claim cut into limitations.

Limitations end at semicolons, colons and line breaks (not at line wraps), before "wherein" and
"whereby" (其中; after ～と、) and before labels such as a) (i) 1). Labels give the level where
there are some; a limitation that ends with a colon opens a list one level down, which ends after
the item that "and" introduces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.claims.model import Limitation, Span
from patmark.claims.openings import after_blanks, before_blanks

_LABEL = (
    r"\((?P<bracket>[a-z]|[ivx]{1,5}|\d{1,2})\)|(?P<half>[A-Za-z]|[ivx]{1,5}|\d{1,2})\)"
    r"|(?P<dot>[a-z]|[ivx]{1,5}|\d{1,2})\.(?=\s)|(?P<step>S\d{1,4})[:.、,]|步骤(?P<zh>S?\d{1,3})[:、,]"
)
_LABEL_AT = re.compile(rf"(?:(?:and|or)\s+)?(?:[-*•·●▪–]\s+)?(?:{_LABEL})")
_CUT = re.compile(
    r"(?P<stop>;|(?<=[A-Za-z)]):(?=\s))|(?P<break>\n\s*)"
    r"|(?P<where>\b(?:and\s+)?where(?:in|by)\b|(?<=[,;])其中)"
    r"|(?<=[\s,:])(?P<label>\((?:[a-h]|[ivx]{1,4})\)|[a-h]\))(?=\s*[^\W\d_])"
    r"|(?P<japanese>と[、,]\s*)"
)
_LINE_START = re.compile(rf"[-*•·●▪–]\s|{_LABEL_AT.pattern}")
_NO_LABEL_BEFORE = re.compile(
    r"\b(?:steps?|of|in|to|with|formula|formulae|group|groups|claim|claims|from|or|part|by"
    r"|(?<![,;] )(?<![,;])and)\s*$",
    re.IGNORECASE,
)
_AND_FIRST = re.compile(r"(?:and|or)\b", re.IGNORECASE)
_AND_LAST = re.compile(r"(?:;|,)\s*(?:and|or)\s*$", re.IGNORECASE)
_ROMAN = re.compile(r"[ivx]+")


def find_limitations(plain: str, text: str, body: Span) -> tuple[Limitation, ...]:
    """The limitations of a body in order; together they have all its characters but blanks."""
    levels = _Levels()
    found: list[Limitation] = []
    for start, end, inner in _clauses(plain, body):
        label = _label(plain, start, end)
        level = levels.next(plain[start:end], label, inner)
        found.append(Limitation(start, end, level, text[start:end], label and label[1]))
    return tuple(found)


def _clauses(plain: str, body: Span) -> Iterator[tuple[int, int, bool]]:
    """Place of each clause, and whether it is a "wherein" inside the clause before it."""
    start, inner = body.start, False
    for match in _CUT.finditer(plain, body.start, body.end):
        cut = _cut_place(plain, start, match, body.end)
        if cut is not None and plain[start:cut].strip(" \t\n,;").lower() not in ("", "and", "or"):
            yield *_trim(plain, start, cut), inner
            start, inner = cut, match["where"] is not None
    if plain[start : body.end].strip():
        yield *_trim(plain, start, body.end), inner


def _cut_place(plain: str, start: int, match: re.Match[str], end: int) -> int | None:
    """Where a clause ends at this match; None at line wraps and at mentions of labels."""
    place = match.start()
    if match["label"]:
        before = _NO_LABEL_BEFORE.search(plain, max(start, place - 14), place)
        return place if before is None else None
    if match["break"]:
        line = after_blanks(plain, place, end)
        ended = plain[before_blanks(plain, place, start) - 1] in ",;:.。、"
        return place if ended or _LINE_START.match(plain, line, end) else None
    return place if match["where"] else match.end()


def _trim(plain: str, start: int, end: int) -> tuple[int, int]:
    start = after_blanks(plain, start, end)
    return start, before_blanks(plain, end, start)


def _label(plain: str, start: int, end: int) -> tuple[str, str] | None:
    """Style and name of the label of a clause."""
    match = _LABEL_AT.match(plain, start, end)
    if match is None or match.end() == end:
        return None
    style = match.lastgroup or ""
    name = match[style]
    if name.isdigit():
        return style + "-digit", name
    if name.isupper():
        return style + "-capital", name
    return style + ("-roman" if len(name) > 1 and _ROMAN.fullmatch(name) else "-letter"), name


class _Levels:
    """The level of each clause, from labels, colons and "and", in reading order."""

    def __init__(self) -> None:
        self._styles: dict[str, int] = {}
        self._depth = 1
        self._closing = False
        self._last = 1

    def next(self, clause: str, label: tuple[str, str] | None, inner: bool) -> int:
        if inner:
            return self._last + 1
        if label is not None:
            self._label(*label)
        level = self._depth
        opened = clause.rstrip().endswith(":")
        final = self._closing or (level > 1 and _AND_FIRST.match(clause) is not None)
        self._closing = level > 1 and _AND_LAST.search(clause) is not None
        if opened:
            self._depth = level + 1
            self._closing = False
        elif final and not self._styles:
            self._depth = max(1, level - 1)
        self._last = level
        return level

    def _label(self, style: str, name: str) -> None:
        """A known style goes back to its level, a new one is below the others.

        "i" after "h" is a letter, else roman.
        """
        if name in ("i", "v", "x") and style not in list(self._styles)[-1:]:
            style = style.replace("-letter", "-roman")
        known = self._styles.get(style)
        if known is None:
            known = max(self._depth, 1 + max(self._styles.values(), default=0))
        self._styles = {other: level for other, level in self._styles.items() if level < known}
        self._styles[style] = known
        self._depth = known
