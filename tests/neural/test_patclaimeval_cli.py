"""patmark claims train: from a file of pairs to a folder that the measure can use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from command_line import Done, invoke
from patmark.claims.patclaimeval import PatClaimEval
from patmark.data import TestSet
from patmark.data.claim_pairs import write_claim_pairs
from patmark.errors import UsageError
from patmark.measures.registry import parse_measure
from tiny_encoders import toy_pairs, write_encoder

FEW = ["--epochs", "2", "--lr", "1e-3", "--validation", "0.2"]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pairs and an encoder."""
    found = tmp_path_factory.mktemp("train")
    write_claim_pairs(found / "pairs.json", toy_pairs().pairs)
    write_encoder(found / "encoder", "longformer")
    return found


def _train(folder: Path, *arguments: str | Path) -> Done:
    return _run(folder / "pairs.json", *arguments)


def _run(*arguments: str | Path) -> Done:
    return invoke("claims", "train", *arguments)


def test_a_training_prints_epochs_and_leaves_a_model(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    done = _train(folder, "--encoder", folder / "encoder", "--out", out, *FEW)
    assert done.returncode == 0, done.stderr
    assert "PatClaimEval training" in done.stdout and "validation loss" in done.stdout
    assert "epoch 2: training loss 0." in done.stderr and f"wrote {out}" in done.stderr
    scores = PatClaimEval(model=str(out)).segment_scores(TestSet.of(["a valve"]), ("valve",))
    assert 0 < scores[0] < 1


@pytest.fixture(scope="module")
def clarity_model(folder: Path) -> Path:
    """An evaluator that was trained on the pairs of the folder, called Clarity."""
    pairs = [
        replace(pair, labels={"Clarity": pair.labels["Quality"]}) for pair in toy_pairs().pairs
    ]
    write_claim_pairs(folder / "clarity.json", pairs)
    out = folder / "clarity-model"
    given = ["--encoder", folder / "encoder", "--criterion", "Clarity", "--out", out, *FEW]
    done = _run(folder / "clarity.json", *given)
    assert done.returncode == 0, done.stderr
    return out


def test_a_model_is_named_by_text(folder: Path, clarity_model: Path) -> None:
    name = f"PatClaimEval(model={clarity_model})"
    measure = parse_measure(name)
    assert isinstance(measure, PatClaimEval) and measure.name == name
    done = invoke(
        "claims", "meta", folder / "pairs.json", "--measures", name, "--json", "--resamples", "0"
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [row["measure"] for row in result["rows"]] == [name]
    assert "criterion:Clarity" in result["signatures"][name]
    count = len(toy_pairs())
    assert (
        f"{name} was trained on the references of {count} of {count} pairs: " in result["notes"][1]
    )
    assert result["notes"][2] == f"{name} was trained for Clarity, not for Quality."


def test_the_published_table_takes_a_model(folder: Path, clarity_model: Path) -> None:
    name = f"PatClaimEval(model={clarity_model})"
    asked = ("--data", folder / "pairs.json", "--measures", name, "--json", "--resamples", "0")
    done = invoke("reproduce", "patent-ce", *asked)
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if row["metric"] == "PatClaimEval"]
    assert {row["status"] for row in rows} == {"other pairs"}
    assert all(row["recomputed"] is not None for row in rows if row["statistic"] == "accuracy")


@pytest.mark.parametrize(
    ("change", "wrong"),
    [({"limit": "many"}, "limit"), ({"limit": True}, "limit"), ({"limit": 0}, "limit"),
     ({"global_attention": None, "criterion": 1}, "global_attention, criterion")],
)  # fmt: skip
def test_a_broken_description_is_refused(
    clarity_model: Path, tmp_path: Path, change: dict[str, Any], wrong: str
) -> None:
    broken = Path(copytree(clarity_model, tmp_path / "model"))
    card = json.loads((broken / "patclaimeval.json").read_text(encoding="utf-8"))
    (broken / "patclaimeval.json").write_text(json.dumps(card | change), encoding="utf-8")
    with pytest.raises(UsageError, match=rf"patclaimeval\.json: {wrong} is missing or no value"):
        parse_measure(f"PatClaimEval(model={broken})").statistics(TestSet.of(["a valve"]), ["a"])


def test_json_is_alone_on_stdout(folder: Path, tmp_path: Path) -> None:
    given = ["--encoder", folder / "encoder", "--out", tmp_path / "model", *FEW, "--json"]
    done = _train(folder, *given, "--schedule", "linear", "--weight-decay", "0.1")
    result = json.loads(done.stdout)
    assert result["model"] == "patclaimeval" and result["best_epoch"] in (1, 2)
    assert result["plan"]["learning_rate"] == 1e-3 and result["plan"]["weight_decay"] == 0.1
    assert [epoch["epoch"] for epoch in result["epochs"]] == [1, 2]
    assert {"training_loss", "validation_loss", "tau", "accuracy"} <= set(result["epochs"][0])
    assert result["limit"] == 64
    again = _train(folder, *given, "--schedule", "linear", "--weight-decay", "0.1", "--resume")
    assert json.loads(again.stdout)["epochs"] == result["epochs"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "quality"], "claims train has no option --model"),
        ([], "patclaimeval needs an --encoder"),
        (["--encoder", "ENCODER", "--criterion", "Beauty"], "has no criterion 'Beauty'"),
        (["--encoder", "ENCODER", "--margin", "0.01"], "tolerance < margin"),
        (["--encoder", "ENCODER", "--device", "cuda"], "torch finds no CUDA device"),
        (["--encoder", "/nowhere"], "there is no folder /nowhere"),
    ],
)
def test_bad_requests_leave_nothing_behind(
    folder: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    import torch

    if "cuda" in arguments and torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    given = [str(folder / "encoder") if part == "ENCODER" else part for part in arguments]
    with pytest.raises(UsageError, match=message):
        _train(folder, *given, "--out", tmp_path / "model")
    assert not (tmp_path / "model").exists()


CRITERIA = ("Completeness", "Clarity", "Consistency", "Linkage", "Quality")


@pytest.fixture(scope="module")
def five(folder: Path) -> Path:
    """The models of all five criteria, trained by one command."""
    labelled = [
        replace(pair, labels=dict.fromkeys(CRITERIA, pair.labels["Quality"]))
        for pair in toy_pairs().pairs
    ]
    write_claim_pairs(folder / "five.json", labelled)
    return folder


def _five(folder: Path, out: Path, *arguments: str | Path) -> Done:
    given = ["--encoder", folder / "encoder", "--criterion", "all", "--out", out, *FEW, *arguments]
    return _run(folder / "five.json", *given)


def test_all_five_criteria_are_trained_by_one_command(five: Path, tmp_path: Path) -> None:
    out = tmp_path / "models"
    done = _five(five, out, "--json")
    result = json.loads(done.stdout)
    assert list(result["criteria"]) == list(CRITERIA)
    assert sorted(path.name for path in out.iterdir()) == sorted(map(str.lower, CRITERIA))
    for name in CRITERIA:
        card = json.loads((out / name.lower() / "patclaimeval.json").read_text())
        assert card["criterion"] == name and len(card["epochs"]) == 2
    alone = tmp_path / "alone"
    single = ["--encoder", five / "encoder", "--criterion", "Clarity", "--out", alone, *FEW]
    assert _run(five / "five.json", *single).returncode == 0
    weights = [(one / "model_head.safetensors").read_bytes() for one in (out / "clarity", alone)]
    assert weights[0] == weights[1]
    name = f"PatClaimEval(model={out})"
    given = ["--measures", name, "--resamples", "0", "--json"]
    rows = json.loads(invoke("claims", "meta", five / "five.json", *given).stdout)["rows"]
    assert [(row["criterion"], row["measure"]) for row in rows] == [
        (one, f"PatClaimEval(model={out / one.lower()})") for one in CRITERIA
    ]
    again = invoke("reproduce", "patent-ce", "--data", five / "five.json", *given)
    found = [row for row in json.loads(again.stdout)["rows"] if row["metric"] == "PatClaimEval"]
    assert len(found) == 5 * 4 and all(row["n"] == len(toy_pairs()) for row in found)
    with pytest.raises(UsageError, match="holds evaluators of several criteria; name one, such as"):
        PatClaimEval(model=str(out)).evaluator()
    with pytest.raises(UsageError, match="is not empty; --resume resumes trainings"):
        _five(five, out)


def test_trainings_of_several_criteria_go_on_where_they_stopped(five: Path, tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert _five(five, whole).returncode == 0
    some = ["--criterion", "Completeness", "--criterion", "Clarity", "--out", stopped]
    first = _run(five / "five.json", "--encoder", five / "encoder", *some, *FEW)
    assert "Best epochs" in first.stdout
    assert "Clarity, epoch 2: training loss 0." in first.stderr
    assert _five(five, stopped, "--resume").returncode == 0
    for path in sorted(whole.glob("*/model*.safetensors")):
        other = stopped / path.relative_to(whole)
        assert path.read_bytes() == other.read_bytes()


def test_criteria_that_cannot_be_trained(five: Path, tmp_path: Path) -> None:
    given = ["--encoder", five / "encoder", "--out", tmp_path / "m", "--criterion", "Quality"]
    with pytest.raises(UsageError, match="no criterion 'Style'"):
        _run(five / "five.json", *given, "--criterion", "Style")
    with pytest.raises(UsageError, match="asked for twice: Quality, Quality"):
        _run(five / "five.json", *given, "--criterion", "Quality")
    assert not (tmp_path / "m").exists()
