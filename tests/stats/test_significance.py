"""Paired bootstrap and approximate randomisation: against sacreBLEU, by hand, by simulation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import isnan
from typing import Any, TypeAlias

import numpy as np
import pytest
import sacrebleu.metrics
from sacrebleu.significance import PairedTest as SacrebleuTest

from patmark.data.model import TestSet
from patmark.data.scores import FloatArray, ScoreFunction
from patmark.errors import UsageError
from patmark.examples import example_path
from patmark.measures.registry import parse_measure
from patmark.stats import significance
from patmark.stats.resampling import Units, resample_totals
from patmark.stats.significance import (
    PairedTest,
    bootstrap_pairs,
    draw_signs,
    randomise_pairs,
    system_pairs,
)

MEASURES = {"BLEU": "BLEU", "chrF": "chrF2", "TER": "TER"}
DRAWS = 1000
SACREBLEU_SEED = 12345
Peer: TypeAlias = dict[str, dict[str, list[Any]]]


@dataclass(frozen=True)
class Examples:
    """Systems mixed from the example systems, the first two of about the same quality."""

    references: list[str]
    systems: list[list[str]]
    quantities: dict[str, tuple[FloatArray, ScoreFunction]]
    units: Units


@pytest.fixture(scope="module")
def examples() -> Examples:
    folder = example_path("ja_en")
    names = ("reference", "atlas", "borealis", "cobalt")
    references, good, fair, poor = (
        (folder / f"{name}.en").read_text(encoding="utf-8").splitlines() for name in names
    )
    rows = list(enumerate(zip(good, fair, strict=True)))
    systems = [
        [row[number % 2] for number, row in rows],
        [row[1 - number % 2] for number, row in rows],
        [row[number // 3 % 2] for number, row in rows],
        [row[number % 7 == 0] for number, row in rows],
        poor,
    ]
    test_set = TestSet.of(references)
    quantities = {}
    for name in MEASURES:
        measure = parse_measure(name)
        counted = np.stack([measure.statistics(test_set, system) for system in systems])
        quantities[name] = (counted, measure.score)
    return Examples(references, systems, quantities, Units.choose([None] * len(rows), "segment"))


@pytest.fixture(scope="module")
def peer(examples: Examples) -> Peer:
    """What sacreBLEU 2.6.0 finds for the first system against each other one, by both tests."""
    metrics = {name: getattr(sacrebleu.metrics, name.upper())() for name in MEASURES}
    named = [(str(number), system) for number, system in enumerate(examples.systems)]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SACREBLEU_SEED", str(SACREBLEU_SEED))
        return {
            kind: SacrebleuTest(named, metrics, [examples.references], kind, DRAWS)()[1]
            for kind in ("bs", "ar")
        }


def _half_width(draws: FloatArray) -> float:
    """Of the 95 % interval as sacreBLEU takes it."""
    ordered, outside = np.sort(draws), len(draws) // 40
    return float(ordered[-outside - 1] - ordered[outside]) / 2


def _mean(totals: FloatArray) -> FloatArray:
    return np.asarray(totals[..., 0] / totals[..., 1])


def _as_statistics(values: FloatArray) -> FloatArray:
    return np.stack([values, np.ones_like(values)], axis=-1)


def _segments(count: int) -> Units:
    return Units.choose([None] * count, "segment")


# sacreBLEU


def test_bootstrap_equals_sacrebleu_2_6_0_on_the_same_indices(
    examples: Examples, peer: Peer
) -> None:
    theirs = peer["bs"]
    count = len(examples.references)
    indices = np.random.default_rng(SACREBLEU_SEED).choice(count, size=(DRAWS, count))
    weights = np.stack([np.bincount(row, minlength=count) for row in indices]).astype(float)
    for name, (statistics, score) in examples.quantities.items():
        draws = score(np.moveaxis(weights @ statistics, 0, 1))
        ours = bootstrap_pairs(draws, score(statistics.sum(axis=1)), "sacrebleu")
        against_first = [test.p for test in ours if test.first == 0]
        results = theirs[MEASURES[name]]
        assert against_first == [result.p_value for result in results[1:]]
        for system, result in enumerate(results):
            assert draws[:, system].mean() == pytest.approx(result.mean, rel=1e-6)
            assert _half_width(draws[:, system]) == pytest.approx(result.ci, rel=1e-5)
        np.testing.assert_allclose(
            draws, score(resample_totals(statistics, examples.units, DRAWS, SACREBLEU_SEED))
        )


def test_bootstrap_agrees_with_sacrebleu_2_6_0_on_other_draws(
    examples: Examples, peer: Peer
) -> None:
    theirs = peer["bs"]
    for name, (statistics, score) in examples.quantities.items():
        draws = score(resample_totals(statistics, examples.units, 4 * DRAWS, 0))
        ours = bootstrap_pairs(draws, score(statistics.sum(axis=1)), "sacrebleu")
        for test, result in zip(ours, theirs[MEASURES[name]][1:], strict=False):
            assert test.p == pytest.approx(result.p_value, abs=_error(result.p_value))
            half_width = _half_width(draws[:, test.second])
            assert half_width == pytest.approx(result.ci, rel=0.08)


def _error(p: float) -> float:
    """Four standard errors of the difference of two estimates of p, and a draw."""
    return 4 * float(np.sqrt(p * (1 - p) * (1 / DRAWS + 1 / (4 * DRAWS)))) + 1 / DRAWS


def test_randomisation_equals_sacrebleu_2_6_0_on_the_same_exchanges(
    examples: Examples, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for equal differences, which sacreBLEU does not count and patmark does."""
    theirs = peer["ar"]

    def selections(units: int, trials: int, seed: int) -> Iterator[FloatArray]:
        rng = np.random.default_rng(SACREBLEU_SEED)
        yield 2.0 * rng.integers(2, size=(trials, units), dtype=bool) - 1

    monkeypatch.setattr(significance, "draw_signs", selections)
    monkeypatch.setattr(significance, "_ROUNDING", -significance._ROUNDING)
    ours = randomise_pairs(list(examples.quantities.values()), examples.units, DRAWS, 0)
    for name, tests in zip(examples.quantities, ours, strict=True):
        against_first = [test.p for test in tests if test.first == 0]
        assert against_first == [result.p_value for result in theirs[MEASURES[name]][1:]]
        assert 0.05 < against_first[0] < 1


def test_randomisation_agrees_with_sacrebleu_2_6_0_on_other_draws(
    examples: Examples, peer: Peer
) -> None:
    theirs = peer["ar"]
    ours = randomise_pairs(list(examples.quantities.values()), examples.units, 4 * DRAWS, 0)
    for name, tests in zip(examples.quantities, ours, strict=True):
        for test, result in zip(tests, theirs[MEASURES[name]][1:], strict=False):
            assert test.p == pytest.approx(result.p_value, abs=_error(result.p_value))


def test_both_bootstrap_conventions_and_randomisation_tell_the_same_story(
    examples: Examples,
) -> None:
    statistics, score = examples.quantities["BLEU"]
    observed = score(statistics.sum(axis=1))
    draws = score(resample_totals(statistics, examples.units, 4000, 0))
    shift, moses = (bootstrap_pairs(draws, observed, name) for name in ("shift", "sacrebleu"))
    [exchanged] = randomise_pairs([(statistics, score)], examples.units, 4000, 0)
    for ours, theirs, exchange in zip(shift, moses, exchanged, strict=True):
        assert ours.delta == exchange.delta == observed[ours.first] - observed[ours.second]
        assert ours.p == pytest.approx(exchange.p, abs=0.06)
        assert theirs.p <= ours.p
        assert ours.ci is not None and ours.ci[0] <= ours.delta <= ours.ci[1]
        assert exchange.ci is None


# Exchanges


def test_signs_are_one_or_minus_one_with_equal_chance() -> None:
    signs = np.concatenate(list(draw_signs(130, 2000, seed=0)))
    assert signs.shape == (2000, 130)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 0.01
    assert np.abs(np.corrcoef(signs, rowvar=False) - np.eye(130)).max() < 0.12


@pytest.mark.parametrize("units", [1, 3, 64, 65])
def test_signs_do_not_depend_on_block_size_or_number_of_trials(
    units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = np.concatenate(list(draw_signs(units, 41, seed=3)))
    monkeypatch.setattr(significance, "_CELLS_AT_ONCE", 5 * units)
    blocks = list(draw_signs(units, 41, seed=3))
    assert len(blocks) == 9
    np.testing.assert_array_equal(np.concatenate(blocks), whole)
    np.testing.assert_array_equal(np.concatenate(list(draw_signs(units, 20, 3))), whole[:20])


def test_seed_zero_is_a_seed(examples: Examples) -> None:
    quantities = [examples.quantities["BLEU"]]
    first, again, other = (
        randomise_pairs(quantities, examples.units, 500, seed) for seed in (0, 0, 1)
    )
    assert first == again != other


def test_exchanges_follow_the_definition() -> None:
    """A loop over trials and segments, with documents exchanged whole."""
    rng = np.random.default_rng(2)
    statistics = np.stack([rng.random((2, 12)), rng.integers(1, 9, (2, 12))], axis=-1)
    units = Units.choose(list("aabcccdeefgh"), "document")
    observed = _mean(statistics.sum(axis=1))
    beyond = 0
    for row in np.concatenate(list(draw_signs(8, 200, seed=1))):
        swapped = (row < 0)[units.of_segment][:, None]
        first = np.where(swapped, statistics[1], statistics[0]).sum(axis=0)
        second = np.where(swapped, statistics[0], statistics[1]).sum(axis=0)
        difference = abs(_mean(first) - _mean(second))
        beyond += difference >= abs(observed[0] - observed[1]) - 1e-12
    [[test]] = randomise_pairs([(statistics, _mean)], units, 200, 1)
    assert test.p == (beyond + 1) / 201


@pytest.mark.parametrize("trials", [256, 1000, 10_000])
def test_few_units_are_exchanged_in_every_way_once(trials: int) -> None:
    rng = np.random.default_rng(2)
    values = rng.random((2, 8)) + np.array([[0.1], [0.3]])
    statistics = np.stack([values, np.ones((2, 8))], axis=-1)
    differences = statistics[0, :, 0] - statistics[1, :, 0]
    signs = np.array(list(product([-1, 1], repeat=8)))
    exact = np.mean(np.abs(signs @ differences) >= abs(differences.sum()) - 1e-12)
    for seed in range(3):
        [[test]] = randomise_pairs([(statistics, _mean)], _segments(8), trials, seed)
        assert test.p == exact
        assert not test.p_bound


def test_a_difference_that_no_trial_reaches_has_a_bound_as_p() -> None:
    statistics = np.stack([np.array([np.ones(40), np.zeros(40)]), np.ones((2, 40))], axis=-1)
    [[test]] = randomise_pairs([(statistics, _mean)], _segments(40), 99, 0)
    assert (test.p, test.p_bound) == (0.01, True)
    same = np.repeat(statistics[:1], 2, axis=0)
    [[equal]] = randomise_pairs([(same, _mean)], _segments(40), 99, 0)
    assert (equal.p, equal.p_bound) == (1.0, False)


@pytest.mark.parametrize(("interval", "significant"), [
    ((-1.0, 0.87), False), ((0.0, 0.9), False), ((0.1, 0.9), True), (None, True),
])  # fmt: skip
def test_a_difference_is_significant_only_if_its_interval_agrees(
    interval: tuple[float, float] | None, significant: bool
) -> None:
    test = PairedTest(0, 1, 0.5, interval, 0.03, p_holm=0.03)
    assert test.significant is significant


def test_few_differing_segments_give_the_exact_p() -> None:
    """Four of 5,000 segments differ, so that equal differences are frequent and must count."""
    values = np.random.default_rng(0).random(5000)
    other = values.copy()
    gains = np.array([0.1, 0.2, 0.3, 0.7])
    other[[7, 1999, 3000, 4711]] += gains
    sums = [abs(np.dot(signs, gains)) for signs in product([-1, 1], repeat=4)]
    exact = np.mean(np.array(sums) >= gains.sum() - 1e-9)
    [[test]] = randomise_pairs(
        [(_as_statistics(np.stack([values, other])), _mean)], _segments(5000), 4000, 0
    )
    assert test.p == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(("errors", "p"), [(1, 1.0), (3, 0.25)])
def test_another_length_makes_no_error_significant(errors: int, p: float) -> None:
    """Errors per word: one system is shorter throughout, and only some segments have errors."""
    words = np.stack([np.full(40, 20.0), np.full(40, 15.0)])
    wrong = np.zeros((2, 40))
    wrong[1, :errors] = 1.0
    statistics = np.stack([wrong, words], axis=-1)
    for bound in (False, True):
        [[test]] = randomise_pairs(
            [(statistics, _mean)], _segments(40), 10_000, 0, tail_bound=bound
        )
        assert test.p == p


# What must not change a result


def test_identical_systems_cannot_be_told_apart(examples: Examples) -> None:
    for statistics, score in examples.quantities.values():
        twice = statistics[[0, 0]]
        [[exchanged]] = randomise_pairs([(twice, score)], examples.units, 200, 0)
        assert (exchanged.delta, exchanged.p) == (0, 1)
        draws = score(resample_totals(twice, examples.units, 200, 0))
        [shift] = bootstrap_pairs(draws, score(twice.sum(axis=1)))
        assert (shift.delta, shift.ci, shift.p) == (0, None, 1)


def test_order_and_company_of_systems_and_quantities_change_nothing(examples: Examples) -> None:
    noise = np.random.default_rng(0).random((5, len(examples.references)))
    quantities = [*examples.quantities.values(), (_as_statistics(noise), _mean)]
    together = randomise_pairs(quantities, examples.units, 300, 0)
    for (statistics, score), tests in zip(quantities, together, strict=True):
        [moved] = randomise_pairs([(statistics[::-1], score)], examples.units, 300, 0)
        back = {(4 - test.second, 4 - test.first): test for test in moved}
        for test in tests:
            there = back[test.first, test.second]
            assert (there.delta, there.p) == (-test.delta, test.p)
            two = [(statistics[[test.first, test.second]], score)]
            [[alone]] = randomise_pairs(two, examples.units, 300, 0)
            assert (alone.delta, alone.p) == (test.delta, test.p)


def test_block_size_changes_nothing(examples: Examples, monkeypatch: pytest.MonkeyPatch) -> None:
    quantities = list(examples.quantities.values())
    whole = randomise_pairs(quantities, examples.units, 300, 0)
    monkeypatch.setattr(significance, "_CELLS_AT_ONCE", 1000)
    assert randomise_pairs(quantities, examples.units, 300, 0) == whole


def test_order_of_systems_changes_no_bootstrap_result(examples: Examples) -> None:
    statistics, score = examples.quantities["chrF"]
    observed = score(statistics.sum(axis=1))
    draws = score(resample_totals(statistics, examples.units, 500, 0))
    tests = bootstrap_pairs(draws, observed)
    back = {
        (4 - test.second, 4 - test.first): test
        for test in bootstrap_pairs(draws[:, ::-1], observed[::-1])
    }
    for test in tests:
        there = back[test.first, test.second]
        assert (there.delta, there.p) == (-test.delta, test.p)
        assert test.ci is not None and there.ci is not None
        assert (-there.ci[1], -there.ci[0]) == pytest.approx(test.ci)


@pytest.mark.parametrize("scale", [1e-20, 1e20])
def test_the_scale_of_scores_changes_no_p(scale: float) -> None:
    values = np.random.default_rng(5).random((2, 60))
    results = []
    for factor in (1.0, scale):
        statistics = _as_statistics(values * factor)
        draws = _mean(resample_totals(statistics, _segments(60), 500, 0))
        [shift] = bootstrap_pairs(draws, _mean(statistics.sum(axis=1)))
        [[exchanged]] = randomise_pairs([(statistics, _mean)], _segments(60), 500, 0)
        results.append((shift.p, exchanged.p))
    assert results[0] == results[1]


# Borders


def test_pairs_of_systems() -> None:
    assert system_pairs(3) == [(0, 1), (0, 2), (1, 2)]
    assert system_pairs(1) == system_pairs(0) == []


def test_one_system_or_no_quantity(examples: Examples) -> None:
    statistics, score = examples.quantities["BLEU"]
    assert randomise_pairs([(statistics[:1], score)], examples.units, 10, 0) == [[]]
    assert randomise_pairs([], examples.units, 10, 0) == []
    assert bootstrap_pairs(np.zeros((10, 1)), np.zeros(1)) == []


def test_no_trials_are_refused(examples: Examples) -> None:
    with pytest.raises(UsageError, match="at least one trial, not 0"):
        randomise_pairs([], examples.units, 0, 0)


def test_scores_without_a_value() -> None:
    def score(totals: FloatArray) -> FloatArray:
        return np.where(totals[..., 0] > 0, totals[..., 0], np.nan)

    statistics = np.array([[[1.0], [0.0]], [[0.0], [2.0]], [[0.0], [0.0]]])
    tests = randomise_pairs([(statistics, score)], _segments(2), 400, 0)[0]
    assert tests[0].p == pytest.approx(1, abs=0.01)
    assert all(isnan(test.p) and isnan(test.delta) for test in tests[1:])
    draws = np.array([[1.0, 3.0, np.nan], [np.nan, 1.0, 2.0], [2.0, 3.0, 1.0]])
    for convention, p in [("shift", 1 / 3), ("sacrebleu", 1 / 3)]:
        whole, *undefined = bootstrap_pairs(draws, np.array([1.0, 2.6, np.nan]), convention)
        assert whole.p == p
        assert all(isnan(test.p) for test in undefined)


def test_no_segments_at_all() -> None:
    statistics = np.zeros((2, 0, 1))
    [[test]] = randomise_pairs([(statistics, lambda totals: totals[..., 0])], _segments(0), 9, 0)
    assert (test.delta, test.p) == (0, 1)
    [[lone]] = randomise_pairs([(_as_statistics(np.array([[1.0], [2.0]])), _mean)],
                               _segments(1), 9, 0)  # fmt: skip
    assert (lone.delta, lone.p) == (-1, 1)
