"""Pearmut: annotations are read, campaigns are read and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.data.model import Run, Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.formats.pearmut import write_pearmut_campaign
from patmark.human.judgements.model import BUILT_IN_SCALES, Judgement


def _entry(scores: dict[str, Any], item_i: object = 0, **item: Any) -> dict[str, Any]:
    """One document of one item, in the order of keys in which Pearmut writes them."""
    return {
        "annotation": [{name: _answer(value) for name, value in scores.items()}],
        "actions": [],
        "item": [{"item_id": "s1", "src": "x", "tgt": dict.fromkeys(scores, "text")} | item],
        "user_id": "kind-fox-1",
        "item_i": item_i,
    }


def _answer(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"score": None, "sliders": value, "error_spans": []}
    return {"score": value, "error_spans": [], "textfield": None}


def _file(tmp_path: Path, *entries: dict[str, Any]) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return path


def test_scores_sliders_and_the_order_shown(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        _entry({"B": 80, "A": 75.5}),
        _entry({"A": {"Adequacy": 4, "fluency": 3}}, 1, item_id="s2", document="P1"),
    )
    reading = read_judgements(path)
    assert reading.format == "Pearmut annotations" and reading.notes == ()
    assert reading.judgements is not None
    assert reading.judgements.rows == (
        Judgement("kind-fox-1", "B", "s1", "da", "80", order=1),
        Judgement("kind-fox-1", "A", "s1", "da", "75.5", order=2),
        Judgement("kind-fox-1", "A", "s2", "adequacy", "4", "P1", 1),
        Judgement("kind-fox-1", "A", "s2", "fluency", "3", "P1", 1),
    )


def test_phases_come_from_the_kind_of_item(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        _entry({"A": 1}, "welcome_0"),
        _entry({"A": 2}, "random_3"),
        _entry({"A": 3}, 4, item_id="s4", validation={}),
        _entry({"A": 4}, 5, item_id="s5", validation={}, skippable=True),
        _entry({"A": 5}, 6, item_id="s6"),
    )
    data = read_judgements(path).judgements
    assert data is not None
    assert [row.phase for row in data.rows] == ["training", "check", "check", "training", "main"]


def test_the_last_saving_counts(tmp_path: Path) -> None:
    path = _file(tmp_path, _entry({"A": 1, "B": 9}), _entry({"A": 2}), _entry({"C": 4}))
    reading = read_judgements(path)
    assert reading.judgements is not None
    assert {row.system: row.value for row in reading.judgements.rows} == {
        "A": "2",
        "B": "9",
        "C": "4",
    }
    assert reading.notes == ("1 grade saved again later left aside",)


@pytest.mark.parametrize(("reset", "left"), [({}, ["s3"]), ({"item_i": 1}, ["s1", "s3"])])
def test_a_reset_removes_what_stands_before_it(
    tmp_path: Path, reset: dict[str, Any], left: list[str]
) -> None:
    other = _entry({"A": 5}, 0, item_id="s3") | {"user_id": "calm-owl-2"}
    marker = {"user_id": "kind-fox-1", "annotation": "__RESET__"} | reset
    path = _file(tmp_path, _entry({"A": 2}), _entry({"A": 3}, 1, item_id="s2"), other, marker)
    reading = read_judgements(path)
    assert reading.judgements is not None
    assert list(reading.judgements.segments) == left
    assert reading.notes == (f"{4 - len(left)} records left aside: resets and what they removed",)


def test_forms_and_missing_scores_are_said(tmp_path: Path) -> None:
    form = _entry({}, "welcome_0") | {"item": [{"text": "Age?", "form": "number"}]}
    skipped = _entry({"A": 1, "B": 1}, 1) | {"annotation": [None]}
    path = _file(tmp_path, form, _entry({"A": 50, "B": None}), skipped)
    reading = read_judgements(path)
    assert reading.notes == (
        "1 record of forms and last pages left aside",
        "3 outputs without a score",
    )


def test_the_download_of_the_dashboard(tmp_path: Path) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"c1": [_entry({"A": 1})], "c2": []}), encoding="utf-8")
    reading = read_judgements(path)
    assert reading.format == "Pearmut annotations"
    assert reading.judgements is not None and len(reading.judgements.rows) == 1
    path.write_text(json.dumps({"c1": [3]}), encoding="utf-8")
    with pytest.raises(InputError, match="campaign 'c1': expected a list of annotations"):
        read_judgements(path)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (_entry({"A": 1}) | {"annotation": []}, "of the same length"),
        (_entry({"A": 1}) | {"item": 3}, "expected lists 'item' and 'annotation'"),
        (_entry({"A": 1}) | {"user_id": 3}, "field 'user_id': expected a string"),
        (_entry({"A": 1}, item_id=None), "has no 'item_id'"),
        (_entry({"A": 1}, tgt="x"), "expected an item with an object 'tgt'"),
        (_entry({"A": "good"}), "'da' of 'A': expected a number, found 'good'"),
        (_entry({"A": 200}), "da: expected a number from 0.0 to 100.0"),
        (_entry({"A": {"Colour": 2}}), "criterion 'colour' has no scale"),
        (_entry({"A": None}), "has no judgements .* 1 output without a score"),
    ],
)
def test_broken_logs(tmp_path: Path, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgements(_file(tmp_path, entry))


def test_one_person_in_two_campaigns(tmp_path: Path) -> None:
    path = tmp_path / "annotations.json"
    second = _entry({"A": 2}, item_id="s2")
    path.write_text(json.dumps({"c1": [_entry({"A": 1})], "c2": [second]}), encoding="utf-8")
    reading = read_judgements(path)
    assert reading.judgements is not None and len(reading.judgements.rows) == 2


def test_two_documents_with_the_same_item_are_a_double(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"log\.jsonl:2: .*already on line 1"):
        read_judgements(_file(tmp_path, _entry({"A": 1}), _entry({"A": 1}, 1)))


_TESTS = TestSet(
    (
        Segment("s1", "源一", ("ref one",), "P1"),
        Segment("s2", "源二", (), "P1"),
        Segment("s3", None, (), "P2"),
    ),
    "en",
    "zh",
)
_RUNS = [Run("A", ("a1", "a2", "a3")), Run("B", ("b1", None, "b3"))]


def test_the_form_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "campaign.json"
    scales = [BUILT_IN_SCALES["adequacy"], BUILT_IN_SCALES["quality"]]
    write_pearmut_campaign(path, _TESTS, _RUNS, campaign="c1", people=2, scales=scales)
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["info"]["assignment"] == "task-based"
    assert content["info"]["sliders"] == [
        {"name": "adequacy", "min": 1, "max": 5, "step": 1},
        {"name": "quality", "min": 0, "max": 10, "step": 0.5},
    ]
    assert len(content["data"]) == 2
    assert [[item["item_id"] for item in document] for document in content["data"][0]] == [
        ["s1"],
        ["s2"],
        ["s3"],
    ]
    assert content["data"][0][1][0] == {
        "item_id": "s2",
        "document": "P1",
        "src": "源二",
        "tgt": {"A": "a2"},
    }


def test_segments_of_one_document_share_a_page(tmp_path: Path) -> None:
    path = tmp_path / "campaign.json"
    write_pearmut_campaign(path, _TESTS, _RUNS[:1], campaign="c1")
    content = json.loads(path.read_text(encoding="utf-8"))
    assert [len(document) for document in content["data"][0]] == [2, 1]


def test_segments_without_a_document_stand_alone(tmp_path: Path) -> None:
    path = tmp_path / "campaign.json"
    tests = TestSet.of(["x", "y"])
    write_pearmut_campaign(path, tests, [Run("A", ("a", "b"))], campaign="c1")
    content = json.loads(path.read_text(encoding="utf-8"))
    assert [len(document) for document in content["data"][0]] == [1, 1]


def test_requests_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "campaign.json"
    with pytest.raises(UsageError, match="no ordinal grades like those of 'acceptability'"):
        scales = [BUILT_IN_SCALES["acceptability"]]
        write_pearmut_campaign(path, _TESTS, _RUNS, campaign="c1", scales=scales)
    with pytest.raises(UsageError, match="at least one person"):
        write_pearmut_campaign(path, _TESTS, _RUNS, campaign="c1", people=0)
    with pytest.raises(InputError, match="at least one system"):
        write_pearmut_campaign(path, _TESTS, [], campaign="c1")
    with pytest.raises(InputError, match=r"has 1 hypotheses(.|\n)*'A' occurs twice"):
        write_pearmut_campaign(path, _TESTS, [Run("A", ("x",)), _RUNS[0]], campaign="c1")
    with pytest.raises(InputError, match="no name of digits alone for a system: '7'"):
        write_pearmut_campaign(path, _TESTS, [Run("7", ("x", "y", "z"))], campaign="c1")
    assert not path.exists()
