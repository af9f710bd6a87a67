"""The folder of a training: states after each epoch, and at its end the trained evaluator.

``checkpoints/last.pt`` holds all that is needed to go on: weights, optimizer, random states and
the epochs so far; ``checkpoints/best-0003.pt`` the weights of the best epoch. A file appears under
its name only when it is complete. ``patclaimeval.json`` is written last of all, so that a folder
which has it is a whole evaluator.
"""

from __future__ import annotations

import json
import os
import pickle
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patmark.claims.patclaimeval.model import CARD_FILE, HEAD_FILE, Evaluator
from patmark.data import write_atomically
from patmark.errors import InputError, UsageError
from patmark.measures import find_model

_STATE = {"identity", "epochs", "weights", "optimizer", "random", "random_cuda"}
_UNREADABLE = (OSError, RuntimeError, EOFError, ValueError, TypeError, pickle.UnpicklingError)


@dataclass(frozen=True, slots=True)
class TrainingFolder:
    """Where a training keeps its states and leaves its evaluator."""

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
        """The weights of the best epoch."""
        return self.states / f"best-{epoch:04d}.pt"

    def prepare(self, resume: bool) -> None:
        """Make the folder; refuse one that holds something which would be lost."""
        there = self.folder.exists() or self.folder.is_symlink()
        if there and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is not a folder")
        if there and not resume and any(self.folder.iterdir()):
            raise UsageError(
                f"{self.folder} is not empty; --resume goes on with a training that it holds, or "
                "name another folder"
            )
        if there and resume and any(self.folder.iterdir()) and not self.states.is_dir():
            raise UsageError(f"{self.folder} holds no training that could be resumed")
        try:
            self.states.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError.at(f"cannot be made: {error.strerror}", str(self.states)) from None

    def write_last(self, state: Mapping[str, Any], best: int, weights: Any | None) -> None:
        """Save the state after an epoch; ``weights`` are given if that epoch is the best one."""
        if weights is not None:
            write_state(self.best(best), weights)
        write_state(self.last, state)
        for path in self.states.glob("best-*.pt"):
            if path != self.best(best):
                path.unlink()

    def read_last(self) -> dict[str, Any] | None:
        """The state after the last complete epoch; None if no epoch is complete."""
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


def weights_of(evaluator: Evaluator) -> dict[str, Any]:
    """The weights of all parts."""
    return {name: network.state_dict() for name, network in evaluator.networks.items()}


def set_weights(evaluator: Evaluator, weights: Mapping[str, Any]) -> None:
    """Take over the weights of all parts."""
    for name, network in evaluator.networks.items():
        network.load_state_dict(weights[name])


def save_evaluator(evaluator: Evaluator, folder: Path, card: Mapping[str, Any]) -> None:
    """Write a folder in the form of Hugging Face, with the head and the description beside it."""
    from safetensors.torch import save_file

    text = json.dumps(card, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
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
