"""CNIPA full text: ``cn-patent-document`` (older) and ``PatentDocumentAndRelated`` (newer)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from patmark.collections.patents.formats.bibliography import (
    DocumentId,
    make_application,
    make_priority,
    pct_parents,
    st36_gazette,
    symbols,
)
from patmark.collections.patents.formats.body import description_paragraphs, read_claims, unwrapped
from patmark.collections.patents.formats.citations import distinct, named_citation
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.data import Citation, Document, PatentText, Priority


def read_cnipa(root: Element) -> Iterator[Document]:
    """Yield the one application, grant or utility model of a record."""
    yield _older(root) if root.tag == "cn-patent-document" else _newer(root)


def _older(root: Element) -> Document:
    head = root.find("cn-bibliographic-data")
    body = root.find("application-body")
    text = PatentText(
        "zh",
        child_text(head, "invention-title") or child_text(body, "description/invention-title"),
        unwrapped(child_text(body, "abstract") or child_text(head, "abstract")),
        read_claims(root.iterfind("application-body/claims/claim"), "zh"),
        description_paragraphs(root.find("application-body/description"), "zh"),
    )
    return replace(st36_gazette(root, head, "CN", "zh", "cnipa"), texts=(text,))


def _newer(root: Element) -> Document:
    head = root.find("BibliographicData")
    published = _reference(head, "PublicationReference", "standard")
    filed = _reference(head, "ApplicationReference", "original")
    application = make_application("CN", filed.number, filed.date)
    return Document(
        office=root.get("country") or published.country or "CN",
        number=root.get("docNumber") or published.number,
        kind=root.get("kind") or published.kind,
        publication_date=iso_date(root.get("datePublication") or published.date),
        source_format="cnipa",
        language=(root.get("lang") or "zh").lower(),
        **application,
        priorities=_priorities(head),
        parents=pct_parents(head),
        citations=distinct(_citations(head)),
        ipc=symbols(_classes(head)),
        texts=(
            PatentText(
                "zh",
                child_text(head, "InventionTitle"),
                unwrapped(child_text(root, ".//Abstract")),
                read_claims(root.iterfind("Claims/Claim"), "zh"),
                description_paragraphs(root.find("Description"), "zh"),
            ),
        ),
    )


def _base_id(node: Element | None) -> DocumentId:
    return DocumentId(
        child_text(node, ".//WIPOST3Code"),
        child_text(node, ".//DocNumber"),
        child_text(node, ".//Kind"),
        iso_date(child_text(node, ".//Date")),
    )


def _reference(head: Element | None, name: str, form: str) -> DocumentId:
    """Return the reference in the wanted data format, else the last one."""
    nodes = [] if head is None else head.findall(name)
    wanted = [node for node in nodes if node.get("dataFormat") == form] or nodes[-1:]
    return _base_id(wanted[0] if wanted else None)


def _priorities(head: Element | None) -> tuple[Priority, ...]:
    nodes = [] if head is None else head.iter("PriorityClaim", "Priority")
    found = [_base_id(node) for node in nodes]
    return tuple(make_priority(each.country, each.number, each.date) for each in found)


def _classes(head: Element | None) -> Iterator[str]:
    for node in [] if head is None else head.iter("ClassificationIPCR"):
        written = child_text(node, "Text")
        names = ("Section", "MainClass", "Subclass", "MainGroup", "Subgroup")
        section, main, sub, group, subgroup = (child_text(node, name) for name in names)
        yield written or (f"{section}{main}{sub} {group}/{subgroup}" if section else text_of(node))


def _citations(head: Element | None) -> Iterator[Citation]:
    """Yield the citations of the examiner, field (56): numbers, or a text."""
    for node in [] if head is None else head.iterfind(".//ReferencesCited//Citation"):
        cited = _base_id(node)
        yield from named_citation(
            cited.country, cited.number, cited.kind, text_of(node), cited.date
        )
