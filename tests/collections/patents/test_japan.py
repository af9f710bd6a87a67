"""Japanese gazettes. No real one is public: these are SYNTHETIC, written from element lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from patent_records import read_record
from patmark.data.documents import BrokenRecord, Document

_DATA = Path(__file__).parent / "data"
_GAZETTE = (_DATA / "synthetic_jp_gazette.xml").read_text(encoding="utf-8")
_ST96 = (_DATA / "synthetic_jp_st96.xml").read_text(encoding="utf-8")


def _st96(root: str) -> bytes:
    return _ST96.replace("UnexaminedPatentPublication", root).encode()


def _document(record: bytes) -> Document:
    (found,) = read_record(record)
    assert isinstance(found, Document), found
    return found


@pytest.mark.parametrize("encoding", ["UTF-8", "EUC-JP"])
def test_gazette(encoding: str) -> None:
    document = _document(_GAZETTE.replace("UTF-8", encoding).encode(encoding))
    text = document.text()
    assert (document.id, document.publication_date) == ("JP2010123456A", "2010-06-03")
    assert (document.source_format, document.language) == ("jpo-gazette", "ja")
    assert document.application_key == "JP 2008 298765"
    assert [each.key for each in document.priorities] == ["JP 2007 301234"]
    assert document.ipc == ("H01L 21/336", "H01L 29/78")
    assert (text.title, text.abstract) == ("半導体装置", "漏れ電流を小さくする。")
    assert document.stated_claims == 2
    assert document.notes == ()
    assert text.claims[0].text == "基板と、\n前記基板上の電極と、を備える半導体装置。"
    assert [claim.depends_on for claim in text.claims] == [(), (1,)]
    assert [(each.section, each.id, each.is_heading) for each in text.description] == [
        ("field", "0001", False), ("background", "0002", False), ("summary", "0003", False),
        ("summary", "0004", False), ("embodiments", "0005", False), ("embodiments", "", True),
        ("embodiments", "0006", False), ("drawings", "0007", False),
    ]  # fmt: skip
    assert text.description[1].text == "従来、図１の装置が知られている。"
    assert text.description[3].text == "電極を設ける。⟦formula⟧"


@pytest.mark.parametrize(
    ("root", "kind"),
    [("UnexaminedPatentPublication", "A"), ("RegisteredPatentPublication", "B2")],
)
def test_st96_gazette(root: str, kind: str) -> None:
    document = _document(_st96(root))
    text = document.text("ja")
    assert (document.id, document.publication_date) == (f"JP2023000123{kind}", "2023-01-05")
    assert document.application_key == "JP 2021 101010"
    assert [each.key for each in document.priorities] == ["US 2020 63/041234"]
    assert document.ipc == ("G05B 19/05",)
    assert [claim.num for claim in text.claims] == [1, 2]
    assert text.claims[1].depends_on == (1,)
    assert [each.section for each in text.description] == ["field", "background", "embodiments"]
    assert text.abstract == "要約。"
    assert document.notes == ("the record states 3 claims; 2 were read",)


def test_other_st96_documents_are_not_taken_for_publications() -> None:
    (found,) = read_record(_st96("UnexaminedPatentPublicationAmendment"))
    assert isinstance(found, BrokenRecord)
    assert "UnexaminedPatentPublicationAmendment" in found.message


def test_national_phase_has_the_date_of_the_pct_application() -> None:
    pct = (
        "<pct-or-regional-filing-data><document-id><country>WO</country>"
        "<doc-number>{}</doc-number><date>20081121</date></document-id>"
        "</pct-or-regional-filing-data>"
    )
    for written in ("PCT/JP2008/071234", "JP2008071234", "JP2008/071234"):
        record = _GAZETTE.replace("2008-298765", "2010-502345").replace(
            "<priority-claims>", pct.format(written) + "<priority-claims>"
        )
        document = _document(record.encode())
        assert document.application_key == "JP 2010 502345"
        assert [each.key for each in document.parents] == ["WO 2008 JP71234"]


def test_divisional_has_its_parent() -> None:
    parent = (
        "<related-documents><division><relation><parent-doc><document-id><country>JP</country>"
        "<doc-number>2006-123456</doc-number><date>20060427</date></document-id></parent-doc>"
        "</relation></division></related-documents>"
    )
    record = _GAZETTE.replace("<priority-claims>", parent + "<priority-claims>")
    assert [each.key for each in _document(record.encode()).parents] == ["JP 2006 123456"]


@pytest.mark.parametrize("kind", ["B1", "B2"])
def test_st96_kind_of_a_grant_stands_in_its_name(kind: str) -> None:
    name = (
        f"<pat:PlainLanguageDesignationText>特許公報（{kind}）</pat:PlainLanguageDesignationText>"
    )
    record = _st96("RegisteredPatentPublication").decode()
    record = record.replace(
        "<jppat:PatentPublicationIdentification>", name + "<jppat:PatentPublicationIdentification>"
    )
    assert _document(record.encode()).kind == kind


def test_st96_pct_application_is_a_parent() -> None:
    pct = (
        "<pat:InternationalFilingData><com:ApplicationNumber><com:ApplicationNumberText>"
        "PCT/US2021/037999</com:ApplicationNumberText></com:ApplicationNumber>"
        "<pat:FilingDate>2021-06-18</pat:FilingDate></pat:InternationalFilingData>"
    )
    record = _ST96.replace("<jppat:PriorityClaimBag>", pct + "<jppat:PriorityClaimBag>")
    record = record.replace("2021-101010", "2022-577001")
    document = _document(record.encode())
    assert [each.key for each in document.parents] == ["WO 2021 US37999"]
    assert document.application_key == "JP 2022 577001"
