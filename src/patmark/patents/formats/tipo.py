"""TIPO (Taiwan) gazettes: ``tw-patent-grant`` and ``tw-patent-application``, one or many in a file.

Titles are in Chinese and English; the text is in traditional characters.
"""

from __future__ import annotations

from collections.abc import Iterator

from patmark.data import Document, Text
from patmark.patents.formats.bibliography import (
    divided_from,
    document_id,
    make_application,
    pct_parents,
    require_number,
    st36_ipc,
    st36_priorities,
)
from patmark.patents.formats.body import description_paragraphs, read_claims, unwrapped
from patmark.patents.formats.citations import distinct, examined_citations
from patmark.patents.formats.xml_reading import Element, child_text

ROOTS = {"tw-patent-grant": "B", "tw-patent-application": "A"}


def read_tipo(root: Element) -> Iterator[Document]:
    """All grants or applications of a record."""
    for element in root.iter(*ROOTS):
        yield require_number(_document(element))


def _document(root: Element) -> Document:
    head = next((node for node in root if "bibliographic-data" in str(node.tag)), root)
    published = document_id(head.find("publication-reference/document-id"))
    filed = document_id(head.find("application-reference/document-id"))
    application = make_application("TW", filed.number, filed.date)
    number = published.number or (
        root.get("certificate-number") or root.get("publication-number") or ""
    )
    title = child_text(head, ".//chinese-title") or child_text(head, "invention-title")
    texts = [
        Text(
            "zh",
            title,
            unwrapped(child_text(root, "abstract") or child_text(head, "abstract")),
            read_claims(root.iterfind(".//claims/claim"), "zh"),
            description_paragraphs(root.find("description"), "zh"),
        )
    ]
    english = child_text(head, ".//english-title")
    if english:
        texts.append(Text("en", english, child_text(root, "english-abstract")))
    return Document(
        office="TW",
        number=number,
        kind=published.kind or ROOTS[root.tag],
        publication_date=published.date,
        source_format="tipo",
        language="zh",
        **application,
        priorities=st36_priorities(head),
        parents=pct_parents(head) + divided_from(head),
        citations=distinct(examined_citations(root)),
        ipc=st36_ipc(head),
        texts=tuple(texts),
    )
