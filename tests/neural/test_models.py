"""Loading, names, signatures, batches, and what is said when something is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import patmark
from patmark.data.model import TestSet
from patmark.errors import MissingExtra, UsageError
from patmark.measures.base import Measure
from patmark.measures.neural import base as checkpoints
from patmark.measures.neural.tokens import batches, windows
from patmark.measures.registry import parse_measure

MEASURES = {
    "BERTScore": "bert",
    "MoverScore": "bert",
    "SimCSE": "bert",
    "BARTScore": "bart",
    "UniEval": "t5",
    "AlignScore": "roberta_classifier",
}
TEXTS = [
    "a valve comprising a housing and a spring",
    "the valve of claim 1, wherein the spring is made of steel",
    "a method; said device",
    "a seat",
    "the second spring is steel",
]
HYPOTHESES = tuple([*TEXTS[1:], "a valve"])


def _measure(label: str, request: pytest.FixtureRequest, more: str = "") -> Measure:
    folder = request.getfixturevalue(MEASURES[label])
    own = "chunk=20," if label == "AlignScore" else ""
    return parse_measure(f"{label}({own}model={folder}{more})")


each_measure = pytest.mark.parametrize("label", MEASURES)


@each_measure
def test_scores_do_not_depend_on_batches_or_order(
    label: str, request: pytest.FixtureRequest
) -> None:
    test_set, turned = TestSet.of(TEXTS), TestSet.of(TEXTS[::-1])
    scores = _measure(label, request).statistics(test_set, HYPOTHESES)
    single = _measure(label, request, ",batch=1").statistics(test_set, HYPOTHESES)
    other = _measure(label, request, ",batch=3").statistics(turned, HYPOTHESES[::-1])
    assert np.allclose(scores, single, rtol=0, atol=1e-5)
    assert np.allclose(scores, other[::-1], rtol=0, atol=1e-5)
    assert np.array_equal(scores, _measure(label, request).statistics(test_set, HYPOTHESES))


@each_measure
def test_names_parse_back_and_signatures_identify_the_model(
    label: str, request: pytest.FixtureRequest
) -> None:
    measure = _measure(label, request, ",batch=2,device=cpu,long=cut")
    assert parse_measure(measure.name) == measure
    signature = measure.signature(TestSet.of(["a valve"]))
    parts = dict(part.split(":", 1) for part in signature.split("|")[1:])
    assert parts["revision"] == "local" and parts["device"] == "cpu" and parts["long"] == "cut"
    assert len(parts["weights"]) == len(parts["settings"]) == 16
    assert parts["with"].startswith("torch-")


@each_measure
def test_a_missing_model_says_how_to_name_one(label: str) -> None:
    with pytest.raises(UsageError, match=rf"write {label}\(model=/path/to/folder\) or {label}\("):
        parse_measure(label).statistics(TestSet.of(["a valve"]), ["a seat"])


def test_evaluate_scores_and_compares_runs(bert: str) -> None:
    test_set = TestSet.of(TEXTS)
    runs = [patmark.Run("one", HYPOTHESES), patmark.Run("same", tuple(TEXTS))]
    name = f"BERTScore(model={bert})"
    evaluation = patmark.evaluate(test_set, runs, [name], patmark.Sampling(resamples=50))
    values = evaluation.estimates[name]
    assert values["same"].value == pytest.approx(1.0) and values["one"].value < 1


def test_without_torch_the_extra_is_named(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'patmark\[neural\]'"):
        parse_measure(f"BERTScore(model={bert})").statistics(TestSet.of(["a"]), ["a"])


def test_listing_measures_imports_no_model_library() -> None:
    program = (
        "import sys; from patmark.measures import describe_all\n"
        "assert any(info.name == 'BERTScore' for info in describe_all())\n"
        "print({'torch', 'transformers', 'huggingface_hub'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


def test_weights_and_settings_are_told_apart(bert: str, tmp_path: Path) -> None:
    one = checkpoints.find_checkpoint(bert, "")
    copy = Path(copytree(bert, tmp_path / "copy"))
    same = checkpoints.find_checkpoint(str(copy), "")
    assert (same.weights, same.settings) == (one.weights, one.settings)
    (copy / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    other = checkpoints.find_checkpoint(str(copy), "")
    assert other.weights == one.weights and other.settings != one.settings
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    assert checkpoints.find_checkpoint(str(copy), "").weights != one.weights


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("/no/such/folder", "there is no folder /no/such/folder"),
        ("./here", "there is no folder"),
        ("owner/name/more", "not a model id such as owner/name"),
        ("owner/name", "the model owner/name cannot be had: .*name a folder"),
    ],
)
def test_models_that_cannot_be_found(
    model: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _use_cache(monkeypatch, tmp_path)
    with pytest.raises(UsageError, match=message):
        checkpoints.find_checkpoint(model, "")


def _use_cache(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the hub library look into this folder only, without network."""
    constants: Any = pytest.importorskip("huggingface_hub").constants
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder))


def test_a_model_id_is_taken_from_the_cache(
    bert: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _use_cache(monkeypatch, tmp_path)
    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "models--owner--tiny"
    copytree(bert, home / "snapshots" / commit)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit, encoding="ascii")
    found = checkpoints.find_checkpoint("owner/tiny", "")
    assert found.revision == commit
    assert found.weights == checkpoints.find_checkpoint(bert, "").weights
    assert checkpoints.find_checkpoint("owner/tiny", commit) == found
    with pytest.raises(UsageError, match="cannot be had"):
        checkpoints.find_checkpoint("owner/tiny", "other-branch")
    signature = parse_measure("BERTScore(model=owner/tiny)").signature(TestSet.of(["a"]))
    assert f"|revision:{commit}|" in signature


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no model: config\.json and model\.safetensors"):
        checkpoints.find_checkpoint(str(tmp_path), "")


def test_a_model_of_another_kind_is_refused(bert: str) -> None:
    test_set = TestSet.of(["a valve"])
    with pytest.raises(UsageError, match=r"the checkpoint lacks classifier\."):
        parse_measure(f"AlignScore(model={bert})").statistics(test_set, ["a"])
    with pytest.raises(UsageError, match="cannot be loaded as seq2seq"):
        parse_measure(f"BARTScore(model={bert})").statistics(test_set, ["a"])


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"model": {"type": "none"}}'])
def test_a_broken_tokenizer_is_named(bert: str, tmp_path: Path, content: str) -> None:
    folder = Path(copytree(bert, tmp_path / "model"))
    (folder / "tokenizer.json").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="model cannot be loaded as encoder"):
        parse_measure(f"SimCSE(model={folder})").statistics(TestSet.of(["a valve"]), ["a"])


@pytest.mark.parametrize("mapped", ["config.json", "tokenizer_config.json"])
@pytest.mark.parametrize("known", [True, False])
def test_programs_in_the_folder_of_a_model_are_not_run(
    bert: str, tmp_path: Path, mapped: str, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(copytree(bert, tmp_path / "model"))
    mark = tmp_path / "was-run"
    (folder / "evil.py").write_text(
        f"open({str(mark)!r}, 'w').close()\nfrom transformers import BertConfig, BertModel\n"
        "class Own(BertConfig):\n    model_type = 'own'\nclass OwnModel(BertModel): ...\n"
    )
    names = {"AutoConfig": "evil.Own", "AutoModel": "evil.OwnModel"}
    mapping = {"config.json": names, "tokenizer_config.json": {"AutoTokenizer": ["evil.T", None]}}
    settings = json.loads((folder / mapped).read_text())
    settings["auto_map"] = mapping[mapped]
    if not known:
        settings |= {"model_type": "own", "tokenizer_class": "T"}
    (folder / mapped).write_text(json.dumps(settings))
    monkeypatch.setattr("builtins.input", lambda *_: "y")  # a user who agrees to everything
    measure = parse_measure(f"BERTScore(model={folder})")
    try:
        measure.statistics(TestSet.of(["a valve"]), ["a seat"])
    except UsageError as error:
        assert not known and "does not run" in str(error)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("BERTScore(device=tpu)", "choose from auto, cpu, cuda"),
        ("BERTScore(batch=0)", "at least 1"),
        ("BERTScore(limit=-1)", "must not be negative"),
        ("BERTScore(long=skip)", "choose from refuse, window, cut"),
        ("BERTScore(layer=-2)", "must be -1, 0 or more"),
        ("BERTScore(part=x)", "choose from f, precision, recall"),
        ("BARTScore(part=x)", "choose from f, precision, recall"),
        ("SimCSE(pooling=x)", "choose from pooler, cls, mean"),
    ],
)
def test_bad_parameters_are_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_measure(name)


def test_a_path_that_would_not_parse_back_is_refused() -> None:
    from patmark.measures.neural.embeddings import BERTScore

    with pytest.raises(UsageError, match="brackets and commas"):
        BERTScore(model="/models/a (copy)")


def test_cuda_is_refused_where_there_is_none(bert: str) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    with pytest.raises(UsageError, match="finds no CUDA device"):
        parse_measure(f"BERTScore(model={bert},device=cuda)").statistics(TestSet.of(["a"]), ["a"])


@given(st.integers(1, 300), st.integers(1, 60), st.booleans())
def test_windows_keep_every_token_once(length: int, size: int, overlapping: bool) -> None:
    found = windows(length, size, size // 2 if overlapping else 0)
    kept = [at for window in found for at in range(window.keep_start, window.keep_end)]
    assert kept == list(range(length))
    for window in found:
        assert window.end - window.start == min(size, length)
        assert window.start <= window.keep_start <= window.keep_end <= window.end


@given(st.lists(st.integers(0, 50)), st.integers(1, 7))
def test_batches_hold_every_text_once_by_length(lengths: list[int], size: int) -> None:
    found = list(batches(lengths, size))
    flat = [at for batch in found for at in batch]
    assert sorted(flat) == list(range(len(lengths)))
    assert [lengths[at] for at in flat] == sorted(lengths, reverse=True)
    assert all(len(batch) <= size for batch in found)
