from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.errors import InputError
from patmark.human.judgements.checks import check_judgements, check_preferences
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.formats.campaign_jsonl import write_campaign_jsonl
from patmark.human.judgements.model import Judgement, Preference

_ANSWER: dict[str, Any] = {
    "campaign": "c1", "protocol": "ntcir9", "version": 1, "item": "s1", "document": "P1",
    "system": "A", "evaluator": "e1", "position": 2, "values": {"adequacy": 4, "fluency": "3"},
    "spans": [], "started": "2026-01-01T10:00:00Z", "saved": "2026-01-01T10:01:00Z",
    "revision": 1, "phase": "main",
}  # fmt: skip
_CHOICE: dict[str, Any] = {
    "item": "s1",
    "evaluator": "e1",
    "first": "A",
    "second": "B",
    "winner": "second",
}


def _file(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_one_answer_gives_one_judgement_per_criterion(tmp_path: Path) -> None:
    reading = read_judgements(_file(tmp_path, _ANSWER))
    assert reading.format == "campaign JSONL" and reading.notes == ()
    assert reading.judgements is not None
    assert reading.judgements.rows == (
        Judgement("e1", "A", "s1", "adequacy", "4", "P1", 2),
        Judgement("e1", "A", "s1", "fluency", "3", "P1", 2),
    )


def test_the_highest_revision_counts_and_the_others_are_said(tmp_path: Path) -> None:
    later = _ANSWER | {"revision": 2, "values": {"adequacy": 5}}
    reading = read_judgements(_file(tmp_path, later, _ANSWER))
    assert reading.judgements is not None
    assert [(row.criterion, row.value) for row in reading.judgements.rows] == [
        ("adequacy", "5"),
        ("fluency", "3"),
    ]
    assert reading.notes == ("1 earlier revision of answers left aside",)
    assert reading.annotations is None


def test_the_same_revision_twice_is_a_double(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"answers\.jsonl:2: .* already on line 1"):
        read_judgements(_file(tmp_path, _ANSWER, _ANSWER))


def test_choices_between_two_outputs(tmp_path: Path) -> None:
    tie = _CHOICE | {"item": "s2", "winner": "equal", "criterion": "clarity", "phase": "check"}
    copied = _CHOICE | {"copied": True}
    reading = read_judgements(_file(tmp_path, _ANSWER, copied, tie))
    assert reading.judgements is not None and reading.preferences is not None
    assert reading.preferences.rows == (
        Preference("e1", "s1", "A", "B", "B", copied=True),
        Preference("e1", "s2", "A", "B", None, "clarity", phase="check"),
    )


def test_copied_is_true_or_false(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="field 'copied': expected true or false, found a string"):
        read_judgements(_file(tmp_path, _CHOICE | {"copied": "yes"}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"system": 3}, "field 'system': expected a string, found a number"),
        ({"evaluator": None}, "field 'evaluator': expected a string, found null"),
        ({"values": 4}, "field 'values': expected an object"),
        ({"values": {}}, "field 'values': expected an object"),
        ({"values": {"adequacy": [4]}}, "expected a string or a number as each grade"),
        ({"values": {"adequacy": True}}, "expected a string or a number as each grade"),
        ({"values": {"adequacy": 9}}, "adequacy: expected one of"),
        ({"values": {"colour": 9}}, "criterion 'colour' has no scale"),
        ({"revision": 0}, "field 'revision': expected a whole number from 1"),
        ({"position": "left"}, "field 'position': expected a whole number from 1"),
        ({"phase": "later"}, "phase 'later': expected one of"),
        ({"grade": 4}, "unknown field 'grade'"),
        ({"winner": "A"}, "'system' does not belong to a choice between two outputs"),
        ({"criterion": "x"}, "'criterion' does not belong to a graded answer"),
    ],
)
def test_broken_answers(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgements(_file(tmp_path, _ANSWER | change))


def test_missing_fields_and_broken_lines_are_all_listed(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"item": "1", "evaluator": "e"}\n{"item"\n{}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_judgements(path, "jsonl")
    assert {problem.line for problem in caught.value.problems} == {1, 2, 3}


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    graded = check_judgements(
        [
            Judgement("e1", "A", "1", "adequacy", "4", "P1", 1, comment="two\nlines"),
            Judgement("e1", "A", "1", "acceptability", "AA", "P1", 1),
            Judgement("e1", "A", "1", "adequacy", "3", "P1", 1, "repeat"),
        ]
    )
    write_campaign_jsonl(path, graded, {"campaign": "c1", "protocol": "ntcir9", "version": 1})
    assert read_judgements(path).judgements == graded
    pairs = check_preferences(
        [
            Preference("e1", "1", "A", "B", None, copied=True),
            Preference("e1", "2", "A", "B", "B", "clarity"),
        ]
    )
    write_campaign_jsonl(path, pairs)
    assert read_judgements(path).preferences == pairs
