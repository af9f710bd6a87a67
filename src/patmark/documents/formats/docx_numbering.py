"""Automatic numbers of Word: levels, formats and counters of ``numbering.xml``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from patmark.documents.formats.safe_xml import (
    Element,
    attribute,
    child,
    children,
    integer,
    local_name,
)
from patmark.languages import shared_pack

_LEVELS = 9
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"],
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class NumberedParagraph:
    """The number of a paragraph as Word shows it, with the blank after it; empty for a bullet."""

    text: str


@dataclass(slots=True)
class DocxNumbering:
    """Counters of the lists of a document, advanced by each paragraph in order.

    ``numbering`` and ``styles`` are the root elements of these parts; None if a part is absent.
    """

    numbering: Element | None
    styles: Element | None
    _counters: dict[str, list[int | None]] = field(default_factory=dict)
    _begun: set[str] = field(default_factory=set)
    _known: _Definitions = field(init=False)

    def __post_init__(self) -> None:
        self._known = _Definitions(self.numbering, self.styles)

    def number(self, paragraph: Element) -> NumberedParagraph | None:
        """Return the number of the next paragraph; None if it has none."""
        list_id, level_place = self._known.list_of(paragraph)
        levels = self._known.levels(list_id) if list_id else {}
        level = levels.get(level_place)
        if level is None:
            return None
        counters = self._counters.setdefault(self._known.abstract_id(list_id), [None] * _LEVELS)
        if list_id not in self._begun:
            self._begun.add(list_id)
            for place in self._known.restarted(list_id):
                counters[place] = None
        counted = counters[level_place]
        counters[level_place] = level.start if counted is None else counted + 1
        for place in range(level_place + 1, _LEVELS):
            if place not in levels or levels[place].restarts:
                counters[place] = None
        if level.number_format == "bullet":
            return NumberedParagraph("")
        shown = level.text
        for place, other in levels.items():
            count = counters[place]
            number_format = "decimal" if level.legal else other.number_format
            written = formatted_number(
                other.start if count is None else count, number_format, other.pattern
            )
            shown = shown.replace(f"%{place + 1}", written)
        return NumberedParagraph(f"{shown}{level.suffix}" if shown else "")

    def outline_level(self, paragraph: Element) -> int | None:
        """Return the level of a heading, from its own properties or its style."""
        found = self._known.property(paragraph, "outlineLvl")
        level = integer(attribute(found, "val"), _LEVELS)
        return level if 0 <= level < _LEVELS else None


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    number_format: str
    pattern: str
    text: str
    suffix: str
    legal: bool
    restarts: bool
    style: str | None


class _Definitions:
    """Lists and styles by their ids."""

    def __init__(self, numbering: Element | None, styles: Element | None) -> None:
        self._numbering = numbering if numbering is not None else ()
        self._style_list = styles if styles is not None else ()
        self._levels: dict[str, dict[int, _Level]] = {}

    @cached_property
    def _lists(self) -> dict[str, Element]:
        return self._by_id(self._numbering, "num", "numId")

    @cached_property
    def _abstract(self) -> dict[str, Element]:
        return self._by_id(self._numbering, "abstractNum", "abstractNumId")

    @cached_property
    def _styles(self) -> dict[str, Element]:
        return self._by_id(self._style_list, "style", "styleId")

    @cached_property
    def _default_style(self) -> str | None:
        return next(
            (
                name
                for name, style in self._styles.items()
                if attribute(style, "type") == "paragraph" and attribute(style, "default") == "1"
            ),
            None,
        )

    @staticmethod
    def _by_id(elements: Element, name: str, key: str) -> dict[str, Element]:
        found = (element for element in elements if local_name(element.tag) == name)
        return {attribute(element, key) or "": element for element in found}

    def _properties(self, paragraph: Element) -> Iterator[tuple[Element, str | None]]:
        """Yield the properties of a paragraph and of its styles, nearest first."""
        own = child(paragraph, "pPr")
        if own is not None:
            yield own, None
        name = attribute(child(own, "pStyle"), "val") or self._default_style
        seen = set()
        while name in self._styles and name not in seen:
            seen.add(name)
            style = self._styles[name]
            properties = child(style, "pPr")
            if properties is not None:
                yield properties, name
            name = attribute(child(style, "basedOn"), "val")

    def property(self, paragraph: Element, name: str) -> Element | None:
        """Return a property of a paragraph or of its style."""
        found = (child(properties, name) for properties, _ in self._properties(paragraph))
        return next((element for element in found if element is not None), None)

    def list_of(self, paragraph: Element) -> tuple[str, int]:
        """Return list and level of a paragraph; an empty id if it is in no list."""
        place = None
        for properties, style in self._properties(paragraph):
            numbered = child(properties, "numPr")
            place = place or attribute(child(numbered, "ilvl"), "val")
            list_id = attribute(child(numbered, "numId"), "val")
            if list_id in self._lists:
                by_style = (at for at, one in self.levels(list_id).items() if one.style == style)
                default = next(by_style, 0) if style else 0
                return list_id, integer(place, default)
            if list_id is not None:
                break
        return "", 0

    def abstract_id(self, list_id: str) -> str:
        """Return the definition that a list counts with; lists may share one."""
        found = attribute(child(self._lists[list_id], "abstractNumId"), "val") or ""
        linked = attribute(child(self._abstract.get(found), "numStyleLink"), "val")
        if linked in self._styles:
            style = child(self._styles[linked], "pPr", "numPr", "numId")
            other = attribute(child(self._lists.get(attribute(style, "val") or ""),
                                    "abstractNumId"), "val")  # fmt: skip
            return other or found
        return found

    def levels(self, list_id: str) -> dict[int, _Level]:
        """Return the levels of a list with the overrides of the list."""
        if list_id not in self._levels:
            abstract = self._abstract.get(self.abstract_id(list_id))
            found = dict(map(_level, children(abstract, "lvl"))) if abstract is not None else {}
            for override in children(self._lists[list_id], "lvlOverride"):
                own = child(override, "lvl")
                if own is not None:
                    found |= dict([_level(own)])
                restart = child(override, "startOverride")
                at = integer(attribute(override, "ilvl"), 0)
                if restart is not None and at in found:
                    start = integer(attribute(restart, "val"), found[at].start)
                    found[at] = replace(found[at], start=start)
            self._levels[list_id] = found
        return self._levels[list_id]

    def restarted(self, list_id: str) -> Iterator[int]:
        """Yield the levels that a list starts again."""
        for override in children(self._lists[list_id], "lvlOverride"):
            if child(override, "startOverride") is not None:
                yield integer(attribute(override, "ilvl"), 0)


def _level(element: Element) -> tuple[int, _Level]:
    chosen = child(element, "AlternateContent", "Choice", "numFmt")
    number_format = chosen if chosen is not None else child(element, "numFmt")
    suffix = attribute(child(element, "suff"), "val")
    return integer(attribute(element, "ilvl"), 0), _Level(
        start=integer(attribute(child(element, "start"), "val"), 1),
        number_format=attribute(number_format, "val") or "decimal",
        pattern=attribute(number_format, "format") or "",
        text=attribute(child(element, "lvlText"), "val") or "",
        suffix="" if suffix == "nothing" else " ",
        legal=child(element, "isLgl") is not None,
        restarts=attribute(child(element, "lvlRestart"), "val") != "0",
        style=attribute(child(element, "pStyle"), "val"),
    )


def formatted_number(number: int, number_format: str, pattern: str = "") -> str:
    """Write a number in a format of Word; a format that is not known gives plain digits.

    ``pattern`` is that of the format custom: ``0001, 0002, …`` has four digits.

    >>> formatted_number(4, "lowerRoman"), formatted_number(28, "upperLetter")
    ('iv', 'BB')
    >>> formatted_number(12, "decimalFullWidth"), formatted_number(21, "japaneseCounting")
    ('１２', '二十一')
    """
    if number_format == "custom":
        return str(number).zfill(len(pattern.partition(",")[0].strip()))
    if number_format == "none":
        return ""
    if number_format == "decimalZero":
        return f"{number:02}"
    if number_format.startswith("decimalFullWidth"):
        return "".join(chr(ord(digit) + 0xFEE0) for digit in str(number))
    if number_format.startswith("decimalEnclosedCircle") and 1 <= number <= 20:
        return chr(0x245F + number)
    if number_format in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if number_format == "upperLetter" else letter
    if number_format in ("lowerRoman", "upperRoman") and number > 0:
        roman = _roman(number)
        return roman.upper() if number_format == "upperRoman" else roman
    if "Counting" in number_format and 0 < number < 100:
        digits = list(shared_pack().table("documents").values("han-digit"))  # from 0 to 10
        tens, ones = divmod(number, 10)
        ten = (digits[tens] if tens > 1 else "") + digits[10] if tens else ""
        return ten + (digits[ones] if ones else "")
    return str(number)


def _roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        written += letters * times
    return written
