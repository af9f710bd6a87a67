"""Documents as JSON Lines and as rows of a collection."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import patmark.collections.corpus
from patmark.collections.patents.read import read_documents
from patmark.data.documents import (
    Claim,
    Document,
    Paragraph,
    PatentText,
    Priority,
    document_to_json,
    holds_documents,
    read_document_jsonl,
    write_documents,
)
from patmark.errors import InputError

_DATA = Path(__file__).parent / "data"
_DOCUMENT = Document(
    "EP", "1", "B1", "2003-07-09", "ep-fulltext", "en",
    priorities=(Priority("JP", "2000273711", "2000-09-08", key="JP 2000 273711"),),
    ipc=("C07C 29/44",),
    texts=(
        PatentText("en", "Cup", "A cup.",
             (Claim(1, "A cup."), Claim(2, "The cup of claim 1.", (1,))),
             (Paragraph("field", "0001", "Cups."), Paragraph("drawings", "", "Fig. 1", True))),
        PatentText("de", "Becher"),
    ),
    family_id="19",
)  # fmt: skip


@pytest.mark.parametrize("name", ["docs.jsonl", "docs.jsonl.gz", "docs.jsonl.zst"])
def test_round_trip(tmp_path: Path, name: str) -> None:
    documents = [_DOCUMENT, *(each for each in read_documents(_DATA) if isinstance(each, Document))]
    assert len(documents) == 8
    assert write_documents(tmp_path / name, documents) == 8
    assert list(read_document_jsonl(tmp_path / name)) == documents


def test_a_byte_order_mark_and_windows_lines_are_no_part_of_the_data(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    write_documents(path, [_DOCUMENT] * 2)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert list(read_document_jsonl(path)) == [_DOCUMENT] * 2


def test_a_row_names_the_document_and_leaves_out_what_is_empty() -> None:
    row = document_to_json(_DOCUMENT)
    assert row["id"] == "EP1B1"
    assert "cpc" not in row
    assert row["texts"][0]["claims"][1] == {
        "num": 2, "text": "The cup of claim 1.", "depends_on": (1,),
    }  # fmt: skip


def test_bad_lines_are_all_listed(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"office": "EP", "number": "1"}\n{oops\n{"office": "EP"}\n[]\n{"x": 1}\n')
    found = []
    with pytest.raises(InputError) as error:
        found.extend(read_document_jsonl(path))
    assert [problem.line for problem in error.value.problems] == [2, 3, 4, 5]
    assert "unknown fields: x" in str(error.value)


def test_a_cut_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl.gz"
    write_documents(path, [_DOCUMENT] * 50)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match="cannot be unpacked"):
        list(read_document_jsonl(path))
    path.write_bytes(gzip.compress(b"\xff\xfe\n"))
    with pytest.raises(InputError, match="is not UTF-8"):
        list(read_document_jsonl(path))


def test_nothing_is_written_when_reading_fails(tmp_path: Path) -> None:
    def failing():
        yield _DOCUMENT
        raise InputError.at("broken")

    with pytest.raises(InputError):
        write_documents(tmp_path / "docs.jsonl", failing())
    assert list(tmp_path.iterdir()) == []


def test_collection_row() -> None:
    assert _DOCUMENT.in_language("en").to_row() == {
        "id": "EP1B1",
        "date": "2003-07-09",
        "ipc": ("C07C 29/44",),
        "title": "Cup",
        "abstract": "A cup.",
        "claims": "1. A cup.\n2. The cup of claim 1.",
        "description": "Cups.\nFig. 1",
        "lang": "en",
        "family": "docdb:19",
        "priority": "2000-09-08",
    }
    german = _DOCUMENT.in_language("de", family="F1")
    assert (german.title, german.claims, german.family) == ("Becher", "", "F1")


def test_public_names_are_sorted() -> None:
    names = patmark.collections.corpus.__all__
    assert len(set(names)) == len(names)
    assert all(hasattr(patmark.collections.corpus, name) for name in names)


def test_documents_are_known_whatever_the_order_of_their_fields(tmp_path: Path) -> None:
    document = Document(
        "EP", "1", "A1", "2000-01-01", "epo", texts=(PatentText("en", "", "Cup " * 999),)
    )
    row = dict(reversed(document_to_json(document).items()))
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"id": "office"}\n', encoding="utf-8")
    assert holds_documents(tmp_path / "a.jsonl") and not holds_documents(tmp_path / "b.jsonl")
