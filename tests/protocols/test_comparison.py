"""Comparing systems: pairs, correction, groups, power; and their report."""

from __future__ import annotations

import json

import numpy as np
import pytest

from patmark.data import Run, TestSet, read_line_run, read_line_test_set
from patmark.errors import UsageError
from patmark.examples import SYSTEMS, example_path
from patmark.protocols import (
    CompareSettings,
    Evaluation,
    Settings,
    analysed_report,
    compare,
    comparison_report,
    evaluate,
)
from patmark.stats import smallest_difference, units_needed

_FAST = CompareSettings(Settings(resamples=300), trials=500)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    folder = example_path("ja_en")
    test_set = read_line_test_set(
        [folder / "reference.en"], source=folder / "source.ja",
        documents=folder / "documents.txt", target_language="en", source_language="ja",
    )  # fmt: skip
    runs = [read_line_run(folder / f"{name}.en", test_set) for name in SYSTEMS]
    return evaluate(test_set, runs, ["BLEU", "TER", "RIBES"], _FAST.sampling)


def test_all_pairs_of_all_measures(evaluation: Evaluation) -> None:
    result = compare(evaluation.scores, evaluation.test_set.documents, _FAST)
    assert result.units.kind == "document" and result.corrected
    for name, measure in result.measures.items():
        assert measure.ranking == SYSTEMS, name
        assert measure.clusters == tuple((system,) for system in SYSTEMS)
        assert len(measure.pairs) == 3
        for pair in measure.pairs:
            assert pair.ci[0] <= pair.delta <= pair.ci[1]
            assert pair.p <= pair.p_holm <= 1
            assert pair.sign.wins + pair.sign.losses + pair.sign.ties == 120
            assert pair.sign.wins > pair.sign.losses  # also where lower is better


def test_the_order_of_systems_does_not_matter(evaluation: Evaluation) -> None:
    turned = evaluate(
        evaluation.test_set, evaluation.runs[::-1], ["BLEU", "TER", "RIBES"], _FAST.sampling
    )
    first, second = (
        compare(each.scores, evaluation.test_set.documents, _FAST) for each in (evaluation, turned)
    )
    for name in first.measures:
        ours = {frozenset((p.first, p.second)): p for p in first.measures[name].pairs}
        for pair in second.measures[name].pairs:
            other = ours[frozenset((pair.first, pair.second))]
            assert (pair.p, pair.p_holm) == (other.p, other.p_holm)
            assert pair.delta == pytest.approx(-other.delta)
        assert first.measures[name].ranking == second.measures[name].ranking


def test_a_system_against_its_copy_is_never_significant(evaluation: Evaluation) -> None:
    run = evaluation.runs[0]
    twins = [run, Run("copy", run.hypotheses)]
    scores = evaluate(evaluation.test_set, twins, ["BLEU", "RIBES"], _FAST.sampling).scores
    for test in ("randomisation", "bootstrap"):
        settings = CompareSettings(_FAST.sampling, test, trials=200)  # type: ignore[arg-type]
        result = compare(scores, evaluation.test_set.documents, settings)
        for measure in result.measures.values():
            assert measure.pairs[0].p == 1 and len(measure.clusters) == 1
            assert measure.rank_ranges == {"atlas": (1, 2), "copy": (1, 2)}
        assert not result.corrected  # two systems need no correction


def test_json_is_complete_and_finite(evaluation: Evaluation) -> None:
    result = compare(evaluation.scores, evaluation.test_set.documents, _FAST)
    read = json.loads(json.dumps(result.to_json(), allow_nan=False))
    pair = read["measures"]["BLEU"]["pairs"][0]
    assert {"a", "b", "delta", "p", "p_holm", "ci", "cohen_d", "units_needed"} <= set(pair)
    assert read["measures"]["BLEU"]["clusters"] == [[system] for system in SYSTEMS]
    assert read["test"]["correction"] == "holm"


def test_power_follows_the_square_root_law() -> None:
    assert smallest_difference(1.0) == pytest.approx(2.8016, abs=1e-4)
    assert units_needed(1.0, 100, smallest_difference(1.0)) == 100
    assert units_needed(1.0, 100, smallest_difference(1.0) / 2) == 400
    assert np.isinf(units_needed(1.0, 100, 0.0))


def test_units_needed_for_a_wanted_difference(evaluation: Evaluation) -> None:
    wanted = CompareSettings(_FAST.sampling, trials=50, detect={"BLEU": 0.5})
    result = compare(evaluation.scores, evaluation.test_set.documents, wanted)
    pair = result.measures["BLEU"].pairs[0]
    assert pair.units_needed == units_needed(pair.detectable / 2.8015852, 24, 0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"test": "chi2"}, "choose from randomisation, bootstrap"),
        ({"trials": 0}, "at least one resample and one trial"),
        ({"sampling": Settings(resamples=0)}, "at least one resample"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CompareSettings(**settings)  # type: ignore[arg-type]


def test_one_system_and_unknown_measures_are_refused(evaluation: Evaluation) -> None:
    alone = evaluate(TestSet.of(["a b"]), [Run("x", ("a b",))], ["chrF"])
    with pytest.raises(UsageError, match="at least two systems, and 1 are given"):
        compare(alone.scores, [None])
    with pytest.raises(UsageError, match="no measure here is called chrF"):
        compare(evaluation.scores, evaluation.test_set.documents,
                CompareSettings(detect={"chrF": 1.0}))  # fmt: skip


def test_report_names_groups_and_differences(evaluation: Evaluation) -> None:
    result = compare(evaluation.scores, evaluation.test_set.documents, _FAST)
    report = comparison_report(result, "t", "s")
    titles = [table.title for table in report.tables]
    assert titles[:2] == ["Scores and groups", "Differences by BLEU"]
    assert "Who beats whom by TER" in titles and "Ranking by RIBES" in titles
    assert report.notes[0] == ("BLEU tells 3 groups apart, best first: atlas | borealis | cobalt.")
    ter = next(table for table in report.tables if table.title == "Differences by TER")
    assert all(row[0] in ("atlas", "borealis") for row in ter.rows)  # the better one first


def test_too_few_trials_for_holm_are_pointed_out(evaluation: Evaluation) -> None:
    settings = CompareSettings(_FAST.sampling, trials=30)
    result = compare(evaluation.scores, evaluation.test_set.documents, settings)
    notes = comparison_report(result, "t", "s").notes
    assert any("Holm cannot reach 5% from 30 draws; take at least 60" in note for note in notes)


def test_analysed_report_explains_every_pair(evaluation: Evaluation) -> None:
    result = compare(evaluation.scores, evaluation.test_set.documents, _FAST)
    report = analysed_report(evaluation, result)
    assert report.explorer is not None and "source length" in report.explorer.facets
    assert len(report.tables) > 12
