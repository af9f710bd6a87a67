"""Where the uncertainty of grades comes from, and what would shrink it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from patmark.data import FloatArray
from patmark.evaluation import model_grades
from patmark.evaluation.grade_uncertainty import component_table, mean_table


def _grades(segments: int = 30, evaluators: int = 3, of_evaluator: float = 0.1) -> FloatArray:
    """Three systems; segments differ more than evaluators, unless told otherwise."""
    rng = np.random.default_rng(4)
    grades = 3 + np.array([0.5, 0.0, -0.5])[:, None] + rng.normal(0, 0.8, segments)
    grades = grades + rng.normal(0, 0.5, (3, segments))
    strictness = of_evaluator * np.linspace(-1, 1, evaluators)[:, None, None]
    return np.asarray(grades + strictness + rng.normal(0, 0.3, (evaluators, 3, segments)))


def _documents(segments: int = 30) -> list[str | None]:
    return [f"d{segment // 3}" for segment in range(segments)]


def test_systems_components_and_options() -> None:
    model = model_grades(_grades(), "abc", _documents())
    assert model.model is not None and model.systems == ("a", "b", "c")
    assert list(model.model.variances) == [
        "document", "segment", "evaluator", "system × document", "system × segment",
        "system × evaluator", "residual",
    ]  # fmt: skip
    for system in range(3):
        estimate = model.estimate(system)
        assert estimate.value == pytest.approx(_grades()[:, system].mean(), abs=1e-6)
        assert estimate.ci is not None and estimate.ci[0] < estimate.value < estimate.ci[1]
    mean, difference = model.of_mean, model.of_difference
    assert difference is not None
    assert sum(mean.shares.values()) == pytest.approx(1)
    assert set(mean.options) == {"document", "segment", "evaluator"}
    assert all(width <= mean.margin for _, width in mean.options.values())
    assert mean.shares["segment"] > mean.shares["evaluator"]
    assert difference.shares["evaluator"] < 0.2  # one evaluator's strictness hits all systems


def test_equal_outputs_answered_once_count_once_in_the_model() -> None:
    """A fourth system gave the texts of the first, and its grades are copies of theirs."""
    grades = _grades()
    both = np.concatenate([grades, grades[:, :1]], axis=1)
    copied = np.zeros(both.shape, bool)
    copied[:, 3] = True
    alone = model_grades(grades, "abc", _documents())
    found = model_grades(both, "abcd", _documents(), copied=copied)
    assert found.model is not None and alone.model is not None
    assert found.model.variances == alone.model.variances and found.model.n == alone.model.n
    for system in range(3):
        [one, other] = (model.estimate(system) for model in (found, alone))
        assert one.value == pytest.approx(other.value) and one.ci == pytest.approx(other.ci)
    assert found.estimate(0, 3).value == pytest.approx(0)
    assert found.standard_error(0, 3) == pytest.approx(0, abs=1e-6)
    assert any("90 grades of equal outputs" in note for note in found.notes)


def test_systems_differ_by_the_segments_alone_in_which_their_outputs_do() -> None:
    """The second gave the texts of the first in 12 of 30 segments."""
    grades, copied = _grades(), np.zeros((3, 3, 30), bool)
    grades[:, 1, :12] = grades[:, 0, :12]
    copied[:, 1, :12] = True
    model = model_grades(grades, "abc", [None] * 30, copied=copied)
    assert model.model is not None and model.model.n == 3 * (90 - 12)
    for system in range(3):
        assert model.estimate(system).value == pytest.approx(grades[:, system].mean(), abs=0.01)
    of = model.model.variances
    of_segments = 2 * 18 / 30**2 * (of["system × segment"] + of["residual"] / 3)
    of_evaluators = 2 * (18 / 30) ** 2 * of["system × evaluator"] / 3
    expected = np.sqrt(of_segments + of_evaluators)
    assert model.standard_error(0, 1) == pytest.approx(expected, rel=0.02)
    assert model.standard_error(0, 1) < model.standard_error(0, 2)


def test_more_of_what_varies_most_helps_most() -> None:
    strict = model_grades(_grades(60, 3, of_evaluator=1.5), "abc", [None] * 60).of_mean
    even = model_grades(_grades(20, 6, of_evaluator=0.05), "abc", [None] * 20).of_mean
    assert strict.options["evaluator"][1] < strict.options["segment"][1]
    assert even.options["segment"][1] < even.options["evaluator"][1]


def test_the_sentences_name_shares_and_options() -> None:
    first, second = model_grades(_grades(), "abc", [None] * 30).sentences()
    assert first.startswith("sources of uncertainty of a system's mean: ")
    assert "% comes from segments" in first and "100 more segments would make it ±" in first
    assert "one more evaluator would make it ±" in first and "documents" not in first
    assert second.startswith("sources of uncertainty of the difference between two systems: ")


def test_samples_of_one_judge_have_nothing_in_common() -> None:
    model = model_grades(_grades(), "abc", [None] * 30, evaluators=False)
    assert model.model is not None and "evaluator" not in model.model.variances
    assert "one more sample would make it" in next(model.sentences())


@pytest.mark.parametrize(
    ("grades", "note"),
    [
        (np.full((2, 3, 8), 4.0), "do not vary"),
        (np.full((2, 3, 8), np.nan), "does not identify sources"),
        (np.arange(3.0).reshape(1, 3, 1), "does not identify sources"),
        (np.zeros((0, 3, 0)), "does not identify sources"),
    ],
)
def test_grades_that_cannot_tell_give_a_note(grades: FloatArray, note: str) -> None:
    model = model_grades(grades, "abc", [None] * grades.shape[2])
    assert model.model is None and note in model.notes[-1]
    assert list(model.sentences()) == [] and model.to_json()["fitted"] is False
    assert component_table("t", model).rows == mean_table("t", model).rows == ()


def test_one_evaluator_and_one_segment_of_each_document_are_named() -> None:
    model = model_grades(_grades(12, 1), "abc", [str(place) for place in range(12)])
    assert model.model is not None
    assert "no variance of evaluator: there is only one" in model.notes
    assert "no variance of segment: it is the same as document" in model.notes
    assert set(model.of_mean.options) == {"document"}


def test_a_single_system_has_no_difference() -> None:
    model = model_grades(_grades()[:, :1], "a", [None] * 30)
    assert model.of_difference is None and len(list(model.sentences())) == 1


def test_json_is_finite() -> None:
    read = json.loads(json.dumps(model_grades(_grades(), "abc", _documents()).to_json(),
                                 allow_nan=False))  # fmt: skip
    assert {"components", "systems", "contrasts", "uncertainty", "notes"} <= set(read)
    assert sum(one["share"] for one in read["components"]) == pytest.approx(1)
    assert len(read["contrasts"]) == 3 and read["systems"]["a"]["se"] > 0


def test_equal_grades_of_all_evaluators_are_the_model_of_one() -> None:
    one = _grades(20, 1)
    agreed = model_grades(np.repeat(one, 3, axis=0), "abc", [None] * 20)
    single = model_grades(one, "abc", [None] * 20)
    assert "no residual variance: strictness apart, all grades of an output agree" in agreed.notes
    assert agreed.to_json()["reml_criterion"] is None
    for system in range(3):
        error = single.standard_error(system)
        assert agreed.standard_error(system) == pytest.approx(error, rel=1e-3)
        assert agreed.estimate(system).ci == pytest.approx(single.estimate(system).ci, abs=1e-3)


def test_a_changed_grade_changes_little() -> None:
    """Two systems, 20 segments, three evaluators who agree but for one grade by one step."""
    grades = np.repeat(np.round(_grades(20, 1)[:, :2]), 3, axis=0)
    agreed = model_grades(grades, "ab", [None] * 20)
    grades[0, 0, 0] += 1
    beside = model_grades(grades, "ab", [None] * 20)
    assert beside.standard_error(0) == pytest.approx(agreed.standard_error(0), rel=0.03)
    assert beside.standard_error(0, 1) == pytest.approx(agreed.standard_error(0, 1), rel=0.05)


@pytest.mark.parametrize(
    ("evaluators", "documents", "end"),
    [
        (3, _documents(), "for other documents, segments and evaluators of the same kind; those "
         "of the ranking are for these evaluators."),
        (3, [None] * 30, "for other segments and evaluators of the same kind; those of the ranking "
         "are for these evaluators."),
        (1, _documents(), "for other documents and segments of the same kind."),
        (1, [None] * 30, "for other segments of the same kind."),
    ],
)  # fmt: skip
def test_intervals_are_for_what_the_model_lets_vary(
    evaluators: int, documents: list[str | None], end: str
) -> None:
    model = model_grades(_grades(30, evaluators), "abc", documents)
    note = mean_table("t", model).note
    assert note.endswith(end) and "wider" not in note
