"""What a file probably is."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from patmark.app.page.files import GuessedKind, guess, safe_name
from patmark.examples import example_path

_CLAIMS = "1. A pump comprising a housing.\n2. The pump of claim 1, wherein the housing is steel.\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ja_en/atlas.en", GuessedKind("hypothesis", target="en")),
        ("ja_en/reference2.en", GuessedKind("reference", target="en")),
        ("ja_en/source.ja", GuessedKind("source", source="ja")),
        ("en_zh/reference.zh", GuessedKind("reference", target="zh")),
        ("en_zh/atlas.zh", GuessedKind("hypothesis", target="zh")),
        ("ja_en/documents.txt", GuessedKind("documents")),
        ("patsnap_cn2en/atlas.jsonl", GuessedKind("rows", "zh", "en")),
        ("patsnap_en2cn/atlas.jsonl", GuessedKind("rows", "en", "zh")),
        ("campaign_zh_en/testset.jsonl", GuessedKind("testset", "zh", "en")),
        ("campaign_zh_en/atlas.jsonl", GuessedKind("hypothesis", target="en")),
    ],
)
def test_bundled_examples_are_recognised(name: str, expected: GuessedKind) -> None:
    assert guess(example_path(name)) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("draft.txt", _CLAIMS, GuessedKind("claims", target="en")),
        ("权利要求书.txt", "一种泵。\n", GuessedKind("claims", target="zh")),
        ("参照訳.txt", "ポンプである。\n", GuessedKind("reference", target="ja")),
        ("newstest-src.txt", "泵。\n", GuessedKind("source", source="zh")),
        ("a.txt", "JP1\nJP1\nJP2\n", GuessedKind("documents")),
        ("set.tsv", "id\tsource\n", GuessedKind("testset")),
        ("prefix.txt", "no refs in this name\nat all\n", GuessedKind("hypothesis", target="en")),
    ],
)
def test_names_and_beginnings_tell(
    name: str, text: str, expected: GuessedKind, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert guess(path) == expected


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"\x1f\x8bnot gzip", b"{broken"])
def test_broken_files_are_left_to_the_command_that_reads_them(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_bytes(content)
    assert guess(path).kind in ("hypothesis", "testset")


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "_.._etc_passwd"),
        ("--measures", "measures"),
        ("a=b.txt", "a_b.txt"),
        ("C:\\texts\\mine.txt", "C__texts_mine.txt"),
        ("my file.txt", "my_file.txt"),
        ("", "file"),
        ("译文.txt", "译文.txt"),
    ],
)
def test_a_name_cannot_be_an_option_or_a_path(name: str, safe: str) -> None:
    assert safe_name(name, []) == safe


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["id", "source", "reference", "system:A"], GuessedKind("testset", "zh", "en")),
        (["id", "hypothesis"], GuessedKind("hypothesis", target="en")),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_table_with_references_is_a_test_set(
    columns: list[str], expected: GuessedKind, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"set.{ending}"
    row = ["1", *({"source": "阀门关闭。"}.get(name, "The valve is shut.") for name in columns[1:])]
    if ending == "csv":
        path.write_text(f"{','.join(columns)}\n{','.join(row)}\n", encoding="utf-8")
    else:
        book = Workbook()
        book.active.append(columns)
        book.active.append(row)
        book.save(path)
    assert guess(path) == expected


def test_a_long_name_is_cut_before_its_ending() -> None:
    safe = safe_name("特許" * 200 + ".jsonl.gz", [])
    assert safe == "特許" * 25 + ".jsonl.gz"
    assert len(safe_name("a." * 500 + "b" * 500, []).encode()) <= 240


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert safe_name("a.en.gz", ["a.en.gz"]) == "a-2.en.gz"
    assert safe_name("a.en.gz", ["a.en.gz", "a-2.en.gz"]) == "a-3.en.gz"
