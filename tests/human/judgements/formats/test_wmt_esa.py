"""ESA as WMT publishes it: JSON lines of ratings, and the CSV of Appraise behind them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.data import Annotation, Rating
from patmark.errors import InputError
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.formats.wmt_mqm import write_wmt_mqm

_SPAN = {"start_i": 4, "end_i": 8, "severity": "major", "error_type": None}
_MISSING = {"start_i": "missing", "end_i": "missing", "severity": "minor", "error_type": None}
_LINE = {
    "langs": "ja-en", "line_id": 12, "src": "弁が開く。", "tgt": "The valve opens.",
    "doc_id": "test-ja-patent_1", "domain": "patent", "esa_spans": [_SPAN, _MISSING],
    "esa_score": "71", "times": [1.0, 2.0], "system": "A", "annotator": "jpneng01",
    "speech_info": None,
}  # fmt: skip


def _file(tmp_path: Path, *lines: dict[str, Any], name: str = "esa.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_one_rating_per_line(tmp_path: Path) -> None:
    clean = _LINE | {"system": "B", "esa_spans": [], "esa_score": 98}
    reading = read_judgements(_file(tmp_path, _LINE, clean))
    assert (reading.format, reading.notes) == ("WMT ESA JSONL", ())
    assert reading.annotations is not None and reading.texts is not None
    document = "test-ja-patent_1"
    assert reading.annotations.rated == (
        Rating("A", "12", "jpneng01", 71.0, document),
        Rating("B", "12", "jpneng01", 98.0, document),
    )
    key = ("A", "12", "jpneng01")
    assert reading.annotations.marks == (
        Annotation(*key, 4, 9, "target", "Unspecified", "major"),
        Annotation(*key, 16, 16, "target", "Unspecified", "minor"),
    )
    assert reading.texts.targets["A", "12"][4:9] == "valve"
    assert reading.texts.sources == {"12": "弁が開く。"}
    write_wmt_mqm(tmp_path / "again.tsv", reading.annotations, reading.texts)
    again = read_judgements(tmp_path / "again.tsv").annotations
    assert again is not None and set(again.rated) == set(reading.annotations.rated)


def test_units_of_utf16_after_blanks_are_characters(tmp_path: Path) -> None:
    text = " 𠮷𠮷の弁\nが開く。"
    spans = [{"start_i": 2, "end_i": 5, "severity": "minor", "error_type": ["Accuracy", "Wrong"]}]
    spans.append({"start_i": 7, "end_i": 7, "severity": "critical", "error_type": None})
    line = _LINE | {"tgt": text, "esa_spans": spans}
    annotations = read_judgements(_file(tmp_path, line)).annotations
    assert annotations is not None
    shown = [(text[one.start : one.end], one.category) for one in annotations.marks]
    assert shown == [("𠮷の弁", "Accuracy/Wrong"), ("が", "Unspecified")]


def test_all_ratings_of_a_source_in_one_line(tmp_path: Path) -> None:
    rated = [
        {"score": 80.0, "annotator": "x", "errors": [_SPAN], "times": []},
        {"score": 60, "annotator": "y", "errors": []},
    ]
    line = {
        "doc_id": "test-ja-patent_1_#_12",
        "src_text": "弁が開く。",
        "tgt_text": {"A": "The valve opens."},
        "scores": {"A": rated},
    }
    annotations = read_judgements(_file(tmp_path, line)).annotations
    assert annotations is not None
    assert [(one.evaluator, one.score, one.document) for one in annotations.rated] == [
        ("x", 80.0, "test-ja-patent_1"),
        ("y", 60.0, "test-ja-patent_1"),
    ]
    [mark] = annotations.marks
    assert (mark.segment, mark.start, mark.end) == ("test-ja-patent_1_#_12", 4, 9)


def test_what_is_left_aside_is_counted(tmp_path: Path) -> None:
    outside, undecided = _SPAN | {"end_i": 16}, _SPAN | {"severity": "undecided"}
    line = _LINE | {"esa_spans": [outside, undecided]}
    reading = read_judgements(_file(tmp_path, line | {"esa_score": 5}, line))
    assert reading.annotations is not None and not reading.annotations.marks
    assert [one.score for one in reading.annotations.rated] == [71.0]
    assert reading.notes == (
        "1 rating given again later left aside",
        "2 marks without a severity left aside",
        "2 marks outside the text left aside",
    )


def test_language_pairs_are_kept_apart(tmp_path: Path) -> None:
    reading = read_judgements(_file(tmp_path, _LINE, _LINE | {"langs": "ja-zh", "tgt": "阀门"}))
    assert reading.annotations is not None
    assert reading.annotations.segments == ("ja-en:12", "ja-zh:12")
    assert "2 language pairs (ja-en, ja-zh)" in reading.notes[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"esa_score": 171}, "1: the score of 'A': expected a number from 0 to 100, found 171"),
        ({"esa_score": None}, "the score of 'A': expected a number"),
        ({"system": 3}, "field 'system': expected a string"),
        ({"line_id": None}, "field 'line_id': expected a number or a string"),
        ({"tgt": None}, "field 'tgt': expected a string"),
        ({"esa_spans": [{"start_i": 1}]}, "expected a span with start_i, end_i and severity"),
        ({"esa_spans": [_SPAN | {"end_i": "8"}]}, "expected a span with start_i"),
        ({"esa_spans": "none"}, "expected a span with start_i, end_i and severity, found 'none'"),
    ],
)
def test_broken_lines(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgements(_file(tmp_path, _LINE | change))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([_LINE, _LINE | {"annotator": "z", "tgt": "Other."}], "2: another line has another text"),
        ([{"scores": {"A": [3]}, "tgt_text": {"A": "x"}, "doc_id": "d", "src_text": "s"}],
         "system 'A': expected a text, and ratings as objects"),
        ([{"scores": [], "tgt_text": {}, "doc_id": "d", "src_text": "s"}],
         "expected objects 'tgt_text' and 'scores'"),
    ],
)  # fmt: skip
def test_broken_files(tmp_path: Path, lines: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgements(_file(tmp_path, *lines))


_ROW = 'jpneng01,A,12,TGT,jpn,eng,71,test_1,False,"[{""start_i"":4,""end_i"":8,""severity"":""major"",""error_type"":null}]",1.5,2.5\n'  # noqa: E501
_CLEAN = "jpneng01,B,12,TGT,jpn,eng,98,test_1,False,[],1.5,2.5\n"


def test_spans_of_appraise(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    others = [
        _CLEAN.replace("test_1", "test_1#dup"),
        _CLEAN.replace("test_1", "test_1#incomplete"),
        _CLEAN.replace("B,12", "ende-tutorial1,1000001").replace("test_1", "ende-tutorial1"),
        _CLEAN.replace("TGT", "BAD").replace("test_1", "test_1#bad"),
    ]
    path.write_text(_ROW + _CLEAN + "".join(others))
    reading = read_judgements(path)
    assert reading.annotations is not None and reading.judgements is not None
    assert [(one.system, one.score) for one in reading.annotations.rated] == [("A", 71), ("B", 98)]
    assert reading.annotations.marks == (
        Annotation("A", "12", "jpneng01", 4, 9, "target", "Unspecified", "major"),
    )
    phases = [row.phase for row in reading.judgements.rows]
    assert phases == ["main", "main", "repeat", "training", "check"]
    assert reading.notes == (
        "1 score of documents that were cut left aside",
        "1 score of tutorials taken for training, not for results",
        "places of marks count UTF-16 units; the file has no texts",
    )


def test_spans_of_appraise_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(_CLEAN + _ROW.replace('""start_i"":4', '""start_i"":'))
    with pytest.raises(InputError, match="2: expected a span with start_i, end_i and severity"):
        read_judgements(path)
