"""EP, DOCDB and OPS records beyond the real samples. The markup is real, the texts are invented."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from patent_records import read_record
from patmark.collections.patents.merging import merge_documents
from patmark.collections.patents.parse import parse_files
from patmark.collections.patents.read import read_documents
from patmark.data.documents import Document, read_document_jsonl

_DIVISIONAL = """<ep-patent-document country="EP" doc-number="2716170" kind="B1" lang="de">
<SDOBI lang="de"><B200><B210>13196195.5</B210><B220><date>20120914</date></B220></B200>
<B600><B620><parent><pdoc><dnum><anum>12184383.3</anum><pnum>2574244</pnum></dnum>
<date>20120914</date></pdoc></parent></B620><B620EP><parent><cdoc><dnum><anum>15150001.5</anum>
</dnum><date>20150102</date></cdoc></parent></B620EP></B600></SDOBI></ep-patent-document>"""


def _document(record: str) -> Document:
    (found,) = read_record(record.encode())
    assert isinstance(found, Document), found
    return found


def test_ep_divisional_keeps_both_keys() -> None:
    document = _document(_DIVISIONAL)
    assert document.application_key == "EP 2013 196195"
    assert [each.key for each in document.parents] == ["EP 2012 184383"]


def _exchange(country: str, head: str, body: str = "") -> str:
    return (
        f'<exch:exchange-document xmlns:exch="http://www.epo.org/exchange" country="{country}" '
        'doc-number="1000000" kind="A1"><exch:bibliographic-data><exch:publication-reference '
        f'data-format="docdb"><document-id><country>{country}</country><doc-number>1000000'
        "</doc-number><kind>A1</kind><date>20000517</date></document-id>"
        f"</exch:publication-reference>{head}</exch:bibliographic-data>{body}"
        "</exch:exchange-document>"
    )


_TITLES = "".join(
    f'<exch:invention-title lang="{language}">{title}</exch:invention-title>'
    for language, title in [("de", "Tasse"), ("en", "Cup"), ("fr", "Tasse à thé")]
)


def _abstract(language: str) -> str:
    return f'<exch:abstract lang="{language}"><exch:p>A cup.</exch:p></exch:abstract>'


@pytest.mark.parametrize(
    ("country", "head", "body", "language"),
    [
        ("EP", _TITLES, _abstract("en"), "en"),
        ("EP", _TITLES, _abstract("en") + _abstract("de"), "de"),
        ("EP", _TITLES, "", "en"),
        ("EP", f"<exch:language-of-publication>fr</exch:language-of-publication>{_TITLES}",
         _abstract("en"), "fr"),
        ("CN", '<exch:invention-title lang="en">Cup</exch:invention-title>', "", "zh"),
        ("WO", _TITLES, _abstract("fr") + _abstract("en"), "en"),
    ],
)  # fmt: skip
def test_docdb_language_is_that_of_the_document(country, head, body, language) -> None:
    assert _document(_exchange(country, head, body)).language == language


def test_docdb_original_language_has_its_code() -> None:
    titles = (
        '<exch:invention-title lang="ol">杯子</exch:invention-title>'
        '<exch:invention-title lang="en">Cup</exch:invention-title>'
    )
    document = _document(_exchange("CN", titles, _abstract("ol")))
    assert [(each.language, each.title) for each in document.texts] == [
        ("zh", "杯子"),
        ("en", "Cup"),
    ]
    assert document.text("zh").abstract == "A cup."


_REPLY = (
    '<ops:world-patent-data xmlns:ops="http://ops.epo.org" xmlns="{space}">{inner}'
    "</ops:world-patent-data>"
)
_REFERENCE = (
    '<bibliographic-data><publication-reference data-format="docdb"><document-id><country>EP'
    "</country><doc-number>1000000</doc-number><kind>A1</kind></document-id>"
    "</publication-reference></bibliographic-data>"
)
_FULL_TEXT = (
    '<ftxt:fulltext-document xmlns:ftxt="http://www.epo.org/fulltext" system="ops.epo.org" '
    'fulltext-format="text-only">' + _REFERENCE + "{inner}</ftxt:fulltext-document>"
)
_CLAIMS = (
    '<claims lang="EN"><claim><claim-text>1. A cup.</claim-text>'
    "<claim-text>2. The cup of claim 1.</claim-text></claim></claims>"
)
_DESCRIPTION = '<description lang="EN"><p>[0001] Cups leak.</p></description>'


def _reply(inner: str) -> str:
    space = "http://www.epo.org/fulltext"
    return _REPLY.format(
        space=space,
        inner=f"<ftxt:fulltext-documents xmlns:ftxt='{space}'>{inner}</ftxt:fulltext-documents>",
    )


def test_ops_replies_for_one_document_are_merged(tmp_path: Path) -> None:
    biblio = (
        _exchange("EP", _TITLES, _abstract("en"))
        .replace("exch:", "")
        .replace('xmlns="http://www.epo.org/exchange" ', "")
    )
    biblio = biblio.replace(' xmlns:exch="http://www.epo.org/exchange"', "")
    replies = {
        "claims.xml": _reply(_FULL_TEXT.format(inner=_CLAIMS)),
        "description.xml": _reply(_FULL_TEXT.format(inner=_DESCRIPTION)),
        "biblio.xml": _REPLY.format(
            space="http://www.epo.org/exchange",
            inner=f"<exchange-documents>{biblio}</exchange-documents>",
        ),
    }
    for name, reply in replies.items():
        (tmp_path / name).write_text(reply, encoding="utf-8")
    out = tmp_path / "documents.jsonl"
    result = parse_files([str(tmp_path / name) for name in replies], str(out))
    (document,) = read_document_jsonl(out)
    text = document.text("en")
    assert (result.documents, result.claims) == (1, 2)
    assert (document.id, document.publication_date) == ("EP1000000A1", "2000-05-17")
    assert (text.title, text.abstract, len(text.claims)) == ("Cup", "A cup.", 2)
    assert text.claims[1].depends_on == (1,)
    assert [each.text for each in text.description] == ["Cups leak."]
    assert document.text("de").title == "Tasse"


def _in_json(node: ElementTree.Element) -> Any:
    """An element as OPS writes it in JSON: ``@`` before attributes, ``$`` for the text."""
    inner: dict[str, Any] = {f"@{name}": value for name, value in node.attrib.items()}
    for child in node:
        inner.setdefault(child.tag.rpartition("}")[2], []).append(_in_json(child))
    inner = {name: each[0] if len(each) == 1 else each for name, each in inner.items()}
    return {**inner, "$": node.text.strip()} if node.text and node.text.strip() else inner


def test_ops_replies_in_json_say_the_same_as_in_xml(shared_data: Path, tmp_path: Path) -> None:
    read, folder = 0, shared_data / "patents" / "ops_family"
    for path in (folder / "fixtures_family_input.xml", *sorted(folder.glob("test_*.xml"))):
        root = ElementTree.parse(path).getroot()
        reply = {"ops:world-patent-data": _in_json(root)}
        written = tmp_path / f"{path.stem}.json"
        written.write_text(json.dumps(reply, ensure_ascii=False, indent=1), encoding="utf-8")
        ours, theirs = (
            [replace(one, origin="", notes=()) for one in read_documents(each)]  # type: ignore[type-var]
            for each in (written, path)
        )
        assert ours == theirs
        read += len(ours)
    assert read > 5
    found = list(read_documents(tmp_path))  # a folder, in which unknown tables are passed over
    assert len(found) == read


def test_ops_full_text_document_without_a_reply_around_it() -> None:
    record = _FULL_TEXT.format(inner=_CLAIMS).replace(
        "<ftxt:fulltext-document ", '<ftxt:fulltext-document xmlns="http://www.epo.org/fulltext" '
    )
    document = _document(record)
    assert (document.id, len(document.text("en").claims)) == ("EP1000000A1", 2)


def test_merging_keeps_what_either_says() -> None:
    one = Document("EP", "1", "A1", "", "ops", application_problem="none", notes=("a",))
    two = Document("EP", "1", "A1", "2000-05-17", "ops", "en", "99203729", "1999-11-08",
                   "EP 1999 203729", notes=("a", "b"))  # fmt: skip
    for merged in (merge_documents(one, two), merge_documents(two, one)):
        assert (merged.application_key, merged.application_problem) == ("EP 1999 203729", "")
        assert (merged.language, sorted(merged.notes)) == ("en", ["a", "b"])


def test_one_form_of_us_publication_numbers() -> None:
    record = _exchange("US", "").replace("1000000", "2006142694")
    assert _document(record).id == "US20060142694A1"


_BIBLIO = """<exchange-document country="EP" doc-number="2600001" kind="A1"><bibliographic-data>
<publication-reference><document-id document-id-type="epodoc"><doc-number>EP2600001</doc-number>
<date>20130605</date></document-id></publication-reference>
<application-reference><document-id document-id-type="epodoc"><doc-number>EP20120190001</doc-number>
<date>20121025</date></document-id></application-reference>
<priority-claims>{claims}</priority-claims></bibliographic-data></exchange-document>"""


def _claim(number: int, epodoc: str, original: str, date: str) -> str:
    return (
        f'<priority-claim sequence="{number}" kind="national"><document-id '
        f'document-id-type="epodoc"><doc-number>{epodoc}</doc-number><date>{date}</date>'
        '</document-id><document-id document-id-type="original"><doc-number>'
        f"{original}</doc-number></document-id></priority-claim>"
    )


def test_ops_priorities_in_epodoc_form_have_the_keys_of_the_offices() -> None:
    claims = (
        _claim(1, "DE201110114434", "102011114434", "20110928")
        + _claim(2, "TW20110101234", "100101234", "20110123")
        + _claim(3, "NO20110001605", "20111605", "20110408")
        + _claim(4, "WO2013US50328", "US2013/050328", "20130712")
    )
    document = _document(_reply(_BIBLIO.format(claims=claims)))
    assert document.application_key == "EP 2012 190001"
    assert [each.key for each in document.priorities] == [
        "DE 2011 114434", "TW 2011 101234", "NO 2011 01605", "WO 2013 US50328",
    ]  # fmt: skip


def test_ops_number_that_epodoc_cannot_tell_is_read_in_its_original_form() -> None:
    claims = _claim(1, "US20110123456", "61/123,456", "20110123")
    (priority,) = _document(_reply(_BIBLIO.format(claims=claims))).priorities
    assert (priority.country, priority.key) == ("US", "US 2011 61/123456")


def test_ops_family_says_which_priorities_count_beside_the_bibliographic_data() -> None:
    inner = _BIBLIO.format(claims=_claim(1, "US201161123456P", "61/123,456", "20110123"))
    active = """<priority-claim sequence="{0}" kind="national"><document-id
        document-id-type="docdb"><country>{1}</country><doc-number>{2}</doc-number><kind>{3}</kind>
        <date>{4}</date></document-id><priority-active-indicator>{5}</priority-active-indicator>
        </priority-claim>"""
    member = (
        '<ops:patent-family><ops:family-member family-id="4711">'
        + active.format(1, "US", "201161123456", "P", "20110123", "YES")
        + active.format(2, "WO", "US2012050328", "W", "20120712", "NO")
        + f"{inner}</ops:family-member></ops:patent-family>"
    )
    document = _document(_reply(member))
    assert [each.key for each in document.priorities] == ["US 2011 61/123456"]
    assert [each.key for each in document.parents] == ["WO 2012 US50328"]
    assert document.family_id == "4711"


def test_a_document_that_docdb_has_deleted_says_so() -> None:
    record = (
        '<exch:exchange-document xmlns:exch="urn:x" country="EP" doc-number="1900001" kind="A1" '
        'status="D" family-id="1"/>'
    )
    assert _document(record).notes == ("DOCDB has deleted this document",)


def test_docdb_number_that_is_made_up_is_no_key_in_epodoc_either() -> None:
    claim = (
        '<priority-claim sequence="1" data-format="{0}"><document-id>{1}</document-id>'
        "</priority-claim>"
    )
    docdb = "<country>CS</country><doc-number>1258191X</doc-number><date>19610118</date>"
    epodoc = "<doc-number>CSX1258191</doc-number>"
    claims = claim.format("docdb", docdb) + claim.format("epodoc", epodoc)
    (priority,) = _document(_reply(_BIBLIO.format(claims=claims))).priorities
    assert (priority.number, priority.key) == ("1258191X", "")
    assert "made up" in priority.problem
