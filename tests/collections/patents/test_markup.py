"""What real files hold beside the usual: small samples of the markup, with invented text."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from patent_records import read_record
from patmark.collections.patents.formats.body import read_claims
from patmark.data import Citation, Document

_DATA = Path(__file__).parent / "markup"


def _sample(name: str) -> str:
    return (_DATA / name).read_text(encoding="utf-8")


def _all(record: str) -> list[Document]:
    found = list(read_record(record.encode()))
    assert all(isinstance(each, Document) for each in found), found
    return [each for each in found if isinstance(each, Document)]


def _one(record: str) -> Document:
    (document,) = _all(record)
    return document


def _claims(document: Document, language: str) -> list[tuple[int, tuple[int, ...]]]:
    return [(claim.num, claim.depends_on) for claim in document.text(language).claims]


def test_ep_corrected_patent_with_amended_claims_and_sets_for_states() -> None:
    document = _one(_sample("synthetic_ep.xml"))
    assert (document.id, document.language) == ("EP2400812B9", "de")
    assert [each.key for each in document.priorities] == ["DE 2010 000001", "EP 2010 195000"]
    assert document.parents == (), "its own divisional application is no parent"
    assert document.cpc == ("A47G 19/2205",)
    assert document.text("de").title == "BECHER FÜR H2O"
    assert _claims(document, "de") == [(1, ()), (2, (1,)), (3, (1, 2))]
    assert document.text("de").claims[0].text == "Becher mit:\neinem Boden (1),\n10³ Löchern."
    assert [claim.text for claim in document.text("en").claims] == ["Cup."]
    assert document.notes == ("2 sets of claims in en; the first is kept",)


def test_ep_search_report_with_two_categories_of_one_document() -> None:
    document = _one(
        '<ep-patent-document lang="en" country="EP" doc-number="1500001" kind="A3" '
        'date-publ="20060101"><SDOBI/><search-report-data lang="en"><srep-citations><citation>'
        "<patcit><document-id><country>US</country><doc-number>5948634</doc-number>"
        "<kind>A</kind></document-id></patcit><category>X</category><rel-claims>1-3</rel-claims>"
        "<category>Y</category><rel-claims>4</rel-claims></citation></srep-citations>"
        "</search-report-data></ep-patent-document>"
    )
    assert [(each.category, each.claims) for each in document.citations] == [
        ("X", (1, 2, 3)), ("Y", (4,)),
    ]  # fmt: skip


def test_ops_search_reply_with_classes_in_one_element_and_two_categories() -> None:
    document, text = _all(_sample("synthetic_ops_biblio.xml"))
    assert (document.id, document.family_id, document.language) == ("EP1999999A1", "19999999", "en")
    assert [each.key for each in document.priorities] == ["NL 1998 1010999"]
    assert document.ipc == ("B28B 5/02", "B28B 7/00", "H02P 6/08")
    assert document.cpc == ("B28B 1/29",)
    assert document.citations == (
        Citation("DE3546191A1", "X", (1, 2, 3), "search", "examiner"),
        Citation("DE3546191A1", "Y", (4,), "search", "examiner"),
    )
    assert _claims(text, "en") == [(1, ()), (2, (1,))]


def test_ops_register_has_the_publications_of_an_application() -> None:
    first, second = _all(_sample("synthetic_ops_register.xml"))
    assert [first.id, second.id] == ["EP3999999A1", "EP3999999B1"]
    assert (second.publication_date, second.language) == ("2019-01-02", "en")
    for each in (first, second):
        assert each.application_key == "EP 2015 860753"
        assert [found.key for found in each.priorities] == ["US 2014 62/081944"]
        assert [found.key for found in each.parents] == ["WO 2015 US61659"]
        assert each.ipc == ("G01C 25/00", "E21B 47/024")
        assert (each.text("de").title, each.text("en").title) == ("BECHER", "CUP")
        assert each.citations == (Citation("US20140007646", "Y", (), "search", "examiner"),)


def test_marec_of_all_publications_of_an_application() -> None:
    document = _one(
        '<patent-document ucid="UN-EP-0663270" lang="EN" family-id="-1"><bibliographic-data>'
        "<technical-data><classifications-ipc><classification-ipc><edition>7</edition>"
        "<main-classification>7B 28B   1/29   A</main-classification><further-classification>"
        "7H 02P   6/08   B</further-classification></classification-ipc></classifications-ipc>"
        "<classifications-ipcr><classification-ipcr>B28B   5/02        20060101A I20051008RMEP"
        "</classification-ipcr></classifications-ipcr></technical-data></bibliographic-data>"
        '<abstract lang="EN" load-source="ep"><p>First.</p></abstract>'
        '<abstract lang="EN" load-source="docdb"><p>Second.</p></abstract></patent-document>'
    )
    assert (document.office, document.number, document.family_id) == ("EP", "0663270", "")
    assert document.ipc == ("B28B 5/02", "B28B 1/29", "H02P 6/08")
    assert document.text("en").abstract == "First."


_PAP = """<patent-application-publication><subdoc-bibliographic-information><document-id>
<doc-number>20020999999</doc-number><kind-code>A1</kind-code><document-date>20020103
</document-date></document-id><domestic-filing-data><application-number><doc-number>09726341
</doc-number></application-number><filing-date>20001201</filing-date></domestic-filing-data>
<technical-information><title-of-invention>Cup</title-of-invention></technical-information>
<continuity-data><continuations><continuation-of><parent-child><child><document-id><doc-number>
09726341</doc-number></document-id></child><parent><document-id><doc-number>09126808</doc-number>
<document-date>19980731</document-date><country-code>US</country-code></document-id></parent>
<parent-status>GRANTED</parent-status></parent-child><parent-pct><document-id><doc-number>
PCT/EP97/01234</doc-number><document-date>19970310</document-date></document-id></parent-pct>
</continuation-of></continuations></continuity-data><international-conventions><pct-application>
<document-id><doc-number>PCT/DE99/00123</doc-number><document-date>19990120</document-date>
</document-id></pct-application></international-conventions></subdoc-bibliographic-information>
<subdoc-claims><heading>What is claimed is:</heading><claim id="CLM-00001"><claim-text>1. A cup of a
group: <markush-group><markush-item><claim-text>tin;</claim-text></markush-item></markush-group>
</claim-text></claim></subdoc-claims></patent-application-publication>"""


def test_pap_pct_applications_are_parents() -> None:
    document = _one(_PAP)
    assert [each.key for each in document.parents] == [
        "WO 1999 DE00123", "US 1998 09/126808", "WO 1997 EP01234",
    ]  # fmt: skip
    assert [claim.text for claim in document.text("en").claims] == ["A cup of a group:\ntin;"]


def test_red_book_reissue() -> None:
    document = _one(_sample("synthetic_us_red_book.xml"))
    assert (document.id, document.notes) == ("USRE46999E1", ())
    assert [each.key for each in document.priorities] == ["KR 2005 0012345", "US 2005 60/653999"]
    assert [each.key for each in document.parents] == ["US 2006 11/355000"]
    assert (document.ipc, document.cpc) == (("H04N 7/26",), ("H04N 19/102",))
    assert [each.document for each in document.citations] == ["USD500001S"]
    text = document.text("en")
    assert text.title == "Cup for 10³"
    assert [each.text for each in text.description] == ["old new"]
    assert [claim.text for claim in text.claims] == [
        "A cup with ⟦formula:MATH-1⟧.", "A method of using the cup of claim 1 with 10¹⁸ ions.",
    ]  # fmt: skip


_GREEN = """PATN
WKU  RE0302456
SRC  6
APN  0127410
APT  2
APD  19790216
TTL  Cup
ISD  19800325
REIS
COD  50
APN  716247
APD  19760820
PNO  4071154
ISD  19780131
CLAS
ICL  A47G 1922
CLMS
STM  I claim:
NUM  1.
PAR  1. A cup comprising:
PA1  a wall, and
PA1  a lid.
"""
_GREEN_DESIGN = """PATN
WKU  D02545017
SRC  5
APN  8823471
APT  4
APD  19780301
TTL  Cup
ISD  19800318
CLAS
DCL  1
ICL  D0701
DCLM
PAR  The ornamental design for a cup, as shown.
"""


def test_green_book_reissue_and_design() -> None:
    reissue = _one(_GREEN)
    assert (reissue.id, reissue.ipc) == ("USRE30245E", ("A47G 19/22",))
    assert [each.key for each in reissue.parents] == ["US 1976 05/716247"]
    assert [claim.text for claim in reissue.text("en").claims] == [
        "A cup comprising:\na wall, and\na lid."
    ]
    design = _one(_GREEN_DESIGN)
    assert (design.id, design.ipc) == ("USD254501S", ())
    assert [claim.text for claim in design.text("en").claims] == [
        "The ornamental design for a cup, as shown."
    ]


def test_sgml_design_cites_designs() -> None:
    document = _one(
        "<PATDOC><SDOBI><B100><B110><DNUM><PDAT>D0499999</PDAT></DNUM></B110><B130><PDAT>S"
        "</PDAT></B130><B190><PDAT>US</PDAT></B190></B100><B500><B510><B511><PDAT>1402</PDAT>"
        "</B511></B510><B560><B561><PCIT><DOC><DNUM><PDAT>D. 271298</PDAT></DNUM><DATE><PDAT>"
        "19831100</PDAT></DATE></DOC></PCIT><CITED-BY-EXAMINER/></B561></B560></B500></SDOBI>"
        "<SDOCL><CL><CLM ID='CLM-00001'><PARA ID='P-1' LVL='7'><PTEXT><PDAT>The ornamental design."
        "</PDAT></PTEXT></PARA></CLM></CL></SDOCL></PATDOC>"
    )
    assert (document.id, document.ipc) == ("USD499999S", ())
    assert document.citations == (
        Citation("USD271298", phase="examination", by="examiner", date="1983-11"),
    )
    assert _claims(document, "en") == [(1, ())]


def test_docdb_with_several_documents_in_a_file() -> None:
    document, deleted = _all(_sample("synthetic_docdb.xml"))
    assert (document.id, document.application_key) == ("WO2023999999A1", "WO 2022 IL50999")
    assert [each.key for each in document.priorities] == ["US 2021 63/230999"]
    assert (document.ipc, document.cpc) == (("A47G 19/22",), ("A47G 19/2205",))
    assert [(each.document, each.claims) for each in document.citations] == [
        ("US20200223999A1", (1, 2, 3, 7))
    ]
    assert (deleted.id, deleted.notes) == (
        "WO2023999998A3", ("DOCDB has deleted this document",),
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "1. A method of making tea, which has these steps: 1) heating; 2) cooling.",
        "Verfahren mit den Schritten:\n1. Erhitzen;\n2. Kühlen.",
        "A method, comprising: a) providing the product of claim 1 of US 5; b) heating.",
    ],
)
def test_steps_of_one_claim_are_no_claims(text: str) -> None:
    lines = text.replace("\n", "<br/>")
    one = f"<claim num='1'><claim-text>{lines}</claim-text></claim>"
    [claim] = read_claims(etree.fromstring(f"<claims>{one}</claims>").iterfind("claim"), "en")
    assert (claim.num, claim.text) == (1, text.removeprefix("1. "))
