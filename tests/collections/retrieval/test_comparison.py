"""The extrinsic protocol: selection, t-tests, gaps, what is done to the data before."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ir_measures", reason="ir-measures is absent: pip install 'patmark[retrieval]'")

from patmark.collections.retrieval import build_index, default_procedure
from patmark.collections.retrieval.comparison import RetrievalComparison, compare_retrieval, mark
from patmark.collections.retrieval.evaluation import (
    RetrievalEvaluation,
    RetrievalSources,
    Selection,
    evaluate_retrieval,
    read_retrieval,
)
from patmark.collections.retrieval.gaps import read_metrics
from patmark.data import PatentDocument
from patmark.errors import InputError, UsageError
from patmark.evaluation.comparison import CompareSettings
from patmark.evaluation.scoring import Sampling
from patmark.report.latex import to_latex
from patmark.stats import level_reached

FAST = Sampling(resamples=200)
TOPICS = 30


def _write_runs(folder: Path, strengths: dict[str, float], topics: int = TOPICS) -> None:
    """Runs that find the five relevant documents of each topic more or less early."""
    rng = np.random.default_rng(5)
    grades = [
        f"{t} 0 EP{t:02}{d}A1 {1 if t % 10 == 0 else 1 + d % 2}"
        for t in range(topics) for d in range(5)
    ]  # fmt: skip
    (folder / "qrels").write_text("\n".join(grades) + "\n")
    for name, strength in strengths.items():
        lines = []
        for topic in range(topics):
            documents = [f"EP{topic:02}{d}A1" for d in range(5)] + [f"X{d}" for d in range(20)]
            scores = rng.random(25) + np.r_[np.full(5, strength), np.zeros(20)]
            lines += [f"{topic} Q0 {d} 0 {s:.6f} t" for d, s in zip(documents, scores, strict=True)]
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    _write_runs(tmp_path, {"mono": 0.9, "a": 0.6, "b": 0.5, "c": 0.1})
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUNS = ("c.run", "a.run", "mono.run", "b.run")


def _evaluated(measures: str | None = "AP(rel=2)", **options: Any) -> RetrievalEvaluation:
    sources = RetrievalSources("qrels", options.pop("runs", RUNS), **options)
    return evaluate_retrieval(read_retrieval(sources), measures, FAST)


def _compared(metrics: dict[str, dict[str, float]] | None = None) -> RetrievalComparison:
    return compare_retrieval(_evaluated(), CompareSettings(FAST, trials=200), metrics)


@pytest.mark.usefixtures("folder")
def test_t_tests_equal_scipy_and_holm_by_its_rule() -> None:
    from scipy import stats  # 1.14 or later; its t-test is not the code that is tested

    done = _compared()
    scores = done.evaluation.scores["AP(rel=2)"]
    values = dict(zip(scores.systems, scores.segment_scores, strict=True))
    pairs = done.tests["AP(rel=2)"]
    assert len(pairs) == 6
    raw = []
    for pair in pairs:
        known = ~np.isnan(values[pair.first])
        better, worse = values[pair.first][known], values[pair.second][known]
        assert pair.p == pytest.approx(stats.ttest_rel(better, worse).pvalue, rel=1e-6)
        assert pair.delta == pytest.approx((better - worse).mean())
        spread = (better - worse).std(ddof=1)
        assert pair.effect is not None and pair.effect.cohen_dz == pytest.approx(
            (better - worse).mean() / spread
        )
        assert pair.ci is not None and pair.ci[0] <= pair.delta <= pair.ci[1] and pair.n == 27
        raw.append(pair.p)
    assert raw == sorted(raw)
    holm = np.minimum(np.maximum.accumulate(np.array(raw) * np.arange(6, 0, -1)), 1)
    assert [pair.p_holm for pair in pairs] == pytest.approx(holm.tolist())


@pytest.mark.parametrize(
    ("p", "sign"),
    [(0.0099, "≫"), (0.01, ">"), (0.0499, ">"), (0.05, "—"), (1.0, "—"), (float("nan"), "—")],
)
def test_marks_are_strict(p: float, sign: str) -> None:
    assert mark(p) == sign


@pytest.mark.usefixtures("folder")
def test_findings_count_a_p_of_exactly_the_level_as_every_comparison_does() -> None:
    done = _compared()
    pairs = [replace(pair, p=0.05, p_holm=0.05, ci=None) for pair in done.tests[done.main]]
    findings = replace(done, tests={done.main: tuple(pairs)}).to_report().findings
    assert findings[0].endswith("6 of 6 pairs differ at 5 %, 6 after Holm.")


@pytest.mark.usefixtures("folder")
def test_the_table_is_sorted_by_map_and_shows_every_pair_once() -> None:
    done = _compared()
    matrix, pairs, *_ = done.to_report().tables
    assert [row[0] for row in matrix.rows] == ["mono", "a", "b", "c"]
    assert [column.title for column in matrix.columns] == ["run", "AP(rel=2)", "a", "b", "c"]
    marks = [cell for row in matrix.rows for cell in row[2:] if cell]
    assert len(marks) == len(pairs.rows) == 6 and set(marks) <= {"≫", ">", "—"}
    assert len({len(row) for row in matrix.rows}) == 1


@pytest.mark.usefixtures("folder")
def test_equal_runs_have_p_one() -> None:
    evaluation = _evaluated(runs=("x=a.run", "y=a.run"))
    compared = compare_retrieval(evaluation, CompareSettings(FAST, trials=50))
    [pair] = compared.tests["AP(rel=2)"]
    assert (pair.p, pair.p_holm, pair.delta, mark(pair.p)) == (1, 1, 0, "—")
    assert pair.effect is not None and pair.effect.cohen_dz == 0
    [table] = [one for one in compared.to_report().tables if one.title == "Pairs by AP(rel=2)"]
    assert [row[:2] for row in table.rows] == [("x = y", None)]  # neither is better


def test_a_test_needs_two_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write_runs(tmp_path, {"a": 0.6, "b": 0.5}, topics=2)
    monkeypatch.chdir(tmp_path)
    evaluation = _evaluated("AP(rel=1),AP(rel=2)", runs=("a.run", "b.run"))
    with pytest.raises(UsageError, match=r"AP\(rel=2\): a test needs at least two topics"):
        compare_retrieval(evaluation)


@pytest.mark.usefixtures("folder")
def test_gaps_against_significance() -> None:
    done = _compared({"BLEU": {"a": 30.0, "b": 27.0, "c": 12.0}})
    gaps = done.gaps
    assert gaps is not None and gaps.without_value == ("mono",)
    levels = {frozenset((p.first, p.second)): level_reached(p.p) for p in done.tests["AP(rel=2)"]}
    assert {(p.better, p.worse): p.gaps["BLEU"] for p in gaps.pairs} == {
        ("a", "b"): 3.0, ("a", "c"): 18.0, ("b", "c"): 15.0,
    }  # fmt: skip
    assert all(pair.level == levels[frozenset((pair.better, pair.worse))] for pair in gaps.pairs)
    assert levels[frozenset("ac")] == levels[frozenset("bc")] == 0.01 != levels[frozenset("ab")]
    assert (gaps.limits[0].necessary, gaps.limits[0].safe) == (15.0, 3.0)
    assert gaps.to_json()["limits"][0]["necessary"] == 15.0
    titles = [table.title for table in done.to_report().tables]
    assert "Gap needed for better retrieval" in titles


@pytest.mark.usefixtures("folder")
def test_gaps_that_are_refused() -> None:
    with pytest.raises(UsageError, match="there is no run called z; there are c, a, mono, b"):
        _compared({"BLEU": {"a": 1.0, "z": 2.0}})
    with pytest.raises(UsageError, match="at least two runs"):
        _compared({"BLEU": {"a": 1.0}})
    with pytest.raises(UsageError, match="missing: chrF of b"):
        _compared({"BLEU": {"a": 1.0, "b": 2.0}, "chrF": {"a": 2.0}})


def test_metrics_are_values_or_tables(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("system,segment,measure,value\na,,extrinsic BLEU,9\nb,,extrinsic BLEU,\n")
    found = read_metrics(["a=27.5", "b = 21", str(table)])
    assert found == {"BLEU": {"a": 27.5, "b": 21.0}, "extrinsic BLEU": {"a": 9.0}}
    with pytest.raises(UsageError, match="BLEU of a is given twice"):
        read_metrics(["a=1", "a=2"])
    with pytest.raises(InputError, match="no such file"):
        read_metrics(["a=much"])
    table.write_text("system,segment,measure,value\na,1,BLEU,9\n")
    with pytest.raises(InputError, match="no score of a whole system"):
        read_metrics([str(table)])


@pytest.mark.usefixtures("folder")
def test_topics_are_selected_by_monolingual_ap() -> None:
    mono = _evaluated("AP(rel=1)", runs=("mono.run",)).scores["AP(rel=1)"].segment_scores[0]
    expected = [str(t) for t, value in enumerate(mono) if 0.3 <= value < 0.99]
    assert 0 < len(expected) < TOPICS
    done = _evaluated(selection=Selection("mono.run", 0.3, 0.99))
    assert list(done.found.topics) == expected
    written = done.to_json()
    assert written["selection"] == {
        "run": "mono", "measure": "AP(rel=1)", "at_least": 0.3, "below": 0.99, "topics": expected,
    }  # fmt: skip
    assert "select:AP(rel=1) of mono >= 0.3 and < 0.99" in written["signatures"]["AP(rel=2)"]
    with pytest.raises(UsageError, match=r"no topic with AP\(rel=1\) of c >= 1"):
        _evaluated(selection=Selection("c.run", 1.0))


@pytest.mark.parametrize(("at_least", "below"), [(-0.1, None), (1.1, None), (0.5, 0.5)])
def test_ranges_that_are_refused(at_least: float, below: float | None) -> None:
    with pytest.raises(UsageError, match="expected a range within 0 and 1"):
        Selection("mono.run", at_least, below)


def test_kind_codes_are_stripped_everywhere(folder: Path) -> None:
    (folder / "qrels").write_text("1 0 EP5A1 1\n1 0 EP5B1 2\n1 0 EP9A1 1\n")
    (folder / "x.run").write_text("1 Q0 EP5B1 1 3 t\n1 Q0 EP5A2 2 2 t\n1 Q0 EP9A1 3 1 t\n")
    (folder / "c.jsonl").write_text('{"id": "EP5B2", "family": "F"}\n{"id": "EP7A1"}\n')
    plain = _evaluated("AP(rel=2),Recall@2", runs=("x.run",), collection=("c.jsonl",))
    assert plain.data.missing == ("EP5A1", "EP5B1", "EP9A1")
    assert plain.scores["Recall@2"].system_scores[0] == pytest.approx(1 / 3)
    done = _evaluated(
        "AP(rel=2),Recall@2", runs=("x.run",), collection=("c.jsonl",), strip_kind=True
    )
    assert done.data.missing == ("EP9",)
    assert done.scores["Recall@2"].system_scores[0] == 1
    assert done.to_json()["dropped_rows"] == {"x": {"further publications of a patent": 1}}
    assert done.to_json()["collection"] == {
        "documents": 2, "relevant_documents_missing": 1, "missing": ["EP9"],
    }  # fmt: skip
    assert any("1 relevant documents are not in the collection" in note for note in done.notes())


def test_own_families_are_dropped(folder: Path) -> None:
    (folder / "qrels").write_text("1 0 d 2\n2 0 d 2\n")
    (folder / "x.run").write_text("1 Q0 own 1 3 t\n1 Q0 d 2 2 t\n2 Q0 own 1 3 t\n2 Q0 d 2 2 t\n")
    rows = [{"id": "own", "family": "F"}, {"id": "d", "family": "G"}]
    (folder / "c.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "topics").write_text('{"id": "1", "text": "…", "family": "F"}\n')
    options: dict[str, Any] = {"runs": ("x.run",), "topics": "topics", "collection": ("c.jsonl",)}
    kept = _evaluated("RR", **options)
    assert kept.found.topics == ("1",) and kept.scores["RR"].system_scores[0] == 0.5
    done = _evaluated("RR", drop_own_family=True, **options)
    assert done.scores["RR"].system_scores[0] == 1
    assert "own-family:dropped" in done.scores["RR"].signature
    with pytest.raises(UsageError, match="the topics and the collection are needed"):
        RetrievalSources("qrels", ("x.run",), drop_own_family=True)


def test_notes_say_what_counts_and_what_does_not(folder: Path) -> None:
    lines = (folder / "a.run").read_text().splitlines()
    (folder / "a.run").write_text("\n".join(line for line in lines if not line.startswith("3 ")))
    (folder / "b.run").write_text("1 Q0 z 1 0.1 t\n1 Q0 y 2 0.9 t\n")
    notes = _evaluated(runs=("a.run", "b.run")).notes()
    assert "a: 1 of 30 topics have no documents and count 0: 3." in notes
    assert any(note.startswith("b: the scores of 1 topics say another order") for note in notes)
    assert "AP(rel=2): 3 of 30 topics have no document of that grade and leave the mean." in notes


def test_a_topic_that_is_judged_only_0_has_one_note_and_not_one_per_measure(folder: Path) -> None:
    (folder / "qrels").write_text("1 0 a 2\n2 0 a 0\n2 0 b 0\n3 0 a 1\n")
    (folder / "x.run").write_text("".join(f"{topic} Q0 a 1 9 t\n" for topic in "123"))
    done = _evaluated("AP(rel=1),Recall@10,Bpref,AP(rel=2),Judged@10", runs=("x.run",))
    assert [note for note in done.notes() if "leave" in note] == [
        "1 of 3 topics have no relevant document and leave all means that need one: 2.",
        "AP(rel=2): 2 of 3 topics have no document of that grade and leave the mean.",
    ]
    assert done.estimates["Judged@10"]["x"].n == 3


@pytest.mark.usefixtures("folder")
def test_reports_and_defaults() -> None:
    done = _evaluated(None)
    report = done.to_report()
    assert [row[0] for row in report.tables[0].rows] == ["mono", "a", "b", "c"]
    assert "n = 27 topics for AP(rel=2); n = 30 topics for AP(rel=1)" in report.tables[0].note
    assert list(done.estimates)[:2] == ["AP(rel=2)", "AP(rel=1)"]
    assert {one.n for one in done.estimates["AP(rel=2)"].values()} == {27}
    json.dumps(done.to_json(), allow_nan=False)
    with pytest.raises(UsageError, match="topics belong to no document"):
        evaluate_retrieval(done.data, settings=Sampling(by="document"))


@pytest.mark.usefixtures("folder")
def test_a_measure_that_no_topic_counts_for_has_no_value() -> None:
    done = _evaluated("AP(rel=3)", runs=("a.run",))
    found = done.to_json()["systems"]["a"]["AP(rel=3)"]
    assert (found["value"], found["n"]) == (None, 0)
    assert done.to_report().tables[0].rows


def test_an_index_can_stand_for_the_collection(folder: Path) -> None:
    pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")
    documents = [PatentDocument("EP010A1", family="F"), PatentDocument("EP011A1")]
    build_index(folder / "i", documents, default_procedure("en"))
    rows = [{"id": "EP010A1", "family": "F"}, {"id": "EP011A1"}]
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    by_index, by_file = (
        _evaluated("AP(rel=1,level=family)", collection=(one,)).to_json()
        for one in ("i", "c.jsonl")
    )
    assert by_index == by_file
    assert by_index["collection"]["documents"] == 2
    with pytest.raises(UsageError, match="cannot be joined"):
        _evaluated(collection=("c.jsonl", "i"))


@pytest.mark.usefixtures("folder")
def test_a_paper_gets_the_t_tests_too() -> None:
    report = _compared().to_report()
    assert to_latex(report).count(r"\begin{table}") == len(report.tables)
    assert r"\caption{t-test by AP(rel=2)}" in to_latex(report)
