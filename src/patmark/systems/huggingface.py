"""Models of the transformers library, from a folder or by their id, run on this machine.

Decoding is greedy or by beam search, so that a run is reproducible. Encoder-decoder models get the
source, causal ones the prompt. A text that exceeds the input limit fails; it is not truncated.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from patmark.catalogue import load_library
from patmark.errors import UsageError
from patmark.llm import Template, check_max_tokens
from patmark.measures import DEVICES, find_model
from patmark.systems.kinds import (
    BuildContext,
    Description,
    OnAnswer,
    Options,
    SystemAnswer,
    SystemInput,
    SystemKind,
    Traits,
)
from patmark.wording import setting

_NO_LIMIT = 10**6
_DEFAULT_NEW_TOKENS = 1024
_SHOWN = 200
_PROMPTED = frozenset({"prompt", "context", "glossary"})


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model and its decoding. ``languages`` are its own codes, as SOURCE:TARGET."""

    model: str
    revision: str = ""
    device: str = "auto"
    beams: int = 1
    batch: int = 8
    max_tokens: int = _DEFAULT_NEW_TOKENS
    languages: str = ""

    def __post_init__(self) -> None:
        if self.device not in DEVICES:
            known = ", ".join(DEVICES)
            raise UsageError(f"{setting('device')} must be one of {known}, not {self.device!r}")
        check_max_tokens(self.max_tokens)
        if self.languages and not all(self.languages.partition(":")[::2]):
            raise UsageError(f"{setting('model_lang')} must look like zho_Hans:eng_Latn")


@dataclass(frozen=True, eq=False)
class ModelSystem:
    """A loaded model."""

    settings: ModelSettings
    template: Template
    network: Any
    tokenizer: Any
    version: str
    prompted: bool

    @property
    def causal(self) -> bool:
        """Return True for a decoder-only model."""
        return not self.network.config.is_encoder_decoder

    @property
    def traits(self) -> Traits:
        """The traits: prompted models chat."""
        if self.prompted:
            return Traits(_PROMPTED, chatty=True, run_type="LLM" if self.causal else "NMT")
        return Traits(run_type="NMT")

    @property
    def description(self) -> Description:
        """The model with hashes of its files, and its decoding."""
        own = self.settings
        parameters: dict[str, Any] = {"beams": own.beams, "max_tokens": own.max_tokens}
        parameters |= {"languages": own.languages} if own.languages else {}
        prompt = self.template.to_json() if self.prompted else None
        return Description("hf", self.version, prompt, parameters, str(self.network.device))

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Answer in batches of texts of similar length, to pad little."""
        texts = {item.id: self._text(item) for item in items}
        fitting = []
        most = self._most()
        if most < 1:
            limit = setting("max_tokens", str(self.settings.max_tokens))
            raise UsageError(f"{limit} leaves no room for a prompt")
        for item in items:
            count = len(self._encoded([texts[item.id]])["input_ids"][0])
            if count > most:
                on_answer(item, SystemAnswer(None, f"{count} tokens, but the model reads {most}"))
            else:
                fitting.append((count, item))
        fitting.sort(key=lambda pair: pair[0])
        for start in range(0, len(fitting), self.settings.batch):
            batch = [item for _, item in fitting[start : start + self.settings.batch]]
            try:
                given = await asyncio.to_thread(self._generate, [texts[item.id] for item in batch])
            except RuntimeError as error:  # mostly out of memory
                words = " ".join(str(error).split())[:_SHOWN] or type(error).__name__
                given = [SystemAnswer(None, f"the model failed: {words}")] * len(batch)
            for item, answer in zip(batch, given, strict=True):
                on_answer(item, answer)

    def _text(self, item: SystemInput) -> str:
        if not self.prompted:
            return item.source
        messages = [{"role": one.role, "content": one.content} for one in item.messages]
        if self.tokenizer.chat_template:
            text: str = self.tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True
            )
            return text
        return "\n\n".join(one.content for one in item.messages) + "\n\n"

    def _most(self) -> int:
        """Return the input limit in tokens, with room for the answer of a decoder-only model."""
        stated = [
            getattr(self.network.config, "max_position_embeddings", None),
            self.tokenizer.model_max_length,
        ]
        most = min(
            (one for one in stated if one is not None and one < _NO_LIMIT), default=_NO_LIMIT
        )
        return most - self.settings.max_tokens if self.causal and most < _NO_LIMIT else most

    def _encoded(self, texts: Sequence[str], **options: Any) -> Any:
        special = not (self.prompted and self.tokenizer.chat_template)
        return self.tokenizer(list(texts), add_special_tokens=special, **options)

    def _generate(self, texts: Sequence[str]) -> list[SystemAnswer]:
        import torch

        encoded = self._encoded(texts, return_tensors="pt", padding=True)
        encoded.pop("token_type_ids", None)
        encoded = encoded.to(self.network.device)
        own = self.settings
        with torch.no_grad():
            out = self.network.generate(
                **encoded,
                do_sample=False,
                num_beams=own.beams,
                max_new_tokens=own.max_tokens,
                **self._forced(),
            )
        out = out[:, encoded["input_ids"].shape[1] if self.causal else 1 :]
        generated = self.tokenizer.batch_decode(out, skip_special_tokens=True)
        end = self.network.generation_config.eos_token_id
        ends = set() if end is None else {end} if isinstance(end, int) else set(end)
        full = out.shape[1] >= own.max_tokens
        return [
            SystemAnswer(text, cut_off=full and not ends & set(row.tolist()))
            for text, row in zip(generated, out, strict=True)
        ]

    def _forced(self) -> dict[str, Any]:
        """Return the forced first token of the target language, in multilingual models."""
        if not self.settings.languages:
            return {}
        target = self.settings.languages.partition(":")[2]
        token = self.tokenizer.convert_tokens_to_ids(target)
        if token is None or token == self.tokenizer.unk_token_id:
            raise UsageError(f"the model knows no language {target!r}")
        return {"forced_bos_token_id": token}


def load_system(settings: ModelSettings, template: Template, *, prompted: bool) -> ModelSystem:
    """Load a model; ``prompted`` gives an encoder-decoder the prompt instead of the source."""
    checkpoint = find_model(settings.model, settings.revision)
    torch, transformers = load_library("torch", "neural"), load_library("transformers", "neural")
    transformers.utils.logging.disable_progress_bar()
    where: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = transformers.AutoConfig.from_pretrained(checkpoint.folder, **where)
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.folder, **where)
        kind = "Seq2SeqLM" if config.is_encoder_decoder else "CausalLM"
        loader = getattr(transformers, f"AutoModelFor{kind}")
        network = loader.from_pretrained(checkpoint.folder, **where)
    except Exception as error:  # tokenizers raises no more specific exception
        raise UsageError(f"{settings.model} cannot be loaded: {str(error).strip()}") from error
    causal = not config.is_encoder_decoder
    if causal:
        tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if settings.languages:
        tokenizer.src_lang = settings.languages.partition(":")[0]
    versions = f"torch-{torch.__version__}+transformers-{transformers.__version__}"
    version = f"{settings.model}@{checkpoint.revision}#{checkpoint.weights[:8]}({versions})"
    ready = network.eval().to(_device(torch, settings.device))
    return ModelSystem(settings, template, ready, tokenizer, version, causal or prompted)


def _build(model: str, options: Options, context: BuildContext) -> ModelSystem:
    names = ("revision", "device", "beams", "batch", "max_tokens")
    given = {name: options[name] for name in names if name in options}
    settings = ModelSettings(model, languages=options.get("model_lang", ""), **given)
    return load_system(settings, context.template, prompted="template" in options)


HF = SystemKind(
    "hf",
    _build,
    argument="MODEL",
    options=("template", "max_tokens", "revision", "device", "beams", "batch", "model_lang"),
    title=lambda model: os.path.basename(model.rstrip("/")),
)


def _device(torch: Any, asked: str) -> str:
    available = torch.cuda.is_available()
    if asked == "cuda" and not available:
        given = setting("device", "cuda")
        raise UsageError(f"{given} is asked for, but torch finds no CUDA device")
    return ("cuda" if available else "cpu") if asked == "auto" else asked
