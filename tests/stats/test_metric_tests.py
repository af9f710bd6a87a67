"""Williams' test and PERM-BOTH against plain loops, on null data, and with missing scores."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

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
from patmark.stats.metric_tests import (
    PermutationPlan,
    perm_both_segments,
    perm_both_systems,
    williams,
)
from patmark.stats.paired import draw_signs

SYSTEMS, SEGMENTS = 5, 24


def _data(seed: int, *strengths: float) -> tuple[FloatArray, FloatArray]:
    """Human scores with gaps, and one metric for each strength."""
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=(SYSTEMS, SEGMENTS)) + np.linspace(-1, 1, SYSTEMS)[:, None]
    noise = rng.normal(size=(len(strengths), SYSTEMS, SEGMENTS))
    metrics = np.array(strengths)[:, None, None] * gold + noise * 7 + 3
    gold[rng.random(gold.shape) < 0.2] = np.nan
    return gold, metrics


def _exchanges(units: IntArray | None, plan: PermutationPlan) -> FloatArray:
    """The signs of each permutation as tables of cells."""
    count = SYSTEMS * SEGMENTS if units is None else int(units.max()) + 1
    signs = np.concatenate(list(draw_signs(count, plan.permutations, plan.seed)))
    if units is None:
        return signs.reshape(-1, SYSTEMS, SEGMENTS)
    return np.repeat(signs[:, None, units], SYSTEMS, axis=1)


def _z_scores(gold: FloatArray, metric: FloatArray) -> FloatArray:
    kept = metric[~np.isnan(gold)]
    return (metric - kept.mean()) / kept.std()


def _loop_p(gold, metrics, score, plan):  # type: ignore[no-untyped-def]
    """p[0, 1] and p[1, 0], one permutation at a time."""
    a, b = (_z_scores(gold, metric) for metric in metrics)
    delta = score(gold, a) - score(gold, b)
    permuted = []
    for signs in _exchanges(plan.unit_of_segment, plan):
        first, second = np.where(signs > 0, a, b), np.where(signs > 0, b, a)
        permuted.append(score(gold, first) - score(gold, second))
    reached = sum(value >= delta - 1e-10 for value in permuted)
    reversed_ = sum(value <= delta + 1e-10 for value in permuted)
    return tuple((count + 1) / (len(permuted) + 1) for count in (reached, reversed_)), permuted


def _permuted_deltas(monkeypatch: pytest.MonkeyPatch) -> list[FloatArray]:
    """Collects the permuted differences of the tests that follow."""
    seen: list[FloatArray] = []
    original = metric_tests_module.one_sided_p

    def spy(deltas, values, plus_one):  # type: ignore[no-untyped-def]
        seen.append(deltas)
        return original(deltas, values, plus_one)

    monkeypatch.setattr(metric_tests_module, "one_sided_p", spy)
    return seen


def test_williams_equals_published_formula() -> None:
    """Constants of the formula in Graham and Baldwin 2014, t-distribution of scipy 1.17.1."""
    result = williams(0.80, 0.70, 0.75, 50)
    assert result.t == pytest.approx(1.646412, abs=1e-6)
    assert result.p == pytest.approx(0.053175, abs=1e-6)
    assert williams(0.70, 0.80, 0.75, 50).p == pytest.approx(1 - result.p)


def test_williams_without_an_answer_is_nan() -> None:
    assert isnan(williams(0.8, 0.7, 0.75, 3).p)
    assert isnan(williams(0.8, 0.8, 1.0, 50).t)
    assert not isnan(williams(0.8, 0.7, 0.75, 4).p)


@pytest.mark.parametrize("units", [None, np.arange(SEGMENTS) // 4])
@pytest.mark.parametrize("average_by", ["none", "item", "system"])
@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall_b])
def test_segments_equal_a_loop(
    coefficient: Coefficient,
    average_by: AverageBy,
    units: IntArray | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gold, metrics = _data(1, 1.0, 2.0)
    plan = PermutationPlan(20, seed=3, unit_of_segment=units)

    def score(gold: FloatArray, metric: FloatArray) -> float:
        return grouped(gold, metric, coefficient, average_by).value

    seen = _permuted_deltas(monkeypatch)
    tests = perm_both_segments(gold, metrics, coefficient, average_by, plan)
    p, permuted = _loop_p(gold, metrics, score, plan)
    np.testing.assert_allclose(seen[0][0], permuted, atol=1e-12)
    assert (tests.p[0, 1], tests.p[1, 0]) == p
    expected = [score(gold, metric) for metric in metrics]
    np.testing.assert_allclose(tests.values, expected, atol=1e-12)
    assert tests.units == (SYSTEMS * SEGMENTS if units is None else 6)


@pytest.mark.parametrize("units", [None, np.arange(SEGMENTS) % 5])
@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall_b, acc_eq])
def test_systems_equal_a_loop(
    coefficient: Coefficient, units: IntArray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, metrics = _data(2, 0.5, 3.0)
    plan = PermutationPlan(30, seed=4, unit_of_segment=units)

    def score(gold: FloatArray, metric: FloatArray) -> float:
        human = np.nanmean(gold, axis=1)
        return float(coefficient(human, np.nanmean(np.where(np.isnan(gold), gold, metric), axis=1)))

    seen = _permuted_deltas(monkeypatch)
    tests = perm_both_systems(gold, metrics, coefficient, plan)
    p, permuted = _loop_p(gold, metrics, score, plan)
    np.testing.assert_allclose(seen[0][0], permuted, atol=1e-12)
    assert (tests.p[0, 1], tests.p[1, 0]) == p


def test_missing_gold_and_its_metric_scores_do_not_matter() -> None:
    gold, metrics = _data(3, 1.0, 2.0, 3.0)
    changed = np.where(np.isnan(gold), np.nan, metrics)
    plan = PermutationPlan(50)
    for test in (perm_both_segments, perm_both_systems):
        np.testing.assert_array_equal(
            test(gold, metrics, plan=plan).p, test(gold, changed, plan=plan).p
        )


def test_pairs_do_not_depend_on_the_other_metrics() -> None:
    gold, metrics = _data(4, 1.0, 2.0, 3.0)
    plan = PermutationPlan(50)
    whole = perm_both_segments(gold, metrics, plan=plan).p
    pair = perm_both_segments(gold, metrics[[2, 0]], plan=plan).p
    assert (pair[0, 1], pair[1, 0]) == (whole[2, 0], whole[0, 2])


@pytest.mark.parametrize("units", [None, np.arange(SEGMENTS) // 2])
def test_blocks_do_not_change_the_result(
    units: IntArray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, metrics = _data(5, 1.0, 2.0)
    plan = PermutationPlan(40, unit_of_segment=units)
    whole = [
        perm_both_segments(gold, metrics, plan=plan),
        perm_both_systems(gold, metrics, plan=plan),
    ]
    monkeypatch.setattr(metric_tests_module, "_CELLS_AT_ONCE", 7 * gold.size)
    parts = [
        perm_both_segments(gold, metrics, plan=plan),
        perm_both_systems(gold, metrics, plan=plan),
    ]
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.p, other.p)


def test_metric_against_itself_has_p_one() -> None:
    gold, metrics = _data(6, 1.0)
    twice = np.concatenate([metrics, metrics * 2 + 5])
    for test in (perm_both_segments, perm_both_systems):
        np.testing.assert_array_equal(test(gold, twice, plan=PermutationPlan(99)).p, 1.0)


def test_much_better_metric_is_found() -> None:
    gold, metrics = _data(7, 0.0, 50.0)
    for average_by in ("none", "item", "system"):
        tests = perm_both_segments(gold, metrics, average_by=average_by, plan=PermutationPlan(999))
        assert tests.p[1, 0] <= 0.002
        assert tests.p[0, 1] >= 0.99


def test_plus_one_convention() -> None:
    gold, metrics = _data(8, 1.0, 2.0)
    ours = perm_both_segments(gold, metrics, plan=PermutationPlan(200)).p[0, 1]
    mtme = perm_both_segments(gold, metrics, plan=PermutationPlan(200, plus_one=False)).p[0, 1]
    assert ours * 201 - 1 == pytest.approx(mtme * 200)


def test_constant_metric_and_constant_groups_are_counted() -> None:
    gold, metrics = _data(9, 1.0, 2.0)
    metrics[0] = 0.1
    metrics[1][:, 3] = 4.0
    gold[:, 5] = 2.0
    gold[:, 6] = np.nan
    tests = perm_both_segments(gold, metrics, average_by="item", plan=PermutationPlan(50))
    assert isnan(tests.values[0])
    assert np.isnan(tests.p[[0, 0, 1], [0, 1, 0]]).all()
    assert tests.p[1, 1] == 1
    assert tests.groups == SEGMENTS
    assert tests.undefined_groups.tolist() == [SEGMENTS, 3]


def test_permutations_without_a_difference_are_counted() -> None:
    """With two cells, exchanging one of them can make a metric constant."""
    gold = np.array([[1.0, 2.0]])
    metrics = np.array([[[0.0, 1.0]], [[1.0, 0.0]]])
    tests = perm_both_segments(gold, metrics, plan=PermutationPlan(100, seed=1))
    signs = np.concatenate(list(draw_signs(2, 100, 1)))
    mixed = int(np.count_nonzero(signs[:, 0] != signs[:, 1]))
    assert tests.undefined.tolist() == [[0, mixed], [mixed, 0]]
    both_stay = int(np.count_nonzero(signs.sum(axis=1) == 2))
    assert tests.p[0, 1] == (both_stay + 1) / (100 - mixed + 1)


def test_equal_metrics_are_rarely_called_different() -> None:
    rng = np.random.default_rng(10)
    p_values = []
    for trial in range(400):
        gold = rng.normal(size=(4, 30))
        metrics = gold + rng.normal(size=(2, 4, 30))
        plan = PermutationPlan(99, seed=trial)
        p_values.append(perm_both_segments(gold, metrics, plan=plan).p[0, 1])
    share = np.mean(np.array(p_values) <= 0.05)
    assert 0.02 <= share <= 0.085
    assert 0.44 <= np.mean(p_values) <= 0.56


def test_bad_requests_are_refused() -> None:
    gold, metrics = _data(11, 1.0, 2.0)
    with pytest.raises(UsageError, match="metrics, systems, segments"):
        perm_both_segments(gold, metrics[0])
    with pytest.raises(UsageError, match="no metric score"):
        perm_both_systems(np.nan_to_num(gold), np.where(gold > 0, np.nan, metrics))
    with pytest.raises(UsageError, match="at least one permutation"):
        PermutationPlan(0)
    with pytest.raises(UsageError, match="do not fit 24 segments"):
        perm_both_systems(gold, metrics, plan=PermutationPlan(5, unit_of_segment=np.arange(3)))
    with pytest.raises(UsageError, match="unknown"):
        perm_both_segments(gold, metrics, average_by="document")  # type: ignore[arg-type]
