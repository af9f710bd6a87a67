"""Metrics judged against gold: published numbers, foreign numbers, and what must not be silent."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from patmark.data.score_tables import ScoreTable
from patmark.data.scores import FloatArray, Scores
from patmark.errors import InputError, UsageError
from patmark.evaluation.meta.agreement import MetaSettings, correlate_systems
from patmark.evaluation.meta.panel import (
    Panel,
    Source,
    build_panel,
    scores_source,
    table_source,
)
from patmark.evaluation.meta.report import (
    MetaResult,
    evaluate_metrics,
    meta_evaluate,
    meta_evaluate_pairs,
)
from patmark.evaluation.scoring import Sampling
from patmark.report import message_texts, plain
from patmark.stats import Units, williams
from patmark.stats.correlation import kendall_b, pearson
from patmark.stats.correlation_intervals import segment_intervals

SYSTEMS, SEGMENTS = 6, 60
FAST = Sampling(resamples=200)


def _scores(name: str, values: FloatArray, *, better: bool = True) -> Scores:
    statistics = np.stack([values, np.ones(values.shape)], axis=-1)
    systems = tuple(f"sys{place}" for place in range(len(values)))
    segments = tuple(f"s{place}" for place in range(values.shape[1]))
    return Scores(name, name, systems, segments, statistics, higher_is_better=better)


def _data() -> dict[str, FloatArray]:
    rng = np.random.default_rng(3)
    quality = rng.normal(0, 1, SYSTEMS)[:, None] + rng.normal(0, 1, (SYSTEMS, SEGMENTS))
    return {
        "adequacy": np.clip(np.round(3 + quality), 1, 5),
        "good": quality + 0.5 * rng.normal(size=quality.shape),
        "poor": quality + 4 * rng.normal(size=quality.shape),
    }


def _source(data: dict[str, FloatArray]) -> Source:
    documents = [f"D{place // 2}" for place in range(SEGMENTS)]
    kinds = {f"sys{place}": "NMT" if place < 4 else "RBMT" for place in range(SYSTEMS)}
    scores = {name: _scores(name, values) for name, values in data.items()}
    return scores_source("test", scores, documents, kinds)


def _panel() -> Panel:
    return build_panel([_source(_data())], "adequacy")


def test_system_level_equals_scipy() -> None:
    data = _data()
    found = evaluate_metrics(_panel(), MetaSettings(sampling=FAST))
    rows = {row.metric: row for row in found.rows}
    gold, metric = data["adequacy"].mean(axis=1), data["poor"].mean(axis=1)
    agreement = rows["poor"].agreement
    assert agreement["pearson"].value == pytest.approx(pearsonr(gold, metric).statistic, abs=1e-12)
    rho = spearmanr(gold, metric).statistic
    assert agreement["spearman"].value == pytest.approx(rho, abs=1e-12)
    assert agreement["kendall"].value == pytest.approx(kendalltau(gold, metric).statistic)
    for estimate in rows["poor"].agreement.values():
        assert estimate.ci is None or estimate.ci[0] <= estimate.value <= estimate.ci[1]
    assert 0 <= agreement["SPA"].value <= 1


def test_segment_level_equals_the_mean_of_scipy_over_items() -> None:
    data = _data()
    found = evaluate_metrics(_panel(), MetaSettings("segment", sampling=FAST))
    taus = []
    for item in range(SEGMENTS):
        gold = data["adequacy"][:, item]
        if np.ptp(gold):
            taus.append(kendalltau(gold, data["good"][:, item]).statistic)
    row = next(row for row in found.rows if row.metric == "good")
    assert row.agreement["kendall"].value == pytest.approx(np.mean(taus), abs=1e-12)
    assert row.details["undefined_groups_kendall"] == SEGMENTS - len(taus)
    assert row.agreement["acc_eq calibrated"].value >= row.agreement["acc_eq"].value


def test_the_better_metric_comes_first_and_is_significantly_better() -> None:
    for level in ("system", "segment"):
        found = evaluate_metrics(_panel(), MetaSettings(level, sampling=FAST))  # type: ignore[arg-type]
        assert [row.metric for row in found.rows] == ["good", "poor"]
        assert found.comparison is not None
        for test in found.comparison.tests:
            [pair] = test.pairs
            assert (pair.first, pair.second) == ("good", "poor")
            if test.name == "PERM-INPUTS" and level == "segment":
                assert pair.p_holm <= 0.05
                assert test.clusters == (("good",), ("poor",))


def test_a_measure_with_the_sign_changed_agrees_as_well() -> None:
    data = _data()
    scores = {
        "adequacy": _scores("adequacy", data["adequacy"]),
        "good": _scores("good", data["good"]),
        "loss": _scores("loss", -data["good"], better=False),
    }
    panel = build_panel([scores_source("test", scores, [None] * SEGMENTS)], "adequacy")
    rows = evaluate_metrics(panel, MetaSettings(sampling=FAST)).rows
    first, second = (dict(row.agreement) for row in rows)
    assert first == second
    assert any("sign changed" in note for note in panel.notes)


def test_published_correlations_from_a_score_table(shared_data: Path) -> None:
    """NTCIR-9, Tables 19 and 20, ja-en: BLEU and RIBES with and without RBMT."""
    folder = shared_data / "ntcir9"
    with (folder / "adequacy_JE.csv").open(encoding="utf-8") as file:
        adequacy = list(csv.DictReader(file))
    with (folder / "automatic_JE.csv").open(encoding="utf-8") as file:
        automatic = {row["system"]: row for row in csv.DictReader(file)}
    systems = tuple(row["system"] for row in adequacy)
    of_systems = {"adequacy": np.array([float(row["average"]) for row in adequacy])}
    of_systems |= {
        name: np.array([float(automatic[system][name.lower()] or "nan") for system in systems])
        for name in ("BLEU", "NIST", "RIBES")
    }
    kinds = {row["system"]: row["type"] for row in adequacy}
    source = table_source(ScoreTable("JE", systems, (), of_systems, {}, kinds, ()))
    with pytest.raises(InputError, match="NIST has no score for BASELINE1-1"):
        build_panel([source], "adequacy")
    panel = build_panel([source], "adequacy", allow_partial=True)
    assert any("BASELINE1-1" in note for note in panel.notes)
    expected = {
        None: {"BLEU": (-0.042, -0.241, 19), "RIBES": (0.632, 0.579, 19)},
        "RBMT": {"BLEU": (0.618, 0.525, 15), "RIBES": (0.679, 0.741, 15)},
    }
    for kind, values in expected.items():
        rows = evaluate_metrics(panel, MetaSettings(sampling=FAST), kind).rows
        for row in rows:
            if row.metric in values:
                rho, r, n = values[row.metric]
                assert row.agreement["spearman"].value == pytest.approx(rho, abs=0.0015)
                assert row.agreement["pearson"].value == pytest.approx(r, abs=0.0015)
                assert row.n == n


def test_system_rows_of_a_table_are_taken_as_they_are() -> None:
    """A corpus score is not the mean of its segments; where there is one, it counts."""
    values = np.arange(12.0).reshape(3, 4)
    table = ScoreTable(
        "t", ("a", "b", "c"), tuple("1234"), {"BLEU": np.array([3.0, 1.0, 2.0])},
        {"BLEU": values, "adequacy": values}, {}, (None,) * 4,
    )  # fmt: skip
    panel = build_panel([table_source(table)], "adequacy")
    np.testing.assert_array_equal(panel.metrics[0].of_systems, [3.0, 1.0, 2.0])
    assert panel.metrics[0].scores is None
    np.testing.assert_array_equal(panel.gold.of_systems, [1.5, 5.5, 9.5])


def test_systems_without_gold_are_left_out_and_named() -> None:
    data = _data()
    fewer = {"adequacy": data["adequacy"][:4]}
    metrics = {"good": data["good"]}
    sources = [
        scores_source(name, {n: _scores(n, v) for n, v in part.items()}, [None] * SEGMENTS)
        for name, part in (("gold", fewer), ("metrics", metrics))
    ]
    panel = build_panel(sources, "adequacy")
    assert panel.systems == ("sys0", "sys1", "sys2", "sys3")
    assert any("sys4, sys5" in note for note in panel.notes)


@pytest.mark.parametrize(
    ("gold", "metrics", "message"),
    [
        ("fluency", None, "there is no measure 'fluency'"),
        ("adequacy", ["comet"], "'comet' is no metric here"),
        ("adequacy", ["adequacy"], "'adequacy' is no metric here"),
    ],
)
def test_unknown_measures_are_refused(gold: str, metrics: list[str] | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build_panel([_source(_data())], gold, metrics)


def test_a_measure_in_two_places_is_refused() -> None:
    source = _source(_data())
    with pytest.raises(InputError) as caught:
        build_panel([source, _source(_data())], "adequacy")
    rename, pairs = "rename it in one of the files,", "or give the files of several language pairs"
    assert f"adequacy is also in test; {rename} {pairs} as PAIR=FILE" in str(caught.value)
    assert f"poor is also in test; {rename} leave it out (measures=), {pairs}" in str(caught.value)


def test_a_measure_in_two_places_may_be_left_out() -> None:
    data = _data()
    other = _source({"poor": data["poor"], "fair": data["good"] + data["poor"]})
    with pytest.raises(InputError, match="poor is also in test"):
        build_panel([_source(data), other], "adequacy")
    panel = build_panel([_source(data), other], "adequacy", ["good", "fair"])
    assert [metric.name for metric in panel.metrics] == ["good", "fair"]


def test_types_must_be_known_to_leave_one_out() -> None:
    panel = _panel()
    assert len(panel.without("RBMT").systems) == 4
    with pytest.raises(UsageError, match="no system is of the type 'SMT'; there are NMT, RBMT"):
        panel.without("SMT")
    untyped = build_panel([_source(_data())], "adequacy", kinds={})
    bare = Panel(
        untyped.systems, untyped.segments, untyped.documents, {}, untyped.gold, untyped.metrics
    )
    with pytest.raises(UsageError, match="the type of sys0"):
        bare.without("RBMT")


def test_segment_level_needs_segments() -> None:
    table = ScoreTable(
        "t", ("a", "b"), (), {"x": np.array([1.0, 2]), "y": np.array([1.0, 2])}, {}, {}, ()
    )
    panel = build_panel([table_source(table)], "x")
    with pytest.raises(UsageError, match="no scores of segments"):
        evaluate_metrics(panel, MetaSettings("segment"))


def test_too_few_permutations_for_the_correction_are_said() -> None:
    found = evaluate_metrics(_panel(), MetaSettings(permutations=5, sampling=FAST))
    assert found.comparison is not None
    assert any("take at least 20" in warning.text for warning in found.comparison.warnings)
    permuted = [test for test in found.comparison.tests if test.name.startswith("PERM")]
    assert permuted and not any(test.testable or test.clusters for test in permuted)
    findings = message_texts(MetaResult((found,)).to_report().findings)
    assert [one for one in findings if one.startswith("Warning: with 1 pair of metrics")]
    assert not [one for one in findings if "(PERM" in one]  # it would call them equal


def test_results_do_not_depend_on_the_order_of_metrics() -> None:
    data = _data()
    turned = {name: data[name] for name in ("poor", "good", "adequacy")}
    one, other = (
        evaluate_metrics(build_panel([_source(part)], "adequacy"), MetaSettings(sampling=FAST))
        for part in (data, turned)
    )
    assert one.rows == other.rows


def test_the_report_shows_every_metric_and_a_chart_for_each() -> None:
    report = meta_evaluate(_panel(), MetaSettings(sampling=FAST), "RBMT").to_report()
    assert [row[0] for row in report.tables[0].rows] == ["good", "poor"]
    assert "without RBMT: 4 systems" in report.subtitle
    assert [chart.x_title for chart in report.charts] == ["good", "poor"]
    assert {point.group for point in report.charts[0].points} == {"NMT", "RBMT"}


def test_json_has_the_documented_keys() -> None:
    result = plain(meta_evaluate(_panel(), MetaSettings(sampling=FAST)).to_json())
    row = result["rows"][0]
    assert {
        "metric",
        "n",
        "pearson",
        "spearman",
        "kendall",
        "pairwise_accuracy",
        "SPA",
        "ci",
    } <= set(row)
    assert row["ci"]["pearson"][0] <= row["pearson"] <= row["ci"]["pearson"][1]


def test_few_systems_have_no_correlation_or_no_interval() -> None:
    data = {name: values[:4] for name, values in _data().items()}
    scores = {name: _scores(name, values) for name, values in data.items()}
    panel = build_panel([scores_source("t", scores, [None] * SEGMENTS)], "adequacy")
    found = evaluate_metrics(panel, MetaSettings(sampling=FAST))
    assert all(one.ci is None for row in found.rows for one in row.agreement.values())
    findings = message_texts(MetaResult((found,)).to_report().findings)
    assert any("only 4 systems" in text for text in findings)
    two = evaluate_metrics(
        build_panel(
            [
                scores_source(
                    "t", {n: _scores(n, v[:2]) for n, v in data.items()}, [None] * SEGMENTS
                )
            ],
            "adequacy",
        ),
        MetaSettings(sampling=FAST),
    )
    assert np.isnan(two.rows[0].agreement["pearson"].value)
    assert two.comparison is not None and not two.comparison.tests
    assert two.comparison.notes == ("Metrics are tested from 3 systems on.",)
    report = MetaResult((two,)).to_report()
    assert not any("different" in text for text in message_texts(report.findings))
    assert "SPA needs" not in report.tables[0].note


def test_systems_judged_on_different_segments_are_refused_unless_allowed() -> None:
    data = _data()
    data["adequacy"][2, 5:] = np.nan
    table = ScoreTable(
        "t", tuple(f"sys{place}" for place in range(SYSTEMS)),
        tuple(f"s{place}" for place in range(SEGMENTS)), {}, data, {}, (None,) * SEGMENTS,
    )  # fmt: skip
    with pytest.raises(
        InputError, match=r"adequacy covers 55 segments for some systems only \(.*sys2"
    ):
        build_panel([table_source(table)], "adequacy")
    panel = build_panel([table_source(table)], "adequacy", allow_partial=True)
    assert any("different segments" in note for note in panel.notes)
    report = meta_evaluate(panel, MetaSettings(sampling=FAST)).to_report()
    assert "SPA needs" in report.tables[0].note


def _numbered(name: str, first: int, measure: str, count: int = SEGMENTS) -> Source:
    """Return scores of a file that counts segments from a number."""
    scores = _scores(measure, _data()[measure][:, :count])
    ids = tuple(str(first + place) for place in range(count))
    return scores_source(name, {measure: replace(scores, segments=ids)}, [None] * count)


@pytest.mark.parametrize(
    ("first", "lacking", "others"),
    [
        (1, "1 of 60 .*: 0;", "scores of others: 1 .60.\\."),
        (100, "60 of 60 .*: 0, 1,", "scores of others: 60 .100, 101"),
    ],
)
def test_files_with_different_numbers_of_segments_are_never_joined_silently(
    first: int, lacking: str, others: str
) -> None:
    sources = [_numbered("people", 0, "adequacy"), _numbered("metrics", first, "good")]
    message = (
        f"good: no score for {lacking}.*{others}.* metrics and people may number segments diff"
    )
    with pytest.raises(InputError, match=f"{message}.*; allow_partial= judges the others"):
        build_panel(sources, "adequacy")
    panel = build_panel(sources, "adequacy", allow_partial=True)
    [warning] = panel.warnings
    assert (warning.level, warning.code) == ("warning", "missing-segments")
    result = evaluate_metrics(panel, MetaSettings(allow_partial=True, sampling=FAST))
    assert any("may number segments differently" in text for text in result.to_json()["warnings"])
    if first == 100:
        with pytest.raises(InputError, match="good and gold have no segment of a system in common"):
            evaluate_metrics(panel, MetaSettings("segment", allow_partial=True, sampling=FAST))


def test_a_metric_of_more_segments_than_gold_is_no_gap() -> None:
    sources = [_numbered("people", 0, "adequacy", 30), _numbered("metrics", 0, "good")]
    panel = build_panel(sources, "adequacy")
    assert not panel.warnings and not any("no score" in note for note in panel.notes)


@pytest.mark.parametrize(
    ("documents", "fits"),
    [
        ([f"doc {place // 4}" for place in range(SEGMENTS)], True),
        ([f"D{place // 2}" for place in range(SEGMENTS)], True),
        ([f"p{place}" for place in range(SEGMENTS)], True),
        ([None] * SEGMENTS, True),
        ([f"D{(place + 1) // 4}" for place in range(SEGMENTS)], False),
        ([f"D{place % 5}" for place in range(SEGMENTS)], False),
    ],
)
def test_documents_that_cross_tell_of_other_numbers(
    documents: list[str | None], fits: bool
) -> None:
    people = replace(
        _numbered("people", 0, "adequacy"),
        documents=tuple(f"D{place // 4}" for place in range(SEGMENTS)),
    )
    metrics = replace(_numbered("metrics", 0, "good"), documents=tuple(documents))
    if fits:
        assert build_panel([people, metrics], "adequacy").warnings == ()
        return
    with pytest.raises(InputError, match="people and metrics put the same segments into different"):
        build_panel([people, metrics], "adequacy")
    [warning] = build_panel([people, metrics], "adequacy", allow_partial=True).warnings
    assert warning.code == "other-documents"


def test_missing_systems_and_missing_segments_are_reported_separately() -> None:
    people, metrics = _numbered("people", 0, "adequacy"), _numbered("metrics", 0, "good", 50)
    fewer = metrics.series["good"].lacking([2])
    with pytest.raises(InputError) as caught:
        build_panel([people, replace(metrics, series={"good": fewer})], "adequacy")
    assert [problem.message.partition(";")[0] for problem in caught.value.problems] == [
        "good has no score for sys2",
        "good: no score for 10 of 60 segments that have adequacy: 50, 51, 52, 53, 54, 55, 56, 57 "
        "and 2 more",
    ]


def test_a_metric_with_gaps_is_named_with_a_place() -> None:
    data = _data()
    data["good"][:, 7] = np.nan
    table = ScoreTable(
        "t", tuple(f"sys{place}" for place in range(SYSTEMS)),
        tuple(f"s{place}" for place in range(SEGMENTS)), {}, data, {}, (None,) * SEGMENTS,
    )  # fmt: skip
    panel = build_panel([table_source(table)], "adequacy")
    with pytest.raises(InputError, match=r"good lacks 6 scores .* for sys0, segment s7"):
        evaluate_metrics(panel, MetaSettings("segment", sampling=FAST))
    found = evaluate_metrics(panel, MetaSettings("segment", allow_partial=True, sampling=FAST))
    counts = {row.metric: row.n for row in found.rows}
    assert counts == {"good": SYSTEMS * (SEGMENTS - 1), "poor": SYSTEMS * SEGMENTS}


def test_human_measures_are_judged_only_when_they_are_named() -> None:
    data = _data()
    human = {
        "adequacy": _scores("adequacy", data["adequacy"]),
        "fluency": _scores("fluency", data["poor"]),
    }
    sources = [
        scores_source("people", human, [None] * SEGMENTS, human=True),
        scores_source("metrics", {"good": _scores("good", data["good"])}, [None] * SEGMENTS),
    ]
    panel = build_panel(sources, "adequacy")
    assert [metric.name for metric in panel.metrics] == ["good"]
    assert any("not judged: fluency" in note for note in panel.notes)
    named = build_panel(sources, "adequacy", ["good", "fluency"])
    assert [metric.name for metric in named.metrics] == ["good", "fluency"]


def test_a_manifest_of_other_systems_is_refused() -> None:
    with pytest.raises(UsageError, match="the manifest describes X-1, and none of sys0"):
        build_panel([_source(_data())], "adequacy", kinds={"X-1": "SMT"})


def test_soft_accuracy_has_an_interval_over_systems() -> None:
    row = evaluate_metrics(_panel(), MetaSettings(sampling=FAST)).rows[0]
    low, high = row.agreement["SPA"].ci or (1.0, 0.0)
    assert 0 <= low < row.agreement["SPA"].value <= high <= 1


@pytest.mark.parametrize("level", ["system", "segment"])
@pytest.mark.parametrize("by", [None, "document"])
def test_few_documents_cannot_tell_metrics_apart(level: Any, by: str | None) -> None:
    """Segments of one patent are not independent, and three patents are too few to be drawn."""
    scores = {name: _scores(name, values) for name, values in _data().items()}
    documents = [f"D{place // 20}" for place in range(SEGMENTS)]
    panel = build_panel([scores_source("t", scores, documents)], "adequacy")
    sampling = Sampling(resamples=100, by=by)
    found = evaluate_metrics(panel, MetaSettings(level, sampling=sampling))
    assert found.comparison is not None
    assert any("3 documents are too few" in one.text for one in found.comparison.warnings)
    plain_scores = [
        one
        for one in found.comparison.tests
        if one.name != "PERM-INPUTS" and one.statistic.endswith("of system scores")
    ]
    assert len(plain_scores) == (4 if level == "system" else 0)
    for one in plain_scores:  # few systems give pairwise accuracy too few values
        assert (one.clusters is None) == one.statistic.startswith("pairwise accuracy")
    said = [one for one in found.comparison.warnings if "takes so few values" in one.text]
    assert bool(said) == (level == "system") and all("cannot reach 5%" in one.text for one in said)
    resting_on_segments = [one for one in found.comparison.tests if one not in plain_scores]
    names = {one.name for one in resting_on_segments}
    assert names == {"PERM-INPUTS", "PERM-SYSTEMS"}
    assert all(one.clusters is None and not one.testable for one in resting_on_segments)


def test_intervals_that_are_drawn_together_are_those_of_single_metrics() -> None:
    panel = _panel()
    found = evaluate_metrics(panel, MetaSettings("segment", sampling=FAST))
    gold, units = panel.gold.of_segments, Units.choose(panel.documents)
    assert gold is not None
    for row in found.rows:
        [scores] = [one.of_segments for one in panel.metrics if one.name == row.metric]
        assert scores is not None
        for name, coefficient in (("pearson", pearson), ("kendall", kendall_b)):
            [alone] = segment_intervals(gold, scores[None], units, coefficient, resamples=200)
            assert row.agreement[name].value == pytest.approx(alone.value)
            assert row.agreement[name].ci == pytest.approx(alone.ci)
        calibrated = row.agreement["acc_eq calibrated"]
        assert calibrated.ci is not None
        assert calibrated.ci[0] <= calibrated.value <= calibrated.ci[1]


def test_intervals_depend_on_the_seed_alone() -> None:
    x = [1.0, 2.0, 3.0, 5.0, 4.0, 6.0, 8.0, 7.0, 9.0, 10.0]
    y = [2.0, 1.0, 3.0, 4.0, 5.0, 7.0, 10.0, 6.0, 8.0, 9.0]
    first, again, other = (
        correlate_systems(x, y, Sampling(resamples=300, seed=seed)) for seed in (0, 0, 1)
    )
    assert first == again != other
    none = correlate_systems(x, y, Sampling(resamples=0))
    assert none.undefined == 0 and none.estimates["pearson"].ci is None
    assert none.estimates["pearson"].n == 10


def test_resamples_of_one_system_are_counted_as_undefined() -> None:
    found = correlate_systems([1.0, 2.0], [1.0, 2.0], Sampling(resamples=400))
    # half of all draws of two systems hold one of them twice
    assert 150 < found.undefined < 250
    assert found.estimates["pairwise accuracy"].ci == (1.0, 1.0)


def test_a_metric_constant_over_systems_has_no_numbers_and_is_not_tested() -> None:
    data = _data() | {"flat": np.full((SYSTEMS, SEGMENTS), 0.1)}
    panel = build_panel([_source(data)], "adequacy")
    for level in ("system", "segment"):
        result = meta_evaluate(panel, MetaSettings(level, sampling=FAST))  # type: ignore[arg-type]
        found = json.loads(json.dumps(plain(result.to_json()), allow_nan=False))
        row = next(row for row in found["rows"] if row["metric"] == "flat")
        assert row["pearson"] is None and row["spearman"] is None and row["kendall"] is None
        assert not {"pearson", "spearman", "kendall"} & set(row["ci"])
        assert "SPA" not in row
        tested = {pair["better"] for test in found["tests"]["tests"] for pair in test["pairs"]}
        assert tested == {"good"}
        assert "Not tested, because all systems have the same score: flat." in str(found)


def test_each_test_says_of_which_systems_it_speaks() -> None:
    found = evaluate_metrics(_panel(), MetaSettings(sampling=FAST)).to_json()["tests"]
    scopes = {test["name"]: test["speaks_of"] for test in found["tests"]}
    assert scopes == {
        "Williams": "other systems too",
        "Williams (adjusted)": "other systems too",
        "PERM-SYSTEMS": "other systems too",
        "PERM-INPUTS": "these systems only",
    }
    statistics = {test["statistic"] for test in found["tests"] if test["name"] == "PERM-INPUTS"}
    assert statistics == {"pearson of system means", "pairwise accuracy of system means", "SPA"}
    for test in found["tests"]:
        [pair] = test["pairs"]
        assert {"better", "worse", "delta", "p", "p_holm"} <= set(pair)
        assert pair["ci"] is None


def test_soft_accuracy_is_by_segment_where_documents_are_known() -> None:
    data = _data()
    scores = {name: _scores(name, values) for name, values in data.items()}
    plain_panel = build_panel([scores_source("t", scores, [None] * SEGMENTS)], "adequacy")
    values = [
        {row.metric: row.agreement["SPA"].value for row in evaluate_metrics(panel).rows}
        for panel in (_panel(), plain_panel)
    ]
    assert values[0] == values[1]


def test_averages_over_language_pairs_count_every_pair_the_same() -> None:
    rng = np.random.default_rng(5)
    panels = {}
    for pair, systems in (("ja-en", 6), ("zh-en", 8)):
        quality = rng.normal(0, 1, (systems, 1)) + rng.normal(0, 1, (systems, 50))
        data = {
            "adequacy": quality,
            "good": quality + rng.normal(size=quality.shape),
            "poor": quality + 4 * rng.normal(size=quality.shape),
        }
        scores = {name: _scores(name, values) for name, values in data.items()}
        panels[pair] = build_panel([scores_source(pair, scores, [None] * 50)], "adequacy")
    result = meta_evaluate_pairs(panels, MetaSettings("segment", sampling=FAST))
    found = plain(result.to_json())
    assert list(found["pairs"]) == ["ja-en", "zh-en"]
    each = [{row["metric"]: row for row in found["pairs"][pair]["rows"]} for pair in panels]
    for row in found["rows"]:
        for name in ("pearson", "kendall", "acc_eq_calibrated"):
            alone = [rows[row["metric"]][name] for rows in each]
            assert row[name] == pytest.approx(sum(alone) / 2)
    test = next(one for one in found["tests"]["tests"] if one["name"] == "PERM-INPUTS")
    [pair] = test["pairs"]
    assert (pair["better"], pair["worse"]) == ("good", "poor") and pair["p"] < 0.01
    seeds = {found["pairs"][pair]["resampling"]["seed"] for pair in panels}
    assert len(seeds) == 2  # draws of two pairs are independent
    report = result.to_report()
    assert report.tables[0].title == "Agreement with adequacy, average of 2 language pairs"
    assert any("zh-en, all systems" in table.title for table in report.tables)


def _turned_systems(data: dict[str, FloatArray]) -> list[Source]:
    """The same scores with the systems in their order and in reverse."""
    systems = tuple(f"sys{place}" for place in range(SYSTEMS))
    segments = tuple(f"s{place}" for place in range(SEGMENTS))
    return [
        table_source(
            ScoreTable(
                "t", systems[::step], segments, {},
                {name: values[::step] for name, values in data.items()}, {}, (None,) * SEGMENTS,
            )
        )
        for step in (1, -1)
    ]  # fmt: skip


def test_the_order_of_systems_with_the_same_gold_changes_no_number() -> None:
    data = _data()
    data["adequacy"][2:5] = data["adequacy"][2]
    one, other = (
        evaluate_metrics(build_panel([source], "adequacy"), MetaSettings(sampling=FAST))
        for source in _turned_systems(data)
    )
    for row, turned in zip(one.rows, other.rows, strict=True):
        for name, found in row.agreement.items():
            assert turned.agreement[name].value == pytest.approx(found.value, abs=1e-12)
    spa = [
        {
            found.statistic: found.pairs
            for found in each.comparison.tests
            if found.name == "PERM-INPUTS"
        }
        for each in (one, other)
        if each.comparison
    ]
    assert spa[0]["SPA"][0].p == spa[1]["SPA"][0].p


@pytest.mark.parametrize(("level", "whole"), [("system", "systems"), ("segment", "outputs")])
def test_constant_gold_is_said_and_no_metric_is_tested(level: Any, whole: str) -> None:
    data = _data()
    data["adequacy"][:] = 3
    panel = build_panel([_source(data)], "adequacy")
    result = meta_evaluate(panel, MetaSettings(level, sampling=FAST))
    warning = f"all {whole} have the same adequacy"
    assert any(warning in text for text in message_texts(result.to_report().findings))
    found = plain(result.to_json())
    assert warning in str(found["warnings"])
    assert found["tests"] is None
    assert all("SPA" not in row for row in found["rows"])
    assert "SPA needs" not in result.to_report().tables[0].note


def test_a_constant_metric_does_not_lack_segments() -> None:
    panel = build_panel([_source(_data() | {"flat": np.ones((SYSTEMS, SEGMENTS))})], "adequacy")
    note = meta_evaluate(panel, MetaSettings(sampling=FAST)).to_report().tables[0].note
    assert "all systems have the same flat" in note
    assert "SPA needs" not in note


def test_what_a_language_pair_lacks_has_no_average_and_is_named() -> None:
    data = _data()
    extra = build_panel([_source(data | {"only": data["poor"] + 1})], "adequacy")
    result = meta_evaluate_pairs({"ja-en": _panel(), "zh-en": extra}, MetaSettings(sampling=FAST))
    assert {row.metric for row in result.rows} == {"good", "poor"}
    notes = (
        "Without an average: only (not in ja-en).",
        "No test was made of the same metrics on every language pair.",
    )
    assert result.to_report().notes[:2] == result.to_json()["notes"] == notes
    whole = meta_evaluate_pairs({"ja-en": _panel(), "zh-en": _panel()}, MetaSettings(sampling=FAST))
    assert whole.notes == ()


def test_the_seed_of_several_language_pairs_is_the_one_that_was_given() -> None:
    settings = MetaSettings(sampling=Sampling(resamples=100, seed=7))
    result = meta_evaluate_pairs({"ja-en": _panel(), "zh-en": _panel()}, settings)
    assert result.to_json()["resampling"] == {"resamples": 100, "seed": 7}
    signatures = result.to_report().signatures
    assert set(signatures) == {"intervals", "tests"}
    assert all("|seed:7, own draws for each language pair" in one for one in signatures.values())


def test_the_signature_tells_which_systems_have_intervals() -> None:
    signatures = meta_evaluate(_panel(), MetaSettings(sampling=FAST), "RBMT").to_report().signatures
    assert signatures["intervals, without RBMT"].startswith("none (too few systems")
    assert signatures["intervals, all systems"].startswith("Fisher's z")


@pytest.mark.parametrize("level", ["system", "segment"])
def test_a_metric_on_another_scale_agrees_as_well_and_no_p_changes(level: Any) -> None:
    data = _data()
    settings = MetaSettings(level=level, sampling=Sampling(resamples=50), permutations=50)
    found = []
    for factor in (1.0, 1e-13, 1e13):
        source = _source(data | {"good": data["good"] * factor})
        result = evaluate_metrics(build_panel([source], "adequacy"), settings)
        [row] = [row for row in result.rows if row.metric == "good"]
        assert result.comparison is not None
        p_values = [pair.p for test in result.comparison.tests for pair in test.pairs]
        found.append([*(one.value for one in row.agreement.values()), *p_values])
    assert found[1] == pytest.approx(found[0], rel=1e-6, nan_ok=True)
    assert found[2] == pytest.approx(found[0], rel=1e-6, nan_ok=True)


def test_williams_stands_with_the_published_and_with_adjusted_degrees_of_freedom() -> None:
    panel = _panel()
    found = evaluate_metrics(panel, MetaSettings(sampling=FAST)).comparison
    assert found is not None
    tests = {test.name: test for test in found.tests if test.name.startswith("Williams")}
    gold, (one, other) = panel.gold.of_systems, (metric.of_systems for metric in panel.metrics)
    r = [float(pearson(*pair)) for pair in ((gold, one), (gold, other), (one, other))]
    for name, lost in (("Williams", 3), ("Williams (adjusted)", 2.6)):
        assert tests[name].pairs[0].p == pytest.approx(williams(*r, SYSTEMS, lost).p)
        assert f"n − {lost} degrees" in tests[name].note


@pytest.mark.parametrize("level", ["system", "segment"])
def test_stuarts_tau_c_stands_beside_tau_b(level: Any) -> None:
    found = evaluate_metrics(_panel(), MetaSettings(level, "none", sampling=FAST))
    for row in found.to_json()["rows"]:
        assert -1 <= row["kendall_c"] <= 1
    table = MetaResult((found,)).to_report().tables[0]
    assert "kendall c" in [column.title for column in table.columns]


def test_a_difference_that_no_permutation_reaches_has_a_bound_as_p() -> None:
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(8, 60))
    data = {"adequacy": gold, "good": gold + 0.1 * rng.normal(size=gold.shape),
            "poor": rng.normal(size=gold.shape)}  # fmt: skip
    scores = {name: _scores(name, values) for name, values in data.items()}
    panel = build_panel([scores_source("test", scores, [None] * 60, {})], "adequacy")
    found = evaluate_metrics(panel, MetaSettings("segment", sampling=FAST, permutations=99))
    tests = found.to_json()["tests"]["tests"]
    [pair] = next(test for test in tests if test["name"] == "PERM-INPUTS")["pairs"]
    assert (pair["p"], pair["p_bound"]) == (0.01, True)
