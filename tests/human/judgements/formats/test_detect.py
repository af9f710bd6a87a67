from __future__ import annotations

import json
from pathlib import Path

import pytest

from patmark.data.model import Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.human.judgements.files import FORMATS, read_judgements
from patmark.human.judgements.model import parse_scale

_CONTENTS = {
    "csv": "evaluator,system,segment,criterion,value\ne,A,1,adequacy,4\n",
    "preferences": "evaluator,segment,first,second,winner\ne,1,A,B,A\n",
    "jsonl": '{"item": "1", "evaluator": "e", "system": "A", "values": {"adequacy": 4}}\n',
    "label-studio": '[\n{"id": 1, "annotator": 2, "system": "A", "adequacy": 4}]',
    "pearmut": '{"annotation": [{"A": {"score": 4}}], "item": [{"item_id": "1", "tgt": '
    '{"A": "x"}}], "user_id": "e", "item_i": 0}\n',
    "appraise": "e,A,1,TGT,zho,eng,4,0.1,0.2\n",
    "annotations": '{"system": "A", "segment": "1", "evaluator": "e", "rated": true}\n',
    "wmt-mqm": "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    "A\td\t1\te\ts\tt\tNo-error\tNo-error\n",
    "wmt-esa": '{"line_id": 1, "doc_id": "d", "system": "A", "annotator": "e", "src": "s", '
    '"tgt": "t", "esa_score": 4, "esa_spans": []}\n',
}


def test_every_form_has_an_example() -> None:
    assert set(_CONTENTS) == set(FORMATS)


@pytest.mark.parametrize("form", FORMATS)
def test_the_form_is_told_by_the_content_whatever_the_name(tmp_path: Path, form: str) -> None:
    path = tmp_path / "file.txt"
    path.write_text(_CONTENTS[form], encoding="utf-8")
    guessed, named = read_judgements(path), read_judgements(path, form)  # type: ignore[arg-type]
    assert guessed == named
    data = guessed.judgements or guessed.preferences
    rows = data.rows if data is not None else getattr(guessed.annotations, "rated", ())
    assert len(rows) == 1


def test_known_names_and_scales_reach_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text(_CONTENTS["csv"].replace("adequacy,4", "style,low"), encoding="utf-8")
    tests = TestSet((Segment("2"),), "en", name="tests")
    with pytest.raises(InputError) as caught:
        read_judgements(path, systems=["B"], test_set=tests)
    assert len(caught.value.problems) == 3
    reading = read_judgements(path, scales=[parse_scale("style=low,high")])
    assert reading.judgements is not None
    assert reading.judgements.grades("style").tolist() == [[[0.0]]]


def test_requests_that_cannot_be_carried_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'xml' is unknown; choose from csv, preferences"):
        read_judgements(tmp_path / "x", "xml")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="name the form of standard input with format="):
        read_judgements("-")
    with pytest.raises(InputError, match="no such file"):
        read_judgements(tmp_path / "absent.csv")
    path = tmp_path / "prose.txt"
    path.write_text("This is no table.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"prose\.txt:1: is in no known form"):
        read_judgements(path)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("is_download", [False, True])
def test_pearmut_is_told_in_whatever_order_its_keys_stand(
    tmp_path: Path, is_download: bool, indent: int | None
) -> None:
    entry = dict(reversed(json.loads(_CONTENTS["pearmut"]).items()))
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"c1": [entry]} if is_download else entry, indent=indent))
    reading = read_judgements(path)
    assert reading.format == "Pearmut annotations"
    assert reading.judgements is not None and reading.judgements.rows[0].value == "4"
