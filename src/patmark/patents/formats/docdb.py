"""EPO DOCDB ``exchange-document``: bibliographic data of the world, with family ids.

DOCDB gives numbers in its own form (docdb) and, without a date, in epodoc and original form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from patmark.data import Document, Priority, Text
from patmark.patents.formats.bibliography import (
    LANGUAGES_OF_OFFICES,
    DocumentId,
    classification,
    document_id,
    known_language,
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
_ORIGINAL = "ol"
_FORMS = ("docdb", "epodoc", "original")


def read_docdb(root: Element) -> Iterator[Document]:
    """All documents of a record, which is mostly one."""
    for element in root.iter("exchange-document"):
        yield exchange_document(element)


def exchange_document(
    element: Element, family_id: str = "", source_format: str = "docdb"
) -> Document:
    """One ``exchange-document``, of DOCDB or of an OPS reply."""
    head = element.find("bibliographic-data")
    published = best_id(head, "publication-reference")[1]
    style, filed = best_id(head, "application-reference")
    application = make_application(
        filed.country, filed.number, filed.date, kind=filed.kind, style=style
    )
    priorities, inactive = read_priorities(head)
    office = element.get("country") or published.country
    language, texts = _texts(element, head, office)
    cited = distinct(st36_citations([] if head is None else head.iter("citation")))
    return require_number(
        Document(
            office=office,
            number=element.get("doc-number") or published.number,
            kind=element.get("kind") or published.kind,
            publication_date=iso_date(element.get("date-publ") or published.date),
            source_format=source_format,
            language=language,
            **application.fields(),
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


def _language(head: Element | None, office: str, abstracts: list[str], titles: list[str]) -> str:
    """The language of a document: what the record says, else what its abstracts tell.

    Offices of several languages publish the abstract in that of the document, and DOCDB adds one
    in English; titles tell nothing there, since an EP document has three.
    """
    node = None if head is None else head.find("publication-reference/document-id")
    stated = child_text(head, "language-of-publication") or (
        (node.get("lang") or "") if node is not None else ""
    )
    if stated or office in LANGUAGES_OF_OFFICES:
        return _code(stated) or LANGUAGES_OF_OFFICES[office]
    known = [language for language in abstracts if language != _ORIGINAL]
    own = [language for language in known if language != "en"] if office != "WO" else []
    if own or known:
        return (own or known)[0] if office != "WO" or "en" not in known else "en"
    found = [language for language in titles if language != _ORIGINAL]
    return "en" if "en" in found else found[0] if found else ""


def _code(language: str) -> str:
    """A code of two letters where there is one; ``ol`` stands for the language of the original."""
    lower = language.strip().lower()
    return lower if lower == _ORIGINAL else known_language(lower)


def _texts(element: Element, head: Element | None, office: str) -> tuple[str, tuple[Text, ...]]:
    """The language, and titles and abstracts by language; of several in one, the first."""
    titles: dict[str, str] = {}
    abstracts: dict[str, str] = {}
    for node in [] if head is None else head.iterfind("invention-title"):
        titles.setdefault(_code(node.get("lang") or UNKNOWN_LANGUAGE), text_of(node))
    for node in element.iterfind("abstract"):
        abstracts.setdefault(_code(node.get("lang") or UNKNOWN_LANGUAGE), text_of(node))
    own = _language(head, office, [*abstracts], [*titles])
    titles, abstracts = _renamed(titles, own), _renamed(abstracts, own)
    languages = dict.fromkeys([*titles, *abstracts])
    texts = tuple(
        Text(language, titles.get(language, ""), abstracts.get(language, ""))
        for language in languages
    )
    return own, texts


def _renamed(found: dict[str, str], own: str) -> dict[str, str]:
    """Texts in the original language under its code, unless there is one already."""
    if own in found:
        return {language: text for language, text in found.items() if language != _ORIGINAL}
    name = own or UNKNOWN_LANGUAGE
    return {name if language == _ORIGINAL else language: text for language, text in found.items()}
