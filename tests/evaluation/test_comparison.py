"""Comparing systems: pairs, correction, groups, power; and their report."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from math import nan

import numpy as np
import pytest

from patmark.data.model import Run, TestSet
from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.errors import UsageError
from patmark.evaluation.analysis import analysed_report
from patmark.evaluation.comparison import CompareSettings, TestName, compare
from patmark.evaluation.comparison_tables import comparison_report
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.examples import SYSTEMS, example_path
from patmark.stats import smallest_difference, units_needed
from score_arrays import scores_of

_FAST = CompareSettings(Sampling(resamples=300), trials=500)


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
    assert {"a", "b", "delta", "p", "p_holm", "ci", "cohen_dz", "units_needed"} <= set(pair)
    assert read["measures"]["BLEU"]["clusters"] == [[system] for system in SYSTEMS]
    assert read["test"]["correction"] == "holm"
    assert read["segments"] == 120 and read["descriptive"] == []
    assert read["left_out"] == {"segments": 0, "ids": [], "unanswered": {}}
    directions = {name: one["higher_is_better"] for name, one in read["measures"].items()}
    assert directions == {"BLEU": True, "TER": False, "RIBES": True}
    for name, one in read["measures"].items():
        assert one["testable"] and one["units"] == 24 and one["unscored"] == []
        for pair in one["pairs"]:  # raw difference; effects turned so that more is better
            assert (pair["delta"] > 0) == directions[name]
            assert pair["cohen_dz"] == pair["cohen_d"] > 0 and pair["wins"] > pair["losses"]


def test_json_tells_what_is_infinite_from_what_is_undefined() -> None:
    same = compare({"m": scores_of([[1.0, 2.0] * 5] * 2)}, [None] * 10, _FAST)
    [pair] = same.to_json()["measures"]["m"]["pairs"]
    assert pair["units_needed"] is None and pair["infinite"] == ["units_needed"]
    unknown = compare({"m": scores_of([[1.0, 2.0] * 5, [nan] * 10])}, [None] * 10, _FAST)
    [pair] = unknown.to_json()["measures"]["m"]["pairs"]
    assert pair["units_needed"] is None and pair["infinite"] == []


def test_equivalence_within_a_margin_is_shown_where_it_is_asked_for() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(0, 1, 200)
    near, far = first + rng.normal(0, 0.1, 200), first + rng.normal(0.5, 0.1, 200)
    rows = {"m": scores_of([first.tolist(), near.tolist(), far.tolist()])}
    result = compare(rows, [None] * 200, replace(_FAST, margin={"m": 0.1}))
    pairs = result.to_json()["measures"]["m"]["pairs"]
    assert [pair["equivalence"]["equivalent"] for pair in pairs] == [True, False, False]
    assert [pair["significant"] for pair in pairs] == [False, True, True]
    assert all(pair["equivalence"]["p"] <= pair["equivalence"]["p_holm"] for pair in pairs)
    findings = comparison_report(result, "t", "s").findings
    assert "m: within ±0.1, at 5 %, equivalent: s0 and s1." in findings
    plain = compare(rows, [None] * 200, _FAST).to_json()
    assert "equivalence" not in plain["measures"]["m"]["pairs"][0]


def test_two_rates_of_nothing_may_still_differ() -> None:
    """Neither system has a fault in 30 segments, and each may have one in ten."""
    none = replace(scores_of([[0.0] * 30] * 2), rate=True)
    [pair] = compare({"m": none}, [None] * 30, _FAST).measures["m"].pairs
    assert pair.delta == 0 and pair.ci is not None
    assert pair.ci == pytest.approx((-0.1135, 0.1135), abs=1e-4)
    counted_in_part = replace(none, statistics=none.statistics.copy())
    counted_in_part.statistics[0, 20:] = 0
    [pair] = compare({"m": counted_in_part}, [None] * 30, _FAST).measures["m"].pairs
    assert pair.n == 20 and pair.ci == pytest.approx((-0.1611, 0.1611), abs=1e-4)


def test_a_declared_primary_measure_alone_decides(evaluation: Evaluation) -> None:
    documents = evaluation.test_set.documents
    plain = compare(evaluation.scores, documents, _FAST)
    result = compare(evaluation.scores, documents, replace(_FAST, primary="TER"))
    assert result.measures["TER"].clusters == plain.measures["TER"].clusters
    assert list(result.measures) == ["TER", "BLEU", "RIBES"]
    for name in ("BLEU", "RIBES"):
        silent = result.measures[name]
        assert (silent.clusters, silent.rank_ranges) == (None, None)
        found = result.to_json()["measures"][name]
        assert (found["clusters"], found["rank_ranges"]) == (None, None)
        assert found["clusters_reason"] == "TER was declared to decide"
    assert not any(pair.significant for pair in result.measures["BLEU"].pairs)
    assert [pair.p_holm for pair in result.measures["BLEU"].pairs] == [
        pair.p_holm for pair in plain.measures["BLEU"].pairs
    ]
    notes = comparison_report(result, "t", "s").notes
    assert any("TER was declared to decide" in text for text in notes)
    assert any(
        "each measure tested at" in text for text in comparison_report(plain, "t", "s").notes
    )
    with pytest.raises(UsageError, match="chrF"):
        compare(evaluation.scores, documents, replace(_FAST, primary="chrF"))


def test_a_measure_that_only_describes_cannot_decide() -> None:
    rows = [[1.0, 2.0] * 10, [2.0, 3.0] * 10]
    described = replace(scores_of(rows, "length-ratio"), descriptive=True)
    scores = {"m": scores_of(rows), "length-ratio": described}
    with pytest.raises(UsageError, match="length-ratio: neither more nor less"):
        compare(scores, [None] * 20, replace(_FAST, primary="length-ratio"))


def test_p_is_corrected_over_the_measures_too(evaluation: Evaluation) -> None:
    """Holm over three measures of three pairs: the least of nine p is multiplied by nine."""
    result = compare(evaluation.scores, evaluation.test_set.documents, _FAST)
    pairs = [pair for measure in result.measures.values() for pair in measure.pairs]
    least = min(pairs, key=lambda pair: pair.p)
    assert least.p_family == pytest.approx(9 * least.p)
    assert all(pair.p_family >= pair.p_holm for pair in pairs)
    alone = compare(
        evaluation.scores, evaluation.test_set.documents, replace(_FAST, primary="BLEU")
    )
    for pair in alone.measures["BLEU"].pairs:
        assert pair.p_family == pair.p_holm
    assert all(np.isnan(pair.p_family) for pair in alone.measures["TER"].pairs)


def test_the_verdict_over_several_measures_uses_p_over_all_of_them() -> None:
    """Of ten measures one has p of 0.02: significant by itself, not by the ten together."""
    rng = np.random.default_rng(3)
    pairs = [rng.normal(0, 1, (2, 30)) for _ in range(10)]
    pairs[0] = np.stack([np.linspace(-1, 1, 30) + 0.27, np.zeros(30)])
    scores = {
        f"m{place}": scores_of(rows.tolist(), f"m{place}") for place, rows in enumerate(pairs)
    }
    result = compare(scores, [None] * 30, replace(_FAST, trials=2000))
    alone = result.measures["m0"].pairs[0]
    assert alone.significant and alone.p_family > 0.05
    assert result.verdict == {} and not alone.significant_family
    encoded = result.to_json()
    assert encoded["verdict"]["pairs"] == [] and len(encoded["verdict"]["measures"]) == 10
    assert encoded["measures"]["m0"]["pairs"][0]["significant"]
    leader, first, *others = comparison_report(result, "t", "s").findings
    assert leader.startswith("No clear difference between s0 and s1: +0.2700 m0 ")
    assert leader.endswith("after Holm over 10 measures.")
    assert first.startswith("10 measures together") and "no difference is significant" in first
    assert any(text.startswith("m0") and "groups, best first" in text for text in others)
    declared = compare(scores, [None] * 30, replace(_FAST, trials=2000, primary="m0"))
    assert declared.verdict == {(alone.first, alone.second): ("m0",)}
    assert not any("together" in text for text in comparison_report(declared, "t", "s").findings)


def test_the_verdict_names_the_better_system_and_the_measures() -> None:
    better, worse = [1.0 + 0.1 * (k % 3) for k in range(20)], [0.0] * 20
    errors = replace(scores_of([worse, better], "errors"), higher_is_better=False)
    scores = {"m": scores_of([better, worse]), "errors": errors}
    result = compare(scores, [None] * 20, _FAST)
    [((lead, behind), by)] = result.verdict.items()
    assert (lead, behind, by) == (*result.systems, ("m", "errors"))


def test_systems_that_differ_by_rounding_only_do_not_differ() -> None:
    values = [0.1 * number for number in range(1, 31)]
    noisy = [value * (1 + (2 + place % 3) * 2**-52) for place, value in enumerate(values)]
    result = compare({"m": scores_of([values, noisy])}, [None] * 30, _FAST)
    [pair] = result.to_json()["measures"]["m"]["pairs"]
    assert pair["delta"] == 0 and pair["p"] == 1 and pair["infinite"] == ["units_needed"]


def test_a_difference_far_below_the_spread_asks_for_infinitely_many_units() -> None:
    first = [1.0, -1.0] * 15
    second = [-1.0, 1.0] * 14 + [-1.0, 1.0 + 4e-9]
    result = compare({"m": scores_of([first, second])}, [None] * 30, _FAST)
    [pair] = result.to_json()["measures"]["m"]["pairs"]
    assert pair["delta"] != 0 and pair["infinite"] == ["units_needed"]


def test_a_system_without_any_score_raises_no_warning() -> None:
    """Warnings are errors here; numpy's own standard deviation of nothing warns."""
    result = compare({"m": scores_of([[1.0, 2.0], [nan, nan]])}, [None, None], _FAST)
    measure = result.measures["m"]
    assert (measure.clusters, measure.unscored) == (None, ("s1",))
    assert measure.no_verdict == "only s0 has a score"
    assert measure.cluster_of("s0") is None and measure.cluster_of("s1") is None


def test_measures_that_describe_are_not_compared(evaluation: Evaluation) -> None:
    """Doubled text would win by length."""
    doubled = Run("doubled", tuple(f"{text} {text}" for text in evaluation.runs[0].texts))
    runs = [evaluation.runs[0], doubled]
    scores = evaluate(evaluation.test_set, runs, ["length-ratio", "BLEU"], _FAST.sampling).scores
    result = compare(scores, evaluation.test_set.documents, _FAST)
    assert list(result.measures) == ["BLEU"] and result.descriptive == ("length-ratio",)
    assert result.to_json()["descriptive"] == ["length-ratio"]
    notes = comparison_report(result, "t", "s").notes
    assert any(note.startswith("Not compared: length-ratio.") for note in notes)
    only = {"length-ratio": scores["length-ratio"]}
    with pytest.raises(UsageError, match="length-ratio: neither more nor less of it is better"):
        compare(only, evaluation.test_set.documents, _FAST)
    with pytest.raises(UsageError, match="neither more nor less"):
        compare(scores, evaluation.test_set.documents,
                CompareSettings(detect={"length-ratio": 0.1}))  # fmt: skip


@pytest.mark.parametrize(
    ("units", "systems", "test", "trials", "testable"),
    [
        (5, 2, "randomisation", 500, False), (6, 2, "randomisation", 500, True),
        (6, 3, "randomisation", 500, False), (8, 3, "randomisation", 500, True),
        (50, 2, "randomisation", 10, False), (50, 2, "randomisation", 19, True),
        (5, 2, "bootstrap", 1, False), (6, 2, "bootstrap", 1, True),
    ],
)  # fmt: skip
def test_what_cannot_be_tested(
    units: int, systems: int, test: TestName, trials: int, testable: bool
) -> None:
    """Rows without statistics do not count, as those of other labels."""
    values = [[float(system)] * units + [nan] * 40 for system in range(systems)]
    settings = CompareSettings(_FAST.sampling, test, trials=trials)
    measure = compare({"m": scores_of(values)}, [None] * (units + 40), settings).measures["m"]
    assert (measure.units, measure.testable) == (units, testable)
    assert any(pair.significant for pair in measure.pairs) == testable


def test_power_allows_for_holm_and_for_the_units(evaluation: Evaluation) -> None:
    result = compare(evaluation.scores, evaluation.test_set.documents, _FAST)
    plain = CompareSettings(_FAST.sampling, trials=500, holm=False)
    uncorrected = compare(evaluation.scores, evaluation.test_set.documents, plain)
    for name, measure in result.measures.items():
        assert measure.units == 24
        for pair, other in zip(measure.pairs, uncorrected.measures[name].pairs, strict=True):
            ratio = smallest_difference(1.0, 24, 3) / smallest_difference(1.0, 24)
            assert pair.detectable == pytest.approx(other.detectable * ratio)
            assert pair.units_needed > other.units_needed or pair.units_needed == 7
            assert pair.units_needed >= 7 and other.units_needed >= 6


def test_units_for_a_wanted_difference_stand_beside_those_for_the_one_found(
    evaluation: Evaluation,
) -> None:
    documents = evaluation.test_set.documents
    wanted = CompareSettings(_FAST.sampling, trials=50, detect={"BLEU": 0.5})
    result = compare(evaluation.scores, documents, wanted)
    without = compare(evaluation.scores, documents, replace(wanted, detect=None))
    pair, other = (each.measures["BLEU"].pairs[0] for each in (result, without))
    assert pair.units_needed == other.units_needed and other.units_for_detect is None
    spread = pair.detectable / smallest_difference(1.0, 24, 3)
    assert pair.units_for_detect == units_needed(spread, 24, 0.5, 3)
    read = result.to_json()
    assert read["detect"] == {"BLEU": 0.5} and without.to_json()["detect"] == {}
    assert read["measures"]["BLEU"]["pairs"][0]["units_for_detect"] == pair.units_for_detect
    bleu, ter = (
        next(t for t in comparison_report(result, "t", "s").tables if t.title == title)
        for title in ("Differences by BLEU", "Differences by TER")
    )
    assert [c.title for c in bleu.columns[-2:]] == ["units needed", "units for 0.5"]
    assert "Units for 0.5: how many to find a difference of 0.5." in bleu.note
    assert ter.columns[-1].title == "units needed" and "0.5" not in ter.note


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"test": "chi2"}, "choose from randomisation, bootstrap"),
        ({"trials": 0}, "at least one trial"),
        ({"sampling": Sampling(resamples=0), "test": "bootstrap"}, "at least one resample"),
        ({"detect": {"BLEU": 0.0}}, "BLEU=0: a difference to detect must be greater than 0"),
        ({"detect": {"BLEU": -1.0}}, "BLEU=-1: a difference to detect"),
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


def test_analysed_report_explains_every_pair(evaluation: Evaluation) -> None:
    result = compare(evaluation.scores, evaluation.test_set.documents, _FAST)
    report = analysed_report(evaluation, result)
    assert report.explorer is not None and "source length" in report.explorer.facets
    titles = [table.title for table in report.tables]
    assert "BLEU by source length" in titles and "BLEU by document" in titles
    for first, second in combinations(SYSTEMS, 2):
        assert sum(first in title and second in title for title in titles) == 2


def test_titles_too_short_for_four_grams_are_evidence() -> None:
    """Alone, three words score 0 by BLEU of a whole text; together they make most of it."""
    references = [*(f"pump part {n}" for n in range(80)), *(f"a b c d e f {n}" for n in range(4))]
    good = Run("good", tuple(references))
    bad = Run("bad", (*(f"some other {n}" for n in range(80)), *references[80:]))
    evaluation = evaluate(TestSet.of(references), [good, bad], ["BLEU"])
    settings = CompareSettings(Sampling(resamples=100), trials=999)
    [pair] = compare(evaluation.scores, [None] * 84, settings).measures["BLEU"].pairs
    assert pair.delta > 10 and pair.p == 0.001
