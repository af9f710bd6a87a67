"""NTCIR-9 from the numbers that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from patmark.data.scores import Estimate
from patmark.evaluation.evaluation import Sampling
from patmark.protocols import reproduction
from patmark.protocols.ntcir9.reproduction import (
    adequacy_checks,
    consistency_tables,
    ntcir9_tables,
    pairwise_checks,
    reproduce_ntcir9,
)
from patmark.protocols.reproduction import Reproduction
from patmark.report import plain

_COUNTS = {
    ("CE", "all"): 23,
    ("JE", "all"): 19,
    ("JE", "without RBMT"): 15,
    ("EJ", "all"): 17,
    ("EJ", "without RBMT"): 13,
}


@pytest.fixture(scope="module")
def done() -> Reproduction:
    return reproduce_ntcir9(Sampling(resamples=200))


def _rows(done: Reproduction, key: str = "rows") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = plain(done.to_json())[key]
    return rows


def test_every_published_correlation_comes_out(done: Reproduction) -> None:
    rows = [row for row in _rows(done) if (row["subtask"], row["metric"]) != ("JE", "NIST")]
    assert len(rows) == 26
    for row in rows:
        assert row["recomputed"] == pytest.approx(row["published"], abs=0.0015)
        assert row["status"] == "ok" and row["missing"] == []
        assert row["n"] == _COUNTS[row["subtask"], row["systems"]]


def test_published_values_are_those_of_the_tables(done: Reproduction) -> None:
    printed = {
        (row["table"], row["subtask"], row["metric"], row["statistic"]): row["published"]
        for row in _rows(done)
    }
    # Goto et al. 2011, Tables 19 and 20
    assert printed[19, "CE", "RIBES", "pearson"] == 0.967
    assert printed[19, "EJ", "BLEU", "spearman"] == -0.029
    assert printed[20, "EJ", "RIBES", "spearman"] == 0.929
    assert len(printed) == 30


def test_a_missing_input_is_named_and_not_guessed(done: Reproduction) -> None:
    rows = [row for row in _rows(done) if (row["subtask"], row["metric"]) == ("JE", "NIST")]
    assert [(row["status"], row["missing"]) for row in rows] == [
        ("input missing", ["BASELINE1-1"])
    ] * 4
    # computed with scipy 1.17.1 over the systems that have a value
    assert [(row["n"], round(row["recomputed"], 3)) for row in rows] == [
        (18, -0.141),
        (18, -0.284),
        (14, 0.521),
        (14, 0.354),
    ]
    [note] = [note for note in done.to_report().notes if "not readable" in note]
    assert "BASELINE1-1" in note and "n = 18: -0.141 (printed -0.114)" in note
    more = [row for row in _rows(done, "more") if row["missing"]]
    assert {(row["subtask"], row["metric"]) for row in more} == {("JE", "NIST")}
    cells = [row[5] for row in done.to_report().tables[0].rows]
    assert cells.count("18 of 19") == 1


def test_both_statistics_of_a_metric_stand_in_one_row(done: Reproduction) -> None:
    table = done.to_report().tables[0]
    assert [column.title for column in table.columns] == [
        "metric", "spearman", "printed ρ", "pearson", "printed r", "n", "status",
    ]  # fmt: skip
    assert len(table.rows) == 9 and len(done.to_report().tables[1].rows) == 6
    for row in table.rows:
        subtask, metric = str(row[0]).split()
        of_metric = {
            found["statistic"]: found
            for found in _rows(done)
            if (found["table"], found["subtask"], found["metric"]) == (19, subtask, metric)
        }
        assert isinstance(row[1], Estimate) and isinstance(row[3], Estimate)
        assert row[1].value == of_metric["spearman"]["recomputed"]
        assert row[3].value == of_metric["pearson"]["recomputed"]
        printed = tuple(of_metric[name]["published"] for name in ("spearman", "pearson"))
        assert (row[2], row[4]) == printed
    assert "Largest difference: 0.0006." in table.note


def test_what_the_paper_leaves_out_agrees_with_scipy(done: Reproduction) -> None:
    adequacy = {row["system"]: row["average"] for row in ntcir9_tables("adequacy")["CE"]}
    scores = {row["system"]: row["ribes"] for row in ntcir9_tables("automatic")["CE"]}
    x = np.array([adequacy[name] for name in adequacy])
    y = np.array([scores[name] for name in adequacy], dtype=float)
    found = {
        row["statistic"]: row
        for row in _rows(done, "more")
        if (row["subtask"], row["metric"]) == ("CE", "RIBES")
    }
    assert found["kendall"]["recomputed"] == pytest.approx(stats.kendalltau(x, y).statistic)
    signs = [np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for i in range(len(x)) for j in range(i)]
    assert found["pairwise accuracy"]["recomputed"] == pytest.approx(np.mean(signs))
    for row in [*_rows(done), *_rows(done, "more")]:
        low, high = row["ci"]
        assert low <= row["recomputed"] <= high


def test_without_rbmt_every_correlation_rises(done: Reproduction) -> None:
    assert "12 of 12 correlations rise" in done.to_report().notes[0]


def test_averages_follow_from_the_rates_in_all_59_rows(done: Reproduction) -> None:
    rows = _rows(done, "consistency")
    assert len(rows) == 59
    assert {row["table"] for row in rows} == {5, 9, 13}
    for row in rows:
        assert row["recomputed"] == pytest.approx(row["published"], abs=0.001 + 1e-9)
        assert row["status"] == "ok"


def test_pairwise_scores_average_one_half(done: Reproduction) -> None:
    rows = _rows(done, "pairwise")
    assert [(row["table"], row["n"], round(row["mean"], 4)) for row in rows] == [
        (7, 13, 0.4999),
        (11, 14, 0.5000),
        (15, 11, 0.5002),
    ]
    assert all(row["status"] == "ok" and row["falling_rates"] == [] for row in rows)


def test_rows_that_do_not_fit_are_shown() -> None:
    adequacy = {
        subtask: [{**first, "average": first["average"] + 0.01}, *rest]
        for subtask, (first, *rest) in ntcir9_tables("adequacy").items()
    }
    acceptability = {
        subtask: [{**first, "rate_AA": 1.0, "rate_F_or_higher": first["rate_AA"]}, *rest]
        for subtask, (first, *rest) in ntcir9_tables("acceptability").items()
    }
    averages, pairwise = adequacy_checks(adequacy), pairwise_checks(acceptability)
    summary, wrong = consistency_tables(averages, pairwise)
    assert [row[2] for row in wrong.rows] == ["BBN-1", "JAPIO-1", "NTT-UT-1"]
    assert {row[-1] for row in (*summary.rows, *wrong.rows)} == {"differs"}
    assert pairwise[0].to_json()["falling_rates"] == ["BBN-1"]


def test_validation_is_listed_as_published_only(done: Reproduction) -> None:
    rows = _rows(done, "validation")
    assert len(rows) == 24
    assert {(row["status"], row["recomputed"]) for row in rows} == {("published only", None)}
    assert "not public" in done.to_report().tables[-1].note


def test_charts_show_each_metric_by_type_of_system(done: Reproduction) -> None:
    charts = {chart.title: chart for chart in done.to_report().charts}
    assert len(charts) == 9
    chart = charts["Japanese to English: NIST and average adequacy"]
    assert len(chart.points) == 18 and "BASELINE1-1" in chart.note
    assert {point.group for point in chart.points} == {"SMT", "RBMT", "HYBRID", "EBMT"}
    [japio] = [point for point in chart.points if point.label == "JAPIO-1"]
    assert (japio.x, japio.y, japio.group) == (6.618, 3.667, "RBMT")


def test_packaged_numbers_are_the_shared_ones(shared_data: Path) -> None:
    folder = Path(reproduction.__file__).parent / "published"
    files = sorted(folder.glob("ntcir*/*.csv"))
    assert len(files) == 14
    for file in files:
        original = shared_data / file.parent.name / file.name
        assert file.read_bytes() == original.read_bytes()
