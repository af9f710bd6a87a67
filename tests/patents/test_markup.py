"""What real files hold beside the usual: small samples of the markup, with invented text."""

from __future__ import annotations

import pytest

from patmark.data import Citation, Document
from patmark.patents.formats.body import make_claim
from patmark.patents.read import read_record


def _all(record: str) -> list[Document]:
    found = list(read_record(record.encode()))
    assert all(isinstance(each, Document) for each in found), found
    return [each for each in found if isinstance(each, Document)]


def _one(record: str) -> Document:
    (document,) = _all(record)
    return document


def _claims(document: Document, language: str) -> list[tuple[int, tuple[int, ...]]]:
    return [(claim.num, claim.depends_on) for claim in document.text(language).claims]


_EP = """<ep-patent-document id="EP11000000B9W1" lang="de" country="EP" doc-number="2400812"
kind="B9" correction-code="W1" date-publ="20190102" status="c"><SDOBI lang="de"><B100>
<B110>2400812</B110><B130>B9</B130><B132EP>B1</B132EP><B150><B151>W1</B151></B150></B100><B200>
<B210>11000000.4</B210><B220><date>20110101</date></B220></B200><B300><B310>102010000001</B310>
<B320><date>20100101</date></B320><B330><ctry>DE</ctry></B330><B310>10195000</B310><B320>
<date>20100401</date></B320><B330><ctry>EP</ctry></B330></B300><B500><B520EP>
<classifications-cpc><classification-cpc sequence="1"><text>A47G  19/2205      20130101 FI20180601
BHEP        </text></classification-cpc></classifications-cpc></B520EP><B540><B541>de</B541>
<B542>BECHER FÜR H<sub>2</sub>O</B542><B541>en</B541><B542>CUP</B542></B540></B500><B600><B620EP>
<parent><cdoc><dnum><anum>13000000.0</anum></dnum><date>20130101</date></cdoc></parent></B620EP>
</B600></SDOBI><claims id="claims01" lang="de"><claim id="c1" num="0001"><claim-text>Becher mit:
<claim-text>einem Boden (1),</claim-text><claim-text>10<sup>3</sup> Löchern.</claim-text>
</claim-text></claim><claim id="c2" num="0002"><claim-text>Becher nach einem der vorhergehenden
Ansprüche, <b>dadurch gekennzeichnet, dass</b> er bricht.</claim-text></claim><claim id="c3"
num="0003"><claim-text>Verfahren für einen Becher nach Anspruch 1 und/oder 2.</claim-text></claim>
</claims><claims id="claims02" lang="en"><claim id="d1" num="0001"><claim-text>Cup.</claim-text>
</claim></claims><claims id="claims03" lang="en"><claim id="e1" num="0001"><claim-text>Cup for
other states.</claim-text></claim></claims><amended-claims id="a1" lang="en"><claim id="f1"
num="0001"><claim-text>Amended cup.</claim-text></claim></amended-claims></ep-patent-document>"""


def test_ep_corrected_patent_with_amended_claims_and_sets_for_states() -> None:
    document = _one(_EP)
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


_OPS_HEAD = """<publication-reference><document-id document-id-type="docdb"><country>EP</country>
<doc-number>1999999</doc-number><kind>A1</kind><date>20000517</date></document-id>
</publication-reference><application-reference><document-id document-id-type="docdb">
<country>EP</country><doc-number>99203729</doc-number><kind>A</kind></document-id><document-id
document-id-type="epodoc"><doc-number>EP19990203729</doc-number><date>19991108</date>
</document-id></application-reference>"""


def test_ops_search_reply_with_classes_in_one_element_and_two_categories() -> None:
    document = _one(
        '<ops:world-patent-data xmlns:ops="http://ops.epo.org"><ops:biblio-search>'
        "<ops:search-result><exchange-documents><exchange-document country='EP' "
        f"doc-number='1999999' kind='A1'><bibliographic-data>{_OPS_HEAD}<classification-ipc>"
        "<text>B28B5/02</text><text>B28B7/00</text><text>H02P6/08</text></classification-ipc>"
        "<references-cited><citation cited-phase='national-search-report' cited-by='examiner'>"
        "<patcit><document-id document-id-type='epodoc'><doc-number>DE3546191</doc-number>"
        "</document-id><document-id document-id-type='docdb'><country>DE</country>"
        "<doc-number>3546191</doc-number><kind>A1</kind></document-id></patcit>"
        "<category>X</category><rel-claims>1-3</rel-claims><rel-passage><passage>* p *</passage>"
        "</rel-passage><category>Y</category><rel-claims>4</rel-claims></citation>"
        "</references-cited></bibliographic-data></exchange-document></exchange-documents>"
        "</ops:search-result></ops:biblio-search></ops:world-patent-data>"
    )
    assert document.ipc == ("B28B 5/02", "B28B 7/00", "H02P 6/08")
    assert document.citations == (
        Citation("DE3546191A1", "X", (1, 2, 3), "search", "examiner"),
        Citation("DE3546191A1", "Y", (4,), "search", "examiner"),
    )


def _id(country: str, number: str, kind: str = "", date: str = "") -> str:
    parts = {"country": country, "doc-number": number, "kind": kind, "date": date}
    inner = "".join(f"<reg:{name}>{text}</reg:{name}>" for name, text in parts.items() if text)
    return f"<reg:document-id>{inner}</reg:document-id>"


_REGISTER = f"""<ops:world-patent-data xmlns:ops="http://ops.epo.org"
xmlns:reg="http://www.epo.org/register"><ops:register-search><reg:register-documents>
<reg:register-document lang="en"><reg:bibliographic-data country="EP">
<reg:publication-reference>{_id("WO", "2016999999", "A1", "20160526")}</reg:publication-reference>
<reg:publication-reference>{_id("EP", "3999999", "A1", "20170927")}</reg:publication-reference>
<reg:publication-reference>{_id("EP", "3999999", "B1", "20190102")}</reg:publication-reference>
<reg:classifications-ipcr><reg:classification-ipcr><reg:text>G01C25/00, E21B47/024</reg:text>
</reg:classification-ipcr></reg:classifications-ipcr>
<reg:application-reference>{_id("EP", "15860753", "", "20151119")}</reg:application-reference>
<reg:application-reference>{_id("WO", "WO2015US61659")}</reg:application-reference>
<reg:language-of-filing>en</reg:language-of-filing><reg:priority-claims><reg:priority-claim
sequence="1"><reg:country>US</reg:country><reg:doc-number>201462081944P</reg:doc-number><reg:date>
20141119</reg:date></reg:priority-claim></reg:priority-claims><reg:invention-title lang="de">BECHER
</reg:invention-title><reg:invention-title lang="en">CUP</reg:invention-title>
<reg:references-cited><reg:citation cited-phase="international-search-report" office="EP">
<reg:patcit>{_id("US", "2014007646")}<reg:text>(DOE) [Y] 1-43</reg:text></reg:patcit>
<reg:category>Y</reg:category></reg:citation></reg:references-cited></reg:bibliographic-data>
</reg:register-document></reg:register-documents></ops:register-search></ops:world-patent-data>"""


def test_ops_register_has_the_publications_of_an_application() -> None:
    first, second = _all(_REGISTER)
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
    document = _one(
        "<us-patent-grant><us-bibliographic-data-grant><publication-reference><document-id>"
        "<country>US</country><doc-number>RE046001</doc-number><kind>E1</kind><date>20160524</date>"
        "</document-id></publication-reference><us-related-documents><reissue><relation>"
        "<parent-doc><document-id><country>US</country><doc-number>11355000</doc-number>"
        "<date>20060215</date></document-id><parent-grant-document><document-id>"
        "<country>US</country><doc-number>8116000</doc-number></document-id>"
        "</parent-grant-document></parent-doc></relation></reissue><related-publication>"
        "<document-id><country>US</country><doc-number>20060182000</doc-number><kind>A1</kind>"
        "</document-id></related-publication></us-related-documents></us-bibliographic-data-grant>"
        "<description><p id='p-1'><?delete-start id='D1'?>old<?delete-end id='D1'?> "
        "<?insert-start id='I1'?>new<?insert-end id='I1'?></p></description>"
        "<us-claim-statement>What is claimed is:</us-claim-statement><claims><claim num='00001'>"
        "<claim-text>1. A cup.</claim-text></claim></claims></us-patent-grant>"
    )
    assert document.id == "USRE46001E1"
    assert [each.key for each in document.parents] == ["US 2006 11/355000"]
    assert [each.text for each in document.text("en").description] == ["old new"]
    assert [claim.text for claim in document.text("en").claims] == ["A cup."]


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
    one = "<exch:exchange-document country='WO' doc-number='201899999{0}' kind='A{1}' {2}/>"
    found = _all(
        "<exch:exchange-documents xmlns:exch='http://www.epo.org/exchange'>"
        + one.format(1, 3, "date-publ='20180102'") + one.format(2, 8, "status='D'")
        + "</exch:exchange-documents>"
    )  # fmt: skip
    assert [each.id for each in found] == ["WO2018999991A3", "WO2018999992A8"]
    assert found[1].notes == ("DOCDB has deleted this document",)


_ALL = tuple(range(1, 10))


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The cup of any one of claims 1, 2, and 5-7, of tin.", (1, 2, 5, 6, 7)),
        ("The cup as claimed in any one of claims 1 to 3 or 5 to 7.", (1, 2, 3, 5, 6, 7)),
        ("The cup of either claim 1 or claim 2.", (1, 2)),
        ("The cup of any one of the claims from 1 to 3.", (1, 2, 3)),
        ("The cup of claim No. 1, 5 mm wide.", (1,)),
        ("The cup of claim 1 and 10 to 20 wt% of water.", (1,)),
        ("The cup of any prior claim.", _ALL),
        ("The cup of one of the aforementioned claims.", _ALL),
        ("A cup as claimed in any of the above-mentioned claims.", _ALL),
        ("Becher nach wenigstens einem der vorherigen Ansprüche.", _ALL),
        ("Becher nach einem der vorgenannten Ansprüche.", _ALL),
        ("Becher nach einem der voranstehenden Patentansprüche.", _ALL),
        ("Becher nach einem oder mehreren der Ansprüche 1 bis 4.", (1, 2, 3, 4)),
        ("Gobelet selon l'une au moins des revendications précédentes.", _ALL),
        ("Gobelet selon la revendication 1 ou la revendication 2.", (1, 2)),
        ("如申請專利範圍第1項至第3項中任一項所述之杯。", (1, 2, 3)),
        ("根据权利要求1至3、5中任一项所述的杯。", (1, 2, 3, 5)),
        ("請求項１から３のいずれか一項に記載のカップ。", (1, 2, 3)),
    ],
)
def test_references_to_other_claims(text: str, claims: tuple[int, ...]) -> None:
    assert make_claim(10, text).depends_on == claims
