"""Wilson's interval against its definition and the numbers of scipy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings, strategies as st

from patmark.errors import UsageError
from patmark.stats.intervals import wilson_interval

_Z = 1.959963984540054  # of the standard normal distribution, 0.975


@pytest.mark.parametrize(
    ("hits", "n", "confidence"),
    [
        (81, 263, 0.95), (15, 148, 0.95), (0, 20, 0.95), (1, 29, 0.95), (2700, 3000, 0.95),
        (7, 10, 0.9), (10, 10, 0.99),
    ],
)  # fmt: skip
def test_agrees_with_scipy(hits: int, n: int, confidence: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    foreign = stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
    assert wilson_interval(hits / n, n, confidence) == pytest.approx(foreign)


def test_ends_solve_the_equation_of_the_score_test() -> None:
    """The interval holds the shares p with |found - p| <= z sqrt(p (1 - p) / n)."""
    for end in wilson_interval(0.3, 40):
        assert abs(0.3 - end) == pytest.approx(_Z * math.sqrt(end * (1 - end) / 40))


def test_three_thousand_pairs() -> None:
    low, high = wilson_interval(0.9, 3000)
    assert (round(low, 3), round(high, 3)) == (0.889, 0.910)


@settings(deadline=None, derandomize=True)
@given(st.floats(0, 1), st.floats(0, 1e6))
def test_the_share_is_inside(share: float, n: float) -> None:
    low, high = wilson_interval(share, n)
    assert 0 <= low <= share <= high <= 1


@pytest.mark.parametrize("wrong", [(1.5, 10, 0.95), (0.5, -1, 0.95), (0.5, 10, 1.0)])
def test_nonsense_is_refused(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(UsageError):
        wilson_interval(*wrong)
