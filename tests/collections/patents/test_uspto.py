"""US formats beyond the real samples: synthetic records for SGML, PAP and the Green Book."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patent_records import read_record
from patmark.collections.patents.read import read_documents
from patmark.data.documents import Document

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
        ("background", "⟦image:EMI-1⟧"),
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
    assert text.abstract == "A cup at 20° C. and 10³ Pa."
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


_REFERENCE = (
    '<dependent-claim-reference depends_on="CLM-0000{0}"><claim-text>claim {0}</claim-text>'
    "</dependent-claim-reference>"
)


def test_pap_dependent_claims_are_linked() -> None:
    second = (
        '<claim id="CLM-00002"><claim-text><highlight><bold>2</bold></highlight>. A cup as in '
        f"{_REFERENCE.format(1)}, further comprising: <claim-text>a lid.</claim-text>"
        "</claim-text></claim>"
    )
    third = (
        '<claim id="CLM-00003"><claim-text><highlight><bold>3</bold></highlight>. A cup as in '
        f"{_REFERENCE.format(1)} or {_REFERENCE.format(2)}.</claim-text></claim>"
    )
    document = _document(_PAP.replace("</subdoc-claims>", f"{second}{third}</subdoc-claims>"))
    claims = document.text("en").claims
    assert [(each.text, each.depends_on) for each in claims] == [
        ("A cup.", ()),
        ("A cup as in claim 1, further comprising:\na lid.", (1,)),
        ("A cup as in claim 1 or claim 2.", (1, 2)),
    ]


def test_sgml_ipc_has_fixed_widths_and_locarno_is_none() -> None:
    classes = (
        "<B510><B511><PDAT>B32B  302</PDAT></B511><B512><PDAT>E03C 104</PDAT></B512>"
        "<B512><PDAT>H01L 218234</PDAT></B512><B512><PDAT>C07D47104</PDAT></B512>"
        "<B516><PDAT>7</PDAT></B516></B510>"
    )
    document = _document(_SGML.replace("<B540>", classes + "<B540>"))
    assert document.ipc == ("B32B 3/02", "E03C 1/04", "H01L 21/8234", "C07D 471/04")
    design = "<B510><B511><PDAT>0601</PDAT></B511><B516><PDAT>7</PDAT></B516></B510>"
    assert _document(_SGML.replace("<B540>", design + "<B540>")).ipc == ()
    assert _document(_GREEN.replace("A47G 1922", "D0703")).ipc == ()


def test_sgml_pct_application_is_a_parent() -> None:
    pct = (
        "<B800><B860><B861><DOC><DNUM><PDAT>PCT/JP97/01234</PDAT></DNUM>"
        "<DATE><PDAT>19970910</PDAT></DATE></DOC></B861></B860></B800>"
    )
    document = _document(_SGML.replace("</SDOBI>", pct + "</SDOBI>"))
    assert [each.key for each in document.parents] == ["WO 1997 JP01234"]


def test_sgml_with_a_doctype_that_is_commented_out(tmp_path: Path) -> None:
    begin = _SGML.index("]>") + 2
    record = f"<!--{_SGML[:begin]}-->{_SGML[begin:]}\n"
    (tmp_path / "week.sgm").write_text(record * 2, encoding="utf-8")
    found = list(read_documents(tmp_path / "week.sgm"))
    assert [getattr(each, "id", each) for each in found] == ["US6167569B1"] * 2


def test_comments_around_records_are_no_records(tmp_path: Path) -> None:
    body = _SGML[_SGML.index("]>") + 2 :]
    (tmp_path / "week.sgm").write_text(
        f'<!-- designs -->\n{_SGML}\n<!-- old form: <!DOCTYPE PATDOC SYSTEM "x.dtd"> -->\n{body}'
        f"\n<!-- end -->\n",
        encoding="utf-8",
    )
    found = list(read_documents(tmp_path / "week.sgm"))
    assert [getattr(each, "id", each) for each in found] == ["US6167569B1"] * 2


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- design -- D6 -- claim -->",  # no comment of XML
        '<!--<!DOCTYPE PATDOC SYSTEM "a.dtd" [<!ENTITY a SYSTEM "a.tif" NDATA TIF>]>-->',
        "<!-- one --><?style x?><!-- two & more -->",
    ],
)
def test_comments_before_the_doctype_and_before_the_root(comment: str) -> None:
    at = _SGML.index("]>") + 2
    for record in (
        comment + _SGML,
        f"{_SGML[:at]}{comment}{_SGML[at:]}",
        f"{_SGML}{comment}",
        _SGML.replace("</SDOBI>", f"</SDOBI>{comment}"),
    ):
        assert _document(record).id == "US6167569B1"
    with_comment = _PAP.replace(
        "<patent-application-publication", f"{comment}<patent-application-publication", 1
    )
    assert _document(with_comment) == _document(_PAP)


def test_public_search_is_not_taken_for_google_patents(tmp_path: Path) -> None:
    row = {"guid": "US-20200012345-A1", "publication_number": "20200012345", "type": "US-PGPUB"}
    (tmp_path / "hits.json").write_text(json.dumps([row]), encoding="utf-8")
    [found] = read_documents(tmp_path / "hits.json")
    assert "USPTO Public Search" in getattr(found, "message", "")


def test_green_book_related_applications_are_parents() -> None:
    related = (
        "RLAP\nCOD  72\nAPN  716247\nAPD  19760820\nPSC  03\n"
        "RLAP\nCOD  74\nAPN  052999\nAPD  19790628\nPSC  01\nPNO  4244000\n"
        "RLAP\nCOD  71\nAPN  PCT/JP82/00123\nAPD  19820402\n"
    )
    document = _document(_GREEN.replace("CLAS\n", related + "CLAS\n"))
    assert [each.key for each in document.parents] == [
        "US 1976 05/716247", "US 1979 06/052999", "WO 1982 JP00123",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("5.times.10.sup.18 cm.sup.-3", "5×10¹⁸ cm⁻³"),
        ("C.sub.n H.sub.2n+1 and C.sub.1-C.sub.6", "Cn H2n+1 and C1-C6"),
        ("R.sup..alpha. at T.sub.max, D.sub.n-1)", "R^α at Tmax, Dn-1)"),
        ("SO.sub.4.sup.2- and 10.sup.3.", "SO4²⁻ and 10³."),
    ],
)
def test_green_book_exponents_and_indices_survive(written: str, expected: str) -> None:
    document = _document(_GREEN.replace("PAR  Heated.", f"PAR  {written}"))
    assert document.text("en").description[-1].text == expected


@pytest.mark.parametrize(
    ("written", "kind", "name"),
    [("PP016789", "P2", "USPP16789P2"), ("D0500001", "S1", "USD500001S1"),
     ("RE038000", "E1", "USRE38000E1"), ("H0002100", "H1", "USH2100H1"),
     ("20060142694", "A1", "US20060142694A1")],
)  # fmt: skip
def test_designs_plants_and_reissues_and_canceled_claims(written, kind, name) -> None:
    record = f"""<us-patent-grant lang="EN"><us-bibliographic-data-grant><publication-reference>
        <document-id><country>US</country><doc-number>{written}</doc-number><kind>{kind}</kind>
        <date>20060629</date></document-id></publication-reference></us-bibliographic-data-grant>
        <claims><claim id="CLM-00001-00020" num="1-20"><claim-text><b>1</b>-<b>20</b>. (canceled)
        </claim-text></claim><claim id="CLM-00021" num="00021"><claim-text><b>21</b>. A cup of
        <claim-ref idref="CLM-00001">claim 1</claim-ref>, with <maths id="M1"><math/></maths> and
        <?in-line-formulae end="lead"?>E=mc<sup>2</sup><?in-line-formulae end="tail"?>
        <tables id="T1"><table/></tables>.</claim-text></claim></claims></us-patent-grant>"""
    (document,) = read_record(record.encode())
    assert isinstance(document, Document)
    assert document.id == name
    assert [(claim.num, claim.depends_on) for claim in document.text("en").claims] == [
        (1, ()), (21, (1,)),
    ]  # fmt: skip
    assert "⟦formula:M1⟧ and E=mc² ⟦table:T1⟧" in document.text("en").claims[1].text
