"""EPO DOCDB ``exchange-document``: bibliographic data of the world, with family ids.

DOCDB gives numbers in its own form (docdb) and, without a date, in epodoc and original form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from patmark.data import Document, Priority, Text
from patmark.patents.formats.bibliography import (
    DocumentId,
    classification,
    document_id,
    make_application,
    make_priority,
    require_number,
    st36_ipc,
    symbols,
)
from patmark.patents.formats.citations import distinct, st36_citations
from patmark.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.patents.numbers import Style

UNKNOWN_LANGUAGE = "und"
_FORMS = ("docdb", "epodoc", "original")


def read_docdb(root: Element) -> Iterator[Document]:
    """All documents of a record, which is mostly one."""
    for element in root.iter("exchange-document"):
        yield exchange_document(element)


def exchange_document(element: Element, family_id: str = "") -> Document:
    """One ``exchange-document``, of DOCDB or of an OPS reply."""
    head = element.find("bibliographic-data")
    published = best_id(head, "publication-reference")[1]
    style, filed = best_id(head, "application-reference")
    application = make_application(
        filed.country, filed.number, filed.date, kind=filed.kind, style=style
    )
    priorities, inactive = read_priorities(head)
    texts = _texts(element, head)
    cited = distinct(st36_citations([] if head is None else head.iter("citation")))
    return require_number(
        Document(
            office=element.get("country") or published.country,
            number=element.get("doc-number") or published.number,
            kind=element.get("kind") or published.kind,
            publication_date=iso_date(element.get("date-publ") or published.date),
            source_format="docdb",
            language=_language(head) or (texts[0].language if texts else ""),
            application_number=application.number,
            application_date=application.date,
            application_key=application.key,
            application_problem=application.problem,
            priorities=priorities,
            parents=inactive,
            citations=cited,
            ipc=st36_ipc(_classes(head)),
            cpc=_cpc(head),
            texts=texts,
            family_id=family_id or element.get("family-id") or "",
        )
    )


def best_id(head: Element | None, name: str) -> tuple[Style, DocumentId]:
    """The docdb form of a number, else epodoc; the date from whichever form has it."""
    nodes = [] if head is None else head.findall(name)
    return merged_ids(node for reference in nodes for node in _formed(reference))


def _formed(reference: Element) -> Iterator[tuple[str, Element]]:
    """Forms are marked on the reference (DOCDB) or on each document-id (OPS)."""
    outer = reference.get("data-format")
    for node in reference.iterfind("document-id"):
        yield node.get("document-id-type") or outer or "docdb", node


def merged_ids(formed: Iterable[tuple[str, Element]]) -> tuple[Style, DocumentId]:
    """The best of several forms of one number."""
    found = {form: document_id(node) for form, node in reversed(list(formed))}
    date = next((found[form].date for form in _FORMS if form in found and found[form].date), "")
    for form in _FORMS[:2]:
        each = found.get(form)
        if each and each.number:
            return cast(Style, form), DocumentId(each.country, each.number, each.kind, date)
    original = found.get("original", DocumentId())
    return "national", DocumentId(original.country, original.number, original.kind, date)


def read_priorities(head: Element | None) -> tuple[tuple[Priority, ...], tuple[Priority, ...]]:
    """Active priorities, and inactive ones, which DOCDB does not count for its families."""
    grouped: dict[str, list[Element]] = {}
    for claim in [] if head is None else head.iter("priority-claim"):
        grouped.setdefault(claim.get("sequence") or str(len(grouped)), []).append(claim)
    active: list[Priority] = []
    inactive: list[Priority] = []
    for claims in grouped.values():
        style, each = merged_ids(node for claim in claims for node in _formed(claim))
        priority = make_priority(each.country, each.number, each.date, kind=each.kind, style=style)
        flags = {child_text(claim, "priority-active-indicator")[:1] for claim in claims}
        (inactive if "N" in flags else active).append(priority)
    return tuple(active), tuple(inactive)


def _classes(head: Element | None) -> Element:
    """Bibliographic data without cited documents, which have classes of their own."""
    if head is not None:
        for node in head.findall("references-cited"):
            head.remove(node)
    return head if head is not None else []


def _cpc(head: Element | None) -> tuple[str, ...]:
    nodes = [] if head is None else head.iterfind(".//patent-classification")
    return symbols(
        classification(node)
        for node in nodes
        if (node.find("classification-scheme") is not None)
        and str(node.find("classification-scheme").get("scheme")).startswith("CPC")
    )


def _language(head: Element | None) -> str:
    node = None if head is None else head.find("publication-reference/document-id")
    return (node.get("lang") or "").lower() if node is not None else ""


def _texts(element: Element, head: Element | None) -> tuple[Text, ...]:
    """Titles and abstracts by language; of several in one language, the first."""
    titles: dict[str, str] = {}
    abstracts: dict[str, str] = {}
    for node in [] if head is None else head.iterfind("invention-title"):
        titles.setdefault((node.get("lang") or UNKNOWN_LANGUAGE).lower(), text_of(node))
    for node in element.iterfind("abstract"):
        abstracts.setdefault((node.get("lang") or UNKNOWN_LANGUAGE).lower(), text_of(node))
    return tuple(
        Text(language, titles.get(language, ""), abstracts.get(language, ""))
        for language in dict.fromkeys([*titles, *abstracts])
    )
