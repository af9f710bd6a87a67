"""The scanner that finds the words of a language in a text: the tables ``words.tsv`` of its pack.

The scanner reads a folded text once. At each place the longest form or exception of any row wins,
so that "no more than" is a limit and its "no" is no negation. ``A…B`` matches A if B follows in
the same clause; B then has no meaning of its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import NamedTuple

from patmark.languages import (
    PhrasePattern,
    Row,
    language as pack_of,
    packs,
    shared_pack,
    split_alternatives,
)

_GAP = r"[^。；;.!?！？]{0,60}?"
_LITERAL = re.compile(r"[^\W_]+")
_PREFIX = 3


class Hit(NamedTuple):
    """A word of the table in a folded text."""

    start: int
    end: int
    row: Row


@cache
def word_rows() -> tuple[Row, ...]:
    """Return the rows of all languages."""
    return tuple(row for pack in (shared_pack(), *packs()) for row in pack.table("words").rows)


_READ_ELSEWHERE = ("role-", "unit")


def is_scanned(row: Row) -> bool:
    """Return True for a word of the scanner, not of the readers of units and roles."""
    return not row.group.startswith(_READ_ELSEWHERE)


def forms_of(
    group: str, language: str | None = None, subject: str = "words"
) -> dict[str, tuple[str, ...]]:
    """Return the forms of a group by id, of one language or of all."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for pack in (shared_pack(), *packs()) if language is None else (pack_of(language),):
        for identity, forms in pack.table(subject).forms(group).items():
            found[identity] += forms
    return {identity: tuple(forms) for identity, forms in found.items()}


def pattern_of(group: str, language: str | None = None) -> str:
    """Return a pattern for all forms of a group."""
    return "|".join(form for forms in forms_of(group, language).values() for form in forms)


def phrases(pattern: str, *, ignore_case: bool = True) -> PhrasePattern:
    """Return a pattern with the phrases of ``facts.tsv`` of the packs in it."""
    return PhrasePattern("facts", pattern, ignore_case=ignore_case)


class _Form:
    """A form or an exception of a row; its pattern is compiled when a text may have it."""

    __slots__ = ("_head", "_language", "_pattern", "_tail", "exception", "family", "row", "word")

    def __init__(self, row: Row, form: str, exception: bool) -> None:
        self.row = row
        self.word = row.group, row.id
        self.exception = exception
        self.family = _family(row)
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
        spaced = not pack_of(self._language).is_dense
        pattern = form.replace(" ", r"[\s-]+") if spaced else form
        ends_a_word = spaced and (form[-1].isalpha() or form[-1] in ")?]")
        return rf"(?:{pattern})\b" if ends_a_word else f"(?:{pattern})"


def _family(row: Row) -> str:
    """Return the name of the words that exclude a word where both are found.

    Words that may offer a choice exclude none: "any one of" is also a quantifier.
    """
    if row.group in _FUNCTION_WORDS and (row.sure or row.group != "or"):
        return "function words"
    return row.group.partition("-")[0]


class _Forms(NamedTuple):
    """The forms and exceptions of a language by their beginning.

    A literal form is indexed by its whole text, in ``words`` by its first word if the language
    writes blanks; a pattern by its first letters. ``lengths`` gives the lengths of the texts that
    begin with two characters, or are one character.
    """

    texts: dict[str, tuple[tuple[_Form, bool], ...]]
    lengths: dict[str, tuple[int, ...]]
    words: dict[str, tuple[tuple[tuple[str, ...], _Form], ...]]


@cache
def _forms(language: str) -> _Forms:
    texts: defaultdict[str, list[tuple[_Form, bool]]] = defaultdict(list)
    words: defaultdict[str, list[tuple[tuple[str, ...], _Form]]] = defaultdict(list)
    spaced = not pack_of(language).is_dense
    for row in pack_of(language).table("words").rows:
        if not is_scanned(row):
            continue
        for place, form in enumerate((*row.forms, *row.exceptions)):
            own = _Form(row, form, place >= len(row.forms))
            spelled = spellings(form.lower())
            if spaced and spelled and all(map(_ONLY_WORDS.fullmatch, spelled)):
                for text in spelled:
                    first, *more = text.split(" ")
                    words[first].append((tuple(more), own))
            elif not spaced and spelled:
                for text in spelled:
                    texts[text].append((own, True))
            else:
                for start in _beginnings(form.partition("…")[0].lower()):
                    texts[start].append((own, False))
    lengths: defaultdict[str, set[int]] = defaultdict(set)
    for text in texts:
        lengths[text[:2]].add(len(text))
    return _Forms(
        {text: tuple(forms) for text, forms in texts.items()},
        {first: tuple(sorted(sizes)) for first, sizes in lengths.items()},
        {word: tuple(forms) for word, forms in words.items()},
    )


_ONLY_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_PLAIN = re.compile(r"[^\\.*+?{}^$()\[\]|…]")
_MOST_SPELLINGS = 500


def spellings(form: str) -> list[str] | None:
    """Return all texts that a form matches; None if it has more than choices and options."""
    found = _sequence(form, 0)
    if found is None or found[1] != len(form) or len(found[0]) > _MOST_SPELLINGS:
        return None
    return sorted(set(found[0]))


def _sequence(form: str, at: int) -> tuple[list[str], int] | None:
    """Return the texts of a sequence up to a bar, a bracket or the end, and that place."""
    texts = [""]
    while at < len(form) and form[at] not in "|)":
        parts: list[str]
        if form.startswith("(?:", at):
            group = _choice(form, at + 3)
            if group is None:
                return None
            parts, at = group
        elif form[at] == "[":
            end = form.index("]", at)
            parts = list(form[at + 1 : end])
            if any(mark in "^-\\" for mark in parts):
                return None
            at = end + 1
        elif _PLAIN.match(form, at):
            parts, at = [form[at]], at + 1
        else:
            return None
        if form.startswith("?", at):
            parts, at = ["", *parts], at + 1
        if len(texts) * len(parts) > _MOST_SPELLINGS:
            return None
        texts = [text + part for text in texts for part in parts]
    return texts, at


def _choice(form: str, at: int) -> tuple[list[str], int] | None:
    """Return the texts of the alternatives of a group, and the place behind its bracket."""
    texts: list[str] = []
    while True:
        part = _sequence(form, at)
        if part is None or part[1] >= len(form):
            return None
        texts += part[0]
        at = part[1] + 1
        if form[part[1]] == ")":
            return texts, at


def first_characters(form: str) -> frozenset[str]:
    """Return the characters that a pattern of literals, choices and options can begin with."""
    return frozenset(c for one in split_alternatives(form) for c in _first(one))


def _first(form: str) -> set[str]:
    if not form:
        return set()
    if form.startswith(("(?<", "(?!", "(?=")):
        return _first(form[_closing(form) + 1 :])
    if form.startswith("(?:"):
        end = _closing(form)
        found, rest = set(first_characters(form[3:end])), form[end + 1 :]
    elif form[0] == "[":
        end = form.index("]")
        found, rest = set(form[1:end]), form[end + 1 :]
    else:
        size = 2 if form[0] == "\\" else 1
        found, rest = {form[size - 1]}, form[size:]
    return found | _first(rest[1:]) if rest.startswith(("?", "*")) else found


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
        found = {b for one in split_alternatives(inner) for b in _beginnings(one + rest)}
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


_MARK = re.compile(r"[<>≤≥≦≧⩽⩾/]|(?<![\d.,])\d")
_WORD = re.compile(r"[^\W\d_]+")
_BLANKS = re.compile(r"[\s-]+")
_FUNCTION_WORDS = frozenset(
    {"limit-pre", "limit-post", "negation", "only", "or", "and", "scope", "list"}
)
_Matches = dict[int, list[tuple[int, _Form]]]


def _matched_words(text: str, lowered: str, forms: _Forms) -> _Matches:
    """Return the forms in a text with blanks, by place: (end, form)."""
    found: _Matches = {}
    tokens = [match.span() for match in _WORD.finditer(text)]
    size = len(text)
    for position, (start, end) in enumerate(tokens):
        for more, form in forms.words.get(lowered[start:end], ()):
            last, at = end, position
            for word in more:
                at += 1
                if at == len(tokens) or lowered[slice(*tokens[at])] != word:
                    break
                if _BLANKS.fullmatch(text, last, tokens[at][0]) is None:
                    break
                last = tokens[at][1]
            else:
                if last == size or not (text[last].isalnum() or text[last] == "_"):
                    found.setdefault(start, []).append((last, form))
    places = [start for start, _ in tokens]
    places += [match.start() for match in _MARK.finditer(text)]
    texts, lengths = forms.texts, forms.lengths
    for place in places:
        first, two = lowered[place], lowered[place : place + 2]
        if first not in lengths and two not in lengths:
            continue
        for length in (1, *lengths.get(two, ())) if first in lengths else lengths[two]:
            for form, _ in texts.get(lowered[place : place + length], ()):
                if last := form.match(text, place):
                    found.setdefault(place, []).append((last, form))
    return found


def _matched_texts(text: str, lowered: str, forms: _Forms) -> _Matches:
    """Return the forms in a text without blanks, by place: (end, form)."""
    found: _Matches = {}
    texts, lengths = forms.texts, forms.lengths
    for place, first in enumerate(lowered):
        sizes = lengths.get(lowered[place : place + 2])
        if sizes is None:
            if first not in texts:
                continue
            sizes = (1,)
        elif first in texts:
            sizes = (1, *sizes)
        for length in sizes:
            begun = lowered[place : place + length]
            for form, whole in texts.get(begun, ()) if len(begun) == length else ():
                end = place + length if whole else form.match(text, place)
                if end:
                    found.setdefault(place, []).append((end, form))
    return found


def find_words(text: str, language: str) -> tuple[Hit, ...]:
    """Return the words of the table in a folded text, in order.

    Function words exclude each other; words of content exclude only those of their own group.
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    scan = _matched_texts if pack_of(language).is_dense else _matched_words
    matches = scan(text, lowered, _forms(language))
    found: list[Hit] = []
    eaten: set[int] = set()
    ends: dict[str, int] = {}  # by family, of forms
    excepted: dict[tuple[str, str], int] = {}  # by word, of exceptions
    for place in sorted(matches):
        if len(matches[place]) == 1:
            [(end, form)] = matches[place]
            if form.exception:
                excepted[form.word] = max(excepted.get(form.word, 0), end)
            elif place >= ends.get(form.family, 0) and place >= excepted.get(form.word, 0):
                ends[form.family] = end
                if place not in eaten and text[place:end] != "NO":
                    found.append(Hit(place, end, form.row))
                    eaten.update(form.eaten(text, end))
            continue
        forms: list[tuple[int, _Form]] = []
        silenced: dict[tuple[str, str], int] = {}
        rows: set[tuple[int, int]] = set()
        for end, form in matches[place]:
            if form.exception:
                silenced[form.word] = max(silenced.get(form.word, 0), end)
                rows.add((id(form.row), end))
            elif place >= ends.get(form.family, 0) and place >= excepted.get(form.word, 0):
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
