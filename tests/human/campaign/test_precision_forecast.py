from __future__ import annotations

import numpy as np
import pytest

from campaigns import campaign
from patmark.errors import UsageError
from patmark.human.campaign import (
    GradeSpread,
    expected_precision,
    expected_precisions,
    observed_spread,
    plan_campaign,
)
from patmark.human.campaign.settings import Assignment
from patmark.human.judgements.checks import check_judgements
from patmark.human.judgements.model import Judgement, parse_scale

_SPREAD = GradeSpread(segment=0.6, system_in_segment=0.7, evaluator=0.3, noise=0.5)


def _grades(
    rng: np.random.Generator,
    systems: int,
    segments: int,
    evaluators: int,
    spread: GradeSpread = _SPREAD,
) -> np.ndarray:
    """Grades of (evaluators, systems, segments) that are made as the planner assumes."""
    return (
        rng.normal(0, spread.segment, segments)
        + rng.normal(0, spread.system_in_segment, (systems, segments))
        + rng.normal(0, spread.evaluator, (evaluators, 1, 1))
        + rng.normal(0, spread.noise, (evaluators, systems, segments))
    )


def test_the_formula_agrees_with_a_simulation() -> None:
    rng = np.random.default_rng(1)
    means = np.array([_grades(rng, 2, 50, 3).mean(axis=(0, 2)) for _ in range(4000)])
    size = expected_precision(systems=2, segments=50, evaluators=3, times=3)
    assert size.score == pytest.approx(1.96 * means[:, 0].std(), rel=0.05)
    assert size.difference == pytest.approx(1.96 * (means[:, 0] - means[:, 1]).std(), rel=0.05)
    assert size.judgements == 300


def test_more_of_anything_is_never_less_precise() -> None:
    small = expected_precision(systems=3, segments=100, evaluators=3)
    more = expected_precision(systems=3, segments=400, evaluators=3)
    twice = expected_precision(systems=3, segments=100, evaluators=3, times=2)
    assert more.difference == pytest.approx(small.difference / 2)
    assert twice.difference < small.difference and twice.score < small.score


def test_the_sizes_of_a_plan() -> None:
    plan = plan_campaign(campaign(assignment=Assignment("each-r-times", times=2)))
    [size] = expected_precisions(plan, _SPREAD)
    assert (size.criterion, size.systems, size.segments, size.times) == ("adequacy", 3, 12, 2.0)
    assert size == expected_precision(
        systems=3, segments=12, evaluators=3, times=2.0, spread=_SPREAD, criterion="adequacy"
    )
    [ordinal] = expected_precisions(plan_campaign(campaign("acceptability")))
    assert ordinal.score == pytest.approx(1.96 * 0.5 / 12**0.5, rel=1e-4)
    claims = expected_precisions(plan_campaign(campaign("claim-rating")), _SPREAD)
    assert claims[0].difference == pytest.approx(
        expected_precision(
            systems=3, segments=12, evaluators=3, spread=_SPREAD.times(2.5)
        ).difference
    )
    assert [
        size.criterion for size in expected_precisions(plan_campaign(campaign("error-spans")))
    ] == ["da"]


@pytest.mark.parametrize("shared", [1.0, 0.5])
def test_the_spread_of_an_earlier_campaign_is_found_again(shared: float) -> None:
    rng = np.random.default_rng(2)
    grades = _grades(rng, 5, 600, 6)
    rows = [
        Judgement(f"e{who}", f"S{system}", f"s{segment}", "adequacy", f"{grade:.4f}")
        for segment in range(600)
        for who in range(6)
        if segment < shared * 600 or who == segment % 6
        for system, grade in enumerate(grades[who, :, segment])
    ]
    judgements = check_judgements(rows, scales=[parse_scale("adequacy=-9.0..9.0")])
    found = observed_spread(judgements, "adequacy")
    assert found.noise == pytest.approx(0.5, abs=0.03)
    assert found.system_in_segment == pytest.approx(0.7, abs=0.06)
    assert found.segment == pytest.approx(0.6, abs=0.06)
    assert found.evaluator == pytest.approx(0.3, abs=0.2)


def test_what_cannot_be_known_is_refused() -> None:
    rows = [Judgement("e1", name, "1", "adequacy", "3") for name in "AB"]
    with pytest.raises(UsageError, match="no output was judged twice"):
        observed_spread(check_judgements(rows), "adequacy")
    with pytest.raises(UsageError, match="judged 4 times by 3 evaluators"):
        expected_precision(systems=2, segments=10, evaluators=3, times=4)
