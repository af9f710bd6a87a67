"""Shares of agreement, Cohen's and Fleiss' kappa."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.scores import FloatArray
from patmark.errors import InputError, UsageError
from patmark.stats import Units
from patmark.stats.agreement import (
    PairAgreement,
    fleiss_kappa,
    percent_agreement,
    rater_pairs,
    scale_positions,
)

SCALE = [1, 2, 3, 4, 5]
THREE = np.array([[5, 4, 4, 3, 2, 5, 1, 3, 4, 2], [4, 4, 3, 3, 2, 5, 2, 3, 5, 2],
                  [5, 4, 4, 2, 2, 4, 1, 3, 4, 3]], float)  # fmt: skip
FOUR = np.array([[4, 3, 3, 0, 1, 2, 2, 0, 4, 1, 3, 2], [4, 3, 2, 0, 1, 2, 1, 0, 3, 1, 3, 1],
                 [3, 3, 2, 1, 0, 2, 2, 0, 4, 2, 4, 2], [4, 2, 3, 0, 1, 3, 2, 1, 4, 1, 3, 2]],
                float)  # fmt: skip


def _pair(first: list[float], second: list[float], scale: list[int]) -> PairAgreement:
    return rater_pairs(np.array([first, second], float), scale)[0]


def test_cohen_equals_scikit_learn_1_9_1() -> None:
    pair = rater_pairs(THREE, SCALE)[0]
    assert (pair.first, pair.second, pair.items) == (0, 1, 10)
    assert (pair.exact, pair.within_one) == (0.6, 1.0)
    kappas = pair.kappa, pair.kappa_linear, pair.kappa_quadratic
    assert kappas == pytest.approx((0.487179, 0.701493, 0.858156), abs=1e-6)


def test_weights_count_steps_of_the_declared_scale() -> None:
    """Nobody used 3. scikit-learn 1.9.1 with labels 1 to 5; without them its linear is 0.666667."""
    first, second = [1, 1, 2, 5, 5, 4, 2, 1, 5, 4, 4, 2], [1, 2, 2, 5, 4, 4, 1, 1, 5, 5, 4, 4]
    pair = _pair(first, second, SCALE)
    kappas = pair.kappa, pair.kappa_linear, pair.kappa_quadratic
    assert kappas == pytest.approx((0.4444444444, 0.7142857143, 0.8666666667))
    assert _pair(first, second, [1, 2, 4, 5]).kappa_linear == pytest.approx(0.6666666667)


def test_only_items_of_both_count() -> None:
    ratings = np.array([[*THREE[0], nan, 3], [*THREE[1], 4, nan]])
    assert rater_pairs(ratings, SCALE) == rater_pairs(THREE[:2], SCALE)


def test_constant_raters_agree_without_kappa() -> None:
    pair = _pair([3, 3, 3], [3, 3, 3], SCALE)
    assert (pair.items, pair.exact, pair.within_one) == (3, 1.0, 1.0)
    assert isnan(pair.kappa) and isnan(pair.kappa_linear) and isnan(pair.kappa_quadratic)
    one_constant = _pair([3, 3, 3, 3], [2, 3, 4, 3], SCALE)
    assert one_constant.kappa == 0 and one_constant.kappa_quadratic == 0


def test_raters_without_common_items_say_nothing() -> None:
    pair = _pair([1, nan], [nan, 1], SCALE)
    assert pair.items == 0
    assert isnan(pair.exact) and isnan(pair.within_one) and isnan(pair.kappa)


def test_random_raters_have_no_kappa_to_speak_of_and_perfect_ones_one() -> None:
    ratings = np.random.default_rng(1).integers(1, 6, (2, 20_000)).astype(float)
    pair = rater_pairs(ratings, SCALE)[0]
    assert pair.exact == pytest.approx(0.2, abs=0.01)
    assert max(map(abs, (pair.kappa, pair.kappa_linear, pair.kappa_quadratic))) < 0.02
    same = rater_pairs(ratings[[0, 0]], SCALE)[0]
    assert (same.exact, same.kappa, same.kappa_linear, same.kappa_quadratic) == (1, 1, 1, 1)


def test_fleiss_equals_statsmodels_0_15_0() -> None:
    assert fleiss_kappa(THREE, SCALE) == pytest.approx(0.393064, abs=1e-6)
    assert fleiss_kappa(FOUR, range(5)) == pytest.approx(0.3480176211)


def test_fleiss_takes_any_raters_if_each_item_has_as_many() -> None:
    spread = np.full((5, 10), nan)
    for item in range(10):
        spread[np.roll(np.arange(5), item)[:3], item] = THREE[:, item]
    assert fleiss_kappa(spread, SCALE) == pytest.approx(0.393064, abs=1e-6)


@pytest.mark.parametrize("rater, item", [(0, 3), (slice(0, 3), 2), (slice(0, 2), slice(None))])
def test_fleiss_refuses_unequal_numbers(rater: slice, item: slice) -> None:
    ratings = THREE.copy()
    ratings[rater, item] = nan
    with pytest.raises(UsageError, match="Krippendorff's alpha allows missing"):
        fleiss_kappa(ratings, SCALE)


def test_fleiss_of_equal_ratings_is_undefined() -> None:
    assert isnan(fleiss_kappa(np.full((3, 4), 2.0), SCALE))


def test_percent_agreement_counts_pairs_of_ratings() -> None:
    ratings = np.array([[1, 5, 2, nan], [1, 3, 3, nan], [2, nan, nan, 4]], float)
    agreement = percent_agreement(ratings, SCALE)
    assert (agreement.pairs, agreement.exact, agreement.within_one) == (5, 1 / 5, 4 / 5)
    assert isnan(percent_agreement(ratings[:1], SCALE).exact)


def test_ratings_off_the_scale_are_all_reported() -> None:
    with pytest.raises(InputError) as caught:
        scale_positions(np.array([[1, 6, nan], [0, 2, 2.5]]), SCALE)
    assert len(caught.value.problems) == 3
    assert "rating 6 at [0, 1] is not on the scale" in str(caught.value)


@pytest.mark.parametrize("scale", [[], [3], [1, 1, 2], [5, 4, 3]])
def test_a_scale_rises(scale: list[float]) -> None:
    with pytest.raises(UsageError, match="lowest first"):
        scale_positions(np.array([[3.0]]), scale)


_ratings = st.lists(
    st.tuples(*[st.sampled_from([1.0, 2.0, 3.0, nan])] * 3), min_size=1, max_size=12
).map(lambda rows: np.array(rows).T)


@given(_ratings)
@settings(deadline=None, derandomize=True)
def test_pairs_of_raters_add_up_to_percent_agreement(ratings: FloatArray) -> None:
    pairs = [pair for pair in rater_pairs(ratings, [1, 2, 3]) if pair.items]
    whole = percent_agreement(ratings, [1, 2, 3])
    assert whole.pairs == sum(pair.items for pair in pairs)
    if pairs:
        assert whole.exact * whole.pairs == pytest.approx(sum(p.exact * p.items for p in pairs))
        near = sum(p.within_one * p.items for p in pairs)
        assert whole.within_one * whole.pairs == pytest.approx(near)


@given(_ratings)
@settings(deadline=None, derandomize=True)
def test_kappa_does_not_ask_who_is_first_nor_where_the_scale_starts(ratings: FloatArray) -> None:
    kappas = [(p.kappa, p.kappa_linear, p.kappa_quadratic) for p in rater_pairs(ratings, [1, 2, 3])]
    moved = rater_pairs(13 - ratings[::-1], [10, 11, 12])
    reversed_kappas = [(p.kappa, p.kappa_linear, p.kappa_quadratic) for p in reversed(moved)]
    np.testing.assert_allclose(kappas, reversed_kappas, atol=1e-12)


def test_intervals_of_kappa_hold_the_truth_and_widen_by_document() -> None:
    """Raters who agree in 60 % of documents of ten items, and guess among four grades elsewhere."""
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(60):
        agree = np.repeat(rng.random(30) < 0.6, 10)
        ratings = rng.integers(0, 4, (2, 300)).astype(np.float64)
        ratings[1, agree] = ratings[0, agree]
        units = Units.choose([f"d{item // 10}" for item in range(300)])
        [by_document] = rater_pairs(ratings, range(4), units, 400)
        [by_item] = rater_pairs(ratings, range(4), None, 400)
        (low, high), (near, far) = by_document.kappa_ci, by_item.kappa_ci
        assert low <= by_document.kappa == by_item.kappa <= high
        held += low <= 0.6 <= high
        assert high - low > far - near
    assert held >= 53


def test_kappa_without_resamples_or_with_one_unit_has_no_interval() -> None:
    ratings = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    assert rater_pairs(ratings, range(2))[0].kappa_ci is None
    one = Units("document", np.zeros(3, dtype=np.int64), 1, 1)
    assert rater_pairs(ratings, range(2), one, 100)[0].kappa_ci is None
