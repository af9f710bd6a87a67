"""Scores of other programs in the forms in which these write them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from patmark.data.score_tables import ScoreTable, is_score_table, read_score_table
from patmark.errors import InputError

CSV = "system,segment,measure,value\nA,s1,COMET,0.5\nA,s2,COMET,0.25\nB,s1,COMET,1\nB,s2,COMET,\n"
VALUES = [[0.5, 0.25], [1.0, np.nan]]
ROWS = [line.split(",") for line in CSV.splitlines()[1:]]
COMET_JSON = {  # the form of: comet-score --to_json, unbabel-comet 2.2.7
    "out/A.txt": [{"src": "甲", "mt": "a", "COMET": 0.5}, {"src": "乙", "mt": "b", "COMET": 0.25}],
    "out/B.txt": [{"src": "甲", "mt": "c", "COMET": 1.0}, {"src": "乙", "mt": "d", "COMET": 0.0}],
}
SACREBLEU_JSON = """{
 "name": "chrF2",
 "score": 77.6,
 "signature": "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0",
 "nrefs": "1"
}"""


def _read(folder: Path, name: str, text: str, measure: str | None = None) -> ScoreTable:
    (folder / name).write_text(text, encoding="utf-8")
    return read_score_table(folder / name, measure)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.json"])
def test_one_table_in_four_forms(tmp_path: Path, name: str) -> None:
    objects = [
        {"system": a, "segment": b, "measure": c, "value": float(d) if d else None}
        for a, b, c, d in ROWS
    ]
    text = {
        "x.csv": CSV,
        "x.tsv": CSV.replace(",", "\t"),
        "x.jsonl": "".join(json.dumps(one) + "\n" for one in objects),
        "x.json": json.dumps(objects, indent=1),
    }[name]
    table = _read(tmp_path, name, text)
    assert (table.systems, table.segments) == (("A", "B"), ("s1", "s2"))
    np.testing.assert_array_equal(table.of_segments["COMET"], VALUES)
    assert not table.positional
    if name != "x.json":
        first = {"x.jsonl": 1}.get(name, 2)
        expected = [[first, first + 1], [first + 2, first + 3]]
        np.testing.assert_array_equal(table.lines["COMET"], expected)
        assert is_score_table(tmp_path / name)


def test_a_file_that_has_a_name_need_not_tell_measure_and_system(tmp_path: Path) -> None:
    table = _read(tmp_path, "x.csv", "segment,value\ns1,1\ns2,2\n", "mine")
    assert table.systems == ("",)
    np.testing.assert_array_equal(table.of_segments["mine"], [[1, 2]])
    with pytest.raises(InputError, match=r"x\.csv:1: expected a header line .* missing: system, m"):
        _read(tmp_path, "x.csv", "segment,value\ns1,1\ns2,2\n")


def test_segment_scores_of_mt_metrics_eval(tmp_path: Path) -> None:
    lines = "A\t0.5\nA\t0.25\nB\t1\nB\tNone\n"
    table = _read(tmp_path, "COMET-refA.seg.score", lines)
    assert table.positional
    assert table.segments == ("1", "2")
    np.testing.assert_array_equal(table.of_segments["COMET-refA"], VALUES)
    assert is_score_table(tmp_path / "COMET-refA.seg.score")
    with pytest.raises(InputError, match=r"X\.seg\.score:2: expected SYSTEM SCORE"):
        _read(tmp_path, "X.seg.score", "A 1\nA\n")


def test_json_of_comet_score(tmp_path: Path) -> None:
    table = _read(tmp_path, "comet.json", json.dumps(COMET_JSON, indent=4), "mine")
    assert table.systems == ("A", "B")
    assert table.positional
    np.testing.assert_array_equal(table.of_segments["mine"], [[0.5, 0.25], [1.0, 0.0]])


def test_json_of_a_prediction_of_comet(tmp_path: Path) -> None:
    text = json.dumps({"scores": [0.5, 0.25], "system_score": 0.375})
    table = _read(tmp_path, "comet.json", text, "mine")
    assert table.systems == ("",)
    np.testing.assert_array_equal(table.of_segments["mine"], [[0.5, 0.25]])


def test_json_lines_of_metricx(tmp_path: Path) -> None:
    rows = [{"source": "甲", "hypothesis": "a", "reference": "b", "prediction": 3.5},
            {"source": "乙", "hypothesis": "c", "reference": "d", "prediction": 0.0}]  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows)
    table = _read(tmp_path, "metricx.jsonl", text, "MetricX")
    assert table.positional
    np.testing.assert_array_equal(table.of_segments["MetricX"], [[3.5, 0.0]])


def test_each_row_may_spell_its_fields(tmp_path: Path) -> None:
    text = '{"id": 1, "score": 0.5}\n{"segment": 2, "value": 0.25}\n{"id": 3, "score": null}\n'
    table = _read(tmp_path, "x.jsonl", text, "M")
    np.testing.assert_array_equal(table.of_segments["M"], [[0.5, 0.25, np.nan]])


def test_one_number_per_line_as_sacrebleu_prints_them(tmp_path: Path) -> None:
    table = _read(tmp_path, "chrf.txt", "77.6\n12.0\n", "chrF2")
    np.testing.assert_array_equal(table.of_segments["chrF2"], [[77.6, 12.0]])


@pytest.mark.parametrize("text", [SACREBLEU_JSON, f"[\n{SACREBLEU_JSON}\n]"])
def test_json_of_sacrebleu_has_no_segments(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"s\.json: holds scores of a whole .* --sentence-level"):
        _read(tmp_path, "s.json", text, "chrF2")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.txt", "0.5\nhalf\n", "x.txt:2: value: expected a number or nothing, found 'half'"),
        ("x.txt", "good\n", "x.txt:1: expected scores: CSV or TSV"),
        ("x.jsonl", '{"id": 1, "value": 1}\n{"id": 2, "value": [1]}\n', "x.jsonl:2: field 'value'"),
        ("x.jsonl", '{"id": 1, "grade": 1}\n', "x.jsonl:1: expected fields system, segment, me"),
        ("x.jsonl", '{"id": 1, "value": 1}\n{"id": 1, "value": 2}\n', "x.jsonl:2: X for segment"),
        ("x.jsonl", '{"id": 1, "value": 1}\n{"id": 2, "scor": 2}\n', "x.jsonl:2: expected a field"),
        ("x.jsonl", '{"id": 1, "value": 1}\n{"id"\n', "x.jsonl:2: is not valid JSON"),
        ("x.tsv", "system\tsegment\tvalue\nA\t1\n", "x.tsv:2: expected 3 fields as in the header"),
        ("x.json", '{"a.txt": [{"mt": "a"}]}', "x.json:1: expected scores: CSV or TSV"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        _read(tmp_path, name, text, "X")
    assert message in str(raised.value)
