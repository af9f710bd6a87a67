"""What the report of a comparison says, and what it does not claim."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from patmark.data import TestSet
from patmark.data.scores import Estimate
from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.evaluation.comparison import CompareSettings, Comparison, compare
from patmark.evaluation.comparison_tables import comparison_report
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.examples import SYSTEMS, example_path
from patmark.report import message_texts, to_html, to_latex
from patmark.report.frames import to_csv
from patmark.report.model import Report, Table
from score_arrays import scores_of

_SAMPLING = Sampling(resamples=100)
_FAST = CompareSettings(_SAMPLING, trials=500)


@pytest.fixture(scope="module")
def compared() -> Comparison:
    folder = example_path("ja_en")
    test_set = read_line_test_set(
        [folder / "reference.en"], documents=folder / "documents.txt", target_language="en"
    )
    runs = [read_line_run(folder / f"{name}.en", test_set) for name in SYSTEMS]
    scores = evaluate(test_set, runs, ["BLEU", "TER", "RIBES"], _SAMPLING).scores
    return compare(scores, test_set.documents, _FAST)


def _report(
    values: list[list[float]], documents: list[str | None] | None = None, measure: str = "m",
    settings: CompareSettings = _FAST,
) -> Report:  # fmt: skip
    scores = {measure: scores_of(values, measure)}
    result = compare(scores, documents or [None] * len(values[0]), settings)
    return comparison_report(result, "t", "s")


def _table(report: Report, title: str) -> Table:
    return next(table for table in report.tables if table.title == title)


def test_groups_and_differences_are_named(compared: Comparison) -> None:
    report = comparison_report(compared, "t", "s")
    titles = [table.title for table in report.tables]
    assert titles[:2] == ["Scores", "Differences by BLEU"]
    assert "Pairwise significance by TER" in titles and "Ranking by RIBES" in titles
    groups = "BLEU, TER, RIBES groups, best first: atlas | borealis | cobalt."
    assert report.findings[0].startswith("atlas beats borealis: +16.15 BLEU [")
    assert report.findings[0].endswith("after Holm over 3 measures.")
    assert report.findings[1].startswith(
        "3 measures together, at 5 % after Holm over them: atlas is better than borealis (by all);"
    )
    assert report.findings[2] == groups
    ter = _table(report, "Differences by TER")
    assert all(row[0] in ("atlas", "borealis") for row in ter.rows)  # the better one first


def test_groups_are_not_said_to_be_told_apart(compared: Comparison) -> None:
    report = comparison_report(compared, "t", "s")
    rule = "A system opens a group when it is significantly worse, at 5 % after Holm, than one of"
    assert sum(note.startswith(rule) for note in report.notes) == 1
    said = " ".join([*report.findings, *report.notes, *(table.note for table in report.tables)])
    assert "tell" not in said and "apart" not in said


@pytest.mark.parametrize("documents", [None, ["D1", "D2", "D3"]])
def test_unknown_documents_are_told(documents: list[str] | None) -> None:
    """Without documents nobody can see that segments belong together."""
    texts = ["a b c", "d e f", "g h i"]
    test_set = TestSet.of(texts, documents=documents, target_language="en")
    notes = evaluate(test_set, {"s": texts}, "BLEU", Sampling(resamples=50)).compared_notes
    told = [note for note in notes if note.startswith("Documents are unknown")]
    assert len(told) == (documents is None)


def test_a_step_is_not_tested_with_too_few_documents() -> None:
    values = _apart(2, 40)
    result = compare({"m": scores_of(values, "m")}, ["a", "b"] * 20, _FAST)
    [summary] = comparison_report(result, "t", "s").summary
    place = [column.title for column in summary.columns].index("p")
    assert [row[place] for row in summary.rows] == [None, None]


def test_the_leader_is_named_where_no_p_can_reach_the_level() -> None:
    values = _apart(2, 6)
    scores = {f"m{place}": scores_of(values, f"m{place}") for place in range(9)}
    first = comparison_report(compare(scores, [None] * 6, _FAST), "t", "s").findings[0]
    assert first.startswith("s1 leads s0: +") and first.endswith("6 units are too few to tell.")


def test_one_group_is_no_difference() -> None:
    rng = np.random.default_rng(0)
    report = _report(rng.normal(0, 1, (2, 40)).tolist())
    leader, by_measure = report.findings
    assert leader.startswith("No clear difference between s1 and s0: +0.3616 m [-0.0853, ")
    assert by_measure == "m: no difference is significant at 5 %."


def test_systems_without_a_score_are_no_group() -> None:
    rng = np.random.default_rng(0)
    values = [(rng.normal(shift, 1, 40)).tolist() for shift in (9, 0)] + [[nan] * 40]
    report = _report(values)
    assert report.findings[0].startswith("s0 beats s1: +8.64 m [")
    assert report.findings[1] == "m groups, best first: s0 | s1. Without a score: s2."
    assert [row[2] for row in _table(report, "Ranking by m").rows] == [1, 2, None]
    alone = _report([[1.0] * 9, [nan] * 9])
    assert "m: only s0 has a score. Without a score: s1." in alone.findings
    assert "m: no system has a score." in _report([[nan] * 9, [nan] * 9]).findings


@pytest.mark.parametrize(
    ("documents", "by", "warned"),
    [
        (8, "segment", "from 8 documents"), (30, "segment", "from 30 documents"),
        (30, None, None), (8, None, None), (8, "document", None),
        (60, "segment", None), (0, None, None),
    ],
)  # fmt: skip
def test_segments_of_known_documents_are_warned_of(
    documents: int, by: str | None, warned: str | None
) -> None:
    """Drawn by segment, 8 documents call systems different that are not."""
    rng = np.random.default_rng(1)
    names = [str(row % documents) if documents else None for row in range(60)]
    settings = CompareSettings(Sampling(resamples=50, by=by), trials=100)
    report = _report(rng.normal(0, 1, (2, 60)).tolist(), names, settings=settings)
    first = message_texts(report.findings)[0]
    drawn = "Warning: segments are drawn although they come"
    assert first.startswith(f"{drawn} {warned}") if warned else not first.startswith(drawn)


def test_too_few_units_are_said_to_be_untestable() -> None:
    report = _report([[9.0] * 3 + [nan] * 50, [1.0] * 3 + [nan] * 50], measure="document_accuracy")
    assert message_texts(report.findings) == [
        "document_accuracy: differences cannot be tested with so few units.",
        "Warning: too few units (segments) to test, no difference can be significant at 5 %, "
        "however large: document_accuracy (3). At least 6 are needed.",
    ]
    [row] = _table(report, "Differences by document_accuracy").rows
    assert row[4] == "not testable" and np.isinf(row[12])  # type: ignore[arg-type]


def test_four_documents_are_too_few() -> None:
    settings = CompareSettings(Sampling(resamples=100, by="document"), trials=500)
    names: list[str | None] = [str(row % 4) for row in range(40)]
    report = _report([[9.0] * 40, [1.0] * 40], names, settings=settings)
    first, *others = message_texts(report.findings)
    assert first.startswith("Warning: no groups, and nothing is called significant: 4 documents")
    assert others == ["m: differences are not tested."]


_FEW_DOCUMENTS: list[str | None] = [f"D{row % 4}" for row in range(40)]


@pytest.mark.parametrize("by", [None, "segment", "document"])
@pytest.mark.parametrize("systems", [2, 3])
def test_few_known_documents_have_no_groups_and_nothing_significant(
    systems: int, by: str | None
) -> None:
    """In tables, charts, the paper and JSON, whatever the p of single segments says."""
    rng = np.random.default_rng(5)
    values = rng.normal(np.arange(systems)[:, None] * 5.0, 1, (systems, 40)).tolist()
    settings = CompareSettings(Sampling(100, by=by), trials=500)
    result = compare({"m": scores_of(values, "m")}, _FEW_DOCUMENTS, settings)
    measure = result.measures["m"]
    assert measure.clusters is None and not measure.testable
    assert not any(pair.significant for pair in measure.pairs)
    assert measure.rank_ranges is None
    found = result.to_json()["measures"]["m"]
    assert found["clusters"] is None and found["clusters_reason"].startswith("4 documents are too")
    assert found["rank_ranges"] is None
    assert not any(pair["significant"] for pair in found["pairs"])
    report = comparison_report(result, "t", "s")
    titles = [table.title for table in report.tables]
    assert titles == ["Scores", "Differences by m"]
    assert {row[4] for row in _table(report, "Differences by m").rows} == {"not testable"}
    assert not any("group" in column.title for table in report.tables for column in table.columns)
    assert all(row.significant is None for chart in report.charts for row in chart.rows)
    page, paper = to_html(report), to_latex(report)
    assert "not tested" in page and "not significant" not in page
    assert "No groups: 4 documents are too few" in paper


def _apart(systems: int, segments: int) -> list[list[float]]:
    """Systems that are better, one after the other, in every segment."""
    noise = np.random.default_rng(6).normal(0, 0.1, (systems, segments))
    rows: list[list[float]] = (np.arange(systems)[:, None] * 5.0 + noise).tolist()
    return rows


@pytest.mark.parametrize("systems", [2, 3])
def test_measures_that_do_not_decide_have_no_groups_ranks_letters_or_verdicts(systems: int) -> None:
    values = _apart(systems, 40)
    scores = {name: scores_of(values, name) for name in ("x", "y", "z")}
    result = compare(scores, [None] * 40, replace(_FAST, primary="y"))
    report = comparison_report(result, "t", "s")
    sections = [table.section for table in report.tables]
    assert list(dict.fromkeys(sections)) == ["", "y", "x", "z"]
    assert [chart.section for chart in report.charts] == ["y", "x", "z"]
    scored = report.tables[0]
    assert scored.note.startswith("Best first by y.")
    assert scored.note.endswith("No groups by x, z: y was declared to decide.")
    groups = [column.title for column in scored.columns if "group" in column.title]
    assert groups == (["y group"] if systems == 2 else [])
    ranked = {table.section for table in report.tables if "Ranking" in table.title}
    beaten = {table.section for table in report.tables if "Pairwise significance" in table.title}
    assert ranked == beaten == ({"y"} if systems == 3 else set())
    for name, verdict, drawn in (("y", "yes", True), ("x", "not decided", None)):
        assert {row[4] for row in _table(report, f"Differences by {name}").rows} == {verdict}
        [chart] = [one for one in report.charts if one.section == name]
        assert {row.significant for row in chart.rows} == {drawn}
    assert sum("y was declared to decide" in text for text in report.notes) == 1
    assert not any(text.startswith("x") for text in report.findings)
    page, paper = to_html(report), to_latex(report)
    assert ", not significant<" not in page and "no verdict" in page
    heads, [best] = (
        [line.split(" & ") for line in paper.splitlines() if wanted in line]
        for wanted in ("system & ", "$^{a}$")
    )
    assert [head[0] for head, cell in zip(heads[0], best, strict=True) if "$^{a}$" in cell] == ["y"]
    assert "Nothing is called significant by x, z: y was declared to decide." in paper


_FEW_UNITS = "differences cannot be tested with so few units"
_FEW_DRAWS = "so many differences cannot be tested with so few draws"


@pytest.mark.parametrize(
    ("systems", "segments", "documents", "trials", "reason"),
    [
        (2, 4, 0, 500, _FEW_UNITS),
        (2, 40, 0, 10, _FEW_DRAWS),
        (3, 42, 6, 500, _FEW_UNITS),
        (3, 40, 0, 30, _FEW_DRAWS),
    ],
    ids=["units", "trials", "documents after Holm", "trials after Holm"],
)
def test_where_nothing_can_be_tested_there_are_no_groups(
    systems: int, segments: int, documents: int, trials: int, reason: str
) -> None:
    names = [f"D{row % documents}" if documents else None for row in range(segments)]
    settings = CompareSettings(_SAMPLING, trials=trials)
    result = compare({"m": scores_of(_apart(systems, segments), "m")}, names, settings)
    found = result.to_json()["measures"]["m"]
    assert (found["testable"], found["clusters"], found["rank_ranges"]) == (False, None, None)
    assert found["clusters_reason"] == reason
    report = comparison_report(result, "t", "s")
    assert [table.title for table in report.tables] == ["Scores", "Differences by m"]
    assert report.tables[0].note == f"Best first by m. No groups: {reason}."
    assert not any("group" in column.title for table in report.tables for column in table.columns)
    assert {row[4] for row in _table(report, "Differences by m").rows} == {"not testable"}
    assert all(row.significant is None for chart in report.charts for row in chart.rows)
    assert f"m: {reason}." in report.findings
    page, paper = to_html(report), to_latex(report)
    assert "not significant" not in page
    assert f"No groups: {reason}." in paper and "Letters are groups" not in paper


@pytest.mark.parametrize("better", [True, False])
def test_of_equal_systems_none_is_called_better(better: bool) -> None:
    same, other = np.random.default_rng(7).normal([[0.0], [5.0]], 1, (2, 40)).tolist()
    for rows in ([same, same, other], [[0.0] * 40, [0.0] * 40, other]):
        scores = replace(scores_of(rows, "m"), higher_is_better=better)
        report = comparison_report(compare({"m": scores}, [None] * 40, _FAST), "t", "s")
        table = _table(report, "Differences by m")
        assert [row[:2] for row in table.rows if not row[1]] == [("s0 = s1", None)]
        assert {row[0] == "s2" for row in table.rows if row[1]} == {better}
        assert "a = b: neither is better." in table.note


def test_enough_documents_or_none_known_have_groups() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal([[0.0], [5.0]], 1, (2, 42)).tolist()
    for documents in ([f"D{row % 6}" for row in range(42)], [None] * 42):
        found = compare({"m": scores_of(values, "m")}, documents, _FAST).to_json()["measures"]["m"]
        assert found["clusters"] == [["s1"], ["s0"]] and found["clusters_reason"] is None


def test_a_bootstrap_of_few_units_is_warned_of() -> None:
    settings = CompareSettings(Sampling(resamples=100), "bootstrap")
    report = _report([[9.0] * 4, [1.0, 2.0, 3.0, 1.0]], settings=settings)
    notes = message_texts(report.findings)
    assert any("nothing is called significant at 5 %" in note for note in notes)


@pytest.mark.parametrize(
    ("systems", "trials", "message"),
    [
        (2, 10, "from 10 draws no p can reach 5 %; take at least 19."),
        (3, 30, "with 3 pairs, Holm cannot reach 5 % from 30 draws; take at least 60."),
        (2, 19, None),
    ],
)
def test_too_few_draws_are_pointed_out(systems: int, trials: int, message: str | None) -> None:
    rng = np.random.default_rng(2)
    settings = CompareSettings(_SAMPLING, trials=trials)
    report = _report(rng.normal(0, 1, (systems, 40)).tolist(), settings=settings)
    notes = message_texts(report.findings)
    assert (f"Warning: {message}" in notes) == (message is not None)
    assert any("draws" in note for note in notes) == (message is not None)


def test_columns_say_what_they_hold(compared: Comparison) -> None:
    report = comparison_report(compared, "t", "s")
    columns = _table(report, "Differences by BLEU").columns
    titles = [column.title for column in columns]
    assert [title for title in titles if "by segment, uncorrected" in title] == [
        f"p {name}, by segment, uncorrected" for name in ("sign", "t", "Wilcoxon")
    ]
    assert "wins − losses" in titles and "Cliff δ" not in titles
    assert [c.title for c in columns if c.p_value] == [t for t in titles if t.startswith("p")]
    scores = [column.title for column in _table(report, "Scores").columns]
    assert scores == ["system", "BLEU", "TER", "RIBES"]


def test_csv_keeps_numbers_as_numbers(compared: Comparison) -> None:
    text = to_csv(comparison_report(compared, "t", "s"))
    rows = [line.split(",") for line in text.splitlines() if line.startswith("Differences by BLEU")]
    for row in rows:
        if '"p t' in row[2] or row[2] == "p":
            float(row[-4])
        if row[2] == "difference":
            assert row[-1] == "120"  # segments compared


def test_pairs_without_a_p_come_last_in_any_order() -> None:
    rng = np.random.default_rng(3)
    values = [rng.normal(shift, 1, 40).tolist() for shift in (0.0, 0.4, 3.0)]
    for place in range(4):
        rows = [*values[:place], [nan] * 40, *values[place:]]
        table = _table(_report(rows), "Differences by m")
        p_values = [float(row[3]) for row in table.rows]  # type: ignore[arg-type]
        assert p_values[:3] == sorted(p_values[:3]) and np.isnan(p_values[3:]).all()
        assert [row[4] for row in table.rows[3:]] == [None] * 3


@pytest.mark.parametrize(("systems", "shown"), [(12, True), (13, False)])
def test_a_matrix_that_is_left_out_is_mentioned(systems: int, shown: bool) -> None:
    rng = np.random.default_rng(4)
    settings = CompareSettings(Sampling(resamples=20), trials=2000)
    report = _report(rng.normal(0, 1, (systems, 20)).tolist(), settings=settings)
    assert any(table.title.startswith("Pairwise significance") for table in report.tables) == shown
    assert any("for up to 12 systems, not for 13" in note for note in report.notes) == (not shown)


@pytest.mark.parametrize(("measure", "decimals"), [("chrF", 2), ("TER", 2), ("RIBES", 4)])
@pytest.mark.parametrize("size", [0.5, 50.0])
def test_decimals_follow_the_measure_and_not_the_data(
    measure: str, decimals: int, size: float
) -> None:
    report = _report([[size] * 20, [size / 2] * 20], measure=measure)
    assert _table(report, "Scores and groups").columns[1].decimals == decimals
    table = _table(report, f"Differences by {measure}")
    assert table.columns[2].decimals == decimals and isinstance(table.rows[0][2], Estimate)


def test_systems_that_share_no_segment_are_warned_of() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(3, 1, 30), rng.normal(0, 1, 30)
    gap = [nan] * 30
    report = _report([[*first, *gap], [*gap, *second], [*first, *second]])
    assert any(
        finding.startswith("Warning: m: no segment has a score of both s0 and s1")
        for finding in message_texts(report.findings)
    )
    assert any(
        "m: not every system has a score" in note and "(30)" in note for note in report.notes
    )
    table = _table(report, "Differences by m")
    place = [column.title for column in table.columns].index("common segments")
    assert {row[:2]: row[place] for row in table.rows} == {
        ("s0", "s1"): 0, ("s0 = s2", None): 30, ("s1 = s2", None): 30,
    }  # fmt: skip


def test_common_segments_are_no_column_where_all_have_the_same() -> None:
    rng = np.random.default_rng(6)
    values = [[*rng.normal(0, 1, 20), nan] for _ in range(2)]
    report = _report(values)
    titles = [column.title for column in _table(report, "Differences by m").columns]
    assert "common segments" not in titles and not report.notes


def test_a_score_from_one_segment_is_said_to_have_no_interval() -> None:
    report = _report([[5.0, nan, nan], [1.0, 2.0, 3.0]])
    assert "m: no interval for s0, whose score rests on one segment." in report.notes


@pytest.mark.parametrize("rate", [False, True])
def test_the_signature_says_how_intervals_of_rates_were_made(rate: bool) -> None:
    scores = replace(scores_of([[0.0, 1.0] * 20, [0.0] * 40]), rate=rate)
    report = comparison_report(compare({"m": scores}, [None] * 40, _FAST), "t", "s")
    said = report.signatures["test"]
    assert ("rates: Wilson, differences of rates: Tango" in said) == rate
