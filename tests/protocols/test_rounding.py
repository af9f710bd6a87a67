"""What the rounding of printed inputs allows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from patmark.protocols.studies.reproduction import (
    Printed,
    half_unit,
    pearson_bound,
    solve,
    spearman_bound,
)


@pytest.mark.parametrize("seed", range(4))
def test_no_rounding_moves_a_coefficient_beyond_its_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    exact = np.round(rng.normal(3, 0.5, (2, 12)), 6)
    x, y = np.round(exact, 1)
    moved = abs(stats.pearsonr(x, y).statistic - stats.pearsonr(*exact).statistic)
    assert moved <= pearson_bound(x, y, 0.05, 0.05) * 1.1  # the bound is of first order
    turned = abs(stats.spearmanr(x, y).statistic - stats.spearmanr(*exact).statistic)
    assert turned <= spearman_bound(x, y, 0.05, 0.05) + 1e-9


def test_the_bound_of_pearson_is_reached() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    corners = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T * 1e-4
    found = [stats.pearsonr(x + each[:4], y + each[4:]).statistic for each in corners]
    furthest = max(abs(each - stats.pearsonr(x, y).statistic) for each in found)
    assert pearson_bound(x, y, 1e-4, 1e-4) == pytest.approx(furthest, rel=0.01)


def test_without_ties_spearman_cannot_be_off() -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0])
    assert spearman_bound(x, y, 0.5, 0.5) == 0
    tied = np.array([1.0, 1.0, 3.0])
    ends = [stats.spearmanr([1, 2, 3], y).statistic, stats.spearmanr([2, 1, 3], y).statistic]
    rho = stats.spearmanr(tied, y).statistic
    assert spearman_bound(tied, y, 0.5, 0.5) == pytest.approx(max(abs(end - rho) for end in ends))


def test_a_lost_number_is_found_between_two_ends() -> None:
    gold, metric = [1.0, 2.0, 3.0, 5.0, 4.0], [0.11, 0.2, 0.34, 0.5, 0.37]
    lost = [*metric[:4], float("nan")]
    printed = round(float(stats.pearsonr(gold, metric).statistic), 3)
    found = solve([Printed("pearson", gold, lost, printed)], 0.01, 3)
    assert found is not None and found[0] <= 0.37 <= found[1]
    for nist in found:
        assert stats.pearsonr(gold, [*metric[:4], nist]).statistic == pytest.approx(
            printed, abs=5e-4
        )
    assert solve([Printed("pearson", gold, lost, -0.9)], 0.01, 3) is None
    assert half_unit(3) == pytest.approx(0.0005)
