"""patmark compare, from the options to what is written."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from statistics import mean

import pytest

from command_line import DATA, FEW_TRIALS, JA_EN, PATSNAP, SYSTEMS, patmark, patmark_json
from patmark.app.cli.output import Output
from patmark.errors import MissingExtra
from patmark.protocols.patsnap.rows import LABELS


def _refused(folder: Path, *arguments: str | Path) -> str:
    done = patmark(folder, *arguments)
    assert done.returncode == 2 and done.stdout == "", done
    return done.stderr


def test_compare_gives_pairs_and_clusters(tmp_path: Path) -> None:
    done = patmark(tmp_path, "compare", *SYSTEMS, *DATA, *FEW_TRIALS, "--json")
    result = json.loads(done.stdout)
    assert set(result["measures"]) == {"BLEU", "TER"}
    assert result["measures"]["BLEU"]["clusters"] == [["atlas"], ["borealis"], ["cobalt"]]
    assert len(result["measures"]["TER"]["pairs"]) == 3


def test_compare_writes_a_report_with_segments(tmp_path: Path) -> None:
    done = patmark(tmp_path, "compare", *SYSTEMS, *DATA, *FEW_TRIALS, "--html", "c.html",
                    "--latex", "c.tex")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "BLEU, TER groups, best first: atlas | borealis | cobalt." in done.stdout
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "Pairwise significance by BLEU" in page and "reference length" in page
    source = (JA_EN / "reference.en").read_text(encoding="utf-8").splitlines()[3]
    assert source in page
    paper = (tmp_path / "c.tex").read_text(encoding="utf-8")
    assert paper.count(r"\begin{table}") == 2 and paper.count(r"\end{tabular}") == 2
    assert r"system & BLEU & TER $\downarrow$ \\" in paper
    scored = patmark_json(tmp_path, "score", *SYSTEMS, *DATA)["systems"]
    best, *others = (
        f"{scored[system]['BLEU']['value']:.2f}" for system in ("atlas", "borealis", "cobalt")
    )
    assert rf"atlas & \textbf{{{best}}}$^{{a}}$ & " in paper
    for system, value, letter in zip(("borealis", "cobalt"), others, "bc", strict=True):
        assert f"{system} & {value}$^{{{letter}}}$ & " in paper


def test_saved_scores_are_compared_without_texts(tmp_path: Path) -> None:
    direct = patmark(tmp_path, "compare", *SYSTEMS, *DATA, *FEW_TRIALS, "--json", "--save",
                      "s.json.gz")  # fmt: skip
    again = patmark(tmp_path, "compare", "--scores", "s.json.gz", "--resamples", "100", *FEW_TRIALS,
                     "--json")  # fmt: skip
    assert json.loads(again.stdout) == json.loads(direct.stdout)
    less = patmark(tmp_path, "compare", "--scores", "s.json.gz", "--measures", "TER", "--by",
                    "segment", "--test", "bootstrap", "--json")  # fmt: skip
    result = json.loads(less.stdout)
    assert set(result["measures"]) == {"TER"} and result["resampling"]["by"] == "segment"


def test_parquet_without_its_library_is_refused_before_any_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    Output(save="scores.json").check([])
    with pytest.raises(MissingExtra, match="pyarrow"):
        Output(save="scores.parquet").check([])


def test_patsnap_systems_are_compared_by_label(tmp_path: Path) -> None:
    folder = PATSNAP
    files = [folder / f"{name}.jsonl" for name in ("atlas", "cobalt")]
    done = patmark(tmp_path, "compare", *files, "--protocol", "patsnap", "--resamples", "100",
                    *FEW_TRIALS, "--json")  # fmt: skip
    result = json.loads(done.stdout)
    assert list(result["measures"]) == ["overall", *LABELS]
    alone = {
        path.stem: patmark_json(
            tmp_path, "score", path, "--protocol", "patsnap", "--resamples", "100"
        )
        for path in files
    }
    for label, compared in result["measures"].items():
        values = {name: one["value"] for name, one in compared["scores"].items()}
        for name, value in values.items():
            own = alone[name]["overall"]["value"]
            expected = own if label == "overall" else alone[name]["accuracy_by_label"][label]
            assert value == pytest.approx(expected, abs=0.005)
        [pair] = compared["pairs"]
        assert pair["delta"] == pytest.approx(values["atlas"] - values["cobalt"])
        assert compared["ranking"] == ["atlas", "cobalt"]
    assert result["measures"]["overall"]["clusters"] == [["atlas"], ["cobalt"]]
    assert result["missing"] == {"atlas": 0, "cobalt": 2}


def test_an_external_program_is_a_measure(tmp_path: Path) -> None:
    (tmp_path / "metric.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    print(len(json.loads(line)['hypothesis']))\n"
    )
    data = [part if part != "BLEU,TER" else f"chrF,command:{sys.executable} metric.py"
            for part in DATA]  # fmt: skip
    done = patmark(tmp_path, "compare", *SYSTEMS, *data, *FEW_TRIALS, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    [name] = [name for name in result["measures"] if name.startswith("command:")]
    lengths = {
        system: [len(line) for line in (JA_EN / f"{system}.en").read_text("utf-8").splitlines()]
        for system in ("atlas", "borealis", "cobalt")
    }
    compared = result["measures"][name]
    for system, of_lines in lengths.items():
        assert compared["scores"][system]["value"] == pytest.approx(mean(of_lines))
    for pair in compared["pairs"]:
        delta = mean(lengths[pair["a"]]) - mean(lengths[pair["b"]])
        assert pair["delta"] == pytest.approx(delta)
        assert pair["ci"][0] <= delta <= pair["ci"][1]


def _partial(folder: Path) -> list[str]:
    """Three segments, two runs; the second leaves one unanswered."""
    texts = ("the valve is closed", "the rotor turns", "a shaft of steel")
    rows = [{"id": str(n), "references": [text]} for n, text in enumerate(texts)]
    answers = [{"id": str(n), "hypothesis": text} for n, text in enumerate(texts)]
    for name, records in (("t", rows), ("x", answers), ("y", answers[:2])):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    files = ["--testset", "t.jsonl", "--hyp", "x.jsonl", "--hyp", "y.jsonl", "--allow-partial"]
    return [*files, "--lang", "en", "--measures", "chrF", "--resamples", "9", "--trials", "9"]


def test_missing_answers_are_always_shown(tmp_path: Path) -> None:
    arguments = _partial(tmp_path)
    done = patmark(tmp_path, "compare", *arguments, "--save", "s.json")
    note = "y: 1 segment without an answer; each counts as an empty text."
    assert note in done.stdout, done.stderr
    result = patmark_json(tmp_path, "compare", *arguments)
    assert result["missing"] == {"x": 0, "y": 1}
    assert result["languages"] == {"source": None, "target": "en"}
    again = patmark(
        tmp_path, "compare", "--scores", "s.json", "--resamples", "50", "--trials", "50"
    )
    assert note in again.stdout
    facts = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))["facts"]
    assert facts["missing"] == {"x": 0, "y": 1}


def test_options_without_effect_are_refused(tmp_path: Path) -> None:
    for arguments, message in (
        (["--scores", "s.json", "--protocol", "patsnap"], "--protocol has no effect with --scores"),
        (["--scores", "s.json", "--allow-partial"], "--allow-partial has no effect with --scores"),
        (["--scores", "s.json", "--allow-empty-refs"], "--allow-empty-refs has no effect with"),
        ([*SYSTEMS, *DATA, "--test", "bootstrap", "--trials", "7"], "--trials has no effect with"),
        ([*SYSTEMS, *DATA, "--systems", "atlas"], "--systems has no effect without --scores"),
        ([*SYSTEMS, *DATA[:-4], "--measures", "BLEU,length-ratio"], "no system can be better by"),
    ):  # fmt: skip
        assert message in _refused(tmp_path, "compare", *arguments)


def test_scores_of_several_files_are_joined(tmp_path: Path) -> None:
    for name in ("atlas", "borealis", "cobalt"):
        saved = patmark(tmp_path, "score", "--hyp", JA_EN / f"{name}.en", *DATA, "-q", "--save",
                         f"{name}.json")  # fmt: skip
        assert saved.returncode == 0, saved.stderr
    files = [part for name in ("atlas", "borealis", "cobalt")
             for part in ("--scores", f"{name}.json")]  # fmt: skip
    few = ["--resamples", "100", *FEW_TRIALS]
    joined = patmark_json(tmp_path, "compare", *files, *few)
    assert joined == patmark_json(tmp_path, "compare", *SYSTEMS, *DATA, *FEW_TRIALS)
    two = patmark_json(
        tmp_path, "compare", *files, *few, "--systems", "cobalt, atlas", "--measures", "TER"
    )
    assert two["systems"] == ["cobalt", "atlas"] and list(two["measures"]) == ["TER"]
    here = [str(tmp_path / part) if part.endswith(".json") else part for part in files]
    assert "is given twice" in _refused(tmp_path, "compare", *here, *here[:2])
    assert "no system 'x' was saved" in _refused(tmp_path, "compare", *here, "--systems", "x,atlas")


def test_the_terminal_does_not_count_tables_that_were_not_made(tmp_path: Path) -> None:
    done = patmark(tmp_path, "compare", *SYSTEMS, *DATA, *FEW_TRIALS)
    assert done.stderr == (
        "also with --full, and in every file that is written: all columns and intervals, 6 tables, "
        "2 signatures\n"
    )


def test_csv_names_groups_and_counts_segments(tmp_path: Path) -> None:
    done = patmark(tmp_path, "compare", *SYSTEMS, *DATA, *FEW_TRIALS, "-q", "--csv", "c.csv")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "c.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    groups = {row["table"]: row["value"] for row in rows if row["row"] == "cobalt"
              and row["column"] == "group"}  # fmt: skip
    assert groups == {"Ranking by BLEU": "3", "Ranking by TER": "3"}
    tables = ("Differences by BLEU", "Differences by TER")
    differences = [r for r in rows if r["column"] == "difference" and r["table"] in tables]
    assert len(differences) == 6 and {row["n"] for row in differences} == {"120"}


def test_compare_without_resamples_has_tests_but_no_intervals(tmp_path: Path) -> None:
    asked = ("compare", *SYSTEMS, *DATA[:-1], "0", *FEW_TRIALS)
    measured = patmark_json(tmp_path, *asked)["measures"]["BLEU"]
    assert all(one["ci"] is None for one in measured["scores"].values())
    assert all(one["ci"] == [None, None] and one["p"] < 0.05 for one in measured["pairs"])
    assert "[–" not in patmark(tmp_path, *asked, "--full").stdout
    assert "at least one resample" in _refused(tmp_path, *asked[:-2], "--test", "bootstrap")


def test_labels_that_share_a_signature_share_a_line(tmp_path: Path) -> None:
    files = [PATSNAP / f"{name}.jsonl" for name in ("atlas", "cobalt")]
    done = patmark(tmp_path, "compare", *files, "--protocol", "patsnap", "--resamples", "50",
                    "--trials", "50", "--full")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("general:(BLEU-1+METEOR-nltk)/2") == 1
    assert f"- {', '.join(LABELS)}, accuracy: patsnap|" in done.stdout
