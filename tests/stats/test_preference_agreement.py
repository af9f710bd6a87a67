"""Agreement of preferences, against scipy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from patmark.errors import UsageError
from patmark.stats.agreement import (
    STATISTICS,
    accuracy,
    meeting_counts,
    predicted_preferences,
    rho,
    tau,
    weighted_f1,
)

# tau, rho, accuracy, weighted F1: scipy 1.17.1 (kendalltau on flattened ranks, spearmanr),
# scikit-learn 1.9.1 (accuracy_score; f1_score with average="weighted", zero_division=0)
_FOREIGN = {
    "mixed": (
        [1, 0, -1, 1, 1, -1, 0, -1, 0, 1, 1, -1], [1, 1, -1, -1, 1, 0, 0, 1, -1, 1, -1, -1],
        (0.218217890236, 0.211288563682, 0.5, 0.498148148148),
    ),
    "never ties": (
        [1, 0, -1, 1, 0, -1, 0, 1], [1, -1, -1, -1, 1, -1, 1, 1],
        (0.404519917478, 0.461880215352, 0.5, 0.380952380952),
    ),
    "no human tie": (
        [1, -1, -1, 1, 1], [0, -1, 1, 1, 0],
        (0.218217890236, 0.152145154863, 0.4, 0.506666666667),
    ),
    "opposed": ([1, -1, 1, -1, 0], [-1, 1, -1, 1, 0], (-0.666666666667, -1.0, 0.2, 0.2)),
}  # fmt: skip

_preferences = st.lists(
    st.tuples(st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 0, 1])), min_size=2, max_size=40
)


def _values(labels: list[int], predictions: list[int]) -> list[float]:
    totals = meeting_counts(np.array(labels), np.array(predictions)).sum(axis=0)
    return [float(statistic(totals)) for statistic in STATISTICS.values()]


@pytest.mark.parametrize("case", _FOREIGN)
def test_values_are_those_of_scipy_and_scikit_learn(case: str) -> None:
    labels, predictions, expected = _FOREIGN[case]
    assert _values(labels, predictions) == pytest.approx(expected, abs=1e-11)


@given(_preferences)
def test_coefficients_equal_scipy_on_any_preferences(both: list[tuple[int, int]]) -> None:
    labels, predictions = (list(side) for side in zip(*both, strict=True))
    ranks = {1: (1, 2), -1: (2, 1), 0: (1, 1)}
    flat = [[rank for one in side for rank in ranks[one]] for side in (labels, predictions)]
    found = _values(labels, predictions)
    if any(labels) and any(predictions):
        assert found[0] == pytest.approx(stats.kendalltau(*flat).statistic)
    else:
        assert np.isnan(found[0])
    if len(set(labels)) > 1 and len(set(predictions)) > 1:
        assert found[1] == pytest.approx(stats.spearmanr(labels, predictions).statistic)
    else:
        assert np.isnan(found[1])


@given(_preferences)
def test_agreement_does_not_depend_on_which_candidate_comes_first(
    both: list[tuple[int, int]],
) -> None:
    labels, predictions = (list(side) for side in zip(*both, strict=True))
    turned = _values([-one for one in labels], [-one for one in predictions])
    assert _values(labels, predictions) == pytest.approx(turned, nan_ok=True)


def test_perfect_predictions_reach_the_maximum() -> None:
    assert _values([1, 0, -1, 1], [1, 0, -1, 1]) == pytest.approx([1, 1, 1, 1])


def test_many_resamples_are_scored_at_once() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 2, 30)
    predictions = rng.integers(-1, 2, (4, 30))
    counts = meeting_counts(labels, predictions)
    assert counts.shape == (4, 30, 9)
    weights = rng.integers(0, 3, (50, 30)).astype(float)
    totals = np.einsum("rp,mpk->rmk", weights, counts)
    for statistic in (tau, rho, accuracy, weighted_f1):
        values = statistic(totals)
        assert values.shape == (50, 4)
        assert values[7, 2] == pytest.approx(float(statistic(totals[7, 2])))


def test_only_equal_scores_tie() -> None:
    # dev pair 7 of Patent-CE: the paper's threshold of 1e-4 would call this a tie
    first, second = np.array([0.398827, 0.5, 0.7]), np.array([0.398892, 0.5, 0.6])
    assert predicted_preferences(first, second).tolist() == [-1, 0, 1]
    assert predicted_preferences(first, second, higher_is_better=False).tolist() == [1, 0, -1]


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="no value"):
        predicted_preferences(np.array([np.nan]), np.array([1.0]))
    with pytest.raises(UsageError, match="1, 0 or -1"):
        meeting_counts(np.array([2]), np.array([1]))


def test_no_pairs_have_no_agreement() -> None:
    assert np.isnan([float(statistic(np.zeros(9))) for statistic in STATISTICS.values()]).all()
