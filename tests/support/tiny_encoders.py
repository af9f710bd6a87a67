"""Tiny random encoders and claim pairs for the tests of trained evaluators."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from patmark.data.claim_pairs import ClaimPair, ClaimPairs

WORDS = ["valve", "spring", "seat", "rotor", "stator", "film", "pump", "housing", "junk", "a"]
LONGEST = 64


def write_encoder(folder: Path, kind: str, dropout: float = 0.1, **settings: Any) -> str:
    """A random encoder of two layers with a tokenizer of few words; kind: longformer or bert."""
    import torch
    import transformers

    tokenizer = _tokenizer(kind)
    tokenizer.save_pretrained(folder)
    common = {
        "vocab_size": len(tokenizer), "hidden_size": 16, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 16, "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout, "pad_token_id": tokenizer.pad_token_id,
        "initializer_range": 0.2, **settings,
    }  # fmt: skip
    labels = "num_labels" in settings
    if kind == "longformer":
        config = transformers.LongformerConfig(
            attention_window=8, max_position_embeddings=LONGEST + 2, type_vocab_size=1,
            bos_token_id=0, eos_token_id=2, sep_token_id=2, **common,
        )  # fmt: skip
        network = (
            transformers.LongformerForSequenceClassification
            if labels
            else transformers.LongformerModel
        )
    else:
        config = transformers.BertConfig(max_position_embeddings=LONGEST, **common)
        network = transformers.BertForSequenceClassification if labels else transformers.BertModel
    with torch.random.fork_rng():
        torch.manual_seed(5)
        network(config).save_pretrained(folder)
    return str(folder)


def _tokenizer(kind: str) -> Any:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    special, single, pair = {
        "longformer": (
            ["<s>", "<pad>", "</s>", "<unk>"], "<s> $A </s>", "<s> $A </s> </s> $B </s>",
        ),
        "bert": (
            ["[CLS]", "[PAD]", "[SEP]", "[UNK]"], "[CLS] $A [SEP]",
            "[CLS] $A [SEP] $B:1 [SEP]:1",
        ),
    }[kind]  # fmt: skip
    vocabulary = {word: at for at, word in enumerate([*special, *WORDS])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token=special[3]))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = TemplateProcessing(
        single=single, pair=pair, special_tokens=[(name, vocabulary[name]) for name in special]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=LONGEST, cls_token=special[0],
        pad_token=special[1], sep_token=special[2], unk_token=special[3],
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip


def toy_pairs(count: int = 20, references: int = 5, ties: bool = True) -> ClaimPairs:
    """Pairs in which the candidate with less junk is better; as many junk words are equal."""
    rng = random.Random(3)
    texts = [" ".join(rng.choices(WORDS[:8], k=6)) + f" a{'  a' * at}" for at in range(references)]
    pairs = []
    for at in range(count):
        junk = (0, 4) if at % 2 else (4, 0)
        if ties and at % 5 == 0:
            junk = (2, 2)
        sides = [_candidate(rng, amount) for amount in junk]
        label = (junk[0] < junk[1]) - (junk[0] > junk[1])
        pairs.append(ClaimPair(texts[at % references], *sides, {"Quality": label}))
    return ClaimPairs(tuple(pairs), "toy.json")


def _candidate(rng: random.Random, junk: int) -> str:
    words = rng.choices(WORDS[:8], k=6) + ["junk"] * junk
    rng.shuffle(words)
    return " ".join(words)
