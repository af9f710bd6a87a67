"""US formats beyond the real samples: synthetic records for SGML, PAP and the Green Book."""

from __future__ import annotations

from pathlib import Path

from patmark.data.documents import Document
from patmark.patents.read import read_record

_DATA = Path(__file__).parent / "data"
_SGML = (_DATA / "synthetic_us_sgml.sgm").read_text(encoding="utf-8")
_PAP = (_DATA / "synthetic_us_pap.xml").read_text(encoding="utf-8")
_GREEN = (_DATA / "synthetic_us_green_book.txt").read_text(encoding="utf-8")


def _document(record: str | bytes) -> Document:
    (found,) = read_record(record.encode() if isinstance(record, str) else record)
    assert isinstance(found, Document), found
    return found


def test_sgml_that_is_no_xml() -> None:
    document = _document(_SGML)
    text = document.text("en")
    assert (document.id, document.publication_date) == ("US6167569B1", "2001-01-02")
    assert text.title == "α-Olefin cup"
    assert [each.key for each in document.priorities] == ["US 1997 60/058451"]
    assert [(each.section, each.text) for each in text.description] == [
        ("background", "BACKGROUND"), ("background", "Cups leak2."),
        ("background", "⟦image⟧"),
    ]  # fmt: skip
    assert [claim.text for claim in text.claims] == ["A cup."]
    assert document.notes == ()


def test_pap_priorities() -> None:
    document = _document(_PAP)
    assert document.id == "US20020000001A1"
    assert [each.key for each in document.priorities] == ["JP 2000 180000", "US 2000 60/211999"]
    assert document.text("en").claims[0].text == "A cup."


def test_green_book() -> None:
    document = _document(_GREEN)
    text = document.text("en")
    assert (document.id, document.application_key) == ("USD238914S", "US 1983 06/123456")
    assert [each.key for each in document.priorities] == ["JP 1982 098765", "GB 1982 16999"]
    assert document.ipc == ("A47G 19/22",)
    assert text.title == "Cup of α-alumina"
    assert text.abstract == "A cup at 20° C. and 103 Pa."
    assert [(each.section, each.text) for each in text.description] == [
        ("background", "Background"), ("background", "Known is ⟦chemistry:1⟧ and (1) ⟦formula:2⟧"),
        ("background", "A B"), ("embodiments", "EXAMPLE 1"), ("embodiments", "Heated."),
    ]  # fmt: skip
    assert [claim.text for claim in text.claims] == [
        "A cup.\n(a) with a handle.",
        "The cup of claim 1.",
    ]
    assert text.claims[1].depends_on == (1,)


def test_green_book_with_bytes_of_another_encoding_is_noted() -> None:
    document = _document(_GREEN.replace("I claim", "Ä claim").encode("latin-1"))
    assert document.notes == ("bytes that are not UTF-8 were read as Latin-1",)
