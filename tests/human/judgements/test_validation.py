"""Validation of evaluators: agreement, half splits, bias, ceiling, and what cannot be computed."""

from __future__ import annotations

import re
from dataclasses import replace
from math import nan
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.scores import Estimate, FloatArray
from patmark.evaluation.scoring import Sampling
from patmark.human.judgements.checks import check_judgements, check_preferences
from patmark.human.judgements.model import Judgement, Judgements, Preference, parse_scale
from patmark.human.judgements.validation import (
    NO_COMMON,
    ONE_EVALUATOR,
    CriterionValidation,
    validate_evaluators,
    validate_preferences,
)
from patmark.human.judgements.validation_tables import evaluator_tables
from patmark.report import to_json_text

_FAST = Sampling(resamples=50)
_A, _B, _C = "5443251342", "4433252352", "5442241343"


def _judgements(
    grades: FloatArray, criterion: str = "adequacy", documents: int | None = None
) -> Judgements:
    """From an array (evaluators, systems, segments)."""
    scale = ["F", "C", "B", "A", "AA"]
    rows = [
        Judgement(
            f"e{e}",
            f"S{s}",
            str(n),
            criterion,
            scale[int(grades[e, s, n]) - 1]
            if criterion == "acceptability"
            else f"{grades[e, s, n]:g}",
            document=None if documents is None else f"D{n % documents}",
        )
        for e, s, n in np.argwhere(~np.isnan(grades))
    ]
    return check_judgements(rows, scales=[parse_scale("effort=0.0..10.0")])


def _table(*ratings: str) -> FloatArray:
    """Ten outputs of two systems in five segments."""
    return np.array([[int(value) for value in one] for one in ratings], float).reshape(-1, 2, 5)


def _one(grades: FloatArray, criterion: str = "adequacy") -> CriterionValidation:
    [one] = validate_evaluators(_judgements(grades, criterion), _FAST)
    return one


def test_agreement_equals_other_programs() -> None:
    """scikit-learn 1.9.1 cohen_kappa_score; statsmodels 0.15.0 fleiss_kappa; krippendorff 0.9.0."""
    agreement = _one(_table(_A, _B, _C)).agreement
    assert agreement is not None and agreement.pairs is not None and agreement.percent is not None
    first = agreement.pairs[0]
    kappas = first.kappa, first.kappa_linear, first.kappa_quadratic
    assert kappas == pytest.approx((0.487179, 0.701493, 0.858156), abs=1e-6)
    assert agreement.fleiss == pytest.approx(0.393064, abs=1e-6)
    assert agreement.alpha.value == pytest.approx(0.838376, abs=1e-6)
    assert (agreement.alpha.level, agreement.segments, agreement.alpha.items) == ("interval", 5, 10)
    # By hand: of the pairs of a and b six are equal, and all are at most one apart.
    assert (first.exact, first.within_one) == (0.6, 1.0)


def test_ordinal_grades_take_ordinal_alpha() -> None:
    """krippendorff 0.9.0."""
    agreement = _one(_table(_A, _B, _C), "acceptability").agreement
    assert agreement is not None and agreement.alpha.level == "ordinal"
    assert agreement.alpha.value == pytest.approx(0.849941, abs=1e-6)


def test_missing_grades_leave_alpha_but_not_fleiss() -> None:
    """krippendorff 0.9.0 for the ratings with a4, b8 and c8 missing."""
    grades = _table(_A, _B, _C)
    grades.reshape(3, 10)[[0, 1, 2], [3, 7, 7]] = nan
    [one] = validate_evaluators(_judgements(grades), _FAST, whole_segments=False)
    assert one.agreement is not None and one.agreement.fleiss is None
    assert one.agreement.alpha.value == pytest.approx(0.837963, abs=1e-6)
    assert any("no Fleiss' kappa" in note for note in one.notes)


def _separate(
    evaluators: int = 3, systems: int = 6, each: int = 30, noise: float = 1.0
) -> FloatArray:
    """As in NTCIR-9: each evaluator on segments of their own."""
    rng = np.random.default_rng(3)
    grades = np.full((evaluators, systems, evaluators * each), nan)
    for evaluator in range(evaluators):
        values = np.linspace(2, 4, systems)[:, None] + rng.normal(size=(systems, each))
        grades[evaluator, :, evaluator * each : (evaluator + 1) * each] = values.round().clip(1, 5)
    return grades


def test_without_common_segments_agreement_is_not_made_up() -> None:
    one = _one(_separate())
    assert one.agreement is None and one.ceiling is None and one.common_segments == 0
    assert one.notes == (f"adequacy: {NO_COMMON}",)
    assert one.half_split is not None and one.half_split.in_order > 0.8
    assert len(one.between) == 3 and all(pair.pearson > 0.7 for pair in one.between)
    assert {bias.common for bias in one.bias} == {0}
    summary, details = evaluator_tables([one])
    assert "Krippendorff α" not in [column.title for column in summary[0].columns]
    assert "Agreement on common segments" not in [table.title for table in details]


def test_perfect_and_random_evaluators() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(1, 6, (5, 40)).astype(float)
    perfect = _one(np.stack([truth] * 3))
    assert perfect.agreement is not None and perfect.agreement.percent is not None
    assert perfect.agreement.alpha.value == perfect.agreement.fleiss == 1
    assert perfect.agreement.percent.exact == 1 and perfect.ceiling is not None
    assert perfect.ceiling.segment.mean == pytest.approx(1)
    assert [bias.difference for bias in perfect.bias] == [0, 0, 0]
    random = _one(rng.integers(1, 6, (3, 5, 40)).astype(float))
    assert random.agreement is not None and random.agreement.fleiss is not None
    assert abs(random.agreement.alpha.value) < 0.15 and abs(random.agreement.fleiss) < 0.1
    assert random.ceiling is not None and abs(random.ceiling.segment.mean) < 0.2


def test_a_strict_and_a_drifting_evaluator_stand_out() -> None:
    segments = np.arange(40)
    usual = np.tile(np.where(segments % 2, 4.0, 3.0), (3, 1))
    drifting = np.tile(np.where(segments < 20, 2.0, 4.0), (3, 1))
    one = _one(np.stack([usual, usual - 1, drifting]))
    assert one.bias[1].difference < -0.4 and one.bias[1].lenience < -0.3
    drift = one.bias[2].drift
    assert drift is not None and drift.change > 2 and drift.p < 1e-6
    assert one.bias[0].counts == (0, 0, 60, 60, 0)


def test_ordinal_evaluators_have_lenience_but_no_mean() -> None:
    grades = np.stack([np.full((3, 10), 3.0), np.full((3, 10), 4.0)])
    grades[:, 0] -= 1
    one = _one(grades, "acceptability")
    assert [bias.lenience for bias in one.bias] == [-1, 1]
    assert all(np.isnan(bias.mean) for bias in one.bias)
    _, details = evaluator_tables([one])
    titles = {column.title for table in details for column in table.columns}
    assert "mean" not in titles and "drift" not in titles and "AA" in titles
    assert one.ceiling is not None  # from pairwise scores


def test_a_continuous_scale_has_alpha_only() -> None:
    rng = np.random.default_rng(2)
    truth = rng.uniform(1, 9, (4, 12))
    one = _one(np.stack([truth, truth + rng.normal(0, 0.3, truth.shape)]), "effort")
    assert one.agreement is not None and one.agreement.pairs is None
    assert one.agreement.alpha.value > 0.9 and one.bias[0].counts == ()
    assert any("need a scale" in note for note in one.notes)
    to_json_text(one.to_json())


def test_too_few_systems_or_segments_are_said() -> None:
    two = _one(_table(_A, _B))
    assert two.half_split is None and two.between == ()
    assert any("at least three" in note for note in two.notes)
    grades = _separate()
    grades[2, :, 61:] = nan
    few = _one(grades)
    assert few.half_split is not None and few.half_split.segments == (30, 30)
    assert any("e2 is left out of the split-half reliability" in note for note in few.notes)
    assert any("with only 1 segment to compare" in note for note in few.notes)


def test_one_evaluator_has_no_agreement_and_is_said_once() -> None:
    alone = _one(_separate()[:1, :, :30])
    assert alone.agreement is None and alone.notes == (f"adequacy: {ONE_EVALUATOR}",)


def test_one_segment_has_alpha_without_interval() -> None:
    grades = np.array([[3.0, 1, 5], [4, 4, 2], [3, 4, 2]])[:, :, None]
    one = _one(grades)
    assert one.agreement is not None and one.agreement.alpha.ci is None
    assert one.agreement.alpha.unit == "segment (1 segment)"
    assert any("with only 1 segment to" in note for note in one.notes)
    summary, _ = evaluator_tables([one])
    cell = summary[0].rows[0][4]
    assert isinstance(cell, Estimate) and cell.ci is None


def test_correlations_between_evaluators_are_a_range_only_where_they_differ() -> None:
    three = evaluator_tables([_one(_separate())])[0][0].rows[0][-1]
    two = evaluator_tables([_one(_separate()[:2])])[0][0].rows[0][-1]
    assert re.fullmatch(r"0\.\d{3} to [01]\.\d{3}", str(three))
    assert re.fullmatch(r"0\.\d{3}", str(two))


def test_repeated_items_show_agreement_with_oneself() -> None:
    data = _judgements(_separate(evaluators=2))
    again = [
        Judgement(row.evaluator, row.system, row.segment, row.criterion, row.value, phase="repeat")
        for row in data.rows[:60]
    ]
    [one] = validate_evaluators(check_judgements([*data.rows, *again]), _FAST)
    assert [pair.items for pair in one.repeats] == [60, 0]
    assert one.repeats[0].exact == one.repeats[0].kappa == 1


def test_common_segments_of_few_documents_are_drawn_by_segment() -> None:
    [one] = validate_evaluators(
        _judgements(_table(_A, _B), documents=1), Sampling(50, by="document")
    )
    assert one.agreement is not None and one.agreement.alpha.unit.startswith("segment")
    [one] = validate_evaluators(
        _judgements(_table(_A, _B), documents=3), Sampling(50, by="document")
    )
    assert one.agreement is not None and one.agreement.alpha.unit == "document (3 documents)"


def test_preferences_agree_whichever_side_was_shown_first() -> None:
    winners = ["A", "A", "B", None, "B", "A"]
    rows = [
        Preference(evaluator, str(place), *pair, winner)
        for evaluator, pair in (("e1", ("A", "B")), ("e2", ("B", "A")))
        for place, winner in enumerate(winners)
    ]
    [one] = validate_preferences(check_preferences(rows), _FAST)
    assert one.agreement is not None and one.agreement.alpha.value == 1
    assert one.agreement.fleiss == 1
    sides = [(side.test.wins, side.test.losses, side.test.ties) for side in one.sides]
    assert sides == [(3, 2, 1), (2, 3, 1)]


def test_an_evaluator_who_always_takes_the_first() -> None:
    rows = [
        Preference("e1", str(place), *(("A", "B") if place % 2 else ("B", "A")), winner)
        for place, winner in enumerate(["B", "A"] * 6)
    ]
    [one] = validate_preferences(check_preferences(rows), _FAST)
    assert one.sides[0].test.wins == 12 and one.sides[0].test.p < 0.001
    assert one.agreement is None and any(ONE_EVALUATOR in note for note in one.notes)


_CHOSEN = st.lists(
    st.tuples(
        st.sampled_from(["e1", "e2", "e3"]),
        st.integers(0, 5),
        st.sampled_from([("A", "B"), ("A", "C"), ("B", "C")]),
        st.integers(0, 2),
    ),
    min_size=4,
    max_size=40,
    unique_by=lambda one: one[:3],
)


@settings(max_examples=60)
@given(_CHOSEN, st.randoms(use_true_random=False))
def test_agreement_of_preferences_does_not_depend_on_order_of_rows_or_sides(
    chosen: list[tuple[str, int, tuple[str, str], int]], random: Random
) -> None:
    rows = [
        Preference(evaluator, str(segment), *pair, (*pair, None)[winner])
        for evaluator, segment, pair, winner in chosen
    ]
    turned = [
        replace(row, first=row.second, second=row.first) if random.random() < 0.5 else row
        for row in rows
    ]
    random.shuffle(turned)
    [one], [other] = (
        validate_preferences(check_preferences(some), _FAST) for some in (rows, turned)
    )
    assert repr(one.agreement) == repr(other.agreement)  # NaN is equal to itself in words


def test_agreement_of_preferences_counts_each_item_once() -> None:
    """α, κ and shares are of both sides of a choice; the numbers of items are not doubled."""
    rows = [
        Preference(evaluator, str(segment), "A", "B", winner)
        for evaluator, winners in (("e1", "AABA"), ("e2", "ABBA"))
        for segment, winner in enumerate(winners)
    ]
    [one] = validate_preferences(check_preferences(rows), _FAST)
    assert one.agreement is not None and one.agreement.pairs and one.agreement.percent
    assert (one.agreement.alpha.items, one.agreement.alpha.ratings) == (4, 8)
    assert (one.agreement.pairs[0].items, one.agreement.percent.pairs) == (4, 4)
    assert one.agreement.percent.exact == 0.75
    # both sides win half of the time, so that chance agrees in half: κ = (.75 − .5) / (1 − .5)
    assert one.agreement.pairs[0].kappa == pytest.approx(0.5)
    assert one.agreement.fleiss == pytest.approx(0.5)


def test_equal_outputs_answered_once_are_no_agreement_of_people() -> None:
    """Nobody was asked to choose between A and B; A and B against C was one question."""
    asked = [
        Preference(evaluator, str(segment), "A", "C", winner)
        for evaluator, winners in (("e1", "ACAC"), ("e2", "CACA"))
        for segment, winner in enumerate(winners)
    ]
    copies = [
        copied
        for row in asked
        for copied in (
            replace(row, first="B", winner="B" if row.winner == "A" else "C", copied=True),
            Preference(row.evaluator, row.segment, "A", "B", None, copied=True),
        )
    ]
    [alone] = validate_preferences(check_preferences(asked), _FAST)
    [both] = validate_preferences(check_preferences([*asked, *copies]), _FAST)
    assert both.agreement == alone.agreement
    assert (both.sides, both.judgements) == (alone.sides, alone.judgements)
    assert any("16 choices follow from equal outputs" in note for note in both.notes)


def test_equal_outputs_graded_once_are_one_item() -> None:
    """A and B gave one text, which was graded once for both systems."""
    grades = {"e1": "5234", "e2": "5324"}
    rows = [
        Judgement(evaluator, system, str(segment), "adequacy", value, copied=system == "B")
        for evaluator, values in grades.items()
        for segment, value in enumerate(values)
        for system in "ABC"
    ]
    [one] = validate_evaluators(check_judgements(rows), _FAST)
    [single] = validate_evaluators(
        check_judgements([row for row in rows if row.system != "B"]), _FAST
    )
    assert one.agreement is not None and single.agreement is not None
    assert one.agreement.alpha.items == 8
    assert replace(one.agreement.alpha, single_items=0) == single.agreement.alpha
    assert one.agreement.pairs == single.agreement.pairs
    assert one.agreement.percent == single.agreement.percent


def test_preferences_that_are_all_copies_are_reported_without_agreement() -> None:
    rows = [Preference("e1", str(n), "A", "B", None, copied=True) for n in range(3)]
    [one] = validate_preferences(check_preferences(rows), _FAST)
    assert one.agreement is None
    assert any("3 choices follow from equal outputs" in note for note in one.notes)


def test_copied_grades_say_nothing_of_evaluators() -> None:
    """Half splits, correlations, bias and ceiling are those of the answers that people gave."""
    rng = np.random.default_rng(0)
    rows = [
        Judgement(evaluator, system, str(segment), "adequacy", str(rng.integers(1, 6)))
        for evaluator in ("e1", "e2")
        for segment in range(8)
        for system in "ABC"
    ]
    copies = [replace(row, system="D", copied=True) for row in rows if row.system == "A"]
    [alone] = validate_evaluators(check_judgements(rows), _FAST)
    [both] = validate_evaluators(check_judgements([*rows, *copies]), _FAST)
    assert any("16 grades follow from equal outputs" in note for note in both.notes)
    assert repr(replace(both, notes=())) == repr(replace(alone, notes=()))  # nan is not nan
