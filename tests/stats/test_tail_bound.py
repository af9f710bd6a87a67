"""p beyond the trials of a randomisation test: the tail of the tangent and its bound."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import norm

from patmark.data.scores import FloatArray, ratio
from patmark.measures.registry import parse_measures
from patmark.stats import Units, randomise_pairs
from patmark.stats.significance import (
    fewest_units,
    sign_sum_tail,
    smallest_p,
    tangent_bound,
    tangent_slopes,
    without_weightiest,
)


def _mean(totals: FloatArray) -> FloatArray:
    return ratio(totals[..., 0], totals[..., 1])


def _rows(values: list[float]) -> FloatArray:
    return np.column_stack([values, np.ones(len(values))])


def _known_bound(z: float) -> float:
    """Bounds of Hoeffding (1963) and of Bentkus and Dzindzalieta (2015), two-sided."""
    return min(2 * np.exp(-(z**2) / 2), norm.sf(z) / (2 * norm.sf(np.sqrt(2))))


@settings(deadline=None, derandomize=True)
@given(st.lists(st.floats(-1, 1).map(lambda one: round(one, 3)), min_size=1, max_size=10))
def test_the_bound_is_never_below_the_exact_p_of_a_mean(differences: list[float]) -> None:
    signs = np.array(list(product([-1, 1], repeat=len(differences))))
    exchanged = np.abs(signs @ np.array(differences))
    exact = np.mean(exchanged >= abs(sum(differences)) - 1e-12)
    bound = tangent_bound(_rows(differences), _rows([0.0] * len(differences)), _mean)
    assert bound >= exact - 1e-9


def test_the_bound_of_a_mean_is_the_smaller_of_two_known_ones() -> None:
    differences = np.random.default_rng(3).normal(0.5, 1, 80)
    bound = tangent_bound(_rows(differences.tolist()), _rows([0.0] * 80), _mean)
    z = abs(differences.sum()) / np.sqrt(np.square(differences).sum())
    assert bound == pytest.approx(_known_bound(z), rel=1e-6)


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.floats(-1, 1).map(lambda one: round(one, 2)), min_size=1, max_size=14),
    st.floats(0.01, 5),
)
def test_the_tail_of_few_random_signs_is_counted(values: list[float], bound: float) -> None:
    signs = np.array(list(product([-1, 1], repeat=len(values))))
    exact = np.mean(np.abs(signs @ np.array(values)) >= bound - 1e-9) if any(values) else 1.0
    assert sign_sum_tail(np.array(values), bound) == pytest.approx(exact, abs=1e-12)


def test_a_difference_that_is_always_zero_has_p_one() -> None:
    same = _rows([1.0, 2.0])
    assert tangent_bound(same, same, _mean) == 1.0
    nothing = np.zeros((3, 2))
    assert tangent_bound(nothing, nothing, _mean) == 1.0


def test_p_is_never_zero() -> None:
    assert 0 < tangent_bound(_rows([1.0] * 3000), _rows([0.0] * 3000), _mean) < 1e-300


def _corpus(systems: int, segments: int, step: float) -> FloatArray:
    """Statistics of BLEU: lengths, matches and possible matches of segments of 12 to 40 words."""
    rng = np.random.default_rng(5)
    length = rng.integers(12, 40, segments)
    rows = []
    for system in range(systems):
        possible = np.stack([length - order for order in range(4)], axis=-1)
        share = (0.7 - step * system) ** np.arange(1, 5)
        rows.append(np.column_stack([length, length, rng.binomial(possible, share), possible]))
    return np.array(rows, dtype=np.float64)


@pytest.mark.parametrize("smooth", ["exp", "none"])
@pytest.mark.parametrize("rare", [12, 14, 16])
def test_bleu_that_hangs_on_a_few_matches_has_no_p_below_the_exact_one(
    smooth: str, rare: int
) -> None:
    """One system has a match of four words in a few segments, the other in none."""
    [bleu] = parse_measures(f"BLEU(smooth={smooth})")
    poor = np.tile([20.0, 20, 8, 3, 1, 0, 20, 19, 18, 17], (100, 1))
    better = poor.copy()
    better[:rare, 5] = 1
    quantity = [(np.array([better, poor]), bleu.score)]
    [[test]] = randomise_pairs(quantity, Units.choose([None] * 100), 1000, 1, tail_bound=True)
    assert test.p >= 2.0 ** (1 - rare)


def test_the_bound_of_sparse_unsmoothed_bleu_is_never_below_the_exact_p() -> None:
    """Such BLEU falls to zero with the last match, far below its tangent.

    Of these 400 cases the bound by the tangent alone lies below the exact p in several.
    """
    [bleu] = parse_measures("BLEU(smooth=none)")
    rng, units = np.random.default_rng(0), 10
    signs = np.array(list(product([1.0, -1.0], repeat=units)))
    below = 0
    for _ in range(400):
        length = rng.integers(8, 30, units)
        possible = np.stack([length - order for order in range(4)], axis=-1)
        shares = rng.uniform(0.1, 0.45, 2)[:, None] ** np.arange(1, 5)
        first, second = (
            np.column_stack([length, length, rng.binomial(possible, share), possible])
            .astype(np.float64)
            for share in shares
        )  # fmt: skip
        middle = (first.sum(axis=0) + second.sum(axis=0)) / 2
        exchanged = signs @ ((first - second) / 2)
        distances = np.abs(bleu.score(middle + exchanged) - bleu.score(middle - exchanged))
        exact = float(np.mean(distances >= distances[0] - 1e-9))
        trials = exchanged[rng.integers(0, len(signs), 200)]
        assert tangent_bound(first, second, bleu.score, trials) >= exact - 1e-12
        differences = (first - second) @ tangent_slopes(first, second, bleu.score)
        spread = np.square(differences).sum()
        below += bool(spread) and 2 * np.exp(-(differences.sum() ** 2) / 2 / spread) < exact
    assert below > 3


def test_the_bound_of_usual_bleu_loses_next_to_nothing_by_the_bend_of_the_score() -> None:
    [bleu] = parse_measures("BLEU")
    first, second = _corpus(2, 2000, 0.03)
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (1000, 2000))
    bound = tangent_bound(first, second, bleu.score, signs @ ((first - second) / 2))
    differences = (first - second) @ tangent_slopes(first, second, bleu.score)
    z = abs(differences.sum()) / np.sqrt(np.square(differences).sum())
    assert np.log(bound) == pytest.approx(np.log(_known_bound(z)), rel=0.05)


@pytest.mark.parametrize("name", ["BLEU", "BLEU(smooth=none)"])
def test_the_level_is_kept_where_no_system_is_better(name: str) -> None:
    """All exchanges of two BLEU systems on ten units: at most a share of p has such a p."""
    [bleu] = parse_measures(name)
    first, second = _corpus(2, 10, 0.2)
    first[:, 5], second[:, 5] = np.arange(10) % 2, 0
    found = []
    for signs in product([False, True], repeat=10):
        swapped = np.array(signs)[:, None]
        one, other = np.where(swapped, second, first), np.where(swapped, first, second)
        found.append(tangent_bound(one, other, bleu.score))
    ordered = np.sort(found)
    assert (ordered >= np.arange(1, len(found) + 1) / len(found) - 1e-12).all()


def test_the_bound_replaces_only_what_the_trials_cannot_show() -> None:
    [bleu] = parse_measures("BLEU")
    units = Units.choose([None] * 60)
    quantity = [(_corpus(3, 60, 0.03), bleu.score)]
    [plain] = randomise_pairs(quantity, units, 1000, 1)
    [bounded] = randomise_pairs(quantity, units, 1000, 1, tail_bound=True)
    assert [test.delta for test in bounded] == [test.delta for test in plain]
    below = [bound.p < test.p for test, bound in zip(plain, bounded, strict=True)]
    assert below == [True, True, False]
    assert plain[0].p == plain[1].p == 1 / 1001


def test_units_are_documents_where_documents_are_exchanged() -> None:
    [bleu] = parse_measures("BLEU")
    statistics = _corpus(2, 60, 0.05)
    units = Units.choose([f"d{number // 2}" for number in range(60)], "document")
    [[test]] = randomise_pairs([(statistics, bleu.score)], units, 100, 1, tail_bound=True)
    first, second = statistics.reshape(2, 30, 2, -1).sum(axis=2)
    assert test.p == tangent_bound(first, second, bleu.score) < 1 / 101


def test_the_order_of_systems_does_not_matter() -> None:
    [bleu] = parse_measures("BLEU")
    statistics, units = _corpus(4, 60, 0.03), Units.choose([None] * 60)
    [forth] = randomise_pairs([(statistics, bleu.score)], units, 200, 1, tail_bound=True)
    [back] = randomise_pairs([(statistics[::-1], bleu.score)], units, 200, 1, tail_bound=True)
    turned = {(3 - test.second, 3 - test.first): test.p for test in back}
    for test in forth:
        assert test.p == pytest.approx(turned[test.first, test.second], rel=1e-6)


def test_a_pair_without_a_score_has_no_p() -> None:
    statistics = np.zeros((2, 4, 2))
    units = Units.choose([None] * 4)
    with np.errstate(invalid="ignore"):
        [[test]] = randomise_pairs(
            [(statistics, lambda totals: totals[..., 0] / totals[..., 1])], units, 9, 1,
            tail_bound=True,
        )  # fmt: skip
    assert np.isnan(test.p)


@pytest.mark.parametrize("tests", [1, 780, 8385])
def test_so_many_units_are_needed_before_a_difference_can_be_significant(tests: int) -> None:
    fewest = fewest_units(tests)
    assert smallest_p(fewest, 10_000, tests, tail_bound=True) <= 0.05
    assert smallest_p(fewest - 1, 10_000, tests, tail_bound=True) > 0.05


def test_trials_alone_set_a_limit_that_the_bound_does_not_have() -> None:
    assert smallest_p(1000, 10_000, 1200) == pytest.approx(1200 / 10_001)
    assert smallest_p(1000, 10_000, 1200, tail_bound=True) < 1e-100


def test_the_bound_cannot_go_below_what_so_few_units_can_show() -> None:
    units = 5
    assert smallest_p(units, 10_000, tail_bound=True) == 2.0 ** (1 - units)


def test_bleu_of_usual_totals_is_the_same_beside_unusual_ones() -> None:
    [bleu] = parse_measures("BLEU")
    usual = _corpus(3, 60, 0.02).sum(axis=1)
    unusual = np.zeros((1, usual.shape[1]))
    assert np.array_equal(bleu.score(np.vstack([usual, unusual]))[:3], bleu.score(usual))


def _without(first: list[float], second: list[float]) -> tuple[int, float]:
    per_unit = np.stack([_rows(first), _rows(second)])
    with np.errstate(all="raise"):
        [found] = without_weightiest(per_unit, _mean, [(0, 1)], 500, 0)
    return found


@pytest.mark.parametrize("units", [8, 40])
def test_without_the_only_unit_that_differs_nothing_is_significant(units: int) -> None:
    second = [1.0] * units
    second[5] = 0.0
    assert _without([1.0] * units, second) == (5, 1.0)


def test_p_without_the_weightiest_unit_is_that_of_all_exchanges_of_the_others() -> None:
    first = [0.9, 0.7, 0.8, 0.95, 0.6, 0.85, 0.9, 0.4]
    second = [0.5, 0.6, 0.7, 0.2, 0.65, 0.7, 0.8, 0.35]
    apart = np.subtract(first, second)
    strengths = [
        abs(rest.sum()) / np.sqrt(np.square(rest).sum())
        for rest in (np.delete(apart, unit) for unit in range(len(apart)))
    ]
    weightiest = int(np.argmin(strengths))
    rest = np.delete(apart, weightiest)
    sums = np.array(list(product([1, -1], repeat=len(rest)))) @ rest
    expected = np.mean(np.abs(sums) >= abs(rest.sum()) - 1e-12)
    unit, p = _without(first, second)
    assert unit == weightiest and p == pytest.approx(expected)


def test_all_pairs_are_tested_at_once_and_none_without_pairs() -> None:
    rng = np.random.default_rng(1)
    per_unit = np.stack([_rows(list(rng.random(9))) for _ in range(3)])
    pairs = [(0, 1), (0, 2), (1, 2)]
    found = without_weightiest(per_unit, _mean, pairs, 100, 0)
    assert found == [without_weightiest(per_unit, _mean, [pair], 100, 0)[0] for pair in pairs]
    assert without_weightiest(per_unit, _mean, [], 100, 0) == []
