"""Scores of several files: joined where they belong together, refused where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.data.model import Run, TestSet
from patmark.data.scores import LEFT_OUT, ScoreFacts
from patmark.errors import InputError
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.joined_scores import join_scores, joining_notes, subset_scores
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import evaluate

_REFERENCES = ["the valve is closed", "a rotor with two blades", "the shaft"]
_ANSWERS = {
    "a": ("the valve is closed", "a rotor with blades", None),
    "b": ("valve closed", "the rotor has two blades", ""),
    "c": ("the valve", "a rotor", "the shaft"),
}


def _saved(
    *names: str, references: Sequence[str] = _REFERENCES, measures: Sequence[str] = ("BLEU", "TER")
) -> Evaluation:
    test_set = TestSet.of(references, documents=["d", "d", None])
    runs = [Run(name, _ANSWERS[name]) for name in names]
    facts = ScoreFacts.of(test_set, runs)
    scores = evaluate(test_set, runs, list(measures)).scores
    return Evaluation(scores=scores, documents=test_set.documents, facts=facts)


def test_joined_files_are_as_one() -> None:
    joined = join_scores({"x": _saved("a"), "y": _saved("b", "c")})
    whole = _saved("a", "b", "c")
    assert joined.systems == ("a", "b", "c") and joined.documents == whole.documents
    for name, one in whole.scores.items():
        assert np.array_equal(joined.scores[name].statistics, one.statistics)
        assert joined.scores[name].system_scores.tolist() == one.system_scores.tolist()
    assert joined.facts == whole.facts
    assert joined.facts.missing == {"a": 1, "b": 0, "c": 0}
    assert joined.facts.notes() == (
        "a: 1 segment without an answer; each counts as an empty text.",
        "b: 1 segment with an empty answer.",
    )
    assert join_scores({"x": whole}).systems == whole.systems


def test_a_system_that_is_not_chosen_takes_its_facts_along() -> None:
    some = subset_scores(_saved("a", "b", "c"), systems=["c", "b"])
    assert some.facts.missing == {"c": 0, "b": 0} and some.facts.empty == {"c": 0, "b": 1}


_OTHER = ["the valve is open", *_REFERENCES[1:]]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (_saved("b", references=_OTHER), "y was scored on another test set than x: other refer"),
        (_saved("a"), "y: x has a system 'a' too"),
        (_saved("b", measures=["BLEU"]), "y has other measures than x: BLEU there, BLEU, TER here"),
        (replace(_saved("b"), documents=(None,) * 3), "y has other documents than x"),
    ],
)
def test_what_does_not_belong_together_is_refused(other: Evaluation, message: str) -> None:
    with pytest.raises(InputError) as caught:
        join_scores({"x": _saved("a"), "y": other})
    assert message in str(caught.value)


def test_other_segments_and_other_counting_are_refused() -> None:
    one, other = _saved("a"), _saved("b")
    renamed = {n: replace(s, segments=("1", "2", "x")) for n, s in other.scores.items()}
    with pytest.raises(InputError, match="y has other segments than x: 'x' at place 3"):
        join_scores({"x": one, "y": replace(other, scores=renamed)})
    lower = {n: replace(s, signature=s.signature + "|odd:yes") for n, s in other.scores.items()}
    with pytest.raises(InputError, match="y counted BLEU in another way than x"):
        join_scores({"x": one, "y": replace(other, scores=lower)})
    german = replace(other, facts=replace(other.facts, languages={"source": None, "target": "de"}))
    with pytest.raises(InputError, match="y has other languages than x"):
        join_scores({"x": one, "y": german})


def test_later_files_are_held_against_each_other_too() -> None:
    def with_sources(saved: Evaluation, digest: str) -> Evaluation:
        texts = {**saved.facts.test_set, "sources": digest}
        return replace(saved, facts=replace(saved.facts, test_set=texts))

    files = {
        "x": _saved("a"), "y": with_sources(_saved("b"), "1"), "z": with_sources(_saved("c"), "2"),
    }  # fmt: skip
    with pytest.raises(InputError, match="z was scored on another test set than y: other sources"):
        join_scores(files)


def test_a_file_of_an_older_patmark_is_joined_with_a_note() -> None:
    old = replace(_saved("b"), facts=ScoreFacts())
    files = {"x": _saved("a"), "old.json": old}
    joined = join_scores(files)
    assert joined.systems == ("a", "b") and joined.facts.missing == {"a": 1}
    [note] = joining_notes({**files, "z": _saved("c")})
    assert note.text.startswith("old.json does not tell which texts it was scored on")
    assert joining_notes({"old.json": old}) == ()


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"test_set": "abc"}, "expected an object with texts as 'test_set'"),
        ({"test_set": {"references": 3}}, "expected an object with texts as 'test_set'"),
        ({"missing": {"a": -1}}, "expected an object with counts as 'missing'"),
        ({"empty": {"a": True}}, "expected an object with counts as 'empty'"),
        ({"languages": {"source": 1}}, "expected an object with texts as 'languages'"),
        ({"treatment": None}, "expected a text as 'treatment'"),
    ],
)
def test_broken_facts_are_named(tmp_path: Path, facts: dict[str, Any], message: str) -> None:
    saved = _saved("a")
    save_scores(tmp_path / "s.json", saved.scores, saved.documents, facts)
    with pytest.raises(InputError, match=message):
        read_scores(tmp_path / "s.json")


def test_facts_survive_a_file(tmp_path: Path) -> None:
    test_set = TestSet.of(["a", "b"], sources=["c", "d"], source_language="zh")
    facts = ScoreFacts.of(test_set, [Run("x", (None, ""))], LEFT_OUT)
    assert ScoreFacts.from_json(facts.to_json()) == facts
    assert ScoreFacts.from_json({"other": 1}) == ScoreFacts()
    assert facts.notes()[0] == "x: 1 segment without an answer; each is left out."
