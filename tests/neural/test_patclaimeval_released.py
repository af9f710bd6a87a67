"""Released models of PatClaimEval: a Longformer and a linear layer, saved by the authors' class.

The folder has the layout of lj408/PatClaimEval-Quality. A class like that of the authors computes
the expected scores.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.claims.measures import choose_claim_measures
from patmark.claims.meta import meta_evaluate_claims
from patmark.claims.patclaimeval import PatClaimEval
from patmark.data import TestSet
from patmark.errors import UsageError
from patmark.evaluation.scoring import Sampling
from patmark.measures.registry import parse_measure
from tiny_encoders import toy_pairs, write_encoder

REFERENCES = ["valve spring seat", "a rotor a stator", "film", "pump housing a valve junk"]
CANDIDATES = ("valve seat", "rotor", "film film film film film junk", "a pump")


def _network(folder: Path, part: str, seed: int = 3) -> Any:
    """A class with the encoder in ``part`` and a linear layer beside it."""
    import torch
    from transformers import LongformerConfig, LongformerModel

    class ContrastiveModel(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            config = LongformerConfig.from_pretrained(folder)
            self.add_module(part, LongformerModel(config))
            self.fc = torch.nn.Linear(config.hidden_size, 1)

        def forward(self, pooled: bool, **inputs: Any) -> Any:
            outputs = getattr(self, part)(**inputs)
            read = outputs.pooler_output if pooled else outputs.last_hidden_state[:, 0, :]
            return torch.sigmoid(self.fc(read)).squeeze(-1)

    torch.manual_seed(seed)
    network = ContrastiveModel().eval()
    torch.nn.init.normal_(network.fc.weight, std=0.5)
    return network


def _release(folder: Path, part: str = "encoder", form: str = "safetensors") -> Any:
    """Write a folder as the hub has it; return the network."""
    import torch
    from safetensors.torch import save_file

    write_encoder(folder, "longformer")
    (folder / "model.safetensors").unlink()
    network = _network(folder, part)
    state = {name: one.contiguous() for name, one in network.state_dict().items()}
    if form == "safetensors":
        save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    else:
        torch.save(state, folder / "pytorch_model.bin")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config |= {
        "_name_or_path": "owner/PatClaimEval-Quality",
        "architectures": ["ContrastiveModel"],
        "auto_map": {"AutoModel": "modeling_contrastive.ContrastiveModel"},
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "modeling_contrastive.py").write_text('raise SystemExit("it was run")\n')
    return network


def _expected(folder: Path, network: Any, pooled: bool = False, attends: str = "none") -> list[Any]:
    """The scores of the class itself, one pair at a time."""
    import torch
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    scores = []
    for reference, candidate in zip(REFERENCES, CANDIDATES, strict=True):
        encoded = dict(tokenizer(reference, candidate, return_tensors="pt"))
        del encoded["token_type_ids"]
        if attends != "none":
            seen = torch.zeros_like(encoded["input_ids"])
            seen[:, 0] = 1
            encoded["global_attention_mask"] = seen
        with torch.no_grad():
            scores.append(float(network(pooled, **encoded)))
    return scores


@pytest.mark.parametrize("part", ["encoder", "longformer", "model"])
@pytest.mark.parametrize("form", ["safetensors", "bin"])
def test_scores_are_those_of_the_class(tmp_path: Path, part: str, form: str) -> None:
    network = _release(tmp_path, part, form)
    measure = PatClaimEval(model=str(tmp_path))
    scores = measure.segment_scores(TestSet.of(REFERENCES), CANDIDATES)
    assert scores == pytest.approx(_expected(tmp_path, network), abs=1e-6)
    assert np.ptp(scores) > 1e-3


def test_what_the_weights_do_not_tell_can_be_set(tmp_path: Path) -> None:
    network = _release(tmp_path)
    tests = TestSet.of(REFERENCES)
    found = {}
    for pooled, attends in ((False, "none"), (True, "none"), (False, "first"), (True, "first")):
        measure = PatClaimEval(
            model=str(tmp_path), vector="pooled" if pooled else "first", attends=attends
        )
        scores = measure.segment_scores(tests, CANDIDATES)
        assert scores == pytest.approx(_expected(tmp_path, network, pooled, attends), abs=1e-6)
        found[measure.signature(tests)] = scores.tolist()
        assert parse_measure(measure.name) == measure
    assert len(found) == len({tuple(scores) for scores in found.values()}) == 4
    with pytest.raises(UsageError, match="vector=last is unknown; choose from auto, first, pooled"):
        PatClaimEval(model="m", vector="last")
    with pytest.raises(
        UsageError, match="attends=all is unknown; choose from auto, none, first, frame"
    ):
        PatClaimEval(model="m", attends="all")


def test_the_criterion_is_that_of_the_name(tmp_path: Path) -> None:
    for criterion in ("Quality", "Clarity"):
        folder = tmp_path / f"PatClaimEval-{criterion}"
        _release(folder)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        del config["_name_or_path"]  # the name of the folder is left
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        measure = PatClaimEval(model=str(folder))
        assert measure.training_facts() == {"criterion": criterion}
        assert f"criterion:{criterion}" in measure.signature(TestSet.of(REFERENCES))
    both = PatClaimEval(model=str(tmp_path))
    assert [one.criterion for one in choose_claim_measures([both])] == ["clarity", "quality"]
    done = meta_evaluate_claims(toy_pairs(), [both], ["Quality"], Sampling(0, 0))
    [row] = done.to_json()["rows"]
    assert row["measure"].endswith("PatClaimEval-Quality)") and row["n"] == 20


def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    _release(tmp_path)
    path = tmp_path / "model.safetensors"
    state = load_file(path)
    layer = "encoder.encoder.layer.1.output.dense.weight"
    for change, message in (
        ({"fc.weight": None, "fc.bias": None}, "found none"),
        ({"out.weight": state["fc.weight"].clone()}, "found fc.bias, fc.weight, out.weight"),
        ({layer: None}, "lacks encoder.layer.1.output.dense.weight of its encoder"),
        (
            {"other.embeddings.word_embeddings.weight": state["fc.weight"].clone()},
            "expected the weights of one encoder, found 2",
        ),
    ):
        changed = {name: one for name, one in {**state, **change}.items() if one is not None}
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for file in tmp_path.glob("*.json"):
            (folder / file.name).write_bytes(file.read_bytes())
        save_file(changed, folder / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(UsageError, match=message):
            PatClaimEval(model=str(folder)).statistics(TestSet.of(["valve"]), ["valve"])


def test_other_models_have_nothing_to_set(tmp_path: Path) -> None:
    classifier = write_encoder(tmp_path, "longformer", num_labels=1)
    with pytest.raises(UsageError, match="vector= and attends= are for released models"):
        PatClaimEval(model=classifier, vector="pooled").statistics(TestSet.of(["a"]), ["a"])
