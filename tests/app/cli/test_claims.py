"""patmark claims and patmark reproduce patent-ce."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from patmark.app.cli import main
from patmark.data.claim_pairs import ClaimPair, read_claim_pairs, write_claim_pairs

_CRITERIA = ("completeness", "clarity", "consistency", "linkage")


@dataclass(frozen=True, slots=True)
class _Done:
    returncode: object
    stdout: str
    stderr: str


Command: TypeAlias = Callable[..., _Done]


@pytest.fixture
def patmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line in the folder of the test; in one process, because it starts slowly."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> _Done:
        monkeypatch.setattr(sys, "argv", ["patmark", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return _Done(end.value.code, printed.out, printed.err)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Eight pairs of three references."""
    pairs = [
        ClaimPair(
            f"1. A valve {place % 3} comprising a spring, a seat and a body.",
            f"1. A valve {place % 3} comprising a spring.", "1. A pump with a seat.",
            {"Quality": (1, 0, 1, -1)[place % 4], "Clarity": 1},
        )
        for place in range(8)
    ]  # fmt: skip
    write_claim_pairs(tmp_path / "pairs.json", pairs)
    return tmp_path


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    """Ratings of two systems for twenty references."""
    ids = [f"r{place}" for place in range(20)]
    rows = ["evaluator,system,segment,criterion,value"]
    for place, name in enumerate(ids):
        for system, shift in (("draft", 0), ("model", place % 3 - 1)):
            rows += [f"e1,{system},{name},{criterion},{5 + shift}" for criterion in _CRITERIA]
    (tmp_path / "ratings.csv").write_text("\n".join(rows) + "\n")
    for file, field in (("refs", "references"), ("draft", "hypothesis"), ("model", "hypothesis")):
        texts = [f"1. A {file} of {name}." for name in ids]
        lines = [
            json.dumps({"id": name, field: [text] if file == "refs" else text})
            for name, text in zip(ids, texts, strict=True)
        ]
        (tmp_path / f"{file}.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def _make_pairs(patmark: Command, *arguments: str) -> _Done:
    return patmark(
        "claims", "pairs", "ratings.csv", "--testset", "refs.jsonl",
        "--hyp", "draft=draft.jsonl", "--hyp", "model=model.jsonl", "--out", "made", *arguments,
    )  # fmt: skip


def test_meta_json_has_a_stable_shape(folder: Path, patmark: Command) -> None:
    done = patmark("claims", "meta", "pairs.json", "--criterion", "Quality", "--json",
                    "--resamples", "50", "--segments", "scores.csv")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert set(result) == {"rows", "counts", "signatures", "notes", "resampling"}
    assert [row["measure"] for row in result["rows"]] == [
        "BLEU-1", "BLEU-4", "ROUGE-1", "ROUGE-2", "ROUGE-L", "METEOR",
    ]  # fmt: skip
    for row in result["rows"]:
        assert set(row) == {
            "measure", "name", "criterion", "n", "tau", "rho", "accuracy", "f1", "ci",
            "predicted_ties", "tie_band", "tau_difference", "without_gold",
        }  # fmt: skip
        assert set(row["ci"]) == {"tau", "rho", "accuracy", "f1"}
        assert set(row["without_gold"]) == {"n", "tau", "rho", "accuracy", "f1", "ci"}
        assert row["n"] == 8
    scores = (folder / "scores.csv").read_text(encoding="utf-8").splitlines()
    assert len(scores) == 1 + 6 * (8 + 1) * 2
    assert scores[2].startswith("A,0,BLEU-1,")


def test_meta_shows_tables_and_writes_reports(folder: Path, patmark: Command) -> None:
    done = patmark("claims", "meta", "pairs.json", "--measures", "BLEU-4,chrF",
                    "--resamples", "50", "--full", "--html", "r.html", "--md", "r.md")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Quality: all pairs" in done.stdout and "Clarity: pairs without" in done.stdout
    assert "chrF" in (folder / "r.html").read_text(encoding="utf-8")
    assert "chrF" in (folder / "r.md").read_text(encoding="utf-8")


def test_pairs_are_made_split_and_usable(rated: Path, patmark: Command) -> None:
    done = _make_pairs(patmark, "--json", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["pairs"] == 20
    assert [row["criterion"] for row in result["balance"]] == [
        "Completeness", "Clarity", "Consistency", "Linkage", "Quality",
    ]  # fmt: skip
    assert {row["equal"] for row in result["balance"]} == {7}
    parts = {name: read_claim_pairs(rated / "made" / f"{name}.json")
             for name in ("pairs", "train", "validation", "test")}  # fmt: skip
    assert len(parts["pairs"]) == 20
    assert [row["pairs"] for row in result["splits"]] == [
        len(parts[name]) for name in ("train", "validation", "test")
    ]
    meta = patmark("claims", "meta", "made/pairs.json", "--measures", "ROUGE-1", "--json",
                    "--resamples", "0")  # fmt: skip
    assert len(json.loads(meta.stdout)["rows"]) == 5


def test_pairs_are_not_written_over(rated: Path, patmark: Command) -> None:
    first = _make_pairs(patmark, "--split", "none")
    assert first.returncode == 0 and "wrote pairs.json to made" in first.stderr
    assert "Balance of the labels" in first.stdout
    again = _make_pairs(patmark, "--split", "none")
    assert again.returncode == 2 and "--overwrite replaces them" in again.stderr
    assert _make_pairs(patmark, "--split", "none", "--overwrite", "--quiet").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--split", "patent"], "choose from reference, random, none"),
        (["--test", "0"], "test share must be between"),
        (["--experts", "best"], "choose from majority, each"),
        (["--hyp", "draft=model.jsonl"], "two candidates have one name"),
        (["--csv", "refs.jsonl"], "is an input"),
    ],
)
def test_bad_requests_for_pairs_leave_nothing(
    rated: Path, patmark: Command, arguments: list[str], message: str
) -> None:
    done = _make_pairs(patmark, *arguments)
    assert done.returncode == 2 and message in done.stderr and done.stdout == ""
    assert not (rated / "made").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["claims", "meta", "absent.json"], "absent.json: no such file"),
        (["claims", "meta", "pairs.json", "--criterion", "Style"], "there are Quality, Clarity"),
        (["claims", "meta", "pairs.json", "--measures", "ROUGE-9"], "is unknown"),
        (["claims", "meta", "pairs.json", "--resamples", "-1"], "must not be negative"),
        (["claims", "meta", "pairs.json", "--csv", "pairs.json"], "is an input"),
        (["reproduce", "patent-ce", "--measures", "chrF"], "--data FILE"),
        (["reproduce", "ntcir9", "--data", "pairs.json"], "--data has no effect with ntcir9"),
        (["reproduce", "patent-ce", "--data", "pairs.json", "--csv", "pairs.json"], "is an input"),
    ],
)
def test_bad_requests_are_refused(
    folder: Path, patmark: Command, arguments: list[str], message: str
) -> None:
    done = patmark(*arguments)
    assert done.returncode == 2 and message in done.stderr and done.stdout == ""


def test_reproduce_shows_published_and_recomputed(folder: Path, patmark: Command) -> None:
    done = patmark("reproduce", "patent-ce", "--data", "pairs.json", "--json",
                    "--resamples", "20")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert set(result) == {
        "study", "test_pairs", "rows", "measures", "counts", "signatures", "notes", "resampling",
        "listing", "best", "gains", "findings", "lengths",
    }  # fmt: skip
    assert len(result["rows"]) == 2 * 14 * 4 and len(result["measures"]) == 12
    assert set(result["rows"][0]) == {
        "criterion", "metric", "statistic", "n", "recomputed", "ci", "published", "difference",
        "tolerance", "status",
    }  # fmt: skip
