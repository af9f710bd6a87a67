"""Numbers of publications as search reports and gazettes write them, in one form."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.collections.patents import publication, publication_key, read_publication


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("US-A1- 2007 204 872", "US20070204872A1"),
        ("US-A- 5 948 634", "US5948634A"),
        ("US-E- R E36 154", "USRE36154E"),
        ("US 5,948,634", "US5948634"),
        ("WO-A-03/008444", "WO2003008444A"),
        ("WO-A1-97/47834", "WO1997047834A1"),
        ("WO 2004/045320 A1", "WO2004045320A1"),
        ("EP-A- 0 460 575", "EP0460575A"),
        ("EP-1116605-B1", "EP1116605B1"),
        ("DE-OS 2 123 456", "DE2123456"),
        ("DE-A1-102009 041 527", "DE102009041527A1"),
        ("CN 101834823 A,2010.09.15,全文", "CN101834823A"),
        ("JP-A- 7 300 979", "JPH07300979A"),
        ("JP-A-59 219 410 (TORINITEI KOGYO K.K.) 10 December 1984", "JPS59219410A"),
        ("JP-B- 3 456 789", "JP3456789B"),
        ("JP 405123456 A", "JPH05123456A"),
        ("JP 362123456", "JPS62123456"),
        ("JP 52-12345", "JPS52012345"),
        ("JP 06123456", "JPH06123456"),
        ("特開平０８－２３５７８８（ＪＰ，Ａ）", "JPH08235788A"),
        ("特開２００１－１２３４５６号公報", "JP2001123456A"),
        ("特公昭６３－１２３４５号公報", "JPS63012345B2"),
        ("実開平元－１２３４５", "JPH01012345U"),
        ("特許第３４５６７８９号公報", "JP3456789B2"),
        ("登録実用新案第３０１２３４５号公報", "JP3012345U"),
        ("米国特許出願公開第２００６／０１２３４５６（ＵＳ，Ａ１）", "US20060123456A1"),
        ("米国特許第５，９４８，６３４号明細書", "US5948634"),
        ("国際公開第２００５／０１２３４５号", "WO2005012345A1"),
        ("韓国公開特許第10-2001-0012345号公報", "KR20010012345A"),
        ("PATENT ABSTRACTS OF JAPAN vol. 97, no. 6 & JP 09 046808 A (X CORP)", "JPH09046808A"),
    ],
)
def test_a_text_names_a_publication(text: str, expected: str) -> None:
    assert str(read_publication(text)) == expected


@pytest.mark.parametrize(
    "text", ["", "CELL vol. 52, 26 February 1988", "IEEE 46th Conference, pp. 3-9", "全文"]
)
def test_other_literature_names_none(text: str) -> None:
    assert read_publication(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("US2006142694A1", "US20060142694A1"),
        ("EP0383071A1", "EP383071B1"),
        ("WO0308444A2", "WO2003008444"),
        ("KR20010012345A", "KR1020010012345A"),
        ("JP2001500001T", "JP2001500001A"),
        ("US07272630B2", "US7272630"),
    ],
)
def test_one_document_has_one_key(one: str, other: str) -> None:
    assert publication_key(one) == publication_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("JPH05012345A", "JPH05012345B2"),
        ("JPH05012345A", "JPH05012345U"),
        ("JP3012345B2", "JP3012345U"),
        ("KR20010012345A", "KR20010012345U"),
        ("FR84247A", "FR84247E"),
        ("US20060142694A1", "US6142694A"),
    ],
)
def test_what_is_counted_apart_has_keys_of_its_own(one: str, other: str) -> None:
    assert publication_key(one) != publication_key(other)


def test_a_name_that_is_no_number_is_its_own_key() -> None:
    assert [publication_key(name) for name in ("doc 7", "F0000012", "x")] == [
        "doc 7",
        "F0000012",
        "x",
    ]


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    found = read_publication(text)
    assert found is None or publication(found.country, found.number, found.kind) == found
    assert publication_key(text) is not None


def test_a_number_without_end_is_kept_as_it_is() -> None:
    digits = "9" * 5000
    for country in ("EP", "US", "JP", "WO", "DE"):
        assert publication(country, digits).number == digits
