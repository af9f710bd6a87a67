"""Scores as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from patmark.data.files import read_lines, write_atomically
from patmark.data.scores import FloatArray, Mean, Scores, segment_csv, segment_rows


@pytest.fixture
def scores() -> Scores:
    statistics = np.array([[[1.0, 3.0], [0.0, 0.0]], [[2.0, 4.0], [1.0, 1.0]]])
    return Scores("AP(rel=1,2)", "sig", ("A", 'B "two"'), ("s1", "s2"), statistics)


def test_rows_of_systems_and_segments(scores: Scores) -> None:
    rows = list(segment_rows([scores]))
    assert [row[:3] for row in rows] == [
        (system, segment, "AP(rel=1,2)")
        for system in ("A", 'B "two"')
        for segment in ("", "s1", "s2")
    ]
    np.testing.assert_allclose([row[3] for row in rows], [1 / 3, 1 / 3, np.nan, 0.6, 0.5, 1.0])


def test_measures_follow_each_other(scores: Scores) -> None:
    other = Scores("Other", "sig", ("A",), ("s1",), np.array([[[1.0, 1.0]]]))
    assert [row[2] for row in segment_rows([other, scores])] == ["Other"] * 2 + ["AP(rel=1,2)"] * 6


@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz"])
def test_csv_reads_back(tmp_path: Path, scores: Scores, name: str) -> None:
    write_atomically(tmp_path / name, segment_csv([scores]))
    lines = read_lines(tmp_path / name)
    assert lines[0] == "system,segment,measure,value"
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    expected = list(segment_rows([scores]))
    assert len(rows) == len(expected)
    for row, (system, segment, measure, value) in zip(rows, expected, strict=True):
        assert (row["system"], row["segment"], row["measure"]) == (system, segment, measure)
        assert row["value"] == "" if np.isnan(value) else float(row["value"]) == value
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_a_failing_score_leaves_no_file(tmp_path: Path, scores: Scores) -> None:
    class Broken(Mean):
        def score(self, totals: FloatArray) -> FloatArray:
            raise KeyboardInterrupt

    bad = Scores("Bad", "sig", ("A",), ("s1",), np.zeros((1, 1, 1)), Broken())
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "scores.csv", segment_csv([scores, bad]))
    assert list(tmp_path.iterdir()) == []
