"""Error annotations: what counts as rated, and their JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from patmark.data.annotations import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    Rating,
    read_annotations,
    write_annotations,
)
from patmark.data.model import Run, Segment, TestSet
from patmark.errors import InputError

MARK = {
    "system": "mine",
    "segment": "s1",
    "evaluator": "ann",
    "side": "target",
    "start": 4,
    "end": 6,
    "category": "Accuracy/Mistranslation",
    "severity": "major",
}
RATING = {"system": "mine", "segment": "s2", "evaluator": "ann", "rated": True}


def saved(folder: Path, *rows: Any) -> Path:
    path = folder / "annotations.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_no_error_is_not_the_same_as_not_rated(tmp_path: Path) -> None:
    found = read_annotations(saved(tmp_path, MARK, RATING))
    assert found.by_rating[("mine", "s2", "ann")] == ()
    assert ("mine", "s3", "ann") not in found.by_rating
    assert found.by_rating[("mine", "s1", "ann")] == (Annotation(**MARK),)
    assert found.rated == (Rating("mine", "s2", "ann"), Rating("mine", "s1", "ann"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**MARK, "side": "hypothesis"}, "field 'side': expected source or target, found 'hypoth"),
        ({**MARK, "start": 7}, "expected start <= end, found 7 and 6"),
        ({**MARK, "start": -1}, "field 'start': expected a whole number from 0, found a number"),
        ({**MARK, "end": True}, "field 'end': expected a whole number from 0, found true or false"),
        ({**MARK, "severity": ""}, "field 'severity' is empty"),
        ({**MARK, "catgory": "x"}, "unknown field 'catgory'"),
        ({**MARK, "text": "𠮷"}, "field 'text' has 1 characters, but the mark from 4 to 6 has 2"),
        ({**RATING, "rated": False}, "field 'rated': expected true"),
        ({**RATING, "score": 101}, "field 'score': expected a number from 0 to 100, found 101"),
        (
            {**RATING, "score": "8"},
            "field 'score': expected a number from 0 to 100, found a string",
        ),
        ({"system": "mine", "segment": "s1"}, "field 'side' is missing; expected a string"),
        ("{", "is not valid JSON"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, row: Any, message: str) -> None:
    path = saved(tmp_path, MARK, row)
    with pytest.raises(InputError) as caught:
        read_annotations(path)
    assert caught.value.problems[0].path == str(path)
    assert all(problem.line == 2 for problem in caught.value.problems)
    assert any(message in problem.message for problem in caught.value.problems)


def test_an_output_is_rated_once_by_an_evaluator(tmp_path: Path) -> None:
    path = saved(tmp_path, RATING, {**RATING, "score": 50})
    with pytest.raises(InputError, match="2: segment 's2' of 'mine' by 'ann' is rated twice"):
        read_annotations(path)
    twice = (Rating("mine", "s2", "ann"), Rating("mine", "s2", "ann", 50.0))
    with pytest.raises(InputError, match="'mine' by 'ann' is rated twice"):
        Annotations(twice, ())


def test_marked_texts_are_written_and_ends_are_checked(tmp_path: Path) -> None:
    test_set = TestSet((Segment("s1", "𠮷野の弁"),), "en", "ja")
    texts = AnnotatedTexts.of(test_set, [Run("mine", ("the 𝒙 valve",))])
    marks = (
        Annotation("mine", "s1", "ann", 4, 5, "target", "Other", "minor"),
        Annotation("mine", "s1", "ann", 0, 2, "source", "Accuracy/Omission", "major"),
    )
    path = tmp_path / "out.jsonl"
    write_annotations(path, Annotations((), marks), texts)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row.get("text") for row in rows] == [None, "𝒙", "𠮷野"]
    late = Annotation("mine", "s1", "ann", 4, 12, "target", "Other", "minor")
    assert list(texts.problems([*marks, late])) == [
        "segment 's1' of 'mine' by 'ann': a mark ends at character 12 of the target, which has 11"
    ]


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=3)
KEYS = st.tuples(NAMES, NAMES, NAMES)
PLACES = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted)


@st.composite
def annotations(draw: st.DrawFn) -> Annotations:
    keys = draw(st.lists(KEYS, min_size=1, max_size=4, unique=True))
    scores = st.none() | st.floats(0, 100)
    ratings = tuple(Rating(*key, draw(scores), draw(st.none() | NAMES)) for key in keys)
    marks = []
    for key in draw(st.lists(st.sampled_from(keys), max_size=6)):
        start, end = draw(PLACES)
        side = draw(st.sampled_from(("source", "target")))
        marks.append(Annotation(*key, start, end, side, draw(NAMES), draw(NAMES)))
    return Annotations(ratings, tuple(marks))


@given(annotations())
def test_what_is_written_is_read_again(tmp_path_factory: Any, given_annotations: Any) -> None:
    path = tmp_path_factory.mktemp("annotations") / "a.jsonl"
    write_annotations(path, given_annotations)
    found = read_annotations(path)
    assert found == given_annotations
    assert found.rated == given_annotations.rated


def test_whole_texts_are_carried_and_held_against_the_marks(tmp_path: Path) -> None:
    """A line break of two characters before the mark is part of the text as it is kept."""
    texts = AnnotatedTexts({"s1": "弁。\r\n開く。"}, {("mine", "s1"): "A valve.\r\nIt 𝒙 opens."})
    mark = Annotation("mine", "s1", "ann", 13, 14, "target", "Other", "Minor")
    path = tmp_path / "a.jsonl"
    write_annotations(path, Annotations((), (mark,)), texts)
    found = read_annotations(path)
    assert found.texts == texts and found.marks[0].severity == "minor"
    rating, marked = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    assert rating["target"][13:14] == marked["text"] == "𝒙"
    for change, message in (
        ({"start": 12, "end": 13}, "the target has ' ' from 12 to 13, not '𝒙'"),
        ({"end": 40, "text": None}, "a mark ends at character 40 of the target, which has 21"),
    ):
        with pytest.raises(InputError, match=f"2: .*{message}"):
            read_annotations(saved(tmp_path, rating, marked | change))
    other = rating | {"evaluator": "bob", "target": "A valve."}
    with pytest.raises(InputError, match="2: field 'target': another line has another text"):
        read_annotations(saved(tmp_path, rating, other))
