from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.errors import InputError
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.model import Judgement, Preference
from patmark.human.judgements.scores import preference_scores


def _file(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def _result(control: str, to_name: str, **value: Any) -> dict[str, Any]:
    [kind] = value
    return {"from_name": control, "to_name": to_name, "type": kind, "value": value}


def _task(*results: dict[str, Any], **annotation: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "data": {"source": "x", "output1_system": "atlas", "document": "P1"},
        "annotations": [{"completed_by": 3, "result": list(results)} | annotation],
    }


def test_ratings_and_choices_of_the_full_export(tmp_path: Path) -> None:
    task = _task(
        _result("adequacy_output1", "output1", rating=4),
        _result("acceptability_output2", "output2", choices=["AA"]),
        _result("quality", "output2", number=7.5),
        _result("errors", "output1", choices=["x", "y"]),
    )
    reading = read_judgements(_file(tmp_path, [task]))
    assert reading.format == "Label Studio JSON"
    assert reading.judgements is not None and reading.preferences is None
    assert reading.judgements.rows == (
        Judgement("3", "atlas", "7", "adequacy", "4", "P1"),
        Judgement("3", "output2", "7", "acceptability", "AA", "P1"),
        Judgement("3", "output2", "7", "quality", "7.5", "P1"),
    )
    assert reading.judgements.rows[0].line == 2
    assert reading.notes == ("1 annotation of 'errors' left aside: no scale of that name",)


def test_choices_between_two_outputs_and_draws(tmp_path: Path) -> None:
    data = {"system1": "A", "system2": "B", "segment": "s1"}
    chosen = _task(_result("pw", "text1,text2", selected="right")) | {"data": data}
    none = _task(completed_by={"id": 4, "email": "four"}) | {"data": data}
    skipped = _task(was_cancelled=True)
    reading = read_judgements(_file(tmp_path, [chosen, none, skipped]))
    assert reading.preferences is not None
    assert reading.preferences.rows == (
        Preference("3", "s1", "A", "B", "B"),
        Preference("four", "s1", "A", "B", None),
    )
    assert reading.notes == (
        "1 skipped annotation left aside",
        "1 annotation without a choice taken as a draw",
    )


def test_the_flat_export(tmp_path: Path) -> None:
    row = {"id": 1, "annotator": 5, "text1": "a", "text2": "b", "pick": [{"selected": "left"}],
           "acceptability_text1": "B", "adequacy_text2": [{"rating": 2}]}  # fmt: skip
    reading = read_judgements(_file(tmp_path, [row]))
    assert reading.judgements is not None and reading.preferences is not None
    assert reading.judgements.rows == (
        Judgement("5", "text1", "1", "acceptability", "B"),
        Judgement("5", "text2", "1", "adequacy", "2"),
    )
    assert reading.preferences.rows == (Preference("5", "1", "text1", "text2", "text1"),)


def test_patenteval_is_readable_as_preferences(shared_data: Path) -> None:
    reading = read_judgements(shared_data / "patenteval" / "final_c2c.json")
    data = reading.preferences
    assert data is not None and reading.judgements is None
    # Counted straight from the JSON: 269 annotations, 123 left, 102 right, 44 without a choice.
    assert len(data.rows) == 269 and len(data.segments) == 216
    counts = [sum(row.winner == name for row in data.rows) for name in (*data.systems, None)]
    assert (data.systems, counts) == (("output1", "output2"), [123, 102, 44])
    expected = [(123 + 22) / 269, (102 + 22) / 269]
    assert preference_scores(data).system_scores == pytest.approx(expected)
    assert "44 annotations without a choice taken as a draw" in reading.notes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "has no judgements"),
        ([3], "expected a JSON object, found a number"),
        ([{"id": 1}], "expected a task with 'annotations' or an annotation with 'annotator'"),
        ([{"id": 1, "annotations": 3, "data": {}}], "a list 'annotations'"),
        ([{"id": 1, "annotations": [3], "data": {}}], "a list 'result' of objects"),
        ([{"annotator": 1, "adequacy_x": 4}], "field 'id' is missing"),
        ([{"id": 1, "annotator": None, "adequacy_x": 4}], "name of an annotator, found null"),
        ([{"id": 1, "annotator": 1, "adequacy": 4}], "'adequacy': expected a field 'system'"),
        ([_task(_result("adequacy", "output1", rating=9))], "adequacy: expected one of"),
        ([_task(_result("acceptability", "x", choices=["A", "B"]))], "one rating, number or"),
        ([_task(_result("pw", "x", selected="middle"))], "expected left or right"),
        ([_task(_result("adequacy", "x", rating=2))] * 2, "already on line 2"),
        ([_task(_result("errors", "x", rating=2))], "has no judgements .*'errors' left aside"),
    ],
)
def test_broken_exports(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgements(_file(tmp_path, content), "label-studio")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "1: expected a JSON list, found '{'"),
        ("[\n{}\n", "expected ',' in a JSON list, found the end"),
        ("[{},\n]", "2: is not valid JSON"),
        ("[{}\n{}]", "2: expected ',' in a JSON list, found '{'"),
        ("[{}] x", "something follows the list"),
        ('[{},\n{"a": NaN}]', "2: is not valid JSON: NaN is not a JSON value"),
        ("[" * 100_000, "nested too deeply"),
        ("", "is empty"),
    ],
)
def test_broken_json(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "export.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_judgements(path, "label-studio")
