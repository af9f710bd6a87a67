"""CSV that spreadsheets show and do not compute, and that reads back as it was."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data import (
    Scores,
    csv_text,
    read_csv_records,
    read_score_table,
    segment_csv,
    write_csv,
)

_FORMULAS = [
    "=1+2", "+1+2", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"http://x\",\"y\")", "＝1+2",
    "-x", "--1", "+4917", "'=1", "''=1", "'-x",
]  # fmt: skip
_PLAIN = [
    "",
    "-",
    "=",
    "x=1",
    "-0.5",
    "+1",
    "1e-9",
    "-1e-09",
    "-inf",
    "-3%",
    "'",
    "'quoted'",
    "it's",
]


@pytest.mark.parametrize("text", [one for one in _FORMULAS if one != "+4917"])
def test_what_begins_like_a_formula_is_marked(text: str) -> None:
    """Any other program reads a cell that no spreadsheet computes."""
    [_, [cell]] = csv.reader(io.StringIO(csv_text(["a"], [[text]]), newline=""))
    assert cell == f"'{text}"


@pytest.mark.parametrize("text", [*_PLAIN, "+4917"])
def test_numbers_and_other_texts_stay(text: str) -> None:
    [_, [cell, _]] = csv.reader(io.StringIO(csv_text(["a", "b"], [[text, ""]])))
    assert cell == text


def _read_back(path: Path, cells: list[str]) -> list[str]:
    write_csv(path, [f"column {place}" for place in range(len(cells))], [cells])
    return read_csv_records(path)[1].fields


@pytest.mark.parametrize("text", [*_FORMULAS, *_PLAIN])
def test_cells_are_read_back_as_they_were(tmp_path: Path, text: str) -> None:
    assert _read_back(tmp_path / "x.csv", [text, "b"]) == [text, "b"]


_CELLS = st.text(st.sampled_from("=+-@\t\n'\"ab,1.％－ ") | st.characters(codec="utf-8")).filter(
    lambda text: "\r\n" not in text
)


@settings(max_examples=300, deadline=None)
@given(cells=st.lists(_CELLS, min_size=2, max_size=4))
def test_any_cells_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, cells: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    assert _read_back(path, cells) == cells


def test_scores_of_a_system_that_is_named_like_a_formula(tmp_path: Path) -> None:
    scores = Scores.of_values("-x", "s", ("=a",), ("@s1", "-2"), np.array([[-0.5, np.nan]]))
    path = tmp_path / "scores.csv"
    path.write_text(segment_csv([scores]), encoding="utf-8")
    assert "'=a,'@s1,'-x,-0.5" in path.read_text(encoding="utf-8")
    table = read_score_table(path)
    assert (table.systems, table.segments, [*table.of_segments]) == (("=a",), ("@s1", "-2"), ["-x"])


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_of_spreadsheets(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text('system;value\na;"1,5; 2"\n'.replace(";", separator), encoding="utf-8")
    fields = [record.fields for record in read_csv_records(path)]
    assert fields == [["system", "value"], ["a", f"1,5{separator} 2"]]
