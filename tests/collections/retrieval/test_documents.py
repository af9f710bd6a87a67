"""Collections: what is read, in which forms, and every way in which a file can be broken."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import zstandard

from patmark.collections.retrieval import CollectionFacts, read_collection
from patmark.data import PatentDocument
from patmark.errors import InputError, MissingExtra

FULL: dict[str, Any] = {
    "id": "JP1995000001A", "date": "19950629", "ipc": ["G06F 17/30"], "cpc": ["G06F 16/00"],
    "title": "Pump", "abstract": "A pump.", "claims": ["1. A pump.", "2. The pump of claim 1."],
    "description": "Long.", "lang": "en", "family": "F1",
}  # fmt: skip
EXPECTED = PatentDocument(
    "JP1995000001A", date(1995, 6, 29), ("G06F 17/30",), ("G06F 16/00",), "Pump", "A pump.",
    "1. A pump.\n2. The pump of claim 1.", "Long.", "en", "F1", first_claim="1. A pump.",
)  # fmt: skip


def _jsonl(*rows: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _read(tmp_path: Path, content: bytes, name: str = "c.jsonl") -> list[PatentDocument]:
    path = tmp_path / name
    path.write_bytes(content)
    return list(read_collection([path]))


def _problem(tmp_path: Path, content: bytes, name: str = "c.jsonl") -> str:
    with pytest.raises(InputError) as error:
        _read(tmp_path, content, name)
    return str(error.value).replace(str(tmp_path), "")


def test_a_document_with_all_fields_and_one_with_none(tmp_path: Path) -> None:
    found = _read(tmp_path, _jsonl(FULL, {"id": 7, "ipc": None, "title": None, "family": ""}))
    assert found == [EXPECTED, PatentDocument("7")]
    assert found[0].text == "Pump\nA pump.\n1. A pump.\n2. The pump of claim 1.\nLong."
    assert found[1].text == ""


@pytest.mark.parametrize("written", ["1995-06-29", "19950629", 19950629, "1995/06/29"])
def test_dates(tmp_path: Path, written: str | int) -> None:
    assert _read(tmp_path, _jsonl({"id": "a", "date": written}))[0].date == date(1995, 6, 29)


@pytest.mark.parametrize(
    ("name", "pack"),
    [("c.jsonl.gz", gzip.compress), ("c.jsonl.zst", zstandard.ZstdCompressor().compress),
     ("packed", gzip.compress)],
)  # fmt: skip
def test_packed_files_of_several_parts(tmp_path: Path, name: str, pack: Any) -> None:
    parts = pack(_jsonl({"id": "a"})) + pack(_jsonl({"id": "b"}))
    assert [document.id for document in _read(tmp_path, parts, name)] == ["a", "b"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_packed_file_that_is_cut_off(tmp_path: Path, pack: Any) -> None:
    packed = pack(_jsonl(*({"id": f"a{n}", "title": f"{n * n}"} for n in range(300))))
    assert _problem(tmp_path, packed[:-9]) == "/c.jsonl: is cut off: the packed data end too early"


def test_packed_data_that_are_damaged(tmp_path: Path) -> None:
    assert "/c.gz: is not valid gzip data" in _problem(tmp_path, b"plain text", "c.gz")
    assert "/c.zst: is not valid zstd data" in _problem(tmp_path, b"plain text", "c.zst")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"title": "x"}, "field 'id' is missing; expected a string or a whole number"),
        ({"id": "a b"}, "field 'id': expected a string or a whole number without blanks"),
        ({"id": ""}, "field 'id': expected"), ({"id": True}, "field 'id': expected"),
        ({"id": "x", "date": "29.6.1995"}, "field 'date': expected a date such as 1995-06-29"),
        ({"id": "x", "date": "19950631"}, "field 'date': expected a date"),
        ({"id": "x", "ipc": "G06F"}, "field 'ipc': expected a list of strings, found a string"),
        ({"id": "x", "claims": 3}, "field 'claims': expected a string or a list of strings"),
        ({"id": "x", "titel": "y"}, "unknown field 'titel'"),
        ({"id": "first"}, "document 'first' is already at"),
    ],
)  # fmt: skip
def test_rows_that_are_refused(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    problem = _problem(tmp_path, _jsonl({"id": "first"}, row))
    assert problem.startswith("/c.jsonl:2: ") and message in problem


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "/c.jsonl: is empty"),
        (b'{"id": "a"}\n\n', "/c.jsonl:2: blank line"),
        (b'{"id": "a"}\n{"id": "\xff"}\n', "/c.jsonl:2: is not UTF-8: byte 9 of the line (0xFF)"),
        (b'{"id": "a"}\n[1]\n', "/c.jsonl:2: expected a JSON object, found a list"),
        (b'{"id": "a"\n', "/c.jsonl:1: is not valid JSON"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    assert message in _problem(tmp_path, content)


def test_all_problems_are_listed_and_nothing_follows_the_first(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(_jsonl({"id": "a"}, {"id": 1.5}, {"id": "b"}, {"id": []}))
    given = []
    with pytest.raises(InputError) as error:
        for document in read_collection([path]):
            given.append(document.id)
    assert given == ["a"]
    assert [problem.line for problem in error.value.problems] == [2, 4]


def test_rows_of_another_language_are_refused(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "lang": "ja"},
        {"id": "b", "lang": "en-US"},
        {"id": "c"},
        {"id": "d", "lang": "?"},
    ]
    path = tmp_path / "c.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(list(read_collection([path]))) == 4
    with pytest.raises(InputError) as error:
        list(read_collection([path], "en"))
    assert [str(problem).removeprefix(str(tmp_path)) for problem in error.value.problems] == [
        "/c.jsonl:1: field 'lang': expected en, the language asked for, not 'ja'",
        "/c.jsonl:4: field 'lang': expected en, the language asked for, not '?'",
    ]


def test_a_document_in_two_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(_jsonl({"id": "x"}))
    with pytest.raises(InputError, match=r"document 'x' is already at .*a\.jsonl:1"):
        list(read_collection([tmp_path / "a.jsonl", tmp_path / "a.jsonl"]))


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(read_collection([tmp_path / "none.jsonl"]))
    with pytest.raises(InputError, match="is a folder"):
        list(read_collection([tmp_path]))


def test_a_line_of_many_megabytes(tmp_path: Path) -> None:
    text = "長い" * 3_000_000
    found = _read(tmp_path, _jsonl({"id": "a", "description": text}, {"id": "b"}))
    assert (len(found[0].description), found[1].id) == (len(text), "b")


def test_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"id": "a"}\r\n{"id": "b"}'
    assert [document.id for document in _read(tmp_path, content)] == ["a", "b"]


def test_parquet_gives_the_same(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [FULL | {"date": date(1995, 6, 29)}, {"id": "b", "date": None, "claims": ["x"]}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "c.parquet")
    found = list(read_collection([tmp_path / "c.parquet"]))
    assert found == [EXPECTED, PatentDocument("b", claims="x", first_claim="x")]


def test_parquet_files_that_are_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "c.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([{"id": "a"}, {"id": None}]), path)
    with pytest.raises(InputError, match=r"c\.parquet:2: field 'id': expected"):
        list(read_collection([path]))
    parquet.write_table(pyarrow.table({"id": pyarrow.array([], pyarrow.string())}), path)
    with pytest.raises(InputError, match=r"c\.parquet: has no rows"):
        list(read_collection([path]))
    path.write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"c\.parquet: cannot be read as Parquet"):
        list(read_collection([path]))
    with pytest.raises(InputError, match="no such file"):
        list(read_collection([tmp_path / "none.parquet"]))


def test_parquet_needs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtra, match=r"pip install 'patmark\[retrieval\]'"):
        list(read_collection([tmp_path / "c.parquet"]))


def test_facts_keep_families_only() -> None:
    facts = CollectionFacts.of([EXPECTED, PatentDocument("b")])
    assert len(facts) == 2 and "b" in facts and "c" not in facts
    assert [facts.family(name) for name in ("JP1995000001A", "b", "c")] == ["F1", "b", "c"]


def test_facts_of_named_documents_count_all() -> None:
    facts = CollectionFacts.of([EXPECTED, PatentDocument("b")], {"b", "c"})
    assert len(facts) == 2 and facts.families == {"b": "b"}
