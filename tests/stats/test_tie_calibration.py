"""Tie calibration: published examples, and a search that tries every threshold with fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import isnan, nan
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.errors import UsageError
from patmark.stats import tie_calibration
from patmark.stats.correlation import AverageBy, acc_eq, as_groups, grouped
from patmark.stats.resampling import Units, draw_weights
from patmark.stats.tie_calibration import (
    Calibration,
    calibrate,
    constant_accuracy,
    cross_validated,
    resampled_calibration,
)

FEW = settings(max_examples=60)
BY = get_args(AverageBy)


def campaign(seed: int, systems: int = 5, segments: int = 12, missing: float = 0.2) -> Any:
    """Grades with ties, a metric in steps of .05, and the document of each segment."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, (systems, segments)).astype(float)
    metric = np.round(gold / 5 + rng.normal(0, 0.1, gold.shape), 2) // 0.05 * 0.05
    gold[rng.random(gold.shape) < missing] = nan
    return gold, metric, np.arange(segments) // 2


def exact_accuracy(gold: Any, metric: Any, epsilon: float, by: AverageBy) -> Fraction | None:
    shares = []
    rows = as_groups(gold, by).tolist(), as_groups(metric, by).tolist()
    for gold_row, metric_row in zip(*rows, strict=True):
        entries = [(g, m) for g, m in zip(gold_row, metric_row, strict=True) if not isnan(g)]
        right = [
            ((g > h) - (g < h)) == ((d > epsilon) - (d < -epsilon))
            for (g, m), (h, n) in combinations(entries, 2)
            for d in [round(m - n, 12)]
        ]
        if right:
            shares.append(Fraction(sum(right), len(right)))
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def search(gold: Any, metric: Any, by: AverageBy) -> tuple[float, float]:
    """The first best of all thresholds, tried one by one."""
    groups = [
        [m for g, m in zip(gold_row, metric_row, strict=True) if not isnan(g)]
        for gold_row, metric_row in zip(as_groups(gold, by), as_groups(metric, by), strict=True)
    ]
    seen = {abs(round(float(m - n), 12)) for group in groups for m, n in combinations(group, 2)}
    tried = [(exact_accuracy(gold, metric, e, by), e) for e in sorted({0.0} | seen)]
    if tried[0][0] is None:
        return 0.0, nan
    best = max(accuracy for accuracy, _ in tried if accuracy is not None)
    return next(e for accuracy, e in tried if accuracy == best), float(best)


def test_constants() -> None:
    """A threshold of .05 is as good as 0: the first wins."""
    gold = np.array([[5, 4, 4, 3, 2, 5, 1, 3, 4, 2.0]])
    metric = np.array([[0.9, 0.7, 0.8, 0.5, 0.5, 0.85, 0.2, 0.6, 0.6, 0.3]])
    assert calibrate(gold, metric, "none") == Calibration(0.0, 37 / 45)
    assert grouped(gold, metric, lambda g, m: acc_eq(g, m, 0.05), "none").value == 37 / 45


@pytest.mark.parametrize(
    ("gold", "epsilon", "accuracy"), [([1, 2, 3, 4], 0, 1), ([1, 1, 1, 4], 4, 4 / 6)]
)
def test_examples_of_mt_metrics_eval(gold: list[int], epsilon: float, accuracy: float) -> None:
    """tau_optimization_test.py at 0b82d96, of the authors of the method."""
    found = calibrate(np.array([gold]), np.array([[0, 2, 6, 8]]), "system")
    assert found == Calibration(epsilon, pytest.approx(accuracy))


def test_example_of_mt_metrics_eval_with_missing_scores() -> None:
    """The same source: rows are groups, of several sizes, one of them empty."""
    metric = np.array(
        [[0, 5, 2, 3, 2], [nan, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [nan] * 5]
    )
    gold = np.array(
        [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, nan, 3, 2], [nan] * 5]
    )
    gold[np.isnan(metric)] = nan
    found = calibrate(gold, metric, "system")
    assert found == Calibration(1.0, pytest.approx(0.4916666666666668))
    at_zero = grouped(gold, metric, acc_eq, "system")
    assert at_zero.value == pytest.approx(0.4666666666666667)


@FEW
@given(st.integers(0, 10**6), st.sampled_from(BY), st.sampled_from([0.0, 0.3, 0.8]))
def test_equal_to_trying_every_threshold(seed: int, by: AverageBy, missing: float) -> None:
    gold, metric, _ = campaign(seed, 4, 7, missing)
    epsilon, accuracy = search(gold, metric, by)
    assert calibrate(gold, metric, by) == Calibration(
        epsilon, pytest.approx(accuracy, abs=1e-12, nan_ok=True)
    )


def test_equal_differences_change_together() -> None:
    """At .05 one gold tie is gained and two orders are lost, or two gained and one lost."""
    metric = np.array([[0.8, 0.85, 0.9, 0.95]])
    assert calibrate(np.array([[1, 1, 2, 3]]), metric, "none") == Calibration(0.0, 5 / 6)
    assert calibrate(np.array([[1, 1, 1, 2]]), metric, "none") == Calibration(0.05, 4 / 6)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, metric, _ = campaign(4, 8, 40)
    whole = [calibrate(gold, metric, by) for by in BY]
    monkeypatch.setattr(tie_calibration, "_PAIRS_AT_ONCE", 50)
    assert [calibrate(gold, metric, by) for by in BY] == whole


@FEW
@given(st.integers(0, 10**6), st.sampled_from(BY))
def test_calibration_is_at_least_as_good_as_none(seed: int, by: AverageBy) -> None:
    gold, metric, _ = campaign(seed)
    best = calibrate(gold, metric, by).accuracy
    assert best >= grouped(gold, metric, acc_eq, by).value - 1e-12
    assert best >= constant_accuracy(gold, by) - 1e-12
    assert calibrate(gold, metric * 3 + 1, by).accuracy == pytest.approx(best)
    assert calibrate(gold[::-1], metric[::-1], by).accuracy == pytest.approx(best)


def test_no_pairs() -> None:
    found = calibrate(np.array([[1.0, nan]]), np.ones((1, 2)), "item")
    assert found.epsilon == 0
    assert isnan(found.accuracy)


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize(("folds", "parts"), [(3, 3), (10, 6)])
def test_held_out_documents(by: AverageBy, folds: int, parts: int) -> None:
    """Six documents: two in each of three folds, or each one by itself."""
    gold, metric, documents = campaign(11)
    result = cross_validated(gold, metric, documents, folds, by)
    epsilons, total, groups = [], 0.0, 0
    for fold in range(parts):
        held_out = documents % parts == fold
        epsilons.append(search(gold[:, ~held_out], metric[:, ~held_out], by)[0])
        part = gold[:, held_out], metric[:, held_out]
        count = grouped(*part, acc_eq, by).groups
        total += count * float(exact_accuracy(*part, epsilons[-1], by) or 0)
        groups += count
    assert result.epsilons == tuple(epsilons)
    assert result.accuracy == pytest.approx(total / groups)


def test_names_of_documents_do_not_matter() -> None:
    gold, metric, documents = campaign(12)
    expected = cross_validated(gold, metric, documents)
    assert cross_validated(gold, metric, documents * 10 - 7) == expected


def test_constant_metric() -> None:
    gold = np.array([[1, 2, nan], [1, 3, 5], [2, 2, 5], [1, nan, 5]])
    assert constant_accuracy(gold) == pytest.approx((3 / 6 + 1 / 3 + 1) / 3)
    assert constant_accuracy(gold, "none") == pytest.approx(9 / 45)


def test_refused_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, metric, documents = campaign(1, missing=0)
    with pytest.raises(UsageError, match="no metric score"):
        calibrate(gold, metric * nan)
    with pytest.raises(UsageError, match="2 documents, not 10 and 1"):
        cross_validated(gold, metric, documents * 0)
    with pytest.raises(UsageError, match="at least 2 folds"):
        cross_validated(gold, metric, documents, folds=1)
    with pytest.raises(UsageError, match="do not fit"):
        cross_validated(gold, metric, documents[1:])
    monkeypatch.setattr(tie_calibration, "MOST_PAIRS", 1000)
    assert calibrate(gold, metric, "item").accuracy > 0
    with pytest.raises(UsageError, match="at most 1000 pairs, not 1770; average by item"):
        calibrate(gold, metric, "none")


@pytest.mark.parametrize("by_document", [False, True])
def test_the_threshold_is_calibrated_anew_in_each_resample(by_document: bool) -> None:
    gold, metric, documents = campaign(24, missing=0.1)
    names = [f"d{place}" for place in documents]
    units = Units.choose(names, "document" if by_document else "segment")
    found = resampled_calibration(gold, metric[None], units, 30, 4)[0]
    epsilons = set()
    for draw, weights in enumerate(np.concatenate(list(draw_weights(units.count, 30, 4)))):
        chosen = np.repeat(np.arange(gold.shape[1]), weights[units.of_segment].astype(int))
        best = calibrate(gold[:, chosen], metric[:, chosen])
        epsilons.add(best.epsilon)
        assert found[draw] == pytest.approx(best.accuracy)
    assert len(epsilons) > 1


def test_few_thresholds_are_enough_in_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, (6, 80)).astype(float)
    metric = gold + rng.normal(size=gold.shape)
    units = Units.choose([None] * 80, "segment")
    whole = resampled_calibration(gold, metric[None], units, 200, 0)
    monkeypatch.setattr(tie_calibration, "_MOST_THRESHOLDS", 100)
    np.testing.assert_allclose(
        resampled_calibration(gold, metric[None], units, 200, 0), whole, atol=0.01
    )
