"""Permutation of judged pairs against plain loops, on null data, and by document."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from patmark.data.scores import FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats import metric_tests as pair_permutation_module
from patmark.stats.correlation import acc_eq, grouped
from patmark.stats.metric_tests import PermutationPlan, judge_pairs, permute_pairs
from patmark.stats.paired import draw_signs

SEGMENTS = 18


def _data(seed: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 6, size=(5, SEGMENTS)).astype(float)
    metrics = np.round(gold + rng.normal(size=(3, 5, SEGMENTS)), 1)
    gold[rng.random(gold.shape) < 0.25] = np.nan
    gold[:4, 0] = np.nan
    return gold, metrics, np.array([0.0, 0.2, 0.7])


def test_values_are_the_accuracy_with_ties() -> None:
    gold, metrics, epsilons = _data(0)
    values = permute_pairs(judge_pairs(gold, metrics, epsilons), PermutationPlan(1)).values
    for value, metric, epsilon in zip(values, metrics, epsilons, strict=True):
        expected = grouped(gold, metric, lambda g, m, e=epsilon: acc_eq(g, m, e), "item").value
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("units", [None, np.arange(SEGMENTS) // 4])
def test_equals_a_loop(units: IntArray | None, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, metrics, epsilons = _data(1)
    plan = PermutationPlan(25, seed=2, unit_of_segment=units)
    seen = []
    original = pair_permutation_module.one_sided_p

    def spy(deltas, values, plus_one):  # type: ignore[no-untyped-def]
        seen.append(deltas)
        return original(deltas, values, plus_one)

    monkeypatch.setattr(pair_permutation_module, "one_sided_p", spy)
    tests = permute_pairs(judge_pairs(gold, metrics, epsilons), plan)
    pairs = [
        (i, j, segment)
        for i, j in combinations(range(5), 2)
        for segment in range(SEGMENTS)
        if not np.isnan(gold[i, segment] + gold[j, segment])
    ]
    sizes = np.bincount([segment for *_, segment in pairs], minlength=SEGMENTS)
    count = len(pairs) if units is None else 5
    signs = np.concatenate(list(draw_signs(count, 25, 2)))
    for column, (a, b) in enumerate(combinations(range(3), 2)):
        permuted = np.zeros(25)
        for place, (i, j, segment) in enumerate(pairs):
            right = []
            for metric in (a, b):
                difference = round(metrics[metric, i, segment] - metrics[metric, j, segment], 12)
                order = 0 if abs(difference) <= epsilons[metric] else np.sign(difference)
                right.append(float(order == np.sign(gold[i, segment] - gold[j, segment])))
            unit = place if units is None else units[segment]
            weight = 1 / (sizes[segment] * np.count_nonzero(sizes))
            permuted += signs[:, unit] * weight * (right[0] - right[1])
        np.testing.assert_allclose(seen[0][column], permuted, atol=1e-12)
        delta = tests.values[a] - tests.values[b]
        assert tests.p[a, b] == (np.count_nonzero(permuted >= delta - 1e-10) + 1) / 26
    assert tests.units == count


def test_segments_without_pairs_are_counted() -> None:
    gold, metrics, epsilons = _data(2)
    tests = permute_pairs(judge_pairs(gold, metrics, epsilons), PermutationPlan(3))
    without = np.count_nonzero(np.count_nonzero(~np.isnan(gold), axis=0) < 2)
    assert without >= 1
    assert tests.groups == SEGMENTS
    assert tests.undefined_groups.tolist() == [without] * 3


def test_no_pairs_give_no_p() -> None:
    gold, metrics, epsilons = _data(3)
    tests = permute_pairs(judge_pairs(gold * np.nan, metrics, epsilons), PermutationPlan(3))
    assert np.isnan(tests.values).all()
    assert np.isnan(tests.p).all()


def test_metric_against_itself_has_p_one_and_a_perfect_one_wins() -> None:
    gold, metrics, _ = _data(4)
    perfect = np.nan_to_num(gold)
    judged = judge_pairs(gold, np.stack([perfect, perfect, metrics[0]]), np.zeros(3))
    tests = permute_pairs(judged, PermutationPlan(999))
    assert tests.values[0] == pytest.approx(1)
    assert tests.p[0, 1] == tests.p[1, 0] == 1
    assert tests.p[0, 2] == 0.001
    assert tests.p[2, 0] == 1


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = judge_pairs(*_data(5))
    whole = permute_pairs(judged, PermutationPlan(60))
    monkeypatch.setattr(pair_permutation_module, "_PAIR_CELLS_AT_ONCE", 7 * len(judged.correct))
    np.testing.assert_array_equal(permute_pairs(judged, PermutationPlan(60)).p, whole.p)


def test_plus_one_convention() -> None:
    judged = judge_pairs(*_data(6))
    ours = permute_pairs(judged, PermutationPlan(100)).p
    mtme = permute_pairs(judged, PermutationPlan(100, plus_one=False)).p
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(ours[off] * 101 - 1, mtme[off] * 100)


def test_equal_metrics_are_rarely_called_different() -> None:
    """Each document is one unit and its pairs are right or wrong together."""
    rng = np.random.default_rng(7)
    documents = np.repeat(np.arange(40), 3)
    p_values = []
    for trial in range(400):
        gold = rng.normal(size=(3, 120))
        shared = rng.normal(size=(2, 3, 40))[:, :, documents]
        judged = judge_pairs(gold, gold + shared, np.zeros(2))
        plan = PermutationPlan(99, seed=trial, unit_of_segment=documents)
        p_values.append(permute_pairs(judged, plan).p[0, 1])
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.085


def test_bad_requests_are_refused() -> None:
    gold, metrics, epsilons = _data(8)
    with pytest.raises(UsageError, match="2 epsilons"):
        judge_pairs(gold, metrics, epsilons[:2])
    with pytest.raises(UsageError, match="no metric score"):
        judge_pairs(gold, np.where(gold > 3, np.nan, metrics), epsilons)
