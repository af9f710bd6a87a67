"""Collections that others have made: MAREC, LexisNexis, Google Patents, Lens, PatentsView.

The forms are real, the records are invented.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from patmark.collections.patents.formats.body import given_claims
from patmark.collections.patents.formats.mapped import read_mapping
from patmark.collections.patents.parse import parse_files
from patmark.collections.patents.read import read_documents
from patmark.data.documents import BrokenRecord, Citation, Document, read_document_jsonl
from patmark.errors import InputError

_DATA = Path(__file__).parent / "collections"


def _documents(path: Path) -> list[Document]:
    found = list(read_documents(path))
    assert [each for each in found if isinstance(each, BrokenRecord)] == []
    return [each for each in found if isinstance(each, Document)]


def test_marec() -> None:
    (document,) = _documents(_DATA / "synthetic_marec.xml")
    assert (document.id, document.publication_date) == ("EP1900001B1", "2008-03-19")
    assert (document.language, document.family_id) == ("en", "19768124")
    assert document.application_key == "EP 2006 012345"
    assert [each.key for each in document.priorities] == ["JP 1990 080002"]
    assert [each.key for each in document.parents] == ["WO 2006 JP301234"]
    assert document.ipc == ("A47G 19/22",)
    assert [text.language for text in document.texts] == ["en", "de", "fr"]
    assert document.text("de").title == "Tasse"
    for text in document.texts:
        assert [claim.depends_on for claim in text.claims] == [(), (1,)]
    assert [(each.section, each.text) for each in document.text().description] == [
        ("field", "Technical field"), ("field", "Cups leak at 10⁵ Pa."),
    ]  # fmt: skip
    assert document.citations == (
        Citation("US20070204872A1", "X", (), "search", "examiner", "2007-09-06"),
        Citation("US20070204872A1", "", (), "applicant", "applicant", "2007-09-06"),
        Citation("EP0680812A1"),
    )


def test_marec_number_in_two_forms_is_one_priority(tmp_path: Path) -> None:
    record = (_DATA / "synthetic_marec.xml").read_text(encoding="utf-8")
    original = (
        '<document-id format="original"><country>JP</country><doc-number>?</doc-number>'
        "<date>19900327</date></document-id>"
    )
    at = record.index("<document-id", record.index("<priority-claim "))
    (tmp_path / "a.xml").write_text(record[:at] + original + record[at:], encoding="utf-8")
    (document,) = _documents(tmp_path / "a.xml")
    assert [each.key for each in document.priorities] == ["JP 1990 080002"]


def test_lexisnexis() -> None:
    (document,) = _documents(_DATA / "synthetic_lexisnexis.xml")
    assert (document.id, document.language) == ("CN101900001A", "zh")
    assert document.application_key == "CN 2007 10012345"
    assert [each.key for each in document.priorities] == ["JP 2006 054321"]
    assert (document.ipc, document.cpc) == (("A47G 19/22",), ("A47G 19/2205",))
    assert [claim.depends_on for claim in document.text().claims] == [(), (1,)]
    assert (document.text().title, document.text("en").title) == ("杯子", "Cup")
    assert document.notes == (
        "the invention-title in en is not original: translated",
        "the abstract in en is not original: equivalent of US4184977A",
    )
    assert [each.document for each in document.citations] == ["FR2206951A1"]


def test_google_patents_json_lines(tmp_path: Path) -> None:
    american, chinese = _documents(_DATA / "synthetic_google_patents.jsonl")
    text = american.text()
    assert (american.id, american.publication_date) == ("US20060142694A1", "2006-06-29")
    assert american.application_key == "US 2005 11/314567"
    assert [each.key for each in american.priorities] == ["JP 2004 374534"]
    assert (american.ipc, american.cpc) == (("A47G 19/22",), ("A47G 19/2205",))
    assert (american.family_id, chinese.family_id) == ("35840242", "")
    assert [(claim.text, claim.depends_on) for claim in text.claims] == [
        ("A cup, comprising:\na lid.", ()),
        ("The cup of claim 1, wherein the lid is round.", (1,)),
    ]
    assert [each.section for each in text.description] == [
        "background", "background", "embodiments", "embodiments",
    ]  # fmt: skip
    assert american.citations == (Citation("EP1116605B1", "X", (), "search", "examiner"),)
    assert (chinese.language, chinese.text().title) == ("zh", "杯子")
    assert [claim.depends_on for claim in chinese.text().claims] == [(), (1,)]
    packed = tmp_path / "part-000.json.gz"
    packed.write_bytes(gzip.compress((_DATA / "synthetic_google_patents.jsonl").read_bytes()))
    assert [each.id for each in _documents(tmp_path)] == [american.id, chinese.id]


def test_google_patents_csv() -> None:
    (document,) = _documents(_DATA / "synthetic_google_patents.csv")
    text = document.text()
    assert (document.id, text.title, text.abstract) == (
        "US20060142694A1", "Cup", "A cup with a lid.",
    )  # fmt: skip
    assert [claim.depends_on for claim in text.claims] == [(), (1,)]
    assert [each.key for each in document.priorities] == ["JP 2004 374534"]


def test_lens_table() -> None:
    (document,) = _documents(_DATA / "synthetic_lens.csv")
    assert (document.id, document.application_key) == ("EP1900001A1", "EP 2006 012345")
    assert [each.key for each in document.priorities] == ["JP 2005 174534"]
    assert document.ipc == ("A47G 19/22", "B65D 43/02")
    assert [each.document for each in document.citations] == ["US20070204872A1", "EP0680812A1"]


def test_lens_object() -> None:
    (document,) = _documents(_DATA / "synthetic_lens.json")
    assert (document.id, document.application_key) == ("EP1900001A1", "EP 2006 012345")
    assert [each.key for each in document.priorities] == ["JP 2005 174534"]
    assert [claim.depends_on for claim in document.text().claims] == [(), (1,)]
    assert [each.section for each in document.text().description] == ["field", "field"]
    assert document.citations[0].category == "X"


def test_patentsview_tables_are_put_together(tmp_path: Path) -> None:
    out = tmp_path / "documents.jsonl"
    tables = sorted(map(str, _DATA.glob("synthetic_patentsview_*")))
    result = parse_files(tables, str(out))
    (document,) = read_document_jsonl(out)
    text = document.text()
    assert (result.documents, result.broken) == (1, [])
    assert (document.id, document.publication_date) == ("US7000001B2", "2006-02-14")
    assert [(claim.num, claim.text, claim.depends_on) for claim in text.claims] == [
        (1, "A cup.", ()), (2, "The cup of claim 1.", (1,)),
    ]  # fmt: skip
    assert text.title == "Cup"
    assert [each.text for each in text.description] == ["A lid is used.", "It is round."]
    assert [each.document for each in document.citations] == ["US5825759A"]


def _patentsview(tmp_path: Path, **tables: tuple[str, ...]) -> list[tuple[str, str]]:
    """The sections and paragraphs of a patent of which tables of texts have several rows."""
    for name, texts in tables.items():
        column = {"brf_sum": "summary_text", "detail_desc": "description_text"}.get(name)
        rows = "".join(f'"7000001"\t"{text}"\n' for text in texts)
        header = f'"patent_id"\t"{column or "draw_desc_text"}"\n'
        (tmp_path / f"g_{name}_text_2006.tsv").write_text(header + rows, encoding="utf-8")
    parse_files([str(tmp_path)], str(tmp_path / "out.jsonl"))
    (document,) = read_document_jsonl(tmp_path / "out.jsonl")
    return [(each.section, each.text) for each in document.text().description]


def test_patentsview_parts_of_one_section_are_all_kept(tmp_path: Path) -> None:
    figures = tuple(f"FIG. {n} shows a cup." for n in (1, 2, 3))
    found = _patentsview(tmp_path, draw_desc=(*figures, figures[1]))
    assert found == [("drawings", text) for text in figures]


def test_a_patentsview_description_that_repeats_a_heading_is_kept(tmp_path: Path) -> None:
    found = _patentsview(
        tmp_path,
        brf_sum=("BACKGROUND\nCups leak.\nSUMMARY\nA lid helps.\nCups leak.",),
        detail_desc=("The lid is round.\nBACKGROUND\nCups are old.",),
    )
    assert found == [
        ("background", "BACKGROUND"), ("background", "Cups leak."), ("background", "BACKGROUND"),
        ("background", "Cups are old."), ("summary", "SUMMARY"), ("summary", "A lid helps."),
        ("summary", "Cups leak."), ("embodiments", "The lid is round."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1}\n' * 3, "a table that begins with the columns a"),
        ('{"publication_number": "?"}\n', "no publication number"),
        ('[{"publication_number": "US-1-A"}, {', "the rest is not JSON"),
        ('{"publication_number": "US-1-A"}\nxx\n', "a line is not JSON"),
        ("patent_id\tpatent_title\n1\n", "1 cells under 2 columns"),
        ('"patent_id"\t"patent_title"\n"1"\t""\n"\t"', "1 cells under 2 columns"),
    ],
)
def test_broken_tables_are_reported(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "table.txt").write_text(content, encoding="utf-8")
    found = [
        each for each in read_documents(tmp_path / "table.txt") if isinstance(each, BrokenRecord)
    ]
    assert len(found) == 1
    assert message in found[0].message


def test_a_line_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("patmark.collections.patents.formats.tables.LONGEST_LINE", 1 << 20)
    (tmp_path / "a.jsonl").write_bytes(b'{"publication_number": "' + b"x" * (3 << 20))
    (found,) = read_documents(tmp_path / "a.jsonl")
    assert isinstance(found, BrokenRecord)
    assert "a line of more than 1 MB" in found.message


def test_tables_of_something_else_in_a_folder_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"name": "not a patent"}')
    (tmp_path / "b.csv").write_text("x,y\n1,2\n")
    skipped: list[str] = []
    found = list(read_documents(tmp_path, on_skip=skipped.append))
    assert [Path(name).name for name in skipped] == ["a.json", "b.csv"]
    assert found == []


_XML = """<?xml version="1.0"?><k:export xmlns:k="http://example.org/k">
<k:doc id="KR-1020200012345-A"><k:meta published="2020-02-04"/><k:name>Cup</k:name>
<k:app no="10-2018-0087654" day="2018.07.27"/><k:prio land="JP" day="20170801">2017-148888</k:prio>
<k:claim>A cup.</k:claim><k:claim>The cup of claim 1.</k:claim>
<k:class>A47G 19/22; B65D 43/02</k:class><k:text>TECHNICAL FIELD</k:text><k:text>Cups leak.</k:text>
<k:cited cat="X">US20070204872A1</k:cited>
<k:ko><k:name>컵</k:name></k:ko></k:doc></k:export>"""
_XML_MAP = """
record = "//doc"
[fields]
publication = "@id"
publication_date = "meta/@published"
application_number = "app/@no"
application_date = "app/@day"
title = "name"
claims = "claim"
description = "text"
ipc = "class"
[texts.ko]
title = "ko/name"
[fixed]
language = "en"
[priorities]
each = "prio"
country = "@land"
date = "@day"
[citations]
each = "cited"
category = "@cat"
"""
_JSON = {
    "pub": {"no": "1900001", "kind": "A1", "day": 20080319},
    "texts": [{"l": "en", "t": "Cup"}],
    "claims": "1. A cup. 2. The cup of claim 1.",
    "prio": [{"c": "JP", "n": "2005-174534", "d": "2005-06-15"}],
}
_JSON_MAP = """
[fields]
number = "pub.no"
kind = "pub.kind"
publication_date = "pub.day"
language = "texts[0].l"
title = "texts[].t"
claims = "claims"
[fixed]
office = "EP"
[priorities]
each = "prio[]"
country = "c"
number = "n"
date = "d"
"""
_CSV = "No;Title;Claims\nEP1900001A1;Cup;1. A cup. 2. The cup of claim 1.\n"
_CSV_MAP = (
    '[fields]\npublication = "No"\ntitle = "Title"\nclaims = "Claims"\n[fixed]\nlanguage = "en"\n'
)


def test_a_mapping_reads_any_xml(tmp_path: Path) -> None:
    (tmp_path / "export.xml").write_text(_XML, encoding="utf-8")
    (tmp_path / "fields.toml").write_text(_XML_MAP, encoding="utf-8")
    mapping = read_mapping(tmp_path / "fields.toml")
    (document,) = read_documents(tmp_path / "export.xml", mapping=mapping)
    assert isinstance(document, Document), document
    assert (document.id, document.publication_date) == ("KR20200012345A", "2020-02-04")
    assert document.application_key == "KR 2018 0087654"
    assert [each.key for each in document.priorities] == ["JP 2017 148888"]
    assert document.ipc == ("A47G 19/22", "B65D 43/02")
    assert [claim.depends_on for claim in document.text().claims] == [(), (1,)]
    assert [each.section for each in document.text().description] == ["field", "field"]
    assert document.text("ko").title == "컵"
    assert document.citations == (Citation("US20070204872A1", "X"),)


@pytest.mark.parametrize(
    ("name", "content", "places"),
    [("a.json", json.dumps([_JSON]), _JSON_MAP), ("a.csv", _CSV, _CSV_MAP)],
)
def test_a_mapping_reads_json_and_csv(tmp_path: Path, name, content, places) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "fields.toml").write_text(places, encoding="utf-8")
    out = tmp_path / "documents.jsonl"
    parse_files([str(tmp_path / name)], str(out), mapping=str(tmp_path / "fields.toml"))
    (document,) = read_document_jsonl(out)
    assert (document.id, document.text("en").title) == ("EP1900001A1", "Cup")
    assert [claim.depends_on for claim in document.text().claims] == [(), (1,)]
    if name == "a.json":
        assert [each.key for each in document.priorities] == ["JP 2005 174534"]


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ('[fields]\ntitel = "a"\n', "unknown field 'titel'"),
        ('[fields]\ntitle = "a"\n', "publication, or number"),
        ("record = 1\n", "expected a string"),
    ],
)
def test_a_mapping_that_is_wrong_is_refused(tmp_path: Path, places: str, message: str) -> None:
    (tmp_path / "fields.toml").write_text(places, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_mapping(tmp_path / "fields.toml")


def test_a_mapping_that_fits_no_record_is_reported(tmp_path: Path) -> None:
    (tmp_path / "export.xml").write_text(_XML, encoding="utf-8")
    for places in ('record = "//none"\n[fields]\nnumber = "a"', '[fields]\nnumber = "a["'):
        (tmp_path / "fields.toml").write_text(places, encoding="utf-8")
        mapping = read_mapping(tmp_path / "fields.toml")
        (found,) = read_documents(tmp_path / "export.xml", mapping=mapping)
        assert isinstance(found, BrokenRecord)
        assert "the mapping" in found.message


_NAMELESS = {
    "a.xml": (
        '<patent-document ucid="XX-1-A" country="XX" doc-number="1" kind="A"><bibliographic-data>'
        "<technical-data><invention-title>Cup</invention-title></technical-data>"
        "</bibliographic-data><abstract><p>A cup.</p></abstract></patent-document>"
    ),
    "b.xml": (
        "<lexisnexis-patent-document><bibliographic-data><publication-reference><document-id>"
        "<country>XX</country><doc-number>1</doc-number><kind>A</kind></document-id>"
        "</publication-reference><invention-title>Cup</invention-title></bibliographic-data>"
        "<abstract><p>A cup.</p></abstract></lexisnexis-patent-document>"
    ),
    "c.xml": (
        '<ep-patent-document country="EP" doc-number="1" kind="A1"><SDOBI><B500><B540><B541>en'
        "</B541><B542>Cup</B542></B540></B500></SDOBI><abstract><p>A cup.</p></abstract>"
        "</ep-patent-document>"
    ),
    "e.xml": (
        '<fulltext-document><bibliographic-data><publication-reference><document-id '
        'document-id-type="docdb"><country>XX</country><doc-number>1</doc-number><kind>A</kind>'
        "</document-id></publication-reference></bibliographic-data><claims><claim><claim-text>"
        "1. A cup.</claim-text></claim></claims></fulltext-document>"
    ),
    "d.json": json.dumps(
        {
            "lens_id": "1", "jurisdiction": "XX", "doc_number": "1", "kind": "A",
            "biblio": {"invention_title": [{"text": "Cup"}]}, "abstract": [{"text": "A cup."}],
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _NAMELESS)
def test_a_text_whose_language_nobody_names_is_kept(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(_NAMELESS[name], encoding="utf-8")
    (document,) = _documents(tmp_path / name)
    assert document.language == "und"
    if name == "e.xml":
        assert [claim.text for claim in document.text("und").claims] == ["A cup."]
    else:
        assert document.text().abstract == "A cup."
        assert document.text("en" if name == "c.xml" else "und").title == "Cup"


def _never_found(tmp_path: Path, name: str, content: str, places: str) -> list[str]:
    (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "fields.toml").write_text(places, encoding="utf-8")
    out = str(tmp_path / "documents.jsonl")
    result = parse_files([str(tmp_path / name)], out, mapping=str(tmp_path / "fields.toml"))
    assert result.to_json()["fields_never_found"] == result.never_found
    assert all(
        f"the mapping finds nothing at {each}" in result.lines() for each in result.never_found
    )
    return result.never_found


def test_fields_of_a_mapping_that_are_never_found_are_named(tmp_path: Path) -> None:
    assert _never_found(tmp_path, "a.xml", _XML, _XML_MAP) == []
    assert _never_found(tmp_path, "a.json", json.dumps([_JSON]), _JSON_MAP) == []
    wrong = _XML_MAP.replace('"claim"', '"clam"').replace('"ko/name"', '"ko/nam"')
    wrong = wrong.replace('"@land"', '"@country"').replace('"cited"', '"citd"')
    assert _never_found(tmp_path, "a.xml", _XML, wrong) == [
        "[fields] claims = 'clam'",
        "[texts.ko] title = 'ko/nam'",
        "[priorities] country = '@country'",
        "[citations] each = 'citd'",
    ]
    rows = json.dumps([{**_JSON, "abstract": "A cup."}, _JSON])
    places = _JSON_MAP.replace('claims = "claims"', 'claims = "clams"\nabstract = "abstract"')
    assert _never_found(tmp_path, "a.json", rows, places) == ["[fields] claims = 'clams'"]


@pytest.mark.parametrize("place", ["titel[x].text", "texts[", "a..b", "texts[].t."])
def test_a_path_that_is_none_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match="neither a name nor a path"):
        _never_found(tmp_path, "a.json", json.dumps(_JSON), _JSON_MAP.replace("texts[].t", place))


def test_a_json_record_that_a_mapping_does_not_find_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the mapping finds no record at 'docs"):
        _never_found(tmp_path, "a.json", json.dumps(_JSON), 'record = "docs[]"\n' + _JSON_MAP)


def test_columns_with_dots_and_brackets(tmp_path: Path) -> None:
    table = _CSV.replace("No;Title", "Pub. No.;Title [EN]")
    places = _CSV_MAP.replace('"No"', '"Pub. No."').replace('"Title"', '"Title [EN]"')
    assert _never_found(tmp_path, "a.csv", table, places) == []
    (document,) = read_document_jsonl(tmp_path / "documents.jsonl")
    assert (document.id, document.text().title) == ("EP1900001A1", "Cup")


def test_a_filing_date_without_a_number_is_kept(tmp_path: Path) -> None:
    row = {"lens_id": "1", "jurisdiction": "EP", "doc_number": "1", "kind": "A1"}
    biblio = {"application_reference": {"jurisdiction": "EP", "date": "2006-06-14"}}
    (tmp_path / "a.json").write_text(json.dumps({**row, "biblio": biblio}))
    (document,) = _documents(tmp_path / "a.json")
    assert document.application_date == "2006-06-14"
    assert document.application_problem == "no application number"


def _google(tmp_path: Path, **fields: object) -> Document:
    row = {"publication_number": "EP-1900001-B1", "publication_date": 20080319, **fields}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (document,) = _documents(tmp_path / "a.jsonl")
    return document


@pytest.mark.parametrize(
    ("language", "text", "depends"),
    [
        ("en", "1 . A cup.\n\n2 . A lid for a cup.\n\n3 . A set of 2 . lids.", [(), (), ()]),
        ("en", "1. A cup, made by:\n1. heating;\n2. cooling.\n2. The cup of claim 1.\n3. A lid.",
         [(), (1,), ()]),
        ("en", "A cup with a lid.\nThe cup of claim 1.", [(), (1,)]),
        ("de", "1. Tasse mit Deckel.\n2. Tasse nach Anspruch 1.\n3. Deckel.", [(), (1,), ()]),
        ("fr", "Revendications\n1. Tasse.\n2. Tasse selon la revendication 1.", [(), (1,)]),
        ("zh", "1.一种杯子，其特征在于有盖。\n2.根据权利要求1所述的杯子。", [(), (1,)]),
        ("ja", "【請求項１】蓋を有するカップ。【請求項２】請求項１に記載のカップ。", [(), (1,)]),
    ],
)  # fmt: skip
def test_claims_of_google_tables_are_cut(tmp_path: Path, language, text, depends) -> None:
    told = [{"text": text, "language": language, "truncated": False}]
    document = _google(tmp_path, claims_localized=told)
    assert [claim.depends_on for claim in document.text(language).claims] == depends


def _mapped(tmp_path: Path, name: str, content: str, places: str) -> Document:
    (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "fields.toml").write_text(places, encoding="utf-8")
    mapping = read_mapping(tmp_path / "fields.toml")
    (document,) = read_documents(tmp_path / name, mapping=mapping)
    assert isinstance(document, Document)
    return document


_LISTS = {
    "no": "EP1900001A1",
    "claims": ["A cup.", "The cup of claim 1.", "5. The cup of any preceding claim."],
    "cited": "US 7,000,001 B2, EP1000000A1; JP-A-7-300979|US2007/0204872",
    "prio": "JP2005-174534; US 60/123,456",
    "prio_date": "2005-06-15; 1999-03-01",
}
_LISTS_MAP = """[fields]
publication = "no"
claims = "claims"
[fixed]
language = "en"
[priorities]
each = "."
number = "prio"
date = "prio_date"
[citations]
each = "."
document = "cited"
"""


def test_lists_in_mapped_cells(tmp_path: Path) -> None:
    cells = (json.dumps(each) if isinstance(each, list) else each for each in _LISTS.values())
    quoted = ('"' + each.replace('"', '""') + '"' for each in cells)
    as_csv = "\t".join(_LISTS) + "\n" + "\t".join(quoted)
    for name, content in (("a.json", json.dumps(_LISTS)), ("a.tsv", as_csv)):
        document = _mapped(tmp_path, name, content, _LISTS_MAP)
        claims = document.text().claims
        assert [(claim.num, claim.depends_on) for claim in claims] == [
            (1, ()), (2, (1,)), (5, (1, 2, 3, 4)),
        ]  # fmt: skip
        assert [each.document for each in document.citations] == [
            "US7000001B2", "EP1000000A1", "JPH07300979A", "US20070204872",
        ]  # fmt: skip
        assert [each.date for each in document.priorities] == ["2005-06-15", "1999-03-01"]


def test_mapped_priorities_of_several_countries(tmp_path: Path) -> None:
    row = {"no": "EP1900001A1", "prio": "2005-174534; 60/123,456", "land": "JP;US",
           "day": "2005-06-15; 1999-03-01"}  # fmt: skip
    places = (
        '[fields]\npublication = "no"\n[priorities]\neach = "."\nnumber = "prio"\n'
        'country = "land"\ndate = "day"\n'
    )
    document = _mapped(tmp_path, "a.json", json.dumps(row), places)
    assert [each.key for each in document.priorities] == ["JP 2005 174534", "US 1999 60/123456"]


def test_lens_priorities_without_dates_of_their_own(tmp_path: Path) -> None:
    header, row = (_DATA / "synthetic_lens.csv").read_text(encoding="utf-8").splitlines()
    numbers = "JP 2005174534 A;;US 201562123456 P;;US 2016012345 W;;US 39912403 P;;IL 170000 A"
    row = row.replace("JP 2005174534 A", numbers).replace(",2005-06-15,", ",2003-06-15,")
    row = row.replace("2006-06-15", "2017-06-15")
    (tmp_path / "lens.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    (document,) = _documents(tmp_path / "lens.csv")
    assert [(each.date, each.key) for each in document.priorities] == [
        ("2005", "JP 2005 174534"),
        ("2015", "US 2015 62/123456"),
        ("2016", "WO 2016 US12345"),
        ("2003", "US 2003 60/399124"),
        ("", ""),
    ]


@pytest.mark.parametrize("name", ["part-000", "weekly.dat", "a.out", "patents.json.part"])
def test_files_are_known_by_their_content(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for place, source in enumerate(("synthetic_marec.xml", "synthetic_google_patents.jsonl")):
        (folder / f"{place}-{name}").write_bytes((_DATA / source).read_bytes())
    (folder / "page.tif").write_bytes(b"II*\0\x08\0\0\0" + bytes(range(256)))
    (folder / "LICENSE").write_text("Free to use.", encoding="utf-8")
    skipped: list[str] = []
    found = list(read_documents(folder, on_skip=skipped.append))
    assert [each.id for each in found if isinstance(each, Document)] == [
        "EP1900001B1", "US20060142694A1", "CN101900001A",
    ]  # fmt: skip
    assert [Path(each).name for each in skipped] == ["LICENSE", "page.tif"]


def test_marec_with_all_claims_in_one_element(tmp_path: Path) -> None:
    record = (_DATA / "synthetic_marec.xml").read_text(encoding="utf-8")
    begin = record.index("<claim ")
    one = (
        '<claim num="1"><claim-text>1. A cup.<claim-text>2. The cup of claim 1.</claim-text>'
        "<claim-text>3. The cup of claim 1 or 2.</claim-text></claim-text></claim>"
    )
    record = record[:begin] + one + record[record.index("</claims>") :]
    (tmp_path / "a.xml").write_text(record, encoding="utf-8")
    (document,) = _documents(tmp_path / "a.xml")
    claims = next(text.claims for text in document.texts if len(text.claims) > 2)
    assert [claim.depends_on for claim in claims] == [(), (1,), (1, 2)]


def test_lists_of_claims_may_leave_out_numbers() -> None:
    given = ["1. A cup.", "2. A lid.", "4. A spoon, with:", "a bowl.", "5. The spoon of claim 4."]
    assert [(claim.num, claim.text, claim.depends_on) for claim in given_claims(given)] == [
        (1, "A cup.", ()),
        (2, "A lid.", ()),
        (4, "A spoon, with:\na bowl.", ()),
        (5, "The spoon of claim 4.", (4,)),
    ]
    canceled = given_claims(["1. (canceled)", "2-5. (canceled)", "6. A cup.", "7. A lid."])
    assert [claim.num for claim in canceled] == [1, 2, 6, 7]


def test_items_inside_a_claim_of_a_list_begin_none() -> None:
    given = ["3. A cup, with:", "1. a lid;", "2. a handle.", "4. The cup of claim 3."]
    assert [claim.num for claim in given_claims(given)] == [3, 4]
