from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.data.model import Run, Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.judgements.formats.pearmut import read_pearmut_campaign, write_pearmut_campaign
from patmark.judgements.model import BUILT_IN_SCALES

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


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "campaign.json"
    write_pearmut_campaign(path, _TESTS, _RUNS, campaign="c1", people=2)
    back = read_pearmut_campaign(path, "en", "zh")
    assert (back.campaign, back.protocol) == ("c1", "DA")
    assert back.test_set.segments == _TESTS.segments
    assert list(back.runs) == _RUNS


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
        ["s1"], ["s2"], ["s3"],
    ]  # fmt: skip
    assert content["data"][0][1][0] == {
        "item_id": "s2", "document": "P1", "src": "源二", "tgt": {"A": "a2"},
    }  # fmt: skip


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


def _item(**fields: Any) -> dict[str, Any]:
    return {"item_id": "s1", "src": "x", "tgt": {"A": "a"}} | fields


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "has no items"),
        ([3], "item 1: expected an object 'tgt'"),
        ([_item(tgt={"A": 3})], "item 1: expected an object 'tgt' from system to text"),
        ([_item(item_id=None)], "item 1: field 'item_id' is missing or empty"),
        ([_item(src=3)], "item 1: field 'src' is no string"),
        ([_item(), _item(src="y")], "item 2: 's1' occurs with other texts"),
        ([_item(), _item(tgt={"A": "b"})], "item 2: 's1' occurs with another output of 'A'"),
    ],
)
def test_broken_items(tmp_path: Path, items: list[Any], message: str) -> None:
    path = tmp_path / "campaign.json"
    content = {"info": {"assignment": "task-based"}, "campaign_id": "c", "data": [[items]]}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_pearmut_campaign(path, "en")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "expected a JSON object"),
        ("{}", "is no Pearmut campaign"),
        ('{"campaign_id": "c", "info": {"assignment": "other"}, "data": []}', "found 'other'"),
        ('{"campaign_id": "c", "info": {"assignment": "dynamic"}, "data": 3}', "is no Pearmut"),
        ("", "is empty"),
    ],
)
def test_broken_campaigns(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "campaign.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_pearmut_campaign(path, "en")


def test_a_shared_pool_is_read_too_and_checks_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "campaign.json"
    items = [_item(), _item(item_id="t", validation={}), _item(tgt={"B": "b"})]
    content = {"info": {"assignment": "single-stream"}, "campaign_id": "c", "data": [items]}
    path.write_text(json.dumps(content), encoding="utf-8")
    back = read_pearmut_campaign(path, "en")
    assert [run.hypotheses for run in back.runs] == [("a",), ("b",)]
    assert back.left_out == 1
