"""patmark meta."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Done, program

_SCORES = """\
system,segment,measure,value,type
A,,adequacy,3.67,RBMT
B,,adequacy,2.75,SMT
C,,adequacy,2.66,SMT
D,,adequacy,2.52,SMT
A,,BLEU,20.4,RBMT
B,,BLEU,28.4,SMT
C,,BLEU,30.3,SMT
D,,BLEU,27.8,SMT
A,,WER,0.3,RBMT
B,,WER,0.5,SMT
C,,WER,0.6,SMT
D,,WER,0.7,SMT
"""


_EIGHT = (
    (1.0, 30, 0.80), (2.0, 28, 0.72), (3.0, 33, 0.60), (4.0, 25, 0.52),
    (5.0, 31, 0.40), (6.0, 27, 0.33), (7.0, 29, 0.20), (8.0, 30, 0.10),
)  # fmt: skip


def _patmark(folder: Path, *arguments: str) -> Done:
    return program(folder, "meta", *arguments, "--resamples", "100")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with scores of systems, and judgements and scores of segments."""
    (tmp_path / "scores.csv").write_text(_SCORES, encoding="utf-8")
    grades = {"A": "5443", "B": "3434", "C": "2312"}
    rows = [
        f"e{place % 2 + 1},{system},s{place},adequacy,{grade}"
        for place in range(4)
        for system, each in grades.items()
        for grade in each[place]
    ]
    header = "evaluator,system,segment,criterion,value"
    (tmp_path / "judged.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    values = [
        f"{system},s{place},chrF,{40 + 5 * int(each[place]) + place}"
        for place in range(4)
        for system, each in grades.items()
    ]
    text = "\n".join(["system,segment,measure,value", *values, ""])
    (tmp_path / "segments.csv").write_text(text, encoding="utf-8")
    return tmp_path


def test_rows_by_metric_with_and_without_a_type(folder: Path) -> None:
    done = _patmark(folder, "scores.csv", "--gold", "adequacy", "--lower-is-better", "WER",
                    "--without", "RBMT", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    rows = {row["metric"]: row for row in result["rows"]}
    assert rows["WER"]["n"] == 3 and rows["WER"]["spearman"] == pytest.approx(1)
    everything = {row["metric"]: row for row in result["all_systems"]["rows"]}
    assert everything["BLEU"]["n"] == 4
    assert everything["BLEU"]["pearson"] < 0 < rows["BLEU"]["pearson"]


def test_judgements_and_scores_are_joined_by_name(folder: Path) -> None:
    done = _patmark(folder, "judged.csv", "segments.csv", "--gold", "adequacy", "--measures",
                    "chrF", "--level", "segment", "--json", "--html", "m.html")  # fmt: skip
    assert done.returncode == 0, done.stderr
    [row] = json.loads(done.stdout)["rows"]
    assert row["n"] == 12 and row["kendall"] == pytest.approx(1)
    assert "<svg" in (folder / "m.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["scores.csv", "--gold", "fluency"],
            "there is no measure 'fluency'; there are adequacy, BLEU, WER; files of human "
            "judgements may be given beside the scores\n",
        ),
        (["segments.csv", "judged.csv", "--gold", "fluency"], "there are chrF, adequacy\n"),
        (["scores.csv", "--gold", "adequacy", "--without", "NMT"], "there are RBMT, SMT"),
        (["scores.csv", "--gold", "adequacy", "--level", "segment"], "no scores of segments"),
        (["scores.csv", "--gold", "adequacy", "--level", "word"], "choose system or segment"),
        (["scores.csv", "--gold", "adequacy", "--average-by", "item"], "has no effect"),
        (["scores.csv", "--gold", "adequacy", "--lower-is-better", "TER"], "no measure 'TER'"),
        (["missing.csv", "--gold", "adequacy"], "missing.csv"),
        ([".", "--gold", "adequacy"], "is a folder; name its language pair"),
    ],
)
def test_requests_that_cannot_be_met(folder: Path, arguments: list[str], message: str) -> None:
    done = _patmark(folder, *arguments)
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr


def test_a_metric_without_a_system_is_refused_unless_allowed(folder: Path) -> None:
    text = "\n".join(line for line in _SCORES.splitlines() if not line.startswith("D,,BLEU"))
    (folder / "fewer.csv").write_text(text + "\n", encoding="utf-8")
    refused = _patmark(folder, "fewer.csv", "--gold", "adequacy")
    assert refused.returncode == 2 and "BLEU has no score for D" in refused.stderr
    allowed = _patmark(folder, "fewer.csv", "--gold", "adequacy", "--allow-partial", "--json")
    result = json.loads(allowed.stdout)
    assert {row["metric"]: row["n"] for row in result["rows"]} == {"BLEU": 3, "WER": 4}
    assert any("BLEU has no score for D" in note for note in result["notes"])


def _line(done: Done) -> str:
    """What was printed, without its line breaks."""
    return " ".join(done.stdout.split())


def test_one_group_is_said_to_be_one_and_intervals_only_where_they_are(folder: Path) -> None:
    rows = [
        f"{system},,{measure},{value}"
        for system, values in zip("ABCDEFGH", _EIGHT, strict=True)
        for measure, value in zip(("adequacy", "BLEU", "WER"), values, strict=True)
    ]
    text = "\n".join(["system,segment,measure,value", *rows, ""])
    (folder / "eight.csv").write_text(text, encoding="utf-8")
    apart = _patmark(folder, "eight.csv", "--gold", "adequacy", "--lower-is-better", "WER")
    assert "all systems: metrics in groups, best first: WER | BLEU (Williams, " in _line(apart)
    assert "PERM-INPUTS speaks of these systems only" in _line(apart)
    alike = _patmark(folder, "scores.csv", "--gold", "adequacy")  # both rise where quality falls
    found = "all systems: no metric is significantly different from another at 5%: BLEU, WER ("
    assert found in _line(alike)
    assert "[" not in alike.stdout and "brackets" not in alike.stdout
    assert "intervals: none (too few systems or segments)" in alike.stdout
