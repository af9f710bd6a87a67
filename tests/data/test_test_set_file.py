"""Test sets by the ending of their file."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.data.test_sets import read_test_set
from patmark.errors import InputError


def test_both_forms_are_read_and_a_table_may_hold_runs(tmp_path: Path) -> None:
    table, rows = tmp_path / "t.tsv", tmp_path / "t.jsonl"
    table.write_text("id\treference\tsystem:A\n1\tThe valve.\tA valve.\n", encoding="utf-8")
    rows.write_text('{"id": "1", "references": ["The valve."]}\n', encoding="utf-8")
    (of_table, runs), (of_rows, none) = (read_test_set(path, "en") for path in (table, rows))
    assert [run.system for run in runs] == ["A"] and none == []
    assert of_table.reference_lists == of_rows.reference_lists == (("The valve.",),)


def _sacrebleu(folder: Path, **fields: str) -> Path:
    for field, text in fields.items():
        (folder / f"wmt99.zh-en.{field.replace('_', '-')}").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_of_sacrebleu_is_a_test_set(tmp_path: Path) -> None:
    _sacrebleu(tmp_path, src="阀门。\n弹簧。\n", ref="A valve.\nA spring.\n", docid="d1\nd2\n")
    (tmp_path / "wmt99.de-en.ref").write_text("x\n", encoding="utf-8")
    (tmp_path / "raw.tar.gz").write_text("", encoding="utf-8")
    test_set, runs = read_test_set(tmp_path, "en", "zh")
    assert test_set.reference_lists == (("A valve.",), ("A spring.",))
    assert (test_set.sources, test_set.documents, runs) == (("阀门。", "弹簧。"), ("d1", "d2"), [])


def test_named_references_of_sacrebleu_count_once(tmp_path: Path) -> None:
    _sacrebleu(tmp_path, ref="A valve.\n", ref_A="A valve.\n", ref_B="The valve.\n")
    assert read_test_set(tmp_path, "en", "zh")[0][0].references == ("A valve.", "The valve.")


def test_a_folder_without_the_pair_names_those_that_it_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"NAME\.ja-en\.ref .* it is no such folder"):
        read_test_set(tmp_path, "en", "ja")
    _sacrebleu(tmp_path, ref="A valve.\n")
    with pytest.raises(InputError, match="sacreBLEU keeps its test sets; there are zh-en"):
        read_test_set(tmp_path, "en", "ja")
