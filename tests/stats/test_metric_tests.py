"""Tests between metrics: foreign numbers, plain loops, equal metrics, and missing scores."""

from __future__ import annotations

from itertools import combinations, product
from math import isnan
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, zscore

from patmark.data.scores import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats import metric_tests as metric_tests_module
from patmark.stats.correlation import (
    AverageBy,
    Coefficient,
    acc_eq,
    grouped,
    kendall_b,
    pearson,
    spearman,
)
from patmark.stats.correlation_intervals import (
    drawn_systems,
)
from patmark.stats.metric_tests import (
    MetricTests,
    PermutationPlan,
    averaged_tests,
    exchange_items,
    exchange_segments,
    exchange_soft_accuracy,
    exchange_system_segments,
    exchange_systems,
    exchange_systems_in_items,
    exchange_systems_soft_accuracy,
    williams,
)
from patmark.stats.significance import draw_signs

SYSTEMS, SEGMENTS = 5, 24
_OF_SEGMENTS = (exchange_segments, exchange_system_segments, exchange_systems_in_items)


def _data(seed: int, *strengths: float, missing: float = 0.2) -> tuple[FloatArray, FloatArray]:
    """Human scores with gaps, and one metric for each strength."""
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=(SYSTEMS, SEGMENTS)) + np.linspace(-1, 1, SYSTEMS)[:, None]
    noise = rng.normal(size=(len(strengths), SYSTEMS, SEGMENTS))
    metrics = np.array(strengths)[:, None, None] * gold + noise * 7 + 3
    gold[rng.random(gold.shape) < missing] = np.nan
    return gold, metrics


def _z_scores(gold: FloatArray, metric: FloatArray) -> FloatArray:
    kept = metric[~np.isnan(gold)]
    return (metric - kept.mean()) / kept.std()


def _loop(gold, first, second, score, exchanged):  # type: ignore[no-untyped-def]
    """The difference after each exchange, one at a time."""
    return [
        score(gold, np.where(one, second, first)) - score(gold, np.where(one, first, second))
        for one in exchanged
    ]


def _by_segment(units: IntArray | None, plan: PermutationPlan) -> FloatArray:
    """What is exchanged in each permutation, as tables of cells."""
    of_segment = np.arange(SEGMENTS) if units is None else units
    signs = np.concatenate(
        list(draw_signs(int(of_segment.max()) + 1, plan.permutations, plan.seed))
    )
    return np.repeat(signs[:, None, of_segment] < 0, SYSTEMS, axis=1)


def _by_system(plan: PermutationPlan) -> FloatArray:
    signs = np.concatenate(list(draw_signs(SYSTEMS, plan.permutations, plan.seed)))
    return signs < 0


def _expected_p(delta: float, permuted: list[float]) -> float:
    reached = np.abs(np.array(permuted)) >= abs(delta) - 1e-10
    return float(reached.sum() + 1) / (len(permuted) + 1)


def test_williams_equals_published_formula() -> None:
    """The formula of Graham and Baldwin 2014, t of scipy 1.17.1: 0.053175 one-sided."""
    result = williams(0.80, 0.70, 0.75, 50)
    assert result.t == pytest.approx(1.646412, abs=1e-6)
    assert result.p == pytest.approx(2 * 0.053175, abs=2e-6)
    turned = williams(0.70, 0.80, 0.75, 50)
    assert (turned.t, turned.p) == pytest.approx((-result.t, result.p))


def test_williams_without_an_answer_is_nan() -> None:
    assert isnan(williams(0.8, 0.7, 0.75, 3).p)
    assert isnan(williams(0.8, 0.8, 1.0, 50).t)
    assert not isnan(williams(0.8, 0.7, 0.75, 4).p)


def _foreign() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(11)
    quality = rng.normal(0, 0.4, (8, 1))
    gold = quality + rng.normal(size=(8, 40))
    metrics = [quality + rng.normal(0, spread, (8, 40)) for spread in (1, 2)]
    return np.round(gold, 2), np.round(metrics, 2)


def test_exchanged_systems_equal_mt_metrics_eval() -> None:
    """From a transcription of its PermutationSigDiff (stats.py at 0b82d96) for scores of systems,
    with 20,000 permutations and no early stop: 0.0547 for Pearson, 0.0689 for the share of pairs
    that agree. They are one-sided, so half of ours.
    """
    gold, metrics = _foreign()
    for coefficient, delta, p in ((pearson, 0.258629, 0.0547), (acc_eq, 0.178571, 0.0689)):
        plan = PermutationPlan(20_000, plus_one=False)
        means = gold.mean(axis=1), metrics.mean(axis=2)
        found = exchange_systems(*means, coefficient, plan, fisher=False)
        assert found.values[0] - found.values[1] == pytest.approx(delta, abs=1e-6)
        assert found.p[0, 1] == pytest.approx(2 * p, abs=0.01)


def test_soft_accuracy_by_segment_equals_mt_metrics_eval() -> None:
    """From a transcription of its pce.py at 1b47eab, with 20,000 permutations (seed 4)."""
    gold, metrics = _foreign()
    found = exchange_soft_accuracy(gold, metrics, PermutationPlan(1))
    assert found.values == pytest.approx([0.86891, 0.73418], abs=0.003)
    again = exchange_systems_soft_accuracy(gold, metrics, PermutationPlan(1))
    assert again.values == pytest.approx(found.values)


@pytest.mark.parametrize("units", [None, np.arange(SEGMENTS) // 4])
@pytest.mark.parametrize(
    ("coefficient", "average_by"),
    [
        (pearson, "none"),
        (pearson, "system"),
        (pearson, "item"),
        (spearman, "item"),
        (kendall_b, "item"),
        (acc_eq, "item"),
    ],
)
def test_exchanged_segments_equal_a_loop(
    coefficient: Coefficient, average_by: AverageBy, units: IntArray | None
) -> None:
    gold, metrics = _data(1, 1.0, 2.0)
    plan = PermutationPlan(20, seed=3, unit_of_segment=units)

    def score(gold: FloatArray, metric: FloatArray) -> float:
        return grouped(gold, metric, coefficient, average_by).value

    tests = exchange_segments(gold, metrics, average_by, plan, coefficient)
    first, second = (_z_scores(gold, metric) for metric in metrics)
    permuted = _loop(gold, first, second, score, _by_segment(units, plan))
    np.testing.assert_allclose(tests.deltas[0], permuted, atol=1e-12)
    expected = [score(gold, metric) for metric in metrics]
    np.testing.assert_allclose(tests.values, expected, atol=1e-12)
    assert tests.p[0, 1] == tests.p[1, 0] == _expected_p(expected[0] - expected[1], permuted)
    assert tests.units == (SEGMENTS if units is None else 6)


def _of_system_means(gold: FloatArray, metric: FloatArray, coefficient: Coefficient) -> float:
    judged = np.where(np.isnan(gold), np.nan, metric)
    return float(coefficient(np.nanmean(gold, axis=1), np.nanmean(judged, axis=1)))


@pytest.mark.parametrize("units", [None, np.arange(SEGMENTS) % 5])
@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall_b, acc_eq])
def test_exchanged_segments_of_system_means_equal_a_loop(
    coefficient: Coefficient, units: IntArray | None
) -> None:
    gold, metrics = _data(2, 0.5, 3.0)
    plan = PermutationPlan(30, seed=4, unit_of_segment=units)

    def score(gold: FloatArray, metric: FloatArray) -> float:
        return _of_system_means(gold, metric, coefficient)

    tests = exchange_system_segments(gold, metrics, coefficient, plan)
    first, second = (_z_scores(gold, metric) for metric in metrics)
    permuted = _loop(gold, first, second, score, _by_segment(units, plan))
    np.testing.assert_allclose(tests.deltas[0], permuted, atol=1e-12)


def test_permutations_without_a_difference_are_counted() -> None:
    """With two segments, exchanging one of them makes both metrics constant."""
    gold = np.array([[1.0, 2.0]])
    metrics = np.array([[[0.0, 1.0]], [[1.0, 0.0]]])
    tests = exchange_segments(gold, metrics, plan=PermutationPlan(100, seed=1))
    signs = np.concatenate(list(draw_signs(2, 100, 1)))
    mixed = int(np.count_nonzero(signs[:, 0] != signs[:, 1]))
    assert 0 < mixed < 100
    assert tests.undefined.tolist() == [[0, mixed], [mixed, 0]]
    assert tests.p[0, 1] == 1


def _normal_soft_accuracy(gold: FloatArray, metric: FloatArray) -> float:
    """From the definition, with p of sums of differences by the normal distribution."""
    distances = []
    for i, j in combinations(range(len(gold)), 2):
        p = [
            norm.sf((one[i] - one[j]).sum() / np.sqrt(np.square(one[i] - one[j]).sum()))
            for one in (gold, metric)
        ]
        distances.append(abs(p[0] - p[1]))
    return 1 - float(np.mean(distances))


@pytest.mark.parametrize("units", [None, np.arange(SEGMENTS) // 3])
def test_exchanged_segments_of_soft_accuracy_equal_a_loop(units: IntArray | None) -> None:
    gold, metrics = _data(3, 0.5, 3.0, missing=0)
    gold[:, 5] = np.nan
    judged = ~np.isnan(gold[0])
    plan = PermutationPlan(20, seed=4, unit_of_segment=units)
    tests = exchange_soft_accuracy(gold, metrics, plan)
    own = np.arange(SEGMENTS)[:-1] if units is None else units[judged]
    signs = np.concatenate(list(draw_signs(int(own.max()) + 1, 20, 4)))
    exchanged = np.repeat(signs[:, None, own] < 0, SYSTEMS, axis=1)
    scores = metrics[:, :, judged] - metrics[:, :, judged].mean(axis=1, keepdims=True)
    scores /= scores.std(axis=(1, 2), keepdims=True)
    permuted = _loop(gold[:, judged], *scores, _normal_soft_accuracy, exchanged)
    np.testing.assert_allclose(tests.deltas[0], permuted, atol=1e-12)


@pytest.mark.parametrize("test", [exchange_soft_accuracy, exchange_systems_soft_accuracy])
def test_the_scale_of_a_metric_does_not_change_a_test(test: Any) -> None:
    gold, metrics = _data(3, 0.5, 3.0, missing=0)
    plan = PermutationPlan(200, seed=4)
    larger = metrics * np.array([1.0, 100.0])[:, None, None]
    np.testing.assert_allclose(test(gold, larger, plan).p, test(gold, metrics, plan).p)


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall_b, acc_eq])
def test_exchanged_systems_equal_a_loop(coefficient: Coefficient) -> None:
    gold, metrics = _data(4, 0.5, 3.0, missing=0)
    human, scores = gold.mean(axis=1), metrics.mean(axis=2)
    plan = PermutationPlan(30, seed=5)
    tests = exchange_systems(human, scores, coefficient, plan)

    def score(gold: FloatArray, metric: FloatArray) -> float:
        found = float(coefficient(gold, metric))
        return float(np.arctanh(found)) if coefficient is pearson else found

    permuted = _loop(human, *zscore(scores, axis=1), score, _by_system(plan))
    delta = score(human, scores[0]) - score(human, scores[1])
    expected = _expected_p(delta, permuted)
    if coefficient is acc_eq:  # few values: an exchange that gives the observed one counts as half
        beyond = np.count_nonzero(np.abs(permuted) > abs(delta) + 1e-10) / (len(permuted) + 1)
        expected = (expected + beyond) / 2
    assert tests.p[0, 1] == pytest.approx(expected)
    np.testing.assert_allclose(tests.deltas[0], permuted, atol=1e-12)
    assert tests.units == SYSTEMS


def test_a_test_tells_the_level_that_it_can_attain() -> None:
    """Two of eight exchanges differ by the most: counted as half, their p is 1/8, and not 5 %."""
    deltas = np.tile([-0.5, 0.1, 0.2, 0.3, -0.1, -0.2, -0.3, 0.5], 100)[None]
    values = np.array([0.9, 0.4])
    assert MetricTests(values, deltas, 4, discrete=True).attainable[0, 1] == 0
    rare = np.concatenate([np.zeros(95), np.full(5, 0.5)])[None]
    found = MetricTests(values, rare, 4, discrete=True)
    assert found.attainable[0, 1] == 0.05 and found.p[0, 1] == pytest.approx(3 / 101)


def test_exchanged_systems_of_soft_accuracy_equal_a_loop() -> None:
    gold, metrics = _data(5, 0.5, 3.0, missing=0)
    plan = PermutationPlan(30, seed=5)
    tests = exchange_systems_soft_accuracy(gold, metrics, plan)
    scores = metrics - metrics.mean(axis=1, keepdims=True)
    scores /= scores.std(axis=(1, 2), keepdims=True)
    permuted = _loop(gold, *scores, _normal_soft_accuracy, _by_system(plan)[..., None])
    np.testing.assert_allclose(tests.deltas[0], permuted, atol=1e-12)


def test_exchanged_systems_in_items_equal_a_loop() -> None:
    gold, metrics = _data(6, 0.5, 3.0)
    plan = PermutationPlan(30, seed=5)
    tests = exchange_systems_in_items(gold, metrics, plan)
    centred = metrics - np.nanmean(np.where(np.isnan(gold), np.nan, metrics), axis=1, keepdims=True)
    first, second = (_z_scores(gold, one) for one in centred)
    permuted = _loop(
        gold,
        first,
        second,
        lambda g, m: grouped(g, m, pearson, "item").value,
        _by_system(plan)[..., None],
    )
    np.testing.assert_allclose(tests.deltas[0], permuted, atol=1e-12)


def test_two_sided_p_counts_both_tails() -> None:
    """0.2 is reached by 0.2, 0.5 and -0.3, not by -0.1 and 0; the fifth has no value."""
    deltas = np.array([[0.2, 0.5, -0.1, 0.0, -0.3, np.nan]])
    found = MetricTests(np.array([0.6, 0.4]), deltas, 3, plus_one=False)
    np.testing.assert_allclose(found.p, [[1, 0.6], [0.6, 1]])
    assert found.undefined.tolist() == [[0, 1], [1, 0]]
    assert MetricTests(found.values, deltas, 3).p[0, 1] == 4 / 6


def test_p_without_a_value_or_a_permutation_is_nan() -> None:
    p = MetricTests(np.array([np.nan, 0.4]), np.array([[0.1, 0.2]]), 2).p
    np.testing.assert_array_equal(p, [[np.nan, np.nan], [np.nan, 1]])
    p = MetricTests(np.array([0.1, 0.4]), np.array([[np.nan]]), 2).p
    np.testing.assert_array_equal(p, [[1, np.nan], [np.nan, 1]])


def test_averages_over_data_sets_are_tested_as_one() -> None:
    """Two sets that say the same are stronger evidence together than each alone."""
    parts = []
    for seed in range(4):
        gold, metrics = _data(seed, 4.0, 1.0, missing=0)
        parts.append(exchange_segments(gold, metrics, "none", PermutationPlan(999, seed)))
    whole = averaged_tests(parts)
    np.testing.assert_allclose(whole.values, np.mean([one.values for one in parts], axis=0))
    np.testing.assert_allclose(whole.deltas, np.mean([one.deltas for one in parts], axis=0))
    assert whole.p[0, 1] < min(one.p[0, 1] for one in parts)
    assert averaged_tests(parts[:1]).p[0, 1] == parts[0].p[0, 1]


def test_units_are_numbered_without_gaps() -> None:
    plan = PermutationPlan(unit_of_segment=np.array([7, 3, 7, 90]))
    assert plan.units(4).tolist() == [1, 0, 1, 2]
    assert PermutationPlan().units(4).tolist() == [0, 1, 2, 3]


def test_signs_come_in_blocks_of_the_same_numbers() -> None:
    blocks = list(PermutationPlan(10, seed=5).signs(3, rows=4))
    assert [len(block) for block in blocks] == [4, 4, 2]
    np.testing.assert_array_equal(np.concatenate(blocks), *draw_signs(3, 10, 5))


@pytest.mark.parametrize("units", [1, 5, 16, 17])
def test_exchanges_of_few_units_are_computed_once_and_reversed(units: int) -> None:
    rng = np.random.default_rng(units)
    parts = rng.normal(size=(3, units))
    plan, seen = PermutationPlan(400, seed=2), []

    def compute(signs: FloatArray) -> FloatArray:
        seen.append(len(signs))
        return np.asarray(parts @ signs.T)

    found = plan.differences(units, 64, compute)
    [signs] = draw_signs(units, 400, 2)
    np.testing.assert_allclose(found, parts @ signs.T)
    different = {tuple((row * row[0]).tolist()) for row in signs}
    assert sum(seen) == (len(different) if units <= 16 else 400) and max(seen) <= 64


def test_missing_gold_and_its_metric_scores_do_not_matter() -> None:
    gold, metrics = _data(3, 1.0, 2.0, 3.0)
    changed = np.where(np.isnan(gold), np.nan, metrics)
    plan = PermutationPlan(50)
    for test in _OF_SEGMENTS:
        np.testing.assert_array_equal(
            test(gold, metrics, plan=plan).p, test(gold, changed, plan=plan).p
        )


def test_pairs_do_not_depend_on_the_other_metrics() -> None:
    gold, metrics = _data(4, 1.0, 2.0, 3.0)
    plan = PermutationPlan(50)
    whole = exchange_segments(gold, metrics, plan=plan).p
    assert exchange_segments(gold, metrics[[2, 0]], plan=plan).p[0, 1] == whole[2, 0]


@pytest.mark.parametrize("units", [None, np.arange(SEGMENTS) // 2])
def test_blocks_do_not_change_the_result(
    units: IntArray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, metrics = _data(5, 1.0, 2.0)
    plan = PermutationPlan(40, unit_of_segment=units)
    whole = [test(gold, metrics, plan=plan) for test in _OF_SEGMENTS]
    monkeypatch.setattr(metric_tests_module, "_CELLS_AT_ONCE", 7 * gold.size)
    for one, test in zip(whole, _OF_SEGMENTS, strict=True):
        np.testing.assert_array_equal(one.p, test(gold, metrics, plan=plan).p)


def test_metric_against_itself_has_p_one() -> None:
    gold, metrics = _data(6, 1.0, missing=0)
    twice = np.concatenate([metrics, metrics * 2 + 5])
    plan = PermutationPlan(99)
    for found in (
        exchange_segments(gold, twice, plan=plan),
        exchange_system_segments(gold, twice, plan=plan),
        exchange_systems_in_items(gold, twice, plan=plan),
        exchange_soft_accuracy(gold, twice, plan),
        exchange_systems_soft_accuracy(gold, twice, plan),
    ):
        np.testing.assert_array_equal(found.p, 1.0)


def test_much_better_metric_is_found() -> None:
    gold, metrics = _data(7, 0.0, 50.0)
    for average_by in ("none", "item", "system"):
        tests = exchange_segments(gold, metrics, average_by, PermutationPlan(999))  # type: ignore[arg-type]
        assert tests.values[1] > tests.values[0]
        assert tests.p[1, 0] <= 0.002


def test_constant_metric_has_no_p() -> None:
    gold, metrics = _data(9, 1.0, 2.0)
    metrics[0] = 0.1
    for average_by in ("none", "item", "system"):
        tests = exchange_segments(gold, metrics, average_by, PermutationPlan(50))  # type: ignore[arg-type]
        assert isnan(tests.values[0])
        assert np.isnan(tests.p[[0, 0, 1], [0, 1, 0]]).all()
        assert tests.p[1, 1] == 1


def test_items_without_a_value_are_left_out_of_the_mean() -> None:
    per_item = np.array([[0.5, np.nan, 1.0], [0.25, 0.25, np.nan]])
    found = exchange_items(per_item, PermutationPlan(50))
    assert found.values.tolist() == [0.75, 0.25]
    possible = [
        np.nanmean(np.where(one, per_item[1], per_item[0]))
        - np.nanmean(np.where(one, per_item[0], per_item[1]))
        for one in product([False, True], repeat=3)
    ]
    assert set(np.round(found.deltas[0], 9)) == set(np.round(possible, 9))


def test_bad_requests_are_refused() -> None:
    gold, metrics = _data(11, 1.0, 2.0)
    with pytest.raises(UsageError, match="metrics, systems, segments"):
        exchange_segments(gold, metrics[0])
    with pytest.raises(UsageError, match="no metric score"):
        exchange_system_segments(np.nan_to_num(gold), np.where(gold > 0, np.nan, metrics))
    with pytest.raises(UsageError, match="at least one permutation"):
        PermutationPlan(0)
    with pytest.raises(UsageError, match="do not fit 24 segments"):
        plan = PermutationPlan(5, unit_of_segment=np.arange(3))
        exchange_system_segments(gold, metrics, plan=plan)
    with pytest.raises(UsageError, match="unknown"):
        exchange_segments(gold, metrics, "document")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="average by item"):
        exchange_segments(gold, metrics, "none", coefficient=spearman)


def test_drawn_systems_of_fixed_scores_are_those_of_a_loop() -> None:
    gold, metric = np.arange(6.0), np.array([0.0, 2.0, 1.0, 3.0, 5.0, 4.0])
    found = drawn_systems(gold, metric, pearson, 40, 2)
    chosen = np.random.default_rng([2, 1]).integers(0, 6, size=(40, 6))
    np.testing.assert_allclose(found, pearson(gold[chosen], metric[chosen]))
