"""Detection of a class by a score, against its definitions and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from patmark.errors import UsageError
from patmark.stats.detection import (
    area_draws,
    area_under_curve,
    best_threshold,
    confusion,
    detection_scores,
    held_out_decisions,
)
from patmark.stats.resampling import draw_weights


def _cells(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    scores = np.round(rng.normal(size=n) + positive, 1)  # with ties
    return scores, positive


def _f1(called: np.ndarray, positive: np.ndarray) -> float:
    both = int((called & positive).sum())
    return 2 * both / (int(called.sum()) + int(positive.sum()))


@pytest.mark.parametrize("seed", range(5))
def test_area_is_that_of_the_rank_sum_test_and_threshold_the_best_of_all(seed: int) -> None:
    scores, positive = _cells(seed)
    u = stats.mannwhitneyu(scores[positive], scores[~positive]).statistic
    assert area_under_curve(scores, positive) == pytest.approx(
        u / (positive.sum() * (~positive).sum())
    )
    best = max(_f1(scores >= value, positive) for value in scores)
    assert _f1(scores >= best_threshold(scores, positive), positive) == pytest.approx(best)


def test_scores_of_detection_follow_from_the_four_cells() -> None:
    scores, positive = _cells(7)
    called = scores > 0.5
    counts = confusion(called, positive).sum(axis=0)
    found = detection_scores(counts)
    # the correlation of Matthews is Pearson's of two columns of 0 and 1
    assert found["MCC"] == pytest.approx(stats.pearsonr(called, positive).statistic)
    assert found["F1"] == pytest.approx(_f1(called, positive))
    assert found["precision"] == pytest.approx(positive[called].mean())
    assert found["recall"] == pytest.approx(called[positive].mean())
    nothing = detection_scores(np.zeros(4))
    assert all(np.isnan(value) for value in nothing.values())


def test_no_threshold_sees_its_own_document() -> None:
    scores, positive = _cells(3)
    document = np.arange(len(scores)) // 10
    called = held_out_decisions(scores, positive, document, folds=3)
    for fold in range(3):
        own = document % 3 == fold
        limit = best_threshold(scores[~own], positive[~own])
        assert (called[own] == (scores[own] >= limit)).all()
    with pytest.raises(UsageError, match="needs two documents"):
        held_out_decisions(scores, positive, np.zeros(len(scores), int))


def test_areas_of_resamples_are_those_of_repeated_rows() -> None:
    scores, positive = _cells(5)
    unit = np.arange(len(scores)) % 8
    drawn = area_draws(scores, positive, unit, 8, 20, seed=4)
    [weights] = draw_weights(8, 20, 4)
    for area, times in zip(drawn, weights, strict=True):
        rows = np.repeat(np.arange(len(scores)), times[unit].astype(int))
        assert area == pytest.approx(area_under_curve(scores[rows], positive[rows]), nan_ok=True)


def test_one_class_has_no_area() -> None:
    scores = np.array([1.0, 2.0])
    assert np.isnan(area_under_curve(scores, np.array([True, True])))
    assert best_threshold(scores, np.array([False, False])) == np.inf
