"""patmark human: report and convert."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from patmark.app.cli import main
from patmark.examples import example_path

_HEADER = "evaluator,system,segment,criterion,value"
_NAMES = ("atlas", "borealis", "cobalt")
_FAST = ("--resamples", "50", "--trials", "200")
_TEXTS = (
    "--src", "source.ja", "--ref", "reference.en", "--ref", "reference2.en", "--docs",
    "documents.txt", "--hyp", "atlas.en", "--hyp", "borealis.en", "--hyp", "cobalt.en",
    "--lang", "ja-en",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Done:
    returncode: int | str | None
    stdout: str
    stderr: str


Patmark: TypeAlias = Callable[..., _Done]


@pytest.fixture
def patmark(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Patmark:
    """Run the command line in a folder."""

    def run(folder: Path, *arguments: str) -> _Done:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["patmark", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return _Done(end.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def work(tmp_path: Path) -> Path:
    shutil.copytree(example_path("ja_en"), tmp_path, dirs_exist_ok=True)
    return tmp_path


def _write(folder: Path, *rows: str, name: str = "j.csv") -> str:
    (folder / name).write_text("\n".join([_HEADER, *rows]) + "\n", encoding="utf-8")
    return name


def _complete(evaluator: str, segments: int, *without: str) -> list[str]:
    rows = [
        f"{evaluator},{system},{segment},adequacy,{3 + (system == 'A')}"
        for segment in range(segments)
        for system in ("A", "B")
    ]
    return [row for row in rows if not row.startswith(tuple(without) or ("-",))]


def test_json_has_a_stable_shape(patmark: Patmark, work: Path) -> None:
    done = patmark(work, "human", "report", "judgements.csv", "preferences.csv", "--json", *_FAST)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert set(result) == {
        "criteria", "exclusions", "notices", "workloads", "signatures", "validation", "notes",
        "findings", "mixed_model", "verdict",
    }  # fmt: skip
    assert list(result["criteria"]) == ["adequacy", "acceptability", "preference"]
    assert list(result["mixed_model"]) == ["adequacy"]  # ordinal grades are never averaged
    assert set(result["mixed_model"]["adequacy"]["systems"]) == {"atlas", "borealis", "cobalt"}
    for one in result["criteria"].values():
        assert set(one) == {
            "score", "ranking", "scores", "rank_ranges", "clusters", "clusters_reason", "testable",
            "pairs", "rates", "z_scores", "bradley_terry", "test", "resampling",
        }  # fmt: skip
        assert one["ranking"] == ["atlas", "borealis", "cobalt"]
        assert set(one["pairs"][0]) == {
            "a", "b", "delta", "ci", "p", "p_holm", "significant", "detectable", "units_needed",
            "common", "wins", "losses", "ties", "p_sign", "p_sign_holm", "mark", "mark_holm",
            "p_family", "significant_family", "p_bound", "hinges_on",
        }  # fmt: skip
    assert list(result["criteria"]["acceptability"]["rates"]) == ["AA", "A", "B", "C"]
    for one in result["validation"].values():
        assert set(one) == {
            "evaluators", "judgements", "segments", "common_segments", "half_split", "between",
            "agreement", "repeats", "bias", "sides", "ceiling", "notes",
        }  # fmt: skip
    adequacy = result["validation"]["adequacy"]
    assert adequacy["common_segments"] == 8 and adequacy["half_split"]["random"]["splits"] == 1000
    assert adequacy["between"][0]["first"] == "E1"
    assert adequacy["agreement"]["alpha"]["level"] == "interval"


def test_reports_are_written_and_scores_saved(patmark: Patmark, work: Path) -> None:
    files = ("--html", "r.html", "--csv", "r.csv", "--md", "r.md", "--latex", "r.tex")
    saving = ("--save", "human.json.gz")
    done = patmark(work, "human", "report", "judgements.csv", *_FAST, *files, *saving, "--full")
    assert done.returncode == 0, done.stderr
    for title in ("Ranking by adequacy", "Sign test by acceptability, corrected",
                  "Human ceiling: adequacy", "4 or higher", "A or higher"):  # fmt: skip
        assert title in done.stdout
    assert "Each evaluator: adequacy" in (work / "r.html").read_text(encoding="utf-8")
    compared = patmark(work, "compare", "--scores", "human.json.gz", "--json", *_FAST)
    assert set(json.loads(compared.stdout)["measures"]) == {"adequacy", "acceptability"}


def test_quiet_prints_nothing(patmark: Patmark, work: Path) -> None:
    done = patmark(work, "human", "report", "judgements.csv", "--quiet", *_FAST)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_holm_leaves_out_the_corrected_matrix(patmark: Patmark, work: Path) -> None:
    done = patmark(work, "human", "report", "judgements.csv", "--no-holm", "--full", *_FAST)
    assert "Sign test by adequacy" in done.stdout
    assert "Sign test by adequacy, corrected" not in done.stdout


@pytest.mark.parametrize(
    ("row", "arguments", "message"),
    [
        ("e1,atlsa,1,adequacy,3", ["--systems", "A,B"], "j.csv:2: unknown system 'atlsa'"),
        ("e1,A,1,adequacy,6", [], "j.csv:2: adequacy: expected one of 1, 2, 3, 4, 5, found '6'"),
        ("e1,A,1,acceptability,D", [], "j.csv:2: acceptability: expected one of F, C, B, A, AA"),
        ("e1,A,1,charm,3", [], "j.csv:2: criterion 'charm' has no scale"),
        ("e1,A,1,adequacy,3\ne1,A,1,adequacy,4", [], "j.csv:3: 'e1' graded adequacy of 'A'"),
        ("e1,A,9,adequacy,3", ["--testset", "t.jsonl"], "j.csv:2: unknown segment '9'"),
    ],
)
def test_bad_rows_are_refused_with_file_and_line(
    patmark: Patmark, tmp_path: Path, row: str, arguments: list[str], message: str
) -> None:
    (tmp_path / "t.jsonl").write_text('{"id": "1", "source": "s"}\n', encoding="utf-8")
    done = patmark(tmp_path, "human", "report", _write(tmp_path, row), *arguments)
    assert done.returncode == 2 and message in done.stderr and done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "none.csv"),
        (["-"], "name the form of standard input with --format"),
        (["judgements.csv", "--format", "excel"], "the form 'excel' is unknown"),
        (["judgements.csv", "--scale", "adequacy"], "expected NAME=1..5"),
        (["judgements.csv", "--systems", "a,,b"], "names with commas"),
        (["judgements.csv", "--html", "no/such/r.html"], "its folder does not exist"),
        (["judgements.csv", "judgements.csv"], "segment '1', already in judgements.csv:2"),
    ],
)
def test_bad_requests_are_refused(
    patmark: Patmark, work: Path, arguments: list[str], message: str
) -> None:
    done = patmark(work, "human", "report", *arguments)
    assert done.returncode == 2 and message in done.stderr and done.stdout == ""


@pytest.mark.parametrize("file", ["judgements.csv", "preferences.csv"])
def test_without_resamples_there_are_tests_but_no_intervals(
    patmark: Patmark, work: Path, file: str
) -> None:
    options = ("--resamples", "0", "--trials", "200")
    ranked = json.loads(patmark(work, "human", "report", file, *options, "--json").stdout)
    for one in ranked["criteria"].values():
        assert all(score["ci"] is None for score in one["scores"].values())
        assert all(pair["ci"] == [None, None] and pair["p"] < 1 for pair in one["pairs"])
    shown = patmark(work, "human", "report", file, *options, "--full")
    assert shown.returncode == 0 and "[–" not in shown.stdout
    assert "no interval for" not in shown.stdout


def test_unfinished_segments_are_reported_everywhere(patmark: Patmark, tmp_path: Path) -> None:
    rows = _complete("e1", 8) + _complete("e2", 8, "e2,B,6", "e2,B,7") + _complete("e3", 2)
    name = _write(tmp_path, *rows)
    shown = patmark(tmp_path, "human", "report", name, *_FAST)
    assert "e2 did not finish 2 segments (6, 7); 2 judgements left out" in shown.stdout
    assert "not everyone judged as many segments as e1 (8): e3 2" in " ".join(shown.stdout.split())
    result = json.loads(patmark(tmp_path, "human", "report", name, "--json", *_FAST).stdout)
    assert [one["segment"] for one in result["exclusions"]] == ["6", "7"]
    assert result["exclusions"][0]["lacking"] == ["B"] and len(result["notices"]) == 2
    assert result["findings"][0].startswith("Warning: adequacy: 2 of 34 judgements are left out")
    assert result["workloads"][1] == {
        "criterion": "adequacy", "evaluator": "e2", "segments": 8, "finished": 6, "judgements": 14,
    }  # fmt: skip
    kept = patmark(tmp_path, "human", "report", name, "--json", "--keep-unfinished", *_FAST)
    assert json.loads(kept.stdout)["exclusions"] == []


def test_the_only_evaluator_left_has_no_agreement(patmark: Patmark, tmp_path: Path) -> None:
    name = _write(tmp_path, *_complete("e1", 8))
    shown = " ".join(patmark(tmp_path, "human", "report", name, "--full", *_FAST).stdout.split())
    assert "adequacy: one evaluator cannot be compared with another" in shown
    assert "half splits and evaluators" not in shown and "other evaluators" not in shown


def test_without_common_segments_the_report_says_so(patmark: Patmark, tmp_path: Path) -> None:
    rows = _complete("e1", 6) + _complete("e2", 6)
    rows = [row.replace("e2,A,", "e2,A,x").replace("e2,B,", "e2,B,x") for row in rows]
    done = patmark(tmp_path, "human", "report", _write(tmp_path, *rows), *_FAST)
    assert "their agreement cannot be computed" in " ".join(done.stdout.split())


def test_declared_scales_and_known_segments(patmark: Patmark, work: Path) -> None:
    rows = [f"e1,{system},{n},style,{n % 7 + 1}" for n in range(1, 9) for system in ("A", "B")]
    (work / "t.jsonl").write_text(
        "".join(f'{{"id": "{n}", "document": "D{n // 3}"}}\n' for n in range(1, 9)),
        encoding="utf-8",
    )
    options = ("--scale", "style=1..7", "--testset", "t.jsonl", "--by", "document", "--json")
    done = patmark(work, "human", "report", _write(work, *rows), *options, *_FAST)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["criteria"]["style"]["resampling"]["documents"] == 3


def test_a_manifest_gives_the_known_runs_and_documents(patmark: Patmark, work: Path) -> None:
    (work / "manifest.yaml").write_text(
        "name: T\nlanguages: ja-en\nreferences: [reference.en]\ndocuments: documents.txt\nruns:\n"
        + "".join(f"  - {{group: {name}, priority: 1, file: {name}.en}}\n" for name in _NAMES),
        encoding="utf-8",
    )
    rows = [f"e1,{name}-1,{n},adequacy,3" for n in range(1, 21) for name in _NAMES]
    report = ("human", "report", _write(work, *rows), "--manifest", "manifest.yaml", *_FAST)
    done = patmark(work, *report, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["criteria"]["adequacy"]["resampling"]["documents"] == 4
    refused = patmark(work, *report, "--systems", "A")
    assert refused.returncode == 2 and "--systems has no effect" in refused.stderr
    _write(work, "e1,atlas,1,adequacy,3")
    unknown = patmark(work, *report)
    assert unknown.returncode == 2 and "j.csv:2: unknown system 'atlas'" in unknown.stderr


def test_rows_survive_conversion_there_and_back(patmark: Patmark, work: Path) -> None:
    for name in ("judgements", "preferences"):
        source, target = f"{name}.csv", f"{name}2.csv"
        there = patmark(work, "human", "convert", source, f"{name}.jsonl", "--to", "jsonl")
        assert there.returncode == 0, there.stderr
        done = patmark(work, "human", "convert", f"{name}.jsonl", target, "--to", "csv", "--quiet")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        before, after = (
            sorted((work / path).read_text(encoding="utf-8").splitlines())
            for path in (source, target)
        )
        assert before == after


def test_conversion_with_texts(patmark: Patmark, work: Path) -> None:
    done = patmark(
        work, "human", "convert", "judgements.csv", "out", "--to", "mt-metrics-eval", *_TEXTS
    )
    assert done.returncode == 0 and "single evaluators are not kept" in done.stderr
    lines = (work / "out/human-scores/ja-en.adequacy.seg.score").read_text("utf-8").splitlines()
    assert len(lines) == 360 and lines[2] == "atlas None"
    assert (work / "out/references/ja-en.refB.txt").is_file()
    rows = (work / "judgements.csv").read_text(encoding="utf-8").splitlines()
    adequacy = [row for row in rows if "acceptability" not in row]
    (work / "a.csv").write_text("\n".join(adequacy) + "\n", encoding="utf-8")
    done = patmark(work, "human", "convert", "a.csv", "campaign.json", "--to", "pearmut", *_TEXTS)
    assert done.returncode == 0, done.stderr
    campaign = json.loads((work / "campaign.json").read_text(encoding="utf-8"))
    assert len(campaign["data"]) == 3 and campaign["info"]["sliders"][0]["name"] == "adequacy"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["judgements.csv", "x", "--to", "xml"], "choose from csv, jsonl"),
        (["judgements.csv", "x.csv", "--to", "csv", "--lang", "ja-en"], "--lang has no effect"),
        (["judgements.csv", "judgements.csv", "--to", "csv"], "it would be overwritten"),
        (["judgements.csv", "x", "--to", "mt-metrics-eval"], "give references with --ref"),
        (["judgements.csv", "x", "--to", "mt-metrics-eval", *_TEXTS[:2]], "--lang"),
        (["judgements.csv", "x", "--to", "pearmut", *_TEXTS], "no ordinal grades"),
        (["preferences.csv", "x", "--to", "pearmut", *_TEXTS], "cannot be written"),
        (["judgements.csv", "x.csv", "--to", "csv", "--only", "preferences"], "no preferences"),
        (["judgements.csv", "x.csv", "--to", "csv", "--only", "all"], "--only 'all'"),
    ],
)
def test_bad_conversions_are_refused(
    patmark: Patmark, work: Path, arguments: list[str], message: str
) -> None:
    done = patmark(work, "human", "convert", *arguments)
    assert done.returncode == 2 and message in done.stderr


def test_a_file_of_both_kinds_asks_for_one(patmark: Patmark, work: Path) -> None:
    lines = [
        '{"evaluator": "e1", "item": "1", "system": "A", "values": {"adequacy": 3}}',
        '{"evaluator": "e1", "item": "1", "first": "A", "second": "B", "winner": "first"}',
    ]
    (work / "both.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    wanted = ("human", "convert", "both.jsonl", "x.csv", "--to", "csv")
    asked = patmark(work, *wanted)
    assert asked.returncode == 2 and "--only" in asked.stderr
    done = patmark(
        work, "human", "convert", "both.jsonl", "x.csv", "--to", "csv", "--only", "preferences"
    )
    assert done.returncode == 0
    assert "e1,1,A,B,A" in (work / "x.csv").read_text(encoding="utf-8")


def test_an_existing_file_is_kept_unless_it_is_to_be_overwritten(
    patmark: Patmark, work: Path
) -> None:
    (work / "mine.csv").write_text("mine", encoding="utf-8")
    wanted = ("human", "convert", "judgements.csv", "mine.csv", "--to", "csv")
    refused = patmark(work, *wanted)
    assert refused.returncode == 2 and "mine.csv exists; --overwrite" in refused.stderr
    assert (work / "mine.csv").read_text(encoding="utf-8") == "mine"
    assert patmark(work, *wanted, "--overwrite").returncode == 0
    folder = ("human", "convert", "judgements.csv", ".", "--to", "mt-metrics-eval", *_TEXTS)
    refused = patmark(work, *folder)
    assert refused.returncode == 2 and "is not empty" in refused.stderr


def test_systems_judged_on_different_segments_are_not_tested(
    patmark: Patmark, tmp_path: Path
) -> None:
    rows = [f"e1,atlas,{n},adequacy,{4 + n % 2}" for n in range(30)]
    rows += [f"e2,borealis,{n},adequacy,{1 + n % 2}" for n in range(30, 60)]
    report = ("human", "report", _write(tmp_path, *rows), "--keep-unfinished", *_FAST)
    adequacy = json.loads(patmark(tmp_path, *report, "--json").stdout)["criteria"]["adequacy"]
    [pair] = adequacy["pairs"]
    assert (pair["common"], pair["p"], pair["delta"], pair["significant"]) == (0, None, None, False)
    reason = "no two systems have a score in the same segment"
    assert (adequacy["clusters"], adequacy["clusters_reason"]) == (None, reason)
    shown = " ".join(patmark(tmp_path, *report, "--full").stdout.split())
    assert "no segment has a score of both atlas and borealis" in shown


def test_the_order_of_rows_does_not_matter(patmark: Patmark, work: Path) -> None:
    header, *rows = (work / "judgements.csv").read_text(encoding="utf-8").splitlines()
    # Systems and criteria keep the order in which they occur first.
    kept, mixed = rows[:3], sorted(rows[3:], key=lambda row: row[::-1])
    (work / "mixed.csv").write_text("\n".join([header, *kept, *mixed]) + "\n", encoding="utf-8")
    first, second = (
        json.loads(patmark(work, "human", "report", name, "--json", *_FAST).stdout)
        for name in ("judgements.csv", "mixed.csv")
    )
    assert first["criteria"] == second["criteria"] and first["notices"] == second["notices"]
    for name, one in first["validation"].items():
        for part in ("half_split", "between", "agreement", "ceiling"):
            assert one[part] == second["validation"][name][part], (name, part)


def test_one_counted_segment_has_no_interval(patmark: Patmark, tmp_path: Path) -> None:
    name = _write(tmp_path, "e1,A,1,adequacy,5", "e1,B,1,adequacy,3")
    result = json.loads(patmark(tmp_path, "human", "report", name, "--json", *_FAST).stdout)
    adequacy = result["criteria"]["adequacy"]
    assert adequacy["scores"]["A"] == {"value": 5.0, "ci": None, "n": 1}
    assert adequacy["rates"]["5"]["A"]["ci"] is None
    assert adequacy["bradley_terry"]["strengths"]["A"]["ci"] is None
    assert "adequacy: no interval for A, whose score rests on one segment." in result["notes"]


def test_repeated_marks_count_once_or_as_often_as_they_are_written(
    patmark: Patmark, tmp_path: Path
) -> None:
    rows = ["system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\t#seen"]
    rows += ["A\td\t1\tr1\t源\ta <v>valve</v>\tOther\tMajor"] * 2
    rows += ["B\td\t1\tr1\t源\ta valve\tNo-error\tNo-error"]
    (tmp_path / "mqm.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    report = ("human", "report", "mqm.tsv", "--repeated-marks")
    for rule, points in (("once", -5), ("count", -10)):
        done = patmark(tmp_path, *report, rule, "--json", *_FAST)
        assert done.returncode == 0, done.stderr
        scores = json.loads(done.stdout)["criteria"]["mqm"]["scores"]
        assert [scores[system]["value"] for system in "AB"] == [points, 0]
    done = patmark(tmp_path, *report, "twice")
    assert done.returncode == 2
    assert "--repeated-marks twice: expected once or count" in done.stderr
