"""A criterion of people and a measure may have one name; scores of unknown scale show enough."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from patmark.data import Run, Scores, TestSet
from patmark.errors import InputError
from patmark.evaluation import (
    Evaluation,
    Sampling,
    Source,
    build_panel,
    evaluate,
    scores_source,
    subset_scores,
)

_SYSTEMS, _SEGMENTS = ("a", "b", "c"), ("1", "2")


def _source(name: str, values: list[float], human: bool, measure: str = "numbers") -> Source:
    table = np.array([[value, value] for value in values])
    scores = Scores.of_values(measure, "", _SYSTEMS, _SEGMENTS, table)
    return scores_source(name, {measure: scores}, (None, None), human=human)


@pytest.mark.parametrize("turned", [False, True])
def test_a_criterion_named_like_a_check_is_not_taken_for_it(turned: bool) -> None:
    check = _source("scores.json", [0.9, 0.8, 0.7], human=False)
    people = _source("judgements.csv", [5.0, 3.0, 1.0], human=True)
    panel = build_panel([people, check] if turned else [check, people], "numbers")
    assert panel.gold.of_systems.tolist() == [5.0, 3.0, 1.0]
    assert [metric.name for metric in panel.metrics] == ["numbers"]
    np.testing.assert_allclose(panel.metrics[0].of_systems, [0.9, 0.8, 0.7])


def test_two_checks_of_one_name_are_refused_as_before() -> None:
    one, other = (_source(name, [1.0, 2.0, 3.0], human=False) for name in ("a.json", "b.json"))
    gold = _source("judgements.csv", [5.0, 3.0, 1.0], human=True, measure="adequacy")
    with pytest.raises(InputError, match="numbers is also in"):
        build_panel([one, other, gold], "adequacy")


def test_a_saved_criterion_is_chosen_by_its_own_name() -> None:
    table = np.ones((3, 2))
    scores = Scores.of_values("bleu", "people|bleu", _SYSTEMS, _SEGMENTS, table)
    chosen = subset_scores(Evaluation(scores={"bleu": scores}, documents=(None, None)), ["bleu"])
    assert list(chosen.scores) == ["bleu"]


def test_a_program_that_prints_numbers_up_to_one_shows_four_decimals(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nfor line in sys.stdin:\n    print(0.123456)\n")
    large = tmp_path / "large.py"
    large.write_text("import sys\nfor line in sys.stdin:\n    print(61.23456)\n")
    test_set, run = TestSet.of(["a", "b"]), Run("mine", ("a", "c"))
    for path, decimals in ((program, 4), (large, 2)):
        found = evaluate(
            test_set, [run], [f"command:{sys.executable} {path}"], Sampling(resamples=0)
        )
        [table] = found.to_report().tables
        assert table.columns[1].decimals == decimals
