"""Models and tokenizers in memory, ready to score: evaluation mode, 32-bit floats."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from patmark.errors import MissingExtra, UsageError
from patmark.measures.neural.checkpoints import Checkpoint, find_checkpoint

DEVICES = ("auto", "cpu", "cuda")
_CLASSES = {
    "encoder": "AutoModel",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "classifier": "AutoModelForSequenceClassification",
}
_OFFSET_POSITIONS = ("roberta", "camembert", "longformer", "data2vec-text", "mpnet")
_NO_LIMIT = 10**6
_OWN_PROGRAM = "it needs a program in its own folder, which patmark does not run"


@dataclass(frozen=True, eq=False)
class Model:
    """A network with its tokenizer, and how long its inputs may be."""

    network: Any
    tokenizer: Any
    device: str
    checkpoint: Checkpoint
    missing: tuple[str, ...]
    versions: str

    @property
    def positions(self) -> int | None:
        """How many tokens have a position; None where positions are relative."""
        config = self.network.config
        count = getattr(config, "max_position_embeddings", None)
        if count is None or config.model_type in ("t5", "mt5", "umt5", "longt5"):
            return None
        shifted = any(kind in config.model_type for kind in _OFFSET_POSITIONS)
        return int(count) - (int(config.pad_token_id) + 1 if shifted else 0)

    def limit(self, asked: int) -> int:
        """The longest input in tokens: as asked, else what model and tokenizer state."""
        if asked and self.positions is not None and asked > self.positions:
            raise UsageError(f"limit={asked} is beyond the {self.positions} positions of the model")
        stated = [
            count
            for count in (self.positions, self.tokenizer.model_max_length)
            if count is not None and count < _NO_LIMIT
        ]
        return asked or int(min(stated, default=_NO_LIMIT))

    def run(self, **inputs: Any) -> Any:
        """The outputs of the network, without gradients; tensors are moved to its device."""
        import torch

        moved = {
            name: value.to(self.device) if torch.is_tensor(value) else value
            for name, value in inputs.items()
        }
        with torch.no_grad():
            return self.network(**moved)


def load_model(kind: str, model: str, revision: str, device: str) -> Model:
    """A model from a folder or by its id; ``kind`` is encoder, seq2seq or classifier."""
    return _load(kind, find_model(model, revision), _device(device))


@lru_cache(maxsize=8)
def find_model(model: str, revision: str) -> Checkpoint:
    """The checkpoint of a model; its files are hashed once in a process."""
    _import("torch")
    return find_checkpoint(model, revision)


@lru_cache(maxsize=2)
def _load(kind: str, checkpoint: Checkpoint, device: str) -> Model:
    torch, transformers = _import("torch"), _import("transformers")
    try:
        with _quiet(transformers):
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                checkpoint.folder, local_files_only=True, trust_remote_code=False
            )
            network, report = getattr(transformers, _CLASSES[kind]).from_pretrained(
                checkpoint.folder,
                local_files_only=True,
                trust_remote_code=False,
                dtype=torch.float32,
                output_loading_info=True,
            )
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        reason = _OWN_PROGRAM if "trust_remote_code" in str(error) else str(error).strip()
        raise UsageError(f"{checkpoint.folder} cannot be loaded as {kind}: {reason}") from None
    if not tokenizer.is_fast:
        raise UsageError(f"{checkpoint.folder} has no fast tokenizer (tokenizer.json)")
    if kind == "encoder" and network.config.is_encoder_decoder:
        network = network.get_encoder()
    return Model(
        network.eval().to(device), tokenizer, device, checkpoint,
        tuple(sorted(map(str, report["missing_keys"]))),
        f"torch-{torch.__version__}+transformers-{transformers.__version__}",
    )  # fmt: skip


def _device(asked: str) -> str:
    torch = _import("torch")
    available = torch.cuda.is_available()
    if asked == "cuda" and not available:
        raise UsageError("device=cuda is asked for, but torch finds no CUDA device")
    return ("cuda" if available else "cpu") if asked == "auto" else asked


def _import(library: str) -> Any:
    from importlib import import_module

    try:
        return import_module(library)
    except ImportError:
        raise MissingExtra(library, "neural") from None


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Keep progress bars and load reports off the terminal; what matters is checked by us."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
