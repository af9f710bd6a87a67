"""Released evaluators: an encoder with one linear layer, saved by a class of their authors.

``lj408/PatClaimEval-Quality`` is such a repository: ``config.json`` describes a Longformer and
names the class in ``auto_map``, ``model.safetensors`` holds its weights. The program that comes
with them is not run. The names of the weights tell the encoder from the layer; the rest is set by
``vector`` and ``attends`` of the measure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from patmark.data import CRITERION_WEIGHTS, QUALITY
from patmark.errors import UsageError
from patmark.measures import TRANSFORMERS, NeuralModel, load_model

AUTO = "auto"
VECTORS = ("first", "pooled")  # the first one is the default
ATTENDS = ("none", "first", "frame")
_WORDS = "embeddings.word_embeddings.weight"
_BUFFER = "position_ids"
_POOLER = "pooler."
_CRITERIA = (*CRITERION_WEIGHTS, QUALITY)


def is_released(config: Mapping[str, Any]) -> bool:
    """Return True if a configuration names a class of its authors for the network."""
    return "AutoModel" in (config.get("auto_map") or {})


def released_criterion(config: Mapping[str, Any], model: str) -> str:
    """Return the criterion at the end of a name such as PatClaimEval-Quality; "" if none is."""
    for name in (config.get("_name_or_path"), model):
        ending = str(name or "").rpartition("-")[2]
        if ending.lower() in _CRITERIA:
            return ending
    return ""


@lru_cache(maxsize=2)
def load_released(model: str, revision: str, device: str, pooled: bool) -> tuple[NeuralModel, Any]:
    """Return the encoder and the linear layer of a released evaluator."""
    import torch

    found = load_model("encoder", model, revision, device)
    folder = found.checkpoint.folder
    network = type(found.network)(found.network.config)
    wanted = {name for name in network.state_dict() if not name.endswith(_BUFFER)}
    body, rest = _split(_weights(folder), wanted, folder)
    missing = sorted(
        name for name in wanted - body.keys() if pooled or not name.startswith(_POOLER)
    )
    if missing:
        raise UsageError(f"{folder} lacks {missing[0]} of its encoder; is it of another kind?")
    size = network.config.hidden_size
    if sorted(tuple(one.shape) for one in rest.values()) != [(1,), (1, size)]:
        raise UsageError(
            f"{folder}: expected one linear layer with one output beside the encoder, found "
            f"{', '.join(sorted(rest)) or 'none'}"
        )
    head = torch.nn.Linear(size, 1)
    head.load_state_dict({"weight" if one.dim() == 2 else "bias": one for one in rest.values()})
    network.load_state_dict(body, strict=False)
    loaded = replace(found, network=network.eval().to(found.device), missing=())
    return loaded, head.eval().to(found.device)


def _split(
    weights: Mapping[str, Any], wanted: set[str], folder: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the weights of the encoder by their names in it, and all others."""
    starts = [name.removesuffix(_WORDS) for name in weights if name.endswith(_WORDS)]
    if len(starts) != 1:
        raise UsageError(f"{folder}: expected the weights of one encoder, found {len(starts)}")
    [start] = starts
    body, rest = dict[str, Any](), dict[str, Any]()
    for name, tensor in weights.items():
        own = name.removeprefix(start)
        if name.startswith(start) and own in wanted:
            body[own] = tensor
        elif not name.endswith(_BUFFER):
            rest[name] = tensor
    return body, rest


def _weights(folder: Path) -> dict[str, Any]:
    """Read all weights of a folder; nothing in the files is run as a program."""
    import torch
    from safetensors.torch import load_file

    found: dict[str, Any] = {}
    for path in TRANSFORMERS.files(folder):
        if path.suffix == ".safetensors":
            found |= load_file(path)
        else:
            found |= torch.load(path, map_location="cpu", weights_only=True)
    return found
