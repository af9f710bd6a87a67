"""Bootstrap of summed statistics."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.scores import FloatArray, mean_score as mean_of
from patmark.errors import UsageError
from patmark.stats import (
    Units,
    draw_weights,
    estimate_all,
    percentile_interval,
    resample_totals,
    resampled_scores,
    resampling as resampling_module,
)


def _mean(totals: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        return totals[..., 0] / totals[..., 1]


def _as_statistics(values: FloatArray) -> FloatArray:
    return np.stack([values, np.ones_like(values)], axis=-1)[None]


def test_weights_count_each_draw() -> None:
    weights = np.concatenate(list(draw_weights(7, 50, seed=0)))
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()


def test_weights_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(draw_weights(11, 40, seed=3)))
    monkeypatch.setattr(resampling_module, "_CELLS_AT_ONCE", 30)
    blocks = list(draw_weights(11, 40, seed=3))
    assert len(blocks) > 1
    np.testing.assert_array_equal(np.concatenate(blocks), whole)


def test_totals_equal_a_loop_over_resamples() -> None:
    rng = np.random.default_rng(1)
    statistics = rng.random((2, 9, 3))
    units = Units.choose([None] * 9, "segment")
    totals = resample_totals(statistics, units, 20, seed=5)
    drawn = np.random.default_rng(5).integers(0, 9, size=(20, 9))
    expected = np.stack([statistics[:, row].sum(axis=1) for row in drawn])
    np.testing.assert_allclose(totals, expected)


def test_many_quantities_have_the_draws_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    quantities = [(rng.random((2, 30, 2)), _mean) for _ in range(3)]
    units = Units.choose([str(number // 3) for number in range(30)], "document")
    monkeypatch.setattr(resampling_module, "_CELLS_AT_ONCE", 70)
    for (statistics, _), drawn in zip(
        quantities, resampled_scores(quantities, units, 40, seed=2), strict=True
    ):
        np.testing.assert_allclose(drawn, _mean(resample_totals(statistics, units, 40, seed=2)))


def test_many_quantities_take_little_more_memory_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    quantities = [(np.ones((2, 4000, 10)), _mean) for _ in range(10)]
    size = sum(statistics.nbytes for statistics, _ in quantities)
    monkeypatch.setattr(resampling_module, "_CELLS_AT_ONCE", 20_000)
    units = Units.choose([None] * 4000)
    tracemalloc.start()
    resampled_scores(quantities, units, 50, seed=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < size / 2


def test_units_that_carry_a_measure() -> None:
    statistics = np.zeros((2, 6, 2))
    statistics[0, 1] = statistics[1, 2, 1] = statistics[1, 4, 0] = 1
    documents = ["a", "b", "b", "c", "c", "d"]
    assert Units.choose(documents, "segment").carrying(statistics) == 3
    assert Units.choose(documents, "document").carrying(statistics) == 2


def test_interval_of_a_mean_equals_scipy_like_formula() -> None:
    """The bootstrap interval of a mean is close to the normal one for many values."""
    values = np.random.default_rng(0).normal(10, 2, 4000)
    units = Units.choose([None] * 4000, "segment")
    [[estimate]] = estimate_all([(_as_statistics(values), _mean)], units, 2000, 0)
    assert estimate.ci is not None
    half = 1.96 * values.std() / np.sqrt(4000)
    assert estimate.ci[0] == pytest.approx(values.mean() - half, abs=0.006)
    assert estimate.ci[1] == pytest.approx(values.mean() + half, abs=0.006)


def test_seed_zero_is_a_seed() -> None:
    statistics = _as_statistics(np.arange(30.0))
    units = Units.choose([None] * 30, "segment")
    first, again, other = (
        estimate_all([(statistics, _mean)], units, 500, seed)[0][0].ci for seed in (0, 0, 1)
    )
    assert first == again != other


def test_documents_are_drawn_whole() -> None:
    documents = ["a", "b", "a", "c", "b", "a"]
    units = Units.choose(documents, "document")
    assert (units.kind, units.count) == ("document", 3)
    values = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    totals = units.totals(_as_statistics(values))
    np.testing.assert_array_equal(totals[0, :, 0], [37, 18, 8])
    np.testing.assert_array_equal(totals[0, :, 1], [3, 2, 1])


def test_a_segment_without_document_is_drawn_by_itself() -> None:
    units = Units.choose(["a", None, "a", None, "b"], "document")
    assert units.of_segment.tolist() == [0, 2, 0, 3, 1]


@pytest.mark.parametrize("by", ["segment", "document"])
def test_the_order_of_rows_changes_no_bit(by: str) -> None:
    rng = np.random.default_rng(8)
    ids = [f"s{number}" for number in range(60)]
    documents = [f"d{number // 6}" if number < 54 else None for number in range(60)]
    statistics = _as_statistics(rng.random((3, 60)))[0]
    found = []
    for _ in range(15):
        order = rng.permutation(60)
        units = Units.choose(
            [documents[place] for place in order], by, [ids[place] for place in order]
        )
        some = units.among(np.flatnonzero(np.array(order) % 3 > 0))
        shuffled = statistics[:, order]
        drawn = resample_totals(shuffled, units, 50, 0)
        kept = resample_totals(shuffled[:, np.array(order) % 3 > 0], some, 50, 0)
        [estimates] = estimate_all([(shuffled, _mean)], units, 50, 0)
        found.append((drawn.tobytes(), kept.tobytes(), tuple(estimates)))
    assert len(set(found)) == 1


@pytest.mark.parametrize(("documents", "kind"), [(6, "document"), (5, "segment")])
def test_documents_are_the_default_from_six_on(documents: int, kind: str) -> None:
    names = [str(number % documents) for number in range(60)]
    assert Units.choose(names).kind == kind


@pytest.mark.parametrize("by", [None, "segment", "document"])
@pytest.mark.parametrize(("documents", "silent"), [(2, True), (5, True), (6, False), (60, False)])
def test_nothing_is_significant_below_six_documents(
    documents: int, silent: bool, by: str | None
) -> None:
    """However they are drawn: segments of one document are alike."""
    units = Units.choose([str(number % documents) for number in range(60)], by)
    assert bool(units.too_few) == silent
    assert not silent or units.too_few.startswith(f"{documents} documents are too few")
    assert Units.choose([None] * 60).too_few == ""


def test_segments_of_no_document_are_drawn_by_themselves() -> None:
    units = Units.choose(["P1", "P1", "P1", *[None] * 7])
    assert (units.kind, units.count, units.too_few) == ("document", 8, "")
    assert str(units) == "document (1 document and 7 segments of no document)"
    few = Units.choose(["P1", "P1", None])
    assert few.kind == "segment" and few.too_few.startswith("1 document is too few")


def test_bad_units_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 2 documents, and 1 are known"):
        Units.choose(["a", "a"], "document")
    with pytest.raises(UsageError, match="choose segment or document"):
        Units.choose(["a", "a"], "patent")


def test_correlated_documents_widen_the_interval() -> None:
    rng = np.random.default_rng(2)
    values = np.repeat(rng.normal(0, 1, 40), 25)
    documents = [str(number // 25) for number in range(1000)]
    widths = []
    for by in ("segment", "document"):
        [[estimate]] = estimate_all(
            [(_as_statistics(values), _mean)], Units.choose(documents, by), 1000, 0
        )
        assert estimate.ci is not None
        widths.append(estimate.ci[1] - estimate.ci[0])
    assert widths[1] > 3 * widths[0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.integers(0, 5))
@settings(max_examples=50)
def test_an_interval_holds_its_estimate(numbers: list[float], seed: int) -> None:
    values = np.array(numbers)
    units = Units.choose([None] * len(values), "segment")
    [[estimate]] = estimate_all([(_as_statistics(values), _mean)], units, 50, seed)
    assert estimate.ci is not None
    assert estimate.ci[0] <= estimate.value <= estimate.ci[1]


@pytest.mark.parametrize(("by", "documents"), [("segment", "aaaa"), ("document", "aabb")])
def test_one_unit_gives_no_interval(by: str, documents: str) -> None:
    values = np.array([[5.0, np.nan, np.nan, np.nan], [1.0, 2.0, 3.0, 4.0], [np.nan] * 4])
    known = ~np.isnan(values)
    statistics = np.stack([np.where(known, values, 0), known], axis=-1).astype(np.float64)
    units = Units.choose(list(documents), by)
    [[one, several, none]] = estimate_all([(statistics, mean_of)], units, 50, 0)
    assert (one.value, one.ci, one.n) == (5.0, None, 1)
    assert several.ci is not None and none.ci is None


def test_units_of_some_segments() -> None:
    units = Units.choose(["a", "a", "b", "c", "c"], "document").among(np.array([0, 1, 4]))
    assert (units.kind, units.count, units.of_segment.tolist()) == ("document", 2, [0, 0, 1])


def test_no_resamples_means_no_interval() -> None:
    units = Units.choose([None] * 3, "segment")
    [[estimate]] = estimate_all([(_as_statistics(np.arange(3.0)), _mean)], units, 0, 0)
    assert (estimate.value, estimate.ci, estimate.n) == (1.0, None, 3)


def test_draws_without_a_value_are_left_out_of_the_interval() -> None:
    low, high = percentile_interval(np.array([np.nan, 1.0, 1.0, np.nan]))
    assert (low, high) == (1.0, 1.0)
    assert all(np.isnan(percentile_interval(np.array([np.nan]))))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.sampled_from([0.5, 0.9, 0.95]))
def test_percentiles_are_those_of_numpy(draws: list[float], confidence: float) -> None:
    tail = (1 - confidence) / 2
    expected = np.quantile(draws, [tail, 1 - tail])
    assert percentile_interval(np.array(draws), confidence) == tuple(expected.tolist())
