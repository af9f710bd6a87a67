"""The table of words behind the facts, ``words.tsv``, and the scanner that finds them in a text.

The scanner reads a folded text once. At each place the longest form or exception of any row wins,
so that "no more than" is a limit and its "no" is no negation. ``A…B`` matches A if B follows in
the same clause; B then has no meaning of its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from patmark.text import kept_in_workspace

_COLUMNS = ("group", "id", "language", "certainty", "forms", "exceptions", "example", "no_example")
_GAP = r"[^。；;.!?！？]{0,60}?"
_LITERAL = re.compile(r"[^\W_]+")
_PREFIX = 3
_FOLDED = str.maketrans("，；：", ",;:")
_TEXTS_KEPT = 1 << 13
_SPACED = frozenset({"en", "de", "fr"})


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: the forms of one fact in one language.

    ``sure`` rows may accuse; others only explain words of the other text.
    """

    group: str
    id: str
    language: str
    sure: bool
    forms: tuple[str, ...]
    exceptions: tuple[str, ...]
    example: str
    no_example: str


class Hit(NamedTuple):
    """A word of the table in a folded text."""

    start: int
    end: int
    row: Row


@cache
def word_rows() -> tuple[Row, ...]:
    """Return all rows of the table, in the order of the file."""
    lines = files(__package__).joinpath("words.tsv").read_text(encoding="utf-8").splitlines()
    rows = []
    for line in lines[1:]:
        if line and not line.startswith("#"):
            cells = dict(zip(_COLUMNS, line.split("\t"), strict=True))
            rows.append(
                Row(
                    cells["group"],
                    cells["id"],
                    cells["language"],
                    cells["certainty"] == "sure",
                    _alternatives(cells["forms"].translate(_FOLDED)),
                    _alternatives(cells["exceptions"].translate(_FOLDED)),
                    cells["example"],
                    cells["no_example"],
                )
            )
    return tuple(rows)


def _alternatives(cell: str) -> tuple[str, ...]:
    """Split a cell at the bars outside brackets and classes."""
    found, depth, last, in_class = [], 0, 0, False
    for place, mark in enumerate(cell):
        in_class = mark == "[" or (in_class and mark != "]")
        depth += 0 if in_class else (mark == "(") - (mark == ")")
        if mark == "|" and depth == 0:
            found.append(cell[last:place])
            last = place + 1
    return tuple(form for form in (*found, cell[last:]) if form)


class _Form:
    """A form or an exception of a row; its pattern is compiled when a text may have it."""

    __slots__ = ("_head", "_language", "_pattern", "_tail", "exception", "family", "row", "word")

    def __init__(self, row: Row, form: str, exception: bool) -> None:
        self.row = row
        self.word = row.group, row.id
        self.exception = exception
        self.family = "function words" if row.group in _FUNCTION_WORDS else row.group
        self._language = row.language
        self._head, _, self._tail = form.partition("…")
        self._pattern: re.Pattern[str] | None = None

    def match(self, text: str, place: int) -> int:
        """Return the end of the form at a place; 0 if it is not there."""
        if self._pattern is None:
            follows = f"(?={_GAP}{self._tail})" if self._tail else ""
            self._pattern = re.compile(f"{self._source(self._head)}{follows}", re.IGNORECASE)
        match = self._pattern.match(text, place)
        return 0 if match is None else match.end()

    def eaten(self, text: str, end: int) -> range:
        """Return the places of the second part of a form with a gap."""
        tail = re.compile(self._source(self._tail)).search(text, end) if self._tail else None
        return range(0) if tail is None else range(*tail.span())

    def _source(self, form: str) -> str:
        spaced = self._language in _SPACED
        pattern = form.replace(" ", r"[\s-]+") if spaced else form
        ends_a_word = spaced and (form[-1].isalpha() or form[-1] in ")?]")
        return rf"(?:{pattern})\b" if ends_a_word else f"(?:{pattern})"


@cache
def _forms(language: str) -> dict[str, tuple[_Form, ...]]:
    """Return the forms and exceptions of a language by the letters that they begin with."""
    table: defaultdict[str, list[_Form]] = defaultdict(list)
    for row in word_rows():
        if row.language == language:
            for place, form in enumerate((*row.forms, *row.exceptions)):
                own = _Form(row, form, place >= len(row.forms))
                for start in _beginnings(form.partition("…")[0].lower()):
                    table[start].append(own)
    return {start: tuple(forms) for start, forms in table.items()}


def _beginnings(form: str) -> set[str]:
    """Return the letters that a form can begin with; those of a leading group one by one."""
    if form.startswith(("(?<", "(?!")):
        return _beginnings(form[_closing(form) + 1 :])
    if form.startswith("["):
        return set(form[1 : form.index("]")])
    if form.startswith("(?:"):
        end = _closing(form)
        inner, rest = form[3:end], form[end + 1 :]
        optional = rest.startswith("?")
        rest = rest.removeprefix("?")
        found = {b for one in _alternatives(inner) for b in _beginnings(one + rest)}
        return found | _beginnings(rest) if optional else found
    literal = _LITERAL.match(form)
    whole = literal.group() if literal else form[0]
    if form[len(whole) : len(whole) + 1] in ("?", "*", "{"):
        if len(whole) == 1:
            return {whole} | _beginnings(form[2:])
        whole = whole[:-1]
    return {whole[:_PREFIX]}


def _closing(form: str) -> int:
    """Return the place of the bracket that closes the first one."""
    depth = 0
    for place, mark in enumerate(form):
        depth += (mark == "(") - (mark == ")")
        if depth == 0:
            return place
    raise ValueError(form)


_WORD_START = re.compile(r"(?<![^\W\d_])[^\W\d_]|[<>≤≥≦≧⩽⩾/]")
_FUNCTION_WORDS = frozenset(
    {"limit-pre", "limit-post", "negation", "only", "or", "and", "scope", "list"}
)


@kept_in_workspace(_TEXTS_KEPT)
def find_words(text: str, language: str) -> tuple[Hit, ...]:
    """Return the words of the table in a folded text, in order.

    Function words exclude each other; words of content exclude only those of their own group.
    """
    table = _forms(language)
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    spaced = language in _SPACED
    places = (m.start() for m in _WORD_START.finditer(text)) if spaced else range(len(text))
    found: list[Hit] = []
    eaten: set[int] = set()
    ends: dict[str, int] = {}  # by family, of forms
    excepted: dict[tuple[str, str], int] = {}  # by word, of exceptions
    for place in places:
        candidates = [
            form
            for length in range(1, min(_PREFIX, len(text) - place) + 1)
            for form in table.get(lowered[place : place + length], ())
        ]
        if not candidates:
            continue
        forms: list[tuple[int, _Form]] = []
        silenced: dict[tuple[str, str], int] = {}
        rows: set[tuple[int, int]] = set()
        for form in candidates:
            if place < ends.get(form.family, 0) and not form.exception:
                continue
            end = form.match(text, place)
            if end and form.exception:
                silenced[form.word] = max(silenced.get(form.word, 0), end)
                rows.add((id(form.row), end))
            elif end and place >= excepted.get(form.word, 0):
                forms.append((end, form))
        best: dict[str, int] = {}
        kept: list[tuple[int, _Form]] = []
        for end, form in forms:
            if end >= silenced.get(form.word, 0) and (id(form.row), end) not in rows:
                best[form.family] = max(best.get(form.family, 0), end)
                kept.append((end, form))
        for word, end in silenced.items():
            excepted[word] = max(excepted.get(word, 0), end)
        ends |= best
        for end, form in kept:
            if end == best[form.family] and place not in eaten and text[place:end] != "NO":
                found.append(Hit(place, end, form.row))
                eaten.update(form.eaten(text, end))
    return tuple(dict.fromkeys(found))
