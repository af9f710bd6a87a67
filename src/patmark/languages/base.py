"""A language: the tables of its folder, and its properties.

``languages/CODE/`` holds all that patmark knows of a language. Its tables have two forms:

* ``SUBJECT.tsv``: phrases, one row for one meaning, with the columns group, id, certainty, forms,
  exceptions, example, no example. Forms and exceptions are separated by bars and may be regular
  expressions; ``A…B`` is A with B later in the same clause. The example holds a form, the
  counter-example none. Rows of the group ``class`` define ``{NAME}`` for the rows below them.
* ``SUBJECT.toml``: lists of words separated by blanks, each under its name; ``@NAME`` stands for
  the words of another list of the file. ``function_words.toml`` has the function words, in one
  list for each use.

Properties and what the pack cannot do are in ``pack.toml``. Engines hold no word of a language:
they ask for a group of phrases or a list by its name, and get an empty one from a language that
does not have it.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from patmark.errors import InputError

COLUMNS = ("group", "id", "certainty", "forms", "exceptions", "example", "no example")
# characters between two links of a chain, before the first label, and around a word
_REACH = {"link": (40,), "lead": (14,), "near": (0, 14), "around": (24, 40)}
_FOLDED = str.maketrans("，；：", ",;:")
NEVER = "(?!)"


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row of a table: the forms of one meaning in one language.

    ``sure`` rows may raise a difference; others only explain words of the other text. ``variant``
    is a finer kind of the meaning, which follows a dot: NOT.affix.
    """

    group: str
    id: str
    language: str
    sure: bool
    forms: tuple[str, ...]
    exceptions: tuple[str, ...]
    example: str
    no_example: str
    variant: str = ""

    @property
    def is_thing(self) -> bool:
        """True for a noun; nouns of one category are alternatives: thing-part, thing-organ."""
        return self.group.startswith("thing")


class WordTable:
    """The phrases and word lists of a language on one subject."""

    def __init__(self, rows: tuple[Row, ...], lists: Mapping[str, str]) -> None:
        self.rows = rows
        self._lists = lists
        self._words: dict[str, frozenset[str]] = {}

    @cached_property
    def _groups(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """The forms by group and id."""
        groups: defaultdict[str, defaultdict[str, tuple[str, ...]]]
        groups = defaultdict(lambda: defaultdict(tuple))
        for row in self.rows:
            groups[row.group][row.id] += row.forms
        return groups

    def forms(self, group: str) -> Mapping[str, tuple[str, ...]]:
        """Return the forms of a group by id, in the order of the table."""
        return dict(self._groups[group]) if group in self._groups else {}

    def values(self, group: str) -> dict[str, int]:
        """Return the numbers that the words of a group stand for."""
        return {word: int(value) for value, words in self.forms(group).items() for word in words}

    def pattern(self, *groups: str) -> str:
        """Return a regular expression for the forms of groups; without any, one without a match."""
        forms = (form for group in groups for each in self.forms(group).values() for form in each)
        return "|".join(forms) or NEVER

    def words(self, name: str) -> frozenset[str]:
        """Return a word list; an empty one if there is none of that name."""
        if name not in self._words:
            written = self._lists.get(name, "").split()
            others = (self.words(word[1:]) for word in written if word[0] == "@")
            plain = frozenset(word for word in written if word[0] != "@")
            self._words[name] = plain.union(*others)
        return self._words[name]

    @property
    def lists(self) -> tuple[str, ...]:
        """The names of the word lists."""
        return tuple(self._lists)


_NOTHING = WordTable((), {})


@dataclass(frozen=True, eq=False)
class Language:
    """A language by its code, with the folder of its tables; None if there is no pack.

    The other fields are the keys of ``pack.toml``.
    """

    code: str
    folder: Path | None = None
    name: str = ""
    """The English name of the language."""
    cannot: str = ""
    """A sentence on what is not compared or not found in this language; reports repeat it."""
    is_spaced: bool = True
    """Words are written with blanks between them."""
    is_dense: bool = False
    """A character is a syllable or a word; words may go on behind a listed form."""
    is_verb_last: bool = False
    """The verb ends a clause, so that a long sentence reverses its parts."""
    is_compounding: bool = False
    """Nouns have capitals and join to one word."""
    is_simplified: bool = False
    """Its characters have simplified forms, by which its words are compared."""
    writes_han: bool = False
    """It is written with Chinese characters."""
    writes_kana: bool = False
    """It is written with kana, besides others."""
    has_decimal_comma: bool = False
    """It writes 1.000,5 for a thousand and a half."""
    groups_digits_with_blanks: bool = False
    """It writes 8 000 for eight thousand."""
    has_synonyms: bool = False
    """Stems and synonyms of its words are known."""
    keeps_page_lines: bool = False
    """Offices publish texts with the line ends of the printed page, inside words."""
    density: float = 1.0
    """Letters per letter of the same text in English, in translated patents."""
    dictionaries: Sequence[str] = ()
    """Names of its dictionaries, the usual one first; their glosses are in English."""
    borrows_from: Sequence[str] = ()
    """Codes of the languages whose words it writes by sound or by the same characters."""
    numerals: str = ""
    """The code of the pack whose module ``numerals`` reads its numbers in words."""
    filler: str = ""
    """A sentence that adds nothing to a text."""
    reaches: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Characters to look at, where they differ from those of other languages."""

    @classmethod
    def read(cls, code: str, folder: Path) -> Language:
        """Read a pack; refuse a key that is no property."""
        path = folder / "pack.toml"
        try:
            return cls(code, folder, **{"name": code} | tomllib.loads(path.read_text("utf-8")))
        except TypeError as error:
            raise InputError.at(f"unknown property: {error}", str(path)) from None

    def table(self, subject: str) -> WordTable:
        """Return the table on a subject, read when it is first needed; empty if there is none."""
        if subject not in self._tables:
            self._tables[subject] = self._read(subject)
        return self._tables[subject]

    @cached_property
    def _tables(self) -> dict[str, WordTable]:
        return {}

    def _read(self, subject: str) -> WordTable:
        if self.folder is None:
            return _NOTHING
        phrases, lists = (self.folder / f"{subject}.tsv", self.folder / f"{subject}.toml")
        rows = read_rows(phrases, self.code) if phrases.is_file() else ()
        named = tomllib.loads(lists.read_text("utf-8")) if lists.is_file() else {}
        return WordTable(rows, named) if rows or named else _NOTHING

    @property
    def number_words(self) -> Callable[..., Iterator[Any]] | None:
        """The reader of its numbers in words, or None.

        It is called with a folded text and a :class:`NumberReader`.
        """
        if not self.numerals:
            return None
        module = import_module(f"{__package__}.{self.numerals}.numerals")
        found: Callable[..., Iterator[Any]] = module.number_words
        return found

    def reach(self, name: str) -> tuple[int, ...]:
        """Return a number of characters to look around a word, or those before and after it."""
        return tuple(self.reaches.get(name, _REACH[name]))


def read_rows(path: Path, code: str) -> tuple[Row, ...]:
    """Read the rows of a table of phrases; classes are inserted into the rows below them."""
    rows: list[Row] = []
    classes: dict[str, str] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if number == 1 or not line or line.startswith("#"):
            continue
        written = line.split("\t")
        if len(written) != len(COLUMNS):
            expected = f"expected {len(COLUMNS)} columns ({', '.join(COLUMNS)})"
            raise InputError.at(f"{expected}, found {len(written)}", str(path), number)
        cells = dict(zip(COLUMNS, written, strict=True))
        forms, exceptions = cells["forms"], cells["exceptions"]
        for name, words in classes.items():
            forms = forms.replace(f"{{{name}}}", f"(?:{words})")
            exceptions = exceptions.replace(f"{{{name}}}", f"(?:{words})")
        if cells["group"] == "class":
            classes[cells["id"]] = forms
            continue
        identity, _, variant = cells["id"].partition(".")
        rows.append(
            Row(
                cells["group"],
                identity,
                code,
                cells["certainty"] == "sure",
                split_alternatives(forms.translate(_FOLDED)),
                split_alternatives(exceptions.translate(_FOLDED)),
                cells["example"],
                cells["no example"],
                variant,
            )
        )
    return tuple(rows)


def split_alternatives(cell: str) -> tuple[str, ...]:
    """Split a cell at the bars outside brackets and classes."""
    found, depth, last, in_class = [], 0, 0, False
    for place, mark in enumerate(cell):
        in_class = mark == "[" or (in_class and mark != "]")
        depth += 0 if in_class else (mark == "(") - (mark == ")")
        if mark == "|" and depth == 0:
            found.append(cell[last:place])
            last = place + 1
    return tuple(form for form in (*found, cell[last:]) if form)


def escaped(words: frozenset[str] | tuple[str, ...]) -> str:
    """Return a pattern of literal words, longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word)))) or NEVER
