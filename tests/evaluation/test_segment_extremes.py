"""The segments where two systems differ most."""

from __future__ import annotations

import pytest

from patmark.data.model import Run, TestSet
from patmark.errors import UsageError
from patmark.evaluation.analysis import extreme_segments
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.scoring import Sampling, evaluate

_LONG = "word " * 30


def _evaluation(measure: str, first: list[str | None], second: list[str | None]) -> Evaluation:
    references = ["a b c d", "e f g h", _LONG, "i j\nk l"]
    test_set = TestSet.of(references, sources=["1", "2", "3", "4"])
    runs = [Run("one", tuple(first)), Run("two", tuple(second))]
    return evaluate(test_set, runs, [measure], Sampling(resamples=0))


def test_exact_rows_where_higher_is_better() -> None:
    evaluation = _evaluation(
        "ROUGE-L", ["a b c d", "", _LONG, "i j k l"], ["a b", None, "", "i j k l"]
    )
    table = extreme_segments(evaluation, "one", "two")
    assert [column.title for column in table.columns] == [
        "won by", "segment", "one", "two", "difference", "reference",
    ]  # fmt: skip
    values = evaluation.scores["ROUGE-L"].segment_scores
    excerpt = ("word " * 16).rstrip() + "…"
    assert table.rows == (
        ("one", "3", values[0][2], 0.0, values[0][2], excerpt),
        ("one", "1", values[0][0], values[1][0], values[0][0] - values[1][0], "a b c d"),
    )
    assert extreme_segments(evaluation, "one", "two", limit=1).rows == table.rows[:1]
    swapped = extreme_segments(evaluation, "two", "one")
    assert [row[:2] for row in swapped.rows] == [("one", "3"), ("one", "1")]


def test_lower_is_better() -> None:
    evaluation = _evaluation(
        "TER", ["a b c d", "e x x x", _LONG, "i j k l"], ["a b c x", "e f g h", _LONG, "i j k l"]
    )
    table = extreme_segments(evaluation, "one", "two", "TER")
    assert table.rows == (
        ("one", "1", 0.0, 25.0, -25.0, "a b c d"),
        ("two", "2", 75.0, 0.0, 75.0, "e f g h"),
    )
    assert table.columns[2].higher_is_better is False


def test_without_references_the_source_is_shown_and_nan_is_left_out() -> None:
    test_set = TestSet.of([[], []], sources=["a bolt of 5 mm", "no digits"])
    runs = [Run("one", ("5 mm", "x")), Run("two", ("6 mm", "x"))]
    evaluation = evaluate(test_set, runs, ["numbers"], Sampling(resamples=0))
    table = extreme_segments(evaluation, "one", "two")
    assert table.columns[-1].title == "source"
    assert table.rows == (("one", "1", 1.0, 0.0, 1.0, "a bolt of 5 mm"),)


def test_equal_systems_have_no_rows() -> None:
    evaluation = _evaluation("chrF", ["", "", "", ""], [None, None, None, None])
    assert extreme_segments(evaluation, "one", "two").rows == ()


def test_unknown_names() -> None:
    evaluation = _evaluation("chrF", ["a"] * 4, ["b"] * 4)
    with pytest.raises(UsageError, match="no system is called 'three'; there are one, two"):
        extreme_segments(evaluation, "one", "three")
    with pytest.raises(UsageError, match="BLEU was not measured; there are chrF"):
        extreme_segments(evaluation, "one", "two", "BLEU")
