"""National offices in XML and SGML: a table of places for each format, and one reader.

| format | records |
|---|---|
| cnipa | ``cn-patent-document`` (older) and ``PatentDocumentAndRelated`` (newer) |
| tipo | gazettes of Taiwan, one or many in a file, titles in Chinese and English |
| jpo-gazette | gazettes of Japan from 2004 to 2021, ST.36-like, UTF-8 or EUC-JP |
| jpo-st96 | gazettes of Japan from 2022 |
| uspto-pap | applications 2001 to 2004 |
| uspto-sgml | grants 2001 to 2004, ST.32 |
| uspto-red-book | grants and applications from 2005, ST.36 versions 4.0 to 4.7 |
| uspto-xml4ip | parts of an application (claims, specification, abstract), not publications |

A place is a path below the bibliographic data, or below the record if it begins with a slash;
``@name`` is an attribute of the record, ``+`` joins the texts of all elements, and bars divide
alternatives, of which the first with a text counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from patmark.collections.patents.formats.bibliography import (
    ST36,
    TRANSLATED,
    classification,
    count_note,
    make_application,
    pct_parents,
    priorities_at,
    st36_ipc,
    symbols,
    us_ipc,
    whole_number,
    without_cited,
)
from patmark.collections.patents.formats.body import description_paragraphs, read_claims, unwrapped
from patmark.collections.patents.formats.citations import (
    EXAMINATION,
    EXAMINER,
    OTHER,
    described_citations,
    distinct,
    examined_citations,
    named_citation,
    party,
    st36_citations,
)
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.collections.patents.publications import publication
from patmark.data import Citation, Document, PatentText, Priority
from patmark.languages import language, office_language

Classes: TypeAlias = Callable[[Element, Element], tuple[str, ...]]
"""Reader of classes from a record and its bibliographic data."""
Cited: TypeAlias = Callable[[Element, Element], Iterable[Citation]]
PARTS = ("ClaimsDocument", "SpecificationDocument", "AbstractDocument")
GAZETTES = {
    "UnexaminedPatentPublication": "A",
    "InternationalPatentPublication": "A",
    "RegisteredPatentPublication": "B2",
    "RegisteredUtilityModelPublication": "U",
}
TIPO = {"tw-patent-grant": "B", "tw-patent-application": "A"}
_KIND = re.compile(r"\(([A-Z]\d?)\)\s*$")


class Applications(NamedTuple):
    """Elements of priorities or parents: the places of each, its country, number and date."""

    each: str
    parts: tuple[str, str, str] = ST36
    office: str = ""
    kind: str = ""
    inherits_date: bool = False

    def read(self, root: Element, head: Element) -> tuple[Priority, ...]:
        """Return the applications; one without a number is no parent."""
        path, parts, *_ = self
        nodes = (root if path.startswith("/") else head).iterfind(path.removeprefix("/"))
        stated = (node for node in nodes if not self.inherits_date or child_text(node, parts[1]))
        return priorities_at(
            stated, parts, office=self.office, kind=self.kind, inherits_date=self.inherits_date
        )


@dataclass(frozen=True, slots=True)
class OfficeFormat:
    """Places of the fields of a format; those of ST.36 are the defaults.

    ``head`` is a part of the name of the element with the bibliographic data; without one, they are
    in the record itself. ``published`` has the places of country, number, kind and date, ``filed``
    those of number and date, ``english`` those of a title and an abstract in English. ``kinds``
    are codes by record.
    """

    name: str
    office: str
    published: Sequence[str]
    filed: Sequence[str]
    head: str = "bibliographic-data"
    title: str = "invention-title"
    abstract: str = "/abstract"
    claims: str = "claims/claim"
    description: str = "description"
    stated_claims: str = ""
    priorities: tuple[Applications, ...] = (Applications("/.//priority-claims/priority-claim"),)
    parents: tuple[Applications, ...] = ()
    has_pct: bool = False
    ipc: Classes = lambda root, head: st36_ipc(root)
    cpc: Classes = lambda root, head: ()
    citations: Cited = lambda root, head: ()
    kinds: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    english: tuple[str, str] = ("", "")

    def read(self, root: Element) -> Document:
        """Return the document of a record."""
        head = next((node for node in root if self.head in str(node.tag)), root)
        at = partial(_text_at, root, head)
        own = office_language(self.office)
        abstract = at(self.abstract)
        text = PatentText(
            own,
            at(self.title),
            unwrapped(abstract) if language(own).keeps_page_lines else abstract,
            read_claims(root.iterfind(self.claims), own),
            description_paragraphs(root.find(self.description), own),
        )
        title, abstract_in_english = map(at, self.english)
        english = PatentText(TRANSLATED, title, abstract_in_english)
        country, number, kind, date = map(at, self.published)
        applied, filed = map(at, self.filed)
        stated = whole_number(at(self.stated_claims))
        cited = distinct(self.citations(root, head))  # before the classes, which leave them out
        pct = pct_parents(head) if self.has_pct else ()
        return Document(
            office=country or self.office,
            number=number,
            kind=_kind(kind) or self.kinds.get(root.tag, ""),
            publication_date=iso_date(date),
            source_format=self.name,
            language=own,
            **make_application(self.office, applied, iso_date(filed)),
            priorities=tuple(one for each in self.priorities for one in each.read(root, head)),
            parents=(*pct, *(one for each in self.parents for one in each.read(root, head))),
            citations=cited,
            ipc=self.ipc(root, head),
            cpc=self.cpc(root, head),
            texts=(text, english) if english.title else (text,),
            stated_claims=stated,
            notes=count_note(stated, len(text.claims)),
        )


def _text_at(root: Element, head: Element, places: str) -> str:
    for place in filter(None, places.split("|")):
        path = place.lstrip("+/")
        parent = root if "/" in place[:2] else head
        if place.startswith("@"):
            text = root.get(place[1:]) or ""
        elif place.startswith("+"):
            text = "\n".join(map(text_of, parent.iterfind(path)))
        else:
            text = child_text(parent, path)
        if text:
            return text
    return ""


def _kind(written: str) -> str:
    """Return the kind at the end of the name of a gazette, (B1), or a kind code unchanged."""
    match = _KIND.search(unicodedata.normalize("NFKC", written))
    return match[1] if match else written if written.isascii() else ""


def _st36_citations(root: Element, _: Element) -> Iterator[Citation]:
    yield from examined_citations(root)
    yield from described_citations(root.find("description"))


def _below(*prefixes: str, names: str = "country doc-number kind date") -> list[str]:
    """Return the places of several names, each below the first of some elements that has it."""
    return ["|".join(prefix + name for prefix in prefixes) for name in names.split()]


_GAZETTE = OfficeFormat(
    name="jpo-gazette",
    office="JP",
    published=_below("/.//publication-reference/document-id/"),
    filed=_below("/.//application-reference/document-id/", names="doc-number date"),
    parents=(Applications(".//parent-doc//document-id", inherits_date=True),),
    has_pct=True,
    citations=_st36_citations,
)
_JPO = replace(
    _GAZETTE,
    published=[*_GAZETTE.published[:2], "@kind-of-st16|@kind-of-jp", _GAZETTE.published[3]],
    title="invention-title|/description/invention-title",
    stated_claims=".//number-of-claims",
)
_CNIPA_OLDER = replace(
    _GAZETTE,
    name="cnipa",
    office="CN",
    published=_below(
        "/.//cn-publication-reference/document-id/", "/.//publication-reference/document-id/"
    ),
    title="invention-title|/application-body/description/invention-title",
    abstract="/application-body/abstract|abstract",
    claims="application-body/claims/claim",
    description="application-body/description",
)
_TIPO = replace(
    _GAZETTE,
    name="tipo",
    office="TW",
    published=[
        "",
        f"{_GAZETTE.published[1]}|@certificate-number|@publication-number",
        *_GAZETTE.published[2:],
    ],
    kinds=TIPO,
    title=".//chinese-title|invention-title",
    abstract="/abstract|abstract",
    claims=".//claims/claim",
    english=(".//english-title", "/english-abstract"),
)


def _newer_classes(_: Element, head: Element) -> tuple[str, ...]:
    names = ("Section", "MainClass", "Subclass", "MainGroup", "Subgroup")
    found = []
    for node in head.iter("ClassificationIPCR"):
        section, main, sub, group, subgroup = (child_text(node, name) for name in names)
        joined = f"{section}{main}{sub} {group}/{subgroup}" if section else text_of(node)
        found.append(child_text(node, "Text") or joined)
    return symbols(found)


def _newer_citations(_: Element, head: Element) -> Iterator[Citation]:
    """Yield the citations of the examiner, field (56): numbers, or a text."""
    places = (".//WIPOST3Code", ".//DocNumber", ".//Kind", ".//Date")
    for node in head.iterfind(".//ReferencesCited//Citation"):
        country, number, kind, date = (child_text(node, place) for place in places)
        yield from named_citation(country, number, kind, text_of(node), iso_date(date))


_NEWER = (".//WIPOST3Code", ".//DocNumber", ".//Date")
_OWN = ("@country", "@docNumber", "@kind", "@datePublication")
_CNIPA_NEWER = OfficeFormat(
    name="cnipa",
    office="CN",
    head="BibliographicData",
    published=[
        f"{own}|{place}"
        for own, place in zip(
            _OWN,
            _below(
                "PublicationReference[@dataFormat='standard']//",
                "PublicationReference[last()]//",
                names="WIPOST3Code DocNumber Kind Date",
            ),
            strict=True,
        )
    ],
    filed=_below(
        "ApplicationReference[@dataFormat='original']//",
        "ApplicationReference[last()]//",
        names="DocNumber Date",
    ),
    title="InventionTitle",
    abstract="/.//Abstract",
    claims="Claims/Claim",
    description="Description",
    priorities=(Applications(".//PriorityClaim", _NEWER), Applications(".//Priority", _NEWER)),
    has_pct=True,
    ipc=_newer_classes,
    citations=_newer_citations,
)


def _st96_citations(root: Element, head: Element) -> Iterator[Citation]:
    """Yield documents that the examiner cites, field (56) of granted patents, and the applicant."""
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
    yield from described_citations(root.find("Description"))


_ST96_PARTS = (".//IPOfficeCode", ".//ApplicationNumberText", ".//FilingDate")
_ST96 = OfficeFormat(
    name="jpo-st96",
    office="JP",
    head="BibliographicData",
    published=_below(
        "PatentPublicationIdentification/",
        names="IPOfficeCode PublicationNumber PatentDocumentKindCode|PlainLanguageDesignationText "
        "PublicationDate",
    ),
    filed=_below(
        "ApplicationIdentification/", names="ApplicationNumber/ApplicationNumberText FilingDate"
    ),
    kinds=GAZETTES,
    title="InventionTitle",
    abstract="/Abstract",
    claims="Claims/Claim",
    description="Description",
    priorities=(
        Applications(".//PriorityClaim", ("IPOfficeCode", *_ST96_PARTS[1:2], "FilingDate")),
    ),
    parents=tuple(
        Applications(f".//{name}", _ST96_PARTS, office="JP", inherits_date=True)
        for name in ("ParentDocument", "ParentApplication")
    ),
    has_pct=True,
    ipc=lambda root, head: symbols(
        text_of(node)
        for node in head.iterfind("IPCClassification/*")
        if node.tag in ("MainClassification", "FurtherClassification")
    ),
    citations=_st96_citations,
    stated_claims=".//ClaimTotalQuantity",
)


def _of_us(path: str, parts: tuple[str, str, str], kind: str = "") -> Applications:
    return Applications(path, parts, office="US", kind=kind)


_PAP_RELATED = ("country-code", "doc-number", "document-date")
_PAP = OfficeFormat(
    name="uspto-pap",
    office="US",
    head="subdoc-bibliographic-information",
    published=("", *_below("document-id/", names="doc-number kind-code document-date")),
    filed=_below("domestic-filing-data/", names="application-number/doc-number filing-date"),
    title="technical-information/title-of-invention",
    abstract="+/subdoc-abstract/paragraph",
    claims="subdoc-claims/claim",
    description="subdoc-description",
    priorities=(
        Applications(
            "/.//foreign-priority-data",
            ("country-code", "priority-application-number/doc-number", "filing-date"),
        ),
        _of_us("/.//non-provisional-of-provisional/document-id", _PAP_RELATED, "P"),
    ),
    parents=tuple(
        _of_us(f"/.//{path}/document-id", _PAP_RELATED)
        for path in (
            "international-conventions/pct-application",
            "parent-child/parent",
            "continuity-data//parent-pct",
        )
    ),
    ipc=lambda root, head: symbols(map(text_of, root.iterfind(".//classification-ipc//ipc"))),
)
_RED_BOOK = OfficeFormat(
    name="uspto-red-book",
    office="US",
    published=_below("publication-reference/document-id/"),
    filed=_below("application-reference/document-id/", names="doc-number date"),
    abstract="+/abstract",
    priorities=(
        Applications(".//priority-claims/priority-claim"),
        Applications(".//us-provisional-application/document-id", kind="P"),
    ),
    parents=(
        Applications("pct-or-regional-filing-data/document-id"),
        Applications(".//us-related-documents//parent-doc/document-id"),
    ),
    citations=lambda root, head: st36_citations(head.iter("citation", "us-citation")),
    ipc=lambda root, head: us_ipc(st36_ipc(without_cited(head))),
    cpc=lambda root, head: symbols(
        map(classification, head.iterfind("classifications-cpc//classification-cpc"))
    ),
    stated_claims="number-of-claims",
)
_CITED_BY = {"CITED-BY-EXAMINER": (EXAMINATION, EXAMINER), "CITED-BY-OTHER": ("", OTHER)}


def _st32_citations(root: Element, _: Element) -> Iterator[Citation]:
    """Yield the cited patent documents; one without a country is of the US."""
    for node in root.iterfind(".//B560/B561[PCIT]"):
        country, number, kind, date = (
            child_text(node, f"PCIT/DOC/{name}") for name in ("CTRY", "DNUM", "KIND", "DATE")
        )
        named = (who for name, who in _CITED_BY.items() if node.find(name) is not None)
        phase, by = next(named, ("", ""))
        cited = str(publication(country or "US", number, kind))
        yield Citation(cited, phase=phase, by=by, date=iso_date(date))


_ST32_RELATED = ("CTRY", "DNUM", "DATE")
_ST32 = OfficeFormat(
    name="uspto-sgml",
    office="US",
    published=_below(".//B100/", names="B190 B110 B130 B140"),
    filed=_below(".//B200/", names="B210 B220"),
    title=".//B500/B540",
    abstract="/SDOAB",
    claims=".//SDOCL//CLM",
    description="SDODE",
    priorities=(
        Applications(".//B300", ("B330", "B310", "B320")),
        _of_us(".//B600/B680US//DOC", _ST32_RELATED, "P"),
    ),
    parents=(
        _of_us(".//B860/B861/DOC", _ST32_RELATED),
        _of_us(".//B600//PDOC/DOC", _ST32_RELATED),
    ),
    citations=_st32_citations,
    ipc=lambda root, head: us_ipc(
        "".join(node.itertext())  # blanks count
        for node in root.iterfind(".//B510/*")
        if node.tag in ("B511", "B512", "B513")
    ),
    stated_claims=".//B570/B577",
)
_BY_ROOT: dict[str, OfficeFormat] = {
    "cn-patent-document": _CNIPA_OLDER,
    "PatentDocumentAndRelated": _CNIPA_NEWER,
    "jp-official-gazette": _JPO,
    "patent-application-publication": _PAP,
    "us-patent-grant": _RED_BOOK,
    "us-patent-application": _RED_BOOK,
    "PATDOC": _ST32,
    **dict.fromkeys(GAZETTES, _ST96),
    **dict.fromkeys(TIPO, _TIPO),
}


def read_office(root: Element) -> Iterator[Document]:
    """Yield the documents of a record of a national office: several in a gazette of Taiwan."""
    if root.tag in PARTS:
        yield _us_part(root)
    elif root.tag in _BY_ROOT and root.tag not in TIPO:
        yield _BY_ROOT[root.tag].read(root)
    else:
        yield from map(_TIPO.read, root.iter(*TIPO))


def _us_part(root: Element) -> Document:
    """Return a part of a US application, whose kind is the code of the part."""
    number = child_text(root, ".//ApplicationNumber")
    part = child_text(root, "DocumentCode")
    mailed = iso_date(child_text(root, "MailRoomDate"))
    own = office_language("US")
    claims = read_claims(_us_claims(root), own)
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
        language=own,
        application_number=number,
        application_problem="XML4IP gives no filing date",
        texts=(PatentText(own, "", abstract, claims, specification),),
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
