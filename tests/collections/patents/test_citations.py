"""Citations of every format that has them: samples of the real markup with invented documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from patent_records import read_record
from patmark.collections.patents import read_documents
from patmark.data import Citation, Document, document_from_json, document_to_json

_DATA = Path(__file__).parent / "data"


def _document(record: str) -> Document:
    (found,) = read_record(record.encode())
    assert isinstance(found, Document), found
    return found


def _sample(name: str, place: str, added: str) -> Document:
    text = (_DATA / name).read_text(encoding="utf-8")
    assert text.count(place) >= 1
    return _document(text.replace(place, added + place, 1))


_US_CITATIONS = """
<{0}><patcit num="00001"><document-id><country>US</country><doc-number>2007/0140112</doc-number>
<kind>A1</kind><name>Doe et al.</name><date>20070600</date></document-id></patcit>
<category>cited by applicant</category></{0}>
<{0}><patcit num="00002"><document-id><country>JP</country><doc-number>08-235788</doc-number>
<kind>A</kind><date>19960900</date></document-id></patcit>
<category>cited by examiner</category><classification-national><country>US</country>
<main-classification>7144</main-classification></classification-national></{0}>
<{0}><patcit num="00003"><document-id><country>WO</country><doc-number>96/25012</doc-number>
<date>19960800</date></document-id></patcit><category>cited by other</category></{0}>
<{0}><nplcit num="00004"><othercit>Doe, On cups, 1999.</othercit></nplcit>
<category>cited by examiner</category></{0}>
"""


@pytest.mark.parametrize(
    ("bag", "name"), [("references-cited", "citation"), ("us-references-cited", "us-citation")]
)
def test_us_grants_since_2005(bag: str, name: str) -> None:
    document = _document(
        "<us-patent-grant><us-bibliographic-data-grant><publication-reference><document-id>"
        "<country>US</country><doc-number>09999999</doc-number><kind>B2</kind><date>20180605</date>"
        "</document-id></publication-reference><classifications-ipcr><classification-ipcr>"
        "<section>A</section><class>47</class><subclass>G</subclass><main-group>19</main-group>"
        "<subgroup>22</subgroup></classification-ipcr></classifications-ipcr>"
        f"<{bag}>{_US_CITATIONS.format(name)}</{bag}>"
        "</us-bibliographic-data-grant></us-patent-grant>"
    )
    assert document.citations == (
        Citation("US20070140112A1", phase="applicant", by="applicant", date="2007-06"),
        Citation("JPH08235788A", phase="examination", by="examiner", date="1996-09"),
        Citation("WO1996025012", by="other", date="1996-08"),
    )
    assert document.ipc == ("A47G 19/22",)


def test_us_grants_of_2001_to_2004() -> None:
    document = _sample(
        "synthetic_us_sgml.sgm",
        "</B560>",
        "<B561><PCIT><DOC><DNUM><PDAT>96/25012</PDAT></DNUM><DATE><PDAT>19960800</PDAT></DATE>"
        "<CTRY><PDAT>WO</PDAT></CTRY></DOC></PCIT><CITED-BY-OTHER></B561>"
        "<B562><NCIT><STEXT><PDAT>Doe, On cups</PDAT></STEXT></NCIT><CITED-BY-OTHER></B562>",
    )
    assert document.citations == (
        Citation("US1", phase="examination", by="examiner"),
        Citation("WO1996025012", by="other", date="1996-08"),
    )


def test_green_book() -> None:
    document = _sample(
        "synthetic_us_green_book.txt",
        "ABST\n",
        "UREF\nPNO  4102421\nISD  19780700\nNAM  Doe et al.\nOCL  177185\n"
        "UREF\nPNO  D257924\nISD  19810100\nNAM  Roe\nXCL  D7  3\n"
        "FREF\nPNO  1354242\nISD  19740600\nCNT  GBX\nICL  B65D 8500\n"
        "OREF\nPAL  Doe, On cups, 1979.\n",
    )
    assert document.citations == (
        Citation("US4102421", date="1978-07"),
        Citation("USD257924", date="1981-01"),
        Citation("GB1354242", date="1974-06"),
    )
    assert document.ipc == ("A47G 19/22",), "classes of cited documents are not its own"


def test_us_applications_of_2001_to_2004_have_none() -> None:
    assert _document((_DATA / "synthetic_us_pap.xml").read_text()).citations == ()


def test_ep_documents() -> None:
    document = _document(
        "<ep-patent-document country='EP' doc-number='1999999' kind='B1' lang='en'><SDOBI><B500>"
        "<B560><B561><text>WO-A1-2014/114885</text></B561><B561><text>US-A1- 2007 204 872</text>"
        "</B561><B561><text>US-A1- 2007 204 872</text></B561><B562><text>PATENT ABSTRACTS OF JAPAN "
        "vol. 97, no. 6, 30 June 1997 &amp; JP 09 046808 A (X CORP), 14 February 1997</text></B562>"
        "<B562><text>DOE: 'On cups', 1999</text></B562><B565EP><date>20191009</date></B565EP>"
        "</B560></B500></SDOBI><description><p num='0001'>As in "
        "<patcit id='pcit0001' dnum='US5948634A'><text>US 5 948 634 A</text></patcit>"
        " a cup.</p></description></ep-patent-document>"
    )
    searched = {"phase": "search", "by": "examiner", "cited_on": "2019-10-09"}
    assert document.citations == (
        Citation("WO2014114885A1", **searched),
        Citation("US20070204872A1", **searched),
        Citation("JPH09046808A", **searched),
        Citation("US5948634A", phase="applicant", by="applicant"),
    )


_DOCDB = """
<exch:references-cited><exch:citation cited-phase="ISR" cited-date="20221031" srep-office="EP"
 sequence="1"><patcit num="1" dnum="US2020223945A1" dnum-type="publication number"><document-id>
<country>US</country><doc-number>2020223945</doc-number><kind>A1</kind><date>20200716</date>
</document-id></patcit><rel-passage><passage>paragraphs 1-3</passage><category>X</category>
<rel-claims>1-3,7</rel-claims><category>Y</category><rel-claims>5,6</rel-claims></rel-passage>
<category>XY</category></exch:citation>
<exch:citation cited-phase="SEA" sequence="2"><patcit num="2"><document-id><country>EP</country>
<doc-number>0460575</doc-number><kind>A1</kind></document-id></patcit><category>PA</category>
</exch:citation>
<exch:citation cited-phase="OPP" sequence="3"><patcit num="3"><document-id><country>DE</country>
<doc-number>815277</doc-number><kind>C</kind></document-id></patcit></exch:citation>
<exch:citation cited-phase="APP" sequence="4"><patcit num="4"><document-id><country>US</country>
<doc-number>8343489</doc-number><kind>B2</kind></document-id></patcit></exch:citation>
<exch:citation cited-phase="ISR" sequence="5"><nplcit num="1"><text>Doe: On cups</text></nplcit>
<category>X</category></exch:citation></exch:references-cited>
"""


def test_docdb() -> None:
    document = _document(
        "<exch:exchange-document country='WO' doc-number='2023999999' kind='A1'>"
        "<exch:bibliographic-data><exch:publication-reference/>"
        f"{_DOCDB}</exch:bibliographic-data></exch:exchange-document>"
    )
    first = {"phase": "search", "by": "examiner", "date": "2020-07-16", "cited_on": "2022-10-31"}
    assert document.citations == (
        Citation("US20200223945A1", "X", (1, 2, 3, 7), **first),
        Citation("US20200223945A1", "Y", (5, 6), **first),
        Citation("EP0460575A1", "PA", phase="search", by="examiner"),
        Citation("DE815277C", phase="opposition", by="third-party"),
        Citation("US8343489B2", phase="applicant", by="applicant"),
    )


@pytest.mark.parametrize(
    ("written", "phase"),
    [
        ("national-search-report", "search"),
        ("international-search-report", "search"),
        ("examination", "examination"),
        ("opposition", "opposition"),
        ("description", "applicant"),
        ("undefined", "examination"),
    ],
)
def test_ops(written: str, phase: str) -> None:
    (found,) = read_record(
        b"<world-patent-data><exchange-documents><exchange-document country='EP' doc-number='1'"
        b" kind='A1'><bibliographic-data><references-cited><citation cited-phase='%s'"
        b" cited-by='examiner' sequence='1'><patcit num='1' dnum-type='publication number'>"
        b"<document-id document-id-type='epodoc'><doc-number>US5277199</doc-number></document-id>"
        b"<document-id document-id-type='docdb'><country>US</country><doc-number>5277199"
        b"</doc-number><kind>A</kind><date>19940111</date></document-id></patcit>"
        b"<category>Y</category></citation></references-cited></bibliographic-data>"
        b"</exchange-document></exchange-documents></world-patent-data>" % written.encode()
    )
    assert isinstance(found, Document)
    assert found.citations == (
        Citation("US5277199A", "Y", phase=phase, by="examiner", date="1994-01-11"),
    )


_BY_EXAMINER = {"phase": "examination", "by": "examiner"}


def test_japanese_gazettes() -> None:
    document = _sample(
        "synthetic_jp_gazette.xml",
        "</bibliographic-data>",
        "<references-cited><citation><patcit num='1'><text>特開平０８－２３５７８８（ＪＰ，Ａ）"
        "</text></patcit></citation><citation><text>米国特許出願公開第２００６／０１２３４５６（ＵＳ，Ａ１）"
        "</text></citation><citation><nplcit num='1'><text>茶碗の研究</text></nplcit></citation>"
        "</references-cited>",
    )
    assert document.citations == (
        Citation("JPH08235788A", **_BY_EXAMINER),
        Citation("US20060123456A1", **_BY_EXAMINER),
    )


def test_japanese_gazettes_in_st96() -> None:
    document = _sample(
        "synthetic_jp_st96.xml",
        "</jppat:UnexaminedPatentPublicationBibliographicData>",
        "<pat:ReferenceCitationBag><pat:ReferenceCitation><com:PatentCitation>"
        "<com:PatentCitationText>特開２００１－１２３４５６（ＪＰ，Ａ）</com:PatentCitationText>"
        "</com:PatentCitation></pat:ReferenceCitation><pat:ReferenceCitation><com:PatentCitation>"
        "<com:CitedPatentDocumentIdentification><com:IPOfficeCode>US</com:IPOfficeCode>"
        "<com:DocumentNumber>5948634</com:DocumentNumber><com:PatentDocumentKindCode>A"
        "</com:PatentDocumentKindCode><com:PatentDocumentDate>1999-09-07</com:PatentDocumentDate>"
        "</com:CitedPatentDocumentIdentification></com:PatentCitation></pat:ReferenceCitation>"
        "<pat:ReferenceCitation><com:NPLCitation><com:NPLCitationText>茶碗</com:NPLCitationText>"
        "</com:NPLCitation></pat:ReferenceCitation></pat:ReferenceCitationBag>",
    )
    assert document.citations == (
        Citation("JP2001123456A", **_BY_EXAMINER),
        Citation("US5948634A", date="1999-09-07", **_BY_EXAMINER),
    )


def test_japanese_applicants_name_documents_in_the_description() -> None:
    document = _sample(
        "synthetic_jp_st96.xml",
        "</pat:BackgroundArt>",
        "<com:CitationBag><com:PatentCitationBag><com:P><com:PatentCitation>"
        "<com:PatentCitationText>特開２００１－１２３４５６号公報</com:PatentCitationText>"
        "</com:PatentCitation></com:P></com:PatentCitationBag></com:CitationBag>",
    )
    assert document.citations == (Citation("JP2001123456A", phase="applicant", by="applicant"),)


def test_chinese_documents_of_the_older_form() -> None:
    document = _sample(
        "synthetic_cn_older.xml",
        "</cn-bibliographic-data>",
        "<references-cited><citation><patcit num='1'><document-id><country>CN</country>"
        "<doc-number>1234567</doc-number><kind>A</kind><date>19991110</date></document-id></patcit>"
        "</citation><citation><text>US 5948634 A,1999.09.07,全文</text></citation>"
        "</references-cited>",
    )
    assert document.citations == (
        Citation("CN1234567A", date="1999-11-10", **_BY_EXAMINER),
        Citation("US5948634A", **_BY_EXAMINER),
    )


def test_chinese_documents_of_the_newer_form() -> None:
    document = _sample(
        "synthetic_cn_newer.xml",
        "</business:BibliographicData>",
        "<business:ReferencesCited><business:Citation sequence='1'><business:PatentCitation>"
        "<base:DocumentID><base:WIPOST3Code>CN</base:WIPOST3Code><base:DocNumber>101834823"
        "</base:DocNumber><base:Kind>A</base:Kind><base:Date>20100915</base:Date></base:DocumentID>"
        "</business:PatentCitation></business:Citation><business:Citation sequence='2'>"
        "<base:Text>WO 2004/045320 A1,2004.06.03,全文</base:Text></business:Citation>"
        "</business:ReferencesCited>",
    )
    assert document.citations == (
        Citation("CN101834823A", date="2010-09-15", **_BY_EXAMINER),
        Citation("WO2004045320A1", **_BY_EXAMINER),
    )


def test_citations_are_kept_in_the_file_of_documents() -> None:
    document = _document(
        "<exchange-document country='WO' doc-number='2023999999' kind='A1'><bibliographic-data>"
        f"{_DOCDB}</bibliographic-data></exchange-document>"
    )
    row = document_to_json(document)
    assert row["citations"][4] == {
        "document": "US8343489B2",
        "phase": "applicant",
        "by": "applicant",
    }
    assert document_from_json(row).citations == document.citations


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (7, "is a document, or an object"),
        ({}, "needs a document"),
        ({"document": "EP1A1", "claims": "1-3"}, "list of whole numbers"),
        ({"document": "EP1A1", "categories": "X"}, "unknown fields: categories"),
    ],
)
def test_a_broken_citation_says_what_is_wrong(value: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Citation.from_json(value)


@pytest.mark.parametrize(
    ("name", "count", "first"),
    [
        ("us_uspto/greenbook/US04347903.greenbook", 3, "US4102421"),
        ("us_uspto/sgml/US06336130.xml", 6, "US5825759A"),
        ("us_uspto/xml2004/US06859910.xml", 8, "US5793966A"),
        ("us_uspto/xml2014/US08930553.xml", 16, "US7844851B2"),
        ("ep_fulltext/v1-1-B1.xml", 6, "EP0361708A"),
        ("ep_fulltext/v1-5-1-B1.xml", 8, "WO2014114885A1"),
        ("docdb/WO-2022259205-A1_544370561.xml", 4, "CN102908333A"),
        ("ops_family/test_biblio_example.xml", 99, "US5277199A"),
    ],
)
def test_real_documents(shared_data: Path, name: str, count: int, first: str) -> None:
    document = next(read_documents(shared_data / "patents" / name))
    assert isinstance(document, Document)
    assert (len(document.citations), document.citations[0].document) == (count, first)
