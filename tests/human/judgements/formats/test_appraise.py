from __future__ import annotations

from pathlib import Path

import pytest

from patmark.errors import InputError
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.model import Judgement

# The forms that Appraise prints: direct assessment, with batch info, and tasks on documents.
_DIRECT = "zhoeng0101,sysA,12,TGT,zho,eng,71,1600000000.1,1600000009.2\n"
_BATCH = "zhoeng0101,sysB,12,TGT,zho,eng,64,1600000000.1,1600000009.2,3,4711\n"
_DOCUMENT = "zhoeng0102,sysA,13,TGT,zho,eng,90,P1,False,[],1600000000.1,1600000009.2\n"
_WHOLE = "zhoeng0102,sysA,13,TGT,zho,eng,80,P1,True,[],1600000000.1,1600000009.2\n"


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_of_segments_and_documents(tmp_path: Path) -> None:
    reading = read_judgements(_file(tmp_path, _DIRECT + _BATCH + _DOCUMENT + _WHOLE))
    assert reading.format == "Appraise CSV"
    assert reading.notes == ("1 score of whole documents left aside",)
    assert reading.judgements is not None
    assert reading.judgements.rows == (
        Judgement("zhoeng0101", "sysA", "12", "da", "71"),
        Judgement("zhoeng0101", "sysB", "12", "da", "64"),
        Judgement("zhoeng0102", "sysA", "13", "da", "90", "P1"),
    )


@pytest.mark.parametrize(("kind", "phase"), [("CHK", "repeat"), ("BAD", "check"), ("REF", "check")])
def test_control_items_are_no_results(tmp_path: Path, kind: str, phase: str) -> None:
    reading = read_judgements(_file(tmp_path, _DIRECT + _DIRECT.replace("TGT", kind)))
    assert reading.judgements is not None
    assert [row.phase for row in reading.judgements.rows] == ["main", phase]


@pytest.mark.parametrize(
    ("system", "shown", "document", "phase"),
    [
        ("A", "en_#_news_#_7", "en_#_news_#_7", "main"),
        ("A", "en_#_news_#_7#dup", "en_#_news_#_7", "repeat"),
        ("wmt23.ONLINE-A", "latimes.160885#ONLINE-A", "latimes.160885", "main"),
        ("wmt23.ONLINE-A", "latimes.160885#ONLINE-A#bad2", "latimes.160885", "check"),
        ("wmt23.ONLINE-A", "latimes.160885#ONLINE-A#duplicate", "latimes.160885", "repeat"),
        ("A", "video-tutorial.3", "video-tutorial.3", "main"),
        ("ende-tutorial1", "ende-tutorial1", "ende-tutorial1", "training"),
    ],
)
def test_names_of_documents(
    tmp_path: Path, system: str, shown: str, document: str, phase: str
) -> None:
    row = _DOCUMENT.replace("sysA", system).replace("P1", shown)
    reading = read_judgements(_file(tmp_path, _DOCUMENT + row.replace("13,", "14,")))
    assert reading.judgements is not None
    assert [(one.document, one.phase) for one in reading.judgements.rows] == [
        ("P1", "main"),
        (document, phase),
    ]
    tutorial = ("1 score of tutorials taken for training, not for results",)
    assert reading.notes == (tutorial if phase == "training" else ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_DIRECT + "a,b,c\n", "2: expected user, system, .* found 3 fields"),
        (_DIRECT.replace("TGT", "XYZ"), "item type: expected one of TGT, CHK, BAD, REF"),
        (_DIRECT.replace(",71,", ",171,"), "da: expected a number from 0.0 to 100.0, found '171'"),
        (_DIRECT * 2, "2: .* already on line 1"),
        (_WHOLE, "has no judgements .* 1 score of whole documents left aside"),
        ("", "is empty"),
    ],
)
def test_broken_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgements(_file(tmp_path, text), "appraise")
