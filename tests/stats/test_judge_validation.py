"""Half splits, and evaluators against each other."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.scores import FloatArray
from patmark.errors import UsageError
from patmark.stats.correlation import pearson
from patmark.stats.evaluators import (
    between_evaluators,
    half_split,
    pairwise_score,
    pairwise_statistics,
    spearman_brown,
)


def _campaign(
    evaluators: int = 3, systems: int = 8, each: int = 100, noise: float = 1
) -> FloatArray:
    """As in NTCIR-9: each evaluator grades all systems on segments of their own."""
    rng = np.random.default_rng(11)
    quality = np.linspace(2, 4, systems)[:, None]
    values = quality + noise * rng.normal(size=(systems, evaluators * each))
    grades = np.full((evaluators, systems, evaluators * each), nan)
    for evaluator in range(evaluators):
        own = slice(evaluator * each, (evaluator + 1) * each)
        grades[evaluator, :, own] = np.clip(values[:, own].round(), 1, 5)
    return grades


def _scores(grades: FloatArray) -> FloatArray:
    return pairwise_score(pairwise_statistics(grades).sum(axis=1))


def test_the_split_in_order_takes_the_first_half_of_every_evaluator() -> None:
    grades = _campaign(each=10)
    first = np.isin(np.arange(30) % 10, np.arange(5))
    flat = np.nansum(grades, axis=0)
    expected = pearson(_scores(flat[:, first]), _scores(flat[:, ~first]))
    result = half_split(grades, splits=10)
    assert result.in_order == pytest.approx(float(expected))
    assert (result.systems, result.segments, result.random.splits) == (8, (10, 10, 10), 10)


def test_random_splits_surround_their_mean_and_double_by_spearman_brown() -> None:
    result = half_split(_campaign(noise=2), splits=400, seed=3)
    low, high = result.random.interval
    assert low < result.random.mean < high
    assert result.spearman_brown == pytest.approx(2 * result.random.mean / (1 + result.random.mean))
    assert result.spearman_brown > result.random.mean > 0.8
    assert half_split(_campaign(noise=2), splits=400, seed=3) == result


def test_all_splits_of_four_segments() -> None:
    """One evaluator, four segments: the mean over random splits nears that over all six."""
    grades = np.array([[[5, 4, 5, 3], [3, 4, 2, 4], [1, 2, 4, 2], [2, 1, 1, 1]]], float)
    halves = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    exact = []
    for half in halves:
        first = np.isin(np.arange(4), half)
        exact.append(float(pearson(_scores(grades[0][:, first]), _scores(grades[0][:, ~first]))))
    result = half_split(grades, splits=4000, seed=1)
    assert result.in_order == pytest.approx(exact[0])
    assert result.random.mean == pytest.approx(np.mean(exact), abs=0.01)
    assert result.random.interval == pytest.approx((min(exact), max(exact)))


def test_perfect_random_and_constant_evaluators_in_half_splits() -> None:
    perfect = half_split(_campaign(noise=0.0), splits=50)
    assert perfect.in_order == pytest.approx(1) and perfect.random.mean == pytest.approx(1)
    chance = _campaign(systems=30)
    judged = ~np.isnan(chance)
    chance[judged] = np.random.default_rng(4).integers(1, 6, judged.sum())
    assert abs(half_split(chance, splits=300).random.mean) < 0.35
    constant = np.where(judged, 3.0, nan)
    result = half_split(constant, splits=20)
    assert isnan(result.in_order) and isnan(result.spearman_brown)
    assert (result.random.splits, result.random.undefined) == (20, 20)


def test_half_split_needs_two_segments_of_everyone() -> None:
    grades = _campaign(each=4)
    grades[1, :, 5:] = nan
    with pytest.raises(UsageError, match=r"too few has evaluator 1 \(1\)"):
        half_split(grades)
    with pytest.raises(UsageError, match="at least one random split"):
        half_split(_campaign(each=4), splits=0)


def test_segments_without_a_comparison_do_not_count() -> None:
    grades = _campaign(each=6)
    grades[0, 1:, :2] = nan
    assert half_split(grades, splits=5).segments == (4, 6, 6)


def test_between_evaluators_on_their_own_segments() -> None:
    grades = _campaign(each=30)
    pairs = between_evaluators(grades)
    assert [(pair.first, pair.second) for pair in pairs] == [(0, 1), (0, 2), (1, 2)]
    expected = pearson(_scores(grades[0][:, :30]), _scores(grades[2][:, 60:]))
    assert pairs[1].pearson == pytest.approx(float(expected)) and pairs[1].pearson > 0.8
    assert (pairs[1].segments, pairs[1].common, pairs[1].left_out) == ((30, 30), 0, 0)


def test_systems_that_one_did_not_judge_are_left_out_and_counted() -> None:
    grades = _campaign(each=30)
    grades[1, 2] = nan
    pair = between_evaluators(grades)[0]
    kept = [0, 1, 3, 4, 5, 6, 7]
    expected = pearson(_scores(grades[0])[kept], _scores(grades[1])[kept])
    assert (pair.systems, pair.left_out) == (7, 1)
    assert pair.pearson == pytest.approx(float(expected))


def test_a_contrary_and_a_constant_evaluator() -> None:
    grades = _campaign(each=40, noise=0)
    grades[1] = 6 - grades[1]
    grades[2] = np.where(np.isnan(grades[2]), nan, 3)
    contrary, constant, _ = between_evaluators(grades)
    assert contrary.pearson == pytest.approx(-1)
    assert isnan(constant.pearson)


@given(st.permutations(range(3)), st.integers(0, 5))
@settings(deadline=None, derandomize=True, max_examples=10)
def test_names_of_evaluators_do_not_matter(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    grades = rng.integers(1, 6, (3, 5, 12)).astype(float)
    grades[rng.random(grades.shape) < 0.2] = nan
    assert half_split(grades[order], 1).in_order == pytest.approx(half_split(grades, 1).in_order)


def test_a_shared_segment_is_in_one_half_only() -> None:
    """Systems without any difference, graded alike by all: the halves must not agree for that."""
    rng = np.random.default_rng(6)
    segments = rng.normal(size=(12, 40))
    shared = half_split(np.stack([segments] * 4), splits=300)
    alone = half_split(segments[None], splits=300)
    assert shared.random == alone.random and abs(alone.random.mean) < 0.3
    assert (shared.shared, alone.shared, shared.segments) == (40, 0, (40,) * 4)
    assert shared.in_order == alone.in_order


def test_some_shared_segments_beside_own_ones() -> None:
    grades = _campaign(each=10)
    grades[1, :, :4] = grades[0, :, :4]
    grades[2, :, 4] = grades[0, :, 4]
    result = half_split(grades, splits=20)
    assert (result.shared, result.segments) == (5, (10, 14, 11))
    # Own: 5 of the first, 10 and 10 of the others; shared: 5. The second half gets one more of odd.
    first = [5, 6, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24, 0, 1]
    points = pairwise_statistics(grades).sum(axis=(0,))
    sums = points[:, first].sum(axis=1), np.delete(points, first, axis=1).sum(axis=1)
    assert result.in_order == pytest.approx(float(pearson(*map(pairwise_score, sums))))


def test_spearman_brown_of_a_negative_r_is_undefined() -> None:
    """2r / (1 + r) of -0.609 would be -3.116, which is no correlation."""
    assert isnan(spearman_brown(-0.609)) and isnan(spearman_brown(-1))
    assert (spearman_brown(0), spearman_brown(0.5), spearman_brown(1)) == (0, 2 / 3, 1)
