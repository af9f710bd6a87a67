"""Each pair is tested on the segments in which both systems were counted."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest

from patmark.data.scores import FloatArray
from patmark.evaluation.comparison import (
    CompareSettings,
    Comparison,
    MeasureComparison,
    Pair,
    TestName,
    compare,
)
from patmark.evaluation.scoring import Sampling
from patmark.stats import Units, bootstrap_pairs, randomise_pairs, resampled_scores, tail_beyond
from score_arrays import scores_of

_TRIALS, _RESAMPLES = 300, 100


def _settings(test: TestName = "randomisation", by: str | None = None) -> CompareSettings:
    return CompareSettings(Sampling(_RESAMPLES, by=by), test, _TRIALS)


def _compared(
    values: FloatArray, documents: list[str | None] | None = None,
    settings: CompareSettings | None = None,
) -> MeasureComparison:  # fmt: skip
    return _all(values, documents, settings).measures["m"]


def _all(
    values: FloatArray, documents: list[str | None] | None = None,
    settings: CompareSettings | None = None,
) -> Comparison:  # fmt: skip
    scores = {"m": scores_of(values.tolist())}
    return compare(scores, documents or [None] * values.shape[1], settings or _settings())


def _numbers(pair: Pair) -> tuple[float, ...]:
    return (pair.delta, *pair.ci, pair.p, pair.detectable)


def _grades(seed: int, systems: int = 3, segments: int = 60) -> FloatArray:
    rng = np.random.default_rng(seed)
    return rng.normal(np.arange(systems)[:, None] * 0.3, 1, (systems, segments))


def test_systems_without_a_common_segment_are_not_tested() -> None:
    """One judged on the first half by one person, one on the second half by another."""
    values = _grades(0, 2) + np.array([[5.0], [0.0]])
    values[0, 30:] = values[1, :30] = nan
    result = _all(values)
    [pair] = result.measures["m"].pairs
    assert all(map(isnan, (pair.delta, pair.p, pair.p_holm, pair.units_needed)))
    assert pair.ci is None
    assert (pair.n, pair.units, pair.significant) == (0, 0, False)
    assert result.measures["m"].clusters is None
    assert result.measures["m"].no_verdict == "no two systems have a score in the same segment"
    assert not result.measures["m"].testable
    [read] = result.to_json()["measures"]["m"]["pairs"]
    assert (read["common"], read["delta"], read["p"], read["ci"]) == (0, None, None, [None, None])


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "bootstrap-sacrebleu"])
@pytest.mark.parametrize("by", ["segment", "document"])
def test_a_pair_is_tested_as_if_there_were_only_its_common_segments(
    test: TestName, by: str
) -> None:
    values = _grades(1)
    values[0, :20] = values[1, 40:] = nan
    documents: list[str | None] = [str(segment // 4) for segment in range(60)]
    settings = _settings(test, by)
    pairs = _compared(values, documents, settings).pairs
    for pair, systems, kept in zip(
        pairs, ([0, 1], [0, 2], [1, 2]), (slice(20, 40), slice(20, 60), slice(0, 40)), strict=True
    ):
        [alone] = _compared(values[systems, kept], documents[kept], settings).pairs
        assert _numbers(pair)[:4] == _numbers(alone)[:4]
        assert pair.sign == alone.sign and pair.n == kept.stop - kept.start
        assert pair.units == pair.n // (4 if by == "document" else 1)


def test_pairs_that_lack_nothing_keep_the_shared_draws() -> None:
    values = _grades(2, 4)
    whole = _compared(values).pairs
    values[3, 10:] = nan
    partly = _compared(values).pairs
    for one, other in zip(whole, partly, strict=True):
        if "s3" not in (one.first, one.second):
            assert (one.delta, one.ci, one.p) == (other.delta, other.ci, other.p)
            assert (other.n, other.units) == (60, 60)
        else:
            assert other.n == 10


def test_without_gaps_the_tests_are_those_of_all_segments() -> None:
    values = _grades(3)
    scores, units = scores_of(values.tolist()), Units.choose([None] * 60, "segment")
    quantity = [(scores.statistics, scores.score)]
    [draws] = resampled_scores(quantity, units, _RESAMPLES, 0)
    tails = [tail_beyond(np.ones(60))] * 3
    intervals = bootstrap_pairs(draws, scores.system_scores, tails=tails)
    [tests] = randomise_pairs(quantity, units, _TRIALS, 0)
    compared = _compared(values)
    assert [(pair.delta, pair.ci, pair.p) for pair in compared.pairs] == [
        (one.delta, one.ci, test.p) for one, test in zip(intervals, tests, strict=True)
    ]
    assert not compared.unequal and set(compared.counted.values()) == {60}


def test_a_difference_against_the_ranking_does_not_part_systems() -> None:
    """s0 is worse than s1 wherever both were judged, and better over all its segments."""
    values = np.array([[1.0] * 20 + [9.0] * 40, [2.0] * 20 + [nan] * 40])
    compared = _compared(values)
    [pair] = compared.pairs
    assert pair.delta == -1 and pair.significant
    assert compared.ranking == ("s0", "s1") and compared.clusters == (("s0", "s1"),)
    assert compared.rank_ranges == {"s0": (1, 2), "s1": (1, 2)}


def test_one_common_unit_gives_a_difference_without_an_interval() -> None:
    values = np.array([[4.0, 5.0, nan, nan], [nan, 3.0, 2.0, 1.0]])
    [pair] = _compared(values).pairs
    assert (pair.delta, pair.p, pair.n) == (2.0, 1.0, 1) and pair.ci is None


def test_a_check_has_looked_at_segments_in_which_it_counted_nothing() -> None:
    """Only s0 invents something in the last segment; the pair is compared there too."""
    statistics = np.array([[[1.0, 1.0]] * 9 + [[0.0, 1.0]], [[1.0, 1.0]] * 9 + [[0.0, 0.0]]])
    checked = replace(scores_of([[1.0] * 10] * 2, "reference-signs"), statistics=statistics)
    result = compare({"reference-signs": checked}, [None] * 10, _settings())
    compared = result.measures["reference-signs"]
    [pair] = compared.pairs
    assert pair.delta == pytest.approx(-0.1) and (pair.n, pair.units) == (10, 10)
    assert not compared.unequal
