"""Korean patents: replies of KIPRIS Plus, and specifications of the editor of the office (KIPO).

A reply is about an application: it has the numbers of its publications, and the claims in their
last state. The record is the granted patent if there is one, else the published application.
Details of one application are in ``item``, in arrays of each kind; lists of results have one
``item`` or ``PatentUtilityInfo`` each, with other field names in the two services.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from patmark.collections.patents.formats.bibliography import (
    TRANSLATED,
    make_application,
    make_priority,
    symbols,
    whole_number,
)
from patmark.collections.patents.formats.body import (
    claims_in_text,
    description_paragraphs,
    given_claims,
    read_claims,
)
from patmark.collections.patents.formats.citations import APPLICANT, EXAMINATION, EXAMINER, distinct
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.collections.patents.publications import read_publication
from patmark.data import Citation, Claim, Document, PatentText, Priority
from patmark.languages import office_language

ROOT = "response"
_OWN = office_language("KR")
SPECIFICATIONS = ("KIPO", "PatentCAFDOC")
MARKS = re.compile(rb"<(?:biblioSummaryInfo|PatentUtilityInfo|astrtCont|inventionTitle)\b")
"""Elements that distinguish a reply about patents from another ``response``."""
_FIELDS = {
    "application": ("applicationNumber", "ApplicationNumber"),
    "filed": ("applicationDate", "ApplicationDate"),
    "opened": ("openNumber", "OpeningNumber"),
    "open date": ("openDate", "OpeningDate"),
    "announced": ("publicationNumber", "PublicNumber"),
    "announcement date": ("publicationDate", "PublicDate"),
    "registered": ("registerNumber", "RegistrationNumber"),
    "registration date": ("registerDate", "RegistrationDate"),
    "title": ("inventionTitle", "InventionName"),
    "english title": ("inventionTitleEng",),
    "original": ("originalApplicationNumber",),
    "original date": ("originalApplicationDate",),
    "claims": ("claimCount",),
}
# 10: a patent, 20: a utility model; the last four digits of a registration are those of its parts
_REGISTERED = re.compile(r"(?P<type>[12]0)-?(?P<number>\d{7})(?:-?\d{4})?")
_TYPED = re.compile(r"(?P<type>[12]0)-?\d{4}")
_DELETED = re.compile(r"\(?삭제(?:되었음)?\)?\.?")
_ENGLISH_TITLE = re.compile(r"(?P<own>[^{]*)\{(?P<english>[^}]*)\}\s*")
_CODE = re.compile(r"\(?([A-Z]{2})\)?$")
_JAPANESE = re.compile(r"^(?:JP-?)?(?:[PU]-|특원|실원)\s*")
_COUNTRIES = {
    "미국": "US", "일본": "JP", "중국": "CN", "독일": "DE", "프랑스": "FR", "영국": "GB",
    "대한민국": "KR", "한국": "KR", "유럽": "EP", "유럽특허청": "EP", "유럽특허기구": "EP",
    "대만": "TW", "타이완": "TW", "이탈리아": "IT", "스위스": "CH", "네덜란드": "NL",
    "스웨덴": "SE", "핀란드": "FI", "덴마크": "DK", "노르웨이": "NO", "캐나다": "CA", "호주": "AU",
    "오스트레일리아": "AU", "인도": "IN", "이스라엘": "IL", "스페인": "ES", "오스트리아": "AT",
    "벨기에": "BE", "러시아": "RU", "러시아연방": "RU", "브라질": "BR", "싱가포르": "SG",
    "국제사무국": "WO", "세계지식재산권기구": "WO", "세계지적재산권기구": "WO",
}  # fmt: skip


def read_kipris(root: Element) -> Iterator[Document]:
    """Yield the applications of a reply."""
    for item in root.iter("item", "PatentUtilityInfo"):
        yield _application(item)


def _application(item: Element) -> Document:
    head = next(item.iter("biblioSummaryInfo"), item)
    fields = {name: _field(head, names) for name, names in _FIELDS.items()}
    number, kind, date, notes = _publication(fields)
    abstracts = (text_of(node) for node in item.iter("astrtCont", "Abstract"))
    claims = _claims(item)
    texts = [PatentText(_OWN, fields["title"], next(filter(None, abstracts), ""), claims)]
    if fields["english title"]:
        texts.append(PatentText(TRANSLATED, fields["english title"]))
    return Document(
        office="KR",
        number=number,
        kind=kind,
        publication_date=date,
        source_format="kipris",
        language=_OWN,
        **make_application("KR", fields["application"], iso_date(fields["filed"])),
        priorities=tuple(_priorities(item)),
        parents=tuple(_parents(item, fields)),
        citations=distinct(_citations(item)),
        ipc=symbols(_classes(item, "ipcNumber", "InternationalpatentclassificationNumber")),
        cpc=symbols(_classes(item, "cpcNumber", "CooperativepatentclassificationNumber")),
        texts=tuple(text for text in texts if text != PatentText(text.language)),
        stated_claims=whole_number(fields["claims"]),
        notes=notes,
    )


def _field(head: Element, names: tuple[str, ...]) -> str:
    return next(filter(None, (child_text(head, name).strip() for name in names)), "")


def _publication(fields: Mapping[str, str]) -> tuple[str, str, str, tuple[str, ...]]:
    """Return number, kind and date of the last publication, and a note if there is none."""
    typed = _TYPED.match(fields["application"])
    model = typed is not None and typed["type"] == "20"
    registered = _REGISTERED.fullmatch(fields["registered"])
    if registered:
        date = fields["announcement date"] or fields["registration date"]
        kind = "Y1" if registered["type"] == "20" else "B1"
        return registered["type"] + registered["number"], kind, iso_date(date), ()
    if fields["opened"]:
        return fields["opened"], "U" if model else "A", iso_date(fields["open date"]), ()
    if fields["announced"]:
        date = fields["announcement date"]
        return fields["announced"], "Y1" if model else "B1", iso_date(date), ()
    note = "not published yet: the number is that of the application"
    return fields["application"], "", "", (note,) if fields["application"] else ()


def _claims(item: Element) -> tuple[Claim, ...]:
    """Return the claims without deleted ones; numbers stay."""
    written = [text_of(node) for node in item.iterfind(".//claimInfo/claim")]
    found = given_claims(written) if len(written) != 1 else claims_in_text(written[0])
    return tuple(claim for claim in found if not _DELETED.fullmatch(claim.text.strip()))


def _priorities(item: Element) -> Iterator[Priority]:
    for node in item.iter("priorityInfo"):
        country = _country(child_text(node, "priorityApplicationCountry"))
        number = child_text(node, "priorityApplicationNumber").strip()
        if country == "JP":
            number = _JAPANESE.sub("", number)
        if number:
            date = iso_date(child_text(node, "priorityApplicationDate"))
            yield make_priority(country, number, date)


def _country(text: str) -> str:
    """Return the code of a country that is named in Korean, with its code, or both."""
    plain = text.strip()
    code = _CODE.search(plain)
    return code[1] if code else _COUNTRIES.get(re.sub(r"\(.*|\s", "", plain), "")


def _parents(item: Element, fields: Mapping[str, str]) -> Iterator[Priority]:
    """Yield the international application, and the one that this one divides."""
    for node in item.iter("internationalInfo"):
        number = child_text(node, "internationalApplicationNumber").strip()
        if number:
            date = iso_date(child_text(node, "internationalApplicationDate"))
            yield make_priority("WO", number, date, kind="W")
    if fields["original"]:
        yield make_priority("KR", fields["original"], iso_date(fields["original date"]))


def _classes(item: Element, *names: str) -> Iterator[str]:
    for node in item.iter(*names):
        yield from text_of(node).split("|")


def _citations(item: Element) -> Iterator[Citation]:
    for node in item.iter("priorArtDocumentsInfo"):
        cited = read_publication(child_text(node, "documentsNumber"))
        if cited:
            by_office = child_text(node, "examinerQuotationFlag").strip().upper() == "Y"
            phase, by = (EXAMINATION, EXAMINER) if by_office else (APPLICANT, APPLICANT)
            yield Citation(str(cited), phase=phase, by=by)


def read_specification(root: Element) -> Iterator[Document]:
    """Yield the specification of an editor file, which has no office number."""
    body = root if root.tag == "PatentCAFDOC" else root.find(".//PatentCAFDOC")
    if body is None:
        return
    written = child_text(body, "description/invention-title")
    titles = _ENGLISH_TITLE.fullmatch(written)
    texts = [
        PatentText(
            _OWN,
            titles["own"].strip() if titles else written,
            child_text(body, "abstract/summary") or child_text(body, "abstract"),
            read_claims(body.iterfind("claims/claim"), _OWN),
            description_paragraphs(body.find("description"), _OWN),
        )
    ]
    if titles:
        texts.append(PatentText(TRANSLATED, titles["english"].strip()))
    number = body.get("documentID") or ""
    yield Document(
        office="KR",
        number=number,
        kind="",
        publication_date="",
        source_format="kipo",
        language=_OWN,
        texts=tuple(texts),
        notes=("an application: the number is that of the file",),
    )
