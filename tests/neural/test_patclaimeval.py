"""PatClaimEval as a measure: scores straight from the network, long texts, what it refuses."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.claims.patclaimeval import PatClaimEval, TrainingPlan, load_evaluator, train_evaluator
from patmark.claims.patclaimeval.evaluator import save_evaluator
from patmark.data import TestSet
from patmark.errors import InputError, UsageError
from patmark.measures import registry
from patmark.measures.registry import parse_measure
from tiny_encoders import toy_pairs, write_encoder

REFERENCES = ["valve spring seat", "a rotor a stator", "film", "pump housing a valve junk"]
CANDIDATES = ("valve seat", "rotor", "film film film film film junk", "a pump")
LONG = " ".join(["valve spring"] * 60)
PLAN = TrainingPlan(epochs=1, learning_rate=1e-2, validation=0.0)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Trained evaluators, and classifiers with one output as others publish them."""
    found = {}
    for kind in ("longformer", "bert"):
        folder = tmp_path_factory.mktemp(kind)
        encoder = write_encoder(folder / "encoder", kind)
        train_evaluator(toy_pairs(), encoder, folder / "trained", PLAN)
        found[kind] = str(folder / "trained")
        found[f"{kind} classifier"] = write_encoder(folder / "published", kind, num_labels=1)
    return found


@pytest.fixture(params=["longformer", "bert", "longformer classifier", "bert classifier"])
def model(request: pytest.FixtureRequest, folders: dict[str, str]) -> str:
    return folders[request.param]


def _direct(folder: str, reference: str, candidate: str) -> float:
    """The score by transformers and safetensors alone, one pair at a time."""
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    encoded = dict(tokenizer(reference, candidate, return_tensors="pt"))
    own = (Path(folder) / "patclaimeval.json").exists()
    longformer = "longformer" in (Path(folder) / "config.json").read_text(encoding="utf-8")
    if longformer:
        del encoded["token_type_ids"]
    if longformer and own:
        ids = encoded["input_ids"]
        special = (ids == tokenizer.cls_token_id) | (ids == tokenizer.sep_token_id)
        encoded["global_attention_mask"] = special.long()
    with torch.no_grad():
        if own:
            states = AutoModel.from_pretrained(folder).eval()(**encoded).last_hidden_state
            head = load_file(Path(folder) / "model_head.safetensors")
            logit = states[0, 0] @ head["weight"][0] + head["bias"][0]
        else:
            network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
            logit = network(**encoded).logits[0, 0]
    return 1 / (1 + float(np.exp(-float(logit))))


def _scores(measure: PatClaimEval, hypotheses: Any = CANDIDATES) -> Any:
    return measure.segment_scores(TestSet.of(REFERENCES), tuple(hypotheses))


def test_scores_are_those_of_the_network(model: str) -> None:
    scores = _scores(PatClaimEval(model=model))
    expected = [_direct(model, *texts) for texts in zip(REFERENCES, CANDIDATES, strict=True)]
    assert scores == pytest.approx(expected, abs=1e-6)
    assert len(set(scores)) == 4 and (scores > 0).all() and (scores < 1).all()


def test_batches_and_order_do_not_matter(model: str) -> None:
    single = _scores(PatClaimEval(model=model, batch=1))
    assert _scores(PatClaimEval(model=model, batch=16)) == pytest.approx(single, abs=1e-6)
    turned = PatClaimEval(model=model, batch=3).segment_scores(
        TestSet.of(REFERENCES[::-1]), CANDIDATES[::-1]
    )
    assert turned[::-1] == pytest.approx(single, abs=1e-6)


@pytest.mark.parametrize("kind", ["longformer", "bert"])
def test_a_saved_evaluator_gives_the_same_scores(
    folders: dict[str, str], kind: str, tmp_path: Path
) -> None:
    evaluator = load_evaluator(folders[kind])
    card = json.loads((Path(folders[kind]) / "patclaimeval.json").read_text(encoding="utf-8"))
    save_evaluator(evaluator, tmp_path, card)
    again = _scores(PatClaimEval(model=str(tmp_path)))
    assert again.tolist() == _scores(PatClaimEval(model=folders[kind])).tolist()
    names = {path.name for path in tmp_path.iterdir()}
    assert names >= {"config.json", "model.safetensors", "tokenizer.json", "patclaimeval.json"}


def test_several_references_and_empty_candidates(folders: dict[str, str]) -> None:
    measure = PatClaimEval(model=folders["bert"])
    both = measure.segment_scores(TestSet.of([REFERENCES[:2]]), ("a rotor",))
    each = measure.segment_scores(TestSet.of(REFERENCES[:2]), ("a rotor", "a rotor"))
    assert both == pytest.approx([each.max()], abs=1e-6)
    assert measure.segment_scores(TestSet.of(["valve"]), (" ",)).tolist() == [0.0]
    assert measure.statistics(TestSet.of([LONG]), [""]).tolist() == [[0.0, 1.0, 1.0]]


def test_long_inputs_are_refused_by_default(model: str) -> None:
    with pytest.raises(InputError, match="segment '4': reference and candidate have 125 tokens"):
        _scores(PatClaimEval(model=model), (*CANDIDATES[:3], LONG))


def test_cut_inputs_are_counted(model: str) -> None:
    measure = PatClaimEval(model=model, long="cut")
    with pytest.warns(UserWarning, match="1 of 4 inputs are cut to 64 tokens, which drops"):
        found = measure.statistics(TestSet.of(REFERENCES), (*CANDIDATES[:3], LONG))
    assert found[:, 1:].tolist() == [[1, 0], [1, 0], [1, 0], [1, 1]]
    with pytest.warns(UserWarning):
        cut = _scores(measure, (*CANDIDATES[:3], f"{LONG} junk junk"))
    assert cut.tolist() == found[:, 0].tolist()


def test_windows_read_everything(model: str) -> None:
    measure = PatClaimEval(model=model, long="window")
    texts = (*CANDIDATES[:3], LONG)
    found = measure.statistics(TestSet.of(REFERENCES), texts)
    assert found[:, 2].tolist() == [0, 0, 0, 1]
    assert found[:3, 0] == pytest.approx(_scores(PatClaimEval(model=model))[:3], abs=1e-6)
    changed = _scores(measure, (*texts[:3], f"{LONG[:-6]}junk"))
    assert abs(changed[3] - found[3, 0]) > 1e-7
    assert measure.score(found.sum(axis=0)) == pytest.approx(found[:, 0].mean())


def test_the_signature_names_all_that_changes_the_number(folders: dict[str, str]) -> None:
    measure = PatClaimEval(model=folders["longformer"], long="window", limit=20)
    signature = measure.signature(TestSet.of(REFERENCES))
    for part in ("long:window", "limit:20", "criterion:Quality", "global:frame", "weights:"):
        assert part in signature
    published = PatClaimEval(model=folders["longformer classifier"])
    signature = published.signature(TestSet.of(REFERENCES))
    assert "criterion:unknown" in signature and "global:first" in signature


def test_the_head_is_part_of_the_hash(folders: dict[str, str], tmp_path: Path) -> None:
    shutil.copytree(folders["bert"], tmp_path / "copy")
    before = load_evaluator(folders["bert"]).model.checkpoint
    assert load_evaluator(str(tmp_path / "copy")).model.checkpoint.weights == before.weights
    shutil.copytree(folders["bert"], tmp_path / "other")
    shutil.copy(
        Path(folders["longformer"]) / "model_head.safetensors",
        tmp_path / "other" / "model_head.safetensors",
    )
    assert load_evaluator(str(tmp_path / "other")).model.checkpoint.weights != before.weights


def test_what_is_no_evaluator_is_refused(folders: dict[str, str], tmp_path: Path) -> None:
    test_set = TestSet.of(["valve"])
    encoder = str(Path(folders["bert"]).parent / "encoder")
    three = write_encoder(tmp_path / "three", "bert", num_labels=3)
    shutil.copytree(folders["bert"], tmp_path / "other")
    (tmp_path / "other" / "patclaimeval.json").write_text('{"format": 99}')
    shutil.copytree(folders["bert"], tmp_path / "headless")
    (tmp_path / "headless" / "model_head.safetensors").write_bytes(b"nothing")
    for folder, message in (
        ("", "PatClaimEval needs a model"),
        (str(tmp_path / "absent"), "there is no folder"),
        (encoder, "has no trained head"),
        (three, "a classifier with 3 outputs; expected one"),
        (str(tmp_path / "other"), "is not a description of format 1"),
        (str(tmp_path / "headless"), "cannot be loaded"),
    ):
        with pytest.raises(UsageError, match=message):
            PatClaimEval(model=folder).statistics(test_set, ["valve"])
    with pytest.raises(UsageError, match="long=error is unknown; choose from refuse, window"):
        PatClaimEval(long="error")
    with pytest.raises(UsageError, match="limit=900 is beyond"):
        PatClaimEval(model=folders["bert"], limit=900).statistics(test_set, ["valve"])
    with pytest.raises(UsageError, match="leaves no room"):
        PatClaimEval(model=folders["bert"], limit=4).statistics(test_set, ["valve"])


def test_what_is_no_encoder_is_refused(bart: str, t5: str, tmp_path: Path) -> None:
    for folder in (bart, t5):
        with pytest.raises(UsageError, match="is an encoder with a decoder"):
            train_evaluator(toy_pairs(), folder, tmp_path / "out", replace(PLAN, max_length=40))


def test_it_can_be_held_against_experts(folders: dict[str, str]) -> None:
    from patmark.claims.meta import meta_evaluate_claims
    from patmark.evaluation.scoring import Sampling

    done = meta_evaluate_claims(
        toy_pairs(), [PatClaimEval(model=folders["bert"])], ["Quality"], Sampling(0, 0)
    )
    [row] = done.to_json()["rows"]
    assert row["n"] == 20 and -1 <= row["tau"] <= 1


def test_the_name_parses_back(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {measure.label for measure in registry.all_measures()}
    if "PatClaimEval" not in known:
        monkeypatch.setattr(registry, "_registered", [PatClaimEval])
    measure = PatClaimEval(model="/models/quality", long="window")
    assert parse_measure(measure.name) == measure


def test_importing_the_measure_does_not_import_torch() -> None:
    program = (
        "import sys, patmark.claims.patclaimeval, patmark.app.cli.claims, "
        "patmark.app.commands.claims.training; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
