"""The pairwise score of NTCIR-9."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data import FloatArray
from patmark.stats.evaluators import pairwise_score, pairwise_statistics, segment_wins

EXAMPLE = np.array([[4, 3, 2, 4], [4, 2, 3, 1], [1, 2, 2, 4]], float)


def _scores(grades: FloatArray) -> FloatArray:
    return pairwise_score(pairwise_statistics(grades).sum(axis=-2))


def test_example_by_hand() -> None:
    assert _scores(EXAMPLE).tolist() == [0.6875, 0.5, 0.3125]
    statistics = pairwise_statistics(EXAMPLE)
    assert statistics.shape == (3, 4, 2)
    assert statistics[0].tolist() == [[1.5, 2], [2, 2], [0.5, 2], [1.5, 2]]


def test_only_segments_graded_for_both_count() -> None:
    grades = np.array([[4, nan, 2], [3, 2, nan], [nan, 2, nan]])
    statistics = pairwise_statistics(grades)
    assert statistics[..., 1].tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert _scores(grades).tolist() == [1, 0.25, 0.5]
    assert isnan(_scores(grades[:, 2:])[0])


def test_leading_axes_are_kept() -> None:
    both = np.stack([EXAMPLE, EXAMPLE[::-1]])
    assert _scores(both).tolist() == [[0.6875, 0.5, 0.3125], [0.3125, 0.5, 0.6875]]


def test_wins_of_a_segment() -> None:
    wins, ties = segment_wins(np.array([[4, 1], [4, 2], [1, nan]]))
    assert wins[0].tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert ties[0].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert wins[1].tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert not ties[1].any()


_complete = st.integers(2, 6).flatmap(
    lambda systems: st.lists(
        st.tuples(*[st.integers(0, 4)] * systems), min_size=1, max_size=10
    ).map(lambda rows: np.array(rows, float).T)
)


@given(_complete)
@settings(deadline=None, derandomize=True)
def test_mean_over_systems_is_one_half(grades: FloatArray) -> None:
    assert _scores(grades).mean() == pytest.approx(0.5)


@given(_complete, st.data())
@settings(deadline=None, derandomize=True)
def test_points_are_half_the_comparisons_even_with_gaps(
    grades: FloatArray, data: st.DataObject
) -> None:
    gaps = data.draw(st.lists(st.booleans(), min_size=grades.size, max_size=grades.size))
    grades[np.array(gaps).reshape(grades.shape)] = nan
    points, comparisons = pairwise_statistics(grades).sum(axis=(0, 1))
    assert points == comparisons / 2
    wins, ties = segment_wins(grades)
    by_segment = np.stack([(wins + ties / 2).sum(axis=2), (wins + ties).sum(axis=2)], axis=-1)
    by_segment[..., 1] += wins.sum(axis=1)
    assert np.array_equal(by_segment.swapaxes(0, 1), pairwise_statistics(grades))


@given(_complete)
@settings(deadline=None, derandomize=True)
def test_only_the_order_of_grades_matters(grades: FloatArray) -> None:
    assert np.array_equal(pairwise_statistics(np.exp(grades)), pairwise_statistics(grades))
