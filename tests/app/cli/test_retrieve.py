"""patmark retrieve evaluate and compare: shapes, files, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import patmark, patmark_json

pytest.importorskip("ir_measures", reason="ir-measures is absent: pip install 'patmark[retrieval]'")

FAST = ["--resamples", "50"]
RUNS = ["--run", "A=a.run", "--run", "b.json"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    qrels = [f"{t} 0 d{t} {2 if t else 1}\n{t} 0 e{t} 1\n" for t in range(6)]
    (tmp_path / "qrels").write_text("".join(qrels))
    rows = [f"{t} Q0 d{t} 1 2 t\n{t} Q0 e{t} 2 1 t\n" for t in range(5)]
    (tmp_path / "a.run").write_text("".join(rows))
    found = {str(t): [f"x{t}", t, f"d{t}"] if t % 2 else [f"e{t}"] for t in range(6)}
    (tmp_path / "b.json").write_text(json.dumps(found))
    return tmp_path


def test_evaluate_gives_value_interval_and_n(folder: Path) -> None:
    done = patmark_json(
        folder, "retrieve", "evaluate", "--qrels", "qrels", *RUNS, *FAST,
        "--measures", "AP(rel=2),Recall@100,nDCG@10,P@5,RR,PRES@1000",
    )  # fmt: skip
    assert list(done["systems"]) == ["A", "b"]
    assert list(done["systems"]["A"]) == [
        "AP(rel=2)", "Recall@100", "nDCG@10", "P@5", "RR", "PRES@1000",
    ]  # fmt: skip
    rigid = done["systems"]["A"]["AP(rel=2)"]
    assert (rigid["value"], rigid["n"]) == (pytest.approx(4 / 5), 5)
    assert rigid["ci"][0] <= rigid["value"] <= rigid["ci"][1]
    assert done["systems"]["A"]["Recall@100"]["n"] == 6
    assert done["missing"] == {"A": ["5"], "b": []}
    assert done["left_out"]["AP(rel=2)"] == 1
    assert done["signatures"]["PRES@1000"].startswith("PRES|rel:1|cutoff:1000|level:document|")


def test_compare_gives_t_tests_and_the_general_comparison(folder: Path) -> None:
    done = patmark_json(
        folder, "retrieve", "compare", "--runs", "A=a.run", "b.json", "--qrels", "qrels", *FAST,
        "--trials", "100", "--bleu", "A=30.5", "--bleu", "b=20", "--measures", "AP(rel=1)",
    )  # fmt: skip
    [pair] = done["t_tests"]["AP(rel=1)"]["pairs"]
    assert {"better", "worse", "delta", "ci", "p", "p_holm", "cohen_dz", "n", "mark"} <= set(pair)
    assert (pair["better"], pair["worse"], pair["n"]) == ("A", "b", 6)
    assert done["measures"]["AP(rel=1)"]["pairs"][0]["p"] <= 1
    assert done["gaps"]["pairs"][0]["gaps"] == {"BLEU": 10.5}
    assert done["test"]["trials"] == 100


def test_selection_is_recorded(folder: Path) -> None:
    done = patmark_json(
        folder, "retrieve", "evaluate", "--qrels", "qrels", *RUNS, *FAST, "--select-by", "a.run",
        "--ap-at-least", "0.9",
    )  # fmt: skip
    assert (done["topics"], done["topics_judged"]) == (5, 6)
    assert done["selection"]["topics"] == ["0", "1", "2", "3", "4"]


def test_tables_files_and_saved_scores(folder: Path) -> None:
    done = patmark(
        folder, "retrieve", "compare", "--qrels", "qrels", *RUNS, *FAST, "--trials", "50",
        "--html", "r.html", "--csv", "r.csv", "--segments", "s.csv", "--save", "s.json",
        "--measures", "AP(rel=1)",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "AP(rel=1), t-test over topics: 1 of 1 pairs differ at 5 %" in done.stdout
    assert "A,0,AP(rel=1),1.0" in (folder / "s.csv").read_text()
    assert "t-test by AP(rel=1)" in (folder / "r.html").read_text(encoding="utf-8")
    again = patmark_json(folder, "compare", "--scores", "s.json", *FAST, "--trials", "50")
    assert list(again["measures"]) == ["AP(rel=1)"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "--qrels", "qrels"], "give the runs to evaluate"),
        (["evaluate", "--qrels", "none", *RUNS], "none: no such file"),
        (["evaluate", "--qrels", "qrels", "--run", "none.run"], "none.run: no such file"),
        (["evaluate", "--qrels", "qrels", *RUNS, "--measures", "BLEU"], "'BLEU' is unknown"),
        (["evaluate", "--qrels", "qrels", *RUNS, "--ap-at-least", "0.5"],
         "--ap-at-least has no effect without --select-by"),
        (["evaluate", "--qrels", "qrels", *RUNS, "--ap-below", "0"],
         "--ap-below has no effect without --select-by"),
        (["evaluate", "--qrels", "qrels", *RUNS, "--select-by", "a.run", "--ap-below", "0"],
         "topics with an AP from 0 to below 0: expected a range within 0 and 1"),
        (["evaluate", "--qrels", "qrels", *RUNS, "--select-by", "a.run", "--ap-below", "7"],
         "expected a range within 0 and 1"),
        (["evaluate", "--qrels", "qrels", *RUNS, "--select-by", "a.run"], "say which topics"),
        (["evaluate", "--qrels", "qrels", *RUNS, "--csv", "qrels"], "qrels is an input"),
        (["evaluate", "--qrels", "-", "--run", "-"], "standard input ('-') can be read only once"),
        (["evaluate", "--qrels", "qrels", *RUNS, "--drop-own-family"], "are needed"),
        (["compare", "--qrels", "qrels", "--run", "a.run"], "at least two runs, and 1 are given"),
        (["compare", "--qrels", "qrels", *RUNS, "--test", "bootstrap", "--trials", "5"],
         "--trials has no effect with --test bootstrap"),
        (["compare", "--qrels", "qrels", *RUNS, "--test", "sign"], "the test 'sign' is unknown"),
    ],
)  # fmt: skip
def test_requests_that_are_refused(folder: Path, arguments: list[str], message: str) -> None:
    done = patmark(folder, "retrieve", *arguments)
    assert done.returncode == 2
    assert message in done.stderr and not done.stdout
