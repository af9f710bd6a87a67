"""Wilson's interval against published and foreign numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patmark.errors import UsageError
from patmark.stats.wilson import wilson_interval


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # Newcombe 1998, Statistics in Medicine 17, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_intervals(hits: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(hits / n, n) == pytest.approx((low, high), abs=5e-5)


def test_agrees_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for hits, n, confidence in ((2700, 3000, 0.95), (7, 10, 0.9), (10, 10, 0.99)):
        foreign = stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
        assert wilson_interval(hits / n, n, confidence) == pytest.approx(foreign)


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
