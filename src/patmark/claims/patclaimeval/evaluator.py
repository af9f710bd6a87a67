"""The evaluator: an encoder on [reference; candidate], a linear layer on its first token, sigmoid.

Longformer reads with global attention on the special tokens that frame the two texts: the first
one, whose vector is scored, and the separators. The paper does not state its choice. Other
published classifiers get the default of transformers: the first token only. ``released.py`` reads
the released models of the paper.

In the folder of a training, ``checkpoints/last.pt`` holds all that is needed to go on: weights,
optimizer, random states and the epochs so far; ``checkpoints/best-0003.pt`` the weights of the best
epoch. A file appears under its name only when it is complete. ``patclaimeval.json`` is written last
of all, so that a folder which has it is a whole evaluator.
"""

from __future__ import annotations

import copy
import json
import os
import pickle
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from patmark.claims.patclaimeval.inputs import Input, Padding, TokenRow, means_by_owner, owners
from patmark.claims.patclaimeval.released import (
    ATTENDS,
    AUTO,
    VECTORS,
    is_released,
    load_released,
    released_criterion,
)
from patmark.data import FloatArray, write_atomically
from patmark.errors import InputError, UsageError
from patmark.measures import NeuralModel, batches, find_model, load_model
from patmark.wording import setting

CARD_FILE = "patclaimeval.json"
HEAD_FILE = "model_head.safetensors"
FORMAT = 1
_CLASSIFIER = "ForSequenceClassification"
_UNUSED = "pooler."
_CARD_FIELDS: Mapping[str, Callable[[object], bool]] = {
    "limit": lambda value: type(value) is int and value > 0,
    "global_attention": lambda value: value in ("frame", "first"),
    "criterion": lambda value: isinstance(value, str),
}


@dataclass(frozen=True, eq=False)
class ClaimEvaluator:
    """A network that scores. ``head`` is None where the network is a classifier with one output.

    ``vector`` is the input of the head: the first token, or the pooler's output.
    """

    model: NeuralModel
    head: Any | None
    limit: int
    attends: str
    criterion: str = ""
    vector: str = "first"

    @cached_property
    def padding(self) -> Padding:
        """Padding of rows for this network."""
        config = self.model.network.config
        windows = getattr(config, "attention_window", 1)
        is_longformer = config.model_type == "longformer"
        return Padding(
            token=self.model.tokenizer.pad_token_id,
            multiple=int(np.max(windows)) if is_longformer else 1,
            types="token_type_ids" in self.model.tokenizer.model_input_names
            and getattr(config, "type_vocab_size", 0) > 1,
            global_attention=self.attends if is_longformer and self.attends != "none" else "",
        )

    @property
    def networks(self) -> dict[str, Any]:
        """The parts with parameters, by name."""
        head = {} if self.head is None else {"head": self.head}
        return {"body": self.model.network, **head}

    def parameters(self) -> Iterator[Any]:
        """Yield all parameters, for an optimizer."""
        for network in self.networks.values():
            yield from network.parameters()

    def set_training(self, training: bool) -> None:
        """Turn dropout on or off."""
        for network in self.networks.values():
            network.train(training)

    def row_scores(self, rows: Sequence[TokenRow]) -> Any:
        """Return a tensor with the score of each row, in 64 bits so that high scores do not tie."""
        tensors = self.padding.tensors(rows)
        moved = {name: tensor.to(self.model.device) for name, tensor in tensors.items()}
        outputs = self.model.network(**moved)
        if self.head is None:
            return outputs.logits[:, 0].double().sigmoid()
        read = outputs.last_hidden_state[:, 0] if self.vector == "first" else outputs.pooler_output
        return self.head(read)[:, 0].double().sigmoid()

    def input_scores(self, inputs: Sequence[Input]) -> Any:
        """Return a tensor with the score of each input, the mean of its rows; gradients flow."""
        import torch

        scores = self.row_scores([row for one in inputs for row in one.rows])
        owner = torch.from_numpy(owners(inputs)).to(scores.device)
        counts = torch.bincount(owner, minlength=len(inputs))
        return scores.new_zeros(len(inputs)).index_add(0, owner, scores) / counts

    def score(self, inputs: Sequence[Input], batch: int) -> FloatArray:
        """Score each input without gradients, in batches of rows of similar length."""
        import torch

        rows = [row for one in inputs for row in one.rows]
        scores = np.zeros(len(rows))
        self.set_training(False)
        with torch.no_grad():
            for places in batches([len(row.ids) for row in rows], batch):
                scores[places] = self.row_scores([rows[at] for at in places]).cpu().numpy()
        return means_by_owner(scores, owners(inputs), len(inputs))


def new_evaluator(encoder: str, revision: str, device: str, most: int, seed: int) -> ClaimEvaluator:
    """Return an encoder with a fresh head. The encoder is a copy, since training changes it."""
    import torch

    found = load_model("encoder", encoder, revision, device)
    if read_config(found.checkpoint.folder).get("is_encoder_decoder"):
        raise UsageError(f"{encoder} is an encoder with a decoder; PatClaimEval needs an encoder")
    _refuse_missing(found, encoder)
    body = copy.deepcopy(found.network)
    if getattr(body, "pooler", None) is not None:
        body.pooler = None
    torch.manual_seed(seed)
    head = torch.nn.Linear(body.config.hidden_size, 1)
    torch.nn.init.normal_(head.weight, std=getattr(body.config, "initializer_range", 0.02))
    torch.nn.init.zeros_(head.bias)
    limit = min(most, found.limit(0))
    return ClaimEvaluator(replace(found, network=body), head.to(found.device), limit, "frame")


def load_evaluator(
    model: str, revision: str = "", device: str = "auto", vector: str = AUTO, attends: str = AUTO
) -> ClaimEvaluator:
    """Return a trained evaluator.

    It is a folder that patmark wrote, a released model of the paper, or a classifier with one
    output. ``vector`` and ``attends`` are about a released model, whose program is not run.
    """
    folder = find_model(model, revision).folder
    own = (folder / CARD_FILE).is_file()
    config = {} if own else read_config(folder)
    if is_released(config):
        found, head = load_released(model, revision, device, vector == "pooled")
        return ClaimEvaluator(
            found,
            head,
            found.limit(0),
            ATTENDS[0] if attends == AUTO else attends,
            released_criterion(config, model),
            VECTORS[0] if vector == AUTO else vector,
        )
    if (vector, attends) != (AUTO, AUTO):
        raise UsageError(f"vector= and attends= are for released models; leave them out of {model}")
    if own:
        return _load_own(model, revision, device)
    architectures = config.get("architectures") or [""]
    if not str(architectures[0]).endswith(_CLASSIFIER):
        raise UsageError(
            f"{model} has no trained head: expected {CARD_FILE} beside it, a released model with a "
            "class of its own, or a sequence classifier with one output; patmark claims train "
            "makes one"
        )
    found = load_model("classifier", model, revision, device)
    _refuse_missing(found, model)
    if found.network.config.num_labels != 1:
        raise UsageError(
            f"{model} is a classifier with {found.network.config.num_labels} outputs; expected one"
        )
    return ClaimEvaluator(found, None, found.limit(0), "first")


def _load_own(model: str, revision: str, device: str) -> ClaimEvaluator:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    found = load_model("encoder", model, revision, device)
    folder = found.checkpoint.folder
    card = read_card(folder)
    _refuse_missing(found, model)
    head = torch.nn.Linear(found.network.config.hidden_size, 1)
    try:
        head.load_state_dict(load_file(folder / HEAD_FILE))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise UsageError(f"{folder / HEAD_FILE} cannot be loaded: {error}") from None
    return ClaimEvaluator(
        found,
        head.to(found.device).eval(),
        card["limit"],
        card["global_attention"],
        card["criterion"],
    )


def read_card(folder: Path) -> dict[str, Any]:
    """Read the description of a trained evaluator."""
    path = folder / CARD_FILE
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    if not isinstance(card, Mapping) or card.get("format") != FORMAT:
        raise UsageError(f"{path} is not a description of format {FORMAT} that patmark wrote")
    wrong = [name for name, is_right in _CARD_FIELDS.items() if not is_right(card.get(name))]
    if wrong:
        raise UsageError(f"{path}: {', '.join(wrong)} is missing or no value that patmark wrote")
    return dict(card)


def read_config(folder: Path) -> dict[str, Any]:
    """Read the configuration of a model."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(f"{folder / 'config.json'} is not valid JSON: {error}") from None
    return dict(config)


def _refuse_missing(found: NeuralModel, name: str) -> None:
    """Refuse a network with randomly initialised parts; ignore the pooler of an encoder."""
    missing = [key for key in found.missing if not key.startswith(_UNUSED)]
    if missing:
        more = " and more" if missing[3:] else ""
        raise UsageError(f"{name} lacks {', '.join(missing[:3])}{more}; is it of another kind?")


_STATE = {"identity", "epochs", "weights", "optimizer", "random", "random_cuda"}
_UNREADABLE = (OSError, RuntimeError, EOFError, ValueError, TypeError, pickle.UnpicklingError)


@dataclass(frozen=True, slots=True)
class TrainingFolder:
    """The folder in which a training keeps its states and leaves its evaluator."""

    folder: Path

    @property
    def states(self) -> Path:
        """The folder of the states."""
        return self.folder / "checkpoints"

    @property
    def last(self) -> Path:
        """The state after the last complete epoch."""
        return self.states / "last.pt"

    def best(self, epoch: int) -> Path:
        """Return the weights of the best epoch."""
        return self.states / f"best-{epoch:04d}.pt"

    def prepare(self, resume: bool) -> None:
        """Make the folder; refuse one with files that would be overwritten."""
        there = self.folder.exists() or self.folder.is_symlink()
        if there and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is not a folder")
        if there and not resume and any(self.folder.iterdir()):
            raise UsageError(
                f"{self.folder} is not empty; {setting('resume')} goes on with a training that it "
                "holds, or name another folder"
            )
        if there and resume and any(self.folder.iterdir()) and not self.states.is_dir():
            raise UsageError(f"{self.folder} holds no training that could be resumed")
        try:
            self.states.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError.at(f"cannot be made: {error.strerror}", str(self.states)) from None

    def write_last(self, state: Mapping[str, Any], best: int, weights: Any | None) -> None:
        """Save the state after an epoch, with ``weights`` if it is the best one."""
        if weights is not None:
            write_state(self.best(best), weights)
        write_state(self.last, state)
        for path in self.states.glob("best-*.pt"):
            if path != self.best(best):
                path.unlink()

    def read_last(self) -> dict[str, Any] | None:
        """Return the state after the last complete epoch; None if no epoch is complete."""
        if not self.last.exists():
            return None
        state = read_state(self.last)
        if set(state) != _STATE:
            raise InputError.at("is not a state that patmark wrote", str(self.last))
        return state


def write_state(path: Path, state: Any) -> None:
    """Write tensors and plain values, the whole file or nothing."""
    import torch

    temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except (OSError, RuntimeError) as error:
        raise InputError.at(f"cannot be written: {error}", str(path)) from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def read_state(path: Path) -> dict[str, Any]:
    """Read what :func:`write_state` wrote; nothing in the file is run as a program."""
    import torch

    try:
        return dict(torch.load(path, map_location="cpu", weights_only=True))
    except _UNREADABLE as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError.at(f"is not a state of a training: {reason}", str(path)) from None


def weights_of(evaluator: ClaimEvaluator) -> dict[str, Any]:
    """Return the weights of all parts."""
    return {name: network.state_dict() for name, network in evaluator.networks.items()}


def set_weights(evaluator: ClaimEvaluator, weights: Mapping[str, Any]) -> None:
    """Take over the weights of all parts."""
    for name, network in evaluator.networks.items():
        network.load_state_dict(weights[name])


def save_evaluator(evaluator: ClaimEvaluator, folder: Path, card: Mapping[str, Any]) -> None:
    """Write a folder in the Hugging Face format, with the head and the description."""
    from safetensors.torch import save_file

    from patmark.report import to_json_text

    text = to_json_text(card) + "\n"
    temporary = folder / f".saving-{secrets.token_hex(8)}"
    try:
        temporary.mkdir(parents=True)
        with _no_progress_bar():
            evaluator.model.network.save_pretrained(temporary)
            evaluator.model.tokenizer.save_pretrained(temporary)
        if evaluator.head is not None:
            head = {name: tensor.cpu() for name, tensor in evaluator.head.state_dict().items()}
            save_file(head, temporary / HEAD_FILE)
        with suppress(FileNotFoundError):
            (folder / CARD_FILE).unlink()
        for path in sorted(temporary.iterdir()):
            os.replace(path, folder / path.name)
    except OSError as error:
        raise InputError.at(f"cannot be written: {error}", str(folder)) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    write_atomically(folder / CARD_FILE, text)
    find_model.cache_clear()


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keep the bars of transformers off the terminal, where ours may be."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
