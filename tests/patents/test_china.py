"""CNIPA documents. No real one is public: these are SYNTHETIC, written from element lists."""

from __future__ import annotations

from pathlib import Path

from patmark.data.documents import Document
from patmark.patents.read import read_record

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
