"""Pearson, Spearman and means over groups: against SciPy, by hand, by properties."""

from __future__ import annotations

import csv
from math import isnan, nan
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from patmark.errors import UsageError
from patmark.stats.correlation import (
    AverageBy,
    Grouped,
    acc_eq,
    group_coefficients,
    grouped,
    kendall_b,
    kendall_c,
    mid_ranks,
    pearson,
    pearson_of_sums,
    spearman,
)

GOLD = np.array([5, 4, 4, 3, 2, 5, 1, 3, 4, 2.0])
METRIC = np.array([0.9, 0.7, 0.8, 0.5, 0.5, 0.85, 0.2, 0.6, 0.6, 0.3])
COEFFICIENTS = [pearson, spearman, kendall_b, acc_eq]

coarse = st.lists(st.tuples(st.integers(0, 6), st.integers(-4, 4)), min_size=2, max_size=30)


def random_matrices(seed: int, systems: int = 6, segments: int = 15) -> tuple[Any, Any]:
    """Grades with ties and missing entries, and a metric with ties that follows them."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 6, (systems, segments)).astype(float)
    metric = np.round(gold / 10 + rng.normal(0, 0.2, gold.shape), 1)
    gold[rng.random(gold.shape) < 0.4] = nan
    return gold, metric


def test_pearson_of_sums_is_pearson_of_the_values() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 7, 12))
    y[2], x[3] = 0.1 + 0.2, -0.7
    count = np.full(7, 12.0)
    of_y = y.sum(axis=1), (y * y).sum(axis=1)
    found = pearson_of_sums(count, *of_y, (x * y).sum(axis=1), x.sum(axis=1), (x * x).sum(axis=1))
    assert found == pytest.approx(pearson(x, y), abs=1e-12, nan_ok=True)
    assert np.isnan(found).nonzero()[0].tolist() == [2, 3]
    unit = x[0] - x[0].mean()
    unit /= np.linalg.norm(unit)
    assert pearson_of_sums(count, *of_y, y @ unit)[[0, 1]] == pytest.approx(pearson(x[0], y)[:2])


@pytest.mark.parametrize("count", [0, 1])
def test_pearson_of_sums_needs_two_values(count: int) -> None:
    one = np.full(1, float(count))
    assert np.isnan(pearson_of_sums(one, one, one, one, one, one)).all()


def test_constants_of_scipy() -> None:
    # SciPy 1.17.1
    assert pearson(GOLD, METRIC) == pytest.approx(0.948359, abs=5e-7)
    assert spearman(GOLD, METRIC) == pytest.approx(0.956502, abs=5e-7)


@pytest.mark.parametrize("count", [2, 3, 10, 200])
@pytest.mark.parametrize("levels", [4, 10**9])
def test_equal_to_scipy(count: int, levels: int) -> None:
    rng = np.random.default_rng(count)
    x = np.concatenate([[0, 1], rng.integers(0, levels, count - 2)]) / 8 + 1000
    y = np.concatenate([[1, 0], rng.integers(0, levels, count - 2)]) / 10
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert mid_ranks(x) == pytest.approx(stats.rankdata(x))


def test_leading_axes_are_taken_one_by_one() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 4, (3, 1, 9)) / 3, rng.integers(0, 4, (5, 9)) / 7
    for function in (pearson, spearman):
        expected = [[float(function(a, b)) for b in y] for a in x[:, 0]]
        assert function(x, y) == pytest.approx(np.array(expected), nan_ok=True)
    assert mid_ranks(x) == pytest.approx(stats.rankdata(x, axis=-1))


@pytest.mark.parametrize("function", [pearson, spearman])
def test_undefined(function: Any) -> None:
    varied = np.arange(7.0)
    for constant in (np.full(7, 0.1 + 0.2), np.array([0.3, 0.1 + 0.2] * 4)[:7], np.full(7, 1e9)):
        assert isnan(function(constant, varied))
        assert isnan(function(varied, constant))
    assert isnan(function(np.array([1.0]), np.array([2.0])))
    assert function(np.empty((4, 0)), np.empty((4, 0))) == pytest.approx([nan] * 4, nan_ok=True)
    assert isnan(function(np.append(varied, nan), np.arange(8.0)))
    both = function(np.stack([varied, np.ones(7)]), varied)
    assert both == pytest.approx([1, nan], nan_ok=True)


def test_rounding_does_not_break_ties() -> None:
    assert mid_ranks(np.array([0.1 + 0.2, 0.3, 0.1])).tolist() == [2.5, 2.5, 1.0]


@given(coarse)
def test_a_monotone_change_keeps_spearman_and_tau(rows: list[tuple[int, int]]) -> None:
    gold, metric = np.array(rows, dtype=float).T
    for function in (spearman, kendall_b, acc_eq):
        before = function(gold, metric)
        assert function(gold, np.exp(metric) + 3) == pytest.approx(before, nan_ok=True)
        if function is not acc_eq:
            assert function(gold, -metric) == pytest.approx(-before, nan_ok=True)


@given(coarse, st.floats(0.01, 100), st.floats(-100, 100))
def test_a_linear_change_keeps_pearson(rows: list[Any], factor: float, shift: float) -> None:
    x, y = np.array(rows, dtype=float).T
    before = pearson(x, y)
    assert pearson(factor * x + shift, y) == pytest.approx(before, abs=1e-9, nan_ok=True)
    assert pearson(y, x) == pytest.approx(before, nan_ok=True)
    assert isnan(before) or -1 <= before <= 1


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("average_by", get_args(AverageBy))
def test_groups_one_by_one(coefficient: Any, average_by: AverageBy) -> None:
    """Many sizes of groups, some without entries, against a loop."""
    gold, metric = random_matrices(3)
    gold[:, 4] = nan
    gold[:, 5] = [nan, 3, nan, nan, nan, nan]
    gold[:, 6] = 2
    axes = {"none": [(gold.ravel(), metric.ravel())], "system": zip(gold, metric, strict=True)}
    rows = list(axes.get(average_by, zip(gold.T, metric.T, strict=True)))
    kept = [(g[~np.isnan(g)], m[~np.isnan(g)]) for g, m in rows]
    values = [float(coefficient(g, m)) for g, m in kept if len(g) > 1]
    defined = [value for value in values if not isnan(value)]
    result = grouped(gold, metric, coefficient, average_by)
    assert result.value == pytest.approx(np.mean(defined) if defined else nan, nan_ok=True)
    assert result.groups == len(values)
    assert result.undefined == len(values) - len(defined)
    assert result.skipped == len(rows) - len(values)
    assert result.skipped == (2 if average_by == "item" else 0)


def test_undefined_and_small_groups_are_counted() -> None:
    gold = np.array([[1, 2, 3], [5, 5, 5], [1, nan, nan], [nan, nan, nan]])
    metric = np.array([[1, 2, 3], [1, 2, 3], [1, nan, nan], [1, 2, 3.0]])
    assert grouped(gold, metric, pearson, "system") == Grouped(1.0, 2, 1, 2)
    values = group_coefficients(gold, metric, pearson, "system")
    assert values == pytest.approx([1, nan, nan, nan], nan_ok=True)


def test_no_defined_group_has_no_mean() -> None:
    result = grouped(np.ones((2, 3)), np.ones((2, 3)), kendall_b, "item")
    assert isnan(result.value)
    assert (result.groups, result.undefined, result.skipped) == (3, 3, 0)
    assert isnan(grouped(np.full((2, 3), nan), np.ones((2, 3)), kendall_b, "none").value)


@settings(max_examples=25)
@given(st.integers(0, 1000), st.sampled_from(get_args(AverageBy)))
def test_the_order_of_systems_and_segments_changes_nothing(seed: int, by: AverageBy) -> None:
    gold, metric = random_matrices(seed)
    rng = np.random.default_rng(seed)
    moved = np.ix_(rng.permutation(len(gold)), rng.permutation(gold.shape[1]))
    for coefficient in (spearman, kendall_b, acc_eq):
        there = grouped(gold, metric, coefficient, by)
        back = grouped(gold[moved], metric[moved], coefficient, by)
        assert back.value == pytest.approx(there.value, nan_ok=True)
        assert (back.groups, back.undefined) == (there.groups, there.undefined)


def test_refused_requests() -> None:
    gold = np.array([[1.0, nan], [2.0, 3.0]])
    with pytest.raises(UsageError, match="1 of 3 entries with gold have no metric score"):
        grouped(gold, np.array([[1.0, 1.0], [nan, 2.0]]), pearson)
    with pytest.raises(UsageError, match="1 of 3"):
        grouped(gold, np.array([[1.0, 1.0], [np.inf, 2.0]]), pearson)
    with pytest.raises(UsageError, match="infinite"):
        grouped(gold * np.inf, np.ones((2, 2)), pearson)
    with pytest.raises(UsageError, match="one shape"):
        grouped(gold, np.ones((2, 3)), pearson)
    with pytest.raises(UsageError, match="choose none, system or item"):
        grouped(gold, np.ones((2, 2)), pearson, "segment")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="matrix"):
        grouped(np.ones(3), np.ones(3), pearson)


def test_published_correlations_of_ntcir9(shared_data: Path) -> None:
    """Tables 19 and 20: adequacy against automatic scores, over all systems and without RBMT."""
    folder = shared_data / "ntcir9"
    published = _table(folder / "meta_published.csv")
    kept = [row for row in published if (row["subtask"], row["item"]) != ("JE", "NIST")]
    assert len(published) - len(kept) == 2  # the data lack a NIST score that these two rest on
    for row in kept:
        human = _table(folder / f"adequacy_{row['subtask']}.csv")
        automatic = {
            line["system"]: line[row["item"].lower()]
            for line in _table(folder / f"automatic_{row['subtask']}.csv")
        }
        lines = [line for line in human if row["systems"] == "all" or line["type"] != "RBMT"]
        gold = np.array([float(line["average"]) for line in lines])
        metric = np.array([float(automatic[line["system"]]) for line in lines])
        assert spearman(gold, metric) == pytest.approx(float(row["spearman"]), abs=1e-3)
        assert pearson(gold, metric) == pytest.approx(float(row["pearson"]), abs=1e-3)


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_tau_c_is_that_of_scipy() -> None:
    """The numbers of scipy 1.17.1, kendalltau(variant="c")."""
    gold = np.array([5, 4, 4, 3, 2, 5, 1, 3, 4, 2], dtype=np.float64)
    metric = np.array([0.9, 0.7, 0.8, 0.5, 0.5, 0.85, 0.2, 0.6, 0.6, 0.3])
    assert float(kendall_c(gold, metric)) == pytest.approx(0.925)
    rng = np.random.default_rng(0)
    rows, other = rng.integers(0, 4, (5, 30)), rng.integers(0, 3, (5, 30))
    found = kendall_c(rows.astype(np.float64), other.astype(np.float64))
    expected = [
        stats.kendalltau(*pair, variant="c").statistic for pair in zip(rows, other, strict=True)
    ]
    assert found.tolist() == pytest.approx(expected)
    assert isnan(kendall_c(np.ones(4), np.arange(4.0)))
