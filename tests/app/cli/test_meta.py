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


def test_systems_are_left_out_by_name(folder: Path) -> None:
    done = _patmark(folder, "scores.csv", "--gold", "adequacy", "--without", "A", "--json")
    by_type = _patmark(folder, "scores.csv", "--gold", "adequacy", "--without", "RBMT", "--json")
    found, same = json.loads(done.stdout), json.loads(by_type.stdout)
    assert found["systems"] == same["systems"] == ["B", "C", "D"]
    assert found["rows"] == same["rows"]


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
    assert "all systems: metrics in groups, best first: WER | BLEU (Williams: pearson" in _line(
        apart
    )
    assert "PERM-INPUTS applies to these systems only" in _line(apart)
    alike = _patmark(folder, "scores.csv", "--gold", "adequacy")  # both rise where quality falls
    found = (
        "all systems: no metric is significantly different from another at 5 % "
        "(Williams: pearson; Williams (adjusted): pearson)."
    )
    assert found in _line(alike)
    assert "[" not in alike.stdout and "brackets" not in alike.stdout
    assert "intervals: none (too few systems or segments)" in alike.stdout


def test_scores_come_from_standard_input(folder: Path) -> None:
    done = program(
        folder, "meta", "-", "--gold", "adequacy", "--resamples", "100", "--json", text=_SCORES
    )
    assert done.returncode == 0, done.stderr
    assert [row["n"] for row in json.loads(done.stdout)["rows"]] == [4, 4]
    broken = program(folder, "meta", "-", "--gold", "x", text=_SCORES.replace("30.3", "much"))
    assert broken.returncode == 2 and broken.stderr.startswith("patmark: standard input:8: ")


_CHOICES = """\
evaluator,segment,first,second,winner,criterion,phase
e1,s0,A,B,A,{0},main
e1,s1,B,C,B,{0},main
e1,s2,A,C,A,{0},main
e1,s3,A,B,equal,{0},main
e1,t1,A,B,A,{0},training
e1,t2,C,B,C,{0},training
"""


def test_scores_in_the_forms_of_other_programs_are_read_alike(folder: Path) -> None:
    _, *rows = [line.split(",") for line in (folder / "segments.csv").read_text().splitlines()]
    names = ("system", "segment", "measure", "value")
    text = "\n".join(["\t".join(names), *("\t".join(row) for row in rows), ""])
    (folder / "segments.tsv").write_text(text, encoding="utf-8")
    objects = (json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    (folder / "segments.jsonl").write_text("".join(objects), encoding="utf-8")
    said = {
        _patmark(folder, f"segments.{form}", "judged.csv", "--gold", "adequacy", "--json").stdout
        for form in ("csv", "tsv", "jsonl")
    }
    assert len(said) == 1
    assert json.loads(said.pop())["rows"][0]["metric"] == "chrF"


@pytest.mark.parametrize("criterion", ["preference", "quality"])
def test_preferences_with_training_rows_or_of_another_criterion(
    folder: Path, criterion: str
) -> None:
    (folder / "choices.csv").write_text(_CHOICES.format(criterion), encoding="utf-8")
    done = _patmark(
        folder, "choices.csv", "segments.csv", "--gold", criterion, "--allow-partial", "--json"
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [row["metric"] for row in result["rows"]] == ["chrF"]
    assert result["rows"][0]["spearman"] == pytest.approx(1)
    assert any("2 preferences of other phases" in note for note in result["notes"])


def test_training_rows_of_grades_do_not_enter(folder: Path) -> None:
    text = (folder / "judged.csv").read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{'phase' if not place else 'main'}" for place, line in enumerate(text)]
    rows += [f"e1,{system},t{n},adequacy,1,training" for system in "ABC" for n in range(2)]
    (folder / "judged.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    done = _patmark(folder, "judged.csv", "segments.csv", "--gold", "adequacy", "--json")
    assert done.returncode == 0, done.stderr
    [row] = json.loads(done.stdout)["rows"]
    assert row["pearson"] > 0.9


def test_several_language_pairs_and_their_average(folder: Path) -> None:
    (folder / "zh.csv").write_text(_SCORES.replace("28.4", "31.4"), encoding="utf-8")
    done = _patmark(folder, "ja-en=scores.csv", "zh-en=zh.csv", "--gold", "adequacy", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    alone = [
        {row["metric"]: row["pearson"] for row in result["pairs"][pair]["rows"]}
        for pair in ("ja-en", "zh-en")
    ]
    for row in result["rows"]:
        assert row["pearson"] == pytest.approx(sum(one[row["metric"]] for one in alone) / 2)
    shown = _patmark(folder, "ja-en=scores.csv", "zh-en=zh.csv", "--gold", "adequacy")
    assert "average of 2 language pairs" in shown.stdout
