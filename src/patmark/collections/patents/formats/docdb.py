"""EPO DOCDB ``exchange-document``: bibliographic data of the world, with family ids.

DOCDB gives numbers in its own form (docdb) and, without a date, in epodoc and original form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from patmark.collections.patents.formats.bibliography import (
    TRANSLATED,
    UNDETERMINED,
    DocumentId,
    best_application,
    best_priority,
    classification,
    known_language,
    number_forms,
    number_groups,
    st36_ipc,
    symbols,
    without_cited,
)
from patmark.collections.patents.formats.citations import distinct, st36_citations
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.data import Document, PatentText, Priority
from patmark.languages import office_language

_ORIGINAL = "ol"
_STATUS_NOTES = {
    "D": ("DOCDB has deleted this document",),
    "not found": ("OPS has not found this document",),
}


def read_docdb(root: Element) -> Iterator[Document]:
    """Yield all documents of a record, usually one."""
    for element in root.iter("exchange-document"):
        yield exchange_document(element)


def exchange_document(
    element: Element, family_id: str = "", source_format: str = "docdb"
) -> Document:
    """Return one ``exchange-document``, of DOCDB or of an OPS reply."""
    head = element.find("bibliographic-data")
    published = best_id(head, "publication-reference")
    application = best_application(head_nodes(head, "application-reference"), "docdb")
    priorities, inactive = read_priorities([] if head is None else head.iter("priority-claim"))
    office = element.get("country") or published.country
    language, texts = _texts(element, head, office)
    cited = distinct(st36_citations([] if head is None else head.iter("citation")))
    return Document(
        office=office,
        number=element.get("doc-number") or published.number,
        kind=element.get("kind") or published.kind,
        publication_date=iso_date(element.get("date-publ") or published.date),
        source_format=source_format,
        language=language,
        **application,
        priorities=priorities,
        parents=inactive,
        citations=cited,
        ipc=() if head is None else st36_ipc(without_cited(head)),
        cpc=_cpc(head),
        texts=texts,
        family_id=family_id or element.get("family-id") or "",
        notes=_STATUS_NOTES.get(element.get("status") or "", ()),
    )


def head_nodes(head: Element | None, name: str) -> list[Element]:
    """Return the elements of this name in bibliographic data, if any."""
    return [] if head is None else head.findall(name)


def best_id(head: Element | None, name: str) -> DocumentId:
    """Return the docdb form of a number, else epodoc, with the date of any form."""
    return next(iter(number_forms(head_nodes(head, name), "docdb")), DocumentId())


def read_priorities(
    elements: Iterable[Element],
) -> tuple[tuple[Priority, ...], tuple[Priority, ...]]:
    """Return active priorities, and inactive ones, which do not count for DOCDB families."""
    active: list[Priority] = []
    inactive: list[Priority] = []
    for claims in number_groups(elements):
        forms = number_forms(claims, "docdb")
        flags = {child_text(claim, "priority-active-indicator")[:1] for claim in claims}
        if forms:
            (inactive if "N" in flags else active).append(best_priority(forms))
    return tuple(active), tuple(inactive)


def _cpc(head: Element | None) -> tuple[str, ...]:
    nodes = [] if head is None else head.iterfind(".//patent-classification")
    return symbols(
        classification(node)
        for node in nodes
        if (node.find("classification-scheme") is not None)
        and str(node.find("classification-scheme").get("scheme")).startswith("CPC")
    )


def _language(head: Element | None, office: str, abstracts: list[str], titles: list[str]) -> str:
    """Return the language of a document from the record, else from its abstracts.

    Offices of several languages publish the abstract in that of the document, and DOCDB adds one in
    English. Titles are not informative, since an EP document has three.
    """
    node = None if head is None else head.find("publication-reference/document-id")
    stated = child_text(head, "language-of-publication") or (
        (node.get("lang") or "") if node is not None else ""
    )
    if stated or office_language(office):
        return _code(stated) or office_language(office)
    known = [language for language in abstracts if language != _ORIGINAL]
    own = [language for language in known if language != TRANSLATED] if office != "WO" else []
    if own or known:
        return TRANSLATED if office == "WO" and TRANSLATED in known else (own or known)[0]
    found = [language for language in titles if language != _ORIGINAL]
    return TRANSLATED if TRANSLATED in found else found[0] if found else ""


def _code(language: str) -> str:
    """Return a two-letter code if there is one; ``ol`` is the original language."""
    lower = language.strip().lower()
    return lower if lower == _ORIGINAL else known_language(lower)


def _texts(
    element: Element, head: Element | None, office: str
) -> tuple[str, tuple[PatentText, ...]]:
    """Return the language, and the first title and abstract in each language."""
    titles: dict[str, str] = {}
    abstracts: dict[str, str] = {}
    for node in [] if head is None else head.iterfind("invention-title"):
        titles.setdefault(_code(node.get("lang") or UNDETERMINED), text_of(node))
    for node in element.iterfind("abstract"):
        abstracts.setdefault(_code(node.get("lang") or UNDETERMINED), text_of(node))
    own = _language(head, office, [*abstracts], [*titles])
    titles, abstracts = _renamed(titles, own), _renamed(abstracts, own)
    languages = dict.fromkeys([*titles, *abstracts])
    texts = tuple(
        PatentText(language, titles.get(language, ""), abstracts.get(language, ""))
        for language in languages
    )
    return own, texts


def _renamed(found: dict[str, str], own: str) -> dict[str, str]:
    """Return texts in the original language under its code, unless there is one already."""
    if own in found:
        return {language: text for language, text in found.items() if language != _ORIGINAL}
    name = own or UNDETERMINED
    return {name if language == _ORIGINAL else language: text for language, text in found.items()}
