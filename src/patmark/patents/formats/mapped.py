"""Any other XML, JSON or CSV by a mapping file, which says where each field stands.

In XML a place is an XPath, with local names, from the element of a document (``record``); in JSON
it is a path such as ``biblio.titles[].text``; in CSV it is the name of a column.

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
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from patmark.data import (
    Citation,
    Document,
    FilePath,
    Priority,
    Text,
    parse_model,
    read_settings_file,
)
from patmark.errors import InputError, Problem
from patmark.patents.formats.bibliography import (
    known_language,
    make_application,
    make_priority,
    require_number,
    symbols,
)
from patmark.patents.formats.body import claims_in_text, make_claim, plain_paragraphs
from patmark.patents.formats.citations import coded_citation, distinct
from patmark.patents.formats.tables import Row, structure
from patmark.patents.formats.xml_reading import Element, iso_date, text_of, tidy
from patmark.patents.publications import read_publication

_STEP = re.compile(r"([^.\[\]]+)((?:\[\d*\])*)")
_INDEX = re.compile(r"\[(\d*)\]")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Bibliography(_Strict):
    """Fields of which a document has one, or a list."""

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


class TextFields(_Strict):
    """Where the texts of one language stand."""

    title: str = ""
    abstract: str = ""
    claims: str = ""
    description: str = ""


class Repeated(_Strict):
    """Numbers of which a document has several; the places count from each of them."""

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
    """What is the same for all documents."""

    office: str = ""
    kind: str = ""
    language: str = ""


class Mapping(_Strict):
    """Where the fields of a document stand."""

    record: str = ""
    fields: Bibliography
    texts: dict[str, TextFields] = {}
    priorities: Repeated | None = None
    parents: Repeated | None = None
    citations: Cited | None = None
    fixed: Fixed = Fixed()


def read_mapping(path: FilePath) -> Mapping:
    """A mapping file; an InputError lists all that is wrong with it."""
    settings = read_settings_file(path)
    mapping = parse_model(settings, Mapping)
    if mapping is None or settings.problems:
        raise InputError(settings.problems)
    if not (mapping.fields.publication or mapping.fields.number):
        raise InputError([Problem("[fields] needs publication, or number", settings.path)])
    return mapping


@dataclass(frozen=True)
class _Node:
    """A place in a record, of which other places can be asked."""

    found: Callable[[str], list[Any]]
    text: Callable[[Any], str]

    def all(self, place: str) -> list[str]:
        """The texts at a place; none for an empty one."""
        return [text for each in self.found(place) if (text := self.text(each))] if place else []

    def one(self, place: str) -> str:
        """The first text at a place."""
        return next(iter(self.all(place)), "")


def read_mapped_xml(root: Element, mapping: Mapping) -> Iterator[Document]:
    """The documents of a tree."""
    found = _xpath(root, mapping.record) if mapping.record else [root]
    if not found:
        raise InputError.at(f"the mapping finds no record at {mapping.record!r}")
    for element in found:
        yield _document(_xml_node, element, mapping)


def read_mapped_row(row: Row, mapping: Mapping) -> Iterator[Document]:
    """The documents of a row of JSON or CSV."""
    found = _values(row, mapping.record) if mapping.record else [row]
    for each in found:
        yield _document(_json_node, each, mapping)


def _xml_node(element: Element) -> _Node:
    return _Node(lambda place: _xpath(element, place), _xml_text)


def _xpath(element: Element, place: str) -> list[Any]:
    from lxml import etree

    try:
        found = element.xpath(place)
    except (etree.XPathError, AttributeError) as error:
        raise InputError.at(f"the mapping has {place!r}, which is no XPath: {error}") from None
    return found if isinstance(found, list) else [found]


def _xml_text(value: Any) -> str:
    return tidy(str(value)) if isinstance(value, str | float | int) else text_of(value)


def _json_node(value: Any) -> _Node:
    return _Node(lambda place: _values(value, place), _json_text)


def _values(value: Any, place: str) -> list[Any]:
    """What stands at a path: ``a.b``, ``a[]`` for all members of a list, ``a[0]`` for one."""
    found = [structure(value)]
    if place == ".":
        return found
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


def _document(node_of: Callable[[Any], _Node], value: Any, mapping: Mapping) -> Document:
    node, fields, fixed = node_of(value), mapping.fields, mapping.fixed
    named = read_publication(tidy(node.one(fields.publication)))
    office = node.one(fields.office) or (named.country if named else "") or fixed.office
    filed = iso_date(node.one(fields.application_date))
    application = make_application(office, tidy(node.one(fields.application_number)), filed)
    own = known_language(node.one(fields.language)) or fixed.language or "und"
    texts = {own: _text(node, TextFields(**fields.model_dump(include=_TEXT_FIELDS)), own)}
    for language, places in mapping.texts.items():
        texts[language] = _text(node, places, language)
    return require_number(
        Document(
            office=office,
            number=tidy(node.one(fields.number)) or (named.number if named else ""),
            kind=node.one(fields.kind) or (named.kind if named else "") or fixed.kind,
            publication_date=iso_date(node.one(fields.publication_date)),
            source_format="mapped",
            language=own,
            application_number=application.number,
            application_date=application.date,
            application_key=application.key,
            application_problem=application.problem,
            priorities=_numbers(node_of, node, mapping.priorities, office),
            parents=_numbers(node_of, node, mapping.parents, office),
            citations=distinct(_citations(node_of, node, mapping.citations)),
            ipc=symbols(_listed(node.all(fields.ipc))),
            cpc=symbols(_listed(node.all(fields.cpc))),
            texts=tuple(text for text in texts.values() if text != Text(text.language)),
            family_id=tidy(node.one(fields.family_id)),
        )
    )


_TEXT_FIELDS = {"title", "abstract", "claims", "description"}


def _text(node: _Node, places: TextFields, language: str) -> Text:
    claims = node.all(places.claims)
    return Text(
        language,
        tidy(node.one(places.title)),
        "\n".join(map(tidy, node.all(places.abstract))),
        claims_in_text(claims[0], language)
        if len(claims) == 1
        else tuple(make_claim(n, tidy(text), language) for n, text in enumerate(claims, 1)),
        plain_paragraphs("\n".join(node.all(places.description))),
    )


def _listed(texts: list[str]) -> list[str]:
    """Symbols one by one, also those that stand in one text."""
    return [part.strip() for text in texts for part in re.split(r"[;,|\n]", text)]


def _numbers(
    node_of: Callable[[Any], _Node], node: _Node, places: Repeated | None, office: str
) -> tuple[Priority, ...]:
    inner = [node_of(each) for each in node.found(places.each)] if places else []
    return tuple(
        make_priority(
            each.one(places.country) or office,
            tidy(each.one(places.number)),
            iso_date(each.one(places.date)),
            kind=each.one(places.kind),
        )
        for each in inner
        if places
    )


def _citations(
    node_of: Callable[[Any], _Node], node: _Node, places: Cited | None
) -> Iterator[Citation]:
    for each in map(node_of, node.found(places.each) if places else []):
        cited = read_publication(tidy(each.one(places.document))) if places else None
        if cited and places:
            yield coded_citation(
                str(cited),
                each.one(places.phase),
                each.one(places.category),
                iso_date(each.one(places.date)),
            )
