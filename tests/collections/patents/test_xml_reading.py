"""Records to trees: hostile and damaged input is harmless and reported."""

from __future__ import annotations

import sys

import pytest

from patent_records import read_record
from patmark.collections.patents.formats.xml_reading import iso_date, parse_record, text_of
from patmark.data.documents import BrokenRecord, Document
from patmark.errors import InputError, MissingExtra

_EP = (
    '<ep-patent-document country="EP" doc-number="1" kind="A1" lang="en" date-publ="20200101">'
    "<SDOBI><B500><B540><B541>en</B541><B542>{title}</B542></B540></B500></SDOBI>"
    "{rest}</ep-patent-document>"
)


def _document(record: str | bytes) -> Document:
    data = record.encode() if isinstance(record, str) else record
    found = read_record(data)
    assert len(found) == 1
    assert isinstance(found[0], Document), found[0]
    return found[0]


def _broken(record: str | bytes) -> BrokenRecord:
    data = record.encode() if isinstance(record, str) else record
    found = read_record(data, "week.xml", 7)
    assert len(found) == 1
    assert isinstance(found[0], BrokenRecord)
    assert str(found[0]).startswith("week.xml: record 7: ")
    return found[0]


def test_entity_bomb_is_not_expanded_and_is_noted() -> None:
    bomb = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY a{n} "&a{n - 1 if n else ""};&a{n - 1 if n else ""};">' for n in range(40)
    )
    record = f"<!DOCTYPE ep-patent-document [{bomb}]>" + _EP.format(title="x &a39; y", rest="")
    document = _document(record)
    assert document.text("en").title == "x &a39; y"
    assert document.notes == ("1 × &a39; is no known character; kept as text",)


def test_external_entities_and_dtd_are_not_opened(tmp_path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read", encoding="utf-8")
    doctype = (
        f'<!DOCTYPE ep-patent-document SYSTEM "{secret.as_uri()}" ['
        f'<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;'
        '<!ENTITY pic SYSTEM "pic.tif" NDATA TIF>]>'
    )
    document = _document(doctype + _EP.format(title="&x;", rest=""))
    assert document.text("en").title == "&x;"
    assert "do not read" not in str(document)


def test_named_characters() -> None:
    names = "&lsquo;a&rsquo; &agr;&mgr;&OHgr; &times;&half; &lt;&amp; &#x3b1; &SACUTE;"
    assert _document(_EP.format(title=names, rest="")).text("en").title == "‘a’ αμΩ ×½ <& α Ś"


def test_cdata_and_comments_keep_their_ampersands() -> None:
    title = "<![CDATA[R&D &agr; <b>]]><!-- &nosuch; <DP n=1> -->"
    document = _document(_EP.format(title=title, rest=""))
    assert document.text("en").title == "R&D &agr; <b>"
    assert document.notes == ()


def test_bare_ampersand_and_lone_bracket_are_repaired_and_noted() -> None:
    rest = '<description lang="en"><heading><First Embodiment</heading><p>a & b</p></description>'
    document = _document(_EP.format(title="t", rest=rest))
    texts = [paragraph.text for paragraph in document.text("en").description]
    assert texts == ["<First Embodiment", "a & b"]
    assert document.notes == (
        "1 × bare & read as a character", "1 × < that begins no tag read as a character",
    )  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "euc-jp", "shift_jis", "iso-2022-jp", "utf-16"])
def test_encodings(encoding: str) -> None:
    record = f'<?xml version="1.0" encoding="{encoding}"?>' + _EP.format(
        title="半導体装置", rest=""
    )
    assert text_of(parse_record(record.encode(encoding)).root.find(".//B542")) == "半導体装置"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (_EP.format(title="é", rest="").encode("latin-1"), "(0xe9) is not utf-8"),
        (b'<?xml version="1.0" encoding="EUC-JP"?><PATDOC>\x8f\xff</PATDOC>', "is not euc-jp"),
        (b'<?xml version="1.0" encoding="martian"?><PATDOC></PATDOC>', "'martian' is not known"),
        (_EP.format(title="t", rest="<claims><claim>")[:-30], "not well-formed"),
        (b"\x00\x01\x02", "no known patent format"),
        (b"<html><body/></html>", "the root element is 'html'"),
        (b'{"a": 1}', "begins with"),
        (b"<us-patent-grant/>", "without a document number"),
        (b"<world-patent-data/>", "an OPS reply without"),
        (("<ep-patent-document>" + "<a>" * 5000 + "</a>" * 5000 + "</ep-patent-document>").encode(),
         "not well-formed"),
    ],
)  # fmt: skip
def test_broken_records_say_what_is_wrong(record: bytes, message: str) -> None:
    assert message in _broken(record).message


def test_a_record_without_elements_is_an_input_error() -> None:
    with pytest.raises(InputError, match="no element"):
        parse_record(b"plain text")


def test_formulas_tables_and_images_are_placeholders() -> None:
    rest = (
        '<description lang="en"><p>where <maths id="m1"><math><mi>x</mi></math></maths> and '
        '<img file="a.tif"/> <chemistry id="c1"/></p><tables id="t1"><row>1</row></tables>'
        "</description>"
    )
    found = [
        each.text for each in _document(_EP.format(title="t", rest=rest)).text("en").description
    ]
    assert found == ["where ⟦formula:m1⟧ and ⟦image⟧ ⟦chemistry:c1⟧", "⟦table:t1⟧"]


def test_line_ends_inside_cjk_text_are_layout() -> None:
    record = parse_record("<PATDOC><p>本发明\n  涉及 A\n型</p></PATDOC>".encode()).root
    assert text_of(record) == "本发明涉及 A 型"


def test_several_sets_of_claims_are_noted() -> None:
    one = '<claims lang="en"><claim num="1"><claim-text>A cup.</claim-text></claim></claims>'
    two = one.replace("A cup", "A jug")
    document = _document(_EP.format(title="t", rest=one + two))
    assert [claim.text for claim in document.text("en").claims] == ["A cup."]
    assert document.notes == ("2 sets of claims in en; the first is kept",)


def test_without_lxml_the_message_holds_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lxml.etree", None)
    with pytest.raises(MissingExtra, match=r"pip install 'patmark\[corpus\]'"):
        read_record(_EP.format(title="t", rest="").encode())


def test_dates() -> None:
    assert [iso_date(each) for each in ("20200229", "2020-02-29", "19780700", "", "x")] == [
        "2020-02-29", "2020-02-29", "1978-07", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("5×10<sup>18</sup> cm<sup>−3</sup>", "5×10¹⁸ cm⁻³"),
        ("10<superscript>4</superscript> and H<subscript>2</subscript>O", "10⁴ and H2O"),
        (
            "<PDAT>10</PDAT><HIL><SP><PDAT>6</PDAT></SP></HIL> and <i>10</i><sub>2</sub>",
            "10⁶ and 10₂",
        ),
        ("x<sub>1</sub>0, C<sub>1-6</sub> and e<sup>x+1</sup>", "x₁0, C1-6 and e^(x+1)"),
        ("the 1<sup>st</sup> Mark<sup>TM</sup> and R<sup>A</sup>", "the 1st MarkTM and R^A"),
        ("10<sup><b>1</b>8</sup>", "10¹⁸"),
    ],
)
def test_exponents_and_indices_survive(markup: str, expected: str) -> None:
    assert text_of(parse_record(f"<p>{markup}</p>".encode()).root) == expected
