"""WIPO ST.96: US application documents (XML4IP) and Japanese gazettes from 2022.

XML4IP files hold parts of an application (claims, specification, abstract), not publications:
each becomes a document whose kind is the code of the part.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from patmark.collections.patents.formats.bibliography import (
    count_note,
    make_application,
    pct_parents,
    priorities_at,
    symbols,
    whole_number,
)
from patmark.collections.patents.formats.body import description_paragraphs, read_claims
from patmark.collections.patents.formats.citations import (
    EXAMINER,
    described_citations,
    distinct,
    named_citation,
    party,
)
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.data import Citation, Document, PatentText, Priority

PARTS = ("ClaimsDocument", "SpecificationDocument", "AbstractDocument")
GAZETTES = {
    "UnexaminedPatentPublication": "A",
    "InternationalPatentPublication": "A",
    "RegisteredPatentPublication": "B2",
    "RegisteredUtilityModelPublication": "U",
}


_KIND = re.compile(r"\(([A-Z]\d?)\)\s*$")


def read_st96(root: Element) -> Iterator[Document]:
    """Yield a part of a US application, or a Japanese gazette."""
    yield _us_part(root) if root.tag in PARTS else _gazette(root)


def _us_part(root: Element) -> Document:
    number = child_text(root, ".//ApplicationNumber")
    part = child_text(root, "DocumentCode")
    mailed = iso_date(child_text(root, "MailRoomDate"))
    claims = read_claims(_us_claims(root), "en")
    specification = description_paragraphs(root.find("Specification"))
    abstract = ""
    if part == "ABST":
        abstract = "\n".join(each.text for each in specification if not each.is_heading)
        specification = ()
    stated = whole_number(child_text(root, "ClaimTotalQuantity"))
    return Document(
        office="US",
        number=number,
        kind=part,
        publication_date="",
        source_format="uspto-xml4ip",
        language="en",
        application_number=number,
        application_problem="XML4IP gives no filing date",
        texts=(PatentText("en", "", abstract, claims, specification),),
        stated_claims=stated,
        notes=(
            f"part of an application, mailed {mailed}; not a publication",
            *count_note(stated, len(claims)),
        ),
    )


def _us_claims(root: Element) -> Iterator[Element]:
    """Yield the claims without introductory text on the page ("This listing of claims …").

    Claims that are canceled together (1-16) have numbers but no id.
    """
    for claim in root.iterfind(".//ClaimList/Claim"):
        is_claim = not (claim.get("id") or "").startswith("UNKNOWN")
        if is_claim or text_of(claim)[:1].isdecimal():
            yield claim


def _gazette(root: Element) -> Document:
    head = next((node for node in root if str(node.tag).endswith("BibliographicData")), root)
    published = head.find("PatentPublicationIdentification")
    filed = head.find("ApplicationIdentification")
    application = make_application(
        "JP",
        child_text(filed, "ApplicationNumber/ApplicationNumberText"),
        iso_date(child_text(filed, "FilingDate")),
    )
    claims = read_claims(root.iterfind("Claims/Claim"), "ja")
    stated = whole_number(child_text(head, ".//ClaimTotalQuantity"))
    text = PatentText(
        "ja",
        child_text(head, "InventionTitle"),
        child_text(root, "Abstract"),
        claims,
        description_paragraphs(root.find("Description")),
    )
    kind = child_text(published, "PatentDocumentKindCode") or _stated_kind(head)
    return Document(
        office=child_text(published, "IPOfficeCode") or "JP",
        number=child_text(published, "PublicationNumber").replace("-", ""),
        kind=kind or GAZETTES[root.tag],
        publication_date=iso_date(child_text(published, "PublicationDate")),
        source_format="jpo-st96",
        language="ja",
        **application,
        priorities=priorities_at(
            head.iterfind(".//PriorityClaim"),
            ("IPOfficeCode", ".//ApplicationNumberText", "FilingDate"),
        ),
        parents=pct_parents(head) + _divided_from(head),
        citations=distinct((*_citations(head), *described_citations(root.find("Description")))),
        ipc=symbols(
            text_of(node)
            for node in head.iterfind("IPCClassification/*")
            if node.tag in ("MainClassification", "FurtherClassification")
        ),
        texts=(text,),
        stated_claims=stated,
        notes=count_note(stated, len(claims)),
    )


def _stated_kind(head: Element) -> str:
    """Return the kind at the end of the name of the gazette: 特許公報(B1)."""
    name = unicodedata.normalize("NFKC", child_text(head, "PlainLanguageDesignationText"))
    match = _KIND.search(name)
    return match[1] if match else ""


def _divided_from(head: Element) -> tuple[Priority, ...]:
    """Return the application of which this is a divisional."""
    parts = (".//IPOfficeCode", ".//ApplicationNumberText", ".//FilingDate")
    nodes = head.iter("ParentDocument", "ParentApplication")
    return priorities_at(nodes, parts, office="JP", inherits_date=True)


def _citations(head: Element) -> Iterator[Citation]:
    """Yield documents that the examiner cites, field (56) of granted patents."""
    for node in head.iterfind("ReferenceCitationBag/*"):
        if node.find("NPLCitation") is not None:
            continue
        cited = node.find(".//CitedPatentDocumentIdentification")
        yield from named_citation(
            child_text(cited, "IPOfficeCode"),
            child_text(cited, "DocumentNumber"),
            child_text(cited, "PatentDocumentKindCode"),
            child_text(node, ".//PatentCitationText") or text_of(node),
            iso_date(child_text(cited, "PatentDocumentDate")),
            party(node.get("citingPartyCategory") or "") or EXAMINER,
        )
