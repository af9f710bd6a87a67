"""Any other XML, JSON or CSV by a mapping file with the place of each field.

In XML a place is an XPath with local names, from the element of a document (``record``); in JSON it
is a path such as ``biblio.titles[].text``; in CSV it is a column name. A mapping records its hits:
a place without any hit is a mistake.

    record = "//doc"

    [fields]
    publication = "@id"                   # or office, number, kind
    publication_date = "meta/published"
    title = "title"
    claims = "claim"                      # one each, or one text with numbers

    [fixed]
    language = "en"                       # of texts without a language of their own

    [priorities]
    each = "priority"
    country = "@country"
    number = "."
    date = "@date"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from patmark.collections.patents.formats.bibliography import (
    UNDETERMINED,
    known_language,
    make_application,
    make_priority,
    symbols,
)
from patmark.collections.patents.formats.body import given_claims, plain_paragraphs
from patmark.collections.patents.formats.citations import coded_citation, distinct
from patmark.collections.patents.formats.tables import Row, structure
from patmark.collections.patents.formats.xml_reading import Element, iso_date, text_of, tidy
from patmark.collections.patents.publications import read_publication
from patmark.data import (
    Citation,
    Document,
    FilePath,
    PatentText,
    Priority,
    parse_model,
    read_settings_file,
)
from patmark.errors import InputError, Problem

_STEP = re.compile(r"([^.\[\]]+)((?:\[\d*\])*)")
_PATH = re.compile(rf"{_STEP.pattern}(?:\.{_STEP.pattern})*")
_DIVIDED = re.compile(r"[;|\n]|,(?!\d{3}(?!\d))")
# a comma may occur inside a number, and before the name of the patentee
_CITED_NEXT = re.compile(r"[;|\n]|,(?=\s*[A-Z]{2}[\s-]*[\dA-Z])")
_INDEX = re.compile(r"\[(\d*)\]")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Bibliography(_Strict):
    """Fields with one value or a list."""

    publication: str = Field("", description="the whole number, EP1000000A1")
    office: str = ""
    number: str = ""
    kind: str = ""
    publication_date: str = ""
    language: str = ""
    application_number: str = ""
    application_date: str = ""
    family_id: str = ""
    ipc: str = ""
    cpc: str = ""
    title: str = ""
    abstract: str = ""
    claims: str = ""
    description: str = ""


class MappedText(_Strict):
    """Places of the texts of one language."""

    title: str = ""
    abstract: str = ""
    claims: str = ""
    description: str = ""


class Repeated(_Strict):
    """Numbers with several values; places are relative to each of them."""

    each: str
    country: str = ""
    number: str = "."
    date: str = ""
    kind: str = ""


class Cited(_Strict):
    """Documents that are cited: the whole number, or its parts."""

    each: str
    document: str = "."
    category: str = ""
    phase: str = ""
    date: str = ""


class Fixed(_Strict):
    """Values that are equal for all documents."""

    office: str = ""
    kind: str = ""
    language: str = ""


class FieldMapping(_Strict):
    """Places of the fields of a document."""

    record: str = ""
    fields: Bibliography
    texts: dict[str, MappedText] = {}
    priorities: Repeated | None = None
    parents: Repeated | None = None
    citations: Cited | None = None
    fixed: Fixed = Fixed()
    _found: set[tuple[str, str]] = PrivateAttr(default_factory=set)

    def found(self, table: str, place: str) -> None:
        """Record a hit at a place of a table."""
        self._found.add((table, place))

    def never_found(self) -> list[str]:
        """Return the fields without any hit in the records so far."""
        tables = {
            "fields": self.fields,
            **{f"texts.{language}": places for language, places in self.texts.items()},
            "priorities": self.priorities,
            "parents": self.parents,
            "citations": self.citations,
        }
        return [
            f"[{table}] {line}"
            for table, places in tables.items()
            for line in self._never_found(table, places)
        ]

    def _never_found(self, table: str, places: _Strict | None) -> list[str]:
        """Return the lines of a table without any hit, or with a hit only of its ``each``."""
        named = {} if places is None else places.model_dump(exclude_unset=True)
        lost = [name for name in named if named[name] and (table, named[name]) not in self._found]
        return [f"{name} = {named[name]!r}" for name in (["each"] if "each" in lost else lost)]


def read_mapping(path: FilePath) -> FieldMapping:
    """Read a mapping file; raise InputError with all its problems."""
    settings = read_settings_file(path)
    mapping = parse_model(settings, FieldMapping)
    if mapping is None or settings.problems:
        raise InputError(settings.problems)
    if not (mapping.fields.publication or mapping.fields.number):
        raise InputError([Problem("[fields] needs publication, or number", settings.path)])
    return mapping


@dataclass(frozen=True, slots=True)
class _Node:
    """A place in a record, to which the places of a mapping table are relative.

    ``values`` finds the content of a place, ``text`` reads it.
    """

    value: Any
    mapping: FieldMapping
    values: Callable[[Any, str], list[Any]]
    text: Callable[[Any], str]
    table: str = "fields"

    def all(self, place: str) -> list[str]:
        """Return the texts at a place; none for an empty one. A list has several."""
        values = self.values(self.value, place) if place else []
        found = [one for each in values for one in (each if isinstance(each, list) else [each])]
        texts = [text for each in found if (text := self.text(each))]
        if texts:
            self.mapping.found(self.table, place)
        return texts

    def one(self, place: str) -> str:
        """Return the first text at a place."""
        return next(iter(self.all(place)), "")

    def each(self, table: str, place: str) -> list[_Node]:
        """Return the nodes of a table."""
        values = self.values(self.value, place)
        found = [one for each in values for one in (each if isinstance(each, list) else [each])]
        if found:
            self.mapping.found(table, place)
        return [replace(self, value=value, table=table) for value in found]


def read_mapped_xml(root: Element, mapping: FieldMapping) -> Iterator[Document]:
    """Return the documents of a tree."""
    return _documents(_Node(root, mapping, _xpath, _xml_text))


def read_mapped_row(row: Row, mapping: FieldMapping) -> Iterator[Document]:
    """Return the documents of a row of JSON or CSV."""
    return _documents(_Node(row, mapping, _values, _json_text))


def _documents(node: _Node) -> Iterator[Document]:
    record = node.mapping.record
    found = node.each("fields", record) if record else [node]
    if not found:
        raise InputError.at(f"the mapping finds no record at {record!r}")
    yield from map(_document, found)


def _xpath(element: Element, place: str) -> list[Any]:
    from lxml import etree

    try:
        found = element.xpath(place)
    except (etree.XPathError, AttributeError) as error:
        raise InputError.at(f"the mapping has {place!r}, which is no XPath: {error}") from None
    return found if isinstance(found, list) else [found]


def _xml_text(value: Any) -> str:
    return tidy(str(value)) if isinstance(value, str | float | int) else text_of(value)


def _values(value: Any, place: str) -> list[Any]:
    """Return the values at a path: ``a.b``, ``a[]`` for all members of a list, ``a[0]`` for one.

    A name may contain dots and brackets, as CSV columns do.
    """
    found = [structure(value)]
    if place == ".":
        return found
    if isinstance(found[0], dict) and place in found[0]:
        return [structure(found[0][place])]
    if not _PATH.fullmatch(place):
        raise InputError.at(
            f"the mapping has {place!r}, which is neither a name nor a path such as titles[0].text"
        )
    for name, indexes in _STEP.findall(place):
        found = [each[name] for each in found if isinstance(each, dict) and name in each]
        for index in _INDEX.findall(indexes):
            lists = [each for each in map(structure, found) if isinstance(each, list)]
            found = [
                member
                for each in lists
                for member in (each if not index else each[int(index) : int(index) + 1])
            ]
        found = [structure(each) for each in found]
    return found


def _json_text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(filter(None, map(_json_text, value)))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).encode("utf-8", "replace").decode().strip()


def _document(node: _Node) -> Document:
    mapping, fields, fixed = node.mapping, node.mapping.fields, node.mapping.fixed
    named = read_publication(tidy(node.one(fields.publication)))
    office = node.one(fields.office) or (named.country if named else "") or fixed.office
    filed = iso_date(node.one(fields.application_date))
    application = make_application(office, tidy(node.one(fields.application_number)), filed)
    own = known_language(node.one(fields.language)) or fixed.language or UNDETERMINED
    texts = {own: _text(node, MappedText(**fields.model_dump(include=_TEXT_FIELDS)), own)}
    for language, places in mapping.texts.items():
        texts[language] = _text(replace(node, table=f"texts.{language}"), places, language)
    return Document(
        office=office,
        number=tidy(node.one(fields.number)) or (named.number if named else ""),
        kind=node.one(fields.kind) or (named.kind if named else "") or fixed.kind,
        publication_date=iso_date(node.one(fields.publication_date)),
        source_format="mapped",
        language=own,
        **application,
        priorities=_numbers(node, "priorities", mapping.priorities, office),
        parents=_numbers(node, "parents", mapping.parents, office),
        citations=distinct(_citations(node, mapping.citations)),
        ipc=symbols(_listed(node.all(fields.ipc))),
        cpc=symbols(_listed(node.all(fields.cpc))),
        texts=tuple(each for each in texts.values() if each != PatentText(each.language)),
        family_id=tidy(node.one(fields.family_id)),
    )


_TEXT_FIELDS = {"title", "abstract", "claims", "description"}


def _text(node: _Node, places: MappedText, language: str) -> PatentText:
    return PatentText(
        language,
        tidy(node.one(places.title)),
        "\n".join(map(tidy, node.all(places.abstract))),
        given_claims(node.all(places.claims)),
        plain_paragraphs("\n".join(node.all(places.description))),
    )


def _listed(texts: list[str]) -> list[str]:
    """Return the items of texts that list several."""
    parts = (part.strip() for text in texts for part in _DIVIDED.split(text))
    return [part for part in parts if part]


def _numbers(node: _Node, table: str, places: Repeated | None, office: str) -> tuple[Priority, ...]:
    if places is None:
        return ()
    return tuple(
        make_priority(country or office, tidy(number), iso_date(date), kind=kind)
        for each in node.each(table, places.each)
        for country, number, date, kind in _together(
            each, places.number, places.country, places.date, places.kind
        )
    )


def _together(node: _Node, number: str, *others: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield country, number, date and kind of each number in a cell."""
    numbers = _listed([node.one(number)]) or [""]
    country, date, kind = (
        found
        if len(found) == len(numbers)
        else [found[0] if len(found) == 1 else ""] * len(numbers)
        for found in (_listed([node.one(place)]) for place in others)
    )
    yield from zip(country, numbers, date, kind, strict=True)


def _citations(node: _Node, places: Cited | None) -> Iterator[Citation]:
    if places is None:
        return
    for each in node.each("citations", places.each):
        for name in _CITED_NEXT.split(each.one(places.document)):
            cited = read_publication(tidy(name))
            if cited:
                yield coded_citation(
                    str(cited),
                    each.one(places.phase),
                    each.one(places.category),
                    iso_date(each.one(places.date)),
                )
