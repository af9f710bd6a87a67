"""USPTO applications 2001 to 2004: ``patent-application-publication`` (PAP)."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.collections.patents.formats.bibliography import (
    make_application,
    priorities_at,
    symbols,
)
from patmark.collections.patents.formats.body import description_paragraphs, read_claims
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.data import Document, PatentText, Priority

_FOREIGN = ("country-code", "priority-application-number/doc-number", "filing-date")
_RELATED = ("country-code", "doc-number", "document-date")


def read_pap(root: Element) -> Iterator[Document]:
    """Yield the one application of a record."""
    head = root.find("subdoc-bibliographic-information")
    filed = iso_date(child_text(head, "domestic-filing-data/filing-date"))
    application = make_application(
        "US", child_text(head, "domestic-filing-data/application-number/doc-number"), filed
    )
    abstract = [text_of(node) for node in root.iterfind("subdoc-abstract/paragraph")]
    text = PatentText(
        "en",
        child_text(head, "technical-information/title-of-invention"),
        "\n".join(abstract),
        read_claims(root.iterfind("subdoc-claims/claim"), "en"),
        description_paragraphs(root.find("subdoc-description")),
    )
    yield Document(
        office="US",
        number=child_text(head, "document-id/doc-number"),
        kind=child_text(head, "document-id/kind-code"),
        publication_date=iso_date(child_text(head, "document-id/document-date")),
        source_format="uspto-pap",
        language="en",
        **application,
        priorities=priorities_at(root.iterfind(".//foreign-priority-data"), _FOREIGN)
        + _related(root, ".//non-provisional-of-provisional", "P"),
        parents=_related(root, ".//international-conventions/pct-application")
        + _related(root, ".//parent-child/parent")
        + _related(root, ".//continuity-data//parent-pct"),
        ipc=symbols(text_of(node) for node in root.iterfind(".//classification-ipc//ipc")),
        texts=(text,),
    )


def _related(root: Element, path: str, kind: str = "") -> tuple[Priority, ...]:
    return priorities_at(root.iterfind(f"{path}/document-id"), _RELATED, office="US", kind=kind)
