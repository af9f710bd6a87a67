"""Collections from patent files: XML, bulk files, folders, parsed documents, rows."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

pytest.importorskip("lxml", reason="lxml is absent: pip install 'patmark[corpus]'")

from patmark.collections.retrieval.collection import CollectionProblems, read_patents
from patmark.data import PatentDocument, to_collection_row
from patmark.data.documents import (
    Citation,
    Claim,
    Document,
    Paragraph,
    PatentText,
    Priority,
    write_documents,
)
from patmark.errors import InputError

_SAMPLES = Path(__file__).parent.parent / "patents" / "data"
_GRANT = """<?xml version="1.0" encoding="UTF-8"?>
<us-patent-grant lang="EN" country="US"><us-bibliographic-data-grant>
<publication-reference><document-id><country>US</country><doc-number>{number}</doc-number>
<kind>B2</kind><date>{date}</date></document-id></publication-reference>
<classifications-ipcr><classification-ipcr><section>F</section><class>16</class>
<subclass>H</subclass><main-group>1</main-group><subgroup>28</subgroup></classification-ipcr>
</classifications-ipcr><invention-title>Gear {number}</invention-title>
</us-bibliographic-data-grant>
<claims><claim num="00001"><claim-text>1. A gear on a shaft.</claim-text></claim></claims>
</us-patent-grant>
"""


def _read(*paths: Path, language: str = "en") -> tuple[list[PatentDocument], CollectionProblems]:
    left_out = CollectionProblems()
    return list(read_patents(map(str, paths), language, left_out)), left_out


def _bulk(path: Path, *records: str) -> Path:
    path.write_text("".join(records), encoding="utf-8")
    return path


def _grant(number: str, date: str = "20200107") -> str:
    return _GRANT.format(number=number, date=date)


def test_a_bulk_file_becomes_a_collection(tmp_path: Path) -> None:
    (one, two), left_out = _read(_bulk(tmp_path / "ipg.xml", _grant("101"), _grant("102")))
    assert (one.id, two.id) == ("US101B2", "US102B2")
    assert str(one.date) == "2020-01-07"
    assert one.title == "Gear 101"
    assert "A gear on a shaft." in one.claims
    assert one.ipc and one.ipc[0].startswith("F16H")
    assert one.lang == "en"
    assert not any(left_out.to_json().values())


def test_broken_and_repeated_records_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    broken = '<?xml version="1.0"?>\n<us-patent-grant><broken></us-patent-grant>\n'
    path = _bulk(tmp_path / "ipg.xml", _grant("101"), broken, _grant("101"), _grant("102"))
    found, left_out = _read(path)
    assert [one.id for one in found] == ["US101B2", "US102B2"]
    assert [len(left_out.broken), len(left_out.repeated)] == [1, 1]
    assert "record 2" in left_out.broken[0]
    assert "record 3), taken from US101B2" in left_out.repeated[0]
    lines = list(left_out.lines())
    assert lines[0] == "1 records could not be read:"
    assert (
        lines[2]
        == "1 records were left out for a fuller or an earlier record of the same document:"
    )


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_of_several_records_of_a_document_the_fullest_counts(tmp_path: Path, names: str) -> None:
    record = Document("US", "101", "B2", "2020-01-07", "docdb", texts=(PatentText("en", "Gear"),))
    whole = PatentText(
        "en", "Gear", "", (Claim(1, "A gear."),), (Paragraph("field", "", "Of gears."),)
    )
    cited = (Citation("US7B1"),)
    full = replace(record, source_format="uspto-red-book", texts=(whole,), citations=cited)
    write_documents(tmp_path / f"{names[0]}.jsonl", [record])
    write_documents(tmp_path / f"{names[1]}.jsonl", [full])
    [found], left_out = _read(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert (found.claims, found.description) == ("1. A gear.", "Of gears.")
    assert found.citations == cited
    assert len(left_out.repeated) == 1


def test_text_in_another_language_makes_no_record_fuller(tmp_path: Path) -> None:
    record = Document("EP", "1", "A1", "2020-01-07", "docdb")
    own = replace(record, texts=(PatentText("en", "Cup", "", (Claim(1, "A cup."),)),))
    german = PatentText(
        "de", "Tasse", "", (), (Paragraph("field", "", "Eine lange Beschreibung." * 9),)
    )
    write_documents(tmp_path / "a.jsonl", [own])
    write_documents(
        tmp_path / "b.jsonl", [replace(record, texts=(PatentText("en", "Cup"), german))]
    )
    [found], _ = _read(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert found.claims == "1. A cup."


def test_records_that_hold_a_part_each_are_put_together(tmp_path: Path) -> None:
    part = Document("EP", "101", "A1", "2020-01-07", "ops", texts=(PatentText("en", "Gear"),))
    claims = replace(part, texts=(PatentText("en", claims=(Claim(1, "A gear."),)),))
    write_documents(tmp_path / "parts.jsonl", [part, claims])
    [found], left_out = _read(tmp_path / "parts.jsonl")
    assert (found.title, found.claims) == ("Gear", "1. A gear.")
    assert not left_out.repeated


def test_archives_and_folders_are_opened_and_other_files_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "week.zip", "w") as archive:
        archive.writestr("a.xml", _grant("101"))
        archive.writestr("a.tif", "picture")
    found, left_out = _read(tmp_path / "in")
    assert [one.id for one in found] == ["US101B2"]
    assert len(left_out.skipped_files) == 1
    assert left_out.skipped_files[0].endswith("a.tif")


def test_only_texts_of_the_language_are_taken(tmp_path: Path) -> None:
    german = PatentText("de", "Getriebe")
    english = PatentText(
        "en", "Gear ⟦formula:m1⟧ box", "", (Claim(1, "A gear."),), (Paragraph("", "", "It turns."),)
    )
    documents = [
        Document("EP", "1", "A1", "2003-07-09", "ep", "de", texts=(german, english), cpc=("F16H",)),
        Document("EP", "2", "A1", "2003-07-09", "ep", "de", texts=(german,)),
    ]
    path = tmp_path / "parsed.jsonl"
    write_documents(path, documents)
    (one,), left_out = _read(path)
    assert (one.id, one.title, one.cpc) == ("EP1A1", "Gear box", ("F16H",))
    assert one.text == "Gear box\n1. A gear.\nIt turns."
    assert [place.split()[0] for place in left_out.without_text] == ["EP2A1"]
    with pytest.raises(InputError, match="no document has a text in ja"):
        _read(path, language="ja")


@pytest.mark.parametrize("written", ["2006/07/19", "2006.07.19", "20060719", "2006-07-19"])
def test_an_index_and_an_exported_collection_have_the_same_dates(
    tmp_path: Path, written: str
) -> None:
    priority = Priority("DE", "1", written)
    document = Document(
        "EP", "1", "A1", written, "ep", "en", texts=(PatentText("en", "Gear"),),
        application_date=written, priorities=(priority,),
    )  # fmt: skip
    write_documents(tmp_path / "parsed.jsonl", [document])
    (one,), left_out = _read(tmp_path / "parsed.jsonl")
    assert (one.date, one.filed, one.priority) == (date(2006, 7, 19),) * 3
    row = to_collection_row(document, "en")
    assert (row["date"], row["filed"], row["priority"]) == ("2006-07-19",) * 3
    assert left_out.undated == []


def test_a_publication_date_that_is_none_is_told(tmp_path: Path) -> None:
    document = Document("EP", "1", "A1", "2006-07", "ep", "en", texts=(PatentText("en", "Gear"),))
    write_documents(tmp_path / "parsed.jsonl", [document])
    (one,), left_out = _read(tmp_path / "parsed.jsonl")
    assert one.date is None
    assert left_out.undated == ["EP1A1 (, record 0): '2006-07' is no date"]


def test_rows_and_patent_files_make_one_collection(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "US101B2", "title": "gear"}) + "\n")
    bulk = _bulk(tmp_path / "ipg.xml", _grant("101"), _grant("102"))
    found, left_out = _read(rows, bulk)
    assert [one.id for one in found] == ["US101B2", "US102B2"]
    assert len(left_out.repeated) == 1
    with pytest.raises(InputError, match=r"document 'US101B2' is already at US101B2 \("):
        _read(bulk, rows)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.xml", "# no patent\n", "no known patent format"),
        ("x.jsonl", "nonsense\n", "not valid JSON"),
        ("x.xml", "", "is empty"),
        ("x.jsonl", '{"id": "a", "lang": "ja"}\n', "expected en"),
    ],
)
def test_files_that_give_no_document(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _read(_bulk(tmp_path / name, content))


def test_missing_files_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        _read(tmp_path / "none.xml")
    with pytest.raises(InputError, match="holds no file that could be read"):
        _read(tmp_path)


@pytest.mark.parametrize(
    ("name", "language", "document"),
    [
        ("synthetic_jp_gazette.xml", "ja", "JP"),
        ("synthetic_jp_st96.xml", "ja", "JP"),
        ("synthetic_cn_newer.xml", "zh", "CN"),
        ("synthetic_us_green_book.txt", "en", "US"),
        ("synthetic_us_sgml.sgm", "en", "US"),
    ],
)
def test_files_of_the_offices(name: str, language: str, document: str) -> None:
    found, left_out = _read(_SAMPLES / name, language=language)
    assert found
    assert all(one.id.startswith(document) and one.text for one in found)
    assert not left_out.broken
