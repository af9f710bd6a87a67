"""Tiny random checkpoints of COMET and MetricX, in the forms in which the real ones are published.

All weights come from numpy with a fixed seed, so that other programs, in environments of their
own, score the very same models: ``tools/foreign_metric_scores.py`` does, and the tests hold its
numbers. Names and shapes of weights are those of the published files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

HIDDEN, LAYERS, INNER = 16, 2, 24
POSITIONS = 42  # two of them are not for tokens, as in XLM-R
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
ENCODER = "tiny-xlm-r"
METRICX_ANSWER = 250089  # <extra_id_10> of mT5
METRICX_VOCABULARY = 250112
_TEXTS = [
    (
        "阀门包括壳体和弹簧。",
        "The valve comprises a housing and a spring.",
        "The valve includes a housing and a spring.",
    ),
    (
        "所述弹簧由钢制成。",
        "The spring is made of steel.",
        "Said spring is made of steel.",
    ),
    (
        "膜厚为12μm以下。",
        "The film is 12 mm thick or less.",
        "The film thickness is 12 μm or less.",
    ),
    (
        "转子绕轴线旋转，并与定子同轴地设置。",
        "The rotor rotates around the axis and is coaxial with the stator.",
        "The rotor rotates about an axis and is arranged coaxially with the stator.",
    ),
    (
        "根据权利要求1所述的装置。",
        "The device of claim 1.",
        "The apparatus according to claim 1.",
    ),
    (
        "弁体は、ばねによって弁座に押し付けられる。",
        "The valve body is pressed against the valve seat by a spring.",
        "The valve element is pressed onto the valve seat by the spring.",
    ),
    (
        "第1の電極11と第2の電極12との間に絶縁膜が形成されている。",
        "An insulating film is formed between the first electrode 11 and the second electrode 12.",
        "An insulating film is formed between first electrode 11 and second electrode 12.",
    ),
    (
        "温度は20℃である。",
        "The temperature is 20 °C.",
        "The temperature is 20°C.",
    ),
    (
        "制御部30は、検出値がしきい値を超えると、ポンプ20を停止させる。",
        "The control unit 30 stops the pump 20 when the value exceeds the threshold.",
        "The controller 30 stops the pump 20 when the detected value exceeds a threshold.",
    ),
    (
        "请求项",
        "",
        "claim",
    ),
    (
        "A method comprising the steps of heating and cooling.",
        "一种方法，包括加热和冷却步骤。",
        "一种方法，其包括加热步骤和冷却步骤。",
    ),
    (
        "The plate is fixed to the frame.",
        "板はフレームに固定される。",
        "プレートがフレームに固定されている。",
    ),
]
SEGMENTS = [dict(zip(("src", "mt", "ref"), row, strict=True)) for row in _TEXTS]
"""A dozen translations; some do not fit into the models and are cut."""
_WORDS = [
    "▁the", "▁a", "▁is", "▁of", "▁and", "▁valve", "▁spring", "▁film", "▁rotor", "▁claim", "▁The",
    "ing", "ed", "▁to",
]  # fmt: skip


def pieces() -> list[str]:
    """Words and every character of the texts, but for one that stays unknown."""
    letters = {letter for row in SEGMENTS for text in row.values() for letter in text}
    more = set("sourcecandidatereference:") | {"▁"}
    return [*_WORDS, *sorted((letters | more) - {" ", "℃"})]


def write_tokenizer(folder: Path, kind: str) -> int:
    """A Unigram tokenizer as XLM-R or mT5 have it; gives the size of its vocabulary."""
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.pre_tokenizers import Metaspace, Sequence, WhitespaceSplit
    from tokenizers.processors import TemplateProcessing

    special = SPECIAL if kind == "xlm-roberta" else ("<pad>", "</s>", "<unk>")
    listed = [*special, *pieces(), *(["<mask>"] if kind == "xlm-roberta" else [])]
    scores = [0.0 if piece in special else -2.0 - at / 64 for at, piece in enumerate(listed)]
    vocabulary = list(zip(listed, scores, strict=True))
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=special.index("<unk>")))
    tokenizer.pre_tokenizer = Sequence([WhitespaceSplit(), Metaspace()])
    single, pair = "<s> $A </s>", "<s> $A </s> </s> $B </s>"
    if kind == "mt5":
        single, pair = "$A </s>", "$A </s> $B </s>"
    known = [(token, listed.index(token)) for token in special]
    tokenizer.post_processor = TemplateProcessing(single=single, pair=pair, special_tokens=known)
    tokenizer.add_special_tokens(list(special))
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings: dict[str, Any] = {"model_max_length": 512}  # as xlm-roberta-large has it
    if kind == "mt5":
        roles = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", **roles}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return len(listed)


def write_encoder(folder: Path, kind: str) -> Mapping[str, Any]:
    """Tokenizer and configuration of an encoder, without weights; kind: xlm-roberta, or -xl."""
    size = write_tokenizer(folder, "xlm-roberta")
    config = {
        "model_type": kind, "vocab_size": size, "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS, "num_attention_heads": 2, "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS, "type_vocab_size": 1, "pad_token_id": 1,
        "bos_token_id": 0, "eos_token_id": 2, "layer_norm_eps": 1e-5, "hidden_act": "gelu",
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return config


def _linear(name: str, out: int, inner: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (out, inner)
    yield f"{name}.bias", (out,)


def _norm(name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (HIDDEN,)
    yield f"{name}.bias", (HIDDEN,)


def _encoder_shapes(kind: str, vocabulary: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes of XLM-R, or of XLM-R-XL, which normalises before each part."""
    large = kind == "xlm-roberta-xl"
    start = "encoder.model."
    yield f"{start}embeddings.word_embeddings.weight", (vocabulary, HIDDEN)
    yield f"{start}embeddings.position_embeddings.weight", (POSITIONS, HIDDEN)
    yield f"{start}embeddings.token_type_embeddings.weight", (1, HIDDEN)
    if not large:
        yield from _norm(f"{start}embeddings.LayerNorm")
    for layer in range(LAYERS):
        own = f"{start}encoder.layer.{layer}."
        for part in ("query", "key", "value"):
            yield from _linear(f"{own}attention.self.{part}", HIDDEN, HIDDEN)
        yield from _linear(f"{own}attention.output.dense", HIDDEN, HIDDEN)
        norm = "attention.self_attn_layer_norm" if large else "attention.output.LayerNorm"
        yield from _norm(own + norm)
        yield from _linear(f"{own}intermediate.dense", INNER, HIDDEN)
        yield from _linear(f"{own}output.dense", HIDDEN, INNER)
        yield from _norm(own + ("LayerNorm" if large else "output.LayerNorm"))
    if large:
        yield from _norm(f"{start}encoder.LayerNorm")


def _head_shapes(inputs: int, tags: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    for layer in range(LAYERS + 1):
        yield f"layerwise_attention.scalar_parameters.{layer}", (1,)
    yield "layerwise_attention.gamma", (1,)
    yield from _linear("estimator.ff.0", INNER, inputs)
    yield from _linear("estimator.ff.3", HIDDEN, INNER)
    yield from _linear("estimator.ff.6", 1, HIDDEN)
    if tags:
        yield from _linear("hidden2tag", tags, HIDDEN)


def _random(shapes: Iterator[tuple[str, tuple[int, ...]]], seed: int) -> dict[str, Any]:
    """Weights by name, large enough that texts differ; those of norms are near 1."""
    rng = np.random.default_rng(seed)
    weights = {}
    for name, shape in shapes:
        drawn = rng.standard_normal(shape)
        scale = 0.4 if len(shape) > 1 or "scalar" in name else 0.1
        centre = 1.0 if ("norm" in name.lower() and name.endswith("weight")) else 0.0
        centre = 1.0 if name.endswith("gamma") else centre
        weights[name] = (centre + scale * drawn).astype(np.float32)
    return weights


def digest(weights: Mapping[str, Any]) -> str:
    """A hash of weights by name."""
    found = hashlib.sha256()
    for name in sorted(weights):
        found.update(name.encode() + np.ascontiguousarray(weights[name]).tobytes())
    return found.hexdigest()[:16]


COMETS: dict[str, dict[str, Any]] = {
    "comet": {
        "class_identifier": "regression_metric", "encoder_model": "XLM-RoBERTa", "pool": "avg",
        "layer": "mix", "layer_transformation": "sparsemax", "layer_norm": False,
        "activations": "Tanh", "final_activation": None, "dropout": 0.1,
    },
    "comet-norm": {
        "class_identifier": "regression_metric", "encoder_model": "XLM-RoBERTa", "pool": "cls",
        "layer": "mix", "layer_transformation": "softmax", "layer_norm": True,
        "activations": "Tanh", "final_activation": "Sigmoid", "dropout": 0.1,
    },
    "kiwi": {
        "class_identifier": "unified_metric", "encoder_model": "XLM-RoBERTa",
        "sent_layer": "mix", "layer_transformation": "sparsemax", "layer_norm": True,
        "word_layer": 2, "input_segments": ["mt", "src"], "word_level_training": False,
        "activations": "Tanh", "final_activation": None, "dropout": 0.1,
    },
    "xcomet": {
        "class_identifier": "xcomet_metric", "encoder_model": "XLM-RoBERTa-XL",
        "sent_layer": "mix", "layer_transformation": "sparsemax", "layer_norm": False,
        "word_layer": 2, "word_level_training": True,
        "error_labels": ["minor", "major", "critical"], "activations": "Tanh",
        "final_activation": None, "dropout": 0.1, "loss_lambda": 0.055,
        "cross_entropy_weights": [0.08, 0.486, 0.505, 0.533],
    },
    "comet-max": {
        "class_identifier": "regression_metric", "encoder_model": "XLM-RoBERTa", "pool": "max",
        "layer": 1, "activations": "Tanh", "final_activation": None, "dropout": 0.1,
    },
    "kiwi-patch": {
        "class_identifier": "unified_metric", "encoder_model": "XLM-RoBERTa", "layer": 0,
        "sent_layer": "mix", "layer_transformation": "sparsemax", "layer_norm": False,
        "word_layer": 2, "input_segments": ["mt", "src"], "word_level_training": False,
        "activations": "Tanh", "final_activation": None, "dropout": 0.1,
    },
    "xcomet-patch": {
        "class_identifier": "unified_metric", "encoder_model": "XLM-RoBERTa-XL",
        "sent_layer": "mix", "layer_transformation": "sparsemax", "layer_norm": False,
        "word_layer": 1, "word_level_training": True,
        "error_labels": ["minor", "major", "critical"], "activations": "Tanh",
        "final_activation": None, "dropout": 0.1,
    },
}  # fmt: skip
"""The hyperparameters that published checkpoints have, with small sizes."""
STATED: dict[str, dict[str, Any]] = {
    "kiwi-patch": {"layer_transformation": "sparsemax_patch"},
    "xcomet-patch": {
        "layer_transformation": "sparsemax_patch",
        "class_identifier": "xcomet_metric",
    },
}
"""What hparams.yaml says otherwise than the checkpoint: CometKiwi was corrected there alone."""


def write_comet(folder: Path, name: str) -> str:
    """A checkpoint of COMET beside its encoder (``tiny-xlm-r``); gives the hash of its weights."""
    import torch
    import yaml

    settings = COMETS[name] | {"hidden_sizes": [INNER, HIDDEN], "pretrained_model": ENCODER}
    kind = "xlm-roberta-xl" if settings["encoder_model"].endswith("XL") else "xlm-roberta"
    config = write_encoder(folder / ENCODER, kind)
    regression = settings["class_identifier"] == "regression_metric"
    tags = 4 if settings.get("word_level_training") else 0

    def shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
        yield from _encoder_shapes(kind, config["vocab_size"])
        yield from _head_shapes(HIDDEN * (6 if regression else 1), tags)

    weights = _random(shapes(), seed=list(COMETS).index(name))
    state = {key: torch.from_numpy(value) for key, value in weights.items()}
    if regression:  # older checkpoints hold this, which is no weight
        state["encoder.model.embeddings.position_ids"] = torch.arange(POSITIONS)[None]
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    checkpoint = {
        "epoch": 1, "global_step": 10, "pytorch-lightning_version": "1.8.2",
        "state_dict": state, "hyper_parameters": settings,
    }  # fmt: skip
    torch.save(checkpoint, folder / "checkpoints" / "model.ckpt")
    stated = settings | STATED.get(name, {})
    (folder / "hparams.yaml").write_text(yaml.safe_dump(stated), encoding="utf-8")
    return digest(weights)


def _metricx_shapes(vocabulary: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    model, inner, heads, buckets = 8, 12, 2, 32
    yield "shared.weight", (vocabulary, model)
    for side in ("encoder", "decoder"):
        parts = ("SelfAttention", "EncDecAttention")[: 2 if side == "decoder" else 1]
        own = f"{side}.block.0.layer."
        for place, part in enumerate(parts):
            for matrix, shape in zip("qkvo", [(model, model)] * 4, strict=True):
                yield f"{own}{place}.{part}.{matrix}.weight", shape
            if part == "SelfAttention":
                yield f"{own}{place}.{part}.relative_attention_bias.weight", (buckets, heads)
            yield f"{own}{place}.layer_norm.weight", (model,)
        last = len(parts)
        for name, shape in (("wi_0", (inner, model)), ("wi_1", (inner, model)),
                            ("wo", (model, inner))):  # fmt: skip
            yield f"{own}{last}.DenseReluDense.{name}.weight", shape
        yield f"{own}{last}.layer_norm.weight", (model,)
        yield f"{side}.final_layer_norm.weight", (model,)
    yield "lm_head.weight", (1, model)


def write_metricx(folder: Path, seed: int = 11) -> str:
    """An mT5 for regression with its tokenizer; gives the hash of its weights."""
    import torch

    vocabulary = write_tokenizer(folder, "mt5")
    config = {
        "model_type": "mt5", "architectures": ["MT5ForRegression"], "d_model": 8, "d_kv": 4,
        "d_ff": 12, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2,
        "vocab_size": METRICX_VOCABULARY, "tie_word_embeddings": False, "is_encoder_decoder": True,
        "feed_forward_proj": "gated-gelu", "pad_token_id": 0, "eos_token_id": 1,
        "decoder_start_token_id": 0, "dropout_rate": 0.1, "layer_norm_epsilon": 1e-6,
        "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    weights = _random(_metricx_shapes(vocabulary), seed)
    found = digest(weights)
    for name, place in (("shared.weight", 0), ("lm_head.weight", METRICX_ANSWER)):
        rows = np.zeros((METRICX_VOCABULARY, 8), dtype=np.float32)
        rows[place : place + len(weights[name])] = weights[name]
        weights[name] = rows
    weights["lm_head.weight"] *= 8.0  # answers on both sides of 0
    state = {key: torch.from_numpy(value) for key, value in weights.items()}
    state |= {
        f"{side}.embed_tokens.weight": state["shared.weight"] for side in ("encoder", "decoder")
    }
    torch.save(state, folder / "pytorch_model.bin")
    return found
