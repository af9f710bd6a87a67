"""Krippendorff's alpha and its bootstrap interval."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from patmark.data.scores import FloatArray
from patmark.errors import UsageError
from patmark.stats.agreement import Level, krippendorff_alpha
from patmark.stats.intervals import tail_beyond
from patmark.stats.resampling import Units, draw_weights

LEVELS: list[Level] = ["nominal", "ordinal", "interval"]
THREE = np.array([[5, 4, 4, 3, 2, 5, 1, 3, 4, 2], [4, 4, 3, 3, 2, 5, 2, 3, 5, 2],
                  [5, 4, 4, 2, 2, 4, 1, 3, 4, 3]], float)  # fmt: skip
FOUR = np.array([[4, 3, 3, 0, 1, 2, 2, 0, 4, 1, 3, 2], [4, 3, 2, 0, 1, 2, 1, 0, 3, 1, 3, 1],
                 [3, 3, 2, 1, 0, 2, 2, 0, 4, 2, 4, 2], [4, 2, 3, 0, 1, 3, 2, 1, 4, 1, 3, 2]],
                float)  # fmt: skip
FINE = np.array([[72.5, 80, nan, 33, 90, 55, 61], [70, 85.5, 41, 30, nan, 58, 61],
                 [nan, 79, 45, 40, 88, 50, 66.5]])  # fmt: skip


def _without(ratings: FloatArray, *cells: tuple[int, int]) -> FloatArray:
    missing = ratings.copy()
    missing[tuple(zip(*cells, strict=True))] = nan
    return missing


THREE_MISSING = _without(THREE, (0, 3), (1, 7), (2, 7))
FOUR_MISSING = _without(
    FOUR, (0, 1), (1, 1), (2, 1), (0, 4), (3, 4), (2, 7), (0, 9), (1, 9), (2, 9), (3, 9), (1, 11)
)


@pytest.mark.parametrize(
    "ratings, expected",
    [
        (THREE, (0.413295, 0.849941, 0.838376)),
        (THREE_MISSING, (0.311024, 0.821212, 0.837963)),
        (FOUR, (0.361601, 0.850976, 0.843121)),
        (FOUR_MISSING, (0.353135, 0.865200, 0.855967)),
        (FINE, (0.049342, 0.972194, 0.965765)),
    ],
)
def test_alpha_equals_krippendorff_0_9_0(ratings: FloatArray, expected: tuple[float, ...]) -> None:
    values = [krippendorff_alpha(ratings, level).value for level in LEVELS]
    assert values == pytest.approx(expected, abs=1e-6)


def test_alpha_says_what_it_rests_on() -> None:
    alpha = krippendorff_alpha(FOUR_MISSING, "ordinal")
    assert (alpha.items, alpha.ratings, alpha.single_items) == (10, 36, 2)
    assert (alpha.ci, alpha.resamples, alpha.unit) == (None, 0, "segment (12 segments)")


@pytest.mark.parametrize("level", LEVELS)
def test_perfect_random_and_constant_raters(level: Level) -> None:
    ratings = np.random.default_rng(2).integers(1, 6, (3, 5000)).astype(float)
    assert krippendorff_alpha(ratings[[0, 0, 0]], level).value == 1
    assert abs(krippendorff_alpha(ratings, level).value) < 0.02
    constant = krippendorff_alpha(np.full((3, 6), 4.0), level, resamples=20)
    assert isnan(constant.value) and constant.undefined == 20


@pytest.mark.parametrize("level", LEVELS)
def test_no_item_with_two_ratings(level: Level) -> None:
    alpha = krippendorff_alpha(np.array([[1, nan, nan], [nan, 2, nan]]), level, resamples=5)
    assert isnan(alpha.value) and (alpha.items, alpha.single_items, alpha.undefined) == (0, 3, 5)


def _rows_of_resample(weights: FloatArray, of_item: list[int], ratings: FloatArray) -> FloatArray:
    times = weights[of_item].astype(int)
    return np.repeat(ratings, times, axis=1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("documents", [None, list("aabbcdddeeff")])
def test_interval_is_that_of_alphas_of_repeated_items(
    level: Level, documents: list[str] | None
) -> None:
    """Each resample written out as a table of its own gives the same alphas."""
    units = None if documents is None else Units.choose(documents, by="document")
    alpha = krippendorff_alpha(FOUR_MISSING, level, units, resamples=60, seed=5)
    of_item = list(range(12)) if units is None else units.of_segment.tolist()
    [weights] = draw_weights(len(set(of_item)), 60, seed=5)
    values = [
        krippendorff_alpha(_rows_of_resample(row, of_item, FOUR_MISSING), level).value
        for row in weights
    ]
    rated = np.count_nonzero(~np.isnan(FOUR_MISSING), axis=0) >= 2
    tail = tail_beyond(np.bincount(of_item, weights=rated))
    assert alpha.ci == pytest.approx(np.nanquantile(values, [tail, 1 - tail]))
    assert alpha.unit.startswith("segment" if units is None else "document (6 documents)")


def test_a_resample_may_be_undefined() -> None:
    ratings = np.array([[1, 1, 1, 2], [1, 1, 1, 3]], float)
    alpha = krippendorff_alpha(ratings, "nominal", resamples=200, seed=1)
    assert 0 < alpha.undefined < 200
    assert alpha.ci is not None and not any(map(isnan, alpha.ci))


def test_same_seed_same_interval_and_zero_is_a_seed() -> None:
    first, again, other = (
        krippendorff_alpha(THREE, "ordinal", resamples=200, seed=seed) for seed in (0, 0, 1)
    )
    assert first == again
    assert first.ci != other.ci


def test_unknown_level() -> None:
    with pytest.raises(UsageError, match="choose nominal, ordinal or interval"):
        krippendorff_alpha(THREE, "ratio")  # type: ignore[arg-type]


_ratings = st.lists(
    st.tuples(*[st.sampled_from([1.0, 2.0, 3.0, 4.0, nan])] * 4), min_size=2, max_size=10
).map(lambda rows: np.array(rows).T)


@given(_ratings, st.sampled_from(LEVELS), st.permutations(range(4)))
@settings(deadline=None, derandomize=True)
def test_alpha_does_not_ask_who_rated(ratings: FloatArray, level: Level, order: list[int]) -> None:
    value = krippendorff_alpha(ratings, level).value
    assume(not isnan(value))
    assert krippendorff_alpha(ratings[order], level).value == pytest.approx(value)
    assert krippendorff_alpha(ratings[:, ::-1], level).value == pytest.approx(value)
    assert value <= 1
    assert krippendorff_alpha(5 - 2 * ratings, level).value == pytest.approx(value)


@given(_ratings)
@settings(deadline=None, derandomize=True)
def test_ordinal_alpha_needs_only_the_order(ratings: FloatArray) -> None:
    value = krippendorff_alpha(ratings, "ordinal").value
    assume(not isnan(value))
    assert krippendorff_alpha(np.exp(ratings), "ordinal").value == pytest.approx(value)


@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=2, max_size=10))
@settings(deadline=None, derandomize=True)
def test_two_values_have_one_alpha(rows: list[tuple[bool, ...]]) -> None:
    ratings = np.array(rows, float).T
    values = [krippendorff_alpha(ratings, level).value for level in LEVELS]
    assert all(map(isnan, values)) or values == pytest.approx([values[0]] * 3)
