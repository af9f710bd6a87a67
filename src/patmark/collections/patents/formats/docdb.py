"""EPO DOCDB and OPS: bibliographic data of the world, with family ids.

DOCDB gives numbers in its own form (docdb) and, without a date, in epodoc and original form. OPS
replies have families, bibliographic data, the register, claims or descriptions; in JSON they are
those in XML: ``@`` before attributes, ``$`` for the text of an element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from patmark.catalogue import load_library
from patmark.collections.patents.formats.bibliography import (
    TRANSLATED,
    UNDETERMINED,
    DocumentId,
    best_application,
    best_priority,
    classification,
    document_id,
    known_language,
    make_application,
    make_priority,
    number_forms,
    number_groups,
    st36_ipc,
    symbols,
    without_cited,
)
from patmark.collections.patents.formats.body import description_paragraphs, given_claims
from patmark.collections.patents.formats.citations import SEARCH, distinct, st36_citations
from patmark.collections.patents.formats.many_languages import claim_set_notes, first_of_language
from patmark.collections.patents.formats.tables import Row
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.data import Claim, Document, PatentText, Priority
from patmark.errors import InputError
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
