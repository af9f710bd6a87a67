"""p beyond the trials of a randomisation test: Hoeffding's bound."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patmark.data import FloatArray
from patmark.measures import parse_measures
from patmark.stats import Units, randomise_pairs
from patmark.stats.paired import hoeffding_bound
from patmark.stats.power import fewest_units, smallest_p


@settings(deadline=None, derandomize=True)
@given(st.lists(st.floats(-1, 1).map(lambda one: round(one, 3)), min_size=1, max_size=10))
def test_the_bound_is_never_below_the_exact_p_of_a_mean(differences: list[float]) -> None:
    signs = np.array(list(product([-1, 1], repeat=len(differences))))
    exchanged = np.abs(signs @ np.array(differences))
    observed = abs(sum(differences))
    exact = np.mean(exchanged >= observed - 1e-12)
    assert hoeffding_bound(exchanged, observed) >= exact - 1e-12


def test_a_difference_that_is_always_zero_has_p_one() -> None:
    assert hoeffding_bound(np.zeros(5), 0.0) == 1.0


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


@pytest.mark.parametrize("segments", [20, 300])
def test_exchanges_of_bleu_stay_below_the_bound(segments: int) -> None:
    [bleu] = parse_measures("BLEU")
    first, second = _corpus(2, segments, 0.05)
    stays = np.random.default_rng(2).integers(0, 2, (20_000, segments)).astype(np.float64)
    one = bleu.score(stays @ first + (1 - stays) @ second)
    distances = np.abs(one - bleu.score(stays @ second + (1 - stays) @ first))
    for far in np.sqrt(np.mean(distances**2)) * np.array([1.5, 2, 2.5, 3, 3.5]):
        assert np.mean(distances >= far) < hoeffding_bound(distances, far)


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


def test_a_pair_without_a_score_has_no_p() -> None:
    statistics = np.zeros((2, 4, 2))
    units = Units.choose([None] * 4)
    with np.errstate(invalid="ignore"):
        [[test]] = randomise_pairs(
            [(statistics, lambda totals: totals[..., 0] / totals[..., 1])], units, 9, 1,
            tail_bound=True,
        )  # fmt: skip
    assert np.isnan(test.p)


@pytest.mark.parametrize("pairs", [1, 780, 8385])
def test_so_many_units_are_needed_before_the_bound_can_be_significant(pairs: int) -> None:
    fewest = fewest_units(pairs, tail_bound=True)
    assert smallest_p(fewest, 0, pairs, tail_bound=True) <= 0.05
    assert smallest_p(fewest - 1, 0, pairs, tail_bound=True) > 0.05


def test_the_bound_cannot_go_below_what_so_few_units_can_show() -> None:
    units = 5
    assert smallest_p(units, 10_000, tail_bound=True) == 2.0 ** (1 - units)


def test_bleu_of_usual_totals_is_the_same_beside_unusual_ones() -> None:
    [bleu] = parse_measures("BLEU")
    usual = _corpus(3, 60, 0.02).sum(axis=1)
    unusual = np.zeros((1, usual.shape[1]))
    assert np.array_equal(bleu.score(np.vstack([usual, unusual]))[:3], bleu.score(usual))
