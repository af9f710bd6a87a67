"""Common parts of model-backed measures: checkpoints, loading, long texts."""

from __future__ import annotations

import hashlib
import re
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from patmark.catalogue import load_library
from patmark.data import FloatArray, Run, TestSet
from patmark.errors import InputError, MissingExtra, PatmarkWarning, Problem, UsageError
from patmark.measures.base import MeanMeasure, ReferenceLayout, best_reference, one_of
from patmark.measures.neural.tokens import Frame, Tokens, tokenize

_ID = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
_SHOWN = 16
_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model folder and its identity: hashes, and the commit of a downloaded one."""

    folder: Path
    revision: str
    weights: str
    settings: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Files of a published model.

    The first matching pattern of ``weights`` counts; ``settings`` change numbers as much as weights
    do. ``required`` files must be present; ``expected`` describes them in a message.
    """

    weights: tuple[str, ...]
    settings: tuple[str, ...]
    required: str
    expected: str

    def files(self, folder: Path) -> list[Path]:
        """Return the files with the weights."""
        found = (sorted(folder.glob(pattern)) for pattern in self.weights)
        return next(filter(None, found), [])


TRANSFORMERS = Layout(
    ("model*.safetensors", "pytorch_model*.bin"),
    ("*.json", "*.txt", "*.model"),
    "config.json",
    "config.json and model.safetensors are expected, as transformers' save_pretrained writes them",
)


def find_checkpoint(model: str, revision: str, layout: Layout = TRANSFORMERS) -> Checkpoint:
    """Find the files of a model: a folder, or a model id, downloaded or cached."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        if revision:
            raise UsageError(
                f"revision={revision} has no effect on the folder {model}; leave it out"
            )
        return _describe(folder, "local", layout)
    _check_id(model)
    folder = _download(model, revision, layout)
    return _describe(folder, folder.name, layout)


def find_settings(model: str) -> tuple[Path, str]:
    """Find configuration and tokenizer of a model without weights, and their hash."""
    folder = Path(model).expanduser()
    if not folder.is_dir():
        _check_id(model)
        folder = _download(model, "", replace(TRANSFORMERS, weights=()))
    return folder, _hash(_settings(folder, TRANSFORMERS))


def _check_id(model: str) -> None:
    if model.startswith(("/", ".", "~")) or not _ID.fullmatch(model):
        raise UsageError(f"there is no folder {model}, and it is not a model id such as owner/name")


def _describe(folder: Path, revision: str, layout: Layout) -> Checkpoint:
    weights = layout.files(folder)
    if not weights or not (folder / layout.required).is_file():
        raise UsageError(f"{folder} holds no model: {layout.expected}")
    return Checkpoint(folder, revision, _hash(weights), _hash(_settings(folder, layout)))


def _settings(folder: Path, layout: Layout) -> list[Path]:
    """Return configuration and vocabulary."""
    found = {path for pattern in layout.settings for path in folder.glob(pattern)}
    return sorted(path for path in found if path.is_file())


def _hash(files: Sequence[Path]) -> str:
    """Return the start of a SHA-256 of names and contents."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode("utf-8") + b"\0")
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()[:_SHOWN]


def _download(model: str, revision: str, layout: Layout) -> Path:
    """Return the folder with the files of a model id, with the first available weights."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra("transformers", "neural") from None
    try:
        for weights in layout.weights or ("",):
            folder = Path(
                snapshot_download(
                    model,
                    revision=revision or None,
                    allow_patterns=[*layout.settings, *filter(None, [weights])],
                    ignore_patterns=[] if "/" in weights else ["*/*"],
                )
            )
            if weights and list(folder.glob(weights)):
                break
    except Exception as error:  # the hub, the network and the cache fail in many ways
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UsageError(
            f"the model {model} cannot be had: {reason}; name a folder with the model instead, "
            "or check name, revision and network"
        ) from error
    return folder


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
class NeuralModel:
    """A network with its tokenizer and input limit."""

    network: Any
    tokenizer: Any
    device: str
    checkpoint: Checkpoint
    missing: tuple[str, ...]
    versions: str

    @property
    def positions(self) -> int | None:
        """Number of tokens with a position; None if positions are relative."""
        config = self.network.config
        count = getattr(config, "max_position_embeddings", None)
        if count is None or config.model_type in ("t5", "mt5", "umt5", "longt5"):
            return None
        shifted = any(kind in config.model_type for kind in _OFFSET_POSITIONS)
        return int(count) - (int(config.pad_token_id) + 1 if shifted else 0)

    def limit(self, asked: int) -> int:
        """Return the longest input in tokens, by default the limit of model and tokenizer."""
        if asked and self.positions is not None and asked > self.positions:
            raise UsageError(f"limit={asked} is beyond the {self.positions} positions of the model")
        stated = [
            count
            for count in (self.positions, self.tokenizer.model_max_length)
            if count is not None and count < _NO_LIMIT
        ]
        return asked or int(min(stated, default=_NO_LIMIT))

    def run(self, **inputs: Any) -> Any:
        """Return the outputs of the network, without gradients; tensors are moved to its device."""
        import torch

        moved = {
            name: value.to(self.device) if torch.is_tensor(value) else value
            for name, value in inputs.items()
        }
        with torch.no_grad():
            return self.network(**moved)


def load_model(
    kind: str,
    model: str,
    revision: str,
    device: str,
    dtype: str = "float32",
    tokenizer: Path | None = None,
) -> NeuralModel:
    """Return a model from a folder or by its id; ``kind`` is encoder, seq2seq or classifier.

    ``tokenizer`` is the folder of its tokenizer, if separate.
    """
    return _load(kind, find_model(model, revision), device_for(device), dtype, tokenizer)


@lru_cache(maxsize=8)
def find_model(model: str, revision: str, layout: Layout = TRANSFORMERS) -> Checkpoint:
    """Return the checkpoint of a model; its files are hashed once in a process."""
    load_library("torch", "neural")
    return find_checkpoint(model, revision, layout)


def load_tokenizer(folder: Path) -> Any:
    """Return the fast tokenizer of a folder."""
    transformers = load_library("transformers", "neural")
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        folder, local_files_only=True, trust_remote_code=False
    )
    if not tokenizer.is_fast:
        raise UsageError(f"{folder} has no fast tokenizer (tokenizer.json)")
    return tokenizer


@lru_cache(maxsize=2)
def _load(
    kind: str, checkpoint: Checkpoint, device: str, dtype: str, vocabulary: Path | None
) -> NeuralModel:
    torch, transformers = load_library("torch", "neural"), load_library("transformers", "neural")
    try:
        with quiet(transformers):
            tokenizer = load_tokenizer(vocabulary or checkpoint.folder)
            network, report = getattr(transformers, _CLASSES[kind]).from_pretrained(
                checkpoint.folder,
                local_files_only=True,
                trust_remote_code=False,
                dtype=getattr(torch, dtype),
                output_loading_info=True,
            )
    except UsageError:
        raise
    except Exception as error:  # tokenizers raises no more specific exception
        raise UsageError(
            f"{checkpoint.folder} cannot be loaded as {kind}: {why_not_loaded(error)}"
        ) from error
    if kind == "encoder" and network.config.is_encoder_decoder:
        network = network.get_encoder()
    return NeuralModel(
        network.eval().to(device), tokenizer, device, checkpoint,
        tuple(sorted(map(str, report["missing_keys"]))),
        library_versions(),
    )  # fmt: skip


def why_not_loaded(error: Exception) -> str:
    """Word the error of transformers; mention code that comes with the model."""
    return _OWN_PROGRAM if "trust_remote_code" in str(error) else str(error).strip()


def library_versions() -> str:
    """Return the versions of the libraries that a model runs with."""
    torch, transformers = load_library("torch", "neural"), load_library("transformers", "neural")
    return f"torch-{torch.__version__}+transformers-{transformers.__version__}"


def device_for(asked: str) -> str:
    """Return the device; auto uses CUDA if available."""
    torch = load_library("torch", "neural")
    available = torch.cuda.is_available()
    if asked == "cuda" and not available:
        raise UsageError("device=cuda is asked for, but torch finds no CUDA device")
    return ("cuda" if available else "cpu") if asked == "auto" else asked


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Keep progress bars and load reports off the terminal."""
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


_PAIRS_AT_ONCE = 256


@dataclass(frozen=True, kw_only=True)
class ModelMeasure(MeanMeasure):
    """A mean of scores that a model gives."""

    extra: ClassVar[str] = "neural"
    limits: ClassVar[str] = (
        "Compare only with the same model and settings; texts beyond its limit are "
        "refused, or treated according to long=."
    )
    guide: ClassVar[str] = "measures/neural.md"
    resources: ClassVar[tuple[str, ...]] = ("a model (model=FOLDER or a hub id)",)
    kind: ClassVar[str] = "encoder"
    example: ClassVar[str]
    ways_with_long: ClassVar[tuple[str, ...]] = ("refuse", "window", "cut")
    may_be_missing: ClassVar[tuple[str, ...]] = ()

    model: Annotated[str, "folder of a model, or a model id"] = ""
    revision: Annotated[str, "branch, tag or commit of a model id; default its main branch"] = ""
    device: Annotated[str, "auto, cpu or cuda; auto takes cuda where there is one"] = "auto"
    batch: Annotated[int, "texts per step; changes speed, not scores"] = 16
    limit: Annotated[int, "longest input in tokens; 0 for the limit of the model"] = 0
    long: Annotated[
        str, "what to do with longer texts: refuse, window (overlapping parts) or cut"
    ] = "refuse"

    def __post_init__(self) -> None:
        one_of(self.label, "device", self.device, DEVICES)
        one_of(self.label, "long", self.long, self.ways_with_long)
        if self.batch < 1:
            raise UsageError(f"{self.label}: batch={self.batch} must be at least 1")
        if self.limit < 0:
            raise UsageError(f"{self.label}: limit={self.limit} must not be negative")
        if set("(),") & set(self.model + self.revision):
            raise UsageError(f"{self.label}: a name has no brackets and commas: link the "
                             f"folder {self.model} to a plainer path")  # fmt: skip

    def loaded(self) -> NeuralModel:
        """Return the model; refuse missing parts, which would be random."""
        self._check_libraries()
        if not self.model:
            raise UsageError(
                f"{self.label} needs a model, and none comes with patmark: write "
                f"{self.label}(model=/path/to/folder) or {self.label}(model={self.example})"
            )
        model = self._load()
        missing = [key for key in model.missing if not key.startswith(self.may_be_missing)]
        if missing:
            raise UsageError(
                f"{self.name}: the checkpoint lacks {', '.join(missing[:3])}"
                f"{' and more' if missing[3:] else ''}; is it a model of another kind?"
            )
        return model

    def _check_libraries(self) -> None:
        for library in ("torch", "transformers"):
            if find_spec(library) is None:
                raise MissingExtra(library, self.extra, self.label)

    def check_runs(self, test_set: TestSet, runs: Sequence[Run]) -> None:
        self._check_libraries()

    def _load(self) -> NeuralModel:
        return load_model(self.kind, self.model, self.revision, self.device)

    def _check(self, test_set: TestSet, hypotheses: Sequence[str]) -> None:
        super()._check(test_set, hypotheses)
        self.loaded()

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        model = self.loaded()
        return {
            "revision": model.checkpoint.revision,
            "device": model.device,
            "limit": model.limit(self.limit),
            "weights": model.checkpoint.weights,
            "settings": model.checkpoint.settings,
            "with": model.versions,
        }

    def refuse_long(self, found: Sequence[tuple[str, str, int]], most: int) -> None:
        """Refuse texts of more than ``most`` tokens, each with its name, side and length."""
        cures = " or ".join(f"long={way}" for way in self.ways_with_long if way != "refuse")
        raise InputError(
            Problem(
                f"{name}: the {side} has {count} tokens, {self.label} with this model takes "
                f"{most}; give {cures}, or a model for longer texts"
            )
            for name, side, count in found
        )


@dataclass(frozen=True, kw_only=True)
class NeuralMeasure(ModelMeasure):
    """A score of hypothesis and reference by a model, the best one over references."""

    empty_scores_zero: ClassVar[bool] = True

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        layout = ReferenceLayout.of(test_set.reference_lists)
        pairs = [
            (hypotheses[segment], reference)
            for segment, reference in zip(layout.segment, test_set.flat_references, strict=True)
        ]
        names = [f"segment {test_set[segment].id!r}" for segment in layout.segment]
        scores = self._all_scores(test_set, pairs, names)
        best: FloatArray = scores[best_reference(layout, scores)]
        return best

    def _all_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        scores = np.zeros(len(pairs))
        both = [all(map(str.strip, pair)) for pair in pairs]
        todo = [at for at, full in enumerate(both) if full or not self.empty_scores_zero]
        if todo:
            chosen = [pairs[at] for at in todo]
            scores[todo] = self._pair_scores(test_set, chosen, [names[at] for at in todo])
        wrong = np.flatnonzero(~np.isfinite(scores)).tolist()
        if wrong:
            raise InputError(Problem(f"{names[at]}: {self.name} has no value") for at in wrong)
        return scores

    @abstractmethod
    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        """Score each pair (hypothesis, reference); names identify a pair in messages."""

    def treat_long(
        self, lengths: Mapping[str, Sequence[int]], most: int, names: Sequence[str]
    ) -> None:
        """Refuse texts of more than ``most`` tokens, or warn that they are cut.

        ``lengths`` holds the token counts of each side (hypothesis, reference), by pair.
        """
        found = sorted(
            {
                (names[at], side, count)
                for side, counts in lengths.items()
                for at, count in enumerate(counts)
                if count > most
            }
        )
        if not found or self.long == "window":
            return
        if self.long == "cut":
            warnings.warn(
                f"{self.name}: {len(found)} texts are cut to {most} tokens; what follows in them "
                "has no effect on the score",
                PatmarkWarning,
                stacklevel=2,
            )
            return
        self.refuse_long(found, most)

    def tokenized(
        self, model: NeuralModel, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> tuple[dict[str, Tokens], int]:
        """Tokenize each different text, truncated if requested; return the input limit."""
        most = model.limit(self.limit) - Frame.of(model.tokenizer).size
        if most < 1:
            raise UsageError(f"{self.name}: limit={self.limit} leaves no room for a text")
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        tokens = dict(zip(texts, tokenize(model.tokenizer, texts), strict=True))
        own, other = ([len(tokens[text].ids) for text in side] for side in zip(*pairs, strict=True))
        self.treat_long({"hypothesis": own, "reference": other}, most, names)
        if self.long == "cut":
            tokens = {text: found.cut(most) for text, found in tokens.items()}
        return tokens, most


def in_blocks(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[slice, list[str]]]:
    """Yield slices of the pairs with their different texts, so that memory stays bounded."""
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        block = slice(start, start + _PAIRS_AT_ONCE)
        yield block, list(dict.fromkeys(text for pair in pairs[block] for text in pair))
