"""EPO full text, ``ep-patent-document`` versions 1.0 to 1.5.1, from 1978.

Titles are in German, English and French; granted patents have the claims in the three languages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from patmark.collections.patents.formats.bibliography import (
    UNDETERMINED,
    classification,
    make_application,
    make_priority,
    symbols,
)
from patmark.collections.patents.formats.body import texts_in_languages
from patmark.collections.patents.formats.citations import (
    EXAMINER,
    SEARCH,
    described_citations,
    distinct,
    st36_citations,
    text_citations,
)
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.data import Citation, Document, PatentText, Priority


def read_ep(root: Element) -> Iterator[Document]:
    """Yield the one application or patent of a record."""
    head = root.find("SDOBI")
    filed = iso_date(child_text(head, "B200/B220/date"))
    application = make_application("EP", child_text(head, "B200/B210"), filed)
    yield Document(
        office=root.get("country") or child_text(head, "B100/B190"),
        number=root.get("doc-number") or child_text(head, "B100/B110"),
        kind=root.get("kind") or child_text(head, "B100/B130"),
        publication_date=iso_date(root.get("date-publ") or child_text(head, "B100/B140/date")),
        source_format="ep-fulltext",
        language=_language(root) or UNDETERMINED,
        **application,
        priorities=_priorities(head),
        parents=_parents(head),
        citations=distinct(_citations(root, head)),
        ipc=_ipc(root),
        cpc=symbols(map(classification, root.iterfind(".//B520EP//classification-cpc"))),
        texts=_texts(root, head),
        notes=claim_set_notes(root, _language(root) or UNDETERMINED),
    )


def _language(node: Element) -> str:
    return (node.get("lang") or "").lower()


def _priorities(head: Element | None) -> tuple[Priority, ...]:
    """Group B310, B320 and B330, which follow each other without a common element."""
    rows: list[dict[str, str]] = []
    for node in [] if head is None else head.iterfind("B300/*"):
        if node.tag == "B310":
            rows.append({})
        if rows:
            rows[-1][node.tag] = text_of(node)
    return tuple(
        make_priority(row.get("B330", ""), row["B310"], iso_date(row.get("B320", "")), style="ep")
        for row in rows
    )


def _parents(head: Element | None) -> tuple[Priority, ...]:
    """Return the PCT application, and the application of which this is a divisional."""
    if head is None:
        return ()
    divided = [
        make_priority(
            "EP",
            child_text(node, "anum"),
            iso_date(child_text(node.getparent(), "date")),
            inherits_date=True,
        )
        for node in head.iterfind(".//B620//dnum")
        if node.getparent().tag != "cdoc"  # its own divisional applications
    ]
    entered = [
        make_priority(
            child_text(node, "dnum/anum")[:2],
            child_text(node, "dnum/anum")[2:],
            iso_date(child_text(node, "date")),
            kind="W",
            style="docdb",
        )
        for node in head.iterfind(".//B860/B861")
    ]
    return (*entered, *divided)


def _citations(root: Element, head: Element | None) -> Iterator[Citation]:
    """Yield citations of the search (B560, or a search report), and of the description."""
    nodes = [] if head is None else head.iterfind("B500/B560/*")
    texts = [text_of(node) for node in nodes if node.tag in ("B561", "B562")]
    searched = iso_date(child_text(head, "B500/B560/B565EP/date"))
    for each in text_citations(texts, SEARCH, EXAMINER):
        yield replace(each, cited_on=searched)
    yield from st36_citations(root.iterfind(".//srep-citations/citation"), SEARCH, EXAMINER)
    yield from described_citations(root.find("description"))


def _ipc(root: Element) -> tuple[str, ...]:
    new = [classification(node) for node in root.iterfind(".//B510EP//classification-ipcr")]
    old = [
        text_of(node)
        for node in root.iterfind(".//B510/*")
        if node.tag in ("B511", "B512", "B513", "B514")
    ]
    return symbols([*new, *old])


def _texts(root: Element, head: Element | None) -> tuple[PatentText, ...]:
    own = _language(root) or UNDETERMINED
    parts = (first_of_language(root, name, own) for name in ("abstract", "claims", "description"))
    return texts_in_languages(own, _titles(head), *parts)


def first_of_language(root: Element, name: str, own: str = UNDETERMINED) -> dict[str, Element]:
    """Return the first element of this name in each language."""
    found: dict[str, Element] = {}
    for node in root.iterfind(name):
        found.setdefault(_language(node) or own, node)
    return found


def claim_set_notes(root: Element, own: str = UNDETERMINED) -> tuple[str, ...]:
    """Note languages with several claim sets, of which the first is kept."""
    sets = Counter(_language(node) or own for node in root.iterfind("claims"))
    return tuple(
        f"{count} sets of claims in {language}; the first is kept"
        for language, count in sorted(sets.items())
        if count > 1
    )


def _titles(head: Element | None) -> dict[str, str]:
    """Return titles by language: B541 (language) and B542 (title) alternate."""
    titles: dict[str, str] = {}
    language = ""
    for node in [] if head is None else head.iterfind("B500/B540/*"):
        if node.tag == "B541":
            language = text_of(node).lower()
        elif node.tag == "B542" and language:
            titles[language] = text_of(node)
    return titles
