"""NTCIR-7 from the numbers that come with the package."""

from __future__ import annotations

from typing import Any

import pytest
from scipy import stats

from patmark.evaluation.scoring import Sampling
from patmark.protocols.studies.ntcir7 import (
    findings,
    ntcir7_runs,
    ntcir7_t_tests,
    reproduce_ntcir7,
)
from patmark.protocols.studies.reproduction import Reproduction
from patmark.report import plain

# better, worse: level, Δ intrinsic BLEU, Δ extrinsic BLEU, Δ MAP rigid;
# subtracted by hand from Tables 3 and 4 of Fujii et al. 2008
_GAPS = {
    "AG": (0.01, 7.07, 10.66, 0.1018), "AF": (0.01, 11.07, 9.33, 0.1476),
    "CF": (0.01, 9.48, 6.32, 0.1050), "AB": (0.05, 2.54, 3.45, 0.0585),
    "EF": (0.05, 6.05, 1.59, 0.1011), "BF": (0.05, 8.53, 5.88, 0.0891),
    "AC": (None, 1.59, 3.01, 0.0426), "AE": (None, 5.02, 7.74, 0.0465),
    "CE": (None, 3.43, 4.73, 0.0039), "CB": (None, 0.95, 0.44, 0.0159),
    "CG": (None, 5.48, 7.65, 0.0592), "EB": (None, -2.48, -4.29, 0.0120),
    "EG": (None, 2.05, 2.92, 0.0553), "BG": (None, 4.53, 7.21, 0.0433),
    "GF": (None, 4.00, -1.33, 0.0458),
}  # fmt: skip


@pytest.fixture(scope="module")
def done() -> Reproduction:
    return reproduce_ntcir7(Sampling(resamples=200))


def _rows(done: Reproduction, key: str = "rows") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = plain(done.to_json())[key]
    return rows


def test_all_pairs_have_their_level_and_gaps(done: Reproduction) -> None:
    found = {
        pair["better"] + pair["worse"]: (
            pair["level"],
            pair["gaps"]["intrinsic BLEU"],
            pair["gaps"]["extrinsic BLEU"],
            pair["map_rigid_gap"],
        )
        for pair in _rows(done, "pairs")
    }
    assert found == _GAPS


def test_necessary_and_safe_gap(done: Reproduction) -> None:
    limits = {row["metric"]: (row["necessary"], row["safe"]) for row in _rows(done, "limits")}
    assert limits == {
        "intrinsic BLEU": (7.07, 8.53),
        "extrinsic BLEU": (6.32, 7.74),
        "pooled": (6.32, 8.53),
    }


def test_gaps_agree_with_the_published_statement(done: Reproduction) -> None:
    necessary, safe = _rows(done)
    assert "19 of 19 published values agree" in done.to_report().findings[0]
    assert (necessary["statistic"], necessary["published"]) == ("necessary gap", 6.0)
    assert necessary["recomputed"] == pytest.approx(6.32)
    assert (safe["statistic"], safe["published"]) == ("safe gap", 9.0)
    assert safe["recomputed"] == pytest.approx(8.53)
    assert [row["status"] for row in (necessary, safe)] == ["ok", "ok"]
    assert {row["n"] for row in (necessary, safe)} == {6}


def test_human_rating_is_adequacy_plus_fluency(done: Reproduction) -> None:
    rows = _rows(done, "consistency")
    assert len(rows) == 9 + 8
    for row in rows:
        assert row["recomputed"] == pytest.approx(row["published"], abs=1e-9)
        assert row["status"] == "ok"


def test_correlations_agree_with_scipy(done: Reproduction) -> None:
    runs = [run for run in ntcir7_runs()[1] if run["extrinsic_bleu"] is not None]
    x = [run["extrinsic_bleu"] for run in runs]
    y = [run["map_relax"] for run in runs]
    found = {
        row["statistic"]: row
        for row in _rows(done, "more")
        if (row["metric"], row["against"]) == ("extrinsic BLEU", "MAP relaxed")
    }
    assert {row["n"] for row in found.values()} == {6}
    assert found["pearson"]["recomputed"] == pytest.approx(stats.pearsonr(x, y).statistic)
    assert found["spearman"]["recomputed"] == pytest.approx(stats.spearmanr(x, y).statistic)


def test_relations_count_their_runs(done: Reproduction) -> None:
    counts = {
        (row["figure"], row["subtask"], row["metric"], row["against"], row["systems"]): row["n"]
        for row in _rows(done, "more")
    }
    assert counts == {
        (6, "JE", "intrinsic BLEU", "human", "all"): 9,
        (6, "JE", "intrinsic BLEU", "human", "statistical"): 6,
        (8, "EJ", "intrinsic BLEU", "human", "all"): 8,
        (8, "EJ", "intrinsic BLEU", "human", "statistical"): 6,
        (None, "EJ", "intrinsic BLEU", "MAP rigid", "all"): 6,
        (None, "EJ", "intrinsic BLEU", "MAP relaxed", "all"): 6,
        (None, "EJ", "extrinsic BLEU", "MAP rigid", "all"): 6,
        (None, "EJ", "extrinsic BLEU", "MAP relaxed", "all"): 6,
        (None, "EJ", "human", "MAP rigid", "all"): 6,
    }


def test_findings_hold_but_for_the_number_of_topics(done: Reproduction) -> None:
    rows = _rows(done, "findings")
    assert [row["holds"] for row in rows] == [True] * 6 + [False]
    [people] = [row for row in rows if "lowest MAP" in row["statement"]]
    assert people["evidence"] == "best human: F 5.40; lowest MAP: F 0.3836"
    assert rows[4]["evidence"] == "MAP rigid: A C E B G F; MAP relaxed: A C E B G F"
    assert rows[5]["evidence"] == "intrinsic BLEU: A C B E G F; extrinsic BLEU: A C B E F G"
    assert rows[6]["statement"].startswith("MAP rigid is averaged over the 90 topics")
    assert rows[6]["evidence"] == "Mono 0.9000: 90 of 100 topics; over 90 it would be 1"


def test_findings_can_fail() -> None:
    (je, ej), tests = ntcir7_runs(), ntcir7_t_tests()
    turned = [{**run, "human": 10.0 if run["group"] == "A" else run["human"]} for run in ej]
    first = tests[0]
    swapped = [{**first, "better": first["worse"], "worse": first["better"]}, *tests[1:]]
    found = [each.holds for each in findings(je, turned, swapped)]
    assert found == [True, False, False, False, True, True, False]


def test_orders_and_the_number_of_topics_are_looked_up() -> None:
    (je, ej), tests = ntcir7_runs(), ntcir7_t_tests()
    changed = {"Mono": {"map_rigid": 1.0}, "F": {"extrinsic_bleu": 1.0, "map_relax": 0.9}}
    other = [{**run, **changed.get(run["group"], {})} for run in ej]
    assert [each.holds for each in findings(je, other, tests)][4:] == [False, False, True]


def test_charts_show_the_figures(done: Reproduction) -> None:
    charts = {chart.title: chart for chart in done.to_report().charts}
    assert len(charts) == 9
    human = charts["Figure 6, JE: intrinsic BLEU and human"]
    assert {point.group for point in human.points} == {"statistical", "rule-based", "example-based"}
    assert len(human.points) == 9
    assert len(charts["Figure 8, EJ: intrinsic BLEU and human"].points) == 8
    assert not [
        title
        for title in charts
        if "MAP" in title and "Figure 9" not in title and "Figure" in title
    ]
    assert len(charts["Figure 9: extrinsic BLEU"].points) == 15
    assert any("Mono" in note and "0.9983" in note for note in done.to_report().notes)
