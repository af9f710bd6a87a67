"""CNIPA documents. No real one is public: these are SYNTHETIC, written from element lists."""

from __future__ import annotations

from pathlib import Path

from patent_records import read_record
from patmark.data.documents import Document

_DATA = Path(__file__).parent / "data"
# headings are plain paragraphs in this one
_OLDER = (_DATA / "synthetic_cn_older.xml").read_text(encoding="utf-8")
_NEWER = (_DATA / "synthetic_cn_newer.xml").read_text(encoding="utf-8")


def _document(record: bytes) -> Document:
    (found,) = read_record(record)
    assert isinstance(found, Document), found
    return found


def test_older_form() -> None:
    document = _document(_OLDER.replace("UTF-8", "GB2312").encode("gb2312"))
    text = document.text()
    assert (document.id, document.publication_date) == ("CN101234567A", "2008-08-06")
    assert document.application_key == "CN 2007 10012345"
    assert [each.key for each in document.priorities] == ["JP 2006 054321"]
    assert document.ipc == ("G06F 17/30",)
    assert (text.title, text.abstract) == ("一种检索方法", "本发明公开了一种检索方法。")
    assert text.claims[0].text == "一种检索方法，其特征在于，包括：建立索引。"
    assert [claim.depends_on for claim in text.claims] == [(), (1,), (1, 2)]
    sections = [each.section for each in text.description if not each.is_heading]
    assert sections == ["field", "background", "summary", "drawings", "embodiments"]


def test_a_wrong_check_digit_is_reported() -> None:
    document = _document(_OLDER.replace("200710012345.9", "200710012345.3").encode())
    assert document.application_key == ""
    assert "check digit 3 is wrong; 9 was expected" in document.application_problem


def test_newer_form() -> None:
    document = _document(_NEWER.encode())
    text = document.text()
    assert (document.id, document.publication_date) == ("CN109876543B", "2021-01-12")
    assert document.application_key == "CN 2015 10163325"
    assert [each.key for each in document.priorities] == ["US 2014 61/977001"]
    assert document.ipc == ("G09G 5/10", "G06F 3/14")
    assert (text.title, text.abstract) == ("显示装置", "一种显示装置。")
    assert [(claim.num, claim.text) for claim in text.claims] == [
        (1, "一种显示装置，包括屏幕。"), (2, "如权利要求1所述的显示装置。"),
    ]  # fmt: skip
    assert [(each.section, each.id) for each in text.description] == [
        ("field", "0001"), ("background", "0002"), ("summary", "0003"), ("drawings", "0004"),
        ("embodiments", "0005"),
    ]  # fmt: skip


def test_line_ends_of_the_page_fall_inside_words() -> None:
    record = _OLDER.replace(
        "根据权利要求1所述的方法，其", "根据权利要<br/>求1所述的方<br/>法，<br/>其"
    )
    record = record.replace("根据权利要求1或2", "根据权利要</claim-text><claim-text>求1或2")
    record = record.replace("现有的检索较慢。", "现有的检<br/>索较慢。<br/>如此。")
    text = _document(record.encode()).text()
    assert text.claims[1].text == "根据权利要求1所述的方法，\n其特征在于，还包括排序。"
    assert [each.depends_on for each in text.claims] == [(), (1,), (1, 2)]
    assert "现有的检索较慢。\n如此。" in [each.text for each in text.description]


def test_pct_application_is_a_parent() -> None:
    pct = (
        "<pct-or-regional-filing-data><document-id><country>WO</country><doc-number>"
        "PCT/JP2007/051234</doc-number><date>20070126</date></document-id>"
        "</pct-or-regional-filing-data>"
    )
    older = _OLDER.replace("<priority-claims>", pct + "<priority-claims>")
    assert [each.key for each in _document(older.encode()).parents] == ["WO 2007 JP51234"]
    newer = _NEWER.replace(
        "<business:PriorityDetails>",
        "<business:PCTOrRegionalFilingData><base:DocumentID><base:WIPOST3Code>WO"
        "</base:WIPOST3Code><base:DocNumber>PCT/US2015/024999</base:DocNumber><base:Date>20150408"
        "</base:Date></base:DocumentID></business:PCTOrRegionalFilingData>"
        "<business:PriorityDetails>",
    )
    assert [each.key for each in _document(newer.encode()).parents] == ["WO 2015 US24999"]


_TAIWAN = (_DATA.parent / "collections" / "synthetic_tw.xml").read_text(encoding="utf-8")


def test_taiwan() -> None:
    document = _document(_TAIWAN.encode())
    text = document.text()
    assert (document.id, document.publication_date) == ("TWI826142B", "2023-12-11")
    assert document.application_key == "TW 2020 146789"
    assert [each.key for each in document.priorities] == ["US 2019 16/732123"]
    assert (text.title, document.text("en").title) == ("杯子", "CUP")
    assert document.ipc == ("H03M 1/46",)
    assert [each.section for each in text.description if not each.is_heading] == [
        "field", "background", "summary", "drawings", "embodiments", "signs",
    ]  # fmt: skip
    assert [each.depends_on for each in text.claims] == [(), (1,), (1, 2)]
