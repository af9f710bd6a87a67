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


def test_a_table_with_commas_is_refused_with_what_to_write_instead(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    with pytest.raises(InputError, match=r"t\.csv\.gz: is a table with commas; write \.tsv"):
        read_test_set(path, "en")
