"""Scores of other programs, read from CSV."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from patmark.data.score_tables import read_score_table
from patmark.data.scores import Scores, segment_csv
from patmark.errors import InputError

GOOD = """\
system,segment,measure,value,type,document
A,,BLEU,30.5,SMT,
B,,BLEU,28,RBMT,
A,s1,BLEU,40,,D1
B,s1,BLEU,,,D1
A,s2,METEOR,0.5,SMT,D2
"""


def _write(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_systems_segments_types_and_documents(tmp_path: Path) -> None:
    table = read_score_table(_write(tmp_path, GOOD))
    assert table.systems == ("A", "B")
    assert table.segments == ("s1", "s2")
    assert table.documents == ("D1", "D2")
    assert table.kinds == {"A": "SMT", "B": "RBMT"}
    np.testing.assert_array_equal(table.of_systems["BLEU"], [30.5, 28.0])
    np.testing.assert_array_equal(table.of_segments["BLEU"], [[40, np.nan], [np.nan, np.nan]])
    assert "METEOR" not in table.of_systems


def test_what_patmark_writes_it_reads(tmp_path: Path) -> None:
    statistics = np.array([[[1.0, 2.0], [0.0, 0.0]], [[3.0, 4.0], [1.0, 5.0]]])

    scores = Scores("share", "", ("A", "B"), ("1", "2"), statistics)
    table = read_score_table(_write(tmp_path, segment_csv([scores])))
    np.testing.assert_array_equal(table.of_segments["share"], scores.segment_scores)
    np.testing.assert_array_equal(table.of_systems["share"], scores.system_scores)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,segment,measure\nA,1,x\n", "scores.csv:1: expected a header line"),
        ("system,segment,measure,value,typ\nA,1,x,2,y\n", "unknown column 'typ'"),
        ("system,segment,measure,value\n", "scores.csv:2: has a header but no rows"),
        ("system,segment,measure,value\nA,1,x,good\n", "scores.csv:2: value: expected a number"),
        ("system,segment,measure,value\nA,1,x,nan\n", "found 'nan'"),
        ("system,segment,measure,value\nA,1,x,inf\n", "found 'inf'"),
        ("system,segment,measure,value\n,1,x,2\n", "column 'system' is empty"),
        ("system,segment,measure,value\nA,1,,2\n", "column 'measure' is empty"),
        ("system,segment,measure,value\nA,1,x,2\nA,1,x,3\n", ":3: x of A for segment '1' is alre"),
        ("system,segment,measure,value\nA,,x,2\nA,,x,3\n", "for the whole system is already on"),
        ("system,segment,measure,value\nA,1,x\n", "scores.csv:2: expected 4 fields"),
        (
            "system,segment,measure,value,type\nA,1,x,2,SMT\nA,2,x,2,NMT\n",
            "scores.csv:3: system 'A' has 'NMT' here and 'SMT' on line 2",
        ),
        (
            "system,segment,measure,value,document\nA,1,x,2,D1\nB,1,x,2,D2\n",
            "scores.csv:3: segment '1' has 'D2' here and 'D1' on line 2",
        ),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_score_table(_write(tmp_path, text))
    assert message in str(error.value)


def test_all_problems_are_listed(tmp_path: Path) -> None:
    text = "system,segment,measure,value\nA,1,x,good\nA,2,x,bad\nA,3,x,2\nA,3,x,2\n"
    with pytest.raises(InputError) as error:
        read_score_table(_write(tmp_path, text))
    assert len(error.value.problems) == 3
