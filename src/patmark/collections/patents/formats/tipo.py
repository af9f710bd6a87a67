"""TIPO (Taiwan) gazettes: ``tw-patent-grant`` and ``tw-patent-application``, one or many in a file.

Titles are in Chinese and English; the text is in traditional characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from patmark.collections.patents.formats.bibliography import (
    st36_gazette,
)
from patmark.collections.patents.formats.body import description_paragraphs, read_claims, unwrapped
from patmark.collections.patents.formats.xml_reading import Element, child_text
from patmark.data import Document, PatentText

ROOTS = {"tw-patent-grant": "B", "tw-patent-application": "A"}


def read_tipo(root: Element) -> Iterator[Document]:
    """Yield all grants or applications of a record."""
    for element in root.iter(*ROOTS):
        yield _document(element)


def _document(root: Element) -> Document:
    head = next((node for node in root if "bibliographic-data" in str(node.tag)), root)
    texts = [
        PatentText(
            "zh",
            child_text(head, ".//chinese-title") or child_text(head, "invention-title"),
            unwrapped(child_text(root, "abstract") or child_text(head, "abstract")),
            read_claims(root.iterfind(".//claims/claim"), "zh"),
            description_paragraphs(root.find("description"), "zh"),
        )
    ]
    english = child_text(head, ".//english-title")
    if english:
        texts.append(PatentText("en", english, child_text(root, "english-abstract")))
    document = st36_gazette(root, head, "TW", "zh", "tipo")
    stated = root.get("certificate-number") or root.get("publication-number") or ""
    return replace(
        document,
        office="TW",
        number=document.number or stated,
        kind=document.kind or ROOTS[root.tag],
        texts=tuple(texts),
    )
