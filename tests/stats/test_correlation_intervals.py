"""Bootstrap intervals of correlations against plain loops; coverage; what has no value."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy.stats import pearsonr

from agreement_coverage import Draw, coverage, of_alpha, of_segments, of_strength, of_systems
from patmark.data import ratio
from patmark.data.scores import FloatArray
from patmark.errors import UsageError
from patmark.stats import correlation_intervals as intervals_module
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
    CorrelationInterval,
    _kendall_variance,
    check_shapes,
    correlation_interval,
    drawn_systems,
    interval_of,
    segment_intervals,
)
from patmark.stats.intervals import percentile_interval, tail_beyond
from patmark.stats.resampling import (
    Units,
    draw_weights,
    resample_totals,
)

SYSTEMS, SEGMENTS, DRAWS = 5, 20, 40
_MANY = np.ones(10_000)  # so many units have plain percentiles


def _data(seed: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    gold = np.round(rng.normal(size=(SYSTEMS, SEGMENTS)) + np.arange(SYSTEMS)[:, None] / 2, 1)
    metrics = np.round(gold + rng.normal(size=(2, SYSTEMS, SEGMENTS)), 1) + 100
    gold[rng.random(gold.shape) < 0.2] = np.nan
    return gold, metrics


def _segments(count: int) -> Units:
    return Units.choose([None] * count, "segment")


def _documents(count: int, size: int) -> Units:
    return Units.choose([str(place // size) for place in range(count)], "document")


def _drawn_columns(units: Units, seed: int) -> list[list[int]]:
    """For each resample the positions of its segments, as often as they were drawn."""
    weights = np.concatenate(list(draw_weights(units.count, DRAWS, seed)))
    return [
        np.repeat(np.arange(len(units.of_segment)), row[units.of_segment].astype(int)).tolist()
        for row in weights
    ]


def _expected(value: float, draws: list[float], sizes: FloatArray = _MANY) -> CorrelationInterval:
    low, high = percentile_interval(np.array(draws), 1 - 2 * tail_beyond(sizes))
    undefined = int(np.count_nonzero(np.isnan(draws)))
    return CorrelationInterval(
        value, (min(low, value), max(high, value)), DRAWS - undefined, undefined
    )


def _assert_equal(found: CorrelationInterval, expected: CorrelationInterval) -> None:
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert found.ci == pytest.approx(expected.ci, abs=1e-12)
    assert (found.draws, found.undefined) == (expected.draws, expected.undefined)


@pytest.mark.parametrize("units", [_segments(SEGMENTS), _documents(SEGMENTS, 3)], ids=str)
@pytest.mark.parametrize(
    ("coefficient", "average_by"),
    [
        (pearson, "none"),
        (pearson, "system"),
        (pearson, "item"),
        (spearman, "none"),
        (spearman, "system"),
        (spearman, "item"),
        (kendall_b, "item"),
        (acc_eq, "item"),
    ],
)
def test_segments_equal_a_loop(
    coefficient: Coefficient, average_by: AverageBy, units: Units
) -> None:
    gold, metrics = _data(1)
    found = segment_intervals(gold, metrics, units, coefficient, average_by, DRAWS, seed=2)
    for metric, interval in zip(metrics, found, strict=True):
        draws = [
            grouped(gold[:, drawn], metric[:, drawn], coefficient, average_by).value
            for drawn in _drawn_columns(units, 2)
        ]
        value = grouped(gold, metric, coefficient, average_by).value
        _assert_equal(interval, _expected(value, draws, units.sizes(np.ones(SEGMENTS, bool))))


def mean_distance(gold: FloatArray, metric: FloatArray) -> FloatArray:
    """A coefficient that compares every system with every other, itself included."""
    return np.asarray(np.abs(gold - metric).mean(axis=-1))


def system_intervals(
    gold: FloatArray,
    metrics: FloatArray,
    units: Units,
    coefficient: Coefficient = pearson,
    resample_systems: bool = True,
    resamples: int = 2000,
    seed: int = 0,
) -> list[CorrelationInterval]:
    """Interval of the correlation between mean scores of systems, for each metric."""
    check_shapes(gold, metrics, units, resamples)
    present = ~np.isnan(gold)
    tables = np.where(present, np.stack([present, gold, *metrics]), 0.0)
    per_segment = np.moveaxis(tables, 0, -1)

    def means(sums: FloatArray) -> list[FloatArray]:
        return [ratio(sums[..., table], sums[..., 0]) for table in range(1, sums.shape[-1])]

    human, *scores = means(resample_totals(per_segment, units, resamples, seed))
    observed_human, *observed = means(per_segment.sum(axis=1))
    found = []
    for own, drawn in zip(observed, scores, strict=True):
        draws = drawn_systems(
            observed_human, own, coefficient, resamples, seed,
            gold_draws=human, metric_draws=drawn, resample_systems=resample_systems,
        )  # fmt: skip
        found.append(interval_of(float(coefficient(observed_human, own)), draws, _MANY))
    return found


def _of_means(coefficient: Coefficient, gold: FloatArray, metric: FloatArray) -> float:
    if np.isnan(gold).all(axis=1).any():
        return float("nan")
    means = np.nanmean(np.where(np.isnan(gold), np.nan, metric), axis=1)
    return float(coefficient(np.nanmean(gold, axis=1), means))


@pytest.mark.parametrize("units", [_segments(SEGMENTS), _documents(SEGMENTS, 4)], ids=str)
@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall_b, acc_eq])
def test_systems_equal_a_loop(coefficient: Coefficient, units: Units) -> None:
    gold, metrics = _data(3)
    gold[0, 4:] = np.nan
    found = system_intervals(gold, metrics, units, coefficient, False, DRAWS, seed=5)
    for metric, interval in zip(metrics, found, strict=True):
        draws = [
            _of_means(coefficient, gold[:, drawn], metric[:, drawn])
            for drawn in _drawn_columns(units, 5)
        ]
        _assert_equal(interval, _expected(_of_means(coefficient, gold, metric), draws))
    assert found[0].undefined > 0 or units.kind == "segment"


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall_b])
def test_drawn_systems_equal_a_loop(coefficient: Coefficient) -> None:
    gold, metrics = _data(6)
    units = _segments(SEGMENTS)
    [found, _] = system_intervals(gold, metrics, units, coefficient, True, DRAWS, seed=7)
    chosen = np.random.default_rng([7, 1]).integers(0, SYSTEMS, size=(DRAWS, SYSTEMS))
    draws = [
        _of_means(coefficient, gold[systems][:, drawn], metrics[0][systems][:, drawn])
        for systems, drawn in zip(chosen, _drawn_columns(units, 7), strict=True)
    ]
    _assert_equal(found, _expected(_of_means(coefficient, gold, metrics[0]), draws))


def test_system_drawn_twice_is_not_compared_with_itself() -> None:
    """A metric that orders all systems the wrong way is never right, whatever is drawn."""
    gold = np.repeat(np.arange(4.0), 10).reshape(4, 10)
    [found] = system_intervals(gold, -gold[None], _segments(10), acc_eq, resamples=500)
    assert (found.value, found.ci) == (0, (0, 0))
    same_system = 500 / 4**3
    assert 1 <= found.undefined <= 3 * same_system
    assert found.draws + found.undefined == 500


def test_other_coefficients_are_refused_where_they_would_be_wrong() -> None:
    gold, metrics = _data(8)
    units = _segments(SEGMENTS)
    with pytest.raises(UsageError, match="compare a system with itself"):
        system_intervals(gold, metrics, units, mean_distance)
    with pytest.raises(UsageError, match="average by item"):
        segment_intervals(gold, metrics, units, kendall_b, "none")
    with pytest.raises(UsageError, match="at least one resample"):
        segment_intervals(gold, metrics, units, resamples=0)
    with pytest.raises(UsageError, match="units of 3 segments"):
        system_intervals(gold, metrics, _segments(3))
    with pytest.raises(UsageError, match="metrics, systems, segments"):
        segment_intervals(gold, metrics[0], units)


@pytest.mark.parametrize("average_by", ["none", "system", "item"])
@pytest.mark.parametrize("coefficient", [pearson, spearman])
def test_constant_metric_has_no_interval(coefficient: Coefficient, average_by: AverageBy) -> None:
    gold, metrics = _data(9)
    constant = np.full_like(metrics[:1], 0.1)
    units = _segments(SEGMENTS)
    [found] = segment_intervals(gold, constant, units, coefficient, average_by, 30)
    assert isnan(found.value)
    assert isnan(found.ci[0])
    assert (found.draws, found.undefined) == (0, 30)


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, metrics = _data(10)
    units = _documents(SEGMENTS, 2)
    whole = segment_intervals(gold, metrics, units, spearman, "none", DRAWS)
    monkeypatch.setattr(intervals_module, "_CELLS_AT_ONCE", 3 * gold.size)
    assert segment_intervals(gold, metrics, units, spearman, "none", DRAWS) == whole


def test_intervals_hold_the_estimate_and_shrink() -> None:
    rng = np.random.default_rng(11)
    widths = []
    for segments in (50, 800):
        gold = rng.normal(size=(4, segments))
        metrics = gold[None] + rng.normal(size=(1, 4, segments))
        [found] = segment_intervals(gold, metrics, _segments(segments), pearson, "none", 500)
        assert found.ci[0] < found.value < found.ci[1]
        widths.append(found.ci[1] - found.ci[0])
    assert 3 < widths[0] / widths[1] < 5.3


def test_drawing_systems_widens_the_interval() -> None:
    rng = np.random.default_rng(12)
    quality = rng.normal(size=(2, 8, 1))
    gold = quality[0] + rng.normal(size=(8, 100))
    metrics = quality.sum(axis=0)[None] + rng.normal(size=(1, 8, 100))
    fixed, drawn = (
        system_intervals(gold, metrics, _segments(100), resample_systems=systems, resamples=500)[0]
        for systems in (False, True)
    )
    assert drawn.ci[1] - drawn.ci[0] > 2 * (fixed.ci[1] - fixed.ci[0])


def test_coverage_is_near_the_nominal_one() -> None:
    """Documents of three segments share their noise; the true correlation is known."""
    rng = np.random.default_rng(13)
    units = _documents(180, 3)
    hits = 0
    for trial in range(200):
        gold, noise = rng.normal(size=(2, 2, 60))[..., np.arange(180) // 3]
        [found] = segment_intervals(gold, (gold + noise)[None], units, pearson, "none", 200, trial)
        hits += found.ci[0] <= np.sqrt(0.5) <= found.ci[1]
    assert 0.88 <= hits / 200 <= 0.98


def test_fisher_intervals_equal_scipy_and_published_formulas() -> None:
    """Pearson: scipy's confidence_interval. Spearman: by hand from the paper."""
    rng = np.random.default_rng(14)
    x = rng.normal(size=12)
    y = x + rng.normal(size=12)
    found = pearsonr(x, y)
    expected = found.confidence_interval(0.95)
    assert correlation_interval(pearson, found.statistic, 12) == pytest.approx(tuple(expected))
    # atanh(.8) ± 1.959964·√((1 + .32)/9)
    assert correlation_interval(spearman, 0.8, 12) == pytest.approx((0.334604, 0.951673), abs=1e-5)


def test_fisher_has_no_interval_for_perfect_or_few() -> None:
    assert correlation_interval(pearson, 1.0, 10) is None
    assert correlation_interval(pearson, 0.5, 3) is None
    assert correlation_interval(kendall_b, 0.5, 4) is None


@pytest.mark.parametrize("systems", [5, 8, 15])
def test_fisher_intervals_of_few_systems_cover(systems: int) -> None:
    """A bootstrap over systems covered 87 % with five systems, 89 % with eight."""
    rng = np.random.default_rng(15)
    x = rng.normal(size=(1000, systems))
    y = 0.7 * x + np.sqrt(1 - 0.49) * rng.normal(size=x.shape)
    ends = [correlation_interval(pearson, float(r), systems) for r in pearson(x, y)]
    covered = [low <= 0.7 <= high for low, high in filter(None, ends)]
    assert 0.93 <= np.mean(covered) <= 0.97


def test_the_variance_of_kendall_is_that_of_normal_scores() -> None:
    """Without a correlation it is 2(2n + 5)/9n(n − 1), as published; else as simulated."""
    assert _kendall_variance(0.0, 8) == pytest.approx(2 * 21 / (9 * 8 * 7))
    rng = np.random.default_rng(16)
    x = rng.normal(size=(20_000, 8))
    y = 0.9 * x + np.sqrt(0.19) * rng.normal(size=x.shape)
    truth = 2 / np.pi * np.arcsin(0.9)
    assert np.var(kendall_b(x, y)) == pytest.approx(_kendall_variance(truth, 8), rel=0.05)


@pytest.mark.parametrize("value", [-1.0, -0.3, 0.6, 1.0])
def test_ends_of_kendall_lie_two_of_their_own_errors_away(value: float) -> None:
    low, high = correlation_interval(kendall_b, value, 12) or (0.0, 0.0)
    assert -1 <= low <= value <= high <= 1
    for end in (low, high):
        if abs(end) < 1:
            away = 1.959964 * np.sqrt(_kendall_variance(end, 12))
            assert abs(end - value) == pytest.approx(away, rel=1e-4)
    assert correlation_interval(kendall_b, value, 4) is None


def test_intervals_of_kendall_hold_high_correlations_of_few_systems() -> None:
    """Fisher's z with a variance of 0.437/(n − 4) held 89 % of them."""
    assert 0.93 <= coverage(of_systems(kendall_b, 0.9), 8, 600) <= 0.98


@pytest.mark.parametrize("draw", [of_segments(pearson, "item"), of_alpha, of_strength])
def test_resampled_intervals_are_expanded_with_few_documents(draw: Draw) -> None:
    """Plain percentiles of 6 documents hold the truth in 77 to 85 %."""
    assert coverage(draw, 6, 120) >= 0.87
