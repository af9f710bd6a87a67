"""MAREC and CLEF-IP: ``patent-document``, one format for EP, WO, US and JP documents.

Numbers are in the form of DOCDB (``format="epo"``) or of the office (``original``). All languages
of a document are present.
"""

from __future__ import annotations

from collections.abc import Iterator

from patmark.collections.patents.formats.bibliography import (
    UNDETERMINED,
    best_application,
    best_priority,
    divided_from,
    document_id,
    known_language,
    number_forms,
    st36_ipc,
)
from patmark.collections.patents.formats.body import texts_in_languages
from patmark.collections.patents.formats.citations import coded_citation, distinct
from patmark.collections.patents.formats.ep_fulltext import claim_set_notes, first_of_language
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.collections.patents.publications import Publication, publication, read_publication
from patmark.data import Citation, Document, PatentText, Priority


def read_marec(root: Element) -> Iterator[Document]:
    """Yield the one document of a record."""
    head = root.find("bibliographic-data")
    published = document_id(root.find("bibliographic-data/publication-reference/document-id"))
    ucid = (root.get("ucid") or "").removeprefix("UN-")  # of all publications of an application
    named = read_publication(ucid) or Publication("", "")
    filed = [] if head is None else head.iterfind("application-reference")
    application = best_application(filed, "national")
    stated = root.get("lang") or child_text(head, "language-of-publication")
    language = known_language(stated) or UNDETERMINED
    yield Document(
        office=root.get("country") or published.country or named.country,
        number=root.get("doc-number") or published.number or named.number,
        kind=root.get("kind") or published.kind or named.kind,
        publication_date=iso_date(root.get("date") or published.date),
        source_format="marec",
        language=language,
        **application,
        priorities=_numbers(head, "priority-claims/priority-claim"),
        parents=_numbers(head, ".//pct-or-regional-filing-data") + divided_from(head),
        citations=distinct(_citations(head)),
        ipc=st36_ipc(head) if head is not None else (),
        texts=_texts(root, head, language),
        family_id=_family(root),
        notes=claim_set_notes(root, language),
    )


def _family(root: Element) -> str:
    """Return the DOCDB family; MAREC has -1 for none."""
    name = root.get("family-id") or ""
    return "" if name.startswith("-") else name


def _numbers(head: Element | None, path: str) -> tuple[Priority, ...]:
    nodes = [] if head is None else head.iterfind(path)
    forms = (number_forms([node], "national") for node in nodes)
    return tuple(best_priority(each) for each in forms if each)


def _texts(root: Element, head: Element | None, own: str) -> tuple[PatentText, ...]:
    titles: dict[str, str] = {}
    for node in [] if head is None else head.iterfind(".//invention-title"):
        titles.setdefault(known_language(node.get("lang") or own), text_of(node))
    parts = (
        {known_language(name): node for name, node in first_of_language(root, part, own).items()}
        for part in ("abstract", "claims", "description")
    )
    return texts_in_languages(own, titles, *parts)


def _citations(head: Element | None) -> Iterator[Citation]:
    """Yield cited documents, once for each citing source (SEA, APP, EXA) with its category."""
    for node in [] if head is None else head.iterfind(".//citations//patcit"):
        cited = document_id(node.find("document-id"))
        found = (
            publication(cited.country, cited.number, cited.kind)
            if cited.number
            else read_publication(node.get("ucid") or "")
        )
        if found is None:
            continue
        sources = node.findall("sources/source") or [node]
        for source in sources:
            phase, category = source.get("name") or "", source.get("category") or ""
            yield coded_citation(str(found), phase, category, cited.date)
