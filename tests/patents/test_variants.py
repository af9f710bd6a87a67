"""Variants of the formats that specifications name and samples seldom show; texts are invented."""

from __future__ import annotations

import pytest

from patmark.data import Document
from patmark.patents.read import read_record


def _one(record: str) -> Document:
    (document,) = read_record(record.encode())
    assert isinstance(document, Document), document
    return document


def _claims(document: Document) -> list[tuple[int, tuple[int, ...], str]]:
    return [(claim.num, claim.depends_on, claim.text) for claim in document.text().claims]


def _green(body: str, **fields: str) -> Document:
    head = {"WKU": "039373754", "SRC": "5", "APN": "5184541", "APT": "1", "APD": "19741029"}
    head |= {"TTL": "Cup", "ISD": "19760210"} | fields
    return _one("PATN\n" + "".join(f"{tag}  {value}\n" for tag, value in head.items()) + body)


def test_green_book_design_has_one_claim_and_a_series_of_its_own() -> None:
    document = _green(
        "CLAS\nICL  D0701\nDCLM\nSTM  I claim:\nPAR  The ornamental design for a cup,\n"
        "      as shown.\n",
        WKU="D03545017", SRC="D", APN="0123456", APT="4", APD="19931012",
    )  # fmt: skip
    assert (document.id, document.application_key) == ("USD354501S", "US 1993 29/012345")
    assert _claims(document) == [(1, (), "The ornamental design for a cup, as shown.")]


def test_green_book_plant_has_one_claim_of_several_paragraphs() -> None:
    document = _green("DCLM\nPAR  1. A rose with:\nPA1  its colour.\n", WKU="PP0039745", APT="6")
    assert document.id == "USPP3974P"
    assert _claims(document) == [(1, (), "A rose with:\nits colour.")]


def test_green_book_reissue_loses_the_marks_of_what_it_adds_and_deletes() -> None:
    document = _green(
        "BSUM\nPAR  .[.A tub.]. .Iadd.A cup .Iaddend.is shown.\nCLMS\nSTM  I claim:\nNUM  1.\n"
        "PAR  .[.1. A tub..].\nNUM  2.\nPAR  .Iadd.2. A cup as claimed in claim 1. .Iaddend.\n",
        WKU="RE0302456", APT="2",
    )  # fmt: skip
    assert [each.text for each in document.text().description] == ["A tub A cup is shown."]
    assert _claims(document) == [(1, (), "A tub."), (2, (1,), "A cup as claimed in claim 1.")]


def test_green_book_has_codes_of_countries_from_before_1978() -> None:
    rows = (("DT", "2333741"), ("JA", "48-84696"), ("UK", "32123/73"), ("SW", "7309741"))
    priorities = "".join(f"PRIR\nCNT  {code}\nAPD  19730703\nAPN  {n}\n" for code, n in rows)
    cited = "FREF\nPNO  1,123,456\nISD  19620200\nCNT  DT\nFREF\nPNO  52-12345\nCNT  JPX\n"
    document = _green(priorities + cited)
    assert [each.key for each in document.priorities] == [
        "DE 1973 033741", "JP 1973 084696", "GB 1973 32123", "SE 1973 09741",
    ]  # fmt: skip
    assert [each.document for each in document.citations] == ["DE1123456", "JPS52012345"]


def test_green_book_signs() -> None:
    written = ".ang. .notident. .andgate. .uparw. .COPYRGT. .BETA. .lambda. .sym. .ae butted. .0."
    assert _green(f"ABST\nPAL  {written}\n").text().abstract == "å ≢ ∩ ↑ © Β λ ⊕ æ ø"


@pytest.mark.parametrize(
    ("number", "name"),
    [("039373754", "US3937375A"), ("03937375", "US3937375A"), ("H00012349", "USH1234A")],
)
def test_green_book_check_digit_is_the_ninth_sign(number: str, name: str) -> None:
    assert _green("", WKU=number).id == name


def test_sgml_names_insets_and_keeps_no_sequences_and_pictures_as_text() -> None:
    document = _one(
        "<PATDOC><SDOBI><B100><B110><DNUM><PDAT>06336130</PDAT></DNUM></B110></B100></SDOBI><SDODE>"
        "<DETDESC><BTEXT><PARA ID='P-1'><PTEXT><PDAT>A <CUSTOM-CHARACTER ID='C-1' FILE='X'/>"
        "</PDAT></PTEXT></PARA><CWU><TABLE-US ID='T-1'><TABLE-CALS/></TABLE-US></CWU><CWU>"
        "<SEQLST-US ID='S-1'><SEQ-LST-NEW><S100><S160><PDAT>2</PDAT></S160></S100></SEQ-LST-NEW>"
        "</SEQLST-US></CWU></BTEXT></DETDESC></SDODE></PATDOC>"
    )
    assert [each.text for each in document.text().description] == [
        "A ⟦image:C-1⟧", "⟦table:T-1⟧", "⟦sequence:S-1⟧",
    ]  # fmt: skip


def test_pap_items_of_a_list_are_lines() -> None:
    document = _one(
        "<patent-application-publication><subdoc-bibliographic-information><document-id>"
        "<doc-number>20020999999</doc-number></document-id></subdoc-bibliographic-information>"
        "<subdoc-description><detailed-description><paragraph>Of:<lists><list-item>one</list-item>"
        "<list-item>two</list-item></lists></paragraph></detailed-description>"
        "</subdoc-description></patent-application-publication>"
    )
    assert [each.text for each in document.text().description] == ["Of:\none\ntwo"]


def test_red_book_classes_of_locarno_are_no_ipc() -> None:
    document = _one(
        "<us-patent-grant><us-bibliographic-data-grant><publication-reference><document-id>"
        "<country>US</country><doc-number>D0500001</doc-number><kind>S1</kind></document-id>"
        "</publication-reference><classification-ipc><edition>07</edition><main-classification>"
        "0201</main-classification></classification-ipc></us-bibliographic-data-grant>"
        "</us-patent-grant>"
    )
    assert (document.id, document.ipc) == ("USD500001S1", ())


def _marec(claims: str, date: str = "19790110") -> Document:
    return _one(
        f'<patent-document ucid="EP-0000003-A1" lang="EN" date="{date}"><claims lang="EN">{claims}'
        "</claims></patent-document>"
    )


@pytest.mark.parametrize(
    "written",
    [
        "<claim-text>CLAI@S </claim-text><claim-text>1. A lock with a body; and</claim-text>"
        "<claim-text>a wheel.</claim-text><claim-text>2. A lock as in claim 1.</claim-text>",
        "<claim-text>1. A lock with a body; and\na wheel. 2. A lock as in claim 1.</claim-text>",
        "<claim-text>Claims: 1. A lock with a body; and a wheel. 2. A lock as in claim 1."
        "</claim-text>",
        "<claim-text>A lock with a body; and a wheel.</claim-text>"
        "<claim-text>A lock as in claim 1.</claim-text>",
    ],
)
def test_marec_has_all_claims_of_old_documents_in_one(written: str) -> None:
    first, second = _claims(_marec(f'<claim num="1">{written}</claim>'))
    assert " ".join(first[2].split()) == "A lock with a body; and a wheel."
    assert second == (2, (1,), "A lock as in claim 1.")


def test_one_claim_with_numbered_steps_stays_one() -> None:
    steps = "<claim-text>1. mixing</claim-text><claim-text>2. heating.</claim-text>"
    document = _marec(
        f'<claim num="1"><claim-text>A method with steps:{steps}</claim-text></claim>'
    )
    assert _claims(document) == [(1, (), "A method with steps:\n1. mixing\n2. heating.")]


def test_a_date_of_noughts_is_none() -> None:
    assert _marec("", date="00000000").publication_date == ""


def test_ops_heading_is_no_claim() -> None:
    document = _one(
        "<world-patent-data><fulltext-documents><fulltext-document><bibliographic-data>"
        "<publication-reference><document-id><country>EP</country><doc-number>1000000</doc-number>"
        "<kind>A1</kind></document-id></publication-reference></bibliographic-data>"
        '<claims lang="EN"><claim><claim-text>CLAIMS</claim-text><claim-text>1. Cup.</claim-text>'
        "<claim-text>2. Cup of claim 1.</claim-text></claim></claims></fulltext-document>"
        "</fulltext-documents></world-patent-data>"
    )
    assert _claims(document) == [(1, (), "Cup."), (2, (1,), "Cup of claim 1.")]
