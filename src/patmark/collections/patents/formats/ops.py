"""Replies of EPO OPS: families, bibliographic data, the register, claims and descriptions.

Replies in JSON are those in XML: ``@`` before attributes, ``$`` for the text of an element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from patmark.catalogue import load_library
from patmark.collections.patents.formats.bibliography import (
    UNDETERMINED,
    DocumentId,
    best_application,
    document_id,
    make_application,
    make_priority,
    number_forms,
    symbols,
)
from patmark.collections.patents.formats.body import description_paragraphs, given_claims
from patmark.collections.patents.formats.citations import SEARCH, distinct, st36_citations
from patmark.collections.patents.formats.docdb import best_id, exchange_document, read_priorities
from patmark.collections.patents.formats.ep_fulltext import claim_set_notes, first_of_language
from patmark.collections.patents.formats.tables import Row
from patmark.collections.patents.formats.xml_reading import Element, child_text, text_of
from patmark.data import Claim, Document, PatentText
from patmark.errors import InputError

JSON_ROOT = "ops:world-patent-data"


def read_ops(root: Element) -> Iterator[Document]:
    """Yield all documents of a reply of any kind."""
    found = False
    for member in root.iter("family-member"):
        found = True
        yield _member(member)
    if not found:
        for element in root.iter("exchange-document"):
            found = True
            yield exchange_document(element, source_format="ops")
    for element in root.iter("register-document"):
        for document in _registered(element):
            found = True
            yield document
    for element in root.iter("fulltext-document"):
        found = True
        yield _full_text(element)
    if not found:
        raise InputError.at(
            "an OPS reply without family, bibliographic data, register or full text"
        )


def read_ops_json(row: Row) -> Iterator[Document]:
    """Yield all documents of a reply in JSON."""
    return read_ops(_element(JSON_ROOT, row[JSON_ROOT]))


def _element(name: str, content: Any) -> Element:
    """Return an element of XML from its form in JSON; prefixes and namespaces do not matter."""
    element = load_library("lxml.etree", "corpus").Element(_local(name))
    inner = content if isinstance(content, dict) else {"$": content}
    for key, value in inner.items():
        if key == "$":
            element.text = "" if value is None else str(value)
        elif not key.startswith("@"):
            values = value if isinstance(value, list) else [value]
            element.extend(_element(key, each) for each in values)
        elif isinstance(value, str):
            element.set(_local(key.removeprefix("@")), value)
    return element


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _member(member: Element) -> Document:
    """Return a member of a family, with its bibliographic data if present.

    The priorities of the family are stated beside these data.
    """
    family = member.get("family-id") or ""
    priorities, inactive = read_priorities(member.iterfind("priority-claim"))
    inner = member.find("exchange-document")
    if inner is not None:
        document = exchange_document(inner, family, "ops")
        if not (priorities or inactive):
            return document
        return replace(document, priorities=priorities, parents=inactive)
    return _document(
        best_id(member, "publication-reference"),
        **best_application(member.findall("application-reference"), "docdb"),
        priorities=priorities,
        parents=inactive,
        family_id=family,
    )


def _document(published: DocumentId, **fields: Any) -> Document:
    """Return a document of OPS with this number."""
    return Document(
        office=published.country,
        number=published.number,
        kind=published.kind,
        publication_date=published.date,
        source_format="ops",
        **fields,
    )


def _registered(element: Element) -> Iterator[Document]:
    """Yield the publications of a European application, which share the register data.

    The newest of several titles, classes and priority claims comes first, and counts.
    """
    head = element.find("bibliographic-data")
    if head is None:
        return
    titles: dict[str, str] = {}
    for node in head.iterfind("invention-title"):
        titles.setdefault((node.get("lang") or UNDETERMINED).lower(), text_of(node))
    classes = child_text(head, "classifications-ipcr/classification-ipcr/text").split(",")
    cited = distinct(st36_citations(head.iterfind("references-cited/citation"), SEARCH))
    claims = head.find("priority-claims")
    applications = number_forms(head.iterfind("application-reference"), "national")
    own, others = (
        [each for each in applications if (each.country == "EP") is is_own]
        for is_own in (True, False)
    )
    filed = own[0] if own else DocumentId()
    fields = {
        "language": child_text(head, "language-of-filing").lower(),
        **make_application("EP", filed.number, filed.date),
        "priorities": tuple(
            make_priority(each.country, each.number, each.date, style="docdb")
            for each in map(document_id, [] if claims is None else claims)
        ),
        "parents": tuple(
            make_priority(each.country, each.number, each.date or filed.date) for each in others
        ),
        "citations": cited,
        "ipc": symbols(classes),
        "texts": tuple(PatentText(language, title) for language, title in titles.items()),
    }
    for published in map(document_id, head.iterfind("publication-reference/document-id")):
        if published.country == "EP":
            yield _document(published, **fields)


def _full_text(element: Element) -> Document:
    claims = first_of_language(element, "claims")
    descriptions = first_of_language(element, "description")
    languages = list(dict.fromkeys([*claims, *descriptions]))
    return _document(
        best_id(element.find("bibliographic-data"), "publication-reference"),
        language=languages[0] if languages else "",
        application_problem="OPS full text gives no application number",
        texts=tuple(
            PatentText(
                language,
                claims=_claims(claims.get(language)),
                description=description_paragraphs(descriptions.get(language)),
            )
            for language in languages
        ),
        notes=claim_set_notes(element),
    )


def _claims(node: Element | None) -> tuple[Claim, ...]:
    """Return the claims; OPS puts one, a line of one, or all into a ``claim-text``."""
    texts = [] if node is None else node.iter("claim-text")
    found = given_claims("".join(each.itertext()) for each in texts)
    return tuple(replace(claim, text=" ".join(claim.text.split())) for claim in found)
