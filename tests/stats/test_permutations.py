"""The plan of a permutation test and its p."""

from __future__ import annotations

import numpy as np

from patmark.stats.metric_tests import PermutationPlan, one_sided_p
from patmark.stats.paired import draw_signs


def test_units_are_numbered_without_gaps() -> None:
    units = PermutationPlan(unit_of_segment=np.array([7, 3, 7, 90])).units(4)
    assert units is not None
    assert units.tolist() == [1, 0, 1, 2]
    assert PermutationPlan().units(4) is None


def test_signs_come_in_blocks_of_the_same_numbers() -> None:
    blocks = list(PermutationPlan(10, seed=5).signs(3, rows=4))
    assert [len(block) for block in blocks] == [4, 4, 2]
    np.testing.assert_array_equal(np.concatenate(blocks), *draw_signs(3, 10, 5))


def test_p_of_both_directions() -> None:
    """0.2 is reached by 0.2 and 0.5 upwards, and by all but 0.5 downwards."""
    deltas = np.array([[0.2, 0.5, -0.1, 0.0, np.nan]])
    p, undefined = one_sided_p(deltas, np.array([0.6, 0.4]), plus_one=False)
    np.testing.assert_allclose(p, [[1, 0.5], [0.75, 1]])
    assert undefined.tolist() == [[0, 1], [1, 0]]
    p, _ = one_sided_p(deltas, np.array([0.6, 0.4]), plus_one=True)
    np.testing.assert_allclose(p, [[1, 0.6], [0.8, 1]])


def test_p_without_a_value_or_a_permutation_is_nan() -> None:
    p, _ = one_sided_p(np.array([[0.1, 0.2]]), np.array([np.nan, 0.4]), plus_one=True)
    np.testing.assert_array_equal(p, [[np.nan, np.nan], [np.nan, 1]])
    p, _ = one_sided_p(np.array([[np.nan]]), np.array([0.1, 0.4]), plus_one=True)
    np.testing.assert_array_equal(p, [[1, np.nan], [np.nan, 1]])
