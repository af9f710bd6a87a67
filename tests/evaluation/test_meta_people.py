"""Metrics beside people, and as detectors of error-free outputs, in a meta-evaluation."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from patmark.app.commands import meta
from patmark.data.scores import FloatArray
from patmark.errors import UsageError
from patmark.evaluation import MetaSettings, Sampling
from patmark.human.judgements import read_human_files
from patmark.report import plain

SYSTEMS, SEGMENTS, EVALUATORS = 5, 24, 3


@pytest.fixture(scope="module")
def grades() -> FloatArray:
    """Three evaluators with scales of their own; each left out some segments."""
    rng = np.random.default_rng(12)
    truth = rng.normal(size=(SYSTEMS, 1)) + rng.normal(size=(SYSTEMS, SEGMENTS))
    noisy = truth + 0.8 * rng.normal(size=(EVALUATORS, SYSTEMS, SEGMENTS))
    found = np.clip(np.round(3 + noisy + np.array([-1, 0, 1])[:, None, None]), 1, 5)
    for place in range(EVALUATORS):
        found[place, :, place * 5 : place * 5 + 4] = np.nan
    return np.asarray(found)


@pytest.fixture(scope="module")
def metric(grades: FloatArray) -> FloatArray:
    rng = np.random.default_rng(1)
    return np.asarray(np.nanmean(grades, axis=0) + rng.normal(size=(SYSTEMS, SEGMENTS)))


@pytest.fixture
def files(tmp_path: Path, grades: FloatArray, metric: FloatArray) -> list[str]:
    lines = ["evaluator,system,segment,document,criterion,value"]
    scores = ["system,segment,document,measure,value"]
    for system in range(SYSTEMS):
        for segment in range(SEGMENTS):
            where = f"S{system},s{segment:02d},D{segment // 3}"
            scores.append(f"{where},M,{metric[system, segment]:.12f}")
            for place in range(EVALUATORS):
                grade = grades[place, system, segment]
                if not np.isnan(grade):
                    lines.append(f"e{place},{where},adequacy,{grade:.0f}")
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "scores.csv").write_text("\n".join(scores) + "\n", encoding="utf-8")
    return [str(tmp_path / "scores.csv"), str(tmp_path / "people.csv")]


def _result(files: list[str], level: str, **settings: Any) -> dict[str, Any]:
    chosen = MetaSettings(level, sampling=Sampling(100), permutations=20, **settings)  # type: ignore[arg-type]
    done = meta(*files, gold="adequacy", settings=chosen)
    found: dict[str, Any] = plain(done.to_json())
    return found


def _others(grades: FloatArray, place: int) -> FloatArray:
    """The mean of the standardised grades of the others, where the evaluator judged too."""
    standard = [
        (one - np.nanmean(one)) / np.nanstd(one)
        for number, one in enumerate(grades)
        if number != place
    ]
    known = ~np.isnan(np.array(standard)).all(axis=0) & ~np.isnan(grades[place])
    mean = np.full(known.shape, np.nan)
    mean[known] = np.nanmean(np.array(standard)[:, known], axis=0)
    return mean


def test_people_and_metrics_are_held_against_the_other_evaluators_by_item(
    files: list[str], grades: FloatArray, metric: FloatArray
) -> None:
    found = _result(files, "segment")["human_ceiling"]
    assert found["evaluators"] == 3 and found["outputs"] == SYSTEMS * SEGMENTS
    expected: dict[str, list[float]] = {"people": [], "M": []}
    for place in range(EVALUATORS):
        gold = _others(grades, place)
        rows: dict[str, list[float]] = {"people": [], "M": []}
        for segment in range(SEGMENTS):
            column = gold[:, segment]
            if (
                np.isnan(column).any()
                or not np.ptp(column)
                or not np.ptp(grades[place, :, segment])
            ):
                continue  # nobody to compare with, or a side that is constant
            rows["people"].append(stats.pearsonr(column, grades[place, :, segment]).statistic)
            rows["M"].append(stats.pearsonr(column, metric[:, segment]).statistic)
        for name, values in rows.items():
            expected[name].append(float(np.mean(values)))
    values = {row["metric"]: row for row in found["rows"]}
    assert list(values) == ["people", "M"]
    for name, parts in expected.items():
        assert values[name]["pearson"] == pytest.approx(np.mean(parts))
    gap = values["M"]["pearson"] - values["people"]["pearson"]
    assert values["M"]["less_people"]["pearson"] == pytest.approx(gap)
    for row in found["rows"]:
        for statistic, (low, high) in row["ci"].items():
            assert low <= row[statistic] <= high
    assert values["people"]["less_people"] == {}
    assert set(values["M"]["less_people"]) == {
        "pearson",
        "spearman",
        "kendall",
        "acc_eq_calibrated",
    }


def test_the_ceiling_of_systems_is_of_means_on_the_same_outputs(
    files: list[str], grades: FloatArray, metric: FloatArray
) -> None:
    found = _result(files, "system")["human_ceiling"]
    parts = []
    for place in range(EVALUATORS):
        gold = _others(grades, place)
        known = ~np.isnan(gold)
        means = [
            [table[system, known[system]].mean() for system in range(SYSTEMS)]
            for table in (gold, grades[place], metric)
        ]
        parts.append([stats.spearmanr(means[0], other).statistic for other in means[1:]])
    people, own = np.mean(parts, axis=0)
    values = {row["metric"]: row["spearman"] for row in found["rows"]}
    assert values == {"people": pytest.approx(people), "M": pytest.approx(own)}


def test_one_evaluator_has_no_ceiling(files: list[str], tmp_path: Path) -> None:
    lines = Path(files[1]).read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("e1", "e2"))]
    (tmp_path / "people.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    chosen = MetaSettings("segment", sampling=Sampling(0), permutations=20, allow_partial=True)
    done = meta(*files, gold="adequacy", settings=chosen)
    assert done.to_json()["human_ceiling"] is None


def test_error_free_outputs_are_detected_at_thresholds_of_other_documents(
    files: list[str], grades: FloatArray, metric: FloatArray
) -> None:
    found = _result(files, "segment", error_free=4)["error_free"]
    gold = np.nanmean(grades, axis=0)
    positive = gold >= 4 - 1e-9
    u = stats.mannwhitneyu(metric[positive], metric[~positive]).statistic
    [row] = found["rows"]
    assert row["AUC"] == pytest.approx(u / (positive.sum() * (~positive).sum()))
    assert found["base_rate"] == pytest.approx(positive.mean())
    called = np.zeros(positive.shape, bool)
    document = np.arange(SEGMENTS) // 3
    for fold in range(8):
        own = document % 8 == fold
        known = metric[:, ~own], positive[:, ~own]
        f1 = {
            limit: 2 * ((known[0] >= limit) & known[1]).sum()
            / ((known[0] >= limit).sum() + known[1].sum())
            for limit in np.unique(known[0])
        }  # fmt: skip
        called[:, own] = metric[:, own] >= max(f1, key=lambda limit: (f1[limit], limit))
    assert row["MCC"] == pytest.approx(stats.pearsonr(called.ravel(), positive.ravel()).statistic)
    both = (called & positive).sum()
    assert row["F1"] == pytest.approx(2 * both / (called.sum() + positive.sum()))
    low, high = row["ci"]["AUC"]
    assert low < row["AUC"] < high


def test_error_free_outputs_are_those_without_points_of_mqm(
    shared_data: Path, tmp_path: Path
) -> None:
    marks = shared_data / "mqm" / "ted_zhen.tsv.gz"
    rng = np.random.default_rng(0)
    lines = ["system,segment,measure,value"]
    chosen = MetaSettings("segment", sampling=Sampling(0), permutations=5, error_free=0)
    data = read_human_files([str(marks)])
    assert data.judgements is not None
    main = data.judgements
    for system in main.systems:
        lines += [f"{system},{segment},noise,{rng.random():.6f}" for segment in main.segments]
    (tmp_path / "noise.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = plain(
        meta(str(tmp_path / "noise.csv"), str(marks), gold="mqm", settings=chosen).to_json()
    )
    with gzip.open(shared_data / "mqm" / "ted_zhen_avg_seg_scores.tsv.gz", "rt") as published:
        points = [line.split()[1] for line in published]
    rated = [float(text) for text in points[1:] if text != "None"]
    share = sum(each == 0 for each in rated) / len(rated)
    assert found["error_free"]["base_rate"] == pytest.approx(share)
    assert found["error_free"]["rows"][0]["AUC"] == pytest.approx(0.5, abs=0.03)
    assert found["human_ceiling"] is None  # every output was rated once


def test_error_free_outputs_need_segments_and_two_classes(files: list[str]) -> None:
    with pytest.raises(UsageError, match="level='segment'"):
        MetaSettings("system", error_free=0)
    warned = _result(files, "segment", error_free=9)
    assert any("0% of the outputs count as error-free" in text for text in warned["warnings"])


def test_gold_that_is_better_when_lower_keeps_its_own_sign(tmp_path: Path) -> None:
    points = {"A": [0, 1, 0, 5], "B": [2, 0, 1, 6], "C": [0, 0, 9, 1]}
    lines = ["system,segment,measure,value"]
    for system, each in points.items():
        for place, value in enumerate(each):
            lines += [f"{system},{place},points,{value}", f"{system},{place},M,{-value}"]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    chosen = MetaSettings("segment", sampling=Sampling(0), permutations=5, error_free=1)
    done = meta(
        str(tmp_path / "scores.csv"), gold="points", settings=chosen, lower_is_better=["points"]
    )
    found = plain(done.to_json())["error_free"]
    assert found["base_rate"] == pytest.approx(8 / 12) and found["rows"][0]["AUC"] == 1
    assert found["rows"][0]["threshold"] == -1
