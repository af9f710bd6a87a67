"""JPO gazettes from 2004 to 2021: ``jp-official-gazette``, ST.36-like, UTF-8 or EUC-JP."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.data import Document, Text
from patmark.patents.formats.bibliography import (
    count_note,
    divided_from,
    document_id,
    make_application,
    pct_parents,
    require_number,
    st36_ipc,
    st36_priorities,
    whole_number,
)
from patmark.patents.formats.body import description_paragraphs, read_claims
from patmark.patents.formats.citations import described_citations, distinct, examined_citations
from patmark.patents.formats.xml_reading import Element, child_text


def read_jpo(root: Element) -> Iterator[Document]:
    """The one gazette of a record."""
    head = root.find("bibliographic-data")
    published = document_id(root.find(".//publication-reference/document-id"))
    filed = document_id(root.find(".//application-reference/document-id"))
    application = make_application("JP", filed.number, filed.date)
    claims = read_claims(root.iterfind("claims/claim"), "ja")
    stated = whole_number(child_text(head, ".//number-of-claims"))
    text = Text(
        "ja",
        child_text(head, "invention-title") or child_text(root, "description/invention-title"),
        child_text(root, "abstract"),
        claims,
        description_paragraphs(root.find("description")),
    )
    yield require_number(
        Document(
            office=published.country or "JP",
            number=published.number.replace("-", ""),
            kind=root.get("kind-of-st16") or root.get("kind-of-jp") or "",
            publication_date=published.date,
            source_format="jpo-gazette",
            language="ja",
            **application,
            priorities=st36_priorities(root),
            parents=pct_parents(head) + divided_from(head),
            citations=distinct(
                (*examined_citations(root), *described_citations(root.find("description")))
            ),
            ipc=st36_ipc(root),
            texts=(text,),
            stated_claims=stated,
            notes=count_note(stated, len(claims)),
        )
    )
