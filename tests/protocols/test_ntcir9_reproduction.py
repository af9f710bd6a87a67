"""NTCIR-9 from the numbers that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from patmark.data.scores import Estimate
from patmark.evaluation.scoring import Sampling
from patmark.protocols.studies import reproduction
from patmark.protocols.studies.ntcir9 import all_runs, findings, reproduce_ntcir9
from patmark.protocols.studies.ntcir9_human import (
    adequacy_checks,
    consistency_tables,
    grade_counts,
    ntcir9_tables,
    pairwise_checks,
)
from patmark.protocols.studies.ntcir9_sign_tests import marks_allowed, marks_found
from patmark.protocols.studies.reproduction import Reproduction, Value
from patmark.report import Bars, Scatter, plain

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
        assert abs(row["recomputed"] - row["published"]) <= row["tolerance"] + 1e-9
        assert 0.0005 <= row["tolerance"] < 0.0035
        assert row["status"] == "ok" and row["missing"] == [] and row["solved"] is None
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


def test_the_four_values_without_an_input_are_solved(done: Reproduction) -> None:
    rows = [row for row in _rows(done) if row["missing"]]
    assert [(row["status"], row["solved"]) for row in rows] == [("solved", [7.757, 7.782])] * 4
    gold = {row["system"]: row for row in ntcir9_tables("adequacy")["JE"]}
    scores = {row["system"]: row["nist"] for row in all_runs()["JE"]}
    for nist, good in ((7.756, False), (7.757, True), (7.77, True), (7.782, True), (7.783, False)):
        found = []
        for chosen in (list(gold), [name for name in gold if gold[name]["type"] != "RBMT"]):
            x = [gold[name]["average"] for name in chosen]
            y = [nist if scores[name] is None else scores[name] for name in chosen]
            found += [stats.spearmanr(x, y).statistic, stats.pearsonr(x, y).statistic]
        assert ([round(float(r), 3) for r in found] == [-0.114, -0.286, 0.543, 0.362]) == good
    assert any("Any NIST from 7.757 to 7.782" in note for note in done.to_report().notes)
    report = done.to_report()
    assert report.findings == (
        "26 of 30 published values agree within the rounding of the printed inputs; 4 are solved; "
        "1,446 more are printed only.",
        "12 of 12 findings of the paper hold.",
    )
    assert report.headlines == ()


def test_a_missing_input_is_named_and_not_guessed(done: Reproduction) -> None:
    rows = [row for row in _rows(done) if (row["subtask"], row["metric"]) == ("JE", "NIST")]
    assert [row["missing"] for row in rows] == [["BASELINE1-1"]] * 4
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
    cells = [row[5] for row in done.to_report().tables[2].rows]
    assert cells.count("18 of 19") == 1


def test_both_statistics_of_a_metric_stand_in_one_row(done: Reproduction) -> None:
    table = done.to_report().tables[2]
    assert [column.title for column in table.columns] == [
        "metric", "spearman", "printed ρ", "pearson", "printed r", "n", "status",
    ]  # fmt: skip
    assert len(table.rows) == 9 and len(done.to_report().tables[3].rows) == 6
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
    scores = {row["system"]: row["ribes"] for row in all_runs()["CE"]}
    x = np.array([adequacy[name] for name in adequacy])
    y = np.array([scores[name] for name in adequacy], dtype=float)
    found = {
        row["statistic"]: row
        for row in _rows(done, "more")
        if (row["subtask"], row["metric"]) == ("CE", "RIBES") and "adequacy" in row["against"]
    }
    assert found["kendall"]["recomputed"] == pytest.approx(stats.kendalltau(x, y).statistic)
    signs = [np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for i in range(len(x)) for j in range(i)]
    assert found["pairwise accuracy"]["recomputed"] == pytest.approx(np.mean(signs))
    for row in [*_rows(done), *_rows(done, "more")]:
        low, high = row["ci"]
        assert low <= row["recomputed"] <= high


def test_metrics_are_correlated_with_acceptability(done: Reproduction) -> None:
    found = {
        (row["subtask"], row["metric"], row["systems"], row["statistic"]): row
        for row in _rows(done, "more")
        if row["against"] == "pairwise acceptability"
    }
    # computed with scipy 1.17.1 from Tables 7, 11, 15 and 21–23
    rho = {subtask: found[subtask, "RIBES", "all", "spearman"] for subtask in ("CE", "JE", "EJ")}
    assert {name: (row["n"], round(row["recomputed"], 3)) for name, row in rho.items()} == {
        "CE": (13, 0.924),
        "JE": (14, 0.684),
        "EJ": (11, 0.724),
    }
    x = {row["system"]: row["pairwise"] for row in ntcir9_tables("acceptability")["JE"]}
    y = {row["system"]: row["ribes"] for row in all_runs()["JE"]}
    known = [name for name in x if name != "BASELINE1-1"]
    without = stats.spearmanr([x[name] for name in known], [y[name] for name in known])
    assert round(float(without.statistic), 3) == 0.665
    assert len({key[:3] for key in found}) == 15


def test_findings_of_the_text_hold(done: Reproduction) -> None:
    rows = _rows(done, "findings")
    assert len(rows) == 12 and all(row["holds"] for row in rows)
    told = {(row["subtask"], row["statement"]): row["evidence"] for row in rows}
    assert told["CE", "79.7 % of the sentences of the best system can be understood"] == (
        "BBN-1: 79.7 % are C or higher"
    )
    assert told["JE", "25 % of the sentences of the best SMT can be understood"].startswith(
        "NTT-UT-1"
    )
    assert told["EJ", "RBMT systems are among the five best in adequacy"] == (
        "3 of 5: RBMT6-1, JAPIO-1, RBMT4-1"
    )
    assert rows[-1]["evidence"] == "12 of 12 correlations rise"


def test_findings_of_the_text_can_fail() -> None:
    human = {name: ntcir9_tables(name) for name in ("adequacy", "acceptability")}
    for rows in human["acceptability"].values():
        rows[0]["rate_C_or_higher"] = 0.9
    for rows in human["adequacy"].values():
        rows[:] = [{**row, "type": "SMT"} for row in rows]
    values = [
        Value(subtask, metric, statistic, published=0.5, systems=systems)
        for subtask in ("CE", "JE", "EJ")
        for metric in ("BLEU", "NIST", "RIBES")
        for statistic in ("spearman", "pearson")
        for systems in ("all", "without RBMT")
    ]
    assert [each.holds for each in findings(values, human)] == [False, False, True] + [False] * 9


def test_types_that_differ_between_tables_are_noted(done: Reproduction) -> None:
    notes = [note for note in done.to_report().notes if "TORI-1" in note]
    assert notes == [
        "JE TORI-1: HYBRID in Table 9 (taken here), SMT in Table 11.",
        "EJ TORI-1: HYBRID in Table 13 (taken here), SMT in Table 15.",
    ]


def test_printed_marks_are_those_of_sign_tests_on_some_judgements(done: Reproduction) -> None:
    rows = {row["table"]: row for row in _rows(done, "sign_tests")}
    # counted in Goto et al. 2011, Tables 8, 10, 12, 14 and 16
    assert {table: tuple(row["marks"].values()) for table, row in rows.items()} == {
        8: (40, 11, 27),
        10: (127, 8, 36),
        12: (52, 7, 32),
        14: (109, 8, 19),
        16: (33, 4, 18),
    }
    assert {
        table: row["pairs"] - row["possible"] for table, row in rows.items() if row["excluded"]
    } == {14: 1}
    assert rows[14]["excluded"] == [{"better": "NTT-UT-1", "worse": "BJTUX-1", "mark": ">"}]
    assert sum(row["decided"] for row in rows.values()) == 85


def test_marks_of_rates_agree_with_scipy_under_every_rule_of_ties_and_sides() -> None:
    grades = {
        (criterion, subtask): {
            row["system"]: counts for row, counts in zip(rows, grade_counts(rows), strict=True)
        }
        for criterion in ("adequacy", "acceptability")
        for subtask, rows in ntcir9_tables(criterion).items()
    }
    lists = {
        (criterion, subtask, *pair): mark
        for criterion, subtask in (("acceptability", "CE"), ("adequacy", "EJ"))
        for pair, mark in _printed_marks(criterion, subtask).items()
    }
    assert len(lists) == 78 + 136
    rng = np.random.default_rng(7)
    for (criterion, subtask, better, worse), mark in lists.items():
        counts = [grades[criterion, subtask][name] for name in (better, worse)]
        found, allowed = marks_found(*counts), marks_allowed(*counts)
        assert found <= allowed
        first, second = (np.repeat(np.arange(5), each.astype(int)) for each in counts)
        paired = np.array(
            [
                *(np.roll(one, by) for one in (second, second[::-1]) for by in range(0, 300, 3)),
                rng.permutation(second),
            ]
        )
        won, lost = (first > paired).sum(axis=1), (first < paired).sum(axis=1)
        tied = 300 - won - lost
        for sides, share in ((2, 0.0), (1, 0.0), (2, 0.5), (1, 0.5)):
            wins, losses = won + share * tied, lost + share * tied
            p = sides * stats.binom.cdf(losses, wins + losses, 0.5)
            marks = {">>" if each < 0.01 else ">" if each < 0.05 else "-" for each in p}
            assert (mark in marks) == ((better, worse) != ("NTT-UT-1", "BJTUX-1"))
            if (sides, share) == (2, 0.0):
                assert marks <= allowed and found == marks


def _printed_marks(criterion: str, subtask: str) -> dict[tuple[str, str], str]:
    rows = reproduction.published_rows(f"ntcir9/sign_test_{criterion}_{subtask}.csv")
    return {(row["better"], row["worse"]): row["mark"] for row in rows}


def test_bounds_on_a_mark_agree_with_linear_programming() -> None:
    counts = {
        row["system"]: each
        for row, each in zip(
            ntcir9_tables("adequacy")["EJ"],
            grade_counts(ntcir9_tables("adequacy")["EJ"]),
            strict=True,
        )
    }
    better, worse = counts["NTT-UT-1"], counts["BJTUX-1"]
    margins = np.vstack([np.kron(np.eye(5), np.ones(5)), np.kron(np.ones(5), np.eye(5))])
    won = np.array([first > second for first in range(5) for second in range(5)], float)
    lost = np.array([first < second for first in range(5) for second in range(5)], float)
    ends = [
        optimize.linprog(cost, A_eq=margins, b_eq=np.concatenate([better, worse])).fun
        for cost in (won, -won, lost, -lost)
    ]
    fewest_won, most_lost = ends[0], -ends[3]
    # fewer wins and more losses than any judgements can have: still far below 0.01
    assert 2 * stats.binom.cdf(most_lost, fewest_won + most_lost, 0.5) < 1e-6
    assert marks_allowed(better, worse) == {">>"}


def test_metrics_are_judged_on_pairs_that_people_tell_apart(done: Reproduction) -> None:
    rows = {
        (row["subtask"], row["criterion"], row["metric"], row["level"]): row
        for row in _rows(done, "pairs_in_order")
    }
    assert len(rows) == 3 * 2 * 3 * 3
    every = rows["CE", "adequacy", "RIBES", 1.0]
    accuracy = [
        row["recomputed"]
        for row in _rows(done, "more")
        if (row["subtask"], row["metric"], row["against"], row["statistic"])
        == ("CE", "RIBES", "average adequacy", "pairwise accuracy")
    ]
    assert every["pairs"] == 23 * 22 // 2 and [every["accuracy"]] == pytest.approx(accuracy)
    assert rows["JE", "adequacy", "NIST", 1.0]["pairs"] == 18 * 17 // 2  # one value is missing
    # Tables 8 and 14 print 40 + 11 and 109 + 8 marks
    assert rows["CE", "acceptability", "BLEU", 0.05]["pairs"] == 51
    assert rows["EJ", "adequacy", "BLEU", 0.05]["pairs"] == 117
    for (*place, level), row in rows.items():
        sure = rows[(*place, 0.01)]
        if place[:2] == ["CE", "adequacy"]:  # Table 6 is not legible
            assert level == 1 or row["pairs"] is row["right"] is row["accuracy"] is None
            continue
        assert sure["pairs"] <= row["pairs"] and sure["right"] <= row["right"] <= row["pairs"]


def test_priority_1_is_not_always_the_best_run(done: Reproduction) -> None:
    rows = {(row["subtask"], row["group"]): row for row in _rows(done, "priorities")}
    judged = {place: row["best"]["adequacy"] for place, row in rows.items()}
    assert {place: best for place, best in judged.items() if best} == {
        ("JE", "KYOTO"): "KYOTO-2",
        ("EJ", "KYOTO"): "KYOTO-2",
        ("EJ", "NTT-UT"): "NTT-UT-1",
    }
    assert rows["JE", "KYOTO"]["best"]["RIBES"] == "KYOTO-1"
    assert (
        rows["CE", "NCW"]["runs"][1:3] == ["NCW-2", "NCW-3"]
        and len(rows["CE", "NCW"]["runs"]) == 22
    )
    assert rows["EJ", "BJTUX"]["runs"] == ["BJTUX-1", "BJTUX-1 (2)"]  # printed twice
    # counted by hand in Tables 21 to 23
    assert plain(done.to_json())["first_is_best"] == {
        "adequacy": [1, 3],
        "BLEU": [16, 28],
        "NIST": [4, 8],
        "RIBES": [15, 28],
    }


def test_all_147_runs_are_there_and_metrics_agree_over_them_as_scipy_says(
    done: Reproduction,
) -> None:
    runs = all_runs()
    assert {subtask: len(rows) for subtask, rows in runs.items()} == {"CE": 79, "JE": 35, "EJ": 33}
    assert len({(s, row["system"]) for s, rows in runs.items() for row in rows}) == 147
    for row in _rows(done, "metric_agreement"):
        first, second = row["against"].lower(), row["metric"].lower()
        both = [
            (run[first], run[second])
            for run in runs[row["subtask"]]
            if run[first] is not None and run[second] is not None
        ]
        assert row["n"] == len(both)
        x, y = zip(*both, strict=True)
        peer = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}
        if row["statistic"] in peer:
            expected = peer[row["statistic"]](x, y).statistic
            assert row["recomputed"] == pytest.approx(expected)


def test_averages_follow_from_the_rates_in_all_59_rows(done: Reproduction) -> None:
    rows = _rows(done, "consistency")
    assert len(rows) == 59
    assert {row["table"] for row in rows} == {5, 9, 13}
    for row in rows:
        assert row["recomputed"] == pytest.approx(row["published"], abs=0.0005 + 1e-9)
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
    charts = {chart.title: chart for chart in done.to_report().charts if isinstance(chart, Scatter)}
    assert len(charts) == 15
    without = charts[
        "Figure 23, Japanese to English: BLEU and average adequacy, systems: without RBMT"
    ]
    assert len(without.points) == 15 and "RBMT" not in {point.group for point in without.points}
    chart = charts["Figure 21, Japanese to English: NIST and average adequacy, systems: all"]
    assert len(chart.points) == 18 and "BASELINE1-1" in chart.note
    assert {point.group for point in chart.points} == {"SMT", "RBMT", "HYBRID", "EBMT"}
    [japio] = [point for point in chart.points if point.label == "JAPIO-1"]
    assert (japio.x, japio.y, japio.group) == (6.618, 3.667, "RBMT")


def test_figures_2_to_7_are_drawn_from_the_rates(done: Reproduction) -> None:
    charts = [chart for chart in done.to_report().charts if isinstance(chart, Bars)]
    assert [chart.title.partition(",")[0] for chart in charts] == [
        f"Figure {number}" for number in range(2, 8)
    ]
    first, second = charts[:2]
    assert first.parts == ("5", "4", "3", "2", "1") and second.parts == ("AA", "A", "B", "C", "F")
    # Goto et al. 2011, Table 5: BBN-1 has 5 in .397, 4 or higher in .700, 3 or higher in .940
    assert first.rows[0].label == "BBN-1" and first.rows[0].value == 4.033
    assert first.rows[0].shares == pytest.approx((0.397, 0.303, 0.240, 0.057, 0.003), abs=0.001)
    for bar in (bar for chart in charts for bar in chart.rows):
        assert sum(bar.shares) == pytest.approx(1) and min(bar.shares) >= 0


def test_packaged_numbers_are_the_shared_ones(shared_data: Path) -> None:
    folder = Path(reproduction.__file__).parent / "published"
    own = {"listing.csv", "lengths.csv"}  # the shared folder has no file of them
    files = sorted(file for file in folder.glob("ntcir*/*.csv") if file.name not in own)
    assert len(files) == 19
    for file in files:
        original = shared_data / file.parent.name / file.name
        assert file.read_bytes() == original.read_bytes()
