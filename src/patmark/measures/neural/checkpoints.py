"""Where a model comes from: a folder or a model id, and which files of it identify its numbers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from patmark.errors import MissingExtra, UsageError

_WEIGHTS = ("model*.safetensors", "pytorch_model*.bin")
_SETTINGS = ("*.json", "*.txt", "*.model")
_ID = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
_SHOWN = 16
_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder with a model, and what identifies it: hashes, and the commit of a downloaded one."""

    folder: Path
    revision: str
    weights: str
    settings: str


def find_checkpoint(model: str, revision: str) -> Checkpoint:
    """The files of a model. A folder is taken as it is; a model id is downloaded, or cached."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        if revision:
            raise UsageError(
                f"revision={revision} has no effect on the folder {model}; leave it out"
            )
        return _describe(folder, "local")
    if model.startswith(("/", ".", "~")) or not _ID.fullmatch(model):
        raise UsageError(f"there is no folder {model}, and it is not a model id such as owner/name")
    folder = _download(model, revision)
    return _describe(folder, folder.name)


def _describe(folder: Path, revision: str) -> Checkpoint:
    weights = _files(folder, _WEIGHTS)
    if not weights or not (folder / "config.json").is_file():
        raise UsageError(
            f"{folder} holds no model: config.json and model.safetensors are expected, "
            "as save_pretrained of transformers writes them"
        )
    return Checkpoint(folder, revision, _hash(weights), _hash(sorted(_settings(folder))))


def _files(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The files of the first pattern that matches any."""
    for pattern in patterns:
        if found := sorted(folder.glob(pattern)):
            return found
    return []


def _settings(folder: Path) -> set[Path]:
    """Configuration and vocabulary, which change numbers as much as weights do."""
    return {path for pattern in _SETTINGS for path in folder.glob(pattern) if path.is_file()}


def _hash(files: Sequence[Path]) -> str:
    """The start of a SHA-256 of names and contents."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode("utf-8") + b"\0")
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()[:_SHOWN]


def _download(model: str, revision: str) -> Path:
    """The folder with the files of a model id; only files at the top, safetensors if there are."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra("transformers", "neural") from None
    try:
        for weights in _WEIGHTS:
            folder = Path(
                snapshot_download(
                    model,
                    revision=revision or None,
                    allow_patterns=[*_SETTINGS, weights],
                    ignore_patterns=["*/*"],
                )
            )
            if list(folder.glob(weights)):
                break
    except Exception as error:  # the hub, the network and the cache fail in many ways
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UsageError(
            f"the model {model} cannot be had: {reason}; name a folder with the model instead, "
            "or check name, revision and network"
        ) from error
    return folder
