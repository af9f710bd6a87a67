"""Claims, shared tasks and judgements: Python and the command line refuse alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import patmark
from patmark import commands
from patmark.app.commands.claims import PairsRequest, TrainRequest, make_pairs, train
from patmark.app.commands.human import ConvertRequest, convert
from patmark.errors import PatmarkError
from patmark.examples import example_path

_CLAIMS = "1. A pump comprising a shaft and a rotor.\n2. The pump of claim 1, made of steel."
_JUDGEMENTS = "evaluator,system,segment,criterion,value\ne1,a,1,adequacy,4\ne1,b,1,adequacy,3\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Claims, an empty draft, pairs, a task and judgements."""
    (tmp_path / "granted.txt").write_text(_CLAIMS, encoding="utf-8")
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    pair = {"gold_claim": _CLAIMS, "A": _CLAIMS, "B": "1. A fan.", "human_eval": {"Quality": 1}}
    (tmp_path / "pairs.json").write_text(json.dumps([pair]), encoding="utf-8")
    ja_en = example_path("ja_en")
    task = {
        "name": "t", "languages": "ja-en", "references": str(ja_en / "reference.en"),
        "runs": [{"group": "A", "file": str(ja_en / "atlas.en")}],
    }  # fmt: skip
    (tmp_path / "task.json").write_text(json.dumps(task), encoding="utf-8")
    (tmp_path / "runs").mkdir()
    (tmp_path / "judgements.csv").write_text(_JUDGEMENTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


_GRANTED = Path("granted.txt")


def _convert(**request: Any) -> list[str]:
    return convert(ConvertRequest(source="judgements.csv", target="x.csv", **request))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (lambda: commands.claims.parse(Path("empty.txt")), "claims parse empty.txt"),
        (lambda: commands.claims.lint(_GRANTED, "dpma"), "claims lint granted.txt --office dpma"),
        (
            lambda: commands.claims.lint(_GRANTED, min_severity="x"),
            "claims lint granted.txt --min-severity x",
        ),
        (
            lambda: commands.claims.lint(_GRANTED, select=["x"]),
            "claims lint granted.txt --select x",
        ),
        (lambda: commands.claims.score(_GRANTED), "claims score --ref granted.txt"),
        (
            lambda: commands.claims.score(_GRANTED, pairs="pairs.json"),
            "claims score --ref granted.txt --pairs pairs.json",
        ),
        (
            lambda: commands.claims.score(_GRANTED, {"granted": _GRANTED}, "x"),
            "claims score --ref granted.txt --hyp granted.txt --measures x",
        ),
        (
            lambda: commands.claims.meta("pairs.json", criteria=["Style"]),
            "claims meta pairs.json --criterion Style",
        ),
        (
            lambda: commands.claims.meta("pairs.json", tie_band="wide"),
            "claims meta pairs.json --tie-band wide",
        ),
        (
            lambda: make_pairs(
                PairsRequest(ratings=("r.csv",), testset="t.jsonl", hyp=("a.jsonl",), out=".")
            ),
            "claims pairs r.csv --testset t.jsonl --hyp a.jsonl --out .",
        ),
        (
            lambda: train(TrainRequest(pairs=("pairs.json",), out="m", encoder=None)),
            "claims train pairs.json --out m",
        ),
        (
            lambda: train(TrainRequest(pairs=("pairs.json",), out="m", encoder="e", epochs=0)),
            "claims train pairs.json --out m --encoder e --epochs 0",
        ),
        (lambda: commands.task("task.json", out="runs/x/y"), "task task.json --out runs/x/y"),
        (lambda: commands.task("task.json", out="."), "task task.json --out ."),
        (lambda: commands.task("task.json", overwrite=True), "task task.json --overwrite"),
        (
            lambda: commands.task("task.json", scales={"x": "1..5"}),
            "task task.json --scale x=1..5",
        ),
        (lambda: commands.task("task.json", lang="ja-en"), "task task.json --lang ja-en"),
        (lambda: commands.task("runs"), "task runs"),
        (lambda: commands.task("task.json", protocol="x"), "task task.json --protocol x"),
        (
            lambda: commands.human.report("judgements.csv", systems=["c"]),
            "human report judgements.csv --systems c",
        ),
        (
            lambda: commands.human.report("judgements.csv", manifest="task.json", systems=["a"]),
            "human report judgements.csv --manifest task.json --systems a",
        ),
        (
            lambda: commands.human.report("judgements.csv", weights="x"),
            "human report judgements.csv --weights x",
        ),
        (
            lambda: commands.human.report("judgements.csv", format="x"),
            "human report judgements.csv --format x",
        ),
        (lambda: _convert(to="x"), "human convert judgements.csv x.csv --to x"),
        (
            lambda: _convert(to="csv", only="preferences"),
            "human convert judgements.csv x.csv --to csv --only preferences",
        ),
        (
            lambda: _convert(to="csv", lang="en"),
            "human convert judgements.csv x.csv --to csv --lang en",
        ),
        (lambda: _convert(to="wmt-mqm"), "human convert judgements.csv x.csv --to wmt-mqm"),
    ],
)
def test_python_and_the_command_line_refuse_alike(
    call: Callable[[], Any], arguments: str, folder: Path
) -> None:
    with pytest.raises(PatmarkError) as refused:
        call()
    done = patmark(folder, *arguments.split())
    assert done.returncode == 2 and done.stdout == ""
    assert _plain(done.stderr.removeprefix("patmark: ").strip()) == _plain(str(refused.value))


def _plain(message: str) -> str:
    """The words of a message, whichever front end names its settings."""
    words = message.replace("='", " ").split()
    return " ".join(word.strip(":,;().'=-").replace("-", "_") for word in words)
