"""USPTO Red Book (ST.36), grants and applications from 2005: versions 4.0 to 4.7."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.collections.patents.formats.bibliography import (
    ST36,
    classification,
    count_note,
    document_id,
    make_application,
    priorities_at,
    st36_ipc,
    st36_priorities,
    symbols,
    us_ipc,
    whole_number,
    without_cited,
)
from patmark.collections.patents.formats.body import description_paragraphs, read_claims
from patmark.collections.patents.formats.citations import distinct, st36_citations
from patmark.collections.patents.formats.xml_reading import Element, child_text, text_of
from patmark.data import Document, PatentText, Priority

_CPC = "classifications-cpc//classification-cpc"


def read_red_book(root: Element) -> Iterator[Document]:
    """Yield the one grant or application of a record."""
    head = next((node for node in root if str(node.tag).startswith("us-bibliographic-data")), root)
    published = document_id(head.find("publication-reference/document-id"))
    filed = document_id(head.find("application-reference/document-id"))
    application = make_application("US", filed.number, filed.date)
    text = PatentText(
        "en",
        child_text(head, "invention-title"),
        "\n".join(text_of(node) for node in root.iterfind("abstract")),
        read_claims(root.iterfind("claims/claim"), "en"),
        description_paragraphs(root.find("description")),
    )
    stated = whole_number(child_text(head, "number-of-claims"))
    cited = distinct(st36_citations(head.iter("citation", "us-citation")))
    yield Document(
        office=published.country or "US",
        number=published.number,
        kind=published.kind,
        publication_date=published.date,
        source_format="uspto-red-book",
        language="en",
        **application,
        priorities=st36_priorities(head) + _provisional(head),
        parents=_parents(head),
        citations=cited,
        ipc=us_ipc(st36_ipc(without_cited(head))),
        cpc=symbols(map(classification, head.iterfind(_CPC))),
        texts=(text,),
        stated_claims=stated,
        notes=count_note(stated, len(text.claims)),
    )


def _provisional(head: Element) -> tuple[Priority, ...]:
    """Return US provisional applications, which other offices call priorities."""
    nodes = head.iterfind(".//us-provisional-application/document-id")
    return priorities_at(nodes, ST36, kind="P")


def _parents(head: Element) -> tuple[Priority, ...]:
    """Return the PCT application, and the applications that this one continues or divides."""
    paths = ("pct-or-regional-filing-data", ".//us-related-documents//parent-doc")
    nodes = (node for path in paths for node in head.iterfind(f"{path}/document-id"))
    return priorities_at(nodes, ST36)
