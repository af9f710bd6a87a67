"""patmark task: a folder of results from a manifest."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from patmark.app.cli import main
from patmark.evaluation.score_files import read_scores
from patmark.examples import example_path

Command = Callable[..., "Done"]
_FAST = ("--resamples", "50", "--trials", "100")
_MANIFEST = """\
name: Example task
languages: ja-en
references: [ja_en/reference.en]
documents: ja_en/documents.txt
protocol: ntcir9
runs:
  - {group: ATLAS, file: ja_en/atlas.en, type: NMT, resources: BM}
  - {group: COBALT, file: ja_en/cobalt.en, type: RBMT, resources: E}
"""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    shutil.copytree(example_path("ja_en"), tmp_path / "ja_en")
    (tmp_path / "task.yaml").write_text(_MANIFEST, encoding="utf-8")
    return tmp_path


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    returncode: object
    stdout: str
    stderr: str


@pytest.fixture
def patmark(
    task: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.chdir(task)

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["patmark", "task", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return Done(end.value.code, printed.out, printed.err)

    return run


def _files(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_help_teaches(patmark: Command) -> None:
    text = patmark("--help").stdout
    assert "patmark task task.yaml --out results" in text
    assert "- {group: NTT-UT, priority: 1, file: ntt.txt, type: SMT, resources: BM}" in text


def test_a_task_becomes_a_folder(patmark: Command, task: Path) -> None:
    done = patmark("task.yaml", "--out", "results", *_FAST)
    assert done.returncode == 0, done.stderr
    assert "Results of all runs" in done.stdout
    assert "wrote 7 files to results; open results/index.html" in done.stderr
    assert _files(task / "results") == [
        "comparison.html", "index.html", "results.csv", "results.json",
        "runs/ATLAS-1.html", "runs/COBALT-1.html", "scores.json.gz",
    ]  # fmt: skip
    index = (task / "results" / "index.html").read_text(encoding="utf-8")
    assert "runs/ATLAS-1.html" in index and "comparison.html" in index
    page = (task / "results" / "runs" / "COBALT-1.html").read_text(encoding="utf-8")
    assert "COBALT-1 · Example task" in page and "RBMT" in page
    result = json.loads((task / "results" / "results.json").read_text(encoding="utf-8"))
    with (task / "results" / "results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [run["id"] for run in result["runs"]] == [row["run"] for row in rows]
    assert 'href="comparison.html"' in index
    assert 'href="../index.html"' in page and 'href="../comparison.html"' in page
    compared = (task / "results" / "comparison.html").read_text(encoding="utf-8")
    assert 'href="index.html"' in compared
    saved = read_scores(task / "results" / "scores.json.gz")
    facts = saved.facts
    assert facts.languages == {"source": "ja", "target": "en"} and facts.test_set
    assert facts.missing == {"ATLAS-1": 0, "COBALT-1": 0} and facts.empty["COBALT-1"] == 1
    assert saved.systems == ("ATLAS-1", "COBALT-1")
    bleu = dict(zip(saved.systems, saved.scores["BLEU"].system_scores, strict=True))
    assert bleu["ATLAS-1"] == result["runs"][0]["scores"]["BLEU"]["value"] == float(rows[0]["BLEU"])


def test_json_is_the_only_thing_on_stdout(patmark: Command, task: Path) -> None:
    done = patmark("task.yaml", "--json", "--out", "results", *_FAST)
    assert done.stderr == ""
    written = json.loads((task / "results" / "results.json").read_text(encoding="utf-8"))
    assert json.loads(done.stdout) == written


def test_tables_and_quiet(patmark: Command, task: Path) -> None:
    done = patmark("task.yaml", "-q", "--csv", "t.csv", "--md", "t.md", "--latex", "t.tex", *_FAST)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "| ATLAS-1" in (task / "t.md").read_text(encoding="utf-8")
    assert "Pairwise scores" in (task / "t.csv").read_text(encoding="utf-8")
    assert "\\toprule" in (task / "t.tex").read_text(encoding="utf-8")
    assert not (task / "results").exists()


def test_a_folder_that_is_not_empty_is_not_touched(patmark: Command, task: Path) -> None:
    out = task / "results"
    (out / "runs").mkdir(parents=True)
    (out / "runs" / "OLD-1.html").write_text("old")
    refused = patmark("task.yaml", "--out", "results", *_FAST)
    assert refused.returncode == 2 and "results is not empty" in refused.stderr
    assert _files(out) == ["runs/OLD-1.html"]
    done = patmark("task.yaml", "--out", "results", "--overwrite", *_FAST)
    assert done.returncode == 0, done.stderr
    assert "results/runs/OLD-1.html is from an earlier task" in done.stderr
    assert "index.html" in _files(out)


def test_bad_data_write_nothing(patmark: Command, task: Path) -> None:
    text = _MANIFEST.replace("type: NMT", "type: XYZ").replace("cobalt.en", "gone.en")
    (task / "task.yaml").write_text(text, encoding="utf-8")
    done = patmark("task.yaml", "--out", "results", *_FAST)
    assert (done.returncode, done.stdout) == (2, "")
    assert "task.yaml:7: field 'type': 'XYZ' is unknown" in done.stderr
    assert "task.yaml:8: field 'file': no such file: ja_en/gone.en" in done.stderr
    assert not (task / "results").exists()


def test_judgements_become_columns(patmark: Command, task: Path) -> None:
    header = "evaluator,system,segment,criterion,value"
    for name, segments in (("e1", (1, 2)), ("e2", (3, 4))):
        rows = [f"{name},{run},{segment},adequacy,{grade}" for segment in segments
                for run, grade in (("ATLAS-1", 5), ("COBALT-1", segment))]  # fmt: skip
        (task / f"{name}.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    both = ("--judgements", "e1.csv", "--judgements", "e2.csv")
    done = patmark("task.yaml", *both, "--out", "results", "--json", *_FAST)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["human_measures"] == ["adequacy"]
    assert [run["scores"]["adequacy"]["value"] for run in result["runs"]] == [5.0, 2.5]
    assert result["human_comparisons"][0]["measures"]["adequacy"]["pairs"][0]["wins"] == 4
    page = (task / "results" / "comparison.html").read_text(encoding="utf-8")
    assert "Differences by adequacy" in page and "Scores and groups" not in page
    (task / "e2.csv").write_text(f"{header}\ne2,NOBODY-1,3,adequacy,4\n", encoding="utf-8")
    (task / "e1.csv").write_text(f"{header}\ne1,ATLAS-1,3,adequacy,9\n", encoding="utf-8")
    wrong = patmark("task.yaml", *both, *_FAST)
    assert wrong.returncode == 2
    assert "e1.csv:2" in wrong.stderr and "e2.csv:2" in wrong.stderr


def test_scales_and_unfinished_segments(patmark: Command, task: Path) -> None:
    rows = ["evaluator,system,segment,criterion,value", "e,ATLAS-1,1,style,7",
            "e,COBALT-1,1,style,2", "e,ATLAS-1,2,style,1", ""]  # fmt: skip
    (task / "s.csv").write_text("\n".join(rows), encoding="utf-8")
    judged = ("task.yaml", "--judgements", "s.csv", "--json", *_FAST)
    refused = patmark(*judged)
    assert refused.returncode == 2 and "s.csv:2" in refused.stderr
    for more, value in (((), 7.0), (("--keep-unfinished",), 4.0)):
        result = json.loads(patmark(*judged, "--scale", "style=1..7", *more).stdout)
        assert result["runs"][0]["scores"]["style"]["value"] == value


def test_the_number_of_trials_is_recorded(patmark: Command) -> None:
    result = json.loads(patmark("task.yaml", "--json", "--resamples", "5").stdout)
    assert result["comparison"]["test"]["trials"] == 10_000


def test_preferences_become_a_column(patmark: Command, task: Path) -> None:
    rows = ["evaluator,segment,first,second,winner", "e,1,ATLAS-1,COBALT-1,first",
            "e,2,COBALT-1,ATLAS-1,equal", ""]  # fmt: skip
    (task / "p.csv").write_text("\n".join(rows), encoding="utf-8")
    done = patmark("task.yaml", "--judgements", "p.csv", "--json", *_FAST)
    result = json.loads(done.stdout)
    [name] = result["human_measures"]
    assert [run["scores"][name]["value"] for run in result["runs"]] == [0.75, 0.25]


def test_a_folder_of_runs_that_describe_themselves(patmark: Command, task: Path) -> None:
    (task / "runs").mkdir()
    for name in ("atlas", "cobalt"):
        lines = (task / "ja_en" / f"{name}.en").read_text(encoding="utf-8").splitlines()
        rows: list[dict[str, object]] = [{"system": name.upper(), "kind": "NMT"}]
        rows += [{"id": number, "hypothesis": line} for number, line in enumerate(lines, 1)]
        (task / "runs" / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    data = ("--ref", "ja_en/reference.en", "--lang", "ja-en")
    done = patmark("runs", *data, "--measures", "chrF", "--json", *_FAST)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [run["id"] for run in result["runs"]] == ["ATLAS-1", "COBALT-1"]
    assert list(result["signatures"]) == ["chrF"]
    protocol = patmark("runs", *data, "--protocol", "ntcir9", "--json", *_FAST)
    assert "NIST(case=mixed)" in json.loads(protocol.stdout)["signatures"]
    without = patmark("runs", *_FAST)
    assert without.returncode == 2 and "give --testset and --lang" in without.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gone.yaml",), "gone.yaml: no such file"),
        (("task.yaml", "--overwrite"), "--overwrite has no effect without --out"),
        (("task.yaml", "--scale", "x=1..5"), "--scale has no effect without --judgements"),
        (("task.yaml", "--keep-unfinished"), "has no effect without --judgements"),
        (("task.yaml", "--trials", "0"), "at least one trial"),
        (("task.yaml", "--lang", "ja-en"), "--lang has no effect with a manifest"),
        (("task.yaml", "--measures", "BLEU"), "ntcir9 has its own measures"),
        (("task.yaml", "--protocol", "x"), "'x' is unknown"),
        (("task.yaml", "--out", "task.yaml"), "is a file; --out takes a folder"),
        (("task.yaml", "--out", "no/where"), "its folder does not exist"),
        (("task.yaml", "--out", "."), "is the folder of the task"),
        (("task.yaml", "--csv", "task.yaml"), "is an input"),
    ],
)
def test_requests_that_cannot_be_carried_out(
    patmark: Command, task: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = _files(task)
    done = patmark(*arguments)
    assert done.returncode == 2 and message in done.stderr, done.stderr
    assert done.stdout == "" and _files(task) == before
